//! The transform pass: `world[i] = world[parent[i]] * local[i]` in one forward sweep.

use crate::visit::{Flow, SliceViewMut, SliceVisitorMut};

/// Computes the world matrices of each visited slice.
///
/// [`Scene::update`](crate::Scene::update) does the same for the slices with changes; with
/// [`Scene::visit_slices_mut`](crate::Scene::visit_slices_mut) it runs over all. Source: the thesis, sections 3.2.2 and
/// 4.3.1. The layout by slots instead of pointers is that of the Molecule skeleton (part 2, hierarchical data): parents
/// come before children.
#[derive(Clone, Copy, Debug)]
pub struct TransformPass {
    everything: bool,
}

impl TransformPass {
    /// A pass that only computes world matrices that are out of date.
    #[must_use]
    pub const fn dirty() -> Self {
        Self { everything: false }
    }

    /// A pass that computes every world matrix.
    #[must_use]
    pub const fn everything() -> Self {
        Self { everything: true }
    }
}

impl SliceVisitorMut for TransformPass {
    fn slice_mut(&mut self, mut slice: SliceViewMut<'_>) -> Flow {
        slice.propagate(self.everything);
        Flow::Continue
    }
}
