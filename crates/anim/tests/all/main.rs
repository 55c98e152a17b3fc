//! One test binary, which links once.

mod clips;
mod errors;
mod poses;
mod raw_clips;
mod reduction;
mod root_motion;
mod skinning;
mod threads;
