//! A tree over the triangles of a mesh.

mod build;
mod bytes;
mod cast;
mod error;
mod nearest;
mod node;
mod within;

pub use error::TriangleTreeError;
pub use nearest::{NearestPoint, Snap};

#[cfg(doc)]
use hedgerow_math::Triangles;
use hedgerow_math::glam::{DVec3, Vec3};
use node::{Bounds, Node};

/// The greatest number of triangles in a leaf.
const LEAF: usize = 4;

/// The greatest number of nodes above a node. Lists are split where the boxes are best as long as halving them could
/// still keep to it: see `may_be_uneven`.
const DEPTH: u32 = 12;

/// The greatest number of nodes that wait in a walk: on each level a node leaves, and at most eight come.
const WAITING: usize = 7 * (DEPTH as usize + 1) + 1;

/// The greatest number of triangles.
const MOST: usize = 1 << 30;

/// A tree over the triangles of a mesh that finds what a ray hits, what a box or frustum contains, and which point is
/// nearest.
///
/// It does not own the mesh: all queries take the [`Triangles`] that it was built from, or last refitted to. With other
/// triangles the results are wrong, but nothing panics.
///
/// Results are exact: each triangle is decided in double precision, so rays do not pass between triangles that share an
/// edge or a corner, and the result is that of testing every triangle. Results are the same on every machine.
///
/// A tree of more than some hundred triangles takes 9 to 12 bytes for each. Building sorts: **O(n log n)**. Queries run in
/// about **O(log n)**, and at most in O(n).
///
/// ```
/// use hedgerow_mesh::glam::DVec3;
/// use hedgerow_mesh::{Faces, LocalRay, TriangleTree, Triangles};
///
/// let positions = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 0.0]];
/// let mesh = Triangles::new(&positions, &[[0, 1, 2], [0, 2, 3]]);
/// let tree = TriangleTree::build(mesh)?;
///
/// let ray = LocalRay { origin: DVec3::new(3.0, 1.0, 5.0), direction: DVec3::NEG_Z };
/// let hit = tree.cast(mesh, &ray, f64::INFINITY, Faces::Both).expect("the square is in the way");
/// assert_eq!((hit.t, hit.triangle, hit.barycentric), (5.0, 0, [0.25, 0.5, 0.25]));
/// assert!(hit.front && hit.normal == DVec3::Z);
/// assert_eq!(tree.cast(mesh, &ray, 4.5, Faces::Both), None);
/// # Ok::<(), hedgerow_mesh::TriangleTreeError>(())
/// ```
///
/// Sources: H. Ylitie, T. Karras, S. Laine, "Efficient incoherent ray traversal on GPUs through compressed wide BVHs",
/// 2017, for the nodes; I. Wald, "On fast construction of SAH-based bounding volume hierarchies", 2007, for building.
#[derive(Clone, Debug, PartialEq)]
pub struct TriangleTree {
    /// A parent comes before its children; none if there are no triangles.
    nodes: Vec<Node>,
    /// The triangles by leaf, in the order of their numbers within a leaf.
    order: Vec<u32>,
    frame: Frame,
}

/// The space of the boxes: the middle of the mesh is zero, and half its greatest extent is below 1 (below 4 if it is
/// beyond 2¹²⁶). So one tolerance suits all sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Frame {
    center: Vec3,
    /// Half the extents, enlarged by rounding errors.
    half: Vec3,
}

/// What boxes are enlarged by in the walks: more than twenty roundings of coordinates in the space of the tree.
const SLACK: f32 = 5e-6;

impl Frame {
    const EMPTY: Self = Self { center: Vec3::ZERO, half: Vec3::ZERO };

    fn of(bounds: &Bounds) -> Self {
        let (min, max) = (bounds.min.truncate().as_dvec3(), bounds.max.truncate().as_dvec3());
        let center = ((min + max) * 0.5).as_vec3();
        let half = (max - center.as_dvec3()).max(center.as_dvec3() - min);
        Self { center, half: (half + half.max_element() * 1e-6).min(DVec3::splat(f32::MAX.into())).as_vec3() }
    }

    /// Returns the power of two by which the space is scaled.
    fn scale(&self) -> f32 {
        // The exponent of the half extent, rounded up; as a power of two its inverse is exact.
        let exponent = (self.half.max_element().to_bits() >> 23).clamp(1, 253);
        f32::from_bits((253 - exponent).max(1) << 23)
    }

    /// Returns a corner of a triangle in this space.
    #[inline(always)]
    fn place(&self, corner: Vec3, scale: f32) -> Vec3 {
        (corner - self.center) * scale
    }
}

impl TriangleTree {
    /// Returns the number of triangles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Returns whether there are no triangles.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Returns the number of bytes that the tree takes on the heap.
    #[must_use]
    pub fn allocated_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.order.capacity() * size_of::<u32>()
    }
}
