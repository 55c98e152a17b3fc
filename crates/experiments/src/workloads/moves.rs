//! The nodes that move in a frame, and their new transforms.

use super::rng::Rng;
use super::{Kind, Recipe};
use hedgerow::Transform;

/// New local transforms for nodes with a transform; nodes and values are random in each frame.
#[derive(Clone, Debug)]
pub struct Moves {
    ids: Vec<u32>,
    rng: Rng,
    moved: Vec<(u32, Transform)>,
}

impl Moves {
    /// Creates frames for the tree of this recipe.
    pub fn new(recipe: &Recipe, seed: u64) -> Self {
        let end = u32::try_from(recipe.nodes().len()).expect("recipe ids have 32 bits");
        let has_transform = |&id: &u32| recipe.nodes()[id as usize].content.kind() == Kind::Transform;
        Self { ids: (1..end).filter(has_transform).collect(), rng: Rng::new(seed), moved: Vec::new() }
    }

    /// Returns the number of nodes that can move: all with a transform except the root.
    pub fn most(&self) -> usize {
        self.ids.len()
    }

    /// Returns the moves of the last [`next_frame`](Self::next_frame).
    pub fn moved(&self) -> &[(u32, Transform)] {
        &self.moved
    }

    /// Chooses `count` nodes, or all if there are fewer, and a transform for each. The root is never chosen.
    pub fn next_frame(&mut self, count: usize) -> &[(u32, Transform)] {
        let count = count.min(self.ids.len());
        self.rng.choose(&mut self.ids, count);
        self.moved.clear();
        self.moved.extend(self.ids[..count].iter().map(|&id| (id, self.rng.transform())));
        &self.moved
    }
}
