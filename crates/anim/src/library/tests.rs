//! Tests the keys, names and bytes of libraries.

use super::{Library, LibraryError};
use crate::skeleton::SkeletonError;
use crate::skin::SkinError;
use crate::{ClipBuilder, Error, Mat34, RawClip, Skeleton, SkeletonBuilder, Skin, SkinnedMesh, Transform};
use hedgerow_math::internal::file_header::{HEADER_BYTES, Kind, write_header};
use proptest::prelude::*;
use std::sync::Arc;

fn skeleton(joints: u16) -> Skeleton {
    let mut builder = SkeletonBuilder::new();
    for joint in 0..joints {
        builder.joint(format!("joint {joint}"), joint.checked_sub(1), Transform::IDENTITY);
    }
    builder.build().unwrap().0
}

fn filled() -> Library {
    let mut library = Library::new();
    library.skeletons.insert("person", skeleton(3));
    library.skeletons.insert("horse", skeleton(9));
    for (name, seconds) in [(Some("walk"), 1.0), (None, 2.0), (Some("walk"), 3.0), (Some(""), 4.0)] {
        let raw = RawClip::new(seconds, 3).unwrap();
        library.clips.insert(name, ClipBuilder::new().build(&raw).unwrap().0);
    }
    let skin = Skin::new(vec![2, 1], vec![Mat34::IDENTITY; 2]).unwrap();
    let mesh = SkinnedMesh::builder(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]).indices(&[0, 1, 2]);
    library.meshes.insert("coat", mesh.build(&skin).unwrap());
    library.skins.insert("mäntel", skin);
    library
}

fn refusal(bytes: &[u8]) -> LibraryError {
    match Library::from_bytes(bytes) {
        Err(Error::Library(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn values_are_found_by_key_and_by_name_until_they_are_removed() {
    let mut library = filled();
    let [walk, unnamed, again, empty] = library.clips.keys().collect::<Vec<_>>()[..] else { unreachable!() };
    assert_eq!(
        (library.clips.find("walk"), library.clips.find(""), library.clips.find("run")),
        (Some(walk), Some(empty), None)
    );
    assert_eq!((library.clips.name(again), library.clips.name(unnamed)), (Some("walk"), None));

    let held = library.clips[walk].clone();
    let removed = library.clips.remove(walk).unwrap();
    assert!(Arc::ptr_eq(&held, &removed));
    assert_eq!(library.clips.find("walk"), Some(again));
    assert!(library.clips.get(walk).is_none() && library.clips.remove(walk).is_none() && !library.clips.contains(walk));
    let newcomer = library.clips.insert(None, held);
    assert!(library.clips.get(walk).is_none(), "its slot is another's now");
    assert!(!library.clips.rename(walk, "stale") && library.clips.rename(newcomer, "stroll"));
    assert_eq!(library.clips.find("stroll"), Some(newcomer));
    assert!(library.clips.replace(walk, removed.clone()).is_none());
    assert!(library.clips.replace(again, removed).is_some_and(|old| old.duration() == 3.0));
    assert_eq!((library.clips.len(), library.clips.iter().len()), (4, 4));
    library.clips.clear();
    assert!(library.clips.is_empty() && library.clips.get(newcomer).is_none());
}

#[test]
fn bytes_make_the_same_library_and_that_the_same_bytes() {
    let mut library = filled();
    for removed in [None, library.clips.find("walk"), None] {
        removed.and_then(|key| library.clips.remove(key));
        let bytes = library.to_bytes();
        let loaded = Library::read_from(&bytes[..]).unwrap();
        assert_eq!(loaded, library);
        assert_eq!(loaded.to_bytes(), bytes);
    }
    let (mut other, clip) = (filled(), filled().clips.keys().next().unwrap());
    assert_eq!(other, filled());
    other.clips.rename(clip, "run");
    assert_ne!(other, filled(), "another name");
    other.clips.rename(clip, "walk");
    assert_eq!(other, filled());
    other.clips.remove(clip);
    assert_ne!(other, filled(), "one less");
    let empty = Library::from_bytes(&Library::new().to_bytes()).unwrap();
    assert!(empty.skeletons.is_empty() && empty.clips.is_empty() && empty.skins.is_empty() && empty.meshes.is_empty());
}

#[test]
fn damage_is_told_apart() {
    let bytes = filled().to_bytes();
    let with = |at: usize, value: &[u8], forged: bool| {
        let mut bytes = bytes.clone();
        bytes[at..at + value.len()].copy_from_slice(value);
        if forged {
            write_header(Kind::Library, super::bytes::VERSION, &mut bytes);
        }
        refusal(&bytes)
    };
    assert_eq!(with(0, b"H", false), LibraryError::NotALibrary);
    assert_eq!(with(8, &[9], false), LibraryError::Version(9));
    assert_eq!(with(bytes.len() - 1, &[7], false), LibraryError::Checksum);
    assert_eq!(refusal(&skeleton(1).to_bytes()), LibraryError::NotALibrary);
    let (expected, found) = (bytes.len() as u64, bytes.len() as u64 - 1);
    assert_eq!(refusal(&bytes[..bytes.len() - 1]), LibraryError::Length { expected, found });
    let first = HEADER_BYTES + 16;
    assert_eq!(
        with(HEADER_BYTES, &[1], true),
        LibraryError::Clip { number: 0, error: crate::raw::ClipError::NotAClip }
    );
    assert_eq!(with(HEADER_BYTES + 12, &[2], true), LibraryError::Invalid("it is cut off"));
    assert_eq!(with(HEADER_BYTES + 12, &[0], true), LibraryError::Invalid("something follows its last value"));
    assert_eq!(with(first, &[200, 255, 255], true), LibraryError::Invalid("it is cut off"));
    assert_eq!(with(first + 4, &[255; 8], true), LibraryError::Invalid("it is cut off"));
    assert_eq!(with(first + 12, &[255], true), LibraryError::Invalid("a name is not UTF-8"));
    let skeleton = first + 12 + "person".len();
    let wrong = LibraryError::Skeleton { number: 0, error: SkeletonError::Checksum };
    assert_eq!(with(skeleton + 32, &[9], true), wrong);
    let mesh = with(bytes.len() - 1, &[7], true);
    assert_eq!(mesh, LibraryError::Mesh { number: 0, error: SkinError::Checksum });
}

proptest! {
    #[test]
    fn any_bytes_are_refused_or_make_a_library(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        length in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = filled().to_bytes();
        for (at, value) in changes {
            let at = HEADER_BYTES + at.index(bytes.len() - HEADER_BYTES);
            bytes[at] = value;
        }
        if let Some(length) = length {
            bytes.truncate(HEADER_BYTES + length.index(bytes.len() - HEADER_BYTES));
        }
        write_header(Kind::Library, super::bytes::VERSION, &mut bytes);
        if let Ok(library) = Library::from_bytes(&bytes) {
            prop_assert_eq!(library.to_bytes(), bytes);
        }
    }
}
