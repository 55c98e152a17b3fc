//! Checks that the nodes of a file form trees, and reads each node's own data.

use super::accessor;
use super::error::{ImportError, ImportErrorKind, Item, ItemKind};
use crate::{Error, Local, Transform};
use glam::{Quat, Vec3};
use gltf::json::scene::Node;
use gltf::json::{Index, Root};

/// How far the last row of a matrix may be from 0, 0, 0, 1: allows for the rounding of exporters.
const AFFINE_TOLERANCE: f32 = 1e-5;

/// Checks all data of nodes and scenes: their indices and numbers, that every node has at most one parent, and that
/// none is its own ancestor.
pub(super) fn check(root: &Root) -> Result<(), ImportError> {
    for (index, node) in root.nodes.iter().enumerate() {
        let holder = || Item::node(root, index);
        check_index(node.mesh, root.meshes.len(), holder, || "mesh".to_owned())?;
        check_index(node.skin, root.skins.len(), holder, || "skin".to_owned())?;
        check_index(node.camera, root.cameras.len(), holder, || "camera".to_owned())?;
        check_local(root, index, node)?;
    }
    let parents = find_parents(root)?;
    check_cycles(root, &parents)?;
    check_scenes(root, &parents)
}

/// Returns an error for an index that is `count` or more.
pub(super) fn check_index<T>(
    index: Option<Index<T>>,
    count: usize,
    holder: impl FnOnce() -> Item,
    field: impl FnOnce() -> String,
) -> Result<(), ImportError> {
    match index.map(|index| index.value()) {
        Some(index) if index >= count => {
            Err(ImportErrorKind::IndexOutOfRange { item: holder(), field: field(), index, count }.into())
        }
        _ => Ok(()),
    }
}

/// The indices of a node's children.
pub(super) fn children(node: &Node) -> impl DoubleEndedIterator<Item = usize> {
    node.children.iter().flatten().map(Index::value)
}

/// The local transform as in the file: translation, rotation and scale unchanged in every bit, or the matrix.
pub(super) fn local(node: &Node) -> Local {
    match node.matrix {
        Some(m) => Local::Matrix(accessor::columns(&m)),
        None => Local::Transform(Transform {
            translation: node.translation.map_or(Vec3::ZERO, Vec3::from_array),
            rotation: node.rotation.map_or(Quat::IDENTITY, |rotation| Quat::from_array(rotation.0)),
            scale: node.scale.map_or(Vec3::ONE, Vec3::from_array),
        }),
    }
}

/// Checks the numbers of a node's transform.
fn check_local(root: &Root, index: usize, node: &Node) -> Result<(), ImportError> {
    let item = || Item::node(root, index);
    if let Some(m) = &node.matrix {
        let off = |value: f32, expected: f32| (value - expected).abs() > AFFINE_TOLERANCE;
        if m.iter().any(|value| !value.is_finite()) {
            return Err(ImportErrorKind::NotFinite { item: item(), field: "matrix".to_owned() }.into());
        }
        if off(m[3], 0.0) || off(m[7], 0.0) || off(m[11], 0.0) || off(m[15], 1.0) {
            return Err(ImportErrorKind::NotAffine(item()).into());
        }
    }
    let numbers = [
        ("translation", node.translation.as_ref().map(|t| t.as_slice())),
        ("rotation", node.rotation.as_ref().map(|r| r.0.as_slice())),
        ("scale", node.scale.as_ref().map(|s| s.as_slice())),
    ];
    for (field, values) in numbers {
        if values.is_some_and(|values| values.iter().any(|value| !value.is_finite())) {
            return Err(ImportErrorKind::NotFinite { item: item(), field: field.to_owned() }.into());
        }
    }
    // The scene decides what it accepts.
    match local(node).checked() {
        Ok(_) => Ok(()),
        Err(Error::NotRotation) => Err(ImportErrorKind::NotRotation(item()).into()),
        Err(_) => Err(ImportErrorKind::NotFinite { item: item(), field: "transform".to_owned() }.into()),
    }
}

/// Each node's parent, or `None` for a root.
fn find_parents(root: &Root) -> Result<Vec<Option<usize>>, ImportError> {
    let mut parents: Vec<Option<usize>> = vec![None; root.nodes.len()];
    for (index, node) in root.nodes.iter().enumerate() {
        for (position, child) in node.children.iter().flatten().enumerate() {
            let field = || format!("children[{position}]");
            check_index(Some(*child), root.nodes.len(), || Item::node(root, index), field)?;
            let child = child.value();
            let Some(first) = parents[child].replace(index) else { continue };
            // A second parent below the child makes a cycle, which is the more helpful error.
            return Err(if climbs_to(&parents, index, child) {
                ImportErrorKind::Cycle(Item::node(root, child)).into()
            } else {
                let parents = [first, index].map(|parent| Item::node(root, parent));
                ImportErrorKind::TwoParents { item: Item::node(root, child), parents }.into()
            });
        }
    }
    Ok(parents)
}

/// Whether `ancestor` is `node` or above it; `parents` may have cycles.
fn climbs_to(parents: &[Option<usize>], node: usize, ancestor: usize) -> bool {
    core::iter::successors(Some(node), |&at| parents[at]).take(parents.len()).any(|at| at == ancestor)
}

/// Returns an error for cycles: if every node has at most one parent, these are exactly the nodes that cannot be
/// reached from the roots.
fn check_cycles(root: &Root, parents: &[Option<usize>]) -> Result<(), ImportError> {
    let mut reached = vec![false; parents.len()];
    let mut stack: Vec<usize> = (0..parents.len()).filter(|&index| parents[index].is_none()).collect();
    while let Some(index) = stack.pop() {
        reached[index] = true;
        stack.extend(children(&root.nodes[index]));
    }
    let Some(lost) = reached.iter().position(|reached| !reached) else { return Ok(()) };
    // A lost node may be below its cycle; climbing as many steps as there are nodes ends within the cycle.
    let circle = (0..parents.len()).fold(lost, |at, _| parents[at].unwrap_or(at));
    Err(ImportErrorKind::Cycle(Item::node(root, circle)).into())
}

/// Checks that the scenes list only roots, and each at most once in a scene.
fn check_scenes(root: &Root, parents: &[Option<usize>]) -> Result<(), ImportError> {
    check_index(root.scene, root.scenes.len(), || Item::of(root, ItemKind::File, 0), || "scene".to_owned())?;
    let mut last_scene: Vec<Option<usize>> = vec![None; root.nodes.len()];
    for (index, scene) in root.scenes.iter().enumerate() {
        let item = || Item::of(root, ItemKind::Scene, index);
        for (position, node) in scene.nodes.iter().enumerate() {
            check_index(Some(*node), root.nodes.len(), item, || format!("nodes[{position}]"))?;
            let node = node.value();
            let parent = parents[node].map(|parent| Item::node(root, parent));
            let again = last_scene[node].replace(index) == Some(index);
            if let Some(other) = parent.or_else(|| again.then(item)) {
                return Err(
                    ImportErrorKind::TwoParents { item: Item::node(root, node), parents: [item(), other] }.into()
                );
            }
        }
    }
    Ok(())
}
