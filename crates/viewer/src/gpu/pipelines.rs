//! Pipelines, made when the first draw needs them.

use super::Gpu;
use super::resources::{Recipe, depth, uniform};
use crate::stage::figures::Influences;
use crate::stage::geometry::{Mesh, Topology, Vertex};
use crate::stage::{Alpha, Stage, Surface};
use bytemuck::{Pod, Zeroable};
use hedgerow_wgpu::SceneTables;
use hedgerow_wgpu::gpu::{FETCH, FETCH_TEXTURES, ROW, SKIN, SKIN_TEXTURES};
use std::collections::HashMap;
use wgpu::{BindGroupLayout, BindingType, CompareFunction, PipelineLayout, RenderPipeline, VertexStepMode};

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

/// The pipelines made so far, and the layouts of what they read.
pub(super) struct Pipelines {
    /// Cameras and figures.
    pub(super) world: BindGroupLayout,
    pub(super) surface: BindGroupLayout,
    pub(super) light: BindGroupLayout,
    /// For shadows, and for pictures.
    layouts: [PipelineLayout; 2],
    module: wgpu::ShaderModule,
    pub(super) format: wgpu::TextureFormat,
    relative: bool,
    made: HashMap<Kind, RenderPipeline>,
    pub(super) sky: RenderPipeline,
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
        tables: &SceneTables,
        light_size: usize,
        [relative, transposed]: [bool; 2],
    ) -> Self {
        let texture = |view_dimension, sample_type| {
            let multisampled = false;
            BindingType::Texture { sample_type, view_dimension, multisampled }
        };
        let flat = |filterable| texture(wgpu::TextureViewDimension::D2, wgpu::TextureSampleType::Float { filterable });
        let (vertex, fragment) = (wgpu::ShaderStages::VERTEX, wgpu::ShaderStages::FRAGMENT);
        let world = gpu.layout("world", vertex, &[uniform(true, 80), flat(false), flat(false)]);
        let mut surface = vec![uniform(false, 192)];
        let sampler = BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
        surface.extend([[flat(true), sampler]; 4].as_flattened());
        let surface = gpu.layout("surface", fragment, &surface);
        let shadows = texture(wgpu::TextureViewDimension::D2Array, wgpu::TextureSampleType::Depth);
        let comparison = BindingType::Sampler(wgpu::SamplerBindingType::Comparison);
        let light = gpu.layout("light", fragment, &[uniform(false, light_size), shadows, comparison]);
        let of_shadows = gpu.groups(&[&world, tables.layout(), &surface]);
        let of_pictures = gpu.groups(&[&world, tables.layout(), &surface, &light]);

        let fetch = if tables.are_textures() { [FETCH_TEXTURES, SKIN_TEXTURES] } else { [FETCH, SKIN] };
        let mut text = format!("const ROW = {ROW}u;\n") + &fetch.concat() + if relative { RELATIVE } else { ABSOLUTE };
        if transposed {
            text = text.replace("fn rows", "fn right_rows").replace("fn hg_blend", "fn right_blend") + TRANSPOSED;
        }
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("scene"),
            source: wgpu::ShaderSource::Wgsl((text + include_str!("scene.wgsl")).into()),
        });
        let sky = gpu.pipeline(Recipe {
            layout: &of_pictures,
            module: &module,
            entries: ("sky_corner", Some("sky_colour")),
            buffers: &[],
            primitive: Default::default(),
            depth: depth(false, CompareFunction::GreaterEqual, false),
            target: Some(format.into()),
        });
        let layouts = [of_shadows, of_pictures];
        Self { world, surface, light, layouts, module, format, relative, made: HashMap::new(), sky }
    }

    /// Makes the pipeline of a kind if it is missing.
    pub(super) fn prepare(&mut self, gpu: &Gpu, kind: Kind) {
        if !self.made.contains_key(&kind) {
            let pipeline = self.make(gpu, kind);
            self.made.insert(kind, pipeline);
        }
    }

    pub(super) fn get(&self, kind: Kind) -> Option<&RenderPipeline> {
        self.made.get(&kind)
    }

    fn make(&self, gpu: &Gpu, kind: Kind) -> RenderPipeline {
        let vertex =
            wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Float32x2, 3 => Float32x2, 4 => Unorm8x4];
        let slot = wgpu::vertex_attr_array![5 => Uint32];
        let rows = wgpu::vertex_attr_array![6 => Float32x4, 7 => Float32x4, 8 => Float32x4];
        let skin = wgpu::vertex_attr_array![
            9 => Uint16x4, 10 => Uint16x4, 11 => Float32x4, 12 => Float32x4, 13 => Uint32x3
        ];
        let buffer = |size: usize, step_mode, attributes| {
            Some(wgpu::VertexBufferLayout { array_stride: size as u64, step_mode, attributes })
        };
        let buffers = [
            buffer(size_of::<Vertex>(), VertexStepMode::Vertex, &vertex[..]),
            buffer(4, VertexStepMode::Instance, &slot),
            buffer(48, VertexStepMode::Instance, &rows).filter(|_| self.relative),
            buffer(size_of::<SkinVertex>(), VertexStepMode::Vertex, &skin).filter(|_| kind.deformed),
        ];
        let is_solid = kind.topology == Topology::Triangles;
        let (fragment, blend) = match kind.pass {
            Pass::Opaque => (Some("lit"), None),
            Pass::Blended => (Some("lit"), Some(wgpu::BlendState::ALPHA_BLENDING)),
            Pass::Shadow(cut) => (cut.then_some("cut"), None),
        };
        let target = wgpu::ColorTargetState { format: self.format, blend, write_mask: wgpu::ColorWrites::ALL };
        let is_shadow = matches!(kind.pass, Pass::Shadow(_));
        gpu.pipeline(Recipe {
            layout: &self.layouts[usize::from(!is_shadow)],
            module: &self.module,
            entries: (if kind.deformed { "deformed" } else { "still" }, fragment),
            buffers: &buffers,
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
            depth: if is_shadow {
                // Slope bias is invalid for lines.
                depth(true, CompareFunction::LessEqual, is_solid)
            } else {
                depth(kind.pass != Pass::Blended, CompareFunction::GreaterEqual, false)
            },
            target: Some(target).filter(|_| !is_shadow),
        })
    }
}
