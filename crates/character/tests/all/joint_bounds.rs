//! Bounds of nodes that follow poses, and boxes at the limit of rounding. `sockets.rs` tests boxes of poses.

use crate::sockets::{of, skin};
use hedgerow::glam::Vec3;
use hedgerow::{Aabb, Drawable, Error, Mat34, Node, Scene, SceneConfig, Transform};
use hedgerow_anim::skin::{SkinError, SkinOutput, SkinnedMesh};
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
    bounds.follow(&mut scene, body, palette).unwrap();
    scene.update();
    let (found, vertex) = (scene.get(body).unwrap().bounds().unwrap(), Vec3::new(9.0, 6.0, -1.0));
    assert!(vertex.cmpge(found.min).all() && vertex.cmple(found.max).all() && found.size().length() < 1e-3);
    let other = SkinError::OtherSkin { expected: two.id(), found: one.id() };
    let refused = CharacterError::Pose(hedgerow_anim::Error::Skin(other));
    assert_eq!(bounds.follow(&mut scene, body, of(&one, &matrices[..1])), Err(refused));
    assert_eq!(bounds.follow(&mut scene, base, palette), Err(Error::NoDrawable(base).into()));
    let nothing = JointBounds::new(&two, &[], &[], &[]).unwrap();
    nothing.follow(&mut scene, body, palette).unwrap();
    assert_eq!(scene.get(body).unwrap().drawable().unwrap().bounds, Aabb::EMPTY);
    scene.remove(body).unwrap();
    assert_eq!(bounds.follow(&mut scene, body, palette), Err(Error::StaleHandle(body).into()));
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
            let found = bounds.of_pose(of(&skin, &palette)).unwrap();
            let held = place.cmpge(found.min).all() && place.cmple(found.max).all();
            assert!(held, "{place} is out of {found:?}, from joint {first} on with {weights:?}");
        }
    }
}
