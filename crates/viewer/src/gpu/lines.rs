//! Draws lines.

use super::Gpu;
use super::resources::{Kept, Recipe, depth, uniform};
use crate::lines::{End, LineList};
use hedgerow::glam::Mat4;

/// The pipeline and buffers that draw lines.
pub(super) struct Lines {
    pipeline: wgpu::RenderPipeline,
    ends: Kept,
    camera: Kept,
    group: wgpu::BindGroup,
    count: u32,
}

impl Lines {
    pub(super) fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        let layout = gpu.layout("lines", wgpu::ShaderStages::VERTEX, &[uniform(false, size_of::<Mat4>())]);
        let camera = Kept::new(gpu, "camera of lines", &[0; size_of::<Mat4>()], wgpu::BufferUsages::UNIFORM);
        let attributes = wgpu::vertex_attr_array![0 => Float32x3, 1 => Unorm8x4];
        let (array_stride, step_mode) = (size_of::<End>() as u64, wgpu::VertexStepMode::Vertex);
        let pipeline = gpu.pipeline(Recipe {
            layout: &gpu.groups(&[&layout]),
            module: &gpu.device.create_shader_module(wgpu::include_wgsl!("lines.wgsl")),
            entries: ("end", Some("plain")),
            buffers: &[Some(wgpu::VertexBufferLayout { array_stride, step_mode, attributes: &attributes })],
            primitive: wgpu::PrimitiveState { topology: wgpu::PrimitiveTopology::LineList, ..Default::default() },
            depth: depth(false, wgpu::CompareFunction::GreaterEqual, false),
            target: Some(format.into()),
        });
        let group = gpu.bind(&layout, vec![camera.buffer.as_entire_binding()]);
        Self { pipeline, ends: Kept::new(gpu, "lines", &[], wgpu::BufferUsages::VERTEX), camera, group, count: 0 }
    }

    pub(super) fn set(&mut self, gpu: &Gpu, list: &LineList, view_projection: &Mat4) {
        self.ends.set(gpu, bytemuck::cast_slice(&list.ends));
        self.camera.set(gpu, bytemuck::cast_slice(&view_projection.to_cols_array()));
        self.count = list.ends.len() as u32;
    }

    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
        if self.count > 0 {
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &self.group, &[]);
            pass.set_vertex_buffer(0, self.ends.buffer.slice(..));
            pass.draw(0..self.count, 0..1);
        }
    }
}
