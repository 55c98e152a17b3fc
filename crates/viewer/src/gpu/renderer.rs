//! Uploads a stage to the device and draws it. [`Renderer::cull`] and [`Renderer::arrange`] list what is seen,
//! [`Renderer::upload`] writes changes, `draw` draws.

use super::Gpu;
use super::lines::Lines;
use super::pipelines::{Pipelines, SkinVertex, keys};
use super::resources::{DEPTH, Kept};
use super::surfaces;
use super::uniforms::{EYES, Eye, Light, STRIDE, eyes};
use crate::camera::Camera;
use crate::cascades::{CASCADES, Cascade, cascades};
use crate::failure::Result;
use crate::lines::LineList;
use crate::stage::Stage;
use crate::threads;
use crate::view::{View, primitives};
use bytemuck::{Zeroable as _, cast_slice};
use hedgerow::glam::{Mat4, Vec3};
use hedgerow::query::{CullView, Frustum};
use hedgerow::visit::ListedDrawable;
use hedgerow::{Mat34, Scene};
use hedgerow_wgpu::SceneTables;
use hedgerow_wgpu::gpu::{GpuScene, MeshArgs, layout};
use std::ops::Range;
use wgpu::{BindingResource, BufferUsages, TextureFormat};

/// How to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Whether tables are in textures and the processor culls, also on a device that can.
    pub textures: bool,
    /// Whether matrices are relative to the camera.
    pub relative: bool,
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
        Self { textures: false, relative: false, culling: true, shadows: true, shadow_texels: 2048, fault: None }
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

/// The bytes written in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uploaded {
    /// Matrices, instances and palettes.
    pub tables: usize,
    /// Slots of draws that the processor lists, and their matrices if these are relative.
    pub draws: usize,
    /// Cameras and lights.
    pub uniforms: usize,
    /// The number of writes.
    pub writes: usize,
}

impl Uploaded {
    /// Returns the total of all bytes.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.tables + self.draws + self.uniforms
    }

    fn count(part: &mut usize, writes: &mut usize, bytes: usize) {
        *part += bytes;
        *writes += usize::from(bytes > 0);
    }
}

/// A view that the processor lists, and its draws on the device: slots, and matrices if these are relative.
pub(super) struct Drawn {
    pub(super) view: View,
    pub(super) draws: [Kept; 2],
}

/// A stage's data on the device.
pub struct Renderer {
    settings: Settings,
    pub(super) pipelines: Pipelines,
    /// The bind groups of surfaces.
    pub(super) surfaces: Vec<wgpu::BindGroup>,
    pub(super) vertices: wgpu::Buffer,
    /// What figures have behind all vertices.
    pub(super) skin: wgpu::Buffer,
    pub(super) indices: wgpu::Buffer,
    /// The indices of each mesh. They include the number of its first vertex, because WebGL 2 has no base vertex.
    pub(super) parts: Vec<Range<u32>>,
    pub(super) tables: SceneTables,
    /// The scene to whose nodes the tables have palettes.
    posed: Option<u64>,
    /// The views that the device culls.
    pub(super) views: Vec<layout::View>,
    eyes: Kept,
    light: Kept,
    pub(super) world: wgpu::BindGroup,
    pub(super) lit: wgpu::BindGroup,
    pub(super) shadows: Vec<wgpu::TextureView>,
    /// The views: first of the camera, then of the cascades, which the device may cull in place of the processor.
    pub(super) drawn: Vec<Drawn>,
    pub(super) lines: Option<Lines>,
    /// The colours and depths of pictures of one size.
    pub(super) targets: Option<[wgpu::TextureView; 2]>,
    /// The bytes uploaded since the last [`Renderer::take_uploaded`].
    uploaded: Uploaded,
}

