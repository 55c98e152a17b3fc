//! A frame of a scene of steady size allocates nothing: edits, update, lists, groups, orders, culling, mirrors of
//! its matrices and drawables, blending between two steps, and checkpoints with ways back. Inserting and removing nodes
//! takes no more memory after 3,000 rounds than after 100, in the scene and in data keyed by its nodes.

use hedgerow::changes::{ChangeReader, DrawableMirror, MatrixMirror, MirrorStep};
use hedgerow::checkpoints::Checkpoints;
use hedgerow::data::{Column, Inherited, NodeMap};
use hedgerow::draw::{DepthView, DrawGroups, DrawOrder};
use hedgerow::edit::{Edit, EditQueue};
use hedgerow::glam::{DVec3, Vec3, Vec4};
use hedgerow::motion::Smooth;
use hedgerow::query::{CullView, Frustum};
use hedgerow::{
    Aabb, DrawList, Drawable, Keep, Layers, Mat34, Node, NodeHandle, Place, Scene, SceneConfig, Transform, Tree,
};
use hedgerow_testkit::memory::{ALLOCATIONS, IN_USE};

/// The data that a renderer keeps between frames.
#[derive(Default)]
struct Renderer {
    list: DrawList,
    groups: DrawGroups,
    order: DrawOrder,
    mirror: MatrixMirror,
    buffer: Vec<Mat34>,
    scattering: MatrixMirror,
    drawables: DrawableMirror,
    instances: Vec<u32>,
    culled: DrawList,
    views: [DrawList; 2],
    near: DrawList,
    around: [DrawList; 2],
}

impl Renderer {
    fn frame(&mut self, scene: &Scene, frustum: &Frustum) {
        let Self { list, groups, order, mirror, buffer, scattering, drawables, instances, .. } = self;
        scene.draw_list(list);
        list.group(groups);
        list.order_front_to_back(order, &DepthView { eye: Vec3::ZERO, forward: Vec3::X }, |_| true);
        mirror.sync(scene, |step| match step {
            MirrorStep::Resize { len } => buffer.resize(len, Mat34::IDENTITY),
            MirrorStep::Write { first, matrices } => buffer[first..][..matrices.len()].copy_from_slice(matrices),
        });
        mirror.instances(list, groups.instances(), instances, |_, _| {});
        _ = scattering.scatter(scene, |_| {});
        drawables.sync(scene, mirror, |_| {});
        let Self { culled, views, near, around, .. } = self;
        scene.cull(&mut [CullView::new(frustum, culled)]).unwrap();
        let [first, second] = views;
        let view = |list| CullView::new(frustum, list).on_layers(Layers::new(3));
        scene.cull(&mut [view(first), view(second)]).unwrap();
        let eye = DVec3::new(5.0, 0.0, 0.0);
        near.set_eye(eye);
        scene.cull(&mut [CullView::new(frustum, near)]).unwrap();
        let [first, second] = around;
        [&mut *first, &mut *second].into_iter().for_each(|list| list.set_eye(eye));
        scene.cull(&mut [view(first), view(second)]).unwrap();
    }
}

/// Moves some nodes one by one, some by an iterator, and one far away. Gives one a material, and replaces another.
fn edit(scene: &mut Scene, nodes: &[NodeHandle], [guest, ship]: &mut [NodeHandle; 2], frame: u16) {
    let places = (0..90_u16).map(|at| Transform::from_xyz(0.0, f32::from(at), f32::from(frame % 5)));
    scene.set_locals(nodes.iter().skip(usize::from(frame)).step_by(50).copied().zip(places)).unwrap();
    scene.edit(*ship).unwrap().set_translation_f64(DVec3::new(1e7 + 0.03 + 0.1 * f64::from(frame), 0.0, 0.0)).unwrap();
    for at in 0..40 {
        let node = nodes[usize::from(frame * 29 + at * 61) % nodes.len()];
        let place = Transform::from_xyz(f32::from(at), f32::from(frame % 7), 1.0);
        scene.set_local(node, place).unwrap();
    }
    let painted = nodes[usize::from(frame % 50)];
    scene.edit(painted).unwrap().set_material(u32::from(frame % 3));
    let drawable = Node::transform(Transform::from_xyz(0.5, 0.0, 0.0)).with_drawable(Drawable::new(3, Aabb::cube(1.0)));
    scene.remove(*guest).unwrap();
    *guest = scene.insert(nodes[0], drawable).unwrap();
    scene.edit(*guest).unwrap().set_user_data(u32::from(frame));
}

