//! Copies subtrees, within a scene or from another.

use crate::scene::{HandleMap, Place, Scene, SceneBuilder};
use crate::store::{RecordId, Store};
use crate::{Error, NodeHandle};

impl Scene {
    /// Copies a node and everything below it to a place. Returns a map from old to new handles. A plain handle as
    /// `place` means the last child of that node.
    ///
    /// Everything that the scene keeps of a node is copied: components and names, words of draws
    /// ([`Scene::set_word`]), and translations in double precision ([`Scene::set_translation_f64`]). Values that are
    /// kept beside the scene follow by the map: [`NodeMap::copy_along`](crate::data::NodeMap::copy_along).
    ///
    /// The place may be in the copied subtree: the copy is that of the subtree as it was before. A detached subtree can
    /// be copied too, so it can serve as a prefab that costs nothing in any pass. Runs in **O(nodes copied)**, plus O(n
    /// log n) for the map of n nodes; this is O(n) if their handles ascend in depth-first order, as in a tree that was
    /// just built.
    ///
    /// # Errors
    /// [`Error::StaleHandle`] for the node or the place, [`Error::RootIsFixed`] and [`Error::BesideDetached`] for a
    /// place beside a root, [`Error::CapacityOverflow`].
    ///
    /// ```
    /// use hedgerow::{Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let lamp = scene.insert(scene.root(), Node::group().named("lamp"))?;
    /// let bulb = scene.insert(lamp, Node::material(3))?;
    /// let copy = scene.duplicate(lamp, scene.root())?;
    /// assert_eq!(scene.name(copy.top()), Some("lamp"));
    /// assert_eq!(scene.first_child(copy.top()), copy.get(bulb));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn duplicate(&mut self, node: NodeHandle, place: impl Into<Place>) -> Result<HandleMap, Error> {
        let top = self.at(node)?;
        let (tree, handles) = SceneBuilder::copy_of(&self.store, top);
        self.insert_copy(&tree, &handles, place.into())
    }

    /// Copies a node of another scene and everything below it to a place in this one, like [`Scene::duplicate`].
    ///
    /// # Errors
    /// Those of [`Scene::duplicate`]. The node's handle is looked up in `other`, that of the place in this scene.
    pub fn duplicate_from(
        &mut self,
        other: &Self,
        node: NodeHandle,
        place: impl Into<Place>,
    ) -> Result<HandleMap, Error> {
        let top = other.at(node)?;
        let (tree, handles) = SceneBuilder::copy_of(&other.store, top);
        self.insert_copy(&tree, &handles, place.into())
    }

    fn insert_copy(&mut self, tree: &SceneBuilder, old: &[NodeHandle], place: Place) -> Result<HandleMap, Error> {
        let new = tree.insert_into(self, place).map_err(|refused| refused.error)?;
        Ok(HandleMap::new(old.iter().copied().zip(new).collect()).expect("live handles are unique"))
    }
}

impl SceneBuilder {
    /// The subtree of a node as a list, and its handles in the same order.
    fn copy_of(store: &Store, top: RecordId) -> (Self, Vec<NodeHandle>) {
        let (mut tree, mut handles) = (Self::new(), Vec::new());
        // The numbers of the nodes above the present one.
        let mut above: Vec<usize> = Vec::new();
        let mut at = top;
        loop {
            let number = tree.push_checked(above.last().copied(), &store.node(at), &store.additions(at));
            handles.push(store.handle(at));
            if let Some(child) = store.first_child(at) {
                above.push(number);
                at = child;
                continue;
            }
            loop {
                if at == top {
                    return (tree, handles);
                }
                if let Some(next) = store.next_sibling(at) {
                    at = next;
                    break;
                }
                at = store.parent(at).expect("a walk stays below its top");
                above.pop();
            }
        }
    }
}
