//! Buffers that steps keep, without a GPU, beside the scene.

use bytemuck::{Pod, bytes_of, cast_slice};
use hedgerow::glam::{DVec3, Mat4};
use hedgerow::motion::Smooth;
use hedgerow::query::{Frustum, LevelsOfDetail};
use hedgerow::visit::ListedDrawable;
use hedgerow::{Aabb, Drawable, Keep, Layers, Mat34, Node, NodeHandle, Scene, SceneConfig, Transform, ViewRange};
use hedgerow_gpu::layout::{Bin, Bounds, Command, Instance, MAX_VIEWS, NONE, Occluder, Range, View, Views};
use hedgerow_gpu::{
    Buffer, Call, Error, FETCH, FETCH_TEXTURES, GpuScene, MeshArgs, Pass, ROW, Rectangle, SKIN, SKIN_TEXTURES, Step,
    Synced, TlasInstance, rectangles,
};
use hedgerow_testkit::frames::{ball, edit};

const TRACKED: SceneConfig = SceneConfig { changes: true, max_nodes: 32, ..SceneConfig::DEFAULT };

fn key_of(drawable: &ListedDrawable) -> Option<u32> {
    drawable.material.map_or(Some(9), |material| (material != 2).then_some(material))
}

fn tables() -> GpuScene {
    let mut tables = GpuScene::new().with_key(key_of).with_previous().with_tlas();
    for mesh in 0..3 {
        tables.set_mesh(mesh, MeshArgs { index_count: 36 + mesh, first_index: 100 * mesh, base_vertex: 5 });
        tables.set_blas(mesh, BLAS + u64::from(mesh));
    }
    tables
}

/// The address of the acceleration structure of mesh 0.
const BLAS: u64 = 1 << 40;

/// The buffers of a device, and a table of instances for ray tracing.
#[derive(Default)]
pub(crate) struct Buffers([Vec<u8>; Buffer::ALL.len()], Vec<TlasInstance>);

impl Buffers {
    pub(crate) fn run(&mut self, step: Step<'_>) {
        let all = &mut self.0;
        match step {
            Step::Resize { buffer, bytes, keep } => {
                let all = &mut all[buffer as usize];
                if !keep {
                    all.fill(0xee);
                }
                // As on a device: never shorter, and with anything in new bytes.
                all.resize(usize::try_from(bytes).unwrap().max(all.len()), 0xee);
            }
            Step::Write { buffer, offset, bytes } => {
                assert!(!bytes.is_empty() && offset % 4 == 0 && bytes.len() % 4 == 0);
                all[buffer as usize][usize::try_from(offset).unwrap()..][..bytes.len()].copy_from_slice(bytes);
            }
            Step::List { buffer, indices, items } => {
                let (mut sorted, stride) = (indices.to_vec(), items.stride());
                sorted.sort_unstable();
                sorted.dedup();
                let count = indices.len();
                assert_eq!([sorted.len(), items.iter().count()], [count, count * stride.min(1)], "none twice");
                assert!(items.iter().all(|item| item.len() == stride));
                let head = [count, stride / 4].map(|number| u32::try_from(number).unwrap());
                let list = [bytes_of(&head), cast_slice(indices), &items.iter().collect::<Vec<_>>().concat()].concat();
                all[buffer as usize][..list.len()].copy_from_slice(&list);
            }
            Step::Copy { from, to, ranges } => {
                assert!(!ranges.is_empty() && ranges.iter().all(|range| !range.is_empty()));
                let [source, target] = all.get_disjoint_mut([from as usize, to as usize]).unwrap();
                for range in ranges {
                    let [begin, end] = [range.start, range.end].map(|index| index as usize * from.stride());
                    target[begin..end].copy_from_slice(&source[begin..end]);
                }
            }
            Step::Dispatch { pass, workgroups } => self.dispatch(pass, workgroups),
        }
    }

    /// Runs a pass that copies. All others leave the buffers as they are.
    fn dispatch(&mut self, pass: Pass, [width, height]: [u32; 2]) {
        assert!(width > 0 && height > 0);
        let bound: Vec<Buffer> = pass.bindings().iter().map(|binding| binding.buffer).collect();
        let (list, from, to) = match (pass, &bound[..]) {
            (Pass::Scatter(_), &[list, to]) => (list, None, to),
            (Pass::Settle(_), &[list, from, to]) => (list, Some(from), to),
            _ => return,
        };
        let list = self.of::<u32>(list).to_vec();
        let (count, words) = (list[0] as usize, list[1] as usize);
        let threads = width as usize * height as usize * 64;
        assert!((count..count + 64 * height as usize).contains(&threads), "{count} items by {threads} threads");
        let (indices, items) = list[2..].split_at(count);
        for (at, &index) in indices.iter().enumerate() {
            let place = |buffer: Buffer| index as usize * buffer.stride()..(index as usize + 1) * buffer.stride();
            let item: Vec<u8> = match from {
                Some(from) => self.0[from as usize][place(from)].to_vec(),
                None => cast_slice(&items[at * words..(at + 1) * words]).to_vec(),
            };
            self.0[to as usize][place(to)].copy_from_slice(&item);
        }
    }

    pub(crate) fn sync(&mut self, tables: &mut GpuScene, scene: &Scene) -> Synced {
        let synced = tables.sync(scene, |step| self.run(step)).unwrap();
        self.copy_instances(tables);
        synced
    }

    /// Copies what the last sync changed of the instances for ray tracing.
    fn copy_instances(&mut self, tables: &GpuScene) {
        // As in a buffer that is longer: new instances have anything.
        let unset = TlasInstance { blas: u64::MAX, ..TlasInstance::default() };
        self.1.resize(tables.len(), unset);
        let (slots, instances) = tables.tlas();
        assert!(slots.is_sorted_by(|a, b| a < b) && slots.len() == instances.len());
        slots.iter().zip(instances).for_each(|(&slot, instance)| self.1[slot as usize] = *instance);
    }

