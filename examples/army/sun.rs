//! Light from one side, and the shadows in it.

use crate::raster::Raster;
use hedgerow::glam::Vec3;

/// The sun, and what it sees: a picture along its rays in which whatever is nearest is lit, and all behind that is not.
pub(crate) struct Sun {
    /// Towards the sun, and across.
    pub(crate) direction: Vec3,
    right: Vec3,
    up: Vec3,
    centre: Vec3,
    /// Half the width of what it lights with shadows, in metres.
    reach: f32,
    lit: Raster<()>,
}

/// Pixels along a side of the sun's picture.
const SIDE: usize = 4096;

impl Sun {
    /// Returns a sun that shines from a direction on what is at most `reach` metres around a place.
    pub(crate) fn new(direction: Vec3, centre: Vec3, reach: f32) -> Self {
        let direction = direction.normalize();
        let right = Vec3::Y.cross(direction).normalize();
        Self { direction, right, up: direction.cross(right), centre, reach, lit: Raster::new([SIDE; 2]) }
    }

    /// Lets a triangle cast its shadow. Only triangles that face away from the sun do, so that nothing shades itself.
    pub(crate) fn shade(&mut self, corners: [Vec3; 3]) {
        let [a, b, c] = corners.map(|corner| self.place(corner));
        self.lit.triangle([a, c, b], |_| ());
    }

    /// Returns how much of the sun reaches a point of a surface, from 0 to 1: the share of four pixels around it that
    /// see nothing nearer. What is hardly behind the nearest is lit, too: pixels are not points.
    pub(crate) fn light(&self, point: Vec3, normal: Vec3) -> f32 {
        let pixel = 2.0 * self.reach / SIDE as f32;
        let place = self.place(point + normal * (0.005 + 1.6 * pixel));
        let slack = 0.01 + 3.0 * pixel;
        let around = [(-0.4, -1.1), (1.1, -0.4), (0.4, 1.1), (-1.1, 0.4)];
        around.iter().filter(|&&(x, y)| self.is_lit(place + Vec3::new(x, y, slack))).count() as f32 / 4.0
    }

    /// Returns where a point is in the sun's picture; z is how near it is to the sun, above zero within reach.
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
