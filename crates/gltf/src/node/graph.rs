//! Checks that the nodes of a file form trees, and reads each node's own data.

use super::light;
use crate::error::{ImportError, ImportErrorKind, Item, ItemKind, WarningKind, Warnings, check_finite, check_index};
use crate::file;
use core::mem;
use glam::{Quat, Vec3};
use gltf::json::scene::Node;
use gltf::json::{Index, Root};
use hedgerow::{Local, Transform};

/// The last row of a matrix may differ from 0, 0, 0, 1 by at most this number, because exporters round.
const AFFINE_TOLERANCE: f32 = 1e-5;

/// The trees that the nodes of a checked file form.
pub(crate) struct Forest {
    /// The parent of each node; `None` for a root.
    pub(crate) parents: Vec<Option<usize>>,
    /// The nodes in depth-first order: parents come before children.
    pub(crate) order: Vec<usize>,
}

/// Checks nodes and scenes: indices and numbers are valid, every node has at most one parent, and no node is its own
/// ancestor. Removes duplicates from lists of scenes and children.
pub(crate) fn check(root: &mut Root, warnings: &Warnings) -> Result<Forest, ImportError> {
    check_nodes(root, warnings)?;
    let parents = find_parents(root)?;
    let order = depth_first(root, &parents)?;
    let forest = Forest { parents, order };
    check_scenes(root, &forest, warnings)?;
    Ok(forest)
}

fn check_nodes(root: &mut Root, warnings: &Warnings) -> Result<(), ImportError> {
    let mut listed = vec![usize::MAX; root.nodes.len()];
    for (index, skin) in root.skins.iter().enumerate() {
        if skin.joints.is_empty() {
            warnings.fault(|| Item::of(root, ItemKind::Skin, index), || "joints".to_owned(), WarningKind::LeftOut)?;
        }
    }
    for index in 0..root.nodes.len() {
        let node = &root.nodes[index];
        let holder = || Item::node(root, index);
        check_index(node.mesh, root.meshes.len(), holder, || "mesh".to_owned())?;
        check_index(node.skin, root.skins.len(), holder, || "skin".to_owned())?;
        check_index(node.camera, root.cameras.len(), holder, || "camera".to_owned())?;
        let light = || "extensions.KHR_lights_punctual.light".to_owned();
        check_index(light::of_node(node), light::lights(root).len(), holder, light)?;
        check_local(root, index, node)?;
        // The numbers are finite, so the only possible fault is a zero rotation.
        if matches!(local(node), Local::Transform(transform) if transform.checked().is_err()) {
            warnings.fault(holder, || "rotation".to_owned(), WarningKind::Invalid { meant: "the identity" })?;
            root.nodes[index].rotation = None;
        }
        // Indices out of range are refused later.
        let mut first = |it: &Index<Node>| listed.get_mut(it.value()).is_none_or(|by| mem::replace(by, index) != index);
        let mut children = root.nodes[index].children.take().unwrap_or_default();
        let (mut position, mut twice) = (0, Vec::new());
        children.retain(|child| {
            position += 1;
            first(child) || {
                twice.push(position - 1);
                false
            }
        });
        root.nodes[index].children = (position > 0).then_some(children);
        for position in twice {
            warnings.fault(|| Item::node(root, index), || format!("children[{position}]"), WarningKind::Twice)?;
        }
        root.nodes[index].skin.take_if(|skin| root.skins[skin.value()].joints.is_empty());
    }
    Ok(())
}

pub(crate) fn children(node: &Node) -> impl DoubleEndedIterator<Item = usize> {
    node.children.iter().flatten().map(Index::value)
}

/// Returns the local transform exactly as in the file: translation, rotation and scale, or the matrix.
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
            let (field, problem) = ("matrix".to_owned(), "its last row must be 0, 0, 0, 1");
            return Err(ImportErrorKind::Invalid { item: item(), field, problem }.into());
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
    Ok(())
}

