//! From bytes to a JSON root: containers, versions, required extensions.

use super::repair::{self, Repaired, Unknown};
use super::{inner, weight};
use crate::error::{ImportError, ImportErrorKind, Item, ItemKind, OtherFile, WarningKind, Warnings};
use crate::{Extensions, ImportOptions};
use gltf::json::Root;
use gltf::json::mesh::Semantic;
use gltf::json::validation::Checked;
use serde_json::value::RawValue;
use serde_path_to_error::{Path, Segment};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Extensions that the import supports or can ignore, in addition to the families below.
const KNOWN_EXTENSIONS: [&str; 7] = [
    "EXT_lights_image_based",
    "EXT_mesh_gpu_instancing",
    "KHR_animation_pointer",
    "KHR_lights_punctual",
    "KHR_mesh_quantization",
    "KHR_node_visibility",
    "KHR_xmp_json_ld",
];
/// The name prefixes of families of extensions that concern only materials and textures.
const KNOWN_FAMILIES: [&str; 4] = ["KHR_materials_", "KHR_texture_", "EXT_texture_", "MSFT_texture_"];

/// Extensions supported with a feature of this crate: the name, the feature, and whether the feature is on.
const OF_FEATURES: [(&str, &str, bool); 3] = [
    ("EXT_meshopt_compression", "meshopt", cfg!(feature = "meshopt")),
    ("KHR_draco_mesh_compression", "draco", cfg!(feature = "draco")),
    ("KHR_meshopt_compression", "meshopt", cfg!(feature = "meshopt")),
];

/// Extensions that are read as Rust types wherever they are, so that their JSON is not handed out.
const TYPED: [&str; 10] = [
    "KHR_lights_punctual",
    "KHR_materials_emissive_strength",
    "KHR_materials_ior",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_materials_specular",
    "KHR_materials_transmission",
    "KHR_materials_unlit",
    "KHR_materials_variants",
    "KHR_materials_volume",
    "KHR_texture_transform",
];

/// The sizes of a GLB's header and of a chunk's header, in bytes.
const GLB_HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;

/// A prefix that some writers put before text.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Returns whether the import or the caller handles an extension.
pub(crate) fn is_handled(name: &str, options: &ImportOptions) -> bool {
    is_known_extension(name) || is_of_caller(name, options)
}

/// Returns whether the caller handles an extension. No caller can give compressed bytes their meaning during an import.
fn is_of_caller(name: &str, options: &ImportOptions) -> bool {
    options.extensions.contains(&name) && !OF_FEATURES.iter().any(|it| it.0 == name)
}

/// Returns whether a file that requires this extension is imported correctly.
fn is_known_extension(name: &str) -> bool {
    KNOWN_EXTENSIONS.contains(&name)
        || KNOWN_FAMILIES.iter().any(|family| name.starts_with(family))
        || OF_FEATURES.iter().any(|&(of_feature, _, is_on)| is_on && of_feature == name)
}

/// Returns whether the import reads an extension itself, and hands out no JSON of it.
pub(super) fn is_read_here(name: &str) -> bool {
    TYPED.contains(&name) || OF_FEATURES.iter().any(|&(of_feature, _, is_on)| is_on && of_feature == name)
}

/// The binary chunk of a GLB, if there is one.
pub(crate) type Blob<'a> = Option<Cow<'a, [u8]>>;

/// A file whose JSON was read.
pub(crate) struct Parsed<'a> {
    pub(crate) root: Root,
    pub(crate) blob: Blob<'a>,
    /// Extensions of objects that are no items, by JSON pointer; empty if extras are not wanted.
    pub(crate) inner_extensions: Vec<(String, Extensions)>,
    pub(crate) json_bytes: usize,
    /// The attributes that glTF does not have, by ascending mesh and primitive.
    pub(crate) unknown: Vec<Unknown>,
    /// An upper bound on the bytes that the parsed JSON and its items take.
    pub(crate) weight: u64,
}

