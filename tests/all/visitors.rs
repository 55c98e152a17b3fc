//! Visitors of nodes, and a visitor that sets what is not there.

use hedgerow::{
    Aabb, Drawable, Local, Node, NodeRef, Scene, SceneConfig, Transform,
    visit::{Flow, SliceViewMut, SliceVisitorMut, Visitor},
};

/// Records every call, and returns the scripted answer.
struct Script {
    calls: Vec<String>,
    answer: fn(&str) -> Flow,
}

impl Script {
    fn call(&mut self, what: &str, node: &NodeRef<'_>) -> Flow {
        let call = format!("{what} {}", node.name().unwrap_or("?"));
        let flow = (self.answer)(&call);
        self.calls.push(call);
        flow
    }
}

impl Visitor for Script {
    fn enter(&mut self, node: &NodeRef<'_>) -> Flow {
        self.call("enter", node)
    }

    fn transform(&mut self, node: &NodeRef<'_>, _: Local) -> Flow {
        self.call("transform", node)
    }

    fn material(&mut self, node: &NodeRef<'_>, _: u32) -> Flow {
        self.call("material", node)
    }

    fn drawable(&mut self, node: &NodeRef<'_>, _: Drawable) -> Flow {
        self.call("drawable", node)
    }

    fn leave(&mut self, node: &NodeRef<'_>) {
        self.call("leave", node);
    }
}

fn script(scene: &Scene, answer: fn(&str) -> Flow) -> (Flow, String) {
    let mut script = Script { calls: Vec::new(), answer };
    let flow = scene.visit(scene.root(), &mut script);
    (flow, script.calls.join(", "))
}

fn little() -> Scene {
    let mut scene = Scene::with_config(SceneConfig::DEFAULT).unwrap();
    scene.edit(scene.root()).unwrap().set_name("r");
    let whole = Node::transform(Transform::IDENTITY)
        .with_material(1)
        .with_drawable(Drawable::new(1, Aabb::cube(1.0)))
        .named("a");
    let a = scene.insert(scene.root(), whole).unwrap();
    scene.insert(a, Node::group().named("b")).unwrap();
    scene.insert(scene.root(), Node::material(2).named("c")).unwrap();
    scene
}

#[test]
fn a_visitor_is_called_for_each_kind_between_enter_and_leave() {
    let calls = "enter r, enter a, transform a, material a, drawable a, enter b, leave b, leave a, \
                 enter c, material c, leave c, leave r";
    assert_eq!(script(&little(), |_| Flow::Continue), (Flow::Continue, calls.into()));
}

#[test]
fn pruning_passes_over_what_is_below() {
    let scene = little();
    let pruned = "enter r, enter a, transform a, material a, drawable a, leave a, \
                  enter c, material c, leave c, leave r";
    let (flow, calls) = script(&scene, |call| if call == "enter a" { Flow::Prune } else { Flow::Continue });
    assert_eq!((flow, calls.as_str()), (Flow::Continue, pruned));
    let (_, calls) = script(&scene, |call| if call == "drawable a" { Flow::Prune } else { Flow::Continue });
    assert_eq!(calls, pruned);
    let (_, calls) = script(&scene, |_| Flow::Prune);
    assert_eq!(calls, "enter r, leave r");
}

#[test]
fn breaking_off_ends_the_visit_at_once() {
    let scene = little();
    let answer: fn(&str) -> Flow = |call| if call == "material a" { Flow::Break } else { Flow::Continue };
    assert_eq!(script(&scene, answer), (Flow::Break, "enter r, enter a, transform a, material a".into()));
}

#[test]
#[cfg_attr(panic = "abort", ignore = "needs unwinding")]
fn a_slot_that_no_node_has_cannot_be_set() {
    struct Setter(usize);
    impl SliceVisitorMut for Setter {
        fn slice_mut(&mut self, mut slice: SliceViewMut<'_>) -> Flow {
            let _ = slice.set_local(self.0, Transform::IDENTITY);
            Flow::Continue
        }
    }
    for slot in [0, 10_000, usize::MAX] {
        let mut scene = little();
        let visit = std::panic::AssertUnwindSafe(|| scene.visit_slices_mut(&mut Setter(slot)));
        assert!(std::panic::catch_unwind(visit).is_err());
        scene.validate().unwrap();
    }
}
