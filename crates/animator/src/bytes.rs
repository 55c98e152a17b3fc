//! The state of an animator as bytes.
//!
//! ```text
//! header │ digest of the machine u64 │ fired u64 │ parameters f32 … │ layers …
//! layer    weight f32 │ playing │ 0 u8
//!          weight f32 │ playing │ kind u8 │ seconds f32 │ curve u8 │ elapsed f64 │ momentum 6 × f32 │ before …
//! playing  state u16 │ playback, turned back, events passed u8 │ phase f64
//! before   1: playing; 2: presence f32, 10 × f32 a joint, f32 a channel; 3: start, then velocity, 9 × f32 a joint, f32 a channel
//! ```

use crate::advance::MOST;
use crate::fade::{Curve, Fade};
use crate::inertia::Offsets;
use crate::layer::{Before, Fading, Held, LayerState};
use crate::machine::{Machine, Parts};
use crate::pace::Playing;
use crate::{Animator, Error};
use hedgerow_anim::Transform;
use hedgerow_anim::glam::{Quat, Vec3};
use hedgerow_anim::player::Playback;
use hedgerow_math::internal::PackedTransform;
use hedgerow_math::internal::file_header::{Broken, Format, HEADER_BYTES, Kind};
use std::sync::Arc;

const ANIMATOR: Format = Format::new(Kind::Animator, 1, 1);
const PLAYBACKS: [Playback; 3] = [Playback::Clamp, Playback::Loop, Playback::PingPong];
const CURVES: [Curve; 4] = [Curve::Linear, Curve::EaseIn, Curve::EaseOut, Curve::Smooth];

