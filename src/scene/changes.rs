//! The change feed: which nodes an update changed.

use crate::scene::Scene;
use crate::{Mat34, NodeHandle};

/// Which nodes changed between the last two updates; see [`Scene::changes`].
///
/// Each list has a node at most once, in an order that means nothing but is the same from run to run. A node that entered
/// or left is on no other list; one that came and went between two updates, or went and came back, counts as if neither
/// had been.
#[derive(Clone, Copy, Debug, Default)]
pub struct Changes<'s> {
    moved: &'s [NodeHandle],
    visibility: &'s [NodeHandle],
    entered: &'s [NodeHandle],
    left: &'s [NodeHandle],
}

impl<'s> Changes<'s> {
    /// Nodes whose world matrix differs, in any bit. Nodes without a transform go by the nearest above.
    #[must_use]
    pub fn moved(&self) -> &'s [NodeHandle] {
        self.moved
    }

    /// Nodes on whose layers something changed: the mask that is their own and all their ancestors'.
    #[must_use]
    pub fn visibility(&self) -> &'s [NodeHandle] {
        self.visibility
    }

    /// Nodes that came to be in the scene, the root with the first update.
    #[must_use]
    pub fn entered(&self) -> &'s [NodeHandle] {
        self.entered
    }

    /// Nodes that went out of the scene; the handles of those that were removed are stale.
    #[must_use]
    pub fn left(&self) -> &'s [NodeHandle] {
        self.left
    }

    /// Whether nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        [self.moved, self.visibility, self.entered, self.left].iter().all(|list| list.is_empty())
    }
}

impl Scene {
    /// Which nodes the last update changed, against the update before; before the first one there was nothing.
    ///
    /// Empty throughout in a scene that was not made with [`SceneConfig::changes`](crate::SceneConfig::changes). The lists
    /// cost the update **O(changes + slots that it computed)**, and removing O(nodes removed) more.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, SceneConfig, Transform};
    ///
    /// let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
    /// let car = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
    /// let driver = scene.insert(car, Node::group())?;
    /// scene.update();
    /// assert_eq!(scene.changes().entered(), [scene.root(), car, driver]);
    ///
    /// scene.set_local(car, Transform::from_xyz(1.0, 0.0, 0.0))?;
    /// scene.update();
    /// assert_eq!(scene.changes().moved(), [car, driver]);
    /// assert!(scene.changes().entered().is_empty());
    ///
    /// scene.remove(car)?;
    /// scene.update();
    /// assert_eq!(scene.changes().left(), [car, driver]);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[must_use]
    pub fn changes(&self) -> Changes<'_> {
        self.store.feed().map_or_else(Changes::default, |feed| Changes {
            moved: feed.moved(),
            visibility: feed.visibility(),
            entered: feed.entered(),
            left: feed.left(),
        })
    }

    /// The world matrix that a node had after the update before the last, for motion vectors; the present one of a node
    /// that was not in the scene then.
    ///
    /// `None` for a stale handle, and in a scene that was not made with
    /// [`SceneConfig::changes`](crate::SceneConfig::changes). To be asked between an update and the next edits: a node that
    /// these give another place in the tree may answer with what holds there, and
    /// [`Scene::visit_slices_mut`] makes what was new be past. Computes in **O(log nodes that edits made inherit another
    /// transform)**.
    #[must_use]
    pub fn previous_world(&self, node: NodeHandle) -> Option<&Mat34> {
        self.store.previous_world_at(self.store.resolve(node)?)
    }
}
