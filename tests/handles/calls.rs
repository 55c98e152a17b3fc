//! One call for each public method that takes a handle of a node.

use hedgerow::anim::SkeletonBuilder;
use hedgerow::character::{JointBounds, Sockets};
use hedgerow::data::{Column, Inherited, NodeMap};
use hedgerow::edit::{EditQueue, HandleMap, SceneBuilder};
use hedgerow::glam::{DVec3, Vec3};
use hedgerow::skin::Skin;
use hedgerow::visit::{Flow, NodeRef};
use hedgerow::{Aabb, Keep, Node, NodeHandle, Place, Scene, SceneConfig, Shape, Transform, Visibility};

/// A scene and what is kept beside it.
#[derive(Clone)]
pub(crate) struct Things {
    pub(crate) scene: Scene,
    pub(crate) other: Scene,
    pub(crate) nodes: Vec<NodeHandle>,
    map: NodeMap<u32>,
    column: Column<u32>,
    inherited: Inherited<u32>,
    sockets: Sockets,
    bounds: JointBounds,
    skin: Skin,
    copies: HandleMap,
    subtree: Vec<u8>,
    #[cfg(feature = "serde")]
    ids: hedgerow::readable::NodeIds,
}

impl Things {
    pub(crate) fn new() -> Self {
        let config = SceneConfig { max_nodes: 32, bounds: true, changes: true };
        let mut scene = Scene::with_config(config).expect("the configuration makes sense");
        let mut nodes = vec![scene.root()];
        for number in 0..90_u8 {
            let node = if number % 3 == 0 { Node::group() } else { Node::transform(Transform::IDENTITY) };
            let node = if number % 2 == 0 { node.with_shape(Shape::new(1, Aabb::cube(1.0))) } else { node };
            nodes.push(scene.insert(nodes[usize::from(number) / 3], node.named("node")).expect("a plain insert"));
        }
        for &node in &nodes[70..80] {
            scene.remove(node).expect("a leaf");
        }
        scene.detach(nodes[5]).expect("a branch");
        scene.update();
        let mut builder = SkeletonBuilder::new();
        builder.joint("root", None, Transform::IDENTITY);
        let (skeleton, _) = builder.build().expect("one joint");
        let skin = Skin::at_rest(&skeleton).expect("a skin");
        let subtree = scene.save_subtree(nodes[2]).expect("it lives");
        scene.update();
        let copies = scene.clone().duplicate(nodes[2], nodes[0]).expect("it lives");
        Self {
            map: nodes.iter().map(|&node| (node, 1)).collect(),
            column: Column::new(0),
            inherited: Inherited::new(1, |above, own| above + own),
            sockets: Sockets::new(),
            bounds: JointBounds::new(&skin, &[Vec3::ZERO], &[0], &[1.0]).expect("one vertex"),
            skin,
            copies,
            subtree,
            #[cfg(feature = "serde")]
            ids: hedgerow::readable::NodeIds::of(&scene),
            other: scene.clone(),
            scene,
            nodes,
        }
    }
}

/// A place made of two handles.
fn place([a, b]: [NodeHandle; 2]) -> Place {
    match b.to_bits() % 5 {
        0 => Place::FirstChildOf(a),
        1 => Place::LastChildOf(a),
        2 => Place::Before(a),
        3 => Place::After(a),
        _ => Place::Child(a, usize::from(b.to_bits().to_le_bytes()[0])),
    }
}

/// Makes the same edit by a queue.
fn queued(things: &mut Things, edit: impl FnOnce(&mut EditQueue)) {
    let mut queue = EditQueue::new();
    edit(&mut queue);
    let _ = queue.apply(&mut things.scene);
}

/// Takes a result, whatever it is.
fn done<T>(_: T) {}

type Call = fn(&mut Things, [NodeHandle; 2]);

const PLACE: Transform = Transform::IDENTITY;

