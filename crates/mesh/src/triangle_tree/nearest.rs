//! The nearest point of a mesh.

use super::node::Child;
use super::{SLACK, TriangleTree, WAITING};
use hedgerow_math::Triangles;
use hedgerow_math::glam::{DAffine3, DVec3};

/// What a point snaps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Snap {
    /// Any point of a triangle.
    Face,
    /// The edges of triangles.
    Edge,
    /// The corners of triangles.
    Vertex,
}

/// The point of a mesh that is nearest to another point; see [`TriangleTree::nearest`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestPoint {
    /// The point, in the world.
    pub point: DVec3,
    /// The distance, in the world.
    pub distance: f64,
    /// The triangle.
    pub triangle: u32,
    /// The weights of the triangle's corners at the point. On an edge one of them is 0, at a corner two.
    pub barycentric: [f64; 3],
}

impl TriangleTree {
    /// Returns the point of the mesh that is nearest to `point`, at a distance of at most `limit`. Of equally near ones,
    /// it is on the triangle with the lowest number.
    ///
    /// `world` maps the mesh's space to that of `point`, as [`NodeRef::world_f64`] does; [`DAffine3::IDENTITY`] if they
    /// are the same. Distances are right for any matrix, also of uneven scales and shears. The less even the scales,
    /// the more triangles are tested; if the matrix has no inverse, all.
    ///
    /// To snap, cast a ray first, and then look for the nearest vertex or edge around the hit. To touch, list the nodes
    /// whose boxes are near by [`Scene::query`] with a sphere, and keep those with a point within its radius.
    ///
    /// ```
    /// # use hedgerow_mesh::glam::{DAffine3, DVec3};
    /// # use hedgerow_mesh::{Snap, TriangleTree, Triangles};
    /// let positions = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 0.0]];
    /// let mesh = Triangles::new(&positions, &[[0, 1, 2], [0, 2, 3]]);
    /// let tree = TriangleTree::build(mesh)?;
    /// let wide = DAffine3::from_scale(DVec3::new(10.0, 1.0, 1.0));
    /// let near = |to| tree.nearest(mesh, &wide, DVec3::new(35.0, 1.0, 2.0), 9.0, to).expect("within 9").point;
    /// assert_eq!(near(Snap::Face), DVec3::new(35.0, 1.0, 0.0));
    /// assert_eq!(near(Snap::Edge), DVec3::new(35.0, 0.0, 0.0));
    /// assert_eq!(near(Snap::Vertex), DVec3::new(40.0, 0.0, 0.0));
    /// # Ok::<(), hedgerow_mesh::TriangleTreeError>(())
    /// ```
    ///
    /// [`NodeRef::world_f64`]: https://docs.rs/hedgerow/latest/hedgerow/struct.NodeRef.html#method.world_f64
    /// [`Scene::query`]: https://docs.rs/hedgerow/latest/hedgerow/struct.Scene.html#method.query
    #[must_use]
    pub fn nearest(
        &self,
        mesh: Triangles<'_>,
        world: &DAffine3,
        point: DVec3,
        limit: f64,
        to: Snap,
    ) -> Option<NearestPoint> {
        let (matrix, inverse) = (world.matrix3, world.matrix3.inverse());
        // Relative to the mesh's origin, so that far places cost no digits.
        let point = point - world.translation;
        let near = inverse * point;
        // The inverse stretches no vector by more than the root of this norm, which is exact for a rotation of scales.
        let square = inverse * inverse.transpose();
        let sums = [square.x_axis, square.y_axis, square.z_axis].map(|axis| axis.abs().element_sum());
        let most = sums.into_iter().fold(0.0, f64::max).sqrt();
        // How far rounding of the inverse, from cross products and a determinant, may have moved the point.
        let [a, b, c] = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(DVec3::length);
        let unit = 1e-15 / matrix.determinant().abs();
        let error = unit * (a * b * c);
        let lost = unit * (a * b + b * c + c * a) * point.length() + error * near.length();
        let sound = most > 0.0 && error < 1e-7 && lost.is_finite();
        // In the world, a box is at least `shrink` times as far from the point as in the mesh's space.
        let (near, lost, shrink) = if sound { (near, lost, most.recip()) } else { (DVec3::ZERO, 0.0, 0.0) };
        let scale = f64::from(self.frame.scale());
        let local = (near - self.frame.center.as_dvec3()) * scale;
        let slack = f64::from(SLACK) + lost * scale;
        let mut best = None::<NearestPoint>;
        let mut least = limit;
        let mut waiting = [(0_u32, 0.0_f64); WAITING];
        let mut count = usize::from(!self.is_empty() && point.is_finite());
        while count > 0 {
            count -= 1;
            let (at, off) = waiting[count];
            if off * shrink > least * scale * (1.0 + 1e-6) {
                continue;
            }
            let base = count;
            for (child, [min, max]) in self.nodes[at as usize].all() {
                let (min, max) = (min.as_dvec3(), max.as_dvec3());
                let gap = ((min - local).max(local - max) - slack).max(DVec3::ZERO);
                let off = gap.length();
                if off * shrink > least * scale * (1.0 + 1e-6) {
                    continue;
                }
                match child {
                    Child::Node(child) => {
                        waiting[count] = (child, off);
                        count += 1;
                    }
                    Child::Leaf(range) => {
                        for &triangle in &self.order[range] {
                            let Some(corners) = mesh.corners(triangle) else { continue };
                            let found = nearest_on(corners.map(|corner| matrix * corner.as_dvec3()), point, to);
                            let found = NearestPoint { triangle, ..found };
                            let near = (found.distance, triangle);
                            if found.distance <= least && best.is_none_or(|best| near < (best.distance, best.triangle))
                            {
                                (least, best) = (found.distance, Some(found));
                            }
                        }
                    }
                }
            }
            // The nearest child is searched first.
            waiting[base..count].sort_unstable_by(|a, b| b.1.total_cmp(&a.1));
        }
        best.map(|found| NearestPoint { point: found.point + world.translation, ..found })
    }
}

