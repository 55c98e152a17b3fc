//! Uploads a stage to the device and draws it. [`Renderer::cull`] and [`Renderer::arrange`] list what is seen,
//! [`Renderer::upload`] writes changes, `draw` draws.

use super::Gpu;
use super::pipelines::{Pipelines, SkinVertex, keys};
use super::resources::{DEPTH, Kept};
use super::uniforms::{EYE_BYTES, EYES, Eye, Light, eyes};
use crate::arguments::Arguments;
use crate::camera::Camera;
use crate::cascades::{CASCADES, Cascade, cascades};
use crate::failure::Result;
use crate::lines::LineList;
use crate::stage::Stage;
use crate::threads;
use crate::view::{View, primitives};
use bytemuck::{Zeroable as _, bytes_of, cast_slice};
use hedgerow::glam::{Mat4, Vec3};
use hedgerow::query::{CullView, Frustum};
use hedgerow::visit::ListedDrawable;
use hedgerow::{Mat34, Scene};
use hedgerow_wgpu::SceneTables;
use hedgerow_wgpu::gpu::{GpuScene, MeshArgs, layout};
use std::ops::Range;
use wgpu::{BindingResource, BufferUsages, TextureFormat};

/// The bytes written in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uploaded {
    /// Matrices, instances and palettes.
    pub tables: usize,
    /// Slots of draws that the processor lists, and their matrices if these are relative.
    pub draws: usize,
    /// Cameras and lights.
    pub uniforms: usize,
}

impl Uploaded {
    /// Returns the total of all bytes.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.tables + self.draws + self.uniforms
    }
}

/// A view that the processor lists, and its draws on the device: slots, and matrices if these are relative.
pub(super) struct Drawn {
    pub(super) view: View,
    pub(super) draws: [Kept; 2],
}

/// A stage's data on the device.
pub struct Renderer {
    /// Whether draws outside the view are culled, from the next frame on.
    pub culling: bool,
    /// Whether matrices are relative to the camera.
    pub(crate) relative: bool,
    /// The width of a cascade's texture; 0 if the sun casts no shadows.
    shadow_texels: u32,
    /// The bytes that the last frame uploaded, without lines.
    pub uploaded: Uploaded,
    pub(super) pipelines: Pipelines,
    pub(super) vertices: wgpu::Buffer,
    /// What figures have behind all vertices.
    pub(super) skin: wgpu::Buffer,
    pub(super) indices: wgpu::Buffer,
    /// The indices of each mesh. They include the number of its first vertex, because WebGL 2 has no base vertex.
    pub(super) parts: Vec<Range<u32>>,
    pub(super) tables: SceneTables,
    /// The views that the device culls.
    pub(super) views: Vec<layout::View>,
    /// The shadow cascades of the frame.
    falls: [Cascade; CASCADES],
    eyes: Kept,
    light: Kept,
    pub(super) world: wgpu::BindGroup,
    pub(super) lit: wgpu::BindGroup,
    pub(super) shadows: Vec<wgpu::TextureView>,
    /// The views: first of the camera, then of the cascades, which the device may cull in place of the processor.
    pub(super) drawn: Vec<Drawn>,
    pub(super) lines: Kept,
    /// The colours and depths of pictures of one size.
    pub(super) targets: Option<[wgpu::TextureView; 2]>,
}

