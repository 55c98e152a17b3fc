//! All tests through the public interface, in one binary.

mod forms;
mod meshes;
