//! Passes on several threads (feature `rayon`), and scenes sent to other threads.

use fastrand::Rng;
use hedgerow::{Aabb, Drawable, Layers, Node, NodeHandle, Scene, SceneConfig, Transform, ViewRange};

struct Dice(Rng);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0.usize(..end)
    }

    fn transform(&mut self) -> Transform {
        Transform::from_xyz(self.below(100) as f32 - 50.0, self.below(10) as f32, self.below(100) as f32 - 50.0)
    }
}

/// Returns 27,000 nodes of all kinds, each below a random earlier one. Two thirds have drawables.
fn tree(config: SceneConfig) -> (Scene, Vec<NodeHandle>) {
    let mut scene = Scene::with_config(config).unwrap();
    let mut dice = Dice(Rng::with_seed(5));
    let mut nodes = vec![scene.root()];
    for number in 0..27_000_u32 {
        let mut node = match number % 3 {
            0 => Node::transform(dice.transform()),
            1 => Node::transform(dice.transform()).with_drawable(Drawable::new(number, Aabb::cube(1.5))),
            _ => Node::drawable(Drawable::new(number, Aabb::cube(0.5))),
        };
        if number % 97 == 0 {
            node = node.with_layers(Layers::new(number | 1)).with_material(number);
        }
        if number % 31 == 0 {
            node = node.with_view_range(ViewRange::new(0.0, number as f32 / 50.0 + 1.0).unwrap());
        }
        let parent = nodes[dice.below(nodes.len())];
        nodes.push(scene.insert(parent, node).unwrap());
    }
    (scene, nodes)
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "needs threads")]
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
mod side_by_side {
    use super::{Dice, Rng, tree};
    use hedgerow::changes::{ChangeReader, MatrixSlot};
    use hedgerow::glam::{DVec3, Vec3, Vec4};
    use hedgerow::query::{DetailView, LevelsOfDetail};
    use hedgerow::{
        Aabb, DrawList, Drawable, Keep, Layers, Mat34, Node, NodeHandle, Scene, SceneConfig, Transform,
        draw::{DrawCommand, RenderPass},
        query::{CullView, Frustum, Ray, RayHit, Sphere},
    };
    use rayon::ThreadPoolBuilder;

    /// All results of a scene, in the scene's order.
    #[derive(PartialEq)]
    struct Answers {
        worlds: Vec<Option<Mat34>>,
        bounds: Vec<Option<Aabb>>,
        draws: Vec<(Vec<DrawCommand>, Vec<Mat34>)>,
        nodes: [Vec<NodeHandle>; 4],
        hits: Vec<RayHit>,
        changed: String,
        /// The slice and slot of each node.
        slots: Vec<Option<MatrixSlot>>,
        /// The snapshot.
        saved: Vec<u8>,
    }

    /// What a program keeps from frame to frame.
    struct Kept {
        lists: [DrawList; 2],
        reader: ChangeReader,
        levels: LevelsOfDetail,
    }

    impl Kept {
        fn new() -> Self {
            let lists = [DrawList::new(), DrawList::new().on_layers(Layers::new(4))];
            let mut levels = LevelsOfDetail::new();
            for mesh in (0..27_000).step_by(5) {
                levels.insert(mesh, &[(30.0, Some(mesh + 1)), (200.0, None)]).unwrap();
            }
            Self { lists, reader: ChangeReader::new().with_parents(), levels }
        }
    }

