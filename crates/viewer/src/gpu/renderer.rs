//! Keeps the device in step with a stage, and draws it.

use super::Gpu;
use super::buffers::{self, Buffers, Growing, Uploaded};
use super::pipelines::{DEPTH, Kind, LAMPS, Pass, Pipelines, SAMPLES};
use super::textures::Surfaces;
use crate::camera::Camera;
use crate::cascades::{CASCADES, Cascade, cascades};
use crate::failure::{Failure, Result};
use crate::picture::Picture;
use crate::stage::geometry::{Mesh, Topology};
use crate::stage::{Alpha, Stage, Surface};
use crate::view::{Stream, View, is_deformed, single};
use bytemuck::{Pod, Zeroable};
use hedgerow::changes::{MatrixMirror, MirrorStep};
use hedgerow::glam::{Mat4, Vec3};
use hedgerow::query::{CullView, Frustum};
use hedgerow::{Aabb, Mat34};
use std::ops::Range;

/// No place in a buffer.
const NONE: u32 = u32::MAX;

/// How to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Whether matrices are relative to the camera.
    pub relative: bool,
    /// Whether the processor skins.
    pub cpu_skinning: bool,
    /// Whether what is not seen is left out.
    pub culling: bool,
    /// Whether the sun casts shadows.
    pub shadows: bool,
    /// The width of a cascade's texture.
    pub shadow_texels: u32,
    /// What is wrong on purpose.
    pub fault: Option<Fault>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { relative: false, cpu_skinning: false, culling: true, shadows: true, shadow_texels: 2048, fault: None }
    }
}

/// Faults that a comparison of pictures has to find.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// World matrices have their rotations the wrong way.
    Transposed,
    /// The draws of the mesh of this number are left out.
    LeftOut(u32),
    /// Surfaces have each other's images.
    Swapped,
}

/// A figure as the shader has it.
#[derive(Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct Deform {
    matrix: u32,
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
    unused: u32,
    coat: [[u8; 4]; 8],
}

/// A camera as the shader has it.
#[derive(Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct Eye {
    view_projection: [f32; 16],
    eye: [f32; 4],
}

/// Bytes from one camera to the next.
const STRIDE: u64 = 256;
/// The cascades, the camera, and the camera for lines.
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

/// Where a mesh is.
struct Part {
    indices: Range<u32>,
    base_vertex: u32,
    topology: Topology,
    deformed: bool,
}

/// A view, with its streams on the device.
struct Drawn {
    view: View,
    grouped: [Growing; 2],
    ordered: [Growing; 2],
}

/// All that is on the device.
pub struct Renderer {
    settings: Settings,
    pipelines: Pipelines,
    surfaces: Surfaces,
    line_surfaces: Vec<wgpu::BindGroup>,
    vertices: wgpu::Buffer,
    indices: wgpu::Buffer,
    parts: Vec<Part>,
    edges: Part,

    mirror: MatrixMirror,
    matrices: Growing,
    /// What the buffer holds where matrices are relative.
    relative: Vec<Mat34>,
    deforms: (Growing, Vec<Deform>),
    palettes: Growing,
    weights: Growing,
    streams: (Growing, Vec<f32>),
    influences: wgpu::Buffer,
    deltas: wgpu::Buffer,
    /// Where influences and deltas of each shape of figures begin.
    shapes: Vec<[u32; 2]>,
    eyes: (wgpu::Buffer, [Eye; EYES]),
    light: (wgpu::Buffer, Light),
    world: wgpu::BindGroup,
    lit: wgpu::BindGroup,
    shadow_views: Vec<wgpu::TextureView>,

    /// The camera first, then the cascades.
    drawn: Vec<Drawn>,
    lines: Lines,
    targets: Option<Targets>,
    buffers: Buffers,
    /// What was uploaded since it was last asked.
    uploaded: Uploaded,
}

/// Boxes as lines.
struct Lines {
    matrices: Growing,
    numbers: Growing,
    world: wgpu::BindGroup,
    /// How many boxes there are of each colour.
    counts: [u32; 2],
}

/// What is drawn into, of one size.
struct Targets {
    size: [u32; 2],
    colour: wgpu::TextureView,
    depth: wgpu::TextureView,
}

