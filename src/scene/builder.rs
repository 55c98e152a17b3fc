//! Builds a whole tree from a list in which each node gives its parent by number.

use crate::error::{BatchError, TreeFault};
use crate::scene::node_list::{Head, NodeList};
use crate::scene::{Place, Scene};
use crate::store::{Additions, MAX_RECORDS, NIL, Position};
use crate::{Error, Node, NodeHandle, SceneConfig};
use hedgerow_math::internal::prefetch;

/// A tree as a list: each node with the number of its parent, which may come before or after it.
///
/// The list is sorted into depth-first order, and nodes are inserted in that order, so that the first update fills slices
/// from front to back. Siblings are in the order of the list.
///
/// ```
/// use hedgerow::{Error, Node, Scene, SceneConfig, Transform, edit::{BatchError, SceneBuilder, TreeFault}};
///
/// let mut builder = SceneBuilder::new();
/// let wheel = builder.push(Some(1), Node::transform(Transform::from_xyz(1.0, 0.0, 0.0)));
/// let car = builder.push(None, Node::transform(Transform::from_xyz(5.0, 0.0, 0.0)).named("car"));
/// assert_eq!((wheel, car), (0, 1));
///
/// // Into an existing scene, as often as needed:
/// let mut scene = Scene::new();
/// let root = scene.root();
/// let first = builder.insert_into(&mut scene, root)?;
/// let second = builder.insert_into(&mut scene, root)?;
/// assert!(scene.children(root).eq([first[car], second[car]]));
///
/// // Or as a new scene, whose root is the root of the list:
/// let (scene, nodes) = builder.build(SceneConfig::DEFAULT)?;
/// assert_eq!(scene.root(), nodes[car]);
/// assert_eq!(scene.parent(nodes[wheel]), Some(nodes[car]));
///
/// builder.push(Some(7), Node::group());
/// let refused = builder.build(SceneConfig::DEFAULT).map(|(_, nodes)| nodes);
/// let error = Error::InvalidTree(TreeFault::UnknownParent);
/// assert_eq!(refused, Err(BatchError { item: Some(2), error }));
/// # Ok::<(), BatchError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SceneBuilder {
    /// The number of each node's parent, or [`NIL`].
    parents: Vec<u32>,
    nodes: NodeList,
    /// The first description that a scene would refuse, and why.
    fault: Option<(usize, Error)>,
}

/// Stands for a parent's number that no list can contain.
const UNKNOWN: u32 = NIL - 1;

impl SceneBuilder {
    /// An empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty list with room for this many nodes.
    #[must_use]
    pub fn with_capacity(nodes: usize) -> Self {
        Self { parents: Vec::with_capacity(nodes), nodes: NodeList::with_capacity(nodes), fault: None }
    }

    /// Appends a node and returns its number: 0 for the first, 1 for the next. Exactly one node has no parent.
    ///
    /// Nothing is checked until the tree is built, since a parent may come later. A name is copied. Runs in amortised
    /// **O(1)**.
    #[inline]
    pub fn push(&mut self, parent: Option<usize>, node: Node<'_>) -> usize {
        let number = self.nodes.len();
        self.parents.push(parent.map_or(NIL, |parent| u32::try_from(parent).unwrap_or(UNKNOWN).min(UNKNOWN)));
        if let Err(error) = self.nodes.push(&node) {
            self.fault.get_or_insert((number, error));
        }
        number
    }

    /// Gives the node that was pushed last what it has besides its description. It must have a local transform, if that
    /// has a remainder.
    pub(crate) fn add(&mut self, additions: &Additions) {
        self.nodes.add(additions);
    }

    /// Adds a description that a scene stores unchanged, with what the node has besides.
    pub(super) fn push_checked(&mut self, parent: Option<usize>, node: &Node<'_>, additions: &Additions) -> usize {
        let number = self.nodes.len();
        self.parents.push(parent.map_or(NIL, self::number));
        self.nodes.push_checked(node);
        self.nodes.add(additions);
        number
    }

