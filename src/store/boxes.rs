//! The third phase of an update, if the scene keeps boxes: those of shapes that moved, and those around them.
//!
//! A slice of the tree has the world box of each shape, of each block of 64, and of all. The scene has the boxes of
//! these slices in their order, and of each 64 of them.

use crate::Aabb;
use crate::store::record::RecordId;
use crate::store::rows::RowSet;
use crate::store::slice::{Shapes, Slice, Slots};
use crate::store::{NIL, Store};
#[cfg(feature = "rayon")]
use crate::threads::is_worth_sharing;
use hedgerow_math::Boxes;
use hedgerow_math::internal as simd;
use hedgerow_math::internal::{BLOCK, GROUP};
#[cfg(feature = "rayon")]
use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};

/// The world boxes of a slice as of the last update.
///
/// ```text
/// shapes    24 B a shape   by place in the columns of shapes, in groups of eight
/// present    8 B a block   a bit for each box that is not empty
/// blocks    24 B a block   around the boxes that are present
/// ```
///
/// A shape that died since the update has its box still: see [`ShapeView::live_word`](super::ShapeView::live_word).
#[derive(Clone, Debug)]
pub(crate) struct SliceBoxes {
    /// Empty where [`Self::present`] has no bit.
    pub(crate) shapes: Boxes,
    pub(crate) present: Vec<u64>,
    /// Shapes whose box the next update computes, wherever their matrix is: they are new, or have other bounds.
    pub(crate) stale: RowSet,
    /// Whether the slice is on the list of those that the next update looks at for that.
    pub(crate) listed: bool,
    pub(crate) blocks: Boxes,
    /// Around all blocks.
    pub(crate) own: Aabb,
}

impl Default for SliceBoxes {
    fn default() -> Self {
        Self {
            shapes: Boxes::new(),
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
    /// Around each 64 of these.
    pub(crate) blocks: Boxes,
    /// The order that they are of.
    order: Vec<u32>,
    /// By number of a slice: its position, or [`NIL`].
    positions: Vec<u32>,
}

impl Store {
    /// Brings all boxes up to date with what was placed, removed and swept. Runs in O(slices listed + their shapes), and
    /// in O(slices) where their order is another.
    pub(crate) fn refresh_boxes(&mut self) {
        let mut unboxed = core::mem::take(&mut self.slices.unboxed);
        let Self { slices, clock, boxes, .. } = self;
        let changed = || clock.swept.iter().chain(&unboxed);
        if !refresh_shared(&mut slices.slices, changed(), clock.updates) {
            for &number in &clock.swept {
                slices.slices[number as usize].refresh_boxes(clock.updates);
            }
            for &number in &unboxed {
                let slice = &mut slices.slices[number as usize];
                if slice.boxes.as_ref().is_some_and(|boxes| boxes.listed) {
                    slice.refresh_boxes(clock.updates);
                }
            }
        }
        boxes.refresh(slices.in_tree(), &slices.slices, changed());
        unboxed.clear();
        slices.unboxed = unboxed;
    }

    /// The merged world boxes of the shapes of a node and of all below it, as of the last update. Runs in O(nodes).
    pub(crate) fn subtree_bounds(&self, top: RecordId) -> Aabb {
        let boxes = self.pages.subtree(top).filter_map(|id| self.world_bounds(id));
        boxes.fold(Aabb::EMPTY, |all, bounds| all.merge(&bounds))
    }

    /// Checks that the boxes of shapes are those that their matrices give, and that those around them hold them. After
    /// an update they are tight.
    pub(crate) fn validate_boxes(&self) -> Result<(), String> {
        if !self.config.bounds {
            let kept = self.slices.slices.iter().any(|slice| slice.boxes.is_some());
            return if kept || !self.slices.unboxed.is_empty() {
                Err("boxes of no use are kept".into())
            } else {
                Ok(())
            };
        }
        // Matrices that a visitor computed are in no box yet, and the first update makes the first boxes.
        if !self.clock.ahead.is_empty() || self.clock.placed {
            return Ok(());
        }
        let (order, boxes, tight) = (self.slices.in_tree(), &self.boxes, self.has_all_edits());
        if boxes.order != order || boxes.slices.len() != order.len() {
            return Err("the boxes of slices are of another order".into());
        }
        for (at, &number) in order.iter().enumerate() {
            let slice = &self.slices.slices[number as usize];
            let own = slice.validate_boxes(tight).map_err(|what| format!("slice {number}: {what}"))?;
            if boxes.slices.get(at) != Some(own) || boxes.positions[number as usize] as usize != at {
                return Err(format!("the box of slice {number} is out of date"));
            }
        }
        validate_blocks(&boxes.slices, &boxes.blocks)
    }
}

/// Computes the boxes of these slices on several threads. Returns `false`, and does nothing, if there is too little work
/// to share.
#[cfg(feature = "rayon")]
fn refresh_shared<'n>(slices: &mut [Slice], changed: impl Iterator<Item = &'n u32>, update: u64) -> bool {
    /// With fewer shapes than this, one thread finishes before another has started.
    const WORTH_SHARING: usize = 16_384;
    let shapes = changed.map(|&number| slices[number as usize].shapes.records.len());
    let shared = is_worth_sharing(shapes.sum(), WORTH_SHARING);
    if shared {
        // The others have nothing to compute.
        slices.par_iter_mut().for_each(|slice| slice.refresh_boxes(update));
    }
    shared
}

#[cfg(not(feature = "rayon"))]
fn refresh_shared<'n>(_slices: &mut [Slice], _changed: impl Iterator<Item = &'n u32>, _update: u64) -> bool {
    false
}

