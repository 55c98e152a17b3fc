//! Rigs, players and deformed meshes that a program makes itself. Those of files are tested in `crates/gltf`.

use hedgerow::data::NodeMap;
use hedgerow::glam::Vec3;
use hedgerow::{Aabb, Drawable, Error, Mat34, Node, NodeHandle, Scene, Transform};
use hedgerow_anim::clip::{ClipError, Precision};
use hedgerow_anim::raw::Track;
use hedgerow_anim::skeleton::SkeletonError;
use hedgerow_anim::skin::{MorphTarget, SkinOutput, SkinnedMesh};
use hedgerow_anim::{Clip, ClipBuilder, Pose, RawClip, Skeleton, SkeletonBuilder, Skin};
use hedgerow_character::{
    AnimationPlayer, CharacterError, Deformed, DeformedMesh, JointBounds, MorphChannels, MorphNode, Rig, RigPlace,
};
use std::sync::Arc;

/// Returns a chain of joints, each one unit above the other.
fn chain(joints: usize) -> Skeleton {
    let mut builder = SkeletonBuilder::new();
    let mut above = None;
    for _ in 0..joints {
        above = Some(builder.joint("", above, Transform::from_xyz(0.0, 1.0, 0.0)));
    }
    builder.build().unwrap().0
}

/// Returns a clip of one second in which joint 0 moves along x from 0, and the channels rise from 0 to 1.
fn clip(joints: usize, channels: usize, to: f32) -> Clip {
    let mut raw = RawClip::new(1.0, joints).unwrap();
    raw.set_translation(0, Track::linear(vec![0.0, 1.0], vec![Vec3::ZERO, Vec3::X * to]).unwrap()).unwrap();
    for _ in 0..channels {
        raw.add_channel(String::new(), Track::linear(vec![0.0, 1.0], vec![0.0, 1.0]).unwrap()).unwrap();
    }
    ClipBuilder::new().precision(Precision::Tight).build(&raw).unwrap().0
}

/// Returns a scene with a rig of two joints, whose clips have a channel for the weight of a flag.
fn street() -> (Scene, [NodeHandle; 3], Rig, MorphNode) {
    let mut scene = Scene::new();
    let mut rig = Rig::new(chain(2));
    rig.channels = 1;
    let base = scene.insert(scene.root(), Node::transform(Transform::from_xyz(0.0, 0.0, 5.0))).unwrap();
    let [low, high] = [0, 1].map(|joint| scene.insert(base, Node::transform(rig.skeleton.rest(joint))).unwrap());
    rig.places.push(RigPlace::new(base, vec![(1, high), (0, low)]));
    let mut flag = MorphNode::new(0, vec![0.25]);
    flag.channels = Some(MorphChannels::new(0, 0..1));
    (scene, [base, low, high], rig, flag)
}

fn x(scene: &Scene, node: NodeHandle) -> f32 {
    scene.local(node).unwrap().to_matrix().translation().x
}

#[test]
fn a_rig_plays_clips_at_all_its_places_and_fades_between_them() {
    let (mut scene, [base, low, _], mut rig, flag) = street();
    let copy = scene.insert(base, Node::transform(Transform::IDENTITY)).unwrap();
    let copied = rig.places[0].of_copy(&NodeMap::from_iter([(low, copy)]), &scene).unwrap();
    assert_eq!((copied.base, copied.node(0), copied.node(1)), (base, Some(copy), None));
    rig.places.push(copied);
    let (rigs, flags) = ([rig], [flag]);
    // Of two clips for a rig, the last counts. Clips can be shared.
    let walk = Arc::new(clip(2, 1, 4.0));
    let mut player =
        AnimationPlayer::new(&rigs, &flags, [[(0, Arc::new(clip(2, 1, 9.0))), (0, Arc::clone(&walk))]]).unwrap();
    player.advance(0.5);
    player.apply(&mut scene).unwrap();
    assert!([low, copy].iter().all(|&node| (x(&scene, node) - 2.0).abs() < 1e-3));
    assert!((player.weights(&flags[0])[0] - 0.5).abs() < 1e-3);

    let rest = AnimationPlayer::at_rest(&rigs, &flags);
    assert_eq!((rest.duration(), rest.weights(&flags[0])), (0.0, &[0.25][..]));
    player.fade_to(None, 1.0).unwrap();
    player.advance(0.5);
    player.apply(&mut scene).unwrap();
    assert!((x(&scene, low) - 2.0).abs() < 1e-3, "halfway from 4 to rest");
    player.advance(0.5);
    player.apply(&mut scene).unwrap();
    assert_eq!((x(&scene, low), player.faded(), player.weights(&flags[0])), (0.0, 1.0, &[0.25][..]));
}

