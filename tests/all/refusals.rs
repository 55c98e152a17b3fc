//! The contract of editing: a refused edit leaves the scene unchanged, and limits hold.

use crate::trees::{APART, groups, with};
use hedgerow::glam::{Quat, Vec3};
use hedgerow::{
    Aabb, Drawable, Error, Keep, Layers, Mat34, Node, NodeHandle, NodeRef, Place, Scene, Transform,
    visit::{Flow, SliceView, SliceVisitor, Visitor},
};
use hedgerow_testkit::model::dump::same_slice;
use std::panic::{AssertUnwindSafe, catch_unwind};

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;

/// A scene with a top node with a transform, a group below it, and a leaf with all components.
struct Few {
    scene: Scene,
    top: NodeHandle,
    group: NodeHandle,
    leaf: NodeHandle,
}

impl Few {
    fn new() -> Self {
        let mut scene = Scene::new();
        let top = scene.insert(scene.root(), Node::transform(Transform::from_xyz(1.0, 0.0, 0.0))).unwrap();
        let group = scene.insert(top, Node::group().named("group")).unwrap();
        let whole = Node::transform(Transform::from_xyz(0.0, 1.0, 0.0))
            .with_material(1)
            .with_drawable(Drawable::new(2, Aabb::cube(1.0)))
            .with_layers(Layers::new(3))
            .named("leaf");
        let leaf = scene.insert(group, whole).unwrap();
        scene.update();
        Self { scene, top, group, leaf }
    }

    /// Returns the whole observable state of the scene.
    fn seen(&self) -> String {
        let nodes: Vec<_> = self
            .scene
            .get(self.scene.root())
            .unwrap()
            .descendants()
            .map(|node| node.handle())
            .map(|node| {
                (
                    node,
                    self.scene.get(node).map(|node| node.node()),
                    self.scene.world(node),
                    self.scene.get(node).map(|node| node.fresh_world()),
                )
            })
            .collect();
        format!("{nodes:?} {:?}", self.scene.stats())
    }

    /// Makes an edit that must be refused and must change nothing.
    fn refuses<T>(&mut self, edit: impl FnOnce(&mut Scene) -> Result<T, Error>) -> Error {
        let before = self.seen();
        let error = edit(&mut self.scene).err().expect("the edit is refused");
        assert_eq!(before, self.seen(), "refused for {error:?}");
        self.scene.validate().unwrap();
        assert!(!error.to_string().is_empty());
        error
    }
}

#[test]
fn a_stale_handle_is_refused_by_every_edit() {
    let mut few = Few::new();
    let gone = few.leaf;
    few.scene.remove(gone).unwrap();
    let top = few.top;
    let errors = [
        few.refuses(|scene| scene.insert(gone, Node::group())),
        few.refuses(|scene| scene.insert(Place::FirstChildOf(gone), Node::group())),
        few.refuses(|scene| scene.insert(Place::Before(gone), Node::group())),
        few.refuses(|scene| scene.insert(Place::After(gone), Node::group())),
        few.refuses(|scene| scene.remove(gone)),
        few.refuses(|scene| scene.reparent(gone, top, Keep::Local)),
        few.refuses(|scene| scene.reparent(top, gone, Keep::World)),
        few.refuses(|scene| scene.reparent(gone, Place::Before(gone), Keep::Local)),
        few.refuses(|scene| scene.set_local(gone, Transform::IDENTITY)),
        few.refuses(|scene| scene.set_local(gone, Mat34::IDENTITY)),
        few.refuses(|scene| scene.set_world(gone, Mat34::IDENTITY)),
        few.refuses(|scene| scene.edit(gone).and_then(|mut node| node.look_at(Vec3::ONE, Vec3::Y).map(|_| ()))),
        few.refuses(|scene| scene.set_local(gone, Transform::IDENTITY)),
        few.refuses(|scene| scene.edit(gone).and_then(|mut node| node.set_local(None).map(|_| ()))),
        few.refuses(|scene| scene.edit(gone).map(|mut node| _ = node.set_material(1))),
        few.refuses(|scene| scene.edit(gone).map(|mut node| _ = node.set_material(None))),
        few.refuses(|scene| {
            scene.edit(gone).and_then(|mut node| node.set_drawable(Drawable::new(1, Aabb::EMPTY)).map(|_| ()))
        }),
        few.refuses(|scene| scene.edit(gone).and_then(|mut node| node.set_drawable(None).map(|_| ()))),
        few.refuses(|scene| scene.edit(gone).map(|mut node| _ = node.set_layers(Layers::NONE))),
        few.refuses(|scene| scene.edit(gone).map(|mut node| _ = node.set_layers(None))),
        few.refuses(|scene| scene.edit(gone).map(|mut node| _ = node.set_name("name"))),
        few.refuses(|scene| {
            scene.edit(gone).map(|mut node| _ = node.sort_children_by(|a, b| a.handle().cmp(&b.handle())))
        }),
        few.refuses(|scene| scene.try_reserve(gone, 1)),
    ];
    for error in errors {
        assert_eq!(error, Error::StaleHandle(gone));
    }
}

