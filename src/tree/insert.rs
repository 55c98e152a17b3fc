//! Copies nodes of a scene to a tree, and inserts trees into scenes.
//!
//! Nodes are inserted in depth-first order, so that the first update fills slices from front to back.

use crate::error::BatchError;
use crate::scene::{Place, Scene};
use crate::store::{NIL, RecordId};
use crate::tree::Tree;
use crate::tree::packed::Head;
use crate::{Error, NodeHandle};

impl Scene {
    /// Copies a node and everything below it, with all components, to a [`Tree`], in depth-first order.
    ///
    /// Node n of the tree is the n-th node of [`descendants`](crate::NodeRef::descendants). Runs in **O(nodes of the
    /// subtree)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    ///
    /// ```
    /// use hedgerow::{Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let lamp = scene.insert(scene.root(), Node::group().with_name("lamp"))?;
    /// let bulb = scene.insert(lamp, Node::material(3))?;
    ///
    /// let originals: Vec<_> = scene.get(lamp).unwrap().descendants().map(|node| node.handle()).collect();
    /// let tree = scene.copy_tree(lamp)?;
    /// let copies = scene.insert_tree(scene.root(), &tree)?;
    /// assert_eq!(originals, [lamp, bulb]);
    /// assert_eq!(scene.get(copies[1]).unwrap().to_node(), Node::material(3), "the copy of the bulb");
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn copy_tree(&self, node: NodeHandle) -> Result<Tree, Error> {
        let top = self.at(node)?;
        let store = &self.store;
        let mut tree = Tree::new();
        // The ancestors of the current node, with their numbers.
        let mut above: Vec<(RecordId, u32)> = Vec::new();
        let mut at = Some(top);
        while let Some(id) = at {
            // Leaves the subtrees that end before this node.
            while above.last().is_some_and(|&(last, _)| Some(last) != store.nodes.parent(id)) {
                above.pop();
            }
            let number = number(tree.len());
            tree.parents.push(above.last().map_or(NIL, |&(_, number)| number));
            tree.nodes.push(&store.nodes.node(id));
            above.push((id, number));
            at = store.nodes.next_in_subtree(top, id, true);
        }
        Ok(tree)
    }

