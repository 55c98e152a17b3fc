//! How many slices with children of one node are nested: few, whatever the order of edits.

use fastrand::Rng;
use hedgerow::config::StoragePolicy;
use hedgerow::{Keep, Node, NodeHandle, Place, Scene, SceneConfig, Transform};
use std::time::Duration;

fn node() -> Node<'static> {
    Node::transform(Transform::from_xyz(1.0, 0.0, 0.0))
}

fn tiny(max_nodes: u32) -> SceneConfig {
    SceneConfig { max_nodes, min_nodes: max_nodes / 8, initial_slice_storage_size: 4, ..SceneConfig::DEFAULT }
}

/// A scene, a node in it, and its children.
struct Family {
    scene: Scene,
    parent: NodeHandle,
    children: Vec<NodeHandle>,
}

impl Family {
    fn new(config: SceneConfig, count: usize) -> Self {
        let mut scene = Scene::with_config(config).unwrap();
        let parent = scene.insert(scene.root(), node()).unwrap();
        let children = (0..count).map(|_| scene.insert(parent, node()).unwrap()).collect();
        scene.update();
        Self { scene, parent, children }
    }

    /// Children of the root.
    fn of_root(config: SceneConfig, count: usize) -> Self {
        let mut scene = Scene::with_config(config).unwrap();
        let parent = scene.root();
        let children = (0..count).map(|_| scene.insert(parent, node()).unwrap()).collect();
        scene.update();
        Self { scene, parent, children }
    }

    /// Checks the levels, and compares the order of the children with the expected one.
    fn check(&self, after: &str) {
        check_levels(&self.scene, after);
        assert!(self.scene.children(self.parent).eq(self.children.iter().copied()), "the order after {after}");
    }

    fn validate(&self, after: &str) {
        self.check(after);
        self.scene.validate().unwrap_or_else(|violation| panic!("{violation} after {after}"));
    }

    /// Moves the child at one index to another.
    fn shift(&mut self, from: usize, to: usize) {
        let child = self.children.remove(from);
        let place = match self.children.get(to) {
            Some(&next) if to.is_multiple_of(2) => Place::Before(next),
            _ if to == 0 => Place::FirstChildOf(self.parent),
            _ if to == self.children.len() => Place::LastChildOf(self.parent),
            _ => Place::After(self.children[to - 1]),
        };
        self.scene.reparent(child, place, Keep::Local).unwrap();
        self.children.insert(to, child);
    }
}

/// Checks that levels are at most one more than the logarithm of the number of slices to the base of a quarter of
/// `max_nodes`, the size of a run of portals when it is cut; and one more if subtrees with slices of their own are
/// among the siblings.
fn check_levels(scene: &Scene, after: &str) {
    let stats = scene.stats();
    let (fan, mut reached, mut most) = (scene.config().max_nodes as usize / 4, 1, 2);
    while reached < stats.slices {
        reached *= fan;
        most += 1;
    }
    assert!(stats.slice_levels <= most, "{} levels of {} slices after {after}", stats.slice_levels, stats.slices);
}

#[test]
fn siblings_reversed_by_moves_stand_behind_few_portals() {
    for (max_nodes, count) in [(16, 400), (64, 1000)] {
        for to_front in [true, false] {
            let mut family = Family::new(tiny(max_nodes), count);
            for turn in 0..count {
                let (from, to) = if to_front { (turn, 0) } else { (count - 1 - turn, count - 1) };
                family.shift(from, to);
                family.validate("a move");
            }
        }
    }
    for (max_nodes, count) in [(16, 20_000), (64, 50_000)] {
        for first in [true, false] {
            let mut family = Family::new(tiny(max_nodes), count);
            let before = family.scene.stats().reconstitutions;
            let place = if first { Place::FirstChildOf(family.parent) } else { Place::LastChildOf(family.parent) };
            let order: Vec<NodeHandle> =
                if first { family.children.clone() } else { family.children.iter().rev().copied().collect() };
            for child in order {
                family.scene.reparent(child, place, Keep::Local).unwrap();
            }
            family.children.reverse();
            family.validate("a reversal");
            let rebuilt = family.scene.stats().reconstitutions - before;
            assert!(rebuilt <= 2 * (count as u64 * 4 / u64::from(max_nodes)), "{rebuilt} slices were rebuilt");
        }
    }
}

