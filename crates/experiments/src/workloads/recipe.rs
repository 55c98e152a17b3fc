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
    #[must_use]
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
    ///
    /// # Panics
    /// If `nodes` is 0 or above 2³².
    #[must_use]
    pub fn random(nodes: usize, seed: u64) -> Self {
        let end = u32::try_from(nodes).expect("recipe ids have 32 bits");
        assert!(end > 0, "a tree has a root");
        let mut rng = Rng::new(seed);
        let root = RecipeNode { parent: 0, content: Content::Transform(Transform::IDENTITY) };
        let rest = (1..end).map(|id| {
            let content = Content::random(&mut rng);
            RecipeNode { parent: rng.below(id), content }
        });
        Self { nodes: core::iter::once(root).chain(rest).collect() }
    }

    /// The tree of these inserts, the root first.
    pub(crate) const fn from_nodes(nodes: Vec<RecipeNode>) -> Self {
        Self { nodes }
    }

    /// The inserts in order, the root first.
    #[must_use]
    pub fn nodes(&self) -> &[RecipeNode] {
        &self.nodes
    }

    /// How many nodes of a kind there are.
    #[must_use]
    pub fn count(&self, kind: Kind) -> usize {
        self.nodes.iter().filter(|node| node.content.kind() == kind).count()
    }

    /// How many world matrices the shapes of the tree have: those below one transform, without another between, share
    /// its matrix.
    #[must_use]
    pub fn shown_matrices(&self) -> usize {
        let mut above: Vec<u32> = Vec::with_capacity(self.nodes.len());
        let mut shown = vec![false; self.nodes.len()];
        for (id, node) in (0..).zip(&self.nodes) {
            let transform = match node.content.kind() {
                Kind::Transform => id,
                _ => above[node.parent as usize],
            };
            above.push(transform);
            shown[transform as usize] |= node.content.kind() == Kind::Shape;
        }
        shown.into_iter().filter(|shown| *shown).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mix_is_the_thesis_s_and_parents_come_first() {
        let recipe = Recipe::random(100_000, 1);
        let share = |kind| recipe.count(kind) as f64 / 100_000.0;
        assert!((share(Kind::Transform) - 0.4).abs() < 0.01);
        assert!((share(Kind::Shape) - 0.4).abs() < 0.01);
        assert!((share(Kind::Material) - 0.2).abs() < 0.01);
        assert!((1..).zip(&recipe.nodes()[1..]).all(|(id, node)| node.parent < id));
    }

    #[test]
    fn shapes_below_one_transform_share_its_matrix() {
        let transform = Content::Transform(Transform::IDENTITY);
        let node = |parent, content| RecipeNode { parent, content };
        let mut nodes = vec![node(0, transform), node(0, Content::Material(1)), node(1, Content::Shape(2))];
        nodes.extend([node(2, Content::Shape(3)), node(0, transform), node(4, transform)]);
        assert_eq!(Recipe::from_nodes(nodes.clone()).shown_matrices(), 1);
        nodes.push(node(5, Content::Shape(4)));
        assert_eq!(Recipe::from_nodes(nodes).shown_matrices(), 2);
    }
}
