//! All tests of the public interface, in one binary.

mod forms;
mod meshes;
mod triangles;