    pub(crate) fn of<T: Pod>(&self, buffer: Buffer) -> &[T] {
        // An empty vector may not be aligned.
        if self.0[buffer as usize].is_empty() { &[] } else { cast_slice(&self.0[buffer as usize]) }
    }
}

/// Compares the buffers with a scene.
fn check(tables: &GpuScene, buffers: &Buffers, scene: &Scene, frame: usize) {
    let (instances, bounds) = (buffers.of::<Instance>(Buffer::Instances), buffers.of::<Bounds>(Buffer::Bounds));
    let (matrices, bins) = (buffers.of::<Mat34>(Buffer::Matrices), buffers.of::<Bin>(Buffer::Bins));
    let (commands, capacity) = tables.sizes();
    let template = buffers.of::<Command>(Buffer::Template);
    let mut used = vec![false; tables.len()];
    let mut counts = vec![0; commands as usize];
    for drawable in scene.slices().flat_map(|slice| slice.drawables().iter()) {
        let slot = tables.slot(scene, drawable.node).unwrap();
        assert!(!core::mem::replace(&mut used[slot], true));
        assert_eq!(tables.node(slot), Some(drawable.node));
        let instance = instances[slot];
        let world = scene.get(drawable.node).unwrap().world();
        assert!(matrices[instance.matrix as usize].same_bits(world), "frame {frame}");
        let bits = u64::from(instance.node[0]) | u64::from(instance.node[1]) << 32;
        let found = (instance.mesh, instance.material, instance.layers, instance.user_data, bits);
        let expected = (drawable.drawable.mesh, drawable.material.unwrap_or(NONE), drawable.layers.mask());
        assert_eq!(found, (expected.0, expected.1, expected.2, drawable.user_data, drawable.node.to_bits()));
        let traced = buffers.1[slot];
        assert_eq!((traced.index() as usize, traced.mask()), (slot, drawable.layers.mask().to_le_bytes()[0]));
        let (blas, expected): (_, [f32; 12]) = (BLAS + u64::from(instance.mesh), bytemuck::cast(*world));
        assert!(traced.transform == expected && (traced.blas, traced.offset_and_flags) == (blas, 0), "frame {frame}");
        if bounds.is_empty() {
            // Without compute shaders there are no buffers of culling.
            continue;
        }
        let Bounds { center, half, matrix, bin } = bounds[slot];
        let local = drawable.drawable.bounds;
        assert_eq!(
            (center, half, matrix),
            (local.center().to_array(), (local.size() * 0.5).to_array(), instance.matrix)
        );
        let found = ranges_of(&instance, buffers);
        assert_eq!(found, ranges_in(scene, drawable.node), "frame {frame}: {}", drawable.node);
        let Some(key) = key_of(&drawable) else {
            assert_eq!(bin, 0);
            continue;
        };
        for (winding, mirrored) in [false, true].into_iter().enumerate() {
            let Bin { commands: numbers, firsts, .. } = bins[bin as usize];
            let batch = tables.batches().iter().find(|batch| batch.commands.contains(&numbers[winding])).unwrap();
            assert_eq!((batch.key, batch.mirrored), (key, mirrored));
            for (view, _) in (0..).zip(0..tables.views()) {
                let command = template[(view * commands + numbers[winding]) as usize];
                let first_instance = view * capacity + firsts[winding];
                let MeshArgs { index_count, first_index, base_vertex } =
                    MeshArgs { index_count: 36 + instance.mesh, first_index: 100 * instance.mesh, base_vertex: 5 };
                let expected = Command { index_count, instance_count: 0, first_index, base_vertex, first_instance };
                assert_eq!(command, expected);
            }
            counts[numbers[winding] as usize] += 1;
        }
    }
    for slot in (0..tables.len()).filter(|&slot| !used[slot]) {
        assert_eq!((instances[slot], buffers.1[slot]), Default::default(), "frame {frame}");
        assert_eq!(bounds.get(slot).copied().unwrap_or_default(), Bounds::default(), "frame {frame}");
    }
    if bounds.is_empty() {
        return;
    }
    // No list overlaps the next one, however many drawables of a command are seen.
    let firsts: Vec<u32> = template[..commands as usize].iter().map(|command| command.first_instance).collect();
    for (at, count) in counts.iter().enumerate() {
        assert!(firsts[at] + count <= firsts.get(at + 1).copied().unwrap_or(capacity), "frame {frame}");
    }
    assert!(buffers.0[Buffer::Commands as usize].len() >= size_of_val(template));
    assert!(buffers.of::<u32>(Buffer::Visible).len() >= (capacity * tables.lists()) as usize);
}

/// A view range: where its node is, and its limits.
type Placed = ([f32; 3], f32, f32);

/// Returns the ranges that the buffers have for a drawable, the nearest first.
fn ranges_of(instance: &Instance, buffers: &Buffers) -> Vec<Placed> {
    let at = |index: u32| buffers.of::<Range>(Buffer::Ranges)[2 * index as usize];
    let used = |index: u32| (index > 0).then(|| at(index));
    let chain = core::iter::successors(used(instance.range), |range| used(range.above));
    let position = |matrix: u32| buffers.of::<Mat34>(Buffer::Matrices)[matrix as usize].translation().to_array();
    chain.map(|range| (position(range.matrix), range.near, range.far)).collect()
}

/// Returns the ranges of a node and its ancestors.
fn ranges_in(scene: &Scene, node: NodeHandle) -> Vec<Placed> {
    let up = core::iter::successors(scene.get(node), |node| node.parent());
    let ranged = up.filter_map(|node| Some((node, node.view_range()?)));
    ranged.map(|(node, range)| (node.world().translation().to_array(), range.near(), range.far())).collect()
}

