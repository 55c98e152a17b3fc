//! The change feed: which nodes an update changed.

use crate::scene::Scene;
use crate::{Mat34, NodeHandle};

/// Which nodes changed between the last two updates; see [`Scene::changes`].
///
/// Each list has a node at most once. The order has no meaning, but is the same from run to run. A node that entered or
/// left is on no other list. One that entered and left between two updates, or left and came back, counts as unchanged.
#[derive(Clone, Copy, Debug, Default)]
pub struct Changes<'s> {
    moved: &'s [NodeHandle],
    visibility: &'s [NodeHandle],
    entered: &'s [NodeHandle],
    left: &'s [NodeHandle],
}

impl<'s> Changes<'s> {
    /// Nodes whose world matrix differs in any bit. A node without a transform uses that of the nearest ancestor with
    /// one.
    #[must_use]
    pub fn moved(&self) -> &'s [NodeHandle] {
        self.moved
    }

    /// Nodes whose inherited layer mask changed: the intersection of their own mask and those of all their ancestors.
    #[must_use]
    pub fn visibility(&self) -> &'s [NodeHandle] {
        self.visibility
    }

    /// Nodes that entered the scene; with the first update this includes the root.
    #[must_use]
    pub fn entered(&self) -> &'s [NodeHandle] {
        self.entered
    }

    /// Nodes that left the scene; the handles of removed ones are stale.
    #[must_use]
    pub fn left(&self) -> &'s [NodeHandle] {
        self.left
    }

    /// Whether no list has a node. Changes of parent that keep the world matrix, of names, materials and shapes are on no
    /// list.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        [self.moved, self.visibility, self.entered, self.left].iter().all(|list| list.is_empty())
    }
}

impl Scene {
    /// The nodes that the last update changed, compared with the update before. Before the first update, the scene
    /// counts as empty.
    ///
    /// All lists are empty if the scene was not made with [`SceneConfig::changes`](crate::SceneConfig::changes).
    /// Recording costs the update **O(changes + slots that it computed)**, and a removal O(nodes removed).
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

    /// The world matrix that a node had after the update before the last, for motion vectors. For a node that was not
    /// in the scene then, this is the present one.
    ///
    /// `None` for a stale handle, and if the scene was not made with
    /// [`SceneConfig::changes`](crate::SceneConfig::changes). Call this between an update and the next edits: for a
    /// node that an edit moved in the tree it may return the value of the new place, and [`Scene::visit_slices_mut`]
    /// commits current transforms as previous. Runs in **O(log n)** for n nodes that inherit another transform because
    /// of edits.
    #[must_use]
    pub fn previous_world(&self, node: NodeHandle) -> Option<&Mat34> {
        self.store.previous_world_at(self.store.resolve(node)?)
    }
}
