//! The sweep of a visibility column: `effective[i] = effective[parent[i]] & local[i]`, parents first.

use crate::store::columns::VisibilityColumn;

impl VisibilityColumn {
    /// `effective[i] = effective[parent[i]] & local[i]`, parents first. Returns whether anything was out of date.
    pub(super) fn sweep(&mut self, frame: u32) -> bool {
        let dirty = core::mem::take(&mut self.dirty);
        if dirty && self.trace.is_some() {
            self.sweep_traced(frame);
        } else if dirty {
            for slot in 1..self.effective.len() {
                self.effective[slot] = self.effective[self.parents[slot] as usize] & self.locals[slot];
            }
        }
        dirty
    }

    /// Like the untraced sweep, and notes of the slots whose mask changed that it did in this frame.
    fn sweep_traced(&mut self, frame: u32) {
        let Self { effective, parents, locals, trace, .. } = self;
        let Some(trace) = trace else { return };
        if core::mem::replace(&mut trace.base, effective[0]) != effective[0] {
            trace.changed[0] = frame;
        }
        trace.newest = frame;
        for slot in 1..effective.len() {
            let mask = effective[parents[slot] as usize] & locals[slot];
            if core::mem::replace(&mut effective[slot], mask) != mask {
                trace.changed[slot] = frame;
            }
        }
    }
}
