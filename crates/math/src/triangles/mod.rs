//! The triangles of a mesh, and what tests of them return.

pub(crate) mod ray_test;
pub(crate) mod volume;

use glam::{DVec3, Vec3};

/// The triangles of a mesh: borrowed positions, and for each triangle the numbers of its three corners.
///
/// The front of a triangle is the side from which its corners run counterclockwise, as in glTF.
///
/// ```
/// use hedgerow_math::Triangles;
///
/// let (positions, indices) = ([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [0, 1, 2]);
/// let triangles = Triangles::new(&positions, indices.as_chunks().0);
/// assert_eq!(triangles.corners(0).unwrap()[1].x, 1.0);
/// assert_eq!(triangles.corners(1), None);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Triangles<'m> {
    /// The positions of the vertices.
    pub positions: &'m [[f32; 3]],
    /// The corners of each triangle. For a flat list of indices, pass `indices.as_chunks().0`.
    pub indices: &'m [[u32; 3]],
}

impl<'m> Triangles<'m> {
    /// Creates the view of a mesh. Checks nothing.
    #[must_use]
    pub const fn new(positions: &'m [[f32; 3]], indices: &'m [[u32; 3]]) -> Self {
        Self { positions, indices }
    }

    /// Returns the corners of a triangle; `None` if there is no such triangle or vertex.
    #[inline]
    #[must_use]
    pub fn corners(&self, triangle: u32) -> Option<[Vec3; 3]> {
        let [a, b, c] = *self.indices.get(triangle as usize)?;
        let at = |vertex: u32| self.positions.get(vertex as usize).map(|&position| Vec3::from_array(position));
        Some([at(a)?, at(b)?, at(c)?])
    }
}

/// Which sides of triangles a ray hits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Faces {
    /// Both sides.
    #[default]
    Both,
    /// Only fronts: what is drawn if back faces are culled.
    Front,
    /// Only backs.
    Back,
}

/// A point where a [`LocalRay`](crate::LocalRay) meets a triangle, in the mesh's space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangleHit {
    /// The point is [`LocalRay::at(t)`](crate::LocalRay::at): the distance in the world, if the ray is from
    /// [`Ray::to_local`](crate::Ray::to_local).
    pub t: f64,
    /// The number of the triangle.
    pub triangle: u32,
    /// The weights of the three corners at this point, from 0 to 1. Their sum is 1.
    pub barycentric: [f32; 3],
    /// The unit vector that is perpendicular to the triangle and points away from its front.
    pub normal: DVec3,
    /// Whether the ray meets the front. A mirrored world transform does not change this.
    pub front: bool,
}

impl TriangleHit {
    /// Returns whether this hit is nearer than another one, or as near on a triangle with a lower number.
    #[inline]
    #[doc(hidden)]
    #[must_use]
    pub fn precedes(&self, other: &Self) -> bool {
        (self.t, self.triangle) < (other.t, other.triangle)
    }
}
