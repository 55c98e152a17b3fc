//! What a renderer builds on lists: orders, groups that stay, several views, a buffer with all matrices, and worlds
//! larger than single precision can resolve. `model/renderer.rs` compares all of these over random edits.

use hedgerow::changes::{MatrixMirror, MatrixSlot, MirrorStep, Mirrored};
use hedgerow::draw::{DepthView, DrawGroups, DrawOrder, depth_key};
use hedgerow::glam::camera::rh;
use hedgerow::glam::{DVec3, Quat, Vec3};
use hedgerow::query::{CullView, Frustum};
use hedgerow::{
    Aabb, DrawList, Error, Keep, Mat34, Node, NodeHandle, Scene, SceneConfig, Shape, Transform, Visibility,
};

const BOUNDED: SceneConfig = SceneConfig { bounds: true, max_nodes: 16, min_nodes: 4, ..SceneConfig::DEFAULT };

/// A grid of shapes, one metre apart, in slices of sixteen.
fn grid(config: SceneConfig, side: u16) -> (Scene, Vec<NodeHandle>) {
    let mut scene = Scene::with_config(config).unwrap();
    let mut nodes = Vec::new();
    for z in 0..side {
        let row = Node::transform(Transform::from_xyz(0.0, 0.0, -f32::from(z)));
        let row = scene.insert(scene.root(), row).unwrap();
        for x in 0..side {
            let node = Node::transform(Transform::from_xyz(f32::from(x), 0.0, 0.0));
            let mesh = u32::from(x * 7 + z) % 5;
            let node = node.with_shape(Shape::new(mesh, Aabb::cube(0.25))).with_material(u32::from(z % 3));
            nodes.push(scene.insert(row, node).unwrap());
        }
    }
    scene.update();
    (scene, nodes)
}

fn looking(eye: Vec3, at: Vec3) -> Frustum {
    let projection = rh::proj::directx::perspective(0.8, 1.5, 0.1, 30.0);
    Frustum::from_view_projection(&(projection * rh::view::look_at_mat4(eye, at, Vec3::Y))).unwrap()
}

#[test]
fn groups_of_a_culled_list_are_made_again_only_when_it_changed() {
    let (mut scene, nodes) = grid(BOUNDED, 12);
    let (mut list, mut groups) = (DrawList::new(), DrawGroups::new());
    let frustum = looking(Vec3::new(6.0, 1.0, 4.0), Vec3::new(6.0, 0.0, -9.0));
    let mut regrouped = |scene: &Scene, frustum: &Frustum| {
        scene.cull(frustum, Visibility::VISIBLE, &mut list).unwrap();
        (list.group(&mut groups), list.changed_commands().count(), list.changed_matrices().count())
    };
    assert_eq!(regrouped(&scene, &frustum), (true, 1, 1));
    assert_eq!(regrouped(&scene, &frustum), (false, 0, 0));
    scene.set_local(nodes[30], Transform::from_xyz(6.0, 0.1, 0.0)).unwrap();
    scene.update();
    assert_eq!(regrouped(&scene, &frustum), (false, 0, 1), "what only moves stays in its group");
    scene.set_material(nodes[30], 77).unwrap();
    assert_eq!(regrouped(&scene, &frustum), (true, 1, 0));
    let beside = looking(Vec3::new(2.0, 1.0, 4.0), Vec3::new(0.0, 0.0, -9.0));
    assert!(regrouped(&scene, &beside).0);
}

#[test]
fn a_culled_list_holds_what_is_on_its_own_layers_too() {
    let (mut scene, nodes) = grid(BOUNDED, 8);
    for (at, &node) in nodes.iter().enumerate() {
        scene.set_visibility(node, Visibility::layers(1 << (at % 3))).unwrap();
    }
    scene.update();
    let frustum = looking(Vec3::new(4.0, 2.0, 6.0), Vec3::new(4.0, 0.0, -4.0));
    let culled = |own: u32, asked: u32| {
        let mut list = DrawList::new().on_layers(Visibility::layers(own));
        scene.cull(&frustum, Visibility::layers(asked), &mut list).unwrap();
        list.len()
    };
    let [first, second, third] = [1, 2, 4].map(|layer| culled(layer, u32::MAX));
    assert!(first > 0 && second > 0 && third > 0);
    assert_eq!(culled(3, u32::MAX), first + second);
    assert_eq!(culled(3, 6), second);
    assert_eq!(culled(1, 6), 0);
}

