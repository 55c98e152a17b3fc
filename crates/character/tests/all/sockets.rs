//! Nodes that follow joints, and boxes that follow poses.

use hedgerow::glam::{EulerRot, Quat, Vec3, Vec4};
use hedgerow::{
    Aabb, Drawable, Error, Keep, Layers, Local, Mat34, Node, NodeHandle, Place, Scene, SceneConfig, Transform,
    query::Frustum,
};
use hedgerow_anim::skin::{Palette, Skin, SkinError};
use hedgerow_character::{CharacterError, JointBounds, Sockets};
use proptest::collection::vec;
use proptest::prelude::*;

/// Returns a skin with this many joints, bound at the origin.
pub(crate) fn skin(joints: usize) -> Skin {
    Skin::new((0..).take(joints).collect(), vec![Mat34::IDENTITY; joints]).unwrap()
}

/// Returns matrices as the palette of a skin.
pub(crate) fn of<'p>(skin: &Skin, matrices: &'p [Mat34]) -> Palette<'p> {
    Palette::of(skin, matrices).unwrap()
}

pub(crate) fn vector(reach: f32) -> impl Strategy<Value = Vec3> {
    [-1.0_f32..1.0, -1.0_f32..1.0, -1.0_f32..1.0].prop_map(move |v| Vec3::from_array(v) * reach)
}

pub(crate) fn rigid() -> impl Strategy<Value = Transform> {
    (vector(5.0), vector(3.0)).prop_map(|(translation, turn)| Transform {
        translation,
        rotation: Quat::from_euler(EulerRot::XYZ, turn.x, turn.y, turn.z),
        scale: Vec3::ONE,
    })
}

fn scaled() -> impl Strategy<Value = Transform> {
    (rigid(), vector(2.0)).prop_map(|(transform, scale)| Transform { scale, ..transform })
}

