//! Scenes broken on purpose, one row a violation: each is found, and named as what it is.

mod rows;

use crate::config::StoragePolicy;
use crate::store::columns::Row;
use crate::store::{Membership, Slice, Store};
use crate::{Aabb, Mat34, Node, NodeHandle, Scene, SceneConfig, Shape, Transform, Visibility};
use glam::DVec3;

/// The message that the check must begin with, or end with, and what breaks the store.
type Violation = (&'static str, fn(&mut Store));

/// A scene with everything that there is to break: slices below others, holes in every column, sheared transforms and
/// remainders, boxes, a history, a detached subtree and one that waits to be freed. Up to date, and tidied.
fn scene() -> Scene {
    let config = SceneConfig {
        max_nodes: 32,
        min_nodes: 4,
        bounds: true,
        changes: true,
        storage: StoragePolicy { share_slices: false, ..StoragePolicy::DEFAULT },
        ..SceneConfig::DEFAULT
    };
    let mut scene = Scene::with_config(config).unwrap();
    let mut tops = Vec::new();
    let mut spare = Vec::new();
    for first in 0..3_u8 {
        let top = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
        let mut nodes: Vec<NodeHandle> = vec![top];
        for number in 0..90_u8 {
            let node = Node {
                local: (number % 2 == 0).then(|| Transform::from_xyz(f32::from(number), 0.0, 1.0).into()),
                material: (number % 3 == 0).then_some(u32::from(number)),
                shape: (number % 3 < 2).then(|| Shape::new(u32::from(number), Aabb::cube(1.0))),
                visibility: (number % 5 == 0).then_some(Visibility::layers(u32::from(number))),
                name: (number % 4 == 0).then_some("name"),
            };
            let parent = nodes[usize::from(number) / 4];
            nodes.push(scene.insert(parent, node).unwrap());
        }
        let mut shear = Mat34::IDENTITY;
        shear.rows[0][1] = 0.5;
        for at in [5, 9, 31, 43] {
            scene.set_local(nodes[at], shear).unwrap();
        }
        scene.set_translation_f64(nodes[3], DVec3::splat(0.1)).unwrap();
        spare.extend([nodes[6 + usize::from(first)], nodes[10]]);
        tops.push(nodes);
    }
    scene.update();
    scene.maintain(core::time::Duration::MAX);
    for nodes in &tops {
        for leaf in nodes[60..].iter().copied().step_by(5) {
            scene.remove(leaf).unwrap();
        }
    }
    scene.detach(spare[0]).unwrap();
    scene.detach(spare[4]).unwrap();
    scene.update();
    scene.store.edited.clear();
    scene.store.slices.iter_mut().for_each(|slice| slice.edited = false);
    scene.remove_later(tops[2][2]).unwrap();
    assert!(scene.store.len_of(Membership::PendingFree) > 0);
    scene.update();
    assert_eq!(scene.validate(), Ok(()));
    scene
}

/// The first attached slice that passes the test, without the root's.
fn find(store: &Store, test: impl Fn(&Slice) -> bool) -> u32 {
    let attached = |&number: &u32| number != 0 && store.slice(number).membership == Membership::Attached;
    store.slice_numbers().filter(attached).find(|&number| test(store.slice(number))).expect("such a slice")
}

fn pick(store: &mut Store, test: impl Fn(&Slice) -> bool) -> &mut Slice {
    let number = find(store, test);
    store.slice_mut(number)
}

/// A row of an attached slice that passes the test, with its slice.
fn pick_row(store: &mut Store, test: impl Fn(&Slice, &Row) -> bool) -> (&mut Slice, u32) {
    let row = |slice: &Slice| slice.row_slots.iter().find(|&row| test(slice, slice.row(row)));
    let number = find(store, |slice| row(slice).is_some());
    let at = row(store.slice(number)).expect("it was found");
    (store.slice_mut(number), at)
}

/// Whether a message is made by a pattern, which has its values in braces.
fn matches(message: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('{').map(|part| part.split_once('}').map_or(part, |(_, text)| text));
    let Some(mut rest) = parts.next().and_then(|first| message.strip_prefix(first)) else { return false };
    for part in parts.filter(|part| !part.is_empty()) {
        let Some((_, behind)) = rest.split_once(part) else { return false };
        rest = behind;
    }
    rest.is_empty() || pattern.ends_with('}')
}

#[test]
fn each_violation_is_found_and_named() {
    let whole = scene();
    let mut wrong = Vec::new();
    for (message, break_it) in rows::violations() {
        let mut broken = whole.clone();
        let found = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
            break_it(&mut broken.store);
            broken.validate().map_err(|found| found.to_string())
        }));
        match found {
            Ok(Err(found)) if matches(&found, message) => {}
            found => wrong.push(format!("{message:?} is not what validate() says: {found:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_slice_of_portals_below_the_root_waits_for_a_partner_on_the_list_of_the_root() {
    let storage = StoragePolicy { share_slices: false, ..StoragePolicy::DEFAULT };
    let config = SceneConfig { max_nodes: 16, min_nodes: 4, storage, ..SceneConfig::DEFAULT };
    let mut scene = Scene::with_config(config).unwrap();
    for _ in 0..200 {
        scene.insert(scene.root(), Node::group()).unwrap();
    }
    scene.update();
    scene.maintain(core::time::Duration::MAX);
    assert_eq!(scene.validate(), Ok(()));
    let store = &mut scene.store;
    let number = find(store, |slice| slice.portal.slice == 0 && slice.nodes() == 0);
    store.slice_mut(0).candidates_below.clear();
    let slice = store.slice_mut(number);
    (slice.merge_candidate, slice.edited) = (true, false);
    let found = scene.validate().unwrap_err().to_string();
    let message = "slice {number} waits for a partner, and the slice above does not know";
    assert!(matches(&found, message), "{found}");
}

#[test]
fn what_waits_for_the_update_may_have_been_the_last_slice() {
    let mut scene = Scene::new();
    let node = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
    scene.update();
    scene.detach(node).unwrap();
    scene.set_local(node, Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
    scene.remove(node).unwrap();
    scene.shrink_to_fit();
    let end = u32::try_from(scene.store.slices.len()).unwrap();
    assert_eq!(scene.store.marked_roots, [end], "it is still listed");
    assert_eq!(scene.validate(), Ok(()));
}

#[test]
fn every_message_of_the_checks_has_a_row() {
    let sources = [
        include_str!("../mod.rs"),
        include_str!("../columns.rs"),
        include_str!("../boxes.rs"),
        include_str!("../tables.rs"),
        include_str!("../../change/validate.rs"),
        include_str!("../../../scene/validate.rs"),
    ];
    let messages = sources.iter().flat_map(|source| source.lines()).filter(|line| !line.trim().starts_with("//"));
    let texts = messages.flat_map(|line| line.split('"').skip(1).step_by(2)).filter(|text| text.contains(' '));
    let known = |text: &&str| !rows::violations().any(|(row, _)| row == text) && !rows::BEHIND_OTHERS.contains(text);
    let forgotten: Vec<&str> = texts.filter(known).collect();
    assert!(forgotten.is_empty(), "no row breaks a scene so that validate() says:\n{}", forgotten.join("\n"));
}
