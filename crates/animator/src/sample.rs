//! Sampling what an animator plays.

use crate::Animator;
use crate::inertia::Offsets;
use crate::layer::{Before, Fading, Held, LayerState, Part};
use crate::machine::Parts;
use crate::scratch::{Lease, Players, Scratch};
use hedgerow_anim::clip::ClipError;
use hedgerow_anim::skeleton::SkeletonError;
use hedgerow_anim::{Error, Pose};
use smallvec::SmallVec;

impl Animator {
    /// Replaces a pose by the present pose of all layers. Samples only clips that have weight.
    ///
    /// The pose depends on nothing but the animator's state, and has the same bits on every machine. Runs in
    /// **O(clips with weight × joints)**.
    ///
    /// # Errors
    /// [`Error::Skeleton`] with [`SkeletonError::JointCount`] if the pose has a different number of joints.
    pub fn sample(&mut self, pose: &mut Pose) -> Result<(), Error> {
        let (expected, found) = (self.machine.0.rest.len(), pose.len());
        if expected != found {
            return Err(SkeletonError::JointCount { expected, found }.into());
        }
        let (mut sampler, layers) = self.sampler();
        let machine = sampler.machine;
        for (number, (layer, of)) in layers.iter().zip(&machine.layers).enumerate() {
            let shown = sampler.shown(layer);
            let (amount, mask) = (layer.weight * shown.presence, of.mask.as_ref());
            // The first layer usually fills the pose.
            if number == 0 && of.mask.is_none() && of.adds.is_none() && amount > 0.0 {
                sampler.write(&shown, pose)?;
                if amount < 1.0 {
                    pose.crossfade(&machine.rest, 1.0 - amount, None)?;
                }
                continue;
            }
            if number == 0 {
                // An empty sum.
                sampler.lease.get().sum.finish(&machine.rest, pose)?;
            }
            if amount <= 0.0 {
                continue;
            }
            let mut several = None;
            if shown.single().is_none() {
                let mut own = core::mem::take(&mut sampler.lease.get().layer);
                sampler.write(&shown, &mut own)?;
                several = Some(own);
            }
            let Scratch { poses, difference, layer, .. } = sampler.lease.get();
            let own = match (&several, shown.single()) {
                (None, Some((clip, time))) => sample_to(poses, sampler.players, machine, clip, time)?,
                (own, _) => own.as_ref().unwrap_or(layer),
            };
            if let Some(reference) = &of.adds {
                own.difference(reference, difference)?;
                pose.add(difference, amount, mask)?;
            } else {
                pose.crossfade(own, amount, mask)?;
            }
            if let Some(own) = several {
                *layer = own;
            }
        }
        Ok(())
    }

    /// Writes the present value of each channel, such as weights of morph targets. Layers with a mask leave channels
    /// alone unless their [options](crate::LayerOptions::channels) say otherwise.
    ///
    /// Layers that add, add theirs.
    ///
    /// Runs in **O(clips with weight × channels)**.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::ChannelCount`] unless there is one number for each channel.
    pub fn sample_channels(&mut self, channels: &mut [f32]) -> Result<(), Error> {
        let (expected, found) = (self.machine.0.rest_channels.len(), channels.len());
        if expected != found {
            return Err(ClipError::ChannelCount { expected, found }.into());
        }
        let (mut sampler, layers) = self.sampler();
        let machine = sampler.machine;
        channels.copy_from_slice(&machine.rest_channels);
        for (layer, of) in layers.iter().zip(&machine.layers).filter(|(_, of)| of.channels) {
            let shown = sampler.shown(layer);
            let amount = layer.weight * shown.presence;
            if amount <= 0.0 {
                continue;
            }
            let mut own = core::mem::take(&mut sampler.lease.get().channels);
            sampler.write_channels(&shown, &mut own)?;
            for ((channel, &own), &rest) in channels.iter_mut().zip(&own).zip(&machine.rest_channels) {
                // Exact where a layer has all weight.
                *channel = if of.adds.is_some() {
                    *channel + (own - rest) * amount
                } else {
                    *channel * (1.0 - amount) + own * amount
                };
            }
            sampler.lease.get().channels = own;
        }
        Ok(())
    }

    pub(crate) fn sampler(&mut self) -> (Sampler<'_>, &[LayerState]) {
        let Self { machine, parameters, layers, players, .. } = self;
        players.begin();
        (Sampler { machine: &machine.0, parameters, players, lease: Lease::new(&machine.0) }, layers)
    }
}

