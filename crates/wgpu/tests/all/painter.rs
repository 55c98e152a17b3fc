//! Pictures of boxes, by pipelines of a test's own.

use crate::cull::MESHES;
use crate::device::{filled, read};
use bytemuck::cast_slice;
use hedgerow::glam::Mat4;
use hedgerow_wgpu::SceneTables;
use hedgerow_wgpu::gpu::FETCH;
use wgpu::{BufferUsages, Device, Queue};

/// Draws boxes of several colours to a picture.
pub(crate) struct Painter {
    /// For drawables that are not mirrored, and for mirrored ones.
    pub(crate) pipelines: [wgpu::RenderPipeline; 2],
    eye: wgpu::Buffer,
    group: wgpu::BindGroup,
    vertices: wgpu::Buffer,
    indices: wgpu::Buffer,
    colour: wgpu::Texture,
    pub(crate) depth: wgpu::TextureView,
    /// The depth of what is infinitely far.
    clear: f32,
}

const SHADER: &str = "
@group(0) @binding(0) var<uniform> eye: mat4x4f;
struct Corner { @builtin(position) place: vec4f, @location(0) @interpolate(flat) colour: u32 }
@vertex fn corner(@location(0) point: vec3f, @location(1) slot: u32) -> Corner {
    let colour = 50u * hg_mesh(slot) + 37u * hg_material(slot) + slot % 64u;
    return Corner(eye * vec4f(hg_world(hg_matrix(slot), point), 1.0), colour);
}
@fragment fn pixel(corner: Corner) -> @location(0) vec4f {
    return vec4f(f32(corner.colour) / 255.0, fract(f32(corner.colour) * 0.618), 0.5, 1.0);
}";

