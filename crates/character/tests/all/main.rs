//! All tests through the public interface, in one binary.

mod errors;
mod examples;
mod joint_bounds;
mod rigs;
mod sockets;
mod triangles;
