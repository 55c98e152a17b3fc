//! The world boxes of a slice: of its shapes, of blocks of shapes, of the whole slice, and of the slices below each
//! portal.
//!
//! Kept only in scenes made with [`SceneConfig::bounds`](crate::SceneConfig::bounds). The update computes them. An edit
//! only marks the shapes whose boxes are stale.

mod subtree;

use crate::Aabb;
use crate::store::allocation::LinearAllocator;
use crate::store::{NIL, Slice};
use hedgerow_math::Boxes;
use hedgerow_math::internal::BLOCK;
use std::collections::TryReserveError;

/// World boxes as of the last update.
///
/// ```text
/// shapes     24 B a shape slot   by slot, in groups of eight
/// nodes       8 B a shape slot   the handles, so that what is found is listed without a look at the records
/// present     8 B a block        a bit for each box that is right and not empty
/// stale       8 B a block        a bit for each slot whose box is not right: new, changed, or a hole by now
/// blocks     24 B a block        about the boxes that are present
/// children   24 B a child slice  about all that hangs below it; parallel to the slice's list of children
/// ```
#[derive(Clone, Debug)]
pub(in crate::store) struct SliceBoxes {
    pub(in crate::store) shapes: Boxes,
    /// Handles as bits; undefined where the box is not present.
    pub(in crate::store) nodes: Vec<u64>,
    pub(in crate::store) present: Vec<u64>,
    stale: Vec<u64>,
    pub(in crate::store) blocks: Boxes,
    /// The box around all blocks.
    pub(in crate::store) own: Aabb,
    pub(in crate::store) children: Boxes,
}

impl Default for SliceBoxes {
    fn default() -> Self {
        Self {
            shapes: Boxes::new(),
            nodes: Vec::new(),
            present: Vec::new(),
            stale: Vec::new(),
            blocks: Boxes::new(),
            own: Aabb::EMPTY,
            children: Boxes::new(),
        }
    }
}

impl SliceBoxes {
    /// The bytes per shape; the blocks add a fortieth.
    pub(in crate::store) const BYTES: usize = size_of::<Aabb>() + size_of::<u64>();

    /// Marks the box of a slot as stale: until the next update, queries compute it on demand.
    #[inline]
    pub(in crate::store) fn mark_stale(&mut self, slot: u32) {
        let (word, bit) = (slot as usize / BLOCK, 1 << (slot as usize % BLOCK));
        if word >= self.stale.len() {
            self.stale.resize(word + 1, 0);
        }
        self.stale[word] |= bit;
        if let Some(present) = self.present.get_mut(word) {
            *present &= !bit;
        }
    }

    /// Like [`Self::mark_stale`], if there is a slot.
    #[inline(never)]
    pub(in crate::store) fn mark_stale_if_any(&mut self, slot: u32) {
        if slot != NIL {
            self.mark_stale(slot);
        }
    }

    /// Makes room for marks on this many slots.
    pub(in crate::store) fn try_reserve_marks(&mut self, slots: u32) -> Result<(), TryReserveError> {
        let words = (slots as usize).div_ceil(BLOCK);
        self.stale.try_reserve_exact(words.saturating_sub(self.stale.len()))
    }

    /// Marks the boxes of all slots before `end` as stale.
    pub(in crate::store) fn mark_all_stale(&mut self, end: u32) {
        (0..end).for_each(|slot| self.mark_stale(slot));
    }

    /// Whether the box of a slot is stale.
    pub(in crate::store) fn is_stale(&self, slot: u32) -> bool {
        self.stale.get(slot as usize / BLOCK).is_some_and(|word| word >> (slot as usize % BLOCK) & 1 != 0)
    }

    /// Whether no box is stale.
    pub(in crate::store) fn is_current(&self) -> bool {
        self.stale.iter().all(|&word| word == 0)
    }

    /// The slots whose boxes are stale, one word for each block.
    pub(in crate::store) fn stale_words(&self) -> &[u64] {
        &self.stale
    }

    /// Resizes to the shape column's number of slots.
    pub(in crate::store) fn resize(&mut self, slots: u32) {
        let blocks = (slots as usize).div_ceil(BLOCK);
        self.shapes.resize(slots as usize);
        resize_exactly(&mut self.nodes, slots as usize);
        self.blocks.resize(blocks);
        resize_exactly(&mut self.present, blocks);
        resize_exactly(&mut self.stale, blocks);
    }

