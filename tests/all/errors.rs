//! Error messages: the node, the numbers, and the advice.

use hedgerow::edit::{BatchError, EditQueue};
use hedgerow::glam::{Mat4, Vec2};
use hedgerow::query::Ray;
use hedgerow::snapshot::SnapshotError;
use hedgerow::{Error, Mat34, Node, Place, Scene, Transform, Tree};
use std::error::Error as _;
use std::io::ErrorKind;

/// Checks that a message contains its parts and advice.
fn check(error: &dyn core::error::Error, parts: &[&str]) {
    let text = error.to_string();
    for part in parts {
        assert!(text.contains(part), "{error:?} says {text:?}, without {part:?}");
    }
    assert!(text.contains("; ") || text.contains(" must be "), "{error:?} says {text:?}, and not what to do");
}

#[test]
fn errors_of_edits_name_the_node_and_say_what_to_do() {
    let mut scene = Scene::new();
    let node = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
    let parent = scene.root();
    let (of_node, of_parent) = (format!("{node:?}"), format!("{parent:?}"));
    let ticket = EditQueue::new().insert(node, Node::group());
    let of_ticket = format!("{ticket:?}");
    let said: [(Error, &[&str]); 27] = [
        (Error::StaleHandle(node), &[&of_node, "drop the handle"]),
        (Error::RootIsFixed, &["edit its children"]),
        (Error::BesideDetached(node), &[&of_node, "move it into the tree first"]),
        (Error::PlaceInList(Place::Before(node)), &[&of_node, "use reparent"]),
        (Error::IndexOutOfRange { parent, index: 7, children: 2 }, &[&of_parent, "index 7", "from 0 to 2"]),
        (Error::WouldCycle { node, parent }, &[&of_node, &of_parent]),
        (Error::WouldCycle { node, parent: node }, &[&of_node, "another parent"]),
        (Error::NotFinite("a transform"), &["a transform must be finite"]),
        (Error::NotRotation, &["a nonzero quaternion"]),
        (Error::NotAffine, &["0, 0, 0, 1"]),
        (Error::Singular(parent), &[&of_parent, "no inverse"]),
        (Error::Underflow(parent), &[&of_parent, "too small"]),
        (Error::Overflow(parent), &[&of_parent, "too large"]),
        (Error::NoTransform(node), &[&of_node, "set_local"]),
        (Error::Sheared(node), &[&of_node, "shears"]),
        (Error::NoDrawable(node), &[&of_node, "set_drawable"]),
        (Error::UnknownTicket(ticket), &[&of_ticket, "append the queue"]),
        (Error::UnknownParent, &["push the parent first"]),
        (Error::NoLocal, &["give the node one"]),
        (Error::NoBounds, &["bounds: true"]),
        (Error::NoChanges, &["changes: true"]),
        (Error::NotUpdated, &["update()"]),
        (Error::InvalidConfig { field: "max_nodes", expected: "at least 16" }, &["max_nodes must be at least 16"]),
        (Error::OtherScene, &["another scene", "Checkpoints::new"]),
        (Error::NoCheckpoint(7), &["frame 7", "Checkpoints::frames"]),
        (Error::FrameBefore { frame: 7, newest: 9 }, &["frame 7", "9"]),
        (Error::AllocationFailed, &["reserve less"]),
    ];
    for (error, parts) in said {
        check(&error, parts);
        check(&BatchError { item: Some(31), error }, parts);
        check(&BatchError { item: Some(31), error }, &["item 31 of the list: "]);
        assert_eq!(BatchError { item: None, error }.to_string(), error.to_string());
        assert_eq!(Error::from(BatchError { item: Some(31), error }), error);
        let source = BatchError { item: Some(31), error }.source().map(ToString::to_string);
        assert_eq!(source, Some(error.to_string()));
        check(&SnapshotError::Scene(error), parts);
    }
    check(&Error::CapacityOverflow, &["several scenes", "calls"]);
}

#[test]
fn errors_of_values_become_errors_of_the_scene() {
    let mut scene = Scene::new();
    let node = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
    let as_error = |error: hedgerow::math::Error| Error::from(error);
    assert_eq!(Mat34::try_from(Mat4::ZERO).map_err(as_error), Err(Error::NotAffine));
    assert_eq!(
        Ray::from_ndc(&Mat4::ZERO, Vec2::ZERO).map(drop).map_err(as_error),
        Err(Error::NotFinite("the inverse of a view-projection matrix"))
    );
    let nan = Transform::from_xyz(f32::NAN, 0.0, 0.0);
    assert_eq!(scene.set_local(node, nan), Err(Error::NotFinite("a transform")));
    let mut tree = Tree::new();
    tree.push(None, Node::transform(nan));
    let refused = scene.insert_tree(node, &tree).map(drop);
    assert_eq!(refused, Err(BatchError { item: Some(0), error: Error::NotFinite("a transform") }));
}

#[test]
fn errors_of_snapshots_say_what_the_bytes_are() {
    let said: [(SnapshotError, &[&str]); 7] = [
        (SnapshotError::NotASnapshot, &["own to_bytes"]),
        (SnapshotError::Version { found: 999, newest: 14 }, &["version 999 is newer", "up to 14; update the crate"]),
        (SnapshotError::Kind { found: "Tree" }, &["Tree::from_bytes"]),
        (SnapshotError::Length { expected: 123, found: 45 }, &["123 bytes", "has 45"]),
        (SnapshotError::Checksum, &["damaged"]),
        (SnapshotError::Invalid { violation: "a node is lost" }, &["not valid: a node is lost"]),
        (SnapshotError::Read(ErrorKind::NotFound), &["entity not found"]),
    ];
    said.iter().for_each(|(error, parts)| check(error, parts));
    assert_eq!(SnapshotError::AllocationFailed.to_string(), Error::AllocationFailed.to_string());
}
