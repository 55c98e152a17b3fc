//! No operation has a cliff: rows touched and slices visited do not grow with the scene (feature `counters`).

use core::time::Duration;
use hedgerow::config::StoragePolicy;
use hedgerow::edit::EditQueue;
use hedgerow::stats::Work;
use hedgerow::{Aabb, Keep, Node, NodeHandle, Place, Scene, SceneConfig, Shape, Transform, Visibility};

/// More time than any call takes, but not [`Duration::MAX`], which has limits of its own.
const HOUR: Duration = Duration::from_secs(3600);

/// Trees that are hard on something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tree {
    /// Each node below the one before.
    Chain,
    /// All below one node.
    Flat,
    /// All below the root.
    FlatRoot,
    /// A chain, at whose end the other half is flat.
    Broom,
    /// A chain each of whose nodes has a leaf besides.
    Caterpillar,
    /// A chain of the square root, with a chain as long at each node.
    Comb,
    /// Two children each.
    Binary,
}

const TREES: [Tree; 7] =
    [Tree::Chain, Tree::Flat, Tree::FlatRoot, Tree::Broom, Tree::Caterpillar, Tree::Comb, Tree::Binary];

impl Tree {
    /// Whether there are more slices above each other where there are more nodes.
    fn is_deep(self) -> bool {
        matches!(self, Self::Chain | Self::Broom | Self::Caterpillar | Self::Comb)
    }

    /// The parent of a node by number, where there are `count`; 0 is the root of the scene.
    fn parent(self, number: usize, count: usize) -> usize {
        let side = count.isqrt();
        match self {
            Self::Chain => number - 1,
            Self::Flat => number.min(2) - 1,
            Self::FlatRoot => 0,
            Self::Broom => (number - 1).min(count / 2),
            Self::Caterpillar => {
                if number % 2 == 1 {
                    number.saturating_sub(2)
                } else {
                    number - 1
                }
            }
            Self::Comb if number <= side => number - 1,
            Self::Comb if (number - side - 1).is_multiple_of(side) => (number - side - 1) / side % side + 1,
            Self::Comb => number - 1,
            Self::Binary => (number - 1) / 2,
        }
    }

    fn build(self, count: usize, config: SceneConfig) -> (Scene, Vec<NodeHandle>) {
        let mut scene = Scene::with_config(config).unwrap();
        let mut nodes = vec![scene.root()];
        for number in 1..=count {
            let masked = (number as u64).is_multiple_of(MASKS);
            let node = if masked { node().with_visibility(Visibility::layers(7)) } else { node() };
            nodes.push(scene.insert(nodes[self.parent(number, count)], node).unwrap());
        }
        scene.update();
        scene.maintain(Duration::MAX);
        scene.update();
        (scene, nodes)
    }
}

/// Every so many nodes have a visibility.
const MASKS: u64 = 16;

fn node() -> Node<'static> {
    Node::transform(Transform::from_xyz(1.0, 0.0, 0.0)).with_shape(Shape::new(1, Aabb::cube(1.0)))
}

/// An edit at a node of the scene, followed by an update.
type Edit = fn(&mut Scene, &[NodeHandle], NodeHandle);

/// With what the work may grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Growth {
    Nothing,
    /// Nothing, but it updates the scene itself, and the first edit since an update notes its slice on those above.
    Updates,
    /// The ancestors of a node, which are many in deep trees alone.
    Ancestors,
    /// All that is below a node.
    Descendants,
}

use Growth::{Ancestors, Descendants, Nothing, Updates};

impl Growth {
    /// The greatest exponent, by the number of nodes of a tree.
    fn most(self, tree: Tree) -> f64 {
        match self {
            // The top of this tree is one of its leaves.
            Descendants if tree == Tree::FlatRoot => 0.25,
            Descendants => 1.15,
            Ancestors if tree.is_deep() => 1.15,
            Nothing | Updates | Ancestors => 0.25,
        }
    }
}

