//! Cutting a slice that is full into pieces, so that no edit ever has to rebuild more than one bounded slice.
//!
//! Source: the thesis, section 7.4.2 (dividing large slices), with pieces planned bottom-up over subtree sizes.

use crate::SceneConfig;
use crate::slice::row::{At, NIL};
use crate::slice::{Capacity, Need, Slice, Spot, Store};

/// A run of siblings that goes to a slice of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// The places of the first and the last sibling in pre-order.
    pub(crate) first: u32,
    pub(crate) last: u32,
    /// The place of their parent, or [`NIL`] for a run of the topmost siblings.
    pub(crate) parent: u32,
}

/// Plans how a forest is cut into pieces that are no larger than a bound.
#[derive(Debug)]
pub(crate) struct Planner {
    /// A piece has at least this many rows: a quarter of the bound.
    quarter: u32,
}

/// What is known of a node while the siblings below it are gone through from the last to the first.
#[derive(Clone, Copy, Debug)]
struct Below {
    /// The rows of the present run: those that stay with the node unless the run grows large enough to be cut.
    run: u32,
    /// The last sibling of the present run.
    last: u32,
    /// Portals that stand for the runs that were cut.
    portals: u32,
}

impl Below {
    const NOTHING: Self = Self { run: 0, last: NIL, portals: 0 };

    /// How many rows stay with the node below it.
    fn rows(&self) -> u32 {
        self.run + self.portals
    }
}

impl Planner {
    /// For pieces of a quarter to a half of `bound`.
    pub(crate) fn new(bound: u32) -> Self {
        Self { quarter: (bound / 4).max(2) }
    }

    /// The runs to cut out of a forest in pre-order, told by the place of each node's parent ([`NIL`] for the topmost):
    /// inner runs before those that they lie in, runs of the same siblings from the last to the first. The first of the
    /// topmost runs is never cut.
    ///
    /// Each piece takes siblings until it has a quarter of the bound. What is left of any node with all below it is hardly
    /// more than a quarter, so a piece is hardly more than a half; a piece ends up smaller only where nothing else is left
    /// at the top. Computes in **O(nodes)**: in reverse pre-order every node is done before its parent.
    pub(crate) fn plan(&self, parents: impl DoubleEndedIterator<Item = u32> + ExactSizeIterator) -> Vec<Cut> {
        let count = parents.len();
        let mut below = vec![Below::NOTHING; count + 1];
        let mut cuts = Vec::new();
        let places = (0..u32::try_from(count).expect("nodes number less than 2^30")).rev();
        for (place, parent) in places.zip(parents.rev()) {
            let rows = 1 + below[place as usize].rows();
            let above = &mut below[if parent == NIL { count } else { parent as usize }];
            if above.run == 0 {
                above.last = place;
            }
            above.run += rows;
            if above.run >= self.quarter {
                cuts.push(Cut { first: place, last: above.last, parent });
                above.run = 0;
                above.portals += 1;
            }
        }
        // The topmost slice keeps what was not cut of the first of its run, and where that is too little the first piece.
        if below[count].run < self.quarter / 2
            && let Some(first) = cuts.iter().rposition(|cut| cut.parent == NIL)
        {
            cuts.remove(first);
        }
        cuts
    }
}

impl Store {
    /// Cuts a slice into pieces of a quarter to a half of the greatest size. Handles and the order of siblings stay.
    ///
    /// Runs from within go behind portals in the slice itself, runs of its top rows behind portals beside its own as long as
    /// the slice above takes these without being rebuilt. What is up to date stays so. Computes in **O(rows)**.
    pub(super) fn split(&mut self, number: u32) {
        let mut order = core::mem::take(&mut self.order);
        self.slices[number as usize].depth_first_order(&mut order, &mut self.pending);
        let planner = Planner::new(self.config.max_nodes);
        let cuts = planner.plan(order.iter().map(|&(_, parent)| parent));
        let rows: Vec<[u32; 2]> =
            cuts.iter().map(|cut| [cut.first, cut.last].map(|place| order[place as usize].0)).collect();
        self.order = order;
        for (cut, [first, last]) in cuts.iter().zip(rows) {
            let piece = self.cut_out(number, first, last);
            let beside = (cut.parent == NIL).then(|| self.spot_beside_portal(number)).flatten();
            let spot = beside.unwrap_or(piece.from);
            self.insert_portal_in_step(&spot, piece.slice);
        }
        self.reconstitute(number, Capacity::Fresh(self.config.expansion_factor));
        self.wear(number);
    }

    /// Moves a run of siblings to a new slice without a portal, which inherits what they do.
    fn cut_out(&mut self, number: u32, first: u32, last: u32) -> Piece {
        let source = &mut self.slices[number as usize];
        let from = source.unlink_run(number, first, last);
        let mut need = Need::default();
        let mut top = first;
        while top != NIL {
            source.subtree(top).for_each(|row| need.add(source.row(row)));
            top = source.row(top).next;
        }
        let mut piece = Slice::with_room(&need.times(self.config.expansion_factor, self.config.max_nodes));
        let [transform, visibility, material] = source.inherited(from.parent).map(|slot| slot.index() as usize);
        piece.transforms.worlds[0] = source.transforms.worlds[transform];
        piece.visibilities.effective[0] = source.visibilities.effective[visibility];
        piece.materials.values[0] = source.materials.values[material];
        let slice = self.open_slice(piece);
        let spot = Spot { slice, parent: NIL, previous: NIL, next: NIL };
        self.transplant(number, first, &spot, super::transplant::Marks::Keep);
        Piece { slice, from }
    }

    /// The place behind a slice's own portal, if a row is free there without moving any.
    fn spot_beside_portal(&mut self, number: u32) -> Option<Spot> {
        let portal = self.slice(number).portal;
        if portal == At::NONE {
            return None;
        }
        let SceneConfig { reuse_holes, max_nodes, expansion_factor, .. } = self.config;
        let above = &mut self.slices[portal.slice as usize];
        if !above.row_slots.has_any(reuse_holes) {
            // A refusal of the allocator is no reason to fail: the portal goes elsewhere.
            let _ = above.try_grow_in_place(&Need::PORTAL, expansion_factor, max_nodes);
        }
        above.row_slots.has_any(reuse_holes).then(|| self.spot_after(portal))
    }
}

/// A run that was cut out.
struct Piece {
    /// The slice where it is now.
    slice: u32,
    /// The place in its old slice where it was.
    from: Spot,
}