#[test]
fn as_many_views_are_culled_as_a_word_has_bits() {
    let (scene, _) = grid(BOUNDED, 8);
    let mut lists = vec![DrawList::new(); 33];
    let frustum = looking(Vec3::new(4.0, 2.0, 6.0), Vec3::new(4.0, 0.0, -4.0));
    let mut views: Vec<_> =
        lists.iter_mut().map(|list| CullView { frustum, layers: Visibility::VISIBLE, list }).collect();
    assert_eq!(scene.cull_views(&mut views), Err(Error::CapacityOverflow));
    assert!(views.iter().all(|view| view.list.is_empty()));
    scene.cull_views(&mut views[1..]).unwrap();
    assert!(views[1..].iter().all(|view| view.list.len() == views[32].list.len() && !view.list.is_empty()));
    assert_eq!(scene.cull_views(&mut []), Ok(()));
    assert_eq!(grid(SceneConfig::DEFAULT, 1).0.cull_views(&mut views[..1]), Err(Error::NoBounds));
}

#[test]
fn orders_are_those_of_a_stable_sort() {
    let (scene, _) = grid(BOUNDED, 20);
    let (mut list, mut order) = (DrawList::new(), DrawOrder::new());
    scene.draw_list(&mut list);
    let view = DepthView { eye: Vec3::new(3.0, 0.0, -8.5), forward: Vec3::new(0.5, 0.0, -2.0) };
    let depth = |at: &u32| view.depth(&list.matrices()[*at as usize]);
    let all: Vec<u32> = (0..u32::try_from(list.len()).unwrap()).collect();
    let opaque = |at: &u32| list.commands()[*at as usize].material() != Some(1);

    let mut expected: Vec<u32> = all.iter().copied().filter(opaque).collect();
    expected.sort_by(|a, b| depth(a).total_cmp(&depth(b)));
    list.order_front_to_back(&mut order, &view, |command| command.material() != Some(1));
    assert_eq!(order.indices(), expected);

    let mut expected: Vec<u32> = all.iter().copied().filter(|at| !opaque(at)).collect();
    expected.sort_by(|a, b| depth(b).total_cmp(&depth(a)));
    list.order_back_to_front(&mut order, &view, |command| command.material() == Some(1));
    assert_eq!(order.indices(), expected);

    let key = |at: u32| u64::from(list.commands()[at as usize].mesh) << 40 | u64::from(depth_key(depth(&at)));
    let mut expected = all.clone();
    expected.sort_by_key(|&at| key(at));
    list.order_by_key(&mut order, |at, _| Some(key(u32::try_from(at).unwrap())));
    assert_eq!(order.indices(), expected);
    list.order_by_key(&mut order, |_, _| None);
    assert!(order.indices().is_empty());
}

#[test]
#[should_panic(expected = "has no depths")]
fn a_list_without_matrices_has_no_depths() {
    let (scene, _) = grid(BOUNDED, 2);
    let mut list = DrawList::new().without_matrices();
    scene.draw_list(&mut list);
    let view = DepthView { eye: Vec3::ZERO, forward: Vec3::NEG_Z };
    list.order_front_to_back(&mut DrawOrder::new(), &view, |_| true);
}

#[test]
fn a_list_without_matrices_still_tells_what_is_mirrored_and_what_was_before() {
    let config = SceneConfig { changes: true, ..BOUNDED };
    let (mut scene, nodes) = grid(config, 6);
    let mut list = DrawList::new().without_matrices().with_motion();
    scene.draw_list(&mut list);
    scene.set_local(nodes[9], Transform::from_scale(Vec3::new(-1.0, 1.0, 1.0))).unwrap();
    scene.update();
    scene.draw_list(&mut list);
    let at = list.commands().iter().position(|command| command.node == nodes[9]).unwrap();
    assert!(list.commands()[at].is_mirrored());
    assert!(list.changed_commands().eq(core::iter::once(at..at + 1)));
    let previous = list.previous_matrices().unwrap();
    assert!(list.commands().iter().zip(previous).all(|(command, m)| scene.previous_world(command.node) == Some(m)));
    assert_eq!(previous[at].translation().x, 3.0);
}

