//! The files of `tests/formats`, of every released version of every format: NAME.VERSION.bytes, or .json for text.
//!
//! All are in this one folder, although the formats are of three crates, because only here one test can see all of them.

mod values;

use hedgerow_math::internal::file_header::Kind;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use values::files;

/// A file, with what a test knows of it without the file.
struct File {
    /// NAME.VERSION.EXTENSION.
    name: &'static str,
    /// The value as it is written today.
    written: Vec<u8>,
    /// Reads bytes and compares the result with the value. If reading fails, returns the error and its message.
    read: Read,
}

type Read = Box<dyn Fn(&[u8]) -> Result<(), String>>;

/// The first version of every format that was released.
const FIRST: [(&str, u32); 16] = [
    ("animator.bytes", 1),
    ("clip.bytes", 4),
    ("clip_tight.bytes", 4),
    ("library.bytes", 1),
    ("library.json", 1),
    ("patch.bytes", 1),
    ("patch.json", 1),
    ("scene.bytes", 14),
    ("scene.json", 1),
    ("skeleton.bytes", 3),
    ("skin.bytes", 3),
    ("skinned_mesh.bytes", 3),
    ("skinned_mesh_eight.bytes", 3),
    ("tree.bytes", 14),
    ("tree.json", 1),
    ("triangle_tree.bytes", 1),
];

/// The first member of text, up to its number.
const NUMBER: &str = r#"{"hedgerow":"#;

impl File {
    /// Returns the name without the version, and the version.
    fn format(&self) -> (String, u32) {
        let [name, version, extension] = self.name.split('.').collect::<Vec<_>>()[..] else { panic!("{}", self.name) };
        (format!("{name}.{extension}"), version.parse().unwrap())
    }

    fn is_text(&self) -> bool {
        self.name.ends_with(".json")
    }

    /// Returns the version that is written today.
    fn newest(&self) -> u32 {
        if self.is_text() {
            let text = core::str::from_utf8(&self.written).unwrap();
            text.strip_prefix(NUMBER).unwrap().split(',').next().unwrap().parse().unwrap()
        } else {
            u32::from_le_bytes(self.written[8..12].try_into().unwrap())
        }
    }

    /// Returns today's bytes, but with another version.
    fn numbered(&self, version: u32) -> Vec<u8> {
        if self.is_text() {
            let text = core::str::from_utf8(&self.written).unwrap();
            text.replacen(&format!("{NUMBER}{}", self.newest()), &format!("{NUMBER}{version}"), 1).into_bytes()
        } else {
            [&self.written[..8], &version.to_le_bytes(), &self.written[12..]].concat()
        }
    }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("formats")
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "needs files")]
fn every_released_version_of_every_format_is_read_as_what_was_written() {
    let mut versions = BTreeMap::<_, BTreeSet<_>>::new();
    let mut kinds = BTreeSet::from(Kind::ALL.map(|(kind, _)| kind as u32));
    let mut found: BTreeSet<_> =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    for file in files() {
        let (format, version) = file.format();
        let (name, path) = (file.name, folder().join(file.name));
        if !path.exists() && std::env::var_os("HEDGEROW_WRITE_FORMATS").is_some() {
            assert_eq!(version, file.newest(), "{name}: only the newest version can be written");
            fs::write(&path, &file.written).unwrap();
        }
        let bytes = fs::read(&path).unwrap_or_else(|error| {
            panic!("{name}: {error}; HEDGEROW_WRITE_FORMATS=1 writes files that are not there");
        });
        assert_eq!((file.read)(&bytes), Ok(()), "{name}");
        if version == file.newest() {
            assert!(bytes == file.written, "{name}: the format has changed; give it a new number");
        }
        found.remove(name);
        kinds.remove(&u32::from_le_bytes(bytes[12..16].try_into().unwrap()));
        // Without a number, text has form 1.
        if version == 1 && file.is_text() {
            let text = core::str::from_utf8(&bytes).unwrap();
            let unnumbered = text.replacen(r#""hedgerow":1,"#, "", 1);
            assert_ne!(unnumbered, text);
            assert_eq!((file.read)(unnumbered.as_bytes()), Ok(()), "{name}");
        }
        let versions = versions.entry(format).or_default();
        versions.extend([version]);
    }
    // With text, or without.
    found.retain(|name| cfg!(feature = "serde") || !name.ends_with(".json"));
    assert!(found.is_empty() && kinds.is_empty(), "{found:?} are of no format, the kinds {kinds:?} have no file");
    for file in files() {
        let (format, _) = file.format();
        let (_, first) = FIRST.into_iter().find(|&(name, _)| name == format).unwrap();
        let all: BTreeSet<u32> = (first..=file.newest()).collect();
        assert_eq!(versions[&format], all, "{format}: each version has a file, and today's is {}", file.newest());
    }
}

#[test]
fn other_versions_are_refused_with_what_to_do() {
    for file in files() {
        let (newest, (format, version)) = (file.newest(), file.format());
        if version != newest {
            continue;
        }
        let (_, first) = FIRST.into_iter().find(|&(name, _)| name == format).unwrap();
        for other in [0, first - 1, newest + 1, u32::MAX] {
            let refused = (file.read)(&file.numbered(other)).expect_err(file.name);
            let said = if other > newest {
                format!("version {other} is newer than this crate reads, which is up to {newest}; update the crate")
            } else {
                format!("version {other} is older than the first release")
            };
            assert!(refused.contains(&said), "{}: {refused}", file.name);
            let typed = format!("Version {{ found: {other}, newest: {newest} }}");
            assert!(file.is_text() || refused.contains(&typed), "{}: {refused}", file.name);
        }
    }
}
