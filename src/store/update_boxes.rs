//! The third phase of an update, if the scene keeps boxes: the boxes of moved drawables, and the boxes around these.

use crate::Aabb;
use crate::store::boxes::{Reach, validate_parts};
use crate::store::location::SliceId;
use crate::store::record::RecordId;
use crate::store::row_set::RowSet;
use crate::store::slice::Slice;
use crate::store::slices::Slices;
use crate::store::{Store, Update};
#[cfg(feature = "rayon")]
use hedgerow_math::internal::sharing::{WORTH_SHARING, is_worth_sharing};
use hedgerow_math::internal::{BLOCK, GROUP};
#[cfg(feature = "rayon")]
use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};

impl Store {
    /// Updates all boxes. Runs in O(slices listed + their drawables), or in O(slices) if the order of slices changed.
    pub(crate) fn refresh_boxes(&mut self) {
        let Self { slices, update: Update { clock, .. }, .. } = self;
        let (mut unboxed, mut boxes) = (core::mem::take(&mut slices.unboxed), core::mem::take(&mut slices.boxes));
        let changed = || clock.swept.iter().chain(&unboxed);
        if !refresh_shared(slices, changed(), clock.updates) {
            for &number in &clock.swept {
                slices[number].refresh_boxes(clock.updates);
            }
            for &number in &unboxed {
                let slice = &mut slices[number];
                if slice.boxes.as_ref().is_some_and(|boxes| boxes.listed) {
                    slice.refresh_boxes(clock.updates);
                }
            }
        }
        let own = |number| slices[number].boxes.as_ref().map_or(Aabb::EMPTY, |boxes| boxes.own);
        boxes.refresh(slices.in_tree(), slices.end(), own, changed());
        unboxed.clear();
        (slices.unboxed, slices.boxes) = (unboxed, boxes);
    }

    /// Returns the world box around all drawables at or below a node, as of the last update. Runs in O(nodes).
    pub(crate) fn subtree_bounds(&self, top: RecordId) -> Aabb {
        let boxes = self.nodes.pages.subtree(top).filter_map(|id| self.world_bounds(id));
        boxes.fold(Aabb::EMPTY, |all, bounds| all.merge(&bounds))
    }

    /// Checks each drawable's box against its matrix. The boxes around drawables must be tight after an update.
    pub(crate) fn validate_boxes(&self) -> Result<(), String> {
        if !self.config.bounds {
            let kept = self.slices.list().iter().any(|slice| slice.boxes.is_some());
            return if kept || !self.slices.unboxed.is_empty() {
                Err("boxes of no use are kept".into())
            } else {
                Ok(())
            };
        }
        // The first update makes the first boxes.
        if self.update.clock.is_new {
            return Ok(());
        }
        let (order, boxes, tight) = (self.slices.in_tree(), &self.slices.boxes, self.is_settled());
        if boxes.order != order || boxes.slices.len() != order.len() {
            return Err("the boxes of slices are of another order".into());
        }
        for (at, &number) in order.iter().enumerate() {
            let slice = &self.slices[number];
            let own = slice.validate_boxes(tight).map_err(|what| format!("slice {number}: {what}"))?;
            if boxes.slices.get(at) != Some(own) || boxes.positions[number.index()] as usize != at {
                return Err(format!("the box of slice {number} is out of date"));
            }
        }
        validate_parts(&boxes.slices, &boxes.blocks, BLOCK)
    }
}

/// Computes the boxes of these slices on several threads. Does nothing and returns `false` if there is too little work.
#[cfg(feature = "rayon")]
fn refresh_shared<'n>(slices: &mut Slices, changed: impl Iterator<Item = &'n SliceId>, update: u64) -> bool {
    let drawables = changed.map(|&number| slices[number].drawables.records.len());
    let shared = is_worth_sharing(drawables.sum(), WORTH_SHARING);
    if shared {
        // The other slices have nothing to compute.
        slices.list_mut().par_iter_mut().for_each(|slice| slice.refresh_boxes(update));
    }
    shared
}

#[cfg(not(feature = "rayon"))]
fn refresh_shared<'n>(_slices: &mut Slices, _changed: impl Iterator<Item = &'n SliceId>, _update: u64) -> bool {
    false
}

impl Slice {
    /// Computes the boxes of drawables that are marked, or whose matrix this update computed.
    fn refresh_boxes(&mut self, update: u64) {
        let Self { imports, slots, drawables, used_drawables, dirty, boxes, .. } = self;
        if let Some(boxes) = boxes {
            boxes.listed = false;
            let reach = if self.swept_in != update {
                Reach::Stale
            } else if dirty.first_missing(imports.len(), slots.records.len()).is_none() {
                Reach::All
            } else {
                Reach::Swept(dirty)
            };
            boxes.refresh(reach, slots, drawables, used_drawables);
        }
    }

    /// Checks this slice for [`Store::validate_boxes`]. Returns the box around all drawables.
    fn validate_boxes(&self, tight: bool) -> Result<Aabb, String> {
        let Self { slots, drawables, used_drawables, boxes, .. } = self;
        let Some(boxes) = boxes.as_deref() else { return Err("the slice has no boxes".into()) };
        if boxes.stale != RowSet::EMPTY || boxes.drawables.len() != drawables.records.len() {
            return Err("some boxes wait for an update".into());
        }
        for (at, (record, bounds)) in drawables.records.iter().zip(&drawables.bounds).enumerate() {
            let present = boxes.present[at / BLOCK] >> (at % BLOCK) & 1 != 0;
            let kept = boxes.drawables.get(at);
            let right = if used_drawables.contains(at) {
                kept == Some(bounds.transformed(&slots.worlds[usize::from(record.slot)]))
            } else {
                !tight || !present
            };
            if !right || kept.is_none_or(|kept| kept.is_empty()) == present {
                return Err(format!("the box of drawable {at} is out of date"));
            }
        }
        validate_parts(&boxes.drawables, &boxes.groups, GROUP)?;
        validate_parts(&boxes.groups, &boxes.blocks, GROUP)?;
        let own = boxes.blocks.merged(0..boxes.blocks.len());
        if boxes.own == own { Ok(own) } else { Err("the box around all is out of date".into()) }
    }
}
