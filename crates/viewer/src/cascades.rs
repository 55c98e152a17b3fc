//! The shadow cascades of the sun: boxes around slices of the view frustum, aligned with the sun's rays.

use crate::camera::{Camera, Lens};
use hedgerow::glam::{DVec3, Mat4, Vec3, Vec4};

/// The number of cascades.
pub const CASCADES: usize = 3;

/// One cascade.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cascade {
    /// The matrix from camera-relative positions to the cascade's texture. Depth goes from 0 (near the sun) to 1. Its
    /// frustum contains the shadow casters.
    pub matrix: Mat4,
    /// The matrix from world space to the cascade's texture.
    pub world: Mat4,
    /// The distance along the view at which the cascade ends.
    pub end: f32,
    /// The size of a texel, in metres.
    pub texel: f32,
}

/// Returns the cascades of a camera up to `distance`. `sun` points to the sun, `reach` is the distance of the farthest
/// shadow caster, and `texels` is the width of a texture. Boxes move by whole texels, so shadow edges do not crawl.
#[must_use]
pub fn cascades(
    camera: &Camera,
    aspect: f32,
    sun: Vec3,
    distance: f32,
    reach: f32,
    texels: u32,
) -> [Cascade; CASCADES] {
    let back = sun.try_normalize().unwrap_or(Vec3::Y);
    let right = Camera::above(back).cross(back).normalize();
    let up = back.cross(right);
    let rotation = Mat4::from_cols(right.extend(0.0), up.extend(0.0), back.extend(0.0), Vec4::W).transpose();
    let [right, up, back] = [right, up, back].map(Vec3::as_dvec3);
    let mut begin = 0.0;
    std::array::from_fn(|number| {
        let share = (number + 1) as f32 / CASCADES as f32;
        let end = distance * share.powf(2.2);
        let (middle, radius) = around(camera, aspect, begin, end);
        begin = end;
        // Places the box at whole texels from the world's origin, in double precision.
        let texel = 2.0 * f64::from(radius) / f64::from(texels);
        let world = camera.eye + middle.as_dvec3();
        let snap = |axis: DVec3| (world.dot(axis) / texel).floor() * texel;
        let centre = right * snap(right) + up * snap(up) + back * world.dot(back);
        let depth = radius + reach;
        let flat = Mat4::from_cols(
            Vec4::new(radius.recip(), 0.0, 0.0, 0.0),
            Vec4::new(0.0, radius.recip(), 0.0, 0.0),
            Vec4::new(0.0, 0.0, -0.5 / depth, 0.0),
            Vec4::new(0.0, 0.0, 0.5, 1.0),
        ) * rotation;
        let from = |origin: DVec3| flat * Mat4::from_translation((origin - centre).as_vec3());
        #[expect(clippy::cast_possible_truncation, reason = "a length")]
        let texel = texel as f32;
        Cascade { matrix: from(camera.eye), world: from(DVec3::ZERO), end, texel }
    })
}

/// Returns a sphere around the view frustum between two distances, independent of the view direction.
fn around(camera: &Camera, aspect: f32, begin: f32, end: f32) -> (Vec3, f32) {
    match camera.lens {
        Lens::Perspective(angle, _) => {
            let half = (0.5 * angle).tan();
            let wide = half.hypot(half * aspect);
            // The point on the axis that is equally far from all corners of both ends, but not beyond the far end.
            let middle = (0.5 * (begin + end) * (1.0 + wide * wide)).min(end);
            (camera.forward * middle, (end - middle).hypot(end * wide))
        }
        Lens::Orthographic(half, _) => {
            let middle = 0.5 * (begin + end);
            (camera.forward * middle, (0.5 * (end - begin)).hypot(half.hypot(half * aspect)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cascade_covers_its_part_of_what_is_seen() {
        let camera = Camera::looking(DVec3::new(1e7, 30.0, -4.0), DVec3::new(1e7 + 9.0, 0.0, -60.0), 0.8);
        let aspect = 1.6;
        let corner = camera.view_projection(aspect).inverse();
        let mut begin = 0.3_f32;
        for cascade in cascades(&camera, aspect, Vec3::new(0.3, 0.8, 0.2), 200.0, 50.0, 1024) {
            for depth in [begin, cascade.end] {
                for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)] {
                    let way = corner.project_point3(Vec3::new(x, y, 0.5));
                    let place = way * (depth / way.dot(camera.forward));
                    let found = cascade.matrix.project_point3(place);
                    assert!(found.x.abs() < 1.01 && found.y.abs() < 1.01, "{found}");
                    assert!((0.0..=1.0).contains(&found.z), "{found}");
                }
            }
            begin = cascade.end;
        }
    }
}