#[test]
fn words_stay_with_their_nodes_and_are_gone_with_them() {
    let (mut scene, nodes) = grid(BOUNDED, 6);
    let mut list = DrawList::new();
    for (word, &node) in (1..).zip(&nodes) {
        assert_eq!(scene.set_word(node, word), Ok(0));
    }
    scene.reparent(nodes[3], nodes[30], hedgerow::Keep::World).unwrap();
    scene.reconstitute_all();
    let clone = scene.clone();
    scene.remove(nodes[7]).unwrap();
    assert_eq!((scene.word(nodes[7]), clone.word(nodes[7])), (None, Some(8)));
    assert_eq!(scene.set_word(nodes[7], 5), Err(Error::StaleHandle(nodes[7])));
    for _ in 0..3 {
        let shape = Node::shape(Shape::new(1, Aabb::cube(1.0)));
        let new = scene.insert(nodes[8], shape).unwrap();
        assert_eq!(scene.word(new), Some(0), "a new node, whatever had the index before");
    }
    scene.update();
    scene.draw_list(&mut list);
    for command in list.commands() {
        let expected = nodes.iter().position(|&node| node == command.node).map_or(0, |at| at + 1);
        assert_eq!(command.word as usize, expected);
    }
    assert_eq!(scene.set_word(nodes[0], 1), Ok(1));
    let before = list.commands().to_vec();
    scene.draw_list(&mut list);
    assert_eq!(list.commands(), before);
    assert_eq!(list.changed_commands().count(), 0, "the same word again changes nothing");
}

#[test]
fn words_and_flags_of_nodes_that_are_gone_are_freed() {
    let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT }).unwrap();
    let keep = scene.insert(scene.root(), Node::group()).unwrap();
    scene.set_word(keep, 3).unwrap();
    scene.update();
    scene.shrink_to_fit();
    let before = scene.stats().overhead_bytes;
    let top = scene.insert(scene.root(), Node::group()).unwrap();
    for word in 1..3000 {
        let node = scene.insert(top, Node::group()).unwrap();
        scene.set_word(node, word).unwrap();
    }
    scene.update();
    let most = scene.stats().overhead_bytes;
    scene.remove(top).unwrap();
    scene.update();
    scene.set_name(keep, Some("lamp")).unwrap();
    scene.update();
    scene.set_change_history(0);
    scene.shrink_to_fit();
    let after = scene.stats().overhead_bytes;
    assert!(most > before + 3000 * 8 && after < before + 3000, "{before} bytes, then {most}, then {after}");
    assert_eq!(scene.word(keep), Some(3));
    scene.validate().unwrap();
}

#[test]
fn a_mirror_gives_back_the_room_of_an_array_that_became_short() {
    let mut scene = Scene::new();
    let house = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
    scene.isolate(house).unwrap();
    let rooms: Vec<NodeHandle> =
        (0..3000).map(|_| scene.insert(house, Node::transform(Transform::IDENTITY)).unwrap()).collect();
    scene.update();
    let mut mirror = MatrixMirror::new();
    let mut kept = Written::default();
    mirror.sync(&scene, |step| kept.take(step));
    let long = mirror.len();
    for &room in &rooms[10..] {
        scene.remove(room).unwrap();
    }
    scene.shrink_to_fit();
    scene.update();
    mirror.sync(&scene, |step| kept.take(step));
    for &node in &rooms[..10] {
        let at = mirror.index(scene.matrix_slot(node).unwrap()).unwrap();
        assert_eq!(Some(&kept.matrices[at]), scene.world(node));
    }
    // What comes now takes the room.
    let yard = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
    scene.isolate(yard).unwrap();
    for _ in 0..2500 {
        scene.insert(yard, Node::transform(Transform::IDENTITY)).unwrap();
    }
    scene.update();
    mirror.sync(&scene, |step| kept.take(step));
    assert!(mirror.len() <= long, "{} matrices where {long} had room", mirror.len());
}

/// What a mirror wrote.
#[derive(Default)]
struct Written {
    matrices: Vec<Mat34>,
}

impl Written {
    fn take(&mut self, step: MirrorStep<'_>) {
        match step {
            MirrorStep::Resize { len } => self.matrices.resize(len, Mat34::IDENTITY),
            MirrorStep::Write { first, matrices } => {
                self.matrices[first..][..matrices.len()].copy_from_slice(matrices);
            }
        }
    }
}

/// A buffer that a mirror keeps.
#[derive(Default)]
struct Buffer {
    mirror: MatrixMirror,
    matrices: Vec<Mat34>,
    resizes: usize,
}