/// Returns where a node's matrix in the buffers was before the last sync.
fn previous_of(tables: &GpuScene, buffers: &Buffers, scene: &Scene, node: NodeHandle) -> Mat34 {
    let instance = buffers.of::<Instance>(Buffer::Instances)[tables.slot(scene, node).unwrap()];
    buffers.of::<Mat34>(Buffer::Previous)[instance.matrix as usize]
}

/// Compares previous matrices. Drawables without a transform share that of an ancestor, or the identity.
fn check_previous(tables: &GpuScene, buffers: &Buffers, scene: &Scene, frame: usize) {
    for node in (0..tables.len()).filter_map(|slot| tables.node(slot)) {
        let mut up = core::iter::successors(scene.get(node), |node| node.parent());
        let owner = up.find(|node| node.local().is_some() || node.is_anchored()).filter(|node| node.local().is_some());
        let expected = owner.map_or(Mat34::IDENTITY, |node| *node.previous_world().unwrap());
        assert!(previous_of(tables, buffers, scene, node).same_bits(&expected), "frame {frame}: {node:?}");
    }
}

#[test]
fn nodes_that_stand_still_have_no_motion_from_a_node_that_comes_to_share_their_matrix() {
    for case in 0..4 {
        let mut scene = Scene::with_config(TRACKED).unwrap();
        let ball = Node::drawable(Drawable::new(0, Aabb::cube(1.0)));
        let at = |x| ball.with_transform(Transform::from_xyz(x, 0.0, 0.0));
        let cart = scene.insert(scene.root(), at(11.0)).unwrap();
        let load = scene.insert(cart, ball).unwrap();
        let house = scene.insert(scene.root(), ball).unwrap();
        let lorry = scene.insert(scene.root(), at(50.0)).unwrap();
        let (mut tables, mut buffers) = (tables(), Buffers::default());
        scene.update();
        buffers.sync(&mut tables, &scene);
        match case {
            0 => _ = scene.reparent(load, scene.root(), Keep::Local).unwrap(),
            1 => _ = scene.reparent(load, lorry, Keep::Local).unwrap(),
            2 => _ = scene.edit(load).unwrap().set_anchored(true, Keep::Local).unwrap(),
            _ => {
                let below = scene.insert(cart, ball).unwrap();
                scene.edit(below).unwrap().set_anchored(true, Keep::Local).unwrap();
                scene.reparent(load, below, Keep::Local).unwrap();
            }
        }
        scene.update();
        buffers.sync(&mut tables, &scene);
        check_previous(&tables, &buffers, &scene, case);
        for node in [house, lorry, load] {
            assert_eq!(previous_of(&tables, &buffers, &scene, node), *scene.world(node).unwrap(), "case {case}");
        }
    }
}

#[test]
fn previous_matrices_are_the_last_syncs_except_of_nodes_whose_matrix_got_another_place() {
    for (is_reparented, expected) in [(false, 105.0), (true, 205.0)] {
        let mut scene = Scene::with_config(TRACKED).unwrap();
        let at = |x| Transform::from_xyz(x, 0.0, 0.0);
        let carts = [100.0, 200.0].map(|x| scene.insert(scene.root(), Node::transform(at(x))).unwrap());
        let load = scene.insert(carts[0], ball().with_transform(at(5.0))).unwrap();
        let (mut tables, mut buffers) = (tables(), Buffers::default());
        scene.update();
        buffers.sync(&mut tables, &scene);
        if is_reparented {
            scene.reparent(load, carts[1], Keep::Local).unwrap();
        }
        // An update that is not synced.
        scene.update();
        scene.set_local(load, at(7.0)).unwrap();
        scene.update();
        buffers.sync(&mut tables, &scene);
        assert_eq!(previous_of(&tables, &buffers, &scene, load).translation().x, expected);
    }
}

#[test]
fn buffers_hold_what_a_scene_has_after_random_frames() {
    let mut dice = fastrand::Rng::with_seed(6868);
    let mut scene = Scene::with_config(TRACKED).unwrap();
    let mut nodes: Vec<_> = (0..150).map(|_| scene.insert(scene.root(), ball()).unwrap()).collect();
    let [mut each, mut some, mut plain] = [tables(), tables(), tables().without_compute()];
    let [mut of_each, mut of_some, mut of_plain] = [Buffers::default(), Buffers::default(), Buffers::default()];
    let other = Scene::new();
    let cases: usize = std::env::var("HEDGEROW_RANDOM_CASES").map_or(4, |cases| cases.parse().expect("a number"));
    for frame in 0..125 * cases {
        edit(&mut scene, &mut nodes, &mut dice);
        if frame % 97 == 0 {
            scene = Scene::from_bytes(&scene.to_bytes()).unwrap();
        }
        scene.update();
        of_each.sync(&mut each, &scene);
        let without = |step: Step<'_>| {
            assert_simple(&step);
            of_plain.run(step);
        };
        plain.sync(&scene, without).unwrap();
        of_plain.copy_instances(&plain);
        for (tables, buffers) in [(&each, &of_each), (&plain, &of_plain)] {
            check(tables, buffers, &scene, frame);
            check_previous(tables, buffers, &scene, frame);
        }
        match dice.u32(..6) {
            0 => {}
            1 => _ = of_some.sync(&mut some, &other),
            2 => {
                let copy = scene.clone();
                of_some.sync(&mut some, &copy);
                check(&some, &of_some, &copy, frame);
                check_previous(&some, &of_some, &copy, frame);
            }
            _ => {
                of_some.sync(&mut some, &scene);
                check(&some, &of_some, &scene, frame);
            }
        }
    }
}