#[test]
fn siblings_shuffled_by_moves_stand_behind_few_portals() {
    for (max_nodes, count, moves) in [(16, 300, 600), (64, 600, 600)] {
        let mut dice = Rng::with_seed(u64::from(max_nodes));
        for config in [
            tiny(max_nodes),
            SceneConfig { storage: StoragePolicy { reuse_holes: false, ..tiny(max_nodes).storage }, ..tiny(max_nodes) },
        ] {
            let mut family = Family::new(config, count);
            for turn in 0..moves {
                family.shift(dice.usize(..count), dice.usize(..count));
                if turn % 50 == 49 {
                    family.scene.update();
                    family.scene.maintain(Duration::from_secs(3600));
                }
                family.validate("a move");
            }
        }
    }
    let mut family = Family::new(tiny(16), 20_000);
    let mut dice = Rng::with_seed(5);
    for _ in 0..20_000 {
        let (from, to) = (dice.usize(..20_000), dice.usize(..20_000));
        family.shift(from, to);
    }
    family.validate("a shuffle");
}

#[test]
fn siblings_inserted_at_one_place_stand_behind_few_portals() {
    for place in 0..3 {
        let mut family = Family::new(tiny(16), 100);
        for turn in 0..3000 {
            let at = [0, 50, family.children.len()][place];
            let place = family.children.get(at).map_or(Place::LastChildOf(family.parent), |&next| Place::Before(next));
            let child = family.scene.insert(place, node()).unwrap();
            family.children.insert(at, child);
            if turn % 16 == 0 {
                family.validate("an insert");
            }
        }
    }
}

#[test]
fn what_is_pushed_and_popped_at_either_end_does_not_sink() {
    for front in [true, false] {
        for rest in [0, 700] {
            let mut family = Family::new(tiny(16), rest);
            for round in 0..60 {
                for _ in 0..64 {
                    let place =
                        if front { Place::FirstChildOf(family.parent) } else { Place::LastChildOf(family.parent) };
                    let child = family.scene.insert(place, node()).unwrap();
                    let at = if front { 0 } else { family.children.len() };
                    family.children.insert(at, child);
                }
                if round % 3 == 0 {
                    family.scene.maintain(Duration::from_secs(3600));
                    family.validate("maintenance");
                }
                for _ in 0..60 {
                    let at = if front { 0 } else { family.children.len() - 1 };
                    family.scene.remove(family.children.remove(at)).unwrap();
                }
                family.validate("removals");
            }
        }
    }
}

#[test]
fn large_siblings_that_are_dragged_stand_side_by_side() {
    let config = SceneConfig { min_nodes: 4, ..tiny(32) };
    let (count, mut dice) = (80, Rng::with_seed(3));
    for own_slices in [false, true] {
        let mut family = Family::new(config, count);
        for (place, &child) in family.children.iter().enumerate() {
            for _ in 0..place % 24 {
                family.scene.insert(child, node()).unwrap();
            }
            if own_slices && place % 3 == 0 {
                family.scene.isolate(child).unwrap();
            }
        }
        family.validate("building");
        for turn in 0..1200 {
            // Most go after the one that was moved last, or right before it.
            let from = dice.usize(..count);
            let to = if turn % 4 == 0 { dice.usize(..count) } else { (turn / 8) % count };
            family.shift(from, to);
            if turn % 100 == 99 {
                family.scene.maintain(Duration::from_secs(3600));
            }
            family.validate("a drag");
        }
    }
}

