//! World boxes, if the scene keeps any.
//!
//! A slice of the tree has the world box of each drawable, of each group of eight and each block of 64 drawables, and
//! one box around all its drawables. The scene has the boxes of all slices, in their order, and the boxes of blocks of
//! 64 slices.

use crate::Aabb;
use crate::store::NIL;
use crate::store::columns::{Drawables, Slots};
use crate::store::location::SliceId;
use crate::store::row_set::RowSet;
use hedgerow_math::Boxes;
use hedgerow_math::internal as simd;
use hedgerow_math::internal::{BLOCK, GROUP};

/// The world boxes of a slice as of the last update.
///
/// ```text
/// drawables  24 B a drawable  by place in the columns of drawables, in groups of eight
/// groups     24 B a group     around its boxes
/// present     8 B a block     a bit for each box that is not empty
/// blocks     24 B a block     around its groups
/// ```
///
/// A drawable that died since the update still has its box: see
/// [`DrawableView::live_word`](super::DrawableView::live_word).
#[derive(Clone, Debug)]
pub(crate) struct SliceBoxes {
    /// The box of each drawable, or an empty box if [`Self::present`] has no bit for it.
    pub(crate) drawables: Boxes,
    pub(crate) groups: Boxes,
    pub(crate) present: Vec<u64>,
    /// Drawables whose box the next update computes in any case, because they are new or their bounds changed.
    pub(crate) stale: RowSet,
    /// Whether the slice is listed for the next update because of `stale`.
    pub(crate) listed: bool,
    pub(crate) blocks: Boxes,
    /// The box around all blocks.
    pub(crate) own: Aabb,
}

impl Default for SliceBoxes {
    fn default() -> Self {
        Self {
            drawables: Boxes::new(),
            groups: Boxes::new(),
            present: Vec::new(),
            stale: RowSet::EMPTY,
            listed: false,
            blocks: Boxes::new(),
            own: Aabb::EMPTY,
        }
    }
}

/// The boxes of the slices of the tree, by position in the order.
#[derive(Clone, Debug, Default)]
pub(crate) struct OrderBoxes {
    pub(crate) slices: Boxes,
    /// The boxes around 64 slices each.
    pub(crate) blocks: Boxes,
    /// The order of slices at the last refresh.
    pub(crate) order: Vec<SliceId>,
    /// For each slice, its position in the order; [`NIL`] if it has none.
    pub(crate) positions: Vec<u32>,
}

/// Which boxes of a slice are computed in addition to the stale ones.
#[derive(Clone, Copy)]
pub(crate) enum Reach<'s> {
    Stale,
    /// Boxes of drawables whose matrix is in one of these slots.
    Swept(&'s RowSet),
    All,
}

impl Reach<'_> {
    /// Returns the drawables of a block to compute, one bit each.
    fn word(self, drawables: &Drawables, block: usize) -> u64 {
        match self {
            Self::Stale => 0,
            Self::All => u64::MAX,
            Self::Swept(slots) => {
                let records = drawables.records[block * BLOCK..].iter().take(BLOCK);
                let bits = records.map(|record| u64::from(slots.contains(usize::from(record.slot))));
                bits.zip(0..).fold(0, |word, (bit, at)| word | bit << at)
            }
        }
    }
}

impl SliceBoxes {
    /// Creates boxes that all wait to be computed.
    pub(crate) fn stale(drawables: RowSet) -> Self {
        Self { stale: drawables, ..Self::default() }
    }

