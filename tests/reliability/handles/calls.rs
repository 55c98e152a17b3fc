//! One call for each public method that takes a handle of a node.

use hedgerow::changes::{DrawableMirror, MatrixMirror};
use hedgerow::data::{Column, Inherited, NodeMap};
use hedgerow::edit::{Change, Edit, EditQueue};
use hedgerow::glam::{DVec3, Vec3, Vec4};
use hedgerow::motion::Smooth;
use hedgerow::query::{BoxIndex, CullView, Filter, Frustum, Ray, Touch};
use hedgerow::visit::Flow;
use hedgerow::{
    Aabb, DrawList, Drawable, Error, Keep, Layers, Local, Mat34, Node, NodeHandle, NodeMut, NodeRef, Place, Scene,
    SceneConfig, Transform, Tree, ViewRange,
};
use hedgerow_anim::SkeletonBuilder;
use hedgerow_anim::skin::Skin;
use hedgerow_character::{JointBounds, Sockets};

/// A scene and data keyed by its nodes.
#[derive(Clone)]
pub(crate) struct Things {
    pub(crate) scene: Scene,
    pub(crate) nodes: Vec<NodeHandle>,
    map: NodeMap<u32>,
    column: Column<u32>,
    inherited: Inherited<u32>,
    drawables: DrawableMirror,
    smooth: Smooth,
    sockets: Sockets,
    bounds: JointBounds,
    skin: Skin,
    tree: Tree,
}

impl Things {
    pub(crate) fn new() -> Self {
        let config = SceneConfig { max_nodes: 32, bounds: true, changes: true, ..SceneConfig::DEFAULT };
        let mut scene = Scene::with_config(config).expect("the configuration makes sense");
        let mut nodes = vec![scene.root()];
        for number in 0..90_u8 {
            let node = if number % 3 == 0 { Node::group() } else { Node::transform(Transform::IDENTITY) };
            let node = if number % 2 == 0 { node.with_drawable(Drawable::new(1, Aabb::cube(1.0))) } else { node };
            nodes.push(scene.insert(nodes[usize::from(number) / 3], node.with_name("node")).expect("a plain insert"));
        }
        for &node in &nodes[70..80] {
            scene.remove(node).expect("a leaf");
        }
        scene.reparent(nodes[5], Place::Detached, Keep::Local).expect("a branch");
        scene.update();
        let mut builder = SkeletonBuilder::new();
        builder.joint("root", None, Transform::IDENTITY);
        let (skeleton, _) = builder.build().expect("one joint");
        let skin = Skin::at_rest(&skeleton).expect("a skin");
        let tree = scene.copy_tree(nodes[2]).expect("it lives");
        let (mut matrices, mut drawables) = (MatrixMirror::new(), DrawableMirror::new());
        matrices.sync(&scene, |_| ());
        drawables.sync(&scene, &matrices, |_| ());
        Self {
            map: nodes.iter().map(|&node| (node, 1)).collect(),
            column: Column::new(0),
            inherited: Inherited::new(1, |above, own| above + own),
            drawables,
            smooth: Smooth::new(&scene).expect("it tracks changes"),
            sockets: Sockets::new(),
            bounds: JointBounds::new(&skin, &[Vec3::ZERO], &[0], &[1.0]).expect("one vertex"),
            skin,
            tree,
            scene,
            nodes,
        }
    }
}

/// Returns a place made of two handles.
fn place([a, b]: [NodeHandle; 2]) -> Place {
    match b.to_bits() % 5 {
        0 => Place::FirstChildOf(a),
        1 => Place::LastChildOf(a),
        2 => Place::Before(a),
        3 => Place::After(a),
        _ => Place::Child(a, usize::from(b.to_bits().to_le_bytes()[0])),
    }
}

/// Makes an edit through a queue.
fn queued(things: &mut Things, edit: impl FnOnce(&mut EditQueue)) {
    let mut queue = EditQueue::new();
    edit(&mut queue);
    let _ = queue.apply(&mut things.scene);
}

fn everywhere() -> Frustum {
    Frustum::from_planes([Vec4::ZERO; 6]).expect("no plane")
}

/// Uses a result, whatever it is.
fn done<T>(_: T) {}

/// Reads every property of a node.
fn read(node: NodeRef<'_>) {
    done((node.handle(), node.name(), node.find("node/node"), node.find_all("node").count(), node.place()));
    done((node.first_child(), node.last_child(), node.next_sibling(), node.previous_sibling(), node.depth()));
    done((node.children().count(), node.siblings().count(), node.ancestors().count(), node.descendants().count()));
    done((node.post_order().count(), node.leaves().count(), node.edges().count(), node.is_detached(), node.to_node()));
    done((node.local(), node.translation_f64(), node.world(), node.fresh_world(), node.world_f64()));
    done((
        node.previous_world(),
        node.bounds(),
        node.subtree_bounds(),
        node.drawable(),
        node.matrix_slot(),
        node.user_data(),
        node.view_range(),
    ));
    done((node.material(), node.own_material(), node.layers(), node.own_layers()));
}

