//! All tests through the public interface, in one binary.

mod accessors;
mod animation;
mod characters;
mod compressed;
mod computed;
mod extensions;
mod faults;
mod grid;
mod handles;
mod kept_inputs;
mod nodes;
mod play;
mod repairs;
mod resolver;
mod rest;
mod shipped_models;
mod skinned_picks;
mod stored;
mod surfaces;
mod triangle_trees;
mod triangles;
mod whole;
