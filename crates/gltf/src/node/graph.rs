//! Checks that the nodes of a file form trees, and reads each node's own data.

use super::light;
use crate::error::{ImportError, ImportErrorKind, Item, ItemKind, check_finite, check_index};
use crate::file;
use bumpalo::Bump;
use bumpalo::collections::Vec as BumpVec;
use glam::{Quat, Vec3};
use gltf::json::scene::Node;
use gltf::json::{Index, Root};
use hedgerow::{Local, Transform};

/// How far the last row of a matrix may be from 0, 0, 0, 1: allows for the rounding of exporters.
const AFFINE_TOLERANCE: f32 = 1e-5;

/// Checks all data of nodes and scenes: their indices and numbers, that every node has at most one parent, and that
/// none is its own ancestor.
pub(crate) fn check(root: &Root, arena: &Bump) -> Result<(), ImportError> {
    for (index, node) in root.nodes.iter().enumerate() {
        let holder = || Item::node(root, index);
        check_index(node.mesh, root.meshes.len(), holder, || "mesh".to_owned())?;
        check_index(node.skin, root.skins.len(), holder, || "skin".to_owned())?;
        check_index(node.camera, root.cameras.len(), holder, || "camera".to_owned())?;
        let light = || "extensions.KHR_lights_punctual.light".to_owned();
        check_index(light::of_node(node), light::lights(root).len(), holder, light)?;
        check_local(root, index, node)?;
    }
    let parents = find_parents(root, arena)?;
    check_cycles(root, parents, arena)?;
    check_scenes(root, parents, arena)
}

/// The indices of a node's children.
pub(crate) fn children(node: &Node) -> impl DoubleEndedIterator<Item = usize> {
    node.children.iter().flatten().map(Index::value)
}

/// The local transform as in the file: translation, rotation and scale unchanged in every bit, or the matrix.
pub(crate) fn local(node: &Node) -> Local {
    match node.matrix {
        Some(m) => Local::Matrix(file::columns(&m)),
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
        check_finite(m, item, "matrix")?;
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
        check_finite(values.unwrap_or_default(), item, field)?;
    }
    // Its numbers are finite, so only a rotation without a direction is left to be refused.
    match local(node) {
        Local::Transform(transform) if transform.checked().is_err() => Err(ImportErrorKind::NotRotation(item()).into()),
        _ => Ok(()),
    }
}

/// Each node's parent, or `None` for a root.
fn find_parents<'b>(root: &Root, arena: &'b Bump) -> Result<&'b [Option<usize>], ImportError> {
    let parents: &mut [Option<usize>] = arena.alloc_slice_fill_copy(root.nodes.len(), None);
    for (index, node) in root.nodes.iter().enumerate() {
        for (position, child) in node.children.iter().flatten().enumerate() {
            let field = || format!("children[{position}]");
            check_index(Some(*child), root.nodes.len(), || Item::node(root, index), field)?;
            let child = child.value();
            let Some(first) = parents[child].replace(index) else { continue };
            // A second parent below the child makes a cycle, which is the more helpful error.
            return Err(if climbs_to(parents, index, child) {
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
fn check_cycles(root: &Root, parents: &[Option<usize>], arena: &Bump) -> Result<(), ImportError> {
    let reached = arena.alloc_slice_fill_copy(parents.len(), false);
    let mut stack = BumpVec::with_capacity_in(parents.len(), arena);
    stack.extend((0..parents.len()).filter(|&index| parents[index].is_none()));
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
fn check_scenes(root: &Root, parents: &[Option<usize>], arena: &Bump) -> Result<(), ImportError> {
    check_index(root.scene, root.scenes.len(), || Item::of(root, ItemKind::File, 0), || "scene".to_owned())?;
    let last_scene: &mut [Option<usize>] = arena.alloc_slice_fill_copy(root.nodes.len(), None);
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
