//! Buffers on a device beside the scene, and what it sees and draws. Needs an adapter; a software one will do, such as
//! lavapipe (Debian's package mesa-vulkan-drivers). Without one the tests say so and pass, unless `HEDGEROW_WGPU` is set.

use crate::cull::{MESHES, args, cameras, levels, tables, town};
use bytemuck::{Pod, cast_slice, pod_collect_to_vec};
use hedgerow::DrawList;
use hedgerow::glam::{Mat4, Vec3};
use hedgerow_wgpu::SceneBuffers;
use hedgerow_wgpu::gpu::{CULL, FETCH, MeshArgs, SCATTER, SETTLE, SKIN};
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

#[test]
fn commands_of_a_device_draw_the_pixels_of_the_lists() {
    for features in [wgpu::Features::INDIRECT_FIRST_INSTANCE, wgpu::Features::empty()] {
        let Some(gpu) = device(features) else { return };
        let mut dice = fastrand::Rng::with_seed(31);
        let (mut scene, _) = town(Vec3::ZERO, 300, &mut dice);
        scene.update();
        let mut buffers = SceneBuffers::new(&gpu.0, tables());
        buffers.sync(&gpu.1, &scene).unwrap();
        let [camera, other, ..] = cameras(Vec3::ZERO, 0.0);
        let painter = Painter::new(&gpu, &buffers, &camera.matrix);
        let mut encoder = gpu.0.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        buffers.cull(&gpu.1, &mut encoder, &[other.view(), camera.view()]);
        let by_commands = painter.paint(&gpu, encoder, &buffers, |pass, pipelines| {
            for batch in buffers.scene().batches() {
                pass.set_pipeline(&pipelines[usize::from(batch.mirrored)]);
                buffers.draw(pass, 1, batch, 1);
            }
        });
        let mut list = DrawList::new();
        camera.cull(&scene, &mut list, Some(&levels()));
        let slots: Vec<u32> =
            list.commands().iter().map(|command| buffers.scene().slot(&scene, command.node).unwrap() as u32).collect();
        let visible = filled(&gpu, cast_slice(&slots), BufferUsages::VERTEX);
        let encoder = gpu.0.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let by_lists = painter.paint(&gpu, encoder, &buffers, |pass, pipelines| {
            pass.set_vertex_buffer(1, visible.slice(..));
            for (number, command) in (0..).zip(list.commands()) {
                let mirrored = scene.get(command.node).unwrap().world().is_mirrored();
                pass.set_pipeline(&pipelines[usize::from(mirrored)]);
                let MeshArgs { index_count, first_index, base_vertex } = args(command.mesh);
                pass.draw_indexed(first_index..first_index + index_count, base_vertex, number..number + 1);
            }
        });
        let differ = by_commands.iter().zip(&by_lists).filter(|(a, b)| a != b).count();
        let drawn = by_lists.iter().filter(|&&pixel| pixel != by_lists[0]).count();
        assert!(differ == 0 && drawn > 1000, "{differ} pixels differ of {drawn} that are drawn");
    }
}

#[test]
fn shaders_are_valid_and_need_no_more_than_the_default_limits() {
    let user = "@vertex fn main(@location(0) point: vec3f, @location(1) slot: u32) -> @builtin(position) vec4f {
        let matrix = hg_matrix(slot);
        return vec4f(hg_world(matrix, point) + hg_previous_world(matrix, point) + hg_normal(matrix, point), 1.0);
    }";
    let with_fetch = [(format!("{FETCH}{user}"), 3), (format!("{FETCH}{SKIN}{user}"), 5)];
    for (source, storage) in [(SCATTER.into(), 2), (SETTLE.into(), 3), (CULL.into(), 8)].into_iter().chain(with_fetch) {
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
        // A smaller box for each mesh, in vertices of its own; the coarser ones have fewer sides.
        let corner = |mesh: u32, corner: u32| {
            [0, 1, 2].map(|axis| (0.5 - 0.05 * mesh as f32) * if corner >> axis & 1 == 1 { 1.0 } else { -1.0 })
        };
        let corners: Vec<[f32; 3]> = (0..8 * MESHES).map(|at| corner(at / 8, at % 8)).collect();
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
