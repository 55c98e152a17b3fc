//! Pipelines, made when the first draw needs them.

use super::Gpu;
use super::tables::Tables;
use crate::stage::figures::Influences;
use crate::stage::geometry::{Mesh, Topology, Vertex};
use crate::stage::{Alpha, Stage, Surface};
use bytemuck::{Pod, Zeroable};
use hedgerow_wgpu::gpu::ROW;
use std::collections::HashMap;
use std::num::NonZeroU64;

pub(super) const SAMPLES: u32 = 4;
pub(super) const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// What a figure's vertex has, behind those of all meshes.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct SkinVertex {
    pub(super) influences: Influences,
    /// The first delta, the number of targets, the number of the vertex in its mesh, and 1.
    pub(super) morph: [u32; 4],
}

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

/// Whether figures deform a mesh, and what its indices are.
type Form = (bool, Topology);
const FORMS: [Form; 6] = {
    use Topology::{Lines, Points, Triangles};
    [(false, Triangles), (false, Lines), (false, Points), (true, Triangles), (true, Lines), (true, Points)]
};

impl Kind {
    /// The kind of a mesh with a surface; `None` if the pass leaves it out.
    pub(super) fn of(stage: &Stage, surface: usize, mesh: u32, mirrored: bool, shadow: bool) -> Option<Self> {
        let mesh = stage.meshes.get(mesh as usize)?;
        Self::of_form(&stage.surfaces[surface], (mesh.deformed, mesh.topology), mirrored, shadow)
    }

    fn of_form(surface: &Surface, (deformed, topology): Form, mirrored: bool, shadow: bool) -> Option<Self> {
        let pass = match surface.alpha {
            Alpha::Blend if shadow => return None,
            Alpha::Blend => Pass::Blended,
            Alpha::Mask(_) if shadow => Pass::Shadow(true),
            _ if shadow => Pass::Shadow(false),
            _ => Pass::Opaque,
        };
        let side = (!surface.double_sided).then_some(mirrored);
        Some(Self { pass, deformed, topology, side })
    }

    /// Returns the surface and the kind of a key.
    pub(super) fn of_key(stage: &Stage, key: u32, mirrored: bool, shadow: bool) -> Option<(usize, Self)> {
        let (surface, form) = (key as usize / FORMS.len(), FORMS[key as usize % FORMS.len()]);
        Some((surface, Self::of_form(stage.surfaces.get(surface)?, form, mirrored, shadow)?))
    }

    /// Returns the function that finds the key of a mesh and a material: the surface and the mesh's form; `None` for what is
    /// blended.
    pub(super) fn of_stage(stage: &Stage) -> impl Fn(u32, Option<u32>) -> Option<u32> + use<> {
        let form = |mesh: &Mesh| FORMS.iter().position(|&form| form == (mesh.deformed, mesh.topology)).unwrap_or(0);
        let forms: Vec<usize> = stage.meshes.iter().map(form).collect();
        let blends: Vec<bool> = stage.surfaces.iter().map(|surface| surface.alpha == Alpha::Blend).collect();
        move |mesh, material| {
            let surface = material.map_or(blends.len() - 1, |number| (number as usize).min(blends.len() - 1));
            (!blends[surface]).then(|| (surface * FORMS.len() + forms.get(mesh as usize).unwrap_or(&0)) as u32)
        }
    }
}

pub(super) struct Layouts {
    /// Cameras and figures.
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
    pub(super) format: wgpu::TextureFormat,
    relative: bool,
    made: HashMap<Kind, wgpu::RenderPipeline>,
    pub(super) sky: wgpu::RenderPipeline,
}

/// Returns the layout of a group of bindings.
pub(super) fn layout(
    gpu: &Gpu,
    label: &str,
    visibility: wgpu::ShaderStages,
    bindings: &[wgpu::BindingType],
) -> wgpu::BindGroupLayout {
    let entry = |(binding, &ty)| wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None };
    let entries: Vec<_> = (0..).zip(bindings).map(entry).collect();
    gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries: &entries })
}

/// Binds resources in their order.
pub(super) fn bind(
    gpu: &Gpu,
    layout: &wgpu::BindGroupLayout,
    resources: Vec<wgpu::BindingResource<'_>>,
) -> wgpu::BindGroup {
    let entry = |(binding, resource)| wgpu::BindGroupEntry { binding, resource };
    let entries: Vec<_> = (0..).zip(resources).map(entry).collect();
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}

/// The type of a uniform of so many bytes.
pub(super) fn uniform(has_dynamic_offset: bool, size: usize) -> wgpu::BindingType {
    let ty = wgpu::BufferBindingType::Uniform;
    wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: NonZeroU64::new(size as u64) }
}

