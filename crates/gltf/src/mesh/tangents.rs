//! Tangents for normal maps, by `MikkTSpace`.

use super::MeshData;
use super::split::Split;
use bevy_mikktspace::{Geometry, Ops, TangentSpace, generate_tangents};
use glam::Vec3;

/// `MikkTSpace` recurses around a vertex, and takes quadratic time there. A vertex takes part in at most this number of
/// triangles at once; if it has more, each batch of triangles has tangents of its own.
const MOST_AROUND: u32 = 256;

impl MeshData {
    /// Computes tangents by `MikkTSpace`, as glTF demands for normal maps without tangents. `texcoords` is the set of
    /// texture coordinates that the normal map uses: [`TextureRef::texcoord`](crate::material::TextureRef::texcoord).
    /// Returns `false` and does nothing if there are tangents, no normals, no such set, or no triangles.
    ///
    /// Vertices that need several tangents, such as those where a mirrored texture meets itself, are split, as
    /// [`compute_normals`](Self::compute_normals) describes. Morph targets that move positions or normals get the
    /// deltas of their tangents. Vertices of no triangle, or of triangles whose corners or texture coordinates span no
    /// area, get any tangent that is orthogonal to the normal, and deltas of zero. Around a vertex of more than 256
    /// triangles, tangents are computed in batches of triangles, so that those at the edge of a batch may differ from
    /// `MikkTSpace`'s.
    ///
    /// [`ImportOptions::with_tangents`](crate::ImportOptions::with_tangents) does this during the import. Runs in
    /// **O(corners · log corners)** for the mesh and for each such target, with about 1 kB of memory for each triangle.
    ///
    /// ```
    /// use hedgerow_gltf::MeshData;
    ///
    /// // The image is upright: u grows along x, and v, which points down in glTF, against y.
    /// let mut sheet = MeshData::default();
    /// sheet.positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// sheet.normals = vec![[0.0, 0.0, 1.0]; 3];
    /// sheet.texcoords = vec![vec![[0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]];
    /// assert!(sheet.compute_tangents(0));
    /// assert_eq!(sheet.tangents, [[1.0, 0.0, 0.0, 1.0]; 3]);
    /// ```
    pub fn compute_tangents(&mut self, texcoords: usize) -> bool {
        let triangles: Vec<[u32; 3]> = self.triangles().collect();
        let is_given = !self.tangents.is_empty() || self.normals.len() != self.positions.len();
        let Some(texcoords) = self.texcoords.get(texcoords).filter(|_| !is_given && !triangles.is_empty()) else {
            return false;
        };
        let faces = Faces { triangles: &triangles, positions: &self.positions, normals: &self.normals, texcoords };
        // One tangent a corner: MikkTSpace splits vertices where tangents differ.
        let base = faces.tangents();
        let split = Split::of(self.positions.len(), &triangles, |corner| base[corner as usize], |_, _| true);
        let tangents = split.values(|before, corner| {
            corner.and_then(|corner| base[corner as usize]).unwrap_or_else(|| {
                let normal = Vec3::from(self.normals[before]).try_normalize().unwrap_or(Vec3::Z);
                normal.any_orthonormal_vector().extend(1.0).to_array()
            })
        });
        let mut deltas = Vec::with_capacity(self.targets.len());
        for target in &self.targets {
            if target.positions.is_empty() && target.normals.is_empty() {
                deltas.push(Vec::new());
                continue;
            }
            let positions = added(faces.positions, &target.positions);
            let mut normals = added(faces.normals, &target.normals);
            normals.iter_mut().for_each(|normal| *normal = Vec3::from(*normal).normalize_or_zero().to_array());
            let moved = Faces { positions: &positions, normals: &normals, ..faces }.tangents();
            deltas.push(split.values(|_, corner| {
                let of = |tangents: &[Option<[f32; 4]>]| tangents[corner? as usize];
                let (Some(from), Some(to)) = (of(&base), of(&moved)) else { return [0.0; 3] };
                core::array::from_fn(|axis| to[axis] - from[axis])
            }));
        }
        split.apply(self);
        self.tangents = tangents;
        self.targets.iter_mut().zip(deltas).for_each(|(target, deltas)| target.tangents = deltas);
        true
    }
}

/// Adds deltas to vectors; missing deltas are zero.
fn added(vectors: &[[f32; 3]], deltas: &[[f32; 3]]) -> Vec<[f32; 3]> {
    let deltas = deltas.iter().chain(core::iter::repeat(&[0.0; 3]));
    vectors.iter().zip(deltas).map(|(vector, delta)| (Vec3::from(*vector) + Vec3::from(*delta)).to_array()).collect()
}

/// Triangles, with the vertex data that their tangents depend on.
#[derive(Clone, Copy)]
struct Faces<'a> {
    triangles: &'a [[u32; 3]],
    positions: &'a [[f32; 3]],
    normals: &'a [[f32; 3]],
    texcoords: &'a [[f32; 2]],
}

