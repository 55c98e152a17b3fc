//! The arrays of a draw list, and how slices fill them.

use crate::Mat34;
use crate::pass::ChangedSlots;
use crate::pass::draw::{DrawCommand, Segment};
use crate::store::{DrawEntry, DrawableView, MatrixSlot, SliceView, Store, short};
use core::ops::Range;
use hedgerow_math::internal::prefetch;

/// The number of drawables whose slots are tested before the matrices of swept slots are copied.
const PICKED: usize = 128;

/// The changes of a drawable since the previous list, as bits.
pub(crate) mod mark {
    /// The command, or its matrix slot.
    pub(crate) const COMMAND: u8 = 1;
    pub(crate) const MATRIX: u8 = 2;
    pub(crate) const ALL: u8 = COMMAND | MATRIX;
}

/// Arrays of the same length: 24 + 48 + 8 + 1 bytes a drawable.
#[derive(Clone, Debug)]
pub(crate) struct Listing {
    pub(crate) commands: Vec<DrawCommand>,
    pub(crate) matrices: Vec<Mat34>,
    /// The location of each matrix in the scene.
    pub(crate) slots: Vec<MatrixSlot>,
    /// What changed when the list was last filled, as bits. For drawables past the end of `marks`, this is unknown.
    pub(crate) marks: Vec<u8>,
    pub(crate) keeps_matrices: bool,
    pub(crate) any_marked: bool,
    /// Whether changes are found by comparison with the previous listing, which is kept. Then nothing is marked.
    pub(crate) is_compared: bool,
}

impl Listing {
    pub(crate) const EMPTY: Self = Self {
        commands: Vec::new(),
        matrices: Vec::new(),
        slots: Vec::new(),
        marks: Vec::new(),
        keeps_matrices: true,
        any_marked: true,
        is_compared: false,
    };

    pub(crate) fn len(&self) -> usize {
        self.commands.len()
    }

    pub(crate) fn clear(&mut self) {
        self.commands.clear();
        self.matrices.clear();
        self.slots.clear();
        self.marks.clear();
        self.is_compared = false;
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.commands.shrink_to_fit();
        self.matrices.shrink_to_fit();
        self.slots.shrink_to_fit();
        self.marks.shrink_to_fit();
    }

    /// Sets the number of drawables. Keeps the first drawables; the caller writes the rest.
    #[cfg(feature = "rayon")]
    pub(crate) fn resize(&mut self, len: usize, filler: crate::NodeHandle) {
        let filler = DrawCommand::new(filler, 0, None, false);
        self.commands.resize(len, filler);
        self.matrices.resize(if self.keeps_matrices { len } else { 0 }, Mat34::IDENTITY);
        self.slots.resize(len, MatrixSlot::default());
        self.mark_all();
    }

    pub(crate) fn mark_all(&mut self) {
        self.marks.clear();
        self.marks.resize(self.commands.len(), mark::ALL);
        self.any_marked = true;
        self.is_compared = false;
    }

    pub(crate) fn mark_none(&mut self) {
        // Marks of the last frame are cleared only if it set some: a still scene costs O(1).
        if self.any_marked {
            self.marks.clear();
            self.marks.resize(self.commands.len(), 0);
        }
        self.any_marked = false;
    }

    /// Returns whether any command or slot in a range changed when the list was last filled.
    pub(crate) fn is_changed(&self, range: Range<usize>) -> bool {
        // Without early exit, which lets the compiler use vectors.
        self.marks[range].iter().fold(0, |all, marks| all | marks) & mark::COMMAND != 0
    }

    /// Returns whether the commands or the slots differ from those of another listing.
    pub(crate) fn differs_from(&self, other: &Self) -> bool {
        self.commands != other.commands || self.slots != other.slots
    }

    /// Returns how a drawable differs from the drawable at the same index of another listing, as bits.
    #[inline]
    pub(crate) fn marks_against(&self, before: &Self, at: usize) -> u8 {
        if at >= before.len() {
            return mark::ALL;
        }
        let command = self.commands[at] != before.commands[at] || self.slots[at] != before.slots[at];
        let matrix = match (self.matrices.get(at), before.matrices.get(at)) {
            (Some(now), Some(then)) => !now.same_bits(then),
            _ => true,
        };
        (u8::from(command) * mark::COMMAND) | (u8::from(matrix) * mark::MATRIX)
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, slice: SliceView<'_>, record: &DrawEntry) {
        let (command, matrix) = listed(slice, record);
        self.commands.push(command);
        if self.keeps_matrices {
            self.matrices.push(*matrix);
        }
        self.slots.push(slot(slice, record));
    }

    #[inline]
    pub(crate) fn push_seen(&mut self, slice: SliceView<'_>, seen: &VisibleDraw) {
        self.commands.push(seen.command);
        if self.keeps_matrices {
            self.matrices.push(slice.transforms().worlds()[seen.slot.slot as usize]);
        }
        self.slots.push(seen.slot);
    }