#[test]
fn a_still_frame_takes_no_step_and_a_moved_node_52_bytes() {
    let mut scene = Scene::new();
    let nodes: Vec<_> = (0..1000).map(|_| scene.insert(scene.root(), ball()).unwrap()).collect();
    scene.update();
    let (mut tables, mut buffers) = (GpuScene::new().with_tlas(), Buffers::default());
    tables.set_mesh(1, MeshArgs::default());
    buffers.sync(&mut tables, &scene);
    scene.update();
    assert_eq!(buffers.sync(&mut tables, &scene), Synced::default());
    assert!(tables.tlas().0.is_empty());
    for node in nodes.iter().step_by(100) {
        scene.set_local(*node, Transform::from_xyz(2.0, 0.0, 0.0)).unwrap();
    }
    scene.update();
    let synced = buffers.sync(&mut tables, &scene);
    let moved = nodes.len().div_ceil(100);
    // A list and one dispatch; the list had no room yet.
    assert_eq!(synced, Synced { matrices: moved, drawables: 0, bytes: 52 * moved as u64, steps: 3 });
    assert_eq!(tables.tlas().0.len(), moved);
    // In and out: 68 bytes and two indices each. Room for a quarter more is there.
    scene.remove(nodes[10]).unwrap();
    scene.update();
    let synced = buffers.sync(&mut tables, &scene);
    assert_eq!((synced.drawables, synced.bytes, tables.tlas().0.len()), (1, 76, 1));
    // A structure that was compacted has another address.
    tables.set_blas(1, BLAS);
    buffers.sync(&mut tables, &scene);
    assert_eq!(tables.tlas().0.len(), nodes.len() - 1);
}

#[test]
fn buffers_that_shrink_are_right() {
    let mut scene = Scene::with_config(TRACKED).unwrap();
    let mut nodes: Vec<_> = (0..3000).map(|_| scene.insert(scene.root(), ball()).unwrap()).collect();
    let (mut tables, mut buffers) = (tables(), Buffers::default());
    for (frame, kept) in [3000, 3000, 400, 400, 20].into_iter().enumerate() {
        nodes.drain(kept..).for_each(|node| _ = scene.remove(node).unwrap());
        nodes.iter().for_each(|&node| scene.set_local(node, Transform::from_xyz(frame as f32, 0.0, 0.0)).unwrap());
        scene.maintain(usize::MAX);
        scene.update();
        buffers.sync(&mut tables, &scene);
        check(&tables, &buffers, &scene, frame);
        check_previous(&tables, &buffers, &scene, frame);
    }
    assert!(tables.len() < 2000, "{}", tables.len());
}

#[test]
fn what_a_smooth_scene_shows_is_in_the_buffers() {
    let mut scene = Scene::with_config(TRACKED).unwrap();
    let node = scene.insert(scene.root(), ball()).unwrap();
    scene.update();
    let mut smooth = Smooth::new(&scene).unwrap();
    let (mut tables, mut buffers) = (tables(), Buffers::default());
    for frame in 0..20 {
        if frame % 4 == 0 {
            scene.set_local(node, Transform::from_xyz(frame as f32, 0.0, 0.0)).unwrap();
            scene.update();
            smooth.step(&scene).unwrap();
        }
        let blended = smooth.blend(&mut scene, (frame % 4) as f32 / 4.0);
        buffers.sync(&mut tables, &blended);
        check(&tables, &buffers, &blended, frame);
    }
}

#[test]
fn an_unknown_mesh_is_refused_and_then_all_is_written() {
    let mut scene = Scene::with_config(TRACKED).unwrap();
    let nodes: Vec<_> = (0..100).map(|_| scene.insert(scene.root(), ball()).unwrap()).collect();
    scene.update();
    let (mut tables, mut buffers) = (tables(), Buffers::default());
    buffers.sync(&mut tables, &scene);
    scene.edit(nodes[3]).unwrap().set_drawable(Drawable::new(77, Aabb::cube(1.0))).unwrap();
    scene.remove(nodes[50]).unwrap();
    scene.update();
    let refused = tables.sync(&scene, |step| buffers.run(step));
    assert_eq!(refused, Err(Error::UnknownMesh { mesh: 77, node: nodes[3] }));
    assert!(tables.tlas().0.is_empty() && tables.batches().is_empty() && tables.sizes() == (0, 0));
    assert!(refused.unwrap_err().to_string().contains("set_mesh"));
    scene.edit(nodes[3]).unwrap().set_drawable(Drawable::new(2, Aabb::cube(1.0))).unwrap();
    scene.update();
    assert!(buffers.sync(&mut tables, &scene).matrices >= 99, "all is written");
    check(&tables, &buffers, &scene, 0);
    check_previous(&tables, &buffers, &scene, 0);
}

#[test]
fn meshes_come_and_go() {
    let mut scene = Scene::new();
    let drawn = |mesh| Node::drawable(Drawable::new(mesh, Aabb::cube(1.0)));
    let [first, second] = [0, 1].map(|mesh| scene.insert(scene.root(), drawn(mesh)).unwrap());
    scene.update();
    let (mut tables, mut buffers) = (tables(), Buffers::default());
    buffers.sync(&mut tables, &scene);
    // A mesh that a drawable has is missed, until it is set again.
    let args = tables.remove_mesh(1).unwrap();
    assert_eq!(tables.remove_mesh(1), None);
    for _ in 0..2 {
        assert_eq!(tables.sync(&scene, |_| {}), Err(Error::UnknownMesh { mesh: 1, node: second }));
    }
    tables.set_mesh(1, args);
    buffers.sync(&mut tables, &scene);
    check(&tables, &buffers, &scene, 0);
    // Others take its place.
    for mesh in 10..60 {
        tables.remove_mesh(mesh - 1);
        tables.set_mesh(mesh, args);
        scene.edit(second).unwrap().set_drawable(Drawable::new(mesh, Aabb::cube(1.0))).unwrap();
        scene.update();
        buffers.sync(&mut tables, &scene);
        assert_eq!(tables.batches().len(), 2);
    }
    assert!(buffers.of::<Bin>(Buffer::Bins).len() < 6, "bins are used again");
    // So with coarser levels, which must be known, too.
    let mut levels = LevelsOfDetail::new();
    levels.insert(0, &[(10.0, Some(2)), (30.0, Some(70)), (50.0, None)]).unwrap();
    tables.set_levels(&levels);
    assert_eq!(tables.sync(&scene, |_| {}), Err(Error::UnknownMesh { mesh: 70, node: first }));
    tables.set_mesh(70, MeshArgs { first_index: 7000, ..args });
    buffers.sync(&mut tables, &scene);
    let at = |mesh: u32| {
        let first_index = 100 * mesh;
        let found =
            buffers.of::<Command>(Buffer::Template).iter().position(|command| command.first_index == first_index);
        u32::try_from(found.unwrap()).unwrap()
    };
    let bins = buffers.of::<Bin>(Buffer::Bins);
    let bin = bins[buffers.of::<Bounds>(Buffer::Bounds)[tables.slot(&scene, first).unwrap()].bin as usize];
    assert_eq!(bin.from, [10.0, 30.0, 50.0, f32::MAX]);
    assert_eq!(bin.levels.map(|level| bins[level as usize].commands[0])[..2], [at(2), at(70)]);
    assert_eq!(bin.levels[2..], [0, 0], "nothing is drawn from there on");
    tables.remove_mesh(70);
    assert_eq!(tables.sync(&scene, |_| {}), Err(Error::UnknownMesh { mesh: 70, node: first }));
}