impl Buffer {
    fn sync(&mut self, scene: &Scene) -> Mirrored {
        let Self { mirror, matrices, resizes } = self;
        mirror.sync(scene, |step| match step {
            MirrorStep::Resize { len } => {
                *resizes += 1;
                matrices.clear();
                matrices.resize(len, Mat34 { rows: [[f32::NAN; 4]; 3] });
            }
            MirrorStep::Write { first, matrices: new } => matrices[first..][..new.len()].copy_from_slice(new),
        })
    }

    #[track_caller]
    fn check(&self, scene: &Scene) {
        for node in scene.descendants(scene.root()) {
            let slot = scene.matrix_slot(node).unwrap();
            assert_eq!(self.matrices[self.mirror.index(slot).unwrap()], *scene.world(node).unwrap());
            assert_eq!(self.mirror.bases()[slot.slice as usize] + slot.slot, {
                u32::try_from(self.mirror.index(slot).unwrap()).unwrap()
            });
        }
    }
}

#[test]
fn a_mirror_writes_what_moved_and_nothing_else() {
    let (mut scene, nodes) = grid(SceneConfig::DEFAULT, 40);
    let mut buffer = Buffer::default();
    let first = buffer.sync(&scene);
    assert!(first.moved && first.matrices >= 1640 && buffer.resizes == 1);
    assert_eq!(buffer.sync(&scene), Mirrored::default());
    buffer.check(&scene);
    scene.set_local(nodes[100], Transform::from_xyz(1.0, 5.0, 0.0)).unwrap();
    scene.set_local(nodes[110], Transform::from_xyz(1.0, 6.0, 0.0)).unwrap();
    scene.set_local(nodes[1500], Transform::from_xyz(1.0, 7.0, 0.0)).unwrap();
    scene.update();
    assert_eq!(buffer.sync(&scene), Mirrored { moved: false, writes: 2, matrices: 12 });
    buffer.check(&scene);
    for _ in 0..2 {
        scene.set_local(nodes[3], Transform::from_xyz(1.0, 8.0, 0.0)).unwrap();
        scene.update();
        scene.set_local(nodes[5], Transform::from_xyz(1.0, 9.0, 0.0)).unwrap();
        scene.update();
        assert!(!buffer.sync(&scene).moved, "two updates were not read one by one");
        buffer.check(&scene);
    }
}

#[test]
fn a_mirror_grows_and_shrinks_with_the_scene_and_notices_others() {
    let (mut scene, nodes) = grid(BOUNDED, 30);
    let mut buffer = Buffer::default();
    buffer.sync(&scene);
    let small = buffer.mirror.len();
    let mut houses = Vec::new();
    for frame in 0..60_u16 {
        for at in 0..20_u16 {
            let below = nodes[usize::from(frame * 31 + at * 17) % nodes.len()];
            let node = Node::transform(Transform::from_xyz(0.0, f32::from(at), 0.0));
            houses.push(scene.insert(below, node).unwrap());
        }
        scene.maintain(std::time::Duration::MAX);
        scene.update();
        buffer.sync(&scene);
        buffer.check(&scene);
    }
    let large = buffer.mirror.len();
    assert!(large > 2 * small && buffer.resizes < 12, "{small}, {large}, {} times", buffer.resizes);
    for house in houses.drain(..) {
        scene.remove(house).unwrap();
    }
    for &node in &nodes[100..] {
        scene.remove(node).unwrap();
    }
    for _ in 0..4000 {
        // Enough in one place that a sparse buffer is worth an effort.
        houses.push(scene.insert(nodes[0], Node::transform(Transform::IDENTITY)).unwrap());
    }
    scene.update();
    buffer.sync(&scene);
    buffer.check(&scene);
    let most = buffer.mirror.len();
    for house in houses.drain(..) {
        scene.remove(house).unwrap();
    }
    scene.maintain(std::time::Duration::MAX);
    scene.shrink_to_fit();
    scene.update();
    buffer.sync(&scene);
    buffer.check(&scene);
    assert!(buffer.mirror.len() < most / 2, "{} of {most}", buffer.mirror.len());

    let (other, _) = grid(BOUNDED, 9);
    for scene in [&other, &scene, &other] {
        assert!(buffer.sync(scene).moved);
        buffer.check(scene);
    }
    assert_eq!(buffer.mirror.index(MatrixSlot { slice: 1_000_000, slot: 0 }), None);
}

