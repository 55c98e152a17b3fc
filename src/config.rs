//! The configuration of a scene: what it keeps, and how large its slices are.
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

/// Which data a scene maintains in addition to its nodes, and how large its slices are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct SceneConfig {
    /// The greatest number of nodes in a slice: 8 to 4096. The default is 4096, so that a slice fits in a second-level
    /// cache; the thesis has no limit. The next update reconstitutes a larger slice as several slices, so the limit
    /// bounds the time that one new node adds to an update.
    pub max_nodes: u32,
    /// Whether the update maintains three kinds of world boxes: of drawables, of blocks of drawables, and of slices.
    /// [`Scene::cull`](crate::Scene::cull) and the other spatial queries need them. Default false. If true, each
    /// drawable takes 25 more bytes, and updates take time to recompute the boxes of drawables that moved.
    pub bounds: bool,
    /// Whether changes are tracked: [`Scene::changes`](crate::Scene::changes) reports which nodes changed, and
    /// [`NodeRef::previous_world`](crate::NodeRef::previous_world) returns matrices of the previous update. Default
    /// false. If true, each transform takes 56 more bytes, the [history](Self::change_history) takes memory, and
    /// updates take time in proportion to the changes.
    pub changes: bool,
    /// The limit for log entries older than the last update with changes, of 16 bytes each. Default 65,536.
    ///
    /// A node takes one entry for each update in which it entered, left, was removed or was edited. This includes
    /// updates in which it began to inherit other layers, another material, or another ancestor's transform. A node
    /// without a transform may take another entry when slices are merged, also by maintenance. The number of removals
    /// that are recorded between two updates is at most the greatest of this value, 4,096 and the number of nodes. A
    /// read is [whole](crate::changes::Changed::is_whole) if the history no longer reaches back to the last read.
    pub change_history: u32,
}

impl SceneConfig {
    /// The default configuration.
    pub const DEFAULT: Self = Self { max_nodes: 4096, bounds: false, changes: false, change_history: 1 << 16 };

    /// Checks every field.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] names the first invalid field and the values that it accepts.
    pub fn checked(self) -> Result<Self, Error> {
        if (8..=4096).contains(&self.max_nodes) {
            Ok(self)
        } else {
            Err(Error::InvalidConfig { field: "max_nodes", expected: "from 8 to 4096" })
        }
    }
}

impl Default for SceneConfig {
    fn default() -> Self {
        Self::DEFAULT
    }
}
