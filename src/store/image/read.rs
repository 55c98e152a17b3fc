//! Reads the arrays of a store from bytes. `check` then decides whether they form a store.

use crate::fallible::{self, Boxed};
use crate::record::{BytesError, Reader, Record, ensure};
use crate::store::additions::Additions;
use crate::store::allocation::{HoleSet, LinearAllocator, MAX_NODES};
use crate::store::columns::{Column, EachColumn, Remainder, Sheared, Storage, TransformColumn, each_column};
use crate::store::image::check::Checker;
use crate::store::image::config::config_of;
use crate::store::image::head::{Extent, Head};
use crate::store::{Slice, SliceBoxes, Slices, Store, Tables, Words};
use crate::{Aabb, Local, Mat34, SceneConfig};
use glam::Vec3;
use std::collections::TryReserveError;

/// The greatest number of bytes of unused room for each byte read. The file states the capacity of a slice by a number.
/// With this limit, memory is bounded by input size even if the number is forged.
const SPARE: usize = 16;

impl Store {
    /// Reads and checks everything that is kept.
    pub(crate) fn read_image(from: &mut Reader<'_>) -> Result<Self, BytesError> {
        let mut spare = from.remaining().saturating_mul(SPARE);
        let config = config_of(&from.list()?)?;
        let reconstitutions = from.one()?;
        ensure!(reconstitutions < u64::MAX / 2, "slices were reconstituted more often than they can be");
        let mut tables = Tables::new(&config);
        let live = tables.read(from)?;
        let count: u32 = from.one()?;
        ensure!(from.remaining() / Head::BYTES >= count as usize, "there are fewer slices than are counted");
        let mut slices = Slices::default();
        slices.try_reserve_exact(count as usize)?;
        let mut checker = Checker::new(config.max_nodes);
        for number in 0..count {
            let reading = ReadSlice { from, spare: &mut spare, slice: Slice::default() };
            let slice = reading.read(number, &mut tables, &mut checker).map_err(|error| error.in_slice(number))?;
            slices.try_push(slice)?;
        }
        let lists = [from.list()?, from.list()?, from.list()?, from.list()?];
        let words = Words::read(&tables, from)?;
        check_lists(&lists, &slices)?;
        let nodes = checker.join(&mut slices, &lists[2], &lists[3])?;
        tables.check_owners()?;
        ensure!(checker.nodes == live, "there are other nodes than live handles");
        ensure!(live <= MAX_NODES, "there are more nodes than a scene can have");
        for slice in slices.iter_mut().filter(|slice| slice.lives) {
            slice.mark_all(&config)?;
        }
        let mut store = Self::restored(config, slices, tables, lists, reconstitutions, nodes)?;
        store.words = words;
        let from_root = store.runs_from_root()?;
        let tidy = !store.edited.is_empty() || store.find_partner(&from_root).is_none();
        ensure!(tidy, "no slice waits for maintenance, and one is small that could be merged");
        store.check_merge_candidates(&from_root)?;
        store.note_all_new()?;
        Ok(store)
    }
}

/// Checks the lists: slices that wait for maintenance or for a partner must be listed. Others may be listed too.
fn check_lists([edited, merge_candidates, ..]: &[Vec<u32>; 4], slices: &Slices) -> Result<(), BytesError> {
    let mut listed = fallible::filled(slices.len(), false)?;
    for &number in edited {
        *listed
            .get_mut(number as usize)
            .ok_or(BytesError::invalid("a slice that there is not waits for maintenance"))? = true;
    }
    let all = slices.iter().zip(listed).all(|(slice, listed)| listed || !slice.edited);
    ensure!(all, "a slice that waits for maintenance is not listed");
    let known = merge_candidates.iter().all(|&number| (number as usize) < slices.len());
    ensure!(known, "a slice that there is not waits for a partner");
    Ok(())
}

/// Reads one slice.
struct ReadSlice<'a, 'b> {
    from: &'a mut Reader<'b>,
    /// How many bytes of unused room may still be allocated.
    spare: &'a mut usize,
    slice: Slice,
}

impl ReadSlice<'_, '_> {
    /// Reads the slice and checks it, except the links between slices.
    fn read(mut self, number: u32, tables: &mut Tables, checker: &mut Checker) -> Result<Slice, BytesError> {
        let head: Head = self.from.one()?;
        ensure!(head.flags & !Head::FLAGS == 0, "there is an unknown flag");
        let flag = |bit: u32| head.flags & bit != 0;
        if !flag(Head::LIVES) {
            return Ok(self.slice);
        }
        self.slice = Slice {
            first_top: head.first_top,
            last_top: head.last_top,
            misplaced: head.misplaced,
            read: flag(Head::READ),
            edited: flag(Head::EDITED),
            lives: true,
            ..Slice::default()
        };
        let spacious = self.afford(&head.storages);
        for (storage, extent) in Storage::ALL.into_iter().zip(head.storages) {
            let capacity = if spacious { extent.capacity } else { extent.end };
            *storage.of_mut(&mut self.slice) = self.allocator(storage, extent, capacity)?;
        }
        checker.ranks.clear();
        self.from.extend(&mut checker.ranks, self.slice.row_slots.end(), 0)?;
        each_column(&mut self)?;
        let Self { from, mut slice, .. } = self;
        slice.transforms.sheared = read_sheared(from, head.sheared, slice.transforms.slots.end())?;
        read_remainders(from, head.remainders, &mut slice.transforms)?;
        slice.children = from.many(head.children)?;
        checker.slice(number, &slice, tables)?;
        let (owned, open) = (from.many(head.tables)?, from.many(head.open_tables)?);
        tables.give(number, &owned, &open)?;
        Ok(slice)
    }

