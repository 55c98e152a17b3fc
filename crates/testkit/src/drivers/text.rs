//! Scenes as text, with changes in their JSON and its bytes, or arbitrary text. Each is refused, or gives a working
//! scene that is written as it was read.

use crate::dice::Dice;
use crate::json;
use hedgerow::data::NodeMap;
use hedgerow::glam::DVec3;
use hedgerow::{
    Aabb, DrawList, Drawable, Keep, Layers, Mat34, Node, NodeHandle, Place, Scene, SceneConfig, Transform, Tree,
};
use serde_json::Value;

/// The number of nodes, what is written, and changes.
pub type Input = crate::Input<12, { json::CHANGE_BYTES }>;

/// The greatest number of changes; more would leave nothing of a scene.
const MOST_CHANGES: usize = 12;

/// Reads bytes that begin like JSON as they are. Other bytes are changes of a scene.
pub fn run(bytes: &[u8]) {
    match bytes {
        [b'{' | b'[', ..] => read(bytes),
        _ => run_changes(&Input::from_bytes(bytes)),
    }
}

fn run_changes(input: &Input) {
    let [.., count, form, _, _] = input.head;
    let mut dice = Dice::new(&input.head);
    let scene = scene(&mut dice, usize::from(count % 24));
    let table =
        NodeMap::from_iter(scene.get(scene.root()).unwrap().descendants().map(|node| node.handle()).zip(0_u32..));
    let written = match form % 4 {
        0 if form & 4 != 0 => serde_json::to_value(scene.copy_tree(scene.root()).expect("the root lives")),
        1 => serde_json::to_value(&table),
        _ => serde_json::to_value(&scene),
    };
    let mut document = written.expect("what a scene has can be written");
    // Changes of the JSON come first, since changes of its text may break the JSON.
    let of_text = |how: &&[u8; json::CHANGE_BYTES]| how[0] >= 224;
    let changes = || input.steps.iter().take(MOST_CHANGES);
    changes().filter(|how| !of_text(how)).for_each(|how| json::change(&mut document, how));
    let mut text = document.to_string().into_bytes();
    changes().filter(of_text).for_each(|how| change_text(&mut text, how));
    read(&text);
}

/// Returns a scene with every component.
fn scene(dice: &mut Dice, count: usize) -> Scene {
    let flags = dice.below(8);
    let config = SceneConfig { bounds: flags & 1 != 0, changes: flags & 2 != 0, ..SceneConfig::DEFAULT };
    let config = if flags & 4 == 0 { config } else { SceneConfig { max_nodes: 16, ..config } };
    let mut scene = Scene::with_config(config).expect("the configuration makes sense");
    let mut nodes = vec![scene.root()];
    for _ in 0..count {
        let parent = nodes[dice.index(nodes.len())];
        let mut node = if dice.one_of(4) { Node::group() } else { Node::transform(dice.transform()) };
        if dice.one_of(3) {
            let bounds = [Aabb::cube(1.0), Aabb::INFINITE, Aabb::EMPTY][dice.index(3)];
            node = node.with_drawable(Drawable::new(dice.below(9), bounds)).with_material(dice.below(5));
        }
        if dice.one_of(4) {
            node = node.with_layers(Layers::new(dice.below(8)));
        }
        let name = ["", "wheel", "a/b", "\u{e4}\"\n"][dice.index(4)];
        nodes
            .push(scene.insert(parent, if dice.one_of(2) { node.with_name(name) } else { node }).expect("it is sound"));
    }
    for &node in &nodes[1..] {
        if scene.local(node).is_some() && dice.one_of(4) {
            let mut shear = Mat34::IDENTITY;
            shear.rows[0][1] = dice.number();
            scene.set_local(node, shear).expect("it has a transform");
        } else if scene.local(node).is_some() && dice.one_of(4) {
            scene
                .edit(node)
                .expect("it has a transform")
                .set_translation_f64(DVec3::splat(1e7 + 0.1))
                .expect("it has a transform");
        }
        if dice.one_of(4) {
            scene.edit(node).expect("it lives").set_user_data(dice.below(100));
        }
    }
    if let Some(&node) = nodes.get(3) {
        scene.reparent(node, Place::Detached, Keep::Local).expect("it is attached");
    }
    scene
}

