//! A contact sheet: each row shows a clip in eight steps of its cycle.

use crate::army::{Army, Coat};
use crate::camera::Camera;
use crate::picture::{Figure, Picture};
use crate::puppet;
use hedgerow::Mat34;
use hedgerow::glam::{Quat, Vec3};
use hedgerow_anim::skin::SkinOutput;
use hedgerow_anim::{Error, Pose};
use hedgerow_character::CharacterError;

const STEPS: u16 = 8;
const CELL: [usize; 2] = [220, 300];
const COAT: Coat = [
    Vec3::new(0.60, 0.36, 0.24),
    Vec3::new(0.08, 0.045, 0.025),
    Vec3::new(0.42, 0.06, 0.04),
    Vec3::new(0.10, 0.11, 0.17),
    Vec3::new(0.06, 0.04, 0.03),
];

/// Draws the sheet; each step seeks to its time.
pub(crate) fn sheet(army: &Army) -> Result<Picture, CharacterError> {
    let [width, height] = CELL;
    let mut sheet = Picture::plain([width * usize::from(STEPS), height * army.clips.len()]);
    for (row, clip) in army.clips.iter().enumerate() {
        let (mut player, mut pose) = puppet::player(&army.rig, clip, 0.0);
        for step in 0..STEPS {
            player.seek(clip.duration() * f32::from(step) / f32::from(STEPS));
            player.sample(&mut pose)?;
            sheet.paste(&cell(army, &pose)?, [usize::from(step) * width, row * height]);
        }
    }
    Ok(sheet)
}

/// Draws one character, seen obliquely from the side.
fn cell(army: &Army, pose: &Pose) -> Result<Picture, Error> {
    let skeleton = &army.rig.skeleton;
    let (mut models, mut room) = (Vec::new(), Vec::new());
    pose.to_models(skeleton, &mut models)?;
    let palette = army.skin.palette(&models, &mut room)?;
    let mut positions = vec![[0.0; 3]; army.mesh.len()];
    let mut normals = positions.clone();
    army.mesh.skin(palette, SkinOutput::new(&mut positions).normals(&mut normals))?;

    let target = Vec3::new(0.0, 0.92, 0.0);
    let eye = target + Quat::from_rotation_y(0.75) * Vec3::new(0.0, 0.35, 5.2);
    let camera = Camera::new(eye, target, 0.41, Picture::fine(CELL));
    let figure = Figure {
        positions: &positions,
        normals: &normals,
        covers: &army.covers,
        indices: army.mesh.indices(),
        coat: &COAT,
        world: Mat34::IDENTITY,
    };
    Ok(Picture::draw(CELL, &camera, [figure], Vec3::ZERO, 3.0))
}