    /// Computes boxes of drawables, eight at a time, then the boxes of their blocks.
    pub(crate) fn refresh(&mut self, reach: Reach<'_>, slots: &Slots, drawables: &Drawables, used: &RowSet) {
        let len = drawables.records.len();
        let mut changed = self.drawables.len() != len;
        if changed {
            self.drawables.resize(len);
            self.groups.resize(len.div_ceil(GROUP));
            self.blocks.resize(len.div_ceil(BLOCK));
            self.present.resize(len.div_ceil(BLOCK), 0);
        }
        for block in 0..self.present.len() {
            // Drawables that were removed since the last refresh still have a box here.
            let gone = self.present[block] & !used.words()[block];
            let marks = self.stale.words()[block] | reach.word(drawables, block) | gone;
            if marks == 0 {
                continue;
            }
            for group in 0..BLOCK / GROUP {
                // Eight boxes are computed at the price of one, so a mark is as good as eight.
                if (marks >> (group * GROUP)) & 0xff != 0 {
                    let live = (used.words()[block] >> (group * GROUP)).to_le_bytes()[0];
                    self.refresh_group(block, group, live, slots, drawables);
                }
            }
            self.blocks.set(block, self.groups.merged(block * GROUP..(block + 1) * GROUP));
            changed = true;
        }
        if changed {
            self.stale.clear();
            // From the blocks, not from the drawables: the box may also have shrunk.
            self.own = self.blocks.merged(0..self.blocks.len());
        }
    }

    fn refresh_group(&mut self, block: usize, group: usize, live: u8, slots: &Slots, drawables: &Drawables) {
        let first = block * BLOCK + group * GROUP;
        let Some(records) = drawables.records.get(first..).filter(|records| !records.is_empty()) else { return };
        // An unused record may have a slot past the end.
        let slot = |lane: usize| if live >> lane & 1 != 0 { u32::from(records[lane].slot) } else { 0 };
        let of = core::array::from_fn(slot);
        let bounds = &drawables.bounds[first..];
        let boxes = self.drawables.group_mut(first / GROUP);
        match bounds.first_chunk::<GROUP>() {
            Some(bounds) => simd::boxes::transformed(&slots.worlds, &of, bounds, live, boxes),
            // The last group may be shorter.
            None => {
                let bounds = core::array::from_fn(|lane| bounds.get(lane).copied().unwrap_or(Aabb::EMPTY));
                simd::boxes::transformed(&slots.worlds, &of, &bounds, live, boxes);
            }
        }
        self.groups.set(first / GROUP, boxes.merged());
        let (present, shift) = (boxes.present(), group * GROUP);
        self.present[block] = self.present[block] & !(0xff << shift) | u64::from(present) << shift;
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.drawables.allocated_bytes()
            + self.groups.allocated_bytes()
            + self.blocks.allocated_bytes()
            + self.present.capacity() * size_of::<u64>()
    }
}

impl OrderBoxes {
    /// Copies the boxes of changed slices, or of all slices if the order changed. Slice numbers are below `end`.
    pub(crate) fn refresh<'n>(
        &mut self,
        order: &[SliceId],
        end: usize,
        own: impl Fn(SliceId) -> Aabb,
        changed: impl Iterator<Item = &'n SliceId>,
    ) {
        // The usual frame: slices are where they were, and few of their boxes changed.
        if self.order == order {
            for &number in changed {
                let position = self.positions.get(number.index()).map_or(NIL, |&position| position) as usize;
                if position < order.len() {
                    self.slices.set(position, own(number));
                }
            }
        } else {
            self.order.clear();
            self.order.extend_from_slice(order);
            self.positions.clear();
            self.positions.resize(end, NIL);
            (0..).zip(order).for_each(|(position, &number)| self.positions[number.index()] = position);
            self.slices.clear();
            self.slices.extend(order.iter().map(|&number| own(number)));
            self.blocks.resize(order.len().div_ceil(BLOCK));
        }
        for block in 0..self.blocks.len() {
            self.blocks.set(block, self.slices.merged(block * BLOCK..(block + 1) * BLOCK));
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slices.allocated_bytes()
            + self.blocks.allocated_bytes()
            + (self.order.capacity() + self.positions.capacity()) * size_of::<u32>()
    }
}

/// Checks that each of `parts` is the box around `count` boxes.
pub(crate) fn validate_parts(boxes: &Boxes, parts: &Boxes, count: usize) -> Result<(), String> {
    let needed = boxes.len().div_ceil(count);
    let right = |part: usize| parts.get(part) == Some(boxes.merged(part * count..(part + 1) * count));
    match (0..needed).find(|&part| !right(part)) {
        Some(part) => Err(format!("box {part} around {count} boxes is out of date")),
        None if parts.len() != needed => Err(format!("the number of boxes around {count} does not match the boxes")),
        None => Ok(()),
    }
}
