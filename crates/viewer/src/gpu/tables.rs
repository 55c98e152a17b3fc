//! The scene's tables on the device, in buffers or in textures; and buffers and textures that are written if they change.

use super::Gpu;
use super::pipelines::Kind;
use crate::failure::Result;
use crate::stage::Stage;
use crate::stage::figures::Figures;
use hedgerow::data::NodeMap;
use hedgerow::{NodeHandle, Scene};
use hedgerow_wgpu::gpu::{FETCH, FETCH_TEXTURES, GpuScene, MeshArgs, ROW, SKIN, SKIN_TEXTURES, Synced};
use hedgerow_wgpu::{SceneBuffers, SceneTextures};
use std::ops::Range;
use std::sync::{Arc, Mutex};
use wgpu::util::DeviceExt as _;

/// The scene's tables, and the nodes whose figures deform them.
pub(super) struct Tables {
    pub(super) place: Place,
    /// The figures that draw nodes, and those that came with the last sync.
    figures: NodeMap<u32>,
    arrived: Arc<Mutex<Vec<(NodeHandle, u32)>>>,
    /// The number of times that a figure was posed.
    pub(super) posed: usize,
}

pub(super) enum Place {
    Buffers(Box<SceneBuffers>),
    /// Without storage buffers or compute shaders, as in WebGL 2.
    Textures(Box<SceneTextures>),
}

impl Tables {
    /// Returns empty tables for so many views. `parts` has the indices of each mesh.
    pub(super) fn new(gpu: &Gpu, stage: &Stage, parts: impl Iterator<Item = Range<u32>>, views: usize) -> Self {
        let arrived = Arc::new(Mutex::new(Vec::new()));
        let (of_figures, kinds) = (Arc::clone(&arrived), Kind::of_stage(stage));
        let key = move |drawn: &hedgerow::visit::ListedDrawable| {
            if let (Some(number), Ok(mut of_figures)) = (drawn.user_data.checked_sub(1), of_figures.lock()) {
                of_figures.push((drawn.node, number));
            }
            kinds(drawn.drawable.mesh, drawn.material)
        };
        let mut scene = GpuScene::new().with_views(views).with_key(key);
        for (mesh, indices) in (0..).zip(parts) {
            let index_count = indices.end - indices.start;
            scene.set_mesh(mesh, MeshArgs { index_count, first_index: indices.start, base_vertex: 0 });
        }
        if let Some(levels) = &stage.levels {
            scene.set_levels(&levels.table);
        }
        let place = if gpu.reads_textures() {
            Place::Textures(Box::new(SceneTextures::new(&gpu.device, scene)))
        } else {
            Place::Buffers(Box::new(SceneBuffers::new(&gpu.device, scene)))
        };
        Self { place, figures: NodeMap::default(), arrived, posed: 0 }
    }

    /// Returns the shader's text that reads tables.
    pub(super) fn text(gpu: &Gpu) -> String {
        if gpu.reads_textures() { [FETCH_TEXTURES, SKIN_TEXTURES] } else { [FETCH, SKIN] }.concat()
    }

    pub(super) fn scene(&self) -> &GpuScene {
        match &self.place {
            Place::Buffers(tables) => tables.scene(),
            Place::Textures(tables) => tables.scene(),
        }
    }

    /// Returns the bind group of the tables, and its layout.
    pub(super) fn bindings(&self) -> (&wgpu::BindGroup, &wgpu::BindGroupLayout) {
        match &self.place {
            Place::Buffers(tables) => (tables.skin_group(), tables.skin_layout()),
            Place::Textures(tables) => (tables.skin_group(), tables.skin_layout()),
        }
    }

    /// Writes what the scene's last update changed, and palettes of `figures` to those nodes that came and, if `changed`, to
    /// all.
    pub(super) fn sync(
        &mut self,
        gpu: &Gpu,
        scene: &Scene,
        figures: Option<&Figures>,
        changed: bool,
    ) -> Result<Synced> {
        if changed {
            let present: Vec<_> = self.figures.iter().map(|(node, &number)| (node, number)).collect();
            self.pose(scene, figures, &present);
        }
        let first = self.sync_once(gpu, scene)?;
        let mut arrived = self.arrived.lock().map_or_else(|_| Vec::new(), |mut arrived| std::mem::take(&mut *arrived));
        // Figures with another box are listed again, and were posed above.
        arrived.retain(|&(node, number)| self.figures.get(node) != Some(&number));
        if arrived.is_empty() {
            return Ok(first);
        }
        self.pose(scene, figures, &arrived);
        let then = self.sync_once(gpu, scene)?;
        Ok(Synced { bytes: first.bytes + then.bytes, steps: first.steps + then.steps, ..first })
    }

    fn sync_once(&mut self, gpu: &Gpu, scene: &Scene) -> Result<Synced> {
        Ok(match &mut self.place {
            Place::Buffers(tables) => tables.sync(&gpu.queue, scene)?,
            Place::Textures(tables) => tables.sync(&gpu.queue, scene)?,
        })
    }

