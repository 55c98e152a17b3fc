//! The side of ozz-animation-rs, and the layout that its runtime reads. The crate has no builder, so clips are built
//! here: its keys, its order of keys and its iframes, all handed over by `serde`.

use crate::ours::Rig;
use crate::side::{CHARACTERS, Side};
use hedgerow::glam::{Quat, Vec3};
use hedgerow_anim::Skeleton;
use hedgerow_anim::raw::{Track, TrackValue};
use hedgerow_experiments::Failure;
use ozz_animation_rs as ozz;
use serde::Deserialize;
use serde_json::json;
use std::cell::RefCell;
use std::f32::consts::{FRAC_1_SQRT_2, SQRT_2};
use std::rc::Rc;

/// The jobs of a character share its local transforms.
struct Character {
    seconds: f32,
    sampling: ozz::SamplingJobRc,
    models: ozz::LocalToModelJobRc,
}

/// The other side.
pub(crate) struct Theirs {
    duration: f32,
    bytes: usize,
    characters: Vec<Character>,
}

impl Theirs {
    /// Builds the skeleton and the clip, with iframes about every `iframes` seconds; 0 for none.
    ///
    /// # Errors
    /// An error if the crate's layout has no room for the clip.
    pub(crate) fn new(rig: &Rig, iframes: f32) -> Result<Self, Failure> {
        let duration = rig.clip.duration();
        let (clip, bytes) = animation(rig, iframes)?;
        let (clip, skeleton) = (Rc::new(clip), Rc::new(skeleton(&rig.skeleton)?));
        let character = |_| {
            let locals = ozz::ozz_rc_buf(vec![ozz::SoaTransform::IDENTITY; skeleton.num_soa_joints()]);
            let mut sampling = ozz::SamplingJobRc::default();
            sampling.set_animation(clip.clone());
            sampling.set_context(ozz::SamplingContext::new(clip.num_tracks()));
            sampling.set_output(locals.clone());
            let mut models = ozz::LocalToModelJobRc::default();
            models.set_skeleton(skeleton.clone());
            models.set_input(locals);
            models.set_output(Rc::new(RefCell::new(vec![Default::default(); skeleton.num_joints()])));
            Character { seconds: 0.0, sampling, models }
        };
        Ok(Self { duration, bytes, characters: (0..CHARACTERS).map(character).collect() })
    }
}

impl Side for Theirs {
    fn seek(&mut self, character: usize, seconds: f32) {
        self.characters[character].seconds = seconds;
    }

    fn advance(&mut self, character: usize, seconds: f32) {
        let place = &mut self.characters[character].seconds;
        *place += seconds;
        if *place > self.duration {
            *place -= self.duration;
        }
    }

    fn sample(&mut self, character: usize) -> Result<(), Failure> {
        let Character { seconds, sampling, .. } = &mut self.characters[character];
        sampling.set_ratio(*seconds / self.duration);
        Ok(sampling.run()?)
    }

    fn models(&mut self, character: usize) -> Result<(), Failure> {
        Ok(self.characters[character].models.run()?)
    }