#[test]
fn a_stale_handle_is_answered_by_no_query() {
    let mut few = Few::new();
    let (top, gone) = (few.top, few.leaf);
    few.scene.remove(gone).unwrap();
    let scene = &few.scene;
    assert!(!scene.contains(gone));
    assert!(scene.get(gone).is_none() && scene.parent(gone).is_none() && scene.children(gone).next().is_none());
    assert_eq!((scene.world(gone), scene.local(gone)), (None, None));
    assert!(!scene.get(top).unwrap().is_below(gone));
    assert!(!same_slice(scene, top, gone) && !same_slice(scene, gone, gone));
    let mut panicking = Panicking { remaining: 0 };
    assert_eq!(scene.visit(gone, &mut panicking), Flow::Continue, "there is nothing to visit");
}

#[test]
fn a_subtree_cannot_be_moved_into_itself() {
    let mut few = Few::new();
    let (top, group, leaf) = (few.top, few.group, few.leaf);
    for (place, parent) in [
        (Place::LastChildOf(top), top),
        (Place::FirstChildOf(top), top),
        (Place::LastChildOf(leaf), leaf),
        (Place::Before(leaf), group),
        (Place::After(group), top),
    ] {
        for keep in [Keep::Local, Keep::World] {
            let error = few.refuses(|scene| scene.reparent(top, place, keep));
            assert_eq!(error, Error::WouldCycle { node: top, parent }, "{place:?}");
        }
    }
}

#[test]
fn the_root_is_fixed() {
    let mut few = Few::new();
    let (root, top) = (few.scene.root(), few.top);
    let errors = [
        few.refuses(|scene| scene.remove(root)),
        few.refuses(|scene| scene.reparent(root, top, Keep::Local)),
        few.refuses(|scene| scene.reparent(root, root, Keep::Local)),
        few.refuses(|scene| scene.reparent(top, Place::Before(root), Keep::Local)),
        few.refuses(|scene| scene.insert(Place::After(root), Node::group())),
    ];
    for error in errors {
        assert_eq!(error, Error::RootIsFixed);
    }
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    let mut few = Few::new();
    let (top, leaf) = (few.top, few.leaf);
    let good = Transform::IDENTITY;
    let transforms = [
        good.with_translation(Vec3::new(0.0, NAN, 0.0)),
        good.with_translation(Vec3::new(0.0, 0.0, -INF)),
        good.with_rotation(Quat::from_xyzw(NAN, 0.0, 0.0, 1.0)),
        good.with_rotation(Quat::from_xyzw(0.0, 0.0, 0.0, INF)),
        good.with_scale(Vec3::new(1.0, 1.0, NAN)),
        good.with_scale(Vec3::new(INF, 1.0, 1.0)),
    ];
    let mut errors = Vec::new();
    for bad in transforms {
        errors.push(few.refuses(|scene| scene.insert(top, Node::transform(bad))));
        errors.push(few.refuses(|scene| scene.set_local(leaf, bad)));
        errors.push(few.refuses(|scene| scene.set_local(top, bad)));
    }
    for (row, column, bad) in [(0, 0, NAN), (1, 3, INF), (2, 2, -INF)] {
        let mut matrix = Mat34::IDENTITY;
        matrix.rows[row][column] = bad;
        errors.push(few.refuses(|scene| scene.insert(top, Node::group().with_matrix(matrix))));
        errors.push(few.refuses(|scene| scene.set_local(leaf, matrix)));
        errors.push(few.refuses(|scene| scene.set_world(leaf, matrix)));
    }
    errors.push(few.refuses(|scene| {
        scene.edit(leaf).and_then(|mut node| node.look_at(Vec3::new(NAN, 0.0, 0.0), Vec3::Y).map(|_| ()))
    }));
    errors.push(few.refuses(|scene| {
        scene.edit(leaf).and_then(|mut node| node.look_at(Vec3::ONE, Vec3::new(0.0, INF, 0.0)).map(|_| ()))
    }));
    for bounds in [
        Aabb::new(Vec3::new(NAN, 0.0, 0.0), Vec3::ONE),
        Aabb::new(Vec3::ZERO, Vec3::new(1.0, 1.0, NAN)),
        Aabb::new(Vec3::NEG_INFINITY, Vec3::ONE),
        Aabb::new(Vec3::ZERO, Vec3::new(1.0, INF, 1.0)),
    ] {
        errors.push(few.refuses(|scene| {
            scene.edit(top).and_then(|mut node| node.set_drawable(Drawable::new(1, bounds)).map(|_| ()))
        }));
        errors.push(few.refuses(|scene| scene.insert(top, Node::drawable(Drawable::new(1, bounds)))));
    }
    for error in errors {
        assert!(matches!(error, Error::NotFinite(_)), "{error:?}");
    }
}

