//! Matrices relative to a camera, composed in double precision: for worlds larger than single precision is exact in.

use crate::store::{Slice, Store};
use crate::{Local, Mat34};
use core::ops::Range;
use glam::{DAffine3, DVec3};

/// Matrices by index of the draw list, and what a walk needs to compute them.
#[derive(Clone, Debug)]
pub(crate) struct Relative {
    pub(crate) matrices: Vec<Mat34>,
    /// World transforms of the present slice by slot, and what each slice inherits, by number: kept to spare allocations.
    wide: Vec<DAffine3>,
    bases: Vec<DAffine3>,
}

impl Relative {
    pub(crate) const EMPTY: Self = Self { matrices: Vec::new(), wide: Vec::new(), bases: Vec::new() };

    /// Computes the matrices of a list whose segments are all slices in tree order, each with the range of its shapes, and
    /// whose shapes have these transform slots.
    pub(crate) fn fill(
        &mut self,
        store: &Store,
        camera: DVec3,
        segments: impl Iterator<Item = (u32, Range<usize>)>,
        slots: &[u32],
    ) {
        self.matrices.clear();
        self.matrices.reserve(slots.len());
        self.bases.clear();
        self.bases.resize(store.slices.len(), DAffine3::IDENTITY);
        for (number, range) in segments {
            let slice = store.slice(number);
            slice.compose_wide(&self.bases[number as usize], &mut self.wide);
            for &child in &slice.children {
                let portal = store.slice(child).portal.row;
                self.bases[child as usize] = self.wide[slice.row(portal).transform.index() as usize];
            }
            self.matrices.extend(slots[range].iter().map(|&slot| {
                let DAffine3 { matrix3, translation } = self.wide[slot as usize];
                // Both are large and their difference is small: it is taken before it is rounded.
                Mat34::from_wide(&DAffine3 { matrix3, translation: translation - camera })
            }));
        }
    }
}

impl Slice {
    /// `wide[i] = wide[parent[i]] * local[i]` for every slot, from what the slice inherits. Holes are computed with the rest.
    fn compose_wide(&self, base: &DAffine3, wide: &mut Vec<DAffine3>) {
        let column = &self.transforms;
        wide.clear();
        wide.push(*base);
        for (slot, parent) in (0..).zip(&column.parents).skip(1) {
            let local: Local = column.local(slot);
            wide.push(wide[*parent as usize] * local.to_wide());
        }
    }
}