    /// Whether a slice may have its full capacity again; if not, it is made without unused room.
    fn afford(&mut self, storages: &[Extent]) -> bool {
        let spare = storages.iter().zip(Storage::ALL).map(|(extent, storage)| {
            let slots = extent.capacity.saturating_sub(extent.end) as usize;
            slots.saturating_mul(storage.slot_bytes())
        });
        let rest = (*self.spare).checked_sub(spare.fold(0, usize::saturating_add));
        *self.spare = rest.unwrap_or(*self.spare);
        rest.is_some()
    }

    fn allocator(&mut self, storage: Storage, extent: Extent, capacity: u32) -> Result<LinearAllocator, BytesError> {
        let Extent { end, holes, .. } = extent;
        ensure!(
            end <= extent.capacity && extent.capacity <= LinearAllocator::MAX_CAPACITY,
            "a storage ends behind its capacity"
        );
        ensure!(end > 0 || !storage.has_base(), "a base is missing");
        let mut words = Vec::new();
        if holes > 0 {
            self.from.extend(&mut words, end.div_ceil(u64::BITS), 0)?;
        }
        let set = HoleSet::try_from_words(words)?;
        ensure!(set.count() == holes, "there are other holes than are counted");
        // The last slot is in use, since otherwise the end would have moved back.
        ensure!(
            holes == 0 || (set.previous_from(u32::MAX) < Some(end - 1) && !(storage.has_base() && set.contains(0))),
            "a hole is where none can be"
        );
        Ok(LinearAllocator::restored(end, capacity, set))
    }
}

/// Sheared transforms, by slot.
fn read_sheared(from: &mut Reader<'_>, count: u32, end: u32) -> Result<Sheared, BytesError> {
    let slots: Vec<u32> = from.many(count)?;
    let matrices: Vec<Mat34> = from.many(count)?;
    ensure!(slots.is_sorted_by(|a, b| a < b), "sheared transforms are not in order");
    ensure!(slots.last().is_none_or(|&last| last < end), "a slot that there is not is sheared");
    ensure!(matrices.iter().all(Mat34::is_finite), "a sheared transform is not finite");
    let count = slots.len();
    Ok(Sheared::try_of(slots.into_iter().zip(matrices), count)?)
}

/// What single precision loses of translations, by slot.
fn read_remainders(from: &mut Reader<'_>, count: u32, transforms: &mut TransformColumn) -> Result<(), BytesError> {
    let slots: Vec<u32> = from.many(count)?;
    let [x, y, z]: [Vec<u32>; 3] = [from.many(count)?, from.many(count)?, from.many(count)?];
    ensure!(slots.is_sorted_by(|a, b| a >> 1 < b >> 1), "remainders are not in order");
    transforms.sheared.try_reserve_remainders(slots.len())?;
    for (at, slot) in slots.into_iter().enumerate() {
        let (slot, plain) = (slot >> 1, slot & 1 != 0);
        let translation = Vec3::from_array([x[at], y[at], z[at]].map(f32::from_bits));
        ensure!(translation.is_finite(), "a remainder is not finite");
        let matrix = transforms.sheared.get(slot);
        let local = || Local::Transform(transforms.locals[slot as usize].into()).to_matrix();
        let fits = matrix.is_some_and(|matrix| {
            (!plain || matrix.to_bits() == local().to_bits()) && Additions::fits(translation, matrix.translation())
        });
        ensure!(fits, "a remainder is of another transform");
        transforms.sheared.set_remainder(Remainder { slot, plain, translation });
    }
    Ok(())
}

impl EachColumn for ReadSlice<'_, '_> {
    type Error = BytesError;

    fn column<T: Record>(&mut self, column: &Column<T>) -> Result<(), BytesError> {
        let slots = column.storage.of(&self.slice);
        let (end, capacity) = (slots.end(), slots.capacity());
        let array = (column.of_mut)(&mut self.slice);
        self.from.extend(array, end, capacity)?;
        // No early exit, so that eight values are tested at once.
        let sound = array.iter().fold(true, |sound, value| sound & value.is_sound());
        ensure!(sound, column.unsound);
        Ok(())
    }

    fn names(&mut self, column: &Column<Box<str>>) -> Result<(), BytesError> {
        let slots = column.storage.of(&self.slice);
        let (end, capacity) = (slots.end(), slots.capacity());
        let texts = self.from.texts(end)?;
        let owned = (0..).zip(&texts).all(|(slot, text)| text.is_empty() || slots.is_live(slot));
        ensure!(owned, column.unsound);
        self.slice.names.text_bytes = texts.iter().map(|text| text.len()).sum();
        let array = (column.of_mut)(&mut self.slice);
        array.try_reserve_exact(capacity as usize)?;
        for text in texts {
            array.push(fallible::text(text)?);
        }
        Ok(())
    }
}

impl Slice {
    /// Marks everything in a slice that was just read for the next update: derived values are not checked, but computed
    /// again.
    fn mark_all(&mut self, config: &SceneConfig) -> Result<(), TryReserveError> {
        self.transforms.dirty.try_reserve(self.transforms.slots.end())?;
        self.transforms.mark_all();
        self.visibilities.dirty = true;
        self.materials.dirty = true;
        self.marked = true;
        self.marked_children = fallible::copied(&self.children)?;
        if config.bounds {
            let boxes = self.boxes.insert(Boxed::try_new(SliceBoxes::default())?);
            boxes.try_reserve_marks(self.shapes.slots.end())?;
            boxes.mark_all_stale(self.shapes.slots.end());
            boxes.children.try_reserve(self.children.len())?;
            self.children.iter().for_each(|_| boxes.children.push(Aabb::INFINITE));
        }
        Ok(())
    }
}