#[test]
fn buffers_beyond_the_limit_are_refused() {
    let mut scene = Scene::new();
    for _ in 0..100 {
        scene.insert(scene.root(), ball()).unwrap();
    }
    scene.update();
    for max in [0, 4000, 4900, 9000, 20_000] {
        let mut small = tables().with_max_buffer_size(max);
        let refused = small.sync(&scene, |_| {});
        if let Err(Error::TooLarge { bytes, max: limit, .. }) = refused {
            assert!(bytes > limit && limit == max);
        }
        assert_eq!(refused.is_err(), max < 9000, "{max}: {refused:?}");
    }
}

#[test]
fn buffers_that_are_not_written_have_no_limit() {
    let mut scene = Scene::new();
    for _ in 0..3000 {
        scene.insert(scene.root(), Node::group().with_view_range(ViewRange::new(0.0, 9.0).unwrap())).unwrap();
    }
    for _ in 0..100 {
        scene.insert(scene.root(), ball()).unwrap();
    }
    scene.update();
    // Matrices, the largest that are written, have room; ranges, kept levels and visible slots have none.
    let small = || {
        let mut tables = GpuScene::new().with_max_buffer_size(8000).with_views(MAX_VIEWS).with_occlusion(true);
        (0..3).for_each(|mesh| tables.set_mesh(mesh, MeshArgs::default()));
        let mut levels = LevelsOfDetail::new();
        levels.insert(1, &[(100.0, Some(2))]).unwrap();
        tables.set_levels(&levels);
        tables
    };
    assert!(matches!(small().sync(&scene, |_| {}), Err(Error::TooLarge { .. })));
    let mut plain = small().without_compute();
    plain.sync(&scene, |step| assert_simple(&step)).unwrap();
    assert!(plain.batches().is_empty());
}

#[test]
fn without_first_instances_each_command_begins_where_it_did() {
    let mut scene = Scene::new();
    for mesh in 0..3 {
        scene.insert(scene.root(), Node::drawable(Drawable::new(mesh, Aabb::cube(1.0)))).unwrap();
    }
    scene.update();
    let [mut plain, mut without] = [tables(), tables().without_first_instance()];
    let [mut of_plain, mut of_without] = [Buffers::default(), Buffers::default()];
    of_plain.sync(&mut plain, &scene);
    of_without.sync(&mut without, &scene);
    // Where the slots of each command begin, and the numbers of commands of the calls.
    let drawn = |tables: &GpuScene, buffers: &Buffers| -> (Vec<u64>, Vec<u32>) {
        let (mut firsts, mut counts, commands) = (Vec::new(), Vec::new(), buffers.of::<Command>(Buffer::Template));
        for (view, batch) in (0..tables.lists()).flat_map(|view| tables.batches().iter().map(move |of| (view, of))) {
            for Call { visible, commands: at, count } in tables.calls(view, batch) {
                counts.push(count);
                let first = usize::try_from(at / 20).unwrap();
                let of_call = commands[first..first + count as usize].iter();
                firsts.extend(of_call.map(|command| visible / 4 + u64::from(command.first_instance)));
            }
        }
        (firsts, counts)
    };
    let (firsts, counts) = drawn(&plain, &of_plain);
    assert_eq!((firsts.len(), counts.len()), (3 * 2 * 4, 2 * 4), "a call a batch and view");
    assert_eq!(drawn(&without, &of_without), (firsts, vec![1; 3 * 2 * 4]));
    assert!(of_without.of::<Command>(Buffer::Template).iter().all(|command| command.first_instance == 0));
}

/// Checks that a step needs no compute shaders.
fn assert_simple(step: &Step<'_>) {
    match *step {
        Step::Resize { buffer, .. } | Step::Write { buffer, .. } => assert!(!buffer.is_of_passes()),
        Step::Copy { from, to, .. } => assert!(!from.is_of_passes() && !to.is_of_passes()),
        Step::List { .. } | Step::Dispatch { .. } => panic!("{step:?}"),
    }
}

