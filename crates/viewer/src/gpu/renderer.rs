//! Uploads a stage to the device and draws it. `find` culls, `upload` writes changes, `draw` draws.

mod draw;
mod find;
mod upload;

use super::Gpu;
use super::buffers::{self, Buffers, Growing, Uploaded};
use super::lines::{LineList, Lines};
use super::pipelines::{DEPTH, Kind, LAMPS, Pass, Pipelines, SAMPLES};
use super::tables::Table;
use super::textures::Surfaces;
use crate::camera::Camera;
use crate::cascades::{CASCADES, Cascade, cascades};
use crate::failure::Result;
use crate::stage::geometry::Topology;
use crate::stage::{Alpha, Stage};
use crate::threads;
use crate::view::{Stream, View, is_deformed};
use bytemuck::{Pod, Zeroable};
use hedgerow::changes::{MatrixMirror, MirrorStep};
use hedgerow::glam::{Mat4, Vec3};
use hedgerow::query::{CullView, Frustum};
use hedgerow::{Mat34, Scene};
use std::ops::Range;

/// An invalid index into a buffer.
const NONE: u32 = u32::MAX;

/// How to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Whether matrices are relative to the camera.
    pub relative: bool,
    /// Whether meshes are skinned on the processor, not in shaders.
    pub cpu_skinning: bool,
    /// Whether draws outside the view are culled.
    pub culling: bool,
    /// Whether the sun casts shadows.
    pub shadows: bool,
    /// The width of a cascade's texture.
    pub shadow_texels: u32,
    /// A deliberate fault, for tests.
    pub fault: Option<Fault>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { relative: false, cpu_skinning: false, culling: true, shadows: true, shadow_texels: 2048, fault: None }
    }
}

/// Deliberate faults that picture comparisons must detect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// The rotations of world matrices are transposed.
    Transposed,
    /// Draws of the mesh with this number are left out.
    LeftOut(u32),
    /// Surfaces have swapped images.
    Swapped,
}

/// A figure in the shader's layout: five texels.
#[derive(Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct Deform {
    palette: u32,
    influences: u32,
    per_vertex: u32,
    deltas: u32,
    targets: u32,
    weights: u32,
    vertices: u32,
    base_vertex: u32,
    streams: u32,
    has_coat: u32,
    unused: [u32; 2],
    coat: [[u8; 4]; 8],
}

/// A camera in the shader's layout.
#[derive(Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct Eye {
    view_projection: [f32; 16],
    eye: [f32; 4],
}

/// The bytes from one camera to the next in the buffer of cameras.
const STRIDE: u64 = 256;
/// The number of views: the camera and the cascades.
const EYES: usize = CASCADES + 1;

#[derive(Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct Light {
    cascades: [[f32; 16]; 3],
    ends: [f32; 4],
    texels: [f32; 4],
    sun: [f32; 4],
    sun_colour: [f32; 4],
    zenith: [f32; 4],
    horizon: [f32; 4],
    ground: [f32; 4],
    forward: [f32; 4],
    numbers: [f32; 4],
    unprojection: [f32; 16],
    lamps: [[[f32; 4]; 4]; LAMPS],
}

/// The location of a mesh in the buffers.
struct Part {
    indices: Range<u32>,
    /// The number of its first vertex. Its indices include this number, because WebGL 2 has no base vertex.
    base_vertex: u32,
    topology: Topology,
    deformed: bool,
}

/// A view, and its streams on the device.
struct Drawn {
    view: View,
    grouped: [Growing; 2],
    ordered: [Growing; 2],
}

/// A stage's data on the device.
pub struct Renderer {
    settings: Settings,
    pipelines: Pipelines,
    surfaces: Surfaces,
    vertices: wgpu::Buffer,
    indices: wgpu::Buffer,
    parts: Vec<Part>,

