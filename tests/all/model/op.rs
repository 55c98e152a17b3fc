//! Random edits: every edit of the API, with nodes given by their index in a list.

use hedgerow::glam::{DVec3, Vec3};
use hedgerow::snapshot::SaveOptions;
use hedgerow::{Aabb, Drawable, Keep, Layers, Mat34, Node, SceneConfig, Transform, Visibility};

/// How an operation chooses a node, so that it is meaningful in any tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The live node at this index of the model's list, modulo its length; 0 is the root.
    Live(u16),
    /// One of the four nodes inserted last, which makes trees deep.
    Recent(u8),
    /// A child of the root.
    Top(u16),
    /// The root of a detached subtree, or a live node if there is none.
    Detached(u16),
    /// The first leaf below a live node.
    Leaf(u16),
    /// The root.
    Root,
    /// A node that was removed.
    Stale(u16),
    /// A handle with these bits, whatever it refers to.
    Bits(u64),
}

impl Target {
    /// The same target, or usually a leaf below it, so that it has few descendants.
    pub(crate) fn leafward(self) -> Self {
        match self {
            Self::Live(index) | Self::Top(index) => Self::Leaf(index),
            other => other,
        }
    }

    /// The same target, or usually the root of a detached subtree.
    pub(crate) fn detached(self) -> Self {
        match self {
            Self::Live(index) | Self::Top(index) => Self::Detached(index),
            other => other,
        }
    }
}

/// A [`hedgerow::Place`] given by a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Where {
    /// Before all children.
    First(Target),
    /// After all children.
    Last(Target),
    /// Before this sibling.
    Before(Target),
    /// After this sibling.
    After(Target),
    /// At this index among the children.
    Child(Target, usize),
    /// Outside of the tree.
    Detached,
}

impl Where {
    /// The node that the place refers to.
    pub(crate) fn target(self) -> Target {
        match self {
            Self::First(target)
            | Self::Last(target)
            | Self::Before(target)
            | Self::After(target)
            | Self::Child(target, _) => target,
            Self::Detached => Target::Detached(0),
        }
    }
}

/// The key by which children are sorted.
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

/// The budget of a maintenance, given by the amount of work, so that a run does not depend on the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Budget {
    /// This many calls that each do one piece of work.
    Pieces(u8),
    /// One call that does everything, as in every frame.
    Enough,
    /// One call that does everything, as for a scene that will not change for a while.
    Unlimited,
}

/// What is wrong with a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// Nothing.
    None,
    /// A parent that is not in the tree.
    UnknownParent,
    /// A parent that comes later.
    LaterParent,
    /// A node that is its own parent.
    OwnParent,
}

/// How a visit of slices ends, given by how many were shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// After all were shown.
    Never,
    /// After all were shown, except those below this one.
    Prunes(u8),
    /// With a break at this one.
    Breaks(u8),
    /// With a panic at this one.
    Panics(u8),
}

/// What a visitor of slices writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visit {
    /// The local transform that it sets.
    pub(crate) transform: Transform,
    /// For how many eighths of the nodes that have one.
    pub(crate) share: u8,
    /// Chooses these nodes.
    pub(crate) seed: u8,
    /// In how many slices it computes world matrices.
    pub(crate) computes: u8,
    /// Whether it computes all of them, or only dirty ones.
    pub(crate) everything: bool,
    /// How it ends.
    pub(crate) end: End,
}

/// A change of a detached node.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    Nothing,
    Transform(Transform),
    NoTransform,
    Layers(Option<Layers>),
    Visibility(Visibility),
}

