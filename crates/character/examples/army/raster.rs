//! Rasterises triangles.

use hedgerow::glam::{Vec2, Vec3, Vec3Swizzles as _};

/// A grid of pixels with a depth buffer.
pub(crate) struct Raster<P> {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// The nearness of each pixel, row by row; 0 if nothing was drawn.
    pub(crate) nearness: Vec<f32>,
    /// The nearest surface at each pixel.
    pub(crate) pixels: Vec<P>,
}

impl<P: Copy + Default> Raster<P> {
    pub(crate) fn new([width, height]: [usize; 2]) -> Self {
        let pixels = width * height;
        Self { width, height, nearness: vec![0.0; pixels], pixels: vec![P::default(); pixels] }
    }

    /// Draws a triangle with corners (x, y, nearness > 0) that is clockwise on the grid, where y points down. `paint`
    /// gets the barycentric coordinates of each visible pixel.
    ///
    /// The coordinates are not perspective-correct, so triangles must be small.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounds are clamped to the grid")]
    pub(crate) fn triangle(&mut self, corners: [Vec3; 3], paint: impl Fn([f32; 3]) -> P) {
        let [a, b, c] = corners.map(Vec3::xy);
        let area = (b - a).perp_dot(c - a);
        if area >= 0.0 {
            return;
        }
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let left = (low.x - 0.5).ceil().max(0.0) as usize;
        let top = (low.y - 0.5).ceil().max(0.0) as usize;
        let right = ((high.x + 0.5).floor().max(0.0) as usize).min(self.width);
        let bottom = ((high.y + 0.5).floor().max(0.0) as usize).min(self.height);
        for y in top..bottom {
            for x in left..right {
                let centre = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
                let shares = [(b, c), (c, a), (a, b)].map(|(from, to)| (to - from).perp_dot(centre - from) / area);
                if shares.iter().any(|&share| share < 0.0) {
                    continue;
                }
                let nearness = corners[0].z * shares[0] + corners[1].z * shares[1] + corners[2].z * shares[2];
                let pixel = y * self.width + x;
                if nearness > self.nearness[pixel] {
                    self.nearness[pixel] = nearness;
                    self.pixels[pixel] = paint(shares);
                }
            }
        }
    }
}
