//! Libraries and patches of documents from any bytes and any text. Each is refused, or is the same when it is written
//! and read again, expands to trees, and is applied and taken back.

use crate::checksum::{HEADER, set_checksum};
use hedgerow_document::{Library, Patch};
use hedgerow_math::internal::file_header::{Format, Kind, MAGIC};

/// More definitions may expand to more nodes than there is memory for.
const MOST_DEFINITIONS: usize = 4;

/// Reads the content of a library and of a patch. All checksums are made valid.
pub fn bytes(content: &[u8]) {
    let mut bytes = [&[0; HEADER], content].concat();
    seal_inner(&mut bytes);
    Format::new(Kind::Library, 1, 1).write_header(&mut bytes);
    if let Ok(library) = Library::from_bytes(&bytes) {
        hold(&library);
    }
    Format::new(Kind::LibraryPatch, 1, 1).write_header(&mut bytes);
    if let Ok(patch) = Patch::from_bytes(&bytes) {
        hold_patch(&patch);
    }
}

/// Makes the checksums of the trees in a library or a patch valid.
pub fn seal_inner(bytes: &mut [u8]) {
    let inner = |at: &usize| bytes[*at..].starts_with(&MAGIC);
    for at in (HEADER..bytes.len()).filter(inner).collect::<Vec<_>>() {
        let length = bytes[at..].get(16..24).and_then(|length| Some(u64::from_le_bytes(length.try_into().ok()?)));
        let end = length.and_then(|length| at.checked_add(usize::try_from(length).ok()?));
        if let Some(inner) = end.and_then(|end| bytes.get_mut(at..end)) {
            set_checksum(inner);
        }
    }
}

/// Reads JSON of a library and of a patch.
pub fn text(text: &[u8]) {
    if let Ok(library) = serde_json::from_slice(text) {
        hold(&library);
    }
    if let Ok(patch) = serde_json::from_slice(text) {
        hold_patch(&patch);
    }
}

/// Checks that a library is total, and is what it was after any kind of file.
pub fn hold(library: &Library) {
    let bytes = library.to_bytes();
    assert!(Library::from_bytes(&bytes).is_ok_and(|again| again == *library && again.to_bytes() == bytes));
    let text = serde_json::to_string(library).expect("text of a library");
    let again: Library = serde_json::from_slice(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert!(again == *library && again.to_bytes() == bytes, "{text}");
    if library.definitions().count() <= MOST_DEFINITIONS {
        for name in library.definitions() {
            library.tree(name).expect("a definition is a tree");
            _ = library.notes(name);
        }
    }
    hold_patch(&Patch::between(&Library::new(), library));
}

/// Checks that a patch is what it was after any kind of file, and is taken back where it is applied.
pub fn hold_patch(patch: &Patch) {
    assert_eq!(Patch::from_bytes(&patch.to_bytes()).as_ref(), Ok(patch));
    let text = serde_json::to_string(patch).expect("text of a patch");
    assert_eq!(
        &serde_json::from_slice::<Patch>(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}")),
        patch
    );
    let (empty, mut library) = (Library::new(), Library::new());
    if library.apply(patch).is_ok() {
        let merged = Patch::merge(&empty, patch, patch).expect("patches of one library");
        assert!(merged.patch == *patch && merged.conflicts.is_empty() && merged.renumbered.is_empty());
        library.apply(&patch.inverse()).expect("what was done can be taken back");
    }
    assert_eq!(library, empty);
}

/// Checks that an equal library, read from a file, is equal in each kind of file after it has made a patch of another.
pub fn follow(follower: &mut Library, patch: &Patch, library: &Library) {
    *follower = Library::from_bytes(&follower.to_bytes()).expect("bytes of a library");
    follower.apply(patch).expect("a patch of an equal library");
    assert_eq!(serde_json::to_string(follower).expect("text"), serde_json::to_string(library).expect("text"));
    assert!(follower.to_bytes() == library.to_bytes(), "the bytes are others");
}