impl Layouts {
    fn new(gpu: &Gpu, tables: &wgpu::BindGroupLayout, light_size: usize) -> Self {
        let texture = |view_dimension, sample_type| wgpu::BindingType::Texture {
            sample_type,
            view_dimension,
            multisampled: false,
        };
        let flat = |filterable| texture(wgpu::TextureViewDimension::D2, wgpu::TextureSampleType::Float { filterable });
        let (vertex, fragment) = (wgpu::ShaderStages::VERTEX, wgpu::ShaderStages::FRAGMENT);
        let list = flat(false);
        let world = layout(gpu, "world", vertex, &[uniform(true, 80), list, list, list]);
        let sampler = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
        let mut surface = vec![uniform(false, 192)];
        surface.extend([[flat(true), sampler]; 4].as_flattened());
        let surface = layout(gpu, "surface", fragment, &surface);
        let shadows = texture(wgpu::TextureViewDimension::D2Array, wgpu::TextureSampleType::Depth);
        let comparison = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison);
        let light = layout(gpu, "light", fragment, &[uniform(false, light_size), shadows, comparison]);
        let pipeline = |groups: &[&wgpu::BindGroupLayout]| {
            let groups: Vec<_> = groups.iter().copied().map(Some).collect();
            let descriptor = wgpu::PipelineLayoutDescriptor { bind_group_layouts: &groups, ..Default::default() };
            gpu.device.create_pipeline_layout(&descriptor)
        };
        let shadow_layout = pipeline(&[&world, tables, &surface]);
        let lit_layout = pipeline(&[&world, tables, &surface, &light]);
        Self { world, surface, light, shadow_layout, lit_layout }
    }
}

/// How the shader finds the matrix of a draw: by its slot, or as it is, relative to the camera.
const ABSOLUTE: &str = "struct Draw { @location(5) slot: u32 }
fn rows(draw: Draw) -> mat3x4f { return hg_rows(hg_matrix(draw.slot)); }
";
const RELATIVE: &str = "struct Draw {
    @location(5) slot: u32, @location(6) x: vec4f, @location(7) y: vec4f, @location(8) z: vec4f,
}
fn rows(draw: Draw) -> mat3x4f { return mat3x4f(draw.x, draw.y, draw.z); }
";
/// A fault for tests: rotations are transposed.
const TRANSPOSED: &str = "fn transposed(r: mat3x4f) -> mat3x4f {
    return mat3x4f(r[0].x, r[1].x, r[2].x, r[0].w, r[0].y, r[1].y, r[2].y, r[1].w, r[0].z, r[1].z, r[2].z, r[2].w);
}
fn rows(draw: Draw) -> mat3x4f { return transposed(right_rows(draw)); }
fn hg_blend(slot: u32, joints: vec4u, weights: vec4f) -> mat3x4f {
    return transposed(right_blend(slot, joints, weights));
}
";

impl Pipelines {
    pub(super) fn new(
        gpu: &Gpu,
        format: wgpu::TextureFormat,
        tables: &Tables,
        light_size: usize,
        [relative, transposed]: [bool; 2],
    ) -> Self {
        let layouts = Layouts::new(gpu, tables.bindings().1, light_size);
        let mut text =
            format!("const ROW = {ROW}u;\n") + &Tables::text(gpu) + if relative { RELATIVE } else { ABSOLUTE };
        if transposed {
            text = text.replace("fn rows", "fn right_rows").replace("fn hg_blend", "fn right_blend") + TRANSPOSED;
        }
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("scene"),
            source: wgpu::ShaderSource::Wgsl((text + include_str!("scene.wgsl")).into()),
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
        Self { layouts, module, format, relative, made: HashMap::new(), sky }
    }

    /// Makes the pipeline of a kind if it is missing.
    pub(super) fn prepare(&mut self, gpu: &Gpu, kind: Kind) {
        if !self.made.contains_key(&kind) {
            let pipeline = self.make(gpu, kind);
            self.made.insert(kind, pipeline);
        }
    }

    pub(super) fn get(&self, kind: Kind) -> Option<&wgpu::RenderPipeline> {
        self.made.get(&kind)
    }

    fn make(&self, gpu: &Gpu, kind: Kind) -> wgpu::RenderPipeline {
        let vertex =
            wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Float32x2, 3 => Float32x2, 4 => Unorm8x4];
        let slot = wgpu::vertex_attr_array![5 => Uint32];
        let rows = wgpu::vertex_attr_array![6 => Float32x4, 7 => Float32x4, 8 => Float32x4];
        let skin = wgpu::vertex_attr_array![
            9 => Uint16x4, 10 => Uint16x4, 11 => Float32x4, 12 => Float32x4, 13 => Uint32x4
        ];
        let buffer = |size: usize, step_mode, attributes| {
            Some(wgpu::VertexBufferLayout { array_stride: size as u64, step_mode, attributes })
        };
        let (own, draw) = (wgpu::VertexStepMode::Vertex, wgpu::VertexStepMode::Instance);
        let buffers = [
            buffer(size_of::<Vertex>(), own, &vertex[..]),
            buffer(4, draw, &slot),
            buffer(48, draw, &rows).filter(|_| self.relative),
            buffer(size_of::<SkinVertex>(), own, &skin).filter(|_| kind.deformed),
        ];
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
                buffers: &buffers,
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

pub(super) fn depth(write: bool, compare: wgpu::CompareFunction, biased: bool) -> wgpu::DepthStencilState {
    let bias = wgpu::DepthBiasState { constant: 1, slope_scale: 1.5, clamp: 0.0 };
    wgpu::DepthStencilState {
        format: DEPTH,
        depth_write_enabled: Some(write),
        depth_compare: Some(compare),
        stencil: Default::default(),
        bias: if biased { bias } else { Default::default() },
    }
}
