//! Error messages: the node, the numbers, and the advice.

use hedgerow::{Error, Scene};
use hedgerow_character::CharacterError;

/// Checks that a message contains its parts and advice.
fn check(error: CharacterError, parts: &[&str]) {
    let text = error.to_string();
    for part in parts {
        assert!(text.contains(part), "{error:?} says {text:?}, without {part:?}");
    }
    assert!(text.contains("; ") || text.contains(" must be "), "{error:?} says {text:?}, and not what to do");
}

#[test]
fn errors_name_the_node_the_joint_or_the_vertex_and_say_what_to_do() {
    let node = Scene::new().root();
    let of_node = format!("{node:?}");
    check(CharacterError::NoParent(node), &[&of_node]);
    check(CharacterError::NoJoint { joint: 12, matrices: 11 }, &["11 matrices", "joint 12"]);
    check(CharacterError::NotFinite { node }, &[&of_node]);
    check(CharacterError::Length { what: "weights", expected: 8, found: 9 }, &["9 weights were passed for 8 vertices"]);
    check(CharacterError::Vertex { what: "extent", vertex: 6 }, &["the extent of vertex 6"]);
    check(CharacterError::NoRig { rig: 7, count: 2 }, &["rig 7", "2 rigs"]);
    check(CharacterError::Scene(Error::StaleHandle(node)), &[&of_node, "drop the handle"]);
    let pose = hedgerow_anim::skeleton::SkeletonError::BadWeight;
    check(CharacterError::Pose(pose.into()), &["clamp it"]);
}