impl Renderer {
    /// Uploads constant data. `format` is the format of the target.
    pub fn new(gpu: &Gpu, stage: &Stage, format: TextureFormat, arguments: &Arguments) -> Self {
        let (mut vertices, mut indices, mut parts, mut starts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for mesh in &stage.meshes {
            let (first, base) = (indices.len() as u32, vertices.len() as u32);
            indices.extend(mesh.indices.iter().map(|index| base + index));
            parts.push(first..indices.len() as u32);
            starts.push(base as usize);
            vertices.extend_from_slice(&mesh.vertices);
        }
        let (mut skin, mut deltas) = (Vec::new(), Vec::new());
        for drawable in &stage.figures.drawables {
            skin.resize(vertices.len(), SkinVertex::zeroed());
            let vertices = stage.meshes[drawable.mesh as usize].vertices.len();
            let targets = drawable.deltas.len() / vertices.max(1);
            for vertex in 0..vertices {
                let morph = [deltas.len() + 2 * vertex * targets, targets, 1].map(|number| number as u32);
                let influences = drawable.influences.get(vertex).copied().unwrap_or_default();
                skin[starts[drawable.mesh as usize] + vertex] = SkinVertex { influences, morph };
            }
            deltas.extend_from_slice(drawable.deltas.as_flattened());
        }
        let coats: Vec<[[u8; 4]; 8]> =
            stage.figures.list.iter().map(|figure| figure.coat.unwrap_or_default()).collect();
        let coats = gpu.list(TextureFormat::Rgba8Unorm, coats.as_flattened());
        let lists = [gpu.list(TextureFormat::Rgba32Float, &deltas), coats];

        let Arguments { textures, relative, culling, shadow_texels, .. } = *arguments;
        let (views, key) = (if shadow_texels > 0 { EYES } else { 1 }, keys(stage));
        let key = move |drawn: &ListedDrawable| key(drawn.drawable.mesh, drawn.material);
        let mut tables = GpuScene::new().with_views(views).with_key(key);
        for (mesh, Range { start, end }) in (0..).zip(parts.iter().cloned()) {
            tables.set_mesh(mesh, MeshArgs { index_count: end - start, first_index: start, base_vertex: 0 });
        }
        if let Some(levels) = &stage.levels {
            tables.set_levels(&levels.table);
        }
        let in_textures = textures || !gpu.storage;
        let tables = if in_textures { SceneTables::in_textures } else { SceneTables::new }(&gpu.device, tables);
        let pipelines = Pipelines::new(gpu, stage, format, &tables, relative);
        let kept = |label, bytes: &[u8], usage| Kept::new(gpu, label, bytes, usage);
        let (vertex, uniform) = (BufferUsages::VERTEX, BufferUsages::UNIFORM);
        let drawn = |_| Drawn {
            view: View::new(relative),
            draws: ["slots", "relative matrices"].map(|label| kept(label, &[], vertex)),
        };
        let eyes = kept("eyes", &[0; size_of::<Eye>() * EYES], uniform);
        let light = kept("light", &[0; size_of::<Light>()], uniform);
        let (shadows, lit) = shadows(gpu, &pipelines, &light.buffer, shadow_texels.max(1));
        Self {
            culling,
            relative,
            shadow_texels,
            uploaded: Uploaded::default(),
            vertices: kept("vertices", cast_slice(&vertices), vertex).buffer,
            skin: kept("skin", cast_slice(&skin), vertex).buffer,
            indices: kept("indices", cast_slice(&indices), BufferUsages::INDEX).buffer,
            world: world(gpu, &pipelines, &eyes.buffer, &lists),
            parts,
            tables,
            views: Vec::new(),
            falls: Default::default(),
            eyes,
            light,
            lit,
            shadows,
            drawn: (0..views).map(drawn).collect(),
            lines: kept("lines", &[], vertex),
            targets: None,
            pipelines,
        }
    }

    /// Returns the number of draws, groups and triangles that the camera sees.
    #[must_use]
    pub fn seen(&self, stage: &Stage) -> [usize; 3] {
        let View { list, groups, .. } = &self.drawn[0].view;
        let of_device = self.tables.scene().batches().len();
        let groups = if self.culls_on_device() { of_device } else { groups.groups().len() };
        [list.len(), groups, primitives(stage, list)]
    }

    /// Returns whether the device culls.
    #[must_use]
    pub fn culls_on_device(&self) -> bool {
        !self.views.is_empty()
    }

    /// Sets the lines to draw from now on.
    pub fn set_lines(&mut self, gpu: &Gpu, list: &LineList) {
        self.lines.set(gpu, cast_slice(&list.ends));
    }

    /// Lists what the camera sees and, if the device cannot cull them, what the cascades see; meanwhile writes the scene's
    /// tables. If `frozen` is given, culls for that camera instead.
    pub fn cull(
        &mut self,
        gpu: &Gpu,
        stage: &mut Stage,
        scene: &Scene,
        camera: &Camera,
        frozen: Option<&Camera>,
        aspect: f32,
    ) -> Result<()> {
        if stage.figures.take_changed() {
            let (figures, tables) = (&stage.figures, self.tables.scene_mut());
            for figure in figures.list.iter().filter(|figure| scene.contains(figure.node())) {
                let (palette, weights) = (figure.palette.clone(), figure.weights.clone());
                tables.set_palette(figure.node(), &figures.palettes[palette], &figures.weights[weights]);
            }
        }
        let stage: &Stage = stage;
        let seeing = frozen.unwrap_or(camera);
        let (layers, detail) = stage.seen_from(self.culling.then_some(seeing.eye));
        let ((distance, reach), texels) = (stage.shadows, self.shadow_texels.max(1));
        self.falls = cascades(camera, aspect, stage.sun(), distance, reach, texels);
        let Self { drawn, tables, relative, culling, .. } = self;
        let mut frusta = Vec::new();
        if *culling {
            // Relative frusta are relative to `camera`, even if a frozen camera culls.
            let away = Mat4::from_translation((camera.eye - seeing.eye).as_vec3());
            frusta.push(if *relative {
                Frustum::from_view_projection(&(seeing.view_projection(aspect) * away))?
            } else {
                seeing.frustum(aspect)?
            });
            for fall in &self.falls[..drawn.len() - 1] {
                frusta.push(Frustum::from_view_projection(if *relative { &fall.matrix } else { &fall.world })?);
            }
        }
        let mut views = Vec::new();
        // The processor chooses the surfaces of levels.
        let listed = *relative || stage.has_level_surfaces();
        if !tables.are_textures() && !listed {
            let view = |frustum: &Frustum| layout::View::new(frustum, layers);
            let detailed = |view: layout::View| if detail.is_some() { view.with_detail(seeing.eye, 1.0) } else { view };
            views = frusta.iter().map(|frustum| detailed(view(frustum))).collect();
        }
        let count = if views.is_empty() { drawn.len() } else { 1 };
        let find = || -> Result<()> {
            for Drawn { view, .. } in drawn.iter_mut() {
                view.list.set_layers(layers);
                view.list.set_eye(relative.then_some(camera.eye));
            }
            if frusta.is_empty() {
                drawn.iter_mut().for_each(|drawn| scene.draw_list(&mut drawn.view.list));
                return Ok(());
            }
            let lists = drawn.iter_mut().map(|drawn| &mut drawn.view.list).zip(&frusta).take(count);
            let mut lists: Vec<CullView<'_>> =
                lists.map(|(list, frustum)| CullView { detail, ..CullView::new(frustum, list) }).collect();
            Ok(scene.cull(&mut lists)?)
        };
        let (found, synced) = threads::join(find, || tables.sync(&gpu.queue, scene));
        found?;
        let synced = synced?;
        self.views = views;
        self.uploaded.tables = usize::try_from(synced.bytes).unwrap_or(usize::MAX);
        Ok(())
    }

    /// Groups and orders the draws that the processor listed.
    pub fn arrange(&mut self, stage: &Stage, scene: &Scene, camera: &Camera) {
        let (eye, on_device) = (self.eye(camera), self.culls_on_device());
        let listed = if on_device { 1 } else { self.drawn.len() };
        let tables = self.tables.scene();
        threads::each(&mut self.drawn[..listed], |number, Drawn { view, .. }| {
            view.arrange(stage, scene, !on_device, (number == 0).then_some((eye, camera.forward)));
            view.find_slots(|node| tables.slot(scene, node));
        });
    }

    /// Queues writes of all other changes, which the next submit makes.
    pub fn upload(&mut self, gpu: &Gpu, stage: &Stage, scene: &Scene, camera: &Camera, aspect: f32) {
        let eyes = eyes(camera, aspect, &self.falls, self.eye(camera));
        let light = Light::new(stage, scene, camera, aspect, &self.falls, self.shadow_texels);
        self.uploaded.uniforms = self.eyes.set(gpu, cast_slice(&eyes)) + self.light.set(gpu, bytes_of(&light));
        self.uploaded.draws = 0;
        for Drawn { view, draws: [slots, matrices] } in &mut self.drawn {
            self.uploaded.draws += slots.set(gpu, cast_slice(&view.slots));
            if self.relative {
                let all = view.list.relative_matrices();
                let listed: Vec<Mat34> = view.draws().map(|draw| all[draw as usize]).collect();
                self.uploaded.draws += matrices.set(gpu, cast_slice(&listed));
            }
        }
    }

    /// Returns where the camera is in the space of matrices.
    fn eye(&self, camera: &Camera) -> Vec3 {
        if self.relative { Vec3::ZERO } else { camera.eye.as_vec3() }
    }
}

fn world(gpu: &Gpu, pipelines: &Pipelines, eyes: &wgpu::Buffer, lists: &[wgpu::TextureView; 2]) -> wgpu::BindGroup {
    let size = std::num::NonZeroU64::new(EYE_BYTES as u64);
    let mut resources = vec![BindingResource::Buffer(wgpu::BufferBinding { buffer: eyes, offset: 0, size })];
    resources.extend(lists.iter().map(BindingResource::TextureView));
    gpu.bind(&pipelines.world, resources)
}

/// Returns views of the shadow textures, and the bind group with which the lit pass reads them.
fn shadows(
    gpu: &Gpu,
    pipelines: &Pipelines,
    light: &wgpu::Buffer,
    texels: u32,
) -> (Vec<wgpu::TextureView>, wgpu::BindGroup) {
    let layers = CASCADES as u32;
    let texture = gpu.target(DEPTH, [texels, texels, layers], 1, wgpu::TextureUsages::TEXTURE_BINDING);
    let view = |dimension, base_array_layer, count| {
        let (dimension, array_layer_count) = (Some(dimension), Some(count));
        let plain = wgpu::TextureViewDescriptor::default();
        texture.create_view(&wgpu::TextureViewDescriptor { dimension, base_array_layer, array_layer_count, ..plain })
    };
    let all = view(wgpu::TextureViewDimension::D2Array, 0, layers);
    let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        compare: Some(wgpu::CompareFunction::LessEqual),
        ..Default::default()
    });
    let (all, sampler) = (BindingResource::TextureView(&all), BindingResource::Sampler(&sampler));
    let lit = gpu.bind(&pipelines.light, vec![light.as_entire_binding(), all, sampler]);
    ((0..layers).map(|layer| view(wgpu::TextureViewDimension::D2, layer, 1)).collect(), lit)
}
