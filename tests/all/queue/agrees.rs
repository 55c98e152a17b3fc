//! A queue has the same effect as direct edits.

use hedgerow::glam::Vec3;
use hedgerow::{
    Aabb, Drawable, Error, Keep, Layers, Local, Mat34, Node, NodeHandle, Place, Scene, Transform, Tree,
    edit::{Change, Edit, EditQueue, Outcome, Queued, QueuedPlace, Target},
};
use proptest::prelude::*;

/// The node of a generated step: an index among all handles so far, or among the inserts of the round.
#[derive(Clone, Copy, Debug)]
enum Which {
    Known(prop::sample::Index),
    Queued(prop::sample::Index),
}

#[derive(Clone, Debug)]
enum Step {
    Insert(u8, Which, Option<Transform>, Option<String>),
    Remove(Which),
    Reparent(Which, u8, Which, Keep),
    SetLocal(Which, Transform),
    SetLocalMatrix(Which, Mat34),
    SetWorld(Which, Mat34),
    LookAt(Which, Vec3),
    AddTransform(Which, Transform),
    AddMaterial(Which, u32),
    AddDrawable(Which, Drawable),
    SetLayers(Which, Layers),
    Detach(Which, u8),
    SetName(Which, Option<String>),
    Build(u8, Which, usize),
}

/// Returns a root with this many children.
fn tree(children: usize) -> Tree {
    let mut tree = Tree::new();
    tree.push(None, Node::group().named("top"));
    for _ in 0..children {
        tree.push(Some(0), Node::transform(Transform::IDENTITY));
    }
    tree
}

fn place(kind: u8, anchor: Target) -> QueuedPlace {
    match kind % 6 {
        0 => QueuedPlace::FirstChildOf(anchor),
        1 => QueuedPlace::Before(anchor),
        2 => QueuedPlace::After(anchor),
        _ => QueuedPlace::LastChildOf(anchor),
    }
}

fn description<'n>(local: Option<Transform>, name: &'n Option<String>) -> Node<'n> {
    Node { local: local.map(Local::Transform), name: name.as_deref(), ..Node::group() }
}

fn detach(kind: u8) -> Change {
    match kind {
        0 => Change::Local(None),
        1 => Change::Material(None),
        2 => Change::Drawable(None),
        _ => Change::Layers(None),
    }
}

impl Step {
    /// Records the step; `target` resolves its nodes.
    fn record(&self, queue: &mut EditQueue, target: impl Fn(Which) -> Target) -> Option<Queued> {
        queue.push(match self {
            Self::Insert(kind, anchor, local, name) => {
                return Some(queue.insert(place(*kind, target(*anchor)), description(*local, name)));
            }
            Self::Build(kind, anchor, children) => {
                return Some(queue.insert_tree(place(*kind, target(*anchor)), tree(*children)));
            }
            Self::Remove(node) => Edit::remove(target(*node)),
            Self::Reparent(node, kind, anchor, keep) => {
                Edit::reparent(target(*node), place(*kind, target(*anchor)), *keep)
            }
            Self::SetLocal(node, local) => Edit::set_local(target(*node), *local),
            Self::SetLocalMatrix(node, local) => Edit::set_local(target(*node), *local),
            Self::SetWorld(node, world) => Edit::change(target(*node), Change::World(Local::from(*world))),
            Self::LookAt(node, at) => Edit::change(target(*node), Change::LookAt { target: *at, up: Vec3::Y }),
            Self::AddTransform(node, local) => Edit::set_local(target(*node), *local),
            Self::AddMaterial(node, material) => Edit::change(target(*node), Change::Material(Some(*material))),
            Self::AddDrawable(node, drawable) => Edit::change(target(*node), Change::Drawable(Some(*drawable))),
            Self::SetLayers(node, mask) => Edit::change(target(*node), Change::Layers(Some(*mask))),
            Self::Detach(node, kind) => Edit::change(target(*node), detach(*kind)),
            Self::SetName(node, name) => Edit::change(target(*node), Change::Name(name.as_deref().map(Into::into))),
        });
        None
    }