impl Animator {
    /// Returns the state as bytes: for rollback over a network, and for saved games. What the last step passed is not
    /// part of it.
    ///
    /// On one machine, the same steps give the same bytes. Between machines, the root motion that a held or inertial
    /// fade keeps may differ in its last bits, since it comes from sines; the rest does not.
    ///
    /// The first call for a machine also hashes its clips, as the first [`from_bytes`](Self::from_bytes) does.
    ///
    /// Takes 48 bytes, 4 for each parameter and 16 for each layer. A layer that fades takes 48 more; 41, and 40 for
    /// each joint, if its old pose is held; 37, and 72 for each joint, if the fade is inertial. Then channels add 4 or
    /// 8 each.
    ///
    /// ```
    /// use hedgerow_anim::{SkeletonBuilder, Transform};
    /// use hedgerow_animator::{Animator, LayerOptions, MachineBuilder, Motion};
    ///
    /// let mut joints = SkeletonBuilder::new();
    /// joints.joint("root", None, Transform::IDENTITY);
    /// let mut machine = MachineBuilder::new(&joints.build()?.0);
    /// let speed = machine.parameter("speed", 1.0);
    /// let base = machine.layer("base", LayerOptions::default());
    /// machine.state(base, "rest", Motion::none());
    /// let machine = machine.build()?;
    ///
    /// let mut animator = Animator::new(&machine);
    /// animator.set(speed, 2.5);
    /// let again = Animator::from_bytes(&machine, &animator.to_bytes())?;
    /// assert_eq!(again.get(speed), 2.5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = vec![0; HEADER_BYTES];
        to.extend(self.machine.0.digest().to_le_bytes());
        to.extend(self.fired.to_le_bytes());
        put(&mut to, &self.parameters);
        for LayerState { weight, current, fade } in &self.layers {
            put(&mut to, &[*weight]);
            put_playing(&mut to, current);
            let Some(Fading { fade, elapsed, from, momentum }) = fade else {
                to.push(0);
                continue;
            };
            to.push(match from {
                Before::Playing(_) => 1,
                Before::Held(_) => 2,
                Before::Inertial(_) => 3,
            });
            put(&mut to, &[fade.seconds]);
            to.push(CURVES.iter().zip(0..).find(|(curve, _)| **curve == fade.curve).map_or(0, |(_, number)| number));
            to.extend(elapsed.to_le_bytes());
            momentum.iter().for_each(|speed| put(&mut to, &speed.to_array()));
            match from {
                Before::Playing(playing) => put_playing(&mut to, playing),
                Before::Held(held) => {
                    put(&mut to, &[held.presence]);
                    for joint in (0..).take(held.pose.len()) {
                        let Transform { translation, rotation, scale } = held.pose.get(joint);
                        put(&mut to, &translation.to_array());
                        put(&mut to, &rotation.to_array());
                        put(&mut to, &scale.to_array());
                    }
                    put(&mut to, &held.channels);
                }
                Before::Inertial(offsets) => {
                    put(&mut to, &offsets.start);
                    put(&mut to, &offsets.velocity);
                }
            }
        }
        ANIMATOR.write_header(&mut to);
        to
    }

    /// Makes an animator from the bytes of [`to_bytes`](Self::to_bytes) and the machine that they are of. It goes on
    /// with the same bits.
    ///
    /// A machine with the same layers, states, parameters and clips is the same.
    ///
    /// Any bytes are safe; numbers of poses beyond 10¹⁵ are refused, as blends could not state them. Runs in
    /// **O(bytes)**.
    ///
    /// # Errors
    /// [`Error::NotAnAnimator`], [`Error::Version`], [`Error::Length`], [`Error::Checksum`], [`Error::OtherMachine`] or
    /// [`Error::Invalid`].
    pub fn from_bytes(machine: &Machine, bytes: &[u8]) -> Result<Self, Error> {
        let (_, body) = ANIMATOR.body(bytes).map_err(|broken| match broken {
            Broken::Magic | Broken::Kind(_) => Error::NotAnAnimator,
            Broken::Version { found, newest } => Error::Version { found, newest },
            Broken::Length { expected, found } => Error::Length { expected, found },
            Broken::Checksum => Error::Checksum,
        })?;
        let parts = &*machine.0;
        let mut from = Reader(body);
        ensure(u64::from_le_bytes(from.take()?) == parts.digest(), Error::OtherMachine)?;
        let mut animator = Self::new(machine);
        animator.fired = u64::from_le_bytes(from.take()?);
        let unused = u64::MAX.checked_shl(u32::try_from(parts.triggers.len()).unwrap_or(64)).unwrap_or(0);
        ensure(animator.fired & unused == 0, Error::Invalid("a trigger that was fired is unknown"))?;
        from.floats(&mut animator.parameters)?;
        for (number, layer) in (0..).zip(&mut animator.layers) {
            [layer.weight] = from.share()?;
            layer.current = from.playing(number, parts)?;
            layer.fade = from.fading(number, parts)?;
        }
        ensure(from.0.is_empty(), Error::Invalid("it is longer than its layers"))?;
        Ok(animator)
    }
}