    fn pose(&mut self, scene: &Scene, figures: Option<&Figures>, nodes: &[(NodeHandle, u32)]) {
        let Self { place, figures: present, posed, .. } = self;
        let tables = match place {
            Place::Buffers(tables) => tables.scene_mut(),
            Place::Textures(tables) => tables.scene_mut(),
        };
        for &(node, number) in nodes {
            if !scene.contains(node) {
                present.remove(node);
                continue;
            }
            _ = present.insert(node, number);
            if let Some(figures) = figures
                && let Some(figure) = figures.list.get(number as usize)
            {
                *posed += 1;
                let (palette, weights) = (figure.palette.clone(), figure.weights.clone());
                tables.set_palette(node, &figures.palettes[palette], &figures.weights[weights]);
            }
        }
    }
}

/// A buffer with its contents, which is replaced if it is too small.
pub(super) struct Kept {
    pub(super) buffer: wgpu::Buffer,
    bytes: Vec<u8>,
}

impl Kept {
    pub(super) fn new(gpu: &Gpu, label: &str, size: u64, usage: wgpu::BufferUsages) -> Self {
        Self { buffer: buffer(gpu, label, size, usage | wgpu::BufferUsages::COPY_DST), bytes: Vec::new() }
    }

    /// Writes from the first word that differs from those before to the last. Returns the number of bytes written.
    pub(super) fn set(&mut self, gpu: &Gpu, bytes: &[u8]) -> usize {
        let size = bytes.len() as u64;
        if self.buffer.size() < size {
            self.buffer = buffer(gpu, "grown", size + size / 4, self.buffer.usage());
            self.bytes.clear();
        }
        let range = differing(&self.bytes, bytes);
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
        if !range.is_empty() {
            gpu.queue.write_buffer(&self.buffer, range.start as u64, &bytes[range.clone()]);
        }
        range.len()
    }
}

/// Returns the bytes of the words from the first that `old` does not have to the last.
fn differing(old: &[u8], new: &[u8]) -> Range<usize> {
    let (old, new): (&[[u8; 4]], &[[u8; 4]]) = (old.as_chunks().0, new.as_chunks().0);
    let differs = |&at: &usize| old.get(at) != new.get(at);
    let first = (0..new.len()).find(differs).unwrap_or(new.len());
    4 * first..4 * (first..new.len()).rfind(differs).map_or(first, |last| last + 1)
}

pub(super) fn buffer(gpu: &Gpu, label: &str, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    let size = size.max(256).next_multiple_of(4);
    gpu.device.create_buffer(&wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false })
}

/// Returns a texture whose texels are items of a list, in rows of [`ROW`].
pub(super) fn listed<T: bytemuck::Pod>(gpu: &Gpu, format: wgpu::TextureFormat, items: &[T]) -> wgpu::TextureView {
    let mut items = items.to_vec();
    items.resize(items.len().max(1).next_multiple_of(ROW as usize), T::zeroed());
    #[expect(clippy::cast_possible_truncation, reason = "the device refuses greater textures")]
    let size = wgpu::Extent3d { width: ROW, height: (items.len() / ROW as usize) as u32, depth_or_array_layers: 1 };
    texture(gpu, format, size, 1, bytemuck::cast_slice(&items))
}

/// Returns a view of a texture with these levels.
pub(super) fn texture(
    gpu: &Gpu,
    format: wgpu::TextureFormat,
    size: wgpu::Extent3d,
    levels: u32,
    bytes: &[u8],
) -> wgpu::TextureView {
    let descriptor = wgpu::TextureDescriptor {
        label: Some("image or list"),
        size,
        mip_level_count: levels,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    };
    let order = wgpu::util::TextureDataOrder::LayerMajor;
    gpu.device.create_texture_with_data(&gpu.queue, &descriptor, order, bytes).create_view(&Default::default())
}

#[cfg(test)]
mod tests {
    use super::differing;

    #[test]
    fn the_words_that_differ_are_written_and_no_others() {
        let old: Vec<u8> = (0..16).collect();
        for (new, range) in [(&old[..], 0..0), (&old[..8], 0..0), (&[0, 1, 2, 3, 9][..], 0..0), (&[], 0..0)] {
            assert_eq!(differing(&old, new).len(), range.len(), "{new:?}");
        }
        let changed = |places: &[usize]| {
            let mut new = old.clone();
            new.extend([7; 8]);
            places.iter().for_each(|&at| new[at] += 1);
            new
        };
        assert_eq!(differing(&old, &changed(&[])), 16..24, "what is new");
        assert_eq!(differing(&old, &changed(&[6])[..16]), 4..8);
        assert_eq!(differing(&old, &changed(&[6, 13])[..16]), 4..16);
    }
}
