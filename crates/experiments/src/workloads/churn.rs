//! The edits of a dynamic frame (the thesis, section 5.1.1.1 and algorithm 3).

use super::rng::Rng;
use super::{Content, Kind, Recipe, RecipeNode};

/// The number of consecutive frames of one tree.
pub const FRAMES: usize = 30;

/// The edits of one frame: first all removals, then all inserts.
#[derive(Clone, Debug, Default)]
pub struct Edits {
    /// The leaves to remove, by recipe id.
    pub removed: Vec<u32>,
    /// The nodes to insert, each below another leaf, with the recipe ids that they take over from removed nodes.
    pub inserted: Vec<(u32, RecipeNode)>,
}

/// The shape of a tree that frames edit. The edits of the next frame are drawn from this state.
///
/// A frame removes a tenth of the nodes, all of them leaves. Then as many of the remaining leaves, including new
/// leaves, get a child. So every recipe id is in use between frames.
#[derive(Clone, Debug)]
pub struct Churn {
    parents: Vec<u32>,
    child_counts: Vec<u32>,
    kinds: Vec<Kind>,
    leaves: Vec<u32>,
    rng: Rng,
    edits: Edits,
}

impl Churn {
    /// Creates the state of a tree just built.
    pub fn new(recipe: &Recipe, seed: u64) -> Self {
        let nodes = recipe.nodes();
        let mut child_counts = vec![0; nodes.len()];
        for node in &nodes[1..] {
            child_counts[node.parent as usize] += 1;
        }
        Self {
            parents: nodes.iter().map(|node| node.parent).collect(),
            child_counts,
            kinds: recipe.kinds(),
            leaves: Vec::new(),
            rng: Rng::new(seed),
            edits: Edits::default(),
        }
    }

    /// Returns the kind of each node, by recipe id.
    pub fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// Returns the edits of the last [`next_frame`](Self::next_frame).
    pub fn edits(&self) -> &Edits {
        &self.edits
    }

    /// Draws the edits of the next frame and applies them to this state.
    pub fn next_frame(&mut self) -> &Edits {
        let nodes = u32::try_from(self.parents.len()).expect("recipe ids have 32 bits");
        self.leaves.clear();
        self.leaves.extend((1..nodes).filter(|&id| self.child_counts[id as usize] == 0));

        let count = (self.parents.len() / 10).min(self.leaves.len());
        self.rng.choose(&mut self.leaves, count);
        self.edits.removed.clear();
        self.edits.removed.extend(self.leaves.drain(..count));
        for &id in &self.edits.removed {
            let parent = self.parents[id as usize];
            self.child_counts[parent as usize] -= 1;
            if self.child_counts[parent as usize] == 0 && parent != 0 {
                self.leaves.push(parent);
            }
        }
        self.rng.choose(&mut self.leaves, count);
        self.edits.inserted.clear();
        for (&id, &parent) in self.edits.removed.iter().zip(self.leaves.iter().cycle()) {
            let content = Content::random(&mut self.rng);
            self.child_counts[parent as usize] += 1;
            self.parents[id as usize] = parent;
            self.kinds[id as usize] = content.kind();
            self.edits.inserted.push((id, RecipeNode { parent, content }));
        }
        &self.edits
    }
}
