//! Many boxes, as columns in groups of eight.

pub mod kernels;

use crate::{Aabb, Frustum};
use core::ops::Range;
use glam::{Vec3, Vec4};
use std::collections::TryReserveError;

/// The number of boxes that are tested together.
pub const GROUP: usize = 8;
/// The number of boxes in a block: one for each bit of a `u64`.
pub const BLOCK: usize = 64;

/// Eight boxes as columns: 192 bytes, three cache lines. Unused lanes are empty boxes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
pub struct BoxGroup {
    /// The least corner: x, y, z, with a lane for each box.
    pub min: [[f32; GROUP]; 3],
    /// The greatest corner: x, y, z, with a lane for each box.
    pub max: [[f32; GROUP]; 3],
}

impl BoxGroup {
    /// Eight empty boxes.
    pub const EMPTY: Self = Self { min: [[f32::INFINITY; GROUP]; 3], max: [[f32::NEG_INFINITY; GROUP]; 3] };

    /// Creates a group of one box and seven empty boxes.
    #[inline]
    pub fn of(bounds: &Aabb) -> Self {
        let mut group = Self::EMPTY;
        group.set(0, bounds);
        group
    }

    /// Returns the box of a lane.
    #[inline]
    pub fn get(&self, lane: usize) -> Aabb {
        let corner = |columns: &[[f32; GROUP]; 3]| Vec3::from_array(core::array::from_fn(|axis| columns[axis][lane]));
        Aabb { min: corner(&self.min), max: corner(&self.max) }
    }

    /// Replaces the box of a lane.
    #[inline]
    pub fn set(&mut self, lane: usize, bounds: &Aabb) {
        let bounds = if bounds.min.cmple(bounds.max).all() {
            bounds
        } else if bounds.is_empty() {
            &Aabb::EMPTY
        } else {
            // If a number is NaN, the extent is unknown.
            &Aabb::INFINITE
        };
        for axis in 0..3 {
            self.min[axis][lane] = bounds.min[axis];
            self.max[axis][lane] = bounds.max[axis];
        }
    }

    /// Returns a bit mask of the lanes whose boxes are not empty.
    #[inline]
    pub fn present(&self) -> u8 {
        // Empty boxes are stored with min above max on all axes, so one axis tells.
        (0..GROUP).fold(0, |mask, lane| mask | u8::from(self.min[0][lane] <= self.max[0][lane]) << lane)
    }

    /// Extends each box to contain the box of the same lane in `other`.
    #[inline]
    pub fn widen(&mut self, other: &Self) {
        for axis in 0..3 {
            for lane in 0..GROUP {
                self.min[axis][lane] = if other.min[axis][lane] < self.min[axis][lane] {
                    other.min[axis][lane]
                } else {
                    self.min[axis][lane]
                };
                self.max[axis][lane] = if other.max[axis][lane] > self.max[axis][lane] {
                    other.max[axis][lane]
                } else {
                    self.max[axis][lane]
                };
            }
        }
    }

    /// Returns the smallest box around all eight boxes.
    #[inline]
    pub fn merged(&self) -> Aabb {
        // Half of the lanes at a time: a third of the instructions of one box after the other.
        let halves = |[a, b, c, d, e, f, g, h]: [f32; GROUP]| [Vec4::new(a, b, c, d), Vec4::new(e, f, g, h)];
        let min = self.min.map(halves).map(|[low, high]| low.min(high).min_element());
        let max = self.max.map(halves).map(|[low, high]| low.max(high).max_element());
        Aabb { min: min.into(), max: max.into() }
    }
}

/// A list of boxes that tests eight boxes at a time, with the kernels that also cull scenes of `hedgerow`.
///
/// Takes 24 bytes per box, in groups of eight. Empty boxes are stored as [`Aabb::EMPTY`], and culling never finds them.
/// Boxes with NaN are stored as [`Aabb::INFINITE`]. Culling always finds infinite boxes.
///
/// ```
/// use hedgerow_math::glam::{Vec3, Vec4};
/// use hedgerow_math::{Aabb, Boxes, Frustum};
///
/// let mut boxes: Boxes = (0..100).map(|x| Aabb::new(Vec3::splat(x as f32), Vec3::splat(x as f32 + 0.5))).collect();
/// let right_of_97 = Vec4::new(1.0, 0.0, 0.0, -97.2);
/// let all = Vec4::ZERO;
/// let mut visible = Vec::new();
/// boxes.cull(&Frustum::from_planes([right_of_97, all, all, all, all, all])?, &mut visible);
/// assert_eq!(visible, [97, 98, 99]);
/// boxes.set(0, Aabb::EMPTY);
/// assert_eq!((boxes.swap_remove(0), boxes.len()), (Aabb::EMPTY, 99));
/// assert_eq!(boxes.get(0).map(|last| last.min), Some(Vec3::splat(99.0)));
/// # Ok::<(), hedgerow_math::Error>(())
/// ```
///
/// Source of the layout: S. Reinalter's Molecule engine, *Adventures in data-oriented design, part 1: mesh data*.
#[derive(Clone, Debug, Default)]
pub struct Boxes {
    groups: Vec<BoxGroup>,
    len: usize,
}

