//! What a random edit is: every edit of the API, with its nodes told by their place in a list.

use hedgerow::glam::Vec3;
use hedgerow::{Keep, Mat34, Node, Shape, Transform, Visibility};

/// How an operation tells a node, so that it means something in whatever tree it meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The live node at this place of the model's list, modulo its length; 0 is the root.
    Live(u16),
    /// One of the four nodes inserted last: what makes trees deep.
    Recent(u8),
    /// A child of the root.
    Top(u16),
    /// The root of a detached subtree, or a live node while there is none.
    Detached(u16),
    /// The first leaf on the way down from a live node.
    Leaf(u16),
    /// The root.
    Root,
    /// A node that was removed.
    Stale(u16),
    /// A handle of these bits, whatever it names.
    Bits(u64),
}

impl Target {
    /// The same, and for most on the way down to a leaf, so that little hangs there.
    pub(crate) fn leafward(self) -> Self {
        match self {
            Self::Live(index) | Self::Top(index) => Self::Leaf(index),
            other => other,
        }
    }

    /// The same, and for most the root of a detached subtree.
    pub(crate) fn detached(self) -> Self {
        match self {
            Self::Live(index) | Self::Top(index) => Self::Detached(index),
            other => other,
        }
    }
}

/// A [`hedgerow::Place`] by target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Where {
    /// Before all children.
    First(Target),
    /// Behind all children.
    Last(Target),
    /// Before this sibling.
    Before(Target),
    /// Behind this sibling.
    After(Target),
}

impl Where {
    /// The node that the place is told by.
    pub(crate) fn target(self) -> Target {
        match self {
            Self::First(target) | Self::Last(target) | Self::Before(target) | Self::After(target) => target,
        }
    }
}

/// What children are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SortKey {
    /// The node's own material, none first.
    Material,
    /// The name, reversed.
    NameReversed,
    /// The bits of the handle.
    Handle,
    /// Nothing: all are equal.
    Constant,
}

/// How long a maintenance may take: told by what fits into it, so that a run does not depend on the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Budget {
    /// So many calls that each do one piece of work.
    Pieces(u8),
    /// One call that does all, as in every frame.
    Enough,
    /// One call that does all, as before a scene is left to rest.
    Unlimited,
}

/// What is wrong with a list that a tree is built from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// Nothing.
    None,
    /// A second node without a parent.
    SecondRoot,
    /// A parent that is not in the list.
    UnknownParent,
    /// A node below itself.
    Cycle,
}

/// How a visit of slices ends, told by how many were shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// When all were shown.
    Never,
    /// When all were shown, but for those below this one.
    Prunes(u8),
    /// With this one.
    Breaks(u8),
    /// With a panic at this one.
    Panics(u8),
}

/// What a visitor of slices writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visit {
    /// The local transform that it sets.
    pub(crate) transform: Transform,
    /// In how many eighths of the nodes that have one.
    pub(crate) share: u8,
    /// Which these are.
    pub(crate) seed: u8,
    /// In how many slices it computes world matrices.
    pub(crate) computes: u8,
    /// Whether it computes all of them, not just what is dirty.
    pub(crate) everything: bool,
    /// How it ends.
    pub(crate) end: End,
}

/// What a detached node is given or loses.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    Nothing,
    Transform(Transform),
    NoTransform,
    Visibility(Visibility),
    NoVisibility,
}

/// One edit.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    /// Inserts one node.
    Insert { at: Where, node: Node<'static> },
    /// Inserts a node and, below it, a small tree whose shape the seed decides.
    Plant { at: Where, node: Node<'static>, more: u8, seed: u8 },
    /// Inserts nodes like one, each at the same place.
    Crowd { at: Where, node: Node<'static>, more: u8 },
    /// Inserts a batch of nodes like one, below this node and others that the seed decides.
    InsertMany { below: Target, node: Node<'static>, more: u8, seed: u8 },
    /// Inserts a tree that a list describes, whose shape the seed decides.
    Build { at: Where, node: Node<'static>, more: u8, seed: u8, flaw: Flaw },
    /// Copies a subtree.
    Duplicate { node: Target, to: Where },
    /// Copies a subtree to another scene, and from there back.
    DuplicateFrom { node: Target, to: Where },
    /// Removes a subtree.
    Remove(Target),
    /// Removes this subtree and others that the seed decides in a batch.
    RemoveMany { node: Target, more: u8, seed: u8 },
    /// Removes a subtree now and frees it later.
    RemoveLater(Target),
    /// Takes a subtree out of the tree.
    Detach(Target),
    /// Puts a detached subtree to a place.
    Attach { node: Target, to: Where, keep: Keep },
    /// Moves a subtree.
    Reparent { node: Target, to: Where, keep: Keep },
    /// Moves so many children of a node one by one among their siblings, as the seed decides.
    Drag { of: Target, more: u8, seed: u8 },
    /// Sets a local transform.
    SetLocal(Target, Transform),
    /// Sets the local transforms of this node and others that the seed decides in a batch.
    SetTransforms { node: Target, transform: Transform, more: u8, seed: u8 },
    /// Sets a local transform given as a matrix.
    SetLocalMatrix(Target, Mat34),
    /// Sets a world transform.
    SetWorld(Target, Mat34),
    /// Turns a node towards a point.
    LookAt { node: Target, target: Vec3, up: Vec3 },
    /// Adds or replaces a local transform.
    AddTransform(Target, Transform),
    /// Removes the local transform.
    RemoveTransform(Target),
    /// Adds or replaces a material.
    AddMaterial(Target, u32),
    /// Removes the material.
    RemoveMaterial(Target),
    /// Adds or replaces a shape.
    AddShape(Target, Shape),
    /// Removes the shape.
    RemoveShape(Target),
    /// Adds or replaces a visibility.
    AddVisibility(Target, Visibility),
    /// Removes the visibility.
    RemoveVisibility(Target),
    /// Sets or takes away a name.
    SetName(Target, Option<&'static str>),
    /// Sorts the children of a node.
    SortChildren(Target, SortKey),
    /// Removes all but the root.
    Clear,
    /// Rebuilds the slice of a node.
    Reconstitute(Target),
    /// Rebuilds every slice.
    ReconstituteAll,
    /// Gives a subtree a slice of its own.
    Isolate(Target),
    /// Frees what was removed, and tidies what was edited.
    Maintain(Budget),
    /// Gives back what is not needed.
    ShrinkToFit,
    /// Reserves room below a node.
    TryReserve(Target, usize),
    /// Shows the slices to a visitor that writes, and inserts so many nodes then, for which slices may have to be split.
    Visit { visit: Visit, below: Target, more: u8, seed: u8 },
    /// Moves a node below a detached one, changes that, and puts it back.
    Detour { node: Target, by: Target, change: Change, to: Where, keep: Keep },
    /// Brings what is dirty up to date.
    Update,
    /// Computes every world matrix anew.
    UpdateAll,
}

/// One edit, and what is looked at when it is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The edit.
    pub(crate) op: Op,
    /// Whether an update follows.
    pub(crate) update: bool,
    /// At which node the iterators are compared.
    pub(crate) probe: u16,
}
