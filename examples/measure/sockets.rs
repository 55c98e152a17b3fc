//! Nodes that follow joints, and boxes that follow poses: 1000 characters of 96 joints.
//!
//! - `follow`: two sockets a character, of which the model matrices are at hand, set by one call; in nanoseconds a socket.
//!   Against [`Scene::set_transforms`] of the same nodes with transforms that are at hand. Both scenes are updated afterwards,
//!   which is not measured, and their world matrices compared.
//! - `bounds`: the box of each character's pose from the boxes of what its joints move; in nanoseconds a joint. Against moving
//!   these boxes one by one. The boxes are compared.

use crate::report::{Case, Report, Unit};
use crate::timing::take_turns;
use hedgerow::glam::{Quat, Vec3};
use hedgerow::{
    Aabb, Mat34, Node, NodeHandle, Scene, Transform,
    character::{JointBounds, Sockets},
};
use std::error::Error;

const CHARACTERS: usize = 1000;
const JOINTS: usize = 96;
/// The joints that have something to carry.
const HANDS: [u16; 2] = [40, 70];

/// Runs the experiment.
pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn Error>> {
    follow(report)?;
    bounds(report)
}

/// The matrix of a joint of a character: somewhere about it, turned anyhow.
fn joint(character: usize, joint: usize) -> Transform {
    let (a, b) = (character as f32, joint as f32);
    let rotation = Quat::from_rotation_y(a + 0.1 * b) * Quat::from_rotation_x(0.7 * b);
    Transform { translation: Vec3::new(b.sin(), 0.02 * b, (a + b).cos()), rotation, scale: Vec3::ONE }
}

fn palettes() -> Vec<Vec<Mat34>> {
    let palette = |character| (0..JOINTS).map(|number| joint(character, number).to_matrix()).collect();
    (0..CHARACTERS).map(palette).collect()
}

/// A scene of characters, each with two items.
fn scene() -> Result<(Scene, Vec<NodeHandle>), hedgerow::Error> {
    let (mut scene, mut items) = (Scene::new(), Vec::new());
    for number in 0..CHARACTERS {
        let place = Node::transform(Transform::from_xyz(number as f32, 0.0, 0.0));
        let character = scene.insert(scene.root(), place)?;
        for _ in HANDS {
            items.push(scene.insert(character, Node::transform(Transform::IDENTITY))?);
        }
    }
    scene.update();
    Ok((scene, items))
}

fn follow(report: &mut Report) -> Result<(), Box<dyn Error>> {
    let (scene_a, items) = scene()?;
    let (scene_b, same_items) = scene()?;
    let offset = Transform::from_xyz(0.0, 0.1, 0.0);
    let mut sockets = Sockets::new();
    let mut locals = Vec::new();
    for (at, (&item, &same)) in items.iter().zip(&same_items).enumerate() {
        let (character, hand) = (at / HANDS.len(), HANDS[at % HANDS.len()]);
        sockets.insert(&scene_a, item, u32::try_from(character)?, hand, offset)?;
        let model = joint(character, hand.into());
        let translation = model.translation + model.rotation * offset.translation;
        locals.push((same, Transform { translation, ..model }));
    }
    let mut ours = (scene_a, sockets, palettes(), Ok(0));
    let mut theirs = (scene_b, locals, Ok(()));
    let (time, baseline_time) = take_turns(
        (&mut ours, &mut theirs),
        10,
        |(scene, sockets, models, answer)| {
            *answer = sockets.follow_many(scene, |character| Some(&models[character as usize])).map(<[_]>::len);
        },
        |(scene, locals, answer)| *answer = scene.set_transforms(locals),
    );
    theirs.2?;
    if ours.3? != 0 {
        return Err("a socket has ended".into());
    }
    ours.0.update();
    theirs.0.update();
    for (item, same) in items.iter().zip(&same_items) {
        let (a, b) = (ours.0.world(*item).ok_or("gone")?, theirs.0.world(*same).ok_or("gone")?);
        let pairs = a.rows.as_flattened().iter().zip(b.rows.as_flattened());
        if pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max) > 1e-4 {
            return Err(format!("a node follows its joint to {a:?} and is set to {b:?}").into());
        }
    }
    let sockets = items.len() as f64;
    report.case(&Case {
        name: "follow",
        nodes: items.len(),
        unit: Unit::Each("ns/sock"),
        ours: time / sockets,
        baseline: "set_transforms, of transforms",
        baseline_figure: baseline_time / sockets,
    })?;
    Ok(())
}

fn bounds(report: &mut Report) -> Result<(), Box<dyn Error>> {
    let mut positions = Vec::new();
    let mut joints = Vec::new();
    for number in 0..u16::try_from(JOINTS)? {
        for corner in 0..8_u16 {
            let side = |axis: u16| if corner >> axis & 1 == 0 { -0.1 } else { 0.2 };
            positions.push(Vec3::new(side(0), side(1) + 0.02 * f32::from(number), side(2)));
            joints.push(number);
        }
    }
    let bounds = JointBounds::new(&positions, &joints, &vec![1.0; joints.len()])?;
    let parts: Vec<(u16, Aabb)> = bounds.iter().collect();
    let mut ours = (bounds, palettes(), vec![Ok(Aabb::EMPTY); CHARACTERS]);
    let mut theirs = (parts, palettes(), vec![Aabb::EMPTY; CHARACTERS]);
    let (time, baseline_time) = take_turns(
        (&mut ours, &mut theirs),
        1,
        |(bounds, palettes, boxes)| {
            boxes.iter_mut().zip(&*palettes).for_each(|(all, palette)| *all = bounds.of_pose(palette));
        },
        |(parts, palettes, boxes)| {
            for (all, palette) in boxes.iter_mut().zip(&*palettes) {
                let moved = parts.iter().map(|(joint, part)| part.transformed(&palette[usize::from(*joint)]));
                *all = moved.fold(Aabb::EMPTY, |all, part| all.union(&part));
            }
        },
    );
    for (found, expected) in ours.2.into_iter().zip(theirs.2) {
        let found = found?;
        let off = (expected.min - found.min).abs().max((found.max - expected.max).abs()).max_element();
        if off > 1e-4 {
            return Err(format!("{found:?} is not {expected:?}").into());
        }
    }
    let all = (CHARACTERS * JOINTS) as f64;
    report.case(&Case {
        name: "bounds",
        nodes: CHARACTERS * JOINTS,
        unit: Unit::Each("ns/box"),
        ours: time / all,
        baseline: "box by box",
        baseline_figure: baseline_time / all,
    })?;
    Ok(())
}
