//! Animations: one clip for each rig that an animation moves.

use super::keys;
use super::rig::Rigs;
use crate::error::{ImportError, ImportErrorKind, Item, ItemKind, WarningKind, check_index};
use crate::extras::others;
use crate::file::{NO_NODE, Numbers, Reader};
use crate::{Extensions, Extras, Skipped};
use core::ops::Range;
use glam::{Quat, Vec3};
use gltf::json::accessor::Accessor;
use gltf::json::animation::{Animation, Interpolation as JsonInterpolation, Property};
use gltf::json::validation::Checked;
use gltf::json::{Index, Root};
use hedgerow_anim::Error;
use hedgerow_anim::{
    RawClip,
    clip::ClipError,
    raw::{Interpolation, Track, TrackValue},
};
use hedgerow_character::{MorphNode, Rig};
use hedgerow_math::internal::fallible;
use std::collections::HashSet;
use std::collections::hash_map::{Entry, HashMap};

/// The part of a glTF animation that moves one rig.
///
/// An animation that moves several rigs becomes a clip for each rig. All clips have the animation's duration, so they
/// stay synchronous. Tracks have the file's keys at full precision; joints that the animation does not move have no
/// track.
///
/// ```
/// // The numbers 0, 2, 0, 0, 0, 0: the times 0 and 2, and the places (0, 2, 0) and (0, 0, 0).
/// let text = br#"{
///     "asset": {"version": "2.0"}, "nodes": [{"name": "lift"}],
///     "animations": [{"name": "up", "samplers": [{"input": 0, "output": 1}],
///         "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]}],
///     "accessors": [{"componentType": 5126, "type": "SCALAR", "count": 2, "bufferView": 0},
///         {"componentType": 5126, "type": "VEC3", "count": 2, "bufferView": 0}],
///     "bufferViews": [{"buffer": 0, "byteLength": 24}],
///     "buffers": [{"byteLength": 24, "uri": "data:;base64,AAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAA"}]
/// }"#;
/// let imported = hedgerow_gltf::from_slice(text, None)?.imported;
/// let up = &imported.clips[0];
/// assert_eq!((up.name.as_deref(), up.clip.duration()), (Some("up"), 2.0));
/// let lift = imported.rigs[up.rig].joint_of(0).expect("it is animated");
/// assert_eq!(up.clip.translation(lift).unwrap().sample(1.5).y, 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ImportedClip {
    /// The index of the glTF animation.
    pub animation: usize,
    /// The name, if any.
    pub name: Option<String>,
    /// The number of the rig in [`Imported::rigs`](crate::Imported::rigs).
    pub rig: usize,
    /// The tracks. The clip ends with the animation's last key. If all keys are at time 0, the clip is a pose with a
    /// duration of one second.
    pub clip: RawClip,
}

/// An animation of a glTF file: a clip for each rig that it moves. [`Imported::play`](crate::Imported::play) plays all
/// of them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportedAnimation {
    /// The name, if any.
    pub name: Option<String>,
    /// The animation's range in [`Imported::clips`](crate::Imported::clips); empty if no imported node changes.
    pub clips: Range<usize>,
    /// The item's `extras`.
    pub extras: Extras,
    /// The JSON of the item's extensions, by name.
    pub extensions: Extensions,
}

impl ImportedAnimation {
    pub(super) fn of(root: &Root, animation: usize, clips: Range<usize>, extras: bool) -> Self {
        let json = &root.animations[animation];
        let extensions = others!(json, extras);
        Self { name: json.name.clone(), clips, extras: Extras::read(&json.extras, extras), extensions }
    }
}

const POINTER: &str = "KHR_animation_pointer";

/// An imported animation channel.
pub(crate) struct Target {
    channel: usize,
    sampler: usize,
    pub(crate) node: usize,
    pub(crate) property: Property,
}

