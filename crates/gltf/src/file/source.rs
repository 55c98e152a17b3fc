//! From bytes to a JSON root: containers, versions, required extensions.

use crate::error::{ImportError, ImportErrorKind};
use gltf::Glb;
use gltf::json::Root;
use serde_json::{Value, json};
use std::borrow::Cow;

/// Extensions that do not affect what is imported, or that the import supports, besides the families below.
const KNOWN_EXTENSIONS: [&str; 5] = [
    "EXT_lights_image_based",
    "KHR_animation_pointer",
    "KHR_lights_punctual",
    "KHR_mesh_quantization",
    "KHR_xmp_json_ld",
];
/// Families of extensions that only concern materials and textures, by the prefix of their names.
const KNOWN_FAMILIES: [&str; 4] = ["KHR_materials_", "KHR_texture_", "EXT_texture_", "MSFT_texture_"];

/// Extensions that the import supports with a feature of this crate.
const OF_FEATURES: [(&str, &str, bool); 3] = [
    ("EXT_meshopt_compression", "meshopt", cfg!(feature = "meshopt")),
    ("KHR_draco_mesh_compression", "draco", cfg!(feature = "draco")),
    ("KHR_meshopt_compression", "meshopt", cfg!(feature = "meshopt")),
];

/// How many bytes the header of a GLB has.
const GLB_HEADER: usize = 12;

/// Whether a file that requires this extension is imported correctly.
pub(crate) fn is_known_extension(name: &str) -> bool {
    KNOWN_EXTENSIONS.contains(&name)
        || KNOWN_FAMILIES.iter().any(|family| name.starts_with(family))
        || OF_FEATURES.iter().any(|&(of_feature, _, is_on)| is_on && of_feature == name)
}

/// The binary chunk of a GLB, if there is one.
pub(crate) type Blob<'a> = Option<Cow<'a, [u8]>>;

/// Reads the JSON of a `.gltf` or `.glb` file, and its binary chunk. Also returns the number of bytes of JSON.
pub(crate) fn parse(bytes: &[u8]) -> Result<(Root, Blob<'_>, usize), ImportError> {
    let (json, blob) = if bytes.starts_with(b"glTF") {
        let glb = split_glb(bytes)?;
        (glb.json, glb.bin)
    } else {
        (Cow::Borrowed(bytes), None)
    };
    let root = Root::from_slice(&json)
        .or_else(|error| repaired(&json).ok_or(error))
        .map_err(|error| ImportErrorKind::Json(error.to_string()))?;
    check_version(&root)?;
    Ok((root, blob, json.len()))
}

/// Parses JSON that glTF allows and the JSON parser does not:
///
/// - animations of things other than nodes, whose channels have no node: such a channel gets a node, and a path that no
///   node has;
/// - scenes without a list of nodes: they get an empty one.
///
/// `None` if that does not help.
fn repaired(json: &[u8]) -> Option<Root> {
    let mut file: Value = serde_json::from_slice(json).ok()?;
    let animations = file.get_mut("animations").and_then(Value::as_array_mut);
    for animation in animations.into_iter().flatten() {
        for channel in animation.get_mut("channels").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(target) = channel.get_mut("target").and_then(Value::as_object_mut)
                && !target.contains_key("node")
            {
                target.insert("node".to_owned(), 0.into());
                target.insert("path".to_owned(), "pointer".into());
            }
        }
    }
    for scene in file.get_mut("scenes").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(scene) = scene.as_object_mut() {
            scene.entry("nodes").or_insert_with(|| json!([]));
        }
    }
    Root::from_slice(&serde_json::to_vec(&file).ok()?).ok()
}

/// Splits a GLB into its chunks.
fn split_glb(bytes: &[u8]) -> Result<Glb<'_>, ImportError> {
    let found = bytes.len() as u64;
    let Some(length) = bytes.get(8..GLB_HEADER) else {
        return Err(ImportErrorKind::Truncated { expected: GLB_HEADER as u64, found }.into());
    };
    let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]) as usize;
    if length < GLB_HEADER {
        return Err(ImportErrorKind::Container(format!("its header says {length} bytes in all")).into());
    }
    // Bytes after the length stated in the header do not belong to the GLB.
    let Some(bytes) = bytes.get(..length) else {
        return Err(ImportErrorKind::Truncated { expected: length as u64, found }.into());
    };
    Glb::from_slice(bytes).map_err(|error| match error {
        gltf::Error::Binary(gltf::binary::Error::Version(version)) => {
            ImportErrorKind::Version(version.to_string()).into()
        }
        gltf::Error::Binary(gltf::binary::Error::ChunkLength { length, length_read, .. }) => {
            ImportErrorKind::Truncated { expected: u64::from(length), found: length_read as u64 }.into()
        }
        gltf::Error::Binary(gltf::binary::Error::Io(_)) => {
            ImportErrorKind::Container("its header's length cuts a chunk off".to_owned()).into()
        }
        error => ImportErrorKind::Container(error.to_string()).into(),
    })
}

/// Returns an error for other versions and for unknown required extensions.
fn check_version(root: &Root) -> Result<(), ImportError> {
    let version = &root.asset.version;
    if version.split('.').next() != Some("2") {
        return Err(ImportErrorKind::Version(version.clone()).into());
    }
    if let Some(least) = root.asset.min_version.as_ref().filter(|least| *least != "2.0") {
        return Err(ImportErrorKind::Version(least.clone()).into());
    }
    match root.extensions_required.iter().find(|name| !is_known_extension(name)) {
        Some(name) => match OF_FEATURES.iter().find(|(of_feature, ..)| of_feature == name) {
            Some(&(extension, feature, _)) => Err(ImportErrorKind::FeatureOff { extension, feature }.into()),
            None => Err(ImportErrorKind::UnsupportedExtension(name.clone()).into()),
        },
        None => Ok(()),
    }
}
