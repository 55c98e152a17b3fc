//! Characters on one thread against two (feature `rayon`): a thousand of 96 joints, in nanoseconds a joint.
//!
//! - `players`: players advanced and sampled, into model matrices that are shown while in the cache.
//! - `poses`: poses of their own, to palettes shown while in the cache.
//! - `frame`: both at once, and each character's 400 vertices skinned: a whole frame in one call.
//! - `crowd-poses`: players advanced and sampled into the poses of a crowd.
//! - `crowd-models`: its model matrices, written to one array.
//! - `crowd-palettes`: its palettes, shown while in the cache.
//!
//! The baseline is the same call in a pool of one thread. What both compute is compared to the bit.

use super::threads::compare;
use crate::Outcome;
use crate::clock::nanoseconds;
use crate::front::Front;
use crate::workloads::{CHARACTERS, JOINTS, TEST_CLIP_KEYS, character, rig, swaying};
use hedgerow::anim::{Clip, ClipBuilder, Crowd, Error, Player, Pose, Skeleton, player::Playback};
use hedgerow::skin::{Palette, Skin, SkinOutput, SkinnedMesh};
use hedgerow::{Mat34, glam::Vec3};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::hint::black_box;

const ALL_JOINTS: usize = CHARACTERS * JOINTS;
const VERTICES: usize = 400;
const FRAME: f32 = 1.0 / 60.0;

/// A character that owns all that it needs.
#[derive(Clone)]
struct Own<'c> {
    player: Player<&'c Clip>,
    pose: Pose,
    positions: Vec<[f32; 3]>,
}

/// Runs the experiment.
///
/// # Errors
/// Where one thread and two compute something else, there are no threads, or the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    let [two, one] = [2, 1].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build());
    let pools = [two?, one?];
    let skeleton = rig();
    let skin = Skin::at_rest(&skeleton)?;
    let mesh = mesh(&skin)?;
    let clips: Vec<Clip> = (0..4_u8)
        .map(|phase| Ok(ClipBuilder::new().build(&swaying(JOINTS, TEST_CLIP_KEYS, f32::from(phase)))?.0))
        .collect::<Result<_, Error>>()?;
    let mut characters = characters(&skeleton, &clips);
    let mut crowd = Crowd::new(&skeleton);
    characters.iter().try_for_each(|own| crowd.insert(&own.pose).map(|_| ()))?;
    same_bits(&pools, (&skeleton, &skin, &mesh), &characters, &crowd)?;

    let mut room = Vec::new();
    timed(front, "players", &pools, || {
        let shown = skeleton.par_each_models(&mut characters, play, &mut room, |_, models| show(models));
        shown.expect("clips and poses of this skeleton");
    })?;
    timed(front, "poses", &pools, || {
        let shown = skeleton.par_each_palette(&skin, &mut characters, of_pose, &mut room, |(), palette| show(&palette));
        shown.expect("poses of this skeleton");
    })?;
    timed(front, "frame", &pools, || {
        let skinned = skeleton.par_each_palette(&skin, &mut characters, play, &mut room, |positions, palette| {
            mesh.skin(palette, SkinOutput::new(positions))
        });
        skinned.expect("clips, poses and a mesh of this skeleton");
    })?;
    timed(front, "crowd-poses", &pools, || {
        let played = crowd.par_change_poses(&mut characters, |_, own, pose| {
            own.player.advance(FRAME);
            own.player.sample(pose)
        });
        played.expect("clips of this skeleton");
    })?;
    timed(front, "crowd-models", &pools, || crowd.models(&mut room))?;
    timed(front, "crowd-palettes", &pools, || {
        let shown = crowd.par_each_palette(&skin, &mut characters, &mut room, |_, _, palette| show(&palette));
        shown.expect("a skin of this skeleton");
    })
}

/// Measures a call in either pool.
fn timed<F: Front>(front: &mut F, name: &str, pools: &[ThreadPool; 2], mut work: impl FnMut() + Send) -> Outcome {
    compare(front, (name, ALL_JOINTS), pools, |pool| pool.install(|| nanoseconds(&mut work)))
}

/// A frame of a character: what its player shows, and where its vertices go.
fn play<'a>(own: &'a mut Own<'_>) -> Result<(&'a Pose, &'a mut Vec<[f32; 3]>), Error> {
    own.player.advance(FRAME);
    own.player.sample(&mut own.pose)?;
    Ok((&own.pose, &mut own.positions))
}

fn of_pose<'a>(own: &'a mut Own<'_>) -> Result<(&'a Pose, ()), Error> {
    Ok((&own.pose, ()))
}

#[expect(clippy::unnecessary_wraps, reason = "what a closure of these calls returns")]
fn show(matrices: &[Mat34]) -> Result<(), Error> {
    black_box(matrices);
    Ok(())
}

fn characters<'c>(skeleton: &Skeleton, clips: &'c [Clip]) -> Vec<Own<'c>> {
    let own = |seed: usize| {
        let mut player = Player::new(&clips[seed % clips.len()]);
        player.set_playback(Playback::Loop);
        player.seek(0.037 * seed as f32);
        let mut pose = Pose::rest(skeleton);
        (0..).zip(character(skeleton, seed as u64, false)).for_each(|(joint, local)| pose.set(joint, local));
        Own { player, pose, positions: vec![[0.0; 3]; VERTICES] }
    };
    (0..CHARACTERS).map(own).collect()
}

/// Vertices about the joints at rest, each of which follows two.
fn mesh(skin: &Skin) -> Result<SkinnedMesh, Error> {
    let joints: Vec<u16> = (0..).map(|at: u16| at * 37 % 96).take(2 * VERTICES).collect();
    let place = |at: &[u16]| {
        let bound = skin.inverse_binds()[usize::from(at[0])].inverse().unwrap_or_default();
        bound.transform_point(Vec3::new(0.02, 0.0, 0.01)).to_array()
    };
    let positions: Vec<[f32; 3]> = joints.chunks_exact(2).map(place).collect();
    SkinnedMesh::builder(&positions).influences(2, &joints, &[0.75, 0.25].repeat(VERTICES)).build(skin)
}

/// Fails unless both pools compute the same.
fn same_bits(
    pools: &[ThreadPool; 2],
    (skeleton, skin, mesh): (&Skeleton, &Skin, &SkinnedMesh),
    characters: &[Own<'_>],
    crowd: &Crowd,
) -> Outcome {
    let [two, one] = pools.each_ref().map(|pool| {
        let (mut characters, mut crowd, mut room) = (characters.to_vec(), crowd.clone(), Vec::new());
        let (mut models, mut palettes) = (Vec::new(), Vec::new());
        let computed: Result<(), Error> = pool.install(|| {
            let skinned =
                |positions: &mut Vec<[f32; 3]>, palette: Palette<'_>| mesh.skin(palette, SkinOutput::new(positions));
            skeleton.par_each_palette(skin, &mut characters, play, &mut room, skinned)?;
            crowd.par_change_poses(&mut characters, |_, own, pose| own.player.sample(pose))?;
            crowd.models(&mut models);
            crowd.palettes(skin, &mut palettes)
        });
        let positions: Vec<_> = characters.into_iter().map(|own| own.positions).collect();
        computed.map(|()| (positions, models, palettes))
    });
    if two? == one? { Ok(()) } else { Err("character-threads: two threads compute something else than one".into()) }
}
