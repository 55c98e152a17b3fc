//! Buffers on a device beside the scene, and what it sees and draws. Needs an adapter; a software one will do, such as
//! lavapipe (Debian's package mesa-vulkan-drivers). Without one the tests say so and pass, unless `HEDGEROW_WGPU` is set.

use crate::cull::{args, cameras, levels, tables, town};
use crate::painter::Painter;
use bytemuck::{Pod, cast_slice, pod_collect_to_vec};
use hedgerow::glam::Vec3;
use hedgerow::{Aabb, DrawList, Drawable, Node, Scene, Transform};
use hedgerow_wgpu::SceneTables;
use hedgerow_wgpu::gpu::{Buffer, FETCH, FETCH_TEXTURES, MeshArgs, Pass, SKIN, SKIN_TEXTURES};
use wgpu::{BindingResource, BufferUsages, Device, Queue};

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
        let mut buffers = SceneTables::new(&gpu.0, tables());
        buffers.sync(&gpu.1, &scene).unwrap();
        let [camera, other, ..] = cameras(Vec3::ZERO, 0.0);
        let painter = Painter::new(&gpu, &buffers, [256; 2], true);
        let mut encoder = encoder_of(&gpu);
        buffers.cull(&gpu.1, &mut encoder, &[other.view(), camera.view()]);
        painter.draw_view(&mut encoder, &buffers, true, 1);
        let by_commands = painter.finish(&gpu, encoder, &camera.matrix);
        let mut list = DrawList::new();
        camera.cull(&scene, &mut list, Some(&levels()));
        let slots: Vec<u32> =
            list.commands().iter().map(|command| buffers.scene().slot(&scene, command.node).unwrap() as u32).collect();
        let visible = filled(&gpu, cast_slice(&slots), BufferUsages::VERTEX);
        let mut encoder = encoder_of(&gpu);
        painter.draw(&mut encoder, &buffers, true, |pass, pipelines| {
            pass.set_vertex_buffer(1, visible.slice(..));
            for (number, command) in (0..).zip(list.commands()) {
                let mirrored = scene.get(command.node).unwrap().world().is_mirrored();
                pass.set_pipeline(&pipelines[usize::from(mirrored)]);
                let MeshArgs { index_count, first_index, base_vertex } = args(command.mesh);
                pass.draw_indexed(first_index..first_index + index_count, base_vertex, number..number + 1);
            }
        });
        let by_lists = painter.finish(&gpu, encoder, &camera.matrix);
        let differ = by_commands.iter().zip(&by_lists).filter(|(a, b)| a != b).count();
        let drawn = by_lists.iter().filter(|&&pixel| pixel != by_lists[0]).count();
        assert!(differ == 0 && drawn > 1000, "{differ} pixels differ of {drawn} that are drawn");
    }
}

#[test]
fn the_generation_changes_if_only_what_culling_writes_is_replaced() {
    let Some(gpu) = device(wgpu::Features::INDIRECT_FIRST_INSTANCE) else { return };
    let mut buffers = SceneTables::new(&gpu.0, tables());
    let resources = |buffers: &SceneTables| {
        Buffer::ALL.map(|buffer| match buffers.resource(buffer) {
            Some(BindingResource::Buffer(binding)) => binding.buffer.clone(),
            _ => unreachable!("tables are in buffers"),
        })
    };
    let (mut scene, mut alone) = (Scene::new(), 0);
    for number in 0..1500 {
        let place = Transform::from_xyz(number as f32, 0.0, 0.0);
        let drawable = Drawable::new(number % 3, Aabb::cube(1.0));
        scene.insert(scene.root(), Node::transform(place).with_drawable(drawable).with_material(0)).unwrap();
        scene.update();
        let before = (buffers.generation(), resources(&buffers));
        buffers.sync(&gpu.1, &scene).unwrap();
        let after = resources(&buffers);
        assert_eq!(before.0 != buffers.generation(), before.1 != after, "{number}");
        let is_written = |buffer| [Buffer::Commands, Buffer::Visible, Buffer::Template].contains(&buffer);
        let replaced = Buffer::ALL.into_iter().filter(|&buffer| before.1[buffer as usize] != after[buffer as usize]);
        let replaced: Vec<_> = replaced.collect();
        alone += u32::from(replaced.contains(&Buffer::Visible) && replaced.into_iter().all(is_written));
    }
    assert!(alone > 0, "a sync replaces only what culling writes");
}

