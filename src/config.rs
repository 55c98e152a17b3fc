//! The configuration of a scene: what it keeps, and how its slices grow.
//!
//! [`guide::choosing_a_config`](crate::guide::choosing_a_config) says what to choose. A scene is made with
//! [`Scene::with_config`](crate::Scene::with_config), and keeps its configuration.
//!
//! ```
//! use hedgerow::{Scene, SceneConfig};
//!
//! let scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT })?;
//! assert!(scene.config().bounds && !scene.config().changes);
//! # Ok::<(), hedgerow::Error>(())
//! ```

use crate::Error;
use crate::handle::MAX_TABLE_ENTRIES;

/// The least value of `max_nodes`: pieces of a quarter of it have room for a node and the portals below.
const LEAST_BOUND: u32 = 16;
/// A slice cannot have more rows than a scene can have nodes.
const MOST_NODES: u32 = 1 << 30;

/// What a scene keeps besides its nodes, and how large its slices are.
///
/// The parameters that exist in the thesis have its names (section 4.4.7).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct SceneConfig {
    /// The factor by which a full slice grows: 1.05 to 16. Default 1.25, with which a tree of small nodes takes less
    /// memory than boxed ones at every size; the thesis uses 1.5.
    pub expansion_factor: f32,
    /// How many nodes a new slice has storage for: 1 to 2²⁰. Default 64.
    pub initial_slice_storage_size: u32,
    /// How many nodes a new slice has handles for: 1 to 4096. A full table doubles, up to 4096 entries; then another
    /// one is opened. Default 64.
    pub initial_slice_max_num_nodes: u32,
    /// The greatest number of rows in a slice: one that would exceed it is cut into pieces of a quarter to three
    /// quarters of it. This bounds the longest edit: it rebuilds one slice, and a few of the slices above if these are
    /// full too. Smaller slices nest deeper: the first edit in a slice since the last update marks the slices above,
    /// and the update passes through them, which takes O(slices above). 16 to 2³⁰. Default 4096, which fits in a
    /// second-level cache; the thesis has no bound.
    pub max_nodes: u32,
    /// A slice with fewer rows than this is small: [`Scene::maintain`](crate::Scene::maintain) merges it with a
    /// neighbour or with the slice above, and it absorbs small independent subtrees beside it. At most a quarter of
    /// `max_nodes`. Default 512.
    pub min_nodes: u32,
    /// Whether the update keeps world boxes of all shapes, of blocks of shapes, of slices and of everything below each
    /// slice. [`Scene::cull`](crate::Scene::cull) and the other spatial queries need them. Default false. True takes 33
    /// more bytes for each shape, and the time to compute the boxes of what moved.
    pub bounds: bool,
    /// Whether changes are tracked, so that readers are told which nodes changed, and the matrices of the update before
    /// are kept: [`Scene::changes`](crate::Scene::changes), [`Scene::previous_world`](crate::Scene::previous_world).
    /// Default false. True takes 60 more bytes for each transform, 8 for each visibility, about 4 for each node, the
    /// [history](crate::Scene::set_change_history), and time in proportion to the changes: detaching, attaching and
    /// removing, now or later, then always take O(nodes of the subtree).
    pub changes: bool,
}

impl SceneConfig {
    /// The default configuration.
    pub const DEFAULT: Self = Self {
        expansion_factor: 1.25,
        initial_slice_storage_size: 64,
        initial_slice_max_num_nodes: 64,
        max_nodes: 4096,
        min_nodes: 512,
        bounds: false,
        changes: false,
    };

    /// Checks every field.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] names the first invalid field and what it accepts.
    pub fn checked(self) -> Result<Self, Error> {
        let rules = [
            ((1.05..=16.0).contains(&self.expansion_factor), "expansion_factor", "from 1.05 to 16"),
            ((1..=1 << 20).contains(&self.initial_slice_storage_size), "initial_slice_storage_size", "from 1 to 2^20"),
            (
                (1..=MAX_TABLE_ENTRIES).contains(&self.initial_slice_max_num_nodes),
                "initial_slice_max_num_nodes",
                "from 1 to 4096",
            ),
            ((LEAST_BOUND..=MOST_NODES).contains(&self.max_nodes), "max_nodes", "from 16 to 2^30"),
            (self.min_nodes <= self.max_nodes / 4, "min_nodes", "at most a quarter of max_nodes"),
        ];
        match rules.iter().find(|(holds, ..)| !holds) {
            Some(&(_, field, expected)) => Err(Error::InvalidConfig { field, expected }),
            None => Ok(self),
        }
    }
}

impl Default for SceneConfig {
    fn default() -> Self {
        Self::DEFAULT
    }
}
