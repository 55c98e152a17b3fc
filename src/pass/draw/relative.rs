//! Matrices relative to a camera, composed in double precision, for worlds larger than single precision can resolve.

use crate::Mat34;
use crate::store::Store;
use core::ops::Range;
use glam::{DAffine3, DVec3};

/// Matrices by index of the draw list, and what a walk needs to compute them.
#[derive(Clone, Debug)]
pub(crate) struct Relative {
    pub(crate) matrices: Vec<Mat34>,
    /// World transforms of the present slice by slot, and what each slice inherits, by number. Kept to save
    /// allocations.
    wide: Vec<DAffine3>,
    bases: Vec<DAffine3>,
}

impl Relative {
    pub(crate) const EMPTY: Self = Self { matrices: Vec::new(), wide: Vec::new(), bases: Vec::new() };

    /// Computes the matrices of a list. Its segments are all slices in tree order, each with the range of its shapes,
    /// and its shapes have these transform slots.
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
        self.bases.resize(store.slice_end(), DAffine3::IDENTITY);
        for (number, range) in segments {
            let slice = store.view(number);
            slice.transforms().compose_wide(&self.bases[number as usize], &mut self.wide);
            for &child in slice.children() {
                let portal = store.view(child).portal().row;
                self.bases[child as usize] = self.wide[slice.rows().transform(portal) as usize];
            }
            self.matrices.extend(slots[range].iter().map(|&slot| {
                let DAffine3 { matrix3, translation } = self.wide[slot as usize];
                // Both are large and their difference is small, so subtract before rounding.
                Mat34::from_wide(&DAffine3 { matrix3, translation: translation - camera })
            }));
        }
    }
}
