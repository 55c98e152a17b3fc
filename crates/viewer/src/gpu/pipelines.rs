//! Pipelines, made when the first draw needs them.

use super::Gpu;
use crate::stage::geometry::{Topology, Vertex};
use std::collections::HashMap;
use std::num::NonZeroU64;

pub(super) const SAMPLES: u32 = 4;
pub(super) const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// The greatest number of lamps in a frame.
pub(super) const LAMPS: usize = 16;

/// The key of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Kind {
    pub(super) pass: Pass,
    pub(super) deformed: bool,
    pub(super) topology: Topology,
    /// The visible side: `None` for both sides, `Some(true)` for the front if the draw is mirrored.
    pub(super) side: Option<bool>,
}

/// The target of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Pass {
    Opaque,
    Blended,
    /// Depth from the sun; `true` for surfaces with an alpha cutoff.
    Shadow(bool),
}

pub(super) struct Layouts {
    /// Cameras, matrices and figures.
    pub(super) world: wgpu::BindGroupLayout,
    pub(super) surface: wgpu::BindGroupLayout,
    pub(super) light: wgpu::BindGroupLayout,
    shadow_layout: wgpu::PipelineLayout,
    lit_layout: wgpu::PipelineLayout,
}

/// The pipelines made so far.
pub(super) struct Pipelines {
    pub(super) layouts: Layouts,
    module: wgpu::ShaderModule,
    format: wgpu::TextureFormat,
    made: HashMap<Kind, wgpu::RenderPipeline>,
    pub(super) sky: wgpu::RenderPipeline,
}

impl Layouts {
    fn new(gpu: &Gpu, light_size: usize) -> Self {
        let entry = |binding, visibility, ty| wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None };
        let buffer = |ty, dynamic, size: usize| wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset: dynamic,
            min_binding_size: NonZeroU64::new(size as u64),
        };
        let (vertex, fragment) = (wgpu::ShaderStages::VERTEX, wgpu::ShaderStages::FRAGMENT);
        let layout = |label, entries: &[wgpu::BindGroupLayoutEntry]| {
            gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries })
        };
        let texture = |view_dimension, sample_type| wgpu::BindingType::Texture {
            sample_type,
            view_dimension,
            multisampled: false,
        };
        let table = if gpu.reads_textures() {
            texture(wgpu::TextureViewDimension::D2, wgpu::TextureSampleType::Uint)
        } else {
            buffer(wgpu::BufferBindingType::Storage { read_only: true }, false, 0)
        };
        let mut world = vec![entry(0, vertex, buffer(wgpu::BufferBindingType::Uniform, true, 80))];
        world.extend((1..8).map(|binding| entry(binding, vertex, table)));
        let mut surface = vec![entry(0, fragment, buffer(wgpu::BufferBindingType::Uniform, false, 192))];
        let filterable = wgpu::TextureSampleType::Float { filterable: true };
        for binding in [1, 3, 5, 7] {
            surface.push(entry(binding, fragment, texture(wgpu::TextureViewDimension::D2, filterable)));
            let sampler = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
            surface.push(entry(binding + 1, fragment, sampler));
        }
        let light = [
            entry(0, fragment, buffer(wgpu::BufferBindingType::Uniform, false, light_size)),
            entry(1, fragment, texture(wgpu::TextureViewDimension::D2Array, wgpu::TextureSampleType::Depth)),
            entry(2, fragment, wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison)),
        ];
        let (world, surface, light) = (layout("world", &world), layout("surface", &surface), layout("light", &light));
        let pipeline = |groups: &[Option<&wgpu::BindGroupLayout>]| {
            gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                bind_group_layouts: groups,
                ..Default::default()
            })
        };
        let shadow_layout = pipeline(&[Some(&world), Some(&surface)]);
        let lit_layout = pipeline(&[Some(&world), Some(&surface), Some(&light)]);
        Self { world, surface, light, shadow_layout, lit_layout }
    }
}

