//! Layers with masks and weights, blend spaces, channels, threads.

use crate::{clip, machine, near, pose, skeleton, x};
use hedgerow_anim::Pose;
use hedgerow_anim::blend::{JointMask, PoseSum};
use hedgerow_anim::{Player, Transform};
use hedgerow_animator::{Animator, LayerOptions, MachineBuilder, Motion};

#[test]
fn a_masked_one_shot_shows_on_its_joints_and_leaves_again() {
    let mut m = MachineBuilder::new(&skeleton());
    let base = m.layer("base", LayerOptions::default());
    m.state(base, "walk", clip(1.0, [1.0, 1.0], &[]));
    let mut mask = JointMask::new(3, 0.0).unwrap();
    mask.set_subtree(&skeleton(), 1, 1.0).unwrap();
    let arms = m.layer("arms", LayerOptions::masked(mask));
    m.state(arms, "free", Motion::none());
    let wave = m.one_shot(arms, "wave", clip(1.0, [5.0, 5.0], &[]), 0.25);
    let adds = m.layer("lean", LayerOptions::default().additive(None).weight(0.5));
    m.state(adds, "upright", Motion::none());
    let lean = m.state(adds, "lean", clip(1.0, [2.0, 2.0], &[]));
    let machine = m.build().unwrap();
    let mut animator = Animator::new(&machine);

    animator.play(wave, 0.5);
    for (seconds, chest) in [(0.0, 1.0), (0.25, 3.0), (0.25, 5.0), (0.25, 5.0), (0.125, 3.0), (0.125, 1.0), (1.0, 1.0)]
    {
        animator.advance(seconds);
        near(x(&mut animator, 1), chest);
        near(x(&mut animator, 2), 1.0);
    }
    animator.set_weight(arms, 0.5);
    animator.set_weight(arms, f32::NAN);
    animator.play(wave, 0.0);
    near(x(&mut animator, 1), 3.0);
    assert_eq!(animator.weight(arms), 0.5);
    animator.play(lean, 0.0);
    // The rest pose is at x = 0.
    near(x(&mut animator, 2), 2.0);
    let mut smile = [0.0];
    animator.sample_channels(&mut smile).unwrap();
    near(smile[0], 2.0);
    assert!(animator.sample_channels(&mut []).is_err() && animator.sample(&mut Pose::new(2)).is_err());
}

#[test]
fn a_blend_is_that_of_players_and_a_sum() {
    let clips = [[0.0, 1.0], [4.0, 8.0], [-3.0, 2.0]].map(|ends| clip(2.0, ends, &[]));
    let machine = machine(|m, base| {
        let [right, up] = ["right", "up"].map(|name| m.parameter(name, 0.25));
        let points = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        m.state(base, "plane", Motion::plane([right, up], points.into_iter().zip(clips.clone())));
        m.state(base, "line", Motion::line(up, [2.0, 0.0, 1.0].into_iter().zip(clips.clone())));
    });
    let [right, up] = ["right", "up"].map(|name| machine.parameter(name).unwrap());
    let mut animator = Animator::new(&machine);
    let sum = |time: f32, weights: [f32; 3]| {
        let mut sum = PoseSum::new(3);
        let (rest, mut out) = (Pose::rest(&skeleton()), Pose::rest(&skeleton()));
        for (clip, weight) in clips.iter().zip(weights) {
            let (mut player, mut pose) = (Player::new(&**clip), rest.clone());
            player.seek(time);
            player.sample(&mut pose).unwrap();
            sum.add(&pose, weight, None).unwrap();
        }
        sum.finish(&rest, &mut out).unwrap();
        out
    };
    animator.advance(0.5);
    let same = |a: &Pose, b: &Pose| {
        let far = |joint| (a.get(joint).translation - b.get(joint).translation).length();
        (0..3).all(|joint| far(joint) < 1e-5)
    };
    assert!(same(&pose(&mut animator), &sum(0.5, [0.5, 0.25, 0.25])));
    // Outside: the nearest point of the outline.
    for (at, weights) in
        [([-3.0, -1.0], [1.0, 0.0, 0.0]), ([0.25, -9.0], [0.75, 0.25, 0.0]), ([2.0, 2.0], [0.0, 0.5, 0.5])]
    {
        animator.set(right, at[0]);
        animator.set(up, at[1]);
        assert!(same(&pose(&mut animator), &sum(0.5, weights)), "{at:?}");
    }
    animator.play(machine.state("line").unwrap(), 0.0);
    animator.advance(0.5);
    for (at, weights) in
        [(-1.0, [0.0, 1.0, 0.0]), (0.75, [0.0, 0.25, 0.75]), (1.5, [0.5, 0.0, 0.5]), (7.0, [1.0, 0.0, 0.0])]
    {
        animator.set(up, at);
        assert!(same(&pose(&mut animator), &sum(0.5, weights)), "{at}");
    }
}

#[test]
fn clones_and_threads_give_the_same_bits() {
    let machine = machine(|m, base| {
        m.state(base, "a", clip(0.9, [0.0, 3.0], &[]));
        m.state(base, "b", clip(1.1, [2.0, -3.0], &[]));
    });
    let states = ["a", "b"].map(|name| machine.state(name).unwrap());
    let run = |seed: u64| {
        let mut dice = fastrand::Rng::with_seed(seed);
        let (mut animator, mut bits) = (Animator::new(&machine), Vec::new());
        let mut saved = animator.clone();
        for _ in 0..100 {
            match dice.u8(..6) {
                0 => animator.play(states[dice.usize(..2)], 0.2),
                1 => saved = animator.clone(),
                2 => animator.clone_from(&saved),
                _ => animator.advance(0.1 * dice.f32()),
            }
            let pose = pose(&mut animator);
            bits.extend((0..3).flat_map(|joint| {
                let Transform { translation, rotation, .. } = pose.get(joint);
                translation.to_array().into_iter().chain(rotation.to_array()).map(f32::to_bits)
            }));
        }
        bits
    };
    let alone: Vec<_> = (0..6).map(run).collect();
    let together: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..6).map(|seed| scope.spawn(move || run(seed))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(alone == together);
}
