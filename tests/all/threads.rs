//! Updates on several threads (feature `rayon`), and scenes that go to other threads.

use hedgerow::{DrawList, Keep, Node, NodeHandle, Scene, SceneConfig, Shape, Transform, Visibility};

/// A deterministic sequence of unremarkable numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn transform(&mut self) -> Transform {
        Transform::from_xyz(self.below(100) as f32 - 50.0, self.below(10) as f32, self.below(100) as f32 - 50.0)
    }
}

/// A tree of 50,000 nodes of all kinds, each below a random earlier one.
fn tree(config: SceneConfig) -> (Scene, Vec<NodeHandle>) {
    let mut scene = Scene::with_config(config).unwrap();
    let mut dice = Dice(5);
    let mut nodes = vec![scene.root()];
    for number in 0..50_000_u32 {
        let mut node = match number % 3 {
            0 | 1 => Node::transform(dice.transform()),
            _ => Node::shape(Shape::new(number, hedgerow::Aabb::cube(0.5))),
        };
        if number % 97 == 0 {
            node = node.with_visibility(Visibility::layers(number | 1)).with_material(number);
        }
        let parent = nodes[dice.below(nodes.len())];
        nodes.push(scene.insert(parent, node).unwrap());
    }
    (scene, nodes)
}

#[test]
fn a_scene_goes_to_other_threads_and_is_read_by_many() {
    fn is_send_and_sync<T: Send + Sync>() {}
    is_send_and_sync::<Scene>();
    let (mut scene, nodes) = tree(SceneConfig::DEFAULT);
    scene.update();
    let expected: Vec<_> = nodes.iter().map(|&node| *scene.world(node).unwrap()).collect();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert!(nodes.iter().zip(&expected).all(|(&node, world)| scene.world(node) == Some(world))));
        }
    });
    let moved = std::thread::spawn(move || scene.validate().map(|()| scene));
    assert!(moved.join().unwrap().is_ok());
}

#[cfg(feature = "rayon")]
#[test]
fn any_number_of_threads_gives_the_same_bits() {
    use rayon::ThreadPoolBuilder;

    for config in [SceneConfig::DEFAULT, SceneConfig { max_nodes: 200, min_nodes: 25, ..SceneConfig::DEFAULT }] {
        let (scene, nodes) = tree(config);
        let mut scenes = vec![scene; 4];
        let pools = [1, 2, 3, 7].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
        for (round, edits) in (0..).zip([0, 400, 40, 10_000, 3, 400]) {
            for scene in &mut scenes {
                let mut dice = Dice(round);
                for _ in 0..edits {
                    let node = nodes[1 + dice.below(nodes.len() - 1)];
                    let other = nodes[dice.below(nodes.len())];
                    match dice.below(20) {
                        0 => drop(scene.reparent(node, other, Keep::Local)),
                        1 => scene
                            .attach_visibility(node, [Visibility::HIDDEN, Visibility::layers(6)][dice.below(2)])
                            .unwrap(),
                        2 => scene.attach_material(node, 7).unwrap(),
                        _ => drop(scene.set_local(node, dice.transform())),
                    }
                }
                // Now and then everything below the root is to be computed.
                if round % 2 == 0 {
                    scene.attach_transform(scene.root(), dice.transform()).unwrap();
                }
            }
            let outcomes: Vec<_> = scenes
                .iter_mut()
                .zip(&pools)
                .map(|(scene, pool)| {
                    pool.install(|| scene.update());
                    scene.validate().unwrap();
                    let mut list = DrawList::new();
                    scene.draw_list(&mut list);
                    let worlds: Vec<_> = nodes.iter().map(|&node| scene.world(node).map(|world| world.rows)).collect();
                    (worlds, list.commands().to_vec(), list.matrices().to_vec())
                })
                .collect();
            assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]), "round {round}");
        }
    }
}
