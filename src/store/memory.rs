//! The memory use of a scene, by kind of data.

use crate::store::change_kinds::ChangeKinds;
use crate::store::columns::{DrawEntry, EffectiveVisibility, Row, Slots, Stamp};
use crate::store::location::SliceId;
use crate::store::record::RecordId;
use crate::store::slice::{Head, Slice};
use crate::store::slices::Slices;
use crate::store::{Store, Usage};
use crate::{Aabb, NodeHandle};
use hedgerow_math::Mat34;
use hedgerow_math::internal::PackedTransform;

impl Slice {
    /// Returns the memory use of rows, slots and drawables. Imports do not count as live.
    pub(crate) fn usages(&self, live_rows: usize) -> [Usage; 3] {
        let Self { rows, slots, drawables, .. } = self;
        let Slots { records, parents, worlds, locals } = slots;
        let beside = self.imports.capacity() * size_of::<Option<NodeHandle>>()
            + self.visibility.capacity() * size_of::<EffectiveVisibility>()
            + self.user_data.capacity() * size_of::<u32>()
            + self.matrices.capacity() * size_of::<u16>()
            + self.sources.bytes();
        let slot_bytes = records.capacity() * size_of::<RecordId>()
            + parents.capacity() * size_of::<u32>()
            + worlds.capacity() * size_of::<Mat34>()
            + locals.capacity() * size_of::<PackedTransform>();
        let drawable_bytes = drawables.records.capacity() * size_of::<DrawEntry>()
            + drawables.bounds.capacity() * size_of::<Aabb>()
            + drawables.stamps.capacity() * size_of::<Stamp>();
        let usage = |live: usize, bytes: usize, allocated_bytes: usize| Usage {
            live,
            live_bytes: live * bytes,
            allocated_bytes,
        };
        [
            usage(live_rows, size_of::<Row>(), rows.capacity() * size_of::<Row>() + beside),
            usage(self.used_slots.len().saturating_sub(self.imports.len()), Self::SLOT_BYTES, slot_bytes),
            usage(self.used_drawables.len(), Self::DRAWABLE_BYTES, drawable_bytes),
        ]
    }

    const SLOT_BYTES: usize =
        size_of::<RecordId>() + size_of::<u32>() + size_of::<Mat34>() + size_of::<PackedTransform>();
    const DRAWABLE_BYTES: usize = size_of::<DrawEntry>() + size_of::<Aabb>() + size_of::<Stamp>();
}

impl Store {
    /// Returns the bytes of histories and of the log of changes.
    pub(crate) fn change_bytes(&self) -> usize {
        let all_histories = self.slices.list().iter().filter_map(|slice| slice.histories.as_ref());
        self.nodes.inbox.removed.capacity() * size_of::<(NodeHandle, bool)>()
            + self.update.feed.as_ref().map_or(0, |feed| feed.bytes())
            + all_histories.map(|histories| histories.bytes()).sum::<usize>()
    }

    /// Returns the bytes of slices without their columns, of lists, and of scratch memory.
    pub(crate) fn overhead_bytes(&self) -> usize {
        self.slices.bytes()
            + self.update.clock.swept.capacity() * size_of::<SliceId>()
            + self.nodes.inbox.bytes()
            + self.nodes.stack.capacity() * size_of::<RecordId>()
            + self.update.clock.inherited.capacity() * size_of::<(NodeHandle, ChangeKinds)>()
            + self.update.scratch.bytes()
            + self.update.unsaved.bytes()
    }

    pub(crate) fn reconstitutions(&self) -> u64 {
        self.update.clock.reconstitutions
    }
}

impl Slices {
    /// Returns the memory use of rows, transform slots and drawables of all slices.
    pub(crate) fn slice_usages(&self) -> [Usage; 3] {
        let slices = self.list().iter().zip(self.heads());
        let sum = |sums: [Usage; 3], (slice, head): (&Slice, &Head)| {
            let usages = slice.usages(head.live as usize);
            [0, 1, 2].map(|kind| sums[kind].plus(usages[kind]))
        };
        let [rows, slots, drawables] = slices.fold([Usage::default(); 3], sum);
        // The limbo is not a node, but has a row and a slot.
        let limbo = |bytes: &Usage| Usage { live: 1, live_bytes: bytes.live_bytes / bytes.live, allocated_bytes: 0 };
        [rows.minus(limbo(&rows)), slots.minus(limbo(&slots)), drawables]
    }

    pub(crate) fn box_usage(&self) -> Usage {
        let boxes = |slice: &Slice| {
            slice.boxes.as_ref().map_or(Usage::default(), |boxes| {
                let live = slice.used_drawables.len();
                Usage { live, live_bytes: live * size_of::<Aabb>(), allocated_bytes: boxes.bytes() }
            })
        };
        let of_order = Usage { allocated_bytes: self.boxes.bytes(), ..Usage::default() };
        self.list().iter().map(boxes).fold(of_order, Usage::plus)
    }

    /// Returns the number of unused rows, slots and drawables in slices.
    pub(crate) fn count_holes(&self) -> usize {
        self.list().iter().flat_map(Slice::unused).sum()
    }

    /// Returns how many world matrices of nodes are not finite.
    pub(crate) fn count_overflowed(&self) -> usize {
        let overflowed = |slice: &Slice| {
            let own = slice.used_slots.iter().filter(|&slot| slot >= slice.imports.len());
            own.filter(|&slot| !slice.slots.worlds[slot].is_finite()).count()
        };
        self.list().iter().map(overflowed).sum()
    }
}