/// One edit.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    /// Inserts one node.
    Insert { at: Where, node: Node<'static> },
    /// Inserts a node and a small tree below it, whose shape the seed decides.
    Plant { at: Where, node: Node<'static>, more: u8, seed: u8 },
    /// Inserts several equal nodes, each at the same place.
    Crowd { at: Where, node: Node<'static>, more: u8 },
    /// Inserts a tree, whose shape the seed decides.
    Build { at: Where, node: Node<'static>, more: u8, seed: u8, flaw: Flaw },
    /// Copies a subtree.
    Duplicate { node: Target, to: Where },
    /// Copies a subtree to another scene, and from there back.
    DuplicateFrom { node: Target, to: Where },
    /// Saves the scene with these options, and goes on with the loaded one.
    Reload { options: SaveOptions, config: Option<SceneConfig> },
    /// Removes a subtree.
    Remove(Target),
    /// Removes this subtree and others chosen by the seed in a batch.
    RemoveMany { node: Target, more: u8, seed: u8 },
    /// Detaches a subtree.
    Detach(Target),
    /// Detaches this subtree and others chosen by the seed in a batch.
    DetachMany { node: Target, more: u8, seed: u8 },
    /// Attaches a detached subtree at a place.
    Attach { node: Target, to: Where, keep: Keep },
    /// Moves a subtree.
    Reparent { node: Target, to: Where, keep: Keep },
    /// Moves this many children of a node one by one among their siblings, as the seed decides.
    Drag { of: Target, more: u8, seed: u8 },
    /// Changes the local transform of a node that has one.
    ModifyLocal(Target, Transform),
    /// Sets the local transforms of this node and others chosen by the seed in a batch.
    SetLocals { node: Target, transform: Transform, more: u8, seed: u8 },
    /// Adds or replaces a local transform given as a matrix.
    SetLocalMatrix(Target, Mat34),
    /// Moves this subtree and others chosen by the seed below this node and others in a batch.
    ReparentMany { node: Target, to: Target, keep: Keep, more: u8, seed: u8 },
    /// Asks which of this node and others chosen by the seed are below none of the others.
    Topmost { node: Target, more: u8, seed: u8 },
    /// Gives a node exactly the components of a description.
    SetNode(Target, Node<'static>),
    /// Sets the mesh of a drawable.
    SetMesh(Target, u32),
    /// Sets the bounds of a drawable.
    SetBounds(Target, Aabb),
    /// Sets a world transform.
    SetWorld(Target, Mat34),
    /// Sets the world transforms of this node and others chosen by the seed in a batch.
    SetWorlds { node: Target, world: Mat34, transform: Transform, more: u8, seed: u8 },
    /// Sets the translation of a node that has a transform, in double precision.
    SetTranslation(Target, DVec3),
    /// Makes the local transform relative to the world, or to the parent again.
    SetAnchored { node: Target, anchored: bool, keep: Keep },
    /// Turns a node towards a point.
    LookAt { node: Target, target: Vec3, up: Vec3 },
    /// Adds or replaces a local transform.
    SetLocal(Target, Transform),
    /// Removes the local transform.
    RemoveTransform(Target),
    /// Adds or replaces a material.
    AddMaterial(Target, u32),
    /// Removes the material.
    RemoveMaterial(Target),
    /// Adds or replaces a drawable.
    AddDrawable(Target, Drawable),
    /// Removes the drawable.
    RemoveDrawable(Target),
    /// Sets or removes the layers.
    SetLayers(Target, Option<Layers>),
    /// Hides or shows.
    SetVisibility(Target, Visibility),
    /// Sets or removes a name.
    SetName(Target, Option<&'static str>),
    /// Sorts the children of a node.
    SortChildren(Target, SortKey),
    /// Removes everything except the root.
    Clear,
    /// Frees what was removed, and tidies what was edited.
    Maintain(Budget),
    /// Frees unused memory.
    ShrinkToFit,
    /// Reserves room below a node.
    TryReserve(Target, usize),
    /// Shows the slices to a visitor that writes, and then inserts this many nodes, for which slices may have to be
    /// split.
    Visit { visit: Visit, below: Target, more: u8, seed: u8 },
    /// Moves a node below a detached one, changes that one, and moves the node back.
    Detour { node: Target, by: Target, change: Change, to: Where, keep: Keep },
    /// Updates what is dirty.
    Update,
}

impl Op {
    /// Whether all nodes are where they are, and have what they have, but for other local transforms.
    pub(crate) fn keeps_structure(&self) -> bool {
        matches!(
            self,
            Self::ModifyLocal(..)
                | Self::SetLocals { .. }
                | Self::SetWorld(..)
                | Self::SetWorlds { .. }
                | Self::SetTranslation(..)
                | Self::LookAt { .. }
                | Self::SetName(..)
                | Self::Topmost { .. }
                | Self::TryReserve(..)
                | Self::Maintain(_)
                | Self::ShrinkToFit
                | Self::Visit { more: 0, .. }
                | Self::Update
        )
    }
}

/// One edit, and what is compared afterwards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The edit.
    pub(crate) op: Op,
    /// Whether an update follows.
    pub(crate) update: bool,
    /// The node at which the iterators are compared.
    pub(crate) probe: u16,
}
