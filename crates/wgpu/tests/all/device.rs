//! Buffers on a device beside the scene, and what it sees and draws. Needs an adapter; a software one will do, such as
//! lavapipe (Debian's package mesa-vulkan-drivers). Without one the tests say so and pass, unless `HEDGEROW_WGPU` is set.

use bytemuck::{Pod, cast_slice, pod_collect_to_vec};
use hedgerow::glam::camera::rh::proj::directx;
use hedgerow::glam::{Mat4, Quat, Vec3, camera::rh::view};
use hedgerow::query::{CullView, Frustum};
use hedgerow::{
    Aabb, DrawList, Drawable, Keep, Layers, Mat34, Node, NodeHandle, Scene, SceneConfig, Transform, Visibility,
};
use hedgerow_wgpu::SceneBuffers;
use hedgerow_wgpu::gpu::layout::{Command, Instance, View};
use hedgerow_wgpu::gpu::{Buffer, CULL, FETCH, GpuScene, MeshArgs, SCATTER, SETTLE, SKIN};
use std::collections::{BTreeMap, BTreeSet};
use wgpu::{BufferUsages, Device, Queue};

/// Returns a device with the limits of WebGPU.
pub(crate) fn device(features: wgpu::Features) -> Option<(Device, Queue)> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle().with_env());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()));
    let Ok(adapter) = adapter else {
        assert!(std::env::var_os("HEDGEROW_WGPU").is_none(), "there is no adapter: install mesa-vulkan-drivers");
        println!("SKIPPED: there is no adapter; install mesa-vulkan-drivers");
        return None;
    };
    let required_features = adapter.features() & features;
    let descriptor = wgpu::DeviceDescriptor {
        required_features,
        required_limits: wgpu::Limits::default(),
        ..wgpu::DeviceDescriptor::default()
    };
    Some(pollster::block_on(adapter.request_device(&descriptor)).expect("a device with the default limits"))
}

/// Reads a buffer back.
pub(crate) fn read<T: Pod>((device, queue): &(Device, Queue), buffer: &wgpu::Buffer) -> Vec<T> {
    let usage = BufferUsages::COPY_DST | BufferUsages::MAP_READ;
    let copy = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: buffer.size(),
        usage,
        mapped_at_creation: false,
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_buffer_to_buffer(buffer, 0, &copy, 0, Some(buffer.size()));
    queue.submit([encoder.finish()]);
    copy.map_async(wgpu::MapMode::Read, .., |mapped| mapped.expect("a buffer to read"));
    device.poll(wgpu::PollType::wait_indefinitely()).expect("the device answers");
    let bytes = copy.get_mapped_range(..).expect("it is mapped");
    let whole = bytes.len() / size_of::<T>() * size_of::<T>();
    pod_collect_to_vec(&bytes[..whole])
}

const MESHES: u32 = 3;

fn tables() -> GpuScene {
    let mut tables = GpuScene::new().with_previous().with_key(|drawable| drawable.material);
    for mesh in 0..MESHES {
        tables.set_mesh(mesh, MeshArgs { index_count: 36, first_index: 36 * mesh, base_vertex: 0 });
    }
    tables
}

/// A random node: turned, scaled unevenly, sometimes mirrored.
fn node(dice: &mut fastrand::Rng, spread: f32) -> Node<'static> {
    let number = |dice: &mut fastrand::Rng| (dice.f32() - 0.5) * spread;
    let at = Vec3::new(number(dice), number(dice), number(dice));
    let turn = Quat::from_euler(hedgerow::glam::EulerRot::XYZ, dice.f32() * 6.0, dice.f32() * 6.0, 0.0);
    let sign = if dice.u32(..4) == 0 { -1.0 } else { 1.0 };
    let scale = Vec3::new(sign * (0.2 + dice.f32()), 0.2 + dice.f32(), 0.2 + dice.f32());
    let drawable = Drawable::new(dice.u32(..MESHES), Aabb::cube(1.0));
    let layers = if dice.u32(..4) == 0 { Layers::new(2) } else { Layers::new(1) };
    Node::transform(Transform { translation: at, rotation: turn, scale })
        .with_drawable(drawable)
        .with_material(dice.u32(..2))
        .with_layers(layers)
}