fn difference(a: &Mat34, b: &Mat34) -> f32 {
    let pairs = a.rows.as_flattened().iter().zip(b.rows.as_flattened());
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

fn largest(matrix: &Mat34) -> f32 {
    matrix.rows.as_flattened().iter().fold(0.0, |most, number| number.abs().max(most))
}

/// A character with one item per joint of a chain.
struct Character {
    node: NodeHandle,
    items: Vec<NodeHandle>,
}

fn character(scene: &mut Scene, place: Transform, items: usize) -> Character {
    let node = scene.insert(scene.root(), Node::transform(place)).unwrap();
    let item = |_| scene.insert(node, Node::transform(Transform::IDENTITY)).unwrap();
    Character { node, items: (0..items).map(item).collect() }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn a_node_is_where_its_joint_is_in_the_same_update(
        places in vec(scaled(), 1..4),
        joints in vec((scaled(), rigid()), 1..6),
        below in rigid(),
    ) {
        let mut scene = Scene::new();
        let (mut sockets, mut all) = (Sockets::new(), Vec::new());
        // Neighbours in the list belong to different characters.
        for (number, &place) in (0..).zip(&places) {
            all.push((number, character(&mut scene, place, joints.len())));
        }
        for (joint, (_, offset)) in joints.iter().enumerate() {
            for (number, character) in &all {
                let followed = u16::try_from(joint).unwrap();
                sockets.insert(&scene, character.items[joint], *number, followed, *offset).unwrap();
            }
        }
        let tip = scene.insert(all[0].1.items[0], Node::transform(below)).unwrap();
        let mut models: Vec<Vec<Mat34>> = Vec::new();
        for frame in 0..3_u8 {
            models = places.iter().enumerate().map(|(number, _)| {
                let mut model = Transform::from_xyz(number as f32, f32::from(frame), 0.0).to_matrix();
                joints.iter().map(|(joint, _)| { model *= joint.to_matrix(); model }).collect()
            }).collect();
            let ended = sockets.follow_many(&mut scene, |number| Some(&models[number as usize])).unwrap();
            prop_assert!(ended.is_empty());
            scene.update();
        }
        for (number, character) in &all {
            let place = *scene.world(character.node).unwrap();
            for (joint, item) in character.items.iter().enumerate() {
                let expected = place * models[*number as usize][joint] * joints[joint].1.to_matrix();
                let found = *scene.world(*item).unwrap();
                let off = difference(&found, &expected) / largest(&expected).max(largest(&place) * largest(&models[*number as usize][joint]));
                prop_assert!(off <= 2e-5, "joint {} is off by {}", joint, off);
            }
        }
        let expected = *scene.world(all[0].1.items[0]).unwrap() * below.to_matrix();
        prop_assert_eq!(*scene.world(tip).unwrap(), expected);
        scene.validate().unwrap();
    }

    #[test]
    fn every_skinned_vertex_is_in_the_box_of_its_pose(
        vertices in vec((vector(2.0), [0_u16..40, 0_u16..40, 0_u16..40, 0_u16..40], [0.0_f32..1.0, 0.0_f32..1.0, 0.0_f32..1.0, 0.0_f32..1.0], 0_usize..5), 1..60),
        palette in vec((scaled(), vector(1e4)), 40),
        far: bool,
    ) {
        let positions: Vec<Vec3> = vertices.iter().map(|vertex| vertex.0).collect();
        let joints: Vec<u16> = vertices.iter().flat_map(|vertex| vertex.1).collect();
        let weights: Vec<[f32; 4]> = vertices.iter().map(|&(_, _, weights, used)| {
            let mut weights: [f32; 4] = core::array::from_fn(|at| if at < used { weights[at] } else { 0.0 });
            let sum: f32 = weights.iter().sum();
            if sum == 0.0 { weights = [1.0, 0.0, 0.0, 0.0] } else { weights.iter_mut().for_each(|weight| *weight /= sum) }
            weights
        }).collect();
        let palette: Vec<Mat34> = palette.iter().map(|(transform, shift)| {
            let shift = if far { *shift } else { Vec3::ZERO };
            Transform { translation: transform.translation + shift, ..*transform }.to_matrix()
        }).collect();
        let skinned = |position: Vec3, vertex: usize| {
            (0..4).fold(Vec3::ZERO, |sum, at| {
                let matrix = &palette[usize::from(joints[4 * vertex + at])];
                sum + matrix.transform_point(position) * weights[vertex][at]
            })
        };
        let bounds = JointBounds::new(&skin(palette.len()), &positions, &joints, weights.as_flattened()).unwrap();
        let found = bounds.of_pose(of(&skin(palette.len()), &palette), &[]).unwrap();
        for (vertex, &position) in positions.iter().enumerate() {
            let place = skinned(position, vertex);
            prop_assert!(place.cmpge(found.min).all() && place.cmple(found.max).all(), "{} is out of {:?}", place, found);
        }
        // The box is no larger than the boxes of the joints, except for rounding.
        let exact = bounds.iter().fold(Aabb::EMPTY, |all, (joint, part)| all.merge(&part.transformed(&palette[usize::from(joint)])));
        let reach = exact.max.abs().max(exact.min.abs()).max_element().max(if far { 1e4 } else { 10.0 });
        prop_assert!((exact.min - found.min).max_element() <= 1e-5 * reach && (found.max - exact.max).max_element() <= 1e-5 * reach);

    }
}

#[test]
fn a_socket_is_followed_in_a_detached_character_and_not_by_copies_of_it() {
    let mut scene = Scene::new();
    let Character { node, items } = character(&mut scene, Transform::from_xyz(5.0, 0.0, 0.0), 1);
    let mut sockets = Sockets::new();
    sockets.insert(&scene, items[0], 0, 0, Transform::IDENTITY).unwrap();
    let originals: Vec<_> = scene.get(node).unwrap().descendants().map(|node| node.handle()).collect();
    let tree = scene.copy_tree(node).unwrap();
    let copies = scene.insert_tree(scene.root(), &tree).unwrap();
    scene.reparent(node, Place::Detached, Keep::Local).unwrap();
    let at = |y: f32| [Transform::from_xyz(0.0, y, 0.0).to_matrix()];
    assert_eq!(sockets.follow(&mut scene, &at(2.0)), Ok(&[][..]));
    assert_eq!(scene.local(items[0]), Some(Transform::from_xyz(0.0, 2.0, 0.0).into()));
    scene.reparent(node, scene.root(), Keep::Local).unwrap();
    assert_eq!(sockets.follow(&mut scene, &at(3.0)), Ok(&[][..]));
    scene.update();
    assert_eq!(scene.world(items[0]).unwrap().translation(), Vec3::new(5.0, 3.0, 0.0));
    // The copy's item does not move until it is inserted into the sockets.
    let of_copy = copies[originals.iter().position(|&node| node == items[0]).unwrap()];
    assert_eq!((sockets.followed_by(of_copy), scene.world(of_copy).unwrap().translation().y), (None, 0.0));
    sockets.insert(&scene, of_copy, 0, 0, Transform::IDENTITY).unwrap();
    // A loaded scene has the same handles as the saved one.
    let mut scene = Scene::from_bytes(&scene.to_bytes()).unwrap();
    assert_eq!(sockets.follow(&mut scene, &at(4.0)), Ok(&[][..]));
    scene.update();
    assert!(items.iter().chain([&of_copy]).all(|&item| scene.world(item).unwrap().translation().y == 4.0));
}

#[test]
fn a_socket_ends_when_its_node_is_removed_moved_elsewhere_or_loses_its_transform() {
    let mut scene = Scene::new();
    let Character { node, items } = character(&mut scene, Transform::IDENTITY, 5);
    let mut sockets = Sockets::new();
    for &item in &items {
        sockets.insert(&scene, item, 0, 0, Transform::IDENTITY).unwrap();
    }
    scene.remove(items[0]).unwrap();
    scene.reparent(items[1], scene.root(), Keep::World).unwrap();
    scene.edit(items[2]).unwrap().set_local(None).unwrap();
    assert_eq!(sockets.followed_by(items[3]), Some((0, 0)));
    let models = [Transform::from_xyz(7.0, 0.0, 0.0).to_matrix()];
    let mut ended = sockets.follow(&mut scene, &models).unwrap().to_vec();
    ended.sort_unstable();
    let mut expected = items[..3].to_vec();
    expected.sort_unstable();
    assert_eq!((ended, sockets.len()), (expected, 2));
    assert_eq!(sockets.followed_by(items[1]), None);
    assert!(sockets.follow(&mut scene, &models).unwrap().is_empty());
    scene.update();
    let x = |scene: &Scene, item: NodeHandle| scene.world(item).unwrap().translation().x;
    assert_eq!([1, 3, 4].map(|item| x(&scene, items[item])), [0.0, 7.0, 7.0]);

    // Removing a character removes its sockets.
    scene.remove(node).unwrap();
    assert_eq!(sockets.follow(&mut scene, &models).unwrap().len(), 2);
    assert!(sockets.is_empty());
}

#[test]
fn a_node_that_reuses_the_index_of_one_that_is_gone_keeps_its_socket() {
    let mut scene = Scene::new();
    let Character { node, items } = character(&mut scene, Transform::IDENTITY, 1);
    let mut sockets = Sockets::new();
    sockets.insert(&scene, items[0], 0, 0, Transform::IDENTITY).unwrap();
    scene.remove(items[0]).unwrap();
    let mut later = Vec::new();
    for _ in 0..40 {
        later.push(scene.insert(node, Node::transform(Transform::IDENTITY)).unwrap());
        sockets.insert(&scene, *later.last().unwrap(), 0, 0, Transform::IDENTITY).unwrap();
    }
    let same_index = |a: NodeHandle, b: NodeHandle| a.to_bits() >> 28 == b.to_bits() >> 28;
    assert!(later.iter().any(|&item| same_index(item, items[0])), "no index was used again");
    let models = [Transform::from_xyz(0.0, 1.0, 0.0).to_matrix()];
    assert_eq!(sockets.follow(&mut scene, &models), Ok(&items[..]));
    assert_eq!(sockets.follow(&mut scene, &models), Ok(&[][..]));
    assert_eq!(sockets.len(), 40);
    assert!(later.iter().all(|&item| sockets.followed_by(item) == Some((0, 0)) && sockets.remove(item)));
    assert!(sockets.is_empty() && !sockets.remove(later[0]));
}

#[test]
fn inserting_again_replaces_and_characters_without_models_stay() {
    let mut scene = Scene::new();
    let all: Vec<_> = (0..3).map(|_| character(&mut scene, Transform::IDENTITY, 1)).collect();
    let mut sockets = Sockets::new();
    for (number, character) in (0..).zip(&all) {
        sockets.insert(&scene, character.items[0], number, 1, Transform::from_xyz(9.0, 9.0, 9.0)).unwrap();
        sockets.insert(&scene, character.items[0], number, 0, Transform::IDENTITY).unwrap();
    }
    assert_eq!(sockets.len(), 3);
    let models = [Transform::from_xyz(3.0, 0.0, 0.0).to_matrix()];
    sockets.follow_many(&mut scene, |number| (number != 1).then_some(&models[..])).unwrap();
    scene.update();
    let x = |at: usize| scene.world(all[at].items[0]).unwrap().translation().x;
    assert_eq!([x(0), x(1), x(2)], [3.0, 0.0, 3.0]);
}

#[test]
fn a_joint_that_shears_is_followed_exactly_and_back() {
    let mut scene = Scene::new();
    let Character { items, .. } = character(&mut scene, Transform::IDENTITY, 1);
    let mut sockets = Sockets::new();
    sockets.insert(&scene, items[0], 0, 0, Transform::IDENTITY).unwrap();
    let squash = Transform::from_scale(Vec3::new(1.0, 3.0, 1.0)).to_matrix();
    let sheared = squash * Transform::from_rotation(Quat::from_rotation_z(0.5)).to_matrix();
    sockets.follow(&mut scene, &[sheared]).unwrap();
    assert_eq!(scene.local(items[0]), Some(Local::Matrix(sheared)));
    scene.update();
    assert_eq!(scene.world(items[0]), Some(&sheared));
    sockets.follow(&mut scene, &[squash]).unwrap();
    assert!(matches!(scene.local(items[0]), Some(Local::Transform(_))));
    scene.update();
    assert!(difference(scene.world(items[0]).unwrap(), &squash) < 1e-6);
}

#[test]
fn bad_input_is_refused_and_changes_nothing() {
    let mut scene = Scene::new();
    let Character { node, items } = character(&mut scene, Transform::IDENTITY, 2);
    let group = scene.insert(node, Node::group()).unwrap();
    let mut sockets = Sockets::new();
    let offset = Transform::IDENTITY;
    assert_eq!(sockets.insert(&scene, group, 0, 0, offset), Err(Error::NoTransform(group).into()));
    scene.remove(group).unwrap();
    assert_eq!(sockets.insert(&scene, group, 0, 0, offset), Err(Error::StaleHandle(group).into()));
    let refused = sockets.insert(&scene, items[0], 0, 0, Transform::from_xyz(f32::NAN, 0.0, 0.0));
    assert!(matches!(refused, Err(CharacterError::Scene(Error::NotFinite(_)))));
    let lone = scene.root();
    assert_eq!(sockets.insert(&scene, lone, 0, 0, offset), Err(CharacterError::NoParent(lone)));
    assert!(sockets.is_empty());

    sockets.insert(&scene, items[0], 0, 0, offset).unwrap();
    sockets.insert(&scene, items[1], 0, 1, offset).unwrap();
    let moved = Transform::from_xyz(1.0, 0.0, 0.0).to_matrix();
    let none = CharacterError::NoJoint { joint: 1, matrices: 1 };
    assert_eq!(sockets.follow(&mut scene, &[moved]), Err(none));
    let mut broken = moved;
    broken.rows[0][0] = f32::NAN;
    let refused = CharacterError::NotFinite { node: items[1] };
    assert_eq!(sockets.follow(&mut scene, &[moved, broken]), Err(refused));
    assert_eq!(scene.local(items[0]), Some(Local::Transform(offset)));
    assert_eq!(sockets.len(), 2);

    let at = [Vec3::ONE, Vec3::ZERO];
    let length = |what, found| CharacterError::Length { what, expected: 2, found };
    let vertex = |what, vertex| CharacterError::Vertex { what, vertex };
    let refused = |deltas: &[[f32; 3]], joints: &[u16], weights: &[f32]| {
        JointBounds::with_morphs(&skin(2), &at, &[deltas], joints, weights).map(|bounds| bounds.len()).unwrap_err()
    };
    assert_eq!(refused(&[], &[0, 0], &[1.0]), length("weights", 1));
    assert_eq!(refused(&[], &[0, 0, 0], &[1.0; 3]), length("joints", 3));
    assert_eq!(refused(&[], &[], &[]), length("joints", 0));
    assert_eq!(refused(&[[1.0; 3]], &[0, 0], &[1.0; 2]), length("morph deltas", 1));
    assert_eq!(refused(&[[1.0; 3], [f32::NAN; 3]], &[0, 0], &[1.0; 2]), vertex("morph delta", 1));
    assert_eq!(refused(&[], &[0, 0], &[1.0, -0.5]), vertex("weight", 1));
    assert_eq!(refused(&[], &[0, 0], &[f32::NAN, 1.0]), vertex("weight", 0));
    let far = JointBounds::new(&skin(1), &[Vec3::INFINITY], &[0], &[1.0]).map(|bounds| bounds.len());
    assert_eq!(far, Err(vertex("position", 0)));
    let short = JointBounds::new(&skin(7), &at, &[0, 7], &[1.0, 1.0]).map(|bounds| bounds.len());
    assert_eq!(short, Err(CharacterError::NoJoint { joint: 7, matrices: 7 }));
    let (seven, eight) = (skin(7), skin(8));
    let bounds = JointBounds::new(&eight, &at, &[0, 7], &[1.0, 1.0]).unwrap();
    let other = SkinError::OtherSkin { expected: eight.id(), found: seven.id() };
    let refused = CharacterError::Pose(hedgerow_anim::Error::Skin(other));
    assert_eq!(bounds.of_pose(of(&seven, &[Mat34::IDENTITY; 7]), &[]), Err(refused));
    let turned = Skin::new((0..8).rev().collect(), vec![Mat34::IDENTITY; 8]).unwrap();
    assert!(matches!(bounds.of_pose(of(&turned, &[Mat34::IDENTITY; 8]), &[]), Err(CharacterError::Pose(_))));
    assert_eq!(bounds.of_pose(of(&eight, &[broken; 8]), &[]), Ok(Aabb::INFINITE));
    let nothing = JointBounds::new(&Skin::default(), &[], &[], &[]).unwrap();
    assert_eq!(nothing.of_pose(of(&Skin::default(), &[]), &[]), Ok(Aabb::EMPTY));
}

#[test]
fn only_joints_with_a_share_in_a_vertex_count() {
    let at = [Vec3::ZERO, Vec3::X, Vec3::Y];
    let bounds = JointBounds::new(&skin(10), &at, &[3, 9, 5, 3, 8, 2], &[1.0, 0.0, 0.5, 0.5, 0.0, 0.0]).unwrap();
    let joints: Vec<u16> = bounds.iter().map(|(joint, _)| joint).collect();
    assert_eq!((joints, bounds.len()), (vec![3, 5, 8], 3));
    let (_, both) = bounds.iter().next().unwrap();
    assert!((both.max - Vec3::X).abs().max_element() < 1e-5 && both.min.abs().max_element() < 1e-5);
}

#[test]
fn culling_sees_a_raised_arm_in_the_same_frame() {
    // The mesh is a trunk around the origin, and an arm hanging at its side from (1, 2, 0), the joint of the shoulder.
    let positions =
        [Vec3::new(-0.5, 0.0, 0.0), Vec3::new(0.5, 2.0, 0.0), Vec3::new(1.0, 2.0, 0.0), Vec3::new(1.0, 0.5, 0.0)];
    let bounds = JointBounds::new(&skin(2), &positions, &[0, 0, 1, 1], &[1.0; 4]).unwrap();
    let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::default() }).unwrap();
    let place = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
    let body = scene.insert(place, Node::drawable(Drawable::new(0, Aabb::EMPTY))).unwrap();
    let ring = scene
        .insert(place, Node::transform(Transform::IDENTITY).with_drawable(Drawable::new(1, Aabb::cube(0.05))))
        .unwrap();
    let mut sockets = Sockets::new();
    let shoulder = Transform::from_xyz(1.0, 2.0, 0.0).to_matrix();
    sockets.insert(&scene, ring, 0, 1, Transform::from_xyz(0.0, -1.5, 0.0)).unwrap();
    // The half space above 3.
    let (above, any) = (Vec4::new(0.0, 1.0, 0.0, -3.0), Vec4::ZERO);
    let frustum = Frustum::from_planes([above, any, any, any, any, any]).unwrap();
    let mut seen = Vec::new();
    let mut frame = |scene: &mut Scene, angle: f32, height: f32| {
        let models = [Mat34::IDENTITY, shoulder * Transform::from_rotation(Quat::from_rotation_z(angle)).to_matrix()];
        let palette = [models[0], models[1] * shoulder.inverse().unwrap()];
        scene.set_local(place, Transform::from_xyz(0.0, height, 0.0)).unwrap();
        let drawable = scene.get(body).unwrap().drawable().unwrap();
        scene
            .edit(body)
            .unwrap()
            .set_drawable(Drawable {
                bounds: bounds.of_pose(of(&skin(palette.len()), &palette), &[]).unwrap(),
                ..drawable
            })
            .unwrap();
        sockets.follow(scene, &models).unwrap();
        scene.update();
        scene.query(&frustum, Layers::ALL, &mut seen).unwrap();
        let mut found = seen.clone();
        found.sort_unstable();
        found
    };
    let mut both = vec![body, ring];
    both.sort_unstable();
    assert!(frame(&mut scene, 0.0, 0.0).is_empty());
    assert_eq!(frame(&mut scene, core::f32::consts::PI, 0.0), both, "the arm is up");
    assert!(frame(&mut scene, 1.0, 0.0).is_empty());
    assert_eq!(frame(&mut scene, 0.0, 1.5), [body], "the character climbs, the ring hangs below");
    assert_eq!(frame(&mut scene, 0.0, 5.0), both);
    assert!(frame(&mut scene, 0.0, 0.5).is_empty());
}