#[test]
fn a_steady_frame_allocates_nothing() {
    for changes in [false, true] {
        // The history is so short that it is full within a hundred frames.
        let config = SceneConfig { bounds: true, changes, change_history: 100, ..SceneConfig::DEFAULT };
        let mut scene = Scene::with_config(config).unwrap();
        let mut nodes = Vec::new();
        for row in 0..100_u16 {
            let place = Node::transform(Transform::from_xyz(0.0, 0.0, f32::from(row)));
            let row = scene.insert(scene.root(), place).unwrap();
            for column in 0..50_u16 {
                let node = Node::transform(Transform::from_xyz(f32::from(column), 0.0, 0.0)).with_material(1);
                nodes.push(scene.insert(row, node.with_drawable(Drawable::new(2, Aabb::cube(0.5)))).unwrap());
            }
        }
        let guest = scene.insert(nodes[0], Node::drawable(Drawable::new(2, Aabb::cube(0.5)))).unwrap();
        let ship = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
        let mut others = [guest, ship];
        let none = Vec4::ZERO;
        let frustum = Frustum::from_planes([Vec4::new(1.0, 0.0, 0.0, -3.0), none, none, none, none, none]).unwrap();
        let mut renderer = Renderer::default();
        let mut smooth = Smooth::new(&scene).ok().map(Smooth::with_motion);
        let mut frames = Vec::with_capacity(200);
        for frame in 0..200 {
            let before = ALLOCATIONS.get();
            edit(&mut scene, &nodes, &mut others, frame);
            scene.update();
            if let Some(smooth) = &mut smooth {
                smooth.step(&scene).unwrap();
                assert!(smooth.nodes().len() > 50);
                renderer.frame(&smooth.blend(&mut scene, 0.5), &frustum);
            }
            renderer.frame(&scene, &frustum);
            frames.push(ALLOCATIONS.get() - before);
        }
        let Renderer { list, culled, near, views: [view, _], .. } = &renderer;
        assert!(list.len() == 5001 && culled.len() > 1000 && near.len() > 1000 && view.len() == culled.len());
        assert!(frames[0] > 0, "allocations are counted");
        assert_eq!(frames[100..].iter().sum::<usize>(), 0, "with changes {changes}: {frames:?}");
    }
}

#[test]
fn steady_frames_with_checkpoints_and_ways_back_allocate_nothing() {
    for changes in [false, true] {
        let config = SceneConfig { bounds: true, changes, change_history: 100, ..SceneConfig::DEFAULT };
        let mut scene = Scene::with_config(config).unwrap();
        let node = Node::transform(Transform::IDENTITY).with_drawable(Drawable::new(2, Aabb::cube(0.5)));
        let nodes: Vec<NodeHandle> = (0..3000).map(|_| scene.insert(scene.root(), node).unwrap()).collect();
        let others = [(); 2].map(|()| scene.insert(nodes[1], node).unwrap());
        let mut checkpoints = Checkpoints::new(&mut scene, 9).unwrap();
        let (mut held, mut frames) = ([others; 200], Vec::with_capacity(200));
        for frame in 0..200_u16 {
            let before = ALLOCATIONS.get();
            // Every few frames, the last eight are played again.
            let first = if frame % 10 == 9 { frame - 8 } else { frame };
            if first < frame {
                checkpoints.restore(&mut scene, u64::from(first)).unwrap();
                checkpoints.drop_before(u64::from(first));
            }
            for again in first..=frame {
                let at = usize::from(again);
                if again == frame || again > first {
                    checkpoints.save(&mut scene, u64::from(again)).unwrap();
                }
                let mut others = held[at];
                edit(&mut scene, &nodes, &mut others, again % 20);
                held[(at + 1) % 200] = others;
                scene.update();
            }
            frames.push(ALLOCATIONS.get() - before);
        }
        assert!(frames[0] > 0, "allocations are counted");
        assert_eq!(frames[100..].iter().sum::<usize>(), 0, "with changes {changes}: {frames:?}");
    }
}

/// The data that a program keeps for a scene, by node or by frame.
struct Beside {
    renderer: Renderer,
    reader: ChangeReader,
    smooth: Option<Smooth>,
    map: NodeMap<usize>,
    column: Column<usize>,
    inherited: Inherited<usize>,
    queue: EditQueue,
    sockets: hedgerow_character::Sockets,
}

impl Beside {
    fn new() -> Self {
        Self {
            renderer: Renderer { list: DrawList::new().with_motion(), ..Renderer::default() },
            reader: ChangeReader::new(),
            smooth: None,
            map: NodeMap::new(),
            column: Column::new(0),
            inherited: Inherited::new(0, |above, own| above + own),
            queue: EditQueue::new(),
            sockets: Default::default(),
        }
    }

