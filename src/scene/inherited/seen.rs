//! What the last run of an inherited property saw of a scene.

use crate::NodeHandle;
use crate::store::{Bits, Store};

/// What was seen, slice by slice.
#[derive(Clone, Debug)]
pub(super) struct Seen<T> {
    /// The scene and its newest version; `None` if everything must be computed.
    pub(super) moment: Option<(u64, u64)>,
    /// What was seen, by slice number.
    pub(super) slices: Vec<SeenSlice<T>>,
    /// Counts the runs.
    run: u64,
    /// Rows of a slice that a walk visited. Kept to save allocations.
    pub(super) rows_met: Bits,
}

/// What was seen of one slice.
#[derive(Clone, Debug)]
pub(super) struct SeenSlice<T> {
    /// The version that its nodes were last computed from; 0 for none.
    pub(super) version: u64,
    /// The result that its top rows inherit.
    pub(super) base: Option<T>,
    /// Whether `base` changed in this run.
    reached: bool,
    /// The last run that visited the slice.
    run: u64,
    /// The version at which `nodes` was listed; 0 for none.
    listed: u64,
    /// The nodes in the slice at that version, whether a run visited it or not.
    nodes: Vec<NodeHandle>,
}

impl<T> Default for Seen<T> {
    fn default() -> Self {
        Self { moment: None, slices: Vec::new(), run: 0, rows_met: Bits::default() }
    }
}

impl<T> SeenSlice<T> {
    const NOTHING: Self = Self { version: 0, base: None, reached: false, run: 0, listed: 0, nodes: Vec::new() };
}

impl<T: Clone + PartialEq> Seen<T> {
    /// Begins a run on a scene whose slice numbers are below `end`.
    pub(super) fn begin(&mut self, end: usize) {
        self.run += 1;
        if self.slices.len() < end {
            self.slices.resize(end, SeenSlice::NOTHING);
        }
    }

    /// Notes what a slice inherits.
    pub(super) fn hand_down(&mut self, slice: u32, base: &T) {
        let slice = &mut self.slices[slice as usize];
        if slice.base.as_ref() != Some(base) {
            slice.base = Some(base.clone());
            slice.reached = true;
        }
    }

    /// Notes that the run visits a slice. Returns whether what it inherits changed.
    pub(super) fn visit(&mut self, slice: u32) -> bool {
        let slice = &mut self.slices[slice as usize];
        slice.run = self.run;
        core::mem::take(&mut slice.reached)
    }

    /// Makes the next run that visits a slice compute all of it, if this run did not.
    pub(super) fn postpone(&mut self, slice: u32) {
        let slice = &mut self.slices[slice as usize];
        if slice.run != self.run {
            slice.version = 0;
        }
    }

    /// Lists the nodes of slices that were edited, and calls `gone` with nodes that were listed there and have been
    /// removed.
    ///
    /// Slices that the run did not visit are listed too: nodes of detached subtrees can have values, and can move to
    /// another slice. That slice was then edited as well, so each node is in the list of the slice that holds it.
    pub(super) fn list(&mut self, store: &Store, mut gone: impl FnMut(NodeHandle)) {
        for (number, seen) in self.slices.iter_mut().enumerate() {
            let slice = store.get_view(number);
            if slice.is_some_and(|slice| slice.version() == seen.listed) {
                continue;
            }
            seen.nodes.drain(..).filter(|&node| store.resolve(node).is_none()).for_each(&mut gone);
            match slice {
                Some(slice) => {
                    seen.nodes.extend(slice.rows().nodes());
                    seen.listed = slice.version();
                }
                None => *seen = SeenSlice::NOTHING,
            }
        }
    }
}
