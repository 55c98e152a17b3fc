//! All slices, their order, and lists of slices that the update or maintenance must check.

use crate::store::boxes::OrderBoxes;
use crate::store::columns::{NO_DRAWABLE, Row};
use crate::store::page::Spot;
use crate::store::reconstitute::Reorder;
use crate::store::record::Has;
use crate::store::rows::MAX_ROWS;
use crate::store::slice::{Head, Slice};
use crate::store::state::{Home, Work};
use hedgerow_math::Mat34;

/// All slices except the one that is being changed.
#[derive(Clone, Copy)]
pub(crate) struct Others<'s> {
    before: &'s [Slice],
    behind: &'s [Slice],
}

impl<'s> Others<'s> {
    /// Returns a slice by its number, which must not be that of the changed slice.
    #[inline]
    pub(crate) fn get(&self, number: usize) -> Option<&'s Slice> {
        match number.checked_sub(self.before.len()) {
            None => self.before.get(number),
            Some(behind) => self.behind.get(behind.checked_sub(1)?),
        }
    }
}

/// Returns a slice to change, and the others.
pub(crate) fn apart(slices: &mut [Slice], number: u32) -> (&mut Slice, Others<'_>) {
    let (before, rest) = slices.split_at_mut(number as usize);
    let [slice, behind @ ..] = rest else { unreachable!("a slice with this number") };
    (slice, Others { before, behind })
}

/// All slices, by number, and their order.
#[derive(Clone, Default)]
pub(crate) struct Slices {
    pub(crate) slices: Vec<Slice>,
    pub(crate) heads: Vec<Head>,
    /// Slices of the tree, then those of the limbo, each before the slices that import from it.
    pub(crate) order: Vec<u32>,
    /// The number of slices in `order` that are in the tree.
    pub(crate) attached: usize,
    pub(crate) free: Vec<u32>,
    /// Whether a row died since the update; during an update, also whether a slice is reshaped.
    pub(crate) edited: bool,
    /// Slices whose boxes the current update recomputes even if no transform changed.
    pub(crate) unboxed: Vec<u32>,
    /// Slices that updates changed since their last maintenance; each once.
    pub(crate) untidy: Vec<u32>,
    /// Whether a slice is in `untidy`, by number.
    pub(crate) is_untidy: Vec<bool>,
    /// The newest version that any slice has or ever had.
    pub(crate) versions: u64,
    /// The boxes of the slices of the tree, by position in the order, if the scene keeps boxes.
    pub(crate) boxes: OrderBoxes,
    /// The greatest number of nodes in a slice.
    max_nodes: usize,
}

impl Slices {
    pub(crate) fn new(max_nodes: u32) -> Self {
        Self { max_nodes: (max_nodes as usize).min(MAX_ROWS), ..Self::default() }
    }

    #[inline]
    pub(crate) fn max_nodes(&self) -> usize {
        self.max_nodes
    }

    /// Returns the greatest number of rows in a slice, imports included.
    #[inline]
    pub(crate) fn max_rows(&self) -> usize {
        (self.max_nodes * 2).min(MAX_ROWS)
    }

    /// Returns the newest version that any slice has or ever had. It also changes with the order of slices.
    #[inline]
    pub(crate) fn versions(&self) -> u64 {
        self.versions
    }

    /// Returns the numbers of all slices: those of the tree, then the others.
    pub(crate) fn all_slices(&self) -> &[u32] {
        &self.order
    }

    /// Returns one past the greatest number of a slice.
    #[inline]
    pub(crate) fn slice_end(&self) -> usize {
        self.slices.len()
    }

    /// Returns the boxes of the slices of the tree, by position in the order.
    pub(crate) fn order_boxes(&self) -> &OrderBoxes {
        &self.boxes
    }

    pub(crate) fn slice_count(&self) -> usize {
        self.order.len()
    }

    /// Kills the row of a node with these components, if the node has a row. The node's drawable vanishes at once.
    #[inline(always)]
    pub(crate) fn kill(&mut self, spot: Spot, has: Has) {
        let Some(head) = self.heads.get_mut(spot.slice()) else { return };
        // A node that lost its drawable since the update is still drawn.
        let drawn = has.has(Has::DRAWABLE) || head.work.has(Work::RESHAPED);
        head.alive.remove(spot.row());
        head.live -= 1;
        if has.has(Has::TRANSFORM) {
            head.dead_slots.insert(spot.slot());
        }
        self.versions += 1;
        head.version = self.versions;
        if !head.work.has(Work::KILLED) {
            head.work.add(Work::KILLED);
            self.edited = true;
        }
        if drawn {
            let slice = &mut self.slices[spot.slice()];
            let drawable = slice.rows[spot.row()].drawable;
            if drawable < NO_DRAWABLE {
                slice.used_drawables.remove(usize::from(drawable));
            }
        }
    }

