//! When handles stay valid, and when they become stale.

use crate::trees::{APART, TOLD, WAYS, whole, with};
use hedgerow::edit::{self, Change, EditQueue};
use hedgerow::snapshot::SaveOptions;
use hedgerow::{Error, Keep, Layers, Node, NodeHandle, NodeRef, Place, Scene, SceneConfig, Transform};
use hedgerow_testkit::model::dump::same_slice;
use std::collections::HashSet;
use std::time::Duration;

const TINY: SceneConfig = SceneConfig { max_nodes: 8, ..SceneConfig::DEFAULT };

/// Calls every query and edit that takes a handle; nothing may panic.
fn use_everywhere(scene: &mut Scene, node: NodeHandle) {
    let root = scene.root();
    let _ = (scene.parent(node), scene.world(node), scene.local(node), same_slice(scene, node, root));
    let _ = scene.get(root).unwrap().is_below(node);
    if let Some(node) = scene.get(node) {
        let _ = (node.first_child(), node.last_child(), node.next_sibling(), node.previous_sibling(), node.depth());
        let _ = (node.node(), node.fresh_world(), node.bounds(), node.layers(), node.material(), node.name());
        let _ = (node.find("a/b"), node.is_below(root));
        let walked = node.children().count()
            + node.siblings().count()
            + node.ancestors().count()
            + node.descendants().count()
            + node.post_order().count()
            + node.leaves().count()
            + node.edges().count();
        assert!(walked <= 12 * scene.len());
    }
    assert!(scene.children(node).count() < scene.len());
    let _ = scene.try_reserve(node, 3);
    let _ = scene.insert(node, Node::group());
    let _ = scene.insert(Place::Before(node), Node::group());
    let _ = scene.set_local(node, Transform::IDENTITY);
    let _ = scene.set_world(node, Transform::IDENTITY);
    let _ = scene.edit(node).map(|mut node| _ = node.set_layers(Layers::ALL));
    let _ = scene.edit(node).map(|mut node| _ = node.set_material(None));
    let _ = scene.edit(node).map(|mut node| _ = node.set_name("a"));
    let _ = scene.edit(node).map(|mut node| _ = node.sort_children_by(|a, b| b.handle().cmp(&a.handle())));
    let _ = scene.reparent(node, root, Keep::World);
    let _ = scene.remove(node);
    scene.validate().unwrap();
}