#[test]
fn a_sort_is_one_rebuild_and_leaves_slices_side_by_side() {
    for (config, count) in [
        (tiny(16), 300),
        (tiny(16), 20_000),
        (tiny(64), 5000),
        (SceneConfig { storage: StoragePolicy { reuse_holes: false, ..tiny(64).storage }, ..tiny(64) }, 5000),
        (SceneConfig { changes: true, bounds: true, ..tiny(64) }, 2000),
        (SceneConfig::DEFAULT, 30_000),
    ] {
        for of_root in [false, true] {
            let mut dice = Rng::with_seed(u64::from(config.max_nodes));
            let mut family = if of_root { Family::of_root(config, count) } else { Family::new(config, count) };
            for _ in 0..3 {
                (0..count).for_each(|place| family.children.swap(place, dice.usize(..count)));
                let places: std::collections::HashMap<_, _> =
                    family.children.iter().enumerate().map(|(place, &child)| (child, place)).collect();
                let before = family.scene.stats();
                family.scene.sort_children_by(family.parent, |_, a, b| places[&a].cmp(&places[&b])).unwrap();
                family.validate("a sort");
                let after = family.scene.stats();
                assert!(after.reconstitutions - before.reconstitutions <= 4, "only the parent's slice is rebuilt");
                assert!(
                    after.slices <= before.slices + before.slices / 2 + 4,
                    "{} slices, {} before",
                    after.slices,
                    before.slices
                );
                family.scene.update();
                family.validate("an update");
            }
        }
    }
}

#[test]
fn a_sort_leaves_what_is_up_to_date_so_and_what_is_isolated() {
    let config = SceneConfig { changes: true, ..tiny(32) };
    let mut family = Family::new(config, 200);
    for (place, &child) in family.children.iter().enumerate() {
        for _ in 0..place % 7 {
            family.scene.insert(child, node()).unwrap();
        }
    }
    let isolated: Vec<NodeHandle> = family.children.iter().copied().step_by(31).collect();
    isolated.iter().for_each(|&child| family.scene.isolate(child).unwrap());
    family.scene.update();
    let mut reader = hedgerow::changes::ChangeReader::new();
    family.scene.changes(&mut reader).unwrap();
    let worlds: Vec<_> = family.children.iter().map(|&child| *family.scene.world(child).unwrap()).collect();
    family.children.reverse();
    family.scene.sort_children_by(family.parent, |_, _, _| core::cmp::Ordering::Equal).unwrap();
    let places: Vec<NodeHandle> = family.children.clone();
    let place = |child| places.iter().position(|&other| other == child);
    family.scene.sort_children_by(family.parent, |_, a, b| place(a).cmp(&place(b))).unwrap();
    family.validate("a sort");
    for &child in &isolated {
        let alone = family.children.iter().all(|&other| other == child || !family.scene.same_slice(child, other));
        assert!(alone, "an isolated child stays so");
    }
    family.scene.update();
    let told = family.scene.changes(&mut reader).unwrap().since().unwrap();
    assert_eq!(told.moved().len(), 0, "a sort moves nothing in the world");
    let told = told.edited().iter().filter(|(_, kinds)| *kinds == hedgerow::changes::ChangeKinds::ORDER);
    assert_eq!(told.count(), family.children.len(), "the children stand in another order");
    let after = family.children.iter().rev().map(|&child| *family.scene.world(child).unwrap());
    assert!(after.eq(worlds));
}

#[test]
fn many_slices_below_the_root_stand_behind_few_portals() {
    for (max_nodes, count) in [(16, 3000), (64, 6000)] {
        for order in 0..3 {
            let config = SceneConfig {
                storage: StoragePolicy { share_slices: false, ..tiny(max_nodes).storage },
                ..tiny(max_nodes)
            };
            let mut family = Family::of_root(config, 3);
            let mut dice = Rng::with_seed(7);
            while family.children.len() < count {
                let at = [0, dice.usize(..family.children.len()), family.children.len()][order];
                let last = Place::LastChildOf(family.parent);
                let place = family.children.get(at).map_or(last, |&next| Place::Before(next));
                let child = family.scene.insert(place, node()).unwrap();
                family.children.insert(at, child);
                if family.children.len() < 400 {
                    family.validate("an insert");
                }
            }
            family.validate("inserts");
            family.scene.maintain(Duration::MAX);
            family.validate("maintenance");
            for _ in 0..count {
                let (from, to) = (dice.usize(..count), dice.usize(..count));
                family.shift(from, to);
            }
            family.validate("moves");
            while family.children.len() > 10 {
                let at = [0, dice.usize(..family.children.len()), family.children.len() - 1][order];
                family.scene.remove(family.children.swap_remove(at)).unwrap();
                if family.children.len() < 400 {
                    family.scene.validate().unwrap();
                }
            }
            family.scene.maintain(Duration::MAX);
            // Nesting decreases with the number of slices; a run of portals keeps at least two.
            let stats = family.scene.stats();
            assert!(
                1 << stats.slice_levels <= 4 * stats.slices,
                "{} levels of {} slices",
                stats.slice_levels,
                stats.slices
            );
        }
    }
}