impl Renderer {
    /// Uploads what never changes. `format` is that of what is drawn into.
    pub fn new(gpu: &Gpu, stage: &Stage, format: wgpu::TextureFormat, settings: Settings) -> Self {
        let pipelines = Pipelines::new(gpu, format, size_of::<Light>());
        let surfaces = Surfaces::new(gpu, &pipelines.layouts, stage, settings.fault == Some(Fault::Swapped));
        let lines = [[1.0, 0.75, 0.1, 1.0], [0.2, 0.8, 1.0, 1.0]]
            .map(|colour| Surface { colour, ..Surface::default() })
            .to_vec();
        let line_surfaces = Surfaces::of(gpu, &pipelines.layouts, &lines);
        let (mut vertices, mut indices, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        let edges = Mesh::edges();
        for mesh in stage.meshes.iter().chain([&edges]) {
            let first = indices.len() as u32;
            indices.extend_from_slice(&mesh.indices);
            parts.push(Part {
                indices: first..indices.len() as u32,
                base_vertex: vertices.len() as u32,
                topology: mesh.topology,
                deformed: mesh.deformed,
            });
            vertices.extend_from_slice(&mesh.vertices);
        }
        let edges =
            parts.pop().unwrap_or(Part { indices: 0..0, base_vertex: 0, topology: Topology::Lines, deformed: false });
        let (mut influences, mut deltas, mut shapes) = (Vec::new(), Vec::new(), Vec::new());
        for shape in &stage.figures.shapes {
            shapes.push([influences.len() as u32, deltas.len() as u32]);
            influences.extend(shape.influences.iter().map(|&(joint, weight)| [joint, weight.to_bits()]));
            deltas.extend(shape.deltas.iter().flatten().copied());
        }
        let filled = |label, bytes: &[u8], usage| {
            let buffer = buffers::new(gpu, label, bytes.len() as u64, usage | wgpu::BufferUsages::COPY_DST);
            if !bytes.is_empty() {
                gpu.queue.write_buffer(&buffer, 0, bytes);
            }
            buffer
        };
        let storage = wgpu::BufferUsages::STORAGE;
        let uniform = wgpu::BufferUsages::UNIFORM;
        let growing = |label| Growing::new(gpu, label, storage);
        let drawn = |relative| Drawn {
            view: View::new(relative),
            grouped: ["matrices of groups", "words of groups"]
                .map(|label| Growing::new(gpu, label, wgpu::BufferUsages::VERTEX)),
            ordered: ["matrices of blended draws", "words of blended draws"]
                .map(|label| Growing::new(gpu, label, wgpu::BufferUsages::VERTEX)),
        };
        let eyes = buffers::new(gpu, "eyes", STRIDE * EYES as u64, uniform | wgpu::BufferUsages::COPY_DST);
        let light = buffers::new(gpu, "light", size_of::<Light>() as u64, uniform | wgpu::BufferUsages::COPY_DST);
        let (shadow_views, lit) = shadows(gpu, &pipelines, &light, settings.shadow_texels);
        let views = if settings.shadows { 1 + CASCADES } else { 1 };
        let buffers =
            [growing("matrices"), growing("figures"), growing("palettes"), growing("weights"), growing("streams")];
        let (influences, deltas) = (
            filled("influences", bytemuck::cast_slice(&influences), storage),
            filled("deltas", bytemuck::cast_slice(&deltas), storage),
        );
        let [matrices, deforms, palettes, weights, streams] = buffers;
        let of = [&matrices, &deforms, &palettes, &weights, &streams].map(|growing| &growing.buffer);
        let world = world(gpu, &pipelines, &eyes, of, [&influences, &deltas]);
        let line_matrices = growing("boxes");
        let of = [&line_matrices, &deforms, &palettes, &weights, &streams].map(|growing| &growing.buffer);
        let lines = Lines {
            world: self::world(gpu, &pipelines, &eyes, of, [&influences, &deltas]),
            matrices: line_matrices,
            numbers: Growing::new(gpu, "numbers of boxes", wgpu::BufferUsages::VERTEX),
            counts: [0; 2],
        };
        Self {
            surfaces,
            line_surfaces,
            vertices: filled("vertices", bytemuck::cast_slice(&vertices), wgpu::BufferUsages::VERTEX),
            indices: filled("indices", bytemuck::cast_slice(&indices), wgpu::BufferUsages::INDEX),
            parts,
            edges,
            mirror: MatrixMirror::new(),
            matrices,
            relative: Vec::new(),
            deforms: (deforms, Vec::new()),
            palettes,
            weights,
            streams: (streams, Vec::new()),
            influences,
            deltas,
            shapes,
            eyes: (eyes, [Eye::zeroed(); EYES]),
            light: (light, Light::zeroed()),
            world,
            lit,
            shadow_views,
            drawn: (0..views).map(|_| drawn(settings.relative)).collect(),
            lines,
            targets: None,
            buffers: Buffers::default(),
            uploaded: Uploaded::default(),
            pipelines,
            settings,
        }
    }

    /// What the camera sees.
    #[must_use]
    pub fn camera_view(&self) -> &View {
        &self.drawn[0].view
    }

    /// How many draws cast shadows.
    #[must_use]
    pub fn casting(&self) -> usize {
        self.drawn[1..].iter().map(|drawn| drawn.view.list.len()).sum()
    }

    /// How it draws.
    #[must_use]
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Sets what can be changed at any time: skinning and culling.
    pub fn set(&mut self, cpu_skinning: bool, culling: bool) {
        (self.settings.cpu_skinning, self.settings.culling) = (cpu_skinning, culling);
    }

    /// What was uploaded since this was last asked.
    pub fn take_uploaded(&mut self) -> Uploaded {
        std::mem::take(&mut self.uploaded)
    }

    /// Finds what the camera sees, and what casts shadows there, in one walk. What another camera would see is drawn if
    /// `frozen` is given.
    pub fn cull(&mut self, stage: &Stage, camera: &Camera, frozen: Option<&Camera>, aspect: f32) -> Result<()> {
        let Self { settings, drawn, .. } = self;
        let falls = Self::cascades(stage, camera, aspect, *settings);
        let looking = frozen.unwrap_or(camera);
        let layers = stage.layers();
        let scene = &stage.scene;
        if !settings.culling {
            for Drawn { view, .. } in drawn.iter_mut() {
                if settings.relative {
                    scene.draw_list_relative(camera.eye, &mut view.list);
                } else {
                    scene.draw_list(&mut view.list);
                }
            }
            return Ok(());
        }
        if settings.relative {
            // Seen from the camera, wherever the frozen one is.
            let away = Mat4::from_translation((camera.eye - looking.eye).as_vec3());
            let frustum = Frustum::from_view_projection(&(looking.view_projection(aspect) * away))?;
            scene.cull_relative(camera.eye, &frustum, layers, &mut drawn[0].view.list);
            for (Drawn { view, .. }, cascade) in drawn[1..].iter_mut().zip(&falls) {
                scene.cull_relative(camera.eye, &cascade.relative_frustum()?, layers, &mut view.list);
            }
            return Ok(());
        }
        let mut frusta = vec![looking.frustum(aspect)?];
        for cascade in falls.iter().take(drawn.len() - 1) {
            frusta.push(cascade.frustum()?);
        }
        let views = drawn.iter_mut().zip(frusta);
        let mut views: Vec<CullView<'_>> =
            views.map(|(Drawn { view, .. }, frustum)| CullView { frustum, layers, list: &mut view.list }).collect();
        Ok(scene.cull_views(&mut views)?)
    }

    fn cascades(stage: &Stage, camera: &Camera, aspect: f32, settings: Settings) -> [Cascade; CASCADES] {
        let (distance, reach) = stage.shadows;
        cascades(camera, aspect, stage.sun(), distance, reach, settings.shadow_texels)
    }

    /// Groups and orders what was found.
    pub fn arrange(&mut self, stage: &Stage, camera: &Camera) {
        let eye = if self.settings.relative { Vec3::ZERO } else { camera.eye.as_vec3() };
        for (number, Drawn { view, .. }) in self.drawn.iter_mut().enumerate() {
            view.arrange(stage, (number == 0).then_some((eye, camera.forward)));
        }
    }

    /// Notes all writes that bring the device in step; [`Renderer::draw`] and [`Renderer::flush`] send them.
    pub fn upload(&mut self, gpu: &Gpu, stage: &mut Stage, camera: &Camera, aspect: f32) -> Result<()> {
        let mut rebind = if self.settings.relative {
            self.upload_relative(gpu, stage, camera)
        } else {
            self.upload_world(gpu, stage)
        };
        let mirror = (!self.settings.relative).then_some(&self.mirror);
        for Drawn { view, grouped, ordered } in &mut self.drawn {
            view.index(stage, mirror);
            for (stream, buffers) in [(&view.grouped, grouped), (&view.ordered, ordered)] {
                self.uploaded.draws += upload_stream(gpu, &mut self.buffers, stream, buffers);
            }
        }
        rebind |= self.upload_figures(gpu, stage, camera)?;
        self.upload_uniforms(stage, camera, aspect);
        if rebind {
            self.bind(gpu);
        }
        self.uploaded.writes += self.buffers.writes();
        self.buffers.stage(gpu);
        Ok(())
    }

    /// Writes the world matrices that the last update computed. Returns whether the buffer is another one.
    fn upload_world(&mut self, gpu: &Gpu, stage: &Stage) -> bool {
        let Self { mirror, matrices, buffers, uploaded, settings, .. } = self;
        let transposed = settings.fault == Some(Fault::Transposed);
        let mut rebind = false;
        mirror.sync(&stage.scene, |step| match (step, step.bytes()) {
            (MirrorStep::Resize { len }, _) => rebind |= matrices.fit(gpu, 48 * len),
            (_, Some((offset, bytes))) if transposed => {
                uploaded.matrices += buffers.write_changed(&matrices.buffer, offset, bytes, transpose);
            }
            (_, Some((offset, bytes))) => uploaded.matrices += buffers.write(&matrices.buffer, offset, bytes),
            _ => {}
        });
        rebind
    }

    /// Writes the matrices of all lists, if any changed. Returns whether the buffer is another one.
    fn upload_relative(&mut self, gpu: &Gpu, stage: &Stage, camera: &Camera) -> bool {
        let Self { drawn, relative, matrices, buffers, uploaded, settings, .. } = self;
        let mut all = Vec::with_capacity(relative.len());
        for Drawn { view, .. } in drawn {
            view.first = all.len() as u32;
            all.extend_from_slice(view.list.relative_matrices());
        }
        // Behind them those before palettes.
        let scene = &stage.scene;
        for figure in &stage.figures.list {
            let base = figure.base.and_then(|base| scene.world_f64(base));
            all.push(base.map_or(Mat34::IDENTITY, |mut world| {
                world.translation -= camera.eye;
                single(&world)
            }));
        }
        let mut rebind = false;
        if *relative != all {
            rebind = matrices.fit(gpu, 48 * all.len());
            uploaded.matrices += if settings.fault == Some(Fault::Transposed) {
                buffers.write_changed(&matrices.buffer, 0, bytemuck::cast_slice(&all), transpose)
            } else {
                buffers.write(&matrices.buffer, 0, bytemuck::cast_slice(&all))
            };
        }
        *relative = all;
        rebind
    }

    /// Writes records, palettes and weights of figures, or the vertices that the processor skins. Returns whether some
    /// buffer is another one.
    fn upload_figures(&mut self, gpu: &Gpu, stage: &mut Stage, _camera: &Camera) -> Result<bool> {
        if stage.figures.list.is_empty() {
            return Ok(false);
        }
        let mut rebind = false;
        let changed = stage.figures.take_changed();
        let mut transposed = self.settings.fault == Some(Fault::Transposed);
        if changed {
            let figures = &stage.figures;
            let lists: [(&mut Growing, &[u8]); 2] = [
                (&mut self.palettes, bytemuck::cast_slice(&figures.palettes)),
                (&mut self.weights, bytemuck::cast_slice(&figures.weights)),
            ];
            for (growing, bytes) in lists {
                rebind |= growing.fit(gpu, bytes.len());
                if !self.settings.cpu_skinning {
                    // Palettes are matrices, too; weights are not.
                    self.uploaded.figures += if transposed {
                        self.buffers.write_changed(&growing.buffer, 0, bytes, transpose)
                    } else {
                        self.buffers.write(&growing.buffer, 0, bytes)
                    };
                    transposed = false;
                }
            }
        }
        let mut places = vec![NONE; stage.figures.list.len()];
        if self.settings.cpu_skinning {
            let mut streams = Vec::with_capacity(self.streams.1.len());
            for number in self.seen_figures(stage) {
                places[number] = streams.len() as u32;
                stage.figures.skin(number, &mut streams)?;
            }
            if streams != self.streams.1 {
                rebind |= self.streams.0.fit(gpu, 4 * streams.len());
                let bytes = bytemuck::cast_slice(&streams);
                self.uploaded.figures += self.buffers.write(&self.streams.0.buffer, 0, bytes);
            }
            self.streams.1 = streams;
        }
        let records: Vec<Deform> = (0..places.len()).map(|number| self.record(stage, number, places[number])).collect();
        if records != self.deforms.1 {
            rebind |= self.deforms.0.fit(gpu, size_of_val(&records[..]));
            let bytes = bytemuck::cast_slice(&records);
            self.uploaded.figures += self.buffers.write(&self.deforms.0.buffer, 0, bytes);
            self.deforms.1 = records;
        }
        Ok(rebind)
    }

    /// The figures that some view sees.
    fn seen_figures(&self, stage: &Stage) -> Vec<usize> {
        let mut seen = vec![false; stage.figures.list.len()];
        for Drawn { view, .. } in &self.drawn {
            for group in view.groups.groups().iter().filter(|group| is_deformed(stage, group.mesh)) {
                for &draw in &view.groups.instances()[group.range()] {
                    let word = view.list.commands()[draw as usize].word as usize;
                    if let Some(seen) = word.checked_sub(1).and_then(|number| seen.get_mut(number)) {
                        *seen = true;
                    }
                }
            }
        }
        (0..seen.len()).filter(|&number| seen[number]).collect()
    }

    fn record(&self, stage: &Stage, number: usize, streams: u32) -> Deform {
        let figure = &stage.figures.list[number];
        let shape = &stage.figures.shapes[figure.shape];
        let [influences, deltas] = self.shapes[figure.shape];
        let matrix = figure.base.and_then(|base| {
            if self.settings.relative {
                let lists = self.relative.len() - stage.figures.list.len();
                return u32::try_from(lists + number).ok();
            }
            let place = self.mirror.index(stage.scene.matrix_slot(base)?)?;
            u32::try_from(place).ok()
        });
        let mut coat = [[0; 4]; 8];
        if let Some(own) = figure.coat {
            coat[..own.len()].copy_from_slice(&own);
        }
        Deform {
            matrix: matrix.unwrap_or(NONE),
            palette: if figure.palette.is_empty() { NONE } else { figure.palette.start as u32 },
            influences,
            per_vertex: shape.per_vertex as u32,
            deltas,
            targets: figure.weights.len() as u32,
            weights: figure.weights.start as u32,
            vertices: shape.skinned.len() as u32,
            base_vertex: self.parts[shape.mesh as usize].base_vertex,
            streams,
            has_coat: figure.coat.is_some().into(),
            unused: 0,
            coat,
        }
    }

    fn upload_uniforms(&mut self, stage: &Stage, camera: &Camera, aspect: f32) {
        let settings = self.settings;
        let falls = Self::cascades(stage, camera, aspect, settings);
        let view_projection = camera.view_projection(aspect);
        let [x, y, z] = if settings.relative { [0.0; 3] } else { camera.eye.as_vec3().to_array() };
        let mut eyes = [Eye { view_projection: view_projection.to_cols_array(), eye: [x, y, z, 0.0] }; EYES];
        for (eye, cascade) in eyes[1..].iter_mut().zip(&falls) {
            eye.view_projection = cascade.matrix.to_cols_array();
        }
        for (number, (eye, before)) in (0..).zip(eyes.iter().zip(&mut self.eyes.1)) {
            if eye != before {
                *before = *eye;
                let bytes = bytemuck::bytes_of(eye);
                self.uploaded.uniforms += self.buffers.write(&self.eyes.0, STRIDE * number, bytes);
            }
        }
        let wide = |[r, g, b]: [f32; 3]| [r, g, b, 0.0];
        let light = stage.light;
        let mut lamps = [[[0.0; 4]; 4]; LAMPS];
        let mut shining = 0;
        for (lamp, record) in stage.lamps.iter().zip(&mut lamps) {
            let Some(world) = stage.scene.world_f64(lamp.node) else { continue };
            let place = (world.translation - camera.eye).as_vec3();
            let direction = -world.matrix3.z_axis.as_vec3().normalize_or(Vec3::Z);
            let [inner, outer] = lamp.cone.unwrap_or([1.0, -2.0]);
            *record = [
                place.extend(lamp.range.unwrap_or(0.0)).to_array(),
                wide(lamp.colour),
                direction.extend(inner).to_array(),
                [outer, 0.0, 0.0, 0.0],
            ];
            shining += 1;
        }
        let haze = if light.haze.is_finite() { light.haze.recip() } else { 0.0 };
        let shadows = f32::from(u8::from(settings.shadows));
        let light = Light {
            cascades: falls.map(|cascade| cascade.matrix.to_cols_array()),
            ends: [falls[0].end, falls[1].end, falls[2].end, 0.0],
            texels: [falls[0].texel, falls[1].texel, falls[2].texel, (settings.shadow_texels as f32).recip()],
            sun: stage.sun().extend(0.0).to_array(),
            sun_colour: wide(light.sun_colour),
            zenith: wide(light.zenith),
            horizon: wide(light.horizon),
            ground: wide(light.ground),
            forward: camera.forward.extend(0.0).to_array(),
            numbers: [light.exposure, haze, shining as f32, shadows],
            unprojection: view_projection.inverse().to_cols_array(),
            lamps,
        };
        if light != self.light.1 {
            self.light.1 = light;
            self.uploaded.uniforms += self.buffers.write(&self.light.0, 0, bytemuck::bytes_of(&light));
        }
    }

    /// Sets the boxes to be drawn as lines, in two colours.
    pub fn set_boxes(&mut self, gpu: &Gpu, camera: &Camera, boxes: [&[Aabb]; 2]) {
        let subtracted = if self.settings.relative { Vec3::ZERO } else { camera.eye.as_vec3() };
        let matrix = |bounds: &Aabb| {
            // From the world to where the shader subtracts the camera.
            let centre = (bounds.center().as_dvec3() - camera.eye).as_vec3() + subtracted;
            let half = 0.5 * bounds.size();
            Mat34::from(hedgerow::Transform::from_translation(centre).with_scale(half))
        };
        let matrices: Vec<Mat34> = boxes.iter().flat_map(|boxes| boxes.iter().map(matrix)).collect();
        let numbers: Vec<u32> = (0..).take(matrices.len()).collect();
        if self.lines.matrices.fit(gpu, size_of_val(&matrices[..])) {
            self.bind(gpu);
        }
        self.lines.numbers.fit(gpu, size_of_val(&numbers[..]));
        self.buffers.write(&self.lines.matrices.buffer, 0, bytemuck::cast_slice(&matrices));
        self.buffers.write(&self.lines.numbers.buffer, 0, bytemuck::cast_slice(&numbers));
        self.lines.counts = boxes.map(|boxes| boxes.len() as u32);
    }

    fn bind(&mut self, gpu: &Gpu) {
        let Self { pipelines, eyes, matrices, deforms, palettes, weights, streams, influences, deltas, lines, .. } =
            self;
        let fixed = [&*influences, &*deltas];
        let of = [&*matrices, &deforms.0, palettes, weights, &streams.0].map(|growing| &growing.buffer);
        self.world = world(gpu, pipelines, &eyes.0, of, fixed);
        let of = [&lines.matrices, &deforms.0, palettes, weights, &streams.0].map(|growing| &growing.buffer);
        lines.world = world(gpu, pipelines, &eyes.0, of, fixed);
    }

    /// Sends the writes without drawing.
    pub fn flush(&mut self, gpu: &Gpu) {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        self.buffers.flush(gpu, &mut encoder);
        gpu.queue.submit([encoder.finish()]);
    }

    /// Sends the writes, and draws into a texture of this size.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        stage: &Stage,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        size: [u32; 2],
    ) {
        self.buffers.flush(gpu, encoder);
        self.prepare(gpu, stage);
        for (number, shadow) in self.shadow_views.iter().enumerate().take(self.drawn.len() - 1) {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("shadows"),
                depth_stencil_attachment: Some(attached(shadow, 1.0)),
                ..Default::default()
            });
            self.draw_groups(&mut pass, stage, number + 1, true);
        }
        let format = self.targets.take().filter(|targets| targets.size == size);
        let targets = format.unwrap_or_else(|| Targets::new(gpu, size, self.pipelines.format()));
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("picture"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &targets.colour,
                depth_slice: None,
                resolve_target: Some(target),
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Discard },
            })],
            depth_stencil_attachment: Some(attached(&targets.depth, 0.0)),
            ..Default::default()
        });
        pass.set_bind_group(2, &self.lit, &[]);
        self.draw_groups(&mut pass, stage, 0, false);
        pass.set_pipeline(&self.pipelines.sky);
        pass.set_bind_group(0, &self.world, &[0]);
        pass.set_bind_group(1, self.surfaces.groups.last(), &[]);
        pass.draw(0..3, 0..1);
        self.draw_ordered(&mut pass, stage);
        self.draw_lines(&mut pass);
        drop(pass);
        self.targets = Some(targets);
    }

    fn kind(&self, stage: &Stage, mesh: u32, material: Option<u32>, mirrored: bool, shadow: bool) -> Option<Kind> {
        let part = self.parts.get(mesh as usize).filter(|part| !part.indices.is_empty())?;
        let surface = &stage.surfaces[stage.surface(material)];
        let pass = match surface.alpha {
            Alpha::Blend if shadow => return None,
            Alpha::Blend => Pass::Blended,
            Alpha::Mask(_) if shadow => Pass::Shadow(true),
            _ if shadow => Pass::Shadow(false),
            _ => Pass::Opaque,
        };
        let side = (!surface.double_sided).then_some(mirrored);
        Some(Kind { pass, deformed: part.deformed, topology: part.topology, side })
    }

    /// Makes all pipelines that the frame needs.
    fn prepare(&mut self, gpu: &Gpu, stage: &Stage) {
        let mut kinds = vec![Kind { pass: Pass::Lines, deformed: false, topology: Topology::Lines, side: None }];
        for (number, Drawn { view, .. }) in self.drawn.iter().enumerate() {
            for group in view.groups.groups() {
                let kind = self.kind(stage, group.mesh, group.material, group.mirrored, number > 0);
                kinds.extend(kind.filter(|kind| kinds.last() != Some(kind)));
            }
        }
        for kind in kinds {
            self.pipelines.prepare(gpu, kind);
        }
    }

    /// Draws all groups of a view that are not blended.
    fn draw_groups(&self, pass: &mut wgpu::RenderPass<'_>, stage: &Stage, number: usize, shadow: bool) {
        let Drawn { view, grouped: [matrices, words], .. } = &self.drawn[number];
        if view.list.is_empty() {
            return;
        }
        self.begin(pass, number as u32, [&matrices.buffer, &words.buffer]);
        let left_out = self.left_out();
        let (mut kind_before, mut surface_before) = (None, None);
        for group in view.groups.groups() {
            let kind = self.kind(stage, group.mesh, group.material, group.mirrored, shadow);
            let Some(kind) = kind.filter(|kind| kind.pass != Pass::Blended && left_out != Some(group.mesh)) else {
                continue;
            };
            let Some(pipeline) = self.pipelines.get(kind) else { continue };
            if kind_before.replace(kind) != Some(kind) {
                pass.set_pipeline(pipeline);
            }
            let surface = stage.surface(group.material);
            if surface_before.replace(surface) != Some(surface) {
                pass.set_bind_group(1, &self.surfaces.groups[surface], &[]);
            }
            let part = &self.parts[group.mesh as usize];
            pass.draw_indexed(
                part.indices.clone(),
                part.base_vertex.cast_signed(),
                group.first..group.first + group.count,
            );
        }
    }

    /// The mesh that a fault leaves out.
    fn left_out(&self) -> Option<u32> {
        match self.settings.fault {
            Some(Fault::LeftOut(mesh)) => Some(mesh),
            _ => None,
        }
    }

    /// Draws what is blended, from back to front; neighbours of one kind in one call.
    fn draw_ordered(&self, pass: &mut wgpu::RenderPass<'_>, stage: &Stage) {
        let Drawn { view, ordered: [matrices, words], .. } = &self.drawn[0];
        let order = view.order.indices();
        if order.is_empty() {
            return;
        }
        self.begin(pass, 0, [&matrices.buffer, &words.buffer]);
        let commands = view.list.commands();
        let like = |&draw: &u32| {
            let command = &commands[draw as usize];
            (command.mesh, command.material(), command.is_mirrored())
        };
        let mut first = 0;
        for run in order.chunk_by(|a, b| like(a) == like(b)) {
            let range = first..first + run.len() as u32;
            first = range.end;
            let (mesh, material, mirrored) = like(&run[0]);
            if self.left_out() == Some(mesh) {
                continue;
            }
            let Some(kind) = self.kind(stage, mesh, material, mirrored, false) else { continue };
            let Some(pipeline) = self.pipelines.get(kind) else { continue };
            pass.set_pipeline(pipeline);
            pass.set_bind_group(1, &self.surfaces.groups[stage.surface(material)], &[]);
            let part = &self.parts[mesh as usize];
            pass.draw_indexed(part.indices.clone(), part.base_vertex.cast_signed(), range);
        }
    }

    fn draw_lines(&self, pass: &mut wgpu::RenderPass<'_>) {
        let kind = Kind { pass: Pass::Lines, deformed: false, topology: Topology::Lines, side: None };
        let Some(pipeline) = self.pipelines.get(kind) else { return };
        let mut first = 0;
        for (&count, surface) in self.lines.counts.iter().zip(&self.line_surfaces) {
            if count > 0 {
                self.begin(pass, 0, [&self.lines.numbers.buffer; 2]);
                pass.set_bind_group(0, &self.lines.world, &[0]);
                pass.set_pipeline(pipeline);
                pass.set_bind_group(1, surface, &[]);
                let (edges, vertex) = (self.edges.indices.clone(), self.edges.base_vertex.cast_signed());
                pass.draw_indexed(edges, vertex, first..first + count);
            }
            first += count;
        }
    }

    fn begin(&self, pass: &mut wgpu::RenderPass<'_>, eye: u32, [matrices, words]: [&wgpu::Buffer; 2]) {
        #[expect(clippy::cast_possible_truncation, reason = "a few hundred bytes")]
        pass.set_bind_group(0, &self.world, &[eye * STRIDE as u32]);
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.set_vertex_buffer(0, self.vertices.slice(..));
        pass.set_vertex_buffer(1, matrices.slice(..));
        pass.set_vertex_buffer(2, words.slice(..));
    }
}

