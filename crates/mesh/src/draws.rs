//! From visible lists to draws.

use crate::{MeshDraw, MeshSet, ShadowDraw};
use hedgerow_math::internal::prefetch;

/// The prefetch distance in sub-meshes. In a large set, the visible sub-meshes are scattered.
const AHEAD: usize = 24;

impl MeshSet {
    /// Lists the draws of the visible sub-meshes, in the order of `visible`. Replaces the contents of `draws`.
    ///
    /// Runs in **O(visible)**. `visible` is a list of [`cull`](Self::cull), or any other list of indices.
    ///
    /// # Panics
    /// Panics if an index is past the last sub-mesh, which can happen if the set was edited after the list was made.
    pub fn draws(&self, visible: &[u32], draws: &mut Vec<MeshDraw>) {
        draws.clear();
        draws.extend((0..visible.len()).map(|at| {
            if let Some(&ahead) = visible.get(at + AHEAD) {
                prefetch(&self.ranges, ahead as usize);
                prefetch(&self.materials, ahead as usize);
            }
            self.draw(visible[at])
        }));
    }

    /// Lists draws for a depth-only pass, in the order of `visible`: a sub-mesh that starts where the one before ends,
    /// in the same mesh, joins its draw.
    ///
    /// Replaces the contents of `draws`.
    ///
    /// Runs in **O(visible)**.
    ///
    /// ```
    /// use hedgerow_mesh::{Aabb, MeshSet, ShadowDraw, SubMesh};
    ///
    /// let mut set = MeshSet::new();
    /// let part = |indices, material| SubMesh::new(indices, material, Aabb::cube(1.0));
    /// set.insert(7, &[part(0..30, 1), part(30..36, 2), part(60..63, 2)])?;
    /// let mut draws = Vec::new();
    /// set.shadow_draws(&[0, 1, 2], &mut draws);
    /// assert_eq!(draws, [ShadowDraw { mesh: 7, start: 0, count: 36 }, ShadowDraw { mesh: 7, start: 60, count: 3 }]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// Panics if an index is past the last sub-mesh, which can happen if the set was edited after the list was made.
    pub fn shadow_draws(&self, visible: &[u32], draws: &mut Vec<ShadowDraw>) {
        draws.clear();
        draws.reserve(visible.len());
        let ranges = visible.iter().map(|&index| self.ranges[index as usize]);
        for range in ranges {
            // No range ends past 2³² − 1, so the sum of two counts does not overflow.
            match draws.last_mut() {
                Some(last) if last.mesh == range.mesh && last.start + last.count == range.start => {
                    last.count += range.count;
                }
                _ => draws.push(range),
            }
        }
    }

    #[inline]
    pub(crate) fn draw(&self, index: u32) -> MeshDraw {
        self.ranges[index as usize].with_material(self.materials[index as usize])
    }
}