    mirror: MatrixMirror,
    matrices: Table,
    /// The contents of the table `matrices`, if matrices are relative.
    relative: Vec<Mat34>,
    deforms: (Table, Vec<Deform>),
    palettes: Table,
    weights: Table,
    streams: (Table, Vec<f32>),
    influences: Table,
    deltas: Table,
    /// The first influence and the first delta of each figure drawable.
    drawables: Vec<[u32; 2]>,
    eyes: (wgpu::Buffer, [Eye; EYES]),
    light: (wgpu::Buffer, Light),
    world: wgpu::BindGroup,
    lit: wgpu::BindGroup,
    shadow_views: Vec<wgpu::TextureView>,

    /// The views: first of the camera, then of the cascades.
    drawn: Vec<Drawn>,
    lines: Option<Lines>,
    targets: Option<draw::Targets>,
    buffers: Buffers,
    /// Whether bind groups must be made again.
    rebind: bool,
    /// The bytes uploaded since the last [`Renderer::take_uploaded`].
    uploaded: Uploaded,
}

impl Renderer {
    /// Uploads constant data. `format` is the format of the target.
    pub fn new(gpu: &Gpu, stage: &Stage, format: wgpu::TextureFormat, settings: Settings) -> Self {
        let pipelines = Pipelines::new(gpu, format, size_of::<Light>());
        let surfaces = Surfaces::new(gpu, &pipelines.layouts, stage, settings.fault == Some(Fault::Swapped));
        let (mut vertices, mut indices, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        for mesh in &stage.meshes {
            let (first, base_vertex) = (indices.len() as u32, vertices.len() as u32);
            indices.extend(mesh.indices.iter().map(|index| base_vertex + index));
            parts.push(Part {
                indices: first..indices.len() as u32,
                base_vertex,
                topology: mesh.topology,
                deformed: mesh.deformed,
            });
            vertices.extend_from_slice(&mesh.vertices);
        }
        let (mut influences, mut deltas, mut drawables) = (Vec::new(), Vec::new(), Vec::new());
        for drawable in &stage.figures.drawables {
            drawables.push([influences.len() as u32, deltas.len() as u32]);
            influences.extend(drawable.influences.iter().map(|&(joint, weight)| [joint, weight.to_bits()]));
            deltas.extend(drawable.deltas.iter().flatten().copied());
        }
        let filled = |label, bytes: &[u8], usage| {
            let buffer = buffers::new(gpu, label, bytes.len() as u64, usage | wgpu::BufferUsages::COPY_DST);
            if !bytes.is_empty() {
                gpu.queue.write_buffer(&buffer, 0, bytes);
            }
            buffer
        };
        let uniform = wgpu::BufferUsages::UNIFORM;
        let drawn = |relative| Drawn {
            view: View::new(relative),
            grouped: ["matrices of groups", "user data of groups"]
                .map(|label| Growing::new(gpu, label, wgpu::BufferUsages::VERTEX)),
            ordered: ["matrices of blended draws", "user data of blended draws"]
                .map(|label| Growing::new(gpu, label, wgpu::BufferUsages::VERTEX)),
        };
        let eyes = buffers::new(gpu, "eyes", STRIDE * EYES as u64, uniform | wgpu::BufferUsages::COPY_DST);
        let light = buffers::new(gpu, "light", size_of::<Light>() as u64, uniform | wgpu::BufferUsages::COPY_DST);
        let (shadow_views, lit) = shadows(gpu, &pipelines, &light, settings.shadow_texels);
        let views = if settings.shadows { 1 + CASCADES } else { 1 };
        let [matrices, deforms, palettes, weights, streams] =
            ["matrices", "figures", "palettes", "weights", "streams"].map(|label| Table::new(gpu, label));
        let influences = Table::filled(gpu, "influences", bytemuck::cast_slice(&influences));
        let deltas = Table::filled(gpu, "deltas", bytemuck::cast_slice(&deltas));
        let tables = [&matrices, &deforms, &palettes, &influences, &deltas, &weights, &streams];
        let world = world(gpu, &pipelines, &eyes, tables);
        Self {
            surfaces,
            vertices: filled("vertices", bytemuck::cast_slice(&vertices), wgpu::BufferUsages::VERTEX),
            indices: filled("indices", bytemuck::cast_slice(&indices), wgpu::BufferUsages::INDEX),
            parts,
            mirror: MatrixMirror::new(),
            matrices,
            relative: Vec::new(),
            deforms: (deforms, Vec::new()),
            palettes,
            weights,
            streams: (streams, Vec::new()),
            influences,
            deltas,
            drawables,
            eyes: (eyes, [Eye::zeroed(); EYES]),
            light: (light, Light::zeroed()),
            world,
            lit,
            shadow_views,
            drawn: (0..views).map(|_| drawn(settings.relative)).collect(),
            lines: None,
            targets: None,
            buffers: Buffers::new(gpu),
            rebind: false,
            uploaded: Uploaded::default(),
            pipelines,
            settings,
        }
    }

    /// Returns the camera's view.
    #[must_use]
    pub fn camera_view(&self) -> &View {
        &self.drawn[0].view
    }

    /// Returns the number of draws that cast shadows.
    #[must_use]
    pub fn casting(&self) -> usize {
        self.drawn[1..].iter().map(|drawn| drawn.view.list.len()).sum()
    }

    /// Returns the settings.
    #[must_use]
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Sets whether the processor skins and whether draws are culled, from the next frame on.
    pub fn set(&mut self, stage: &mut Stage, cpu_skinning: bool, culling: bool) {
        self.settings = Settings { cpu_skinning, culling, ..self.settings };
        // While the processor skins, palettes are not uploaded.
        stage.figures.touch();
    }

    /// Sets the lines to draw from now on, seen by this camera.
    pub fn set_lines(&mut self, gpu: &Gpu, list: &LineList, camera: &Camera, aspect: f32) {
        if self.lines.is_some() || !list.is_empty() {
            let lines = self.lines.get_or_insert_with(|| Lines::new(gpu, self.pipelines.format()));
            lines.set(gpu, list, &camera.view_projection(aspect));
        }
    }

    /// Returns the bytes uploaded since the last call.
    pub fn take_uploaded(&mut self) -> Uploaded {
        std::mem::take(&mut self.uploaded)
    }
}

fn world(gpu: &Gpu, pipelines: &Pipelines, eyes: &wgpu::Buffer, tables: [&Table; 7]) -> wgpu::BindGroup {
    let eye = wgpu::BufferBinding { buffer: eyes, offset: 0, size: std::num::NonZeroU64::new(size_of::<Eye>() as u64) };
    let mut entries = vec![wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(eye) }];
    let numbered = (1..).zip(tables);
    entries.extend(numbered.map(|(binding, table)| wgpu::BindGroupEntry { binding, resource: table.resource() }));
    let layout = &pipelines.layouts.world;
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some("world"), layout, entries: &entries })
}