    /// Adds values for the upper of two nodes everywhere, and a socket for the lower one.
    fn note(&mut self, scene: &Scene, top: NodeHandle, number: usize) {
        _ = self.map.insert(top, number);
        self.inherited.set(top, number);
        self.column.set(scene, top, number).unwrap();
        let low = scene.children(top).next().unwrap();
        self.sockets.insert(scene, low, 0, 0, Transform::IDENTITY).unwrap();
    }

    fn frame(&mut self, scene: &mut Scene, frustum: &Frustum) {
        self.sockets.follow(scene, &[Mat34::IDENTITY]).unwrap();
        scene.update();
        self.renderer.frame(scene, frustum);
        if scene.config().changes {
            scene.changes(&mut self.reader).unwrap();
            let smooth = self.smooth.get_or_insert_with(|| Smooth::new(scene).unwrap().with_motion());
            smooth.step(scene).unwrap();
            smooth.blend(scene, 0.5).draw_list(&mut self.renderer.list);
        }
        self.map.retain(|node, _| scene.contains(node));
        self.column.update(scene);
        self.inherited.run(scene);
    }

    /// Frees unused memory.
    fn shrink(&mut self) {
        let Renderer { list, groups, order, culled, views, near, around, .. } = &mut self.renderer;
        [list, culled, near].into_iter().chain(views).chain(around).for_each(DrawList::shrink_to_fit);
        groups.shrink_to_fit();
        order.shrink_to_fit();
        self.renderer.buffer.shrink_to_fit();
        self.renderer.instances.shrink_to_fit();
        self.reader.shrink_to_fit();
        self.smooth = None;
        self.map.shrink_to_fit();
        self.column.shrink_to_fit();
        self.inherited.shrink_to_fit();
        self.queue = EditQueue::new();
        self.sockets.shrink_to_fit();
    }
}

fn shown() -> Node<'static> {
    Node::transform(Transform::from_xyz(1.0, 0.0, 0.0))
        .with_drawable(Drawable::new(3, Aabb::cube(1.0)))
        .with_name("shown")
}

/// Makes two nodes below the root, one below the other. Returns the upper one.
type Make = fn(&mut Scene, &mut Beside) -> NodeHandle;

const WAYS: [(&str, Make); 9] = [
    ("single inserts", |scene, _| {
        let top = scene.insert(scene.root(), shown()).unwrap();
        scene.insert(top, shown()).unwrap();
        top
    }),
    ("a queue", |scene, beside| {
        let ticket = beside.queue.insert(scene.root(), shown());
        beside.queue.insert(ticket, shown());
        beside.queue.apply(scene);
        beside.queue.inserted(ticket).unwrap()
    }),
    ("a queued tree", |scene, beside| {
        let mut tree = Tree::new();
        let top = tree.push(None, shown());
        tree.push(Some(top), shown());
        let ticket = beside.queue.insert_tree(scene.root(), tree);
        beside.queue.apply(scene);
        beside.queue.inserted(ticket).unwrap()
    }),
    ("a queue that is refused, and then applied as a whole", |scene, beside| {
        let ticket = beside.queue.insert(scene.root(), shown());
        beside.queue.insert(ticket, shown());
        beside.queue.push(Edit::remove(scene.root()));
        beside.queue.apply_all(scene).unwrap_err();
        beside.queue.clear();
        let ticket = beside.queue.insert(scene.root(), shown());
        beside.queue.insert(ticket, shown());
        beside.queue.apply_all(scene).unwrap();
        beside.queue.inserted(ticket).unwrap()
    }),
    ("a copy by bytes", |scene, _| {
        let top = scene.insert(Place::Detached, shown()).unwrap();
        scene.insert(top, shown()).unwrap();
        let tree = Tree::from_bytes(&scene.copy_tree(top).unwrap().to_bytes()).unwrap();
        scene.remove(top).unwrap();
        scene.insert_tree(scene.root(), &tree).unwrap()[0]
    }),
    ("detached and attached ones", |scene, _| {
        let top = scene.insert(scene.root(), shown()).unwrap();
        scene.insert(top, shown()).unwrap();
        scene.update();
        scene.reparent(top, Place::Detached, Keep::World).unwrap();
        scene.update();
        scene.reparent_many(&[(top, scene.root())], Keep::World).unwrap();
        top
    }),
    ("nodes that change what they have", |scene, _| {
        let top = scene.insert(scene.root(), Node::group()).unwrap();
        scene.insert(top, shown()).unwrap();
        scene.update();
        let mut edit = scene.edit(top).unwrap();
        edit.set_node(shown().with_material(3).with_layers(Layers::new(1))).unwrap();
        edit.set_translation_f64(DVec3::splat(1e7 + 0.1)).unwrap();
        top
    }),
    ("a scene that is loaded", |scene, _| {
        *scene = Scene::from_bytes(&scene.to_bytes()).unwrap();
        let top = scene.insert(scene.root(), shown()).unwrap();
        scene.insert(top, shown()).unwrap();
        top
    }),
    ("a scene that is emptied", |scene, _| {
        scene.clear();
        let top = scene.insert(scene.root(), shown()).unwrap();
        scene.insert(top, shown()).unwrap();
        top
    }),
];