fn edit(scene: &mut Scene, nodes: &mut Vec<NodeHandle>, dice: &mut fastrand::Rng) {
    for _ in 0..dice.usize(..30) {
        let (at, other) = (dice.usize(..nodes.len()), nodes[dice.usize(..nodes.len())]);
        let (node, new) = (nodes[at], node(dice, 4.0));
        match dice.u32(..10) {
            0..5 => _ = scene.edit(node).unwrap().set_local(new.local).unwrap(),
            5 => _ = scene.edit(node).unwrap().set_material(new.material),
            6 => {
                let visibility = if dice.bool() { Visibility::Hidden } else { Visibility::Inherited };
                scene.edit(node).unwrap().set_visibility(visibility);
            }
            // Some of these are circles, which are refused.
            7 => _ = scene.reparent(node, other, if dice.bool() { Keep::World } else { Keep::Local }),
            8 => nodes.push(scene.insert(other, new).unwrap()),
            _ if nodes.len() > 300 => {
                scene.remove(node).unwrap();
                nodes.retain(|&node| scene.contains(node));
            }
            _ => {}
        }
    }
}

fn town(far: Vec3, count: usize, dice: &mut fastrand::Rng) -> (Scene, Vec<NodeHandle>) {
    let config = SceneConfig { changes: true, bounds: true, max_nodes: 128, ..SceneConfig::DEFAULT };
    let mut scene = Scene::with_config(config).unwrap();
    let top = scene.insert(scene.root(), Node::transform(Transform::from_translation(far))).unwrap();
    let nodes = (0..count).map(|_| scene.insert(top, node(dice, 40.0)).unwrap()).collect();
    (scene, nodes)
}

fn cameras(far: Vec3) -> [(Mat4, Layers); 3] {
    let eye = |at: Vec3| view::look_at_mat4(far + at, far, Vec3::Y);
    let perspective = directx::perspective_infinite_reverse(1.0, 1.2, 0.1);
    let orthographic = directx::orthographic(-8.0, 8.0, -8.0, 8.0, 0.0, 60.0);
    [
        (perspective * eye(Vec3::new(3.0, 5.0, 30.0)), Layers::new(1)),
        (orthographic * eye(Vec3::new(20.0, 20.0, 1.0)), Layers::new(3)),
        (perspective * eye(Vec3::new(-2.0, 1.0, 0.5)), Layers::new(2)),
    ]
}

/// The slots that each view sees, with the key, the winding and the mesh of the command that draws them.
fn seen(gpu: &(Device, Queue), buffers: &SceneBuffers, views: usize) -> Vec<BTreeMap<u32, (u32, bool, u32)>> {
    let (commands, visible) = buffers.visible();
    let (commands, visible) = (read::<Command>(gpu, commands), read::<u32>(gpu, visible));
    let (count, _) = buffers.scene().sizes();
    let mut seen = vec![BTreeMap::new(); views];
    for (view, seen) in (0..).zip(&mut seen) {
        for batch in buffers.scene().batches() {
            for number in batch.commands.clone() {
                let command = commands[(view * count + number) as usize];
                for at in command.first_instance..command.first_instance + command.instance_count {
                    let drawn = (batch.key, batch.mirrored, command.first_index / 36);
                    assert_eq!(seen.insert(visible[at as usize], drawn), None, "a slot is listed once");
                }
            }
        }
    }
    seen
}

/// Returns whether a box touches a frustum, within 10⁻⁵ of its distance from the origin.
fn is_near(frustum: &Frustum, bounds: &Aabb) -> bool {
    let (center, half) = (bounds.center().as_dvec3(), bounds.size().as_dvec3() * 0.5);
    let slack = 1e-5 * (center.abs() + half).element_sum();
    frustum.planes().iter().all(|plane| {
        let [x, y, z, w] = plane.map(f64::from);
        let normal = hedgerow::glam::DVec3::new(x, y, z);
        normal.dot(center) + normal.abs().dot(half) + w >= -slack
    })
}

