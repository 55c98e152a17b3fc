//! A scene whose passes run on two threads as a side.

use super::{Checksum, Packed, Side};
use crate::workloads::{Edits, Kind, Recipe};
use hedgerow::Transform;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The same scene, with its passes on two threads (feature `rayon`). Edits are made on one.
#[derive(Debug)]
pub struct Threaded {
    packed: Packed,
    pool: ThreadPool,
}

impl Side for Threaded {
    const NAME: &'static str = "hedgerow, on two threads";

    fn build(recipe: &Recipe) -> Self {
        let pool = ThreadPoolBuilder::new().num_threads(2).build().expect("the system has two threads");
        Self { packed: Packed::build(recipe), pool }
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
        self.pool.install(|| self.packed.transform());
    }

    fn update(&mut self) {
        self.pool.install(|| self.packed.update());
    }

    fn render(&mut self) {
        self.pool.install(|| self.packed.render_threaded());
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
