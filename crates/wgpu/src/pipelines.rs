//! Compute passes, and what they bind.

use crate::buffers::short;
use wgpu::{
    BindGroup, BindGroupLayout, BindingResource, BindingType, ComputePass, ComputePipeline, Device, ShaderModule,
    ShaderStages,
};

/// A compute pass with the layout of its last group.
#[derive(Debug)]
pub(crate) struct Pass {
    pipeline: ComputePipeline,
    pub(crate) layout: BindGroupLayout,
}

impl Pass {
    /// Creates a pass with an entry point of a module. Its groups have these layouts; if none are given, it has one
    /// group, with what the entry point names.
    pub(crate) fn new(
        device: &Device,
        (entry, module): (&str, &ShaderModule),
        layouts: &[Option<&BindGroupLayout>],
        constants: &[(&str, f64)],
    ) -> Self {
        let label = Some(entry);
        let given = wgpu::PipelineLayoutDescriptor { label, bind_group_layouts: layouts, immediate_size: 0 };
        let given = (!layouts.is_empty()).then(|| device.create_pipeline_layout(&given));
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label,
            layout: given.as_ref(),
            module,
            entry_point: label,
            compilation_options: wgpu::PipelineCompilationOptions { constants, ..Default::default() },
            cache: None,
        });
        Self { layout: pipeline.get_bind_group_layout(short(layouts.len().saturating_sub(1))), pipeline }
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

/// Compiles a text, once for all passes with its entry points.
pub(crate) fn module(device: &Device, source: &str) -> ShaderModule {
    let source = wgpu::ShaderSource::Wgsl(source.into());
    device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some("hedgerow"), source })
}

/// Returns the type of a buffer.
pub(crate) const fn buffer(ty: wgpu::BufferBindingType) -> BindingType {
    BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None }
}

pub(crate) const UNIFORM: BindingType = buffer(wgpu::BufferBindingType::Uniform);
pub(crate) const READ: BindingType = buffer(wgpu::BufferBindingType::Storage { read_only: true });
pub(crate) const WRITE: BindingType = buffer(wgpu::BufferBindingType::Storage { read_only: false });

/// Returns the type of a texture that is loaded from.
pub(crate) const fn texture(sample_type: wgpu::TextureSampleType) -> BindingType {
    BindingType::Texture { sample_type, view_dimension: wgpu::TextureViewDimension::D2, multisampled: false }
}

/// Returns the layout of a group that these stages see.
pub(crate) fn layout(device: &Device, visibility: ShaderStages, bindings: &[BindingType]) -> BindGroupLayout {
    let entry = |(binding, &ty)| wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None };
    let entries: Vec<_> = (0..).zip(bindings).map(entry).collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some("hedgerow"), entries: &entries })
}

/// Binds resources in their order.
pub(crate) fn bind(device: &Device, layout: &BindGroupLayout, resources: &[BindingResource<'_>]) -> BindGroup {
    let entry = |(binding, resource): (u32, &_)| wgpu::BindGroupEntry { binding, resource: Clone::clone(resource) };
    let entries: Vec<_> = (0..).zip(resources).map(entry).collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}
