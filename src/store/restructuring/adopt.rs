//! Takes over the slices of another scene, whole, without building anything again.

use crate::NodeHandle;
use crate::store::columns::{At, NIL, Occupant};
use crate::store::{Membership, Slice, Store};

/// The new handle of a node whose table got another number.
fn shifted(node: NodeHandle, tables: u32) -> NodeHandle {
    NodeHandle::new(node.table() + tables, node.index(), node.generation())
}

impl Store {
    /// Whether there are numbers for the nodes and the tables of another store.
    pub(crate) fn can_adopt(&self, other: &Self) -> bool {
        other.total_len() <= crate::store::MAX_NODES - self.total_len() && self.can_open_tables(other.table_count())
    }

    /// Takes over all slices of another store with the same policy. Its tree becomes a detached subtree, whose top it
    /// returns, and its detached subtrees stay detached. Reports old and new handles by ascending old ones.
    ///
    /// Every slice stays as it is. Handles and slices get other numbers, for which each row, each shape and each entry
    /// of a table is read once, in the order of memory. O(nodes).
    pub(crate) fn adopt_store(&mut self, mut other: Self, mut tell: impl FnMut(NodeHandle, NodeHandle)) -> At {
        while other.free_next_pending().is_some() {}
        let first_table = u32::try_from(self.tables.len()).expect("there are at most 2^24 tables");
        for (number, table) in (0..).zip(&other.tables.tables) {
            for (index, entry) in (0..).zip(&table.entries) {
                if entry.lives(index) {
                    let old = NodeHandle::new(number, index, entry.generation());
                    tell(old, shifted(old, first_table));
                }
            }
        }
        let nodes = other.total_len();
        let reserve = |slice: &Slice| if slice.lives { self.keep_slice(Slice::default()) } else { NIL };
        let numbers: Vec<u32> = other.slices.iter().map(reserve).collect();
        let detached = core::mem::take(&mut other.detached);
        for (number, &new) in numbers.iter().enumerate().filter(|&(_, &new)| new != NIL) {
            let mut slice = core::mem::take(&mut other.slices[number]);
            slice.renumber(&numbers, first_table);
            self.versions += 1;
            slice.begin_version(self.versions);
            if self.feed.is_some() {
                // It has no history here: everything is computed again, and told as new.
                slice.end_trace();
                slice.begin_trace();
                slice.mark_everything();
            }
            self.slices[new as usize] = slice;
            self.note_layout(new);
        }
        self.words.adopt(other.words, first_table);
        self.tables.adopt(other.tables, &numbers);
        *self.counted.of_mut(Membership::Detached) += nodes;
        let top = numbers[At::ROOT.slice as usize];
        for number in core::iter::once(top).chain(detached.iter().map(|&number| numbers[number as usize])) {
            self.list_detached(number);
        }
        for &number in numbers.iter().filter(|&&number| number != NIL) {
            // What the root's slice holds is small slices that were not merged, and may be now.
            self.list_for_maintenance(number);
            self.settle_marks(number);
        }
        if self.feed.is_some() {
            for &number in numbers.iter().filter(|&&number| number != NIL) {
                let nodes: Vec<NodeHandle> =
                    self.slice(number).rows.iter().filter_map(|row| row.occupant.as_node()).collect();
                nodes.into_iter().for_each(|node| self.note_new(number, node));
            }
        }
        self.tell_hung_elsewhere();
        self.top_of(top)
    }

    /// Marks an adopted slice, and the slices above it, so that the next update comes to it: its arrays are to be
    /// reported, if nothing else.
    fn settle_marks(&mut self, number: u32) {
        self.slice_mut(number).take_mark();
        self.tell_moved(number);
    }
}

impl Slice {
    /// Rewrites what names slices and handles, given the new numbers of slices and how far tables move.
    fn renumber(&mut self, numbers: &[u32], tables: u32) {
        let renumbered = |number: u32| numbers.get(number as usize).copied().unwrap_or(NIL);
        for row in &mut self.rows {
            if let Some(node) = row.occupant.as_node() {
                row.occupant = Occupant::node(shifted(node, tables));
            } else if let Some(child) = row.occupant.as_portal() {
                row.occupant = Occupant::portal(renumbered(child));
            }
        }
        // Holes may have any bits, which nobody reads.
        let shift = NodeHandle::TABLE * u64::from(tables);
        self.shapes.records.iter_mut().for_each(|record| record.node = record.node.wrapping_add(shift));
        if let Some(boxes) = &mut self.boxes {
            boxes.nodes.iter_mut().for_each(|node| *node = node.wrapping_add(shift));
        }
        self.children.iter_mut().for_each(|child| *child = renumbered(*child));
        self.marked_children.clear();
        self.candidates_below.clear();
        if self.portal != At::NONE {
            self.portal.slice = renumbered(self.portal.slice);
        }
        self.membership = Membership::Detached;
        self.edited = false;
        self.merge_candidate = false;
        self.swept_in = 0;
        self.swept_frames = [0; 2];
        self.told_in = 0;
        self.bounds_set = 0;
        self.layout = 0;
    }
}
