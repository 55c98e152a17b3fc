//! Clips of random tracks.

use crate::dice::Dice;
use hedgerow_anim::RawClip;
use hedgerow_anim::raw::{Interpolation, Track, TrackValue};
use hedgerow_math::glam::Vec3;

/// The least distance of keys in seconds. Closer keys are removed, so that a tick matters less.
pub const APART: f32 = 0.02;

/// How large a clip is.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    pub joints: usize,
    pub channels: usize,
    /// The greatest number of keys of a track.
    pub keys: u32,
    /// Whether all times are multiples of a thirtieth of a second.
    pub frames: bool,
}

/// Returns a clip in which most joints have some tracks.
pub fn raw_clip(recipe: &Recipe, dice: &mut Dice) -> RawClip {
    #[expect(clippy::cast_precision_loss, reason = "few keys")]
    let duration = 0.5 + (recipe.keys + dice.below(30)) as f32 / 30.0;
    let mut raw = RawClip::new(duration, recipe.joints).expect("a sound clip");
    for joint in (0..).take(recipe.joints) {
        if !dice.one_of(4) {
            let near = dice.rotation();
            let track = track(recipe, duration, dice, |dice, tangent| {
                let turned = near.slerp(dice.rotation(), 0.2);
                if tangent { turned * dice.number() } else { turned }
            });
            raw.set_rotation(joint, track).expect("a joint");
        }
        if !dice.one_of(3) {
            raw.set_translation(joint, track(recipe, duration, dice, |dice, _| dice.vector())).expect("a joint");
        }
        if dice.one_of(3) {
            let scales = track(recipe, duration, dice, |dice, _| Vec3::ONE + 0.5 * dice.vector());
            raw.set_scale(joint, scales).expect("a joint");
        }
    }
    for channel in 0..recipe.channels {
        raw.add_channel(format!("channel {channel}"), track(recipe, duration, dice, |dice, _| dice.number()))
            .expect("a channel");
    }
    raw
}

fn track<V: TrackValue>(
    recipe: &Recipe,
    duration: f32,
    dice: &mut Dice,
    value: impl Fn(&mut Dice, bool) -> V,
) -> Track<V> {
    let mut times: Vec<f32> = (0..=dice.below(recipe.keys)).map(|_| dice.share() * duration).collect();
    if recipe.frames {
        times.iter_mut().for_each(|time| *time = (*time * 30.0).floor() / 30.0);
    }
    times.sort_by(f32::total_cmp);
    times.dedup_by(|after, before| *after - *before < APART);
    let interpolation = [Interpolation::Step, Interpolation::Cubic, Interpolation::Linear][dice.index(3)];
    let per_key = interpolation.values_per_key();
    let values = (0..times.len() * per_key).map(|at| value(dice, per_key == 3 && at % 3 != 1)).collect();
    Track::new(interpolation, times, values).expect("ordered keys")
}