fn change(node: &mut NodeMut<'_>, which: u64) -> Result<(), Error> {
    match which % 15 {
        0 => node.set_local(Local::from(PLACE))?,
        1 => node.set_local(None)?,
        2 => node.set_material(3),
        3 => node.set_material(None),
        4 => node.set_drawable(Drawable::new(2, Aabb::EMPTY))?,
        5 => node.set_drawable(None)?,
        6 => node.set_layers(Layers::new(6)).set_name("other"),
        7 => node.set_layers(None).set_name(None),
        8 => node.set_user_data(9),
        9 => node.set_translation_f64(DVec3::ONE)?,
        10 => node.look_at(Vec3::X, Vec3::Y)?,
        11 => node.set_node(Node::material(2))?,
        12 => node.set_view_range(ViewRange::new(1.0, 2.0)?),
        13 => node.set_anchored(true, Keep::World)?,
        _ => node.sort_children_by(|a, b| b.handle().cmp(&a.handle())),
    };
    Ok(())
}

fn change_of(which: u64) -> Change {
    match which % 16 {
        0 => Change::Local(Some(PLACE.into())),
        1 => Change::Local(None),
        2 => Change::World(PLACE.into()),
        3 => Change::LookAt { target: Vec3::X, up: Vec3::Y },
        4 => Change::TranslationF64(DVec3::X),
        5 => Change::Material(Some(1)),
        6 => Change::Material(None),
        7 => Change::Drawable(Some(Drawable::new(1, Aabb::EMPTY))),
        8 => Change::Drawable(None),
        9 => Change::Layers(Some(Layers::ALL)),
        10 => Change::Layers(None),
        11 => Change::Name(Some("name".into())),
        12 => Change::Name(None),
        13 => Change::UserData(3),
        14 => Change::ViewRange(Some(ViewRange::new(1.0, 2.0).unwrap())),
        _ => Node::material(2).with_name("described").into(),
    }
}

type Call = fn(&mut Things, [NodeHandle; 2]);

const PLACE: Transform = Transform::IDENTITY;