/// Checks that blocks are around 64 boxes each.
fn validate_blocks(boxes: &Boxes, blocks: &Boxes) -> Result<(), String> {
    let right = |block: usize| blocks.get(block) == Some(boxes.merged(block * BLOCK..(block + 1) * BLOCK));
    match (0..boxes.blocks()).find(|&block| !right(block)) {
        Some(block) => Err(format!("the box of block {block} is out of date")),
        None if blocks.len() != boxes.blocks() => Err("there are not as many blocks as boxes need".into()),
        None => Ok(()),
    }
}

impl Slice {
    /// Computes the boxes of shapes that are marked or whose matrix this update computed.
    fn refresh_boxes(&mut self, update: u64) {
        let Self { imports, slots, shapes, used_shapes, dirty, boxes, .. } = self;
        if let Some(boxes) = boxes {
            boxes.listed = false;
            let reach = if self.swept_in != update {
                Reach::Stale
            } else if dirty.first_missing(imports.len(), slots.records.len()).is_none() {
                Reach::All
            } else {
                Reach::Swept(dirty)
            };
            boxes.refresh(reach, slots, shapes, used_shapes);
        }
    }

    /// Has the next update compute the box of a shape, if the scene keeps boxes.
    #[inline]
    pub(crate) fn mark_box(&mut self, shape: usize) {
        if let Some(boxes) = &mut self.boxes {
            boxes.stale.insert(shape);
        }
    }

    /// See [`Store::validate_boxes`]. Returns the box around all.
    fn validate_boxes(&self, tight: bool) -> Result<Aabb, String> {
        let Self { slots, shapes, used_shapes, boxes, .. } = self;
        let Some(boxes) = boxes.as_deref() else { return Err("there are no boxes".into()) };
        if boxes.stale != RowSet::EMPTY || boxes.shapes.len() != shapes.records.len() {
            return Err("some boxes wait for an update".into());
        }
        for (at, (record, bounds)) in shapes.records.iter().zip(&shapes.bounds).enumerate() {
            let present = boxes.present[at / BLOCK] >> (at % BLOCK) & 1 != 0;
            let kept = boxes.shapes.get(at);
            let right = if used_shapes.contains(at) {
                kept == Some(bounds.transformed(&slots.worlds[usize::from(record.slot)]))
            } else {
                !tight || !present
            };
            if !right || kept.is_none_or(|kept| kept.is_empty()) == present {
                return Err(format!("the box of shape {at} is out of date"));
            }
        }
        validate_blocks(&boxes.shapes, &boxes.blocks)?;
        let own = boxes.blocks.merged(0..boxes.blocks.len());
        if boxes.own == own { Ok(own) } else { Err("the box around all is out of date".into()) }
    }
}