#[test]
fn what_does_not_fit_a_rig_is_refused_and_changes_nothing() {
    let (mut scene, [base, low, high], rig, flag) = street();
    let before = scene.to_bytes();
    let (rigs, flags) = ([rig], [flag]);
    let refused = |number, clip| AnimationPlayer::new(&rigs, &flags, [[(number, clip)]]).map(|_| ()).unwrap_err();
    assert_eq!(refused(1, clip(2, 1, 1.0)), CharacterError::NoRig { rig: 1, count: 1 });
    let joints = |expected, found| CharacterError::Pose(SkeletonError::JointCount { expected, found }.into());
    assert_eq!(refused(0, clip(3, 1, 1.0)), joints(2, 3));
    let channels = |expected, found| CharacterError::Pose(ClipError::ChannelCount { expected, found }.into());
    assert_eq!(refused(0, clip(2, 0, 1.0)), channels(1, 0));
    assert_eq!(rigs[0].apply(&Pose::new(3), &mut scene), Err(joints(2, 3)));

    // A place of a larger rig: its third joint is refused, and a player leaves it out.
    let place = RigPlace::new(base, vec![(2, base), (0, high), (0, low)]);
    assert!(place.nodes().eq([(0, low), (2, base)]), "the last node of a joint counts");
    let pose = Pose::rest(&rigs[0].skeleton);
    let unknown = SkeletonError::UnknownJoint { joint: 2, joints: 2 };
    let applied = rigs[0].apply_at(std::slice::from_ref(&place), &pose, &mut scene);
    assert_eq!(applied, Err(CharacterError::Pose(unknown.into())));
    let mut wrong = rigs[0].clone();
    wrong.places = vec![place];
    AnimationPlayer::at_rest(&[wrong], &flags).apply(&mut scene).unwrap();
    // Channels that a rig does not have keep the rest weights.
    let mut other = flags[0].clone();
    other.channels = Some(MorphChannels::new(0, 5..6));
    let rest = AnimationPlayer::at_rest(&rigs, &[other.clone()]);
    assert_eq!(rest.weights(&other), [0.25]);
    assert!(scene.to_bytes() == before);

    scene.remove(high).unwrap();
    let stale = CharacterError::Scene(Error::StaleHandle(high));
    assert_eq!(rigs[0].apply(&pose, &mut scene), Err(stale));
}

#[test]
fn a_mesh_follows_its_rig_or_keeps_its_bind_pose() {
    let (mut scene, [base, ..], rig, flag) = street();
    let skin = Skin::at_rest(&rig.skeleton).unwrap();
    let body = scene.insert(base, Node::drawable(Drawable::new(0, Aabb::EMPTY))).unwrap();
    let positions = [[0.0, 2.0, 0.0]];
    let of_rig = |skin: &Skin, rig| DeformedMesh {
        mesh: SkinnedMesh::builder(&positions)
            .influences(1, &[1], &[1.0])
            .morph_target(MorphTarget { positions: &[[0.0, 0.0, 4.0]], ..MorphTarget::default() })
            .build(skin)
            .unwrap(),
        triangles: Vec::new(),
        skin: skin.clone(),
        rig,
        bounds: JointBounds::with_morphs(skin, &[Vec3::Y * 2.0], &[&[[0.0, 0.0, 4.0]]], &[1], &[1.0]).unwrap(),
    };
    let shared = Arc::new(of_rig(&skin, Some((0, rig.skeleton.clone()))));
    let mut moving = Deformed::new(Arc::clone(&shared), body, Some(&flag)).unwrap();
    let mut still = Deformed::new(of_rig(&skin, None), body, None).unwrap();
    let mut player = AnimationPlayer::new(&[rig], &[flag], [[(0, clip(2, 1, 6.0))]]).unwrap();
    player.seek(0.5);
    let mut vertex = [[0.0_f32; 3]];
    // The joint's rest is at height 1; the clip takes it to (3, 0, 0), and the weight to a half.
    for (deformed, expected) in [(&mut moving, Vec3::new(3.0, 1.0, 2.0)), (&mut still, Vec3::new(0.0, 2.0, 0.0))] {
        deformed.follow(&player, &mut scene).unwrap();
        deformed.skin(SkinOutput::new(&mut vertex[..])).unwrap();
        assert!(Vec3::from(vertex[0]).distance(expected) < 1e-2, "{vertex:?} is not {expected}");
        let bounds = scene.get(body).unwrap().drawable().unwrap().bounds;
        assert!(expected.cmpge(bounds.min - 1e-2).all() && expected.cmple(bounds.max + 1e-2).all());
    }
    // By a pose of one's own, and weights.
    let bounds = |scene: &Scene| scene.get(body).unwrap().drawable().unwrap().bounds;
    let mut own = Deformed::new(Arc::clone(&shared), body, None).unwrap();
    moving.follow(&player, &mut scene).unwrap();
    let expected = bounds(&scene);
    scene.edit(body).unwrap().set_drawable(Drawable::new(0, Aabb::EMPTY)).unwrap();
    let pose = player.pose(0).unwrap();
    own.follow_pose(pose, moving.weights(), &mut scene).unwrap();
    assert_eq!((own.palette().matrices(), own.weights()), (moving.palette().matrices(), moving.weights()));
    assert_eq!(bounds(&scene), expected);
    let refused = own.follow_pose(pose, &[], &mut scene).unwrap_err();
    assert!(matches!(refused, CharacterError::Pose(hedgerow_anim::Error::Skin(_))), "{refused:?}");
    let without = JointBounds::new(&skin, &[Vec3::Y], &[1], &[1.0]).unwrap();
    let refused = Deformed::new(DeformedMesh { bounds: without, ..of_rig(&skin, None) }, body, None).map(|_| ());
    assert!(matches!(refused, Err(CharacterError::Pose(_))), "{refused:?}");
    let far = Skin::new(vec![7, 7], vec![Mat34::IDENTITY; 2]).unwrap();
    let refused = Deformed::new(of_rig(&far, Some((0, chain(2)))), body, None).map(|_| ());
    assert!(matches!(refused, Err(CharacterError::Pose(_))));
    let short = Deformed::new(of_rig(&skin, Some((0, chain(3)))), body, None);
    assert!(matches!(short.unwrap().follow(&player, &mut scene), Err(CharacterError::Pose(_))));
}