/// Returns each node's parent, or `None` for a root.
fn find_parents(root: &Root) -> Result<Vec<Option<usize>>, ImportError> {
    let mut parents = vec![None; root.nodes.len()];
    for (index, node) in root.nodes.iter().enumerate() {
        for (position, child) in node.children.iter().flatten().enumerate() {
            let field = || format!("children[{position}]");
            check_index(Some(*child), root.nodes.len(), || Item::node(root, index), field)?;
            let child = child.value();
            let Some(first) = parents[child].replace(index) else { continue };
            // If the second parent is below the child, report the cycle, because that error helps more.
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

/// Returns whether `ancestor` is `node` or above `node`; `parents` may have cycles.
fn climbs_to(parents: &[Option<usize>], node: usize, ancestor: usize) -> bool {
    core::iter::successors(Some(node), |&at| parents[at]).take(parents.len()).any(|at| at == ancestor)
}

/// Returns the nodes in depth-first order, or an error if there is a cycle: no root reaches the nodes in or below one.
fn depth_first(root: &Root, parents: &[Option<usize>]) -> Result<Vec<usize>, ImportError> {
    let mut order = Vec::with_capacity(parents.len());
    let mut stack: Vec<usize> = (0..parents.len()).rev().filter(|&node| parents[node].is_none()).collect();
    while let Some(node) = stack.pop() {
        order.push(node);
        stack.extend(children(&root.nodes[node]).rev());
    }
    if order.len() < parents.len() {
        let mut reached = vec![false; parents.len()];
        order.iter().for_each(|&node| reached[node] = true);
        let lost = reached.iter().position(|reached| !reached).unwrap_or_default();
        // The lost node may be below the cycle. A climb with as many steps as there are nodes ends in the cycle.
        let circle = (0..parents.len()).fold(lost, |at, _| parents[at].unwrap_or(at));
        return Err(ImportErrorKind::Cycle(Item::node(root, circle)).into());
    }
    Ok(order)
}

/// From the list of each scene, removes duplicates and nodes below other listed nodes.
fn check_scenes(root: &mut Root, forest: &Forest, warnings: &Warnings) -> Result<(), ImportError> {
    if root.scene.take_if(|scene| scene.value() >= root.scenes.len()).is_some() {
        warnings.fault(Item::file, || "scene".to_owned(), WarningKind::LeftOut)?;
    }
    let mut last_scene = vec![None; root.nodes.len()];
    let mut spans = None;
    for index in 0..root.scenes.len() {
        let item = || Item::of(root, ItemKind::Scene, index);
        let mut is_plain = true;
        for (position, node) in root.scenes[index].nodes.iter().enumerate() {
            check_index(Some(*node), root.nodes.len(), item, || format!("nodes[{position}]"))?;
            let node = node.value();
            // Nearly all scenes list only roots, and each once, which needs no spans.
            is_plain &= last_scene[node].replace(index) != Some(index) && forest.parents[node].is_none();
        }
        if !is_plain {
            let spans = spans.get_or_insert_with(|| find_spans(forest));
            let roots = once(root, &forest.parents, spans, index, warnings)?;
            root.scenes[index].nodes = roots;
        }
    }
    Ok(())
}

/// Returns the range of each node's subtree in depth-first order.
fn find_spans(Forest { parents, order }: &Forest) -> Vec<(usize, usize)> {
    let mut spans = vec![(0, 0); parents.len()];
    order.iter().enumerate().for_each(|(at, &node)| spans[node] = (at, at + 1));
    // Backwards, so that each span is complete when its parent takes it.
    for &node in order.iter().rev() {
        if let Some(parent) = parents[node] {
            spans[parent].1 = spans[parent].1.max(spans[node].1);
        }
    }
    spans
}

/// Returns the nodes that a scene lists, without duplicates and without nodes below other listed nodes.
fn once(
    root: &Root,
    parents: &[Option<usize>],
    spans: &[(usize, usize)],
    scene: usize,
    warnings: &Warnings,
) -> Result<Vec<Index<Node>>, ImportError> {
    let listed = &root.scenes[scene].nodes;
    let mut order: Vec<usize> = (0..listed.len()).collect();
    order.sort_by_key(|&position| spans[listed[position].value()].0);
    let (mut is_root, mut end) = (vec![false; listed.len()], 0);
    for position in order {
        let (first, behind) = spans[listed[position].value()];
        // Spans nest or are apart, so a node inside an earlier span is below a root of the scene.
        if first >= end {
            is_root[position] = true;
            end = behind;
        }
    }
    for (position, node) in listed.iter().enumerate() {
        let kind = match (is_root[position], parents[node.value()]) {
            (true, None) => continue,
            (true, Some(_)) => WarningKind::ListsChild,
            (false, _) => WarningKind::ListedAgain,
        };
        warnings.fault(|| Item::of(root, ItemKind::Scene, scene), || format!("nodes[{position}]"), kind)?;
    }
    Ok(listed.iter().zip(is_root).filter(|(_, is_root)| *is_root).map(|(node, _)| *node).collect())
}
