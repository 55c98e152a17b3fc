//! All slices, their order, and lists of slices that the update or maintenance must check.

use crate::store::columns::{NO_DRAWABLE, Row};
use crate::store::page::Spot;
use crate::store::record::Has;
use crate::store::slice::{Head, Slice};
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
}

impl Slices {
    /// Kills the row of a node with these components, if the node has a row. The node's drawable vanishes at once.
    /// `reshaped` says whether the node got or lost a transform or a drawable since the update.
    #[inline(always)]
    pub(crate) fn kill(&mut self, spot: Spot, has: Has, reshaped: bool, versions: &mut u64) {
        let Some(head) = self.heads.get_mut(spot.slice()) else { return };
        head.reshaped |= reshaped;
        // A node that lost its drawable since the update is still drawn.
        let drawn = has.has(Has::DRAWABLE) || head.reshaped;
        head.alive.remove(spot.row());
        head.live -= 1;
        if has.has(Has::TRANSFORM) {
            head.dead_slots.insert(spot.slot());
        }
        *versions += 1;
        head.version = *versions;
        head.killed = true;
        self.edited = true;
        if drawn {
            let slice = &mut self.slices[spot.slice()];
            let drawable = slice.rows[spot.row()].drawable;
            if drawable < NO_DRAWABLE {
                slice.used_drawables.remove(usize::from(drawable));
            }
        }
    }

    /// Gives a slice a new version, if there is a slice with this number.
    pub(crate) fn renew(&mut self, slice: usize, versions: &mut u64) {
        if let Some(head) = self.heads.get_mut(slice) {
            *versions += 1;
            head.version = *versions;
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

    /// Returns the slices of the tree, in order.
    pub(crate) fn in_tree(&self) -> &[u32] {
        &self.order[..self.attached]
    }
}