#[test]
fn options_that_are_set_after_a_sync_hold() {
    let mut scene = Scene::new();
    for mesh in 0..3 {
        let node =
            Node::transform(Transform::from_xyz(2.0, 0.0, 0.0)).with_drawable(Drawable::new(mesh, Aabb::cube(1.0)));
        scene.insert(scene.root(), node.with_material(mesh)).unwrap();
    }
    scene.update();
    let with_meshes = || {
        let mut tables = GpuScene::new().with_key(key_of);
        (0..3).for_each(|mesh| tables.set_mesh(mesh, MeshArgs::default()));
        tables
    };
    let options: [fn(GpuScene) -> GpuScene; 5] = [
        |tables| tables.with_previous(),
        |tables| tables.with_views(9),
        |tables| tables.without_first_instance(),
        |tables| tables.with_occlusion(true),
        |tables| tables.without_compute(),
    ];
    for (number, option) in options.into_iter().enumerate() {
        let (mut early, mut buffers) = (option(with_meshes()), Buffers::default());
        buffers.sync(&mut early, &scene);
        let (mut late, mut of_late) = (with_meshes(), Buffers::default());
        of_late.sync(&mut late, &scene);
        late = option(late);
        // As on a device that is made anew.
        of_late.0.iter_mut().for_each(|bytes| bytes.fill(0xee));
        of_late.sync(&mut late, &scene);
        assert_eq!(late.batches(), early.batches());
        for (buffer, (bytes, of_late)) in Buffer::ALL.iter().zip(buffers.0.iter().zip(&of_late.0)) {
            assert_eq!(bytes[..], of_late[..bytes.len()], "{buffer:?} with option {number}");
        }
        buffers.sync(&mut early.with_key(|_| None), &scene);
        assert!(buffers.of::<Bounds>(Buffer::Bounds).iter().all(|bounds| bounds.bin == 0), "nothing is drawn");
    }
}

#[test]
fn a_panic_of_a_step_loses_nothing() {
    let mut scene = Scene::new();
    let mut nodes: Vec<_> = (0..100).map(|_| scene.insert(scene.root(), ball()).unwrap()).collect();
    scene.update();
    let (mut tables, mut buffers) = (tables(), Buffers::default());
    buffers.sync(&mut tables, &scene);
    for panics in 0..8 {
        scene.remove(nodes.pop().unwrap()).unwrap();
        scene.edit(nodes[panics]).unwrap().set_material(3);
        scene.set_local(nodes[panics + 20], Transform::from_xyz(9.0, 0.0, 0.0)).unwrap();
        scene.update();
        let mut count = 0;
        let attempt = std::panic::AssertUnwindSafe(|| {
            tables.sync(&scene, |step| {
                assert!(count < panics, "a step panics");
                count += 1;
                buffers.run(step);
            })
        });
        if std::panic::catch_unwind(attempt).is_ok() {
            buffers.copy_instances(&tables);
        }
        buffers.sync(&mut tables, &scene);
        check(&tables, &buffers, &scene, panics);
    }
}

#[test]
fn boxes_without_an_end_are_always_in_view_and_empty_ones_are_never_drawn() {
    let mut scene = Scene::new();
    for bounds in [Aabb::INFINITE, Aabb::EMPTY] {
        scene.insert(scene.root(), Node::drawable(Drawable::new(1, bounds))).unwrap();
    }
    scene.update();
    let (mut tables, mut buffers) = (tables(), Buffers::default());
    buffers.sync(&mut tables, &scene);
    let bounds = buffers.of::<Bounds>(Buffer::Bounds);
    assert!(bounds[0].half[0] < 0.0 && bounds[0].bin > 0 && bounds[1].bin == 0);
}

/// Runs the steps of a culling; returns its uniform, and the passes with their workgroups.
fn cull(tables: &mut GpuScene, buffers: &mut Buffers, views: &[View]) -> (Views, Vec<(Pass, [u32; 2])>) {
    let mut passes = Vec::new();
    tables.cull(views, |step| {
        if let Step::Dispatch { pass, workgroups } = step {
            passes.push((pass, workgroups));
        }
        buffers.run(step);
    });
    (buffers.of(Buffer::Views)[0], passes)
}

#[test]
fn a_culling_writes_views_copies_commands_and_runs_over_ranges_and_slots() {
    let projection = hedgerow::glam::camera::rh::proj::directx::perspective(1.0, 1.5, 0.1, 100.0);
    let view = View::new(&Frustum::from_view_projection(&projection).unwrap(), Layers::new(5));
    let mut scene = Scene::new();
    let (mut tables, mut buffers) = (tables().with_views(2), Buffers::default());
    buffers.sync(&mut tables, &scene);
    tables.cull(&[view; 2], |step| panic!("there are no commands: {step:?}"));
    (0..100).for_each(|_| _ = scene.insert(scene.root(), ball()).unwrap());
    scene.update();
    buffers.sync(&mut tables, &scene);
    let (views, passes) = cull(&mut tables, &mut buffers, &[View::default(), view]);
    let slots = u32::try_from(tables.len()).unwrap();
    assert_eq!((views.count, views.views[1], views.slots), (2, view, slots));
    let of_slots = (Pass::CullDrawables, [slots.div_ceil(64), 1]);
    assert_eq!(passes, [of_slots], "there are no ranges");
    let [template, commands] = [Buffer::Template, Buffer::Commands].map(|buffer| &buffers.0[buffer as usize]);
    assert!(template.len() == 2 * 20 * tables.sizes().0 as usize && commands == template);
    // It holds until the tables change.
    assert!(tables.is_culled(&[View::default(), view]) && !tables.is_culled(&[view; 2]));
    scene.update();
    buffers.sync(&mut tables, &scene);
    buffers.sync(&mut tables, &scene);
    cull(&mut tables, &mut buffers, &[view]);
    buffers.sync(&mut tables, &scene);
    assert!(tables.is_culled(&[view]), "a still frame");
    let range = ViewRange::new(0.0, 9.0).unwrap();
    scene.insert(scene.root(), Node::group().with_view_range(range)).unwrap();
    scene.update();
    buffers.sync(&mut tables, &scene);
    assert!(!tables.is_culled(&[view]));
    let (views, passes) = cull(&mut tables, &mut buffers, &[view]);
    assert_eq!((views.count, views.ranges), (1, 2));
    assert_eq!(passes, [(Pass::CullRanges, [1, 1]), of_slots]);
    tables.invalidate();
    assert!(!tables.is_culled(&[view]));
    tables.cull(&[view], |step| panic!("nothing is known: {step:?}"));
}

