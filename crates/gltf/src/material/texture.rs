//! Textures, samplers, and references to textures.

use crate::{Extensions, Extras};
use glam::{Affine2, Vec2};

/// A texture of a glTF file: an image and a sampler.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Texture {
    /// The name, if any.
    pub name: Option<String>,
    /// The image, in [`Imported::images`](crate::Imported::images); `None` if the texture has only `other_images`.
    pub image: Option<usize>,
    /// The image in other formats, by extension: `KHR_texture_basisu`, `EXT_texture_webp`, `EXT_texture_avif` or
    /// `MSFT_texture_dds`.
    pub other_images: Vec<(String, usize)>,
    /// The sampler.
    pub sampler: Sampler,
    /// The item's `extras`.
    pub extras: Extras,
    /// The JSON of the item's extensions, by name.
    pub extensions: Extensions,
}

/// Filters and wrapping of a texture. Textures with equal values can share a sampler of the renderer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Sampler {
    /// The filter if a texel is larger than a pixel; `None`: the renderer chooses.
    pub mag_filter: Option<MagFilter>,
    /// The filter if a texel is smaller than a pixel; `None`: the renderer chooses.
    pub min_filter: Option<MinFilter>,
    /// The wrapping beyond the left and right edges.
    pub wrap_u: Wrap,
    /// The wrapping beyond the upper and lower edges.
    pub wrap_v: Wrap,
}

/// A filter for magnification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MagFilter {
    /// The nearest texel.
    Nearest,
    /// Interpolation of four texels.
    Linear,
}

/// A filter for minification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MinFilter {
    /// The nearest texel of the image itself.
    Nearest,
    /// Interpolation of four texels of the image itself.
    Linear,
    /// The nearest texel of the nearest mipmap.
    NearestMipmapNearest,
    /// Interpolation of four texels of the nearest mipmap.
    LinearMipmapNearest,
    /// Interpolation of the nearest texels of two mipmaps.
    NearestMipmapLinear,
    /// Interpolation of four texels in each of two mipmaps.
    LinearMipmapLinear,
}

/// The wrapping of texture coordinates beyond the edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// The image repeats.
    #[default]
    Repeat,
    /// The image repeats, mirrored each time.
    MirroredRepeat,
    /// The texel at the edge.
    ClampToEdge,
}

/// A material's reference to a texture.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TextureRef {
    /// The texture, in [`Imported::textures`](crate::Imported::textures).
    pub texture: usize,
    /// The set of texture coordinates: an index into [`MeshData::texcoords`](crate::MeshData::texcoords).
    pub texcoord: u32,
    /// The transform of the texture coordinates (`KHR_texture_transform`).
    pub transform: Option<TextureTransform>,
}

/// A transform of texture coordinates (`KHR_texture_transform`): scale, then rotation, then offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureTransform {
    /// The offset, in texture coordinates.
    pub offset: [f32; 2],
    /// The rotation around the origin, in radians, counter-clockwise in the image.
    pub rotation: f32,
    /// The scale.
    pub scale: [f32; 2],
}

impl TextureTransform {
    /// Returns the transform as a matrix that texture coordinates are multiplied by.
    ///
    /// ```
    /// use hedgerow::glam::Vec2;
    /// use hedgerow_gltf::material::TextureTransform;
    ///
    /// let right = core::f32::consts::FRAC_PI_2;
    /// let transform = TextureTransform { offset: [0.0, 1.0], rotation: right, scale: [0.5, 0.5] };
    /// let moved = transform.to_affine().transform_point2(Vec2::X);
    /// assert!((moved - Vec2::new(0.0, 0.5)).length() < 1e-6);
    /// ```
    #[must_use]
    pub fn to_affine(self) -> Affine2 {
        // The v axis points down, so a counter-clockwise rotation has a negative angle.
        Affine2::from_scale_angle_translation(self.scale.into(), -self.rotation, Vec2::from_array(self.offset))
    }
}