    impl Answers {
        fn of(scene: &Scene, nodes: &[NodeHandle], kept: &mut Kept) -> Self {
            let Kept { lists: kept, reader, levels } = kept;
            let [half, tenth] = [0.0, 100.0].map(|x| {
                let (wall, any) = (Vec4::new(1.0, 0.0, 0.2, -x), Vec4::ZERO);
                Frustum::from_planes([wall, any, any, any, any, any]).unwrap()
            });
            let sphere = Sphere::new(Vec3::splat(10.0), 60.0).unwrap();
            let ray = Ray::new(Vec3::new(-300.0, 20.0, 5.0), Vec3::new(1.0, 0.01, 0.02)).unwrap();
            let mut found = [const { Vec::new() }; 4];
            let [on_layer, in_half, in_sphere, in_box] = &mut found;
            scene.query(&half, Layers::new(2), on_layer).unwrap();
            scene.query(&half, Layers::ALL, in_half).unwrap();
            scene.query(&sphere, Layers::ALL, in_sphere).unwrap();
            scene.query(&Aabb::INFINITE, Layers::ALL, in_box).unwrap();
            let mut hits = Vec::new();
            scene.cast_ray(&ray, Layers::ALL, &mut hits).unwrap();
            let mut culled = DrawList::new();
            scene.cull(&mut [CullView::new(&half, &mut culled)]).unwrap();
            kept.iter_mut().for_each(|list| scene.draw_list(list));
            let mut anew = DrawList::new();
            scene.draw_list(&mut anew);
            let mut views = [const { DrawList::new() }; 4];
            let [first, second, near, far] = &mut views;
            let seen = |frustum, layers, list| CullView::new(&frustum, list).on_layers(Layers::new(layers));
            scene.cull(&mut [seen(half, u32::MAX, first), seen(tenth, 2, second)]).unwrap();
            [&mut *near, &mut *far].into_iter().for_each(|list| list.set_eye(DVec3::new(3.0, 0.0, -7.0)));
            scene.cull(&mut [seen(half, u32::MAX, near), seen(tenth, 2, far)]).unwrap();
            let mut detailed = [const { DrawList::new() }; 3];
            let mut shown = Vec::new();
            for x in [0.0, 20.0] {
                let [one, near, far] = &mut detailed;
                far.set_eye(DVec3::new(3.0, 0.0, -7.0));
                let detail = DetailView::new(levels, DVec3::new(x, 3.0, 4.0));
                let [one, near, far] = [(half, one), (half, near), (tenth, far)]
                    .map(|(frustum, list)| CullView::new(&frustum, list).with_detail(detail));
                scene.cull(&mut [one]).unwrap();
                scene.cull(&mut [near, far]).unwrap();
                shown.extend(detailed.iter().map(|list| (list.commands().to_vec(), list.matrices().to_vec())));
                assert!(detailed[0].len() > 400 && detailed[0].len() < culled.len());
            }
            let [first, second, near, far] = &views;
            let lists = [&kept[0], &kept[1], &anew, &culled, first, second];
            let mut draws = lists.map(|list| (list.commands().to_vec(), list.matrices().to_vec())).to_vec();
            draws.extend(shown);
            draws.extend([near, far].map(|list| (list.commands().to_vec(), list.relative_matrices().to_vec())));
            Self {
                worlds: nodes.iter().map(|&node| scene.world(node).copied()).collect(),
                bounds: nodes.iter().map(|&node| scene.get(node).map(|node| node.subtree_bounds())).collect(),
                draws,
                nodes: found,
                hits,
                changed: format!("{:?}", scene.changes(reader)),
                slots: nodes.iter().map(|&node| scene.get(node).and_then(|node| node.matrix_slot())).collect(),
                saved: scene.to_bytes(),
            }
        }
    }

    #[test]
    #[cfg_attr(target_family = "wasm", ignore = "needs threads")]
    fn what_lost_its_transform_hands_down_the_one_above_where_its_slice_is_joined() {
        let mut scene = Scene::with_config(SceneConfig { max_nodes: 16, ..SceneConfig::DEFAULT }).unwrap();
        let mut dice = Dice(Rng::with_seed(8));
        let place = Node::transform(Transform::from_xyz(1.0, 2.0, 3.0));
        // What threads share, and trees apart from it.
        let busy: Vec<_> = (0..18_000).map(|_| scene.insert(scene.root(), place).unwrap()).collect();
        let mut nodes = Vec::new();
        for number in 0..3000 {
            let near = (number % 60).min(12);
            let parent = if near == 0 { scene.root() } else { nodes[number - 1 - dice.below(near)] };
            nodes.push(scene.insert(parent, place).unwrap());
        }
        let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        pool.install(|| scene.update());
        let slice = |scene: &Scene, node| scene.get(node).and_then(|node| node.matrix_slot()).map(|slot| slot.slice);
        let mut joined = 0;
        for &top in &nodes {
            let order: Vec<u32> = scene.slices().map(|slice| slice.number()).collect();
            let own = order.iter().position(|&number| Some(number) == slice(&scene, top));
            let Some(&[own, next]) = own.and_then(|own| order.get(own..own + 2)) else { continue };
            let below = scene.children(top).find(|&node| slice(&scene, node) == Some(next));
            let above = scene.parent(top).and_then(|node| slice(&scene, node));
            let Some(below) = below.filter(|_| above != Some(own)) else { continue };
            // Little is left of both slices.
            for &node in nodes.iter().filter(|&&node| node != top && node != below) {
                if slice(&scene, node).is_some_and(|number| number == own || number == next) {
                    _ = scene.remove(node);
                }
            }
            scene.edit(top).unwrap().set_local(None).unwrap();
            busy.iter().for_each(|&node| scene.set_local(node, dice.transform()).unwrap());
            pool.install(|| scene.update());
            joined += usize::from(slice(&scene, top) == slice(&scene, below));
            assert_eq!(scene.world(below).copied(), scene.get(below).map(|node| node.fresh_world()));
        }
        assert_eq!(scene.validate(), Ok(()));
        assert!(joined > 5, "{joined}");
    }

