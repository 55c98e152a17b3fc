//! The picture of the whole army.

use crate::army::{self, Army};
use crate::camera::Camera;
use crate::picture::{Figure, Picture};
use hedgerow::glam::Vec3;

/// Returns the size of a picture that has this width and the aspect ratio of a screen.
fn size(width: u16) -> [usize; 2] {
    [usize::from(width), usize::from(width) * 9 / 16]
}

/// Returns a camera in front of the first rank, a little to the side and above the heads.
pub(crate) fn camera(characters: u32, width: u16) -> Camera {
    let (centre, reach) = army::field(characters);
    let eye = Vec3::new(0.15 * reach, 1.6 + 0.08 * reach, 1.5 + 0.17 * reach);
    let target = Vec3::new(-0.04 * reach, 0.0, 0.65 * centre.z);
    Camera::new(eye, target, 0.62, Picture::fine(size(width)))
}

/// Draws all characters that the camera sees.
pub(crate) fn picture(army: &Army, camera: &Camera, width: u16) -> Picture {
    let (centre, reach) = army::field(army.characters.len().try_into().unwrap_or(u32::MAX));
    let figures = army.seen().map(|(character, &world, positions, normals)| Figure {
        positions,
        normals,
        covers: &army.covers,
        indices: army.mesh.indices(),
        coat: &character.coat,
        world,
    });
    Picture::draw(size(width), camera, figures, centre, reach)
}
