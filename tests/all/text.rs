//! Scenes and trees as text, through JSON.

use crate::random;
use hedgerow::glam::{DVec3, Quat, Vec3};
use hedgerow::snapshot::SaveOptions;
use hedgerow::{
    Aabb, Drawable, Keep, Layers, Local, Mat34, Node, NodeHandle, NodeRef, Place, Scene, SceneConfig, Transform, Tree,
};
use hedgerow_testkit::model::dump::dump;
use hedgerow_testkit::model::oracle::from_bytes;
use hedgerow_testkit::model::{Step, decode};
use proptest::array::{uniform8, uniform24};
use proptest::collection::vec;
use proptest::prelude::{Strategy, any};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Writes a value as text and reads it back.
fn again<T: Serialize + DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

/// A node: the index of its parent, its description, and its translation in double precision.
type Listed<'n> = (Option<usize>, Node<'n>, Option<DVec3>);

/// Returns all nodes in depth-first order, detached ones last.
fn nodes(scene: &Scene) -> Vec<Listed<'_>> {
    let tops = scene.get(scene.root()).into_iter().chain(scene.detached());
    let order: Vec<NodeHandle> = tops.flat_map(NodeRef::descendants).map(NodeRef::handle).collect();
    let place = |node| order.iter().position(|&other| other == node);
    let listed = |&node: &NodeHandle| {
        let parent = scene.parent(node).and_then(place);
        (parent, scene.get(node).unwrap().to_node(), scene.get(node).and_then(|node| node.translation_f64()))
    };
    order.iter().map(listed).collect()
}

fn refusal(text: &str) -> String {
    serde_json::from_str::<Scene>(text).map(|scene| dump(&scene)).unwrap_err().to_string()
}

#[test]
fn a_person_can_read_and_write_it() {
    let text = r#"{
        "config": {"max_nodes": 64},
        "nodes": [
            {"name": "town"},
            {"parent": 0, "name": "car", "transform": {"translation": [1, 0, 2.5]}, "layers": 3},
            {"parent": 1, "name": "wheel", "material": 2, "drawable": {"mesh": 7, "bounds": "infinite"}},
            {"parent": 0, "matrix": [[1, 0.5, 0, 0], [0, 1, 0, 0], [0, 0, 1, 4]], "user_data": 9},
            {"parent": 0, "transform": {"translation": [10000000.25, 0, 0]}}
        ]
    }"#;
    let scene: Scene = serde_json::from_str(text).unwrap();
    assert_eq!(scene.validate(), Ok(()));
    assert_eq!(scene.config(), &SceneConfig { max_nodes: 64, ..SceneConfig::DEFAULT });
    let wheel = scene.get(scene.root()).unwrap().find("car/wheel").unwrap().handle();
    assert_eq!(scene.world(wheel).unwrap().translation(), Vec3::new(1.0, 0.0, 2.5), "it is updated");
    assert_eq!(scene.get(wheel).unwrap().drawable(), Some(Drawable::new(7, Aabb::INFINITE)));
    assert_eq!(scene.get(wheel).unwrap().fresh_world().translation(), Vec3::new(1.0, 0.0, 2.5));
    let last = scene.get(scene.root()).unwrap().last_child().unwrap().handle();
    assert_eq!(scene.get(last).unwrap().translation_f64(), Some(DVec3::new(1e7 + 0.25, 0.0, 0.0)));
    let before = scene.get(last).unwrap().previous_sibling().unwrap().handle();
    assert!(matches!(scene.local(before), Some(Local::Matrix(_))));
    assert_eq!(scene.get(before).unwrap().user_data(), 9);
    assert_eq!(nodes(&again(&scene)), nodes(&scene));
}

