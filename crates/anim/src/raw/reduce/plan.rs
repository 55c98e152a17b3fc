//! Decides the tolerance of each track.
//!
//! At worst, the errors of all tracks that move a point add up, so an equal share of the bound is safe for each track.
//! Errors rarely add up. So tracks first get more than this *safe part*. Then the clip is measured, and tracks that
//! move a point beyond the bound get less, but at least the safe part. If a curve bends between keys, new keys and
//! their errors lie between measured times. So all tracks that move the same points start with the safe part.

use super::Reduction;
use super::check::Check;
use super::fit::Fit;
use super::sensitivity::{Sensitivity, is_bent, moves, sensitivities};
use crate::raw::clip::RawClip;
use crate::raw::error::{TrackName, TrackPart};
use crate::raw::track::Track;
use crate::raw::value::TrackValue;
use crate::{Error, Skeleton};
use bumpalo::Bump;

/// Measure-and-fit rounds before tracks that still exceed their bound fall back to a safe tolerance.
const ROUNDS: usize = 12;
/// The fraction of the bound that a measured error may use, since errors are slightly greater between measured times.
const MARGIN: f64 = 0.95;

pub(super) fn reduce(clip: &RawClip, skeleton: &Skeleton, reduction: &Reduction) -> Result<RawClip, Error> {
    let mut arena = Bump::new();
    let mut plan = Plan::new(clip, skeleton, reduction);
    let mut reduced = RawClip::new(clip.duration(), clip.joints())?;
    let fit = Fit { tolerance: reduction.channel_error.into(), cubic: reduction.cubic };
    for channel in 0..clip.channels() {
        let track = fit
            .fit(&mut arena, clip.channel(channel), None, TrackName::Channel(channel))?
            .expect("a track without a rest pose stays");
        reduced.add_channel(clip.channel_name(channel), track)?;
    }
    for event in clip.events() {
        reduced.add_event(event.time, event.number, event.name)?;
    }
    let check = if plan.is_safe() { None } else { Check::new(clip, skeleton) };
    let Some(check) = check else {
        plan.budgets.copy_from_slice(&plan.safe);
        plan.fit_all(&mut arena, &mut reduced, |_| true)?;
        return Ok(reduced);
    };
    plan.fit_all(&mut arena, &mut reduced, |_| true)?;
    let distances: Vec<f64> = clip.joint_numbers().map(|joint| reduction.bound(joint).1.into()).collect();
    for round in 0..=ROUNDS {
        let errors = check.errors(&reduced, &distances, &plan.limits);
        let factors = plan.factors(&errors);
        let tightened = plan.tighten(&factors, round == ROUNDS);
        if !tightened.contains(&true) {
            break;
        }
        plan.fit_all(&mut arena, &mut reduced, |joint| tightened[joint])?;
    }
    Ok(reduced)
}

/// The allowed error in model space, for each track of each joint.
struct Plan<'a> {
    clip: &'a RawClip,
    skeleton: &'a Skeleton,
    reduction: &'a Reduction,
    sensitivities: Vec<Sensitivity>,
    /// The greatest measured error allowed for the points of each joint, in metres.
    limits: Vec<f64>,
    /// The error that each track of a joint may use, in metres.
    budgets: Vec<f64>,
    /// The part of the bound that each track of a joint may always use, in metres.
    safe: Vec<f64>,
}

impl<'a> Plan<'a> {
    fn new(clip: &'a RawClip, skeleton: &'a Skeleton, reduction: &'a Reduction) -> Self {
        let parents = skeleton.parents();
        let (mut moving, mut bent) = (vec![0_u32; clip.joints()], vec![false; clip.joints()]);
        for joint in clip.joint_numbers() {
            let (number, parent) = (usize::from(joint), usize::from(parents[usize::from(joint)]));
            let (translation, rotation, scale) = (clip.translation(joint), clip.rotation(joint), clip.scale(joint));
            let own = [translation.is_some_and(moves), rotation.is_some_and(moves), scale.is_some_and(moves)];
            // Errors of all ancestors add up at a joint.
            moving[number] = moving.get(parent).unwrap_or(&0) + own.map(u32::from).iter().sum::<u32>();
            bent[number] = bent.get(parent).is_some_and(|&bent| bent)
                || translation.is_some_and(is_bent)
                || rotation.is_some_and(is_bent)
                || scale.is_some_and(is_bent);
        }
        let bounds: Vec<f64> = clip.joint_numbers().map(|joint| reduction.bound(joint).0.into()).collect();
        let limits = bounds.iter().map(|bound| MARGIN * bound).collect();
        let parts = bounds.iter().zip(&moving).zip(&bent).map(|((bound, &moving), &bent)| {
            let moving = f64::from(moving.max(1));
            // Errors add up to the bound at worst. They mostly cancel, so the first try allows more, and measuring
            // corrects it.
            let safe = bound / moving;
            (safe, if bent { safe } else { bound * (2.0 / moving.sqrt()).min(1.0) })
        });
        let (mut safe, mut budgets): (Vec<f64>, Vec<f64>) = parts.unzip();
        least_below(parents, &mut safe);
        least_below(parents, &mut budgets);
        Self {
            clip,
            skeleton,
            reduction,
            sensitivities: sensitivities(clip, skeleton, reduction),
            limits,
            budgets,
            safe,
        }
    }