impl Boxes {
    /// Creates a list without boxes.
    #[must_use]
    pub const fn new() -> Self {
        Self { groups: Vec::new(), len: 0 }
    }

    /// Returns the number of boxes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the list has no boxes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds a box at the end. Runs in amortised **O(1)**.
    pub fn push(&mut self, bounds: Aabb) {
        self.resize(self.len + 1);
        self.set(self.len - 1, bounds);
    }

    /// Replaces a box. Runs in **O(1)**.
    ///
    /// # Panics
    /// Panics if there is no such box.
    #[inline]
    pub fn set(&mut self, index: usize, bounds: Aabb) {
        assert!(index < self.len, "box {index} is out of range of {} boxes", self.len);
        self.groups[index / GROUP].set(index % GROUP, &bounds);
    }

    /// Returns a box, or `None` if there is no such box. Runs in **O(1)**.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Aabb> {
        (index < self.len).then(|| self.groups[index / GROUP].get(index % GROUP))
    }

    /// Removes a box, moves the last box to its index, and returns the removed box. Runs in **O(1)**.
    ///
    /// # Panics
    /// Panics if there is no such box.
    pub fn swap_remove(&mut self, index: usize) -> Aabb {
        let removed = self.get(index).expect("a box of the list");
        let last = self.get(self.len - 1).expect("the list is not empty");
        self.set(index, last);
        self.truncate(self.len - 1);
        removed
    }

    /// Removes all boxes from index `len` on and keeps their memory.
    pub fn truncate(&mut self, len: usize) {
        if len < self.len {
            self.groups.truncate(len.div_ceil(GROUP));
            // Kernels read whole groups, so lanes past the end must be empty.
            for lane in len..self.groups.len() * GROUP {
                self.groups[lane / GROUP].set(lane % GROUP, &Aabb::EMPTY);
            }
            self.len = len;
        }
    }

    /// Removes all boxes and keeps their memory.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Appends the indices of all boxes that touch the frustum to a list, in ascending order.
    ///
    /// Runs in **O(boxes)**, eight boxes at a time. The test is [`Frustum::touches`].
    pub fn cull(&self, frustum: &Frustum, visible: &mut Vec<u32>) {
        self.cull_blocks(0..self.blocks(), frustum, visible);
    }

    /// Returns the number of blocks of 64 boxes; the last block may be partly filled.
    #[inline]
    #[doc(hidden)]
    pub fn blocks(&self) -> usize {
        self.len.div_ceil(BLOCK)
    }

    /// Like [`Self::cull`], but only for a range of blocks.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "no list is longer than the numbers that it is told by")]
    #[doc(hidden)]
    pub fn cull_blocks(&self, blocks: Range<usize>, frustum: &Frustum, visible: &mut Vec<u32>) {
        let of = |block: usize| self.groups.len().min(block * (BLOCK / GROUP));
        let groups = &self.groups[of(blocks.start)..of(blocks.end)];
        kernels::list_in_frustum(groups, (blocks.start * BLOCK) as u32, frustum, visible);
    }

    /// Returns the smallest box around the boxes of a range. Runs in **O(boxes of the range)**.
    #[doc(hidden)]
    pub fn merged(&self, range: Range<usize>) -> Aabb {
        let (first, end) = (range.start.div_ceil(GROUP), range.end.min(self.len) / GROUP);
        let one = |all: Aabb, index: usize| all.merge(&self.groups[index / GROUP].get(index % GROUP));
        // The range has no whole group.
        if first >= end {
            return (range.start..range.end.min(self.len)).fold(Aabb::EMPTY, one);
        }
        let mut lanes = BoxGroup::EMPTY;
        // Whole groups are merged lane by lane, eight boxes at once.
        self.groups[first..end].iter().for_each(|group| lanes.widen(group));
        let edges = (range.start..first * GROUP).chain(end * GROUP..range.end.min(self.len));
        edges.fold(lanes.merged(), one)
    }

    /// Sets the number of boxes: removes boxes from the end or appends empty boxes.
    #[doc(hidden)]
    pub fn resize(&mut self, len: usize) {
        self.truncate(len);
        let groups = len.div_ceil(GROUP);
        if groups > self.groups.capacity() {
            // Grow by a quarter only, because most lists are short, and a group is large.
            let grown = groups.max(self.groups.capacity() / 4 * 5);
            self.groups.reserve_exact(grown - self.groups.len());
        }
        self.groups.resize(groups, BoxGroup::EMPTY);
        self.len = len;
    }

    /// Grows the capacity to this many boxes in total.
    #[doc(hidden)]
    pub fn try_reserve(&mut self, len: usize) -> Result<(), TryReserveError> {
        self.groups.try_reserve_exact(len.div_ceil(GROUP).saturating_sub(self.groups.len()))
    }

    /// Returns all groups. Lanes after the last box are empty boxes.
    #[inline]
    #[doc(hidden)]
    pub fn groups(&self) -> &[BoxGroup] {
        &self.groups
    }

    /// Returns a group of eight boxes. Lanes after the last box must stay empty.
    #[inline]
    #[doc(hidden)]
    pub fn group_mut(&mut self, group: usize) -> &mut BoxGroup {
        &mut self.groups[group]
    }

    /// Returns the groups of the block of 64 boxes that starts at `64 * block`.
    #[inline]
    #[doc(hidden)]
    pub fn block(&self, block: usize) -> &[BoxGroup] {
        let first = block * (BLOCK / GROUP);
        &self.groups[first..self.groups.len().min(first + BLOCK / GROUP)]
    }

    #[doc(hidden)]
    pub fn allocated_bytes(&self) -> usize {
        self.groups.capacity() * size_of::<BoxGroup>()
    }
}