    /// How many nodes the list has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the list has no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 0
    }

    /// Empties the list and keeps its memory.
    pub fn clear(&mut self) {
        self.parents.clear();
        self.nodes.clear();
        self.fault = None;
    }

    /// Builds a new scene from this tree. Returns the scene and the handles of its nodes by number. The scene's root is
    /// the one node without a parent.
    ///
    /// Runs in **O(nodes)**.
    ///
    /// # Errors
    /// [`BatchError::item`] is the number of the node at fault: [`Error::InvalidTree`] if the list is not a tree,
    /// [`Error::NotFinite`] and [`Error::NotRotation`] if a scene refuses the node; [`Error::InvalidConfig`];
    /// [`Error::CapacityOverflow`] for more than 2³⁰ nodes.
    pub fn build(&self, config: SceneConfig) -> Result<(Scene, Vec<NodeHandle>), BatchError> {
        let mut scene = Scene::with_config(config)?;
        let tree = self.ordered()?;
        let root = scene.root();
        scene.store.check_room(self.len())?;
        scene.set_node(root, tree.node(0))?;
        let mut handles = vec![root; self.len()];
        for place in 1..tree.order.len() {
            let parent = handles[tree.order[tree.order[place].parent as usize].item as usize];
            let handle = scene.store.insert(Position::last_of(parent.record()), &tree.node(place))?;
            scene.store.add(handle.record(), &tree.additions(place));
            handles[tree.item(place)] = handle;
        }
        Ok((scene, handles))
    }

    /// Inserts the tree into a scene, with its root at a place, and returns the handles of the nodes by number.
    ///
    /// Runs in **O(nodes)**.
    ///
    /// # Errors
    /// Those of [`SceneBuilder::build`], except for the configuration, and those of [`Scene::insert`] for the place.
    /// The scene is unchanged.
    pub fn insert_into(&self, scene: &mut Scene, place: impl Into<Place>) -> Result<Vec<NodeHandle>, BatchError> {
        let tree = self.ordered()?;
        let place = scene.position(place.into(), None)?;
        let nodes = (0..tree.order.len()).map(|place| {
            let parent = tree.order[place].parent;
            ((parent != NIL).then_some(parent as usize), tree.node(place), tree.additions(place))
        });
        let made = scene.store.insert_tree(place, nodes)?;
        let mut handles = vec![scene.root(); self.len()];
        made.into_iter().enumerate().for_each(|(place, handle)| handles[tree.item(place)] = handle);
        Ok(handles)
    }

    /// The same for a queue of edits: returns the root besides, and of an error not which node it is about.
    pub(crate) fn plant(&self, scene: &mut Scene, place: Place) -> Result<(NodeHandle, Vec<NodeHandle>), Error> {
        let nodes = self.insert_into(scene, place).map_err(|refused| refused.error)?;
        let root = self.parents.iter().position(|&parent| parent == NIL).expect("a tree has a root");
        Ok((nodes[root], nodes))
    }

    /// The tree in depth-first order, or what is wrong with it or with one of its nodes.
    fn ordered(&self) -> Result<Ordered<'_>, BatchError> {
        let invalid = |index: usize, fault| BatchError::at(index, Error::InvalidTree(fault));
        let mut root = None;
        for (index, &parent) in self.parents.iter().enumerate() {
            if parent == NIL {
                if root.replace(index).is_some() {
                    return Err(invalid(index, TreeFault::SecondRoot));
                }
            } else if parent as usize >= self.len() {
                return Err(invalid(index, TreeFault::UnknownParent));
            }
        }
        if let Some((index, error)) = &self.fault {
            return Err(BatchError::at(*index, *error));
        }
        if self.is_empty() {
            return Err(invalid(0, TreeFault::NoRoot));
        }
        if self.len() > MAX_RECORDS as usize {
            return Err(Error::CapacityOverflow.into());
        }
        let heads = self.nodes.heads();
        let order = match root {
            Some(0) if self.parents_come_first() => by_sizes(&self.parents, heads),
            _ => depth_first(&self.parents, heads, root),
        };
        if order.len() < self.len() {
            return Err(invalid(self.on_a_cycle(&order), TreeFault::Cycle));
        }
        Ok(Ordered { nodes: &self.nodes, order })
    }

    /// Whether every parent comes before its children.
    fn parents_come_first(&self) -> bool {
        (0..).zip(&self.parents).skip(1).all(|(item, &parent)| parent < item)
    }

    /// The number of a node that is its own ancestor, if not all nodes are reached from the root.
    fn on_a_cycle(&self, reached: &[Placed]) -> usize {
        let mut seen = vec![false; self.len()];
        reached.iter().for_each(|placed| seen[placed.item as usize] = true);
        let lost = seen.iter().position(|seen| !seen).expect("fewer nodes are reached than there are");
        // A node that is not reached from the root has no path up to it, so climbing runs into a cycle.
        let mut item = lost;
        while !core::mem::replace(&mut seen[item], true) {
            item = self.parents[item] as usize;
        }
        item
    }
}

