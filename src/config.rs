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

/// What a scene keeps besides its nodes, and how large its slices are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct SceneConfig {
    /// The greatest number of nodes in a slice: 8 to 4096. Default 4096, which fits in a second-level cache; the thesis
    /// has no bound. An update puts a slice with more nodes in order again and cuts it into pieces, so this bounds what
    /// one new node can cost an update.
    pub max_nodes: u32,
    /// Whether the update keeps world boxes of all drawables, of blocks of drawables and of slices.
    /// [`Scene::cull`](crate::Scene::cull) and the other spatial queries need them. Default false. True takes 25 more
    /// bytes for each drawable, and the time to compute the boxes of what moved.
    pub bounds: bool,
    /// Whether changes are tracked, so that readers are told which nodes changed, and the matrices of the update before
    /// are kept: [`Scene::changes`](crate::Scene::changes),
    /// [`NodeRef::previous_world`](crate::NodeRef::previous_world). Default false. True takes 56 more bytes for each
    /// transform, the
    /// [history](Self::change_history), and time in proportion to the changes.
    pub changes: bool,
    /// How many entries of 16 bytes are kept of the changes before those of the last update that had any. Default
    /// 65,536.
    ///
    /// A node that entered, left, was removed or was edited is one entry, as is one that inherits other layers or
    /// another material, or the transform of another ancestor. Between two updates, as many removals are noted, at
    /// least 4,096 and as many as there were nodes. A reader that has not asked for longer than the history goes back
    /// gets [`Changes::All`](crate::changes::Changes::All).
    pub change_history: u32,
}

impl SceneConfig {
    /// The default configuration.
    pub const DEFAULT: Self = Self { max_nodes: 4096, bounds: false, changes: false, change_history: 1 << 16 };

    /// Checks every field.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] names the first invalid field and what it accepts.
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