/// Which boxes of a slice are computed, beside those that are stale.
#[derive(Clone, Copy)]
enum Reach<'s> {
    Stale,
    /// Those of shapes whose matrix is in one of these slots.
    Swept(&'s RowSet),
    All,
}

impl Reach<'_> {
    /// The shapes of a block, one bit each.
    fn word(self, shapes: &Shapes, block: usize) -> u64 {
        match self {
            Self::Stale => 0,
            Self::All => u64::MAX,
            Self::Swept(slots) => {
                let records = shapes.records[block * BLOCK..].iter().take(BLOCK);
                let bits = records.map(|record| u64::from(slots.contains(usize::from(record.slot))));
                bits.zip(0..).fold(0, |word, (bit, at)| word | bit << at)
            }
        }
    }
}

impl SliceBoxes {
    /// Boxes of these shapes that are to be computed.
    pub(crate) fn stale(shapes: RowSet) -> Self {
        Self { stale: shapes, ..Self::default() }
    }

    /// Computes boxes of shapes, eight at a time, then those of their blocks.
    fn refresh(&mut self, reach: Reach<'_>, slots: &Slots, shapes: &Shapes, used: &RowSet) {
        let len = shapes.records.len();
        let mut changed = self.shapes.len() != len;
        if changed {
            self.shapes.resize(len);
            self.blocks.resize(len.div_ceil(BLOCK));
            self.present.resize(len.div_ceil(BLOCK), 0);
        }
        for block in 0..self.present.len() {
            let gone = self.present[block] & !used.words()[block];
            let marks = self.stale.words()[block] | reach.word(shapes, block) | gone;
            if marks == 0 {
                continue;
            }
            for group in 0..BLOCK / GROUP {
                if (marks >> (group * GROUP)) & 0xff != 0 {
                    let live = (used.words()[block] >> (group * GROUP)).to_le_bytes()[0];
                    self.refresh_group(block, group, live, slots, shapes);
                }
            }
            self.blocks.set(block, self.shapes.merged(block * BLOCK..(block + 1) * BLOCK));
            changed = true;
        }
        if changed {
            self.stale.clear();
            self.own = self.blocks.merged(0..self.blocks.len());
        }
    }

    fn refresh_group(&mut self, block: usize, group: usize, live: u8, slots: &Slots, shapes: &Shapes) {
        let first = block * BLOCK + group * GROUP;
        let Some(records) = shapes.records.get(first..).filter(|records| !records.is_empty()) else { return };
        // An unused record may name a slot past the end.
        let slot = |lane: usize| if live >> lane & 1 != 0 { u32::from(records[lane].slot) } else { 0 };
        let of = core::array::from_fn(slot);
        let bounds = &shapes.bounds[first..];
        let boxes = self.shapes.group_mut(first / GROUP);
        match bounds.first_chunk::<GROUP>() {
            Some(bounds) => simd::boxes::transformed(&slots.worlds, &of, bounds, live, boxes),
            None => {
                let bounds = core::array::from_fn(|lane| bounds.get(lane).copied().unwrap_or(Aabb::EMPTY));
                simd::boxes::transformed(&slots.worlds, &of, &bounds, live, boxes);
            }
        }
        let (present, shift) = (boxes.present(), group * GROUP);
        self.present[block] = self.present[block] & !(0xff << shift) | u64::from(present) << shift;
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.shapes.allocated_bytes()
            + self.blocks.allocated_bytes()
            + self.present.capacity() * size_of::<u64>()
    }
}

impl OrderBoxes {
    /// Takes over the boxes of the slices that changed; of all, if the order is another.
    fn refresh<'n>(&mut self, order: &[u32], slices: &[Slice], changed: impl Iterator<Item = &'n u32>) {
        let own = |number: u32| slices[number as usize].boxes.as_ref().map_or(Aabb::EMPTY, |boxes| boxes.own);
        if self.order == order {
            for &number in changed {
                let position = self.positions.get(number as usize).map_or(NIL, |&position| position) as usize;
                if position < order.len() {
                    self.slices.set(position, own(number));
                }
            }
        } else {
            self.order.clear();
            self.order.extend_from_slice(order);
            self.positions.clear();
            self.positions.resize(slices.len(), NIL);
            (0..).zip(order).for_each(|(position, &number)| self.positions[number as usize] = position);
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
