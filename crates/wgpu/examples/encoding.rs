//! Measures what a frame costs the CPU: with tables on a device, and with lists of the CPU.
//!
//! ```text
//! cargo run --release -p hedgerow-wgpu --example encoding
//! ```
//!
//! A flat scene with four views. The device's side encodes and submits what changed (`sync`), and encodes four views that
//! are culled and drawn (`draw`). Of that, the calls of the render passes by themselves, without tables, are wgpu's own
//! cost (`calls`). The CPU's side culls, groups and mirrors, and uploads nothing. Medians and minima in microseconds of
//! 40 frames; updates are not in them. Sides take turns every ten frames: a program has one of them, and if they took
//! turns in each frame, both would wait for caches that the other one has filled.

use hedgerow::changes::MatrixMirror;
use hedgerow::draw::DrawGroups;
use hedgerow::glam::camera::rh::{proj::directx, view::look_at_mat4};
use hedgerow::glam::{Mat4, Vec3};
use hedgerow::query::{CullView, Frustum};
use hedgerow::{Aabb, DrawList, Drawable, Layers, Node, NodeHandle, Scene, SceneConfig, Transform};
use hedgerow_wgpu::SceneTables;
use hedgerow_wgpu::gpu::{Buffer, FETCH, GpuScene, MeshArgs, layout::View};
use std::hint::black_box;
use std::ops::Range;
use std::time::Instant;
use wgpu::{Device, Queue};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const MESHES: u32 = 16;
const ROUNDS: usize = 4;
const FRAMES: usize = 10;

fn scene(count: u32, bounds: bool) -> Result<(Scene, Vec<NodeHandle>)> {
    let mut scene = Scene::with_config(SceneConfig { bounds, ..SceneConfig::DEFAULT })?;
    let side = count.isqrt() + 1;
    let node = |at: u32| {
        let place = Transform::from_xyz((at % side) as f32 * 3.0, 0.0, (at / side) as f32 * 3.0);
        Node::transform(place).with_drawable(Drawable::new(at % MESHES, Aabb::cube(1.0))).with_material(at % 4)
    };
    let mut nodes = Vec::new();
    for at in 0..count {
        nodes.push(scene.insert(scene.root(), node(at))?);
    }
    scene.update();
    Ok((scene, nodes))
}

/// One camera and three cascades, which see a part of the scene.
fn views(count: u32) -> [Mat4; 4] {
    let side = (count as f32).sqrt() * 3.0;
    let middle = Vec3::new(0.5 * side, 0.0, 0.5 * side);
    let eye = middle + Vec3::new(0.0, 8.0, 0.0);
    let camera = directx::perspective(1.0, 1.6, 0.1, 0.2 * side) * look_at_mat4(eye, middle + Vec3::X * 100.0, Vec3::Y);
    let light = look_at_mat4(middle + Vec3::Y * 200.0, middle, Vec3::X);
    let cascade = |size: f32| directx::orthographic(-size, size, -size, size, 0.0, 500.0) * light;
    [camera, cascade(0.01 * side), cascade(0.04 * side), cascade(0.14 * side)]
}

/// A pipeline that draws nothing.
fn pipeline(device: &Device, buffers: &SceneTables) -> wgpu::RenderPipeline {
    let shader = "@vertex fn main(@location(0) slot: u32) -> @builtin(position) vec4f {
        return vec4f(hg_world(hg_matrix(slot), vec3f()), 1.0);
    }";
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(format!("{FETCH}{shader}").into()),
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        bind_group_layouts: &[None, Some(buffers.layout())],
        ..Default::default()
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            buffers: &[Some(wgpu::VertexBufferLayout {
                array_stride: 4,
                step_mode: wgpu::VertexStepMode::Instance,
                attributes: &wgpu::vertex_attr_array![0 => Uint32],
            })],
        },
        primitive: Default::default(),
        depth_stencil: Some(wgpu::DepthStencilState {
            format: wgpu::TextureFormat::Depth32Float,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Greater),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        multisample: Default::default(),
        fragment: None,
        multiview_mask: None,
        cache: None,
    })
}

/// The device's side.
struct Drawing {
    device: Device,
    queue: Queue,
    buffers: SceneTables,
    pipeline: wgpu::RenderPipeline,
    indices: wgpu::Buffer,
    depth: wgpu::TextureView,
}

impl Drawing {
    fn new((device, queue): (Device, Queue)) -> Self {
        let mut tables = GpuScene::new().with_key(|drawable| drawable.material);
        for mesh in 0..MESHES {
            tables.set_mesh(mesh, MeshArgs { index_count: 3, first_index: 3 * mesh, base_vertex: 0 });
        }
        let buffers = SceneTables::new(&device, tables);
        let pipeline = pipeline(&device, &buffers);
        let indices = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 12 * u64::from(MESHES),
            usage: wgpu::BufferUsages::INDEX,
            mapped_at_creation: false,
        });
        let depth = device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width: 64, height: 64, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Depth32Float,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
            view_formats: &[],
        });
        let depth = depth.create_view(&Default::default());
        Self { device, queue, buffers, pipeline, indices, depth }
    }

    /// Encodes what four views draw, or the same calls alone. Returns the number of calls.
    fn draw(&mut self, views: &[View], alone: bool) -> u32 {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        if !alone {
            self.buffers.cull(&self.queue, &mut encoder, views);
        }
        let mut calls = 0;
        for (view, _) in (0..).zip(views) {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                    view: &self.depth,
                    depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(0.0), store: wgpu::StoreOp::Store }),
                    stencil_ops: None,
                }),
                ..Default::default()
            });
            pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
            pass.set_bind_group(1, self.buffers.group(), &[]);
            pass.set_pipeline(&self.pipeline);
            if alone {
                let [commands, visible] = [Buffer::Commands, Buffer::Visible].map(|buffer| self.buffers.buffer(buffer));
                pass.set_vertex_buffer(0, visible.slice(..));
                for batch in self.buffers.scene().batches() {
                    let of_view = view * self.buffers.scene().sizes().0;
                    let Range { start, end } = batch.commands;
                    pass.multi_draw_indexed_indirect(commands, 20 * u64::from(of_view + start), end - start);
                }
            } else {
                calls += self.buffers.draw(&mut pass, view, 0, |_, _| true);
            }
        }
        // Not submitted: a device of software would draw on the cores that are measured.
        black_box(encoder.finish());
        calls
    }
}