impl Faces<'_> {
    /// Returns the tangent of each corner; `None` for a corner that may have any tangent.
    fn tangents(self) -> Vec<Option<[f32; 4]>> {
        let mut tangents = vec![None; 3 * self.triangles.len()];
        for batch in self.batches().chunk_by(|a, b| a.0 == b.0) {
            // No error is possible in this version of the crate; in any case tangents are then left as they are.
            let _ = generate_tangents(&mut Batch { faces: self, batch, tangents: &mut tangents });
        }
        tangents
    }

    /// Returns the triangles with an area, ordered by batch. In a batch, at most about [`MOST_AROUND`] corners have the
    /// same position, normal and texture coordinates.
    fn batches(self) -> Vec<(u32, u32)> {
        // For each hash of a corner: the present batch, and the number of corners in it.
        let mut present = vec![(0_u32, 0_u32); self.positions.len().next_power_of_two()];
        let mut batches = Vec::with_capacity(self.triangles.len());
        for (number, triangle) in (0..).zip(self.triangles) {
            let [Some(a), Some(b), Some(c)] = triangle.map(|index| self.corner(index)) else { continue };
            // A triangle without area has no tangents, and would spread to its neighbours.
            if a.0 == b.0 || b.0 == c.0 || c.0 == a.0 {
                continue;
            }
            let places = [a, b, c].map(|corner| hash(corner) & (present.len() - 1));
            // A triangle goes to the latest batch of its corners; a full corner begins the next batch.
            let batch = places.iter().fold(0, |batch, &place| batch.max(present[place].0));
            for place in places {
                let count = if present[place].0 < batch { 0 } else { present[place].1 } + 1;
                present[place] = if count < MOST_AROUND { (batch, count) } else { (batch + 1, 0) };
            }
            batches.push((batch, number));
        }
        batches.sort_unstable();
        batches
    }

    /// Returns position, normal and texture coordinates of a vertex, with v pointing up as `MikkTSpace` expects; `None`
    /// if a list is too short. Zeros are positive, and numbers that are not finite are zero.
    fn corner(self, index: u32) -> Option<([f32; 3], [f32; 3], [f32; 2])> {
        let index = index as usize;
        let plain = |number: f32| if number.is_finite() { number + 0.0 } else { 0.0 };
        let [u, v] = *self.texcoords.get(index)?;
        Some((self.positions.get(index)?.map(plain), self.normals.get(index)?.map(plain), [plain(u), plain(-v)]))
    }
}

fn hash((position, normal, [u, v]): ([f32; 3], [f32; 3], [f32; 2])) -> usize {
    let numbers = position.into_iter().chain(normal).chain([u, v]);
    let mixed = numbers.fold(0_u64, |hash, number| {
        (hash.rotate_left(23) ^ u64::from(number.to_bits())).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    (mixed >> 32) as usize
}

/// A batch of triangles, for `MikkTSpace`.
struct Batch<'a> {
    faces: Faces<'a>,
    /// The numbers of the triangles, each with its batch.
    batch: &'a [(u32, u32)],
    tangents: &'a mut [Option<[f32; 4]>],
}

impl Batch<'_> {
    fn corner(&self, face: usize, corner: usize) -> ([f32; 3], [f32; 3], [f32; 2]) {
        let index = self.faces.triangles[self.batch[face].1 as usize][corner];
        self.faces.corner(index).expect("triangles with such corners are in no batch")
    }
}

impl Geometry<Portable> for Batch<'_> {
    fn num_faces(&self) -> usize {
        self.batch.len()
    }

    fn num_vertices_of_face(&self, _: usize) -> usize {
        3
    }

    fn position(&self, face: usize, corner: usize) -> [f32; 3] {
        self.corner(face, corner).0
    }

    fn normal(&self, face: usize, corner: usize) -> [f32; 3] {
        self.corner(face, corner).1
    }

    fn tex_coord(&self, face: usize, corner: usize) -> [f32; 2] {
        self.corner(face, corner).2
    }

    fn set_tangent(&mut self, tangent: Option<TangentSpace>, face: usize, corner: usize) {
        let tangent = tangent.map(|tangent| tangent.tangent_encoded());
        let is_direction = |it: &[f32; 4]| Vec3::from_slice(it).is_normalized();
        self.tangents[3 * self.batch[face].1 as usize + corner] = tangent.filter(is_direction);
    }
}

/// Mathematics with the same results on all machines.
struct Portable;

impl Ops for Portable {
    fn sqrt(x: f32) -> f32 {
        x.sqrt()
    }

    /// Returns the angle within 2 × 10⁻⁸: Abramowitz and Stegun, Handbook of Mathematical Functions, 4.4.46.
    #[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is what is asked for")]
    fn acos(x: f32) -> f32 {
        const FACTORS: [f64; 8] = [
            -0.001_262_491_1,
            0.006_670_090_1,
            -0.017_088_125_6,
            0.030_891_881_0,
            -0.050_174_304_6,
            0.088_978_987_4,
            -0.214_598_801_6,
            1.570_796_305_0,
        ];
        let of = f64::from(x.abs());
        let angle = (1.0 - of).max(0.0).sqrt() * FACTORS.iter().fold(0.0, |sum, factor| sum * of + factor);
        (if x < 0.0 { core::f64::consts::PI - angle } else { angle }) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_those_of_the_mathematical_library() {
        for step in -1000_i16..=1000 {
            let x = f32::from(step) / 1000.0;
            assert!((Portable::acos(x) - x.acos()).abs() < 3e-7, "{x}");
        }
    }
}
