//! Reads materials and textures.

use super::reference::{self, TRANSFORM};
use super::texture::{MagFilter, MinFilter, Sampler, Texture, TextureRef, Wrap};
use super::{AlphaMode, Image, Material, Specular, SpecularGlossiness, Transmission, Volume, image};
use crate::error::{ImportError, ImportErrorKind, Item, ItemKind, WarningKind, check_finite, check_index};
use crate::extras::others;
use crate::file::{Files, Reader};
use crate::{Extras, Parts, Skipped};
use gltf::json::Index;
use gltf::json::extensions::material as extensions;
use gltf::json::extensions::texture::TextureTransform as JsonTransform;
use gltf::json::material::{AlphaMode as JsonMode, Material as Json};
use gltf::json::texture::{self as json, Info};
use gltf::json::validation::Checked;
use serde_json::{Map, Value};

/// The extensions that give a texture an image in another format.
const FORMATS: [&str; 4] = ["KHR_texture_basisu", "EXT_texture_webp", "EXT_texture_avif", "MSFT_texture_dds"];

/// Materials, textures and images.
#[derive(Default)]
pub(crate) struct Look {
    /// The materials by glTF index, then the default material.
    pub(crate) materials: Vec<Material>,
    pub(crate) textures: Vec<Texture>,
    pub(crate) images: Vec<Image>,
}

impl Look {
    pub(crate) fn read(
        reader: Reader<'_>,
        files: Files<'_>,
        parts: &Parts,
        skipped: &mut Vec<Skipped>,
    ) -> Result<Self, ImportError> {
        let root = reader.root;
        let materials = root.materials.iter().enumerate().map(|(index, json)| {
            let source = Source { reader, index };
            source.material(json, parts.extras)
        });
        let textures = (0..root.textures.len()).map(|index| texture(reader, index, parts.extras));
        Ok(Self {
            materials: materials.chain([Ok(Material::default())]).collect::<Result<_, _>>()?,
            textures: textures.collect::<Result<_, _>>()?,
            images: image::read(reader, files, parts, skipped)?,
        })
    }
}

/// A material that is being read.
struct Source<'a> {
    reader: Reader<'a>,
    index: usize,
}

