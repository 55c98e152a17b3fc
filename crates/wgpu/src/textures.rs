//! The tables of a scene in textures, for devices without storage buffers.

use crate::pipelines::{bind, layout};
use core::ops::Range;
use hedgerow::Scene;
use hedgerow_gpu::{Buffer, Error, GpuScene, ROW, Step, Synced};
use wgpu::{BindGroup, BindGroupLayout, BindingResource, BindingType, Device, Extent3d, Queue, Texture, TextureUsages};

/// The tables that shaders read are the first ones.
const TABLES: usize = Buffer::Instances as usize + 1;

/// The tables of a scene in textures: for devices without compute shaders or storage buffers, such as WebGL 2. They execute
/// the steps of a [`GpuScene`]; nothing is culled.
///
/// Put [`FETCH_TEXTURES`](hedgerow_gpu::FETCH_TEXTURES), and [`SKIN_TEXTURES`](hedgerow_gpu::SKIN_TEXTURES) behind it,
/// before your shader, in place of `FETCH` and `SKIN`: the functions are the same, so one shader serves both. What is seen,
/// `Scene::cull` lists. Bind a vertex buffer with the [slot](GpuScene::slot) of each drawable in place of the visible slots,
/// and draw each mesh with its range of it.
///
/// ```no_run
/// use hedgerow::Scene;
/// use hedgerow_wgpu::SceneTextures;
/// use hedgerow_wgpu::gpu::GpuScene;
///
/// # fn draw(
/// #     (device, queue): (wgpu::Device, wgpu::Queue), scene: &mut Scene, groups: &hedgerow::draw::DrawGroups,
/// #     list: &hedgerow::DrawList, pass: &mut wgpu::RenderPass<'_>,
/// # ) -> Result<(), Box<dyn std::error::Error>> {
/// let mut textures = SceneTextures::new(&device, GpuScene::new());
/// // Each frame:
/// scene.update();
/// textures.sync(&queue, scene)?;
/// let commands = groups.instances().iter().map(|&draw| &list.commands()[draw as usize]);
/// let slots: Vec<_> = commands.map(|command| textures.scene().slot(scene, command.node)).collect();
/// pass.set_bind_group(1, textures.group(), &[]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct SceneTextures {
    scene: GpuScene,
    device: Device,
    tables: [Texture; TABLES],
    /// For shaders without and with palettes.
    layouts: [BindGroupLayout; 2],
    groups: [BindGroup; 2],
    generation: u64,
}

impl SceneTextures {
    /// Creates empty textures. The next sync writes everything, and refuses tables that are higher than a texture of the
    /// device: with 2,048 rows, which all have, 349,000 matrices and 466,000 drawables. Views of the tables have
    /// no effect.
    #[must_use]
    pub fn new(device: &Device, scene: GpuScene) -> Self {
        let rows = u64::from(device.limits().max_texture_dimension_2d);
        let most = (rows * row_of(Buffer::Instances)).min(scene.max_buffer_size());
        // No view is culled, and one list is the least.
        let mut scene = scene.without_scatter().with_views(1).with_max_buffer_size(most);
        scene.invalidate();
        let tables = core::array::from_fn(|number| make(device, Buffer::ALL[number], 1));
        let layouts = [("hedgerow fetch", 3), ("hedgerow skin", 5)].map(|(label, count)| {
            let (sample_type, view_dimension) = (wgpu::TextureSampleType::Uint, wgpu::TextureViewDimension::D2);
            let texture = BindingType::Texture { sample_type, view_dimension, multisampled: false };
            layout(
                device,
                label,
                wgpu::ShaderStages::VERTEX_FRAGMENT | wgpu::ShaderStages::COMPUTE,
                &vec![texture; count],
            )
        });
        let groups = bound(device, &layouts, &tables, scene.has_previous());
        Self { scene, device: device.clone(), tables, layouts, groups, generation: 0 }
    }

