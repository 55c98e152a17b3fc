//! Random edits: every edit of the API, with nodes given by their index in a list.

use hedgerow::glam::{DVec3, Vec3};
use hedgerow::snapshot::SaveOptions;
use hedgerow::{Aabb, Drawable, Keep, Layers, Mat34, Node, SceneConfig, Transform, Visibility};

/// How an operation chooses a node in any tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
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
    /// The handle with these bits, whatever it refers to.
    Bits(u64),
}

impl Target {
    /// Returns a leaf below the target, which has few descendants, or the target itself.
    pub fn leafward(self) -> Self {
        match self {
            Self::Live(index) | Self::Top(index) => Self::Leaf(index),
            other => other,
        }
    }

    /// Returns the root of a detached subtree, or the target itself.
    pub fn detached(self) -> Self {
        match self {
            Self::Live(index) | Self::Top(index) => Self::Detached(index),
            other => other,
        }
    }
}

/// A [`hedgerow::Place`] given by a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// Before all children.
    First(Target),
    /// After all children.
    Last(Target),
    Before(Target),
    After(Target),
    /// At this index among the children.
    Child(Target, usize),
    Detached,
}

impl Where {
    pub fn target(self) -> Target {
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortKey {
    /// Sorts by the node's own material, none first.
    Material,
    /// Sorts by name, reversed.
    NameReversed,
    Handle,
    /// All children are equal.
    Constant,
}

/// The limit of a maintenance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Calls that each do one piece of work.
    Pieces(u8),
    /// One call with a limit above all work, as in every frame.
    Enough,
    /// One call without a limit, as for a scene that will not change for a while.
    Unlimited,
}

/// The flaw of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    None,
    /// A parent that is not in the tree.
    UnknownParent,
    /// A parent that comes later.
    LaterParent,
    /// A node that is its own parent.
    OwnParent,
}

/// How a visit of slices ends, by the number of slices shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The visit shows all slices.
    Never,
    /// The visit prunes at this slice.
    Prunes(u8),
    /// The visit breaks at this slice.
    Breaks(u8),
    /// The visitor panics at this slice.
    Panics(u8),
}

/// The edits of a visitor of slices.
#[derive(Clone, Copy, Debug)]
pub struct Visit {
    pub transform: Transform,
    /// The share of nodes with a transform that are set, in eighths.
    pub share: u8,
    /// The seed that chooses these nodes.
    pub seed: u8,
    /// The number of slices in which world matrices are computed.
    pub computes: u8,
    /// Whether all matrices are computed, or only dirty ones.
    pub everything: bool,
    pub end: End,
}

/// A change of a detached node.
#[derive(Clone, Copy, Debug)]
pub enum Change {
    Nothing,
    Transform(Transform),
    NoTransform,
    Layers(Option<Layers>),
    Visibility(Visibility),
}

/// One edit.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// Inserts one node.
    Insert { at: Where, node: Node<'static> },
    /// Inserts a node and a small tree below it, shaped by the seed.
    Plant { at: Where, node: Node<'static>, more: u8, seed: u8 },
    /// Inserts several equal nodes, each at the same place.
    Crowd { at: Where, node: Node<'static>, more: u8 },
    /// Inserts a tree shaped by the seed.
    Build { at: Where, node: Node<'static>, more: u8, seed: u8, flaw: Flaw },
    /// Copies a subtree.
    Duplicate { node: Target, to: Where },
    /// Copies a subtree to another scene and back.
    DuplicateFrom { node: Target, to: Where },
    /// Saves the scene with these options, and continues with the loaded one.
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
    /// Moves this many children of a node one by one among their siblings, by the seed.
    Drag { of: Target, more: u8, seed: u8 },
    /// Changes the local transform of a node, if it has one.
    ModifyLocal(Target, Transform),
    /// Sets the local transforms of this node and others chosen by the seed in a batch.
    SetLocals { node: Target, transform: Transform, more: u8, seed: u8 },
    /// Sets a local transform given as a matrix.
    SetLocalMatrix(Target, Mat34),
    /// Moves this subtree and others chosen by the seed below this node and others in a batch.
    ReparentMany { node: Target, to: Target, keep: Keep, more: u8, seed: u8 },
    /// Queries which of this node and others chosen by the seed are below none of the others.
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
    /// Makes the local transform relative to the world or to the parent.
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
    /// Shows the slices to a visitor that writes. Then inserts nodes, unless the visit ended with an update.
    Visit { visit: Visit, below: Target, more: u8, seed: u8 },
    /// Moves a node below a detached one, changes the detached one, and attaches both.
    Detour { node: Target, by: Target, change: Change, to: Where, keep: Keep },
    /// Updates what is dirty.
    Update,
}

impl Op {
    /// Returns whether the edit changes no hierarchy, and no components except local transforms and names.
    pub fn keeps_structure(&self) -> bool {
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

#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub op: Op,
    /// Whether an update follows.
    pub update: bool,
    /// The node at which the iterators are compared.
    pub probe: u16,
}
