//! A character with two layers, by an animator and by hand: a blend of two clips of 64 joints, and half of them by a third
//! clip. At AVX2, like the kernels.

use super::kernels::{SHARE, at, clip};
use crate::dice::Dice;
use hedgerow_anim::blend::{JointMask, PoseSum};
use hedgerow_anim::player::Playback;
use hedgerow_anim::{Clip, ClipBuilder, Player, Pose, Skeleton, SkeletonBuilder, Transform};
use hedgerow_animator::{Animator, LayerOptions, MachineBuilder, Motion, Transition};
use std::hint::black_box;
use std::sync::Arc;

const FRAME: f32 = 1.0 / 60.0;

fn parts() -> (Skeleton, [Arc<Clip>; 3], JointMask) {
    let (mut joints, mut dice) = (SkeletonBuilder::new(), Dice::new());
    for joint in 0..SHARE {
        joints.joint("", joint.checked_sub(1).and_then(|parent| parent.try_into().ok()), Transform::IDENTITY);
    }
    let (skeleton, _) = joints.build().expect("a chain");
    let clips = [(); 3].map(|()| Arc::new(ClipBuilder::new().build(&clip(&mut dice)).expect("a clip").0));
    let mut mask = JointMask::new(skeleton.len(), 0.0).expect("a weight");
    mask.set_subtree(&skeleton, 32, 1.0).expect("a joint");
    (skeleton, clips, mask)
}

fn animator() -> (Animator, Pose) {
    let (skeleton, [walk, run, wave], mask) = parts();
    let mut m = MachineBuilder::new(&skeleton);
    let (speed, go) = (m.parameter("speed", 2.0), m.trigger("go"));
    let base = m.layer("base", LayerOptions::default());
    let moves = m.state(base, "moves", Motion::line(speed, [(1.0, walk), (3.0, run)]));
    let rests = m.state(base, "rests", Motion::none());
    m.transition(Transition::new(moves, rests).when(speed.below(0.5)).fade(0.2));
    let arms = m.layer("arms", LayerOptions::masked(mask));
    let waves = m.state(arms, "waves", wave);
    m.transition(Transition::from_any(waves).when(go).fade(0.2));
    (Animator::new(&m.build().expect("a machine")), Pose::rest(&skeleton))
}

pub(super) fn advance(times: u32) {
    at("Avx2", || {
        let (mut animator, _) = animator();
        for _ in 0..times {
            animator.advance(FRAME);
            black_box(&mut animator);
        }
    });
}

pub(super) fn sample(times: u32) {
    at("Avx2", || {
        let (mut animator, mut pose) = animator();
        for _ in 0..times {
            animator.advance(FRAME);
            animator.sample(&mut pose).expect("joints as many");
            black_box(&mut pose);
        }
    });
}

pub(super) fn by_hand(times: u32) {
    at("Avx2", || {
        let (skeleton, clips, mask) = parts();
        let rest = Pose::rest(&skeleton);
        let (mut sum, mut pose) = (PoseSum::new(skeleton.len()), rest.clone());
        let mut played = clips.map(|clip| {
            let mut player = Player::new(clip);
            player.set_playback(Playback::Loop);
            (player, rest.clone())
        });
        for _ in 0..times {
            for (player, pose) in &mut played {
                player.advance(FRAME);
                player.sample(pose).expect("joints as many");
            }
            let [(_, walk), (_, run), (_, wave)] = &played;
            sum.add(walk, 0.5, None).expect("joints as many");
            sum.add(run, 0.5, None).expect("joints as many");
            sum.finish(&rest, &mut pose).expect("joints as many");
            pose.crossfade(wave, 1.0, Some(&mask)).expect("joints as many");
            black_box(&mut pose);
        }
    });
}
