//! Boxes as a camera sees them.

use crate::camera::Camera;
use hedgerow::Aabb;
use hedgerow::glam::{Vec2, Vec3, Vec4, Vec4Swizzles as _};

/// Edges of a box whose corners are numbered by one bit an axis.
const EDGES: [[usize; 2]; 12] =
    [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]];
/// The least depth of what is shown, as a share of what clip space has for one metre.
const NEAR: f32 = 1e-3;

/// The edges of a box, from -1 to 1 to the right and up; without those that lie behind the camera.
pub(super) fn edges(bounds: &Aabb, camera: &Camera, aspect: f32) -> Vec<[Vec2; 2]> {
    let matrix = camera.view_projection(aspect);
    let corner = |number: usize| {
        let side = |axis: usize| if number >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] };
        let away = (Vec3::new(side(0), side(1), side(2)).as_dvec3() - camera.eye).as_vec3();
        matrix * away.extend(1.0)
    };
    let corners: [Vec4; 8] = std::array::from_fn(corner);
    let ends = EDGES.into_iter().filter_map(|[a, b]| before(corners[a], corners[b]));
    ends.map(|ends| ends.map(|end| end.xy() / end.w)).collect()
}

/// The part of an edge that lies before the camera.
fn before(a: Vec4, b: Vec4) -> Option<[Vec4; 2]> {
    match (a.w < NEAR, b.w < NEAR) {
        (false, false) => Some([a, b]),
        (true, true) => None,
        _ => {
            let cut = a + (b - a) * ((NEAR - a.w) / (b.w - a.w));
            Some(if a.w < NEAR { [cut, b] } else { [a, cut] })
        }
    }
}
