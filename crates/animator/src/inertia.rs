//! Inertial fades: the difference between the old and the new pose vanishes smoothly.
//!
//! *Source:* D. Bollo, *Inertialization: High-Performance Animation Transitions in Gears of War*, GDC 2018. There, a
//! quintic scales the difference along one direction; here, each number has a quintic of its own, so that the velocity is
//! continuous in all directions.

use crate::advance::MOST;
use crate::layer::LayerState;
use crate::pace::Playing;
use crate::sample::Sampler;
use hedgerow_anim::glam::{Quat, Vec3};
use hedgerow_anim::{Error, Pose, Transform};

/// The numbers of a joint: translation, rotation, scale. A rotation is three numbers, the vector part divided by one
/// plus the real part (modified Rodrigues parameters), so it needs no sine or arc.
const NUMBERS: usize = 9;

/// The time over which velocities are measured, in seconds.
pub(crate) const BESIDE: f32 = 1.0 / 1024.0;

/// The least share of a fade's time in which a number vanishes.
const LEAST_TIME: f32 = 0.25;

/// The difference between two poses and its velocity, when a fade began: the numbers of all joints, then the channels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Offsets {
    pub(crate) start: Vec<f32>,
    pub(crate) velocity: Vec<f32>,
}

impl Offsets {
    /// Returns how many numbers change.
    pub(crate) const fn numbers(joints: usize, channels: usize) -> usize {
        NUMBERS * joints + channels
    }

    /// Measures the difference of two layers. Each has a neighbour in time, with the seconds to it.
    pub(crate) fn measure(
        sampler: &mut Sampler<'_>,
        (old, (old_beside, old_seconds)): (&LayerState, &(LayerState, f32)),
        (new, (new_beside, new_seconds)): (&LayerState, &(LayerState, f32)),
    ) -> Result<Self, Error> {
        let mut sampled = |layer: &LayerState| {
            let (mut pose, mut channels) = (sampler.machine.rest.clone(), sampler.machine.rest_channels.clone());
            let shown = sampler.shown(layer);
            sampler.write(&shown, &mut pose)?;
            sampler.write_channels(&shown, &mut channels)?;
            Ok::<_, Error>((pose, channels))
        };
        let (old, old_beside) = (sampled(old)?, sampled(old_beside)?);
        let (new, new_beside) = (sampled(new)?, sampled(new_beside)?);
        let mut offsets = Self::default();
        // The velocity of a difference is that of the old pose minus that of the new one.
        let mut add = |start: f32, old_moves: f32, new_moves: f32| {
            let velocity = (old_moves - start) / old_seconds + (new_moves - start) / new_seconds;
            offsets.start.push(start.clamp(-MOST, MOST));
            offsets.velocity.push(velocity.clamp(-MOST, MOST));
        };
        for joint in (0..).take(old.0.len()) {
            let [old, old_beside, new, new_beside] =
                [&old, &old_beside, &new, &new_beside].map(|(pose, _)| pose.get(joint));
            let start = difference(old, new, None);
            let old_moves = difference(old_beside, new, Some(start));
            let new_moves = difference(old, new_beside, Some(start));
            for number in 0..NUMBERS {
                add(start.0[number], old_moves.0[number], new_moves.0[number]);
            }
        }
        for channel in 0..old.1.len() {
            let [old, old_beside, new, new_beside] =
                [&old, &old_beside, &new, &new_beside].map(|(_, channels)| channels[channel]);
            add(old - new, old_beside - new, old - new_beside);
        }
        Ok(offsets)
    }

    /// Adds the differences to a pose. `times` is the time since the beginning, and the duration.
    pub(crate) fn add_to(&self, times: [f32; 2], pose: &mut Pose) {
        let (starts, _) = self.start.as_chunks::<NUMBERS>();
        let (velocities, _) = self.velocity.as_chunks::<NUMBERS>();
        for (joint, (start, velocity)) in (0..).zip(starts.iter().zip(velocities).take(pose.len())) {
            let mut numbers = [0.0; NUMBERS];
            for (number, (&start, &velocity)) in numbers.iter_mut().zip(start.iter().zip(velocity)) {
                *number = quintic(start, velocity, times);
            }
            let [a, b, c, i, j, k, x, y, z] = numbers;
            let own = pose.get(joint);
            let turn = {
                let square = i * i + j * j + k * k;
                let scale = 1.0 / (1.0 + square);
                [2.0 * i * scale, 2.0 * j * scale, 2.0 * k * scale, (1.0 - square) * scale]
            };
            pose.set(
                joint,
                Transform {
                    translation: own.translation + Vec3::new(a, b, c),
                    rotation: Quat::from_array(unit(product(turn, own.rotation.to_array()))),
                    scale: own.scale + Vec3::new(x, y, z),
                },
            );
        }
    }

