//! Local transforms that shear, of the few slots that have such.

use crate::fallible::Boxed;
use crate::math::Mat34;
use crate::store::allocation::Bits;
use std::collections::TryReserveError;

/// Matrices by slot: 8 bytes, and nothing else for columns in which nothing ever sheared.
///
/// Finding, setting and removing a matrix takes O(1). Walks are in ascending order of the slots.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct Sheared(Option<Boxed<Arrays>>);

/// ```text
/// members    a bit a slot    which slots have a matrix
/// places     4 B a slot      where it is in `matrices`; whatever for other slots
/// matrices  48 B a matrix    in no order
/// slots      4 B a matrix    whose it is
/// ```
///
/// Arrays by slot reach as far as the highest slot that ever had a matrix.
#[derive(Clone, Debug, Default)]
struct Arrays {
    members: Bits,
    places: Vec<u32>,
    matrices: Vec<Mat34>,
    slots: Vec<u32>,
}

impl Arrays {
    fn place(&self, slot: u32) -> Option<usize> {
        self.members.contains(slot).then(|| self.places[slot as usize] as usize)
    }

    fn insert(&mut self, slot: u32, matrix: Mat34) {
        if let Some(place) = self.place(slot) {
            self.matrices[place] = matrix;
            return;
        }
        if self.places.len() <= slot as usize {
            self.places.resize(slot as usize + 1, 0);
        }
        self.places[slot as usize] = u32::try_from(self.matrices.len()).expect("there are fewer matrices than slots");
        self.members.insert(slot);
        self.matrices.push(matrix);
        self.slots.push(slot);
    }

    fn remove(&mut self, slot: u32) {
        let Some(place) = self.place(slot) else { return };
        self.members.remove(slot);
        self.matrices.swap_remove(place);
        self.slots.swap_remove(place);
        if let Some(&moved) = self.slots.get(place) {
            self.places[moved as usize] = self.places[slot as usize];
        }
    }
}

impl Sheared {
    #[inline(always)]
    pub(in crate::store) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline(always)]
    pub(in crate::store) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |arrays| arrays.matrices.len())
    }

    pub(in crate::store) fn get(&self, slot: u32) -> Option<&Mat34> {
        let arrays = self.0.as_ref()?;
        arrays.place(slot).map(|place| &arrays.matrices[place])
    }

    /// Sets the matrix of a slot.
    pub(in crate::store) fn insert(&mut self, slot: u32, matrix: Mat34) {
        self.0.get_or_insert_default().insert(slot, matrix);
    }

    /// Forgets the matrix of a slot, if it has one.
    pub(in crate::store) fn remove(&mut self, slot: u32) {
        if let Some(arrays) = &mut self.0 {
            arrays.remove(slot);
        }
    }

    /// The matrices of these slots, which are all different, or an error where the allocator refuses.
    pub(in crate::store) fn try_of(slots: &[u32], matrices: &[Mat34]) -> Result<Self, TryReserveError> {
        let Some(&last) = slots.iter().max() else { return Ok(Self::default()) };
        let mut arrays = Boxed::try_new(Arrays::default())?;
        arrays.members.try_reserve(last + 1)?;
        arrays.places.try_reserve_exact(last as usize + 1)?;
        arrays.matrices.try_reserve_exact(slots.len())?;
        arrays.slots.try_reserve_exact(slots.len())?;
        slots.iter().zip(matrices).for_each(|(&slot, matrix)| arrays.insert(slot, *matrix));
        Ok(Self(Some(arrays)))
    }

    /// The slots that have a matrix, ascending.
    pub(in crate::store) fn slots(&self) -> impl Iterator<Item = u32> + '_ {
        self.iter_from(0).map(|(slot, _)| slot)
    }

    /// The slots from `first` on that have a matrix, ascending, and the matrices.
    pub(in crate::store) fn iter_from(&self, first: u32) -> impl Iterator<Item = (u32, &Mat34)> {
        let arrays = self.0.as_ref().filter(|arrays| !arrays.matrices.is_empty());
        let matrix = |arrays: &'_ Boxed<Arrays>, slot: u32| arrays.places[slot as usize] as usize;
        arrays.into_iter().flat_map(move |arrays| {
            arrays.members.iter_from(first).map(move |slot| (slot, &arrays.matrices[matrix(arrays, slot)]))
        })
    }

    pub(in crate::store) fn bytes(&self) -> usize {
        let arrays = |arrays: &Boxed<Arrays>| {
            let Arrays { members, places, matrices, slots } = &**arrays;
            let numbers = places.capacity() + slots.capacity();
            size_of::<Arrays>()
                + members.bytes()
                + numbers * size_of::<u32>()
                + matrices.capacity() * size_of::<Mat34>()
        };
        self.0.as_ref().map_or(0, arrays)
    }

    /// Whether every member has a place of its own.
    pub(in crate::store) fn is_consistent(&self) -> bool {
        self.0.as_ref().is_none_or(|arrays| {
            let Arrays { members, matrices, slots, .. } = &**arrays;
            let placed = (0..).zip(slots).all(|(place, &slot)| arrays.place(slot) == Some(place));
            members.count() == matrices.len() && slots.len() == matrices.len() && placed
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        #[test]
        fn matrices_are_found_as_in_a_map(edits in proptest::collection::vec((0..200_u32, 0..3_u32), 0..300)) {
            let (mut sheared, mut map) = (Sheared::default(), BTreeMap::new());
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
                prop_assert!(sheared.is_consistent());
                prop_assert_eq!(sheared.get(slot), map.get(&slot));
                prop_assert_eq!((sheared.len(), sheared.is_empty()), (map.len(), map.is_empty()));
            }
            for first in [0, 63, 64, 100, 500] {
                prop_assert!(sheared.iter_from(first).eq(map.range(first..).map(|(&slot, matrix)| (slot, matrix))));
            }
            prop_assert!(sheared.slots().eq(map.into_keys()));
        }
    }
}