#[test]
fn a_zero_quaternion_is_no_rotation() {
    let mut few = Few::new();
    let (top, leaf) = (few.top, few.leaf);
    let bad = Transform::from_rotation(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0));
    let errors = [
        few.refuses(|scene| scene.insert(top, Node::transform(bad))),
        few.refuses(|scene| scene.set_local(leaf, bad)),
        few.refuses(|scene| scene.set_local(top, bad)),
    ];
    for error in errors {
        assert_eq!(error, Error::NotRotation);
    }
}

#[test]
fn a_transform_is_changed_only_where_there_is_one() {
    let mut few = Few::new();
    let group = few.group;
    let errors = [
        few.refuses(|scene| scene.modify_local(group, |local| *local = Transform::IDENTITY)),
        few.refuses(|scene| scene.set_world(group, Mat34::IDENTITY)),
        few.refuses(|scene| scene.edit(group).and_then(|mut node| node.look_at(Vec3::ONE, Vec3::Y).map(|_| ()))),
    ];
    for error in errors {
        assert_eq!(error, Error::NoTransform(group));
    }
}

#[test]
fn no_world_transform_is_kept_or_set_below_a_zero_scale() {
    for scale in [Vec3::ZERO, Vec3::new(1.0, 0.0, 1.0)] {
        let mut few = Few::new();
        let (root, leaf) = (few.scene.root(), few.leaf);
        let turned = |angle: f32| Transform::from_rotation(Quat::from_rotation_z(angle));
        let flat = few.scene.insert(root, Node::transform(turned(0.3).with_scale(scale))).unwrap();
        let below = few.scene.insert(flat, Node::transform(turned(1.1))).unwrap();
        let inner = few.scene.insert(below, Node::group()).unwrap();
        let last = few.scene.insert(inner, Node::transform(turned(0.7))).unwrap();
        few.scene.update();
        for parent in [flat, below, inner] {
            let error = few.refuses(|scene| scene.reparent(leaf, parent, Keep::World));
            assert!(matches!(error, Error::Singular(_)), "{error:?}");
        }
        for node in [below, last] {
            let error = few.refuses(|scene| scene.set_world(node, Mat34::IDENTITY));
            assert!(matches!(error, Error::Singular(_)), "{error:?}");
        }
        few.scene.reparent(leaf, inner, Keep::Local).unwrap();
        few.scene.update();
        few.scene.validate().unwrap();
        // Moving the node away again keeps the world transform, although it is flat.
        let before = few.scene.get(leaf).unwrap().fresh_world();
        few.scene.reparent(leaf, root, Keep::World).unwrap();
        let after = few.scene.get(leaf).unwrap().fresh_world();
        for (a, b) in before.rows.iter().flatten().zip(after.rows.iter().flatten()) {
            assert!((a - b).abs() < 1e-6, "{before:?} became {after:?}");
        }
    }
}

#[test]
fn worlds_that_overflow_have_infinite_bounds_and_are_counted() {
    let mut scene = Scene::new();
    let huge = Transform::from_xyz(1.0, 0.0, 0.0).with_scale(Vec3::splat(1e30));
    let top = scene.insert(scene.root(), Node::transform(huge)).unwrap();
    let node = Node::transform(huge).with_drawable(Drawable::new(1, Aabb::cube(1.0)));
    let low = scene.insert(top, node).unwrap();
    let mut drawables = Vec::new();
    for bounds in [Aabb::INFINITE, Aabb::EMPTY] {
        drawables.push(scene.insert(low, Node::drawable(Drawable::new(2, bounds))).unwrap());
    }
    scene.update();
    scene.validate().unwrap();
    assert_eq!(scene.get(low).unwrap().bounds(), Some(Aabb::INFINITE));
    assert_eq!(scene.get(drawables[0]).unwrap().bounds(), Some(Aabb::INFINITE));
    assert_eq!(scene.get(drawables[1]).unwrap().bounds(), Some(Aabb::EMPTY));
    assert!(scene.stats().overflowed > 0);

    scene.set_local(top, Transform::IDENTITY).unwrap();
    scene.update();
    assert_eq!(scene.stats().overflowed, 0);
    assert!(scene.get(low).unwrap().bounds().unwrap().is_finite());
    scene.validate().unwrap();
}