#[test]
fn buffers_of_a_device_hold_the_scene_and_see_what_it_sees() {
    let Some(gpu) = device(wgpu::Features::INDIRECT_FIRST_INSTANCE) else { return };
    for (far, frames) in [(Vec3::ZERO, 120), (Vec3::new(1e6, 0.0, -3e5), 40)] {
        let mut dice = fastrand::Rng::with_seed(30);
        let (mut scene, mut nodes) = town(far, 600, &mut dice);
        let mut buffers = SceneBuffers::new(&gpu.0, tables());
        let cameras = cameras(far);
        let frusta = cameras.map(|(matrix, _)| Frustum::from_view_projection(&matrix).unwrap());
        let views: Vec<View> =
            frusta.iter().zip(cameras).map(|(frustum, (_, layers))| View::new(frustum, layers)).collect();
        let mut lists: Vec<DrawList> = vec![DrawList::new(); 3];
        let (mut listed, mut more) = (0, 0);
        for frame in 0..frames {
            edit(&mut scene, &mut nodes, &mut dice);
            scene.update();
            buffers.sync(&gpu.1, &scene).unwrap();
            let instances = read::<Instance>(&gpu, buffers.buffer(Buffer::Instances));
            let matrices = read::<Mat34>(&gpu, buffers.buffer(Buffer::Matrices));
            let previous = read::<Mat34>(&gpu, buffers.buffer(Buffer::Previous));
            let mut encoder = gpu.0.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            buffers.cull(&gpu.1, &mut encoder, &views);
            gpu.1.submit([encoder.finish()]);
            for drawable in scene.slices().flat_map(|slice| slice.drawables().iter()) {
                let slot = buffers.scene().slot(&scene, drawable.node).unwrap();
                let (matrix, node) = (instances[slot].matrix as usize, scene.get(drawable.node).unwrap());
                assert!(matrices[matrix].same_bits(node.world()), "frame {frame}");
                assert!(previous[matrix].same_bits(node.previous_world().unwrap()), "frame {frame}");
            }
            let seen = seen(&gpu, &buffers, views.len());
            for (view, ((seen, list), frustum)) in seen.iter().zip(&mut lists).zip(&frusta).enumerate() {
                scene.cull(&mut [CullView::new(frustum, list).on_layers(cameras[view].1)]).unwrap();
                for command in list.commands() {
                    let slot = buffers.scene().slot(&scene, command.node).unwrap() as u32;
                    let node = scene.get(command.node).unwrap();
                    let expected = (node.material().unwrap(), node.world().is_mirrored(), command.mesh);
                    assert_eq!(seen.get(&slot), Some(&expected), "frame {frame}, view {view}: {}", command.node);
                }
                listed += list.commands().len();
                let told: BTreeSet<NodeHandle> = list.commands().iter().map(|command| command.node).collect();
                let nodes = seen.keys().filter_map(|&slot| buffers.scene().node(slot as usize));
                for node in nodes.filter(|node| !told.contains(node)) {
                    let bounds = scene.get(node).unwrap().bounds().unwrap();
                    assert!(is_near(frustum, &bounds), "frame {frame}, view {view}: {node} is out of view");
                    more += 1;
                }
            }
        }
        println!("{listed} listed, {more} more by the device");
        assert!(listed > 20_000);
    }
}

#[test]
fn commands_of_a_device_draw_the_pixels_of_the_lists() {
    for features in [wgpu::Features::INDIRECT_FIRST_INSTANCE, wgpu::Features::empty()] {
        let Some(gpu) = device(features) else { return };
        let mut dice = fastrand::Rng::with_seed(31);
        let (mut scene, _) = town(Vec3::ZERO, 300, &mut dice);
        scene.update();
        let mut buffers = SceneBuffers::new(&gpu.0, tables());
        buffers.sync(&gpu.1, &scene).unwrap();
        let (matrix, layers) = cameras(Vec3::ZERO)[0];
        let frustum = Frustum::from_view_projection(&matrix).unwrap();
        let other = View::new(&Frustum::from_view_projection(&cameras(Vec3::ZERO)[1].0).unwrap(), Layers::ALL);
        let painter = Painter::new(&gpu, &buffers, &matrix);
        let mut encoder = gpu.0.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        buffers.cull(&gpu.1, &mut encoder, &[other, View::new(&frustum, layers)]);
        let by_commands = painter.paint(&gpu, encoder, &buffers, |pass, pipelines| {
            for batch in buffers.scene().batches() {
                pass.set_pipeline(&pipelines[usize::from(batch.mirrored)]);
                buffers.draw(pass, 1, batch, 1);
            }
        });
        let mut list = DrawList::new();
        scene.cull(&mut [CullView::new(&frustum, &mut list).on_layers(layers)]).unwrap();
        let slots: Vec<u32> =
            list.commands().iter().map(|command| buffers.scene().slot(&scene, command.node).unwrap() as u32).collect();
        let visible = filled(&gpu, cast_slice(&slots), BufferUsages::VERTEX);
        let encoder = gpu.0.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let by_lists = painter.paint(&gpu, encoder, &buffers, |pass, pipelines| {
            pass.set_vertex_buffer(1, visible.slice(..));
            for (number, command) in (0..).zip(list.commands()) {
                let mirrored = scene.get(command.node).unwrap().world().is_mirrored();
                pass.set_pipeline(&pipelines[usize::from(mirrored)]);
                pass.draw_indexed(36 * command.mesh..36 * (command.mesh + 1), 0, number..number + 1);
            }
        });
        let differ = by_commands.iter().zip(&by_lists).filter(|(a, b)| a != b).count();
        let drawn = by_lists.iter().filter(|&&pixel| pixel != by_lists[0]).count();
        assert!(differ == 0 && drawn > 2000, "{differ} pixels differ of {drawn} that are drawn");
    }
}