    fn matrices(&self, character: usize) -> Vec<f32> {
        let models = self.characters[character].models.output().expect("it was set").borrow();
        models.iter().flat_map(|model| model.transpose().to_cols_array().into_iter().take(12)).collect()
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Joints stay in our order, in which parents come first, too. No job reads names or rest poses.
fn skeleton(ours: &Skeleton) -> Result<ozz::Skeleton, Failure> {
    let parent = |&parent: &u16| if parent == Skeleton::NO_PARENT { Ok(-1) } else { i16::try_from(parent) };
    Ok(ozz::Skeleton::deserialize(json!({
        "joint_rest_poses": vec![ozz::SoaTransform::IDENTITY; ours.len().div_ceil(4)],
        "joint_parents": ours.parents().iter().map(parent).collect::<Result<Vec<i16>, _>>()?,
        "joint_names": {},
    }))?)
}

/// Returns the clip and its size in bytes.
#[expect(clippy::cast_possible_truncation, reason = "casts of floats saturate, and NaN is 0")]
fn animation(rig: &Rig, iframes: f32) -> Result<(ozz::Animation, usize), Failure> {
    let (clip, joints) = (&rig.clip, u16::try_from(rig.skeleton.len())?);
    // The runtime works on groups of four tracks; the last group is filled with constant tracks.
    let joints = || (0..joints.next_multiple_of(4)).map(|joint| (joint < joints).then_some(joint));
    let duration = clip.duration();
    let iframes = if iframes > 0.0 { (duration / iframes).round() as usize } else { 0 };
    let vectors = |track: Option<&Track<Vec3>>, rest| in_ratios(track, rest, duration, half_floats);
    let translations: Vec<_> =
        joints().map(|joint| vectors(joint.and_then(|joint| clip.translation(joint)), Vec3::ZERO)).collect();
    let scales: Vec<_> = joints().map(|joint| vectors(joint.and_then(|joint| clip.scale(joint)), Vec3::ONE)).collect();
    let rotations: Vec<_> = joints()
        .map(|joint| {
            let mut before = Quat::IDENTITY;
            in_ratios(joint.and_then(|joint| clip.rotation(joint)), Quat::IDENTITY, duration, |rotation| {
                // The runtime does not look for the shorter way between keys.
                before = if rotation.dot(before) < 0.0 { -rotation } else { rotation };
                smallest_three(before)
            })
        })
        .collect();

    let mut timepoints: Vec<f32> =
        [&translations, &rotations, &scales].into_iter().flatten().flatten().map(|&(ratio, _)| ratio).collect();
    timepoints.sort_unstable_by(f32::total_cmp);
    timepoints.dedup();
    let translations = Keys::new(&translations, &timepoints, iframes)?;
    let rotations = Keys::new(&rotations, &timepoints, iframes)?;
    let scales = Keys::new(&scales, &timepoints, iframes)?;
    let bytes = 4 * timepoints.len() + translations.bytes() + rotations.bytes() + scales.bytes();
    let animation = json!({
        "duration": duration, "num_tracks": rig.skeleton.len(), "name": "", "timepoints": timepoints,
        "translations": translations.values, "t_ratios": translations.ratios,
        "t_previouses": translations.previouses, "t_iframe_interval": translations.interval,
        "t_iframe_entries": translations.entries, "t_iframe_desc": translations.places,
        "rotations": rotations.values, "r_ratios": rotations.ratios,
        "r_previouses": rotations.previouses, "r_iframe_interval": rotations.interval,
        "r_iframe_entries": rotations.entries, "r_iframe_desc": rotations.places,
        "scales": scales.values, "s_ratios": scales.ratios,
        "s_previouses": scales.previouses, "s_iframe_interval": scales.interval,
        "s_iframe_entries": scales.entries, "s_iframe_desc": scales.places,
    });
    Ok((ozz::Animation::deserialize(animation)?, bytes))
}

/// The keys of a track: times as ratios of the duration, and quantised values.
type Quantised = Vec<(f32, [u16; 3])>;

/// Quantises a track, with keys added at the clip's start and end, which the runtime requires.
fn in_ratios<V: TrackValue>(
    track: Option<&Track<V>>,
    rest: V,
    duration: f32,
    mut quantise: impl FnMut(V) -> [u16; 3],
) -> Quantised {
    let mut keys: Quantised = match track {
        Some(track) => {
            track.times().iter().zip(track.values()).map(|(time, value)| (time / duration, quantise(*value))).collect()
        }
        None => vec![(0.0, quantise(rest))],
    };
    if keys[0].0 > 0.0 {
        keys.insert(0, (0.0, keys[0].1));
    }
    let last = keys[keys.len() - 1];
    if last.0 < 1.0 {
        keys.push((1.0, last.1));
    }
    keys
}

fn half_floats(vector: Vec3) -> [u16; 3] {
    vector.to_array().map(|component| half::f16::from_f32(component).to_bits())
}

/// From the lowest bit: the index of the largest component (2 bits), its sign (1), and the other three (15 each).
#[expect(clippy::cast_possible_truncation, reason = "numbers of 15 and of 16 bits")]
fn smallest_three(rotation: Quat) -> [u16; 3] {
    let components = rotation.normalize().to_array();
    let largest = (0..4).fold(0, |most, at| if components[at].abs() > components[most].abs() { at } else { most });
    let mut word = largest as u64 | u64::from(components[largest] < 0.0) << 2;
    for (place, at) in (0..4).filter(|&at| at != largest).enumerate() {
        let number = ((components[at] + FRAC_1_SQRT_2) * (32_767.0 / SQRT_2)).round().clamp(0.0, 32_767.0);
        word |= (number as u64) << (3 + 15 * place);
    }
    [0, 16, 32].map(|shift| (word >> shift & 0xffff) as u16)
}

/// All translation, rotation or scale keys of a clip, in the order in which playing forward needs them: by the time of
/// the previous key of the track, then by track.
#[derive(Default)]
struct Keys {
    values: Vec<[u16; 3]>,
    /// The index of each key's time in the clip's list of times.
    ratios: Vec<u16>,
    /// The distance to the previous key of the track.
    previouses: Vec<u16>,
    /// The ratio from one iframe to the next.
    interval: f32,
    /// For each iframe, the key at the end of each track's current interval, as a stream of [`push_four`].
    entries: Vec<u8>,
    /// For each iframe, where its entries start, and the last key that has been needed.
    places: Vec<u32>,
}

impl Keys {
    fn new(tracks: &[Quantised], timepoints: &[f32], iframes: usize) -> Result<Self, Failure> {
        let mut sorted: Vec<(f32, usize, usize)> = Vec::new();
        for (number, track) in tracks.iter().enumerate() {
            // The first keys of all tracks come before all others.
            let needed = std::iter::once(-1.0).chain(track.iter().map(|key| key.0));
            sorted.extend(needed.take(track.len()).enumerate().map(|(key, needed)| (needed, number, key)));
        }
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));

        let mut keys = Self { interval: 1.0, ..Self::default() };
        let mut latest: Vec<usize> = (0..tracks.len()).collect();
        for (place, &(_, track, key)) in sorted.iter().enumerate() {
            let (ratio, value) = tracks[track][key];
            let time = timepoints.binary_search_by(|other| other.total_cmp(&ratio)).expect("all times are listed");
            keys.values.push(value);
            keys.ratios.push(u16::try_from(time)?);
            keys.previouses.push(u16::try_from(place - latest[track])?);
            latest[track] = place;
        }

        // Without keys but those at both ends, there is nothing to skip.
        let ends = 2 * tracks.len();
        if sorted.len() > ends && iframes > 0 {
            keys.interval = 1.0 / iframes as f32;
            let mut current: Vec<usize> = (tracks.len()..ends).collect();
            let mut next = ends;
            for iframe in 1..=iframes {
                while next < sorted.len() && sorted[next].0 <= iframe as f32 * keys.interval {
                    current[sorted[next].1] = next;
                    next += 1;
                }
                keys.places.extend([u32::try_from(keys.entries.len())?, u32::try_from(next - 1)?]);
                current.chunks_exact(4).try_for_each(|four| push_four(&mut keys.entries, four))?;
            }
        }
        Ok(keys)
    }

    fn bytes(&self) -> usize {
        10 * self.values.len() + self.entries.len() + 4 * self.places.len()
    }
}

/// Appends four numbers, each with as many bytes as it needs: a byte with two bits per number for the number of further
/// bytes, then the bytes.
fn push_four(stream: &mut Vec<u8>, four: &[usize]) -> Result<(), Failure> {
    let start = stream.len();
    stream.push(0);
    for (place, &number) in four.iter().enumerate() {
        let number = u32::try_from(number)?;
        let further = number.checked_ilog(256).unwrap_or(0);
        stream[start] |= u8::try_from(further)? << (2 * place);
        stream.extend_from_slice(&number.to_le_bytes()[..=further as usize]);
    }
    Ok(())
}
