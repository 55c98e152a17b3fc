//! What is in each file: values that have all parts of their format. A value stays as it is once its version is released;
//! a new version gets a file and a value of its own.

use super::{File, Read};
use core::fmt::{Debug, Display};
use hedgerow::glam::{DVec3, Quat, Vec3};
use hedgerow::{
    Aabb, Drawable, Layers, Mat34, Node, Place, Scene, SceneConfig, Transform, Tree, ViewRange, Visibility,
};
use hedgerow_anim::clip::{JumpSpacing, Precision};
use hedgerow_anim::raw::Track;
use hedgerow_anim::skin::MorphTarget;
use hedgerow_anim::{Clip, ClipBuilder, Player, Pose, RawClip, Skeleton, SkeletonBuilder, Skin, SkinnedMesh};
use hedgerow_animator::{Animator, Curve, Fade, LayerOptions, Machine, MachineBuilder, Motion};
use hedgerow_document::{Entry, Field, Key, Library, LocalValue, Order, Patch, Spot, Value};
use hedgerow_mesh::{TriangleTree, Triangles};
use hedgerow_testkit::model::dump::dump;

/// Returns all files.
pub(super) fn files() -> Vec<File> {
    Vec::from([
        bytes("scene.14.bytes", scene(), Scene::to_bytes, Scene::from_bytes, same_scene),
        bytes("tree.14.bytes", tree(), Tree::to_bytes, Tree::from_bytes, equal),
        bytes("library.1.bytes", library(), Library::to_bytes, Library::from_bytes, same_library),
        bytes("patch.1.bytes", patch(), Patch::to_bytes, Patch::from_bytes, equal),
        bytes("skeleton.3.bytes", skeleton(), Skeleton::to_bytes, Skeleton::from_bytes, equal),
        bytes("clip.4.bytes", clip(Precision::Compact, &[]), |clip| clip.to_bytes().to_vec(), read_clip, same_clip),
        bytes("clip_tight.4.bytes", clip(Precision::Tight, &[]), |clip| clip.to_bytes().to_vec(), read_clip, same_clip),
        bytes(
            "clip.5.bytes",
            clip(Precision::Compact, &EVENTS),
            |clip| clip.to_bytes().to_vec(),
            read_clip,
            same_events,
        ),
        bytes(
            "clip_tight.5.bytes",
            clip(Precision::Tight, &EVENTS),
            |clip| clip.to_bytes().to_vec(),
            read_clip,
            same_events,
        ),
        bytes("skin.3.bytes", skin(), Skin::to_bytes, Skin::from_bytes, equal),
        bytes("skinned_mesh.3.bytes", mesh(), SkinnedMesh::to_bytes, SkinnedMesh::from_bytes, equal),
        bytes("skinned_mesh_eight.3.bytes", mesh_eight(), SkinnedMesh::to_bytes, SkinnedMesh::from_bytes, equal),
        bytes("triangle_tree.1.bytes", triangles(), TriangleTree::to_bytes, TriangleTree::from_bytes, equal),
        bytes("animator.1.bytes", animator(), Animator::to_bytes, read_animator, same_animator),
        #[cfg(feature = "serde")]
        text("scene.1.json", scene(), same_text),
        #[cfg(feature = "serde")]
        text("tree.1.json", tree(), equal),
        #[cfg(feature = "serde")]
        text("library.1.json", library(), same_library),
        #[cfg(feature = "serde")]
        text("patch.1.json", patch(), equal),
    ])
}

fn bytes<T: 'static, E: Debug + Display>(
    name: &'static str,
    value: T,
    write: impl Fn(&T) -> Vec<u8>,
    read: impl Fn(&[u8]) -> Result<T, E> + 'static,
    same: impl Fn(T, &T) + 'static,
) -> File {
    let written = write(&value);
    let read: Read = Box::new(move |bytes| {
        same(read(bytes).map_err(|error| format!("{error:?}: {error}"))?, &value);
        Ok(())
    });
    File { name, written, read }
}