/// Returns views of the shadow textures, and the bind group with which the lit pass reads them.
fn shadows(
    gpu: &Gpu,
    pipelines: &Pipelines,
    light: &wgpu::Buffer,
    texels: u32,
) -> (Vec<wgpu::TextureView>, wgpu::BindGroup) {
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("shadows"),
        size: wgpu::Extent3d { width: texels, height: texels, depth_or_array_layers: CASCADES as u32 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: DEPTH,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    });
    let layer = |layer: u32| {
        texture.create_view(&wgpu::TextureViewDescriptor {
            dimension: Some(wgpu::TextureViewDimension::D2),
            base_array_layer: layer,
            array_layer_count: Some(1),
            ..Default::default()
        })
    };
    let all = texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::D2Array),
        ..Default::default()
    });
    let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        compare: Some(wgpu::CompareFunction::LessEqual),
        ..Default::default()
    });
    let lit = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("light"),
        layout: &pipelines.layouts.light,
        entries: &[
            wgpu::BindGroupEntry { binding: 0, resource: light.as_entire_binding() },
            wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::TextureView(&all) },
            wgpu::BindGroupEntry { binding: 2, resource: wgpu::BindingResource::Sampler(&sampler) },
        ],
    });
    ((0..CASCADES as u32).map(layer).collect(), lit)
}
