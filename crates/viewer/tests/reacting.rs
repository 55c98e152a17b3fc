//! Feet that stand on what is below them and heads that look at the camera, without a device.

#[path = "../../character/examples/puppet/mod.rs"]
#[allow(dead_code, unused_imports, reason = "a file is made of the puppet's lists")]
mod puppet;

#[allow(dead_code, reason = "other tests draw the other files")]
mod files;

use hedgerow::glam::Vec3;
use hedgerow::{Aabb, Drawable, Mat34, Node, Transform};
use hedgerow_anim::skin::SkinOutput;
use hedgerow_viewer::arguments::{Arguments, Subject};
use hedgerow_viewer::stage::Stage;

/// The switches of an army: feet, eyes.
fn army(switches: Vec<usize>) -> Stage {
    Stage::new(&Arguments { characters: 40, switches, ..Arguments::new(Subject::Army) }).unwrap()
}

/// Returns how many figures look at the camera, and how many could without turning far.
fn looking(stage: &Stage) -> [usize; 2] {
    let skeleton = &stage.figures.drawables[0].rigged.as_ref().unwrap().skeleton;
    let head = usize::from(skeleton.find("head").unwrap());
    let eye = stage.eye.as_vec3();
    let (mut looking, mut able) = (0, 0);
    let nodes = stage.scene.get(stage.scene.root()).unwrap().children();
    for (node, figure) in nodes.zip(&stage.figures.list) {
        // No joint is turned at rest.
        let palette: &Mat34 = &stage.figures.palettes[figure.palette.start + head];
        let place = palette.transform_point(Vec3::new(0.0, 1.60, 0.004));
        let way = (node.world().inverse().unwrap().transform_point(eye) - place).normalize();
        able += usize::from(way.z > 0.8);
        looking += usize::from(way.z > 0.8 && palette.transform_vector(Vec3::Z).normalize().dot(way) > 0.9999);
    }
    [looking, able]
}

#[test]
fn heads_look_at_the_camera_while_that_is_on() {
    let mut stage = army(vec![1]);
    assert_eq!(stage.switches(), [("feet", false), ("eyes", true)]);
    let frame = |stage: &mut Stage| {
        // What a figure sees is where the last update put it.
        stage.scene.update();
        stage.act(0.0).unwrap();
        looking(stage)
    };
    frame(&mut stage);
    let [seen, able] = frame(&mut stage);
    assert!(seen == able && able > 20, "{seen} of {able}");
    stage.switch(1).unwrap();
    let [seen, able] = frame(&mut stage);
    assert!(seen < able / 4, "{seen} of {able}");
}

#[test]
fn feet_stand_on_what_is_below_them_while_that_is_on() {
    for (feet, inside) in [(true, 0.03), (false, 0.25)] {
        let mut stage = army(if feet { vec![0] } else { Vec::new() });
        // A second meadow over the first.
        let meadow = Aabb::new(Vec3::new(-600.0, -0.5, -900.0), Vec3::new(600.0, 0.0, 300.0));
        let above = Node::transform(Transform::from_xyz(0.0, 0.2, 0.0)).with_drawable(Drawable::new(1, meadow));
        stage.scene.insert(stage.scene.root(), above).unwrap();
        let mut deepest = 0.0_f32;
        for frame in 0..45 {
            stage.scene.update();
            stage.act(0.0).unwrap();
            if frame < 30 {
                continue;
            }
            for number in (0..stage.figures.list.len()).step_by(5) {
                let body = stage.figures.posed(number).unwrap();
                let mut places = vec![[0.0; 3]; body.mesh().len()];
                body.skin(SkinOutput::new(&mut places)).unwrap();
                let lowest = places.iter().map(|place| place[1]).fold(f32::MAX, f32::min);
                deepest = deepest.max(0.2 - lowest);
            }
        }
        assert!(deepest < inside && (feet || deepest > 0.15), "feet: {feet}, {deepest} m inside");
    }
}

#[test]
fn figures_of_files_react_if_their_joints_have_the_names() {
    let mut stage =
        Stage::of_file("walker", &files::walker(), &Arguments::new(Subject::File("walker".into()))).unwrap();
    assert_eq!(stage.switches(), [("feet", false), ("eyes", false)]);
    let posed = |stage: &mut Stage| {
        stage.scene.update();
        stage.set_pace(true, 1.0);
        stage.act(0.0).unwrap();
        stage.figures.palettes.clone()
    };
    let plain = posed(&mut stage);
    stage.switch(1).unwrap();
    assert!(posed(&mut stage) != plain, "it looks at the camera");
    stage.switch(1).unwrap();
    assert!(posed(&mut stage) == plain, "it does so no longer");
}
