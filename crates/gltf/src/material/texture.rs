//! Textures: images with the way in which they are sampled, and references to them.

use crate::{Extensions, Extras};
use glam::{Affine2, Vec2};

/// A texture of a glTF file: an image, and the way in which it is sampled.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Texture {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its image, in [`Imported::images`](crate::Imported::images); `None` if it has only others.
    pub image: Option<usize>,
    /// The same image in other formats, by the extension that names it: `KHR_texture_basisu`, `EXT_texture_webp`,
    /// `EXT_texture_avif` or `MSFT_texture_dds`.
    pub other_images: Vec<(String, usize)>,
    /// How it is sampled.
    pub sampler: Sampler,
    /// What its author added.
    pub extras: Extras,
    /// The JSON of its extensions, by name.
    pub extensions: Extensions,
}

/// How a texture is sampled. Equal ones may share a sampler of the renderer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Sampler {
    /// The filter where a texel is larger than a pixel; `None`: up to the renderer.
    pub mag_filter: Option<MagFilter>,
    /// The filter where a texel is smaller than a pixel; `None`: up to the renderer.
    pub min_filter: Option<MinFilter>,
    /// What is beyond the left and right edges.
    pub wrap_u: Wrap,
    /// What is beyond the upper and lower edges.
    pub wrap_v: Wrap,
}

/// The filter where a texel is larger than a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MagFilter {
    /// The nearest texel.
    Nearest,
    /// Between four texels.
    Linear,
}

/// The filter where a texel is smaller than a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MinFilter {
    /// The nearest texel of the image itself.
    Nearest,
    /// Between four texels of the image itself.
    Linear,
    /// The nearest texel of the nearest mipmap.
    NearestMipmapNearest,
    /// Between four texels of the nearest mipmap.
    LinearMipmapNearest,
    /// Between the nearest texels of two mipmaps.
    NearestMipmapLinear,
    /// Between four texels each of two mipmaps.
    LinearMipmapLinear,
}

/// What is beyond the edge of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// The image again.
    #[default]
    Repeat,
    /// The image mirrored.
    MirroredRepeat,
    /// The edge.
    ClampToEdge,
}

/// A texture as a material refers to it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TextureRef {
    /// The texture, in [`Imported::textures`](crate::Imported::textures).
    pub texture: usize,
    /// The set of texture coordinates: its place in [`MeshData::texcoords`](crate::MeshData::texcoords).
    pub texcoord: u32,
    /// What is done to these first (`KHR_texture_transform`).
    pub transform: Option<TextureTransform>,
}

/// What is done to texture coordinates (`KHR_texture_transform`): they are scaled, then rotated, then moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureTransform {
    /// The origin of the result.
    pub offset: [f32; 2],
    /// The rotation around the origin, in radians, counter-clockwise in the image.
    pub rotation: f32,
    /// The scale.
    pub scale: [f32; 2],
}

impl TextureTransform {
    /// The same as a matrix, to multiply texture coordinates by.
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
        // The v axis points down, so that what looks counter-clockwise has a negative angle.
        Affine2::from_scale_angle_translation(self.scale.into(), -self.rotation, Vec2::from_array(self.offset))
    }
}