    /// Returns the tables.
    #[must_use]
    pub const fn scene(&self) -> &GpuScene {
        &self.scene
    }

    /// Returns the tables, for example to set a palette.
    pub const fn scene_mut(&mut self) -> &mut GpuScene {
        &mut self.scene
    }

    /// Returns a table; `None` for those of culling.
    #[must_use]
    pub fn texture(&self, buffer: Buffer) -> Option<&Texture> {
        self.tables.get(buffer as usize)
    }

    /// Returns a number that grows when a sync replaces a texture, and with it the bind groups: then bind those of your own
    /// anew that have [`texture`](Self::texture).
    #[must_use]
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the layout of [`group`](Self::group), for your pipelines. Shaders of all stages see it.
    #[must_use]
    pub const fn layout(&self) -> &BindGroupLayout {
        &self.layouts[0]
    }

    /// Returns the bind group that [`FETCH_TEXTURES`](hedgerow_gpu::FETCH_TEXTURES) reads. Ask again after each sync.
    #[must_use]
    pub const fn group(&self) -> &BindGroup {
        &self.groups[0]
    }

    /// Returns the layout of [`skin_group`](Self::skin_group), for pipelines that draw deformed drawables.
    #[must_use]
    pub const fn skin_layout(&self) -> &BindGroupLayout {
        &self.layouts[1]
    }

    /// Returns the bind group that [`SKIN_TEXTURES`](hedgerow_gpu::SKIN_TEXTURES) reads, too. Ask again after each sync.
    #[must_use]
    pub const fn skin_group(&self) -> &BindGroup {
        &self.groups[1]
    }

    /// Brings the textures up to the scene's last update. The writes are done before what you submit next.
    ///
    /// # Errors
    /// Those of [`GpuScene::sync`].
    pub fn sync(&mut self, queue: &Queue, scene: &Scene) -> Result<Synced, Error> {
        let Self { scene: gpu, device, tables, layouts, groups, generation } = self;
        let (mut replaced, mut written, mut steps) = (false, 0, 0);
        let has_previous = gpu.has_previous();
        // A copy reads what was written before it, and is done before later writes: a submit of its own.
        let submit = |copy: &dyn Fn(&mut wgpu::CommandEncoder)| {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            copy(&mut encoder);
            queue.submit([encoder.finish()]);
        };
        let synced = gpu.sync(scene, |step| match step {
            Step::Resize { buffer, bytes, keep } => {
                let Some(table) = tables.get_mut(buffer as usize) else { return };
                let rows = u32::try_from(bytes.div_ceil(row_of(buffer))).unwrap_or(u32::MAX);
                if table.height() < rows {
                    steps += 1;
                    let old = core::mem::replace(table, make(device, buffer, rows));
                    replaced = true;
                    if keep {
                        let [from, to] = [&old, table].map(Texture::as_image_copy);
                        submit(&|encoder| encoder.copy_texture_to_texture(from, to, old.size()));
                    }
                }
            }
            Step::Write { buffer, offset, bytes } => {
                let Some(table) = tables.get(buffer as usize) else { return };
                (written, steps) = (written + bytes.len() as u64, steps + 1);
                let texel = buffer.texel();
                for (before, origin, size) in rectangles(texels(buffer, offset..offset + bytes.len() as u64)) {
                    let to = wgpu::TexelCopyTextureInfo { origin, ..table.as_image_copy() };
                    let bytes_per_row = Some(ROW * texel);
                    let layout = wgpu::TexelCopyBufferLayout {
                        offset: u64::from(texel) * u64::from(before),
                        bytes_per_row,
                        rows_per_image: None,
                    };
                    queue.write_texture(to, bytes, layout, size);
                }
            }
            Step::Settle { from, to, ranges, .. } => {
                steps += 1;
                let stride = from.stride() as u64;
                let [source, target] = [from, to].map(|buffer| tables[buffer as usize].as_image_copy());
                submit(&|encoder| {
                    for range in ranges {
                        let bytes = u64::from(range.start) * stride..u64::from(range.end) * stride;
                        for (_, origin, size) in rectangles(texels(from, bytes)) {
                            let [from, to] = [source, target].map(|of| wgpu::TexelCopyTextureInfo { origin, ..of });
                            encoder.copy_texture_to_texture(from, to, size);
                        }
                    }
                });
            }
            // The tables yield none.
            Step::Scatter { .. } => {}
        });
        if replaced {
            *groups = bound(device, layouts, tables, has_previous);
            *generation += 1;
        }
        synced.map(|synced| Synced { bytes: written, steps, ..synced })
    }
}