    /// Marks the slice of a node for reconstitution, because the node got or lost a transform or a drawable.
    #[cold]
    pub(crate) fn reshape(&mut self, spot: Spot) {
        if let Some(head) = self.heads.get_mut(spot.slice()) {
            head.work.add(Work::RESHAPED);
            self.edited = true;
        }
    }

    /// Gives a slice a new version, if there is a slice with this number.
    pub(crate) fn renew(&mut self, slice: usize) {
        if let Some(head) = self.heads.get_mut(slice) {
            self.versions += 1;
            head.version = self.versions;
        }
    }

    /// Lists a slice for the update of its boxes, if the slice has boxes.
    pub(crate) fn list_unboxed(&mut self, slice: usize) {
        if let Some(boxes) = &mut self.slices[slice].boxes
            && let Ok(number) = u32::try_from(slice)
            && !core::mem::replace(&mut boxes.listed, true)
        {
            self.unboxed.push(number);
        }
    }

    /// Returns the world matrix of a node as of the last update; the identity if the node has no row.
    #[inline(always)]
    pub(crate) fn world(&self, spot: Spot) -> &Mat34 {
        let world = self.slices.get(spot.slice()).and_then(|slice| slice.slots.worlds.get(spot.slot()));
        world.unwrap_or(&Mat34::IDENTITY)
    }

    /// Returns the slice and the row of a node, if the node has a row.
    #[inline(always)]
    pub(crate) fn row(&self, spot: Spot) -> Option<(&Slice, &Row)> {
        let slice = self.slices.get(spot.slice())?;
        Some((slice, slice.rows.get(spot.row())?))
    }

    /// Stores a slice under the next free number, and returns the number. The slice is not in the order yet.
    pub(crate) fn open(&mut self, slice: Slice) -> u32 {
        if let Some(number) = self.free.pop() {
            self.slices[number as usize] = slice;
            self.heads[number as usize] = Head::default();
            return number;
        }
        self.slices.push(slice);
        self.heads.push(Head::default());
        self.is_untidy.push(false);
        u32::try_from(self.slices.len() - 1).unwrap_or(u32::MAX)
    }

    /// Lists a slice for maintenance.
    #[inline]
    pub(crate) fn list_untidy(&mut self, number: u32) {
        if !core::mem::replace(&mut self.is_untidy[number as usize], true) {
            self.untidy.push(number);
        }
    }

    /// Returns the numbers of the slices of the tree, each after the slices that it imports from.
    #[inline]
    pub(crate) fn order(&self) -> &[u32] {
        &self.order[..self.attached]
    }
    /// Updates the order of slices.
    pub(crate) fn apply(&mut self, reorder: Reorder) {
        let Reorder { mut pieces, ended } = reorder;
        if pieces.is_empty() && ended.is_empty() {
            return;
        }
        let Self { slices, order, attached, free, .. } = self;
        // Sorted by slice; pieces of the same slice stay in order.
        pieces.sort_by_key(|&(of, _)| of);
        let before = core::mem::take(order);
        order.reserve(before.len() + pieces.len());
        let mut tree = 0;
        for (at, &number) in before.iter().enumerate() {
            if at == *attached {
                tree = order.len();
            }
            // Drops slices that ended. Their numbers are reused later.
            if slices[number as usize].home != Home::Free {
                order.push(number);
            }
            let from = pieces.partition_point(|&(of, _)| of < number);
            order.extend(pieces[from..].iter().take_while(|&&(of, _)| of == number).map(|&(_, piece)| piece));
        }
        *attached = if *attached == before.len() { order.len() } else { tree };
        debug_assert!(order.iter().all(|&number| slices[number as usize].home != Home::Free));
        free.extend(ended);
        self.versions += 1;
    }

    /// Returns whether a slice is in use and small enough to merge.
    pub(crate) fn is_small(&self, number: u32) -> bool {
        let (slice, head) = (&self.slices[number as usize], &self.heads[number as usize]);
        slice.home != Home::Free && (head.live as usize) < self.max_nodes() / 4
    }

    /// Returns the number of rows that a slice needs.
    pub(crate) fn rows_of(&self, number: u32) -> usize {
        self.heads[number as usize].live as usize + self.slices[number as usize].imports.len()
    }

    /// Returns whether a slice with this many rows has room to spare.
    pub(crate) fn leaves_room(&self, rows: usize) -> bool {
        rows <= self.max_nodes() * 5 / 8
    }

    /// Returns a slice and one of its neighbours in the order, if both fit into one slice with room to spare.
    pub(crate) fn pair_for(&self, number: u32) -> Option<[u32; 2]> {
        let Self { slices, order, .. } = self;
        let at = order.iter().position(|&other| other == number)?;
        let fits = |pair: &[u32; 2]| {
            let [a, b] = pair.map(|number| slices[number as usize].home);
            a == b && self.leaves_room(pair.iter().map(|&number| self.rows_of(number)).sum())
        };
        let before = at.checked_sub(1).map(|before| [order[before], number]);
        before.filter(fits).or_else(|| order.get(at + 1).map(|&after| [number, after]).filter(fits))
    }
}
