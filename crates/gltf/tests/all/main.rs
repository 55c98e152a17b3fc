//! All tests through the public interface, in one binary.

mod animation;
mod characters;
mod compressed;
mod computed;
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
mod repairs;
mod resolver;
mod rest;
mod shipped_models;
mod stored;
mod surfaces;
mod whole;

// The name under which the fuzz targets include the module.
use characters::small;
