//! The data that a renderer builds on lists: orders, kept groups, several views, and a buffer with all matrices.
//! `model/renderer.rs` compares all of these under random edits.

use hedgerow::changes::{MatrixMirror, MatrixSlot, MirrorStep, SyncStats};
use hedgerow::draw::{DepthView, DrawGroups, DrawOrder, depth_key};
use hedgerow::glam::camera::rh;
use hedgerow::glam::{DVec3, Vec3};
use hedgerow::query::{CullView, Frustum};
use hedgerow::{Aabb, DrawList, Drawable, Error, Layers, Mat34, Node, NodeHandle, Scene, SceneConfig, Transform};
use hedgerow_testkit::model::dump::same_slice;

const BOUNDED: SceneConfig = SceneConfig { bounds: true, max_nodes: 16, ..SceneConfig::DEFAULT };

/// Returns a grid of drawables, one metre apart, in slices of 16 nodes.
pub(crate) fn grid(config: SceneConfig, side: u16) -> (Scene, Vec<NodeHandle>) {
    let mut scene = Scene::with_config(config).unwrap();
    let mut nodes = Vec::new();
    for z in 0..side {
        let row = Node::transform(Transform::from_xyz(0.0, 0.0, -f32::from(z)));
        let row = scene.insert(scene.root(), row).unwrap();
        for x in 0..side {
            let node = Node::transform(Transform::from_xyz(f32::from(x), 0.0, 0.0));
            let mesh = u32::from(x * 7 + z) % 5;
            let node = node.with_drawable(Drawable::new(mesh, Aabb::cube(0.25))).with_material(u32::from(z % 3));
            nodes.push(scene.insert(row, node).unwrap());
        }
    }
    scene.update();
    (scene, nodes)
}

pub(crate) fn looking(eye: Vec3, at: Vec3) -> Frustum {
    let projection = rh::proj::directx::perspective(0.8, 1.5, 0.1, 30.0);
    Frustum::from_view_projection(&(projection * rh::view::look_at_mat4(eye, at, Vec3::Y))).unwrap()
}

#[test]
fn groups_of_a_culled_list_are_made_again_only_when_it_changed() {
    let (mut scene, nodes) = grid(BOUNDED, 12);
    let (mut list, mut groups) = (DrawList::new(), DrawGroups::new());
    let frustum = looking(Vec3::new(6.0, 1.0, 4.0), Vec3::new(6.0, 0.0, -9.0));
    let mut regrouped = |scene: &Scene, frustum: &Frustum| {
        scene.cull(&mut [CullView::new(frustum, &mut list)]).unwrap();
        (list.group(&mut groups), list.changed_commands().count(), list.changed_matrices().count())
    };
    assert_eq!(regrouped(&scene, &frustum), (true, 1, 1));
    assert_eq!(regrouped(&scene, &frustum), (false, 0, 0));
    scene.set_local(nodes[30], Transform::from_xyz(6.0, 0.1, 0.0)).unwrap();
    scene.update();
    assert_eq!(regrouped(&scene, &frustum), (false, 0, 1), "what only moves stays in its group");
    scene.edit(nodes[30]).unwrap().set_material(77);
    assert_eq!(regrouped(&scene, &frustum), (false, 0, 0), "the update shows it");
    scene.update();
    assert_eq!(regrouped(&scene, &frustum), (true, 1, 0));
    let beside = looking(Vec3::new(2.0, 1.0, 4.0), Vec3::new(0.0, 0.0, -9.0));
    assert!(regrouped(&scene, &beside).0);
}

