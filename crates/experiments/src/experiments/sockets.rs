//! Nodes that follow joints, and boxes that follow poses: 1000 characters of 96 joints.
//!
//! - `follow`: two sockets a character, of which the model matrices are at hand, set by one call; in nanoseconds a
//!   socket. Against [`Scene::set_transforms`] of the same nodes with transforms that are at hand. Both scenes are
//!   updated afterwards, which is not measured, and their world matrices compared.
//! - `bounds`: the box of each character's pose from the boxes of what its joints move; in nanoseconds a joint. Against
//!   moving these boxes one by one. The boxes are compared.

use crate::front::{Calls, Front};
use crate::{Case, Outcome, Unit};
use hedgerow::glam::{Quat, Vec3};
use hedgerow::{
    Aabb, Mat34, Node, NodeHandle, Scene, Transform,
    character::{CharacterError, JointBounds, Sockets},
    skin::{Palette, Skin},
};

const CHARACTERS: usize = 1000;
const JOINTS: usize = 96;
/// The joints that have something to carry.
const HANDS: [u16; 2] = [40, 70];

/// Runs the experiment.
///
/// # Errors
/// Where the sides differ, or the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    follow(front)?;
    bounds(front)
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

fn follow<F: Front>(front: &mut F) -> Outcome {
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
    let calls = Calls {
        case: Case::new("follow", items.len(), Unit::Each("ns/sock"), "set_transforms, of transforms"),
        per: items.len(),
        repeats: 10,
        sides: (&mut (scene_a, sockets, palettes(), Ok(0)), &mut (scene_b, locals, Ok(()))),
        ours: |(scene, sockets, models, answer)| {
            *answer = sockets.follow_many(scene, |character| Some(&models[character as usize])).map(<[_]>::len);
        },
        baseline: |(scene, locals, answer)| *answer = scene.set_transforms(locals),
    };
    front.calls(calls, |(ours, _, _, ended), (theirs, _, set)| {
        core::mem::replace(set, Ok(()))?;
        if core::mem::replace(ended, Ok(0))? != 0 {
            return Err("a socket has ended".into());
        }
        ours.update();
        theirs.update();
        for (item, same) in items.iter().zip(&same_items) {
            let (a, b) = (ours.world(*item).ok_or("gone")?, theirs.world(*same).ok_or("gone")?);
            let pairs = a.rows.as_flattened().iter().zip(b.rows.as_flattened());
            if pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max) > 1e-4 {
                return Err(format!("a node follows its joint to {a:?} and is set to {b:?}").into());
            }
        }
        Ok(())
    })
}

fn bounds<F: Front>(front: &mut F) -> Outcome {
    let mut positions = Vec::new();
    let mut joints = Vec::new();
    for number in 0..u16::try_from(JOINTS)? {
        for corner in 0..8_u16 {
            let side = |axis: u16| if corner >> axis & 1 == 0 { -0.1 } else { 0.2 };
            positions.push(Vec3::new(side(0), side(1) + 0.02 * f32::from(number), side(2)));
            joints.push(number);
        }
    }
    let skin = Skin::new((0..).take(JOINTS).collect(), vec![Mat34::IDENTITY; JOINTS])?;
    let bounds = JointBounds::new(&skin, &positions, &joints, &vec![1.0; joints.len()])?;
    let parts: Vec<(u16, Aabb)> = bounds.iter().collect();
    let mut ours = (bounds, skin, palettes(), vec![Ok(Aabb::EMPTY); CHARACTERS]);
    let mut theirs = (parts, palettes(), vec![Aabb::EMPTY; CHARACTERS]);
    let calls = Calls {
        case: Case::new("bounds", CHARACTERS * JOINTS, Unit::Each("ns/box"), "box by box"),
        per: CHARACTERS * JOINTS,
        repeats: 1,
        sides: (&mut ours, &mut theirs),
        ours: |(bounds, skin, palettes, boxes)| {
            for (all, palette) in boxes.iter_mut().zip(&*palettes) {
                *all = Palette::of(skin, palette).map_err(CharacterError::from).and_then(|it| bounds.of_pose(it));
            }
        },
        baseline: |(parts, palettes, boxes)| {
            for (all, palette) in boxes.iter_mut().zip(&*palettes) {
                let moved = parts.iter().map(|(joint, part)| part.transformed(&palette[usize::from(*joint)]));
                *all = moved.fold(Aabb::EMPTY, |all, part| all.merge(&part));
            }
        },
    };
    front.calls(calls, |(_, _, _, ours), (_, _, theirs)| {
        for (found, expected) in ours.drain(..).zip(theirs) {
            let found = found?;
            let off = (expected.min - found.min).abs().max((found.max - expected.max).abs()).max_element();
            if off > 1e-4 {
                return Err(format!("{found:?} is not {expected:?}").into());
            }
        }
        Ok(())
    })
}
