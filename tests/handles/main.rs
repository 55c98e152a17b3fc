//! Handles that lead nowhere: stale ones, and any bits, in every public method that takes one.
//!
//! The short form makes a million calls of each kind. The long form as many as the environment variable
//! `HEDGEROW_HANDLES` says:
//!
//! ```text
//! HEDGEROW_HANDLES=1000000000 cargo test --release --all-features --test handles -- --nocapture
//! ```
//!
//! In pieces: each with another `HEDGEROW_HANDLES_SEED`.

mod calls;
#[cfg(feature = "counters")]
mod traits;

use calls::{CALLS, Things};
use hedgerow::{Node, NodeHandle, Scene, Transform};
use std::collections::BTreeSet;
use std::path::Path;

fn count() -> u64 {
    std::env::var("HEDGEROW_HANDLES").map_or(1_000_000, |count| count.parse().expect("a number of handles"))
}

/// A number that is another one in each piece of a long run.
fn seed(default: u64) -> u64 {
    std::env::var("HEDGEROW_HANDLES_SEED").map_or(default, |seed| seed.parse().expect("a number"))
}

#[test]
fn no_stale_handle_is_taken_for_a_live_one() {
    const KEPT: usize = 1 << 14;
    let mut dice = fastrand::Rng::with_seed(seed(7));
    let mut scene = Scene::new();
    let mut live: Vec<NodeHandle> = Vec::new();
    let mut stale: Vec<NodeHandle> = Vec::with_capacity(KEPT);
    let node = Node::transform(Transform::IDENTITY);
    for _ in 0..300 {
        live.push(scene.insert(scene.root(), node).expect("a plain insert"));
    }
    let (mut asked, mut cycles) = (0, 0_usize);
    while asked < count() {
        // A few indices are used again and again, and others seldom.
        let at = if dice.u8(..4) > 0 { dice.usize(..8) } else { dice.usize(..live.len()) };
        let old = live[at];
        scene.remove(old).expect("a live node");
        live[at] = scene.insert(scene.root(), node).expect("a plain insert");
        assert_ne!(live[at], old, "a handle was issued twice");
        if stale.len() < KEPT {
            stale.push(old);
        } else {
            stale[cycles % KEPT] = old;
        }
        cycles += 1;
        // The newest, and many of those before.
        let first = dice.usize(..stale.len());
        for &handle in stale[first..].iter().take(999).chain([&old]) {
            assert!(!scene.contains(handle) && scene.world(handle).is_none(), "{handle:?} lives again");
            asked += 1;
        }
    }
    assert_eq!(scene.validate(), Ok(()));
    println!("{asked} stale handles of {cycles} removals, none of which was taken for a live one");
}

/// Bits in several ways: any, those of live nodes with others changed, and of places that exist.
fn bits(things: &Things, dice: &mut fastrand::Rng) -> NodeHandle {
    let live = things.nodes[dice.usize(..things.nodes.len())].to_bits();
    let bits = match dice.u8(..5) {
        0 => dice.u64(..),
        1 => live ^ 1 << dice.u8(..64),
        2 => live & !0xFFF_FFFF | dice.u64(..1 << 28),
        3 => dice.u64(..4) << 40 | dice.u64(..64) << 28 | dice.u64(..4),
        _ => live,
    };
    NodeHandle::from_bits(bits).unwrap_or(things.nodes[0])
}

#[test]
fn any_bits_are_a_handle_that_every_method_takes_without_a_panic() {
    let mut dice = fastrand::Rng::with_seed(seed(3));
    let whole = Things::new();
    let mut calls = 0;
    while calls < count() {
        let mut things = whole.clone();
        for _ in 0..200 {
            let (name, call) = CALLS[dice.usize(..CALLS.len())];
            let handles = [bits(&things, &mut dice), bits(&things, &mut dice)];
            let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| call(&mut things, handles)));
            assert!(made.is_ok(), "{name} panics for {:#x} and {:#x}", handles[0].to_bits(), handles[1].to_bits());
            calls += 1;
        }
        if calls % 10_000 < 200 {
            assert_eq!(things.scene.validate(), Ok(()));
            things.scene.update();
            assert_eq!(things.scene.validate(), Ok(()));
        }
    }
    println!("{calls} calls of {} methods", CALLS.len());
}

/// The public methods of a source file that take a handle of a node, or a place.
fn methods(path: &Path, found: &mut BTreeSet<String>) {
    let source = std::fs::read_to_string(path).expect("a source file");
    let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
    let tests = source.find("#[cfg(test)]\nmod tests").unwrap_or(source.len());
    for part in source[..tests].split("\n    pub fn ").skip(1) {
        let signature = &part[..part.find(['{', ';']).unwrap_or(part.len())];
        let arguments = signature.split("->").next().expect("there are arguments");
        let takes = ["NodeHandle", "CachedHandle", "Into<Place>", "Into<Target>", "Into<QueuedPlace>"];
        if takes.iter().any(|argument| arguments.contains(argument)) && !arguments.contains("&mut Vec<NodeHandle>") {
            let end = signature.find(['<', '(']).expect("a method has arguments");
            found.insert(format!("{name}::{}", &signature[..end]));
        }
    }
}

#[test]
fn every_method_that_takes_a_handle_is_called() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = BTreeSet::new();
    let mut folders: Vec<_> =
        ["scene", "visit", "snapshot", "character", "readable"].map(|name| root.join(name)).into();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { methods(&path, &mut found) }
        }
    }
    assert!(found.len() > 80, "the sources are not where they were: {found:?}");
    // Closures get handles that the crate made.
    let others = ["reparent::sort_children_by", "node_map::retain"];
    let called: BTreeSet<&str> = CALLS.iter().map(|(name, _)| *name).chain(others).collect();
    let forgotten: Vec<&String> = found.iter().filter(|name| !called.contains(name.as_str())).collect();
    assert!(forgotten.is_empty(), "never called with any bits: {forgotten:#?}");
}
