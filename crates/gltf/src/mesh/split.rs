//! Splits vertices whose triangles need different values.

use super::{AttributeValues, MeshData, Topology};

/// The vertices of a mesh after each corner of a triangle got a value. A vertex keeps the value of one of its corners;
/// for each other value, a copy of the vertex is appended.
pub(super) struct Split {
    /// The number of vertices before.
    vertices: usize,
    /// The vertex that each appended vertex copies.
    copies: Vec<u32>,
    /// For each vertex, before and appended, a corner that has its value; `None` if no triangle gives it one.
    corners: Vec<Option<u32>>,
    /// The vertex of each corner.
    indices: Vec<u32>,
}

impl Split {
    /// Finds the vertices of triangles. Corner 3 t + c is corner c of triangle t. `value` returns the value of a
    /// corner, or `None` if any value does. Corners of a vertex are ordered by value, then by number; a corner shares
    /// the copy of the one before it if their values are equal and `same` agrees.
    ///
    /// Runs in **O(corners · log corners)**.
    pub(super) fn of<const N: usize>(
        vertices: usize,
        triangles: &[[u32; 3]],
        value: impl Fn(u32) -> Option<[f32; N]>,
        same: impl Fn(u32, u32) -> bool,
    ) -> Self {
        let mut indices = triangles.as_flattened().to_vec();
        let corners = 0..u32::try_from(indices.len()).unwrap_or(u32::MAX);
        // A value is compared by its bits. Sorting makes the result independent of hashes.
        let mut order: Vec<(u32, [u32; N], u32)> = Vec::with_capacity(indices.len());
        let place = |corner| Some((indices[corner as usize], value(corner)?.map(f32::to_bits), corner));
        order.extend(corners.filter_map(place));
        order.sort_unstable();
        let differ = |a: &(u32, [u32; N], u32), b: &(u32, [u32; N], u32)| (a.0, a.1) != (b.0, b.1) || !same(a.2, b.2);
        let copies = order.windows(2).filter(|pair| pair[0].0 == pair[1].0 && differ(&pair[0], &pair[1])).count();
        let mut split =
            Self { vertices, copies: Vec::with_capacity(copies), corners: vec![None; vertices], indices: Vec::new() };
        split.corners.reserve_exact(copies);
        let mut last: Option<(u32, [u32; N], u32)> = None;
        let mut vertex = 0;
        for of_corner in order {
            let (original, _, corner) = of_corner;
            if last.is_none_or(|last| last.0 != original) {
                vertex = original;
                split.corners[original as usize] = Some(corner);
            } else if last.is_some_and(|last| differ(&last, &of_corner)) {
                vertex = u32::try_from(split.corners.len()).unwrap_or(u32::MAX);
                split.copies.push(original);
                split.corners.push(Some(corner));
            }
            indices[corner as usize] = vertex;
            last = Some(of_corner);
        }
        Self { indices, ..split }
    }

    /// Returns a value for each vertex: of its index before the split, and of its corner.
    pub(super) fn values<T>(&self, value: impl Fn(usize, Option<u32>) -> T) -> Vec<T> {
        let before = (0..self.vertices).chain(self.copies.iter().map(|&copied| copied as usize));
        before.zip(&self.corners).map(|(before, &corner)| value(before, corner)).collect()
    }

    /// Appends the copies to all lists of a mesh. If there are copies or the triangles are no list, the mesh becomes a
    /// list of triangles with indices.
    pub(super) fn apply(mut self, data: &mut MeshData) {
        if !self.copies.is_empty() || data.topology != Topology::Triangles {
            data.topology = Topology::Triangles;
            data.indices = core::mem::take(&mut self.indices);
        }
        self.append(&mut data.positions, 1);
        self.append(&mut data.normals, 1);
        self.append(&mut data.tangents, 1);
        data.texcoords.iter_mut().for_each(|set| self.append(set, 1));
        data.colors.iter_mut().for_each(|set| self.append(set, 1));
        self.append(&mut data.joints, data.influences);
        self.append(&mut data.weights, data.influences);
        for target in &mut data.targets {
            self.append(&mut target.positions, 1);
            self.append(&mut target.normals, 1);
            self.append(&mut target.tangents, 1);
        }
        for attribute in &mut data.attributes {
            match &mut attribute.values {
                AttributeValues::Floats { width, numbers } => self.append(numbers, *width),
                AttributeValues::Integers { width, numbers } => self.append(numbers, *width),
            }
        }
    }
    /// Appends the values of copied vertices, `width` values each. A list that has another length, such as an empty one
    /// or one that already has values for the copies, is left as it is.
    fn append<T: Copy>(&self, list: &mut Vec<T>, width: usize) {
        if list.is_empty() || list.len() != width * self.vertices {
            return;
        }
        list.reserve_exact(width * self.copies.len());
        for &copied in &self.copies {
            let start = width * copied as usize;
            list.extend_from_within(start..start + width);
        }
    }
}