/// What sampling a layer needs.
pub(crate) struct Sampler<'a> {
    pub(crate) machine: &'a Parts,
    pub(crate) parameters: &'a [f32],
    players: &'a mut Players,
    lease: Lease<'a>,
}

/// What a layer shows.
pub(crate) struct Shown<'l> {
    pub(crate) parts: SmallVec<[Part; 6]>,
    held: Option<(&'l Held, f32)>,
    offsets: Option<(&'l Offsets, [f32; 2])>,
    /// The part of the layer that is filled, 0 to 1.
    pub(crate) presence: f32,
}

impl Shown<'_> {
    /// Returns the clip and its time, if the pose is that of one clip.
    fn single(&self) -> Option<(u16, f64)> {
        let Self { parts, held: None, offsets: None, .. } = self else { return None };
        if let [(clip, time, _)] = parts[..] { Some((clip, time)) } else { None }
    }
}

impl Sampler<'_> {
    #[inline]
    pub(crate) fn shown<'l>(&self, layer: &'l LayerState) -> Shown<'l> {
        let parts = layer.parts(self.machine, self.parameters, false);
        let presence = if parts.is_empty() { 0.0 } else { 1.0 };
        match &layer.fade {
            None => Shown { parts, held: None, offsets: None, presence },
            Some(fading) => Self::fading(parts, layer, fading),
        }
    }

    #[cold]
    fn fading<'l>(parts: SmallVec<[Part; 6]>, layer: &'l LayerState, fading: &'l Fading) -> Shown<'l> {
        let held = layer.held();
        let presence = parts.iter().map(|part| part.2).sum::<f32>() + held.map_or(0.0, |(_, weight)| weight);
        let offsets = match &fading.from {
            #[expect(clippy::cast_possible_truncation, reason = "offsets have single precision")]
            Before::Inertial(offsets) => Some((&**offsets, [fading.elapsed as f32, fading.fade.seconds])),
            _ => None,
        };
        // Rounding may put a sum of shares beside 1.
        let presence = if (presence - 1.0).abs() < 1e-6 { 1.0 } else { presence.min(1.0) };
        Shown { parts, held, offsets, presence }
    }

    /// Writes the pose of a layer that shows anything.
    #[inline]
    pub(crate) fn write(&mut self, shown: &Shown<'_>, to: &mut Pose) -> Result<(), Error> {
        let machine = self.machine;
        if let ([(clip, time, _)], None) = (&shown.parts[..], shown.held) {
            self.players.at(machine, *clip, *time).sample(to)?;
        } else {
            let Scratch { poses, sum, .. } = self.lease.get();
            for &(clip, time, weight) in &shown.parts {
                sum.add(sample_to(poses, self.players, machine, clip, time)?, weight, None)?;
            }
            if let Some((held, weight)) = shown.held {
                sum.add(&held.pose, weight, None)?;
            }
            sum.finish(&machine.rest, to)?;
        }
        if let Some((offsets, times)) = shown.offsets {
            offsets.add_to(times, to);
        }
        Ok(())
    }

    /// Writes the channels of a layer that shows anything.
    pub(crate) fn write_channels(&mut self, shown: &Shown<'_>, to: &mut [f32]) -> Result<(), Error> {
        let total: f32 = shown.parts.iter().map(|part| part.2).sum::<f32>() + shown.held.map_or(0.0, |held| held.1);
        to.fill(0.0);
        let mut add = |own: &[f32], weight: f32| {
            to.iter_mut().zip(own).for_each(|(sum, own)| *sum += own * (weight / total));
        };
        let mut own = core::mem::take(&mut self.lease.get().clip_channels);
        for &(clip, time, weight) in &shown.parts {
            self.players.at(self.machine, clip, time).sample_channels(&mut own)?;
            add(&own, weight);
        }
        self.lease.get().clip_channels = own;
        if let Some((held, weight)) = shown.held {
            add(&held.channels, weight);
        }
        if let Some((offsets, times)) = shown.offsets {
            offsets.add_to_channels(times, to);
        }
        Ok(())
    }
}

/// Samples a clip to the pose of it.
fn sample_to<'p>(
    poses: &'p mut [Option<Pose>],
    players: &mut Players,
    machine: &Parts,
    clip: u16,
    time: f64,
) -> Result<&'p Pose, Error> {
    let pose = poses[usize::from(clip)].get_or_insert_with(|| machine.rest.clone());
    players.at(machine, clip, time).sample(pose)?;
    Ok(pose)
}