#[test]
fn a_mirror_whose_step_panics_writes_all_again() {
    let (mut scene, nodes) = grid(BOUNDED, 12);
    let mut buffer = Buffer::default();
    buffer.sync(&scene);
    nodes.iter().step_by(3).for_each(|&node| scene.set_local(node, Transform::from_xyz(0.5, 0.5, 0.5)).unwrap());
    scene.update();
    let mut steps = 0;
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        buffer.mirror.sync(&scene, |_| {
            steps += 1;
            assert!(steps < 3, "the device is gone");
        })
    }));
    assert!(panicked.is_err());
    buffer.sync(&scene);
    buffer.check(&scene);
}

/// A planet: districts ten thousand kilometres from its centre, each with shapes below a chain of turned nodes.
fn planet(seed: u64, config: SceneConfig) -> (Scene, Vec<(NodeHandle, Aabb)>) {
    let mut dice = fastrand::Rng::with_seed(seed);
    let mut scene = Scene::with_config(config).unwrap();
    let mut shapes = Vec::new();
    for _ in 0..12 {
        let mut number = |scale: f32| (dice.f32() - 0.5) * 2.0 * scale;
        let turn = |a: f32, b: f32| Quat::from_rotation_y(a) * Quat::from_rotation_x(b);
        let up = Vec3::new(number(1.0), number(1.0), number(1.0)).normalize();
        let district = Transform::from_translation(up * 1e7).with_rotation(turn(number(3.0), number(3.0)));
        let district = scene.insert(scene.root(), Node::transform(district)).unwrap();
        for _ in 0..6 {
            let street = Transform::from_xyz(number(900.0), number(30.0), number(900.0));
            let street = street.with_rotation(turn(number(3.0), number(0.1)));
            let street = scene.insert(district, Node::transform(street)).unwrap();
            for _ in 0..12 {
                let bounds = Aabb::new(Vec3::new(-0.5, 0.0, -number(1.0).abs()), Vec3::new(0.5, 2.0, 0.25));
                let house = Transform::from_xyz(number(15.0), 0.0, number(15.0)).with_rotation(turn(number(3.0), 0.0));
                let house = Node::transform(house).with_shape(Shape::new(1, bounds));
                shapes.push((scene.insert(street, house).unwrap(), bounds));
            }
        }
    }
    scene.update();
    (scene, shapes)
}

#[test]
fn a_planet_keeps_a_millimetre_and_no_shape_that_is_seen_is_missed() {
    for (seed, config) in [(1, SceneConfig::DEFAULT), (2, BOUNDED), (3, BOUNDED)] {
        let (scene, shapes) = planet(seed, config);
        let mut dice = fastrand::Rng::with_seed(seed);
        let (mut list, mut seen, mut unsure) = (DrawList::new(), 0, 0);
        for step in 0..120 {
            let (node, _) = shapes[dice.usize(..shapes.len())];
            let mut part = || (dice.f64() - 0.5) * if step % 2 == 0 { 4.0 } else { 100.0 };
            let camera = scene.world_f64(node).unwrap().translation + DVec3::new(part(), part(), part());
            let forward = DVec3::new(part(), part(), part()).as_vec3();
            let frustum = looking(Vec3::ZERO, forward);
            scene.cull_relative(camera, &frustum, Visibility::VISIBLE, &mut list);
            let listed: Vec<NodeHandle> = list.commands().iter().map(|command| command.node).collect();
            for &(node, bounds) in &shapes {
                // The box in double precision, by its eight corners.
                let world = scene.world_f64(node).unwrap();
                let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
                for corner in 0..8 {
                    let pick = |axis: usize| if corner >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] };
                    let at = world.transform_point3(Vec3::new(pick(0), pick(1), pick(2)).as_dvec3()) - camera;
                    (low, high) = (low.min(at), high.max(at));
                }
                let grown = |by: f64| Aabb::new((low - by).as_vec3(), (high + by).as_vec3());
                let (inner, outer) = (frustum.touches(&grown(-1e-4)), frustum.touches(&grown(1e-2)));
                // What is kilometres away is known to less than a thousandth, too.
                let near = low.abs().max_element() < 1e4 && high.abs().max_element() < 1e4;
                if let Some(at) = listed.iter().position(|&listed| listed == node) {
                    seen += 1;
                    let wide = config != BOUNDED || !near;
                    assert!(outer || wide, "{node:?} is listed at {low} to {high}");
                    let matrix = list.relative_matrices()[at];
                    let off = (matrix.translation().as_dvec3() - (world.translation - camera)).length();
                    assert!(off < 1e-3 || !near, "{off}");
                    assert!(off < 1e-6 || low.length() > 10.0, "{off} next to the camera");
                } else {
                    assert!(!inner, "{node:?} is missed at {low} to {high}");
                    unsure += usize::from(outer);
                }
            }
        }
        assert!(seen > 60 && unsure < 20, "{seen} seen, {unsure} unsure");
    }
}

