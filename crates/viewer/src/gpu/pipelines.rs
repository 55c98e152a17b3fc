//! Pipelines, made when the first draw needs them.

use super::Gpu;
use super::resources::{DEPTH, SAMPLES, uniform};
use super::surfaces;
use super::uniforms::{EYE_BYTES, Light};
use crate::lines::End;
use crate::stage::figures::Influences;
use crate::stage::geometry::{Mesh, Topology, Vertex};
use crate::stage::{Alpha, Stage, Surface};
use bytemuck::{Pod, Zeroable};
use hedgerow_wgpu::SceneTables;
use hedgerow_wgpu::gpu::{FETCH, FETCH_TEXTURES, ROW, SKIN, SKIN_TEXTURES};
use std::collections::HashMap;
use wgpu::{BindGroup, BindGroupLayout, BindingType, CompareFunction, RenderPass, RenderPipeline, VertexStepMode};

/// What a figure's vertex has, behind those of all meshes.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct SkinVertex {
    pub(super) influences: Influences,
    /// The first delta, the number of targets, and 1.
    pub(super) morph: [u32; 3],
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
    Sky,
    Line,
}

/// Whether figures deform a mesh, and what its indices are.
type Form = (bool, Topology);
const FORMS: [Form; 6] = {
    use Topology::{Lines, Points, Triangles};
    [(false, Triangles), (false, Lines), (false, Points), (true, Triangles), (true, Lines), (true, Points)]
};

/// Returns the surface and the form of a key.
pub(super) fn of_key(key: u32) -> (usize, Form) {
    (key as usize / FORMS.len(), FORMS[key as usize % FORMS.len()])
}

/// Returns the function that finds the key of a mesh and a material; `None` for what is blended.
pub(super) fn keys(stage: &Stage) -> impl Fn(u32, Option<u32>) -> Option<u32> + use<> {
    let form = |mesh: &Mesh| FORMS.iter().position(|&form| form == (mesh.deformed, mesh.topology)).unwrap_or(0);
    let forms: Vec<usize> = stage.meshes.iter().map(form).collect();
    let blends: Vec<bool> = stage.surfaces.iter().map(|surface| surface.alpha == Alpha::Blend).collect();
    move |mesh, material| {
        let surface = material.map_or(blends.len() - 1, |number| (number as usize).min(blends.len() - 1));
        (!blends[surface]).then(|| (surface * FORMS.len() + forms.get(mesh as usize).unwrap_or(&0)) as u32)
    }
}

impl Kind {
    pub(super) const SKY: Self = Self { pass: Pass::Sky, deformed: false, topology: Topology::Triangles, side: None };
    pub(super) const LINE: Self = Self { pass: Pass::Line, topology: Topology::Lines, ..Self::SKY };

    /// Returns the kind of a surface's draws of meshes of a form; `None` if the pass leaves them out.
    pub(super) fn of(surface: &Surface, (deformed, topology): Form, mirrored: bool, shadow: bool) -> Option<Self> {
        let pass = match surface.alpha {
            Alpha::Blend if shadow => return None,
            Alpha::Blend => Pass::Blended,
            Alpha::Mask(_) if shadow => Pass::Shadow(true),
            _ if shadow => Pass::Shadow(false),
            _ => Pass::Opaque,
        };
        Some(Self { pass, deformed, topology, side: (!surface.double_sided).then_some(mirrored) })
    }
}

