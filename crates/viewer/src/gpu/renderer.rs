//! Uploads a stage to the device and draws it. [`Renderer::cull`] and [`Renderer::arrange`] list what is seen,
//! [`Renderer::upload`] writes changes, `draw` draws.

mod draw;

use super::Gpu;
use super::lines::Lines;
use super::pipelines::{DEPTH, Pipelines, SkinVertex, bind};
use super::tables::{Kept, Place, Tables, listed};
use super::textures::Surfaces;
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
use hedgerow::{Mat34, Scene};
use hedgerow_wgpu::gpu::layout;
use std::ops::Range;

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

/// The bytes written in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uploaded {
    /// Matrices, instances and palettes.
    pub tables: usize,
    /// Slots of draws that the processor lists, and their matrices if these are relative.
    pub draws: usize,
    /// Vertices skinned by the processor.
    pub figures: usize,
    /// The number of times that a figure's palette was compared.
    pub posed: usize,
    /// Cameras and lights.
    pub uniforms: usize,
    /// The number of writes.
    pub writes: usize,
}

impl Uploaded {
    /// Returns the total of all bytes.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.tables + self.draws + self.figures + self.uniforms
    }

    fn count(part: &mut usize, writes: &mut usize, bytes: usize) {
        *part += bytes;
        *writes += usize::from(bytes > 0);
    }
}

/// A view that the processor lists, and its draws on the device: slots, and matrices if these are relative. First those in
/// groups, then those in order.
struct Drawn {
    view: View,
    draws: [[Kept; 2]; 2],
}

/// A stage's data on the device.
pub struct Renderer {
    settings: Settings,
    pipelines: Pipelines,
    surfaces: Surfaces,
    vertices: wgpu::Buffer,
    /// What figures have behind all vertices.
    skin: wgpu::Buffer,
    indices: wgpu::Buffer,
    /// The indices of each mesh. They include the number of its first vertex, because WebGL 2 has no base vertex.
    parts: Vec<Range<u32>>,
    tables: Tables,
    /// The views that the device culls, and whether it has to.
    views: Vec<layout::View>,
    stale: bool,
    eyes: Kept,
    light: Kept,
    /// Morph targets, colours of figures, and what the processor skinned.
    lists: [wgpu::TextureView; 3],
    streams: Vec<[f32; 4]>,
    world: wgpu::BindGroup,
    lit: wgpu::BindGroup,
    shadow_views: Vec<wgpu::TextureView>,
    /// The views: first of the camera, then of the cascades, which the device may cull in place of the processor.
    drawn: Vec<Drawn>,
    lines: Option<Lines>,
    targets: Option<draw::Targets>,
    /// The bytes uploaded since the last [`Renderer::take_uploaded`].
    uploaded: Uploaded,
}

