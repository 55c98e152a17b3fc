//! Whether the table of cases names every public method that runs code of the caller's.

use crate::cases::CASES;
use std::collections::BTreeSet;
use std::path::Path;

/// What in a signature says that code of the caller's runs.
const SIGNS: [&str; 12] = [
    "Fn(",
    "FnMut(",
    "FnOnce(",
    "Visitor",
    "VisitorMut",
    "impl Read",
    "impl Write",
    "IntoIterator",
    "impl Iterator<Item = Vec3>",
    "Into<Local>",
    "Into<Arc",
    "from: R",
];

/// Methods with such a sign that nothing can happen to, each with the reason.
const EXEMPT: [(&str, &str); 13] = [
    ("queue::set_local", "records what it was given: the argument is converted before anything is written"),
    ("queue::set_world", "the same"),
    ("sockets::insert", "the same: the offset is converted first"),
    ("boxes::from_points", "collects to a box of its own"),
    ("aabb::from_points", "the same"),
    ("level::at_level", "for tests: resets the level itself, see its own test"),
    ("work::of", "has no scene: what was counted before a panic stays counted"),
    ("internal::par", "is not public"),
    ("fallible::read_to_end", "is not public: what reads by it has a case"),
    ("fallible::read_whole", "the same"),
    (
        "characters::each_models",
        "borrows the skeleton, and writes to the caller's room alone: see the case of each_palette",
    ),
    ("characters::par_each_models", "the same, side by side"),
    ("matrices::par_each_models", "the same"),
];

/// The public methods of a source file whose signature has a sign, each as `file::method`.
fn methods(path: &Path, found: &mut BTreeSet<String>) {
    let source = std::fs::read_to_string(path).expect("a source file");
    let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
    let tests = source.find("#[cfg(test)]\nmod tests").unwrap_or(source.len());
    for part in source[..tests].split("\n    pub fn ").skip(1).chain(source[..tests].split("\npub fn ").skip(1)) {
        let signature = &part[..part.find(['{', ';']).unwrap_or(part.len())];
        // What a method returns is code of the crate.
        let arguments = signature.rsplit_once("-> impl").map_or(signature, |(before, _)| before);
        if SIGNS.iter().any(|sign| arguments.contains(sign)) {
            let end = signature.find(['<', '(']).expect("a method has arguments");
            found.insert(format!("{name}::{}", &signature[..end]));
        }
    }
}

fn files(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            methods(&path, found);
        }
    }
}

#[test]
fn every_method_that_runs_the_callers_code_has_a_case() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = BTreeSet::new();
    ["src", "crates/anim/src", "crates/math/src"].iter().for_each(|folder| files(&root.join(folder), &mut found));
    assert!(found.len() > 25, "the sources are not where they were: {found:?}");
    let named: BTreeSet<String> = CASES.iter().flat_map(|case| case.names).map(|name| name.to_string()).collect();
    let exempt = |name: &str| EXEMPT.iter().any(|(exempt, _)| *exempt == name);
    let forgotten: Vec<&String> = found.iter().filter(|name| !named.contains(*name) && !exempt(name)).collect();
    assert!(forgotten.is_empty(), "without a case: {forgotten:#?}");
}