/// Returns the imported channels of every animation, and lists skipped channels and animations.
pub(crate) fn targets(
    Reader { root, warnings, .. }: Reader<'_>,
    morphs: &[MorphNode],
    skipped: &mut Vec<Skipped>,
) -> Result<Vec<Vec<Target>>, ImportError> {
    let mut all = Vec::with_capacity(root.animations.len());
    let mut matrices = HashSet::new();
    for (animation, json) in root.animations.iter().enumerate() {
        let item = || Item::of(root, ItemKind::Animation, animation);
        for (index, sampler) in json.samplers.iter().enumerate() {
            let accessors = root.accessors.len();
            check_index(Some(sampler.input), accessors, item, || format!("samplers[{index}].input"))?;
            check_index(Some(sampler.output), accessors, item, || format!("samplers[{index}].output"))?;
        }
        let (mut targets, mut seen) = (Vec::new(), HashMap::new());
        for (channel, json_channel) in json.channels.iter().enumerate() {
            let (sampler, target) = (json_channel.sampler, &json_channel.target);
            check_index(Some(sampler), json.samplers.len(), item, || format!("channels[{channel}].sampler"))?;
            let node = target.node.value();
            if node == NO_NODE as usize && root.extensions_required.iter().any(|name| name == POINTER) {
                let (field, problem) = (
                    format!("channels[{channel}].target"),
                    "the file requires KHR_animation_pointer, of which only transforms and weights of nodes are imported; look for a download without it",
                );
                return Err(ImportErrorKind::Invalid { item: item(), field, problem }.into());
            }
            let has_targets = || morphs.binary_search_by_key(&node, |morph| morph.node).is_ok();
            let property = match target.path {
                Checked::Valid(Property::MorphTargetWeights) if !has_targets() => None,
                Checked::Valid(property) => Some(property),
                // Other paths come from extensions.
                Checked::Invalid => None,
            };
            let Some(property) = property else {
                skipped.push(Skipped::Channel { animation, channel });
                continue;
            };
            check_index(Some(target.node), root.nodes.len(), item, || format!("channels[{channel}].target.node"))?;
            let is_weights = property == Property::MorphTargetWeights;
            if root.nodes[node].matrix.is_some() && !is_weights && matrices.insert(node) {
                warnings.fault(|| Item::node(root, node), || "matrix".to_owned(), WarningKind::AnimatedMatrix)?;
            }
            // If a target has several tracks, a clip keeps the last.
            if let Some(before) = seen.insert((node, property as u8), channel) {
                warnings.fault(item, || format!("channels[{before}].target"), WarningKind::Twice)?;
            }
            targets.push(Target { channel, sampler: sampler.value(), node, property });
        }
        if targets.is_empty() {
            skipped.push(Skipped::Animation { animation });
        }
        all.push(targets);
    }
    Ok(all)
}

/// Returns the clips of an animation, by rig.
pub(crate) fn read(
    reader: Reader<'_>,
    animation: usize,
    targets: &[Target],
    rigs: &Rigs,
    morphs: &[MorphNode],
) -> Result<Vec<ImportedClip>, ImportError> {
    let json = &reader.root.animations[animation];
    let source = Source { reader, animation, json };
    let mut times: HashMap<usize, Vec<f32>> = HashMap::new();
    for target in targets {
        if let Entry::Vacant(place) = times.entry(target.sampler) {
            place.insert(source.times(target)?);
        }
    }
    let end = times.values().map(|times| last_time(times)).fold(0.0, f32::max);
    let duration = if end > 0.0 { end } else { 1.0 };

    let mut clips: Vec<ImportedClip> = Vec::new();
    let mut of_rigs: HashMap<usize, usize> = HashMap::new();
    let mut weights: HashMap<(usize, usize), Track<f32>> = HashMap::new();
    for target in targets {
        let Some((rig, joint)) = rigs.joint(target.node) else { continue };
        let at = match of_rigs.entry(rig) {
            Entry::Occupied(at) => *at.get(),
            Entry::Vacant(place) => {
                let Rig { skeleton, channels, .. } = &rigs.rigs[rig];
                source.afford::<[Track<Vec3>; 3]>(skeleton.len())?;
                source.afford::<(String, Track<f32>)>(*channels)?;
                source.afford::<u8>(json.name.as_ref().map_or(0, String::len))?;
                let clip = RawClip::new(duration, skeleton.len()).map_err(|error| source.refuse(target, error))?;
                clips.push(ImportedClip { animation, name: json.name.clone(), rig, clip });
                *place.insert(clips.len() - 1)
            }
        };
        let (clip, times) = (&mut clips[at].clip, &times[&target.sampler][..]);
        let set = match target.property {
            Property::Translation => {
                source.track(target, times, Vec3::from_array)?.map(|track| clip.set_translation(joint, track).map(drop))
            }
            Property::Scale => {
                source.track(target, times, Vec3::from_array)?.map(|track| clip.set_scale(joint, track).map(drop))
            }
            Property::Rotation => {
                source.track(target, times, Quat::from_array)?.map(|track| clip.set_rotation(joint, track).map(drop))
            }
            Property::MorphTargetWeights => {
                let found = morphs.binary_search_by_key(&target.node, |morph| morph.node);
                let count = found.map_or(0, |at| morphs[at].weights.len());
                for (number, track) in source.weights(target, times, count)?.into_iter().enumerate() {
                    weights.extend(track.map(|track| ((target.node, number), track)));
                }
                None
            }
        };
        set.unwrap_or(Ok(())).map_err(|error| source.refuse(target, error))?;
    }
    // Every clip of a rig has channels for all nodes of the rig that any animation morphs.
    for morph in morphs {
        let rig = morph.channels.as_ref().map(|channels| channels.rig);
        let Some(&at) = rig.and_then(|rig| of_rigs.get(&rig)) else { continue };
        for (number, (name, rest)) in morph.names.iter().zip(&morph.weights).enumerate() {
            source.afford::<u8>(name.len())?;
            let track = weights.remove(&(morph.node, number)).map_or_else(|| Track::constant(*rest), Ok);
            let added = track.and_then(|track| clips[at].clip.add_channel(name.clone(), track));
            added.map_err(|error| source.refuse(&targets[0], error))?;
        }
    }
    clips.sort_by_key(|clip| clip.rig);
    Ok(clips)
}

