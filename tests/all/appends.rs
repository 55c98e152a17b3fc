//! Trees that grow at their end: full slices keep their nodes, and new nodes go to new slices.

use hedgerow::{Node, NodeHandle, Scene, SceneConfig, Transform};

fn node() -> Node<'static> {
    Node::transform(Transform::from_xyz(1.0, 0.0, 0.0))
}

/// Inserts a tree in depth-first order, in which every inner node has as many children as its level says.
fn plant(scene: &mut Scene, parent: NodeHandle, counts: &[usize]) {
    if let [count, deeper @ ..] = counts {
        for _ in 0..*count {
            let child = scene.insert(parent, node()).unwrap();
            plant(scene, child, deeper);
        }
    }
}

/// A scene with one child of the root, and that child.
fn start(config: SceneConfig) -> (Scene, NodeHandle) {
    let mut scene = Scene::with_config(config).unwrap();
    let top = scene.insert(scene.root(), node()).unwrap();
    (scene, top)
}

/// Inserts a chain in which each node has this many leaves before the next one.
fn plant_chain(scene: &mut Scene, mut end: NodeHandle, nodes: usize, leaves: usize) {
    for _ in 0..nodes {
        for _ in 0..leaves {
            scene.insert(end, node()).unwrap();
        }
        end = scene.insert(end, node()).unwrap();
    }
}

#[test]
fn a_chain_that_grows_at_its_end_is_hardly_split_and_fills_its_slices() {
    for max_nodes in [64, 512, 4096] {
        for leaves in [0, 1, 3] {
            let config = SceneConfig { max_nodes, min_nodes: max_nodes / 8, ..SceneConfig::DEFAULT };
            let (mut scene, top) = start(config);
            plant_chain(&mut scene, top, 20_000 / (1 + leaves), leaves);
            scene.validate().unwrap();
            let (stats, least) = (scene.stats(), scene.len().div_ceil(max_nodes as usize));
            let slices = stats.slices;
            assert!(
                slices <= least * 3 / 2 + 2,
                "{slices} slices of {max_nodes} rows, {leaves} leaves; {least} would do"
            );
            let splits = usize::try_from(stats.reconstitutions).unwrap();
            assert!(
                splits <= least / 8 + 2,
                "{splits} splits for {slices} slices of {max_nodes} rows, {leaves} leaves"
            );
        }
    }
}

#[test]
fn a_chain_is_hardly_split_however_many_leaves_each_of_its_nodes_has() {
    for leaves in 0..8 {
        let (mut scene, top) = start(SceneConfig { max_nodes: 64, min_nodes: 8, ..SceneConfig::DEFAULT });
        plant_chain(&mut scene, top, 3000 / (1 + leaves), leaves);
        scene.validate().unwrap();
        let (stats, least) = (scene.stats(), scene.len().div_ceil(64));
        assert!(stats.slices <= least * 3 / 2 + 2, "{} slices, {leaves} leaves; {least} would do", stats.slices);
        let splits = usize::try_from(stats.reconstitutions).unwrap();
        assert!(splits <= least / 8 + 2, "{splits} splits for {} slices, {leaves} leaves", stats.slices);
    }
}

#[test]
fn a_tree_that_is_built_depth_first_has_few_slices() {
    for (max_nodes, counts) in [(64, &[40, 10, 10][..]), (256, &[60, 30, 10]), (4096, &[400, 67]), (64, &[4000])] {
        let config = SceneConfig { max_nodes, min_nodes: max_nodes / 8, ..SceneConfig::DEFAULT };
        let (mut scene, top) = start(config);
        plant(&mut scene, top, counts);
        scene.validate().unwrap();
        let (stats, least) = (scene.stats(), scene.len().div_ceil(max_nodes as usize));
        assert!(stats.slices <= 4 * least + 2, "{counts:?} in {} slices of {max_nodes} rows", stats.slices);
        let bytes = stats.allocated_bytes() / scene.len();
        assert!(bytes <= 280, "{counts:?} in slices of {max_nodes}: {bytes} bytes a node");
    }
}

#[test]
fn nodes_that_come_and_go_at_the_end_of_a_full_slice_open_no_slice_each_time() {
    for max_nodes in [64, 512, 4096] {
        let config = SceneConfig { max_nodes, min_nodes: max_nodes / 8, ..SceneConfig::DEFAULT };
        for spare in 0..6 {
            let (mut scene, top) = start(config);
            for _ in 2 + spare..max_nodes {
                scene.insert(top, node()).unwrap();
            }
            scene.update();
            let before = scene.stats().slices;
            let mut opened = 0;
            for _ in 0..500 {
                let known = scene.slice_count();
                let three = [(); 3].map(|()| scene.insert(top, node()).unwrap());
                opened += scene.slice_count().saturating_sub(known);
                for last in three.into_iter().rev() {
                    scene.remove(last).unwrap();
                }
            }
            scene.validate().unwrap();
            assert!(opened <= 6 && scene.stats().slices <= before + 6, "{opened} slices opened, {spare} rows to spare");
            assert!(scene.stats().reconstitutions <= 6);
        }
    }
}

#[test]
fn what_was_up_to_date_stays_so_where_the_end_of_a_slice_is_cut_off() {
    let config = SceneConfig { max_nodes: 64, min_nodes: 8, bounds: true, changes: true, ..SceneConfig::DEFAULT };
    let (mut scene, top) = start(config);
    let mut reader = hedgerow::changes::ChangeReader::new();
    for _ in 0..200 {
        plant(&mut scene, top, &[1, 4, 2]);
        scene.update();
        scene.changes(&mut reader).unwrap();
        let nodes: Vec<NodeHandle> = scene.descendants(top).skip(1).collect();
        let worlds: Vec<_> = nodes.iter().map(|&node| scene.world(node).copied()).collect();
        scene.insert(top, node()).unwrap();
        assert!(nodes.iter().map(|&node| scene.world(node).copied()).eq(worlds), "an insert moves no other node");
        scene.update();
        let told = scene.changes(&mut reader).unwrap().since().unwrap();
        assert_eq!(told.moved().len(), 0, "what changed its slice alone has not moved");
        scene.validate().unwrap();
    }
}