/// The pipelines made so far, the layouts of what they read, and the surfaces.
pub(super) struct Pipelines {
    /// Cameras and figures.
    pub(super) world: BindGroupLayout,
    pub(super) light: BindGroupLayout,
    /// The bind groups of surfaces.
    surfaces: Vec<BindGroup>,
    /// For shadows, and for pictures.
    layouts: [wgpu::PipelineLayout; 2],
    module: wgpu::ShaderModule,
    pub(super) format: wgpu::TextureFormat,
    relative: bool,
    made: HashMap<Kind, RenderPipeline>,
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

impl Pipelines {
    pub(super) fn new(
        gpu: &Gpu,
        stage: &Stage,
        format: wgpu::TextureFormat,
        tables: &SceneTables,
        relative: bool,
    ) -> Self {
        let texture = |view_dimension, sample_type| {
            let multisampled = false;
            BindingType::Texture { sample_type, view_dimension, multisampled }
        };
        let flat = |filterable| texture(wgpu::TextureViewDimension::D2, wgpu::TextureSampleType::Float { filterable });
        let (vertex, fragment) = (wgpu::ShaderStages::VERTEX, wgpu::ShaderStages::FRAGMENT);
        let world = gpu.layout("world", vertex, &[uniform(true, EYE_BYTES), flat(false), flat(false)]);
        let mut surface = vec![uniform(false, 192)];
        let sampler = BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
        surface.extend([[flat(true), sampler]; 4].as_flattened());
        let surface = gpu.layout("surface", fragment, &surface);
        let shadows = texture(wgpu::TextureViewDimension::D2Array, wgpu::TextureSampleType::Depth);
        let comparison = BindingType::Sampler(wgpu::SamplerBindingType::Comparison);
        let light = gpu.layout("light", fragment, &[uniform(false, size_of::<Light>()), shadows, comparison]);
        let groups = [&world, tables.layout(), &surface, &light].map(Some);
        let layouts = [&groups[..3], &groups].map(|bind_group_layouts| {
            let descriptor = wgpu::PipelineLayoutDescriptor { bind_group_layouts, ..Default::default() };
            gpu.device.create_pipeline_layout(&descriptor)
        });

        let fetch = if tables.are_textures() { [FETCH_TEXTURES, SKIN_TEXTURES] } else { [FETCH, SKIN] };
        let text = format!("const ROW = {ROW}u;\n") + &fetch.concat() + if relative { RELATIVE } else { ABSOLUTE };
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("scene"),
            source: wgpu::ShaderSource::Wgsl((text + include_str!("scene.wgsl")).into()),
        });
        let surfaces = surfaces::groups(gpu, &surface, stage);
        Self { world, light, surfaces, layouts, module, format, relative, made: HashMap::new() }
    }

    /// Sets the pipeline of a kind, made if it is missing, and a surface, unless the pass has set them `last`.
    pub(super) fn set(
        &mut self,
        gpu: &Gpu,
        pass: &mut RenderPass<'_>,
        last: &mut Option<(Kind, usize)>,
        (kind, surface): (Kind, usize),
    ) {
        let before = last.replace((kind, surface));
        if before.is_none_or(|(other, _)| other != kind) {
            if !self.made.contains_key(&kind) {
                self.made.insert(kind, self.make(gpu, kind));
            }
            pass.set_pipeline(&self.made[&kind]);
        }
        if before.is_none_or(|(_, other)| other != surface) {
            pass.set_bind_group(2, &self.surfaces[surface], &[]);
        }
    }

    fn make(&self, gpu: &Gpu, kind: Kind) -> RenderPipeline {
        let vertex =
            wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Float32x2, 3 => Float32x2, 4 => Unorm8x4];
        let slot = wgpu::vertex_attr_array![5 => Uint32];
        let rows = wgpu::vertex_attr_array![6 => Float32x4, 7 => Float32x4, 8 => Float32x4];
        let skin = wgpu::vertex_attr_array![
            9 => Uint16x4, 10 => Uint16x4, 11 => Float32x4, 12 => Float32x4, 13 => Uint32x3
        ];
        let end = wgpu::vertex_attr_array![0 => Float32x3, 1 => Unorm8x4];
        let buffer = |size: usize, step_mode, attributes| {
            Some(wgpu::VertexBufferLayout { array_stride: size as u64, step_mode, attributes })
        };
        let of_mesh = [
            buffer(size_of::<Vertex>(), VertexStepMode::Vertex, &vertex[..]),
            buffer(4, VertexStepMode::Instance, &slot),
            buffer(48, VertexStepMode::Instance, &rows).filter(|_| self.relative),
            buffer(size_of::<SkinVertex>(), VertexStepMode::Vertex, &skin).filter(|_| kind.deformed),
        ];
        let of_line = [buffer(size_of::<End>(), VertexStepMode::Vertex, &end[..])];
        let of_mesh = (if kind.deformed { "deformed" } else { "still" }, &of_mesh[..]);
        let ((entry, buffers), fragment) = match kind.pass {
            Pass::Opaque | Pass::Blended => (of_mesh, Some("lit")),
            Pass::Shadow(cut) => (of_mesh, cut.then_some("cut")),
            Pass::Sky => (("sky_corner", &[][..]), Some("sky_colour")),
            Pass::Line => (("line_end", &of_line[..]), Some("line_colour")),
        };
        let (is_solid, is_shadow) = (kind.topology == Topology::Triangles, matches!(kind.pass, Pass::Shadow(_)));
        let blend = (kind.pass == Pass::Blended).then_some(wgpu::BlendState::ALPHA_BLENDING);
        let target = Some(wgpu::ColorTargetState { blend, ..self.format.into() });
        let bias = wgpu::DepthBiasState { constant: 1, slope_scale: 1.5, clamp: 0.0 };
        gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(entry),
            layout: Some(&self.layouts[usize::from(!is_shadow)]),
            vertex: wgpu::VertexState {
                module: &self.module,
                entry_point: Some(entry),
                compilation_options: Default::default(),
                buffers,
            },
            primitive: wgpu::PrimitiveState {
                topology: match kind.topology {
                    Topology::Triangles => wgpu::PrimitiveTopology::TriangleList,
                    Topology::Lines => wgpu::PrimitiveTopology::LineList,
                    Topology::Points => wgpu::PrimitiveTopology::PointList,
                },
                front_face: if kind.side == Some(true) { wgpu::FrontFace::Cw } else { wgpu::FrontFace::Ccw },
                cull_mode: (kind.side.is_some() && is_solid).then_some(wgpu::Face::Back),
                ..Default::default()
            },
            depth_stencil: Some(wgpu::DepthStencilState {
                format: DEPTH,
                depth_write_enabled: Some(is_shadow || kind.pass == Pass::Opaque),
                depth_compare: Some(if is_shadow { CompareFunction::LessEqual } else { CompareFunction::GreaterEqual }),
                stencil: Default::default(),
                // Slope bias is invalid for lines.
                bias: if is_shadow && is_solid { bias } else { Default::default() },
            }),
            multisample: wgpu::MultisampleState { count: if is_shadow { 1 } else { SAMPLES }, ..Default::default() },
            fragment: fragment.map(|entry| wgpu::FragmentState {
                module: &self.module,
                entry_point: Some(entry),
                compilation_options: Default::default(),
                targets: if is_shadow { &[] } else { std::slice::from_ref(&target) },
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}