#[test]
fn a_culled_list_holds_what_is_on_its_own_layers_too() {
    let (mut scene, nodes) = grid(BOUNDED, 8);
    for (at, &node) in nodes.iter().enumerate() {
        scene.edit(node).unwrap().set_layers(Layers::new(1 << (at % 3)));
    }
    scene.update();
    let frustum = looking(Vec3::new(4.0, 2.0, 6.0), Vec3::new(4.0, 0.0, -4.0));
    let culled = |own: u32, asked: u32| {
        let mut list = DrawList::new().on_layers(Layers::new(own));
        scene.cull(&mut [CullView::new(&frustum, &mut list).on_layers(Layers::new(asked))]).unwrap();
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
    let mut views: Vec<_> = lists.iter_mut().map(|list| CullView::new(&frustum, list)).collect();
    assert_eq!(scene.cull(&mut views), Err(Error::CapacityOverflow));
    assert!(views.iter().all(|view| view.list.is_empty()));
    scene.cull(&mut views[1..]).unwrap();
    let mut alone = DrawList::new();
    scene.cull(&mut [CullView::new(&frustum, &mut alone)]).unwrap();
    assert!(!alone.is_empty());
    for view in &views[1..] {
        assert_eq!(view.list.commands(), alone.commands(), "32 equal views list what one lists alone");
        assert!(view.list.slots() == alone.slots() && view.list.matrices() == alone.matrices());
    }
    assert_eq!(scene.cull(&mut []), Ok(()));
    assert_eq!(grid(SceneConfig::DEFAULT, 1).0.cull(&mut views[..1]), Err(Error::NoBounds));
}

#[test]
fn a_list_that_was_filled_between_a_removal_and_the_update_goes_on_when_slices_are_gone() {
    let (mut scene, _) = grid(BOUNDED, 8);
    scene.shrink_to_fit();
    let slices = scene.slices().count();
    let last = scene.slices().last().unwrap();
    let nodes: Vec<_> = (0..last.rows().len()).filter_map(|row| last.rows().node(row)).collect();
    // What is below another one of them goes with it.
    nodes.into_iter().for_each(|node| _ = scene.remove(node));
    let mut list = DrawList::new();
    scene.draw_list(&mut list);
    let listed = list.commands().to_vec();
    scene.update();
    scene.shrink_to_fit();
    scene.draw_list(&mut list);
    assert!(scene.slices().count() < slices && list.commands() == listed);
}

#[test]
fn what_is_shrunk_says_what_it_said() {
    let (scene, _) = grid(BOUNDED, 8);
    let (mut list, mut groups, mut order) = (DrawList::new(), DrawGroups::new(), DrawOrder::new());
    list.set_eye(DVec3::ONE);
    scene.draw_list(&mut list);
    assert!(list.group_by_key(&mut groups, |command| Some(command.mesh % 2)));
    list.order_by_key(&mut order, |_, command| Some(command.mesh.into()));
    let said = (groups.groups().to_vec(), groups.instances().to_vec(), order.indices().to_vec());
    let relative = list.relative_matrices().to_vec();
    groups.shrink_to_fit();
    order.shrink_to_fit();
    assert_eq!((groups.groups(), groups.instances(), order.indices()), (&*said.0, &*said.1, &*said.2));
    assert!(list.group(&mut groups), "they were made by a key");
    groups.shrink_to_fit();
    assert!(!list.group(&mut groups), "they are of these commands still");
    list.shrink_to_fit();
    assert!(relative.len() == 64 && list.relative_matrices() == relative);
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
    // As for a list without matrices.
    list.order_by_key(&mut order, |_, command| {
        let world = scene.world(command.node).filter(|_| command.material() != Some(1))?;
        Some(depth_key(view.depth(world)).into())
    });
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
    assert!(
        list.commands()
            .iter()
            .zip(previous)
            .all(|(command, m)| scene.get(command.node).and_then(|node| node.previous_world()) == Some(m))
    );
    assert_eq!(previous[at].translation().x, 3.0);
}

#[test]
fn user_data_and_flags_of_nodes_that_are_gone_are_freed() {
    let config = SceneConfig { changes: true, change_history: 0, ..SceneConfig::DEFAULT };
    let mut scene = Scene::with_config(config).unwrap();
    let keep = scene.insert(scene.root(), Node::group()).unwrap();
    scene.edit(keep).unwrap().set_user_data(3);
    scene.update();
    scene.shrink_to_fit();
    let before = scene.stats().overhead_bytes;
    let top = scene.insert(scene.root(), Node::group()).unwrap();
    for number in 1..3000 {
        let node = scene.insert(top, Node::group()).unwrap();
        scene.edit(node).unwrap().set_user_data(number);
    }
    scene.update();
    let most = scene.stats().overhead_bytes;
    scene.remove(top).unwrap();
    scene.update();
    scene.edit(keep).unwrap().set_name("lamp");
    scene.update();
    scene.shrink_to_fit();
    let after = scene.stats().overhead_bytes;
    assert!(most > before + 3000 * 8 && after < before + 3000, "{before} bytes, then {most}, then {after}");
    assert_eq!(scene.get(keep).unwrap().user_data(), 3);
    scene.validate().unwrap();
}

#[test]
fn a_mirror_gives_back_the_room_of_an_array_that_became_short() {
    let mut scene = Scene::new();
    let house = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
    let rooms: Vec<NodeHandle> =
        (0..3000).map(|_| scene.insert(house, Node::transform(Transform::IDENTITY)).unwrap()).collect();
    scene.update();
    let mut buffer = Buffer::default();
    buffer.sync(&scene);
    let long = buffer.mirror.len();
    for &room in &rooms[10..] {
        scene.remove(room).unwrap();
    }
    scene.shrink_to_fit();
    scene.update();
    buffer.sync(&scene);
    buffer.check(&scene);
    // New nodes reuse the space.
    let yard = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
    for _ in 0..2500 {
        scene.insert(yard, Node::transform(Transform::IDENTITY)).unwrap();
    }
    scene.update();
    buffer.sync(&scene);
    assert!(buffer.mirror.len() <= long, "{} matrices where {long} had room", buffer.mirror.len());
}

#[test]
fn a_mirror_joins_writes_over_the_gap_that_it_is_given() {
    let mut scene = Scene::new();
    let nodes: Vec<NodeHandle> =
        (0..1000).map(|_| scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap()).collect();
    scene.update();
    let mirrors = [0, 1, 10, 11, 32].map(|gap| MatrixMirror::new().with_gap(gap));
    let mut buffers = mirrors.map(|mirror| Buffer { mirror, ..Buffer::default() });
    buffers.iter_mut().for_each(|buffer| _ = buffer.sync(&scene));
    // Two neighbours of every twenty, and one in the middle between them: gaps of eight and of nine.
    let moved: Vec<NodeHandle> = nodes.chunks(20).flat_map(|chunk| [chunk[0], chunk[1], chunk[10]]).take(60).collect();
    for &node in &moved {
        scene.set_local(node, Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
    }
    scene.update();
    let done = buffers.each_mut().map(|buffer| buffer.sync(&scene));
    assert_eq!(done.map(|done| (done.writes, done.matrices)), [(40, 60), (40, 60), (1, 391), (1, 391), (1, 391)]);
    buffers.iter().for_each(|buffer| buffer.check(&scene));

    // Instances are joined over the same gap, and neighbours always.
    let items = |mirror: &MatrixMirror, all: &mut Vec<u32>, list: &DrawList, order: &[u32]| {
        let mut ranges = Vec::new();
        mirror.instances(list, order, all, |first, items| ranges.push(first..first + items.len()));
        ranges
    };
    let (mut scene, _) = grid(SceneConfig::DEFAULT, 6);
    scene.update();
    let mut list = DrawList::new();
    scene.draw_list(&mut list);
    let order: Vec<u32> = (0..36).collect();
    let mut swapped = order.clone();
    swapped.swap(3, 4);
    swapped.swap(8, 20);
    for (gap, expected) in [(0, &[3..5, 8..9, 20..21][..]), (1, &[3..5, 8..9, 20..21]), (4, &[3..9, 20..21])] {
        let (mut mirror, mut all) = (MatrixMirror::new().with_gap(gap), Vec::new());
        mirror.sync(&scene, |_| {});
        items(&mirror, &mut all, &list, &order);
        assert_eq!(items(&mirror, &mut all, &list, &swapped), expected, "gap {gap}");
    }
}

/// A mirror and its buffer.
#[derive(Default)]
struct Buffer {
    mirror: MatrixMirror,
    matrices: Vec<Mat34>,
    resizes: usize,
}

impl Buffer {
    fn sync(&mut self, scene: &Scene) -> SyncStats {
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
        for node in scene.get(scene.root()).unwrap().descendants().map(|node| node.handle()) {
            let slot = scene.get(node).unwrap().matrix_slot().unwrap();
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
    assert!(buffer.mirror.is_empty());
    let first = buffer.sync(&scene);
    assert!(!buffer.mirror.is_empty());
    assert!(first.moved && first.matrices >= 1640 && buffer.resizes == 1);
    assert_eq!(buffer.sync(&scene), SyncStats::default());
    buffer.check(&scene);
    scene.set_local(nodes[100], Transform::from_xyz(1.0, 5.0, 0.0)).unwrap();
    scene.set_local(nodes[110], Transform::from_xyz(1.0, 6.0, 0.0)).unwrap();
    scene.set_local(nodes[1500], Transform::from_xyz(1.0, 7.0, 0.0)).unwrap();
    scene.update();
    assert_eq!(buffer.sync(&scene), SyncStats { moved: false, writes: 2, matrices: 12 });
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
fn a_mirror_writes_what_lies_apart_in_one_slice_apart() {
    let mut scene = Scene::new();
    let top = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
    let mut add = || scene.insert(top, Node::transform(Transform::IDENTITY)).unwrap();
    let nodes: Vec<NodeHandle> = (0..200).map(|_| add()).collect();
    scene.update();
    assert!(same_slice(&scene, nodes[0], nodes[199]));
    let mut buffer = Buffer::default();
    buffer.sync(&scene);
    for (far, writes, matrices) in [(42_u8, 1, 33), (43, 2, 2), (150, 2, 2)] {
        for at in [10, far] {
            scene.set_local(nodes[usize::from(at)], Transform::from_xyz(f32::from(far), 5.0, 0.0)).unwrap();
        }
        scene.update();
        assert_eq!(buffer.sync(&scene), SyncStats { moved: false, writes, matrices }, "10 and {far}");
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
        scene.maintain(usize::MAX);
        scene.update();
        buffer.sync(&scene);
        buffer.check(&scene);
    }
    let large = buffer.mirror.len();
    assert!(large > small + small / 2 && buffer.resizes < 12, "{small}, {large}, {} times", buffer.resizes);
    for house in houses.drain(..) {
        scene.remove(house).unwrap();
    }
    for &node in &nodes[100..] {
        scene.remove(node).unwrap();
    }
    for _ in 0..4000 {
        // So many nodes in one place make compaction of a sparse buffer worthwhile.
        houses.push(scene.insert(nodes[0], Node::transform(Transform::IDENTITY)).unwrap());
    }
    scene.update();
    buffer.sync(&scene);
    buffer.check(&scene);
    let most = buffer.mirror.len();
    for house in houses.drain(..) {
        scene.remove(house).unwrap();
    }
    scene.maintain(usize::MAX);
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
fn ranges_of_instances_that_changed_cover_gaps_of_fewer_than_32() {
    let mut scene = Scene::new();
    let ball = Node::transform(Transform::IDENTITY).with_drawable(Drawable::new(1, Aabb::cube(1.0)));
    let nodes: Vec<_> = (0..200).map(|_| scene.insert(scene.root(), ball).unwrap()).collect();
    scene.update();
    let (mut mirror, mut list) = (MatrixMirror::new(), DrawList::new().without_matrices());
    scene.draw_list(&mut list);
    mirror.sync(&scene, |_| {});
    let order: Vec<u32> = (0..200).collect();
    let mut instances: Vec<bool> = Vec::new();
    let mut told = |draws: usize, changed: &[usize]| {
        let changed: Vec<_> = changed.iter().map(|&at| nodes[at]).collect();
        let mut ranges = Vec::new();
        let item = |_, command: &hedgerow::draw::DrawCommand| changed.contains(&command.node);
        mirror.instances_with(&list, &order[..draws], item, &mut instances, |first, changed| {
            ranges.push((first, first + changed.len()));
        });
        ranges
    };
    assert_eq!(told(100, &[]), [(0, 100)]);
    assert_eq!(told(100, &[10, 42]), [(10, 43)], "31 draws lie between");
    assert_eq!(told(100, &[]), [(10, 43)]);
    assert_eq!(told(100, &[10, 43]), [(10, 11), (43, 44)], "32 draws lie between");
    // New elements at the end are joined in the same way.
    assert_eq!(told(100, &[43]), [(10, 11)]);
    assert_eq!(told(100, &[43, 68]), [(68, 69)]);
    assert_eq!(told(150, &[43]), [(68, 150)], "31 draws lie between");
    assert_eq!(told(100, &[43, 67]), [(67, 68)]);
    assert_eq!(told(150, &[43]), [(67, 68), (100, 150)], "32 draws lie between");
    assert_eq!(told(150, &[43]), []);
}

#[test]
fn many_draws_come_in_the_order_of_any_keys() {
    let (mut scene, _) = grid(SceneConfig::DEFAULT, 70);
    scene.update();
    let (mut list, mut order) = (DrawList::new(), DrawOrder::new());
    scene.draw_list(&mut list);
    let mut dice = fastrand::Rng::with_seed(11);
    for most in [1, 5, 1 << 11, 1 << 33, u64::MAX] {
        let keys: Vec<u64> = (0..list.len()).map(|_| dice.u64(..most)).collect();
        let mut expected: Vec<u32> = (0_u32..).zip(&keys).filter(|(_, key)| *key % 7 != 3).map(|(at, _)| at).collect();
        expected.sort_by_key(|&at| keys[at as usize]);
        list.order_by_key(&mut order, |at, _| Some(keys[at]).filter(|key| key % 7 != 3));
        assert_eq!(order.indices(), expected, "keys below {most}");
    }
}

#[test]
fn user_data_that_is_set_to_what_it_is_changes_no_command() {
    let (mut scene, nodes) = grid(BOUNDED, 6);
    let mut list = DrawList::new();
    for changed in [1, 0, 0] {
        scene.edit(nodes[0]).unwrap().set_user_data(1);
        scene.update();
        scene.draw_list(&mut list);
        assert_eq!((list.changed_commands().count(), list.commands()[0].user_data), (changed, 1));
    }
}
