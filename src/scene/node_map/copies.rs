//! Copies of values for copies of nodes.

use crate::NodeHandle;
use crate::scene::NodeMap;

impl<V: Clone> NodeMap<V> {
    /// Gives copies of nodes the values of the originals. For each pair of an old and a new handle, if the old handle
    /// has a value, the new handle gets a clone. Returns the number of values copied. Runs in **O(nodes copied)**.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, data::NodeMap};
    ///
    /// let mut scene = Scene::new();
    /// let orc = scene.insert(scene.root(), Node::group())?;
    /// let mut health = NodeMap::from_iter([(orc, 100)]);
    ///
    /// let originals: Vec<_> = scene.get(orc).unwrap().descendants().map(|node| node.handle()).collect();
    /// let copies = scene.insert_tree(scene.root(), &scene.tree(orc)?)?;
    /// assert_eq!(health.copy_along(originals.into_iter().zip(copies.iter().copied())), 1);
    /// assert_eq!(health.get(copies[0]), Some(&100));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn copy_along(&mut self, copies: impl IntoIterator<Item = (NodeHandle, NodeHandle)>) -> usize {
        let mut copied = 0;
        for (old, new) in copies {
            if let Some(value) = self.get(old).cloned() {
                _ = self.replace(new, value);
                copied += 1;
            }
        }
        copied
    }

    /// Gives copies of nodes the values that another map has for the originals, such as the map of another scene or of
    /// a saved subtree. Returns the number of values copied. Runs in **O(nodes copied)**.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, data::NodeMap};
    ///
    /// let (mut district, mut world) = (Scene::new(), Scene::new());
    /// let house = district.insert(district.root(), Node::group())?;
    /// let rents = NodeMap::from_iter([(house, 700)]);
    /// let copies = world.insert_tree(world.root(), &district.tree(district.root())?)?;
    ///
    /// let mut all_rents = NodeMap::new();
    /// let originals = district.get(district.root()).unwrap().descendants().map(|node| node.handle());
    /// all_rents.copy_from(&rents, originals.zip(copies.iter().copied()));
    /// assert_eq!(all_rents.get(copies[1]), Some(&700));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn copy_from(&mut self, other: &Self, copies: impl IntoIterator<Item = (NodeHandle, NodeHandle)>) -> usize {
        let mut copied = 0;
        for (old, new) in copies {
            if let Some(value) = other.get(old).cloned() {
                _ = self.replace(new, value);
                copied += 1;
            }
        }
        copied
    }
}
