//! Patches from changed bytes with a valid checksum. Each is refused, or is applied as a whole or not at all, and its
//! inverse restores every bit.

use crate::checksum::set_checksum;
use crate::forged;
use fastrand::Rng;
use hedgerow::glam::{DVec3, Quat, Vec3};
use hedgerow::patch::{Instance, Patch};
use hedgerow::{Aabb, Drawable, Keep, Layers, Mat34, Node, Place, Scene, Transform, Tree, Visibility};

/// The seed and sizes of the trees, and changes of the bytes.
pub type Input = crate::Input<10, { forged::BEND_BYTES }>;

/// The greatest number of changes; more would leave nothing of a patch.
const MOST_BENDS: usize = 12;

pub fn run(input: &Input) {
    let [seed @ .., nodes, edits] = input.head;
    let mut rng = Rng::with_seed(u64::from_le_bytes(seed));
    let base = tree(&mut rng, usize::from(nodes % 24));
    let mut edit = |first_id| between(&base, &edited(&mut rng, &base, usize::from(edits % 24), first_id));
    let (patch, other) = (edit(1000), edit(2000));
    let mut bytes = patch.to_bytes();
    apply(&patch, &base);
    for &how in input.steps.iter().take(MOST_BENDS) {
        forged::bend(&mut bytes, how);
        set_checksum(&mut bytes);
        let Ok(bent) = Patch::from_bytes(&bytes) else { continue };
        assert_eq!(bent.to_bytes(), bytes);
        #[cfg(feature = "serde")]
        {
            let text = serde_json::to_string(&bent).expect("text of a patch");
            assert!(serde_json::from_str::<Patch>(&text).is_ok_and(|again| again.to_bytes() == bytes), "{text}");
        }
        apply(&bent, &base);
        for (ours, theirs) in [(&bent, &other), (&other, &bent)] {
            if let Ok((merged, _)) = Patch::merge(ours, theirs) {
                apply(&merged, &base);
            }
            if let Ok(joined) = ours.inverse().then(theirs) {
                apply(&joined, &base);
            }
        }
    }
}

/// Applies a patch that may or may not fit the tree.
fn apply(patch: &Patch, base: &Tree) {
    let (mut scene, mut instance) = placed(base);
    let applied = patch.apply(&mut scene, &mut instance);
    assert_eq!(scene.validate(), Ok(()));
    if applied.is_ok() {
        super::forms::hold(&instance.tree(&scene).expect("few nodes"));
        for patch in [&patch.inverse(), patch, &patch.inverse()] {
            patch.apply(&mut scene, &mut instance).expect("what was made can be taken back, and made again");
        }
    }
    assert_eq!(bits(&instance.tree(&scene).expect("few nodes")), bits(base));
}

/// Returns the ids, the parents' ids and the exact nodes of a tree in depth-first order. Different bits have different
/// texts, even those of zeros.
pub fn bits(tree: &Tree) -> Vec<(Option<u64>, Option<u64>, String)> {
    let (mut first, mut last) = (vec![Vec::new(); tree.len()], Vec::new());
    for index in 0..tree.len() {
        tree.parent(index).map_or(&mut last, |parent| &mut first[parent]).push(index);
    }
    let mut ahead: Vec<usize> = last.into_iter().rev().collect();
    let mut all = Vec::new();
    while let Some(index) = ahead.pop() {
        let above = tree.parent(index).and_then(|parent| tree.id(parent));
        all.push((tree.id(index), above, format!("{:?}", tree.get(index).unwrap())));
        ahead.extend(first[index].iter().rev());
    }
    all
}

pub fn node(rng: &mut Rng) -> Node<'static> {
    let mut node = Node::group();
    let zero = if rng.bool() { 0.0 } else { -0.0 };
    let at = Vec3::new(rng.f32(), zero, 2.0);
    node = match rng.u8(..6) {
        0 | 1 => node.with_transform(Transform {
            translation: at,
            rotation: Quat::from_rotation_y(rng.f32()),
            ..Transform::IDENTITY
        }),
        2 => {
            node.with_matrix(Mat34 { rows: [[1.0, rng.f32(), 0.0, zero], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]] })
        }
        3 => node.with_transform(Transform::IDENTITY).with_translation_f64(DVec3::new(
            6_371_000.0 + rng.f64(),
            0.0,
            f64::from(zero),
        )),
        _ => node,
    };
    if rng.bool() {
        node = node.with_material(rng.u32(..3));
    }
    if rng.bool() {
        node = node.with_drawable(Drawable::new(rng.u32(..2), Aabb::cube(1.0)));
    }
    if rng.bool() {
        node = node.anchored();
    }
    if rng.bool() {
        node = node.with_layers(Layers::new(rng.u32(..4)));
        node.view_range = rng.bool().then(|| hedgerow::ViewRange::new(0.0, 1.0 + rng.f32()).unwrap());
    }
    if rng.bool() {
        node = node.named(["", "lamp", "post"][rng.usize(..3)]);
    }
    node.with_visibility([Visibility::Inherited, Visibility::Hidden, Visibility::Shown][rng.usize(..3)])
        .with_user_data(rng.u32(..2))
}

pub fn tree(rng: &mut Rng, count: usize) -> Tree {
    let mut tree = Tree::new();
    for number in 0..count {
        let parent = if number == 0 || rng.u8(..5) == 0 { None } else { Some(rng.usize(..number)) };
        let id = tree.next_id() + rng.u64(..3);
        tree.push_with_id(parent, node(rng), id);
    }
    tree
}

/// Inserts a tree into a new scene.
pub fn placed(tree: &Tree) -> (Scene, Instance) {
    let mut scene = Scene::new();
    let root = scene.root();
    let instance = Instance::insert(&mut scene, root, tree).unwrap();
    (scene, instance)
}

/// Returns the tree after some random edits in a scene. New ids start at `first_id`.
pub fn edited(rng: &mut Rng, tree: &Tree, edits: usize, first_id: u64) -> Tree {
    let (mut scene, mut instance) = placed(tree);
    instance.begin_ids_at(first_id);
    for _ in 0..edits {
        let nodes: Vec<_> =
            scene.get(instance.root()).unwrap().descendants().skip(1).map(|node| node.handle()).collect();
        let any = |rng: &mut Rng| if nodes.is_empty() { instance.root() } else { nodes[rng.usize(..nodes.len())] };
        let (at, other) = (any(rng), any(rng));
        let place = match rng.u8(..4) {
            0 => Place::LastChildOf(instance.root()),
            1 => Place::FirstChildOf(other),
            2 if other != instance.root() => Place::After(other),
            _ => Place::LastChildOf(other),
        };
        match rng.u8(..8) {
            0 | 1 => _ = scene.insert(place, node(rng)).unwrap(),
            2..5 if at != instance.root() => _ = scene.reparent(at, place, Keep::Local),
            5 if at != instance.root() && rng.bool() => _ = scene.remove(at).unwrap(),
            _ if at != instance.root() => _ = scene.edit(at).unwrap().set_node(node(rng)).unwrap(),
            _ => {}
        }
    }
    instance.assign(&scene).unwrap();
    instance.tree(&scene).unwrap()
}

pub fn between(old: &Tree, new: &Tree) -> Patch {
    Patch::between(old, new).unwrap()
}