#[test]
fn a_list_that_saw_two_scenes_reports_the_other_scenes_nodes_once() {
    let mut one = Scene::new();
    let mut two = Scene::new();
    // The second scene's item has the same record in a later generation.
    let Character { items: in_one, .. } = character(&mut one, Transform::IDENTITY, 3);
    let Character { node, items: in_two } = character(&mut two, Transform::IDENTITY, 3);
    assert_eq!(in_one, in_two);
    two.remove(in_two[1]).unwrap();
    let later = two.insert(node, Node::transform(Transform::IDENTITY)).unwrap();
    assert_ne!(later, in_one[1]);

    let models = [Transform::from_xyz(7.0, 0.0, 0.0).to_matrix()];
    for late_first in [true, false] {
        let mut sockets = Sockets::new();
        let (inserted, other) = if late_first { (in_one[1], later) } else { (later, in_one[1]) };
        let (before, scene) = if late_first { (&two, &mut one) } else { (&one, &mut two) };
        sockets.insert(before, other, 1, 0, Transform::IDENTITY).unwrap();
        sockets.insert(before, in_two[2], 1, 0, Transform::IDENTITY).unwrap();
        sockets.insert(scene, inserted, 2, 0, Transform::IDENTITY).unwrap();
        assert_eq!(sockets.followed_by(inserted), Some((2, 0)));
        assert_eq!(sockets.follow(scene, &models), Ok(&[other][..]));
        assert_eq!((sockets.followed_by(inserted), sockets.followed_by(other)), (Some((2, 0)), None));
        assert_eq!(sockets.follow(scene, &models), Ok(&[][..]), "it is reported once");
        scene.update();
        assert_eq!(scene.world(inserted).unwrap().translation().x, 7.0);
        assert!(sockets.remove(inserted) && !sockets.remove(inserted) && sockets.remove(in_two[2]));
        assert!(sockets.is_empty());
    }
}