/// Returns the number of bytes in a row of a table.
fn row_of(buffer: Buffer) -> u64 {
    u64::from(ROW) * u64::from(buffer.texel())
}

fn make(device: &Device, buffer: Buffer, rows: u32) -> Texture {
    let format = if buffer.texel() == 4 { wgpu::TextureFormat::R32Uint } else { wgpu::TextureFormat::Rgba32Uint };
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some(&format!("hedgerow {buffer:?}")),
        size: Extent3d { width: ROW, height: rows, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST | TextureUsages::COPY_SRC,
        view_formats: &[],
    })
}

fn bound(
    device: &Device,
    layouts: &[BindGroupLayout; 2],
    tables: &[Texture; TABLES],
    previous: bool,
) -> [BindGroup; 2] {
    use Buffer::{Instances, Matrices, Palettes, Previous, PreviousPalettes};
    let [matrices, palettes] = if previous { [Previous, PreviousPalettes] } else { [Matrices, Palettes] };
    let views = [Matrices, Instances, matrices, Palettes, palettes]
        .map(|buffer| tables[buffer as usize].create_view(&wgpu::TextureViewDescriptor::default()));
    let resources = |count: usize| views.iter().take(count).map(BindingResource::TextureView);
    [bind(device, &layouts[0], resources(3)), bind(device, &layouts[1], resources(5))]
}

/// Returns the texels of a range of bytes.
fn texels(buffer: Buffer, bytes: Range<u64>) -> Range<u32> {
    let texel = |byte: u64| u32::try_from(byte / u64::from(buffer.texel())).unwrap_or(u32::MAX);
    texel(bytes.start)..texel(bytes.end)
}

/// Returns the rectangles that cover a range of texels, each with the number of texels before it: the end of a row, whole
/// rows, and the beginning of a row.
fn rectangles(texels: Range<u32>) -> impl Iterator<Item = (u32, wgpu::Origin3d, Extent3d)> {
    let mut first = texels.start;
    core::iter::from_fn(move || {
        let left = texels.end.checked_sub(first).filter(|&left| left > 0)?;
        let (x, y, before) = (first % ROW, first / ROW, first - texels.start);
        let [width, height] = if x == 0 && left >= ROW { [ROW, left / ROW] } else { [left.min(ROW - x), 1] };
        first += width * height;
        Some((before, wgpu::Origin3d { x, y, z: 0 }, Extent3d { width, height, depth_or_array_layers: 1 }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_cover_each_texel_of_a_range_once() {
        for (texels, count) in [
            (7..7, 0),
            (7..8, 1),
            (0..3 * ROW, 1),
            (ROW - 1..ROW + 1, 2),
            (5..3 * ROW, 2),
            (2 * ROW..4 * ROW + 1, 2),
            (ROW + 2000..5 * ROW + 9, 3),
        ] {
            let found: Vec<_> = rectangles(texels.clone()).collect();
            assert_eq!(found.len(), count, "{texels:?}: {found:?}");
            let mut next = texels.start;
            for (before, origin, size) in found {
                assert_eq!((texels.start + before, ROW * origin.y + origin.x), (next, next), "{texels:?}");
                assert!(origin.x + size.width <= ROW && (size.height == 1 || size.width == ROW), "{texels:?}");
                next += size.width * size.height;
            }
            assert_eq!(next, texels.end, "{texels:?}");
        }
    }
}