    /// Returns whether no joint has more than the safe part.
    fn is_safe(&self) -> bool {
        self.budgets == self.safe
    }

    /// Returns the factor for the budget of each joint: below 1 if a measured error exceeds the limit.
    fn factors(&self, errors: &[f64]) -> Vec<f64> {
        let each = self.limits.iter().zip(errors);
        let factor =
            |(&limit, &error): (&f64, &f64)| if error > limit { (MARGIN * limit / error).min(MARGIN) } else { 1.0 };
        let mut factors: Vec<f64> = each.map(factor).collect();
        least_below(self.skeleton.parents(), &mut factors);
        factors
    }

    /// Reduces budgets if factors are below 1. Returns, for each joint, whether its budget was reduced.
    fn tighten(&mut self, factors: &[f64], to_safe: bool) -> Vec<bool> {
        let each = self.budgets.iter_mut().zip(&self.safe).zip(factors);
        each.map(|((budget, &safe), &factor)| {
            let before = *budget;
            // The last round falls back to budgets that need no measurement.
            if factor < 1.0 {
                *budget = if to_safe { safe } else { safe.max(before * factor) };
            }
            *budget < before
        })
        .collect()
    }

    /// Fits the tracks of the joints that `which` accepts.
    fn fit_all(&self, arena: &mut Bump, reduced: &mut RawClip, which: impl Fn(usize) -> bool) -> Result<(), Error> {
        for joint in self.clip.joint_numbers().filter(|&joint| which(usize::from(joint))) {
            let rest = self.reduction.drop_rest.then(|| self.skeleton.rest(joint));
            if let Some(track) = self.clip.translation(joint) {
                match self.fit(arena, joint, TrackPart::Translation, track, rest.map(|rest| rest.translation))? {
                    Some(track) => drop(reduced.set_translation(joint, track)?),
                    None => drop(reduced.take_translation(joint)),
                }
            }
            if let Some(track) = self.clip.rotation(joint) {
                match self.fit(arena, joint, TrackPart::Rotation, track, rest.map(|rest| rest.rotation))? {
                    Some(track) => drop(reduced.set_rotation(joint, track)?),
                    None => drop(reduced.take_rotation(joint)),
                }
            }
            if let Some(track) = self.clip.scale(joint) {
                match self.fit(arena, joint, TrackPart::Scale, track, rest.map(|rest| rest.scale))? {
                    Some(track) => drop(reduced.set_scale(joint, track)?),
                    None => drop(reduced.take_scale(joint)),
                }
            }
        }
        Ok(())
    }

    /// Fits a track with its own tolerance: the joint's budget divided by the track's sensitivity.
    fn fit<V: TrackValue>(
        &self,
        arena: &mut Bump,
        joint: u16,
        part: TrackPart,
        track: &Track<V>,
        rest: Option<V>,
    ) -> Result<Option<Track<V>>, Error> {
        let (budget, sensitivity) = (self.budgets[usize::from(joint)], self.sensitivities[usize::from(joint)].of(part));
        // The sensitivity is 0 if nothing depends on the track. The tolerance is then infinite, unless the budget is 0.
        let tolerance = if budget == 0.0 { 0.0 } else { budget / sensitivity };
        Fit { tolerance, cubic: self.reduction.cubic }.fit(arena, track, rest, TrackName::Joint(joint, part))
    }
}

/// Gives each joint the least of its own value and its descendants' values.
fn least_below(parents: &[u16], values: &mut [f64]) {
    // Children come after their parents, so one pass backwards reaches the root.
    for joint in (1..values.len()).rev() {
        let parent = usize::from(parents[joint]);
        values[parent] = values[parent].min(values[joint]);
    }
}
