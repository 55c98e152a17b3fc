//! Any value that a scene takes is the same, to the bit, in bytes, text and trees.

use crate::random;
use hedgerow::glam::{DVec3, Quat, Vec3};
use hedgerow::{Aabb, Drawable, Layers, Local, Mat34, Node, Scene, Transform, Tree, ViewRange, Visibility};
use hedgerow_testkit::drivers::forms::hold;
use proptest::array::{uniform3, uniform4, uniform12};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

const ODD: &[f32] =
    &[0.0, -0.0, 1e-45, -1e-40, f32::MIN_POSITIVE, 0.1, 0.3, 1.0, 16_777_215.0, 1e30, f32::MAX, f32::MIN];

fn single() -> impl Strategy<Value = f32> + Clone {
    let bits = any::<u32>().prop_map(f32::from_bits).prop_filter("a finite number", |number| number.is_finite());
    prop_oneof![select(ODD).boxed(), bits.boxed(), (-10.0_f32..10.0).boxed()]
}

/// Numbers beside those in single precision, numbers with few digits, and any numbers.
fn double() -> impl Strategy<Value = f64> + Clone {
    let beside = (single(), -1.0..1.0_f64, select(&[24, 25, 26, 30, 48, 49, 52][..]))
        .prop_map(|(single, part, bits)| f64::from(single) * (1.0 + part * 0.5_f64.powi(bits)));
    let short = (any::<i32>(), 0..9_i32).prop_map(|(number, places)| f64::from(number) / 10_f64.powi(places));
    let halfway = single().prop_map(|single| (f64::from(single) + f64::from(single.next_up().min(f32::MAX))) / 2.0);
    let digits = single().prop_map(|single| format!("{single:e}").parse().expect("a number"));
    prop_oneof![beside.boxed(), short.boxed(), halfway.boxed(), digits.boxed(), (-1e8..1e8).boxed()]
}

/// Rotations that are normalised, almost normalised or not, and transforms that are sometimes matrices.
fn local() -> impl Strategy<Value = Local> {
    let off = select(&[1.0, 1.000_000_2, 1.000_000_5, 0.999_999_4, 1.000_001_4, 3.0][..]);
    let transform = (uniform3(single()), uniform4(-1.0_f32..1.0), off, uniform3(single()));
    let transform = transform.prop_map(|(translation, rotation, off, scale)| Transform {
        translation: translation.into(),
        rotation: Quat::from_array(Quat::from_array(rotation).normalize().to_array().map(|part| part * off)),
        scale: scale.into(),
    });
    let shear = select(&[0.0, 1e-8, 1e-6, 0.5][..]);
    let matrix = (transform.clone(), shear).prop_map(|(transform, shear)| {
        let mut matrix = transform.to_matrix();
        matrix.rows[0][1] += shear;
        matrix
    });
    let any_matrix = uniform12(single())
        .prop_map(|[a, b, c, d, e, f, g, h, i, j, k, l]| Mat34 { rows: [[a, b, c, d], [e, f, g, h], [i, j, k, l]] });
    prop_oneof![
        transform.prop_map(Local::Transform).boxed(),
        matrix.prop_map(Local::Matrix).boxed(),
        any_matrix.prop_map(Local::Matrix).boxed()
    ]
}

fn bounds() -> impl Strategy<Value = Aabb> {
    let corner = || uniform3(single()).prop_map(Vec3::from_array);
    let given = (corner(), corner()).prop_map(|(min, max)| Aabb::new(min, max));
    let box_of = (corner(), corner()).prop_map(|(a, b)| Aabb::new(a.min(b), a.max(b)));
    prop_oneof![given.boxed(), box_of.boxed(), Just(Aabb::EMPTY).boxed(), Just(Aabb::INFINITE).boxed()]
}

fn node() -> impl Strategy<Value = Node<'static>> {
    let place = (option::of(local()), option::of(uniform3(double()).prop_map(DVec3::from_array)), any::<bool>());
    let range = (single(), single()).prop_map(|(near, far)| ViewRange::new(near.abs(), far.abs()).ok());
    let shown = select(&[Visibility::Inherited, Visibility::Hidden, Visibility::Shown][..]);
    let seen = (option::of(bounds()), shown, option::of(any::<u32>().prop_map(Layers::new)), range);
    let rest = (option::of(any::<u32>()), any::<u32>(), option::of(select(&["", "lamp", "\u{e4}\"\n\u{0}"][..])));
    (place, seen, rest).prop_map(
        |((local, wide, anchored), (bounds, visibility, layers, view_range), (material, user_data, name))| Node {
            local,
            material,
            drawable: bounds.map(|bounds| Drawable::new(user_data, bounds)),
            visibility,
            layers,
            view_range,
            name,
            user_data,
            translation_f64: wide.filter(|_| local.is_some()),
            anchored,
        },
    )
}

#[test]
fn values_come_back_to_the_same_bits_in_all_forms() {
    let config = Config { failure_persistence: None, ..Config::with_cases(10 * random::at_most(60)) };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[52; 32]));
    let nodes = vec((node(), any::<u8>()), 0..5);
    let answer = runner.run(&nodes, |nodes| {
        let mut tree = Tree::new();
        for (node, parent) in nodes {
            // Scenes refuse values that single precision cannot hold.
            if Scene::new().insert_tree(Scene::new().root(), &tree_of(node)).is_err() {
                continue;
            }
            let parent = usize::from(parent).checked_rem(tree.len() + 1).and_then(|parent| parent.checked_sub(1));
            tree.push(parent, node);
        }
        hold(&tree);
        Ok(())
    });
    assert!(answer.is_ok(), "{answer:?}");
}

#[test]
fn a_translation_in_double_precision_keeps_48_bits() {
    let config = Config { failure_persistence: None, ..Config::with_cases(100 * random::at_most(60)) };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[53; 32]));
    let set = |number: f64| {
        let mut scene = Scene::new();
        let node = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
        scene.edit(node)?.set_translation_f64(DVec3::splat(number))?;
        Ok::<_, hedgerow::Error>((scene.local(node), scene.get(node).unwrap().translation_f64().unwrap().x))
    };
    let answer = runner.run(&double(), |number| {
        let Ok((local, kept)) = set(number) else { return Ok(()) };
        assert!((kept - number).abs() <= number.abs() * 0.5_f64.powi(48) + 1e-45, "{number:e} {kept:e}");
        // A parser may err by the last bit.
        for near in [kept, kept.next_up(), kept.next_down()] {
            assert!(near == 0.0 || set(near) == Ok((local, kept)), "{number:e}");
        }
        assert_eq!(set(kept).unwrap().1.to_bits(), kept.to_bits());
        Ok(())
    });
    assert!(answer.is_ok(), "{answer:?}");
}

fn tree_of(node: Node<'_>) -> Tree {
    let mut tree = Tree::new();
    tree.push(None, node);
    tree
}
