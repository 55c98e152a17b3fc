//! Meshes to upload, and procedural solids.

use bytemuck::{Pod, Zeroable};
use hedgerow::glam::{Vec2, Vec3};
use hedgerow::{Aabb, Mat34};
use std::f32::consts::TAU;

/// A vertex in the vertex buffer's layout.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Vertex {
    /// The position.
    pub place: [f32; 3],
    /// The outward normal.
    pub normal: [f32; 3],
    /// Two sets of texture coordinates.
    pub texcoords: [[f32; 2]; 2],
    /// A linear colour that multiplies the surface's colour.
    pub colour: [u8; 4],
}

/// The kind of primitive that indices draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Topology {
    /// A triangle for every three indices.
    #[default]
    Triangles,
    /// A line for every two indices.
    Lines,
    /// A point for each index.
    Points,
}

/// A mesh: vertices, and the indices that draw them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// The vertices.
    pub vertices: Vec<Vertex>,
    /// The indices of vertices to draw.
    pub indices: Vec<u32>,
    /// The topology.
    pub topology: Topology,
    /// Whether figures draw the mesh.
    pub deformed: bool,
    /// The level of detail; 0 is the finest.
    pub level: u8,
}

impl Mesh {
    fn vertex(&mut self, place: Vec3, normal: Vec3, texcoord: Vec2) -> u32 {
        let number = u32::try_from(self.vertices.len()).expect("solids have few vertices");
        let (place, normal) = (place.to_array(), normal.normalize_or(Vec3::Y).to_array());
        let texcoords = [texcoord.to_array(); 2];
        self.vertices.push(Vertex { place, normal, texcoords, colour: [255; 4] });
        number
    }

    /// Adds a flat face with counter-clockwise corners. The texture repeats every metre.
    fn face(&mut self, corners: &[Vec3]) {
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or(Vec3::Y);
        let across = if normal.y.abs() > 0.9 { Vec3::X } else { Vec3::Y.cross(normal).normalize_or(Vec3::X) };
        let up = normal.cross(across);
        let numbers: Vec<u32> = corners
            .iter()
            .map(|&corner| self.vertex(corner, normal, Vec2::new(corner.dot(across), -corner.dot(up))))
            .collect();
        for pair in numbers[1..].windows(2) {
            self.indices.extend([numbers[0], pair[0], pair[1]]);
        }
    }

    /// Adds a solid between two outlines with equally many corners, counter-clockwise from above.
    fn between(&mut self, low: &[Vec3], high: &[Vec3]) {
        for (number, &corner) in low.iter().enumerate() {
            let next = (number + 1) % low.len();
            self.face(&[corner, low[next], high[next], high[number]]);
        }
        self.face(high);
        self.face(&low.iter().rev().copied().collect::<Vec<_>>());
    }

    /// Returns a box whose upper face is scaled by these factors.
    #[must_use]
    pub fn block(bounds: Aabb, [x, z]: [f32; 2]) -> Self {
        let mut mesh = Self::default();
        let middle = bounds.center();
        let corners = |y: f32, x: f32, z: f32| {
            let half = 0.5 * bounds.size() * Vec3::new(x, 0.0, z);
            [(-1.0, 1.0), (1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)]
                .map(|(left, front)| Vec3::new(middle.x + left * half.x, y, middle.z + front * half.z))
        };
        mesh.between(&corners(bounds.min.y, 1.0, 1.0), &corners(bounds.max.y, x, z));
        mesh
    }

    /// Returns a roof with a ridge along x.
    #[must_use]
    pub fn roof(bounds: Aabb) -> Self {
        let mut mesh = Self::default();
        let Aabb { min, max } = bounds;
        let [a, b, c, d] =
            [(min.x, max.z), (max.x, max.z), (max.x, min.z), (min.x, min.z)].map(|(x, z)| Vec3::new(x, min.y, z));
        let middle = bounds.center().z;
        let [left, right] = [min.x, max.x].map(|x| Vec3::new(x, max.y, middle));
        mesh.face(&[a, b, right, left]);
        mesh.face(&[c, d, left, right]);
        mesh.face(&[b, c, right]);
        mesh.face(&[d, a, left]);
        mesh.face(&[d, c, b, a]);
        mesh
    }

    /// Returns a round column along y, or along x if `lying`; the factor `narrow` scales the far end.
    #[must_use]
    pub fn column(bounds: Aabb, sides: u16, narrow: f32, lying: bool) -> Self {
        let mut mesh = Self::default();
        // Positions are first in a box from -1 to 1.
        let place = |[x, y, z]: [f32; 3]| {
            let unit = if lying { Vec3::new(y, x, -z) } else { Vec3::new(x, y, z) };
            bounds.center() + 0.5 * bounds.size() * unit
        };
        let normal = |[x, y, z]: [f32; 3]| if lying { Vec3::new(y, x, -z) } else { Vec3::new(x, y, z) };
        let around = |step: u16| (TAU * f32::from(step) / f32::from(sides)).sin_cos();
        for step in 0..sides {
            let [(s0, c0), (s1, c1)] = [around(step), around(step + 1)];
            let corners =
                [[c1, -1.0, s1], [c0, -1.0, s0], [c0 * narrow, 1.0, s0 * narrow], [c1 * narrow, 1.0, s1 * narrow]];
            let normals = [[c1, 0.0, s1], [c0, 0.0, s0], [c0, 0.0, s0], [c1, 0.0, s1]];
            let [a, b, c, d] = std::array::from_fn(|at| {
                mesh.vertex(place(corners[at]), normal(normals[at]), Vec2::new(0.0, corners[at][1]))
            });
            mesh.indices.extend([a, b, c, a, c, d]);
        }
        for (y, narrow) in [(-1.0, 1.0), (1.0, narrow)] {
            let rim = (0..sides).map(|step| {
                let (s, c) = around(if y > 0.0 { sides - step } else { step });
                place([c * narrow, y, s * narrow])
            });
            mesh.face(&rim.collect::<Vec<_>>());
        }
        mesh
    }