impl Renderer {
    /// Uploads constant data. `format` is the format of the target.
    pub fn new(gpu: &Gpu, stage: &Stage, format: wgpu::TextureFormat, settings: Settings) -> Self {
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
                let morph = [deltas.len() + 2 * vertex * targets, targets, vertex, 1].map(|number| number as u32);
                let influences = drawable.influences.get(vertex).copied().unwrap_or_default();
                skin[starts[drawable.mesh as usize] + vertex] = SkinVertex { influences, morph };
            }
            deltas.extend_from_slice(drawable.deltas.as_flattened());
        }
        let coats: Vec<[[u8; 4]; 8]> =
            stage.figures.list.iter().map(|figure| figure.coat.unwrap_or_default()).collect();
        let float = wgpu::TextureFormat::Rgba32Float;
        let coats = listed(gpu, wgpu::TextureFormat::Rgba8Unorm, coats.as_flattened());
        let lists = [listed(gpu, float, &deltas), coats, listed::<[f32; 4]>(gpu, float, &[])];

        let views = if settings.shadows { EYES } else { 1 };
        let tables = Tables::new(gpu, stage, parts.iter().cloned(), views);
        let faults = [settings.relative, settings.fault == Some(Fault::Transposed)];
        let pipelines = Pipelines::new(gpu, format, &tables, size_of::<Light>(), faults);
        let filled = |label, bytes: &[u8], usage| {
            let mut kept = Kept::new(gpu, label, bytes.len() as u64, usage);
            kept.set(gpu, bytes);
            kept.buffer
        };
        let (vertex, uniform) = (wgpu::BufferUsages::VERTEX, wgpu::BufferUsages::UNIFORM);
        let drawn = |_| Drawn {
            view: View::new(settings.relative),
            draws: [(); 2].map(|()| ["slots", "relative matrices"].map(|label| Kept::new(gpu, label, 256, vertex))),
        };
        let eyes = Kept::new(gpu, "eyes", (STRIDE * EYES) as u64, uniform);
        let light = Kept::new(gpu, "light", size_of::<Light>() as u64, uniform);
        let (shadow_views, lit) = shadows(gpu, &pipelines, &light.buffer, settings.shadow_texels);
        Self {
            surfaces: Surfaces::new(gpu, &pipelines.layouts, stage, settings.fault == Some(Fault::Swapped)),
            vertices: filled("vertices", cast_slice(&vertices), vertex),
            skin: filled("skin", cast_slice(&skin), vertex),
            indices: filled("indices", cast_slice(&indices), wgpu::BufferUsages::INDEX),
            world: world(gpu, &pipelines, &eyes.buffer, &lists),
            parts,
            tables,
            views: Vec::new(),
            stale: true,
            eyes,
            light,
            lists,
            streams: Vec::new(),
            lit,
            shadow_views,
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

    /// Sets whether the processor skins and whether draws are culled, from the next frame on.
    pub fn set(&mut self, stage: &mut Stage, cpu_skinning: bool, culling: bool) {
        self.settings = Settings { cpu_skinning, culling, ..self.settings };
        // Palettes are old if the processor has skinned.
        stage.figures.touch();
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
        let posed = stage.figures.take_changed();
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
        // The processor chooses the surfaces of levels, and skins what it sees.
        let listed = settings.relative || settings.cpu_skinning || stage.has_level_surfaces();
        if matches!(self.tables.place, Place::Buffers(_)) && !listed {
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
        // While the processor skins, palettes are not needed.
        let figures = (!settings.cpu_skinning).then_some(&stage.figures);
        let (found, synced) = threads::join(find, || tables.sync(gpu, scene, figures, posed));
        found?;
        let synced = synced?;
        self.stale |= synced.steps > 0 || self.views != views;
        self.views = views;
        self.uploaded.tables += usize::try_from(synced.bytes).unwrap_or(usize::MAX);
        self.uploaded.writes += synced.steps;
        self.uploaded.posed += std::mem::take(&mut self.tables.posed);
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
    pub fn upload(&mut self, gpu: &Gpu, stage: &mut Stage, scene: &Scene, camera: &Camera, aspect: f32) -> Result<()> {
        let Uploaded { draws, figures, uniforms, writes, .. } = &mut self.uploaded;
        for Drawn { view, draws: kept } in &mut self.drawn {
            for ((order, slots), [kept, matrices]) in view.draws().into_iter().zip(kept) {
                Uploaded::count(draws, writes, kept.set(gpu, cast_slice(slots)));
                if self.settings.relative {
                    let all = view.list.relative_matrices();
                    let listed: Vec<Mat34> = order.iter().map(|&draw| all[draw as usize]).collect();
                    Uploaded::count(draws, writes, matrices.set(gpu, cast_slice(&listed)));
                }
            }
        }
        let settings = self.settings;
        if settings.cpu_skinning {
            let mut streams = vec![[0.0; 4]; stage.figures.list.len()];
            let seen: std::collections::BTreeSet<u32> =
                self.drawn.iter().flat_map(|drawn| drawn.view.figures(stage)).collect();
            for number in seen {
                streams[number as usize][0] = streams.len() as f32;
                stage.figures.skin(number as usize, &mut streams)?;
            }
            if streams != self.streams {
                Uploaded::count(figures, writes, size_of_val(&streams[..]));
                self.lists[2] = listed(gpu, wgpu::TextureFormat::Rgba32Float, &streams);
                self.world = world(gpu, &self.pipelines, &self.eyes.buffer, &self.lists);
                self.streams = streams;
            }
        }
        let falls = Self::cascades(stage, camera, aspect, settings);
        let eye = if settings.relative { Vec3::ZERO } else { camera.eye.as_vec3() };
        let texels = if settings.shadows { settings.shadow_texels } else { 0 };
        let light = Light::new(stage, scene, camera, aspect, &falls, texels);
        Uploaded::count(
            uniforms,
            writes,
            self.eyes.set(gpu, &eyes(camera, aspect, &falls, eye, settings.cpu_skinning)),
        );
        Uploaded::count(uniforms, writes, self.light.set(gpu, bytemuck::bytes_of(&light)));
        Ok(())
    }

    /// Submits the writes without drawing.
    pub fn flush(&mut self, gpu: &Gpu) {
        gpu.queue.submit([]);
    }
}

fn world(gpu: &Gpu, pipelines: &Pipelines, eyes: &wgpu::Buffer, lists: &[wgpu::TextureView; 3]) -> wgpu::BindGroup {
    let size = std::num::NonZeroU64::new(size_of::<Eye>() as u64);
    let mut resources = vec![wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer: eyes, offset: 0, size })];
    resources.extend(lists.iter().map(wgpu::BindingResource::TextureView));
    bind(gpu, &pipelines.layouts.world, resources)
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
    let view = |dimension, base_array_layer, count| {
        let (dimension, array_layer_count) = (Some(dimension), Some(count));
        let plain = wgpu::TextureViewDescriptor::default();
        texture.create_view(&wgpu::TextureViewDescriptor { dimension, base_array_layer, array_layer_count, ..plain })
    };
    let all = view(wgpu::TextureViewDimension::D2Array, 0, CASCADES as u32);
    let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        compare: Some(wgpu::CompareFunction::LessEqual),
        ..Default::default()
    });
    let (all, sampler) = (wgpu::BindingResource::TextureView(&all), wgpu::BindingResource::Sampler(&sampler));
    let lit = bind(gpu, &pipelines.layouts.light, vec![light.as_entire_binding(), all, sampler]);
    ((0..CASCADES as u32).map(|layer| view(wgpu::TextureViewDimension::D2, layer, 1)).collect(), lit)
}