impl Painter {
    pub(crate) fn new(gpu: &(Device, Queue), buffers: &SceneTables, [width, height]: [u32; 2], reversed: bool) -> Self {
        let device = &gpu.0;
        // A smaller box for each mesh, in vertices of its own; the coarser ones have fewer sides.
        let corner = |mesh: u32, corner: u32| {
            [0, 1, 2].map(|axis| (0.5 - 0.05 * mesh as f32) * if corner >> axis & 1 == 1 { 1.0 } else { -1.0 })
        };
        let corners: Vec<[f32; 3]> = (0..8 * MESHES).map(|at| corner(at / 8, at % 8)).collect();
        let faces = [[0_u32, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let cube: Vec<u32> = faces.iter().flat_map(|&[a, b, c, d]| [a, b, c, a, c, d]).collect();
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(format!("{FETCH}{SHADER}").into()),
        });
        let of_eye = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::VERTEX,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Uniform,
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            }],
        });
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&of_eye), Some(buffers.layout())],
            immediate_size: 0,
        });
        let pipeline = |front_face| {
            device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: None,
                layout: Some(&layout),
                vertex: wgpu::VertexState {
                    module: &module,
                    entry_point: Some("corner"),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    buffers: &[
                        Some(wgpu::VertexBufferLayout {
                            array_stride: 12,
                            step_mode: wgpu::VertexStepMode::Vertex,
                            attributes: &wgpu::vertex_attr_array![0 => Float32x3],
                        }),
                        Some(wgpu::VertexBufferLayout {
                            array_stride: 4,
                            step_mode: wgpu::VertexStepMode::Instance,
                            attributes: &wgpu::vertex_attr_array![1 => Uint32],
                        }),
                    ],
                },
                primitive: wgpu::PrimitiveState {
                    front_face,
                    cull_mode: Some(wgpu::Face::Back),
                    ..wgpu::PrimitiveState::default()
                },
                depth_stencil: Some(wgpu::DepthStencilState {
                    format: wgpu::TextureFormat::Depth32Float,
                    depth_write_enabled: Some(true),
                    depth_compare: Some(if reversed {
                        wgpu::CompareFunction::Greater
                    } else {
                        wgpu::CompareFunction::Less
                    }),
                    stencil: wgpu::StencilState::default(),
                    bias: wgpu::DepthBiasState::default(),
                }),
                multisample: wgpu::MultisampleState::default(),
                fragment: Some(wgpu::FragmentState {
                    module: &module,
                    entry_point: Some("pixel"),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    targets: &[Some(wgpu::TextureFormat::Rgba8Unorm.into())],
                }),
                multiview_mask: None,
                cache: None,
            })
        };
        let texture = |format, usage| {
            device.create_texture(&wgpu::TextureDescriptor {
                label: None,
                size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage,
                view_formats: &[],
            })
        };
        let eye = filled(gpu, &[0; 64], BufferUsages::UNIFORM);
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &of_eye,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: eye.as_entire_binding() }],
        });
        let (target, copied) = (wgpu::TextureUsages::RENDER_ATTACHMENT, wgpu::TextureUsages::COPY_SRC);
        let read = wgpu::TextureUsages::TEXTURE_BINDING;
        Self {
            pipelines: [wgpu::FrontFace::Ccw, wgpu::FrontFace::Cw].map(pipeline),
            eye,
            group,
            vertices: filled(gpu, cast_slice(&corners), BufferUsages::VERTEX),
            indices: filled(gpu, cast_slice(&vec![cube; MESHES as usize].concat()), BufferUsages::INDEX),
            colour: texture(wgpu::TextureFormat::Rgba8Unorm, target | copied),
            depth: texture(wgpu::TextureFormat::Depth32Float, target | read)
                .create_view(&wgpu::TextureViewDescriptor::default()),
            clear: if reversed { 0.0 } else { 1.0 },
        }
    }

    /// Draws one view to the picture, which is cleared before if it is the first.
    pub(crate) fn draw(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        buffers: &SceneTables,
        is_first: bool,
        draw: impl FnOnce(&mut wgpu::RenderPass<'_>, &[wgpu::RenderPipeline; 2]),
    ) {
        let colour = self.colour.create_view(&wgpu::TextureViewDescriptor::default());
        let store = wgpu::StoreOp::Store;
        let (black, far) = (wgpu::LoadOp::Clear(wgpu::Color::BLACK), wgpu::LoadOp::Clear(self.clear));
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &colour,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: if is_first { black } else { wgpu::LoadOp::Load }, store },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.depth,
                depth_ops: Some(wgpu::Operations { load: if is_first { far } else { wgpu::LoadOp::Load }, store }),
                stencil_ops: None,
            }),
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_vertex_buffer(0, self.vertices.slice(..));
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.set_bind_group(0, &self.group, &[]);
        pass.set_bind_group(1, buffers.group(), &[]);
        draw(&mut pass, &self.pipelines);
    }

    /// Draws what the device lists for a view.
    pub(crate) fn draw_view(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        buffers: &SceneTables,
        is_first: bool,
        view: u32,
    ) {
        self.draw(encoder, buffers, is_first, |pass, pipelines| {
            buffers.draw(pass, view, 1, |pass, batch| {
                pass.set_pipeline(&pipelines[usize::from(batch.mirrored)]);
                true
            });
        });
    }

    /// Submits what was drawn from this eye, and returns the pixels.
    pub(crate) fn finish(&self, gpu: &(Device, Queue), mut encoder: wgpu::CommandEncoder, eye: &Mat4) -> Vec<u32> {
        gpu.1.write_buffer(&self.eye, 0, cast_slice(&eye.to_cols_array()));
        let (width, height) = (self.colour.width() as usize, self.colour.height());
        let row = (4 * width).next_multiple_of(256);
        let pixels = filled(gpu, &vec![0; row * height as usize], BufferUsages::COPY_SRC);
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row as u32), rows_per_image: Some(height) };
        let to = wgpu::TexelCopyBufferInfo { buffer: &pixels, layout };
        encoder.copy_texture_to_buffer(self.colour.as_image_copy(), to, self.colour.size());
        gpu.1.submit([encoder.finish()]);
        read::<u32>(gpu, &pixels).chunks(row / 4).flat_map(|row| &row[..width]).copied().collect()
    }
}
