//! Descriptions that are refused.

use crate::{clip, root, skeleton};
use hedgerow_anim::Pose;
use hedgerow_anim::blend::JointMask;
use hedgerow_animator::{
    Animator, Condition, Error, Layer, LayerOptions, MachineBuilder, Motion, MotionClip, Transition,
};
use std::sync::Arc;

/// Returns the mistake in a machine that otherwise has one layer with one state.
fn mistake<T>(describe: impl FnOnce(&mut MachineBuilder, Layer) -> T) -> Error {
    let mut m = MachineBuilder::new(&skeleton());
    let base = m.layer("base", LayerOptions::default());
    m.state(base, "rest", Motion::none());
    describe(&mut m, base);
    m.build().unwrap_err()
}

#[test]
#[should_panic(expected = "larger machine")]
fn a_trigger_of_a_larger_machine_panics() {
    let mut m = MachineBuilder::new(&skeleton());
    let base = m.layer("base", LayerOptions::default());
    m.state(base, "rest", Motion::none());
    let far = MachineBuilder::new(&skeleton()).trigger("far");
    Animator::new(&m.build().unwrap()).fire(far);
}

#[test]
fn each_mistake_of_a_description_has_an_error() {
    let one = || clip(1.0, [0.0, 1.0], &[(0.5, "left")]);
    let places = |state: &str| Error::Places { state: state.to_owned() };
    // Handles of a larger machine.
    let mut other = MachineBuilder::new(&skeleton());
    let [_, far] = [(); 2].map(|()| other.layer("l", LayerOptions::default()));
    let [.., state] = [(); 3].map(|()| other.state(far, "s", Motion::none()));
    let (parameter, trigger, group) = (other.parameter("p", 0.0), other.trigger("t"), other.sync_group(&[]));

    assert_eq!(mistake(|m, _| m.layer("empty", LayerOptions::default())), Error::NoState { layer: "empty".into() });
    assert_eq!(mistake(|m, _| m.state(far, "s", Motion::none())), Error::Unknown("a layer"));
    assert_eq!(
        mistake(|m, base| m.state(base, "s", Motion::line(parameter, [(0.0, one())]))),
        Error::Unknown("a parameter")
    );
    assert_eq!(
        mistake(|m, base| m.state(base, "s", Motion::none().speed_by(parameter))),
        Error::Unknown("a parameter")
    );
    assert_eq!(mistake(|m, base| m.state(base, "s", Motion::from(one()).sync(group))), Error::Unknown("a sync group"));
    assert_eq!(mistake(|m, _| m.transition(Transition::from_any(state))), Error::Unknown("a state"));
    let transition = |condition: Condition| {
        mistake(|m, base| {
            let end = m.state(base, "end", one());
            m.transition(Transition::new(end, end).when(condition));
        })
    };
    assert_eq!(transition(trigger.into()), Error::Unknown("a trigger"));
    assert_eq!(transition(parameter.above(1.0)), Error::Unknown("a parameter"));
    let number = |what, of: &str| Error::Number { what, of: of.to_owned() };
    assert_eq!(transition(Condition::phase(0.5..=0.2)), number("phase or time of a transition", "end"));
    assert_eq!(transition(Condition::before_end(f32::NAN)), number("phase or time of a transition", "end"));
    assert_eq!(mistake(|m, _| m.parameter("p", f32::NAN)), number("initial value", "p"));
    assert_eq!(mistake(|m, base| m.state(base, "s", Motion::none().speed(f32::INFINITY))), number("speed", "s"));
    assert_eq!(mistake(|m, _| m.layer("l", LayerOptions::default().weight(2.0))), number("weight", "l"));

    type Points = Vec<(f32, Arc<hedgerow_anim::Clip>)>;
    let line = |points: Points| {
        mistake(|m, base| {
            let by = m.parameter("p", 0.0);
            m.state(base, "line", Motion::line(by, points));
        })
    };
    assert_eq!(line(Vec::new()), places("line"));
    assert_eq!(line(vec![(1.0, one()), (1.0, one())]), places("line"));
    assert_eq!(line(vec![(f32::NAN, one())]), places("line"));
    let plane = |points: Vec<[f32; 2]>| {
        mistake(|m, base| {
            let by = m.parameter("p", 0.0);
            m.state(base, "plane", Motion::plane([by, by], points.into_iter().map(|at| (at, one()))));
        })
    };
    assert_eq!(plane(vec![[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]), places("plane"));
    assert_eq!(plane(vec![[0.0, f32::NAN], [1.0, 1.0], [2.0, 2.0]]), places("plane"));
    assert_eq!(plane(vec![[0.0; 2]; 65]), Error::TooMany { what: "clips in a plane", most: 64 });
    assert_eq!(mistake(|m, _| (0..65).map(|_| m.trigger("t")).count()), Error::TooMany { what: "triggers", most: 64 });

    let synced = |other: Arc<hedgerow_anim::Clip>| {
        mistake(|m, base| {
            let steps = m.sync_group(&["left", "right"]);
            m.state(base, "first", Motion::from(one()).sync(steps));
            m.state(base, "other", Motion::from(MotionClip::from(other)).sync(steps));
        })
    };
    let markers = Error::Markers { state: "other".to_owned() };
    assert_eq!(synced(clip(1.0, [0.0, 1.0], &[])), markers);
    assert_eq!(synced(clip(1.0, [0.0, 1.0], &[(0.1, "left"), (0.2, "right")])), markers);
    let once = mistake(|m, base| {
        let steps = m.sync_group(&[]);
        m.state(base, "once", Motion::from(one()).sync(steps).once());
    });
    assert_eq!(once, Error::SyncOnce { state: "once".to_owned() });
    let one_shot = |motion: Motion| {
        mistake(|m, base| {
            m.one_shot(base, "wave", motion, 0.1);
        })
    };
    assert_eq!(one_shot(Motion::none()), Error::OneShot { state: "wave".to_owned() });
    let first = mistake(|m, _| {
        let layer = m.layer("l", LayerOptions::default());
        m.one_shot(layer, "wave", one(), 0.1);
    });
    assert_eq!(first, Error::OneShot { state: "wave".to_owned() });
    let root_motion = mistake(|m, base| m.state(base, "s", (one(), root(2.0, 1.0, 0.0))));
    assert_eq!(root_motion, Error::RootMotion { state: "s".to_owned() });
    let many = mistake(|m, _| (0..1 << 16).map(|_| m.parameter("p", 0.0)).count());
    assert_eq!(many, Error::TooMany { what: "parameters", most: 65_535 });
    let many = mistake(|m, _| (0..1 << 16).map(|_| m.sync_group(&[])).count());
    assert_eq!(many, Error::TooMany { what: "sync groups", most: 65_535 });
    let compared = mistake(|m, base| {
        let (by, end) = (m.parameter("p", 0.0), m.state(base, "end", one()));
        m.transition(Transition::from_any(end).when(by.above(f32::NAN)));
    });
    assert_eq!(compared, number("comparison of a transition", "end"));
    let across = mistake(|m, base| {
        let [from, to] = [base, m.layer("l", LayerOptions::default())].map(|layer| m.state(layer, "s", Motion::none()));
        m.transition(Transition::new(from, to));
    });
    assert_eq!(across, Error::Across { state: "s".to_owned() });

    for options in
        [LayerOptions::masked(JointMask::new(2, 1.0).unwrap()), LayerOptions::default().additive(Some(Pose::new(2)))]
    {
        let wrong = mistake(|m, _| {
            let layer = m.layer("l", options);
            m.state(layer, "s", Motion::none());
        });
        assert!(matches!(wrong, Error::Anim(_)), "{wrong}");
    }
    let channels = mistake(|m, base| {
        m.rest_channels(vec![0.0; 2]);
        m.state(base, "s", one());
    });
    assert!(matches!(channels, Error::Anim(_)), "{channels}");
    assert_eq!(MachineBuilder::new(&skeleton()).build().unwrap_err(), Error::NoLayer);
}
