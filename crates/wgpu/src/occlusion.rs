//! What is hidden behind other drawables.

use crate::SceneTables;
use crate::buffers::{make, short};
use crate::pipelines::{Pass, UNIFORM, bind, layout, module, texture};
use bytemuck::{Pod, Zeroable, bytes_of};
use hedgerow::glam::Mat4;
use hedgerow_gpu::{CULL, OCCLUSION, PYRAMID};
use wgpu::{BindGroup, BindingResource, BufferUsages, CommandEncoder, Device, Queue, ShaderStages, TextureView};
use wgpu::{TextureFormat, TextureSampleType, TextureUsages, TextureViewDescriptor};

/// Culls what is hidden in view 0, in two passes, for tables made [with
/// occlusion](hedgerow_gpu::GpuScene::with_occlusion). Each frame, after [`SceneTables::cull`]:
///
/// 1. draw view 0, which has what was seen last;
/// 2. [`cull`](Self::cull) by the depth of that;
/// 3. draw the view of number [`views`](hedgerow_gpu::GpuScene::views), which has the rest, without clearing.
///
/// The picture is the same as without occlusion, for a depth of any size with one sample. The pyramid takes 1.4 to 5.4
/// bytes a pixel.
#[derive(Debug)]
pub struct Occlusion {
    device: Device,
    /// For the first level, and for others.
    reduce: [Pass; 2],
    cull: Pass,
    uniform: wgpu::Buffer,
    pyramid: Option<Pyramid>,
}

#[derive(Debug)]
struct Pyramid {
    /// The size of the depth.
    of: wgpu::Extent3d,
    levels: Vec<TextureView>,
    /// For each level but the first, the level before it and the level.
    groups: Vec<BindGroup>,
    group: BindGroup,
}

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Uniform {
    matrix: Mat4,
    size: [u32; 4],
}

impl Occlusion {
    /// Creates the passes. `reversed`: nearer depths are greater.
    ///
    /// # Panics
    /// Panics if the tables are in textures.
    #[must_use]
    pub fn new(device: &Device, tables: &SceneTables, reversed: bool) -> Self {
        let constants = [("REVERSED", f64::from(u8::from(reversed)))];
        let pyramid = module(device, PYRAMID);
        let reduce = ["reduce_depth", "reduce_level"];
        let hidden = module(device, &format!("{CULL}{OCCLUSION}"));
        let bindings = [UNIFORM, texture(TextureSampleType::Float { filterable: false })];
        let of_pyramid = layout(device, ShaderStages::COMPUTE, &bindings);
        let layouts = [Some(&tables.place.culling().drawables.layout), Some(&of_pyramid)];
        let uniform = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
        Self {
            device: device.clone(),
            reduce: reduce.map(|entry| Pass::new(device, (entry, &pyramid), &[], &constants)),
            cull: Pass::new(device, ("cull_hidden", &hidden), &layouts, &constants),
            uniform: make(device, "hedgerow occlusion", size_of::<Uniform>() as u64, uniform),
            pyramid: None,
        }
    }

    /// Lists what view 0 sees and did not see last, by a depth to which that was drawn. `matrix` is the view and
    /// projection of the frustum of view 0; `depth` is a view of the whole depth, whose texture has the usage
    /// `TEXTURE_BINDING`. Call it once for a submit.
    ///
    /// The picture must fill the depth, without a smaller viewport. Of a format with a stencil, pass a view of the
    /// depth alone.
    ///
    /// # Panics
    /// Panics unless the tables were made [with occlusion](hedgerow_gpu::GpuScene::with_occlusion), or if they are in
    /// textures.
    pub fn cull(
        &mut self,
        queue: &Queue,
        encoder: &mut CommandEncoder,
        tables: &SceneTables,
        matrix: &Mat4,
        depth: &TextureView,
    ) {
        assert!(tables.scene().has_occlusion(), "make the tables by `GpuScene::with_occlusion`");
        let of = depth.texture().size();
        if self.pyramid.as_ref().is_none_or(|pyramid| pyramid.of != of) {
            self.pyramid = Some(self.make_pyramid(of));
        }
        let Some(pyramid) = &self.pyramid else { return };
        queue.write_buffer(&self.uniform, 0, bytes_of(&Uniform { matrix: *matrix, size: [of.width, of.height, 0, 0] }));
        let views = [depth, &pyramid.levels[0]].map(BindingResource::TextureView);
        let first = bind(&self.device, &self.reduce[0].layout, &views);
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for (level, group) in (0..).zip([&first].into_iter().chain(&pyramid.groups)) {
            let reduce = &self.reduce[usize::from(level > 0)];
            let size = pyramid.levels[0].texture().size().mip_level_size(level, wgpu::TextureDimension::D2);
            reduce.run_grid(&mut pass, &[group], [size.width.div_ceil(8), size.height.div_ceil(8)]);
        }
        self.cull.run(&mut pass, &[&tables.place.culling().group, &pyramid.group], short(tables.scene().len()));
    }

    fn make_pyramid(&self, of: wgpu::Extent3d) -> Pyramid {
        let half = |pixels: u32| pixels.div_ceil(2).next_power_of_two();
        let (width, height) = (half(of.width), half(of.height));
        let texture = self.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("hedgerow pyramid"),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: width.max(height).ilog2() + 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: TextureFormat::R32Float,
            usage: TextureUsages::TEXTURE_BINDING | TextureUsages::STORAGE_BINDING,
            view_formats: &[],
        });
        let level = |base_mip_level| {
            let plain = TextureViewDescriptor::default();
            texture.create_view(&TextureViewDescriptor { base_mip_level, mip_level_count: Some(1), ..plain })
        };
        let levels: Vec<_> = (0..texture.mip_level_count()).map(level).collect();
        let pairs = levels.iter().zip(&levels[1..]).map(|(finer, level)| [finer, level]);
        let bound = |pair: [_; 2]| bind(&self.device, &self.reduce[1].layout, &pair.map(BindingResource::TextureView));
        let groups = pairs.map(bound).collect();
        let whole = texture.create_view(&TextureViewDescriptor::default());
        let bindings = [self.uniform.as_entire_binding(), BindingResource::TextureView(&whole)];
        let group = bind(&self.device, &self.cull.layout, &bindings);
        Pyramid { of, groups, levels, group }
    }
}
