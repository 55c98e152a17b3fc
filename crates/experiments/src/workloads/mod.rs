//! The workloads: trees, edits, boxes, rigs, clips and skins, described independently of any side.
//!
//! - [`Recipe`] is the thesis's random tree (section 5.1); [`Churn`] picks the leaves that a dynamic frame removes and
//!   extends (section 5.1.1.1).
//! - [`Topology`] lists other shapes of trees, in which every node has a transform; [`Moves`] chooses nodes to move.
//! - [`Town`] is a large scene for culling.
//! - [`test_clip()`] is a clip for players, [`rig()`] a skeleton for poses, and [`SkinRecipe`] a mesh for skinning.
//!
//! [`Flush`] empties the caches. A seed gives the same workload on every machine.

mod churn;
mod flush;
mod moves;
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
pub use recipe::{Content, Kind, Recipe, RecipeNode, SIZES};
pub use rig::{CHARACTERS, JOINTS, character, rig};
pub use skin_recipe::{SKIN_JOINTS, SKIN_VERTICES, SkinRecipe};
pub use test_clip::{TEST_CLIP_JOINTS, TEST_CLIP_KEYS, TEST_CLIP_RATE, swaying, test_clip};
pub use topology::{RIG, Topology};
pub use town::{TOWN_PARTS, Town};
