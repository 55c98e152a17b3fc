//! Draws a scene that the GPU culls, for the camera and for the shadows of the sun in one pass.
//!
//! ```text
//! cargo run --release -p hedgerow-wgpu --example viewer                      # a scene that is made here
//! cargo run --release -p hedgerow-wgpu --example viewer -- FILE.glb          # a file of yours, with its first animation
//! cargo run --release -p hedgerow-wgpu --example viewer -- FILE.glb --picture OUT.png --size 800x600 --time 1.5
//! ```
//!
//! The crate keeps matrices, palettes and draw commands on the device. The rest is here, because it stays yours: vertices,
//! materials, pipelines, the light and the passes. Of a file's materials, only the base colour is drawn, and morph targets
//! are left out.

#[path = "viewer/output.rs"]
mod output;
#[path = "viewer/pipeline.rs"]
mod pipeline;
#[path = "viewer/stage.rs"]
mod stage;

use bytemuck::{Pod, Zeroable, bytes_of, cast_slice};
use hedgerow::glam::camera::rh::{proj::directx, view::look_at_mat4};
use hedgerow::glam::{Mat4, Vec3};
use hedgerow::{Aabb, Drawable, Layers, Node, query::Frustum};
use hedgerow_wgpu::SceneTables;
use hedgerow_wgpu::gpu::{FETCH, GpuScene, MeshArgs, SKIN, layout::View};
use pipeline::{DEPTH, group, pipeline, texture};
use stage::{Material, Result, Shape, Stage, Vertex};
use std::{ffi::OsString, path::PathBuf};
use wgpu::util::{BufferInitDescriptor, DeviceExt};
use wgpu::{BufferUsages, Device, Queue, RenderPipeline, TextureFormat, TextureUsages, TextureView};

const SHADOW: [u32; 2] = [2048; 2];

/// The uniform of the shader.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Frame {
    camera: Mat4,
    light: Mat4,
    /// Where the sun is, and how far above surfaces shadows are compared.
    sun: [f32; 4],
}

struct Renderer {
    device: Device,
    queue: Queue,
    stage: Stage,
    /// What the first picture shows, to place the camera and the light.
    center: Vec3,
    radius: f32,
    time: f32,
    buffers: SceneTables,
    vertices: wgpu::Buffer,
    indices: wgpu::Buffer,
    frame: wgpu::Buffer,
    groups: [wgpu::BindGroup; 2],
    shadow: TextureView,
    /// By key, one-sided and two-sided; then by winding, not mirrored and mirrored.
    shadow_pipelines: [[RenderPipeline; 2]; 2],
    pipelines: [[RenderPipeline; 2]; 2],
}

impl Renderer {
    fn new(adapter: &wgpu::Adapter, mut stage: Stage, format: TextureFormat) -> Result<Self> {
        let required_features = adapter.features() & wgpu::Features::INDIRECT_FIRST_INSTANCE;
        let descriptor = wgpu::DeviceDescriptor { required_features, ..Default::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))?;

        // A box around all, and a floor below it.
        stage.scene.update();
        let drawables = stage.scene.slices().flat_map(|slice| slice.drawables().iter());
        let boxes = drawables
            .filter(|drawable| drawable.layers != Layers::NONE)
            .filter_map(|drawable| Some(drawable.drawable.bounds.transformed(stage.scene.world(drawable.node)?)));
        let bounds = boxes.fold(Aabb::EMPTY, |all, bounds| all.merge(&bounds));
        let bounds = if bounds.is_finite() { bounds } else { Aabb::cube(1.0) };
        let (center, radius) = (bounds.center(), 0.5 * bounds.size().length());
        let corner = |at: u32| {
            let (x, z) = (60.0 * radius * (at as f32 % 2.0 - 0.5), 60.0 * radius * ((at / 2) as f32 - 0.5));
            let point = [center.x + x, bounds.min.y - 1e-3 * radius, center.z + z];
            Vertex { point, normal: [0.0, 1.0, 0.0], ..Vertex::default() }
        };
        let floor = Drawable::new(u32::MAX, Aabb::from_points((0..4).map(|at| corner(at).point.into())));
        let vertices = (0..4).map(corner).collect();
        stage.shapes.push(Shape { mesh: floor.mesh, vertices, indices: vec![0, 2, 1, 1, 2, 3] });
        let number = u32::try_from(stage.materials.len())?;
        stage.materials.push(Material { colour: [0.45, 0.45, 0.43, 1.0], two_sided: false });
        stage.scene.insert(stage.scene.root(), Node::drawable(floor).with_material(number))?;