/// Edits at any place. None may touch more where there are more nodes, but for what it says that it does.
const EDITS: [(&str, Edit, Growth); 19] = [
    (
        "insert last",
        |scene, _, at| {
            let leaf = scene.insert(at, node()).unwrap();
            scene.remove(leaf).unwrap();
        },
        Nothing,
    ),
    (
        "insert first",
        |scene, _, at| {
            scene.insert(Place::FirstChildOf(at), node()).unwrap();
        },
        Nothing,
    ),
    (
        "insert behind",
        |scene, _, at| {
            scene.insert(Place::After(at), node()).unwrap();
        },
        Nothing,
    ),
    (
        "add and remove a name",
        |scene, _, at| {
            scene.set_name(at, Some("name")).unwrap();
            scene.set_name(at, None).unwrap();
        },
        Nothing,
    ),
    ("set a material that it has", |scene, _, at| scene.set_material(at, 4).unwrap(), Nothing),
    (
        "move a new leaf",
        |scene, nodes, at| {
            let leaf = scene.insert(nodes[1], node()).unwrap();
            scene.reparent(leaf, at, Keep::Local).unwrap();
        },
        Nothing,
    ),
    (
        "detach and attach a new leaf",
        |scene, _, at| {
            let leaf = scene.insert(at, node()).unwrap();
            scene.detach(leaf).unwrap();
            scene.attach(leaf, at, Keep::Local).unwrap();
        },
        Nothing,
    ),
    (
        "isolate a new leaf",
        |scene, _, at| {
            let leaf = scene.insert(at, node()).unwrap();
            scene.isolate(leaf).unwrap();
            scene.remove(leaf).unwrap();
        },
        Nothing,
    ),
    (
        "set a leaf where it is in the world",
        |scene, _, at| {
            let leaf = scene.insert(at, node()).unwrap();
            scene.update();
            scene.set_worlds(&[(leaf, *scene.world(leaf).unwrap())]).unwrap();
            scene.remove(leaf).unwrap();
        },
        Ancestors,
    ),
    (
        "give a leaf all that it can have",
        |scene, _, at| {
            let leaf = scene.insert(at, Node::group()).unwrap();
            scene.set_visibility(leaf, Visibility::layers(1)).unwrap();
            scene.set_material(leaf, 3).unwrap();
            scene.set_shape(leaf, Shape::new(2, Aabb::cube(2.0))).unwrap();
            scene.set_local(leaf, Transform::IDENTITY).unwrap();
            scene.remove(leaf).unwrap();
        },
        Nothing,
    ),
    (
        "ten leaves at once",
        |scene, _, at| {
            let mut leaves = Vec::new();
            scene.insert_many(&[(at, node()); 10], &mut leaves).unwrap();
            scene.remove_many(&leaves).unwrap();
        },
        Nothing,
    ),
    (
        "copy a branch of three",
        |scene, _, at| {
            let top = scene.insert(at, node()).unwrap();
            (0..2).for_each(|_| _ = scene.insert(top, node()).unwrap());
            let copy = scene.duplicate(top, Place::After(top)).unwrap().top();
            scene.remove(top).unwrap();
            scene.remove(copy).unwrap();
        },
        Nothing,
    ),
    (
        "remove a leaf later, and maintain",
        |scene, _, at| {
            let leaf = scene.insert(at, node()).unwrap();
            scene.remove_later(leaf).unwrap();
            scene.maintain(HOUR);
        },
        Nothing,
    ),
    (
        "ask for all that is next to it",
        |scene, _, at| {
            let around = [scene.parent(at), scene.first_child(at), scene.last_child(at)];
            let beside = [scene.next_sibling(at), scene.previous_sibling(at)];
            assert!(around.iter().chain(&beside).any(Option::is_some));
        },
        Nothing,
    ),
    (
        "find a leaf by its name",
        |scene, _, at| {
            let leaf = scene.insert(Place::FirstChildOf(at), node().named("leaf")).unwrap();
            assert_eq!(scene.find(at, "leaf"), Some(leaf));
            scene.remove(leaf).unwrap();
        },
        Nothing,
    ),
    (
        "find the box of a leaf",
        |scene, _, at| {
            let leaf = scene.insert(at, node()).unwrap();
            scene.update();
            assert!(scene.world_bounds(leaf).is_some());
            scene.remove(leaf).unwrap();
        },
        Updates,
    ),
    ("ask whether it is below the root", |scene, nodes, at| assert!(scene.is_ancestor(nodes[0], at)), Ancestors),
    (
        "move the top",
        |scene, nodes, _| scene.modify_local(nodes[1], |local| local.translation.x += 1.0).unwrap(),
        Descendants,
    ),
    (
        "hide the top and show it",
        |scene, nodes, _| {
            for layers in [Visibility::HIDDEN, Visibility::VISIBLE] {
                scene.set_visibility(nodes[1], layers).unwrap();
                scene.update();
            }
        },
        Descendants,
    ),
];

