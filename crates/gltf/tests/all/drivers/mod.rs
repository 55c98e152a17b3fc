//! Code that the driver of the fuzz target `gltf` shares with the drivers of `hedgerow`.

#[path = "../../../../../tests/all/drivers/input.rs"]
mod input;
#[path = "../../../../../tests/all/drivers/json.rs"]
pub(crate) mod json;

pub(crate) use input::Input;