impl Renderer {
    /// Uploads constant data. `format` is the format of the target.
    pub fn new(gpu: &Gpu, stage: &Stage, format: TextureFormat, settings: Settings) -> Self {
        let (mut vertices, mut indices, mut parts, mut starts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (number, mesh) in (0..).zip(&stage.meshes) {
            let (first, base) = (indices.len() as u32, vertices.len() as u32);
            if settings.fault != Some(Fault::LeftOut(number)) {
                indices.extend(mesh.indices.iter().map(|index| base + index));
            }
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

        let (views, key) = (if settings.shadows { EYES } else { 1 }, keys(stage));
        let key = move |drawn: &ListedDrawable| key(drawn.drawable.mesh, drawn.material);
        let mut tables = GpuScene::new().with_views(views).with_key(key);
        for (mesh, Range { start, end }) in (0..).zip(parts.iter().cloned()) {
            tables.set_mesh(mesh, MeshArgs { index_count: end - start, first_index: start, base_vertex: 0 });
        }
        if let Some(levels) = &stage.levels {
            tables.set_levels(&levels.table);
        }
        let in_textures = settings.textures || !gpu.storage;
        let tables = if in_textures { SceneTables::in_textures } else { SceneTables::new }(&gpu.device, tables);
        let faults = [settings.relative, settings.fault == Some(Fault::Transposed)];
        let pipelines = Pipelines::new(gpu, format, &tables, size_of::<Light>(), faults);
        let kept = |label, bytes: &[u8], usage| Kept::new(gpu, label, bytes, usage);
        let (vertex, uniform) = (BufferUsages::VERTEX, BufferUsages::UNIFORM);
        let drawn = |_| Drawn {
            view: View::new(settings.relative),
            draws: ["slots", "relative matrices"].map(|label| kept(label, &[], vertex)),
        };
        let eyes = kept("eyes", &[0; STRIDE * EYES], uniform);
        let light = kept("light", &[0; size_of::<Light>()], uniform);
        let (shadows, lit) = shadows(gpu, &pipelines, &light.buffer, settings.shadow_texels);
        let swapped = settings.fault == Some(Fault::Swapped);
        Self {
            surfaces: surfaces::groups(gpu, &pipelines.surface, stage, swapped),
            vertices: kept("vertices", cast_slice(&vertices), vertex).buffer,
            skin: kept("skin", cast_slice(&skin), vertex).buffer,
            indices: kept("indices", cast_slice(&indices), BufferUsages::INDEX).buffer,
            world: world(gpu, &pipelines, &eyes.buffer, &lists),
            parts,
            tables,
            posed: None,
            views: Vec::new(),
            eyes,
            light,
            lit,
            shadows,
            drawn: (0..views).map(drawn).collect(),
            lines: None,
            targets: None,
            uploaded: Uploaded::default(),
            pipelines,
            settings,
        }
    }

    /// Returns the number of draws, groups and triangles that the camera sees.
    #[must_use]
    pub fn seen(&self, stage: &Stage) -> [usize; 3] {
        let View { list, groups, .. } = &self.drawn[0].view;
        let of_device = self.tables.scene().batches().len();
        let groups = if self.views.is_empty() { groups.groups().len() } else { of_device };
        [list.len(), groups, primitives(stage, list)]
    }

    /// Returns whether tables are in textures.
    #[must_use]
    pub fn reads_textures(&self) -> bool {
        self.tables.are_textures()
    }

    /// Returns whether the device culls.
    #[must_use]
    pub fn culls_on_device(&self) -> bool {
        !self.views.is_empty()
    }

    /// Returns the settings.
    #[must_use]
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Sets whether draws are culled, from the next frame on.
    pub fn set_culling(&mut self, culling: bool) {
        self.settings.culling = culling;
    }

    /// Sets the lines to draw from now on, seen by this camera.
    pub fn set_lines(&mut self, gpu: &Gpu, list: &LineList, camera: &Camera, aspect: f32) {
        if self.lines.is_some() || !list.is_empty() {
            let lines = self.lines.get_or_insert_with(|| Lines::new(gpu, self.pipelines.format));
            lines.set(gpu, list, &camera.view_projection(aspect));
        }
    }

    /// Returns the bytes uploaded since the last call.
    pub fn take_uploaded(&mut self) -> Uploaded {
        std::mem::take(&mut self.uploaded)
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
        let settings = self.settings;
        let is_another = self.posed.replace(scene.number()) != Some(scene.number());
        if stage.figures.take_changed() || is_another {
            let (figures, tables) = (&stage.figures, self.tables.scene_mut());
            for figure in figures.list.iter().filter(|figure| scene.contains(figure.node())) {
                let (palette, weights) = (figure.palette.clone(), figure.weights.clone());
                tables.set_palette(figure.node(), &figures.palettes[palette], &figures.weights[weights]);
            }
        }
        let stage: &Stage = stage;
        let seeing = frozen.unwrap_or(camera);
        let (layers, detail) = stage.seen_from(settings.culling.then_some(seeing.eye));
        let mut frusta = Vec::new();
        if settings.culling {
            // Relative frusta are relative to `camera`, even if a frozen camera culls.
            let away = Mat4::from_translation((camera.eye - seeing.eye).as_vec3());
            frusta.push(if settings.relative {
                Frustum::from_view_projection(&(seeing.view_projection(aspect) * away))?
            } else {
                seeing.frustum(aspect)?
            });
            for cascade in Self::cascades(stage, camera, aspect, settings).iter().take(self.drawn.len() - 1) {
                frusta.push(if settings.relative { cascade.relative_frustum()? } else { cascade.frustum()? });
            }
        }
        let mut views = Vec::new();
        // The processor chooses the surfaces of levels.
        let listed = settings.relative || stage.has_level_surfaces();
        if !self.tables.are_textures() && !listed {
            let view = |frustum: &Frustum| layout::View::new(frustum, layers);
            let detailed = |view: layout::View| if detail.is_some() { view.with_detail(seeing.eye, 1.0) } else { view };
            views = frusta.iter().map(|frustum| detailed(view(frustum))).collect();
        }
        let Self { drawn, tables, .. } = self;
        let count = if views.is_empty() { drawn.len() } else { 1 };
        let find = || -> Result<()> {
            for Drawn { view, .. } in drawn.iter_mut() {
                view.list.set_layers(layers);
                view.list.set_eye(settings.relative.then_some(camera.eye));
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
        self.uploaded.tables += usize::try_from(synced.bytes).unwrap_or(usize::MAX);
        self.uploaded.writes += synced.steps;
        Ok(())
    }

    fn cascades(stage: &Stage, camera: &Camera, aspect: f32, settings: Settings) -> [Cascade; CASCADES] {
        let (distance, reach) = stage.shadows;
        cascades(camera, aspect, stage.sun(), distance, reach, settings.shadow_texels)
    }

    /// Groups and orders the draws that the processor listed.
    pub fn arrange(&mut self, stage: &Stage, scene: &Scene, camera: &Camera) {
        let Self { drawn, tables, views, settings, .. } = self;
        let eye = if settings.relative { Vec3::ZERO } else { camera.eye.as_vec3() };
        let on_device = !views.is_empty();
        let listed = if on_device { 1 } else { drawn.len() };
        // A free thread takes the next list, so put the longest list first.
        let mut lists: Vec<(usize, &mut View)> = drawn.iter_mut().map(|drawn| &mut drawn.view).enumerate().collect();
        lists.truncate(listed);
        lists.sort_by_key(|(_, view)| std::cmp::Reverse(view.list.len()));
        let tables = tables.scene();
        threads::in_order(lists, |(number, view)| {
            view.arrange(stage, scene, !on_device, (number == 0).then_some((eye, camera.forward)));
            view.find_slots(|node| tables.slot(scene, node));
        });
    }

    /// Queues writes of all other changes; [`Renderer::draw`] and [`Renderer::flush`] submit them.
    pub fn upload(&mut self, gpu: &Gpu, stage: &Stage, scene: &Scene, camera: &Camera, aspect: f32) {
        let Uploaded { draws, uniforms, writes, .. } = &mut self.uploaded;
        for Drawn { view, draws: [slots, matrices] } in &mut self.drawn {
            Uploaded::count(draws, writes, slots.set(gpu, cast_slice(view.slots())));
            if self.settings.relative {
                let all = view.list.relative_matrices();
                let listed: Vec<Mat34> = view.draws().map(|draw| all[draw as usize]).collect();
                Uploaded::count(draws, writes, matrices.set(gpu, cast_slice(&listed)));
            }
        }
        let settings = self.settings;
        let falls = Self::cascades(stage, camera, aspect, settings);
        let eye = if settings.relative { Vec3::ZERO } else { camera.eye.as_vec3() };
        let texels = if settings.shadows { settings.shadow_texels } else { 0 };
        let light = Light::new(stage, scene, camera, aspect, &falls, texels);
        Uploaded::count(uniforms, writes, self.eyes.set(gpu, &eyes(camera, aspect, &falls, eye)));
        Uploaded::count(uniforms, writes, self.light.set(gpu, bytemuck::bytes_of(&light)));
    }

    /// Submits the writes without drawing.
    pub fn flush(&mut self, gpu: &Gpu) {
        gpu.queue.submit([]);
    }
}

fn world(gpu: &Gpu, pipelines: &Pipelines, eyes: &wgpu::Buffer, lists: &[wgpu::TextureView; 2]) -> wgpu::BindGroup {
    let size = std::num::NonZeroU64::new(size_of::<Eye>() as u64);
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
