//! The arrays of a draw list, and the ways in which slices fill them.

use crate::pass::draw::Segment;
use crate::store::{ShapeRecord, SliceView, Store};
use crate::{Mat34, NodeHandle, pass::DrawCommand};
use core::ops::Range;

/// How many shapes are tested before those that were swept are copied.
const PICKED: usize = 128;

/// Arrays of the same length: 24 + 48 + 4 bytes a shape.
#[derive(Clone, Debug)]
pub(crate) struct Listing {
    pub(crate) commands: Vec<DrawCommand>,
    pub(crate) matrices: Vec<Mat34>,
    /// The transform slots that the matrices were copied from, each in the slice of its shape.
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

    /// Sets the number of shapes: keeps the first ones, and leaves the rest to be written.
    #[cfg(feature = "rayon")]
    pub(crate) fn resize(&mut self, len: usize, filler: NodeHandle) {
        let filler = DrawCommand::new(filler, 0, None, false);
        self.commands.resize(len, filler);
        self.matrices.resize(len, Mat34::IDENTITY);
        self.slots.resize(len, 0);
    }

    /// Adds a shape.
    #[inline]
    pub(crate) fn push(&mut self, slice: SliceView<'_>, record: &ShapeRecord) {
        let Some((command, matrix)) = listed(slice, record) else { return };
        self.commands.push(command);
        self.matrices.push(matrix);
        self.slots.push(record.transform);
    }

    /// Adds the shapes of a slice that are visible on one of these layers.
    pub(crate) fn add(&mut self, slice: SliceView<'_>, layers: u32) {
        let most = slice.shapes().len();
        self.commands.reserve(most);
        self.matrices.reserve(most);
        self.slots.reserve(most);
        for_each_visible(slice, layers, |record| self.push(slice, record));
    }

    /// Lists the slices of the segments one after the other, replacing the contents, and stores in each segment where
    /// its shapes are.
    pub(crate) fn list(&mut self, store: &Store, layers: u32, segments: &mut [Segment]) {
        #[cfg(feature = "rayon")]
        if self.list_shared(store, layers, segments) {
            return;
        }
        self.clear();
        for segment in segments {
            segment.start = self.len();
            self.add(store.view(segment.slice), layers);
            segment.len = self.len() - segment.start;
        }
    }

    /// Copies again the matrices that updates computed since they were listed. Returns whether that changed any
    /// command.
    pub(crate) fn renew(&mut self, store: &Store, segments: &mut [Segment]) -> bool {
        #[cfg(feature = "rayon")]
        if let Some(changed) = self.renew_shared(store, segments) {
            return changed;
        }
        let mut changed = false;
        for segment in segments {
            changed |= segment.renew(store, self.part(segment.start..segment.start + segment.len));
        }
        changed
    }

    /// How many shapes [`Listing::add`] would add.
    #[cfg(feature = "rayon")]
    pub(crate) fn count(slice: SliceView<'_>, layers: u32) -> usize {
        if let [inherited] = *slice.visibilities().masks() {
            return if inherited & layers == 0 { 0 } else { slice.shapes().live() };
        }
        let mut count = 0;
        for_each_visible(slice, layers, |_| count += 1);
        count
    }

    /// The places of some shapes.
    pub(crate) fn part(&mut self, range: Range<usize>) -> Part<'_> {
        Part {
            commands: &mut self.commands[range.clone()],
            matrices: &mut self.matrices[range.clone()],
            slots: &mut self.slots[range],
        }
    }
}

/// Part of a listing that is written in place.
pub(crate) struct Part<'l> {
    commands: &'l mut [DrawCommand],
    matrices: &'l mut [Mat34],
    slots: &'l mut [u32],
}