    /// Makes the edit on the scene. `node` resolves its nodes, or returns why a node was not inserted.
    fn make(&self, scene: &mut Scene, node: impl Fn(Which) -> Result<NodeHandle, Error>) -> Result<Outcome, Error> {
        let place = |kind: u8, anchor| {
            let anchor = node(anchor)?;
            Ok::<Place, Error>(match place(kind, anchor.into()) {
                QueuedPlace::FirstChildOf(_) => Place::FirstChildOf(anchor),
                QueuedPlace::LastChildOf(_) => Place::LastChildOf(anchor),
                QueuedPlace::Before(_) => Place::Before(anchor),
                QueuedPlace::After(_) => Place::After(anchor),
                QueuedPlace::Child(_, index) => Place::Child(anchor, index),
                QueuedPlace::Detached => Place::Detached,
            })
        };
        let set = |()| Outcome::Changed;
        match self {
            Self::Insert(kind, anchor, local, name) => {
                scene.insert(place(*kind, *anchor)?, description(*local, name)).map(Outcome::Inserted)
            }
            Self::Remove(which) => scene.remove(node(*which)?).map(Outcome::Removed),
            Self::Reparent(which, kind, anchor, keep) => {
                scene.reparent(node(*which)?, place(*kind, *anchor)?, *keep).map(Outcome::Moved)
            }
            Self::SetLocal(which, local) => scene.set_local(node(*which)?, *local).map(set),
            Self::SetLocalMatrix(which, local) => scene.set_local(node(*which)?, *local).map(set),
            Self::SetWorld(which, world) => scene.set_world(node(*which)?, *world).map(|_| Outcome::Changed),
            Self::LookAt(which, at) => {
                scene.edit(node(*which)?).and_then(|mut node| node.look_at(*at, Vec3::Y).map(|_| ())).map(set)
            }
            Self::AddTransform(which, local) => scene.set_local(node(*which)?, *local).map(set),
            Self::AddMaterial(which, material) => scene.edit(node(*which)?).map(|mut node| {
                node.set_material(*material);
                Outcome::Changed
            }),
            Self::AddDrawable(which, drawable) => {
                scene.edit(node(*which)?).and_then(|mut node| node.set_drawable(*drawable).map(|_| ())).map(set)
            }
            Self::SetLayers(which, visibility) => scene.edit(node(*which)?).map(|mut node| {
                node.set_layers(*visibility);
                Outcome::Changed
            }),
            Self::Detach(which, kind) => {
                let mut node = scene.edit(node(*which)?)?;
                match kind {
                    0 => node.set_local(None)?,
                    1 => node.set_material(None),
                    2 => node.set_drawable(None)?,
                    _ => node.set_layers(None),
                };
                Ok(Outcome::Changed)
            }
            Self::SetName(which, name) => scene.edit(node(*which)?).map(|mut node| {
                node.set_name(name.as_deref());
                Outcome::Changed
            }),
            Self::Build(kind, anchor, children) => {
                let nodes = scene.insert_tree(place(*kind, *anchor)?, &tree(*children))?;
                Ok(Outcome::InsertedTree(Some(nodes[0])))
            }
        }
    }
}

fn which() -> impl Strategy<Value = Which> {
    any::<(bool, prop::sample::Index)>()
        .prop_map(|(queued, index)| if queued { Which::Queued(index) } else { Which::Known(index) })
}

fn transform() -> impl Strategy<Value = Transform> {
    let number = || prop_oneof![9 => (-8..8_i8).prop_map(f32::from), 1 => Just(f32::NAN)];
    (number(), number(), 0.25..4.0_f32)
        .prop_map(|(x, y, scale)| Transform::from_xyz(x, y, 1.0).with_scale(Vec3::new(scale, 1.0, 2.0)))
}

