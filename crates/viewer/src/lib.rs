//! Draws scenes of hedgerow with wgpu: without a screen, or in a window.
//!
//! | module | what |
//! |---|---|
//! | [`stage`] | a scene with meshes, materials, lights and cameras, and its simulation |
//! | [`view`] | draw lists, groups and slots of a camera or a shadow cascade |
//! | [`camera`], [`cascades`] | cameras and shadow cascades |
//! | [`editor`] | picking, moving, deleting and undo |
//! | [`lines`] | boxes and frustums as lines |
//! | [`gpu`] | tables, textures, pipelines, passes |
//! | [`viewer`] | a frame, phase by phase |
//! | [`picture`] | PNG files and their differences |
//! | `window` | a window with panels (feature `window`) |
//! | `web` | the viewer in a web page, built for `wasm32-unknown-unknown` |
//!
//! The town and the army are those of the examples `frames` and `army`.

#[path = "../../character/examples/army/army.rs"]
#[allow(dead_code, reason = "the viewer culls and skins in its own ways")]
mod army;
#[path = "../../character/examples/common/dice.rs"]
mod dice;
#[path = "../../character/examples/frames/house.rs"]
#[allow(dead_code, reason = "the viewer shows the town")]
mod house;
#[path = "../../character/examples/frames/life.rs"]
#[allow(dead_code, reason = "the viewer shows the town")]
mod life;
#[path = "../../character/examples/frames/parts.rs"]
mod parts;
#[path = "../../character/examples/frames/people.rs"]
#[allow(dead_code, reason = "the viewer shows the town")]
mod people;
#[path = "../../character/examples/puppet/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the viewer needs no figures at rest")]
mod puppet;
#[path = "../../character/examples/frames/town.rs"]
#[allow(dead_code, reason = "the viewer shows the town")]
mod town;
#[path = "../../character/examples/frames/turn.rs"]
#[allow(dead_code, reason = "the viewer shows the town")]
mod turn;

pub mod arguments;
pub mod camera;
pub mod cascades;
pub mod editor;
pub mod failure;
pub mod gpu;
pub mod lines;
pub mod picture;
pub mod stage;
pub mod threads;
pub mod view;
pub mod viewer;
#[cfg(target_arch = "wasm32")]
pub mod web;
#[cfg(feature = "window")]
pub mod window;