/// Writes what changed of a stream. Returns the number of bytes.
fn upload_stream(gpu: &Gpu, buffers: &mut Buffers, stream: &Stream, growing: &mut [Growing; 2]) -> usize {
    let [matrices, words] = growing;
    let lists = [(&stream.matrices, &stream.changed_matrices, matrices), (&stream.words, &stream.changed_words, words)];
    let mut written = 0;
    for (values, changed, growing) in lists {
        if growing.fit(gpu, size_of_val(&values[..])) {
            written += buffers.write(&growing.buffer, 0, bytemuck::cast_slice(values));
            continue;
        }
        for range in changed {
            let bytes = bytemuck::cast_slice(&values[range.clone()]);
            written += buffers.write(&growing.buffer, 4 * range.start as u64, bytes);
        }
    }
    written
}

/// Rotations the wrong way, translations as they are.
fn transpose(bytes: &mut [u8]) {
    for matrix in bytes.as_chunks_mut::<48>().0 {
        let row = |row: usize, column: usize| 16 * row + 4 * column;
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            for byte in 0..4 {
                matrix.swap(row(a, b) + byte, row(b, a) + byte);
            }
        }
    }
}

fn world(
    gpu: &Gpu,
    pipelines: &Pipelines,
    eyes: &wgpu::Buffer,
    [matrices, deforms, palettes, weights, streams]: [&wgpu::Buffer; 5],
    [influences, deltas]: [&wgpu::Buffer; 2],
) -> wgpu::BindGroup {
    let eye = wgpu::BufferBinding { buffer: eyes, offset: 0, size: std::num::NonZeroU64::new(size_of::<Eye>() as u64) };
    let mut entries = vec![wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(eye) }];
    let storage = [matrices, deforms, palettes, influences, deltas, weights, streams];
    entries.extend(
        (1..)
            .zip(storage)
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() }),
    );
    let layout = &pipelines.layouts.world;
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some("world"), layout, entries: &entries })
}