impl FromIterator<Aabb> for Boxes {
    fn from_iter<I: IntoIterator<Item = Aabb>>(boxes: I) -> Self {
        let mut list = Self::new();
        list.extend(boxes);
        list
    }
}

impl Extend<Aabb> for Boxes {
    fn extend<I: IntoIterator<Item = Aabb>>(&mut self, boxes: I) {
        boxes.into_iter().for_each(|bounds| self.push(bounds));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(at: usize) -> Aabb {
        let at = Vec3::splat(at as f32);
        Aabb::new(at, at + 1.0)
    }

    #[test]
    fn a_list_agrees_with_a_vec_through_pushes_removals_and_cuts() {
        let mut boxes = Boxes::new();
        let mut plain = Vec::new();
        for step in 0..400_usize {
            match step % 7 {
                0..4 => {
                    boxes.push(cube(step));
                    plain.push(cube(step));
                }
                4 => assert_eq!(boxes.swap_remove(step % plain.len()), plain.swap_remove(step % plain.len())),
                5 => {
                    boxes.set(step * 5 % plain.len(), cube(step + 1000));
                    let at = step * 5 % plain.len();
                    plain[at] = cube(step + 1000);
                }
                _ if step % 9 == 0 => {
                    boxes.truncate(plain.len() / 2);
                    plain.truncate(plain.len() / 2);
                }
                _ => {
                    boxes.resize(plain.len() + 3);
                    plain.resize(plain.len() + 3, Aabb::EMPTY);
                }
            }
            assert_eq!((0..boxes.len()).filter_map(|at| boxes.get(at)).collect::<Vec<_>>(), plain);
            assert_eq!(boxes.get(plain.len()), None);
            let padding = plain.len()..boxes.groups().len() * GROUP;
            assert!(padding.clone().all(|at| boxes.groups()[at / GROUP].get(at % GROUP) == Aabb::EMPTY));
            for (start, end) in [(0, plain.len()), (plain.len() / 3, plain.len() / 2), (step % plain.len(), usize::MAX)]
            {
                let expected = plain[start..end.min(plain.len())].iter().fold(Aabb::EMPTY, |all, one| all.merge(one));
                assert_eq!(boxes.merged(start..end), expected);
            }
        }
    }

    #[test]
    fn boxes_with_a_component_that_is_no_number_are_kept_as_the_infinite_one_unless_they_are_empty() {
        for component in 0..6 {
            let mut bounds = Aabb::cube(1.0);
            let corner = if component < 3 { &mut bounds.min } else { &mut bounds.max };
            corner[component % 3] = f32::NAN;
            let boxes: Boxes = [bounds].into_iter().collect();
            assert_eq!(boxes.get(0), Some(Aabb::INFINITE));
            let beside = (component + 1) % 3;
            (bounds.min[beside], bounds.max[beside]) = (1.0, -1.0);
            let boxes: Boxes = [bounds].into_iter().collect();
            assert_eq!(boxes.get(0), Some(Aabb::EMPTY));
        }
    }

    #[test]
    fn boxes_that_are_empty_in_any_axis_are_kept_as_the_empty_box() {
        let boxes: Boxes = [Aabb::new(Vec3::ZERO, Vec3::new(1.0, -1.0, 1.0))].into_iter().collect();
        assert_eq!(boxes.get(0), Some(Aabb::EMPTY));
        assert_eq!(boxes.groups()[0].present(), 0);
    }
}