/// The result of [`depth_first`] for a list in which every parent comes before its children, computed several times
/// faster: the size of each subtree says where the next one begins, and no step waits for the one before.
fn by_sizes(parents: &[u32], heads: &[Head]) -> Vec<Placed> {
    let count = parents.len();
    let mut sizes = vec![1; count];
    for item in (1..count).rev() {
        sizes[parents[item] as usize] += sizes[item];
    }
    // The place of each node, and of its next child.
    let mut places = vec![(0_u32, 1_u32); count];
    let mut order = vec![Placed { head: heads[0], item: 0, parent: NIL }; count];
    for item in 1..count {
        let (parent, next) = &mut places[parents[item] as usize];
        let (place, parent) = (core::mem::replace(next, *next + sizes[item]), *parent);
        places[item] = (place, place + 1);
        order[place as usize] = Placed { head: heads[item], item: number(item), parent };
    }
    order
}

/// The nodes below a root in depth-first order, siblings by their numbers.
///
/// Nodes that are not below the root are left out. Linear: siblings are linked from the last to the first, and the walk
/// climbs by the given parents.
fn depth_first(parents: &[u32], heads: &[Head], root: Option<usize>) -> Vec<Placed> {
    /// What the walk needs of a node, kept together.
    #[derive(Clone, Copy)]
    struct Links {
        parent: u32,
        first_child: u32,
        next_sibling: u32,
        place: u32,
    }
    let link = |&parent| Links { parent, first_child: NIL, next_sibling: NIL, place: NIL };
    let mut links: Vec<Links> = parents.iter().map(link).collect();
    for item in (0..number(parents.len())).rev() {
        let parent = parents[item as usize];
        if parent != NIL {
            let next = core::mem::replace(&mut links[parent as usize].first_child, item);
            links[item as usize].next_sibling = next;
        }
    }
    let mut order = Vec::with_capacity(parents.len());
    let (mut item, mut parent_place) = (root.map_or(NIL, number), NIL);
    while item != NIL {
        let place = number(order.len());
        order.push(Placed { head: heads[item as usize], item, parent: parent_place });
        let at = &mut links[item as usize];
        at.place = place;
        let at = *at;
        // It is visited after everything below the present node.
        prefetch(&links, at.next_sibling as usize);
        if at.first_child != NIL {
            (item, parent_place) = (at.first_child, place);
            continue;
        }
        while item != NIL && links[item as usize].next_sibling == NIL {
            item = links[item as usize].parent;
        }
        if item != NIL {
            let Links { parent, next_sibling, .. } = links[item as usize];
            (item, parent_place) = (next_sibling, links[parent as usize].place);
        }
    }
    order
}

/// Converts to a node's number; there are less than 2³⁰.
#[expect(clippy::cast_possible_truncation, reason = "lists are checked to be shorter than 2^30 before")]
fn number(index: usize) -> u32 {
    index as u32
}

/// A node at its place in depth-first order. 16 bytes.
#[derive(Clone, Copy, Debug)]
struct Placed {
    /// Its entry in the list of nodes.
    head: Head,
    /// Its number in the list.
    item: u32,
    /// The place of its parent, or [`NIL`].
    parent: u32,
}

/// A list in depth-first order, checked to be a tree of nodes that a scene accepts.
struct Ordered<'b> {
    nodes: &'b NodeList,
    order: Vec<Placed>,
}

impl Ordered<'_> {
    /// The number under which the list has the node at a place in depth-first order.
    #[inline]
    fn item(&self, place: usize) -> usize {
        self.order[place].item as usize
    }

    fn node(&self, place: usize) -> Node<'_> {
        self.nodes.node(self.order[place].head)
    }

    fn additions(&self, place: usize) -> Additions {
        self.nodes.additions(self.order[place].head).unwrap_or_default()
    }
}