#[cfg(feature = "rayon")]
impl Part<'_> {
    pub(crate) fn len(&self) -> usize {
        self.commands.len()
    }

    /// The places before the `at`th, and those from there on.
    pub(crate) fn split_at<'l>(self, at: usize) -> (Self, Self)
    where
        Self: 'l,
    {
        let (commands, later_commands) = self.commands.split_at_mut(at);
        let (matrices, later_matrices) = self.matrices.split_at_mut(at);
        let (slots, later_slots) = self.slots.split_at_mut(at);
        let later = Self { commands: later_commands, matrices: later_matrices, slots: later_slots };
        (Self { commands, matrices, slots }, later)
    }

    /// Lists the shapes of a slice that are visible on one of these layers; their number must equal the number of
    /// places.
    pub(crate) fn fill(self, slice: SliceView<'_>, layers: u32) {
        let mut places = self.commands.iter_mut().zip(self.matrices).zip(self.slots);
        for_each_visible(slice, layers, |record| {
            if let (Some(((command, matrix), slot)), Some(listed)) = (places.next(), listed(slice, record)) {
                (*command, *matrix) = listed;
                *slot = record.transform;
            }
        });
        debug_assert!(places.next().is_none(), "a shape for each place");
    }

    /// Lists these shapes; their number must equal the number of places.
    pub(crate) fn write(self, shapes: &[(SliceView<'_>, &ShapeRecord)]) {
        let places = self.commands.iter_mut().zip(self.matrices).zip(self.slots);
        for (((command, matrix), slot), (slice, record)) in places.zip(shapes) {
            if let Some(listed) = listed(*slice, record) {
                (*command, *matrix) = listed;
                *slot = record.transform;
            }
        }
    }
}

impl Part<'_> {
    /// Copies again the matrices of shapes that were listed from this slice and have not changed otherwise: those of
    /// the slots that its last sweep computed, or all. Returns whether that changed any command.
    pub(crate) fn renew(mut self, slice: SliceView<'_>, all: bool) -> bool {
        let swept = slice.transforms().swept();
        let end = self.slots.len();
        if all || swept.is_all() {
            return (0..end).fold(false, |any, at| any | self.copy(at, slice));
        }
        // Whether a slot was swept is close to random, so the swept ones are selected without a branch.
        let mut picked = [0; PICKED];
        let mut turned = false;
        for start in (0..end).step_by(PICKED) {
            let mut count = 0;
            for at in start..end.min(start + PICKED) {
                picked[count] = at;
                count += usize::from(swept.contains(self.slots[at]));
            }
            for &at in &picked[..count] {
                turned |= self.copy(at, slice);
            }
        }
        turned
    }

    /// Copies one matrix again. Returns whether it changed from mirroring to not mirroring, or back.
    #[inline(always)]
    fn copy(&mut self, at: usize, slice: SliceView<'_>) -> bool {
        let matrix = slice.transforms().worlds()[self.slots[at] as usize];
        self.matrices[at] = matrix;
        self.commands[at].set_mirrored(matrix.is_mirrored())
    }
}

/// What is listed for a shape of a slice.
#[inline]
fn listed(slice: SliceView<'_>, record: &ShapeRecord) -> Option<(DrawCommand, Mat34)> {
    let node = NodeHandle::from_bits(record.node)?;
    let matrix = slice.transforms().worlds()[record.transform as usize];
    let material = slice.materials().values()[record.material as usize];
    Some((DrawCommand::new(node, record.mesh, material, matrix.is_mirrored()), matrix))
}

/// The shapes of a slice that are visible on one of these layers, in the order of the column.
#[inline]
fn for_each_visible<'s>(slice: SliceView<'s>, layers: u32, mut show: impl FnMut(&'s ShapeRecord)) {
    let masks = slice.visibilities().masks();
    for (records, mut holes) in slice.shapes().chunks() {
        for record in records {
            let hole = holes & 1 != 0;
            holes >>= 1;
            if !hole && masks[record.visibility as usize] & layers != 0 {
                show(record);
            }
        }
    }
}
