//! Places in a scene, and what a node keeps when it moves.

use crate::scene::Scene;
use crate::store::{At, Beside};
use crate::{Error, NodeHandle};

/// Where a node goes: among its parent's children, or nowhere in the tree.
///
/// A plain [`NodeHandle`] stands for the place after the last child of that node.
///
/// ```
/// use hedgerow::{Keep, Node, Place, Scene};
///
/// let mut scene = Scene::new();
/// let [oak, ash, elm] = ["oak", "ash", "elm"].map(|name| scene.insert(scene.root(), Node::group().named(name)).unwrap());
/// let place = scene.place_of(ash).expect("it is in the scene");
/// assert_eq!(place, Place::Child(scene.root(), 1));
///
/// scene.reparent(ash, Place::Detached, Keep::Local)?;   // out of the tree
/// scene.reparent(ash, place, Keep::Local)?;             // and back to where it was
/// assert!(scene.children(scene.root()).eq([oak, ash, elm]));
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// Before all children of this node.
    FirstChildOf(NodeHandle),
    /// After all children of this node.
    LastChildOf(NodeHandle),
    /// Directly before this sibling.
    Before(NodeHandle),
    /// Directly after this sibling.
    After(NodeHandle),
    /// Below this node, with this index among its children, where the present number of children means the end. If the
    /// node that moves is one of the children, it is not counted: it has the index afterwards. Found in **O(index)**.
    Child(NodeHandle, usize),
    /// Outside of the tree, as the root of a detached subtree: see [`Scene::detach`].
    Detached,
}

impl Place {
    /// The node that the place refers to; `None` for [`Place::Detached`].
    #[must_use]
    pub const fn anchor(self) -> Option<NodeHandle> {
        match self {
            Self::FirstChildOf(node)
            | Self::LastChildOf(node)
            | Self::Before(node)
            | Self::After(node)
            | Self::Child(node, _) => Some(node),
            Self::Detached => None,
        }
    }
}

impl From<NodeHandle> for Place {
    #[inline(always)]
    fn from(parent: NodeHandle) -> Self {
        Self::LastChildOf(parent)
    }
}

/// What a moved node keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Keep {
    /// The local transform: the node moves in the world with its new parent.
    Local,
    /// The world transform: the local one is computed again, in double precision.
    World,
}

impl Scene {
    /// Where a node is: [`Place::Child`] with its index among its siblings, or [`Place::Detached`] for the root of a
    /// detached subtree. `None` for the root of the scene and for a stale handle.
    ///
    /// A node that moves elsewhere and then to this place is where it was, if the other children of its parent are the
    /// same. Runs in **O(siblings before it)**.
    #[must_use]
    pub fn place_of(&self, node: NodeHandle) -> Option<Place> {
        let at = self.store.resolve(node)?;
        let Some(parent) = self.store.parent(at) else {
            return (at != At::ROOT).then_some(Place::Detached);
        };
        let before = core::iter::successors(self.store.previous_sibling(at), |&at| self.store.previous_sibling(at));
        Some(Place::Child(self.store.handle(parent), before.count()))
    }

    /// The place in the tree, given by a node beside it; `None` for [`Place::Detached`]. `moving` is the node that is
    /// to go there, if it is in the scene.
    pub(crate) fn beside(&self, place: Place, moving: Option<NodeHandle>) -> Result<Option<Beside>, Error> {
        Ok(Some(match place {
            Place::FirstChildOf(node) => Beside::FirstChildOf(node),
            Place::LastChildOf(node) => Beside::LastChildOf(node),
            Place::Before(node) => Beside::Before(node),
            Place::After(node) => Beside::After(node),
            Place::Child(parent, index) => self.beside_child(parent, index, moving)?,
            Place::Detached => return Ok(None),
        }))
    }

    /// The place of the child with an index, which the child with this index now comes after.
    fn beside_child(&self, parent: NodeHandle, index: usize, moving: Option<NodeHandle>) -> Result<Beside, Error> {
        self.at(parent)?;
        let mut others = self.children(parent).filter(|&child| Some(child) != moving);
        for children in 0..index {
            if others.next().is_none() {
                return Err(Error::IndexOutOfRange { parent, index, children });
            }
        }
        Ok(others.next().map_or(Beside::LastChildOf(parent), Beside::Before))
    }
}
