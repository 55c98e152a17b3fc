//! Flat normals.

use super::read::NORMAL;
use super::split::Split;
use super::{MeshData, MorphDeltas};
use glam::{DVec3, Vec3};

impl MeshData {
    /// Computes flat normals, as glTF demands for triangles without normals. Returns `false` and does nothing if there
    /// are normals, or no triangles.
    ///
    /// Each triangle has its own, on the side from which its corners are counter-clockwise.
    ///
    /// Vertices that triangles with different normals share are split. The vertices keep their indices and their order;
    /// copies are appended to all lists, with joints, weights, morph deltas and attributes. Strips and fans become
    /// lists of triangles. Morph targets that move positions get the deltas of their flat normals. Tangents are
    /// removed. Vertices of no triangle, or only of triangles without area, get the normal +z; if a target gives the
    /// triangle an area, its delta leads from there to the normal of the target.
    ///
    /// [`ImportOptions::with_normals`](crate::ImportOptions::with_normals) does this during the import. Runs in
    /// **O(corners · (log corners + targets))**, and adds at most three vertices for each triangle.
    ///
    /// ```
    /// use hedgerow_gltf::MeshData;
    ///
    /// // Two triangles with a common edge: a sheet, folded by a right angle.
    /// let mut sheet = MeshData::default();
    /// sheet.positions = vec![[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    /// sheet.indices = vec![0, 2, 1, 1, 3, 0];
    /// assert!(sheet.compute_normals());
    /// assert_eq!(sheet.positions.len(), 6);
    /// for (triangle, normal) in sheet.triangles().zip([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]) {
    ///     assert!(triangle.iter().all(|&index| sheet.normals[index as usize] == normal));
    /// }
    /// assert!(!sheet.compute_normals());
    /// ```
    pub fn compute_normals(&mut self) -> bool {
        let triangles: Vec<[u32; 3]> = self.triangles().collect();
        if !self.normals.is_empty() || triangles.is_empty() {
            return false;
        }
        let flat = |delta: Option<&MorphDeltas>| -> Vec<Option<[f32; 3]>> {
            triangles.iter().map(|triangle| self.flat_normal(*triangle, delta)).collect()
        };
        let base = flat(None);
        // `None` for targets that leave positions as they are.
        let morphed: Vec<Option<Vec<Option<[f32; 3]>>>> =
            self.targets.iter().map(|target| (!target.positions.is_empty()).then(|| flat(Some(target)))).collect();
        let triangle = |corner: u32| corner as usize / 3;
        let same = |a, b| morphed.iter().flatten().all(|of| of[triangle(a)] == of[triangle(b)]);
        // A triangle that only a target opens needs vertices of its own, too.
        let opened = |at: usize| morphed.iter().flatten().any(|of| of[at].is_some()).then_some(NORMAL);
        let value = |corner| base[triangle(corner)].or_else(|| opened(triangle(corner)));
        let split = Split::of(self.positions.len(), &triangles, value, same);
        let rest = |corner: Option<u32>| corner.and_then(|corner| base[triangle(corner)]).unwrap_or(NORMAL);
        let normals = split.values(|_, corner| rest(corner));
        let deltas: Vec<Vec<[f32; 3]>> = morphed
            .iter()
            .map(|of_target| {
                let Some(of_target) = of_target else { return Vec::new() };
                split.values(|_, corner| {
                    let (from, to) = (rest(corner), corner.and_then(|corner| of_target[triangle(corner)]));
                    to.map_or([0.0; 3], |to| core::array::from_fn(|axis| to[axis] - from[axis]))
                })
            })
            .collect();
        // Tangents of the file belong to other normals, and the specification says to ignore them.
        self.tangents = Vec::new();
        for target in &mut self.targets {
            (target.normals, target.tangents) = (Vec::new(), Vec::new());
        }
        split.apply(self);
        self.normals = normals;
        self.targets.iter_mut().zip(deltas).for_each(|(target, deltas)| target.normals = deltas);
        true
    }

    /// Returns the normal of a triangle, at weight 1 of a target if one is given; `None` if the triangle has no area.
    fn flat_normal(&self, triangle: [u32; 3], target: Option<&MorphDeltas>) -> Option<[f32; 3]> {
        // Double precision: products of single-precision numbers neither overflow nor vanish.
        let at = |list: &[[f32; 3]], index: u32| Some(DVec3::from_array(list.get(index as usize)?.map(f64::from)));
        let corner = |index| {
            let delta = target.and_then(|target| at(&target.positions, index)).unwrap_or_default();
            Some(at(&self.positions, index)? + delta)
        };
        let [a, b, c] = triangle.map(corner);
        let normal = (b? - a?).cross(c? - a?).try_normalize()?;
        // Adding zero makes zeros positive, so that equal normals have equal bits.
        Some((normal.as_vec3() + Vec3::ZERO).to_array())
    }
}