#[test]
fn shaders_are_valid_and_need_no_more_than_the_default_limits() {
    let user = "@vertex fn main(@location(0) point: vec3f, @location(1) slot: u32) -> @builtin(position) vec4f {
        let matrix = hg_matrix(slot);
        return vec4f(hg_world(matrix, point) + hg_previous_world(matrix, point) + hg_normal(matrix, point), 1.0);
    }";
    let with_fetch = [(format!("{FETCH}{user}"), 3), (format!("{FETCH}{SKIN}{user}"), 5)];
    for (source, storage) in [(SCATTER.into(), 2), (SETTLE.into(), 3), (CULL.into(), 6)].into_iter().chain(with_fetch) {
        let module: naga::Module = naga::front::wgsl::parse_str(&source).expect("it is WGSL");
        let (flags, capabilities) = (naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty());
        naga::valid::Validator::new(flags, capabilities).validate(&module).expect("it is valid");
        let buffers = module.global_variables.iter();
        let buffers = buffers.filter(|(_, variable)| matches!(variable.space, naga::AddressSpace::Storage { .. }));
        assert_eq!(buffers.count(), storage);
    }
}

pub(crate) fn filled((device, queue): &(Device, Queue), contents: &[u8], usage: BufferUsages) -> wgpu::Buffer {
    let usage = usage | BufferUsages::COPY_DST;
    let size = contents.len() as u64;
    let buffer = device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
    queue.write_buffer(&buffer, 0, contents);
    buffer
}

const SIDE: u32 = 256;

/// Draws cubes of several colours to a picture.
struct Painter {
    pipelines: [wgpu::RenderPipeline; 2],
    eye: wgpu::BindGroup,
    vertices: wgpu::Buffer,
    indices: wgpu::Buffer,
    colour: wgpu::Texture,
    depth: wgpu::TextureView,
}

const SHADER: &str = "
@group(0) @binding(0) var<uniform> eye: mat4x4f;
struct Corner { @builtin(position) place: vec4f, @location(0) @interpolate(flat) colour: u32 }
@vertex fn corner(@location(0) point: vec3f, @location(1) slot: u32) -> Corner {
    let colour = 50u * hg_mesh(slot) + 37u * hg_material(slot) + slot % 64u;
    return Corner(eye * vec4f(hg_world(hg_matrix(slot), point), 1.0), colour);
}
@fragment fn pixel(corner: Corner) -> @location(0) vec4f {
    return vec4f(f32(corner.colour) / 255.0, fract(f32(corner.colour) * 0.618), 0.5, 1.0);
}";

