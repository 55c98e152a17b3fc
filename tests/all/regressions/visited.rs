//! Visitors that compute before the next update, and the effect on boxes and on the reported changes.

use crate::watched::Watched;
use hedgerow::changes::ChangeReader;
use hedgerow::glam::Vec3;
use hedgerow::{
    Aabb, DrawList, Drawable, Keep, Layers, Mat34, Node, NodeHandle, Place, Scene, SceneConfig, Transform,
    query::Sphere,
    visit::{Flow, SliceViewMut, SliceVisitorMut, TransformPass},
};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

fn at(x: f32) -> Transform {
    Transform::from_xyz(x, 0.0, 0.0)
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Never,
    Breaks(usize),
    Prunes(usize),
    Panics(usize),
}

/// Sets every transform, if one is given, and computes world matrices.
#[derive(Clone, Copy, Debug)]
struct Visit {
    local: Option<Transform>,
    pass: TransformPass,
    end: End,
    met: usize,
}

impl Visit {
    fn new(pass: TransformPass) -> Self {
        Self { local: None, pass, end: End::Never, met: 0 }
    }

    fn setting(self, x: f32) -> Self {
        Self { local: Some(at(x)), ..self }
    }

    fn run(mut self, scene: &mut Scene) {
        let panicked = catch_unwind(AssertUnwindSafe(|| scene.visit_slices_mut(&mut self))).is_err();
        assert_eq!(panicked, matches!(self.end, End::Panics(_)));
    }
}

impl SliceVisitorMut for Visit {
    fn slice_mut(&mut self, mut slice: SliceViewMut<'_>) -> Flow {
        for slot in slice.view().imports()..slice.view().transforms().len() {
            if let (Some(local), true) = (self.local, slice.view().transforms().is_occupied(slot)) {
                slice.set_local(slot, local).unwrap();
            }
        }
        let _ = self.pass.slice_mut(slice);
        self.met += 1;
        match self.end {
            End::Breaks(met) if met == self.met => Flow::Break,
            End::Prunes(met) if met == self.met => Flow::Prune,
            End::Panics(met) if met == self.met => resume_unwind(Box::new("half way")),
            _ => Flow::Continue,
        }
    }
}

/// Returns the nodes near the origin, sorted.
fn found(scene: &Scene) -> Vec<NodeHandle> {
    let mut nodes = Vec::new();
    scene.query(&Sphere::new(Vec3::ZERO, 1e3).unwrap(), Layers::ALL, &mut nodes).unwrap();
    nodes.sort_unstable();
    nodes
}

#[test]
fn drawables_are_found_after_a_pass_over_a_scene_that_is_up_to_date() {
    for pass in [TransformPass::dirty(), TransformPass::everything()] {
        let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT }).unwrap();
        let drawable = Node::transform(Transform::IDENTITY).with_drawable(Drawable::new(1, Aabb::cube(1.0)));
        let node = scene.insert(scene.root(), drawable).unwrap();
        scene.update();
        assert_eq!(found(&scene), [node]);
        Visit::new(pass).run(&mut scene);
        scene.validate().unwrap();
        assert_eq!(found(&scene), [node]);
        scene.update();
        scene.validate().unwrap();
        assert_eq!(found(&scene), [node]);
    }
}

#[test]
fn a_pass_with_nothing_to_do_changes_nothing() {
    let mut scene = Watched::new(SceneConfig { bounds: true, changes: true, ..SceneConfig::DEFAULT });
    let drawable = Node::transform(Transform::IDENTITY).with_drawable(Drawable::new(1, Aabb::cube(1.0)));
    let root = scene.root();
    let node = scene.insert(root, drawable).unwrap();
    scene.update();
    let mut list = DrawList::new();
    scene.draw_list(&mut list);
    scene.update();
    Visit::new(TransformPass::dirty()).run(&mut scene);
    scene.update();
    assert!(scene.told.is_still());
    assert_eq!(scene.world(node), Some(&Mat34::IDENTITY));
}

