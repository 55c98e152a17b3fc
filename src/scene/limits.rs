//! What happens at the limits of a scene: at the last metadata table, and at the last generation of an index. In unit
//! tests a scene can have few tables, so that their end is near.

use crate::edit::SceneBuilder;
use crate::handle::MOST_TABLES;
use crate::snapshot::SnapshotError;
use crate::{Aabb, Error, Keep, Node, NodeHandle, Scene, SceneConfig, Shape, Transform};
use std::collections::HashSet;

const CONFIG: SceneConfig = SceneConfig {
    max_nodes: 32,
    min_nodes: 4,
    initial_slice_max_num_nodes: 1,
    changes: true,
    bounds: true,
    ..SceneConfig::DEFAULT
};

/// A scene in which each table has at most so many entries, each of which serves so many nodes.
fn scene(max_entries: u32, max_generation: u32) -> Scene {
    let mut scene = Scene::with_config(CONFIG).unwrap();
    scene.store.limit_handles(max_entries, max_generation);
    scene
}

const TABLES: u32 = 1 << 10;

/// What a scene holds: every node in its place with all of its components. In which slices they are, and how much room
/// these have, may change where an edit made room before it was refused.
fn content(scene: &Scene) -> (Vec<u8>, usize) {
    (scene.save_subtree(scene.root()).unwrap(), scene.len())
}

/// Lowers the number of tables as long as it lives: other tests may run on the same thread.
struct Few(u32);

impl Few {
    fn tables() -> Self {
        Self(MOST_TABLES.replace(TABLES))
    }
}

impl Drop for Few {
    fn drop(&mut self) {
        MOST_TABLES.set(self.0);
    }
}

/// A scene in which every table is in use but this many, with a house of two nodes.
fn nearly_full(left: usize) -> (Scene, NodeHandle) {
    let mut scene = scene(1, 1);
    let house = scene.insert(scene.root(), Node::transform(Transform::IDENTITY).named("house")).unwrap();
    scene.insert(house, Node::material(3)).unwrap();
    let mut leaves = 0;
    while scene.store.table_count() < TABLES as usize - left {
        let leaf = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
        // Half of them are removed, and their tables are retired.
        if leaves % 2 == 0 {
            scene.remove(leaf).unwrap();
        }
        leaves += 1;
    }
    scene.update();
    (scene, house)
}

/// Asserts that an edit is refused for want of tables, and changes nothing.
fn refused<T: core::fmt::Debug>(what: &str, scene: &mut Scene, edit: impl FnOnce(&mut Scene) -> Result<T, Error>) {
    let before = content(scene);
    let result = edit(scene);
    assert!(matches!(result, Err(Error::CapacityOverflow)), "{what}: {result:?}");
    assert!(content(scene) == before, "{what}: the scene is another one");
    assert_eq!(scene.validate(), Ok(()), "{what}");
}

#[test]
fn where_there_is_no_table_left_every_insert_is_refused_and_changes_nothing() {
    let _few = Few::tables();
    let (mut scene, house) = nearly_full(0);
    let root = scene.root();
    refused("insert", &mut scene, |scene| scene.insert(house, Node::group()));
    refused("insert with all components", &mut scene, |scene| {
        let node = Node::shape(Shape::new(1, Aabb::cube(1.0))).with_material(2).named("late");
        scene.insert(house, node.with_transform(Transform::IDENTITY))
    });
    refused("insert below the root", &mut scene, |scene| scene.insert(root, Node::transform(Transform::IDENTITY)));
    refused("insert_detached", &mut scene, |scene| scene.insert(crate::Place::Detached, Node::group()));
    refused("duplicate", &mut scene, |scene| scene.duplicate(house, root));
    refused("insert_many", &mut scene, |scene| {
        scene
            .insert_many(&[(house, Node::group()), (root, Node::group())], &mut Vec::new())
            .map_err(|error| error.error)
    });
    refused("insert_into", &mut scene, |scene| {
        let mut builder = SceneBuilder::new();
        builder.push(None, Node::group());
        builder.insert_into(scene, house).map_err(|error| error.error)
    });
    let file = scene.save_subtree(house).unwrap();
    let before = content(&scene);
    let loaded = scene.load_subtree(&file, root);
    assert!(matches!(loaded, Err(SnapshotError::Scene(Error::CapacityOverflow))), "{loaded:?}");
    assert!(content(&scene) == before);
    // Edits that need no handle go on.
    scene.set_local(house, Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
    let wall = scene.first_child(house).unwrap();
    scene.reparent(wall, root, Keep::World).unwrap();
    scene.remove(house).unwrap();
    scene.update();
    scene.maintain(core::time::Duration::MAX);
    assert_eq!(scene.validate(), Ok(()));
}

#[test]
fn the_last_tables_are_given_out_one_by_one() {
    for left in 1..5 {
        let _few = Few::tables();
        let (mut scene, house) = nearly_full(left);
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
fn a_tree_is_inserted_if_there_are_just_as_many_tables_as_it_needs() {
    let tree = |nodes: usize| {
        let mut builder = SceneBuilder::new();
        (0..nodes).for_each(|number| _ = builder.push(number.checked_sub(1), Node::group()));
        builder
    };
    let _few = Few::tables();
    // One for each node of a small tree.
    let (mut scene, house) = nearly_full(CONFIG.min_nodes as usize - 1);
    tree(3).insert_into(&mut scene, house).unwrap();
    refused("a fourth node", &mut scene, |scene| tree(1).insert_into(scene, house).map_err(|error| error.error));
    // One for the slice of a tree that gets one.
    let mut scene = self::scene(64, 1);
    MOST_TABLES.set(u32::try_from(scene.store.table_count()).unwrap() + 1);
    let root = scene.root();
    tree(CONFIG.min_nodes as usize).insert_into(&mut scene, root).unwrap();
    assert_eq!(scene.validate(), Ok(()));
}

#[test]
fn an_index_is_retired_behind_its_last_generation_and_no_handle_comes_twice() {
    for max_generation in [1, 2, 5] {
        let mut scene = scene(2, max_generation);
        let mut seen = HashSet::from([scene.root()]);
        for _ in 0..200 {
            let node = scene.insert(scene.root(), Node::group()).unwrap();
            assert!(seen.insert(node), "a handle was issued twice");
            scene.remove(node).unwrap();
            assert_eq!(scene.validate(), Ok(()));
        }
        let retired = scene.stats().retired;
        assert!(retired >= 200 / max_generation as usize - 2, "{retired} are retired at generation {max_generation}");
        assert!(seen.iter().filter(|&&node| scene.contains(node)).eq([&scene.root()]));
    }
}
