//! Local transforms that shear, and those whose translation is given in double precision, kept apart because few slots
//! have one.

use crate::Mat34;
use crate::fallible::{self, Boxed};
use glam::Vec3;
use std::collections::TryReserveError;

/// The greatest number of matrices in a chunk: 3 KiB.
const MOST: usize = 64;

/// Matrices by slot, in ascending order, in chunks of a few each; no chunk is empty. Takes 52 bytes for each matrix, 24
/// for each chunk and 48 for the column. A column without shearing transforms owns no memory, and is a null pointer: every set
/// asks for that, so it lies on the slice's first cache line.
///
/// Finding a matrix runs in O(log matrices). Setting and removing one run in O(matrices ÷ 64) at most, by moving
/// memory. A tree of the standard library would do, but it cannot report that the allocator refuses.
///
/// A slot whose translation is given in double precision has a matrix, too, although it may not shear: so a column has
/// one question to ask. The remainders, 20 bytes each, are found in O(log remainders), and set in O(remainders).
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct Sheared(Option<Boxed<Records>>);

/// The records of a column that has any matrix.
#[derive(Clone, Debug, Default)]
struct Records {
    chunks: Vec<Vec<(u32, Mat34)>>,
    /// In ascending order of slots, each of which has a matrix.
    remainders: Vec<Remainder>,
}

/// What single precision loses of a translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::store) struct Remainder {
    pub(in crate::store) slot: u32,
    /// Whether the local transform does not shear: then it is stored as others are, and the matrix is made of it.
    pub(in crate::store) plain: bool,
    pub(in crate::store) translation: Vec3,
}

impl Sheared {
    #[inline(always)]
    pub(in crate::store) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub(in crate::store) fn len(&self) -> usize {
        self.chunks().iter().map(Vec::len).sum()
    }

    fn chunks(&self) -> &[Vec<(u32, Mat34)>] {
        self.0.as_ref().map_or(&[], |records| &records.chunks)
    }

    pub(in crate::store) fn get(&self, slot: u32) -> Option<&Mat34> {
        let chunk = self.chunks().get(chunk_of(self.chunks(), slot))?;
        let place = chunk.binary_search_by_key(&slot, |&(slot, _)| slot).ok()?;
        Some(&chunk[place].1)
    }

    /// What single precision loses of the translation of a slot, if it is given in double precision.
    pub(in crate::store) fn remainder(&self, slot: u32) -> Option<&Remainder> {
        let remainders = self.remainders();
        let place = remainders.binary_search_by_key(&slot, |remainder| remainder.slot).ok()?;
        Some(&remainders[place])
    }

    /// Sets the remainder of a slot that has a matrix.
    pub(in crate::store) fn set_remainder(&mut self, remainder: Remainder) {
        debug_assert!(self.get(remainder.slot).is_some(), "a matrix for each remainder");
        let remainders = &mut self.0.get_or_insert_default().remainders;
        match remainders.binary_search_by_key(&remainder.slot, |remainder| remainder.slot) {
            Ok(place) => remainders[place] = remainder,
            Err(place) => remainders.insert(place, remainder),
        }
    }

    /// All remainders, in ascending order of slots.
    pub(in crate::store) fn remainders(&self) -> &[Remainder] {
        self.0.as_ref().map_or(&[], |records| &records.remainders)
    }

    /// Sets the matrix of a slot, and forgets a remainder.
    pub(in crate::store) fn insert(&mut self, slot: u32, matrix: Mat34) {
        let records = self.0.get_or_insert_default();
        records.remove_remainder(slot);
        let number = chunk_of(&records.chunks, slot);
        let Some(chunk) = records.chunks.get_mut(number) else { return records.chunks.push(vec![(slot, matrix)]) };
        match chunk.binary_search_by_key(&slot, |&(slot, _)| slot) {
            Ok(place) => chunk[place].1 = matrix,
            Err(place) if chunk.len() < MOST => chunk.insert(place, (slot, matrix)),
            Err(place) => records.insert_beside(number, place, (slot, matrix)),
        }
    }

    /// Removes the matrix of a slot, if it has one, and its remainder.
    pub(in crate::store) fn remove(&mut self, slot: u32) {
        let Some(records) = &mut self.0 else { return };
        records.remove_remainder(slot);
        let number = chunk_of(&records.chunks, slot);
        let Some(chunk) = records.chunks.get_mut(number) else { return };
        if let Ok(place) = chunk.binary_search_by_key(&slot, |&(slot, _)| slot) {
            chunk.remove(place);
            if chunk.is_empty() {
                records.chunks.remove(number);
            }
        }
        if records.chunks.is_empty() {
            self.0 = None;
        }
    }

    /// Collects `len` matrices in ascending order of slots, without spare room. Returns an error if the allocator
    /// refuses.
    pub(in crate::store) fn try_of(
        mut matrices: impl Iterator<Item = (u32, Mat34)>,
        len: usize,
    ) -> Result<Self, TryReserveError> {
        if len == 0 {
            return Ok(Self(None));
        }
        let mut chunks = fallible::with_capacity(len.div_ceil(MOST))?;
        let mut remaining = len;
        while remaining > 0 {
            let count = remaining.min(MOST);
            let mut chunk = fallible::with_capacity(count)?;
            chunk.extend(matrices.by_ref().take(count));
            chunks.push(chunk);
            remaining -= count;
        }
        Ok(Self(Some(Boxed::try_new(Records { chunks, remainders: Vec::new() })?)))
    }

