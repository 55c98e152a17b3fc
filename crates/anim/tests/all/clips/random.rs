//! Clips made of a few random bytes.
#![allow(clippy::cast_possible_truncation, reason = "joints and frames are few")]

use fastrand::Rng;
use hedgerow_anim::glam::{Quat, Vec3, Vec4};
use hedgerow_anim::{
    RawClip,
    raw::{Interpolation, Track, TrackValue},
};

/// Deterministic random numbers.
pub(crate) struct Dice(Rng);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Rng::with_seed(seed))
    }

    pub(crate) fn below(&mut self, end: u32) -> u32 {
        self.0.u32(..end)
    }

    /// Returns a number from −1 to 1.
    pub(crate) fn number(&mut self) -> f32 {
        self.below(1 << 24) as f32 / (1 << 23) as f32 - 1.0
    }

    /// Returns a number from 0 to 1.
    pub(crate) fn share(&mut self) -> f32 {
        self.number() * 0.5 + 0.5
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number())
    }

    fn rotation(&mut self) -> Quat {
        let direction = Vec4::new(self.number(), self.number(), self.number(), self.number());
        Quat::from_vec4(direction.try_normalize().unwrap_or(Vec4::W))
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe {
    pub(crate) joints: usize,
    pub(crate) channels: usize,
    pub(crate) keys: u32,
    /// Whether all times are multiples of a thirtieth of a second.
    pub(crate) frames: bool,
}

pub(crate) fn clip(recipe: &Recipe, dice: &mut Dice) -> RawClip {
    let duration = 0.5 + (recipe.keys as f32 + dice.below(30) as f32) / 30.0;
    let mut clip = RawClip::new(duration, recipe.joints).expect("a sound clip");
    for joint in 0..recipe.joints as u16 {
        if dice.below(4) > 0 {
            let near = dice.rotation();
            let track = track(recipe, duration, dice, |dice, tangent| {
                let turned = near.slerp(dice.rotation(), 0.2);
                if tangent { turned * dice.number() } else { turned }
            });
            clip.set_rotation(joint, track).expect("a joint");
        }
        if dice.below(3) > 0 {
            let track = track(recipe, duration, dice, |dice, _| dice.vector());
            clip.set_translation(joint, track).expect("a joint");
        }
        if dice.below(3) == 0 {
            let track = track(recipe, duration, dice, |dice, _| Vec3::ONE + 0.5 * dice.vector());
            clip.set_scale(joint, track).expect("a joint");
        }
    }
    for channel in 0..recipe.channels {
        let track = track(recipe, duration, dice, |dice, _| dice.number());
        clip.add_channel(format!("channel {channel}"), track).expect("a channel");
    }
    clip
}

fn track<V: TrackValue>(
    recipe: &Recipe,
    duration: f32,
    dice: &mut Dice,
    value: impl Fn(&mut Dice, bool) -> V,
) -> Track<V> {
    let keys = 1 + dice.below(recipe.keys);
    let mut times: Vec<f32> = (0..keys)
        .map(|_| {
            if recipe.frames {
                dice.below((duration * 30.0) as u32) as f32 / 30.0
            } else {
                (dice.number() * 0.5 + 0.5) * duration
            }
        })
        .collect();
    times.sort_by(f32::total_cmp);
    // Remove keys so close that a tick matters.
    times.dedup_by(|after, before| *after - *before < 0.02);
    match dice.below(4) {
        0 => {
            let values = times.iter().map(|_| value(dice, false)).collect();
            Track::new(Interpolation::Step, times, values)
        }
        1 => {
            let values =
                times.iter().flat_map(|_| [value(dice, true), value(dice, false), value(dice, true)]).collect();
            Track::new(Interpolation::Cubic, times, values)
        }
        _ => {
            let values = times.iter().map(|_| value(dice, false)).collect();
            Track::new(Interpolation::Linear, times, values)
        }
    }
    .expect("ordered keys")
}
