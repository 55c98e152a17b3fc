//! A scene whose passes run on two threads as a side.

use super::{Checksum, Packed, Side};
use crate::workloads::{Edits, Kind, Recipe};
use hedgerow::Transform;

/// The same scene, with its passes on the two threads of the current pool (feature `rayon`), of which the caller is
/// one: to hand each pass to a pool from outside, and to wake it, takes longer than a pass. Edits are made on one.
#[derive(Debug)]
pub struct Threaded {
    packed: Packed,
}

impl Side for Threaded {
    const NAME: &'static str = "hedgerow, on two threads";

    fn build(recipe: &Recipe) -> Self {
        Self { packed: Packed::build(recipe) }
    }

    fn pack(&mut self) {
        self.packed.pack();
    }

    fn edit(&mut self, edits: &Edits) {
        self.packed.edit(edits);
    }

    fn set_locals(&mut self, locals: &[(u32, Transform)]) {
        self.packed.set_locals(locals);
    }

    fn transform(&mut self) {
        self.packed.transform();
    }

    fn update(&mut self) {
        self.packed.update();
    }

    fn render(&mut self) {
        self.packed.render_threaded();
    }

    fn draws(&self) -> Checksum {
        self.packed.draws()
    }

    fn worlds(&self, kinds: &[Kind]) -> Checksum {
        self.packed.worlds(kinds)
    }

    fn bytes(&self) -> usize {
        self.packed.bytes()
    }
}
