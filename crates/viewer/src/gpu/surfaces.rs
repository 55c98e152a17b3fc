//! The bind groups of surfaces, with images as textures with mipmaps.

use super::Gpu;
use super::resources::Kept;
use crate::stage::images::halved;
use crate::stage::{Alpha, Image, Stage, Surface, Texture, Wrap};
use bytemuck::{Pod, Zeroable, bytes_of, cast_slice};
use std::collections::HashMap;
use wgpu::BindingResource::{Sampler, TextureView};

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

/// Returns the bind groups of all surfaces of a stage, by number.
pub(super) fn groups(gpu: &Gpu, layout: &wgpu::BindGroupLayout, stage: &Stage) -> Vec<wgpu::BindGroup> {
    let (mut views, mut samplers) = (HashMap::new(), HashMap::new());
    let mut white = view(gpu, &Image::plain([255; 4]), false);
    let group = |surface: &Surface| {
        let textures = surface.textures;
        let (least, blends) = match surface.alpha {
            Alpha::Opaque => (-1.0, false),
            Alpha::Mask(cutoff) => (cutoff, false),
            Alpha::Blend => (-1.0, true),
        };
        let mut transforms = [[0.0; 4]; 8];
        let mut bound = Vec::new();
        for (number, (rows, texture)) in transforms.as_chunks_mut::<2>().0.iter_mut().zip(textures).enumerate() {
            let known = texture.unwrap_or(Texture::plain(0));
            let [[a, b, c], [d, e, f]] = known.transform;
            *rows = [[a, b, c, 0.0], [d, e, f, known.set as f32]];
            let key = (known.wrap, known.nearest);
            let sampler = samplers.entry(key).or_insert_with(|| sampler(gpu, key)).clone();
            // Colour images are in sRGB; other images are linear.
            let key = (known.image, number == 0 || number == 2);
            let image = match texture {
                Some(_) => views.entry(key).or_insert_with(|| view(gpu, &stage.images[key.0], key.1)),
                None => &mut white,
            };
            bound.push((image.clone(), sampler));
        }
        let [r, g, b] = surface.emissive;
        let uniform = Uniform {
            colour: surface.colour,
            emissive: [r, g, b, 0.0],
            numbers: [surface.metallic, surface.roughness, surface.normal_scale, least],
            flags: [surface.unlit.into(), textures[3].is_some().into(), blends.into(), 0],
            transforms,
        };
        let uniform = Kept::new(gpu, "surface", bytes_of(&uniform), wgpu::BufferUsages::UNIFORM);
        let mut resources = vec![uniform.buffer.as_entire_binding()];
        resources.extend(bound.iter().flat_map(|(view, sampler)| [TextureView(view), Sampler(sampler)]));
        gpu.bind(layout, resources)
    };
    stage.surfaces.iter().map(group).collect()
}

fn sampler(gpu: &Gpu, (wrap, nearest): ([Wrap; 2], bool)) -> wgpu::Sampler {
    let [address_mode_u, address_mode_v] = wrap.map(|wrap| match wrap {
        Wrap::Repeat => wgpu::AddressMode::Repeat,
        Wrap::Mirror => wgpu::AddressMode::MirrorRepeat,
        Wrap::Clamp => wgpu::AddressMode::ClampToEdge,
    });
    gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        address_mode_u,
        address_mode_v,
        mag_filter: if nearest { wgpu::FilterMode::Nearest } else { wgpu::FilterMode::Linear },
        min_filter: wgpu::FilterMode::Linear,
        mipmap_filter: wgpu::MipmapFilterMode::Linear,
        ..Default::default()
    })
}

fn view(gpu: &Gpu, image: &Image, coloured: bool) -> wgpu::TextureView {
    let (mut size, mut pixels) = (image.size, image.pixels.clone());
    let (mut bytes, mut levels) = (cast_slice::<_, u8>(&pixels).to_vec(), 1);
    while size != [1; 2] {
        (size, pixels) = halved(size, &pixels);
        bytes.extend_from_slice(cast_slice(&pixels));
        levels += 1;
    }
    let format = if coloured { wgpu::TextureFormat::Rgba8UnormSrgb } else { wgpu::TextureFormat::Rgba8Unorm };
    gpu.image(format, image.size, levels, &bytes)
}
