//! All slices, their order, and which of them the update or maintenance is to look at.

use crate::store::columns::{NO_DRAWABLE, Row};
use crate::store::page::Spot;
use crate::store::record::Has;
use crate::store::slice::{Head, Slice};
use hedgerow_math::Mat34;

/// The neighbours of a slice that is changed.
#[derive(Clone, Copy)]
pub(crate) struct Others<'s> {
    before: &'s [Slice],
    behind: &'s [Slice],
}

impl<'s> Others<'s> {
    /// A slice by its number, which is not that of the one that is changed.
    #[inline]
    pub(crate) fn get(&self, number: usize) -> Option<&'s Slice> {
        match number.checked_sub(self.before.len()) {
            None => self.before.get(number),
            Some(behind) => self.behind.get(behind.checked_sub(1)?),
        }
    }
}

/// A slice to be changed, and the others.
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
    /// Slices of the tree, then those of the limbo: a slice comes before those that import from it.
    pub(crate) order: Vec<u32>,
    /// How many of these are in the tree.
    pub(crate) attached: usize,
    pub(crate) free: Vec<u32>,
    /// Slices in which rows died, nodes were reshaped, or what is inherited was set since the update; each once.
    pub(crate) edited: Vec<u32>,
    /// Slices whose boxes the present update computes again though nothing in them may have moved.
    pub(crate) unboxed: Vec<u32>,
    /// Slices that updates changed since maintenance looked at them; each once.
    pub(crate) untidy: Vec<u32>,
    /// By number: whether it is one of these.
    pub(crate) is_untidy: Vec<bool>,
}

impl Slices {
    /// Kills the row of a node that has these components, if it has one. What is drawn vanishes at once.
    #[inline(always)]
    pub(crate) fn kill(&mut self, spot: Spot, has: Has, versions: &mut u64) {
        let Some(head) = self.heads.get_mut(spot.slice()) else { return };
        // A node that lost its drawable since the update is drawn still.
        let drawn = has.has(Has::DRAWABLE) || head.reshaped;
        head.alive.remove(spot.row());
        head.live -= 1;
        if has.has(Has::TRANSFORM) {
            head.dead_slots.insert(spot.slot());
        }
        *versions += 1;
        head.version = *versions;
        if !head.killed {
            self.note_edit(spot, |head| &mut head.killed);
        }
        if drawn {
            let slice = &mut self.slices[spot.slice()];
            let drawable = slice.rows[spot.row()].drawable;
            if drawable != NO_DRAWABLE {
                slice.used_drawables.remove(usize::from(drawable));
            }
        }
    }

    /// Gives a slice another version, if there is one with this number.
    pub(crate) fn renew(&mut self, slice: usize, versions: &mut u64) {
        if let Some(head) = self.heads.get_mut(slice) {
            *versions += 1;
            head.version = *versions;
        }
    }

    /// Sets a flag that has the update look at the slice of a node, if it has one.
    fn note_edit(&mut self, spot: Spot, flag: impl FnOnce(&mut Head) -> &mut bool) {
        let Some(head) = self.heads.get_mut(spot.slice()) else { return };
        let listed = head.is_edited();
        // A spot has no more bits.
        if let (false, false, Ok(number)) = (core::mem::replace(flag(head), true), listed, u32::try_from(spot.slice()))
        {
            self.edited.push(number);
        }
    }

    /// Makes the update derive the slice of a node again, if it has one: the node got or lost a column.
    pub(crate) fn reshape(&mut self, spot: Spot) {
        self.note_edit(spot, |head| &mut head.reshaped);
    }

    /// Has the update look at the boxes of a slice, if it has any.
    pub(crate) fn list_unboxed(&mut self, slice: usize) {
        if let Some(boxes) = &mut self.slices[slice].boxes
            && let Ok(number) = u32::try_from(slice)
            && !core::mem::replace(&mut boxes.listed, true)
        {
            self.unboxed.push(number);
        }
    }

    /// Has the update compute what nodes of a slice inherit.
    pub(crate) fn mark_inherited(&mut self, spot: Spot) {
        self.note_edit(spot, |head| &mut head.inherits);
    }

    /// The world matrix of a node as of the last update; the identity if it has no place.
    #[inline(always)]
    pub(crate) fn world(&self, spot: Spot) -> &Mat34 {
        let world = self.slices.get(spot.slice()).and_then(|slice| slice.slots.worlds.get(spot.slot()));
        world.unwrap_or(&Mat34::IDENTITY)
    }

    /// The slice and the row of a node that has a place.
    #[inline(always)]
    pub(crate) fn row(&self, spot: Spot) -> Option<(&Slice, &Row)> {
        let slice = self.slices.get(spot.slice())?;
        Some((slice, slice.rows.get(spot.row())?))
    }

    /// Opens a slice under the next free number, which is returned. It is not in the order yet.
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

    /// Has maintenance look at a slice.
    #[inline]
    pub(crate) fn list_untidy(&mut self, number: u32) {
        if !core::mem::replace(&mut self.is_untidy[number as usize], true) {
            self.untidy.push(number);
        }
    }

    /// The slices of the tree, in order.
    pub(crate) fn in_tree(&self) -> &[u32] {
        &self.order[..self.attached]
    }
}
