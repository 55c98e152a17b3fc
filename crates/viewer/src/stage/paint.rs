//! Procedural textures.

use super::Image;
use crate::dice::Dice;

const SIDE: u32 = 64;

/// The pattern of an image. Colours are near white, so they keep the surface's colour.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pattern {
    /// Courses of bricks, with the number of courses.
    Bricks(u32),
    /// Rows of tiles, with the number of rows.
    Tiles(u32),
    /// Dots, with their contrast.
    Speckle(f32),
    /// Boards from left to right, with the number of boards.
    Boards(u32),
}

impl Image {
    /// Returns an image of one pixel.
    #[must_use]
    pub fn plain(colour: [u8; 4]) -> Self {
        Self { size: [1; 2], pixels: vec![colour] }
    }

    /// Returns an image that repeats without seams.
    pub(super) fn of(pattern: Pattern) -> Self {
        let mut dice = Dice::new(9);
        let noise: Vec<f32> = (0..SIDE * SIDE).map(|_| dice.between(-1.0, 1.0)).collect();
        let stones: Vec<f32> = (0..256).map(|_| dice.between(-1.0, 1.0)).collect();
        let pixel = |number: u32| {
            let (x, y, grain) = (number % SIDE, number / SIDE, noise[number as usize]);
            let shade = match pattern {
                Pattern::Bricks(courses) => {
                    let high = SIDE / courses;
                    let (course, wide) = (y / high, high * 2);
                    let x = x + course % 2 * high;
                    let joint = y.is_multiple_of(high) || x.is_multiple_of(wide);
                    let stone = stones[((x / wide % courses.max(1)) * 31 + course * 7) as usize % 256];
                    if joint { 1.12 } else { 0.86 + 0.10 * stone + 0.04 * grain }
                }
                Pattern::Tiles(rows) => {
                    let high = SIDE / rows;
                    let (row, wide) = (y / high, high);
                    let x = x + row % 2 * (wide / 2);
                    let lip = 1.0 - (y % high) as f32 / high as f32;
                    let edge = if x.is_multiple_of(wide) { -0.25 } else { 0.0 };
                    0.72 + 0.28 * lip + edge + 0.08 * stones[((x / wide % rows) * 13 + row * 5) as usize % 256]
                }
                Pattern::Speckle(contrast) => 0.92 + contrast * grain,
                Pattern::Boards(boards) => {
                    let high = SIDE / boards;
                    let seam = if y % high == 0 { -0.3 } else { 0.0 };
                    0.9 + seam + 0.08 * stones[(y / high) as usize] + 0.05 * noise[(y * SIDE + x / 8) as usize]
                }
            };
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the value is clamped")]
            let value = (shade.clamp(0.0, 1.0) * 255.0) as u8;
            [value, value, value, 255]
        };
        Self { size: [SIDE; 2], pixels: (0..SIDE * SIDE).map(pixel).collect() }
    }
}
