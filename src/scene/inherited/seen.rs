//! What the last run of an inherited property saw of a scene.

use crate::NodeHandle;
use crate::slice::{At, Bits, Standing, Store};

/// What was seen, slice by slice.
#[derive(Clone, Debug)]
pub(super) struct Seen<T> {
    /// Which scene, and its newest version; `None` if all is to be computed.
    pub(super) moment: Option<(u64, u64)>,
    /// By number.
    pub(super) slices: Vec<SeenSlice<T>>,
    /// Counts the runs.
    run: u64,
    /// Rows of a slice that a walk came to: kept to spare allocations.
    pub(super) rows_met: Bits,
}

/// What was seen of one slice.
#[derive(Clone, Debug)]
pub(super) struct SeenSlice<T> {
    /// The version that its nodes were last computed from; 0 for none.
    pub(super) version: u64,
    /// The result that its top rows inherit.
    pub(super) base: Option<T>,
    /// Whether that changed in this run.
    reached: bool,
    /// The last run that came by.
    run: u64,
    /// The version that `nodes` was last looked through at for nodes that are gone, while no run came by.
    searched: u64,
    /// The nodes that were in it.
    pub(super) nodes: Vec<NodeHandle>,
}

impl<T> Default for Seen<T> {
    fn default() -> Self {
        Self { moment: None, slices: Vec::new(), run: 0, rows_met: Bits::default() }
    }
}

impl<T> SeenSlice<T> {
    const NOTHING: Self = Self { version: 0, base: None, reached: false, run: 0, searched: 0, nodes: Vec::new() };
}

impl<T: Clone + PartialEq> Seen<T> {
    /// A run begins, of a scene whose slices have numbers below `end`.
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

    /// The run comes to a slice; answers whether what it inherits changed.
    pub(super) fn visit(&mut self, slice: u32) -> bool {
        let slice = &mut self.slices[slice as usize];
        slice.run = self.run;
        core::mem::take(&mut slice.reached)
    }

    /// Has the slice of a changed node computed anew when a run comes to it again, if this one did not. The node may be one
    /// that no run has seen yet, so it is listed.
    pub(super) fn postpone(&mut self, store: &Store, at: At) {
        let slice = &mut self.slices[at.slice as usize];
        if slice.run != self.run {
            slice.version = 0;
            // A node that is changed again and again is listed each time; now and then that is tidied.
            if slice.nodes.len() > 16 + 2 * store.slice(at.slice).nodes() {
                slice.nodes.sort_unstable();
                slice.nodes.dedup();
            }
            slice.nodes.push(store.handle(at));
        }
    }

    /// Empties the list of the nodes that were in a slice, and calls `gone` with those that are gone.
    pub(super) fn forget(&mut self, store: &Store, number: u32, mut gone: impl FnMut(NodeHandle)) {
        let mut nodes = core::mem::take(&mut self.slices[number as usize].nodes);
        for node in nodes.drain(..) {
            self.follow(store, node, &mut gone);
        }
        self.slices[number as usize].nodes = nodes;
    }

    /// Calls `gone` with a node that is gone. One that was detached is listed where it is now: no run comes there, so nobody
    /// else would notice when it goes.
    fn follow(&mut self, store: &Store, node: NodeHandle, gone: &mut impl FnMut(NodeHandle)) {
        match store.resolve(node) {
            None => gone(node),
            Some(at) if store.slice(at.slice).standing == Standing::Detached => {
                self.slices[at.slice as usize].nodes.push(node);
            }
            Some(_) => {}
        }
    }

    /// Calls `gone` with the nodes that are gone of slices that the run did not come to: those that are gone themselves,
    /// and detached ones that were edited.
    pub(super) fn drop_gone(&mut self, store: &Store, mut gone: impl FnMut(NodeHandle)) {
        for number in 0..self.slices.len() {
            let seen = &mut self.slices[number];
            if seen.run == self.run {
                continue;
            }
            let searched =
                match store.slices.get(number).filter(|slice| slice.lives && slice.standing != Standing::Doomed) {
                    Some(slice) if slice.version == seen.version || slice.version == seen.searched => continue,
                    Some(slice) => slice.version,
                    None => 0,
                };
            let nodes = core::mem::take(&mut seen.nodes);
            if searched == 0 {
                *seen = SeenSlice::NOTHING;
            } else {
                seen.searched = searched;
            }
            for node in nodes {
                self.follow(store, node, &mut gone);
            }
        }
    }
}