/// The CPU's side.
#[derive(Default)]
struct Lists {
    views: [(DrawList, DrawGroups, Vec<u32>); 4],
    mirror: MatrixMirror,
}

impl Lists {
    fn list(&mut self, scene: &Scene, frusta: &[Frustum; 4]) -> Result<()> {
        let mut views = self.views.iter_mut().zip(frusta).map(|((list, ..), frustum)| CullView::new(frustum, list));
        scene.cull(&mut [(); 4].map(|()| views.next().expect("there are four")))?;
        self.mirror.sync(scene, |step| _ = black_box(step));
        for (list, groups, instances) in &mut self.views {
            list.group(groups);
            self.mirror.instances(list, groups.instances(), instances, |_, changed| _ = black_box(changed));
        }
        Ok(())
    }
}

/// Moves so many nodes, chosen at random.
fn move_some(scene: &mut Scene, nodes: &[NodeHandle], moved: usize, dice: &mut fastrand::Rng) -> Result<()> {
    for _ in 0..moved {
        let node = nodes[dice.usize(..nodes.len())];
        let local = scene.get(node).and_then(|node| node.transform()).unwrap_or(Transform::IDENTITY);
        scene.set_local(node, Transform { translation: local.translation.with_y(dice.f32()), ..local })?;
    }
    Ok(())
}

fn microseconds<T>(samples: &mut Vec<f64>, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    samples.push(start.elapsed().as_secs_f64() * 1e6);
    done
}

fn median_and_least(samples: &mut [f64]) -> [f64; 2] {
    samples.sort_by(f64::total_cmp);
    [samples[samples.len() / 2], samples[0]]
}

fn main() -> Result<()> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle().with_env();
    descriptor.flags.remove(wgpu::InstanceFlags::VALIDATION_INDIRECT_CALL);
    let adapter = pollster::block_on(wgpu::Instance::new(descriptor).request_adapter(&Default::default()))?;
    println!("{}: medians and minima, in microseconds", adapter.get_info().name);
    println!("drawables     moved  CPU lists        sync            ÷            draw, four views  calls");
    for (count, moved) in [(262_144, 0), (262_144, 2621), (262_144, 26_214), (1_048_576, 0)] {
        let required_features = adapter.features() & wgpu::Features::INDIRECT_FIRST_INSTANCE;
        let descriptor = wgpu::DeviceDescriptor { required_features, ..Default::default() };
        let mut drawing = Drawing::new(pollster::block_on(adapter.request_device(&descriptor))?);
        let (mut ours, nodes) = scene(count, false)?;
        let (mut theirs, _) = scene(count, true)?;
        let mut lists = Lists::default();
        let frusta = views(count).map(|matrix| Frustum::from_view_projection(&matrix).expect("a projection"));
        let views = frusta.each_ref().map(|frustum| View::new(frustum, Layers::ALL));
        let [mut by_lists, mut syncs, mut draws, mut alone] = [(); 4].map(|()| Vec::new());
        let (mut dice, mut calls) = (fastrand::Rng::with_seed(1), 0);
        // The first round uploads everything, and makes room.
        for round in 0..=ROUNDS {
            if round == 1 {
                for samples in [&mut by_lists, &mut syncs, &mut draws, &mut alone] {
                    samples.clear();
                }
            }
            for _ in 0..FRAMES {
                move_some(&mut theirs, &nodes, moved, &mut dice)?;
                theirs.update();
                microseconds(&mut by_lists, || lists.list(&theirs, &frusta))?;
            }
            for _ in 0..FRAMES {
                move_some(&mut ours, &nodes, moved, &mut dice)?;
                ours.update();
                microseconds(&mut syncs, || drawing.buffers.sync(&drawing.queue, &ours))?;
                drawing.device.poll(wgpu::PollType::wait_indefinitely())?;
                // Nothing is culled again for views that stay.
                let views = views.map(|view| view.with_detail([0.0, dice.f64(), 0.0], 0.0));
                calls = microseconds(&mut draws, || drawing.draw(&views, false));
                microseconds(&mut alone, || drawing.draw(&views, true));
            }
        }
        let [a, b, c, d] = [&mut by_lists, &mut syncs, &mut draws, &mut alone].map(|samples| median_and_least(samples));
        let batches = drawing.buffers.scene().batches().len();
        let [ratio, least] = [b[0] / a[0], b[1] / a[1]];
        print!("{count:9} {moved:9}  {:7.1} {:7.1}  {:7.1} {:7.1}  {ratio:.3} {least:.3}", a[0], a[1], b[0], b[1]);
        print!("  {:6.1} {:6.1}  {:6.1} {:6.1}", c[0], c[1], d[0], d[1]);
        println!("  {calls} calls of {batches} batches");
    }
    Ok(())
}