fn step() -> impl Strategy<Value = Step> {
    let name = || prop::option::of("[a-zä]{0,6}");
    let keep = prop_oneof![Just(Keep::Local), Just(Keep::World)];
    let matrix =
        || (-2.0..2.0_f32).prop_map(|x| Mat34 { rows: [[1.0, x, 0.0, x], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 2.0]] });
    prop_oneof![
        8 => (0..6_u8, which(), prop::option::of(transform()), name())
            .prop_map(|(kind, anchor, local, name)| Step::Insert(kind, anchor, local, name)),
        2 => which().prop_map(Step::Remove),
        4 => (which(), 0..6_u8, which(), keep)
            .prop_map(|(node, kind, anchor, keep)| Step::Reparent(node, kind, anchor, keep)),
        2 => (which(), transform()).prop_map(|(node, local)| Step::SetLocal(node, local)),
        1 => (which(), matrix()).prop_map(|(node, local)| Step::SetLocalMatrix(node, local)),
        1 => (which(), matrix()).prop_map(|(node, world)| Step::SetWorld(node, world)),
        1 => (which(), transform()).prop_map(|(node, at)| Step::LookAt(node, at.translation)),
        1 => (which(), transform()).prop_map(|(node, local)| Step::AddTransform(node, local)),
        1 => (which(), 0..9_u32).prop_map(|(node, material)| Step::AddMaterial(node, material)),
        1 => (which(), 0..9_u32).prop_map(|(node, mesh)| Step::AddDrawable(node, Drawable::new(mesh, Aabb::cube(1.0)))),
        1 => (which(), any::<u32>())
            .prop_map(|(node, mask)| Step::SetLayers(node, Layers::new(mask))),
        2 => (which(), 0..4_u8).prop_map(|(node, kind)| Step::Detach(node, kind)),
        2 => (which(), name()).prop_map(|(node, name)| Step::SetName(node, name)),
        2 => (0..6_u8, which(), 0..5_usize).prop_map(|(kind, anchor, children)| Step::Build(kind, anchor, children)),
    ]
}

proptest! {
    #[test]
    fn a_queue_agrees_with_direct_edits(
        rounds in prop::collection::vec((prop::collection::vec(step(), 0..40), any::<prop::sample::Index>()), 1..6),
    ) {
        let (mut direct, mut queued) = (Scene::new(), Scene::new());
        let all = |scene: &Scene| scene.get(scene.root()).unwrap().descendants().map(|node| node.handle()).collect::<Vec<_>>();
        let mut handles = vec![direct.root()];
        let (mut queue, mut tail) = (EditQueue::new(), EditQueue::new());
        for (steps, split) in rounds {
            // Results and tickets of the round's inserts so far.
            let mut made: Vec<Result<NodeHandle, Error>> = Vec::new();
            let mut tickets: Vec<Queued> = Vec::new();
            let mut expected = Vec::new();
            // The steps after the split go to a second queue, which is appended to the first.
            let split = split.index(steps.len() + 1);
            for (number, step) in steps.iter().enumerate() {
                let result = step.make(&mut direct, |which| match which {
                    Which::Queued(index) if !made.is_empty() => *index.get(&made),
                    Which::Known(index) | Which::Queued(index) => Ok(*index.get(&handles)),
                });
                let recorder = if number < split { &mut queue } else { &mut tail };
                let ticket = step.record(recorder, |which| match which {
                    Which::Queued(index) if !tickets.is_empty() => (*index.get(&tickets)).into(),
                    Which::Known(index) | Which::Queued(index) => (*index.get(&handles)).into(),
                });
                if let Some(ticket) = ticket {
                    tickets.push(ticket);
                    made.push(result.map(|outcome| match outcome {
                        Outcome::Inserted(handle) | Outcome::InsertedTree(Some(handle)) => handle,
                        other => panic!("an insert gave {other:?}"),
                    }));
                }
                expected.push(result);
            }
            queue.append(&mut tail);
            prop_assert_eq!(queue.apply(&mut queued), expected);
            for (&ticket, made) in tickets.iter().zip(&made) {
                prop_assert_eq!(queue.inserted(ticket), (*made).ok());
            }
            handles.extend(made.into_iter().flatten());

            prop_assert!(all(&direct) == all(&queued));
            for &handle in &handles {
                prop_assert_eq!(direct.parent(handle), queued.parent(handle));
                prop_assert_eq!(direct.get(handle).map(|node| node.node()), queued.get(handle).map(|node| node.node()));
                prop_assert_eq!(direct.get(handle).map(|node| node.fresh_world()), queued.get(handle).map(|node| node.fresh_world()));
            }
            prop_assert!(queued.validate().is_ok());
        }
    }
}
