//! Meshes: their primitives, with bounds, materials and vertices.
//!
//! | file | what |
//! |---|---|
//! | `ids` | the mesh ids of primitives |
//! | `bounds` | the box of a primitive |
//! | `data` | vertices as plain arrays |
//! | `read` | reads vertices |
//! | `custom` | an application's own attributes |
//! | `mend` | replaces invalid numbers |
//! | `normals`, `tangents`, `complete` | computes what a file lacks |
//! | `split` | splits vertices whose triangles need different values |
//! | `deform` | makes skinned meshes and joint bounds |
//! | `rest` | boxes of skinned and morphed meshes at rest |

mod bounds;
mod complete;
mod custom;
mod data;
mod deform;
mod ids;
mod mend;
mod normals;
mod read;
mod rest;
mod split;
mod tangents;

#[cfg(feature = "draco")]
pub(super) use bounds::are_declared as has_declared_bounds;
pub(super) use complete::complete;
pub use custom::{AttributeValues, VertexAttribute};
pub use data::{MeshData, MorphDeltas, Topology};
pub use ids::MeshIds;
pub(super) use read::{follows_joints, meshes_that_follow};
pub(super) use rest::{Boxes, Deforms, Rest, Resting};

use super::error::{ImportError, ImportErrorKind, Item, ItemKind, check_index};
use super::extras::others;
use super::file::Reader;
use super::{Extensions, Extras, Parts, PrimitiveAccessors, Skipped};
use gltf::json::Root;
use gltf::json::mesh::{MorphTarget, Primitive, Semantic};
use gltf::json::validation::Checked;
use hedgerow::Aabb;

/// A mesh of a glTF file.
///
/// ```
/// // A triangle whose corners are in the text: (0, 0, 0), (0, 2, 0) and (2, 0, 0).
/// let text = br#"{
///     "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
///     "meshes": [{"name": "sail", "primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}],
///     "materials": [{"name": "canvas"}],
///     "accessors": [{"componentType": 5126, "type": "VEC3", "count": 3, "bufferView": 0}],
///     "bufferViews": [{"buffer": 0, "byteLength": 36}],
///     "buffers": [{"byteLength": 36,
///         "uri": "data:;base64,AAAAAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAAAA"}]
/// }"#;
/// let imported = hedgerow_gltf::from_slice(text, None)?.imported;
/// let sail = &imported.meshes[0];
/// assert_eq!(sail.name.as_deref(), Some("sail"));
/// let primitive = &sail.primitives[0];
/// assert_eq!((primitive.id, primitive.material), (0, Some(0)));
/// let vertices = primitive.vertices.as_ref().expect("they were asked for");
/// assert_eq!(vertices.positions, [[0.0, 0.0, 0.0], [0.0, 2.0, 0.0], [2.0, 0.0, 0.0]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ImportedMesh {
    /// The name, if any.
    pub name: Option<String>,
    /// The primitives, in the order of the file.
    pub primitives: Vec<ImportedPrimitive>,
    /// The item's `extras`.
    pub extras: Extras,
    /// The JSON of the item's extensions, by name.
    pub extensions: Extensions,
}

/// A part of a mesh that is drawn with one material.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ImportedPrimitive {
    /// The mesh id, used by drawables; see [`MeshIds`].
    pub id: u32,
    /// The material, in [`Imported::materials`](super::Imported::materials); `None`: the default material.
    pub material: Option<usize>,
    /// Other materials (`KHR_materials_variants`): pairs of an index in
    /// [`Imported::variants`](super::Imported::variants) and a material, in ascending order.
    pub variants: Vec<(usize, usize)>,
    /// The box of its positions, before joints and morph targets move them; `None` if it has no positions and is not
    /// drawn.
    pub bounds: Option<Aabb>,
    /// The vertices, if the primitive has positions and [`Parts::vertices`] is set.
    pub vertices: Option<MeshData>,
    /// The accessors, if [`ImportOptions::with_accessors`](super::ImportOptions::with_accessors) is set.
    pub accessors: PrimitiveAccessors,
    /// The item's `extras`.
    pub extras: Extras,
    /// The JSON of the item's extensions, by name, without `KHR_materials_variants`.
    pub extensions: Extensions,
}

