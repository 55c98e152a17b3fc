//! A frame of a scene that has come to its size allocates nothing: edits, update, lists, groups, orders, culling and
//! the mirror of its matrices.
#![allow(unsafe_code, reason = "allocations cannot be counted otherwise")]

use hedgerow::changes::{MatrixMirror, MirrorStep};
use hedgerow::draw::{DepthView, DrawGroups, DrawOrder};
use hedgerow::glam::{DVec3, Vec3, Vec4};
use hedgerow::query::{CullView, Frustum};
use hedgerow::{Aabb, DrawList, Drawable, Layers, Mat34, Node, NodeHandle, Scene, SceneConfig, Transform};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, which counts the allocations of a thread.
struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on unchanged; `realloc` is the trait's own, which uses these two.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Everything that a renderer keeps from frame to frame.
#[derive(Default)]
struct Renderer {
    list: DrawList,
    groups: DrawGroups,
    order: DrawOrder,
    mirror: MatrixMirror,
    buffer: Vec<Mat34>,
    instances: Vec<u32>,
    culled: DrawList,
    views: [DrawList; 2],
    near: DrawList,
    around: [DrawList; 2],
}

impl Renderer {
    fn frame(&mut self, scene: &Scene, frustum: &Frustum) {
        let Self { list, groups, order, mirror, buffer, instances, culled, views, near, around } = self;
        scene.draw_list(list);
        list.group(groups);
        list.order_front_to_back(order, &DepthView { eye: Vec3::ZERO, forward: Vec3::X }, |_| true);
        mirror.sync(scene, |step| match step {
            MirrorStep::Resize { len } => buffer.resize(len, Mat34::IDENTITY),
            MirrorStep::Write { first, matrices } => buffer[first..][..matrices.len()].copy_from_slice(matrices),
        });
        mirror.instances(list, groups.instances(), instances, |_| {});
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

/// Moves some nodes one by one, some by an iterator, and one far away; gives one a material, and puts one in the place
/// of another.
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
        // The history is so short that it has its length within a hundred frames.
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
        let mut frames = Vec::with_capacity(200);
        for frame in 0..200 {
            let before = COUNT.get();
            edit(&mut scene, &nodes, &mut others, frame);
            scene.update();
            renderer.frame(&scene, &frustum);
            frames.push(COUNT.get() - before);
        }
        let Renderer { list, culled, near, views: [view, _], .. } = &renderer;
        assert!(list.len() == 5001 && culled.len() > 1000 && near.len() > 1000 && view.len() == culled.len());
        assert!(frames[0] > 0, "allocations are counted");
        assert_eq!(frames[100..].iter().sum::<usize>(), 0, "with changes {changes}: {frames:?}");
    }
}
