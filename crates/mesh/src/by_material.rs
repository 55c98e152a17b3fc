//! Draws sorted by material, so that each material is bound once.

use crate::{MeshDraw, MeshSet};
use core::ops::Range;
use hedgerow_math::internal::radix::{self, Counts, DIGIT_BITS};

/// The range of draws of one material. Takes 12 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MaterialGroup {
    /// The user's number for the material.
    pub material: u32,
    /// The index of the first draw in [`MaterialDraws::draws`].
    pub first: u32,
    /// The number of draws; at least 1.
    pub count: u32,
}

impl MaterialGroup {
    /// Returns the range of indices in [`MaterialDraws::draws`].
    #[must_use]
    pub const fn range(&self) -> Range<usize> {
        self.first as usize..self.first as usize + self.count as usize
    }
}

/// Draws sorted by material: see [`MeshSet::draws_by_material`]. A list that is reused every frame allocates only when
/// it grows.
#[derive(Clone, Debug, Default)]
pub struct MaterialDraws {
    draws: Vec<MeshDraw>,
    groups: Vec<MaterialGroup>,
    /// Sort keys, with the material in the upper half and the index in the lower half.
    keys: Vec<u64>,
    sorted: Vec<u64>,
    counts: Vec<Counts>,
}

/// The number of digits of a 32-bit material.
const DIGITS: usize = 3;

impl MaterialDraws {
    /// Creates an empty list.
    #[must_use]
    pub const fn new() -> Self {
        Self { draws: Vec::new(), groups: Vec::new(), keys: Vec::new(), sorted: Vec::new(), counts: Vec::new() }
    }

    /// Returns all draws, by ascending material and then by ascending index.
    #[must_use]
    pub fn draws(&self) -> &[MeshDraw] {
        &self.draws
    }

    /// Returns the materials in ascending order, each with the range of its draws.
    #[must_use]
    pub fn groups(&self) -> &[MaterialGroup] {
        &self.groups
    }

    /// Returns each material with its draws.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, &[MeshDraw])> {
        self.groups.iter().map(|group| (group.material, &self.draws[group.range()]))
    }

    /// Sorts keys by material. The keys must be in the order of their indices, and stay in this order within a
    /// material.
    fn sort(&mut self) {
        let Self { keys, sorted, counts, .. } = self;
        radix::sort(keys, sorted, counts, DIGITS, digit_of);
    }
}

#[expect(clippy::cast_possible_truncation, reason = "there are few digits, and each is what the mask leaves")]
const fn digit_of(key: u64, digit: usize) -> usize {
    (key >> (u32::BITS + digit as u32 * DIGIT_BITS)) as usize & ((1 << DIGIT_BITS) - 1)
}

impl MeshSet {
    /// Lists the draws of the visible sub-meshes by material. Replaces the contents of `sorted`.
    ///
    /// Runs in **O(visible)**, with a radix sort of the materials.
    ///
    /// ```
    /// use hedgerow_mesh::{Aabb, MaterialDraws, MeshSet, SubMesh};
    ///
    /// let mut set = MeshSet::new();
    /// let part = |indices, material| SubMesh::new(indices, material, Aabb::cube(1.0));
    /// set.insert(7, &[part(0..30, 4), part(30..36, 2)])?;
    /// set.insert(9, &[part(0..3, 4)])?;
    /// let mut sorted = MaterialDraws::new();
    /// set.draws_by_material(&[0, 1, 2], &mut sorted);
    /// let materials: Vec<_> = sorted.iter().map(|(material, draws)| (material, draws.len())).collect();
    /// assert_eq!(materials, [(2, 1), (4, 2)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// Panics if the indices do not ascend, or if an index is past the last sub-mesh, which can happen if the set was
    /// edited after the list was made.
    pub fn draws_by_material(&self, visible: &[u32], sorted: &mut MaterialDraws) {
        assert!(visible.is_sorted(), "the indices ascend, as those do that a set lists");
        sorted.keys.clear();
        // The index below the material makes keys unique, and keeps the order within a material.
        let key = |&index: &u32| u64::from(self.materials[index as usize]) << u32::BITS | u64::from(index);
        sorted.keys.extend(visible.iter().map(key));
        sorted.sort();
        sorted.draws.clear();
        sorted.groups.clear();
        for (place, &key) in (0..).zip(&sorted.keys) {
            #[expect(clippy::cast_possible_truncation, reason = "the index is what the lower half is")]
            let draw = self.draw(key as u32);
            sorted.draws.push(draw);
            match sorted.groups.last_mut() {
                Some(group) if group.material == draw.material => group.count += 1,
                _ => sorted.groups.push(MaterialGroup { material: draw.material, first: place, count: 1 }),
            }
        }
    }
}