    /// Adds the differences to channels.
    pub(crate) fn add_to_channels(&self, times: [f32; 2], channels: &mut [f32]) {
        let first = self.start.len() - channels.len();
        let offsets = self.start[first..].iter().zip(&self.velocity[first..]);
        channels.iter_mut().zip(offsets).for_each(|(channel, (&start, &velocity))| {
            *channel += quintic(start, velocity, times);
        });
    }
}

/// The numbers of a difference, and the real part of its rotation with its sign.
#[derive(Clone, Copy)]
struct Difference([f32; NUMBERS], [f32; 4]);

/// Returns the difference from `new` to `old`. Its rotation is on the side of `near`, or takes the shorter arc.
fn difference(old: Transform, new: Transform, near: Option<Difference>) -> Difference {
    let [x, y, z, w] = new.rotation.to_array();
    let mut turn = product(old.rotation.to_array(), [-x, -y, -z, w]);
    let side = near.map_or(turn[3], |near| near.1.iter().zip(turn).map(|(a, b)| a * b).sum());
    if side < 0.0 {
        turn = turn.map(|number| -number);
    }
    let [i, j, k, real] = turn;
    let scale = 1.0 / (1.0 + real).max(0.1);
    let [[a, b, c], [d, e, f]] = [old.translation - new.translation, old.scale - new.scale].map(|part| part.to_array());
    Difference([a, b, c, i * scale, j * scale, k * scale, d, e, f], turn)
}

/// Multiplies quaternions. Written out, because the order of additions in `Quat` depends on the machine.
fn product([a, b, c, d]: [f32; 4], [x, y, z, w]: [f32; 4]) -> [f32; 4] {
    [
        d * x + a * w + b * z - c * y,
        d * y - a * z + b * w + c * x,
        d * z + a * y - b * x + c * w,
        d * w - a * x - b * y - c * z,
    ]
}

fn unit(rotation: [f32; 4]) -> [f32; 4] {
    let [x, y, z, w] = rotation;
    let scale = 1.0 / (x * x + y * y + z * z + w * w).sqrt();
    rotation.map(|number| number * scale)
}

/// Returns the value at a time of a quintic with this start and velocity, which ends at rest at 0.
fn quintic(start: f32, velocity: f32, [time, seconds]: [f32; 2]) -> f32 {
    let sign = if start < 0.0 || start == 0.0 && velocity < 0.0 { -1.0 } else { 1.0 };
    let (x, v) = (start * sign, velocity * sign);
    // Ends early what would swing to the other side, but not so early that the velocity is lost at once: there is one
    // number for each component, and some are always near 0.
    let seconds = if v * seconds < -5.0 * x { (-5.0 * x / v).max(LEAST_TIME * seconds) } else { seconds };
    if time >= seconds {
        return 0.0;
    }
    let (t, v) = (time / seconds, v * seconds);
    let a = (-8.0 * v - 20.0 * x).max(0.0);
    let [fifth, fourth, third] =
        [-0.5 * a - 3.0 * v - 6.0 * x, 1.5 * a + 8.0 * v + 15.0 * x, -1.5 * a - 6.0 * v - 10.0 * x];
    sign * (((((fifth * t + fourth) * t + third) * t + 0.5 * a) * t + v) * t + x)
}

/// Returns a layer that plays one state alone.
pub(crate) fn alone(layer: &LayerState, playing: Playing) -> LayerState {
    LayerState { current: playing, fade: None, ..*layer }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quintic_keeps_start_and_velocity_and_ends_at_rest() {
        // A number near 0 keeps its velocity, too.
        assert!((quintic(1e-6, -1.0, [1e-3, 1.0]) + 1e-3).abs() < 1e-4);
        let mut dice = fastrand::Rng::with_seed(5);
        for _ in 0..10_000 {
            let [start, velocity] = [(); 2].map(|()| 4.0 * dice.f32() - 2.0);
            let seconds = 0.05 + dice.f32();
            let at = |time: f32| f64::from(quintic(start, velocity, [time, seconds]));
            assert_eq!(at(0.0), f64::from(start));
            let least = LEAST_TIME * seconds;
            let end = if start * velocity < 0.0 { seconds.min(least.max(-5.0 * start / velocity)) } else { seconds };
            assert!(at(end).abs() < 1e-5 && at(end * 0.999).abs() < 1e-4, "{start} {velocity} {seconds}");
            let step = end * 1e-3;
            let slope = (at(step) - at(0.0)) / f64::from(step);
            assert!(
                (slope - f64::from(velocity)).abs()
                    < 0.05 * (f64::from(velocity.abs()) + f64::from(start.abs() / end)) + 1e-3
            );
            // It swings to the other side by no more than the velocity gives in a small part of the least time.
            let side = if start == 0.0 { velocity } else { start };
            let most = 1e-5
                + if start * velocity < -5.0 * start * start / least { 0.09 * velocity.abs() * least } else { 0.0 };
            assert!(
                (0..100_u8)
                    .all(|at_share| at(end * f32::from(at_share) / 100.0) * f64::from(side.signum()) > -f64::from(most))
            );
        }
    }
}
