//! Updates world boxes after a sweep: those of shapes that moved, and those around them.

use crate::Aabb;
use crate::store::{At, ShapeColumn, Slice, SliceBoxes, Store, Swept, TransformColumn};
use hedgerow_math::internal as simd;
use hedgerow_math::internal::{BLOCK, GROUP};

impl Store {
    /// Passes the boxes of the slices that the update visited to the slices above, children first.
    pub(in crate::store) fn spread_boxes(&mut self) {
        let mut swept = core::mem::take(&mut self.swept);
        for &number in swept.iter().rev() {
            let slice = self.slice(number);
            let (portal, child) = (slice.portal, slice.child_index as usize);
            let Some(boxes) = slice.boxes.as_ref().filter(|_| portal != At::NONE) else { continue };
            let whole = boxes.whole();
            if let Some(above) = &mut self.slices[portal.slice as usize].boxes {
                above.children.set(child, whole);
            }
        }
        swept.clear();
        self.swept = swept;
    }
}

impl Slice {
    /// Updates the slice's own boxes after the sweep of this update.
    pub(in crate::store) fn refresh_boxes(&mut self, update: u64) {
        let Self { transforms, shapes, boxes, swept_in, .. } = self;
        if let Some(boxes) = boxes {
            let swept = (*swept_in == update).then_some(&transforms.swept);
            boxes.refresh(transforms, swept, shapes);
        }
    }
}

impl SliceBoxes {
    /// Computes the boxes of shapes whose matrix was computed or that were marked stale, eight at a time, then the
    /// boxes of their blocks.
    fn refresh(&mut self, transforms: &TransformColumn, swept: Option<&Swept>, shapes: &ShapeColumn) {
        let blocks = self.blocks.len();
        self.resize(shapes.slots.end());
        let mut changed = self.blocks.len() != blocks;
        for block in 0..self.blocks.len() {
            let marks = self.take_stale(block) | swept.map_or(0, |swept| swept_word(swept, block, shapes));
            if marks == 0 {
                continue;
            }
            let live = shapes.slots.live_word(block);
            for group in 0..BLOCK / GROUP {
                if (marks >> (group * GROUP)) & 0xff != 0 {
                    let live = (live >> (group * GROUP)).to_le_bytes()[0];
                    self.refresh_group(block, group, live, transforms, shapes);
                }
            }
            self.close_block(block);
            changed = true;
        }
        if changed {
            self.close();
        }
    }

    fn refresh_group(
        &mut self,
        block: usize,
        group: usize,
        live: u8,
        transforms: &TransformColumn,
        shapes: &ShapeColumn,
    ) {
        let first = block * BLOCK + group * GROUP;
        let Some(records) = shapes.records.get(first..).filter(|records| !records.is_empty()) else { return };
        // The slot in a hole's record may lie past the end.
        let slot = |lane: usize| if live >> lane & 1 != 0 { records[lane].transform } else { 0 };
        let bounds = &shapes.bounds[first..];
        let slots = core::array::from_fn(slot);
        let boxes = self.shapes.group_mut(first / GROUP);
        match bounds.first_chunk::<GROUP>() {
            Some(bounds) => simd::boxes::transformed(&transforms.worlds, &slots, bounds, live, boxes),
            None => {
                let bounds = core::array::from_fn(|lane| bounds.get(lane).copied().unwrap_or(Aabb::EMPTY));
                simd::boxes::transformed(&transforms.worlds, &slots, &bounds, live, boxes);
            }
        }
        let present = boxes.present();
        for (to, record) in self.nodes[first..].iter_mut().zip(&records[..records.len().min(GROUP)]) {
            *to = record.node;
        }
        let shift = group * GROUP;
        self.present[block] = self.present[block] & !(0xff << shift) | u64::from(present) << shift;
    }
}

/// The shapes of a block whose matrix was computed, one bit each.
fn swept_word(swept: &Swept, block: usize, shapes: &ShapeColumn) -> u64 {
    if swept.all {
        return u64::MAX;
    }
    let records = &shapes.records[block * BLOCK..];
    let bits = records.iter().take(BLOCK).map(|record| u64::from(swept.contains(record.transform)));
    bits.zip(0..).fold(0, |word, (bit, slot)| word | bit << slot)
}
