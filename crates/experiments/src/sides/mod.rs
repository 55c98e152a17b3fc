//! The measured scene graphs, behind an interface of the few operations that measurements use.
//!
//! [`Boxed`] is the [naive graph](crate::baselines::Graph), [`Sliced`] is the thesis's [own
//! structure](crate::baselines::SliceGraph), [`Packed`] is a [`hedgerow::Scene`], and [`Batched`] is a scene edited in
//! batches. A [`Checksum`] of matrices and draws shows that they compute the same to the bit.

mod boxed;
mod checksum;
mod packed;

pub use boxed::{Boxed, Objects, Sliced};
pub use checksum::Checksum;
pub use packed::{Batched, Packed, Scenes};

use crate::workloads::{Edits, Kind, Recipe, RecipeNode};
use hedgerow::{Mat34, Transform};

/// A measured scene graph.
///
/// Outside the graph, each side keeps an array of its handles or pointers by recipe id, and two draw arrays.
pub trait Side {
    /// The name of the side in results.
    const NAME: &'static str;

    /// Creates a tree of one root with the identity transform.
    fn new() -> Self;

    /// Reserves the list of handles for this many ids, so that no timed insert grows it.
    fn reserve(&mut self, ids: usize);

    /// Inserts a node as the last child of its parent. `id` is the next id, or an id in use to take over.
    fn insert_one(&mut self, id: u32, node: &RecipeNode);

    /// Inserts nodes one by one.
    fn insert(&mut self, nodes: &[(u32, RecipeNode)]) {
        nodes.iter().for_each(|(id, node)| self.insert_one(*id, node));
    }

    /// Removes nodes and their descendants.
    fn remove(&mut self, ids: &[u32]);

    /// Sets the local transforms of the nodes with these ids, all of which are transform nodes.
    fn set_locals(&mut self, locals: &[(u32, Transform)]);

    /// Makes each node the last child of another. No move may close a cycle.
    fn reparent(&mut self, moves: &[(u32, u32)]);

    /// Returns how often the root was moved.
    fn steps(&mut self) -> &mut u32;

    /// Updates the world matrices after edits, with only the work that the side needs.
    fn update(&mut self);

    /// Lists every draw.
    fn render(&mut self);

    /// Returns a checksum of the last listed draws.
    fn draws(&self) -> Checksum;

    /// Returns the world matrix of the node with this recipe id, which must not be a material node.
    fn world(&self, id: usize) -> Option<Mat34>;

    /// Returns a checksum of the world matrices of all transform and drawable nodes. `kinds` is indexed by recipe id.
    fn worlds(&self, kinds: &[Kind]) -> Checksum {
        let ids = (0..kinds.len()).filter(|&id| kinds[id] != Kind::Material);
        Checksum::of_worlds(ids.filter_map(|id| Some((id, self.world(id)?))))
    }

    /// Builds the tree by single inserts in the recipe's order, with no reserved memory.
    fn build(recipe: &Recipe) -> Self
    where
        Self: Sized,
    {
        Self::new().filled(recipe)
    }

    /// Inserts all nodes of a tree except its root, one by one.
    fn filled(mut self, recipe: &Recipe) -> Self
    where
        Self: Sized,
    {
        for (id, node) in (1..).zip(&recipe.nodes()[1..]) {
            self.insert_one(id, node);
        }
        self
    }

    /// Removes and inserts the nodes of one dynamic frame.
    fn edit(&mut self, edits: &Edits) {
        self.remove(&edits.removed);
        self.insert(&edits.inserted);
    }

    /// Moves the root by a metre, and back at the next call, so that every world matrix is recomputed.
    fn transform(&mut self) {
        let root = stepped(self.steps());
        self.set_locals(&[(0, root)]);
        self.update();
    }

    /// Runs both passes.
    fn frame(&mut self) {
        self.transform();
        self.render();
    }
}

/// Stores the handle of a recipe id, which may be the next one.
fn put<H>(handles: &mut Vec<H>, id: u32, handle: H) {
    match handles.get_mut(id as usize) {
        Some(place) => *place = handle,
        None => handles.push(handle),
    }
}

/// Makes room for more handles, and touches it.
fn reserve<H: Copy>(handles: &mut Vec<H>, ids: usize) {
    let used = handles.len();
    handles.resize(used + ids, handles[0]);
    handles.truncate(used);
}

/// Returns the next transform of the root.
pub(crate) fn stepped(steps: &mut u32) -> Transform {
    *steps += 1;
    Transform::from_xyz(if *steps % 2 == 1 { 1.0 } else { 0.0 }, 0.0, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workloads::Churn;

    #[test]
    fn all_sides_compute_the_same_bits_through_frames_of_edits() {
        fn play<S: Side>(recipe: &Recipe) -> Vec<[Checksum; 2]> {
            let (mut churn, mut side) = (Churn::new(recipe, 8), S::build(recipe));
            let frame = |_| {
                side.edit(churn.next_frame());
                let moves: Vec<_> = churn.edits().inserted.iter().map(|(id, _)| (*id, 0)).take(9).collect();
                side.reparent(&moves);
                let back: Vec<_> = churn.edits().inserted.iter().map(|(id, node)| (*id, node.parent)).take(9).collect();
                side.reparent(&back);
                side.frame();
                [side.draws(), side.worlds(churn.kinds())]
            };
            (0..30).map(frame).collect()
        }
        let recipe = Recipe::random(2000, 7);
        let boxed = play::<Boxed>(&recipe);
        assert!(boxed.iter().flatten().all(|sum| sum.count > 0));
        assert_eq!(play::<Packed>(&recipe), boxed);
        assert_eq!(play::<Batched>(&recipe), boxed);
        let draws = |sums: Vec<[Checksum; 2]>| sums.into_iter().map(|[draws, _]| draws).collect::<Vec<_>>();
        assert_eq!(draws(play::<Sliced>(&recipe)), draws(boxed));
    }
}
