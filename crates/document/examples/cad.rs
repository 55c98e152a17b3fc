//! A plant of seven nested definitions: what a document takes beyond its scene, and how fast changes of a definition
//! reach all instances, beside the same edits made by hand.
//!
//! ```text
//! cargo run --release --example cad -- [decks]
//! ```

use hedgerow::{Node, NodeHandle, Scene, SceneConfig, Transform, Tree};
use hedgerow_document::{Document, Field, Library, Path, Spot, Value};
use hedgerow_testkit::memory::{Heap, IN_USE};
use std::time::{Duration, Instant};

#[global_allocator]
static HEAP: Heap = Heap;

type Anything = Box<dyn std::error::Error>;

/// Each definition, how often it uses the one before, and how many nodes of its own it has beside the root.
const LEVELS: [(&str, u32, u32); 7] = [
    ("bolt", 0, 1),
    ("flange", 8, 0),
    ("pipe", 2, 1),
    ("module", 6, 0),
    ("deck", 10, 0),
    ("hull", 9, 0),
    ("plant", 10, 0),
];

fn plant(hulls: u32) -> Result<Library, Anything> {
    let mut library = Library::new();
    for (level, &(name, uses, own)) in LEVELS.iter().enumerate() {
        let material = u32::try_from(level)?;
        let mut tree = Tree::new();
        let root = tree.push(None, Node::group().with_name(name).with_material(material));
        for number in 0..own {
            tree.push(Some(root), Node::transform(Transform::from_xyz(number as f32, 0.0, 1.0)));
        }
        library.apply(&library.define(name, &tree)?)?;
        let uses = if level == LEVELS.len() - 1 { hulls } else { uses };
        for number in 0..uses {
            let at = Spot::below(0, f64::from(own + number));
            let node = Node::transform(Transform::from_xyz(number as f32, level as f32, 0.0));
            library.apply(&library.place(name, at, LEVELS[level - 1].0, node)?)?;
        }
    }
    Ok(library)
}

fn scene() -> Result<Scene, Anything> {
    Ok(Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?)
}

fn count_instances(hulls: u32) -> usize {
    let uses = LEVELS[1..].iter().map(|&(name, uses, _)| if name == "plant" { hulls } else { uses });
    let (_, all) = uses.rev().fold((1, 0), |(users, all), uses| (users * uses as usize, all + users * uses as usize));
    all
}

/// Returns the median of the ratios of two times.
fn ratio(mut times: Vec<(Duration, Duration)>) -> (f64, Duration) {
    times.sort_by(|a, b| (a.0.as_secs_f64() / a.1.as_secs_f64()).total_cmp(&(b.0.as_secs_f64() / b.1.as_secs_f64())));
    let (document, hand) = times[times.len() / 2];
    (document.as_secs_f64() / hand.as_secs_f64(), document)
}

fn main() -> Result<(), Anything> {
    let hulls = std::env::args().nth(1).map_or(Ok(10), |number| number.parse())?;
    let library = plant(hulls)?;
    let tree = library.tree("plant")?;

    let mut opened = Vec::new();
    for _ in 0..7 {
        let mut by_hand = scene()?;
        let root = by_hand.root();
        let start = Instant::now();
        by_hand.insert_tree(root, &tree)?;
        by_hand.update();
        let hand = start.elapsed();
        let mut by_document = scene()?;
        let (root, library) = (by_document.root(), library.clone());
        let start = Instant::now();
        let _document = Document::open(&mut by_document, root, library, "plant")?;
        opened.push((start.elapsed(), hand));
    }
    let (open, time) = ratio(opened);
    println!("{} nodes: open {time:.1?}, {open:.2} of inserting the same tree", tree.len());

    // Both scenes have had the same nodes and one update.
    let before = IN_USE.get();
    let mut plain = scene()?;
    plain.insert_tree(plain.root(), &tree)?;
    plain.update();
    let plain_bytes = IN_USE.get() - before;
    let (mut scene, library) = (scene()?, plant(hulls)?);
    let (root, before) = (scene.root(), IN_USE.get());
    let mut document = Document::open(&mut scene, root, library, "plant")?;
    let (bytes, instances) = (IN_USE.get() - before - plain_bytes, count_instances(hulls));
    let most = (8 * tree.len() + 16 * instances) * 9 / 8 + (1 << 20);
    println!(
        "memory: {bytes} B beyond the scene's {plain_bytes} B; {instances} instances, so at most {most} B are promised"
    );

    // A field of the innermost definition, in all instances but one.
    let kept = document.node(&scene, &Path::from([1, 1, 1, 1, 2, 1])).ok_or("no such bolt")?;
    scene.edit(kept)?.set_material(1000);
    document.commit(&mut scene)?;
    let named = |scene: &Scene, name: &str| -> Vec<NodeHandle> {
        let all = scene.get(scene.root()).into_iter().flat_map(|root| root.descendants());
        all.filter(|node| node.name() == Some(name)).map(|node| node.handle()).collect()
    };
    let (heads, flanges) = (named(&plain, "bolt"), named(&plain, "flange"));
    let mut set = Vec::new();
    for round in 0..15 {
        let patch = document.library().state("bolt", 0, Value::Material(Some(100 + round)))?;
        let start = Instant::now();
        document.apply(&mut scene, &patch)?;
        let by_document = start.elapsed();
        let start = Instant::now();
        for &node in &heads {
            plain.edit(node)?.set_material(100 + round);
        }
        plain.update();
        set.push((by_document, start.elapsed()));
    }
    let (set, time) = ratio(set);
    println!("a field of {} instances: {time:.1?}, {set:.2} of the same sets by hand", heads.len());
    assert_eq!(scene.get(kept).ok_or("no bolt")?.own_material(), Some(1000), "the override is kept");

    // A node added to a definition, in all instances.
    let mut added = Vec::new();
    for _ in 0..7 {
        let start = Instant::now();
        let mut new = Vec::with_capacity(flanges.len());
        for &flange in &flanges {
            new.push(plain.insert(flange, Node::transform(Transform::IDENTITY))?);
        }
        plain.update();
        let hand = start.elapsed();
        plain.remove_many(&new)?;
        let id = document.library().next_id("flange");
        let local = Value::of(&Node::transform(Transform::IDENTITY), Field::Local).ok_or("no component")?;
        let state = |value| document.library().state("flange", id, value);
        let patch = state(Value::Place(Some(Spot::below(0, 100.0))))?.then(&state(local)?)?;
        let start = Instant::now();
        document.apply(&mut scene, &patch)?;
        added.push((start.elapsed(), hand));
        document.undo(&mut scene)?;
    }
    let (added, time) = ratio(added);
    println!("a node added to {} instances: {time:.1?}, {added:.2} of the same inserts by hand", flanges.len());

    for node in scene.get(root).ok_or("no root")?.descendants() {
        let path = document.path(&scene, node.handle()).ok_or("a node has no path")?;
        assert_eq!(document.node(&scene, &path), Some(node.handle()), "{path}");
    }
    Ok(())
}
