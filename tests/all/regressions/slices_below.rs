//! Slices below several others. Edits above must affect everything below.

use super::{check_update, drawn, draws, turned, whole};
use crate::trees::APART;
use hedgerow::{
    Error, Layers, Node, NodeHandle, Scene,
    visit::{Flow, SliceViewMut, SliceVisitorMut, TransformPass},
};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A top node with branches two deep and drawn leaves, in small slices, after an update.
struct Branches {
    scene: Scene,
    top: NodeHandle,
    group: NodeHandle,
    outer: Vec<NodeHandle>,
    inner: Vec<NodeHandle>,
    leaves: Vec<NodeHandle>,
}

impl Branches {
    fn new() -> Self {
        let mut scene = Scene::with_config(APART).unwrap();
        let top = scene.insert(scene.root(), Node::transform(turned(2.0, 0.4))).unwrap();
        let group = scene.insert(top, Node::group()).unwrap();
        let (mut outer, mut inner, mut leaves) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..3u8 {
            let angle = f32::from(number);
            let above = scene.insert(group, Node::transform(turned(angle, 1.0))).unwrap();
            leaves.push(scene.insert(above, drawn(10 + u32::from(number))).unwrap());
            for below in 0..3u8 {
                let node = Node::transform(turned(f32::from(below), angle)).with_material(u32::from(below));
                let node = if below == 0 { Node::group() } else { node };
                let low = scene.insert(above, node).unwrap();
                let mesh = 100 + 10 * u32::from(number) + u32::from(below);
                leaves.push(scene.insert(low, drawn(mesh)).unwrap());
                leaves.push(scene.insert(low, whole(mesh)).unwrap());
                inner.push(low);
            }
            outer.push(above);
        }
        let mut branches = Self { scene, top, group, outer, inner, leaves };
        branches.check("building");
        assert!(branches.scene.slices().count() > 4);
        branches
    }

    fn check(&mut self, after: &str) {
        check_update(&mut self.scene, after);
    }
}

/// How a visitor ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Leave {
    Panic,
    Answer(Flow),
}

/// Moves every transform in one slice, possibly computes that slice, and ends.
struct Meddler {
    /// The number of slices that are skipped before it.
    skip: usize,
    pass: Option<TransformPass>,
    leave: Leave,
}

impl SliceVisitorMut for Meddler {
    fn slice_mut(&mut self, mut slice: SliceViewMut<'_>) -> Flow {
        if self.skip > 0 {
            self.skip -= 1;
            return Flow::Continue;
        }
        for slot in 1..slice.view().transforms().len() {
            let local = slice.view().transforms().local(slot).and_then(|local| local.transform());
            if let Some(mut transform) = local {
                transform.translation.y += 7.0;
                slice.set_local(slot, transform).unwrap();
            }
        }
        if let Some(mut pass) = self.pass {
            pass.slice_mut(slice);
        }
        match self.leave {
            Leave::Panic => panic!("the visitor's own panic"),
            Leave::Answer(flow) => flow,
        }
    }
}

#[test]
#[cfg_attr(panic = "abort", ignore = "needs unwinding")]
fn what_a_visitor_set_is_updated_however_it_leaves() {
    let slices = Branches::new().scene.slices().count();
    let mut moved = 0;
    for skip in 0..slices {
        for pass in [None, Some(TransformPass::dirty()), Some(TransformPass::everything())] {
            for leave in [Leave::Panic, Leave::Answer(Flow::Break), Leave::Answer(Flow::Prune)] {
                for dirty in [false, true] {
                    let mut branches = Branches::new();
                    if dirty {
                        branches.scene.set_local(branches.top, turned(5.0, 2.0)).unwrap();
                    }
                    let before: Vec<_> = branches
                        .leaves
                        .iter()
                        .map(|&leaf| branches.scene.get(leaf).map(|node| node.fresh_world()))
                        .collect();
                    let scene = &mut branches.scene;
                    let visit = || scene.visit_slices_mut(&mut Meddler { skip, pass, leave });
                    let left = catch_unwind(AssertUnwindSafe(visit));
                    assert_eq!(left.is_err(), leave == Leave::Panic);
                    branches.scene.validate().unwrap();
                    let after: Vec<_> = branches
                        .leaves
                        .iter()
                        .map(|&leaf| branches.scene.get(leaf).map(|node| node.fresh_world()))
                        .collect();
                    moved += usize::from(before != after);
                    branches.check(&format!("{skip} slices, {pass:?}, {leave:?}"));
                }
            }
        }
    }
    assert!(moved > slices, "most slices have something to move");
}

#[test]
fn edits_reach_all_slices_below() {
    let mut branches = Branches::new();
    let (top, group) = (branches.top, branches.group);
    let (outer, inner) = (branches.outer.clone(), branches.inner.clone());
    let step = |branches: &mut Branches, what: &str, edit: &mut dyn FnMut(&mut Scene) -> Result<(), Error>| {
        edit(&mut branches.scene).unwrap();
        branches.check(what);
    };
    for node in [top, outer[0], outer[2], inner[1], inner[8]] {
        step(&mut branches, "set_local", &mut |scene| scene.set_local(node, turned(7.0, 0.6)));
    }
    for node in [group, top, outer[1], inner[0], inner[4]] {
        step(&mut branches, "set_local (first)", &mut |scene| scene.set_local(node, turned(-2.0, 1.6)));
        step(&mut branches, "set_local", &mut |scene| scene.set_local(node, turned(-3.0, 0.2)));
        step(&mut branches, "remove_local", &mut |scene| {
            scene.edit(node).and_then(|mut node| node.set_local(None).map(|_| ())).map(drop)
        });
        step(&mut branches, "set_material", &mut |scene| scene.edit(node).map(|mut node| _ = node.set_material(77)));
        step(&mut branches, "another material", &mut |scene| {
            scene.edit(node).map(|mut node| _ = node.set_material(78))
        });
        step(&mut branches, "remove_material", &mut |scene| {
            scene.edit(node).map(|mut node| _ = node.set_material(None))
        });
        step(&mut branches, "hiding", &mut |scene| scene.edit(node).map(|mut node| _ = node.set_layers(Layers::NONE)));
        step(&mut branches, "showing", &mut |scene| {
            scene.edit(node).map(|mut node| _ = node.set_layers(Layers::new(6)))
        });
        step(&mut branches, "hiding again", &mut |scene| {
            scene.edit(node).map(|mut node| _ = node.set_layers(Layers::NONE))
        });
        step(&mut branches, "remove_visibility", &mut |scene| {
            scene.edit(node).map(|mut node| _ = node.set_layers(None))
        });
    }
    let shown = draws(&branches.scene).len();
    assert_eq!(shown, branches.leaves.len(), "all is shown in the end");
    // The root hides all nodes and has a material, above every slice.
    let root = branches.scene.root();
    step(&mut branches, "hiding the root", &mut |scene| {
        scene.edit(root).map(|mut node| _ = node.set_layers(Layers::NONE))
    });
    assert!(draws(&branches.scene).is_empty());
    step(&mut branches, "showing the root", &mut |scene| scene.edit(root).map(|mut node| _ = node.set_layers(None)));
    step(&mut branches, "a material of the root", &mut |scene| {
        scene.edit(root).map(|mut node| _ = node.set_material(5))
    });
    step(&mut branches, "a transform of the root", &mut |scene| scene.set_local(root, turned(1.0, 3.0)));
    step(&mut branches, "none of the root", &mut |scene| {
        scene.edit(root).and_then(|mut node| node.set_local(None).map(|_| ())).map(drop)
    });
}
