//! The frame loop, with the time of each stage.

use crate::army::Army;
use crate::times::Times;
use hedgerow::{glam::Vec3, query::Frustum};
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