#[test]
fn nodes_that_come_and_go_in_any_way_take_no_more_memory_after_3_000_rounds() {
    let frustum = Frustum::from_planes([Vec4::ZERO; 6]).unwrap();
    for (way, make) in WAYS {
        let config = SceneConfig { max_nodes: 16, bounds: true, changes: true, change_history: 50 };
        let (mut scene, mut beside) = (Scene::with_config(config).unwrap(), Beside::new());
        let mut tops = std::collections::VecDeque::with_capacity(100);
        let mut held = [0; 2];
        for round in 0..3_000 {
            let top = make(&mut scene, &mut beside);
            tops.push_back(top);
            beside.note(&scene, top, round);
            tops.retain(|&top| scene.contains(top));
            if tops.len() > 20 {
                let gone = if round % 3 == 0 { tops.pop_back() } else { tops.pop_front() }.unwrap();
                match round % 4 {
                    0 => _ = scene.remove_many(&[gone]).unwrap(),
                    1 => {
                        beside.queue.push(Edit::remove(gone));
                        beside.queue.apply(&mut scene);
                    }
                    2 => {
                        scene.reparent(gone, Place::Detached, Keep::Local).unwrap();
                        scene.update();
                        scene.remove(gone).unwrap();
                    }
                    _ => _ = scene.remove(gone).unwrap(),
                }
            }
            beside.frame(&mut scene, &frustum);
            if round % 16 == 0 {
                scene.maintain(0);
            }
            // Slices come and go, so the maximum of some rounds counts.
            let part = usize::from(round >= 200);
            if (100..200).contains(&round) || round >= 2_900 {
                held[part] = held[part].max(IN_USE.get());
            }
        }
        assert!(held[1] <= held[0] + (16 << 10), "{way}: {held:?} bytes");
        assert_eq!(scene.validate(), Ok(()));
    }
}

#[test]
fn what_is_kept_of_a_large_world_is_less_than_twice_it_and_goes_when_it_is_gone() {
    let frustum = Frustum::from_planes([Vec4::ZERO; 6]).unwrap();
    let config = SceneConfig { bounds: true, changes: true, ..SceneConfig::DEFAULT };
    let (mut scene, mut beside) = (Scene::with_config(config).unwrap(), Beside::new());
    let start = IN_USE.get() - scene.stats().allocated_bytes();
    for round in 0..10_000 {
        let (top, low) = (scene.insert(scene.root(), shown()).unwrap(), shown());
        scene.insert(top, low).unwrap();
        beside.note(&scene, top, round);
    }
    (0..3).for_each(|_| beside.frame(&mut scene, &frustum));
    let world = scene.stats().allocated_bytes();
    // There are eight lists, of which four have an eye.
    let each = (IN_USE.get() - start - world) / 8;
    assert!(each < world, "each list takes {each} bytes, and the world {world}");
    scene.clear();
    (0..3).for_each(|_| beside.frame(&mut scene, &frustum));
    scene.shrink_to_fit();
    let lists = beside.renderer.list.commands().to_vec();
    beside.shrink();
    let left = (IN_USE.get() - scene.stats().allocated_bytes()).saturating_sub(start);
    assert!(left < world / 50, "{left} bytes are left of {world}");
    // The list is unchanged, and the next frames work.
    assert_eq!(beside.renderer.list.commands(), lists);
    scene.insert(scene.root(), shown()).unwrap();
    (0..2).for_each(|_| beside.frame(&mut scene, &frustum));
    let (mut list, Renderer { list: kept, culled, groups, .. }) = (DrawList::new(), &beside.renderer);
    scene.draw_list(&mut list);
    assert_eq!((kept.commands(), kept.matrices()), (list.commands(), list.matrices()));
    assert_eq!((culled.commands(), groups.instances()), (list.commands(), &[0][..]));
}
