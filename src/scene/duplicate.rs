//! Copies subtrees, within a scene or from another.

use crate::scene::{HandleMap, Place, Scene};
use crate::store::{At, Beside, Forest, Head, NIL, NodeList, Store};
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
        let place = self.place_to_build(place.into())?;
        let copy = Copied::of(&self.store, top);
        self.insert_copy(&copy, place)
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
        let place = self.place_to_build(place.into())?;
        let copy = Copied::of(&other.store, top);
        self.insert_copy(&copy, place)
    }

    fn insert_copy(&mut self, copy: &Copied, place: Option<(Beside, At)>) -> Result<HandleMap, Error> {
        self.check_room(copy.nodes.len(), 1)?;
        let mut pairs = Vec::with_capacity(copy.nodes.len());
        self.store.insert_tree(copy, place, |number, new| pairs.push((copy.handles[number as usize], new)));
        Ok(HandleMap::new(pairs).expect("live handles are unique"))
    }
}

/// The nodes of a subtree in pre-order, as owned values.
#[derive(Default)]
struct Copied {
    handles: Vec<NodeHandle>,
    /// The place of each node's parent.
    parents: Vec<u32>,
    nodes: NodeList,
}

impl Copied {
    /// Copies a subtree. Runs in O(nodes).
    fn of(store: &Store, top: At) -> Self {
        let mut copy = Self::default();
        // The places of the nodes above the present one.
        let mut above: Vec<u32> = Vec::new();
        let mut at = top;
        loop {
            let place = u32::try_from(copy.nodes.len()).expect("nodes number less than 2^30");
            copy.push(store, at, above.last().copied().unwrap_or(NIL));
            if let Some(child) = store.first_child(at) {
                above.push(place);
                at = child;
                continue;
            }
            loop {
                if at == top {
                    return copy;
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

    fn push(&mut self, store: &Store, at: At, parent: u32) {
        self.handles.push(store.handle(at));
        self.parents.push(parent);
        self.nodes.push_checked(&store.node_at(at));
        self.nodes.add(&store.additions_at(at));
    }
}

impl Forest for Copied {
    fn count(&self) -> u32 {
        u32::try_from(self.parents.len()).expect("nodes number less than 2^30")
    }

    fn parent(&self, place: u32) -> u32 {
        self.parents[place as usize]
    }

    fn head(&self, place: u32) -> Head {
        self.nodes.heads()[place as usize]
    }

    fn nodes(&self) -> &NodeList {
        &self.nodes
    }
}
