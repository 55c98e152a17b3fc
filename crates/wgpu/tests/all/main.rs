//! Tests on a device.

#![allow(clippy::cast_possible_truncation, reason = "there are few items")]

mod baked;
mod cull;
mod device;
mod occlusion;
mod painter;
mod skin;
mod textures;
mod viewer;
