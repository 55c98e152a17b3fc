//! The frame loop, each stage timed by itself.

use crate::army::Army;
use crate::times::Times;
use hedgerow::{character::CharacterError, query::Frustum};
use indicatif::ProgressBar;
use std::time::Instant;

/// Seconds a frame.
const FRAME: f32 = 1.0 / 60.0;

/// What was measured in a run.
#[derive(Default)]
pub(crate) struct Run {
    pub(crate) sample: Times,
    pub(crate) pose: Times,
    pub(crate) palette: Times,
    pub(crate) cull: Times,
    pub(crate) skin: Times,
    pub(crate) frame: Times,
    /// How many characters were seen, in all frames together.
    pub(crate) seen: usize,
}

/// Plays the frames, after one that is not timed, in which arrays grow to their size.
pub(crate) fn play(army: &mut Army, frustum: &Frustum, frames: u32, bar: &ProgressBar) -> Result<Run, CharacterError> {
    let mut run = Run::default();
    frame(army, frustum, &mut Run::default())?;
    for _ in 0..frames {
        frame(army, frustum, &mut run)?;
        run.seen += army.visible.len();
        bar.inc(1);
    }
    Ok(run)
}

fn frame(army: &mut Army, frustum: &Frustum, run: &mut Run) -> Result<(), CharacterError> {
    let start = Instant::now();
    army.sample(FRAME)?;
    let sampled = Instant::now();
    army.pose()?;
    let posed = Instant::now();
    army.palette()?;
    let multiplied = Instant::now();
    army.cull(FRAME, frustum)?;
    let culled = Instant::now();
    army.skin()?;
    let skinned = Instant::now();

    run.sample.push(sampled - start);
    run.pose.push(posed - sampled);
    run.palette.push(multiplied - posed);
    run.cull.push(culled - multiplied);
    run.skin.push(skinned - culled);
    run.frame.push(skinned - start);
    Ok(())
}
