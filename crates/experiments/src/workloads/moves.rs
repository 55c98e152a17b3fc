//! Which nodes move in a frame, and where to.

use super::rng::Rng;
use super::{Kind, Recipe};
use hedgerow::Transform;

/// New local transforms for nodes chosen at random, others each frame, of those of a tree that have one.
#[derive(Clone, Debug)]
pub struct Moves {
    ids: Vec<u32>,
    rng: Rng,
    moved: Vec<(u32, Transform)>,
}

impl Moves {
    /// Frames for the tree of this recipe.
    pub fn new(recipe: &Recipe, seed: u64) -> Self {
        let end = u32::try_from(recipe.nodes().len()).expect("recipe ids have 32 bits");
        let has_transform = |&id: &u32| recipe.nodes()[id as usize].content.kind() == Kind::Transform;
        Self { ids: (1..end).filter(has_transform).collect(), rng: Rng::new(seed), moved: Vec::new() }
    }

    /// How many nodes there are to move: all with a transform but the root.
    pub fn most(&self) -> usize {
        self.ids.len()
    }

    /// What [`next_frame`](Self::next_frame) returned last.
    pub fn moved(&self) -> &[(u32, Transform)] {
        &self.moved
    }

    /// Chooses that many nodes and a transform for each; all nodes, if there are fewer. The root is never one of them.
    pub fn next_frame(&mut self, count: usize) -> &[(u32, Transform)] {
        let count = count.min(self.ids.len());
        self.rng.choose(&mut self.ids, count);
        self.moved.clear();
        self.moved.extend(self.ids[..count].iter().map(|&id| (id, self.rng.transform())));
        &self.moved
    }
}