fn put(to: &mut Vec<u8>, numbers: &[f32]) {
    to.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

fn put_playing(to: &mut Vec<u8>, playing: &Playing) {
    let Playing { state, phase, back, passed, playback } = *playing;
    to.extend(state.to_le_bytes());
    to.push(playback as u8 | u8::from(back) << 2 | u8::from(passed) << 3);
    to.extend(phase.to_le_bytes());
}

fn ensure(holds: bool, error: Error) -> Result<(), Error> {
    if holds { Ok(()) } else { Err(error) }
}

/// The bytes that are left.
struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let (&taken, left) = self.0.split_first_chunk().ok_or(Error::Invalid("it is shorter than its layers"))?;
        self.0 = left;
        Ok(taken)
    }

    fn floats(&mut self, to: &mut [f32]) -> Result<(), Error> {
        for number in to.iter_mut() {
            *number = f32::from_le_bytes(self.take()?);
        }
        ensure(to.iter().all(|number| number.is_finite()), Error::Invalid("a number is not finite"))
    }

    /// Reads numbers of poses, motions and fades.
    fn keep(&mut self, to: &mut [f32]) -> Result<(), Error> {
        self.floats(to)?;
        let small = to.iter().all(|number| number.abs() <= MOST);
        ensure(small, Error::Invalid("a number of a pose or a motion is beyond 10^15"))
    }

    fn array<const N: usize>(&mut self) -> Result<[f32; N], Error> {
        let mut numbers = [0.0; N];
        self.keep(&mut numbers)?;
        Ok(numbers)
    }

    fn share(&mut self) -> Result<[f32; 1], Error> {
        let share = self.array::<1>()?;
        ensure((0.0..=1.0).contains(&share[0]), Error::Invalid("a weight is not from 0 to 1"))?;
        Ok(share)
    }

    fn playing(&mut self, layer: u16, machine: &Parts) -> Result<Playing, Error> {
        let state = u16::from_le_bytes(self.take()?);
        let [flags] = self.take()?;
        let phase = f64::from_le_bytes(self.take()?);
        let parts = machine.states.get(usize::from(state)).filter(|state| state.layer == layer);
        let parts = parts.ok_or(Error::Invalid("a state is not in its layer"))?;
        let playback = PLAYBACKS.iter().copied().find(|&playback| playback as u8 == flags & 3);
        let playback = playback.filter(|_| flags < 16).ok_or(Error::Invalid("a playback is unknown"))?;
        let (back, passed) = (flags & 4 != 0, flags & 8 != 0);
        ensure(
            !back || playback == Playback::PingPong,
            Error::Invalid("a motion that does not turn around is on its way back"),
        )?;
        ensure(parts.sync.is_none() || playback == Playback::Loop, Error::Invalid("a state in step does not loop"))?;
        ensure((0.0..=1.0).contains(&phase), Error::Invalid("a phase is not from 0 to 1"))?;
        Ok(Playing { state, phase, back, passed, playback })
    }

    fn fading(&mut self, layer: u16, machine: &Parts) -> Result<Option<Fading>, Error> {
        let [kind] = self.take()?;
        if kind == 0 {
            return Ok(None);
        }
        let ([seconds], [curve]) = (self.array()?, self.take()?);
        let curve = CURVES.get(usize::from(curve)).ok_or(Error::Invalid("a curve is unknown"))?;
        let elapsed = f64::from_le_bytes(self.take()?);
        let sound = (0.0..=f64::from(seconds)).contains(&elapsed) && Fade::cross(seconds).seconds == seconds;
        ensure(sound && seconds > 0.0, Error::Invalid("the time of a fade is not within it, or too long"))?;
        let momentum = [Vec3::from_array(self.array()?), Vec3::from_array(self.array()?)];
        let (joints, channels) = (machine.rest.len(), machine.rest_channels.len());
        let from = match kind {
            1 => Before::Playing(self.playing(layer, machine)?),
            2 => {
                let [presence] = self.share()?;
                let mut held = Held { pose: machine.rest.clone(), channels: vec![0.0; channels], presence };
                for joint in (0..).take(joints) {
                    let (translation, rotation) = (Vec3::from_array(self.array()?), Quat::from_array(self.array()?));
                    let own = Transform { translation, rotation, scale: Vec3::from_array(self.array()?) };
                    ensure(PackedTransform::from(own).is_sound(), Error::Invalid("a joint's rotation is not unit"))?;
                    held.pose.set(joint, own);
                }
                self.keep(&mut held.channels)?;
                Before::Held(Arc::new(held))
            }
            3 => {
                let numbers = vec![0.0; Offsets::numbers(joints, channels)];
                let mut offsets = Offsets { start: numbers.clone(), velocity: numbers };
                self.keep(&mut offsets.start)?;
                self.keep(&mut offsets.velocity)?;
                Before::Inertial(Arc::new(offsets))
            }
            _ => return Err(Error::Invalid("a kind of fade is unknown")),
        };
        let fade = Fade { curve: *curve, inertial: kind == 3, ..Fade::cross(seconds) };
        Ok(Some(Fading { fade, elapsed, from, momentum }))
    }
}