/// Returns the nearest point of one triangle.
fn nearest_on(corners: [DVec3; 3], point: DVec3, to: Snap) -> NearestPoint {
    let [a, b, c] = corners;
    let of = |weights: [f64; 3]| {
        let on = a * weights[0] + b * weights[1] + c * weights[2];
        NearestPoint { point: on, distance: on.distance(point), triangle: 0, barycentric: weights }
    };
    let nearer = |x: NearestPoint, y: NearestPoint| if y.distance < x.distance { y } else { x };
    let least = |points: [NearestPoint; 3]| points.into_iter().reduce(nearer);
    let vertices = || least([of([1.0, 0.0, 0.0]), of([0.0, 1.0, 0.0]), of([0.0, 0.0, 1.0])]);
    let edges = || {
        let part = |a: DVec3, b: DVec3| {
            let along = (point - a).dot(b - a) / (b - a).length_squared();
            // An edge without length is a point.
            if along.is_nan() { 0.0 } else { along.clamp(0.0, 1.0) }
        };
        let (ab, bc, ca) = (part(a, b), part(b, c), part(c, a));
        least([of([1.0 - ab, ab, 0.0]), of([0.0, 1.0 - bc, bc]), of([ca, 0.0, 1.0 - ca])])
    };
    let found = match to {
        Snap::Vertex => vertices(),
        Snap::Edge => edges(),
        Snap::Face => {
            // The foot of the perpendicular, if it is in the triangle; else the nearest point is on an edge.
            let normal = (b - a).cross(c - a);
            let square = normal.length_squared();
            let weight = |a: DVec3, b: DVec3| (b - a).cross(point - a).dot(normal) / square;
            let (u, v) = (weight(b, c), weight(c, a));
            let weights = [u, v, 1.0 - u - v];
            let inside = weights.iter().all(|&weight| weight >= 0.0);
            // Of a needle, the foot may be far off by rounding, though in the triangle.
            if inside { edges().map(|edge| nearer(of(weights), edge)) } else { edges() }
        }
    };
    found.unwrap_or_else(|| of([1.0, 0.0, 0.0]))
}
