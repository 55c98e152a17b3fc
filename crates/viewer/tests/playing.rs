//! Selecting the animation and the camera of a file, without a device.

use hedgerow::glam::{DVec3, Vec3};
use hedgerow_viewer::arguments::{Arguments, Subject};
use hedgerow_viewer::camera::Lens;
use hedgerow_viewer::stage::{Cue, FRAME, Stage};
use std::path::Path;

/// Loads a file with a lift: one animation moves it down by 2 m in 2 s, another makes it three times as large.
fn lift(arguments: impl FnOnce(&mut Arguments)) -> Stage {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/lift.gltf");
    let mut wanted = Arguments::new(Subject::File(file));
    arguments(&mut wanted);
    Stage::new(&wanted).unwrap()
}

/// Plays `frames` frames. Returns the height of the lift, and its scale.
fn play(stage: &mut Stage, frames: usize) -> [f32; 2] {
    for _ in 0..frames {
        stage.act(0.0).unwrap();
    }
    stage.scene.update();
    let scene = &stage.scene;
    let lift = scene.get(scene.root()).unwrap().find_all("lift").next().unwrap().handle();
    let world = scene.world(lift).unwrap();
    [world.translation().y, world.transform_vector(Vec3::X).length()]
}

fn near(found: [f32; 2], expected: [f32; 2]) {
    assert!((0..2).all(|at| (found[at] - expected[at]).abs() < 0.01), "{found:?}, not {expected:?}");
}

#[test]
fn animations_are_chosen_by_number_and_fade() {
    let mut stage = lift(|_| {});
    assert_eq!(stage.animations(), ["0: down", "1: grow"]);
    assert_eq!(stage.playing().map(|playing| (playing.animation, playing.duration)), Some((0, 2.0)));
    // The first frame shows the beginning.
    near(play(&mut stage, 31), [1.5, 1.0]);
    stage.cue(Cue::Animation(1)).unwrap();
    near(play(&mut stage, 0), [1.5, 1.0]);
    near(play(&mut stage, 60), [0.0, 2.0]);
    assert_eq!(stage.playing().unwrap().animation, 1);
    stage.cue(Cue::Time(0.5)).unwrap();
    near(play(&mut stage, 0), [0.0, 1.5]);
    let refused = stage.cue(Cue::Animation(2)).unwrap_err().to_string();
    assert!(refused.contains("animation"), "{refused}");
    near(play(&mut stage, 0), [0.0, 1.5]);
}

#[test]
fn an_animation_pauses_and_plays_at_any_speed() {
    let mut stage = lift(|_| {});
    stage.set_pace(false, 2.0);
    near(play(&mut stage, 31), [1.0, 1.0]);
    stage.set_pace(true, 2.0);
    near(play(&mut stage, 20), [1.0, 1.0]);
    // A paused animation can seek.
    stage.cue(Cue::Time(0.5)).unwrap();
    near(play(&mut stage, 5), [1.5, 1.0]);
    stage.cue(Cue::Animation(1)).unwrap();
    near(play(&mut stage, 5), [0.0, 1.0]);
    stage.set_pace(false, -1.0);
    near(play(&mut stage, 30), [0.0, 2.5]);
    let playing = stage.playing().unwrap();
    assert!((playing.time - 1.5).abs() < FRAME && playing.speed == -1.0, "{playing:?}");
}

#[test]
fn cameras_of_a_file_are_looked_through() {
    let stage = lift(|_| {});
    assert_eq!(stage.cameras(), ["0: front", "1: side"]);
    assert_eq!(stage.through, Some(0));
    let front = stage.file_camera(0).unwrap();
    assert_eq!(stage.camera, front);
    assert_eq!((front.eye, front.forward), (DVec3::new(0.5, 0.5, 6.0), Vec3::NEG_Z));
    let side = stage.file_camera(1).unwrap();
    assert!((side.forward - Vec3::NEG_X).length() < 1e-5 && side.lens == Lens::Orthographic(3.0, 50.0), "{side:?}");
    assert_eq!(stage.file_camera(2), None);
    assert_eq!(lift(|wanted| wanted.camera = None).through, None);
    assert_eq!(lift(|wanted| wanted.eye = Some([0.0, 9.0, 9.0])).through, None);
}

#[test]
fn what_is_no_file_has_neither() {
    let mut army = Stage::new(&Arguments { characters: 2, ..Arguments::new(Subject::Army) }).unwrap();
    assert!(army.animations().is_empty() && army.cameras().is_empty());
    assert_eq!((army.playing(), army.file_camera(0)), (None, None));
    army.cue(Cue::Animation(3)).unwrap();
}
