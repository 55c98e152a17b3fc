//! Stale handles and arbitrary bits in every public method that takes a handle.
//!
//! The short form makes a million calls of each kind. For the long form, `HEDGEROW_HANDLES` sets the number:
//!
//! ```text
//! HEDGEROW_HANDLES=1000000000 cargo test --release --all-features --test reliability -- handles:: --nocapture
//! ```
//!
//! To run in parts, give each part another `HEDGEROW_HANDLES_SEED`.

mod calls;
mod traits;

use calls::{CALLS, Things};
use hedgerow::{Node, NodeHandle, Scene, Transform};
use std::fs;
use std::path::Path;

fn count() -> u64 {
    std::env::var("HEDGEROW_HANDLES").map_or(300_000, |count| count.parse().expect("a number of handles"))
}

/// Returns a seed that differs between the parts of a long run.
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
        // A few indices are used often, and others rarely.
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
        // Tests the newest handle, and many older ones.
        let first = dice.usize(..stale.len());
        for &handle in stale[first..].iter().take(999).chain([&old]) {
            assert!(!scene.contains(handle) && scene.world(handle).is_none(), "{handle:?} lives again");
            asked += 1;
        }
    }
    assert_eq!(scene.validate(), Ok(()));
    println!("{asked} stale handles of {cycles} removals, none of which was taken for a live one");
}

/// Returns arbitrary bits, a live handle with changed bits, or bits of existing records.
fn bits(things: &Things, dice: &mut fastrand::Rng) -> NodeHandle {
    let live = things.nodes[dice.usize(..things.nodes.len())].to_bits();
    let bits = match dice.u8(..5) {
        0 => dice.u64(..),
        1 => live ^ 1 << dice.u8(..64),
        2 => live & !0xFFFF_FFFF | dice.u64(..1 << 32),
        3 => dice.u64(..128) << 32 | dice.u64(..4),
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

/// Reads the sources, so that a method that is new is not forgotten.
#[test]
#[cfg_attr(target_family = "wasm", ignore = "needs files")]
fn every_method_that_takes_a_handle_is_called() {
    let mut files = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    let called = |name: &str| {
        let mut words =
            CALLS.iter().flat_map(|(calls, _)| calls.split(|at: char| !(at.is_alphanumeric() || at == '_')));
        words.any(|word| word == name)
    };
    let (mut methods, mut forgotten) = (0, Vec::new());
    for file in files.iter().filter(|file| !file.ends_with("src/internal.rs")) {
        let text = fs::read_to_string(file).expect("a source");
        // The parameters, as far as they are not those of a callback that gets handles.
        for method in text.split("\n    pub fn ").skip(1) {
            let (signature, _) = method.split_once(" {\n").unwrap_or((method, ""));
            let (name, parameters) = signature.split_once(['(', '<']).unwrap_or((signature, ""));
            let parameters = parameters.split("->").next().unwrap_or_default();
            let takes = ["node: NodeHandle", "[NodeHandle]", "Place", "Filter", "Pickable"].iter();
            if takes.clone().any(|what| parameters.contains(what)) {
                methods += 1;
                if !called(name) {
                    forgotten.push(format!("{}: {name}", file.display()));
                }
            }
        }
    }
    assert!(forgotten.is_empty() && methods > 30, "{methods} methods, of which CALLS lacks {forgotten:#?}");
}