#[rustfmt::skip]
pub(crate) const CALLS: &[(&str, Call)] = &[
    ("edit::insert", |t, h| done(t.scene.insert(place(h), Node::transform(PLACE)))),
    ("edit::remove", |t, h| done(t.scene.remove(h[0]))),
    ("batch::remove_many", |t, h| done(t.scene.remove_many(&h))),
    ("batch::set_locals", |t, h| done(t.scene.set_locals(h.map(|node| (node, PLACE))))),
    ("batch::set_worlds", |t, h| done(t.scene.set_worlds(&h.map(|node| (node, PLACE))))),
    ("batch::topmost", |t, h| done(t.scene.topmost(&h))),
    ("batch::reparent_many", |t, h| done(t.scene.reparent_many(&[(h[0], h[1]), (h[1], h[0])], Keep::Local))),
    ("column::get", |t, h| done(t.column.get(&t.scene, h[0]))),
    ("column::set", |t, h| done(t.column.set(&t.scene, h[0], 1))),
    ("component::local", |t, h| done(t.scene.local(h[0]))),
    ("component::set_local", |t, h| done(t.scene.set_local(h[0], PLACE))),
    ("component::modify_local", |t, h| done(t.scene.modify_local(h[0], |local| local.translation.x += 1.0))),
    ("drawables::index", |t, h| done(t.drawables.index(&t.scene, h[0]))),
    ("inherited::set", |t, h| { t.inherited.set(h[0], 2); t.inherited.run(&t.scene); }),
    ("inherited::remove", |t, h| { t.inherited.remove(h[0]); t.inherited.run(&t.scene); }),
    ("inherited::local", |t, h| done(t.inherited.local(h[0]))),
    ("inherited::get", |t, h| done(t.inherited.get(h[0]))),
    ("mod::contains", |t, h| done(t.scene.contains(h[0]))),
    ("mod::try_reserve", |t, h| done(t.scene.try_reserve(h[0], 20))),
    ("node_map::contains_key", |t, h| done(t.map.contains_key(h[0]))),
    ("node_map::get", |t, h| done(t.map.get(h[0]))),
    ("node_map::get_mut", |t, h| done(t.map.get_mut(h[0]))),
    ("node_map::insert", |t, h| done(t.map.insert(h[0], 2))),
    ("node_map::get_or_insert_with", |t, h| done(t.map.get_or_insert_with(h[0], || 4))),
    ("node_map::remove", |t, h| done(t.map.remove(h[0]))),
    ("motion::cut", |t, h| { t.smooth.cut(h[0]); done(t.smooth.step(&t.scene)); done(t.smooth.blend(&mut t.scene, 0.5)); }),
    ("node_ref::get", |t, h| done(t.scene.get(h[0]).map(read))),
    ("node_ref::is_below", |t, h| done(t.scene.get(h[0]).map(|node| node.is_below(h[1])))),
    ("node_ref::parent", |t, h| done(t.scene.parent(h[0]))),
    ("node_ref::children", |t, h| done(t.scene.children(h[0]).count())),
    ("node_mut::edit", |t, h| done(t.scene.edit(h[0]).and_then(|mut node| change(&mut node, h[1].to_bits())))),
    ("queue::insert", |t, h| queued(t, |queue| { queue.insert(place(h), Node::group()); })),
    ("queue::push, remove", |t, h| queued(t, |queue| queue.push(Edit::remove(h[0])))),
    ("queue::push, reparent", |t, h| queued(t, |queue| queue.push(Edit::reparent(h[0], place([h[1], h[0]]), Keep::World)))),
    ("queue::push, set_local", |t, h| queued(t, |queue| queue.push(Edit::set_local(h[0], PLACE)))),
    ("queue::push, change", |t, h| queued(t, |queue| queue.push(Edit::change(h[0], change_of(h[1].to_bits()))))),
    ("node_mut::change", |t, h| done(t.scene.edit(h[0]).and_then(|mut node| node.change(change_of(h[1].to_bits())).map(drop)))),
    ("queue::insert_tree", |t, h| {
        let tree = t.tree.clone();
        queued(t, |queue| _ = queue.insert_tree(place(h), tree));
    }),
    ("reparent::reparent", |t, h| done(t.scene.reparent(h[0], place([h[1], h[0]]), Keep::Local))),
    ("spatial::cull", |t, h| done(t.scene.cull(&mut [CullView::new(&everywhere(), &mut DrawList::new()).below(h[0])]))),
    ("spatial::query, below", |t, h| done(t.scene.query(&everywhere(), Filter::below(h[0]), &mut Vec::new()))),
    ("BoxIndex::fill, below", |t, h| done(BoxIndex::new().fill(&t.scene, Filter::below(h[0])))),
    ("spatial::query_from", |t, h| done(t.scene.query_from(DVec3::X, &everywhere(), Filter::below(h[0]), &mut DrawList::new(), &mut Vec::new()))),
    ("spatial::cast_ray", |t, h| done(t.scene.cast_ray(&Ray::new(Vec3::ZERO, Vec3::X).unwrap(), Filter::below(h[0]), &mut Vec::new()))),
    ("pick::pick", |t, h| done(t.scene.pick(&Ray::new(Vec3::ZERO, Vec3::X).unwrap(), Filter::below(h[0]), |_, _, _| None))),
    ("pick::select", |t, h| done(t.scene.select(&everywhere(), Filter::below(h[0]), |_, _| Touch::Whole, &mut Vec::new()))),
    ("pick::pick_all", |t, h| done(t.scene.pick_all(&Ray::new(Vec3::ZERO, Vec3::X).unwrap(), Filter::below(h[0]), |_, _, _| None, &mut Vec::new()))),
    ("world::set_world", |t, h| done(t.scene.set_world(h[0], PLACE))),
    ("world::worlds_of", |t, h| done(t.scene.worlds_of(&h, &mut [Mat34::IDENTITY; 2]))),
    ("world::world", |t, h| done(t.scene.world(h[0]))),
    ("insert::copy_tree", |t, h| done(t.scene.copy_tree(h[0]))),
    ("insert::insert_tree", |t, h| done(t.scene.insert_tree(place(h), &t.tree))),
    ("node::visit", |t, h| done(t.scene.visit(h[0], &mut |_: &NodeRef<'_>| Flow::Continue))),
    ("bounds::follow", |t, h| {
        let palette = [hedgerow::Mat34::IDENTITY];
        let palette = hedgerow_anim::skin::Palette::of(&t.skin, &palette).expect("a matrix for each joint");
        done(t.bounds.follow(&mut t.scene, h[0], palette, &[]));
    }),
    ("sockets::insert", |t, h| done(t.sockets.insert(&t.scene, h[0], 0, 0, PLACE))),
    ("sockets::remove", |t, h| done(t.sockets.remove(h[0]))),
    ("sockets::followed_by", |t, h| done(t.sockets.followed_by(h[0]))),
];
