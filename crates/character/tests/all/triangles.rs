//! Rays and volumes at deformed meshes, compared with tests of all triangles.

use hedgerow::glam::{DVec3, Quat, Vec3};
use hedgerow::query::{Faces, Filter, Frustum, LocalRay, LocalVolume, Ray, Touch, Triangles};
use hedgerow::{Aabb, Drawable, Mat34, Node, Scene, SceneConfig, Transform};
use hedgerow_anim::skin::{MorphTarget, SkinOutput};
use hedgerow_anim::{Skeleton, SkeletonBuilder, Skin, SkinnedMesh};
use hedgerow_character::{AnimationPlayer, Deformed, DeformedMesh, JointBounds, MorphNode};
use hedgerow_testkit::Dice;
use hedgerow_testkit::triangles::{cast_all, sphere};

const JOINTS: u16 = 12;

/// A chain of joints along y, bent.
fn bent(bend: f32) -> Skeleton {
    let mut builder = SkeletonBuilder::new();
    let mut above = None;
    for joint in 0..JOINTS {
        let step = Transform::from_xyz(0.0, if joint == 0 { -1.0 } else { 0.2 }, 0.0);
        let turn = Quat::from_rotation_z(bend * (f32::from(joint) * 0.8).sin()) * Quat::from_rotation_x(bend * 0.5);
        above = Some(builder.joint("", above, step.with_rotation(turn)));
    }
    builder.build().unwrap().0
}

/// A tube whose vertices follow three joints each, with two morph targets, in a scene.
fn tube(bend: f32, weights: [f32; 2]) -> (Scene, Deformed, AnimationPlayer) {
    let soup = sphere(1500);
    let positions: Vec<[f32; 3]> = soup.positions.iter().map(|p| [p[0] * 0.3, p[1], p[2] * 0.3]).collect();
    let (mut joints, mut shares) = (Vec::new(), Vec::new());
    for p in &positions {
        let along = ((p[1] + 1.0) / 0.2).clamp(0.0, f32::from(JOINTS) - 1.001);
        let joint = (0..JOINTS).rfind(|&joint| f32::from(joint) <= along).unwrap();
        joints.extend([joint, joint + 1, joint.saturating_sub(1)]);
        shares.extend([0.9 * (1.0 - along.fract()), 0.9 * along.fract(), 0.1]);
    }
    let binds = (0..JOINTS).map(|joint| Transform::from_xyz(0.0, 1.0 - 0.2 * f32::from(joint), 0.0).to_matrix());
    let skin = Skin::new((0..JOINTS).collect(), binds.collect()).unwrap();
    let widen: Vec<[f32; 3]> = positions.iter().map(|p| [p[0], 0.0, p[2]]).collect();
    let (few, lift) = ([3, 90, 200], [[0.0, 0.5, 0.3]; 3]);
    let flat: Vec<u32> = soup.indices.iter().flatten().copied().collect();
    let mesh = SkinnedMesh::builder(&positions)
        .influences(3, &joints, &shares)
        .indices(&flat)
        .morph_target(MorphTarget { positions: &widen, ..MorphTarget::default() })
        .morph_target(MorphTarget { vertices: Some(&few), positions: &lift, ..MorphTarget::default() })
        .build(&skin)
        .unwrap();
    let triangles = mesh.indices().as_chunks().0.to_vec();
    let points: Vec<Vec3> = positions.iter().map(|&p| p.into()).collect();
    let mut lifted = vec![[0.0; 3]; positions.len()];
    few.iter().zip(lift).for_each(|(&vertex, delta)| lifted[vertex as usize] = delta);
    let bounds = JointBounds::with_morphs(&skin, &points, &[&widen, &lifted], &joints, &shares).unwrap();
    let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT }).unwrap();
    let node = Node::transform(Transform::from_xyz(50.0, 0.0, 0.0)).with_drawable(Drawable::new(0, Aabb::cube(9.0)));
    let node = scene.insert(scene.root(), node).unwrap();
    scene.update();
    let morph = MorphNode::new(0, weights.to_vec());
    let player = AnimationPlayer::at_rest(&[], core::slice::from_ref(&morph));
    let mesh = DeformedMesh { mesh, triangles, skin, rig: Some((0, bent(bend))), bounds };
    (scene, Deformed::new(mesh, node, Some(&morph)).unwrap(), player)
}

