//! Draws lines.

use super::Gpu;
use super::pipelines::{SAMPLES, bind, depth, layout, uniform};
use super::tables::Kept;
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
        let device = &gpu.device;
        let module = device.create_shader_module(wgpu::include_wgsl!("lines.wgsl"));
        let layout = layout(gpu, "lines", wgpu::ShaderStages::VERTEX, &[uniform(false, size_of::<Mat4>())]);
        let camera = Kept::new(gpu, "camera of lines", size_of::<Mat4>() as u64, wgpu::BufferUsages::UNIFORM);
        let group = bind(gpu, &layout, vec![camera.buffer.as_entire_binding()]);
        let attributes = wgpu::vertex_attr_array![0 => Float32x3, 1 => Unorm8x4];
        let ends = wgpu::VertexBufferLayout {
            array_stride: size_of::<End>() as u64,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &attributes,
        };
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            bind_group_layouts: &[Some(&layout)],
            ..Default::default()
        });
        let pipeline = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("lines"),
            layout: Some(&pipeline_layout),
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("end"),
                compilation_options: Default::default(),
                buffers: &[Some(ends)],
            },
            primitive: wgpu::PrimitiveState { topology: wgpu::PrimitiveTopology::LineList, ..Default::default() },
            depth_stencil: Some(depth(false, wgpu::CompareFunction::GreaterEqual, false)),
            multisample: wgpu::MultisampleState { count: SAMPLES, ..Default::default() },
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("plain"),
                compilation_options: Default::default(),
                targets: &[Some(format.into())],
            }),
            multiview_mask: None,
            cache: None,
        });
        let ends = Kept::new(gpu, "lines", 256, wgpu::BufferUsages::VERTEX);
        Self { pipeline, ends, camera, group, count: 0 }
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