/// What edits and the update after each go through.
#[derive(Clone, Copy, Debug)]
struct Counted {
    /// Rows and slices of the edit in the middle: fewer than half of the edits find a slice full, and rebuild it.
    usual: [u64; 2],
    /// The most rows of one edit.
    most_rows: u64,
    /// Slices on the average where no update comes between the edits.
    slices_between: u64,
}

fn count(scene: &mut Scene, nodes: &[NodeHandle], edit: Edit, times: usize) -> Counted {
    let mut dice = fastrand::Rng::with_seed(5);
    // The same places where `usize` has 32 bits: a slice is rebuilt at some of them, and not at others.
    let mut place = || usize::try_from(dice.u64(1..nodes.len() as u64)).expect("a place in a list");
    let places: Vec<NodeHandle> = (0..times).map(|_| nodes[place()]).collect();
    // The first edit in a slice prepares what those behind it find: room, and a slice cut in two.
    places.iter().for_each(|&at| edit(scene, nodes, at));
    let (between, ()) = Work::of(|| places.iter().for_each(|&at| edit(scene, nodes, at)));
    scene.update();
    let mut works: Vec<Work> = Vec::new();
    for &at in &places {
        let edited = || {
            edit(scene, nodes, at);
            scene.update();
        };
        works.push(Work::of(edited).0);
    }
    let of_works = [|work: &Work| work.rows, |work: &Work| work.slices].map(|of| {
        let mut counts: Vec<u64> = works.iter().map(of).collect();
        counts.sort_unstable();
        counts
    });
    let usual = of_works.each_ref().map(|counts| counts[times / 2]);
    Counted { usual, most_rows: of_works[0][times - 1], slices_between: between.slices / times as u64 }
}

/// The exponent with which numbers grow where the number of nodes doubles from each to the next. What is little is added
/// to each, so that little more than nothing is no growth.
#[expect(clippy::cast_precision_loss, reason = "far less than 2^52")]
fn slope(work: [u64; 5], little: u64) -> f64 {
    ((work[4] + little) as f64 / (work[0] + little) as f64).log2() / 4.0
}

#[test]
fn a_run_of_queued_places_that_is_made_one_by_one_is_tried_as_a_batch_once() {
    let mut scene = Scene::new();
    let top = scene.insert(scene.root(), node()).unwrap();
    let mut nodes: Vec<NodeHandle> = (0..500).map(|_| scene.insert(top, node()).unwrap()).collect();
    // A batch is refused, wherever it begins, since the last node is below the one before it.
    nodes.push(scene.insert(nodes[499], node()).unwrap());
    let mut queue = EditQueue::new();
    for _ in 0..3 {
        nodes.iter().for_each(|&node| queue.set_world(node, Transform::IDENTITY));
        queue.set_material(top, 1);
    }
    let (Work { rows, .. }, ()) = Work::of(|| assert!(queue.apply(&mut scene).iter().all(Result::is_ok)));
    assert!((3 * 500..3 * 1500).contains(&rows), "{rows} rows for three runs of 501");
}

/// A full slice below which so many slices wait for a partner, and the top of one of them.
fn waiting(count: usize) -> (Scene, NodeHandle) {
    let storage = StoragePolicy { share_slices: false, ..StoragePolicy::DEFAULT };
    let config = SceneConfig { max_nodes: 256, min_nodes: 8, storage, ..SceneConfig::DEFAULT };
    let mut scene = Scene::with_config(config).unwrap();
    let root = scene.root();
    let full = scene.insert(root, node()).unwrap();
    let mut leaves: Vec<NodeHandle> = (0..255).map(|_| scene.insert(full, node()).unwrap()).collect();
    let mut last = root;
    for number in 0..count {
        // Room for the portal.
        scene.remove(leaves.pop().unwrap()).unwrap();
        last = scene.insert(root, node()).unwrap();
        (0..2).for_each(|_| _ = scene.insert(last, node()).unwrap());
        scene.reparent(last, leaves[number], Keep::Local).unwrap();
    }
    let done = scene.maintain(HOUR);
    assert_eq!((done.merged, done.remaining, scene.slice_count()), (0, 0, 2 + count));
    (scene, last)
}

