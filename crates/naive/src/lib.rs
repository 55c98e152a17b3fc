//! The baseline that `hedgerow` is measured against, and the workloads that both sides are measured on.
//!
//! Source of most of it: M. Åkerstedt Bergsten, *Scene Graph Memory Management*, Chalmers 2019 ("the thesis").
//!
//! - [`Graph`] is the thesis's naive scene graph (section 4.2): one heap allocation a node, children in inline storage
//!   for eight pointers, a parent pointer, three kinds of nodes, and its two recursive visitors (section 4.3).
//! - [`Recipe`] is the thesis's random tree (section 5.1), told without reference to either side; [`Churn`] picks the
//!   leaves that a dynamic frame removes and extends (section 5.1.1.1).
//! - [`Topology`] has other shapes of trees, in which every node has a transform, and [`Moves`] says which of them move.
//! - [`Script`] is a long sequence of single edits below one child of the root, and a [`Stage`] a scene that it is played on.
//! - [`Town`] is a large scene to be culled, [`strewn`] makes boxes without order, and [`Cullables`] are culled the
//!   object-oriented way.
//! - [`test_clip`] is what players of clips are measured on, and [`KeyTracks`] the player that searches every track.
//! - [`Parts`] are meshes of about three sub-meshes, strewn likewise, and [`Meshes`] are what an object-oriented engine makes
//!   of them: culled sub-mesh by sub-mesh, rendered mesh by mesh.
//! - [`Character`] and [`Flattened`] are a character's joints as objects with children and as arrays of 4×4 matrices; [`rig`]
//!   is what they and ours are measured on.
//! - [`SkinRecipe`] is a character to be skinned, and [`SeedSkin`] skins it in the way in which that is first written down,
//!   and by the steps that make it faster.
//! - [`Side`] is what a measurement asks of a scene graph; [`Boxed`] and [`Packed`] are the naive graph and a
//!   [`hedgerow::Scene`] behind it.
//!
//! Both sides use `hedgerow`'s matrix and transform types and so the same mathematics to the bit; a [`Checksum`] of
//! matrices and draws shows it.

mod checksum;
mod churn;
mod cullable;
mod frames;
mod graph;
mod joints;
mod key_tracks;
mod meshes;
mod moves;
mod node;
mod parts;
mod recipe;
mod rig;
mod rng;
mod script;
mod side;
mod skin_recipe;
mod skinning;
mod test_clip;
mod topology;
mod town;
mod visit;

pub use checksum::Checksum;
pub use churn::{Churn, Edits, FRAMES};
pub use cullable::{Cullable, Cullables};
pub use frames::Frames;
pub use graph::{Graph, NodePtr};
pub use joints::{Character, Flattened, LocalPose, inverse_binds};
pub use key_tracks::KeyTracks;
pub use meshes::{Meshes, Renderable};
pub use moves::Moves;
pub use parts::Parts;
pub use recipe::{Content, Kind, Recipe, RecipeNode, SIZES};
pub use rig::{CHARACTERS, JOINTS, character, rig};
pub use script::{Edit, Growth, Script, Stage};
pub use side::{Batched, Boxed, Packed, Side, describe};
pub use skin_recipe::{SKIN_JOINTS, SKIN_VERTICES, SkinRecipe};
pub use skinning::{SeedSkin, SplitVertex, WholeVertex, WideVertex};
pub use test_clip::{TEST_CLIP_JOINTS, TEST_CLIP_KEYS, TEST_CLIP_RATE, swaying, test_clip};
pub use topology::{RIG, Topology};
pub use town::{TOWN_SHAPES, Town, strewn, strewn_cameras};
pub use visit::{DrawCommand, Draws};
