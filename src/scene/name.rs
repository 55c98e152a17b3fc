//! Names and paths. Siblings may share a name: then the first one is found.

use crate::NodeHandle;
use crate::scene::Scene;
use crate::store::RecordId;

impl Scene {
    /// The name of a node. Runs in **O(1)**.
    #[must_use]
    pub fn name(&self, node: NodeHandle) -> Option<&str> {
        self.store.name(self.store.resolve(node)?)
    }

    /// The node at a path of names below `from`, separated by `/`: at each step the first child with that name.
    ///
    /// The empty path is `from` itself. Use [`Scene::find_by`] for names that contain a slash. Runs in **O(children of
    /// each node on the way)** and allocates nothing.
    ///
    /// ```
    /// use hedgerow::{Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::group().named("car"))?;
    /// let wheel = scene.insert(car, Node::group().named("wheel_fl"))?;
    /// assert_eq!(scene.find(scene.root(), "car/wheel_fl"), Some(wheel));
    /// assert_eq!(scene.find(car, "wheel_rr"), None);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[must_use]
    pub fn find(&self, from: NodeHandle, path: &str) -> Option<NodeHandle> {
        if path.is_empty() {
            return self.contains(from).then_some(from);
        }
        self.descend(from, path.split('/'))
    }

    /// The node at a path of names below `from`, where names may contain any characters; see [`Scene::find`].
    #[must_use]
    pub fn find_by(&self, from: NodeHandle, segments: &[&str]) -> Option<NodeHandle> {
        self.descend(from, segments.iter().copied())
    }

    fn descend<'p>(&self, from: NodeHandle, segments: impl IntoIterator<Item = &'p str>) -> Option<NodeHandle> {
        let from = self.store.resolve(from)?;
        let child = |at: RecordId, name: &str| {
            let chain = core::iter::successors(self.store.first_child(at), |&at| self.store.next_sibling(at));
            chain.into_iter().find(|&at| self.store.name(at) == Some(name))
        };
        let found = segments.into_iter().try_fold(from, child)?;
        Some(self.store.handle(found))
    }
}