#[test]
#[should_panic(expected = "3 views are more than 2")]
fn more_views_than_there_is_room_for_are_refused() {
    GpuScene::new().with_views(2).cull(&[View::default(); 3], |_| {});
}

#[test]
fn the_levels_of_a_pyramid_halve_and_have_room() {
    let mut scene = Scene::new();
    scene.insert(scene.root(), ball()).unwrap();
    scene.update();
    let (mut tables, mut buffers) = (tables().with_occlusion(true).with_max_buffer_size(1 << 20), Buffers::default());
    buffers.sync(&mut tables, &scene);
    assert!(!tables.is_culled(&[]));
    tables.cull_hidden(&Mat4::IDENTITY, [64; 2], |step| panic!("there are no lists yet: {step:?}")).unwrap();
    tables.cull(&[View::default()], |step| buffers.run(step));
    let slots = u32::try_from(tables.len()).unwrap();
    for (size, first, count) in
        [([1, 1], [1, 1], 1), ([3, 64], [2, 32], 6), ([640, 200], [512, 128], 10), ([2, 9000], [1, 8192], 14)]
    {
        let mut passes = Vec::new();
        let run = |step: Step<'_>| {
            if let Step::Dispatch { pass, workgroups } = step {
                passes.push((pass, workgroups));
            }
            buffers.run(step);
        };
        tables.cull_hidden(&Mat4::IDENTITY, size, run).unwrap();
        let tiles = |level: u32| first.map(|texels: u32| (texels >> level).max(1).div_ceil(16));
        let reduced = [(Pass::ReduceDepth, 0), (Pass::ReduceSixth, 5), (Pass::ReduceEleventh, 10)];
        let reduced = reduced.into_iter().filter(|&(_, level)| level < count);
        let expected: Vec<_> = reduced.map(|(pass, level)| (pass, tiles(level))).collect();
        assert_eq!(passes[..passes.len() - 1], expected, "{size:?}");
        assert_eq!(passes.last(), Some(&(Pass::CullHidden, [slots.div_ceil(64), 1])));
        let occluder: Occluder = buffers.of(Buffer::Occluder)[0];
        assert_eq!((occluder.size, occluder.count, occluder.sign), (size, count, -1.0));
        let [mut end, mut expected] = [[0, 0], first];
        for [at, width, height, _] in &occluder.levels[..count as usize] {
            assert_eq!(([*at, 0], [*width, *height]), (end, expected), "{size:?}");
            end[0] += width * height;
            expected = expected.map(|texels| (texels / 2).max(1));
        }
        assert_eq!(occluder.levels[count as usize..].as_flattened().iter().max(), Some(&0));
        assert!(buffers.of::<f32>(Buffer::Pyramid).len() >= end[0] as usize);
    }
    let refused = tables.cull_hidden(&Mat4::IDENTITY, [2000, 2000], |step| panic!("{step:?}"));
    assert!(matches!(refused, Err(Error::TooLarge { buffer: Buffer::Pyramid, .. })), "{refused:?}");
}

#[test]
fn a_list_of_matrices_without_room_is_scattered_in_parts() {
    let mut scene = Scene::with_config(SceneConfig { changes: true, max_nodes: 64, ..SceneConfig::DEFAULT }).unwrap();
    let nodes: Vec<_> = (0..400).map(|_| scene.insert(scene.root(), ball()).unwrap()).collect();
    scene.update();
    let (mut tables, mut buffers) = (tables(), Buffers::default());
    buffers.sync(&mut tables, &scene);
    // No buffer becomes longer than it is.
    tables = tables.with_max_buffer_size(8 + 100 * 52);
    for (frame, moved) in [300, 300, 50, 0, 0].into_iter().enumerate() {
        for (at, &node) in nodes[..moved].iter().enumerate() {
            scene.set_local(node, Transform::from_xyz(frame as f32, at as f32, 0.0)).unwrap();
        }
        scene.update();
        let mut lists = Vec::new();
        let run = |step: Step<'_>| {
            if let Step::List { buffer: Buffer::MatrixList, indices, items } = &step {
                lists.push((indices.len(), items.stride()));
            }
            buffers.run(step);
        };
        tables.sync(&scene, run).unwrap();
        buffers.copy_instances(&tables);
        check(&tables, &buffers, &scene, frame);
        check_previous(&tables, &buffers, &scene, frame);
        let parts = [(100, 48); 3];
        let expected = [parts.to_vec(), [&[(300, 0)], &parts[..]].concat(), vec![(300, 0), (50, 48)], vec![], vec![]];
        assert_eq!(lists, expected[frame], "frame {frame}");
    }
}

#[test]
fn another_scene_begins_without_levels_and_views_that_were_seen() {
    let mut scene = Scene::new();
    scene.insert(scene.root(), ball()).unwrap();
    scene.update();
    let (mut tables, mut buffers) = (tables().with_occlusion(true), Buffers::default());
    let mut levels = LevelsOfDetail::new();
    levels.insert(1, &[(100.0, Some(2))]).unwrap();
    tables.set_levels(&levels);
    let view = View::default().with_detail(DVec3::ZERO, 1.0);
    let loaded = Scene::from_bytes(&scene.to_bytes()).unwrap();
    for (frame, scene) in [&scene, &scene, &scene.clone(), &loaded, &loaded].into_iter().enumerate() {
        let is_another = [0, 2, 3].contains(&frame);
        buffers.sync(&mut tables, scene);
        let kept = buffers.0[Buffer::Kept as usize].iter().all(|&byte| byte == 0);
        let known = cull(&mut tables, &mut buffers, &[view]).0.known;
        assert_eq!((kept, known), (is_another, u32::from(!is_another)), "frame {frame}");
        // What culling keeps.
        buffers.0[Buffer::Kept as usize].fill(1);
    }
}