    /// Makes room for this many remainders, if there are matrices. Returns an error if the allocator refuses.
    pub(in crate::store) fn try_reserve_remainders(&mut self, count: usize) -> Result<(), TryReserveError> {
        self.0.as_mut().map_or(Ok(()), |records| records.remainders.try_reserve_exact(count))
    }

    /// The slots that have a matrix, in ascending order.
    pub(in crate::store) fn slots(&self) -> impl Iterator<Item = u32> + '_ {
        self.iter_from(0).map(|(slot, _)| slot)
    }

    /// The slots from `first` on that have a matrix, in ascending order, with their matrices.
    pub(in crate::store) fn iter_from(&self, first: u32) -> impl Iterator<Item = (u32, &Mat34)> {
        let chunks = self.chunks();
        let all = chunks[chunk_of(chunks, first).min(chunks.len())..].iter().flatten();
        all.map(|(slot, matrix)| (*slot, matrix)).skip_while(move |&(slot, _)| slot < first)
    }

    pub(in crate::store) fn bytes(&self) -> usize {
        self.0.as_ref().map_or(0, |records| {
            let matrices: usize = records.chunks.iter().map(Vec::capacity).sum();
            size_of::<Records>()
                + records.chunks.capacity() * size_of::<Vec<(u32, Mat34)>>()
                + matrices * size_of::<(u32, Mat34)>()
                + records.remainders.capacity() * size_of::<Remainder>()
        })
    }

    /// Whether there are matrices where there are records, the slots ascend, no chunk is empty or too long, and each
    /// remainder has a matrix.
    pub(in crate::store) fn is_sound(&self) -> bool {
        let matrices = self.is_empty() == self.chunks().is_empty()
            && self.chunks().iter().all(|chunk| (1..=MOST).contains(&chunk.len()))
            && self.slots().is_sorted_by(|a, b| a < b);
        let has_matrix = |remainder: &Remainder| self.get(remainder.slot).is_some();
        let remainders = self.remainders();
        matrices && remainders.iter().all(has_matrix) && remainders.is_sorted_by(|a, b| a.slot < b.slot)
    }
}

impl Records {
    fn remove_remainder(&mut self, slot: u32) {
        if let Ok(place) = self.remainders.binary_search_by_key(&slot, |remainder| remainder.slot) {
            self.remainders.remove(place);
        }
    }

    /// Adds a matrix to a chunk that is full.
    fn insert_beside(&mut self, number: usize, place: usize, record: (u32, Mat34)) {
        match self.chunks.get_mut(number + 1) {
            // Matrices inserted in ascending order fill the chunks completely.
            None if place == MOST => self.chunks.push(vec![record]),
            Some(next) if place == MOST && next.len() < MOST => next.insert(0, record),
            _ => {
                let upper = self.chunks[number].split_off(MOST / 2);
                self.chunks.insert(number + 1, upper);
                let (number, place) = if place > MOST / 2 { (number + 1, place - MOST / 2) } else { (number, place) };
                self.chunks[number].insert(place, record);
            }
        }
    }
}

/// The chunk that has the slot, or where it would be inserted; past the last chunk if there is none.
fn chunk_of(chunks: &[Vec<(u32, Mat34)>], slot: u32) -> usize {
    chunks.partition_point(|chunk| chunk[0].0 <= slot).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

        #[test]
        fn matrices_are_found_as_in_a_map(edits in proptest::collection::vec((0..400_u32, 0..4_u32), 0..900)) {
            let (mut sheared, mut map, edited) = (Sheared::default(), BTreeMap::new(), edits.len());
            for (number, (slot, kind)) in (0_u16..).zip(edits) {
                if kind == 0 {
                    sheared.remove(slot);
                    map.remove(&slot);
                } else {
                    let mut matrix = Mat34::IDENTITY;
                    matrix.rows[0][3] = f32::from(number);
                    sheared.insert(slot, matrix);
                    map.insert(slot, matrix);
                }
                prop_assert!(sheared.is_sound());
                prop_assert_eq!(sheared.get(slot), map.get(&slot));
                prop_assert_eq!((sheared.len(), sheared.is_empty()), (map.len(), map.is_empty()));
            }
            for first in [0, 63, 64, 100, 500] {
                prop_assert!(sheared.iter_from(first).eq(map.range(first..).map(|(&slot, matrix)| (slot, matrix))));
            }
            prop_assert!(sheared.slots().eq(map.keys().copied()));
            let again = Sheared::try_of(map.iter().map(|(&slot, &matrix)| (slot, matrix)), map.len()).unwrap();
            prop_assert!(again.is_sound() && again.iter_from(0).eq(sheared.iter_from(0)));
            prop_assert!(again.bytes() <= sheared.bytes());
            prop_assert!(sheared.chunks().len() <= 1 + edited / 16, "{} chunks", sheared.chunks().len());
        }
    }
}
