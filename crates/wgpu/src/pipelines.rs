//! The compute passes, and the layouts of their bindings.

use hedgerow_gpu::{CULL, SCATTER, SETTLE};
use wgpu::{BindGroup, BindGroupLayout, BindingResource, BindingType, Buffer, ComputePass, ComputePipeline, Device};
use wgpu::{BufferBindingType, ShaderStages};

/// A compute pass with the layouts of its groups.
#[derive(Debug)]
pub(crate) struct Pass {
    pipeline: ComputePipeline,
    layouts: Vec<BindGroupLayout>,
}

/// All compute passes, and the layout of what shaders that draw read.
#[derive(Debug)]
pub(crate) struct Passes {
    pub(crate) scatter: Pass,
    pub(crate) settle: Pass,
    pub(crate) cull_ranges: Pass,
    pub(crate) cull: Pass,
    pub(crate) fetch: BindGroupLayout,
    pub(crate) skin: BindGroupLayout,
}

impl Passes {
    pub(crate) fn new(device: &Device) -> Self {
        let (read, write) = (storage(true), storage(false));
        let stages = ShaderStages::VERTEX_FRAGMENT | ShaderStages::COMPUTE;
        let compute = |entry, source, bindings: &[BindingType]| {
            Pass::new(device, entry, source, &[layout(device, entry, ShaderStages::COMPUTE, bindings)], &[])
        };
        let cull = [UNIFORM, read, read, read, read, write, write, write, write];
        let cull = compute("cull_drawables", CULL, &cull);
        Self {
            scatter: compute("scatter_items", SCATTER, &[UNIFORM, read, write]),
            settle: compute("settle_matrices", SETTLE, &[UNIFORM, read, read, write]),
            cull_ranges: Pass::new(device, "cull_ranges", CULL, &cull.layouts, &[]),
            cull,
            fetch: layout(device, "hedgerow fetch", stages, &[read; 3]),
            skin: layout(device, "hedgerow skin", stages, &[read; 5]),
        }
    }
}

impl Pass {
    pub(crate) fn new(
        device: &Device,
        entry: &str,
        source: &str,
        layouts: &[BindGroupLayout],
        constants: &[(&str, f64)],
    ) -> Self {
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(entry),
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
        let of_pipeline = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(entry),
            bind_group_layouts: &layouts.iter().map(Some).collect::<Vec<_>>(),
            immediate_size: 0,
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry),
            layout: Some(&of_pipeline),
            module: &module,
            entry_point: Some(entry),
            compilation_options: wgpu::PipelineCompilationOptions { constants, ..Default::default() },
            cache: None,
        });
        Self { pipeline, layouts: layouts.to_vec() }
    }

    /// Returns the layout of the last group.
    pub(crate) fn layout(&self) -> &BindGroupLayout {
        &self.layouts[self.layouts.len() - 1]
    }

    pub(crate) fn bind<'b>(
        &self,
        device: &Device,
        bindings: impl IntoIterator<Item = BindingResource<'b>>,
    ) -> BindGroup {
        bind(device, self.layout(), bindings)
    }

    /// Runs so many threads, in workgroups of 64, of which a dimension has at most 65,535.
    pub(crate) fn run(&self, pass: &mut ComputePass<'_>, groups: &[&BindGroup], threads: u32) {
        let workgroups = threads.div_ceil(64);
        let rows = workgroups.div_ceil(65_535).max(1);
        self.run_grid(pass, groups, [workgroups.div_ceil(rows), rows]);
    }

    /// Runs so many workgroups.
    pub(crate) fn run_grid(&self, pass: &mut ComputePass<'_>, groups: &[&BindGroup], [width, height]: [u32; 2]) {
        pass.set_pipeline(&self.pipeline);
        for (number, group) in (0..).zip(groups) {
            pass.set_bind_group(number, *group, &[]);
        }
        pass.dispatch_workgroups(width, height, 1);
    }
}

pub(crate) const UNIFORM: BindingType =
    BindingType::Buffer { ty: BufferBindingType::Uniform, has_dynamic_offset: false, min_binding_size: None };

const fn storage(read_only: bool) -> BindingType {
    let ty = BufferBindingType::Storage { read_only };
    BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None }
}

pub(crate) fn layout(
    device: &Device,
    label: &str,
    visibility: ShaderStages,
    bindings: &[BindingType],
) -> BindGroupLayout {
    let entry = |(binding, &ty)| wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None };
    let entries: Vec<_> = (0..).zip(bindings).map(entry).collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries: &entries })
}

/// Binds resources in their order.
pub(crate) fn bind<'b>(
    device: &Device,
    layout: &BindGroupLayout,
    bindings: impl IntoIterator<Item = BindingResource<'b>>,
) -> BindGroup {
    let entry = |(binding, resource)| wgpu::BindGroupEntry { binding, resource };
    let entries: Vec<_> = (0..).zip(bindings).map(entry).collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}

/// A part of a buffer; all from the offset on if it has no bytes.
pub(crate) fn part(buffer: &Buffer, offset: u64, bytes: u64) -> BindingResource<'_> {
    let size = core::num::NonZero::new(bytes);
    BindingResource::Buffer(wgpu::BufferBinding { buffer, offset, size })
}
