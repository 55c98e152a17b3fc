//! What is measured on: trees, edits, boxes, rigs, clips and skins, told without reference to any side.
//!
//! - [`Recipe`] is the thesis's random tree (section 5.1); [`Churn`] picks the leaves that a dynamic frame removes and
//!   extends (section 5.1.1.1).
//! - [`Topology`] has other shapes of trees, in which every node has a transform, and [`Moves`] says which of them
//!   move.
//! - [`Town`] is a large scene to be culled, and [`Parts`] are meshes of about three sub-meshes, strewn over a cube.
//! - [`test_clip()`] is what players of clips are measured on, [`rig()`] what poses are, and [`SkinRecipe`] a character
//!   to be skinned.
//!
//! [`Flush`] empties the caches. The same seed makes the same everywhere.

mod churn;
mod flush;
mod moves;
mod parts;
mod recipe;
mod rig;
pub(crate) mod rng;
mod skin_recipe;
mod test_clip;
mod topology;
mod town;

pub use churn::{Churn, Edits, FRAMES};
pub use flush::Flush;
pub use moves::Moves;
pub use parts::{Parts, SubMesh};
pub use recipe::{Content, Kind, Recipe, RecipeNode, SIZES};
pub use rig::{CHARACTERS, JOINTS, character, rig};
pub use skin_recipe::{SKIN_JOINTS, SKIN_VERTICES, SkinRecipe};
pub use test_clip::{TEST_CLIP_JOINTS, TEST_CLIP_KEYS, TEST_CLIP_RATE, swaying, test_clip};
pub use topology::{RIG, Topology};
pub use town::{TOWN_PARTS, Town};