        // One buffer has the vertices of all meshes, so that a batch is one call.
        let two_sided: Vec<bool> = stage.materials.iter().map(|material| material.two_sided).collect();
        let key = move |material: u32| two_sided.get(material as usize).map(|&two_sided| u32::from(two_sided));
        let mut tables = GpuScene::new().with_views(2).with_key(move |drawable| key(drawable.material?));
        let (mut vertices, mut indices) = (Vec::new(), Vec::new());
        for shape in &stage.shapes {
            let (index_count, first_index) = (u32::try_from(shape.indices.len())?, u32::try_from(indices.len())?);
            let base_vertex = i32::try_from(vertices.len())?;
            tables.set_mesh(shape.mesh, MeshArgs { index_count, first_index, base_vertex });
            vertices.extend_from_slice(&shape.vertices);
            indices.extend_from_slice(&shape.indices);
        }
        let buffers = SceneTables::new(&device, tables);
        let filled =
            |contents: &[u8], usage| device.create_buffer_init(&BufferInitDescriptor { label: None, contents, usage });
        let vertices = filled(cast_slice(&vertices), BufferUsages::VERTEX);
        let indices = filled(cast_slice(&indices), BufferUsages::INDEX);
        let frame = filled(bytes_of(&Frame::zeroed()), BufferUsages::UNIFORM | BufferUsages::COPY_DST);
        let colours: Vec<[f32; 4]> = stage.materials.iter().map(|material| material.colour).collect();
        let colours = filled(cast_slice(&colours), BufferUsages::STORAGE);

