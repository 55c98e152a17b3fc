//! A scene whose passes run on two threads as a side.

use super::{Batched, Checksum, Packed, Side};
use crate::workloads::{Edits, Kind, Recipe};
use hedgerow::Transform;

/// The same scene, with its passes on the two threads of the current pool (feature `rayon`), of which the caller is
/// one: to hand each pass to a pool from outside, and to wake it, takes longer than a pass. Edits are made on one.
#[derive(Debug)]
pub struct Threaded<S = Packed> {
    side: S,
}

/// A side that is a scene.
pub trait OfScene: Side {
    /// What it is called with its passes on two threads.
    const ON_TWO_THREADS: &'static str;

    /// The scene.
    fn packed_mut(&mut self) -> &mut Packed;
}

impl OfScene for Packed {
    const ON_TWO_THREADS: &'static str = "hedgerow, on two threads";

    fn packed_mut(&mut self) -> &mut Packed {
        self
    }
}

impl OfScene for Batched {
    const ON_TWO_THREADS: &'static str = "hedgerow, in batches, on two threads";

    fn packed_mut(&mut self) -> &mut Packed {
        &mut self.packed
    }
}

impl<S: OfScene> Side for Threaded<S> {
    const NAME: &'static str = S::ON_TWO_THREADS;
    const THREADS: usize = 2;

    fn build(recipe: &Recipe) -> Self {
        Self { side: S::build(recipe) }
    }

    fn pack(&mut self) {
        self.side.pack();
    }

    fn edit(&mut self, edits: &Edits) {
        self.side.edit(edits);
    }

    fn set_locals(&mut self, locals: &[(u32, Transform)]) {
        self.side.set_locals(locals);
    }

    fn transform(&mut self) {
        self.side.transform();
    }

    fn update(&mut self) {
        self.side.update();
    }

    fn render(&mut self) {
        self.side.packed_mut().render_threaded();
    }

    fn draws(&self) -> Checksum {
        self.side.draws()
    }

    fn worlds(&self, kinds: &[Kind]) -> Checksum {
        self.side.worlds(kinds)
    }

    fn bytes(&self) -> usize {
        self.side.bytes()
    }
}
