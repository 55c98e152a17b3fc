//! The scene graphs under measurement, behind the few things that a measurement does with one.
//!
//! [`Boxed`] is the [naive graph](crate::baselines::Graph), [`Sliced`] the thesis's
//! [own structure](crate::baselines::SliceGraph), [`Packed`] a [`hedgerow::Scene`], [`Batched`] the same edited in
//! batches, [`Threaded`] with its passes on two threads. A [`Checksum`] of matrices and draws shows that they compute
//! the same to the bit. A [`Stage`] is a scene that a [`Script`](crate::workloads::Script) of single edits is played
//! on.

mod batched;
mod boxed;
mod checksum;
mod packed;
mod sliced;
mod stage;
mod threaded;

pub use batched::Batched;
pub use boxed::Boxed;
pub use checksum::Checksum;
pub use packed::{Packed, describe};
pub use sliced::Sliced;
pub use stage::Stage;
pub use threaded::{OfScene, Threaded};

use crate::workloads::{Content, Edits, Kind, Recipe, RecipeNode};
use hedgerow::Transform;

/// A scene graph under measurement.
///
/// Each side keeps an array of its own handles or pointers by recipe id, which is no part of the graph, and a pair of
/// draw arrays that it reuses.
pub trait Side {
    /// What the side is called in results.
    const NAME: &'static str;
    /// On how many threads its passes run.
    const THREADS: usize = 1;

    /// Builds the tree by single inserts in the recipe's order, nothing reserved but the array of handles.
    #[must_use]
    fn build(recipe: &Recipe) -> Self;

    /// Puts a tree that is not to change any more into the order that suits the side best.
    fn pack(&mut self);

    /// Removes and inserts the nodes of one dynamic frame.
    fn edit(&mut self, edits: &Edits);

    /// Sets the local transforms of the nodes with these recipe ids, all of which are transform nodes.
    fn set_locals(&mut self, locals: &[(u32, Transform)]);

    /// Recomputes every world matrix.
    fn transform(&mut self);

    /// Brings the world matrices in line with what was set, with no more work than the side needs for it.
    fn update(&mut self);

    /// Lists every draw.
    fn render(&mut self);

    /// A sum over the draws listed last.
    #[must_use]
    fn draws(&self) -> Checksum;

    /// A sum over the world matrices of all transform and shape nodes, told by the kinds of the recipe ids.
    #[must_use]
    fn worlds(&self, kinds: &[Kind]) -> Checksum;

    /// The bytes that the graph itself takes, without handles and draw arrays.
    #[must_use]
    fn bytes(&self) -> usize;
}

/// The root's transform, and the other nodes of a recipe.
fn split(recipe: &Recipe) -> (Transform, &[RecipeNode]) {
    match recipe.nodes() {
        [root, rest @ ..] => match root.content {
            Content::Transform(transform) => (transform, rest),
            _ => unreachable!("the root of a recipe is a transform node"),
        },
        [] => unreachable!("a recipe has a root"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baselines::DrawCommand;
    use crate::workloads::{Churn, FRAMES, Moves, Topology};

    #[test]
    fn all_sides_compute_the_same_bits_through_thirty_frames() {
        let recipe = Recipe::random(2000, 7);
        let mut churn = Churn::new(&recipe, 8);
        let mut packed = Packed::build(&recipe);
        let mut boxed = Boxed::build(&recipe);
        let mut batched = Batched::build(&recipe);
        let mut sliced = Sliced::build(&recipe);
        for _ in 0..FRAMES {
            let edits = churn.next_frame();
            packed.edit(edits);
            boxed.edit(edits);
            batched.edit(edits);
            sliced.edit(edits);
            packed.transform();
            boxed.transform();
            batched.transform();
            sliced.transform();
            packed.render();
            boxed.render();
            batched.render();
            sliced.render();
            assert_ne!(boxed.draws().count, 0);
            assert_eq!(packed.draws(), boxed.draws());
            assert_eq!(batched.draws(), boxed.draws());
            assert_eq!(sliced.draws(), boxed.draws());
            assert_eq!(sliced.worlds(churn.kinds()), boxed.worlds(churn.kinds()));
            assert_eq!(packed.worlds(churn.kinds()), boxed.worlds(churn.kinds()));
            assert_eq!(batched.worlds(churn.kinds()), boxed.worlds(churn.kinds()));
            assert_eq!(boxed.graph().len(), 2000);
        }
        packed.pack();
        packed.transform();
        packed.render();
        assert_eq!(packed.draws(), boxed.draws());
    }

    #[test]
    fn both_sides_compute_the_same_bits_where_some_nodes_moved() {
        for topology in [Topology::Random, Topology::EightAry, Topology::Humanoids, Topology::Flat, Topology::Chain] {
            let recipe = Recipe::transforms(topology, 1500, 7);
            let mut moves = Moves::new(&recipe, 8);
            let kinds = vec![Kind::Transform; 1500];
            let mut packed = Packed::build(&recipe);
            let mut boxed = Boxed::build(&recipe);
            for count in [0, 1, 10, 500, moves.most()] {
                let moved = moves.next_frame(count);
                packed.set_locals(moved);
                boxed.set_locals(moved);
                packed.update();
                boxed.update();
                assert_eq!(packed.worlds(&kinds), boxed.worlds(&kinds), "{topology:?}, {count} moved");
            }
        }
    }

    #[test]
    fn commands_of_both_sides_have_the_same_size() {
        assert_eq!(size_of::<DrawCommand>(), size_of::<hedgerow::draw::DrawCommand>());
    }
}
