//! The first update of a scene that was built or loaded in order: a walk along the links finds all nodes in depth-first
//! order, and each piece is written while it is in the cache. It takes no lists of all nodes, and no sort.

use crate::store::Store;
use crate::store::assign::Scratch;
use crate::store::columns::Inherited;
use crate::store::location::Location;
use crate::store::nodes::Nodes;
use crate::store::reconstitute::{FRESH, Item, Sort, short_row};
use crate::store::record::{Link, RecordId};
use crate::store::slice::Slice;

impl Store {
    /// Returns whether no node but the root has a row, and most waiting nodes follow their parent or a sibling. In other
    /// orders, a walk would wait for memory.
    pub(crate) fn is_built_in_order(&self) -> bool {
        const SAMPLES: usize = 64;
        let (pages, list) = (&self.nodes.pages, &self.nodes.inbox.waiting);
        let pairs = || list.windows(2).step_by((list.len() / SAMPLES).max(1)).take(SAMPLES);
        let follows = |pair: &&[RecordId]| {
            let mut above = core::iter::successors(Some(pair[0]), |&id| pages.parent(id).some()).take(16);
            above.any(|id| id == pages.parent(pair[1]))
        };
        // Readers of changes need the list of waiting nodes, and anchored nodes another import.
        let plain = self.update.feed.is_none() && !self.nodes.inbox.any_anchored;
        self.update.clock.is_new && plain && pairs().filter(follows).count() * 2 > pairs().count()
    }

    /// Writes all nodes as slices, and sweeps each unless the sweep is `shared`.
    pub(crate) fn fill(&mut self, scratch: &mut Scratch, shared: bool) {
        let Scratch { sort, slots, .. } = scratch;
        let mut order = Vec::new();
        let detached = self.nodes.detached;
        let counts = [self.nodes.pages.len() - detached, detached + 1];
        for (at, (top, mut left)) in [RecordId::ROOT, RecordId::LIMBO].into_iter().zip(counts).enumerate() {
            self.slices.attached = order.len();
            let mut next = Some(top);
            while let Some(begin) = next {
                let most = self.next_size(left);
                // As in a reconstitution, what fits into one slice is not cut.
                let large = if begin == top && most == left { usize::MAX } else { self.slices.max_nodes() / 4 };
                next = self.walk(top, begin, [most, large], sort);
                left -= sort.items.len();
                let number = if begin == top { self.slices.order[at] } else { self.slices.open(Slice::default()) };
                let new = self.write(&[], 0..sort.items.len(), false, sort);
                self.put_slice(number, new);
                order.push(number);
                if !shared {
                    self.sweep_slice(number, None, slots);
                }
            }
        }
        self.slices.order = order;
        self.slices.edited = false;
        self.nodes.inbox.waiting = Vec::new();
    }

    /// Lists at most `most` nodes from `begin` on, below `top`. Returns the next node. Behind `large` nodes, a subtree of
    /// as many below the top begins a piece of its own.
    fn walk(&mut self, top: RecordId, begin: RecordId, [most, large]: [usize; 2], sort: &mut Sort) -> Option<RecordId> {
        let max_rows = self.slices.max_rows();
        let Self { nodes: Nodes { pages, .. }, slices, .. } = self;
        let (mut next, mut subtree) = (Some(begin), None);
        sort.clear();
        while let Some(id) = next {
            let (count, above) = (sort.items.len(), pages.parent(id));
            // A subtree that may be large is followed past the end of the piece.
            let ends = count >= most && (above == top || subtree.is_none());
            if ends || count + sort.imports.len() + 2 > max_rows {
                break;
            }
            if above == top {
                subtree = (count >= large).then_some((count, id));
            }
            pages.prefetch_record(pages.link(id, Link::Next));
            let location = (id != top).then(|| pages.location(above));
            let parent = location.and_then(Location::as_waiting).unwrap_or_else(|| {
                let inherited = |location: Location| slices[location.slice()].inherited(location.row());
                let handle = location.map(|_| pages.handle(above));
                sort.import(handle, || location.map_or(Inherited::NOTHING, inherited))
            });
            // Until the node has a row, its location holds the number of its item.
            pages.set_location(id, Location::waiting(short_row(count)));
            sort.parents.push(parent);
            sort.items.push(Item { record: id, source: 0, row: FRESH });
            next = pages.next_in_subtree(top, id, true);
            if let Some((at, id)) = subtree.filter(|&(at, _)| count + 1 - at == large) {
                sort.items.truncate(at);
                next = Some(id);
                break;
            }
        }
        if let Some(item) = sort.items.get(most) {
            next = Some(item.record);
            sort.items.truncate(most);
        }
        sort.take_in_order();
        next
    }
}
