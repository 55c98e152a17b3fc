//! Values that follow their nodes into copies of these.

use crate::scene::{HandleMap, NodeMap};

impl<V: Clone> NodeMap<V> {
    /// Gives copies of nodes the values of the originals: for each old handle of the map that has a value, its new
    /// handle gets a clone. Returns how many values were copied. Runs in **O(nodes copied)**.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, data::NodeMap};
    ///
    /// let mut scene = Scene::new();
    /// let orc = scene.insert(scene.root(), Node::group())?;
    /// let mut health = NodeMap::from_iter([(orc, 100)]);
    /// let copies = scene.duplicate(orc, scene.root())?;
    /// assert_eq!(health.copy_along(&copies), 1);
    /// assert_eq!(health.get(copies.top()), Some(&100));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn copy_along(&mut self, copies: &HandleMap) -> usize {
        let mut copied = 0;
        for (old, new) in copies.iter() {
            if let Some(value) = self.get(old).cloned() {
                self.replace(new, value);
                copied += 1;
            }
        }
        copied
    }

    /// Gives copies of nodes the values that another map has for the originals, such as those of another scene or of a
    /// saved subtree. Returns how many values were copied. Runs in **O(nodes copied)**.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, data::NodeMap};
    ///
    /// let (mut district, mut world) = (Scene::new(), Scene::new());
    /// let house = district.insert(district.root(), Node::group())?;
    /// let rents = NodeMap::from_iter([(house, 700)]);
    /// let map = world.duplicate_from(&district, district.root(), world.root())?;
    ///
    /// let mut all_rents = NodeMap::new();
    /// all_rents.copy_from(&rents, &map);
    /// assert_eq!(map.get(house).and_then(|house| all_rents.get(house)), Some(&700));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn copy_from(&mut self, other: &Self, copies: &HandleMap) -> usize {
        let mut copied = 0;
        for (old, new) in copies.iter() {
            if let Some(value) = other.get(old).cloned() {
                self.replace(new, value);
                copied += 1;
            }
        }
        copied
    }
}