#[test]
fn a_refused_call_reports_no_ended_socket_but_the_next_one_does() {
    let mut scene = Scene::new();
    let Character { node, items } = character(&mut scene, Transform::IDENTITY, 1);
    let mut sockets = Sockets::new();
    sockets.insert(&scene, items[0], 0, 0, Transform::IDENTITY).unwrap();
    scene.remove(items[0]).unwrap();
    // It has the record of the removed node.
    let next = scene.insert(node, Node::transform(Transform::IDENTITY)).unwrap();
    sockets.insert(&scene, next, 1, 0, Transform::IDENTITY).unwrap();
    assert!(sockets.follow_many(&mut scene, |_| Some(&[])).is_err());
    assert_eq!(sockets.len(), 2);
    assert_eq!(sockets.follow(&mut scene, &[Mat34::IDENTITY]), Ok(&items[..]));
    assert_eq!((sockets.len(), sockets.followed_by(next)), (1, Some((1, 0))));
}

#[test]
fn an_anchored_node_follows_no_joint() {
    let mut scene = Scene::new();
    let Character { node, items } = character(&mut scene, Transform::IDENTITY, 1);
    let barrel = scene.insert(node, Node::transform(Transform::IDENTITY).anchored()).unwrap();
    let mut sockets = Sockets::new();
    let refused = sockets.insert(&scene, barrel, 0, 0, Transform::IDENTITY);
    assert_eq!(refused, Err(CharacterError::NoParent(barrel)));
    sockets.insert(&scene, items[0], 0, 0, Transform::IDENTITY).unwrap();
    scene.edit(items[0]).unwrap().set_anchored(true, Keep::Local).unwrap();
    assert_eq!(sockets.follow(&mut scene, &[Mat34::IDENTITY]), Ok(&items[..]));
}
