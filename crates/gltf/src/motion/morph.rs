//! Morph weights of nodes.

use crate::error::{ImportError, ImportErrorKind, Item, ItemKind, WarningKind};
use crate::file::Reader;
use core::iter::repeat;
use gltf::json::Root;
use gltf::json::mesh::Mesh;
use hedgerow_character::MorphNode;
use serde_json::Value;

/// Returns the nodes whose meshes have morph targets, by ascending index.
pub(crate) fn read(Reader { root, budget, warnings, .. }: Reader<'_>) -> Result<Vec<MorphNode>, ImportError> {
    let counts = root.meshes.iter().enumerate().map(|(mesh, json)| count(root, mesh, json));
    let counts: Vec<usize> = counts.collect::<Result<_, _>>()?;
    // Count the bytes before allocating them.
    let morphed = || {
        let drawn = root.nodes.iter().enumerate().filter_map(|(node, json)| Some((node, json, json.mesh?.value())));
        drawn.filter(|&(.., mesh)| counts[mesh] > 0)
    };
    let meshes = root.meshes.iter().zip(&counts);
    let names: Vec<Vec<String>> = meshes.map(|(mesh, &targets)| names(mesh, targets)).collect();
    let lengths: Vec<usize> = names.iter().map(|names| names.iter().map(String::len).sum()).collect();
    for (node, _, mesh) in morphed() {
        let item = || Item::node(root, node);
        budget.take::<(f32, String)>(counts[mesh], item)?;
        budget.take::<u8>(lengths[mesh], item)?;
    }
    let mut nodes = Vec::new();
    for (node, json, mesh) in morphed() {
        let targets = counts[mesh];
        let of_mesh = &root.meshes[mesh];
        let holder = || match json.weights {
            None if of_mesh.weights.is_some() => Item::of(root, ItemKind::Mesh, mesh),
            _ => Item::node(root, node),
        };
        let (listed, field) = (json.weights.as_ref().or(of_mesh.weights.as_ref()), || "weights".to_owned());
        if listed.is_some_and(|listed| listed.len() != targets) {
            warnings.fault(
                holder,
                field,
                WarningKind::Invalid { meant: "one weight for each target, 0 if missing" },
            )?;
        }
        let weights: Vec<f32> = listed.into_iter().flatten().copied().chain(repeat(0.0)).take(targets).collect();
        if weights.iter().any(|weight| !weight.is_finite()) {
            return Err(ImportErrorKind::NotFinite { item: holder(), field: field() }.into());
        }
        let mut morph = MorphNode::new(node, weights);
        morph.names = names[mesh].clone();
        nodes.push(morph);
    }
    Ok(nodes)
}

/// Returns the number of targets of each primitive of a mesh.
fn count(root: &Root, mesh: usize, json: &Mesh) -> Result<usize, ImportError> {
    let mut counts = json.primitives.iter().map(|it| it.targets.as_ref().map_or(0, Vec::len));
    let first = counts.next().unwrap_or(0);
    match counts.position(|count| count != first) {
        None => Ok(first),
        Some(before) => Err(ImportErrorKind::Invalid {
            item: Item::of(root, ItemKind::Mesh, mesh),
            field: format!("primitives[{}].targets", before + 1),
            problem: "all primitives of a mesh must have the same number of morph targets",
        }
        .into()),
    }
}

/// Returns the names of targets by the exporters' convention; glTF itself has no field for names.
fn names(mesh: &Mesh, targets: usize) -> Vec<String> {
    let extras = mesh.extras.as_ref().and_then(|extras| serde_json::from_str::<Value>(extras.get()).ok());
    let listed = extras.as_ref().and_then(|extras| extras.get("targetNames")).and_then(Value::as_array);
    let name = |target: usize| listed?.get(target)?.as_str();
    (0..targets).map(|target| name(target).unwrap_or_default().to_owned()).collect()
}