#[test]
fn a_translation_is_one_field_in_the_precision_of_its_digits() {
    let place = DVec3::new(2_683_141.257, 1_247_913.503, 408.125);
    let mut scene = Scene::new();
    let site = Node::transform(Transform::IDENTITY).with_translation_f64(place);
    scene.insert(scene.root(), site).unwrap();
    let text = serde_json::to_string(&scene).unwrap();
    assert!(text.contains(r#""translation":[2683141.257,1247913.503,408.125]"#), "{text}");
    let typed = |node: &str| -> Scene {
        serde_json::from_str(&format!(r#"{{"nodes":[{{}},{{"parent":0,{node}}}]}}"#)).unwrap()
    };
    let first =
        |scene: &Scene| scene.get(scene.root()).and_then(NodeRef::first_child).unwrap().to_node().translation_f64;
    let by_hand = typed(r#""transform":{"translation":[2683141.257,1247913.503,408.125]}"#);
    assert_eq!(nodes(&by_hand), nodes(&scene));
    assert!((first(&scene).unwrap() - place).abs().max_element() < 1e-8);
    let sheared = typed(r#""matrix":[[1,0.5,0,2683141.257],[0,1,0,0],[0,0,1,0.1]]"#);
    assert_eq!(first(&sheared).map(|wide| (wide.x, wide.z)), first(&scene).map(|wide| (wide.x, f64::from(0.1_f32))));
    assert_eq!(nodes(&again(&sheared)), nodes(&sheared));
    // As many digits as single precision tells apart.
    for (digits, single) in [
        ("0.1", 0.1),
        ("2683141.2", 2_683_141.3),
        ("2683141.3", 2_683_141.3),
        ("16777216", 16_777_216.0),
        ("-0", -0.0),
        ("1e-30", 1e-30),
        ("3.3e38", 3.3e38),
    ] {
        let scene = typed(&format!(r#""transform":{{"translation":[{digits},0,0]}}"#));
        let node = scene.get(scene.root()).and_then(NodeRef::first_child).unwrap().to_node();
        assert_eq!(
            format!("{:?}", node.local),
            format!("{:?}", Some(Local::from(Transform::from_xyz(single, 0.0, 0.0))))
        );
        assert_eq!(node.translation_f64, None, "{digits}");
        assert!(serde_json::to_string(&scene).unwrap().contains("translation"), "{digits}");
    }
    for digits in ["16777217", "0.100000012", "1.00000000001"] {
        assert!(first(&typed(&format!(r#""transform":{{"translation":[{digits},0,0]}}"#))).is_some(), "{digits}");
    }
    // In double precision, although the digits would be those of single precision.
    for number in (0..2_000).map(|number| f64::from(number) / 1000.0) {
        let mut scene = Scene::new();
        let wide = DVec3::new(number, 0.0, -0.0);
        scene.insert(scene.root(), site.with_translation_f64(wide)).unwrap();
        assert_eq!(first(&again(&scene)), first(&scene), "{number}");
    }
}

#[test]
fn any_scene_comes_back_node_by_node() {
    let config =
        Config { failure_persistence: None, max_shrink_iters: 2_000, ..Config::with_cases(random::at_most(40)) };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[51; 32]));
    let steps = vec(uniform24(any::<u8>()).prop_map(|bytes| decode::step(&bytes)), 0..=200);
    let answer = runner.run(&(uniform8(any::<u8>()), steps), |(config, steps): (_, Vec<Step>)| {
        let mut oracle = from_bytes(config);
        oracle.run_sparsely(&steps, random::SPARSELY).map_err(|mismatch| TestCaseError::fail(mismatch.to_string()))?;
        let scene = again(&oracle.scene);
        proptest::prop_assert_eq!(scene.validate(), Ok(()));
        proptest::prop_assert_eq!(scene.config(), oracle.scene.config());
        proptest::prop_assert_eq!(nodes(&scene), nodes(&oracle.scene));
        Ok(())
    });
    assert!(answer.is_ok(), "{answer:?}");
}

#[test]
fn detached_subtrees_are_told_behind_the_tree() {
    let mut scene = Scene::new();
    let [shelf, book, page] = ["shelf", "book", "page"].map(|name| Node::group().with_name(name));
    let shelf = scene.insert(scene.root(), shelf).unwrap();
    let book = scene.insert(shelf, book).unwrap();
    scene.insert(book, page).unwrap();
    scene.reparent(book, Place::Detached, Keep::Local).unwrap();
    let text = serde_json::to_string(&scene).unwrap();
    let told = r#"{},{"parent":0,"name":"shelf"},{"detached":true,"name":"book"},{"parent":2,"name":"page"}"#;
    assert!(text.contains(told), "{text}");
    let kept = SaveOptions { detached: false }.text(&scene);
    let kept: Scene = serde_json::from_str(&serde_json::to_string(&kept).unwrap()).unwrap();
    assert_eq!((kept.len(), kept.stats().detached), (2, 0));
    let scene: Scene = again(&scene);
    assert_eq!(scene.validate(), Ok(()));
    assert_eq!((scene.len(), scene.stats().detached), (2, 2));
    let book = scene.detached().next().unwrap().handle();
    assert_eq!(
        scene.children(book).map(|page| scene.get(page).and_then(|node| node.name())).collect::<Vec<_>>(),
        [Some("page")]
    );
}

#[test]
fn plain_types_come_back() {
    let turned = Transform::from_rotation(Quat::from_rotation_y(1.0)).with_scale(Vec3::new(1.0, -2.0, 0.5));
    assert_eq!(again(&turned), turned);
    assert_eq!(again(&Mat34::from(turned)), Mat34::from(turned));
    assert_eq!(again(&Local::Transform(turned)), Local::Transform(turned));
    assert_eq!(again(&Local::Matrix(Mat34::IDENTITY)), Local::Matrix(Mat34::IDENTITY));
    for bounds in [Aabb::cube(0.3), Aabb::INFINITE, Aabb::EMPTY] {
        assert_eq!(again(&bounds), bounds);
        assert_eq!(again(&Drawable::new(3, bounds)), Drawable::new(3, bounds));
    }
    assert_eq!(again(&Layers::new(6)), Layers::new(6));
    assert_eq!(again(&SceneConfig::DEFAULT), SceneConfig::DEFAULT);
    let root = Scene::new().root();
    assert_eq!(again(&root), root);
    assert!(serde_json::from_str::<NodeHandle>("0").is_err(), "no handle has a generation of 0");
}

#[test]
fn what_is_no_scene_is_refused_by_the_node_that_it_is_about() {
    for (text, said) in [
        (r#"{"nodes": []}"#, "the scene has no root"),
        (r#"{"nodes": [{}, {}]}"#, "node 1: second root"),
        (r#"{"nodes": [{}, {"parent": 0, "detached": true}]}"#, "node 1: it is detached"),
        (r#"{"nodes": [{"detached": true}]}"#, "the scene has no root"),
        (r#"{"nodes": [{}, {"parent": 1}]}"#, "node 1: it is its own ancestor"),
        (r#"{"nodes": [{}, {"parent": 2}, {"parent": 3}, {"parent": 1}]}"#, "node 1: it is its own ancestor"),
        (r#"{"nodes": [{}, {"parent": 3}, {"parent": 0}]}"#, "node 1: its parent 3 is missing"),
        (r#"{"nodes": [{"id": 4}]}"#, "unknown field `id`"),
        (r#"{"next_id": 4, "nodes": [{}]}"#, "unknown field `next_id`"),
        (r#"{"nodes": [{}, {"parent": 0, "colour": 2}]}"#, "colour"),
        (
            r#"{"nodes": [{}, {"parent": 0, "transform": {"rotation": [0, 0, 0, 0]}}]}"#,
            "node 1: the rotation is undefined",
        ),
        (r#"{"nodes": [{}, {"parent": 0, "transform": {"scale": [1, null, 1]}}]}"#, "null"),
        (r#"{"nodes": [{"transform": {}, "matrix": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]}]}"#, "leave one out"),
        (r#"{"nodes": [{"transform": {"translation": [0, 0, 3e39]}}]}"#, "node 0: a translation must be"),
        (r#"{"config": {"max_nodes": 4000000}, "nodes": [{}]}"#, "max_nodes"),
    ] {
        let refusal = refusal(text);
        assert!(refusal.contains(said), "{text} is refused for: {refusal}");
    }
}

#[test]
fn a_tree_is_the_list_of_its_nodes() {
    let text = r#"{"nodes": [
        {"parent": 2, "name": "wheel", "material": 2},
        {"name": "lamp", "user_data": 5},
        {"name": "car", "transform": {"translation": [10000000.25, 0, 0]}}
    ]}"#;
    let tree: Tree = serde_json::from_str(text).unwrap();
    let mut expected = Tree::new();
    expected.push(None, Node::group().with_name("lamp").with_user_data(5));
    let far = DVec3::new(1e7 + 0.25, 0.0, 0.0);
    let car = expected.push(None, Node::transform(Transform::IDENTITY).with_translation_f64(far).with_name("car"));
    expected.push(Some(car), Node::material(2).with_name("wheel"));
    assert_eq!(tree, expected);
    assert_eq!(again(&tree), tree);
    assert_eq!(again(&Tree::new()), Tree::new());
    for (text, said) in [
        (r#"{"nodes": [{"detached": true}]}"#, "node 0: a tree has no detached nodes"),
        (r#"{"nodes": [{}, {"parent": 1}]}"#, "node 1: it is its own ancestor"),
        (r#"{"nodes": [{"transform": {"rotation": [0, 0, 0, 0]}}]}"#, "node 0: the rotation is undefined"),
    ] {
        let refusal = serde_json::from_str::<Tree>(text).unwrap_err().to_string();
        assert!(refusal.contains(said), "{text} is refused for: {refusal}");
    }
    // A scene is written like its tree.
    let mut scene = Scene::new();
    scene.edit(scene.root()).unwrap().set_node(Node::group().with_name("town")).unwrap();
    scene.insert_tree(scene.root(), &tree).unwrap();
    let written = serde_json::to_value(&scene).unwrap();
    let tree = scene.copy_tree(scene.root()).unwrap();
    assert_eq!(written["nodes"], serde_json::to_value(&tree).unwrap()["nodes"]);
}

#[test]
fn children_may_come_before_their_parents() {
    let text = r#"{"nodes": [
        {"parent": 3, "name": "b1"},
        {"parent": 4, "name": "a"},
        {"detached": true, "name": "spare"},
        {"parent": 4, "name": "b"},
        {"name": "root"},
        {"parent": 3, "name": "b2"},
        {"parent": 2, "name": "part"}
    ]}"#;
    let scene: Scene = serde_json::from_str(text).unwrap();
    assert_eq!(scene.validate(), Ok(()));
    let names = |top: NodeRef<'_>| top.descendants().filter_map(NodeRef::name).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(names(scene.get(scene.root()).unwrap()), ["root", "a", "b", "b1", "b2"]);
    assert_eq!(names(scene.detached().next().unwrap()), ["spare", "part"]);
}

#[test]
fn a_deep_chain_is_read_and_written() {
    let mut scene = Scene::new();
    let mut bottom = scene.root();
    for _ in 0..20_000 {
        bottom = scene.insert(bottom, Node::group()).unwrap();
    }
    assert_eq!(again(&scene).len(), 20_001);
}
