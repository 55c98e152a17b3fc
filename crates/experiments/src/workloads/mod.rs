//! What is measured on: trees, edits, boxes, rigs, clips and skins, told without reference to either side.
//!
//! - [`Recipe`] is the thesis's random tree (section 5.1); [`Churn`] picks the leaves that a dynamic frame removes and
//!   extends (section 5.1.1.1).
//! - [`Topology`] has other shapes of trees, in which every node has a transform, and [`Moves`] says which of them
//!   move.
//! - [`Script`] is a long sequence of single edits below one child of the root.
//! - [`Town`] is a large scene to be culled, also by [`ViewsOfTown`], cameras with shadow cascades; [`strewn`] makes
//!   boxes without order, and [`Parts`] are meshes of about three sub-meshes, strewn likewise.
//! - [`test_clip`] and [`captured_clip`] are what players of clips are measured on, [`rig`] what poses are, and
//!   [`SkinRecipe`] a character to be skinned.
//!
//! [`Flush`] empties the caches, and [`Streams`] are the bytes that a pass has to touch. The same seed makes the same
//! everywhere.

mod churn;
mod flush;
mod moves;
mod parts;
mod recipe;
mod rig;
mod rng;
mod script;
mod skin_recipe;
mod streams;
mod test_clip;
mod topology;
mod town;
mod views;

pub use churn::{Churn, Edits, FRAMES};
pub use flush::Flush;
pub use moves::Moves;
pub use parts::Parts;
pub use recipe::{Content, Kind, Recipe, RecipeNode, SIZES};
pub use rig::{CHARACTERS, JOINTS, character, rig};
pub use script::{Edit, Growth, Script};
pub use skin_recipe::{SKIN_JOINTS, SKIN_VERTICES, SkinRecipe};
pub use streams::{Streams, TOUCHED};
pub use test_clip::{TEST_CLIP_JOINTS, TEST_CLIP_KEYS, TEST_CLIP_RATE, captured_clip, swaying, test_clip};
pub use topology::{RIG, Topology};
pub use town::{TOWN_PARTS, Town, strewn, strewn_cameras};
pub use views::ViewsOfTown;