#[test]
fn special_bounds_bypass_every_matrix() {
    let mut scene = Scene::new();
    for scale in [0.0, -1.0, 1e-30] {
        let odd = Transform::from_xyz(1.0, 2.0, 3.0).with_scale(Vec3::splat(scale));
        for bounds in [Aabb::INFINITE, Aabb::EMPTY] {
            let node = Node::transform(odd).with_drawable(Drawable::new(1, bounds));
            let node = scene.insert(scene.root(), node).unwrap();
            scene.update();
            assert_eq!(scene.get(node).unwrap().bounds(), Some(bounds));
        }
    }
    let inverted = Drawable::new(1, Aabb::new(Vec3::ONE, Vec3::ZERO));
    let node = scene.insert(scene.root(), Node::drawable(inverted)).unwrap();
    assert_eq!(scene.get(node).and_then(|node| node.drawable()).map(|drawable| drawable.bounds), Some(Aabb::EMPTY));
}

#[test]
fn more_room_than_there_is_is_refused() {
    let mut few = Few::new();
    let (root, top) = (few.scene.root(), few.top);
    for node in [root, top] {
        for count in [usize::MAX, usize::MAX / 2, 1 << 31] {
            let error = few.refuses(|scene| scene.try_reserve(node, count));
            assert!(matches!(error, Error::CapacityOverflow | Error::AllocationFailed), "{error:?}");
        }
    }
}

struct Panicking {
    remaining: usize,
}

impl Visitor for Panicking {
    fn enter(&mut self, _: &NodeRef<'_>) -> Flow {
        self.remaining = self.remaining.checked_sub(1).expect("the visitor's own panic");
        Flow::Continue
    }
}

impl SliceVisitor for Panicking {
    fn slice(&mut self, _: SliceView<'_>) -> Flow {
        self.remaining = self.remaining.checked_sub(1).expect("the visitor's own panic");
        Flow::Continue
    }
}

#[test]
#[cfg_attr(panic = "abort", ignore = "needs unwinding")]
fn a_panicking_visitor_leaves_a_valid_scene() {
    let mut scene = with(APART);
    let root = scene.root();
    let top = scene.insert(root, Node::transform(Transform::IDENTITY)).unwrap();
    let leaf = *groups(&mut scene, top, 30).last().unwrap();
    scene.update();
    let slices = scene.slices().count();
    assert!(slices > 3);
    for remaining in 0..40_u8 {
        let panicking = || Panicking { remaining: remaining.into() };
        let visit = AssertUnwindSafe(|| scene.visit(root, &mut panicking()));
        assert_eq!(catch_unwind(visit).is_err(), usize::from(remaining) < scene.len());
        scene.validate().unwrap();
        let visit = AssertUnwindSafe(|| scene.visit_slices(&mut panicking()));
        assert_eq!(catch_unwind(visit).is_err(), usize::from(remaining) < slices);
        scene.validate().unwrap();
        scene.set_local(top, Transform::from_xyz(remaining.into(), 0.0, 0.0)).unwrap();
        scene.update();
        scene.validate().unwrap();
        assert_eq!(scene.world(leaf).unwrap().translation().x, f32::from(remaining));
    }
}

#[test]
#[cfg_attr(panic = "abort", ignore = "needs unwinding")]
fn a_panicking_comparison_leaves_a_valid_scene() {
    for before_panic in 0..40 {
        let mut scene = Scene::new();
        let root = scene.root();
        let order: Vec<_> = (0..30u32).map(|n| scene.insert(root, Node::material(n * 17 % 30)).unwrap()).collect();
        let mut remaining = before_panic;
        let sort = AssertUnwindSafe(|| {
            scene.edit(root).unwrap().sort_children_by(|a, b| {
                remaining = u32::checked_sub(remaining, 1).expect("the comparison's own panic");
                a.own_material().cmp(&b.own_material())
            });
        });
        assert!(catch_unwind(sort).is_err(), "30 children take more than {before_panic} comparisons");
        scene.validate().unwrap();
        assert!(scene.children(root).eq(order), "nothing has changed");
    }
}

#[test]
#[cfg_attr(panic = "abort", ignore = "needs unwinding")]
fn a_comparison_without_order_leaves_all_children() {
    let mut scene = Scene::new();
    let root = scene.root();
    let mut all: Vec<_> = (0..50).map(|_| scene.insert(root, Node::group()).unwrap()).collect();
    let mut turn = 0;
    let sort = AssertUnwindSafe(|| {
        scene.edit(root).unwrap().sort_children_by(|_, _| {
            turn += 1;
            [core::cmp::Ordering::Less, core::cmp::Ordering::Greater][turn % 3 % 2]
        });
    });
    // The standard sort may panic if it detects that there is no total order.
    let _ = catch_unwind(sort);
    scene.validate().unwrap();
    let mut children: Vec<_> = scene.children(root).collect();
    children.sort_unstable();
    all.sort_unstable();
    assert_eq!(children, all);
}