#[cfg(feature = "serde")]
fn text<T>(name: &'static str, value: T, same: impl Fn(T, &T) + 'static) -> File
where
    T: serde::Serialize + serde::de::DeserializeOwned + 'static,
{
    let write = |value: &T| serde_json::to_vec(value).unwrap();
    bytes(name, value, write, |bytes| serde_json::from_slice::<T>(bytes), same)
}

#[expect(clippy::needless_pass_by_value, reason = "like the other comparisons")]
fn equal<T: PartialEq + Debug>(read: T, value: &T) {
    assert_eq!(&read, value);
}

/// A tree of two levels, over hills of whole numbers.
fn triangles() -> TriangleTree {
    const SIDE: u32 = 7;
    let (mut positions, mut indices) = (Vec::new(), Vec::new());
    for (x, z) in (0..SIDE).flat_map(|x| (0..SIDE).map(move |z| (x, z))) {
        positions.push([x, x * z % 3, z].map(|number| number as f32));
        if x + 1 < SIDE && z + 1 < SIDE {
            let at = x * SIDE + z;
            indices.extend([[at, at + 1, at + SIDE], [at + 1, at + SIDE + 1, at + SIDE]]);
        }
    }
    TriangleTree::build(Triangles::new(&positions, &indices)).unwrap()
}