    /// What a slice imports is at another place after maintenance, which does not tell the slice.
    #[test]
    #[cfg_attr(target_family = "wasm", ignore = "needs threads")]
    fn threads_find_imports_again_after_maintenance() {
        let place = Node::transform(Transform::from_xyz(1.0, 2.0, 3.0));
        let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let ways: [fn(&mut Scene); 2] = [|scene| _ = scene.maintain(usize::MAX), Scene::shrink_to_fit];
        for maintain in ways {
            let mut scene = Scene::with_config(SceneConfig { max_nodes: 256, ..SceneConfig::DEFAULT }).unwrap();
            let (mut chain, mut legs) = (vec![scene.root()], Vec::new());
            for _ in 0..20_000 {
                let last = chain[chain.len() - 1];
                legs.push(scene.insert(last, place).unwrap());
                chain.push(scene.insert(last, place).unwrap());
            }
            pool.install(|| scene.update());
            // More gaps would be closed in the update.
            legs.into_iter().step_by(8).for_each(|leg| _ = scene.remove(leg).unwrap());
            pool.install(|| scene.update());
            maintain(&mut scene);
            chain.iter().for_each(|&node| scene.set_local(node, Transform::from_xyz(0.0, 0.5, 0.0)).unwrap());
            pool.install(|| scene.update());
            for &node in chain.iter().step_by(1000) {
                assert_eq!(scene.world(node).copied(), scene.get(node).map(|node| node.fresh_world()));
            }
            assert_eq!(scene.validate(), Ok(()));
        }
    }

    #[test]
    #[cfg_attr(target_family = "wasm", ignore = "needs threads")]
    fn any_number_of_threads_gives_the_same_bits() {
        for (max_nodes, changes) in [(4096, false), (64, true)] {
            let config = SceneConfig { max_nodes, changes, bounds: true, ..SceneConfig::DEFAULT };
            let (scene, nodes) = tree(config);
            let mut scenes = vec![scene; 3];
            let mut kept = [(); 3].map(|()| Kept::new());
            let pools = [1, 2, 8].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
            for (round, count) in (0..).zip([0, 400, 40, 10_000, 3]) {
                let edit = |scene: &mut Scene, count: usize| {
                    let place = Node::transform(Transform::IDENTITY);
                    let mut dice = Dice(Rng::with_seed(round));
                    for _ in 0..count {
                        let node = nodes[1 + dice.below(nodes.len() - 1)];
                        let other = nodes[dice.below(nodes.len())];
                        match dice.below(20) {
                            // Some would go below themselves.
                            0 | 3 => drop(scene.reparent(node, other, Keep::Local)),
                            4 => _ = scene.insert(node, place).unwrap(),
                            1 => {
                                _ = scene
                                    .edit(node)
                                    .unwrap()
                                    .set_layers(Layers::new([0, 1, 2, 3, 4, 5, 6, 7][dice.below(8)]));
                            }
                            2 => _ = scene.edit(node).unwrap().set_material(7),
                            _ => drop(scene.set_local(node, dice.transform())),
                        }
                    }
                };
                for scene in &mut scenes {
                    edit(scene, count);
                    // Sometimes everything below the root must be computed.
                    if round % 2 == 0 {
                        scene.set_local(scene.root(), Dice(Rng::with_seed(round)).transform()).unwrap();
                    }
                }
                let outcomes: Vec<_> = scenes
                    .iter_mut()
                    .zip(&pools)
                    .zip(&mut kept)
                    .map(|((scene, pool), kept)| {
                        pool.install(|| {
                            scene.update();
                            // Slices are joined and split, as after edits.
                            if round % 3 == 0 {
                                scene.maintain(usize::MAX);
                                scene.update();
                            }
                            scene.validate().unwrap();
                            let updated = Answers::of(scene, &nodes, kept);
                            // Queries also run while edits wait for an update.
                            edit(scene, 30);
                            [updated, Answers::of(scene, &nodes, kept)]
                        })
                    })
                    .collect();
                let [first, ..] = &outcomes[..] else { unreachable!() };
                assert!(first[0].nodes.iter().all(|found| !found.is_empty()) && !first[0].hits.is_empty());
                assert!(first.iter().all(|answers| answers.draws[0] == answers.draws[2]), "a kept list, round {round}");
                assert!(outcomes.iter().all(|outcome| outcome == first), "round {round}");
            }
        }
    }

