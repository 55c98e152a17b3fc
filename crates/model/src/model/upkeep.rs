//! Edits of storage only, which change nothing in the model, and the scene's statistics.

use super::Check;
use super::op::Budget;
use super::oracle::{Oracle, Refusals};
use hedgerow::{Error, NodeHandle, stats::Stats};

/// More nodes than any test has.
const ENOUGH: usize = usize::MAX - 1;

impl Oracle {
    pub fn maintain(&mut self, budget: Budget) -> Check<Option<bool>> {
        match budget {
            Budget::Pieces(calls) => {
                for _ in 0..calls {
                    self.scene.maintain(0);
                }
            }
            Budget::Enough => self.maintain_all(ENOUGH)?,
            Budget::Unlimited => self.maintain_all(usize::MAX)?,
        }
        Ok(None)
    }

    /// Maintains twice. The second call must find nothing to do.
    fn maintain_all(&mut self, budget: usize) -> Check {
        self.scene.maintain(budget);
        let done = self.scene.maintain(budget);
        ensure!(done.reconstituted == 0 && done.merged == 0, "{done:?} after all was done");
        Ok(())
    }

    pub fn shrink(&mut self) -> Check<Option<bool>> {
        // The lists of reported changes may grow; in a loaded scene they are empty.
        let bytes = |stats: Stats| stats.allocated_bytes() - stats.overhead_bytes;
        let (before, slices) = (bytes(self.scene.stats()), self.scene.stats().slices);
        self.scene.shrink_to_fit();
        let after = bytes(self.scene.stats());
        let more = self.scene.stats().slices > slices;
        ensure!(after <= before || more, "shrunk from {before} bytes to {after}");
        Ok(None)
    }

    pub fn reserve(&mut self, handle: NodeHandle, more: usize) -> Check<Option<bool>> {
        let mut refusals = Refusals::default();
        self.live(handle, &mut refusals);
        if more == usize::MAX {
            refusals.errors.extend([Error::CapacityOverflow, Error::AllocationFailed]);
        }
        self.attempt(refusals, |scene| scene.try_reserve(handle, more)).map(|_| None)
    }

    /// Compares the statistics after an update.
    pub fn compare_stats(&mut self) -> Check {
        self.scene.update();
        self.maintain_all(ENOUGH)?;
        self.compare(true)?;
        let stats: Stats = self.scene.stats();
        let count = |test: &dyn Fn(usize) -> bool| self.tree.live().iter().filter(|&&node| test(node)).count();
        let tree = &self.tree;
        let pairs = [
            ("nodes", stats.nodes, self.attached),
            ("detached nodes", stats.detached, tree.len() - self.attached),
            ("slices", stats.slices, self.scene.stats().slices),
            ("drawables", stats.drawables.live, count(&|node| tree.at(node).drawable.is_some())),
            ("names", stats.names.live, count(&|node| tree.at(node).name.is_some())),
        ];
        for (what, counted, expected) in pairs {
            ensure!(counted == expected, "stats count {counted} {what}, not {expected}");
        }
        ensure!(stats.live_bytes() <= stats.allocated_bytes(), "more bytes live than allocated");
        Ok(())
    }
}
