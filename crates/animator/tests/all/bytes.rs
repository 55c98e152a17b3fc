//! Animators as bytes.

use crate::{clip, pose, root, skeleton};
use hedgerow_anim::Transform;
use hedgerow_animator::{Animator, Error, Fade, LayerOptions, Machine, MachineBuilder, Motion};
use hedgerow_math::internal::file_header::{Format, Kind};

fn machine(last: f32) -> Machine {
    let mut m = MachineBuilder::new(&skeleton());
    m.parameter("speed", 1.0);
    m.trigger("go");
    for layer in ["base", "arms"] {
        let layer = m.layer(layer, LayerOptions::default());
        m.state(layer, "a", (clip(0.9, [0.0, 3.0], &[]), root(0.9, 1.0, 0.8)));
        m.state(layer, "b", (clip(1.1, [2.0, last], &[]), root(1.1, 2.0, -1.3)));
        m.state(layer, "nothing", Motion::none());
    }
    m.build().unwrap()
}

/// Returns an animator in the middle of fades of all kinds.
fn busy(machine: &Machine, seed: u64) -> Animator {
    let mut dice = fastrand::Rng::with_seed(seed);
    let mut animator = Animator::new(machine);
    for _ in 0..20 {
        let name = ["a", "b", "nothing"][dice.usize(..3)];
        let fade = [Fade::cross(0.5), Fade::inertial(0.5), Fade::CUT][dice.usize(..3)];
        animator.play(machine.state(name).unwrap(), fade);
        animator.advance(0.2 * dice.f32());
    }
    animator
}

#[test]
fn an_animator_goes_on_with_the_same_bits_after_bytes() {
    let machine = machine(-3.0);
    let mut hash = 0_u32;
    for seed in 0..40 {
        let mut animator = busy(&machine, seed);
        let bytes = animator.to_bytes();
        let mut again = Animator::from_bytes(&machine, &bytes).unwrap();
        assert_eq!(again.to_bytes(), bytes);
        for _ in 0..10 {
            [&mut animator, &mut again].into_iter().for_each(|animator| animator.advance(0.07));
            assert_eq!(pose(&mut animator), pose(&mut again));
            assert_eq!((animator.root_motion(), animator.to_bytes()), (again.root_motion(), again.to_bytes()));
            let Transform { translation, rotation, .. } = animator.root_motion();
            for number in translation.to_array().into_iter().chain(rotation.to_array()) {
                hash = (hash ^ number.to_bits()).wrapping_mul(0x0100_0193).rotate_left(11);
            }
        }
    }
    // The bits of root motion, on every machine.
    assert_eq!(hash, 0x5922_1afb);
}

#[test]
fn bytes_take_what_the_documentation_says() {
    let machine = machine(-3.0);
    let (joints, channels) = (machine.skeleton().len(), machine.channels());
    let size = |fades: &[Fade]| {
        let mut animator = Animator::new(&machine);
        for (fade, name) in fades.iter().zip(["b", "a"]) {
            animator.play(machine.state(name).unwrap(), *fade);
            animator.advance(0.01);
        }
        animator.to_bytes().len()
    };
    let (still, cross, inertial) = (size(&[]), Fade::cross(0.5), Fade::inertial(0.5));
    assert_eq!(still, 48 + 4 + 2 * 16);
    let more = [&[cross][..], &[cross, cross], &[inertial]].map(|fades| size(fades) - still);
    assert_eq!(more, [48, 41 + 40 * joints + 4 * channels, 37 + 72 * joints + 8 * channels]);
}

#[test]
fn bytes_that_are_not_an_animators_are_refused() {
    let machine = machine(-3.0);
    let animator = busy(&machine, 1);
    let bytes = animator.to_bytes();
    let of = |bytes: &[u8]| Animator::from_bytes(&machine, bytes).map(|_| ()).unwrap_err();
    assert_eq!(of(&[]), Error::NotAnAnimator);
    assert_eq!(of(&bytes[..40]), Error::Length { expected: bytes.len() as u64, found: 40 });
    let changed = |at: usize, value: u8| {
        let mut bytes = bytes.clone();
        bytes[at] ^= value;
        of(&bytes)
    };
    assert_eq!(changed(8, 8), Error::Version { found: 9, newest: 1 });
    assert_eq!(changed(50, 1), Error::Checksum);
    assert_eq!(Animator::from_bytes(&self::machine(4.0), &bytes).unwrap_err(), Error::OtherMachine);
    // Lists of names are told apart.
    let named = |names: [&str; 2]| {
        let mut m = MachineBuilder::new(&skeleton());
        names.into_iter().for_each(|name| {
            m.parameter(name, 0.0);
        });
        let base = m.layer("base", LayerOptions::default());
        m.state(base, "rest", Motion::none());
        m.build().unwrap()
    };
    let ab = Animator::new(&named(["ab", "c"])).to_bytes();
    assert_eq!(Animator::from_bytes(&named(["a", "bc"]), &ab).unwrap_err(), Error::OtherMachine);
    // Numbers of a fade that no animator has: its speed, then the velocity of the last channel.
    let mut animator = Animator::new(&machine);
    animator.play(machine.state("b").unwrap(), Fade::inertial(0.5));
    let bytes = animator.to_bytes();
    let forged = |at: usize| {
        let mut bytes = bytes.clone();
        bytes[at..at + 4].copy_from_slice(&3e38_f32.to_le_bytes());
        Format::new(Kind::Animator, 1, 1).write_header(&mut bytes);
        Animator::from_bytes(&machine, &bytes).map(|_| ())
    };
    let invalid = Err(Error::Invalid("a number of a pose or a motion is beyond 10^15"));
    // The other layer has 16 bytes.
    assert_eq!(forged(bytes.len() - 16 - 4), invalid);
    assert_eq!(forged(bytes.len() - 16 - 2 * 4 * 28 - 4), invalid);
    assert!(of(&[b'h'; 40]).to_string().contains("not the state of an animator"));
}
