//! Gaits as clips with 30 keys per second for each joint.

use super::gait::Gait;
use super::rig::Rig;
use hedgerow::glam::Quat;
use hedgerow_anim::{
    Clip, ClipBuilder, Player, Pose, RawClip,
    player::Playback,
    raw::{Reduction, Track},
};
use hedgerow_character::CharacterError;
use std::sync::Arc;

/// Returns one looping cycle of a gait: a rotation track for each moving joint, a translation track of the hips, and the
/// events of feet.
fn raw_clip(rig: &Rig, gait: &Gait) -> Result<RawClip, CharacterError> {
    let times: Vec<f32> = (0..=gait.keys).map(|key| f32::from(key) / 30.0).collect();
    let stances: Vec<_> =
        (0..=gait.keys).map(|key| gait.at(rig, f32::from(key % gait.keys) / f32::from(gait.keys))).collect();

    let mut clip = RawClip::new(gait.duration(), rig.places.len())?;
    for joint in 0..rig.skeleton.parents().len() {
        let rotations: Vec<Quat> = stances.iter().map(|stance| stance.rotations[joint]).collect();
        if rotations.iter().any(|&rotation| rotation != Quat::IDENTITY) {
            let joint = u16::try_from(joint).expect("joints are counted in 16 bits");
            clip.set_rotation(joint, Track::linear(times.clone(), rotations)?)?;
        }
    }
    let hips = stances.iter().map(|stance| stance.hips).collect();
    clip.set_translation(rig.body.hips, Track::linear(times, hips)?)?;
    if gait.speed() > 0.0 {
        clip.add_event(0.0, 0, "left foot")?;
        clip.add_event(0.5 * gait.duration(), 1, "right foot")?;
    }
    Ok(clip)
}

/// Returns the compiled clip, reduced to the keys that keep the skin within 0.2 mm.
pub(crate) fn clip(rig: &Rig, gait: &Gait) -> Result<Arc<Clip>, CharacterError> {
    let raw = raw_clip(rig, gait)?;
    let (clip, _) = ClipBuilder::new().build_reduced(&raw, &rig.skeleton, &Reduction::new(2e-4, 0.1))?;
    Ok(Arc::new(clip))
}

/// Returns a looping player at a time, and a pose for it.
pub(crate) fn player(rig: &Rig, clip: &Arc<Clip>, time: f32) -> (Player<Arc<Clip>>, Pose) {
    let mut player = Player::new(Arc::clone(clip));
    player.set_playback(Playback::Loop);
    player.seek(time);
    (player, Pose::rest(&rig.skeleton))
}