/// The textures of all cascades, and what the lit pass reads of them.
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

fn attached(view: &wgpu::TextureView, clear: f32) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(clear), store: wgpu::StoreOp::Store }),
        stencil_ops: None,
    }
}

impl Targets {
    fn new(gpu: &Gpu, size: [u32; 2], format: wgpu::TextureFormat) -> Self {
        let make = |label, format| {
            let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: SAMPLES,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
                view_formats: &[],
            });
            texture.create_view(&Default::default())
        };
        Self { size, colour: make("colour", format), depth: make("depth", DEPTH) }
    }
}

/// The format of pictures.
pub const PICTURE: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;

/// A texture to draw a picture into.
#[must_use]
pub fn canvas(gpu: &Gpu, [width, height]: [u32; 2]) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("canvas"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: PICTURE,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    })
}

/// Reads a canvas back.
pub fn read(gpu: &Gpu, canvas: &wgpu::Texture) -> Result<Picture> {
    let (width, height) = (canvas.width(), canvas.height());
    let row = (4 * width).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
    let buffer = buffers::new(gpu, "picture", u64::from(row) * u64::from(height), usage);
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    encoder.copy_texture_to_buffer(
        canvas.as_image_copy(),
        wgpu::TexelCopyBufferInfo {
            buffer: &buffer,
            layout: wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: None },
        },
        canvas.size(),
    );
    gpu.queue.submit([encoder.finish()]);
    let (sender, receiver) = std::sync::mpsc::channel();
    buffer.map_async(wgpu::MapMode::Read, .., move |mapped| {
        // Nobody waits any more if the device was lost.
        let _ = sender.send(mapped);
    });
    gpu.wait()?;
    let what = "the picture cannot be read back from the graphics device";
    let mapped = receiver.recv().map_err(|error| Failure::while_doing(what, error))?;
    mapped.map_err(|error| Failure::while_doing(what, error))?;
    let bytes = buffer.get_mapped_range(..).map_err(|error| Failure::while_doing(what, error))?;
    let mut colours = Vec::with_capacity((width * height) as usize);
    for row in bytes.chunks_exact(row as usize) {
        colours.extend(row[..4 * width as usize].as_chunks::<4>().0.iter().map(|&[r, g, b, _]| [r, g, b]));
    }
    Ok(Picture { size: [width, height], colours })
}