/// Parses the JSON of a `.gltf` or `.glb` file, if parsing takes at most `most` bytes of memory.
pub(crate) fn parse<'a>(
    bytes: &'a [u8],
    most: u64,
    options: &ImportOptions,
    warnings: &Warnings,
) -> Result<Parsed<'a>, ImportError> {
    let (json, blob) = if bytes.starts_with(b"glTF") { split_glb(bytes)? } else { (bytes, None) };
    let json = match json.strip_prefix(BYTE_ORDER_MARK) {
        Some(json) => {
            warnings.fault(Item::file, String::new, WarningKind::ByteOrderMark)?;
            json
        }
        None => json,
    };
    if let Some(other) = OtherFile::of(json) {
        return Err(ImportErrorKind::NotGltf(other).into());
    }
    // Weighed before parsing, which makes many bytes of few.
    let weight = weight::of(json, most);
    if weight > most {
        return Err(ImportErrorKind::TooManyBytes { item: Item::file(), bytes: weight, most }.into());
    }
    // Parsing checked text is faster than parsing bytes.
    let text = core::str::from_utf8(json).ok();
    let (mut root, text, unknown) = match text.and_then(|text| Some((Root::from_str(text).ok()?, text))) {
        Some((root, text)) if is_whole(&root, text) => (root, Cow::Borrowed(text), Vec::new()),
        Some((root, text)) => match repair::repaired(text) {
            Repaired { pointers, unknown, .. } if pointers.is_empty() => (root, Cow::Borrowed(text), unknown),
            _ => {
                drop(root);
                repaired(json, warnings)?
            }
        },
        None => repaired(json, warnings)?,
    };
    check_version(&root)?;
    // The caller's extensions are the caller's duty.
    root.extensions_required.retain(|name| !is_of_caller(name, options));
    check_extensions(&root)?;
    let weight = weight.saturating_add(root.materials.len() as u64 * weight::MATERIAL);
    let left = most.saturating_sub(weight);
    let (inner_extensions, of_pointers) =
        if options.parts.extras { inner::extensions(&text, left) } else { (Vec::new(), 0) };
    let weight = weight.saturating_add(of_pointers);
    if of_pointers > left {
        return Err(ImportErrorKind::TooManyBytes { item: Item::file(), bytes: weight, most }.into());
    }
    Ok(Parsed { root, blob: blob.map(Cow::Borrowed), inner_extensions, json_bytes: json.len(), unknown, weight })
}

/// Returns whether the parser kept all that the import reads: it drops names of unknown attributes, and pointers.
fn is_whole(root: &Root, text: &str) -> bool {
    let primitives = root.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let is_unknown = |semantic: &Checked<Semantic>| matches!(semantic, Checked::Invalid);
    let has_pointers = || !root.animations.is_empty() && text.contains("KHR_animation_pointer");
    !primitives.flat_map(|it| it.attributes.keys()).any(is_unknown) && !has_pointers()
}

/// Repairs and parses JSON that the JSON parser refused, or whose pointers it dropped. Also returns the repaired JSON
/// and [`Parsed::unknown`].
fn repaired(json: &[u8], warnings: &Warnings) -> Result<(Root, Cow<'static, str>, Vec<Unknown>), ImportError> {
    let text = String::from_utf8_lossy(json);
    let Repaired { text: repaired, lone_surrogates, number_as_version, pointers, unknown } = repair::repaired(&text);
    let parser = &mut serde_json::Deserializer::from_str(&repaired);
    let root: Root = serde_path_to_error::deserialize(&mut *parser).map_err(|error| {
        // A file of another version rarely parses, and its version is the better error.
        if let Some(version) = other_version(&repaired) {
            return ImportErrorKind::Version(version);
        }
        let place = place(&repaired, error.path());
        let problem = error.into_inner();
        ImportErrorKind::Json(place.map_or_else(|| problem.to_string(), |place| format!("{place}: {problem}")))
    })?;
    parser.end().map_err(|error| ImportErrorKind::Json(error.to_string()))?;
    if lone_surrogates || matches!(text, Cow::Owned(_)) {
        warnings.fault(Item::file, String::new, WarningKind::Text)?;
    }
    if number_as_version {
        warnings.fault(Item::file, || "asset".to_owned(), WarningKind::Invalid { meant: "text" })?;
    }
    for (animation, channel) in pointers {
        let item = || Item::of(&root, ItemKind::Animation, animation);
        let kind = WarningKind::Invalid { meant: "the node of the pointer" };
        warnings.fault(item, || format!("channels[{channel}].target.node"), kind)?;
    }
    Ok((root, Cow::Owned(repaired), unknown))
}

type Object<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