/// Reads the meshes of a file, but not the vertices, and checks accessor indices. Lists primitives that are not drawn.
pub(super) fn read(
    reader: Reader<'_>,
    ids: &MeshIds,
    parts: &Parts,
    deforms: &[Deforms],
    skipped: &mut Vec<Skipped>,
) -> Result<Vec<ImportedMesh>, ImportError> {
    let root = reader.root;
    let mut meshes = Vec::with_capacity(root.meshes.len());
    for (mesh, json) in root.meshes.iter().enumerate() {
        let mut primitives = Vec::with_capacity(json.primitives.len());
        for (number, primitive) in json.primitives.iter().enumerate() {
            check_primitive(reader, mesh, number, primitive)?;
            let bounds = match primitive.attributes.get(&Checked::Valid(Semantic::Positions)) {
                Some(accessor) => {
                    let field = format!("primitives[{number}].attributes.POSITION");
                    // If vertices are read, `read_vertices` computes the box.
                    let measured = !parts.vertices && !deforms[mesh].moves(primitive);
                    Some(bounds::positions(reader, accessor.value(), (mesh, &field), measured)?)
                }
                None => {
                    skipped.push(Skipped::Primitive { mesh, primitive: number });
                    None
                }
            };
            primitives.push(ImportedPrimitive {
                id: ids.id(mesh, number).ok_or(ImportErrorKind::TooMany(ItemKind::Mesh))?,
                material: primitive.material.map(|index| index.value()),
                variants: variants(root, mesh, number, primitive)?,
                bounds,
                vertices: None,
                accessors: PrimitiveAccessors::default(),
                extras: Extras::read(&primitive.extras, parts.extras),
                extensions: others!(primitive, parts.extras),
            });
        }
        meshes.push(ImportedMesh {
            name: json.name.clone(),
            primitives,
            extras: Extras::read(&json.extras, parts.extras),
            extensions: others!(json, parts.extras),
        });
    }
    Ok(meshes)
}

