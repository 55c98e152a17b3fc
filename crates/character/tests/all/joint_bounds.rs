//! Bounds of nodes that follow poses, and boxes at the limit of rounding. `sockets.rs` tests boxes of poses.

use crate::sockets::{of, skin};
use hedgerow::glam::{Quat, Vec3};
use hedgerow::{Aabb, Drawable, Error, Mat34, Node, Scene, SceneConfig, Transform};
use hedgerow_anim::skin::{MorphBuffer, MorphTarget, Palette, Skin, SkinError, SkinOutput, SkinnedMesh};
use hedgerow_character::{CharacterError, JointBounds};

#[test]
fn bounds_follow_the_pose_in_the_space_of_their_node_and_bad_input_changes_nothing() {
    let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::default() }).unwrap();
    let place = Transform { scale: Vec3::new(2.0, 1.0, -1.0), ..Transform::from_xyz(7.0, 0.0, 0.0) };
    let base = scene.insert(scene.root(), Node::transform(place)).unwrap();
    let body = scene.insert(base, Node::drawable(Drawable::new(0, Aabb::EMPTY))).unwrap();
    let (one, two) = (skin(1), skin(2));
    let bounds = JointBounds::new(&two, &[Vec3::ONE], &[1], &[1.0]).unwrap();
    let matrices = [Mat34::IDENTITY, Transform::from_xyz(0.0, 5.0, 0.0).to_matrix()];
    let palette = of(&two, &matrices);
    bounds.follow(&mut scene, body, palette, &[]).unwrap();
    scene.update();
    let (found, vertex) = (scene.get(body).unwrap().bounds().unwrap(), Vec3::new(9.0, 6.0, -1.0));
    assert!(vertex.cmpge(found.min).all() && vertex.cmple(found.max).all() && found.size().length() < 1e-3);
    let other = SkinError::OtherSkin { expected: two.id(), found: one.id() };
    let refused = CharacterError::Pose(hedgerow_anim::Error::Skin(other));
    assert_eq!(bounds.follow(&mut scene, body, of(&one, &matrices[..1]), &[]), Err(refused));
    assert_eq!(bounds.follow(&mut scene, base, palette, &[]), Err(Error::NoDrawable(base).into()));
    let nothing = JointBounds::new(&two, &[], &[], &[]).unwrap();
    nothing.follow(&mut scene, body, palette, &[]).unwrap();
    assert_eq!(scene.get(body).unwrap().drawable().unwrap().bounds, Aabb::EMPTY);
    scene.remove(body).unwrap();
    assert_eq!(bounds.follow(&mut scene, body, palette, &[]), Err(Error::StaleHandle(body).into()));
}

#[test]
fn boxes_hold_vertices_whose_last_influence_is_next_to_nothing_beside_a_joint_that_scales() {
    let mut dice = fastrand::Rng::with_seed(1);
    let mut number = || dice.f32();
    let palette: Vec<Mat34> =
        [1.0, 1.0, 1.0, 1e6].map(|scale| Transform::from_scale(Vec3::splat(scale)).to_matrix()).into();
    let skin = skin(4);
    for influences in 2..=4_u16 {
        let (first, last) = (4 - usize::from(influences), influences - 1);
        for _ in 0..4000 {
            let joints: Vec<u16> = (4 - influences..4).collect();
            let mut weights: Vec<f32> = (0..last).map(|_| 0.1 + number()).collect();
            weights.push(weights.iter().sum::<f32>() * (2e-8 + 2e-7 * number()));
            let positions = [[1.0 + number(), -1.0 - number(), number() - 0.5]];
            let mesh =
                SkinnedMesh::builder(&positions).influences(influences.into(), &joints, &weights).build(&skin).unwrap();
            let mut skinned = [[0.0_f32; 3]];
            mesh.skin(of(&skin, &palette), SkinOutput::new(&mut skinned[..])).unwrap();
            let place = Vec3::from(skinned[0]);
            let bounds = JointBounds::new(&skin, &[positions[0].into()], &joints, &weights).unwrap();
            let found = bounds.of_pose(of(&skin, &palette), &[]).unwrap();
            let held = place.cmpge(found.min).all() && place.cmple(found.max).all();
            assert!(held, "{place} is out of {found:?}, from joint {first} on with {weights:?}");
        }
    }
}