#[test]
fn rays_at_any_pose_hit_what_testing_all_triangles_hits() {
    let (mut dice, mut hits) = (Dice::with_seed(2), 0);
    for (bend, weights) in
        [(0.0, [0.0; 2]), (0.35, [0.0; 2]), (0.2, [0.7, 0.2]), (0.5, [-40.0, 3.0]), (0.1, [2e4, 0.0])]
    {
        let (mut scene, mut figure, player) = tube(bend, weights);
        let mut positions = vec![[0.0; 3]; figure.mesh().len()];
        figure.skin(SkinOutput::new(&mut positions[..])).unwrap();
        let triangles = figure.triangles().to_vec();
        let mesh = Triangles::new(&positions, &triangles);
        for turn in 0..60 {
            // Sometimes a frame passes, and the pose counts as new: below five rays there is no tree.
            if turn % 13 == 0 || turn > 40 {
                figure.follow(&player, &mut scene).unwrap();
            }
            let vertex = |dice: &mut Dice| Vec3::from(positions[dice.index(positions.len())]);
            let (target, from) = (vertex(&mut dice) + dice.vector() * 0.1, vertex(&mut dice) + dice.vector() * 4.0);
            let ray = LocalRay { origin: from.as_dvec3(), direction: (target - from).as_dvec3() };
            for faces in [Faces::Both, Faces::Back] {
                let expected = cast_all(mesh, &ray, 2.0, faces);
                assert_eq!(figure.cast(&ray, 2.0, faces).unwrap(), expected, "{bend}, {weights:?}, {turn}: {ray:?}");
                hits += usize::from(expected.is_some());
            }
            let corner = vertex(&mut dice);
            let size = [0.05, 0.5, 5.0, 1e9][turn % 4];
            let volume = LocalVolume::of_box(&Aabb::new(corner - size, corner + size));
            let all: Vec<Touch> =
                (0..).map_while(|at| Some(volume.touch(mesh.corners(at)?.map(Vec3::as_dvec3)))).collect();
            let touch = match () {
                () if all.iter().all(|&touch| touch == Touch::Whole) => Touch::Whole,
                () if all.iter().all(|&touch| touch == Touch::None) => Touch::None,
                () => Touch::Part,
            };
            assert_eq!(figure.touch(&volume).unwrap(), touch);
        }
    }
    assert!(hits > 200, "{hits}");
}

#[test]
fn a_figure_is_picked_beside_which_its_box_is_hit() {
    let (mut scene, mut figure, player) = tube(0.0, [0.0; 2]);
    figure.follow(&player, &mut scene).unwrap();
    scene.update();
    let node = figure.node();
    let mut pick = |x: f32| {
        let ray = Ray::new(Vec3::new(x, 0.9, 5.0), Vec3::NEG_Z).unwrap();
        let mut boxes = Vec::new();
        scene.cast_ray(&ray, Filter::ALL, &mut boxes).unwrap();
        assert_eq!(boxes.len(), 1);
        let pick =
            scene.pick(&ray, Filter::ALL, |_, ray, limit| figure.cast(ray, limit, Faces::Front).unwrap()).unwrap();
        pick.map(|pick| pick.drawn.node)
    };
    assert_eq!((pick(50.0), pick(50.25)), (Some(node), None), "the tube is narrow at its end");
    let frustum = Frustum::from_planes([hedgerow::glam::Vec4::ZERO; 6]).unwrap();
    let mut selected = Vec::new();
    scene.select(&frustum, Filter::ALL, |_, volume| figure.touch(volume).unwrap(), &mut selected).unwrap();
    assert!(selected[0].whole && selected[0].drawn.node == node);
    assert_eq!(figure.palette().matrices().len(), usize::from(JOINTS));
    assert_eq!(scene.world(node).map(Mat34::translation), Some(Vec3::new(50.0, 0.0, 0.0)));
}

#[test]
fn a_figure_is_not_skinned_for_rays_that_pass_its_parts() {
    // To skin it would be an error, since a weight is too great.
    let (_, mut figure, _) = tube(0.1, [2e6, 0.0]);
    let ray = LocalRay { origin: DVec3::new(1e9, 0.0, 5.0), direction: DVec3::NEG_Z };
    for _ in 0..9 {
        assert_eq!(figure.cast(&ray, f64::INFINITY, Faces::Both), Ok(None));
    }
    assert!(figure.cast(&LocalRay { origin: DVec3::new(0.0, 0.0, 5.0), ..ray }, f64::INFINITY, Faces::Both).is_err());
}

#[test]
fn a_pose_that_is_set_is_hit_and_has_the_box_of_a_player_that_shows_it() {
    let mut dice = Dice::with_seed(9);
    let (mut scene, mut shown, player) = tube(0.35, [0.7, 0.2]);
    shown.follow(&player, &mut scene).unwrap();
    let (_, mut set, _) = tube(0.0, [0.0; 2]);
    let matrices = shown.palette().matrices().to_vec();
    let mut hits = 0;
    for turn in 0..40 {
        let direction = dice.vector().as_dvec3();
        let ray = LocalRay { origin: direction * -3.0, direction };
        if turn == 8 {
            // By now there is a tree for the pose before.
            assert!(set.set_pose(&matrices[1..], &[0.7, 0.2]).is_err() && set.set_pose(&matrices, &[0.7]).is_err());
            set.set_pose(&matrices, shown.weights()).unwrap();
        }
        let [a, b] = [&mut set, &mut shown].map(|figure| figure.cast(&ray, 9.0, Faces::Both).unwrap());
        hits += usize::from(b.is_some());
        assert!((a == b) == (turn >= 8 || a.is_none() && b.is_none()), "{turn}: {a:?} {b:?}");
    }
    let bounds = scene.get(shown.node()).unwrap().drawable().unwrap().bounds;
    assert!(hits > 20 && set.bounds().unwrap() == bounds && shown.bounds().unwrap() == bounds);
}
