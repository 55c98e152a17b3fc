//! What a box or a frustum contains.

use super::node::Child;
use super::{SLACK, TriangleTree, WAITING};
use core::ops::ControlFlow;
use hedgerow_math::glam::{DVec3, Vec3};
use hedgerow_math::{LocalVolume, Touch, Triangles};

impl TriangleTree {
    /// Calls `each` with every triangle that has a point in a volume, and whether the whole triangle is in it, until
    /// `each` breaks. The order is that of the tree.
    ///
    /// ```
    /// # use core::ops::ControlFlow;
    /// # use hedgerow_mesh::glam::Vec3;
    /// # use hedgerow_mesh::{Aabb, LocalVolume, TriangleTree, Triangles};
    /// let positions = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 0.0]];
    /// let mesh = Triangles::new(&positions, &[[0, 1, 2], [0, 2, 3]]);
    /// let tree = TriangleTree::build(mesh)?;
    /// let (corner, mut found) = (LocalVolume::of_box(&Aabb::new(Vec3::new(3.0, -1.0, -1.0), Vec3::new(5.0, 2.0, 1.0))), Vec::new());
    /// tree.each_in(mesh, &corner, |triangle, whole| {
    ///     found.push((triangle, whole));
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(found, [(0, false)]);
    /// # Ok::<(), hedgerow_mesh::TriangleTreeError>(())
    /// ```
    pub fn each_in(
        &self,
        mesh: Triangles<'_>,
        volume: &LocalVolume,
        mut each: impl FnMut(u32, bool) -> ControlFlow<()>,
    ) {
        let moved = volume.moved(self.frame.center.as_dvec3(), self.frame.scale().into());
        // Whether the node is in the volume as a whole, so that nothing in it is tested.
        let mut waiting = [(0_u32, false); WAITING];
        let mut count = usize::from(!self.is_empty());
        while count > 0 {
            count -= 1;
            let (at, whole) = waiting[count];
            for (child, [min, max]) in self.nodes[at as usize].all() {
                let [min, max] = [min - SLACK, max + SLACK].map(Vec3::as_dvec3);
                let touch = if whole { Touch::Whole } else { moved.touch_box(min, max) };
                match child {
                    _ if touch == Touch::None => {}
                    Child::Node(child) => {
                        waiting[count] = (child, touch == Touch::Whole);
                        count += 1;
                    }
                    Child::Leaf(range) => {
                        for &triangle in &self.order[range] {
                            let Some(corners) = mesh.corners(triangle) else { continue };
                            let exact =
                                if touch == Touch::Whole { touch } else { volume.touch(corners.map(Vec3::as_dvec3)) };
                            if exact != Touch::None && each(triangle, exact == Touch::Whole).is_break() {
                                return;
                            }
                        }
                    }
                }
            }
        }
    }

    /// Returns how much of the mesh is in a volume, for example in the part of a frustum that a selection rectangle
    /// shows. It is [`Touch::Part`] only if a triangle has a point in the volume; boxes do not count.
    ///
    /// Stops at the first triangle that decides; if everything is inside or outside, at the box around everything.
    #[must_use]
    pub fn touch(&self, mesh: Triangles<'_>, volume: &LocalVolume) -> Touch {
        let (center, half) = (self.frame.center.as_dvec3(), self.frame.half.as_dvec3());
        if self.is_empty() {
            return Touch::None;
        }
        let [min, max]: [DVec3; 2] = [center - half, center + half];
        match volume.touch_box(min, max) {
            Touch::Part => {}
            clear => return clear,
        }
        let (mut inside, mut touch) = (0, Touch::None);
        self.each_in(mesh, volume, |_, whole| {
            inside += usize::from(whole);
            touch = Touch::Part;
            if whole { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if inside == self.len() { Touch::Whole } else { touch }
    }
}
