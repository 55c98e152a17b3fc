//! Places in a scene, and what a node keeps when it moves.

use crate::scene::Scene;
use crate::store::{Position, RecordId};
use crate::{Error, NodeHandle};

/// A position for a node: among its parent's children, or outside of the tree.
///
/// A plain node stands for the place after its last child. A scene takes places relative to handles. A queue takes
/// places relative to [`Target`](crate::edit::Target)s, handles or tickets: see
/// [`QueuedPlace`](crate::edit::QueuedPlace).
///
/// ```
/// use hedgerow::{Keep, Node, Place, Scene};
///
/// let mut scene = Scene::new();
/// let mut plant = |name| scene.insert(scene.root(), Node::group().with_name(name)).unwrap();
/// let [oak, ash, elm] = ["oak", "ash", "elm"].map(&mut plant);
/// let place = scene.get(ash).unwrap().place().expect("it is not the root");
/// assert_eq!((place, place.anchor()), (Place::Child(scene.root(), 1), Some(scene.root())));
///
/// scene.reparent(ash, Place::Detached, Keep::Local)?;   // out of the tree
/// scene.reparent(ash, place, Keep::Local)?;             // and back to where it was
/// assert!(scene.children(scene.root()).eq([oak, ash, elm]));
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place<N = NodeHandle> {
    /// Before all children of this node.
    FirstChildOf(N),
    /// After all children of this node.
    LastChildOf(N),
    /// Directly before this sibling.
    Before(N),
    /// Directly after this sibling.
    After(N),
    /// Below this node, with this index among its children. An index equal to their number means the end. If the moving
    /// node is already one of the children, it is not counted, so it has this index afterwards. Takes **O(index)**.
    Child(N, usize),
    /// Outside of the tree, as the root of a detached subtree, to be moved back or removed later.
    ///
    /// A detached subtree costs nothing in any pass. Its handles stay valid, and it can be edited and queried like any
    /// subtree. Its root has no parent and no siblings, and its world transforms start with the local transform of its
    /// root. It inherits no visibility, layers or material. [`Scene::update`] updates its edited parts too;
    /// [`Scene::len`] does not count it. Draw lists and queries include a newly detached subtree until the next update.
    Detached,
}

impl<N: Copy> Place<N> {
    /// Returns the node that the place refers to; `None` for [`Place::Detached`].
    #[must_use]
    pub const fn anchor(self) -> Option<N> {
        match self {
            Self::FirstChildOf(node)
            | Self::LastChildOf(node)
            | Self::Before(node)
            | Self::After(node)
            | Self::Child(node, _) => Some(node),
            Self::Detached => None,
        }
    }

    /// Returns the same place relative to another name of its node.
    ///
    /// ```
    /// use hedgerow::{Place, Scene};
    ///
    /// let rooms = [Scene::new().root(); 8];
    /// let saved: Place<usize> = Place::Child(7, 2); // with an index of your own
    /// assert_eq!(saved.map(|room| rooms[room]), Place::Child(rooms[7], 2));
    /// ```
    #[must_use]
    pub fn map<M>(self, name: impl FnOnce(N) -> M) -> Place<M> {
        match self {
            Self::FirstChildOf(node) => Place::FirstChildOf(name(node)),
            Self::LastChildOf(node) => Place::LastChildOf(name(node)),
            Self::Before(node) => Place::Before(name(node)),
            Self::After(node) => Place::After(name(node)),
            Self::Child(node, index) => Place::Child(name(node), index),
            Self::Detached => Place::Detached,
        }
    }
}

impl From<NodeHandle> for Place {
    #[inline(always)]
    fn from(parent: NodeHandle) -> Self {
        Self::LastChildOf(parent)
    }
}

/// The transform that a moved node keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Keep {
    /// The local transform: the node moves in the world with its new parent.
    Local,
    /// The world transform: the local transform is recomputed in double precision, and rounded to single precision.
    ///
    /// If the new parent's world transform stretches one direction `u` times as much as another, the node's position is
    /// off by at most `u` · 10⁻⁷ of its distance from the parent. Each axis is off by at most `u` · 2 · 10⁻⁶ of its
    /// length: 2 cm per metre if `u` is 10⁴. A position in double precision is off by `u` · 10⁻¹⁴ instead. A position that
    /// single precision represents exactly, such as (10,000, 0, 0), is not in double precision: to keep all digits of a
    /// node that leaves such a parent, read [`world_f64`](crate::NodeRef::world_f64) before the move and
    /// [set it](crate::NodeMut::set_world_f64) after.
    ///
    /// Below a non-uniform scale, the local transform may become a matrix that shears. To attach a node without shear,
    /// set its local transform to the [`nearest_transform`](crate::Mat34::nearest_transform) afterwards.
    World,
}

impl Scene {
    /// Resolves a place. `moving` is the node to move there, if it is already in the scene; this node is not counted as
    /// a sibling. Runs in O(index) for [`Place::Child`], else in O(1).
    #[inline]
    pub(crate) fn position(&self, place: Place, moving: Option<RecordId>) -> Result<Position, Error> {
        // The most frequent place comes first, because it reads only the parent.
        let place = match place {
            Place::LastChildOf(parent) => return Ok(Position::last_of(self.at(parent)?)),
            other => other,
        };
        self.position_at_length(place, moving)
    }

    #[inline(never)]
    fn position_at_length(&self, place: Place, moving: Option<RecordId>) -> Result<Position, Error> {
        let store = &self.store;
        let before = |parent, next: Option<RecordId>| {
            let next =
                next.and_then(|next| if Some(next) == moving { store.nodes.next_sibling(next) } else { Some(next) });
            Position { parent, next: next.unwrap_or(RecordId::NIL) }
        };
        let parent_of = |at: RecordId| {
            let alone = || {
                if at == RecordId::ROOT { Error::RootIsFixed } else { Error::BesideDetached(store.nodes.handle(at)) }
            };
            store.nodes.parent(at).ok_or_else(alone)
        };
        match place {
            Place::LastChildOf(node) => Ok(Position::last_of(self.at(node)?)),
            Place::FirstChildOf(node) => {
                let parent = self.at(node)?;
                Ok(before(parent, store.nodes.first_child(parent)))
            }
            Place::Before(node) => {
                let next = self.at(node)?;
                Ok(before(parent_of(next)?, Some(next)))
            }
            Place::After(node) => {
                let previous = self.at(node)?;
                Ok(before(parent_of(previous)?, store.nodes.next_sibling(previous)))
            }
            Place::Child(node, index) => {
                let parent = self.at(node)?;
                let chain = core::iter::successors(store.nodes.first_child(parent), |&at| store.nodes.next_sibling(at));
                let mut others = chain.filter(|&at| Some(at) != moving);
                for children in 0..index {
                    if others.next().is_none() {
                        return Err(Error::IndexOutOfRange { parent: node, index, children });
                    }
                }
                Ok(before(parent, others.next()))
            }
            Place::Detached => Ok(Position::DETACHED),
        }
    }
}