        let shadow = texture(&device, SHADOW, DEPTH, TextureUsages::TEXTURE_BINDING).create_view(&Default::default());
        let compare = Some(wgpu::CompareFunction::LessEqual);
        let filter = wgpu::FilterMode::Linear;
        let sampler = wgpu::SamplerDescriptor { compare, mag_filter: filter, min_filter: filter, ..Default::default() };
        let sampler = device.create_sampler(&sampler);
        let buffer = |ty| wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
        let depth = wgpu::BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Depth,
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: false,
        };
        let colours_type = buffer(wgpu::BufferBindingType::Storage { read_only: true });
        let bound = [
            [
                (frame.as_entire_binding(), buffer(wgpu::BufferBindingType::Uniform)),
                (colours.as_entire_binding(), colours_type),
            ],
            [
                (wgpu::BindingResource::TextureView(&shadow), depth),
                (
                    wgpu::BindingResource::Sampler(&sampler),
                    wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison),
                ),
            ],
        ];
        let [(of_frame, frame_group), (of_shadow, shadow_group)] = bound.map(|bound| group(&device, bound));

        let shader = format!("{FETCH}{SKIN}{}", include_str!("viewer/scene.wgsl"));
        let source = wgpu::ShaderSource::Wgsl(shader.into());
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        let pipelines = |layouts: &[Option<&wgpu::BindGroupLayout>], entry: &str, format: Option<TextureFormat>| {
            let layout = wgpu::PipelineLayoutDescriptor { label: None, bind_group_layouts: layouts, immediate_size: 0 };
            let layout = device.create_pipeline_layout(&layout);
            [Some(wgpu::Face::Back), None].map(|cull_mode| {
                // Mirrored triangles are wound the other way.
                [wgpu::FrontFace::Ccw, wgpu::FrontFace::Cw].map(|front_face| {
                    let primitive = wgpu::PrimitiveState { front_face, cull_mode, ..Default::default() };
                    pipeline(&device, &layout, (&module, entry), primitive, format)
                })
            })
        };
        let scene = Some(buffers.layout());
        let shadow_pipelines = pipelines(&[Some(&of_frame), scene], "shadow", None);
        let pipelines = pipelines(&[Some(&of_frame), scene, Some(&of_shadow)], "corner", Some(format));
        let groups = [frame_group, shadow_group];
        let time = 0.0;
        Ok(Self {
            device,
            queue,
            stage,
            center,
            radius,
            time,
            buffers,
            vertices,
            indices,
            frame,
            groups,
            shadow,
            shadow_pipelines,
            pipelines,
        })
    }

    /// Draws a frame, some seconds after the last one.
    fn draw(&mut self, target: &wgpu::Texture, seconds: f32) -> Result<()> {
        let Stage { scene, play, .. } = &mut self.stage;
        play(scene, self.buffers.scene_mut(), seconds)?;
        scene.update();
        self.buffers.sync(&self.queue, scene)?;

        // The camera goes round. The light sees all, since a shadow may fall from anywhere.
        self.time += seconds;
        let Self { center, radius, .. } = *self;
        let aspect = target.width() as f32 / target.height() as f32;
        let (sin, cos) = (0.5 + 0.1 * self.time).sin_cos();
        let eye = center + Vec3::new(sin, 0.45, cos) * 1.9 * radius;
        let camera =
            directx::perspective(0.8, aspect, 0.02 * radius, 60.0 * radius) * look_at_mat4(eye, center, Vec3::Y);
        let sun = Vec3::new(0.45, 0.8, 0.4).normalize();
        let light = directx::orthographic(-1.5 * radius, 1.5 * radius, -1.5 * radius, 1.5 * radius, 0.0, 6.0 * radius);
        let light = light * look_at_mat4(center + 3.0 * radius * sun, center, Vec3::Y);
        let frame = Frame { camera, light, sun: [sun.x, sun.y, sun.z, 3e-3 * radius] };
        self.queue.write_buffer(&self.frame, 0, bytes_of(&frame));

        let mut encoder = self.device.create_command_encoder(&Default::default());
        let [of_camera, of_light] = [camera, light].map(|matrix| Frustum::from_view_projection(&matrix));
        let views = [View::new(&of_camera?, Layers::ALL), View::new(&of_light?, Layers::ALL)];
        self.buffers.cull(&self.queue, &mut encoder, &views);

        let depth = texture(&self.device, [target.width(), target.height()], DEPTH, TextureUsages::empty());
        let (depth, target) = (depth.create_view(&Default::default()), target.create_view(&Default::default()));
        self.pass(&mut encoder, 1, None, &self.shadow, &self.shadow_pipelines);
        self.pass(&mut encoder, 0, Some(&target), &depth, &self.pipelines);
        self.queue.submit([encoder.finish()]);
        Ok(())
    }

    /// Draws what a view sees: a call for each key and winding, however many meshes and drawables there are.
    fn pass(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        view: u32,
        colour: Option<&TextureView>,
        depth: &TextureView,
        pipelines: &[[RenderPipeline; 2]; 2],
    ) {
        let sky = wgpu::Color { r: 0.42, g: 0.52, b: 0.65, a: 1.0 };
        let colour = colour.map(|view| wgpu::RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations { load: wgpu::LoadOp::Clear(sky), store: wgpu::StoreOp::Store },
        });
        let is_coloured = colour.is_some();
        let colours = [colour];
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &colours[..usize::from(is_coloured)],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: depth,
                depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store: wgpu::StoreOp::Store }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        pass.set_vertex_buffer(0, self.vertices.slice(..));
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.set_bind_group(0, &self.groups[0], &[]);
        pass.set_bind_group(1, self.buffers.group(), &[]);
        if is_coloured {
            pass.set_bind_group(2, &self.groups[1], &[]);
        }
        self.buffers.draw(&mut pass, view, 1, |pass, batch| {
            pass.set_pipeline(&pipelines[batch.key as usize][usize::from(batch.mirrored)]);
            true
        });
    }
}

/// Does what the arguments ask for.
pub(crate) fn run(mut arguments: impl Iterator<Item = OsString>) -> Result<()> {
    let (mut file, mut path, mut size, mut time) = (None, None, [1280, 800], 1.0);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or("a value is missing");
        let text = |value: OsString| value.into_string().map_err(|_| "a value is not text");
        match argument.to_str() {
            Some("--picture") => path = Some(PathBuf::from(value()?)),
            Some("--time") => time = text(value()?)?.parse()?,
            Some("--size") => {
                let value = text(value()?)?;
                let (width, height) = value.split_once('x').ok_or("a size is WIDTHxHEIGHT")?;
                size = [width.parse()?, height.parse()?];
            }
            _ => file = Some(PathBuf::from(argument)),
        }
    }
    let stage = file.map_or_else(stage::own_stage, |file| stage::stage_of(&file))?;
    match path {
        Some(path) => output::picture(stage, path, size, time),
        None => output::show(stage, size),
    }
}

fn main() -> Result<()> {
    run(std::env::args_os().skip(1))
}
