//! How much work an edit makes: rows touched and slices visited, counted in unit tests and nowhere else.
//!
//! Times say little on a machine that does other things. What a loop goes through is the same on each.

/// Counts rows, or slots, that a loop went through. Does nothing but in unit tests.
#[inline(always)]
pub(in crate::store) fn rows(count: usize) {
    #[cfg(test)]
    tests::ROWS.set(tests::ROWS.get() + count);
    #[cfg(not(test))]
    let _ = count;
}

/// Counts slices that a loop went through. Does nothing but in unit tests.
#[inline(always)]
pub(in crate::store) fn slices(count: usize) {
    #[cfg(test)]
    tests::SLICES.set(tests::SLICES.get() + count);
    #[cfg(not(test))]
    let _ = count;
}

#[cfg(test)]
mod tests {
    use crate::config::StoragePolicy;
    use crate::edit::EditQueue;
    use crate::{Keep, Node, NodeHandle, Place, Scene, SceneConfig, Transform};
    use core::cell::Cell;
    use core::time::Duration;

    /// More time than any call takes, but not [`Duration::MAX`], which has limits of its own.
    const HOUR: Duration = Duration::from_secs(3600);

    thread_local! {
        pub(super) static ROWS: Cell<usize> = const { Cell::new(0) };
        pub(super) static SLICES: Cell<usize> = const { Cell::new(0) };
    }

    /// Trees that are hard on something.
    #[derive(Clone, Copy, Debug)]
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
                nodes.push(scene.insert(nodes[self.parent(number, count)], node()).unwrap());
            }
            scene.update();
            scene.maintain(core::time::Duration::MAX);
            scene.update();
            (scene, nodes)
        }
    }

    fn node() -> Node<'static> {
        Node::transform(Transform::from_xyz(1.0, 0.0, 0.0))
    }

    /// An edit at a node of the scene, followed by an update.
    type Edit = fn(&mut Scene, &[NodeHandle], NodeHandle);

    /// How the work may grow with the number of nodes: the greatest exponent.
    const CONSTANT: f64 = 0.25;
    const LINEAR: f64 = 1.15;

    /// Edits at any place. None may touch more where there are more nodes, but for what it says that it does.
    const EDITS: [(&str, Edit, f64); 9] = [
        (
            "insert last",
            |scene, _, at| {
                let leaf = scene.insert(at, node()).unwrap();
                scene.remove(leaf).unwrap();
            },
            CONSTANT,
        ),
        (
            "insert first",
            |scene, _, at| {
                scene.insert(Place::FirstChildOf(at), node()).unwrap();
            },
            CONSTANT,
        ),
        (
            "insert behind",
            |scene, _, at| {
                scene.insert(Place::After(at), node()).unwrap();
            },
            CONSTANT,
        ),
        (
            "add and remove a name",
            |scene, _, at| {
                scene.set_name(at, Some("name")).unwrap();
                scene.set_name(at, None).unwrap();
            },
            CONSTANT,
        ),
        ("set a material that it has", |scene, _, at| scene.set_material(at, 4).unwrap(), CONSTANT),
        (
            "move a new leaf",
            |scene, nodes, at| {
                let leaf = scene.insert(nodes[1], node()).unwrap();
                scene.reparent(leaf, at, Keep::Local).unwrap();
            },
            CONSTANT,
        ),
        (
            "detach and attach a new leaf",
            |scene, _, at| {
                let leaf = scene.insert(at, node()).unwrap();
                scene.detach(leaf).unwrap();
                scene.attach(leaf, at, Keep::Local).unwrap();
            },
            CONSTANT,
        ),
        (
            "isolate a new leaf",
            |scene, _, at| {
                let leaf = scene.insert(at, node()).unwrap();
                scene.isolate(leaf).unwrap();
                scene.remove(leaf).unwrap();
            },
            CONSTANT,
        ),
        (
            "move the top",
            |scene, nodes, _| scene.set_local(nodes[1], Transform::from_xyz(2.0, 0.0, 0.0)).unwrap(),
            LINEAR,
        ),
    ];

    /// Rows and slices that an edit and an update after it go through on the average, at places all over the tree.
    fn work(scene: &Scene, nodes: &[NodeHandle], edit: Edit) -> [f64; 2] {
        const TIMES: usize = 96;
        let mut scene = scene.clone();
        let mut dice = fastrand::Rng::with_seed(5);
        // The same places where `usize` has 32 bits: a slice is rebuilt at some of them, and not at others.
        let mut place = || usize::try_from(dice.u64(1..nodes.len() as u64)).expect("a place in a list");
        let places: Vec<NodeHandle> = (0..TIMES).map(|_| nodes[place()]).collect();
        // The first edit in a slice prepares what those behind it find: room, and a slice cut in two.
        places.iter().for_each(|&at| edit(&mut scene, nodes, at));
        scene.update();
        let begin = [ROWS.get(), SLICES.get()];
        for &at in &places {
            edit(&mut scene, nodes, at);
            scene.update();
        }
        let end = [ROWS.get(), SLICES.get()];
        #[expect(clippy::cast_precision_loss, reason = "a mean")]
        core::array::from_fn(|of| (end[of] - begin[of]) as f64 / TIMES as f64)
    }

    /// The exponent with which numbers grow where the number of nodes doubles from each to the next. One is added to
    /// each, so that nothing from nothing is no growth.
    fn slope(work: [f64; 5]) -> f64 {
        ((work[4] + 1.0) / (work[0] + 1.0)).log2() / 4.0
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
        let before = ROWS.get();
        assert!(queue.apply(&mut scene).iter().all(Result::is_ok));
        let rows = ROWS.get() - before;
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
            let before = SLICES.get();
            for _ in 0..15 {
                let leaf = scene.insert(top, node()).unwrap();
                scene.remove(leaf).unwrap();
                assert_eq!(scene.maintain(HOUR).looked_at, 1);
            }
            SLICES.get() - before
        });
        assert_eq!(looked_at[0], looked_at[1], "slices that are looked at where 5 wait, and where 80 do");
    }

    #[test]
    fn no_edit_touches_more_where_there_are_more_nodes() {
        let small = SceneConfig { max_nodes: 256, min_nodes: 32, ..SceneConfig::DEFAULT };
        // Every size is more than a slice holds.
        let sizes = [8000, 16_000, 32_000, 64_000, 128_000];
        let mut steep = Vec::new();
        for (policy, config) in [("usual", SceneConfig::DEFAULT), ("small slices", small)] {
            for tree in TREES {
                let scenes = sizes.map(|count| tree.build(count, config));
                for (name, edit, most) in EDITS {
                    let work = scenes.each_ref().map(|(scene, nodes)| work(scene, nodes, edit));
                    let [rows, slices] = [0, 1].map(|of| slope(work.map(|work| work[of])));
                    println!("{policy:<13} {tree:<12?} {name:<28} rows {rows:>5.2} slices {slices:>5.2} {work:.0?}");
                    // The first edit since an update notes its slice on those above.
                    let above = if tree.is_deep() { LINEAR } else { most };
                    if rows > most || slices > above {
                        steep.push(format!("{name} in a {tree:?}, {policy}: n^{rows:.2}, n^{slices:.2}, {work:.0?}"));
                    }
                }
            }
        }
        assert!(ROWS.get() > 10_000 && SLICES.get() > 1000, "work is counted");
        assert!(steep.is_empty(), "{}", steep.join("\n"));
    }
}