impl Source<'_> {
    fn item(&self) -> Item {
        Item::of(self.reader.root, ItemKind::Material, self.index)
    }

    fn material(&self, json: &Json, extras: bool) -> Result<Material, ImportError> {
        let pbr = &json.pbr_metallic_roughness;
        let (normal, occlusion) = (json.normal_texture.as_ref(), json.occlusion_texture.as_ref());
        let mut material = Material {
            name: json.name.clone(),
            base_color: pbr.base_color_factor.0,
            base_color_texture: self.texture(pbr.base_color_texture.as_ref(), "baseColorTexture")?,
            metallic: pbr.metallic_factor.0,
            roughness: pbr.roughness_factor.0,
            metallic_roughness_texture: self
                .texture(pbr.metallic_roughness_texture.as_ref(), "metallicRoughnessTexture")?,
            normal_scale: normal.map_or(1.0, |it| it.scale),
            occlusion_strength: occlusion.map_or(1.0, |it| it.strength.0),
            emissive: json.emissive_factor.0,
            emissive_texture: self.texture(json.emissive_texture.as_ref(), "emissiveTexture")?,
            alpha_mode: self.alpha_mode(json)?,
            double_sided: json.double_sided,
            extras: Extras::read(&json.extras, extras),
            ..Material::default()
        };
        // The JSON parser does not read the texture transforms of these two textures.
        if let Some(it) = normal {
            let others = it.extensions.as_ref().map(|extensions| &extensions.others);
            material.normal_texture = self.plain_texture(it.index, it.tex_coord, others, "normalTexture")?;
        }
        if let Some(it) = occlusion {
            let others = it.extensions.as_ref().map(|extensions| &extensions.others);
            material.occlusion_texture = self.plain_texture(it.index, it.tex_coord, others, "occlusionTexture")?;
        }
        if let Some(extensions) = &json.extensions {
            self.extensions(extensions, &mut material)?;
        }
        self.check(&material)?;
        Ok(material)
    }

    fn alpha_mode(&self, json: &Json) -> Result<AlphaMode, ImportError> {
        match json.alpha_mode {
            Checked::Valid(JsonMode::Opaque) => Ok(AlphaMode::Opaque),
            Checked::Valid(JsonMode::Mask) => {
                let cutoff = json.alpha_cutoff.map_or(0.5, |cutoff| cutoff.0);
                check_finite(&[cutoff], || self.item(), "alphaCutoff")?;
                Ok(AlphaMode::Mask { cutoff })
            }
            Checked::Valid(JsonMode::Blend) => Ok(AlphaMode::Blend),
            Checked::Invalid => {
                let kind = WarningKind::Invalid { meant: "OPAQUE" };
                self.reader.warnings.fault(|| self.item(), || "alphaMode".to_owned(), kind)?;
                Ok(AlphaMode::Opaque)
            }
        }
    }

    fn extensions(&self, json: &extensions::Material, material: &mut Material) -> Result<(), ImportError> {
        material.unlit = json.unlit.is_some();
        material.emissive_strength = json.emissive_strength.as_ref().map_or(1.0, |it| it.emissive_strength.0);
        material.ior = json.ior.as_ref().map_or(1.5, |it| it.ior.0);
        if let Some(it) = &json.specular {
            material.specular = Some(Specular {
                strength: it.specular_factor.0,
                texture: self.texture(it.specular_texture.as_ref(), "specularTexture")?,
                color: it.specular_color_factor.0,
                color_texture: self.texture(it.specular_color_texture.as_ref(), "specularColorTexture")?,
            });
        }
        if let Some(it) = &json.transmission {
            material.transmission = Some(Transmission {
                factor: it.transmission_factor.0,
                texture: self.texture(it.transmission_texture.as_ref(), "transmissionTexture")?,
            });
        }
        if let Some(it) = &json.volume {
            material.volume = Some(Volume {
                thickness: it.thickness_factor.0,
                thickness_texture: self.texture(it.thickness_texture.as_ref(), "thicknessTexture")?,
                attenuation_distance: it.attenuation_distance.0,
                attenuation_color: it.attenuation_color.0,
            });
        }
        if let Some(it) = &json.pbr_specular_glossiness {
            let name = "specularGlossinessTexture";
            material.specular_glossiness = Some(SpecularGlossiness {
                diffuse: it.diffuse_factor.0,
                diffuse_texture: self.texture(it.diffuse_texture.as_ref(), "diffuseTexture")?,
                specular: it.specular_factor.0,
                glossiness: it.glossiness_factor.0,
                specular_glossiness_texture: self.texture(it.specular_glossiness_texture.as_ref(), name)?,
            });
        }
        material.extensions = json.others.clone();
        Ok(())
    }

    /// Returns an error if a factor is not finite. The attenuation distance may be infinite.
    fn check(&self, material: &Material) -> Result<(), ImportError> {
        let holder = || self.item();
        check_finite(&material.base_color, holder, "baseColorFactor")?;
        check_finite(&[material.metallic], holder, "metallicFactor")?;
        check_finite(&[material.roughness], holder, "roughnessFactor")?;
        check_finite(&[material.normal_scale], holder, "normalTexture.scale")?;
        check_finite(&[material.occlusion_strength], holder, "occlusionTexture.strength")?;
        check_finite(&material.emissive, holder, "emissiveFactor")?;
        check_finite(&[material.emissive_strength], holder, "emissiveStrength")?;
        check_finite(&[material.ior], holder, "ior")?;
        if let Some(it) = &material.specular {
            check_finite(&[it.strength], holder, "specularFactor")?;
            check_finite(&it.color, holder, "specularColorFactor")?;
        }
        if let Some(it) = &material.transmission {
            check_finite(&[it.factor], holder, "transmissionFactor")?;
        }
        if let Some(it) = &material.volume {
            check_finite(&[it.thickness], holder, "thicknessFactor")?;
            check_finite(&it.attenuation_color, holder, "attenuationColor")?;
        }
        if let Some(it) = &material.specular_glossiness {
            check_finite(&it.diffuse, holder, "diffuseFactor")?;
            check_finite(&it.specular, holder, "specularFactor")?;
            check_finite(&[it.glossiness], holder, "glossinessFactor")?;
        }
        Ok(())
    }

    fn texture(&self, info: Option<&Info>, name: &str) -> Result<Option<TextureRef>, ImportError> {
        let Some(info) = info else { return Ok(None) };
        let transform = info.extensions.as_ref().and_then(|extensions| extensions.texture_transform.as_ref());
        self.reference(info.index, info.tex_coord, transform, name)
    }

    fn plain_texture(
        &self,
        index: Index<json::Texture>,
        texcoord: u32,
        others: Option<&Map<String, Value>>,
        name: &str,
    ) -> Result<Option<TextureRef>, ImportError> {
        let transform = others.and_then(|others| others.get(TRANSFORM)).map(reference::transform).transpose();
        let transform =
            transform.map_err(|problem| self.invalid(&format!("{name}.extensions.{TRANSFORM}"), problem))?;
        self.reference(index, texcoord, transform.as_ref(), name)
    }

    /// Returns a reference; `None` if the file lacks the texture.
    fn reference(
        &self,
        index: Index<json::Texture>,
        texcoord: u32,
        transform: Option<&JsonTransform>,
        name: &str,
    ) -> Result<Option<TextureRef>, ImportError> {
        if index.value() >= self.reader.root.textures.len() {
            self.reader.warnings.fault(|| self.item(), || format!("{name}.index"), WarningKind::LeftOut)?;
            return Ok(None);
        }
        let field = format!("{name}.extensions.{TRANSFORM}");
        reference::reference(index.value(), (texcoord, transform), || self.item(), &field).map(Some)
    }

    fn invalid(&self, field: &str, problem: &'static str) -> ImportError {
        ImportErrorKind::Invalid { item: self.item(), field: field.to_owned(), problem }.into()
    }
}

