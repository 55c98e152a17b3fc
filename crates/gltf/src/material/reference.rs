//! References to textures in the JSON of extensions.

use super::texture::{TextureRef, TextureTransform};
use crate::Imported;
use crate::error::{ImportError, ImportErrorKind, Item, check_finite};
use crate::extras::natural;
use gltf::json::extensions::texture::TextureTransform as JsonTransform;
use gltf::json::material::Material;
use serde::Deserialize as _;
use serde_json::Value;

pub(super) const TRANSFORM: &str = "KHR_texture_transform";

impl Imported {
    /// Reads a reference to a texture from the JSON of an extension: its `index`, its `texCoord` and its
    /// `KHR_texture_transform`, with glTF's defaults.
    ///
    /// Runs in **O(1)**.
    ///
    /// ```
    /// let text = br#"{
    ///     "asset": {"version": "2.0"}, "textures": [{}, {"name": "varnish"}],
    ///     "materials": [{"extensions": {"KHR_materials_clearcoat": {"clearcoatTexture": {
    ///         "index": 1, "texCoord": 2, "extensions": {"KHR_texture_transform": {"offset": [0.5, 0]}}
    ///     }}}}]
    /// }"#;
    /// let imported = hedgerow_gltf::from_slice(text, None)?.imported;
    /// let clearcoat = &imported.materials[0].extensions["KHR_materials_clearcoat"];
    /// let varnish = imported.texture_ref(&clearcoat["clearcoatTexture"])?;
    /// assert_eq!((varnish.texture, varnish.texcoord), (1, 2));
    /// assert_eq!(varnish.transform.unwrap().offset, [0.5, 0.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ImportErrorKind::Invalid`] or [`ImportErrorKind::NotFinite`] if the JSON is no such reference, and
    /// [`ImportErrorKind::IndexOutOfRange`] if there is no such texture: also if
    /// [`Parts::materials`](crate::Parts::materials) is not set.
    pub fn texture_ref(&self, json: &Value) -> Result<TextureRef, ImportError> {
        let invalid = |field: &str, problem| {
            ImportError::from(ImportErrorKind::Invalid { item: Item::file(), field: field.to_owned(), problem })
        };
        let index = json.get("index").and_then(natural).and_then(|index| usize::try_from(index).ok());
        let index = index.ok_or_else(|| invalid("index", "it must be the index of a texture"))?;
        let texcoord = json.get("texCoord").map_or(Some(0), natural).and_then(|set| u32::try_from(set).ok());
        let texcoord = texcoord.ok_or_else(|| invalid("texCoord", "it must be the number of a set of coordinates"))?;
        let transform = json.get("extensions").and_then(|all| all.get(TRANSFORM)).map(transform).transpose();
        let transform = transform.map_err(|problem| invalid(&format!("extensions.{TRANSFORM}"), problem))?;
        let count = self.textures.len();
        if index >= count {
            let field = "index".to_owned();
            return Err(ImportErrorKind::IndexOutOfRange { item: Item::file(), field, index, count }.into());
        }
        reference(index, (texcoord, transform.as_ref()), Item::file, &format!("extensions.{TRANSFORM}"))
    }
}

/// Reads a transform of texture coordinates; returns the problem if the JSON is invalid.
pub(super) fn transform(json: &Value) -> Result<JsonTransform, &'static str> {
    let mut json = json.clone();
    if let Some(set) = json.get_mut("texCoord")
        && let Some(number) = natural(set)
    {
        *set = number.into();
    }
    JsonTransform::deserialize(json).map_err(|_| "it must have an offset, a rotation and a scale")
}

/// Returns a reference to a texture. Returns an error about `field` if the transform is not finite.
pub(super) fn reference(
    texture: usize,
    (texcoord, transform): (u32, Option<&JsonTransform>),
    item: impl FnOnce() -> Item,
    field: &str,
) -> Result<TextureRef, ImportError> {
    if let Some(it) = transform {
        let numbers = [it.offset.0[0], it.offset.0[1], it.rotation.0, it.scale.0[0], it.scale.0[1]];
        check_finite(&numbers, item, field)?;
    }
    Ok(TextureRef {
        texture,
        texcoord: transform.and_then(|it| it.tex_coord).unwrap_or(texcoord),
        transform: transform.map(|it| TextureTransform {
            offset: it.offset.0,
            rotation: it.rotation.0,
            scale: it.scale.0,
        }),
    })
}

/// Returns the set of texture coordinates that tangents of a material belong to: that of its normal map, of the normal
/// map of its clear coat, or of its anisotropy; `None` if the material needs no tangents.
pub(crate) fn normal_map_set(json: &Material) -> Option<u32> {
    let set = |json: &Value| json.get("texCoord").and_then(natural).and_then(|set| u32::try_from(set).ok());
    let of_transform = |extensions: &Value| extensions.get(TRANSFORM).and_then(set);
    if let Some(map) = &json.normal_texture {
        let transform = map.extensions.as_ref().and_then(|extensions| extensions.others.get(TRANSFORM));
        return Some(transform.and_then(set).unwrap_or(map.tex_coord));
    }
    let others = &json.extensions.as_ref()?.others;
    let clearcoat = others.get("KHR_materials_clearcoat").and_then(|it| it.get("clearcoatNormalTexture"));
    let map = match (clearcoat, others.get("KHR_materials_anisotropy")) {
        (Some(map), _) => map,
        (None, anisotropy) => anisotropy?.get("anisotropyTexture").unwrap_or(&Value::Null),
    };
    Some(map.get("extensions").and_then(of_transform).or_else(|| set(map)).unwrap_or(0))
}
