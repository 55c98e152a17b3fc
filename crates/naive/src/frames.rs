//! Frames without end.

use crate::{Churn, Edits, FRAMES, Recipe, Side};

/// An endless sequence of the edits of the thesis's dynamic frames, on a tree that is built anew after [`FRAMES`] of them.
pub struct Frames<'r, S> {
    recipe: &'r Recipe,
    side: S,
    churn: Churn,
    played: usize,
}

impl<'r, S: Side> Frames<'r, S> {
    /// Builds the tree.
    #[must_use]
    pub fn new(recipe: &'r Recipe) -> Self {
        Self { recipe, side: S::build(recipe), churn: Churn::new(recipe, 1), played: 0 }
    }

    /// The side, and the edits of the next frame, which it has not made yet.
    pub fn next_frame(&mut self) -> (&mut S, &Edits) {
        if self.played == FRAMES {
            *self = Self::new(self.recipe);
        }
        self.played += 1;
        (&mut self.side, self.churn.next_frame())
    }
}