#[test]
fn a_build_of_many_siblings_stands_behind_few_portals() {
    for count in [100, 1000, 30_000] {
        let mut builder = hedgerow::edit::SceneBuilder::new();
        let root = builder.push(None, Node::group());
        let parent = builder.push(Some(root), node());
        for _ in 0..count {
            builder.push(Some(parent), node());
        }
        let (scene, nodes) = builder.build(tiny(16)).unwrap();
        let mut family = Family { scene, parent: nodes[parent], children: nodes[parent + 1..].to_vec() };
        family.validate("a build");
        for _ in 0..500 {
            family.shift(0, 0);
            let child = family.scene.insert(Place::FirstChildOf(family.parent), node()).unwrap();
            family.children.insert(0, child);
        }
        family.validate("inserts in front");
    }
}

#[test]
fn siblings_that_are_appended_fill_slices_that_stand_behind_few_portals() {
    // A node with a name takes the long way in.
    for (max_nodes, count, named) in [(16, 2000, false), (16, 2000, true), (256, 5000, false), (256, 5000, true)] {
        let mut family = Family::new(tiny(max_nodes), 0);
        let child = if named { node().named("child") } else { node() };
        for _ in 0..count {
            family.children.push(family.scene.insert(family.parent, child).unwrap());
        }
        family.validate("appending");
        let (slices, least) = (family.scene.slice_count(), count / max_nodes as usize);
        assert!(slices <= least + least / 2 + 4, "{slices} slices of {max_nodes} rows, {least} would do");
    }
}

#[test]
fn siblings_go_to_their_places_in_the_last_slice_when_it_is_full() {
    for count in 30..50 {
        let family = Family::new(tiny(16), count);
        for at in count - 18..count {
            let mut family = Family { scene: family.scene.clone(), children: family.children.clone(), ..family };
            let place = Place::Before(family.children[at]);
            family.children.insert(at, family.scene.insert(place, node()).unwrap());
            family.validate("an insert");
        }
    }
}

#[test]
fn large_siblings_that_are_added_at_an_end_stand_side_by_side() {
    for front in [false, true] {
        let mut family = Family::new(SceneConfig { min_nodes: 4, ..tiny(32) }, 60);
        for _ in 0..20 {
            let large = family.scene.insert(family.scene.root(), node()).unwrap();
            for _ in 0..24 {
                family.scene.insert(large, node()).unwrap();
            }
            let at = if front { 0 } else { family.children.len() };
            let place = if front { Place::Before(family.children[0]) } else { Place::After(family.children[at - 1]) };
            family.scene.reparent(large, place, Keep::Local).unwrap();
            family.children.insert(at, large);
            family.validate("a move");
        }
    }
}

#[test]
fn isolated_children_that_are_sorted_below_a_moved_node_move_with_it() {
    let mut family = Family::new(tiny(16), 60);
    family.children.iter().for_each(|&child| family.scene.isolate(child).unwrap());
    family.scene.update();
    family.scene.set_local(family.parent, Transform::from_xyz(5.0, 0.0, 0.0)).unwrap();
    family.children.reverse();
    let places: std::collections::HashMap<_, _> =
        family.children.iter().enumerate().map(|(place, &child)| (child, place)).collect();
    family.scene.sort_children_by(family.parent, |_, a, b| places[&a].cmp(&places[&b])).unwrap();
    family.validate("a sort");
    family.scene.update();
    family.validate("an update");
    assert!(family.children.iter().all(|&child| family.scene.world(child).unwrap().translation().x == 6.0));
}