    /// Adds the drawables of a slice that are visible on one of these layers.
    pub(crate) fn add(&mut self, slice: SliceView<'_>, layers: u32) {
        let most = slice.drawables().len();
        self.commands.reserve(most);
        if self.keeps_matrices {
            self.matrices.reserve(most);
        }
        self.slots.reserve(most);
        // Any record serves to fill the array of references.
        let Some(first) = slice.drawables().records().first() else { return };
        let mut picked = [first; DrawableView::CHUNK];
        for (records, shown) in listed_chunks(slice, layers) {
            // Most chunks are wholly visible, and need no selection.
            if shown.count_ones() as usize == records.len() {
                self.extend(slice, records.iter());
                continue;
            }
            // Visibility is close to random, so visible drawables are selected without a branch.
            let mut count = 0;
            for (at, record) in records.iter().enumerate() {
                picked[count % DrawableView::CHUNK] = record;
                count += (shown >> at & 1) as usize;
            }
            self.extend(slice, picked[..count.min(DrawableView::CHUNK)].iter().copied());
        }
    }

    /// Adds drawables of a slice, one array after the other.
    #[inline(always)]
    fn extend<'s>(&mut self, slice: SliceView<'s>, records: impl ExactSizeIterator<Item = &'s DrawEntry> + Clone) {
        let worlds = slice.transforms().worlds();
        if self.keeps_matrices {
            self.matrices.extend(records.clone().map(|record| worlds[usize::from(record.slot)]));
        }
        self.slots.extend(records.clone().map(|record| slot(slice, record)));
        self.commands.extend(records.map(|record| listed(slice, record).0));
    }

    /// Replaces the contents by the drawables of the segments' slices, and stores in each segment where its drawables
    /// are. Everything counts as changed.
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
        self.mark_all();
    }

    /// Copies the matrices that updates computed since the last copy. Returns whether any command changed; segments
    /// with changed commands get this stamp.
    pub(crate) fn renew(&mut self, store: &Store, segments: &mut [Segment], stamp: u64) -> bool {
        #[cfg(feature = "rayon")]
        if let Some(changed) = self.renew_shared(store, segments, stamp) {
            return changed;
        }
        let mut changed = false;
        for segment in segments {
            changed |= segment.renew(store, stamp, self.part(segment.start..segment.start + segment.len));
        }
        changed
    }

    /// Returns how many drawables [`Listing::add`] would add.
    #[cfg(feature = "rayon")]
    pub(crate) fn count(slice: SliceView<'_>, layers: u32) -> usize {
        if slice.drawables().all_visible() {
            // No record needs to be read.
            return if layers == 0 { 0 } else { slice.drawables().live() };
        }
        visible_chunks(slice, layers).map(|(_, shown)| shown.count_ones() as usize).sum()
    }

    pub(crate) fn part(&mut self, range: Range<usize>) -> Part<'_> {
        let matrices = if self.keeps_matrices { range.clone() } else { 0..0 };
        Part {
            commands: &mut self.commands[range.clone()],
            matrices: &mut self.matrices[matrices],
            slots: &mut self.slots[range.clone()],
            marks: &mut self.marks[range],
        }
    }
}

/// A part of a listing, to be written in place.
pub(crate) struct Part<'l> {
    commands: &'l mut [DrawCommand],
    matrices: &'l mut [Mat34],
    slots: &'l mut [MatrixSlot],
    marks: &'l mut [u8],
}