    /// Inserts a tree at a place, and returns the handles of its nodes, indexed by their numbers. They are seen by
    /// passes after the next [`Scene::update`].
    ///
    /// If the tree has several roots, they are inserted there one after the other. If `place` is a plain handle, the
    /// tree becomes the last child of that node.
    ///
    /// To copy a subtree within a scene or from another scene, insert the result of [`Scene::copy_tree`]. To load one
    /// from a file, insert the result of [`Tree::from_bytes`]. A tree at [`Place::Detached`] can serve as a prefab that
    /// costs nothing in any pass. Runs in **O(nodes)**.
    ///
    /// # Errors
    /// [`BatchError::item`] is the number of the first invalid node: [`Error::UnknownParent`] if its parent does not
    /// come before it; [`Error::NotFinite`], [`Error::NotRotation`], [`Error::NoLocal`]. For the place:
    /// [`Error::StaleHandle`], [`Error::RootIsFixed`], [`Error::BesideDetached`], [`Error::IndexOutOfRange`].
    /// [`Error::CapacityOverflow`]. The scene is unchanged.
    ///
    /// ```
    /// use hedgerow::edit::BatchError;
    /// use hedgerow::{Error, Node, Place, Scene, Tree};
    ///
    /// let mut scene = Scene::new();
    /// let last = scene.insert(scene.root(), Node::group())?;
    /// let mut pair = Tree::new();
    /// pair.push(None, Node::group().with_name("left"));
    /// pair.push(None, Node::group().with_name("right"));
    /// let nodes = scene.insert_tree(Place::Before(last), &pair)?;
    /// assert!(scene.children(scene.root()).eq([nodes[0], nodes[1], last]));
    ///
    /// pair.push(Some(7), Node::group());
    /// let refused = scene.insert_tree(last, &pair);
    /// assert_eq!(refused, Err(BatchError { item: Some(2), error: Error::UnknownParent }));
    /// # Ok::<(), BatchError>(())
    /// ```
    ///
    /// Copies of a prefab, each with a place and data of its own:
    ///
    /// ```
    /// # use hedgerow::{Node, Scene, Transform, Tree};
    /// # let mut scene = Scene::new();
    /// # let field = scene.insert(scene.root(), Node::group())?;
    /// # let mut prefab = Tree::new();
    /// # let root = prefab.push(None, Node::transform(Transform::IDENTITY));
    /// # prefab.push(Some(root), Node::drawable(hedgerow::Drawable::new(0, hedgerow::Aabb::cube(1.0))));
    /// for unit in 0..500_u16 {
    ///     let nodes = scene.insert_tree(field, &prefab)?;
    ///     scene.set_local(nodes[0], Transform::from_xyz(f32::from(unit), 0.0, 0.0))?;
    ///     scene.edit(nodes[1])?.set_user_data(unit.into()); // of the body, for its draws
    /// }
    /// # assert_eq!(scene.len(), 2 + 2 * 500);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn insert_tree(&mut self, place: impl Into<Place>, tree: &Tree) -> Result<Vec<NodeHandle>, BatchError> {
        let at = self.position(place.into(), None)?;
        if let Some((number, error)) = tree.fault {
            return Err(BatchError::at(number, error));
        }
        self.store.nodes.check_room(tree.len())?;
        let order = tree.depth_first();
        let nodes = order.iter().map(|placed| {
            let parent = (placed.parent != NIL).then_some(placed.parent as usize);
            (parent, tree.nodes.node(placed.head))
        });
        let made = self.store.nodes.insert_tree(at, nodes)?;
        let mut handles = vec![self.root(); tree.len()];
        order.iter().zip(made).for_each(|(placed, handle)| handles[placed.item as usize] = handle);
        Ok(handles)
    }
}

/// A node at its place in depth-first order. 16 bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    /// The node's entry in the list of nodes.
    pub(super) head: Head,
    /// The node's number in the tree.
    item: u32,
    /// The place of the parent, or [`NIL`].
    pub(super) parent: u32,
}

impl Tree {
    /// Returns the nodes in depth-first order, siblings by number. A node with an unknown parent counts as a root.
    ///
    /// Each place is computed from the sizes of subtrees, so no step waits for the previous one.
    pub(super) fn depth_first(&self) -> Vec<Placed> {
        let (parents, heads) = (&self.parents, self.nodes.heads());
        let count = parents.len();
        let mut sizes = vec![1; count];
        // Children have greater numbers than their parents, so backwards each size is complete when it is added.
        for item in (0..count).rev() {
            // NIL is out of range of `before`, so roots add to nothing.
            let (before, size) = sizes.split_at_mut(item);
            if let Some(parent) = before.get_mut(parents[item] as usize) {
                *parent += size[0];
            }
        }
        let mut next_root = 0;
        // The place of each node, and of its next child.
        let mut places = vec![(0_u32, 0_u32); count];
        let mut order = vec![Placed { head: Head::default(), item: 0, parent: NIL }; count];
        for item in 0..count {
            let (parent, next) = match places[..item].get_mut(parents[item] as usize) {
                Some((place, next)) => (*place, next),
                None => (NIL, &mut next_root),
            };
            let place = core::mem::replace(next, *next + sizes[item]);
            places[item] = (place, place + 1);
            order[place as usize] = Placed { head: heads[item], item: number(item), parent };
        }
        order
    }
}

#[expect(clippy::cast_possible_truncation, reason = "lists of 2^32 nodes fit no memory, and no scene has 2^30")]
fn number(index: usize) -> u32 {
    index as u32
}
