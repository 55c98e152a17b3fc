//! Which folder of the source may name which: arrows go one way.
//!
//! The borders of the crates keep mathematics and animation from knowing a scene. Within the scene's crate, this test
//! does.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Folders and files of `src`, lowest first. Code of a layer may name its own layer and those before it.
const LAYERS: [&[&str]; 5] = [
    &["config", "error", "fallible", "handle", "node", "record", "threads", "unique"],
    &["store"],
    &["pass", "scene", "visit"],
    &["character", "readable", "snapshot"],
    // What the public modules consist of: names from below, and no code.
    &["changes", "data", "draw", "edit", "guide", "lib", "query", "stats"],
];

fn layer_of(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// All Rust files of a folder, with the module of `src` that each belongs to.
fn sources(folder: &Path, module: Option<&str>, found: &mut Vec<(PathBuf, String)>) {
    let mut entries: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let module = module.unwrap_or(name);
        if path.is_dir() {
            sources(&path, Some(module), found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push((path.clone(), module.to_owned()));
        }
    }
}

/// The modules that code names by `crate::`, alone or in the first place of a list.
fn named_modules(code: &str) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    for part in code.split("crate::").skip(1) {
        let mut list = part;
        let mut depth = 0;
        if let Some(inside) = part.strip_prefix('{') {
            depth = 1;
            list = inside;
        }
        // In a list, names that stand directly in it; else the one name.
        let mut name = String::new();
        for symbol in list.chars() {
            match symbol {
                'a'..='z' | '_' | '0'..='9' | 'A'..='Z' if depth <= 1 => name.push(symbol),
                '{' => depth += 1,
                '}' if depth <= 1 => break,
                '}' => depth -= 1,
                ',' if depth == 1 => name.clear(),
                _ if depth == 0 => break,
                _ => {}
            }
            if depth <= 1 && symbol == ':' && name.starts_with(|first: char| first.is_lowercase()) {
                named.insert(core::mem::take(&mut name));
            }
        }
        if depth == 0 && name.starts_with(|first: char| first.is_lowercase()) {
            named.insert(name);
        }
    }
    named
}

#[test]
fn no_layer_names_one_above_it() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), None, &mut files);
    assert!(files.len() > 100, "the source is read");
    let mut arrows = 0;
    for (path, module) in files {
        let layer = layer_of(&module).unwrap_or_else(|| panic!("{module} is in no layer of this test"));
        // `limits` is compiled for tests alone.
        let is_test = path.file_stem().is_some_and(|name| name == "tests" || name == "limits");
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let code: String = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        for named in named_modules(&code) {
            let Some(other) = layer_of(&named) else { continue };
            arrows += 1;
            assert!(is_test || other <= layer, "{} names {named}, which lies above it", path.display());
        }
    }
    assert!(arrows > 200, "only {arrows} arrows are seen");
}

#[test]
fn names_of_modules_are_found_in_paths_and_lists() {
    let found = |code| named_modules(code).into_iter().collect::<Vec<_>>();
    assert_eq!(found("use crate::store::{At, scene::X};"), ["store"]);
    assert_eq!(found("use crate::{Error, node::LocalForm, store::At};"), ["node", "store"]);
    assert_eq!(found("let a = crate::record::read(b);"), ["record"]);
    assert!(found("use crate::Scene;").is_empty());
}
