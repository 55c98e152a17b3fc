//! Pipelines, textures and bindings.

use super::stage::Vertex;
use wgpu::{Device, RenderPipeline, ShaderStages, TextureFormat, TextureUsages};

pub(crate) const DEPTH: TextureFormat = TextureFormat::Depth32Float;

/// Returns the layout of two bindings, and their group.
pub(crate) fn group(
    device: &Device,
    bound: [(wgpu::BindingResource<'_>, wgpu::BindingType); 2],
) -> (wgpu::BindGroupLayout, wgpu::BindGroup) {
    let [first, second] = bound;
    let visibility = ShaderStages::VERTEX_FRAGMENT;
    let entry = |(binding, ty)| wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None };
    let entries = [(0, first.1), (1, second.1)].map(entry);
    let layout = wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries };
    let layout = device.create_bind_group_layout(&layout);
    let entries = [(0, first.0), (1, second.0)].map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource });
    let group =
        device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries });
    (layout, group)
}

pub(crate) fn texture(
    device: &Device,
    [width, height]: [u32; 2],
    format: TextureFormat,
    usage: TextureUsages,
) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: usage | TextureUsages::RENDER_ATTACHMENT,
        view_formats: &[],
    })
}

/// Makes a pipeline of vertices and visible slots; without a format, one that draws depth alone.
pub(crate) fn pipeline(
    device: &Device,
    layout: &wgpu::PipelineLayout,
    (module, entry): (&wgpu::ShaderModule, &str),
    primitive: wgpu::PrimitiveState,
    format: Option<TextureFormat>,
) -> RenderPipeline {
    let attributes = wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Uint16x4, 3 => Float32x4];
    let targets = [format.map(wgpu::ColorTargetState::from)];
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(entry),
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some(entry),
            compilation_options: Default::default(),
            buffers: &[
                Some(wgpu::VertexBufferLayout {
                    array_stride: size_of::<Vertex>() as u64,
                    step_mode: wgpu::VertexStepMode::Vertex,
                    attributes: &attributes,
                }),
                Some(wgpu::VertexBufferLayout {
                    array_stride: 4,
                    step_mode: wgpu::VertexStepMode::Instance,
                    attributes: &wgpu::vertex_attr_array![4 => Uint32],
                }),
            ],
        },
        primitive,
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Less),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        multisample: Default::default(),
        fragment: format.is_some().then(|| wgpu::FragmentState {
            module,
            entry_point: Some("lit"),
            compilation_options: Default::default(),
            targets: &targets,
        }),
        multiview_mask: None,
        cache: None,
    })
}