/// Reads the vertices of primitives with positions. Keeps joints, weights and morph targets only if motion is wanted.
/// If vertices are not wanted, reads and drops those of deformed primitives. Returns the boxes at rest of these.
pub(super) fn read_vertices(
    reader: Reader<'_>,
    meshes: &mut [ImportedMesh],
    (parts, eight_influences): (&Parts, bool),
    (deforms, rest): (&[Deforms], &Rest<'_>),
    skipped: &mut Vec<Skipped>,
) -> Result<Boxes, ImportError> {
    let (mut boxes, mut unlisted) = (Boxes::new(), Vec::new());
    let joints = read::least_joints(reader.root, if parts.motion { &mut *skipped } else { &mut unlisted });
    for (mesh, joints) in joints.into_iter().enumerate() {
        for (number, primitive) in meshes[mesh].primitives.iter_mut().enumerate() {
            let moves = deforms[mesh].moves(&reader.root.meshes[mesh].primitives[number]);
            if !(parts.vertices || moves) {
                continue;
            }
            let motion = parts.motion && parts.vertices;
            let of = read::Deformation {
                joints: joints.filter(|_| motion || moves),
                targets: motion || moves && deforms[mesh].morphed,
                only: !parts.vertices,
            };
            let Some((mut vertices, found)) = read::vertices(reader, (mesh, number, primitive.id), of, skipped)? else {
                continue;
            };
            vertices.eight_influences = eight_influences;
            rest.add_boxes(reader, (mesh, number), &vertices, &mut boxes)?;
            primitive.bounds = Some(bounds::agreed(reader, (mesh, number), found)?);
            if parts.vertices {
                let kept = if parts.motion { vertices } else { vertices.undeformed() };
                primitive.vertices = Some(kept);
            }
        }
    }
    Ok(boxes)
}

/// Lists the accessors of all primitives.
pub(super) fn list_accessors(reader: Reader<'_>, meshes: &mut [ImportedMesh]) -> Result<(), ImportError> {
    for (mesh, (of_mesh, json)) in meshes.iter_mut().zip(&reader.root.meshes).enumerate() {
        for (number, (primitive, json)) in of_mesh.primitives.iter_mut().zip(&json.primitives).enumerate() {
            let item = || Item::of(reader.root, ItemKind::Mesh, mesh);
            let targets = json.targets.as_deref().unwrap_or_default();
            // A list in a growing list, three attributes and a short name each.
            reader.budget.take::<[usize; 4]>(4 * targets.len(), item)?;
            reader.budget.take::<[usize; 8]>(json.attributes.len(), item)?;
            let name = |semantic| attribute_name(reader, (mesh, number), semantic);
            let attributes = json.attributes.iter().map(|(semantic, accessor)| (name(semantic), accessor.value()));
            let target = |json: &MorphTarget| {
                let of = [("POSITION", json.positions), ("NORMAL", json.normals), ("TANGENT", json.tangents)];
                of.into_iter().filter_map(|(name, accessor)| Some((name, accessor?.value()))).collect()
            };
            primitive.accessors = PrimitiveAccessors {
                attributes: attributes.collect(),
                indices: json.indices.map(|accessor| accessor.value()),
                targets: targets.iter().map(target).collect(),
            };
        }
    }
    Ok(())
}

/// Checks the indices of a primitive.
fn check_primitive(reader: Reader<'_>, mesh: usize, number: usize, json: &Primitive) -> Result<(), ImportError> {
    let root = reader.root;
    let item = || Item::of(root, ItemKind::Mesh, mesh);
    let field = |name: &str| format!("primitives[{number}].{name}");
    check_index(json.material, root.materials.len(), item, || field("material"))?;
    check_index(json.indices, root.accessors.len(), item, || field("indices"))?;
    for (semantic, accessor) in &json.attributes {
        let name = || field(&format!("attributes.{}", attribute_name(reader, (mesh, number), semantic)));
        check_index(Some(*accessor), root.accessors.len(), item, name)?;
    }
    Ok(())
}

/// Returns the name of an attribute in the file.
fn attribute_name(reader: Reader<'_>, (mesh, number): (usize, usize), semantic: &Checked<Semantic>) -> String {
    let is_unknown = *semantic == Checked::Invalid;
    // Of several attributes with unknown names, the parser keeps the last.
    let unknown = is_unknown.then(|| reader.unknown_attributes(mesh, number).last()).flatten();
    unknown.map_or_else(|| semantic.to_string(), str::to_owned)
}

pub(super) fn variant_names(root: &Root) -> Vec<String> {
    let extension = root.extensions.as_ref().and_then(|extensions| extensions.khr_materials_variants.as_ref());
    extension.into_iter().flat_map(|extension| &extension.variants).map(|variant| variant.name.clone()).collect()
}

/// Returns the variants of a primitive, with their materials.
fn variants(root: &Root, mesh: usize, number: usize, json: &Primitive) -> Result<Vec<(usize, usize)>, ImportError> {
    let extension = json.extensions.as_ref().and_then(|extensions| extensions.khr_materials_variants.as_ref());
    let Some(extension) = extension else { return Ok(Vec::new()) };
    let known = root.extensions.as_ref().and_then(|extensions| extensions.khr_materials_variants.as_ref());
    let known = known.map_or(0, |extension| extension.variants.len());
    let refuse = |name: &str, index: u32, count: usize| ImportErrorKind::IndexOutOfRange {
        item: Item::of(root, ItemKind::Mesh, mesh),
        field: format!("primitives[{number}].extensions.KHR_materials_variants.{name}"),
        index: index as usize,
        count,
    };
    let mut variants = Vec::new();
    for (position, mapping) in extension.mappings.iter().enumerate() {
        let material = mapping.material as usize;
        if material >= root.materials.len() {
            let field = format!("mappings[{position}].material");
            return Err(refuse(&field, mapping.material, root.materials.len()).into());
        }
        for &variant in &mapping.variants {
            if variant as usize >= known {
                return Err(refuse(&format!("mappings[{position}].variants"), variant, known).into());
            }
            variants.push((variant as usize, material));
        }
    }
    variants.sort_unstable();
    Ok(variants)
}