#[test]
fn shaders_are_valid_and_need_no_more_than_the_default_limits() {
    let user = "@vertex fn main(@location(0) point: vec3f, @location(1) slot: u32) -> @builtin(position) vec4f {
        let matrix = hg_matrix(slot);
        return vec4f(hg_world(matrix, point) + hg_previous_world(matrix, point) + hg_normal(matrix, point), 1.0);
    }";
    let textures = format!("{FETCH_TEXTURES}{SKIN_TEXTURES}{user}");
    for (source, storage) in [(format!("{FETCH}{user}"), 3), (format!("{FETCH}{SKIN}{user}"), 5), (textures, 0)] {
        let (module, _) = valid(&source);
        let buffers = module.global_variables.iter();
        let buffers = buffers.filter(|(_, variable)| matches!(variable.space, naga::AddressSpace::Storage { .. }));
        assert_eq!(buffers.count(), storage);
    }
}

fn valid(source: &str) -> (naga::Module, naga::valid::ModuleInfo) {
    let module: naga::Module = naga::front::wgsl::parse_str(source).expect("it is WGSL");
    let (flags, capabilities) = (naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty());
    let info = naga::valid::Validator::new(flags, capabilities).validate(&module).expect("it is valid");
    (module, info)
}

#[test]
fn passes_bind_what_their_shaders_use_and_no_more_than_the_default_limits() {
    for pass in Pass::ALL {
        let (module, info) = valid(pass.shader());
        let entry = module.entry_points.iter().position(|entry| entry.name == pass.entry_point()).expect("a function");
        let uses = info.get_entry_point(entry);
        let mut used = Vec::new();
        for (handle, variable) in module.global_variables.iter().filter(|(handle, _)| !uses[*handle].is_empty()) {
            if variable.space == naga::AddressSpace::WorkGroup {
                continue;
            }
            let naga::ResourceBinding { group, binding } = variable.binding.expect("a resource");
            // The depth alone is no buffer.
            assert_eq!(group == 1, variable.space == naga::AddressSpace::Handle, "{pass:?}: {:?}", variable.name);
            let written = match variable.space {
                naga::AddressSpace::Storage { access } => access.contains(naga::StorageAccess::STORE),
                _ => false,
            };
            let is_uniform = variable.space == naga::AddressSpace::Uniform;
            if group == 0 {
                used.push((binding, is_uniform, written));
            }
            assert!(group == 0 || pass == Pass::ReduceDepth && binding == 0);
            assert!(is_uniform || !uses[handle].contains(naga::valid::GlobalUse::WRITE) || written);
        }
        used.sort_unstable();
        let bindings = pass.bindings();
        let told: Vec<_> =
            bindings.iter().map(|bound| (bound.number, bound.buffer.is_uniform(), bound.written)).collect();
        assert_eq!(used, told, "{pass:?}");
        let storage = bindings.iter().filter(|bound| !bound.buffer.is_uniform()).count();
        let limits = wgpu::Limits::default();
        assert!(storage <= limits.max_storage_buffers_per_shader_stage as usize, "{pass:?}");
        let size = module.entry_points[entry].workgroup_size;
        assert!(size.iter().product::<u32>() <= limits.max_compute_invocations_per_workgroup, "{pass:?}");
    }
}

pub(crate) fn encoder_of((device, _): &(Device, Queue)) -> wgpu::CommandEncoder {
    device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
}

pub(crate) fn filled((device, queue): &(Device, Queue), contents: &[u8], usage: BufferUsages) -> wgpu::Buffer {
    let usage = usage | BufferUsages::COPY_DST;
    let size = contents.len() as u64;
    let buffer = device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
    queue.write_buffer(&buffer, 0, contents);
    buffer
}

/// Runs a compute shader over so many threads. Each group has a number, and its resources in the order of their
/// bindings.
pub(crate) fn compute(gpu: &(Device, Queue), source: &str, groups: &[(u32, Vec<BindingResource<'_>>)], threads: u32) {
    let source = wgpu::ShaderSource::Wgsl(source.into());
    let module = gpu.0.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
    let pipeline = gpu.0.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: Default::default(),
        cache: None,
    });
    let mut encoder = encoder_of(gpu);
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(&pipeline);
    for (number, resources) in groups {
        let entries = (0..).zip(resources);
        let entries = entries.map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource: resource.clone() });
        let entries: Vec<_> = entries.collect();
        let layout = &pipeline.get_bind_group_layout(*number);
        let group = wgpu::BindGroupDescriptor { label: None, layout, entries: &entries };
        pass.set_bind_group(*number, &gpu.0.create_bind_group(&group), &[]);
    }
    pass.dispatch_workgroups(threads.div_ceil(64), 1, 1);
    drop(pass);
    gpu.1.submit([encoder.finish()]);
}
