//! Edits of the storage only, which change nothing in the model, and the scene's statistics.

use super::Check;
use super::op::Budget;
use super::oracle::{Oracle, Refusals};
use hedgerow::{
    Error, NodeHandle,
    stats::{Maintenance, Stats},
};
use std::time::Duration;

/// Longer than any test takes.
const ENOUGH: Duration = Duration::from_secs(600);

impl Oracle {
    /// Frees what was removed, and tidies what was edited.
    pub(crate) fn maintain(&mut self, budget: Budget) -> Check<Option<bool>> {
        match budget {
            Budget::Pieces(calls) => {
                for _ in 0..calls {
                    self.maintain_once(Duration::ZERO)?;
                }
            }
            Budget::Enough => self.maintain_all(ENOUGH)?,
            Budget::Unlimited => self.maintain_all(Duration::MAX)?,
        }
        Ok(None)
    }

    /// Maintains until nothing is left to do, which must be after a single call.
    fn maintain_all(&mut self, budget: Duration) -> Check {
        let done = self.maintain_once(budget)?;
        let pending_free = self.scene.stats().pending_free;
        ensure!(pending_free == 0 && done.remaining == 0, "{done:?} leaves {pending_free} nodes to be freed");
        Ok(())
    }

    fn maintain_once(&mut self, budget: Duration) -> Check<Maintenance> {
        let before = self.scene.stats().pending_free;
        let done = self.scene.maintain(budget);
        let after = self.scene.stats().pending_free;
        self.counts.freed += done.freed;
        ensure!(before == after + done.freed, "{done:?}, but {before} nodes were to be freed and {after} are");
        ensure!(before == 0 || done.freed > 0, "{done:?}, though {before} nodes were to be freed");
        Ok(done)
    }

    /// Frees unused memory.
    pub(crate) fn shrink(&mut self) -> Check<Option<bool>> {
        // Lists of what an update has to report grow; in a scene that was just loaded they are empty.
        let bytes = |stats: Stats| stats.allocated_bytes() - stats.overhead_bytes;
        let (before, slices) = (bytes(self.scene.stats()), self.scene.slice_count());
        self.scene.shrink_to_fit();
        let after = bytes(self.scene.stats());
        // Each slice has sets of marks, of 16 bytes at least and less than two bits a slot, which a rebuilt one may
        // have made where the old one had not yet.
        let marks = 192 * self.scene.slice_count() + 4 * self.scene.stats().rows.live;
        let more = self.scene.slice_count() > slices;
        ensure!(after <= before + marks || more, "shrunk from {before} bytes to {after}");
        Ok(None)
    }

    /// Reserves room below a node.
    pub(crate) fn reserve(&mut self, handle: NodeHandle, more: usize) -> Check<Option<bool>> {
        let mut refusals = Refusals::default();
        self.live(handle, &mut refusals);
        if more == usize::MAX {
            refusals.errors.extend([Error::CapacityOverflow, Error::AllocationFailed]);
        }
        self.attempt(refusals, |scene| scene.try_reserve(handle, more)).map(|_| None)
    }

    /// Frees what was removed, so that only the model's nodes are left, and compares the statistics.
    pub(crate) fn compare_stats(&mut self) -> Check {
        self.maintain_all(ENOUGH)?;
        self.compare(false)?;
        let stats: Stats = self.scene.stats();
        let count = |test: &dyn Fn(usize) -> bool| self.tree.live().iter().filter(|&&node| test(node)).count();
        let tree = &self.tree;
        // Each slice has a base for what is inherited, and a portal except those of the root and of detached subtrees.
        let detached = tree.len() - self.attached;
        let slices = self.scene.slice_count();
        let inherited = |test: &dyn Fn(usize) -> bool| slices + count(test);
        let pairs = [
            ("nodes", stats.nodes, self.attached),
            ("detached nodes", stats.detached, detached),
            ("slices", stats.slices, slices),
            ("rows", stats.rows.live, tree.len() + slices - 1 - tree.detached().len()),
            ("transforms", stats.transforms.live, inherited(&|node| tree.at(node).local.is_some())),
            ("materials", stats.materials.live, inherited(&|node| tree.at(node).material.is_some())),
            ("visibilities", stats.visibilities.live, inherited(&|node| tree.at(node).visibility.is_some())),
            ("shapes", stats.shapes.live, count(&|node| tree.at(node).shape.is_some())),
            ("names", stats.names.live, count(&|node| tree.at(node).name.is_some())),
        ];
        for (what, counted, expected) in pairs {
            ensure!(counted == expected, "stats count {counted} {what}, not {expected}");
        }
        ensure!((0.0..=1.0).contains(&stats.disorder), "a disorder of {}", stats.disorder);
        ensure!(stats.live_bytes() <= stats.allocated_bytes(), "more bytes live than allocated");
        Ok(())
    }
}