/// A reader of an animation's accessors.
struct Source<'a> {
    reader: Reader<'a>,
    animation: usize,
    json: &'a Animation,
}

impl Source<'_> {
    fn item(&self) -> Item {
        Item::of(self.reader.root, ItemKind::Animation, self.animation)
    }

    /// Converts an error of a clip or a track to an error about the file.
    fn refuse(&self, target: &Target, error: Error) -> ImportError {
        let field = format!("channels[{}]", target.channel);
        ImportErrorKind::Motion { item: self.item(), field, error: error.into() }.into()
    }

    /// Charges `count` values of a type to the budget, or returns an error if the budget is exceeded.
    fn afford<T>(&self, count: usize) -> Result<(), ImportError> {
        self.reader.budget.take::<T>(count, || self.item())
    }

    /// Returns values as a list, or an error if the budget or memory is exceeded.
    fn list<T>(&self, values: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>, ImportError> {
        self.afford::<T>(values.len())?;
        fallible::collected(values).map_err(|_| ImportErrorKind::AllocationFailed(self.item()).into())
    }

    fn times(&self, target: &Target) -> Result<Vec<f32>, ImportError> {
        let input = self.json.samplers[target.sampler].input;
        let field: (_, &dyn Fn() -> String) = (self.item(), &|| format!("samplers[{}].input", target.sampler));
        self.reader.values(input, Numbers::Floats, field, |[time]| time)
    }

    fn interpolation(&self, target: &Target) -> Result<Interpolation, ImportError> {
        match self.json.samplers[target.sampler].interpolation {
            Checked::Valid(JsonInterpolation::Linear) => Ok(Interpolation::Linear),
            Checked::Valid(JsonInterpolation::Step) => Ok(Interpolation::Step),
            Checked::Valid(JsonInterpolation::CubicSpline) => Ok(Interpolation::Cubic),
            Checked::Invalid => {
                let field = || format!("samplers[{}].interpolation", target.sampler);
                self.reader.warnings.fault(|| self.item(), field, WarningKind::Invalid { meant: "LINEAR" })?;
                Ok(Interpolation::Linear)
            }
        }
    }

    /// Returns the accessor of a channel's values (with tangents if cubic), and the accessor's field.
    fn output(&self, target: &Target) -> (Index<Accessor>, String) {
        (self.json.samplers[target.sampler].output, format!("samplers[{}].output", target.sampler))
    }

    /// Returns the track of a joint; `None` if it has no usable key.
    fn track<const N: usize, V: TrackValue>(
        &self,
        target: &Target,
        times: &[f32],
        value: impl Fn([f32; N]) -> V,
    ) -> Result<Option<Track<V>>, ImportError> {
        let (output, name) = self.output(target);
        let field = || name.clone();
        let values = self.reader.values(output, Numbers::Fractions, (self.item(), &field), &value)?;
        let (interpolation, list) = (self.interpolation(target)?, self.list(times.iter().copied())?);
        match Track::new(interpolation, list, values) {
            Ok(track) => Ok(Some(track)),
            Err(error) if is_of_keys(&error) => {
                let field: (_, &dyn Fn() -> String) = (self.item(), &field);
                let values = self.reader.arrays(output, Numbers::Fractions, field)?;
                self.mended(target, (times, &values), interpolation, value)
            }
            Err(error) => Err(self.refuse(target, error)),
        }
    }

    /// Returns the track of the usable keys; `None` if no key is usable.
    fn mended<const N: usize, V: TrackValue>(
        &self,
        target: &Target,
        (times, values): (&[f32], &[[f32; N]]),
        interpolation: Interpolation,
        value: impl Fn([f32; N]) -> V,
    ) -> Result<Option<Track<V>>, ImportError> {
        // Charge the memory for the order of keys, for new times and for new values.
        self.afford::<[u64; 2]>(times.len())?;
        self.afford::<[f32; N]>(2 * values.len())?;
        let keys = if times.is_empty() { keys::Keys::default() } else { keys::mended(times, values, interpolation) };
        let field = || format!("channels[{}]", target.channel);
        let fault = |kind| self.reader.warnings.fault(|| self.item(), field, kind);
        if keys.dropped > 0 {
            fault(WarningKind::KeysDropped { count: keys.dropped })?;
        }
        if keys.moved {
            fault(WarningKind::KeysMoved)?;
        }
        if keys.times.is_empty() {
            fault(WarningKind::NoKeys)?;
            return Ok(None);
        }
        let track = Track::new(interpolation, keys.times, keys.values.into_iter().map(value).collect());
        track.map(Some).map_err(|error| self.refuse(target, error))
    }

    /// Returns the tracks of `count` morph weights. A key of the file has all weights. A cubic key has all in-tangents
    /// before the weights and all out-tangents after.
    fn weights(&self, target: &Target, times: &[f32], count: usize) -> Result<Vec<Option<Track<f32>>>, ImportError> {
        let interpolation = self.interpolation(target)?;
        let per_key = interpolation.values_per_key();
        let (output, name) = self.output(target);
        let field: (_, &dyn Fn() -> String) = (self.item(), &|| name.clone());
        let values = self.reader.values(output, Numbers::Fractions, field, |[weight]: [f32; 1]| weight)?;
        if values.len() != times.len() * per_key * count {
            let error = ClipError::ValueCount { keys: times.len(), per_key: per_key * count, values: values.len() };
            return Err(self.refuse(target, error.into()));
        }
        let track = |number| {
            let of_weight = values.iter().copied().skip(number).step_by(count);
            let (list, of_times) = (self.list(of_weight.clone())?, self.list(times.iter().copied())?);
            match Track::new(interpolation, of_times, list) {
                Ok(track) => Ok(Some(track)),
                Err(error) if is_of_keys(&error) => {
                    let values = self.list(of_weight.map(|value| [value]))?;
                    self.mended(target, (times, &values), interpolation, |[value]| value)
                }
                Err(error) => Err(self.refuse(target, error)),
            }
        };
        (0..count).map(track).collect()
    }
}

/// Returns the greatest finite time, at least 0.
fn last_time(times: &[f32]) -> f32 {
    // Compare nonnegative floats by their bits, because the compiler vectorises the maximum of integers.
    let infinite = f32::INFINITY.to_bits().cast_signed();
    let bits = times.iter().map(|time| time.to_bits().cast_signed());
    let last = bits.map(|bits| if bits < infinite { bits } else { 0 }).fold(0, i32::max);
    f32::from_bits(last.cast_unsigned())
}

/// Returns whether a track was refused because of keys that can be dropped.
fn is_of_keys(error: &Error) -> bool {
    use ClipError::{NoKeys, NotFinite, NotRotation, Time, TimeOrder};
    matches!(error, Error::Clip(NoKeys | NotFinite { .. } | NotRotation { .. } | Time { .. } | TimeOrder { .. }))
}