#[test]
fn a_handle_survives_everything_but_its_removal() {
    let mut scene = Scene::with_config(TINY).unwrap();
    let root = scene.root();
    let mut nodes = vec![root];
    for number in 0..40usize {
        let parent = nodes[number * 7 % nodes.len()];
        let node = Node::material(u32::try_from(number).unwrap());
        nodes.push(scene.insert(parent, node).unwrap());
    }
    let nodes = &nodes[1..];
    let unchanged = |scene: &Scene, after: &str| {
        scene.validate().unwrap();
        for (number, &node) in (0u32..).zip(nodes) {
            assert_eq!(scene.get(node).unwrap().own_material(), Some(number), "after {after}");
        }
    };
    scene.update();
    unchanged(&scene, "an update");
    scene.shrink_to_fit();
    unchanged(&scene, "shrinking");
    scene.reparent(nodes[3], Place::FirstChildOf(root), Keep::Local).unwrap();
    scene.reparent(nodes[11], Place::After(nodes[3]), Keep::World).unwrap();
    unchanged(&scene, "reparenting");
    scene.shrink_to_fit();
    scene.maintain(Duration::from_secs(1));
    scene.shrink_to_fit();
    unchanged(&scene, "maintenance");
    scene.edit(root).unwrap().sort_children_by(|a, b| b.handle().cmp(&a.handle()));
    for &node in nodes {
        scene.set_local(node, Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
        scene.edit(node).unwrap().set_local(None).unwrap();
    }
    unchanged(&scene, "sorting and attaching");
}

#[test]
fn a_removed_handle_never_names_a_later_node() {
    for config in [TINY, SceneConfig::DEFAULT] {
        let mut scene = Scene::with_config(config).unwrap();
        let mut seen = HashSet::from([scene.root()]);
        for _ in 0..200 {
            let node = scene.insert(scene.root(), Node::group()).unwrap();
            let child = scene.insert(node, Node::group()).unwrap();
            assert!(seen.insert(node) && seen.insert(child), "a handle was given twice");
            assert_eq!(scene.remove(node), Ok(2));
            assert_eq!(scene.remove(child), Err(Error::StaleHandle(child)));
        }
        let root = scene.root();
        assert_eq!(seen.iter().filter(|&&node| scene.contains(node)).collect::<Vec<_>>(), [&root]);
        scene.validate().unwrap();
    }
}

#[test]
fn a_handle_of_another_scene_does_no_harm() {
    let mut other = Scene::new();
    let mut foreign = vec![other.root()];
    for number in 0..300 {
        foreign.push(other.insert(foreign[number / 2], Node::group()).unwrap());
    }
    for config in [SceneConfig::DEFAULT, TINY, SceneConfig::DEFAULT] {
        let mut scene = Scene::with_config(config).unwrap();
        let top = scene.insert(scene.root(), Node::group()).unwrap();
        scene.insert(top, Node::group()).unwrap();
        for &node in &foreign {
            use_everywhere(&mut scene, node);
        }
    }
}

#[test]
fn random_bits_do_no_harm() {
    let mut scene = Scene::with_config(TINY).unwrap();
    for number in 0..20_usize {
        let parent = scene
            .get(scene.root())
            .unwrap()
            .descendants()
            .map(|node| node.handle())
            .nth(number / 2)
            .unwrap_or(scene.root());
        scene.insert(parent, Node::group()).unwrap();
    }
    let mut dice = fastrand::Rng::with_seed(1);
    let (mut live, mut stale) = (0, 0);
    for _ in 0..3000 {
        let state = dice.u64(..);
        // The bits are random, close to small records and generations, one or two bits from a live handle, or extreme.
        let turn = usize::try_from(state >> 40).unwrap() % scene.len();
        let some =
            scene.get(scene.root()).unwrap().descendants().map(|node| node.handle()).nth(turn).unwrap_or(scene.root());
        let near = some.to_bits() ^ (state & 0x0000_0100_1000_0001);
        for bits in [state, state & 0x0000_0F00_3000_0007, near, !0, 1, !0 << 28, state | 1 << 63] {
            if let Some(node) = NodeHandle::from_bits(bits) {
                if bits == near {
                    *if scene.contains(node) { &mut live } else { &mut stale } += 1;
                }
                use_everywhere(&mut scene, node);
            }
        }
        // The root is edited in each turn and gains children.
        while scene.len() > 60 {
            scene.remove(scene.get(scene.root()).unwrap().first_child().unwrap().handle()).unwrap();
        }
        if scene.len() < 10 {
            scene.insert(scene.root(), Node::group()).unwrap();
        }
    }
    assert!(live > 300 && stale > 300, "{live} words near handles named a node, and {stale} none");
}

/// Makes random edits of all kinds. Returns the new handles.
fn edit(scene: &mut Scene, dice: &mut fastrand::Rng, edits: usize) -> Vec<NodeHandle> {
    let mut given = Vec::new();
    for _ in 0..edits {
        let tops = scene.get(scene.root()).into_iter().chain(scene.detached());
        let all: Vec<NodeHandle> = tops.flat_map(NodeRef::descendants).map(NodeRef::handle).collect();
        let [node, other] = [(); 2].map(|()| all[dice.usize(..all.len())]);
        let movable: Vec<NodeHandle> = [node, other].into_iter().filter(|&node| node != scene.root()).collect();
        match dice.u8(..22) {
            0..=6 => {
                let (_, make) = WAYS[dice.usize(..WAYS.len())];
                let top = make(scene, node);
                given.extend(scene.get(top).unwrap().descendants().map(|node| node.handle()));
            }
            7..=9 if node != scene.root() => _ = scene.remove(node).unwrap(),
            10 => _ = scene.reparent(node, Place::Detached, Keep::Local),
            11 => {
                let detached = scene.detached().next().map(NodeRef::handle);
                detached.map(|node| scene.reparent(node, other, Keep::Local));
            }
            12 | 13 => _ = scene.reparent(node, other, Keep::Local),
            14 => _ = scene.edit(node).unwrap().set_user_data(dice.u32(..4)),
            15 => _ = scene.remove_many(&movable).unwrap(),
            16 => _ = scene.reparent_many(&[(node, Place::Detached), (other, node.into())], Keep::World),
            17 => _ = scene.set_world(node, Transform::from_xyz(dice.f32(), 0.0, 0.0)),
            18 => {
                let mut queue = EditQueue::new();
                queue.push(edit::Edit::reparent(node, Place::FirstChildOf(other), Keep::World));
                queue.push(edit::Edit::change(other, Change::Name(Some("queued".into()))));
                movable.iter().take(1).for_each(|&node| queue.push(edit::Edit::remove(node)));
                if dice.bool() {
                    queue.apply(scene);
                } else {
                    // The queue may be refused, and all edits are then undone.
                    let (ticket, done) = (queue.insert(other, whole()), queue.apply_all(scene));
                    given.extend(queue.inserted(ticket).filter(|_| done.is_ok()));
                }
            }
            19 => _ = scene.maintain(Duration::MAX),
            20 if dice.u8(..8) == 0 => scene.clear(),
            20 => scene.shrink_to_fit(),
            _ => scene.update(),
        }
    }
    given
}

#[test]
fn a_loaded_scene_has_the_same_bytes_and_gives_the_same_handles() {
    for (seed, config) in (0..).zip([SceneConfig::DEFAULT, APART, TOLD]) {
        let mut dice = fastrand::Rng::with_seed(seed);
        let mut scene = with(config);
        for _ in 0..30 {
            edit(&mut scene, &mut dice, 40);
            let bytes = scene.to_bytes();
            let mut loaded = Scene::from_bytes(&bytes).unwrap();
            assert!(loaded.to_bytes() == bytes);
            let mut same = dice.clone();
            assert_eq!(edit(&mut scene, &mut dice, 40), edit(&mut loaded, &mut same, 40));
            assert!(loaded.to_bytes() == scene.to_bytes() && loaded.validate().is_ok());
        }
    }
}

#[test]
fn a_handle_that_is_gone_names_no_other_node_however_the_scene_was_emptied() {
    type Empty = fn(&mut Scene);
    fn tops(scene: &Scene) -> Vec<NodeHandle> {
        scene.children(scene.root()).chain(scene.detached().map(NodeRef::handle)).collect()
    }
    let ways: [(&str, Empty); 10] = [
        ("clearing", Scene::clear),
        ("removing tops", |scene| tops(scene).into_iter().for_each(|top| _ = scene.remove(top).unwrap())),
        ("removing tops from behind", |scene| {
            tops(scene).into_iter().rev().for_each(|top| _ = scene.remove(top).unwrap());
        }),
        ("removing tops in a batch", |scene| _ = scene.remove_many(&tops(scene)).unwrap()),
        ("clearing and loading", |scene| {
            scene.clear();
            *scene = Scene::from_bytes(&scene.to_bytes()).unwrap();
        }),
        ("shrinking after clearing", |scene| {
            scene.clear();
            scene.update();
            scene.shrink_to_fit();
        }),
        ("moving trees to another scene", |scene| {
            let mut other = Scene::new();
            for top in tops(scene) {
                other.insert_tree(other.root(), &scene.tree(top).unwrap()).unwrap();
                scene.remove(top).unwrap();
            }
        }),
        ("detaching and saving without that", |scene| {
            let tops: Vec<_> = scene.children(scene.root()).map(|top| (top, Place::Detached)).collect();
            scene.reparent_many(&tops, Keep::Local).unwrap();
            *scene = Scene::from_bytes(&SaveOptions { detached: false }.to_bytes(scene)).unwrap();
        }),
        ("removing by a queue", |scene| {
            let mut queue = EditQueue::new();
            tops(scene).into_iter().for_each(|top| queue.push(edit::Edit::remove(top)));
            assert!(queue.apply(scene).iter().all(Result::is_ok));
        }),
        ("clearing a clone that takes its place", |scene| {
            *scene = scene.clone();
            scene.clear();
        }),
    ];
    for config in [SceneConfig::DEFAULT, TOLD] {
        let mut dice = fastrand::Rng::with_seed(3);
        let mut scene = with(config);
        let mut given = HashSet::from([scene.root()]);
        for round in 0..60 {
            let (way, empty) = ways[dice.usize(..ways.len())];
            for _ in 0..4 {
                for node in edit(&mut scene, &mut dice, 8) {
                    assert!(given.insert(node), "{node:?} was given twice, round {round}");
                }
            }
            if dice.bool() {
                scene.update();
            }
            empty(&mut scene);
            assert_eq!((scene.len(), scene.stats().detached), (1, 0), "{way}");
            assert!(given.iter().all(|&node| scene.contains(node) == (node == scene.root())), "{way}");
            assert_eq!(scene.validate(), Ok(()), "{way}");
        }
        assert!(given.len() > 1000);
    }
}

#[test]
fn freed_handles_come_back_once_each_in_any_order() {
    let config = SceneConfig::DEFAULT;
    for stride in [1, 3, 7, 11, 19, 22] {
        let mut scene = Scene::with_config(config).unwrap();
        let parent = scene.insert(scene.root(), Node::group()).unwrap();
        let mut live: Vec<_> = (0..23).map(|_| scene.insert(parent, Node::group()).unwrap()).collect();
        let mut seen: HashSet<_> = live.iter().copied().collect();
        let mut stale = Vec::new();
        for freed in 1..=20 {
            // Since 23 is prime, each stride reaches each node.
            let order: Vec<_> = (0..freed).map(|turn| live[turn * stride % 23]).collect();
            for &node in &order {
                assert_eq!(scene.remove(node), Ok(1));
                scene.validate().unwrap();
            }
            live.retain(|node| !order.contains(node));
            stale.extend(order);
            // Some nodes are inserted, one is removed, and the rest is inserted.
            for _ in 0..freed / 2 {
                live.push(scene.insert(parent, Node::group()).unwrap());
                assert!(seen.insert(live[live.len() - 1]), "a handle never comes again");
                scene.validate().unwrap();
            }
            let gone = live.remove(freed % live.len());
            assert_eq!(scene.remove(gone), Ok(1));
            stale.push(gone);
            while live.len() < 23 {
                live.push(scene.insert(parent, Node::group()).unwrap());
                assert!(seen.insert(live[live.len() - 1]), "a handle never comes again");
                scene.validate().unwrap();
            }
            assert_eq!(live.iter().collect::<HashSet<_>>().len(), 23);
            assert!(live.iter().all(|&node| scene.contains(node)));
            assert!(
                stale.iter().all(|&node| !scene.contains(node) && scene.get(node).map(|node| node.node()).is_none())
            );
        }
        let stats = scene.stats();
        assert_eq!(stats.retired, 0, "freed records serve again: {stats:?}");
    }
}
