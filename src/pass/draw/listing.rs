//! The arrays of a draw list, and the two ways in which a slice fills them.

use crate::slice::{HoleSet, ShapeRecord, Slice};
use crate::{DrawCommand, Mat34, NodeHandle};
use core::ops::Range;

/// How many shapes are looked at before those that were swept are copied.
const PICKED: usize = 128;

/// Arrays of the same length: 24 + 48 + 4 bytes a shape.
#[derive(Clone, Debug)]
pub(crate) struct Listing {
    pub(crate) commands: Vec<DrawCommand>,
    pub(crate) matrices: Vec<Mat34>,
    /// The transform slots, each in the slice of its shape, that the matrices are copies of.
    pub(crate) slots: Vec<u32>,
}

impl Listing {
    pub(crate) const EMPTY: Self = Self { commands: Vec::new(), matrices: Vec::new(), slots: Vec::new() };

    pub(crate) fn len(&self) -> usize {
        self.commands.len()
    }

    pub(crate) fn clear(&mut self) {
        self.commands.clear();
        self.matrices.clear();
        self.slots.clear();
    }

    /// Adds a shape.
    #[inline]
    pub(crate) fn push(&mut self, slice: &Slice, record: &ShapeRecord) {
        let Some(node) = NodeHandle::from_bits(record.node) else { return };
        let matrix = slice.transforms.worlds[record.transform as usize];
        let material = slice.materials.values[record.material as usize];
        self.commands.push(DrawCommand { node, mesh: record.mesh, material, mirrored: matrix.is_mirrored() });
        self.matrices.push(matrix);
        self.slots.push(record.transform);
    }

    /// Adds the shapes of a slice that are visible on one of these layers.
    pub(crate) fn add(&mut self, slice: &Slice, layers: u32) {
        let (records, masks) = (&slice.shapes.records, &slice.visibilities.effective);
        self.commands.reserve(records.len());
        self.matrices.reserve(records.len());
        self.slots.reserve(records.len());
        let holes = slice.shapes.slots.holes();
        for (records, mut holes) in records.chunks(HoleSet::WORD_SLOTS).zip(holes.words()) {
            for record in records {
                let hole = holes & 1 != 0;
                holes >>= 1;
                if !hole && masks[record.visibility as usize] & layers != 0 {
                    self.push(slice, record);
                }
            }
        }
    }

    /// Copies matrices again, of shapes in `range`, which were listed from this slice and are as they were then: those of
    /// the slots that its last sweep computed, or all. Answers whether that changed any command.
    pub(crate) fn renew(&mut self, range: Range<usize>, slice: &Slice, all: bool) -> bool {
        let swept = &slice.transforms.swept;
        if all || swept.all {
            let turned = range.map(|at| self.copy(at, slice));
            return turned.fold(false, |any, turned| any | turned);
        }
        // Whether a slot was swept is as good as random: those that were are picked without a branch on it.
        let mut picked = [0; PICKED];
        let mut turned = false;
        for start in range.clone().step_by(PICKED) {
            let end = range.end.min(start + PICKED);
            let mut count = 0;
            for at in start..end {
                picked[count] = at;
                count += usize::from(swept.contains(self.slots[at]));
            }
            for &at in &picked[..count] {
                turned |= self.copy(at, slice);
            }
        }
        turned
    }

    /// Copies one matrix again; answers whether it mirrors now and did not, or the other way.
    #[inline(always)]
    fn copy(&mut self, at: usize, slice: &Slice) -> bool {
        let matrix = slice.transforms.worlds[self.slots[at] as usize];
        self.matrices[at] = matrix;
        let mirrored = matrix.is_mirrored();
        core::mem::replace(&mut self.commands[at].mirrored, mirrored) != mirrored
    }
}
