//! Computes normals and tangents that a file lacks.

use super::{AttributeValues, ImportedMesh, MeshData};
use crate::ImportOptions;
use crate::error::{ImportError, ImportErrorKind, Item, ItemKind};
use crate::file::Reader;
use crate::material::normal_map_set;
use gltf::json::Root;
use gltf::json::mesh::Primitive;
use hedgerow_math::internal::fallible;

/// Upper bounds on the bytes that a triangle takes while normals or tangents are computed, besides vertices.
const NORMALS_SCRATCH: u64 = 128;
const TANGENTS_SCRATCH: u64 = 1152;
/// The bytes of a triangle's indices, before and after.
const INDICES: u64 = 2 * size_of::<[u32; 3]>() as u64;
/// The time to compute tangents is also charged: this number of bytes for each triangle, and again for each target. The
/// time for a triangle grows with the number of triangles around its vertices, up to 256.
const TANGENTS_TIME: u64 = 1024;

/// Computes the normals and tangents that primitives lack, as far as `options` ask for them.
pub(crate) fn complete(
    reader: Reader<'_>,
    meshes: &mut [ImportedMesh],
    options: &ImportOptions,
) -> Result<(), ImportError> {
    if !(options.normals || options.tangents) {
        return Ok(());
    }
    for (mesh, of_mesh) in meshes.iter_mut().enumerate() {
        let item = || Item::of(reader.root, ItemKind::Mesh, mesh);
        let primitives = of_mesh.primitives.iter_mut().zip(&reader.root.meshes[mesh].primitives);
        for (primitive, json) in primitives {
            let Some(data) = &mut primitive.vertices else { continue };
            let set = if options.tangents { texcoords(reader.root, json) } else { None };
            if data.normals.is_empty() && (options.normals || set.is_some()) {
                charged(reader, data, (NORMALS_SCRATCH, 0), item, |data| data.compute_normals())?;
            }
            if let Some(set) = set.filter(|_| data.tangents.is_empty()) {
                let costs = (TANGENTS_SCRATCH, TANGENTS_TIME);
                charged(reader, data, costs, item, |data| data.compute_tangents(set as usize))?;
            }
        }
    }
    Ok(())
}

/// Returns the set of texture coordinates of the first normal map among a primitive's materials.
fn texcoords(root: &Root, json: &Primitive) -> Option<u32> {
    let variants = json.extensions.as_ref().and_then(|all| all.khr_materials_variants.as_ref());
    let of_variants = variants.into_iter().flat_map(|all| &all.mappings).map(|mapping| mapping.material as usize);
    let mut materials = json.material.map(|index| index.value()).into_iter().chain(of_variants);
    materials.find_map(|material| normal_map_set(&root.materials[material]))
}

/// Runs a computation on a mesh if the budget and memory suffice, and charges the growth of the mesh. The costs are
/// the bytes of scratch memory and the bytes for time, for each triangle.
fn charged(
    reader: Reader<'_>,
    data: &mut MeshData,
    (scratch, time): (u64, u64),
    item: impl Fn() -> Item,
    compute: impl FnOnce(&mut MeshData) -> bool,
) -> Result<(), ImportError> {
    let (triangles, targets) = (data.triangles().len() as u64, data.targets.len() as u64);
    let (vertices, before) = (data.positions.len() as u64, bytes(data));
    let of_lists = before - size_of_val(&data.indices[..]) as u64;
    let of_vertex =
        of_lists / vertices.max(1) + 1 + (size_of::<[f32; 7]>() as u64) + targets * size_of::<[f32; 9]>() as u64;
    // Each corner may become a vertex, and lists that grow are in memory twice.
    let most = (2 * of_vertex).saturating_mul(vertices.saturating_add(3 * triangles));
    let most = most.saturating_add(triangles.saturating_mul(scratch + INDICES + 16 * targets));
    reader.budget.room(most, &item)?;
    let refused = |_| ImportError::from(ImportErrorKind::AllocationFailed(item()));
    fallible::probe::<u8>(usize::try_from(most).unwrap_or(usize::MAX)).map_err(refused)?;
    if compute(data) {
        let time = triangles.saturating_mul(time).saturating_mul(1 + targets);
        reader.budget.take_bytes(bytes(data).saturating_sub(before).saturating_add(time), item)?;
    }
    Ok(())
}

/// Returns the bytes of all lists of a mesh.
fn bytes(data: &MeshData) -> u64 {
    let of_vertices =
        size_of_val(&data.positions[..]) + size_of_val(&data.normals[..]) + size_of_val(&data.tangents[..]);
    let of_influences = size_of_val(&data.joints[..]) + size_of_val(&data.weights[..]);
    let texcoords: usize = data.texcoords.iter().map(|set| size_of_val(&set[..])).sum();
    let colors: usize = data.colors.iter().map(|set| size_of_val(&set[..])).sum();
    let deltas = data.targets.iter().map(|it| it.positions.len() + it.normals.len() + it.tangents.len());
    let deltas = deltas.sum::<usize>() * size_of::<[f32; 3]>();
    let attributes = data.attributes.iter().map(|attribute| match &attribute.values {
        AttributeValues::Floats { numbers, .. } => size_of_val(&numbers[..]),
        AttributeValues::Integers { numbers, .. } => size_of_val(&numbers[..]),
    });
    let of_sets = texcoords + colors + deltas + attributes.sum::<usize>();
    (of_vertices + of_influences + of_sets + size_of_val(&data.indices[..])) as u64
}
