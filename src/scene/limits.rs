//! The limits of a scene: the last record, and the last generation of a record. Unit tests lower both limits.

use crate::checkpoints::Checkpoints;
use crate::store::{GENERATIONS, RECORDS};
use crate::{Aabb, Drawable, Error, Keep, Node, NodeHandle, Scene, SceneConfig, Transform, Tree};
use std::collections::HashSet;

const CONFIG: SceneConfig = SceneConfig { max_nodes: 32, bounds: true, changes: true, ..SceneConfig::DEFAULT };

/// Reduces the limits of records and generations until it is dropped, because other tests may run on the same thread.
struct Few([u32; 2]);

impl Few {
    fn records(records: u32, generations: u32) -> Self {
        Self([RECORDS.replace(records), GENERATIONS.replace(generations)])
    }
}

impl Drop for Few {
    fn drop(&mut self) {
        RECORDS.set(self.0[0]);
        GENERATIONS.set(self.0[1]);
    }
}

const MANY: u32 = 600;

/// Returns a scene with a house of two nodes; all records except `left` of them are in use or retired.
fn nearly_full(left: usize) -> (Scene, NodeHandle) {
    let mut scene = Scene::with_config(CONFIG).unwrap();
    let house = scene.insert(scene.root(), Node::transform(Transform::IDENTITY).with_name("house")).unwrap();
    scene.insert(house, Node::material(3)).unwrap();
    // The root, the record above detached subtrees, and the house.
    let used = 4;
    for leaf in 0..MANY as usize - used - left {
        let node = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
        // Half of the leaves are removed, and their records are retired.
        if leaf % 2 == 0 {
            scene.remove(node).unwrap();
        }
    }
    scene.update();
    assert_eq!(scene.stats().retired, (MANY as usize - used - left).div_ceil(2));
    (scene, house)
}

/// Asserts that an edit fails for lack of records, and changes nothing.
fn refused<T: core::fmt::Debug>(what: &str, scene: &mut Scene, edit: impl FnOnce(&mut Scene) -> Result<T, Error>) {
    let before = scene.to_bytes();
    let result = edit(scene);
    assert!(matches!(result, Err(Error::CapacityOverflow)), "{what}: {result:?}");
    assert!(scene.to_bytes() == before, "{what}: the scene is another one");
    assert_eq!(scene.validate(), Ok(()), "{what}");
}

#[test]
fn a_record_that_was_retired_since_a_checkpoint_lives_again() {
    let _few = Few::records(MANY, 3);
    let mut scene = Scene::with_config(CONFIG).unwrap();
    let insert = |scene: &mut Scene| scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
    let first = insert(&mut scene);
    let mut checkpoints = Checkpoints::new(&mut scene, 3).unwrap();
    checkpoints.save(&mut scene, 0).unwrap();
    let saved = scene.to_bytes();
    for saves in [false, true] {
        scene.remove(first).unwrap();
        let last = insert(&mut scene);
        scene.remove(last).unwrap();
        assert_eq!((last.record(), scene.stats().retired), (first.record(), 1));
        if saves {
            checkpoints.save(&mut scene, 1).unwrap();
        }
        insert(&mut scene);
        scene.update();
        checkpoints.restore(&mut scene, 0).unwrap();
        assert!(scene.to_bytes() == saved && scene.contains(first) && !scene.contains(last));
        assert_eq!((scene.stats().retired, scene.validate()), (0, Ok(())));
    }
}

#[test]
fn where_there_is_no_record_left_every_insert_is_refused_and_changes_nothing() {
    let _few = Few::records(MANY, 1);
    let (mut scene, house) = nearly_full(0);
    let root = scene.root();
    refused("insert", &mut scene, |scene| scene.insert(house, Node::group()));
    refused("insert with all components", &mut scene, |scene| {
        let node = Node::drawable(Drawable::new(1, Aabb::cube(1.0))).with_material(2).with_name("late");
        scene.insert(house, node.with_transform(Transform::IDENTITY))
    });
    refused("insert_detached", &mut scene, |scene| scene.insert(crate::Place::Detached, Node::group()));
    refused("insert_tree", &mut scene, |scene| scene.insert_tree(root, &scene.copy_tree(house)?).map_err(Error::from));
    refused("try_reserve", &mut scene, |scene| scene.try_reserve(house, 1));
    let none = scene.insert_tree(root, &Tree::new());
    assert_eq!(none, Ok(Vec::new()), "a tree without nodes needs no record");
    // Edits that need no record still succeed.
    scene.set_local(house, Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
    let wall = scene.get(house).unwrap().first_child().unwrap().handle();
    scene.reparent(wall, root, Keep::World).unwrap();
    scene.remove(house).unwrap();
    scene.update();
    scene.maintain(usize::MAX);
    assert_eq!(scene.validate(), Ok(()));
    // Retired records stay retired in a loaded scene.
    let mut loaded = Scene::from_bytes(&scene.to_bytes()).unwrap();
    refused("insert after a load", &mut loaded, |scene| scene.insert(root, Node::group()));
}

#[test]
fn the_last_records_are_given_out_one_by_one_and_to_a_tree_that_needs_just_as_many() {
    for left in 1..5 {
        let _few = Few::records(MANY, 1);
        let (mut scene, house) = nearly_full(left);
        let tree = |nodes: usize| {
            let mut tree = Tree::new();
            (0..nodes).for_each(|number| _ = tree.push(number.checked_sub(1), Node::group()));
            tree
        };
        let mut whole = scene.clone();
        let inserted = |scene: &mut Scene, nodes| scene.insert_tree(house, &tree(nodes)).map_err(Error::from);
        refused("a tree with one node more", &mut whole, |scene| inserted(scene, left + 1));
        inserted(&mut whole, left).unwrap();
        refused("another one", &mut whole, |scene| inserted(scene, 1));
        let mut made = 0;
        let error = loop {
            match scene.insert(house, Node::group()) {
                Ok(_) => made += 1,
                Err(error) => break error,
            }
            assert_eq!(scene.validate(), Ok(()));
        };
        assert_eq!((error, made), (Error::CapacityOverflow, left));
    }
}

#[test]
fn a_record_is_retired_after_its_last_generation_and_no_handle_comes_twice() {
    for generations in [1, 3, 9] {
        let _few = Few::records(MANY, generations);
        let mut scene = Scene::with_config(CONFIG).unwrap();
        let mut seen = HashSet::from([scene.root()]);
        for round in 0..200 {
            let node = scene.insert(scene.root(), Node::group()).unwrap();
            assert!(seen.insert(node), "a handle was issued twice");
            scene.remove(node).unwrap();
            if round % 7 == 0 {
                scene = Scene::from_bytes(&scene.to_bytes()).unwrap();
            }
            assert_eq!(scene.validate(), Ok(()));
        }
        // Every second generation belongs to a free record.
        let uses = generations as usize / 2 + 1;
        assert_eq!(scene.stats().retired, 200 / uses, "at generation {generations}");
        assert!(seen.iter().filter(|&&node| scene.contains(node)).eq([&scene.root()]));
    }
}
