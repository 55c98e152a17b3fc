//! The transform pass: `world[i] = world[parent[i]] * local[i]` in one forward sweep.

use crate::store::Computes;
use crate::visit::{Flow, SliceViewMut, SliceVisitorMut};

/// The pass that computes world matrices, as a visitor of slices: [`Scene::update`](crate::Scene::update) runs when the
/// [visit](crate::Scene::visit_slices_mut) ends, over all slices in order.
///
/// A visitor of your own that sets local transforms can call this pass for a slice, too, to end its visit with an
/// update. Source: the thesis, sections 3.2.2 and 4.3.1. The layout is that of the Molecule skeleton (part 2,
/// hierarchical data): slots instead of pointers, and parents before children.
///
/// ```
/// use hedgerow::{Node, Scene, Transform, visit::TransformPass};
///
/// let mut scene = Scene::new();
/// let lamp = scene.insert(scene.root(), Node::transform(Transform::from_xyz(1.0, 2.0, 3.0)))?;
/// scene.update();
/// scene.visit_slices_mut(&mut TransformPass::everything()); // all again
/// scene.visit_slices_mut(&mut TransformPass::dirty()); // nothing: no matrix is out of date
/// assert_eq!(scene.world(lamp).unwrap().translation().y, 2.0);
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TransformPass {
    computes: Computes,
}

impl TransformPass {
    /// Creates a pass that only computes world matrices that are out of date.
    #[must_use]
    pub const fn dirty() -> Self {
        Self { computes: Computes::OutOfDate }
    }

    /// Creates a pass that computes every world matrix.
    #[must_use]
    pub const fn everything() -> Self {
        Self { computes: Computes::Everything }
    }
}

impl SliceVisitorMut for TransformPass {
    fn slice_mut(&mut self, mut slice: SliceViewMut<'_>) -> Flow {
        slice.compute(self.computes);
        Flow::Continue
    }
}