impl Pipelines {
    pub(super) fn new(gpu: &Gpu, format: wgpu::TextureFormat, light_size: usize) -> Self {
        let layouts = Layouts::new(gpu, light_size);
        let source = if gpu.reads_textures() {
            concat!(include_str!("textures.wgsl"), include_str!("scene.wgsl"))
        } else {
            concat!(include_str!("buffers.wgsl"), include_str!("scene.wgsl"))
        };
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("scene"),
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
        let sky = gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("sky"),
            layout: Some(&layouts.lit_layout),
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("sky_corner"),
                compilation_options: Default::default(),
                buffers: &[],
            },
            primitive: Default::default(),
            depth_stencil: Some(depth(false, wgpu::CompareFunction::GreaterEqual, false)),
            multisample: wgpu::MultisampleState { count: SAMPLES, ..Default::default() },
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("sky_colour"),
                compilation_options: Default::default(),
                targets: &[Some(format.into())],
            }),
            multiview_mask: None,
            cache: None,
        });
        Self { layouts, module, format, made: HashMap::new(), sky }
    }

    /// Makes the pipeline of a kind if it is missing.
    pub(super) fn prepare(&mut self, gpu: &Gpu, kind: Kind) {
        if !self.made.contains_key(&kind) {
            let pipeline = self.make(gpu, kind);
            self.made.insert(kind, pipeline);
        }
    }

    pub(super) fn format(&self) -> wgpu::TextureFormat {
        self.format
    }

    pub(super) fn get(&self, kind: Kind) -> Option<&wgpu::RenderPipeline> {
        self.made.get(&kind)
    }

    fn make(&self, gpu: &Gpu, kind: Kind) -> wgpu::RenderPipeline {
        let vertex =
            wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Float32x2, 3 => Float32x2, 4 => Unorm8x4];
        let (matrix, user_data) = (wgpu::vertex_attr_array![5 => Uint32], wgpu::vertex_attr_array![6 => Uint32]);
        let per_draw = |attributes| {
            let step_mode = wgpu::VertexStepMode::Instance;
            Some(wgpu::VertexBufferLayout { array_stride: 4, step_mode, attributes })
        };
        let own = wgpu::VertexBufferLayout {
            array_stride: size_of::<Vertex>() as u64,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &vertex,
        };
        let buffers = [Some(own), per_draw(&matrix), per_draw(&user_data)];
        let shadow = matches!(kind.pass, Pass::Shadow(_));
        let (entry, blend) = match kind.pass {
            Pass::Opaque => (Some("lit"), None),
            Pass::Blended => (Some("lit"), Some(wgpu::BlendState::ALPHA_BLENDING)),
            Pass::Shadow(cut) => (cut.then_some("cut"), None),
        };
        let target = wgpu::ColorTargetState { format: self.format, blend, write_mask: wgpu::ColorWrites::ALL };
        let targets = [Some(target)];
        let fragment = entry.map(|entry| wgpu::FragmentState {
            module: &self.module,
            entry_point: Some(entry),
            compilation_options: Default::default(),
            targets: if shadow { &[] } else { &targets },
        });
        let primitive = wgpu::PrimitiveState {
            topology: match kind.topology {
                Topology::Triangles => wgpu::PrimitiveTopology::TriangleList,
                Topology::Lines => wgpu::PrimitiveTopology::LineList,
                Topology::Points => wgpu::PrimitiveTopology::PointList,
            },
            front_face: if kind.side == Some(true) { wgpu::FrontFace::Cw } else { wgpu::FrontFace::Ccw },
            cull_mode: (kind.side.is_some() && kind.topology == Topology::Triangles).then_some(wgpu::Face::Back),
            ..Default::default()
        };
        let depth = if shadow {
            // Slope bias is invalid for lines.
            depth(true, wgpu::CompareFunction::LessEqual, kind.topology == Topology::Triangles)
        } else {
            depth(kind.pass != Pass::Blended, wgpu::CompareFunction::GreaterEqual, false)
        };
        let layout = if shadow { &self.layouts.shadow_layout } else { &self.layouts.lit_layout };
        gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("draws"),
            layout: Some(layout),
            vertex: wgpu::VertexState {
                module: &self.module,
                entry_point: Some(if kind.deformed { "deformed" } else { "still" }),
                compilation_options: Default::default(),
                buffers: &buffers[..if kind.deformed { 3 } else { 2 }],
            },
            primitive,
            depth_stencil: Some(depth),
            multisample: wgpu::MultisampleState { count: if shadow { 1 } else { SAMPLES }, ..Default::default() },
            fragment,
            multiview_mask: None,
            cache: None,
        })
    }
}

fn depth(write: bool, compare: wgpu::CompareFunction, biased: bool) -> wgpu::DepthStencilState {
    let bias = wgpu::DepthBiasState { constant: 1, slope_scale: 1.5, clamp: 0.0 };
    wgpu::DepthStencilState {
        format: DEPTH,
        depth_write_enabled: Some(write),
        depth_compare: Some(compare),
        stencil: Default::default(),
        bias: if biased { bias } else { Default::default() },
    }
}