fn texture(Reader { root, warnings, .. }: Reader<'_>, index: usize, extras: bool) -> Result<Texture, ImportError> {
    let json = &root.textures[index];
    let item = || Item::of(root, ItemKind::Texture, index);
    // The parser stores `u32::MAX` for a texture without an image.
    let source = Some(json.source).filter(|source| source.value() != u32::MAX as usize);
    check_index(source, root.images.len(), item, || "source".to_owned())?;
    let sampler = json.sampler.and_then(|sampler| root.samplers.get(sampler.value()));
    let kind = WarningKind::Invalid { meant: "the default" };
    if json.sampler.is_some() && sampler.is_none() {
        warnings.fault(item, || "sampler".to_owned(), kind)?;
    }
    let mut texture = Texture {
        name: json.name.clone(),
        image: source.map(|source| source.value()),
        other_images: Vec::new(),
        sampler: Sampler::default(),
        extras: Extras::read(&json.extras, extras),
        extensions: others!(json, extras),
    };
    let invalid = |field: String, problem| ImportErrorKind::Invalid { item: item(), field, problem };
    for format in FORMATS {
        let extension = json.extensions.as_ref().and_then(|extensions| extensions.others.get(format));
        let Some(extension) = extension else { continue };
        let field = || format!("extensions.{format}.source");
        let image = extension.get("source").and_then(Value::as_u64).and_then(|image| usize::try_from(image).ok());
        let image = image.ok_or_else(|| invalid(field(), "it must be the index of an image"))?;
        if image >= root.images.len() {
            let (field, count) = (field(), root.images.len());
            return Err(ImportErrorKind::IndexOutOfRange { item: item(), field, index: image, count }.into());
        }
        texture.other_images.push((format.to_owned(), image));
    }
    if let Some(json) = sampler {
        let fault = |field: &str| warnings.fault(item, || format!("sampler.{field}"), kind);
        texture.sampler = Sampler {
            mag_filter: match json.mag_filter {
                None => None,
                Some(Checked::Invalid) => fault("magFilter").map(|()| None)?,
                Some(Checked::Valid(json::MagFilter::Nearest)) => Some(MagFilter::Nearest),
                Some(Checked::Valid(json::MagFilter::Linear)) => Some(MagFilter::Linear),
            },
            min_filter: match json.min_filter {
                None => None,
                Some(Checked::Invalid) => fault("minFilter").map(|()| None)?,
                Some(Checked::Valid(json::MinFilter::Nearest)) => Some(MinFilter::Nearest),
                Some(Checked::Valid(json::MinFilter::Linear)) => Some(MinFilter::Linear),
                Some(Checked::Valid(json::MinFilter::NearestMipmapNearest)) => Some(MinFilter::NearestMipmapNearest),
                Some(Checked::Valid(json::MinFilter::LinearMipmapNearest)) => Some(MinFilter::LinearMipmapNearest),
                Some(Checked::Valid(json::MinFilter::NearestMipmapLinear)) => Some(MinFilter::NearestMipmapLinear),
                Some(Checked::Valid(json::MinFilter::LinearMipmapLinear)) => Some(MinFilter::LinearMipmapLinear),
            },
            wrap_u: wrap(&json.wrap_s).map_or_else(|| fault("wrapS").map(|()| Wrap::Repeat), Ok)?,
            wrap_v: wrap(&json.wrap_t).map_or_else(|| fault("wrapT").map(|()| Wrap::Repeat), Ok)?,
        };
    }
    Ok(texture)
}

fn wrap(json: &Checked<json::WrappingMode>) -> Option<Wrap> {
    match json {
        Checked::Valid(json::WrappingMode::Repeat) => Some(Wrap::Repeat),
        Checked::Valid(json::WrappingMode::MirroredRepeat) => Some(Wrap::MirroredRepeat),
        Checked::Valid(json::WrappingMode::ClampToEdge) => Some(Wrap::ClampToEdge),
        Checked::Invalid => None,
    }
}