#[test]
fn a_relative_list_follows_what_moves_also_above_other_slices() {
    let (mut scene, shapes) = planet(9, BOUNDED);
    let mut dice = fastrand::Rng::with_seed(4);
    let (mut kept, mut near) = (DrawList::new(), DrawList::new());
    let all: Vec<NodeHandle> = scene.descendants(scene.root()).collect();
    for frame in 0..60 {
        let node = all[dice.usize(..all.len())];
        let local = scene.local(node).unwrap().transform().unwrap();
        let moved = Transform { translation: local.translation + Vec3::new(0.25, 1.0, 0.5), ..local };
        scene.set_local(node, moved).unwrap();
        if frame % 4 != 3 {
            scene.update();
        }
        let camera = scene.world_f64(shapes[dice.usize(..shapes.len())].0).unwrap().translation;
        scene.draw_list_relative(camera, &mut kept);
        let mut anew = DrawList::new();
        scene.draw_list_relative(camera, &mut anew);
        assert_eq!(kept.relative_matrices(), anew.relative_matrices());
        let frustum = looking(Vec3::ZERO, Vec3::new(1.0, -0.1, 0.3));
        scene.cull_relative(camera, &frustum, Visibility::VISIBLE, &mut near);
        scene.cull_relative(camera, &frustum, Visibility::VISIBLE, &mut anew);
        assert_eq!(near.commands(), anew.commands());
        assert_eq!(near.relative_matrices(), anew.relative_matrices());
    }
}

#[test]
fn views_around_a_camera_are_those_of_single_culls() {
    let (mut scene, shapes) = planet(3, SceneConfig::DEFAULT);
    for (at, &(node, _)) in shapes.iter().enumerate().filter(|(at, _)| at % 3 == 0) {
        scene.set_visibility(node, Visibility::layers(1 << (at % 2))).unwrap();
    }
    let mut lists = [DrawList::new(), DrawList::new().without_matrices(), DrawList::new()];
    let looks = [Vec3::NEG_Z, Vec3::new(1.0, 0.2, 0.1), Vec3::new(-0.3, -1.0, 0.5)];
    let mut seen = 0;
    for (step, &(node, _)) in shapes.iter().step_by(shapes.len() / 20).enumerate() {
        let local = scene.local(node).unwrap().transform().unwrap();
        scene.set_local(node, Transform { translation: local.translation + Vec3::Y, ..local }).unwrap();
        if step % 3 != 2 {
            scene.update();
        }
        let camera = scene.world_f64(node).unwrap().translation + DVec3::new(1.0, 2.0, 3.0);
        let layers = [Visibility::VISIBLE, Visibility::layers(1), Visibility::layers(2)];
        let frusta = looks.map(|look| looking(Vec3::ZERO, look));
        let mut views: Vec<_> = lists
            .iter_mut()
            .zip(frusta.iter().zip(layers))
            .map(|(list, (&frustum, layers))| CullView { frustum, layers, list })
            .collect();
        scene.cull_views_relative(camera, &mut views);
        for (list, (frustum, layers)) in lists.iter().zip(frusta.iter().zip(layers)) {
            let mut single = DrawList::new();
            scene.cull_relative(camera, frustum, layers, &mut single);
            assert_eq!((list.commands(), list.slots()), (single.commands(), single.slots()));
            assert_eq!(list.relative_matrices(), single.relative_matrices());
            seen += list.len();
        }
    }
    assert!(seen > 20, "{seen}");
    scene.cull_views_relative(DVec3::ZERO, &mut []);
}

/// A node with a translation in double precision, and its parent.
struct Placed {
    node: NodeHandle,
    parent: Option<usize>,
    translation: DVec3,
}

