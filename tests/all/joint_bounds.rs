//! Boxes that follow poses: bounds of nodes that are not where their vertices are, and boxes at the limit of rounding.
//! See `sockets.rs` for boxes of poses.

use crate::sockets::{of, rigid, skin, vector};
use hedgerow::glam::Vec3;
use hedgerow::{
    Aabb, Drawable, Error, Mat34, Node, Scene, SceneConfig, Transform,
    character::{CharacterError, JointBounds},
    skin::{SkinError, SkinOutput, SkinnedMesh},
};
use proptest::collection::vec;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn bounds_follow_the_base_of_a_pose_wherever_their_node_is(
        places in vec((rigid(), 0.1_f32..3.0), 4),
        positions in vec(vector(2.0), 1..6),
        joint in rigid(),
    ) {
        let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::default() }).unwrap();
        let mut nodes = vec![scene.root()];
        // The base is in the middle of the chain, the meshes are above, at, below and beside it.
        for (place, scale) in &places {
            let place = Transform { scale: Vec3::new(*scale, 1.0, -*scale), ..*place };
            let drawable = Node::transform(place).with_drawable(Drawable::new(0, Aabb::EMPTY));
            nodes.push(scene.insert(*nodes.last().unwrap(), drawable).unwrap());
        }
        let base = nodes[2];
        nodes.push(scene.insert(nodes[1], Node::drawable(Drawable::new(0, Aabb::EMPTY))).unwrap());
        scene.update();
        // The transform set after an update counts, not the one at the update.
        scene.set_local(nodes[1], Transform { scale: Vec3::splat(places[0].1), ..places[3].0 }).unwrap();
        let bounds = JointBounds::new(&skin(1), &positions, &vec![0; positions.len()], &vec![1.0; positions.len()]).unwrap();
        let palette = [joint.to_matrix()];
        for &node in &nodes[1..] {
            bounds.follow(&mut scene, node, base, of(&skin(1), &palette)).unwrap();
        }
        scene.update();
        let world = *scene.world(base).unwrap();
        for &node in &nodes[1..] {
            let found = scene.get(node).unwrap().bounds().unwrap();
            let slack = 1e-5 * found.max.abs().max(found.min.abs()).max_element();
            for &position in &positions {
                let place = world.transform_point(palette[0].transform_point(position));
                let out = (found.min - place).max(place - found.max).max_element();
                prop_assert!(out <= slack, "{} is out of {:?}", place, found);
            }
        }
    }
}

#[test]
fn bounds_of_a_node_that_is_flat_are_everywhere_and_bad_input_changes_nothing() {
    let mut scene = Scene::new();
    let base = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
    let flat = Transform::from_scale(Vec3::new(1.0, 0.0, 1.0));
    let body = scene.insert(base, Node::transform(flat).with_drawable(Drawable::new(0, Aabb::EMPTY))).unwrap();
    let (one, two) = (skin(1), skin(2));
    let bounds = JointBounds::new(&two, &[Vec3::ONE], &[1], &[1.0]).unwrap();
    let matrices = [Mat34::IDENTITY; 2];
    let palette = of(&two, &matrices);
    bounds.follow(&mut scene, body, base, palette).unwrap();
    assert_eq!(scene.get(body).unwrap().drawable().unwrap().bounds, Aabb::INFINITE);
    let other = SkinError::OtherSkin { expected: two.id(), found: one.id() };
    let refused = CharacterError::Pose(hedgerow::anim::Error::Skin(other));
    assert_eq!(bounds.follow(&mut scene, body, base, of(&one, &matrices[..1])), Err(refused));
    assert_eq!(bounds.follow(&mut scene, base, base, palette), Err(Error::NoDrawable(base).into()));
    let nothing = JointBounds::new(&two, &[], &[], &[]).unwrap();
    nothing.follow(&mut scene, body, base, palette).unwrap();
    assert_eq!(scene.get(body).unwrap().drawable().unwrap().bounds, Aabb::EMPTY);
    scene.remove(body).unwrap();
    assert_eq!(bounds.follow(&mut scene, body, base, palette), Err(Error::StaleHandle(body).into()));
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