    /// Returns streets of houses along x, a hundred metres apart along z, each in its own slice. The threads of a pool
    /// share this many slices; a thread outside a pool does not share. The first street is larger than a task.
    fn streets() -> Scene {
        let config = SceneConfig { bounds: true, max_nodes: 4096, ..SceneConfig::DEFAULT };
        let mut scene = Scene::with_config(config).unwrap();
        let quarter = scene.insert(scene.root(), Node::group().with_layers(Layers::new(2))).unwrap();
        for (street, count) in (0_u8..).zip([9000_u16, 4500, 3000, 2000, 500]) {
            let place = Transform::from_xyz(0.0, 0.0, 100.0 * f32::from(street));
            // One street inherits its layers.
            let above = if street == 2 { quarter } else { scene.root() };
            let top = scene.insert(above, Node::transform(place)).unwrap();
            for x in 0..count {
                let house = Node::transform(Transform::from_xyz(f32::from(x), 0.0, 0.0));
                let house =
                    scene.insert(top, house.with_drawable(Drawable::new(u32::from(x), Aabb::cube(0.25)))).unwrap();
                if street == 1 && x % 3 == 0 {
                    scene.edit(house).unwrap().set_layers(Layers::new(4));
                }
                if x % 50 == 7 {
                    scene.edit(house).unwrap().set_drawable(None).unwrap();
                }
            }
        }
        scene.update();
        assert!(scene.stats().slices > 6);
        scene
    }

    #[track_caller]
    fn assert_same(one: &DrawList, other: &DrawList) {
        assert_eq!(one.len(), other.len());
        assert!(one.commands() == other.commands() && one.slots() == other.slots());
        assert!(one.matrices() == other.matrices());
    }

    #[test]
    #[cfg_attr(target_family = "wasm", ignore = "needs threads")]
    fn slices_are_listed_side_by_side_as_one_by_one() {
        let mut scene = streets();
        let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        for layers in [Layers::ALL, Layers::new(1)] {
            let mut list = DrawList::new().on_layers(layers);
            // Compares a first list, and a list after everything moved.
            for y in [1.0, 2.0] {
                pool.install(|| scene.draw_list(&mut list));
                let mut expected = DrawList::new();
                scene.visit_slices(&mut RenderPass::new(&mut expected).on_layers(layers));
                assert!(!expected.is_empty());
                assert_same(&list, &expected);
                scene.set_local(scene.root(), Transform::from_xyz(0.0, y, 0.0)).unwrap();
                scene.update();
            }
        }
    }

    #[test]
    #[cfg_attr(target_family = "wasm", ignore = "needs threads")]
    fn slices_are_searched_side_by_side_as_one_by_one() {
        let scene = streets();
        let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        // Returns the space beyond an x and up to a z.
        let space = |x: f32, z: f32| {
            let walls = [Vec4::new(1.0, 0.0, 0.0, -x), Vec4::new(0.0, 0.0, -1.0, z)];
            Frustum::from_planes([walls[0], walls[1], Vec4::ZERO, Vec4::ZERO, Vec4::ZERO, Vec4::ZERO]).unwrap()
        };
        // The frusta contain everything, half of it, and the first street, which one task searches.
        for frustum in [space(-1.0, 1e3), space(1000.0, 1e3), space(-1.0, 50.0)] {
            let cull = || {
                let mut list = DrawList::new();
                scene.cull(&mut [CullView::new(&frustum, &mut list)]).unwrap();
                list
            };
            let (shared, alone) = (pool.install(cull), cull());
            assert!(alone.len() > 8000);
            assert_same(&shared, &alone);
        }
        let views = || {
            let mut lists = [const { DrawList::new() }; 3];
            let [all, far, few] = &mut lists;
            let seen = |frustum, layers, list| CullView::new(&frustum, list).on_layers(Layers::new(layers));
            let (first, second, third) = (space(-1.0, 1e3), space(1000.0, 250.0), space(4000.0, 1e3));
            scene.cull(&mut [seen(first, u32::MAX, all), seen(second, 2, far), seen(third, 4, few)]).unwrap();
            lists
        };
        let (shared, alone) = (pool.install(views), views());
        assert!(alone.is_sorted_by(|one, next| one.len() > next.len() && !next.is_empty()));
        shared.iter().zip(&alone).for_each(|(shared, alone)| assert_same(shared, alone));
    }
}