/// Where each is, by sums in double precision.
fn places(placed: &[Placed]) -> Vec<DVec3> {
    let mut places: Vec<DVec3> = Vec::new();
    for at in 0..placed.len() {
        let (mut next, mut sum) = (Some(at), DVec3::ZERO);
        while let Some(at) = next {
            sum += placed[at].translation;
            next = placed[at].parent;
        }
        places.push(sum);
    }
    places
}

#[test]
fn translations_in_double_precision_keep_a_millimetre_over_all_that_moves_nodes() {
    for (seed, config) in [(1, BOUNDED), (2, SceneConfig::DEFAULT), (3, SceneConfig { changes: true, ..BOUNDED })] {
        let mut dice = fastrand::Rng::with_seed(seed);
        let mut scene = Scene::with_config(config).unwrap();
        let (mut placed, mut list) = (Vec::<Placed>::new(), DrawList::new());
        for step in 0..400 {
            let any = |dice: &mut fastrand::Rng, placed: &[Placed]| {
                (!placed.is_empty() && dice.u8(..8) > 0).then(|| dice.usize(..placed.len()))
            };
            let mut part = |scale: f64| (dice.f64() - 0.5) * scale;
            let far = if part(1.0) > 0.2 { 2e7 } else { 300.0 };
            let translation = DVec3::new(part(far), part(far), part(far));
            let parent = any(&mut dice, &placed);
            match dice.u8(..12) {
                0..=4 => {
                    let above = parent.map_or(scene.root(), |at| placed[at].node);
                    let node = Node::transform(Transform::IDENTITY).with_shape(Shape::new(1, Aabb::cube(1.0)));
                    let node = scene.insert(above, node).unwrap();
                    scene.set_translation_f64(node, translation).unwrap();
                    placed.push(Placed { node, parent, translation });
                }
                5 | 6 => {
                    let Some(at) = any(&mut dice, &placed) else { continue };
                    scene.set_translation_f64(placed[at].node, translation).unwrap();
                    placed[at].translation = translation;
                }
                7 => {
                    let Some(at) = any(&mut dice, &placed) else { continue };
                    let rounded = translation.as_vec3();
                    scene.set_local(placed[at].node, Transform::from_translation(rounded)).unwrap();
                    placed[at].translation = rounded.as_dvec3();
                }
                8 | 9 => {
                    let Some(at) = any(&mut dice, &placed) else { continue };
                    let above = parent.map_or(scene.root(), |at| placed[at].node);
                    if scene.reparent(placed[at].node, above, hedgerow::Keep::Local).is_ok() {
                        placed[at].parent = parent;
                    }
                }
                10 => {
                    let Some(at) = any(&mut dice, &placed) else { continue };
                    match step % 4 {
                        0 => drop(scene.isolate(placed[at].node)),
                        1 => scene.reconstitute_all(),
                        2 => drop(scene.maintain(std::time::Duration::MAX)),
                        _ => scene = Scene::load(&scene.save()).unwrap(),
                    }
                }
                _ => scene.shrink_to_fit(),
            }
            scene.validate().unwrap();
            if step % 3 != 0 {
                scene.update();
                scene.validate().unwrap();
            }
            let places = places(&placed);
            let camera = places.get(step % places.len().max(1)).map_or(DVec3::ZERO, |place| *place + 0.25);
            scene.draw_list_relative(camera, &mut list);
            assert_eq!(list.len(), placed.len());
            for (command, matrix) in list.commands().iter().zip(list.relative_matrices()) {
                let at = placed.iter().position(|placed| placed.node == command.node).unwrap();
                let off = (scene.world_f64(command.node).unwrap().translation - places[at]).length();
                assert!(off < 1e-6, "{off}");
                assert!(scene.translation_f64(command.node).unwrap().distance(placed[at].translation) < 1e-7);
                let expected = places[at] - camera;
                let off = (matrix.translation().as_dvec3() - expected).length();
                assert!(off < 1e-6 + expected.length() * 1e-7, "{off} at {expected}");
            }
        }
        assert!(placed.len() > 80);
    }
}