/// Changes a text: cuts it off, changes a byte or a digit, doubles or removes a field or an item, or writes numbers
/// that no field can hold.
fn change_text(text: &mut Vec<u8>, how: &[u8; json::CHANGE_BYTES]) {
    let [_, a, b, kind, c, d, value, _] = *how;
    if text.is_empty() {
        return;
    }
    let at = usize::from(u16::from_le_bytes([a, b])) % text.len();
    let to = usize::from(u16::from_le_bytes([c, d])) % text.len();
    // The range goes from a comma, or the beginning of a list, to the next comma.
    let opens = |byte: &u8| matches!(byte, b',' | b'{' | b'[');
    let start = text[at..].iter().position(opens).map_or(at, |found| at + found);
    let end = text[(start + 1).min(text.len())..].iter().position(|&byte| byte == b',');
    let end = end.map_or(text.len(), |found| start + 1 + found);
    match kind % 7 {
        0 => text.truncate(at),
        1 => text[at] = value,
        2 => {
            if let Some(digit) = text[at..].iter().position(u8::is_ascii_digit) {
                text[at + digit] = b'0' + value % 10;
            }
        }
        3 => {
            if let Some(digit) = text[at..].iter().position(u8::is_ascii_digit) {
                let numbers: [&[u8]; 6] = [b"1e39", b"-0", b"1e999", b"18446744073709551616", b"0.1e-400", b"NaN"];
                text.splice(at + digit..=at + digit, numbers[usize::from(value) % numbers.len()].iter().copied());
            }
        }
        4 => {
            let mut piece = text[start + 1..end.max(start + 1)].to_vec();
            piece.push(b',');
            text.splice(start + 1..start + 1, piece);
        }
        5 => drop(text.drain(start..end)),
        _ => {
            let piece = text[at..(at + usize::from(value)).min(text.len())].to_vec();
            text.splice(to..to, piece);
        }
    }
}

/// Reads a text as every type, from the bytes and from a tree of values.
fn read(text: &[u8]) {
    let known = |scene: Scene| live_on(scene);
    let refused = |error: serde_json::Error| assert!(!error.to_string().is_empty());
    serde_json::from_slice::<Scene>(text).map_or_else(refused, known);
    if let Ok(tree) = serde_json::from_slice::<Value>(text) {
        // A tree of values has no doubled fields.
        serde_json::from_value::<Scene>(tree.clone()).map_or_else(refused, known);
        let _ = serde_json::from_value::<Transform>(tree.clone()).map(|transform| transform.checked());
        let _ = serde_json::from_value::<SceneConfig>(tree).map(SceneConfig::checked);
    }
    if let Ok(tree) = serde_json::from_slice::<Tree>(text) {
        live_on_tree(&tree);
    }
    if let Ok(map) = serde_json::from_slice::<NodeMap<u32>>(text) {
        live_on_map(&map);
    }
}

/// Inserts a tree that was read, and writes it again.
pub fn live_on_tree(tree: &Tree) {
    let mut scene = Scene::new();
    let nodes = scene.insert_tree(scene.root(), tree).expect("a tree that was read is sound");
    assert!(nodes.first().is_none_or(|&first| scene.copy_tree(first).is_ok_and(|first| first.len() <= tree.len())));
    let text = serde_json::to_string(tree).expect("what a tree has can be written");
    assert!(serde_json::from_slice::<Tree>(text.as_bytes()).is_ok_and(|again| again == *tree));
    super::forms::hold(tree);
    live_on(scene);
}

/// Reads every value of a map, and asks a scene for its handles.
pub fn live_on_map(map: &NodeMap<u32>) {
    let scene = Scene::new();
    assert!(map.iter().all(|(node, value)| map.get(node) == Some(value)));
    let found = |&(node, _): &(NodeHandle, &u32)| scene.contains(node);
    assert!(map.iter().filter(found).count() <= scene.len());
}

/// Uses a loaded scene like any other.
pub fn live_on(mut scene: Scene) {
    assert_eq!(scene.validate(), Ok(()));
    scene.update();
    assert_eq!(scene.validate(), Ok(()));
    scene.draw_list(&mut DrawList::new());
    super::forms::hold(&scene.copy_tree(scene.root()).expect("the root lives"));
    let text = serde_json::to_string(&scene).expect("what a scene has can be written");
    let again: Scene = serde_json::from_slice(text.as_bytes()).expect("what was written is read");
    assert_eq!(serde_json::to_string(&again).expect("the same"), text);
    if let Ok(node) = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)) {
        scene.remove(node).expect("it was just inserted");
    }
    assert_eq!(scene.validate(), Ok(()));
}
