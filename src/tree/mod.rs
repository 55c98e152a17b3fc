//! A tree of nodes as a value, independent of any scene: built by hand, copied from a scene, or read from a file.

pub(crate) mod bytes;
mod insert;
#[cfg(feature = "serde")]
pub(crate) mod local;
pub(crate) mod packed;
#[cfg(feature = "serde")]
pub(crate) mod text;

use crate::store::NIL;
use crate::{Error, Node};
use core::fmt;
use insert::Placed;
use packed::Packed;

/// A subtree of a scene as a value: a list of nodes, with all components and the numbers of their parents.
///
/// | from | to |
/// |---|---|
/// | [`push`](Self::push), node by node | [`get`](Self::get), [`iter`](Self::iter) |
/// | [`Scene::copy_tree`](crate::Scene::copy_tree) | [`Scene::insert_tree`](crate::Scene::insert_tree), [`EditQueue::insert_tree`](crate::edit::EditQueue::insert_tree) |
/// | [`from_bytes`](Self::from_bytes) | [`to_bytes`](Self::to_bytes) |
/// | `Deserialize` (feature `serde`) | `Serialize` |
///
/// Nodes are numbered from 0 in the order in which they were pushed; [`push`](Self::push) returns the number. A parent
/// comes before its children. Siblings are in the order of their numbers. There may be several roots (nodes without a
/// parent). Most nodes take 50 to 100 bytes.
///
/// A tree knows nothing of where it came from: numbers change when nodes are inserted or removed. Nodes with lasting
/// ids, and prefabs that stay connected to their copies, are in the crate `hedgerow-document`.
///
/// Two trees are equal if they have the same nodes with the same parents in the same depth-first order; numbers may
/// differ. The comparison runs in **O(nodes)**.
///
/// ```
/// use hedgerow::{Node, Scene, Transform, Tree};
///
/// let mut tree = Tree::new();
/// let car = tree.push(None, Node::transform(Transform::from_xyz(5.0, 0.0, 0.0)).with_name("car"));
/// let wheel = tree.push(Some(car), Node::transform(Transform::from_xyz(1.0, 0.0, 0.0)));
/// assert_eq!((tree.parent(wheel), tree.iter().len()), (Some(car), 2));
///
/// let mut scene = Scene::new();
/// let first = scene.insert_tree(scene.root(), &tree)?;
/// let second = scene.insert_tree(scene.root(), &tree)?;
/// assert!(scene.children(scene.root()).eq([first[car], second[car]]));
/// assert_eq!(scene.parent(second[wheel]), Some(second[car]));
/// assert_eq!(scene.copy_tree(first[car])?, tree);
/// # Ok::<(), hedgerow::edit::BatchError>(())
/// ```
#[derive(Clone, Default)]
pub struct Tree {
    /// The number of each node's parent, or [`NIL`].
    parents: Vec<u32>,
    nodes: Packed,
    /// The first node that a scene would refuse, and why.
    pub(crate) fault: Option<(usize, Error)>,
}

/// The number stored for an unknown parent; no list has this many nodes.
const UNKNOWN: u32 = NIL - 1;

impl Tree {
    /// Creates a tree without nodes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a tree without nodes, with capacity for `nodes` nodes.
    #[must_use]
    pub fn with_capacity(nodes: usize) -> Self {
        Self { parents: Vec::with_capacity(nodes), nodes: Packed::with_capacity(nodes), ..Self::default() }
    }

    /// Appends a node as the last child of its parent, or as a root, and returns its number. The name is copied.
    ///
    /// If the parent's number is not less than the node's, or a value is invalid, inserting the tree fails. Runs in
    /// amortised **O(1)**.
    ///
    /// # Panics
    /// Panics if the name is 4 GiB or longer.
    #[inline]
    pub fn push(&mut self, parent: Option<usize>, node: Node<'_>) -> usize {
        let number = self.len();
        // Any unknown parent gets one value that is neither NIL nor a number.
        self.parents.push(parent.map_or(NIL, |parent| u32::try_from(parent).unwrap_or(UNKNOWN).min(UNKNOWN)));
        if parent.is_some_and(|parent| parent >= number) {
            self.fault.get_or_insert((number, Error::UnknownParent));
        }
        if node.is_plain() {
            self.nodes.push(&node);
        } else {
            let checked = node.checked();
            self.nodes.push(checked.as_ref().unwrap_or(&node));
            if let Err(error) = checked {
                self.fault.get_or_insert((number, error));
            }
        }
        number
    }

    /// Returns the number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Returns whether the tree has no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// Removes all nodes and keeps the memory.
    pub fn clear(&mut self) {
        self.parents.clear();
        self.nodes.clear();
        self.fault = None;
    }

    /// Returns the node with this number. Its values are as a scene stores them, or as they were pushed if a scene
    /// would reject them. `None` if there is no such node. Runs in **O(1)**.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Node<'_>> {
        self.nodes.heads().get(index).map(|&head| self.nodes.node(head))
    }

    /// Returns the number of a node's parent; `None` for a root, and if there is no such node. Runs in **O(1)**.
    #[must_use]
    pub fn parent(&self, index: usize) -> Option<usize> {
        self.parents.get(index).filter(|&&parent| parent != NIL).map(|&parent| parent as usize)
    }

    /// Returns the nodes in the order of their numbers, each with the number of its parent.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Option<usize>, Node<'_>)> + ExactSizeIterator {
        self.nodes.heads().iter().enumerate().map(|(number, &head)| (self.parent(number), self.nodes.node(head)))
    }
}

impl PartialEq for Tree {
    fn eq(&self, other: &Self) -> bool {
        let same =
            |(a, b): (Placed, Placed)| a.parent == b.parent && self.nodes.node(a.head) == other.nodes.node(b.head);
        self.len() == other.len()
            && self.fault == other.fault
            && self.depth_first().into_iter().zip(other.depth_first()).all(same)
    }
}

/// Writes the nodes with the numbers of their parents.
impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tree ")?;
        f.debug_list().entries(self.iter()).finish()
    }
}
