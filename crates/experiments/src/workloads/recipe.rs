//! The thesis's random tree, as a list of single inserts.

use super::rng::Rng;
use hedgerow::Transform;

/// The numbers of nodes that the thesis measures at (table 5.3).
pub const SIZES: [usize; 5] = [512, 4096, 32_768, 262_144, 1_048_576];

/// The three kinds of nodes (section 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Kind {
    /// A local and a world transform.
    Transform,
    /// A material for all below.
    Material,
    /// A mesh to draw.
    Shape,
}

/// What a node is made with.
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
    /// The kind of node that carries it.
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Transform(_) => Kind::Transform,
            Self::Material(_) => Kind::Material,
            Self::Shape(_) => Kind::Shape,
        }
    }

    /// 40 % transforms, 40 % shapes, 20 % materials (table 5.2).
    ///
    /// Mesh numbers are 32 random bits, so that a checksum of draws tells nodes apart.
    pub(crate) fn random(rng: &mut Rng) -> Self {
        match rng.below(5) {
            0 | 1 => Self::Transform(rng.transform()),
            2 | 3 => Self::Shape(rng.word()),
            _ => Self::Material(rng.below(1024)),
        }
    }
}

/// One insert: a node with this content becomes the last child of the node made by the `parent`-th insert.
#[derive(Clone, Copy, Debug)]
pub struct RecipeNode {
    /// The parent's place in the recipe: before the node's own. The root names itself.
    pub parent: u32,
    /// What the node is made with.
    pub content: Content,
}

/// A tree as a list of inserts, the root first. A node's place in the list is its *recipe id*.
#[derive(Clone, Debug)]
pub struct Recipe {
    nodes: Vec<RecipeNode>,
}

impl Recipe {
    /// The thesis's tree of that many nodes: each is attached to a pseudo-randomly selected earlier one, and the root
    /// is a transform node that changes nothing.
    pub fn random(nodes: usize, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        Self::of(nodes, |id| {
            let content = Content::random(&mut rng);
            RecipeNode { parent: rng.below(id), content }
        })
    }

    /// A tree of that many nodes, of which the root changes nothing, and the others are made by recipe id.
    pub(crate) fn of(nodes: usize, node: impl FnMut(u32) -> RecipeNode) -> Self {
        let end = u32::try_from(nodes).expect("recipe ids have 32 bits");
        assert!(end > 0, "a tree has a root");
        let root = RecipeNode { parent: 0, content: Content::Transform(Transform::IDENTITY) };
        Self { nodes: core::iter::once(root).chain((1..end).map(node)).collect() }
    }

    /// The inserts in order, the root first.
    pub fn nodes(&self) -> &[RecipeNode] {
        &self.nodes
    }

    /// The kind of each node, by recipe id.
    pub fn kinds(&self) -> Vec<Kind> {
        self.nodes.iter().map(|node| node.content.kind()).collect()
    }
}