    /// Clears the stale marks of a block and returns them.
    pub(in crate::store) fn take_stale(&mut self, block: usize) -> u64 {
        core::mem::take(&mut self.stale[block])
    }

    /// Copies the box of a slot from a slice that is being rebuilt. A stale box takes no room yet.
    pub(in crate::store) fn carry(&mut self, from: &Self, old: u32, new: u32) {
        if from.is_stale(old) {
            self.mark_stale(new);
            return;
        }
        let slot = old as usize;
        self.resize(new + 1);
        if from.present[slot / BLOCK] >> (slot % BLOCK) & 1 != 0 {
            self.shapes.set(new as usize, from.shapes.get(slot).expect("a box that is present"));
            self.nodes[new as usize] = from.nodes[slot];
            self.present[new as usize / BLOCK] |= 1 << (new as usize % BLOCK);
        }
    }

    /// Computes the box around a block of shapes. Boxes that are not present become empty.
    pub(in crate::store) fn close_block(&mut self, block: usize) {
        self.blocks.set(block, self.shapes.merged(block * BLOCK..(block + 1) * BLOCK));
    }

    /// Computes the box around all blocks.
    pub(in crate::store) fn close(&mut self) {
        self.own = self.blocks.merged(0..self.blocks.len());
    }

    /// The box around everything below the slice's portal.
    pub(in crate::store) fn whole(&self) -> Aabb {
        self.own.merge(&self.children.merged(0..self.children.len()))
    }

    /// Finishes the boxes of a rebuilt slice: those of its shapes were carried over, its children are in a new order.
    pub(in crate::store) fn close_all(&mut self) {
        (0..self.blocks.len()).for_each(|block| self.close_block(block));
        self.close();
    }

    pub(in crate::store) fn allocated_bytes(&self) -> usize {
        size_of::<Self>()
            + self.shapes.allocated_bytes()
            + self.blocks.allocated_bytes()
            + self.children.allocated_bytes()
            + (self.nodes.capacity() + self.present.capacity() + self.stale.capacity()) * size_of::<u64>()
    }
}

/// Grows by at most a quarter at a time: a slice never has more boxes than shapes.
fn resize_exactly(words: &mut Vec<u64>, len: usize) {
    if len > words.capacity() {
        words.reserve_exact(len.max(words.capacity() / 4 * 5) - words.len());
    }
    words.resize(len, 0);
}

impl Slice {
    /// Marks the world boxes of all shapes as stale, if the scene keeps boxes.
    pub(in crate::store) fn mark_boxes_stale(&mut self) {
        if let Some(boxes) = &mut self.boxes {
            boxes.mark_all_stale(self.shapes.slots.end());
        }
    }

    /// Marks the boxes of those shapes whose transform is marked for the update, if the boxes were computed before.
    pub(in crate::store) fn mark_dirty_boxes_stale(&mut self) {
        let Self { transforms, shapes, boxes, .. } = self;
        let Some(boxes) = boxes else { return };
        let all = transforms.dirty.contains(0);
        for slot in shapes.slots.iter() {
            if all || transforms.dirty.contains(shapes.records[slot as usize].transform) {
                boxes.mark_stale(slot);
            }
        }
    }
}

impl LinearAllocator {
    /// The slots in use in a block, one bit each.
    pub(in crate::store) fn live_word(&self, block: usize) -> u64 {
        let behind = (self.end() as usize).saturating_sub(block * BLOCK);
        let all = if behind >= BLOCK { u64::MAX } else { (1 << behind) - 1 };
        all & !self.holes().word(block)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Aabb, Node, Scene, SceneConfig, Shape, Transform};

    #[test]
    fn boxes_are_checked_in_each_of_several_blocks() {
        let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT }).unwrap();
        let house = scene.insert(scene.root(), Node::group()).unwrap();
        for x in 0..200_u8 {
            let place = Node::transform(Transform::from_xyz(f32::from(x), 0.0, 0.0));
            scene.insert(house, place.with_shape(Shape::new(1, Aabb::cube(0.25)))).unwrap();
        }
        scene.update();
        let at = scene.at(house).unwrap();
        assert_eq!(scene.store.slice(at.slice).boxes.as_ref().unwrap().blocks.len(), 4);
        assert_eq!(scene.validate(), Ok(()));
    }
}
