//! Images as textures with mipmaps, and the bind groups of surfaces.

use super::Gpu;
use super::pipelines::{Layouts, bind};
use super::tables::texture;
use crate::stage::images::halved;
use crate::stage::{Alpha, Image, Stage, Surface, Texture, Wrap};
use bytemuck::{Pod, Zeroable};
use std::collections::HashMap;
use wgpu::util::DeviceExt as _;

/// A surface in the shader's layout.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Uniform {
    colour: [f32; 4],
    emissive: [f32; 4],
    numbers: [f32; 4],
    flags: [u32; 4],
    transforms: [[f32; 4]; 8],
}

/// The key of a sampler.
type SamplerKey = ([Wrap; 2], bool);

/// The bind groups of all surfaces of a stage, by number.
pub(super) struct Surfaces {
    pub(super) groups: Vec<wgpu::BindGroup>,
}

impl Surfaces {
    /// Uploads all images that surfaces use. `swapped` gives each surface the colour image of another surface.
    pub(super) fn new(gpu: &Gpu, layouts: &Layouts, stage: &Stage, swapped: bool) -> Self {
        let mut views = HashMap::new();
        let mut samplers = HashMap::new();
        let white = view(gpu, &Image::plain([255; 4]), false);
        let groups = stage.surfaces.iter().map(|surface| {
            let mut surface = surface.clone();
            if swapped && let Some(texture) = &mut surface.textures[0] {
                texture.image = (texture.image + 1) % stage.images.len();
            } else if swapped {
                surface.textures[0] = (!stage.images.is_empty()).then(|| Texture::plain(0));
            }
            group(gpu, layouts, &stage.images, &surface, (&mut views, &mut samplers, &white))
        });
        Self { groups: groups.collect() }
    }
}

type Known<'a> = (
    &'a mut HashMap<(usize, bool), wgpu::TextureView>,
    &'a mut HashMap<SamplerKey, wgpu::Sampler>,
    &'a wgpu::TextureView,
);

fn group(
    gpu: &Gpu,
    layouts: &Layouts,
    images: &[Image],
    surface: &Surface,
    (views, samplers, white): Known<'_>,
) -> wgpu::BindGroup {
    let (least, blends) = match surface.alpha {
        Alpha::Opaque => (-1.0, false),
        Alpha::Mask(cutoff) => (cutoff, false),
        Alpha::Blend => (-1.0, true),
    };
    let mut transforms = [[0.0; 4]; 8];
    for (rows, texture) in transforms.as_chunks_mut::<2>().0.iter_mut().zip(&surface.textures) {
        let texture = texture.unwrap_or_else(|| Texture::plain(0));
        let [[a, b, c], [d, e, f]] = texture.transform;
        *rows = [[a, b, c, 0.0], [d, e, f, texture.set as f32]];
    }
    let [r, g, b] = surface.emissive;
    let uniform = Uniform {
        colour: surface.colour,
        emissive: [r, g, b, 0.0],
        numbers: [surface.metallic, surface.roughness, surface.normal_scale, least],
        flags: [surface.unlit.into(), surface.textures[3].is_some().into(), blends.into(), 0],
        transforms,
    };
    let buffer = gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("surface"),
        contents: bytemuck::bytes_of(&uniform),
        usage: wgpu::BufferUsages::UNIFORM,
    });
    for (number, texture) in surface.textures.iter().enumerate() {
        let key = texture.map_or(([Wrap::Repeat; 2], false), |texture| (texture.wrap, texture.nearest));
        samplers.entry(key).or_insert_with(|| sampler(gpu, key));
        if let Some(texture) = texture {
            // Colour images are in sRGB; other images are linear.
            let coloured = number == 0 || number == 2;
            views.entry((texture.image, coloured)).or_insert_with(|| view(gpu, &images[texture.image], coloured));
        }
    }
    let mut resources = vec![buffer.as_entire_binding()];
    for (number, texture) in surface.textures.iter().enumerate() {
        let coloured = number == 0 || number == 2;
        let view = texture.map_or(white, |texture| &views[&(texture.image, coloured)]);
        let key = texture.map_or(([Wrap::Repeat; 2], false), |texture| (texture.wrap, texture.nearest));
        resources.push(wgpu::BindingResource::TextureView(view));
        resources.push(wgpu::BindingResource::Sampler(&samplers[&key]));
    }
    bind(gpu, &layouts.surface, resources)
}

fn sampler(gpu: &Gpu, (wrap, nearest): SamplerKey) -> wgpu::Sampler {
    let mode = |wrap| match wrap {
        Wrap::Repeat => wgpu::AddressMode::Repeat,
        Wrap::Mirror => wgpu::AddressMode::MirrorRepeat,
        Wrap::Clamp => wgpu::AddressMode::ClampToEdge,
    };
    let filter = if nearest { wgpu::FilterMode::Nearest } else { wgpu::FilterMode::Linear };
    gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        address_mode_u: mode(wrap[0]),
        address_mode_v: mode(wrap[1]),
        mag_filter: filter,
        min_filter: wgpu::FilterMode::Linear,
        mipmap_filter: wgpu::MipmapFilterMode::Linear,
        ..Default::default()
    })
}

fn view(gpu: &Gpu, image: &Image, coloured: bool) -> wgpu::TextureView {
    let (mut size, mut pixels) = (image.size, image.pixels.clone());
    let mut bytes: Vec<u8> = bytemuck::cast_slice(&pixels).to_vec();
    let mut levels = 1;
    while size != [1; 2] {
        (size, pixels) = halved(size, &pixels);
        bytes.extend_from_slice(bytemuck::cast_slice(&pixels));
        levels += 1;
    }
    let format = if coloured { wgpu::TextureFormat::Rgba8UnormSrgb } else { wgpu::TextureFormat::Rgba8Unorm };
    let size = wgpu::Extent3d { width: image.size[0], height: image.size[1], depth_or_array_layers: 1 };
    texture(gpu, format, size, levels, &bytes)
}
