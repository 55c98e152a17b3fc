//! Passes on several threads (feature `rayon`): searches and listings, slice by slice.
//!
//! Each slice is processed by one thread, in the same way as without threads. The place of each result is known
//! beforehand, or the results are put in order afterwards. So results are identical to the bit for any number of
//! threads. If there is too little work to share, the return value says so, and the caller does it alone.

mod listing;
mod search;

pub(in crate::pass) use search::list_seen;