#[test]
fn a_slice_is_noted_to_wait_for_a_partner_without_a_look_at_the_others() {
    let looked_at = [5, 80].map(|count| {
        let (mut scene, top) = waiting(count);
        let (work, ()) = Work::of(|| {
            for _ in 0..15 {
                let leaf = scene.insert(top, node()).unwrap();
                scene.remove(leaf).unwrap();
                assert_eq!(scene.maintain(HOUR).looked_at, 1);
            }
        });
        work.slices
    });
    assert!(looked_at[0] > 0, "slices are counted");
    assert_eq!(looked_at[0], looked_at[1], "slices that are looked at where 5 wait, and where 80 do");
}

#[test]
fn no_edit_touches_more_where_there_are_more_nodes() {
    let small = SceneConfig { max_nodes: 256, min_nodes: 32, ..SceneConfig::DEFAULT };
    // Every size is more than a slice holds.
    let sizes: [u64; 5] = [8000, 16_000, 32_000, 64_000, 128_000];
    let mut steep = Vec::new();
    let mut total = [0; 2];
    let whole = SceneConfig { bounds: true, changes: true, ..SceneConfig::DEFAULT };
    for (policy, config) in [("usual", SceneConfig::DEFAULT), ("small slices", small), ("boxes, changes", whole)] {
        for tree in TREES {
            let mut scenes = sizes.map(|count| tree.build(usize::try_from(count).expect("few"), config));
            for (name, edit, growth) in EDITS {
                let times = match growth {
                    Nothing | Updates => 96,
                    Ancestors => 32,
                    // The same each time.
                    Descendants => 5,
                };
                let counted = scenes.each_mut().map(|(scene, nodes)| count(scene, nodes, edit, times));
                let usual = counted.map(|counted| counted.usual);
                usual.iter().for_each(|usual| (0..2).for_each(|of| total[of] += usual[of]));
                let rows = slope(usual.map(|usual| usual[0]), u64::from(config.max_nodes) / 32);
                // Lists of 64 slices are not weeded out.
                let slices = slope(usual.map(|usual| usual[1]), if growth == Descendants { 64 } else { 1 });
                let between = slope(counted.map(|counted| counted.slices_between), 1);
                let most_rows = counted.iter().map(|counted| counted.most_rows).max().unwrap_or(0);
                println!(
                    "{policy:<14} {tree:<12?} {name:<36} rows {rows:>5.2}, of one at most {most_rows:>6}; \
                     slices {slices:>5.2}, without updates {between:>5.2} {usual:?}",
                );
                if tree == Tree::Chain && growth == Descendants {
                    let each = if name == "move the top" { 1 } else { MASKS };
                    let all = |([rows, _], count): ([u64; 2], u64)| rows >= count / each;
                    assert!(usual.into_iter().zip(sizes).all(all), "{name}, of all that is below: {usual:?}");
                }
                // The first edit since an update notes its slice on those above. No edit rebuilds more than two slices.
                let stays = matches!(growth, Nothing | Updates);
                let above = if stays { Ancestors } else { growth };
                let steep_here = rows > growth.most(tree) || slices > above.most(tree);
                let steep_between = growth == Nothing && between > growth.most(tree);
                let too_many = stays && most_rows > 4 * u64::from(config.max_nodes) + 64;
                if steep_here || steep_between || too_many {
                    steep.push(format!("{name} in a {tree:?}, {policy}: n^{rows:.2}, n^{slices:.2}, {counted:?}"));
                }
            }
        }
    }
    assert!(total[0] > 10_000 && total[1] > 1000, "work is counted: {total:?}");
    assert!(steep.is_empty(), "{}", steep.join("\n"));
}
