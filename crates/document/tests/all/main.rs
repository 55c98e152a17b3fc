//! Documents against the rules written down once more.

mod acts;
mod model;
mod operations;