/// Nodes with all components, each with the number of its parent. Later ones have the other forms of some.
fn nodes() -> [(Option<usize>, Node<'static>); 4] {
    let turned = Transform { rotation: Quat::from_xyzw(0.5, -0.5, 0.5, 0.5), ..Transform::from_xyz(1.0, 2.0, 3.0) };
    // No field is left out, so that a new one must be added here, with a new version.
    let lamp = Node {
        local: Some(Transform { scale: Vec3::new(1.0, 2.0, -3.0), ..turned }.into()),
        translation_f64: Some(DVec3::new(2_683_141.257, 1_247_913.503, -408.125)),
        material: Some(7),
        drawable: Some(Drawable::new(9, Aabb::new(Vec3::new(-1.0, -2.0, -3.0), Vec3::new(1.0, 0.5, 0.25)))),
        visibility: Visibility::Hidden,
        layers: Some(Layers::new(0x8000_0005)),
        view_range: Some(ViewRange::new(0.5, 40.0).unwrap()),
        user_data: u32::MAX,
        name: Some("lamp \"ä\""),
        anchored: false,
    };
    let sheared = Mat34 { rows: [[1.0, 0.5, 0.0, 4.0], [0.0, 1.0, 0.0, 5.0], [0.0, 0.0, 1.0, 6.0]] };
    let sky = Node::drawable(Drawable::new(0, Aabb::INFINITE))
        .with_matrix(sheared)
        .with_translation_f64(DVec3::new(0.1, 1e9 + 0.25, 0.0))
        .with_material(0)
        .with_visibility(Visibility::Shown)
        .with_layers(Layers::new(0))
        .with_view_range(ViewRange::new(0.0, f32::INFINITY).unwrap())
        .anchored();
    let plain = Node::transform(turned).with_drawable(Drawable::new(1, Aabb::EMPTY)).with_name("");
    [(None, Node::group()), (Some(0), lamp), (Some(1), sky), (Some(0), plain)]
}

fn tree() -> Tree {
    let mut tree = Tree::new();
    nodes().into_iter().for_each(|(parent, node)| _ = tree.push(parent, node));
    tree
}

/// A scene with a configuration of its own, with detached nodes, and with free records of several generations.
fn scene() -> Scene {
    let config = SceneConfig { max_nodes: 8, bounds: true, changes: true, change_history: 99 };
    let mut scene = Scene::with_config(config).unwrap();
    let root = scene.root();
    let handles = scene.insert_tree(root, &tree()).unwrap();
    scene.edit(root).unwrap().set_node(Node::material(1).with_name("town")).unwrap();
    let spare = scene.insert(Place::Detached, Node::group().with_name("spare")).unwrap();
    scene.insert(spare, nodes()[1].1).unwrap();
    for _ in 0..3 {
        let gone = [(); 3].map(|()| scene.insert(handles[0], Node::group()).unwrap());
        scene.remove(gone[1]).unwrap();
        scene.remove(gone[0]).unwrap();
        scene.remove(gone[2]).unwrap();
    }
    scene.insert(Place::Before(handles[1]), Node::group().with_name("reused")).unwrap();
    scene
}

/// The same handles, in the same order, with the same nodes, and the same handles of later nodes.
fn same_scene(mut read: Scene, scene: &Scene) {
    assert_eq!((read.config(), read.validate()), (scene.config(), Ok(())));
    assert_eq!(dump(&read), dump(scene));
    let mut scene = scene.clone();
    let [later, expected] =
        [&mut read, &mut scene].map(|scene| [(); 4].map(|()| scene.insert(scene.root(), Node::group()).unwrap()));
    assert_eq!(later, expected);
}

/// The same trees, under other handles.
#[cfg(feature = "serde")]
#[expect(clippy::needless_pass_by_value, reason = "like the other comparisons")]
fn same_text(read: Scene, scene: &Scene) {
    assert_eq!((read.config(), read.validate()), (scene.config(), Ok(())));
    let trees = |scene: &Scene| {
        let tops = [scene.root()].into_iter().chain(scene.detached().map(|node| node.handle()));
        tops.map(|top| scene.copy_tree(top).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(trees(&read), trees(scene));
}

fn entry<const N: usize>(definition: &str, path: [u64; N], value: Value) -> Entry {
    Entry { key: Key::new(definition, path, value.field()), before: None, after: Some(value) }
}

fn spot<const N: usize>(parent: [u64; N], order: f64) -> Value {
    Value::Place(Some(Spot::below(parent, order)))
}

/// All components of a node, stated.
fn stated(node: &Node<'_>) -> impl Iterator<Item = Value> {
    Field::COMPONENTS.into_iter().filter_map(|field| Value::of(node, field)).collect::<Vec<_>>().into_iter()
}

/// Definitions that use each other; all fields stated, and stated as none; overrides that hold, and one that does not.
fn statements() -> Vec<Entry> {
    let [_, (_, lamp), (_, sky), _] = nodes();
    let mut entries = vec![
        entry("lamp", [0], Value::Place(Some(Spot::ROOT))),
        entry("lamp", [1], spot([0], -0.25)),
        entry("lamp", [2], spot([0], 1.0)),
        entry("street", [0], Value::Place(Some(Spot::ROOT))),
        entry("street", [5], spot([0], 0.0)),
        entry("street", [5], Value::Use(Some("lamp".into()))),
        entry("street", [6], spot([5, 1], 0.0)),
        entry("street", [1 << 48 | 2], spot([0], 1.0)),
        entry("street", [5, 1], Value::Use(None)),
        entry("street", [5, 2], Value::Place(None)),
        entry("street", [5, 1], spot([5, 2], 3.5)),
        entry("street", [5, 9], Value::Material(Some(4))),
        entry("street", [5, 1], Value::Own(3, Some([0, 255].into()))),
        entry("street", [5, 1], Value::Own(u16::MAX, None)),
        entry("street", [5], Value::Own(0, Some([].into()))),
    ];
    entries.extend(stated(&lamp).map(|value| entry("lamp", [1], value)));
    entries.extend(stated(&sky).map(|value| entry("lamp", [2], value)));
    entries.extend(stated(&Node::group()).map(|value| entry("street", [5, 1], value)));
    entries
}

/// A library in which two writers gave ids that are no longer there.
fn library() -> Library {
    let mut library = Library::new();
    library.apply(&Patch::from_entries(statements()).unwrap()).unwrap();
    let gone = [entry("lamp", [11], spot([0], 9.0)), entry("lamp", [1 << 48 | 4], spot([0], 9.0))];
    let gone = Patch::from_entries(gone.into()).unwrap();
    library.apply(&gone).unwrap();
    library.apply(&gone.inverse()).unwrap();
    library
}

fn same_library(mut read: Library, library: &Library) {
    assert_eq!(&read, library);
    let mut library = library.clone();
    for (writer, next) in [(0, 12), (1, 1 << 48 | 5)] {
        read.set_writer(writer);
        library.set_writer(writer);
        assert_eq!((read.next_id("lamp"), library.next_id("lamp")), (next, next));
    }
    assert!(read.notes("street").len() > 1);
    assert_eq!(read.notes("street"), library.notes("street"));
}

/// What is stated, what is no longer stated, and what is stated otherwise.
fn patch() -> Patch {
    let mut entries = statements();
    let (local, translation_f64) = (Transform::IDENTITY.into(), None);
    let other = Value::Local(Some(Box::new(LocalValue { local, translation_f64 })));
    for (at, entry) in entries.iter_mut().enumerate() {
        match at % 3 {
            0 => {}
            1 => entry.before = entry.after.take(),
            _ => {
                entry.before = match entry.after {
                    Some(Value::Place(_)) => Some(Value::Place(Some(Spot { parent: None, order: Order::from(2.0) }))),
                    Some(Value::Local(_)) => Some(other.clone()),
                    Some(Value::Own(number, _)) => Some(Value::Own(number, Some([1].into()))),
                    _ => None,
                };
            }
        }
    }
    Patch::from_entries(entries).unwrap()
}

fn skeleton() -> Skeleton {
    let mut joints = SkeletonBuilder::new();
    let root = joints.joint("root", None, Transform::from_xyz(0.0, 1.0, 0.0));
    let turned = Transform { rotation: Quat::from_xyzw(0.5, -0.5, 0.5, 0.5), ..Transform::from_xyz(1.0, 2.0, 3.0) };
    joints.joint("ärm", Some(root), Transform { scale: Vec3::new(1.0, 2.0, -3.0), ..turned });
    joints.joint("", Some(root), Transform::IDENTITY);
    joints.build().unwrap().0
}

/// Tracks of every kind, for each part of a joint and for channels.
fn raw_clip() -> RawClip {
    let mut raw = RawClip::new(2.0, 4).unwrap();
    let times = || vec![0.0, 0.5, 2.0];
    let places = [Vec3::ZERO, Vec3::new(1.0, -2.0, 3.0), Vec3::new(0.5, 0.25, 8.0)];
    // Unit quaternions as they are: normalising rounds differently from machine to machine.
    let turns = [[0.0, 0.0, 0.0, 1.0], [0.5, -0.5, 0.5, 0.5], [0.6, 0.0, 0.0, 0.8]].map(Quat::from_array);
    fn cubic<V: Copy>(values: [V; 3]) -> Vec<V> {
        values.into_iter().flat_map(|value| [values[1], value, values[2]]).collect()
    }
    raw.set_translation(0, Track::constant(places[1]).unwrap()).unwrap();
    raw.set_translation(1, Track::step(times(), places.to_vec()).unwrap()).unwrap();
    raw.set_translation(2, Track::linear(times(), places.to_vec()).unwrap()).unwrap();
    raw.set_translation(3, Track::cubic(times(), cubic(places)).unwrap()).unwrap();
    raw.set_rotation(0, Track::constant(turns[2]).unwrap()).unwrap();
    raw.set_rotation(1, Track::step(times(), turns.to_vec()).unwrap()).unwrap();
    raw.set_rotation(2, Track::linear(times(), turns.to_vec()).unwrap()).unwrap();
    raw.set_rotation(3, Track::cubic(times(), cubic(turns)).unwrap()).unwrap();
    raw.set_scale(0, Track::linear(times(), places.to_vec()).unwrap()).unwrap();
    raw.set_scale(1, Track::cubic(times(), cubic(places)).unwrap()).unwrap();
    raw.add_channel("still", Track::constant(4.0).unwrap()).unwrap();
    raw.add_channel("stëp", Track::step(times(), vec![1.0, -2.0, 0.5]).unwrap()).unwrap();
    raw.add_channel("line", Track::linear(times(), vec![1.0, -2.0, 0.5]).unwrap()).unwrap();
    raw.add_channel("", Track::cubic(times(), cubic([1.0, -2.0, 0.5])).unwrap()).unwrap();
    raw
}

/// Times, numbers and names.
const EVENTS: [(f32, u32, &str); 4] = [(0.0, 1, "stëp"), (0.5, u32::MAX, ""), (0.5, 0, "ä"), (2.0, 7, "end")];

fn same_events(read: Clip, clip: &Clip) {
    assert_eq!(read.events().map(|event| (event.time, event.number, event.name)).collect::<Vec<_>>(), EVENTS);
    same_clip(read, clip);
}

fn clip(precision: Precision, events: &[(f32, u32, &str)]) -> Clip {
    // A key that is inserted into an arc is found with the machine's own sine.
    let builder = ClipBuilder::new().precision(precision).arc_error(1.0).jump_frames(JumpSpacing::Seconds(0.5));
    let mut raw = raw_clip();
    events.iter().for_each(|&(time, number, name)| raw.add_event(time, number, name).unwrap());
    let (clip, report) = builder.build(&raw).unwrap();
    assert_eq!((report.inserted_keys, clip.precision()), (0, precision));
    assert!(clip.stats().jump_frames > 1);
    clip
}

/// Layers with a state for each clip.
fn machine() -> Machine {
    let mut joints = SkeletonBuilder::new();
    for joint in 0..4_u16 {
        joints.joint("", joint.checked_sub(1), Transform::IDENTITY);
    }
    let mut machine = MachineBuilder::new(&joints.build().unwrap().0);
    machine.parameter("speed", 1.0);
    let _ = [(); 3].map(|()| machine.trigger("go"));
    for layer in ["plays", "holds", "is inertial"] {
        let at = machine.layer(layer, LayerOptions::default());
        machine.state(at, "first", clip(Precision::Tight, &[]));
        machine.state(at, layer, Motion::from(clip(Precision::Compact, &[])).once());
    }
    machine.build().unwrap()
}

/// An animator with a fade of each kind.
fn animator() -> Animator {
    let machine = machine();
    let mut animator = Animator::new(&machine);
    let state = |name: &str| machine.state(name).unwrap();
    animator.set(machine.parameter("speed").unwrap(), 2.5);
    animator.fire(machine.trigger("go").unwrap());
    animator.play(state("holds"), 1.0);
    animator.advance(0.5);
    animator.play(state("plays"), Fade::cross(1.0).curve(Curve::Smooth));
    animator.play(state("holds"), 0.5);
    animator.play(state("is inertial"), Fade::inertial(0.75));
    animator.advance(0.25);
    animator
}

fn read_animator(bytes: &[u8]) -> Result<Animator, hedgerow_animator::Error> {
    Animator::from_bytes(&machine(), bytes)
}

#[expect(clippy::needless_pass_by_value, reason = "like the other comparisons")]
fn same_animator(read: Animator, value: &Animator) {
    assert!(read.to_bytes() == value.to_bytes());
}

fn read_clip(bytes: &[u8]) -> Result<Clip, hedgerow_anim::Error> {
    Clip::from_bytes(bytes)
}

#[expect(clippy::needless_pass_by_value, reason = "like the other comparisons")]
fn same_clip(read: Clip, clip: &Clip) {
    assert_eq!((&read, read.precision(), read.stats()), (clip, clip.precision(), clip.stats()));
    let raw = raw_clip();
    assert_eq!((read.duration(), read.joints(), read.channels()), (2.0, 4, 4));
    let names = |name: &dyn Fn(usize) -> String| [0, 1, 2, 3].map(name);
    assert_eq!(names(&|at| read.channel_name(at).unwrap().into()), names(&|at| raw.channel_name(at).into()));
    let (mut player, mut pose, mut channels) = (Player::new(&read), Pose::new(4), [0.0; 4]);
    for time in [0.0, 0.25, 1.0, 1.75, 2.0] {
        player.seek(time);
        player.sample(&mut pose).unwrap();
        player.sample_channels(&mut channels).unwrap();
        let near = |found: Option<Vec3>, expected: Option<Vec3>| {
            expected.is_none_or(|expected| (found.unwrap() - expected).length() < 1e-3)
        };
        for joint in 0..4 {
            let found = pose.get(joint);
            assert!(near(Some(found.translation), raw.translation(joint).map(|track| track.sample_as_played(time))));
            assert!(near(Some(found.scale), raw.scale(joint).map(|track| track.sample_as_played(time))));
            let turned = raw.rotation(joint).unwrap().sample_as_played(time);
            assert!(found.rotation.dot(turned).abs() > 0.999_999, "{joint} at {time}");
        }
        for (at, found) in channels.into_iter().enumerate() {
            assert!((found - raw.channel(at).sample_as_played(time)).abs() < 1e-3, "{at} at {time}");
        }
    }
}

fn skin() -> Skin {
    let bind = Mat34 { rows: [[1.0, 0.5, 0.0, 4.0], [0.0, 1.0, 0.0, 5.0], [0.0, 0.0, -1.0, 6.0]] };
    Skin::new(vec![300, 0], vec![bind, Mat34::IDENTITY]).unwrap()
}

const CORNERS: [[f32; 3]; 5] = [[0.0; 3], [1.0, 0.0, -1.0], [0.0, 2.0, 0.5], [3.0, 0.25, 0.0], [-4.0, 0.0, 8.0]];

/// A mesh with up to four influences and nothing else, one vertex of which lost its fifth.
fn mesh() -> SkinnedMesh {
    let (joints, weights) = ([0, 1, 2, 3, 4].repeat(2), [[0.3, 0.25, 0.2, 0.15, 0.1], [0.5, 0.5, 0.0, 0.0, 0.0]]);
    let skin = Skin::new(vec![0, 1, 2, 3, 4], vec![Mat34::IDENTITY; 5]).unwrap();
    let builder = SkinnedMesh::builder(&CORNERS[..2]).influences(5, &joints, weights.as_flattened());
    let mesh = builder.build(&skin).unwrap();
    assert_eq!((mesh.pruned().vertices, mesh.influence_counts()), (1, [0, 1, 0, 1, 0]));
    mesh
}

/// A mesh with all groups of influences, all streams, indices, and morph targets for some, all and no vertices.
fn mesh_eight() -> SkinnedMesh {
    let joints = [0, 1, 2, 3, 4, 5, 6, 7].repeat(5);
    const WEIGHTS: [f32; 6] = [0.4, 0.3, 0.2, 0.1, 0.1, 0.05];
    let of_vertex = |count| WEIGHTS.into_iter().take(count).chain([0.0; 8]).take(8);
    let weights: Vec<f32> = [1, 2, 3, 4, 6].into_iter().flat_map(of_vertex).collect();
    let skin = Skin::new((0..8).collect(), vec![Mat34::IDENTITY; 8]).unwrap();
    let tangents = [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, -1.0], [0.0, 0.0, 1.0, 1.0], [0.5; 4], [-1.0; 4]];
    let some = MorphTarget { vertices: Some(&[1, 4]), positions: &CORNERS[..2], ..MorphTarget::default() };
    let all = MorphTarget { vertices: None, positions: &CORNERS, normals: &CORNERS, tangents: &CORNERS };
    let builder = SkinnedMesh::builder(&CORNERS).influences(8, &joints, &weights).eight_influences();
    let builder = builder.normals(&CORNERS).tangents(&tangents).indices(&[0, 1, 2, 2, 3, 4]);
    let builder = builder.morph_target(some).morph_target(all).morph_target(MorphTarget::default());
    let mesh = builder.build(&skin).unwrap();
    assert_eq!((mesh.influence_counts(), mesh.morph_targets()), ([1; 5], 3));
    mesh
}

/// Every field of a definition is in the table of statements.
#[test]
fn the_library_has_all_fields() {
    let fields: Vec<Field> = statements().iter().map(|entry| entry.key.field).collect();
    let all = Field::COMPONENTS.into_iter().chain([Field::Place, Field::Use, Field::Own(3)]);
    assert!(all.into_iter().all(|field| fields.contains(&field)));
}