#[test]
fn a_refused_removal_of_meshes_leaves_levels_as_they_were() {
    let mut scene = Scene::new();
    let drawn = |mesh| Node::drawable(Drawable::new(mesh, Aabb::cube(1.0)));
    let [fine, other] = [0, 2].map(|mesh| scene.insert(scene.root(), drawn(mesh)).unwrap());
    scene.update();
    let mut tables = GpuScene::new();
    (0..3).for_each(|mesh| tables.set_mesh(mesh, MeshArgs { index_count: mesh, ..MeshArgs::default() }));
    let mut levels = LevelsOfDetail::new();
    levels.insert(0, &[(10.0, Some(1))]).unwrap();
    tables.set_levels(&levels);
    tables.sync(&scene, |_| {}).unwrap();
    scene.remove(fine).unwrap();
    scene.update();
    // Nothing is drawn with mesh 1 any more, but with mesh 2.
    [1, 2].into_iter().for_each(|mesh| _ = tables.remove_mesh(mesh));
    assert_eq!(tables.sync(&scene, |_| {}), Err(Error::UnknownMesh { mesh: 2, node: other }));
    tables.set_mesh(2, MeshArgs::default());
    let fine = scene.insert(scene.root(), drawn(0)).unwrap();
    scene.update();
    assert_eq!(tables.sync(&scene, |_| {}), Err(Error::UnknownMesh { mesh: 1, node: fine }));
    tables.set_mesh(1, MeshArgs::default());
    tables.sync(&scene, |_| {}).unwrap();
}

#[test]
fn a_node_that_takes_the_record_of_another_has_its_range() {
    let mut scene = Scene::with_config(SceneConfig { max_nodes: 64, ..SceneConfig::DEFAULT }).unwrap();
    let ranged = |near| Node::group().with_view_range(ViewRange::new(near, 1e6).unwrap());
    let first = scene.insert(scene.root(), ranged(1.0)).unwrap();
    let below = scene.insert(first, Node::group()).unwrap();
    let balls: Vec<_> = (0..500).map(|_| scene.insert(below, ball()).unwrap()).collect();
    let last = scene.insert(scene.root(), ranged(3.0)).unwrap();
    scene.update();
    let (mut tables, mut buffers) = (tables(), Buffers::default());
    buffers.sync(&mut tables, &scene);
    scene.reparent(below, scene.root(), Keep::Local).unwrap();
    scene.remove(first).unwrap();
    scene.edit(last).unwrap().set_view_range(None);
    let second = scene.insert(scene.root(), ranged(2.0)).unwrap();
    assert_eq!(second.to_bits() >> 32, first.to_bits() >> 32, "the same record");
    scene.reparent(below, second, Keep::Local).unwrap();
    scene.update();
    buffers.sync(&mut tables, &scene);
    check(&tables, &buffers, &scene, 0);
    for ball in balls {
        let slot = tables.slot(&scene, ball).unwrap();
        assert_eq!(ranges_of(&buffers.of::<Instance>(Buffer::Instances)[slot], &buffers), ranges_in(&scene, ball));
    }
}

#[test]
fn rectangles_cover_each_texel_of_a_range_once() {
    for (texels, count) in [
        (7..7, 0),
        (7..8, 1),
        (0..3 * ROW, 1),
        (ROW - 1..ROW + 1, 2),
        (5..3 * ROW, 2),
        (2 * ROW..4 * ROW + 1, 2),
        (ROW + 2000..5 * ROW + 9, 3),
    ] {
        let bytes = 4 * u64::from(texels.start)..4 * u64::from(texels.end);
        let found: Vec<_> = rectangles(Buffer::Instances, bytes).collect();
        assert_eq!(found.len(), count, "{texels:?}: {found:?}");
        let mut next = texels.start;
        for Rectangle { before, origin, size } in found {
            assert_eq!(u64::from(next - texels.start) * 4, before, "{texels:?}");
            assert_eq!(ROW * origin[1] + origin[0], next, "{texels:?}");
            assert!(origin[0] + size[0] <= ROW && (size[1] == 1 || size[0] == ROW), "{texels:?}");
            next += size[0] * size[1];
        }
        assert_eq!(next, texels.end, "{texels:?}");
    }
    assert_eq!(rectangles(Buffer::Matrices, 3..50).count(), 1, "no range panics");
}

#[test]
fn shifts_in_shaders_are_in_brackets_since_browsers_refuse_them_otherwise() {
    let is_alone = |text: &mut dyn Iterator<Item = char>, open: &str, close: &str| {
        let mut depth = 0;
        for letter in text {
            match letter {
                _ if open.contains(letter) => depth += 1,
                _ if close.contains(letter) && depth == 0 => return true,
                _ if close.contains(letter) => depth -= 1,
                ',' | ';' | '=' if depth == 0 => return true,
                '&' | '|' | '^' | '+' | '-' | '*' | '/' | '%' if depth == 0 => return false,
                _ => {}
            }
        }
        true
    };
    let mut shifts = 0;
    let of_passes = Pass::ALL.map(Pass::shader);
    let texts = [FETCH_TEXTURES, FETCH, SKIN, SKIN_TEXTURES].into_iter().chain(of_passes);
    assert_eq!(FETCH_TEXTURES.matches(&format!("{ROW}u")).count(), 2, "the width of textures");
    for line in texts.flat_map(str::lines) {
        let line = line.split("//").next().unwrap();
        for (at, _) in line.match_indices(" << ").chain(line.match_indices(" >> ")) {
            let right = is_alone(&mut line[at + 4..].chars(), "([", ")]");
            assert!(right && is_alone(&mut line[..at].chars().rev(), ")]", "(["), "{line}");
            shifts += 1;
        }
    }
    assert!(shifts > 8, "{shifts}");
}