#[test]
fn a_translation_in_double_precision_is_that_of_the_rounded_transform() {
    let (mut scene, nodes) = grid(BOUNDED, 4);
    let turned = Transform::from_scale(Vec3::splat(2.0)).with_rotation(Quat::from_rotation_y(1.0));
    scene.set_local(nodes[3], turned).unwrap();
    scene.set_translation_f64(nodes[3], DVec3::new(1e7 + 0.3, 0.1, -0.7)).unwrap();
    let expected = Transform { translation: Vec3::new(1e7 + 0.3, 0.1, -0.7), ..turned };
    assert_eq!(scene.local(nodes[3]).and_then(|local| local.transform()), Some(expected));
    let shear = Mat34 { rows: [[1.0, 0.5, 0.0, 7.0], [0.0, 1.0, 0.0, 0.1], [0.0, 0.0, 1.0, 0.0]] };
    scene.set_local(nodes[5], shear).unwrap();
    scene.set_translation_f64(nodes[5], DVec3::splat(0.1)).unwrap();
    let Some(hedgerow::Local::Matrix(found)) = scene.local(nodes[5]) else { panic!("it shears as before") };
    assert_eq!((found.rows[0][1], found.translation()), (0.5, Vec3::splat(0.1)));
    scene.update();
    scene.validate().unwrap();
    assert_eq!(scene.fresh_world(nodes[3]).as_ref(), scene.world(nodes[3]));
    assert!(scene.translation_f64(nodes[5]).unwrap().distance(DVec3::splat(0.1)) < 1e-15);
    let group = scene.insert(scene.root(), Node::group()).unwrap();
    assert_eq!(scene.set_translation_f64(group, DVec3::ONE), Err(Error::NoTransform(group)));
    assert_eq!(scene.translation_f64(group), None);
    assert!(matches!(scene.set_translation_f64(nodes[1], DVec3::splat(1e39)), Err(Error::NotFinite(_))));
    scene.remove(group).unwrap();
    assert_eq!(scene.set_translation_f64(group, DVec3::ONE), Err(Error::StaleHandle(group)));
}

#[test]
fn what_leaves_a_translation_as_it_is_keeps_it_in_double_precision() {
    let (mut scene, nodes) = grid(BOUNDED, 4);
    let precise = DVec3::new(1e7 + 0.125, 0.25, -3.0);
    scene.set_translation_f64(nodes[2], precise).unwrap();
    scene.modify_local(nodes[2], |local| local.rotation = Quat::from_rotation_x(0.5)).unwrap();
    assert_eq!(scene.translation_f64(nodes[2]), Some(precise));
    scene.look_at(nodes[2], Vec3::new(0.0, 5.0, 0.0), Vec3::Y).unwrap();
    assert_eq!(scene.translation_f64(nodes[2]), Some(precise));
    scene.modify_local(nodes[2], |local| local.translation.y = 1.0).unwrap();
    assert_eq!(scene.translation_f64(nodes[2]), Some(DVec3::new(f64::from(1e7_f32 + 0.125), 1.0, -3.0)));
    scene.update();
    scene.validate().unwrap();
}

#[test]
fn a_kept_relative_list_sees_bounds_that_are_set() {
    for (bounds, updates) in [(false, false), (false, true), (true, false), (true, true)] {
        let mut scene = Scene::with_config(SceneConfig { bounds, ..SceneConfig::DEFAULT }).unwrap();
        let aside = Node::transform(Transform::from_xyz(1000.0, 0.0, -10.0));
        let node = scene.insert(scene.root(), aside.with_shape(Shape::new(1, Aabb::cube(0.5)))).unwrap();
        scene.update();
        let (frustum, mut list) = (looking(Vec3::ZERO, Vec3::NEG_Z), DrawList::new());
        for (size, listed) in [(0.5, 0), (2000.0, 1), (0.25, 0)] {
            scene.set_bounds(node, Aabb::cube(size)).unwrap();
            if updates {
                scene.update();
            }
            scene.cull_relative(DVec3::ZERO, &frustum, Visibility::VISIBLE, &mut list);
            assert_eq!(list.len(), listed, "bounds of {size}, kept: {bounds}, updated: {updates}");
        }
    }
}

#[test]
fn a_node_that_keeps_its_world_keeps_what_single_precision_loses() {
    let mut scene = Scene::new();
    let near = scene.insert(scene.root(), Node::transform(Transform::from_xyz(1e7, 0.0, 0.0))).unwrap();
    let city = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
    let place = DVec3::new(1e7 + 0.3, 2.0, 3.0);
    scene.set_translation_f64(city, place).unwrap();
    scene.reparent(city, near, Keep::World).unwrap();
    let kept = scene.world_f64(city).unwrap().translation;
    assert!((kept - place).length() < 1e-6, "{kept}");
}
