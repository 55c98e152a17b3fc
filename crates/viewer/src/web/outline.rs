//! Projects boxes into the picture.

use crate::camera::Camera;
use crate::lines::{EDGES, corners};
use hedgerow::Aabb;
use hedgerow::glam::{DVec3, Vec2, Vec4, Vec4Swizzles as _};

/// The least visible depth, as a fraction of the clip-space depth of one metre.
const NEAR: f32 = 1e-3;

/// Returns the edges of a box in normalised device coordinates, without parts behind the camera.
pub(super) fn edges(bounds: &Aabb, camera: &Camera, aspect: f32) -> Vec<[Vec2; 2]> {
    let matrix = camera.view_projection(aspect);
    let corners = corners(bounds, camera.eye).map(|corner| matrix * corner.extend(1.0));
    let ends = EDGES.into_iter().filter_map(|[a, b]| before(corners[a], corners[b]));
    ends.map(|ends| ends.map(|end| end.xy() / end.w)).collect()
}

/// Returns a line between two positions in normalised device coordinates, without the part behind the camera.
pub(super) fn line(ends: [DVec3; 2], camera: &Camera, aspect: f32) -> Option<[Vec2; 2]> {
    let matrix = camera.view_projection(aspect);
    let [a, b] = ends.map(|end| matrix * (end - camera.eye).as_vec3().extend(1.0));
    before(a, b).map(|ends| ends.map(|end| end.xy() / end.w))
}

/// Returns the part of an edge that is in front of the camera.
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