    /// Returns a dented ball that fills the box.
    #[must_use]
    pub fn foliage(bounds: Aabb, rings: u16, sides: u16) -> Self {
        let mut mesh = Self::default();
        let unit = |ring: u16, step: u16| {
            let (up, across) = (std::f32::consts::PI * f32::from(ring) / f32::from(rings)).sin_cos();
            let (s, c) = (TAU * (f32::from(step) + 0.5 * f32::from(ring % 2)) / f32::from(sides)).sin_cos();
            let direction = Vec3::new(c * up, across, s * up);
            let pole = ring == 0 || ring == rings;
            let dent = if pole { 1.0 } else { 1.0 - 0.14 * f32::from((ring * 5 + (step % sides) * 3) % 4) / 3.0 };
            (direction, direction * dent)
        };
        for ring in 0..=rings {
            for step in 0..=sides {
                let (normal, place) = unit(ring, step);
                let place = bounds.center() + 0.5 * bounds.size() * place;
                mesh.vertex(place, normal, Vec2::new(f32::from(step), f32::from(ring)));
            }
        }
        let row = u32::from(sides) + 1;
        for ring in 0..u32::from(rings) {
            for step in 0..u32::from(sides) {
                let [a, b] = [ring * row + step, (ring + 1) * row + step];
                mesh.indices.extend([a, a + 1, b + 1, a, b + 1, b]);
            }
        }
        mesh
    }

    /// Returns the triangles whose first corner has a normal that `fits` accepts.
    #[must_use]
    pub fn facing(&self, fits: impl Fn(Vec3) -> bool) -> Self {
        let fits = |corners: &&[u32; 3]| fits(self.vertices[corners[0] as usize].normal.into());
        let indices = self.indices.as_chunks().0.iter().filter(fits).flatten().copied().collect();
        Self { indices, ..self.clone() }
    }

    /// Appends another mesh, transformed by a matrix, in one colour.
    pub fn append(&mut self, other: &Self, matrix: &Mat34, colour: [u8; 4]) {
        let first = u32::try_from(self.vertices.len()).expect("solids have few vertices");
        self.indices.extend(other.indices.iter().map(|index| first + index));
        self.vertices.extend(other.vertices.iter().map(|vertex| {
            let normal = matrix.transform_vector(vertex.normal.into()).normalize_or(Vec3::Y).to_array();
            Vertex { place: matrix.transform_point(vertex.place.into()).to_array(), normal, colour, ..*vertex }
        }));
    }
}

/// Returns outward normals of shared vertices: means of their faces' normals.
#[must_use]
pub fn normals(places: &[[f32; 3]], indices: &[u32]) -> Vec<[f32; 3]> {
    let mut normals = vec![Vec3::ZERO; places.len()];
    for corners in indices.as_chunks::<3>().0 {
        let [a, b, c] = corners.map(|corner| Vec3::from(places[corner as usize]));
        for &corner in corners {
            normals[corner as usize] += (b - a).cross(c - a);
        }
    }
    normals.into_iter().map(|normal| normal.normalize_or(Vec3::Y).to_array()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solids_are_seen_from_outside() {
        let bounds = Aabb::new(Vec3::new(-1.0, 0.0, -2.0), Vec3::new(3.0, 1.0, 4.0));
        for (name, mesh) in [
            ("block", Mesh::block(bounds, [0.5, 0.8])),
            ("roof", Mesh::roof(bounds)),
            ("column", Mesh::column(bounds, 6, 0.7, false)),
            ("wheel", Mesh::column(bounds, 6, 1.0, true)),
            ("foliage", Mesh::foliage(bounds, 5, 8)),
        ] {
            let place = |index: u32| Vec3::from(mesh.vertices[index as usize].place);
            let mut volume = 0.0;
            for &[a, b, c] in mesh.indices.as_chunks::<3>().0 {
                let normal = Vec3::from(mesh.vertices[a as usize].normal);
                let face = (place(b) - place(a)).cross(place(c) - place(a));
                assert!(face.length() < 1e-4 || face.dot(normal) > 0.0, "{name}: {face} {normal}");
                volume += place(a).dot(place(b).cross(place(c))) / 6.0;
            }
            assert!(volume > 4.0, "{name} is closed, and its corners counter-clockwise: {volume}");
            let held = Aabb::from_points((0..mesh.vertices.len()).map(|at| Vec3::from(mesh.vertices[at].place)));
            assert!(Aabb::new(bounds.min - 1e-4, bounds.max + 1e-4).contains_box(&held), "{name}");
        }
    }
}