/// A mesh of `count` vertices, three joints and four morph targets, and its boxes.
fn face(dice: &mut fastrand::Rng, count: usize) -> (SkinnedMesh, Skin, JointBounds) {
    let mut number = || dice.f32() * 2.0 - 1.0;
    let skin = skin(3);
    let positions: Vec<[f32; 3]> = (0..count).map(|_| [number(), number(), number()]).collect();
    // Flattens, moves all by the same, moves a few, and moves nothing.
    let flat: Vec<[f32; 3]> = positions.iter().map(|&[_, y, _]| [0.0, -0.95 * y, 0.0]).collect();
    let shifted = vec![[0.3, -2.0, 0.0]; count];
    let some: Vec<[f32; 3]> =
        (0..count).map(|vertex| if vertex % 5 == 0 { [number(), 0.5, number() - 1.0] } else { [0.0; 3] }).collect();
    let joints: Vec<u16> = (0..count).flat_map(|vertex| [[0, 1], [1, 2]][vertex % 2]).collect();
    let weights: Vec<f32> = (0..count).flat_map(|_| [0.5 + 0.4 * number(), 0.5]).collect();
    let lists: [&[[f32; 3]]; 4] = [&flat, &shifted, &some, &[]];
    let mut mesh = SkinnedMesh::builder(&positions).influences(2, &joints, &weights);
    for positions in lists {
        mesh = mesh.morph_target(MorphTarget { positions, ..MorphTarget::default() });
    }
    let points: Vec<Vec3> = positions.iter().map(|&position| position.into()).collect();
    let bounds = JointBounds::with_morphs(&skin, &points, &lists, &joints, &weights).unwrap();
    (mesh.build(&skin).unwrap(), skin, bounds)
}

/// The box of the vertices by brute force.
fn brute(mesh: &SkinnedMesh, palette: Palette<'_>, weights: &[f32]) -> Aabb {
    let mut positions = vec![[0.0_f32; 3]; mesh.len()];
    mesh.skin_morphed(palette, weights, &mut MorphBuffer::new(), SkinOutput::new(&mut positions[..])).unwrap();
    Aabb::from_points(positions.iter().map(|&position| position.into()))
}

#[test]
fn boxes_hold_morphed_vertices_at_weights_of_any_sign_and_size() {
    let mut dice = fastrand::Rng::with_seed(3);
    for case in 0..2000 {
        // A lone vertex that all matrices move alike is where the box is, except for rounding.
        let lone = case % 4 == 0;
        let count = if lone { 1 } else { 1 + dice.usize(..30) };
        let (mesh, skin, bounds) = face(&mut dice, count);
        let scale = [1.0, 1.0, 3.0, 1e3, 1e5][case % 5];
        let mut number = || dice.f32() * 2.0 - 1.0;
        let mut matrices: Vec<Mat34> = (0..3)
            .map(|_| Transform {
                rotation: Quat::from_xyzw(number(), number(), number(), 1.0).normalize(),
                scale: Vec3::new(number(), 2.0, number()),
                ..Transform::from_xyz(number(), number() * 100.0, number())
            })
            .map(|transform| transform.to_matrix())
            .collect();
        if lone {
            matrices = vec![matrices[0]; 3];
        }
        let low = if case % 3 == 0 { 0.0 } else { -scale };
        let weights: Vec<f32> = (0..4)
            .map(|_| (number() * scale).max(low))
            .map(|weight| if case % 7 == 0 { weight.signum() } else { weight })
            .collect();
        let palette = of(&skin, &matrices);
        let (found, exact) = (bounds.of_pose(palette, &weights).unwrap(), brute(&mesh, palette, &weights));
        assert!(found.min.cmple(exact.min).all() && found.max.cmpge(exact.max).all(), "{case}: {exact:?} {found:?}");
    }
}

#[test]
fn boxes_are_tight_at_rest_and_at_any_single_target() {
    let mut dice = fastrand::Rng::with_seed(4);
    let (mesh, skin, bounds) = face(&mut dice, 50);
    let matrices = [Transform::from_xyz(5.0, 0.0, 0.0).to_matrix(); 3];
    let palette = of(&skin, &matrices);
    for weights in [[0.0; 4], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 9.0]] {
        let (found, exact) = (bounds.of_pose(palette, &weights).unwrap(), brute(&mesh, palette, &weights));
        assert!((found.size() - exact.size()).max_element() < 1e-4, "{weights:?}: {exact:?} {found:?}");
    }
    // Two targets at once: no more than the faces' own ways.
    let found = bounds.of_pose(palette, &[0.5, 0.5, 0.0, 0.0]).unwrap();
    assert!((found.size() - brute(&mesh, palette, &[0.5, 0.5, 0.0, 0.0]).size()).max_element() < 1e-4);
    for target in 0..4 {
        let mut weights = [0.0; 4];
        weights[target] = f32::NAN;
        assert_eq!(bounds.of_pose(palette, &weights), Ok(Aabb::INFINITE), "target {target}");
    }
    assert_eq!(bounds.of_pose(palette, &[f32::MAX, 0.0, f32::MAX, 0.0]), Ok(Aabb::INFINITE));
    let refused = SkinError::Length { what: "morph weights", expected: 4, found: 1 };
    assert_eq!(bounds.of_pose(palette, &[0.0]), Err(CharacterError::Pose(hedgerow_anim::Error::Skin(refused))));
}
