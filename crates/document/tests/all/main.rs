//! Documents against the rules written down once more, and the laws of their values.

mod acts;
mod bytes;
mod history;
mod live;
mod merge;
mod model;
mod operations;
mod patch;
mod random;
mod refused;
mod scenes;
mod text;