impl Painter {
    fn new(gpu: &(Device, Queue), buffers: &SceneBuffers, eye: &Mat4) -> Self {
        let device = &gpu.0;
        let corners: Vec<[f32; 3]> =
            (0..8).map(|corner| [0, 1, 2].map(|axis| if corner >> axis & 1 == 1 { 0.5 } else { -0.5 })).collect();
        let faces = [[0_u32, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let cube: Vec<u32> = faces.iter().flat_map(|&[a, b, c, d]| [a, b, c, a, c, d]).collect();
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(format!("{FETCH}{SHADER}").into()),
        });
        let of_eye = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::VERTEX,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Uniform,
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            }],
        });
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&of_eye), Some(buffers.layout())],
            immediate_size: 0,
        });
        let pipeline = |front_face| {
            device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: None,
                layout: Some(&layout),
                vertex: wgpu::VertexState {
                    module: &module,
                    entry_point: Some("corner"),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    buffers: &[
                        Some(wgpu::VertexBufferLayout {
                            array_stride: 12,
                            step_mode: wgpu::VertexStepMode::Vertex,
                            attributes: &wgpu::vertex_attr_array![0 => Float32x3],
                        }),
                        Some(wgpu::VertexBufferLayout {
                            array_stride: 4,
                            step_mode: wgpu::VertexStepMode::Instance,
                            attributes: &wgpu::vertex_attr_array![1 => Uint32],
                        }),
                    ],
                },
                primitive: wgpu::PrimitiveState {
                    front_face,
                    cull_mode: Some(wgpu::Face::Back),
                    ..wgpu::PrimitiveState::default()
                },
                depth_stencil: Some(wgpu::DepthStencilState {
                    format: wgpu::TextureFormat::Depth32Float,
                    depth_write_enabled: Some(true),
                    depth_compare: Some(wgpu::CompareFunction::Greater),
                    stencil: wgpu::StencilState::default(),
                    bias: wgpu::DepthBiasState::default(),
                }),
                multisample: wgpu::MultisampleState::default(),
                fragment: Some(wgpu::FragmentState {
                    module: &module,
                    entry_point: Some("pixel"),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    targets: &[Some(wgpu::TextureFormat::Rgba8Unorm.into())],
                }),
                multiview_mask: None,
                cache: None,
            })
        };
        let texture = |format, usage| {
            device.create_texture(&wgpu::TextureDescriptor {
                label: None,
                size: wgpu::Extent3d { width: SIDE, height: SIDE, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage,
                view_formats: &[],
            })
        };
        let uniform = filled(gpu, cast_slice(&eye.to_cols_array()), BufferUsages::UNIFORM);
        let eye = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &of_eye,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: uniform.as_entire_binding() }],
        });
        let (target, copied) = (wgpu::TextureUsages::RENDER_ATTACHMENT, wgpu::TextureUsages::COPY_SRC);
        Self {
            pipelines: [wgpu::FrontFace::Ccw, wgpu::FrontFace::Cw].map(pipeline),
            eye,
            vertices: filled(gpu, cast_slice(&corners), BufferUsages::VERTEX),
            indices: filled(gpu, cast_slice(&vec![cube; MESHES as usize].concat()), BufferUsages::INDEX),
            colour: texture(wgpu::TextureFormat::Rgba8Unorm, target | copied),
            depth: texture(wgpu::TextureFormat::Depth32Float, target)
                .create_view(&wgpu::TextureViewDescriptor::default()),
        }
    }

    fn paint(
        &self,
        gpu: &(Device, Queue),
        mut encoder: wgpu::CommandEncoder,
        buffers: &SceneBuffers,
        draw: impl FnOnce(&mut wgpu::RenderPass<'_>, &[wgpu::RenderPipeline; 2]),
    ) -> Vec<u32> {
        let colour = self.colour.create_view(&wgpu::TextureViewDescriptor::default());
        {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &colour,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                        store: wgpu::StoreOp::Store,
                    },
                })],
                depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                    view: &self.depth,
                    depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(0.0), store: wgpu::StoreOp::Store }),
                    stencil_ops: None,
                }),
                ..wgpu::RenderPassDescriptor::default()
            });
            pass.set_vertex_buffer(0, self.vertices.slice(..));
            pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
            pass.set_bind_group(0, &self.eye, &[]);
            pass.set_bind_group(1, buffers.group(), &[]);
            draw(&mut pass, &self.pipelines);
        }
        let pixels = filled(gpu, &vec![0; (4 * SIDE * SIDE) as usize], BufferUsages::COPY_SRC);
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4 * SIDE), rows_per_image: Some(SIDE) };
        let to = wgpu::TexelCopyBufferInfo { buffer: &pixels, layout };
        encoder.copy_texture_to_buffer(self.colour.as_image_copy(), to, self.colour.size());
        gpu.1.submit([encoder.finish()]);
        read(gpu, &pixels)
    }
}