#[cfg(feature = "rayon")]
impl Part<'_> {
    pub(crate) fn len(&self) -> usize {
        self.commands.len()
    }

    /// Splits the entries before the entry at this index.
    pub(crate) fn split_at<'l>(self, at: usize) -> (Self, Self)
    where
        Self: 'l,
    {
        let (commands, later_commands) = self.commands.split_at_mut(at);
        // A list without matrices has an empty array here.
        let (matrices, later_matrices) = self.matrices.split_at_mut(at.min(self.matrices.len()));
        let (slots, later_slots) = self.slots.split_at_mut(at);
        let (marks, later_marks) = self.marks.split_at_mut(at);
        let later = Self { commands: later_commands, matrices: later_matrices, slots: later_slots, marks: later_marks };
        (Self { commands, matrices, slots, marks }, later)
    }

    /// Lists the drawables of a slice that are visible on these layers. Their number must equal the number of entries.
    pub(crate) fn fill(mut self, slice: SliceView<'_>, layers: u32) {
        let mut at = 0;
        for_each_visible(slice, layers, |record| {
            self.put(at, slice, record);
            at += 1;
        });
        debug_assert_eq!(at, self.len(), "a drawable for each place");
    }

    /// Lists these drawables. Their number must equal the number of entries.
    pub(crate) fn write(mut self, drawables: &[(SliceView<'_>, &DrawEntry)]) {
        for (at, (slice, record)) in drawables.iter().enumerate() {
            self.put(at, *slice, record);
        }
    }

    #[inline]
    fn put(&mut self, at: usize, slice: SliceView<'_>, record: &DrawEntry) {
        let (command, matrix) = listed(slice, record);
        self.commands[at] = command;
        if let Some(place) = self.matrices.get_mut(at) {
            *place = *matrix;
        }
        self.slots[at] = slot(slice, record);
    }
}

impl Part<'_> {
    /// Copies the matrices in these slots, for drawables that were listed from this slice. Returns whether any command
    /// changed.
    pub(crate) fn renew(mut self, slice: SliceView<'_>, changed: ChangedSlots<'_>) -> bool {
        let end = self.slots.len();
        // If all slots changed, none needs to be tested.
        if changed.is_all() {
            return (0..end).fold(false, |any, at| any | self.copy(at, slice));
        }
        // Whether a slot changed is close to random, so changed slots are selected without a branch.
        let mut picked = [0; PICKED];
        let mut turned = false;
        for start in (0..end).step_by(PICKED) {
            let mut count = 0;
            for at in start..end.min(start + PICKED) {
                picked[count] = at;
                count += usize::from(changed.contains(self.slots[at].slot as usize));
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
        let matrix = &slice.transforms().worlds()[self.slots[at].slot as usize];
        if let Some(place) = self.matrices.get_mut(at) {
            *place = *matrix;
        }
        let turned = self.commands[at].set_mirrored(matrix.is_mirrored());
        self.marks[at] |= mark::MATRIX | (u8::from(turned) * mark::COMMAND);
        turned
    }
}

/// The draw of a drawable, and the views that see it, one bit each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VisibleDraw {
    pub(crate) command: DrawCommand,
    pub(crate) slot: MatrixSlot,
    /// The index in the drawable column of the slice.
    pub(crate) drawable: u16,
    pub(crate) views: u32,
}

impl VisibleDraw {
    #[inline]
    pub(crate) fn of(slice: SliceView<'_>, drawable: usize, views: u32) -> Self {
        let record = &slice.drawables().records()[drawable];
        Self { command: listed(slice, record).0, slot: slot(slice, record), drawable: short(drawable), views }
    }
}

#[inline]
fn listed<'s>(slice: SliceView<'s>, record: &DrawEntry) -> (DrawCommand, &'s Mat34) {
    let matrix = &slice.transforms().worlds()[usize::from(record.slot)];
    let command = DrawCommand::new(record.node, record.mesh, record.material(), matrix.is_mirrored());
    (command.with_user_data(slice.user_data(record.row())), matrix)
}

#[inline]
fn slot(slice: SliceView<'_>, record: &DrawEntry) -> MatrixSlot {
    MatrixSlot { slice: slice.number(), slot: record.slot.into() }
}

/// Calls `show` with the drawables of a slice that are visible on one of these layers, in the order of the column.
#[cfg(feature = "rayon")]
#[inline]
fn for_each_visible<'s>(slice: SliceView<'s>, layers: u32, mut show: impl FnMut(&'s DrawEntry)) {
    for (records, shown) in listed_chunks(slice, layers) {
        for (at, record) in records.iter().enumerate() {
            if shown >> at & 1 != 0 {
                show(record);
            }
        }
    }
}

/// Like [`visible_chunks`], for callers that copy the matrices. Matrices are prefetched one chunk ahead, because after
/// edits their order is too irregular for the hardware prefetcher.
#[inline]
fn listed_chunks<'s>(slice: SliceView<'s>, layers: u32) -> impl Iterator<Item = (&'s [DrawEntry], u64)> + use<'s> {
    let worlds = slice.transforms().worlds();
    let ask = |(records, _): (&[DrawEntry], u64)| {
        for record in records {
            prefetch(worlds, record.slot.into());
        }
    };
    // The first chunk is asked for at once, each later one while its predecessor is copied.
    let mut ahead = slice.drawables().chunks();
    let mut ask_next = move || {
        if let Some(chunk) = ahead.next() {
            ask(chunk);
        }
    };
    ask_next();
    visible_chunks(slice, layers).inspect(move |_| ask_next())
}

/// Returns the drawables of a slice in chunks, each with one bit for every drawable visible on one of these layers.
#[inline]
fn visible_chunks<'s>(slice: SliceView<'s>, layers: u32) -> impl Iterator<Item = (&'s [DrawEntry], u64)> + use<'s> {
    let uniform = slice.drawables().all_visible();
    slice.drawables().chunks().map(move |(records, live)| {
        let shown = if uniform {
            // All bits or none.
            u64::from(layers != 0).wrapping_neg()
        } else {
            records.iter().rev().fold(0, |bits, record| bits << 1 | u64::from(record.layers & layers != 0))
        };
        (records, live & shown)
    })
}