#[test]
#[cfg_attr(panic = "abort", ignore = "needs unwinding")]
fn a_visit_that_ends_half_way_leaves_boxes_and_marks_right() {
    let passes = [TransformPass::dirty(), TransformPass::everything()];
    let ends = [1, 2, 3, 5, 9].into_iter().flat_map(|met| [End::Breaks(met), End::Prunes(met), End::Panics(met)]);
    for (changes, bounds) in crate::trees::MODES {
        for (pass, end) in passes.into_iter().flat_map(|pass| ends.clone().map(move |end| (pass, end))) {
            for first in [None, Some(at(3.0))] {
                let config = SceneConfig { changes, bounds, max_nodes: 16, ..SceneConfig::DEFAULT };
                let mut scene = Scene::with_config(config).unwrap();
                let mut nodes = vec![scene.insert(scene.root(), Node::transform(at(1.0))).unwrap()];
                for number in 0..100 {
                    let node = Node::transform(at(0.5)).with_drawable(Drawable::new(1, Aabb::cube(0.25)));
                    let node = if number % 3 == 0 { Node { local: None, ..node } } else { node };
                    nodes.push(scene.insert(nodes[number / 2], node).unwrap());
                }
                scene.update();
                let mut reader = ChangeReader::new();
                assert_eq!(scene.changes(&mut reader).is_ok(), changes);
                let before: Vec<Mat34> = nodes.iter().map(|&node| *scene.world(node).unwrap()).collect();
                Visit { local: first, end, ..Visit::new(pass) }.run(&mut scene);
                scene.validate().unwrap();
                let mut shaped = nodes[1..].to_vec();
                shaped.sort_unstable();
                if bounds {
                    assert_eq!(found(&scene), shaped, "{end:?}");
                }
                scene.update();
                scene.validate().unwrap();
                let told = scene.changes(&mut reader).ok();
                assert_eq!(told.is_some(), changes);
                for (&node, before) in nodes.iter().zip(&before) {
                    assert_eq!(scene.world(node).copied(), scene.get(node).map(|node| node.fresh_world()), "{end:?}");
                    if let Some(told) = told {
                        let moved = scene.world(node) != Some(before);
                        assert_eq!(told.moved().contains(&node), moved, "{end:?}");
                        assert_eq!(scene.get(node).unwrap().previous_world(), Some(before), "{end:?}");
                    }
                }
                if bounds {
                    assert_eq!(found(&scene), shaped, "{end:?}");
                }
            }
        }
    }
}

/// Lets a visitor move a tree, edits the tree, and checks what the next update reports. Returns the least number of
/// slices that this update adds.
fn move_by_visit(config: SceneConfig, x: f32, kids: usize, edit: impl Fn(&mut Scene, NodeHandle)) -> usize {
    let mut more = usize::MAX;
    for pass in [TransformPass::dirty(), TransformPass::everything()] {
        let mut scene = Watched::new(SceneConfig { changes: true, ..config });
        let root = scene.root();
        let top = scene.insert(root, Node::transform(Transform::IDENTITY)).unwrap();
        let mut nodes = vec![top];
        for kid in 0..kids {
            let node = if kid % 5 == 4 { Node::transform(Transform::IDENTITY) } else { Node::group() };
            let parent = nodes[if kid % 7 == 6 { kid / 2 } else { 0 }];
            nodes.push(scene.insert(parent, node).unwrap());
        }
        scene.update();
        let before: Vec<Mat34> = nodes.iter().map(|&node| *scene.world(node).unwrap()).collect();
        Visit::new(pass).setting(x).run(&mut scene);
        edit(&mut scene, top);
        scene.validate().unwrap();
        let slices = scene.slices().count();
        scene.update();
        scene.validate().unwrap();
        more = more.min(scene.slices().count().saturating_sub(slices));
        let mut moved = scene.told.moved.clone();
        moved.sort_unstable();
        let mut expected = nodes.clone();
        expected.sort_unstable();
        assert_eq!(moved, expected);
        for (&node, before) in nodes.iter().zip(&before) {
            assert_eq!(scene.get(node).unwrap().previous_world(), Some(before));
            assert_eq!(scene.world(node).copied(), scene.get(node).map(|node| node.fresh_world()));
        }
    }
    more
}

