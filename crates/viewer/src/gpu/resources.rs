//! Buffers, textures and bind groups, in few words.

use super::Gpu;
use std::num::NonZeroU64;
use wgpu::util::DeviceExt as _;
use wgpu::{BindGroup, BindGroupLayout, BindingResource, BindingType, ShaderStages, TextureFormat, TextureUsages};

/// What pictures are drawn with: samples a pixel, and the format of depths.
pub(super) const SAMPLES: u32 = 4;
pub(super) const DEPTH: TextureFormat = TextureFormat::Depth32Float;

impl Gpu {
    /// Returns the layout of a group of bindings.
    pub(super) fn layout(&self, label: &str, visibility: ShaderStages, bindings: &[BindingType]) -> BindGroupLayout {
        let entry = |(binding, &ty)| wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None };
        let entries: Vec<_> = (0..).zip(bindings).map(entry).collect();
        let descriptor = wgpu::BindGroupLayoutDescriptor { label: Some(label), entries: &entries };
        self.device.create_bind_group_layout(&descriptor)
    }

    /// Binds resources in their order.
    pub(super) fn bind(&self, layout: &BindGroupLayout, resources: Vec<BindingResource<'_>>) -> BindGroup {
        let entry = |(binding, resource)| wgpu::BindGroupEntry { binding, resource };
        let entries: Vec<_> = (0..).zip(resources).map(entry).collect();
        self.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
    }

    pub(super) fn buffer(&self, label: &str, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let size = size.max(256).next_multiple_of(4);
        let descriptor = wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false };
        self.device.create_buffer(&descriptor)
    }

    /// Returns a texture to draw to.
    pub(super) fn target(
        &self,
        format: TextureFormat,
        size: [u32; 3],
        samples: u32,
        more: TextureUsages,
    ) -> wgpu::Texture {
        self.device.create_texture(&textures(format, size, [1, samples], more | TextureUsages::RENDER_ATTACHMENT))
    }

    /// Returns a view of a texture with these levels.
    pub(super) fn image(&self, format: TextureFormat, size: [u32; 2], levels: u32, bytes: &[u8]) -> wgpu::TextureView {
        let usage = TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST;
        let descriptor = textures(format, [size[0], size[1], 1], [levels, 1], usage);
        let order = wgpu::util::TextureDataOrder::LayerMajor;
        self.device.create_texture_with_data(&self.queue, &descriptor, order, bytes).create_view(&Default::default())
    }

    /// Returns a texture whose texels are items of a list, in rows of so many as the scene's tables have.
    pub(super) fn list<T: bytemuck::Pod>(&self, format: TextureFormat, items: &[T]) -> wgpu::TextureView {
        let (mut items, row) = (items.to_vec(), hedgerow_wgpu::gpu::ROW as usize);
        items.resize(items.len().max(1).next_multiple_of(row), T::zeroed());
        self.image(format, [row, items.len() / row].map(|texels| texels as u32), 1, bytemuck::cast_slice(&items))
    }
}

fn textures(
    format: TextureFormat,
    [width, height, depth_or_array_layers]: [u32; 3],
    [mip_level_count, sample_count]: [u32; 2],
    usage: TextureUsages,
) -> wgpu::TextureDescriptor<'static> {
    let (size, dimension) = (wgpu::Extent3d { width, height, depth_or_array_layers }, wgpu::TextureDimension::D2);
    wgpu::TextureDescriptor {
        label: None,
        size,
        mip_level_count,
        sample_count,
        dimension,
        format,
        usage,
        view_formats: &[],
    }
}

/// The type of a uniform of so many bytes.
pub(super) fn uniform(has_dynamic_offset: bool, size: usize) -> BindingType {
    let ty = wgpu::BufferBindingType::Uniform;
    BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: NonZeroU64::new(size as u64) }
}

/// A buffer with its contents, which is replaced if it is too small.
pub(super) struct Kept {
    pub(super) buffer: wgpu::Buffer,
    pub(super) bytes: Vec<u8>,
}

impl Kept {
    pub(super) fn new(gpu: &Gpu, label: &str, bytes: &[u8], usage: wgpu::BufferUsages) -> Self {
        let buffer = gpu.buffer(label, bytes.len() as u64, usage | wgpu::BufferUsages::COPY_DST);
        gpu.queue.write_buffer(&buffer, 0, bytes);
        Self { buffer, bytes: bytes.to_vec() }
    }

    /// Writes bytes, unless they were written last. Returns the number of bytes written.
    pub(super) fn set(&mut self, gpu: &Gpu, bytes: &[u8]) -> usize {
        if self.bytes == bytes {
            return 0;
        }
        let size = bytes.len() as u64;
        if self.buffer.size() < size {
            self.buffer = gpu.buffer("grown", size + size / 4, self.buffer.usage());
        }
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
        gpu.queue.write_buffer(&self.buffer, 0, bytes);
        bytes.len()
    }
}
