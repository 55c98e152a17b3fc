//! Visitors of nodes, visitors of slices that see what the scene says, and one that sets a slot without a node.

use hedgerow::glam::{Quat, Vec3};
use hedgerow::{
    Aabb, Drawable, Layers, Local, Mat34, Node, NodeRef, Scene, SceneConfig, Transform,
    visit::{Flow, SliceView, SliceViewMut, SliceVisitor, SliceVisitorMut, Visitor},
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
        .with_name("a");
    let a = scene.insert(scene.root(), whole).unwrap();
    scene.insert(a, Node::group().with_name("b")).unwrap();
    scene.insert(scene.root(), Node::material(2).with_name("c")).unwrap();
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

/// Returns some thousand nodes of all kinds, edited in random places.
fn busy(config: SceneConfig, seed: u32) -> Scene {
    let mut dice = fastrand::Rng::with_seed(seed.into());
    let mut random = move |below: usize| dice.usize(..below);
    let mut scene = Scene::with_config(config).unwrap();
    let mut nodes = vec![scene.root()];
    for number in 0..3000u16 {
        let parent = nodes[random(nodes.len())];
        let angle = f32::from(number);
        let transform = Transform::from_xyz(angle % 7.0, angle % 3.0, -1.0)
            .with_rotation(Quat::from_rotation_y(angle))
            .with_scale(Vec3::new(1.0, if number % 11 == 0 { -1.0 } else { 1.1 }, 0.9));
        let shear = Mat34 { rows: [[1.0, 0.5, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.1, 1.0, 0.0]] };
        let drawable = Drawable::new(u32::from(number), Aabb::cube(1.0));
        let node = match number % 10 {
            0..=3 => Node::transform(transform),
            4 => Node::group().with_matrix(shear).with_drawable(drawable),
            5..=7 => Node::drawable(drawable),
            8 => Node::material(u32::from(number)),
            _ => Node::group().with_layers(Layers::new(u32::from(number) | 1)),
        };
        nodes.push(scene.insert(parent, node).unwrap());
        if number % 20 == 19 {
            let (node, parent) = (nodes[1 + random(nodes.len() - 1)], nodes[random(nodes.len())]);
            // A move that would make a cycle is refused.
            let _ = scene.reparent(node, parent, hedgerow::Keep::Local);
        }
    }
    scene
}

const CONFIGS: [SceneConfig; 3] = [
    SceneConfig::DEFAULT,
    SceneConfig { max_nodes: 100, ..SceneConfig::DEFAULT },
    SceneConfig { max_nodes: 8, ..SceneConfig::DEFAULT },
];

/// Checks that the columns of each slice agree with the scene.
struct Columns<'s> {
    scene: &'s Scene,
    transforms: usize,
    drawables: usize,
}

impl SliceVisitor for Columns<'_> {
    fn slice(&mut self, slice: SliceView<'_>) -> Flow {
        let (rows, transforms) = (slice.rows(), slice.transforms());
        let mut own = 0;
        for row in 0..rows.len() {
            let Some(node) = rows.node(row) else { continue };
            let transform = rows.transform(row).expect("a node has a slot");
            assert_eq!(rows.own_transform(row), self.scene.local(node).map(|_| transform));
            assert_eq!(Some(&transforms.worlds()[transform]), self.scene.world(node));
            assert_eq!(rows.layers(row), self.scene.get(node).map(|node| node.layers()));
            assert_eq!(rows.material(row), self.scene.get(node).and_then(|node| node.material()));
            if let Some(local) = self.scene.local(node) {
                own += 1;
                assert_eq!(transforms.local(transform), Some(local));
                assert!((transforms.parents()[transform] as usize) < transform, "a parent's slot comes first");
            }
            let parent = rows.parent(row).expect("a row above");
            assert_eq!(rows.node(parent).or(rows.import(parent)), self.scene.parent(node));
        }
        let occupied = (slice.imports()..transforms.len()).filter(|&slot| transforms.is_occupied(slot)).count();
        assert_eq!(occupied, own, "each transform belongs to a node");
        self.transforms += own;
        for listed in slice.drawables().iter() {
            self.drawables += 1;
            assert_eq!(self.scene.get(listed.node).unwrap().drawable(), Some(listed.drawable));
        }
        Flow::Continue
    }
}

#[test]
fn columns_say_what_the_scene_says() {
    for config in CONFIGS {
        let mut scene = busy(config, 4);
        scene.update();
        let mut columns = Columns { scene: &scene, transforms: 0, drawables: 0 };
        scene.visit_slices(&mut columns);
        let Columns { transforms, drawables, .. } = columns;
        let mut shown = Vec::new();
        scene.visit_slices(&mut |slice: SliceView<'_>| {
            shown.push(slice.rows().nodes().collect::<Vec<_>>());
            Flow::Continue
        });
        assert!(scene.slices().map(|slice| slice.rows().nodes().collect::<Vec<_>>()).eq(shown), "the same order");
        let nodes: Vec<_> = scene.get(scene.root()).unwrap().descendants().map(|node| node.handle()).collect();
        assert_eq!(transforms, nodes.iter().filter(|&&node| scene.local(node).is_some()).count());
        assert_eq!(
            drawables,
            nodes.iter().filter(|&&node| scene.get(node).and_then(|node| node.drawable()).is_some()).count()
        );
    }
}
