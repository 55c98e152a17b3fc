//! The frame loop, with the time of each stage.

use crate::army::{self, Army};
use crate::times::Times;
use hedgerow::glam::{Vec3, camera::rh};
use hedgerow::query::Frustum;
use hedgerow_character::CharacterError;
use std::time::Instant;

/// The duration of a frame, in seconds.
const FRAME: f32 = 1.0 / 60.0;

#[derive(Default)]
pub(crate) struct Run {
    pub(crate) pose: Times,
    pub(crate) cull: Times,
    pub(crate) skin: Times,
    pub(crate) frame: Times,
    /// The characters posed, seen and skinned, summed over all frames.
    pub(crate) posed: usize,
    pub(crate) seen: usize,
    pub(crate) skinned: usize,
    /// The feet that came down, summed over all frames.
    pub(crate) steps: usize,
}

/// Returns what a camera sees from in front of the first rank, a little to the side and above the heads; and its place.
pub(crate) fn view(characters: u32) -> Result<(Frustum, Vec3), hedgerow::math::Error> {
    let (centre, reach) = army::field(characters);
    let eye = Vec3::new(0.15 * reach, 1.6 + 0.08 * reach, 1.5 + 0.17 * reach);
    let target = Vec3::new(-0.04 * reach, 0.0, 0.65 * centre.z);
    let projection = rh::proj::directx::perspective_infinite_reverse(0.62, 16.0 / 9.0, 0.2);
    let view = rh::view::look_at_mat4(eye, target, Vec3::Y);
    Ok((Frustum::from_view_projection(&(projection * view))?, eye))
}

/// Plays the frames, after an untimed frame that poses all characters and grows all arrays. With `eye`, distant
/// characters are posed at a lower rate.
pub(crate) fn play(
    army: &mut Army,
    (frustum, eye): (&Frustum, Option<Vec3>),
    frames: u32,
) -> Result<Run, CharacterError> {
    let mut run = Run::default();
    frame(army, (frustum, None), &mut Run::default())?;
    for _ in 0..frames {
        frame(army, (frustum, eye), &mut run)?;
        run.posed += army.posed;
        run.seen += army.visible.len();
        run.skinned += army.skinned();
        run.steps += army.steps;
    }
    Ok(run)
}

fn frame(army: &mut Army, (frustum, eye): (&Frustum, Option<Vec3>), run: &mut Run) -> Result<(), CharacterError> {
    let start = Instant::now();
    army.pose(FRAME, eye)?;
    let posed = Instant::now();
    army.march(FRAME)?;
    army.cull(frustum)?;
    let culled = Instant::now();
    army.skin()?;
    let skinned = Instant::now();

    run.pose.push(posed - start);
    run.cull.push(culled - posed);
    run.skin.push(skinned - culled);
    run.frame.push(skinned - start);
    Ok(())
}
