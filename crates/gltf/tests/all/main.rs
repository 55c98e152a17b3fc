//! All tests through the public interface, in one binary.

mod animation;
mod characters;
mod compressed;
mod driver;
mod drivers;
mod extensions;
mod faults;
mod gltf_file;
mod gltf_text;
mod grid;
mod handles;
mod kept_inputs;
mod nodes;
mod play;
mod shipped_models;
mod surfaces;
mod whole;

// By the name that it has where the fuzz targets include it.
use characters::small;