#[test]
fn what_a_visitor_moved_is_told_of_though_its_slice_was_split() {
    let config = SceneConfig { max_nodes: 16, ..SceneConfig::DEFAULT };
    let more = move_by_visit(config, 5.0, 13, |scene, top| {
        for _ in 0..3 {
            scene.insert(top, Node::group()).unwrap();
        }
    });
    assert!(more > 0, "the slice was to be split");
}

#[test]
fn what_a_visitor_moved_is_told_of_though_its_slice_was_merged_rebuilt_or_left() {
    let config = SceneConfig { max_nodes: 64, ..SceneConfig::DEFAULT };
    move_by_visit(config, 5.0, 40, |scene, _| scene.shrink_to_fit());
    move_by_visit(config, 5.0, 40, |scene, top| {
        scene.reparent(top, Place::Detached, Keep::Local).unwrap();
        scene.reparent(top, scene.root(), Keep::Local).unwrap();
    });
    move_by_visit(SceneConfig { max_nodes: 16, ..config }, 5.0, 60, |scene, top| {
        let children: Vec<NodeHandle> = scene.children(top).collect();
        for &child in children.iter().step_by(3) {
            scene.reparent(child, scene.root(), Keep::Local).unwrap();
        }
        for &child in children.iter().step_by(3) {
            scene.reparent(child, top, Keep::Local).unwrap();
        }
        scene.maintain(std::time::Duration::MAX);
    });
}

#[test]
fn a_node_below_one_that_was_detached_has_moved_with_the_transform_that_this_was_given() {
    let mut scene = Watched::new(SceneConfig { changes: true, ..SceneConfig::DEFAULT });
    let root = scene.root();
    let [shelf, book, page] = [(); 3].map(|()| scene.insert(root, Node::group()).unwrap());
    scene.reparent(page, book, Keep::Local).unwrap();
    scene.reparent(shelf, Place::Detached, Keep::Local).unwrap();
    scene.update();
    scene.reparent(book, shelf, Keep::Local).unwrap();
    scene.set_local(shelf, at(5.0)).unwrap();
    scene.reparent(shelf, root, Keep::Local).unwrap();
    scene.update();
    let mut moved = scene.told.moved.clone();
    moved.sort_unstable();
    assert_eq!((moved, &*scene.told.entered), (vec![book, page], &[shelf][..]));
    for node in [book, page] {
        assert_eq!(scene.world(node).unwrap().translation().x, 5.0);
        assert_eq!(scene.get(node).unwrap().previous_world(), Some(&Mat34::IDENTITY));
    }
    assert_eq!(
        scene.get(shelf).and_then(|node| node.previous_world()),
        scene.world(shelf),
        "what entered was nowhere before"
    );
    scene.update();
    assert!(
        [shelf, book, page]
            .iter()
            .all(|&node| scene.get(node).and_then(|node| node.previous_world()) == scene.world(node))
    );
}

#[test]
fn boxes_below_an_import_follow_a_visit_and_sets_of_all_to_the_same() {
    for gone in 0..32 {
        let mut scene = Scene::with_config(SceneConfig { max_nodes: 8, bounds: true, ..SceneConfig::DEFAULT }).unwrap();
        let top = scene.insert(scene.root(), Node::transform(at(0.0))).unwrap();
        let mut nodes = vec![top];
        let mut drawables = Vec::new();
        for number in 0..32 {
            nodes.push(scene.insert(top, Node::transform(at(0.0))).unwrap());
            if number % 16 == 15 {
                drawables.push(scene.insert(top, Node::drawable(Drawable::new(1, Aabb::cube(1.0)))).unwrap());
            }
        }
        scene.update();
        scene.remove(nodes.remove(1 + gone)).unwrap();
        scene.update();
        Visit::new(TransformPass::dirty()).setting(100.0).run(&mut scene);
        nodes.iter().for_each(|&node| scene.set_local(node, at(100.0)).unwrap());
        scene.update();
        scene.validate().unwrap();
        let mut near = Vec::new();
        let sphere = Sphere::new(Vec3::new(100.0, 0.0, 0.0), 1.0).unwrap();
        scene.query(&sphere, Layers::ALL, &mut near).unwrap();
        assert_eq!(near.len(), drawables.len());
    }
}
