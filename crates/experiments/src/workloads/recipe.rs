//! The thesis's random tree, as a list of single inserts.

use super::rng::Rng;
use hedgerow::Transform;

/// The numbers of nodes in the thesis's trees (table 5.3).
pub const SIZES: [usize; 5] = [512, 4096, 32_768, 262_144, 1_048_576];

/// The three kinds of nodes (section 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Kind {
    /// A local and a world transform.
    Transform,
    /// A material for all descendants.
    Material,
    /// A mesh to draw.
    Shape,
}

/// The content of a node.
#[derive(Clone, Copy, Debug)]
pub enum Content {
    /// A local transform.
    Transform(Transform),
    /// A material's number.
    Material(u32),
    /// A mesh's number.
    Shape(u32),
}

impl Content {
    /// Returns the kind of a node with this content.
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Transform(_) => Kind::Transform,
            Self::Material(_) => Kind::Material,
            Self::Shape(_) => Kind::Shape,
        }
    }

    /// Returns a transform (40 %), a shape (40 %) or a material (20 %; table 5.2).
    ///
    /// Mesh numbers are 32 random bits, so that a checksum of draws distinguishes nodes.
    pub(crate) fn random(rng: &mut Rng) -> Self {
        match rng.below(5) {
            0 | 1 => Self::Transform(rng.transform()),
            2 | 3 => Self::Shape(rng.word()),
            _ => Self::Material(rng.below(1024)),
        }
    }
}

/// One insert: a node with this content becomes the last child of its parent.
#[derive(Clone, Copy, Debug)]
pub struct RecipeNode {
    /// The parent's recipe id, less than the node's own. The root names itself.
    pub parent: u32,
    /// The content of the new node.
    pub content: Content,
}

/// A tree as a list of inserts, the root first. The index of a node in the list is its *recipe id*.
#[derive(Clone, Debug)]
pub struct Recipe {
    nodes: Vec<RecipeNode>,
}

impl Recipe {
    /// Creates the thesis's tree: each node is below a pseudo-random earlier one; the root has the identity transform.
    pub fn random(nodes: usize, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        Self::of(nodes, |id| {
            let content = Content::random(&mut rng);
            RecipeNode { parent: rng.below(id), content }
        })
    }

    /// Creates a tree whose root has the identity transform; `node` returns the other nodes by recipe id.
    pub(crate) fn of(nodes: usize, node: impl FnMut(u32) -> RecipeNode) -> Self {
        let end = u32::try_from(nodes).expect("recipe ids have 32 bits");
        assert!(end > 0, "a tree has a root");
        let root = RecipeNode { parent: 0, content: Content::Transform(Transform::IDENTITY) };
        Self { nodes: core::iter::once(root).chain((1..end).map(node)).collect() }
    }

    /// Returns the inserts in order, the root first.
    pub fn nodes(&self) -> &[RecipeNode] {
        &self.nodes
    }

    /// Returns the kind of each node, by recipe id.
    pub fn kinds(&self) -> Vec<Kind> {
        self.nodes.iter().map(|node| node.content.kind()).collect()
    }
}
