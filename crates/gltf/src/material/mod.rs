//! Materials, textures and images.
//!
//! A [`Material`] refers to textures by [`TextureRef`]s; a [`Texture`] is an [`Image`] with a [`Sampler`]. All are in
//! [`Imported`](super::Imported) by glTF index. Images are encoded as in the file, such as PNG or JPEG, and the
//! renderer decodes them.
//!
//! ```
//! use hedgerow_gltf::{material::AlphaMode};
//!
//! let text = br#"{
//!     "asset": {"version": "2.0"},
//!     "materials": [{"name": "leaf", "alphaMode": "MASK", "doubleSided": true,
//!         "pbrMetallicRoughness": {"metallicFactor": 0, "baseColorTexture": {"index": 0}}}],
//!     "textures": [{"source": 0}],
//!     "images": [{"mimeType": "image/png", "uri": "data:image/png;base64,iVBORw0KGgo="}]
//! }"#;
//! let imported = hedgerow_gltf::from_slice(text, None)?.imported;
//! let leaf = &imported.materials[0];
//! assert_eq!((leaf.name.as_deref(), leaf.metallic, leaf.roughness), (Some("leaf"), 0.0, 1.0));
//! assert_eq!((leaf.alpha_mode, leaf.double_sided), (AlphaMode::Mask { cutoff: 0.5 }, true));
//!
//! let texture = leaf.base_color_texture.expect("it has one").texture;
//! let image = &imported.images[imported.textures[texture].image.expect("it has one")];
//! assert_eq!(image.mime_type.as_deref(), Some("image/png"));
//! assert!(image.bytes.starts_with(b"\x89PNG"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod image;
mod read;
mod reference;
mod texture;

pub use image::Image;
pub use texture::{MagFilter, MinFilter, Sampler, Texture, TextureRef, TextureTransform, Wrap};

pub(super) use read::Look;
pub(super) use reference::normal_map_set;

use super::Extras;
use serde_json::{Map, Value};

/// A material of a glTF file: metallic-roughness, with the extensions that change what a renderer must do.
///
/// Values that the file leaves out have glTF's defaults, as in [`Material::default`]. All numbers are as in the file,
/// and finite. Colours are linear. A texture multiplies the factor of the same name.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Material {
    /// The name, if any.
    pub name: Option<String>,
    /// The colour of the surface, with its alpha. Default white.
    pub base_color: [f32; 4],
    /// The texture of `base_color`, in sRGB.
    pub base_color_texture: Option<TextureRef>,
    /// The metallic factor, 0 to 1. Default 1.
    pub metallic: f32,
    /// The roughness, 0 to 1. Default 1.
    pub roughness: f32,
    /// The texture of `metallic` (in blue) and `roughness` (in green).
    pub metallic_roughness_texture: Option<TextureRef>,
    /// The normal map, in tangent space.
    pub normal_texture: Option<TextureRef>,
    /// The factor of x and y of the normal map. Default 1.
    pub normal_scale: f32,
    /// The ambient occlusion, in red.
    pub occlusion_texture: Option<TextureRef>,
    /// The strength of `occlusion_texture`, 0 to 1. Default 1.
    pub occlusion_strength: f32,
    /// The emitted light. Default none.
    pub emissive: [f32; 3],
    /// The texture of `emissive`, in sRGB.
    pub emissive_texture: Option<TextureRef>,
    /// The factor of `emissive` and its texture (`KHR_materials_emissive_strength`). Default 1.
    pub emissive_strength: f32,
    /// The use of alpha.
    pub alpha_mode: AlphaMode,
    /// Whether back faces are visible.
    pub double_sided: bool,
    /// Whether the base colour is shown without lighting (`KHR_materials_unlit`).
    pub unlit: bool,
    /// The index of refraction (`KHR_materials_ior`). Default 1.5.
    pub ior: f32,
    /// The specular reflection (`KHR_materials_specular`).
    pub specular: Option<Specular>,
    /// Transmission of light (`KHR_materials_transmission`).
    pub transmission: Option<Transmission>,
    /// The volume below the surface (`KHR_materials_volume`).
    pub volume: Option<Volume>,
    /// The same material for an older shading model (`KHR_materials_pbrSpecularGlossiness`).
    pub specular_glossiness: Option<SpecularGlossiness>,
    /// All other extensions by name, as JSON. Indices in this JSON are not checked.
    pub extensions: Map<String, Value>,
    /// The item's `extras`.
    pub extras: Extras,
}

impl Default for Material {
    /// Returns the material of primitives without one.
    fn default() -> Self {
        Self {
            name: None,
            base_color: [1.0; 4],
            base_color_texture: None,
            metallic: 1.0,
            roughness: 1.0,
            metallic_roughness_texture: None,
            normal_texture: None,
            normal_scale: 1.0,
            occlusion_texture: None,
            occlusion_strength: 1.0,
            emissive: [0.0; 3],
            emissive_texture: None,
            emissive_strength: 1.0,
            alpha_mode: AlphaMode::Opaque,
            double_sided: false,
            unlit: false,
            ior: 1.5,
            specular: None,
            transmission: None,
            volume: None,
            specular_glossiness: None,
            extensions: Map::new(),
            extras: Extras::default(),
        }
    }
}

/// The use of a material's alpha.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AlphaMode {
    /// Alpha is ignored.
    #[default]
    Opaque,
    /// Fragments whose alpha is less than `cutoff` are not drawn.
    Mask {
        /// The least alpha that is drawn. Default 0.5.
        cutoff: f32,
    },
    /// The surface is blended with the background.
    Blend,
}

/// Specular reflection (`KHR_materials_specular`).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Specular {
    /// The strength. Default 1.
    pub strength: f32,
    /// The texture of the strength, in alpha.
    pub texture: Option<TextureRef>,
    /// The colour at normal incidence. Default white.
    pub color: [f32; 3],
    /// The texture of the colour, in sRGB.
    pub color_texture: Option<TextureRef>,
}

/// Transmission (`KHR_materials_transmission`).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Transmission {
    /// The fraction of light transmitted. Default 0.
    pub factor: f32,
    /// The texture, in red.
    pub texture: Option<TextureRef>,
}

/// Volume (`KHR_materials_volume`).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Volume {
    /// The thickness beneath the surface, in the space of the mesh. 0, the default, means a thin wall.
    pub thickness: f32,
    /// The texture of `thickness`, in green.
    pub thickness_texture: Option<TextureRef>,
    /// The mean distance of light between interactions, in world space. Default infinite.
    pub attenuation_distance: f32,
    /// The colour of white light after that distance. Default white.
    pub attenuation_color: [f32; 3],
}

/// The specular-glossiness model (`KHR_materials_pbrSpecularGlossiness`).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SpecularGlossiness {
    /// The diffuse colour, with its alpha. Default white.
    pub diffuse: [f32; 4],
    /// The texture of `diffuse`, in sRGB.
    pub diffuse_texture: Option<TextureRef>,
    /// The specular colour. Default white.
    pub specular: [f32; 3],
    /// The glossiness, 0 to 1. Default 1.
    pub glossiness: f32,
    /// The texture of `specular` (in sRGB) and `glossiness` (in alpha).
    pub specular_glossiness_texture: Option<TextureRef>,
}
