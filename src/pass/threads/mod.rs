//! Passes on several threads (feature `rayon`): searches and listings, slice by slice.
//!
//! Each slice is worked on by one thread, in the same way as without threads, and what comes of it has its place before or
//! is put together in order afterwards: results are the same to the bit, whatever the number of threads. What is too little
//! to be worth the trouble is answered as such, and done by the caller on its own thread.

mod listing;
mod search;