#[rustfmt::skip]
pub(crate) const CALLS: &[(&str, Call)] = &[
    ("edit::insert", |t, h| done(t.scene.insert(place(h), Node::transform(PLACE)))),
    ("edit::remove", |t, h| done(t.scene.remove(h[0]))),
    ("batch::insert_many", |t, h| done(t.scene.insert_many(&[(h[0], Node::group()), (h[1], Node::group())], &mut Vec::new()))),
    ("batch::remove_many", |t, h| done(t.scene.remove_many(&h))),
    ("batch::set_transforms", |t, h| done(t.scene.set_transforms(&h.map(|node| (node, PLACE))))),
    ("batch::set_locals", |t, h| done(t.scene.set_locals(h.map(|node| (node, PLACE))))),
    ("batch::set_worlds", |t, h| done(t.scene.set_worlds(&h.map(|node| (node, PLACE))))),
    ("batch::detach_many", |t, h| done(t.scene.detach_many(&h))),
    ("batch::topmost", |t, h| done(t.scene.topmost(&h))),
    ("batch::reparent_many", |t, h| done(t.scene.reparent_many(&[(h[0], h[1]), (h[1], h[0])], Keep::Local))),
    ("builder::insert_into", |t, h| {
        let mut builder = SceneBuilder::new();
        builder.push(None, Node::group());
        done(builder.insert_into(&mut t.scene, place(h)));
    }),
    ("changes::previous_world", |t, h| done(t.scene.previous_world(h[0]))),
    ("column::get", |t, h| done(t.column.get(&t.scene, h[0]))),
    ("column::set", |t, h| done(t.column.set(&t.scene, h[0], 1))),
    ("component::set_local", |t, h| done(t.scene.set_local(h[0], PLACE))),
    ("component::modify_local", |t, h| done(t.scene.modify_local(h[0], |local| local.translation.x += 1.0))),
    ("component::set_node", |t, h| done(t.scene.set_node(h[0], Node::material(2)))),
    ("component::remove_local", |t, h| done(t.scene.remove_local(h[0]))),
    ("component::set_material", |t, h| done(t.scene.set_material(h[0], 3))),
    ("component::remove_material", |t, h| done(t.scene.remove_material(h[0]))),
    ("component::set_shape", |t, h| done(t.scene.set_shape(h[0], Shape::new(2, Aabb::EMPTY)))),
    ("component::set_mesh", |t, h| done(t.scene.set_mesh(h[0], 4))),
    ("component::set_bounds", |t, h| done(t.scene.set_bounds(h[0], Aabb::cube(2.0)))),
    ("component::remove_shape", |t, h| done(t.scene.remove_shape(h[0]))),
    ("component::set_visibility", |t, h| done(t.scene.set_visibility(h[0], Visibility::layers(6)))),
    ("component::remove_visibility", |t, h| done(t.scene.remove_visibility(h[0]))),
    ("component::set_name", |t, h| done(t.scene.set_name(h[0], Some("other")))),
    ("detach::detach", |t, h| done(t.scene.detach(h[0]))),
    ("detach::attach", |t, h| done(t.scene.attach(h[0], place([h[1], h[0]]), Keep::World))),
    ("detach::is_detached", |t, h| done(t.scene.is_detached(h[0]))),
    ("draws::word", |t, h| done(t.scene.word(h[0]))),
    ("draws::set_word", |t, h| done(t.scene.set_word(h[0], 9))),
    ("duplicate::duplicate", |t, h| done(t.scene.duplicate(h[0], place([h[1], h[0]])))),
    ("duplicate::duplicate_from", |t, h| done(t.scene.duplicate_from(&t.other, h[0], place([h[1], h[0]])))),
    ("handle_map::get", |t, h| done(t.copies.get(h[0]))),
    ("inherited::set", |t, h| { t.inherited.set(h[0], 2); t.inherited.run(&t.scene); }),
    ("inherited::remove", |t, h| { t.inherited.remove(h[0]); t.inherited.run(&t.scene); }),
    ("inherited::local", |t, h| done(t.inherited.local(h[0]))),
    ("inherited::get", |t, h| done(t.inherited.get(h[0]))),
    ("mod::contains", |t, h| done(t.scene.contains(h[0]))),
    ("mod::try_reserve", |t, h| done(t.scene.try_reserve(h[0], 20))),
    ("name::name", |t, h| done(t.scene.name(h[0]))),
    ("name::find", |t, h| done(t.scene.find(h[0], "node/node"))),
    ("name::find_by", |t, h| done(t.scene.find_by(h[0], &["node"]))),
    ("node_map::contains_key", |t, h| done(t.map.contains_key(h[0]))),
    ("node_map::get", |t, h| done(t.map.get(h[0]))),
    ("node_map::get_mut", |t, h| done(t.map.get_mut(h[0]))),
    ("node_map::insert", |t, h| done(t.map.insert(h[0], 2))),
    ("node_map::evict", |t, h| done(t.map.evict(h[0]))),
    ("node_map::replace", |t, h| done(t.map.replace(h[0], 3))),
    ("node_map::holder", |t, h| done(t.map.holder(h[0]))),
    ("node_map::get_or_insert_with", |t, h| done(t.map.get_or_insert_with(h[0], || 4))),
    ("node_map::remove", |t, h| done(t.map.remove(h[0]))),
    ("place::place_of", |t, h| done(t.scene.place_of(h[0]))),
    ("query::parent", |t, h| done(t.scene.parent(h[0]))),
    ("query::first_child", |t, h| done(t.scene.first_child(h[0]))),
    ("query::last_child", |t, h| done(t.scene.last_child(h[0]))),
    ("query::next_sibling", |t, h| done(t.scene.next_sibling(h[0]))),
    ("query::previous_sibling", |t, h| done(t.scene.previous_sibling(h[0]))),
    ("query::children", |t, h| done(t.scene.children(h[0]).count())),
    ("query::child_count", |t, h| done(t.scene.child_count(h[0]))),
    ("query::siblings", |t, h| done(t.scene.siblings(h[0]).count())),
    ("query::ancestors", |t, h| done(t.scene.ancestors(h[0]).count())),
    ("query::descendants", |t, h| done(t.scene.descendants(h[0]).count())),
    ("query::post_order", |t, h| done(t.scene.post_order(h[0]).count())),
    ("query::leaves", |t, h| done(t.scene.leaves(h[0]).count())),
    ("query::edges", |t, h| done(t.scene.edges(h[0]).count())),
    ("query::depth", |t, h| done(t.scene.depth(h[0]))),
    ("query::is_ancestor", |t, h| done(t.scene.is_ancestor(h[0], h[1]))),
    ("query::node", |t, h| done(t.scene.node(h[0]))),
    ("query::shape", |t, h| done(t.scene.shape(h[0]))),
    ("query::own_material", |t, h| done(t.scene.own_material(h[0]))),
    ("query::material", |t, h| done(t.scene.material(h[0]))),
    ("query::own_visibility", |t, h| done(t.scene.own_visibility(h[0]))),
    ("query::visibility", |t, h| done(t.scene.visibility(h[0]))),
    ("queue::insert", |t, h| queued(t, |queue| { queue.insert(place(h), Node::group()); })),
    ("queue::remove", |t, h| queued(t, |queue| queue.remove(h[0]))),
    ("queue::detach", |t, h| queued(t, |queue| queue.detach(h[0]))),
    ("queue::attach", |t, h| queued(t, |queue| queue.attach(h[0], place([h[1], h[0]]), Keep::Local))),
    ("queue::reparent", |t, h| queued(t, |queue| queue.reparent(h[0], place([h[1], h[0]]), Keep::World))),
    ("queue::set_node", |t, h| queued(t, |queue| queue.set_node(h[0], Node::group()))),
    ("queue::set_word", |t, h| queued(t, |queue| queue.set_word(h[0], 3))),
    ("queue::set_translation_f64", |t, h| queued(t, |queue| queue.set_translation_f64(h[0], DVec3::X))),
    ("queue::set_local", |t, h| queued(t, |queue| queue.set_local(h[0], PLACE))),
    ("queue::set_world", |t, h| queued(t, |queue| queue.set_world(h[0], PLACE))),
    ("queue::look_at", |t, h| queued(t, |queue| queue.look_at(h[0], Vec3::X, Vec3::Y))),
    ("queue::remove_local", |t, h| queued(t, |queue| queue.remove_local(h[0]))),
    ("queue::set_material", |t, h| queued(t, |queue| queue.set_material(h[0], 1))),
    ("queue::remove_material", |t, h| queued(t, |queue| queue.remove_material(h[0]))),
    ("queue::set_shape", |t, h| queued(t, |queue| queue.set_shape(h[0], Shape::new(1, Aabb::EMPTY)))),
    ("queue::set_mesh", |t, h| queued(t, |queue| queue.set_mesh(h[0], 1))),
    ("queue::set_bounds", |t, h| queued(t, |queue| queue.set_bounds(h[0], Aabb::EMPTY))),
    ("queue::remove_shape", |t, h| queued(t, |queue| queue.remove_shape(h[0]))),
    ("queue::set_visibility", |t, h| queued(t, |queue| queue.set_visibility(h[0], Visibility::VISIBLE))),
    ("queue::remove_visibility", |t, h| queued(t, |queue| queue.remove_visibility(h[0]))),
    ("queue::set_name", |t, h| queued(t, |queue| queue.set_name(h[0], None))),
    ("trees::duplicate", |t, h| queued(t, |queue| { queue.duplicate(h[0], place([h[1], h[0]])); })),
    ("trees::insert_tree", |t, h| queued(t, |queue| {
        let mut builder = SceneBuilder::new();
        builder.push(None, Node::group());
        queue.insert_tree(place(h), builder);
    })),
    ("reparent::reparent", |t, h| done(t.scene.reparent(h[0], place([h[1], h[0]]), Keep::Local))),
    ("spatial::subtree_bounds", |t, h| done(t.scene.subtree_bounds(h[0]))),
    ("mirror::matrix_slot", |t, h| done(t.scene.matrix_slot(h[0]))),
    ("world::fresh_world", |t, h| done(t.scene.fresh_world(h[0]))),
    ("world::translation_f64", |t, h| done(t.scene.translation_f64(h[0]))),
    ("world::set_translation_f64", |t, h| done(t.scene.set_translation_f64(h[0], DVec3::ONE))),
    ("world::world_f64", |t, h| done(t.scene.world_f64(h[0]))),
    ("world::set_world", |t, h| done(t.scene.set_world(h[0], PLACE))),
    ("world::look_at", |t, h| done(t.scene.look_at(h[0], Vec3::X, Vec3::Y))),
    ("world::local", |t, h| done(t.scene.local(h[0]))),
    ("world::world", |t, h| done(t.scene.world(h[0]))),
    ("world::world_bounds", |t, h| done(t.scene.world_bounds(h[0]))),
    ("subtree::save_subtree", |t, h| done(t.scene.save_subtree(h[0]))),
    ("subtree::load_subtree", |t, h| done(t.scene.load_subtree(&t.subtree, place(h)))),
    ("node::visit", |t, h| done(t.scene.visit(h[0], &mut |_: &NodeRef<'_>| Flow::Continue))),
    ("bounds::follow", |t, h| {
        let palette = [hedgerow::Mat34::IDENTITY];
        let palette = hedgerow::skin::Palette::of(&t.skin, &palette).expect("a matrix for each joint");
        done(t.bounds.follow(&mut t.scene, h[0], h[1], palette));
    }),
    ("sockets::insert", |t, h| done(t.sockets.insert(&t.scene, h[0], 0, 0, PLACE))),
    ("sockets::remove", |t, h| done(t.sockets.remove(h[0]))),
    ("sockets::followed_by", |t, h| done(t.sockets.followed_by(h[0]))),
    #[cfg(feature = "serde")]
    ("ids::insert", |t, h| done(t.ids.insert(h[0], h[1].to_bits()))),
    #[cfg(feature = "serde")]
    ("ids::id", |t, h| done(t.ids.id(h[0]))),
];