/// Returns the place of a fault: the item with its name, and the path within the item. `None` for the file as a whole.
fn place(json: &str, path: &Path) -> Option<String> {
    let mut parts = path.iter();
    let item = match (parts.next(), parts.next()) {
        (Some(Segment::Map { key }), Some(&Segment::Seq { index })) => ItemKind::of_list(key).map(|kind| {
            let file = serde_json::from_str::<Object<'_>>(json).unwrap_or_default();
            let list = file.get(key.as_str()).and_then(|list| serde_json::from_str::<Vec<&RawValue>>(list.get()).ok());
            let item = list.as_ref().and_then(|list| serde_json::from_str::<Object<'_>>(list.get(index)?.get()).ok());
            let name = item.and_then(|item| serde_json::from_str(item.get("name")?.get()).ok());
            Item { kind, index, name }
        }),
        _ => None,
    };
    let path = path.to_string();
    let Some(item) = item else { return Some(path).filter(|path| path != ".") };
    let field = path.split_once(']').map_or("", |(_, field)| field.trim_start_matches('.'));
    Some(if field.is_empty() { item.to_string() } else { format!("{item}: {field}") })
}

/// Returns the glTF version of JSON if it is not 2.
fn other_version(json: &str) -> Option<String> {
    let file: Object<'_> = serde_json::from_str(json).ok()?;
    let asset = file.get("asset").and_then(|asset| serde_json::from_str::<Object<'_>>(asset.get()).ok());
    let version = asset.as_ref().and_then(|asset| serde_json::from_str(asset.get("version")?.get()).ok());
    // In glTF 1.0, objects hold items by name, and `asset` is optional.
    let is_first = ["accessors", "meshes", "nodes", "scenes"]
        .iter()
        .any(|list| file.get(*list).is_some_and(|list| list.get().starts_with('{')));
    version.or_else(|| is_first.then(|| "1.0".to_owned())).filter(|version| !is_second(version))
}

fn is_second(version: &str) -> bool {
    version.split('.').next() == Some("2")
}

/// Splits a GLB into JSON and binary chunk. Other chunks are skipped, as glTF demands.
fn split_glb(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), ImportError> {
    let found = bytes.len() as u64;
    let truncated = |expected| ImportErrorKind::Truncated { expected, found };
    let container = |problem: String| ImportErrorKind::Container(problem);
    let word = |bytes: &[u8], at| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    // In other versions, the length may mean something else.
    if let Some(version @ (1 | 3..100)) = word(bytes, 4) {
        return Err(ImportErrorKind::Version(format!("{version}.0")).into());
    }
    let length = word(bytes, 8).ok_or_else(|| truncated(GLB_HEADER as u64))? as usize;
    if length < GLB_HEADER {
        return Err(container(format!("its header declares {length} bytes")).into());
    }
    // Bytes after the stated length do not belong to the GLB.
    let mut rest = &bytes.get(..length).ok_or_else(|| truncated(length as u64))?[GLB_HEADER..];
    if word(bytes, 4) != Some(2) {
        return Err(container("its header has no version".to_owned()).into());
    }
    let (mut json, mut binary) = (None, None);
    while !rest.is_empty() && binary.is_none() {
        let cut = || container("a chunk exceeds the header's length".to_owned());
        let size = word(rest, 0).ok_or_else(cut)?;
        let (header, content) = rest.split_at_checked(CHUNK_HEADER).ok_or_else(cut)?;
        let (content, behind) = content
            .split_at_checked(size as usize)
            .ok_or_else(|| ImportErrorKind::Truncated { expected: u64::from(size), found: content.len() as u64 })?;
        match (&header[4..], json) {
            (b"JSON", None) => json = Some(content),
            (_, None) => return Err(container("its first chunk is not JSON".to_owned()).into()),
            (b"BIN\0", _) => binary = Some(content),
            _ => {}
        }
        rest = behind;
    }
    Ok((json.ok_or_else(|| container("it has no JSON chunk".to_owned()))?, binary))
}

/// Returns an error if the version is not 2.0.
fn check_version(root: &Root) -> Result<(), ImportError> {
    let version = &root.asset.version;
    if !is_second(version) {
        return Err(ImportErrorKind::Version(version.clone()).into());
    }
    if let Some(least) = root.asset.min_version.as_ref().filter(|least| *least != "2.0") {
        return Err(ImportErrorKind::Version(least.clone()).into());
    }
    Ok(())
}

/// Returns an error if a required extension is unknown.
fn check_extensions(root: &Root) -> Result<(), ImportError> {
    match root.extensions_required.iter().find(|name| !is_known_extension(name)) {
        Some(name) => match OF_FEATURES.iter().find(|(of_feature, ..)| of_feature == name) {
            Some(&(extension, feature, _)) => Err(ImportErrorKind::FeatureOff { extension, feature }.into()),
            None => Err(ImportErrorKind::UnsupportedExtension(name.clone()).into()),
        },
        None => Ok(()),
    }
}
