//! Sunlight with shadows.

use crate::raster::Raster;
use hedgerow::glam::Vec3;

/// The sun with a shadow map: along each ray, the nearest surface is lit.
pub(crate) struct Sun {
    /// The direction to the sun, and two directions across.
    pub(crate) direction: Vec3,
    right: Vec3,
    up: Vec3,
    centre: Vec3,
    /// Half the width of the area with shadows, in metres.
    reach: f32,
    lit: Raster<()>,
}

/// The number of pixels along a side of the shadow map.
const SIDE: usize = 4096;

impl Sun {
    /// Returns a sun with shadows within `reach` metres of `centre`.
    pub(crate) fn new(direction: Vec3, centre: Vec3, reach: f32) -> Self {
        let direction = direction.normalize();
        let right = Vec3::Y.cross(direction).normalize();
        Self { direction, right, up: direction.cross(right), centre, reach, lit: Raster::new([SIDE; 2]) }
    }

    /// Adds a triangle to the shadow map. Only triangles that face away from the sun are added, so no surface shades
    /// itself.
    pub(crate) fn shade(&mut self, corners: [Vec3; 3]) {
        let [a, b, c] = corners.map(|corner| self.place(corner));
        self.lit.triangle([a, c, b], |_| ());
    }

    /// Returns the fraction of sunlight at a point of a surface: the share of the four nearest pixels at which no
    /// surface is closer to the sun. A bias lights points just behind the nearest surface.
    pub(crate) fn light(&self, point: Vec3, normal: Vec3) -> f32 {
        let pixel = 2.0 * self.reach / SIDE as f32;
        let place = self.place(point + normal * (0.005 + 1.6 * pixel));
        let slack = 0.01 + 3.0 * pixel;
        let around = [(-0.4, -1.1), (1.1, -0.4), (0.4, 1.1), (-1.1, 0.4)];
        around.iter().filter(|&&(x, y)| self.is_lit(place + Vec3::new(x, y, slack))).count() as f32 / 4.0
    }

    /// Returns a point in the shadow map; z is its nearness to the sun, positive within reach.
    fn place(&self, point: Vec3) -> Vec3 {
        let way = point - self.centre;
        let scale = SIDE as f32 / (2.0 * self.reach);
        let half = 0.5 * SIDE as f32;
        let (x, y) = (way.dot(self.right), way.dot(self.up));
        Vec3::new(half + x * scale, half - y * scale, 2.0 * self.reach + way.dot(self.direction))
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the place is in the picture")]
    fn is_lit(&self, place: Vec3) -> bool {
        let side = 0.0..SIDE as f32;
        if !side.contains(&place.x) || !side.contains(&place.y) {
            return true;
        }
        place.z >= self.lit.nearness[place.y as usize * SIDE + place.x as usize]
    }
}
