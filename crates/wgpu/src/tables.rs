//! The tables of a scene on a device.

use crate::buffers::{ALIGN, Buffers, bind};
use crate::textures::{Textures, row_of};
use hedgerow::Scene;
use hedgerow_gpu::{Buffer, Error, GpuScene, Synced};
use std::sync::{Arc, atomic::AtomicBool};
use wgpu::{BindGroup, BindGroupLayout, BindingResource, BindingType, Device, Queue, ShaderStages};

/// The tables of a scene on a device, in buffers or in textures: they execute the steps of a [`GpuScene`]. The
/// [front page](crate) has an example.
#[derive(Debug)]
pub struct SceneTables {
    pub(crate) scene: GpuScene,
    device: Device,
    pub(crate) place: Place,
    /// Whether the device has run the last culling.
    pub(crate) has_culled: Arc<AtomicBool>,
    layout: BindGroupLayout,
    group: BindGroup,
    generation: u64,
}

#[derive(Debug)]
pub(crate) enum Place {
    Buffers(Box<Buffers>),
    Textures(Box<Textures>),
}

impl Place {
    fn resource(&self, buffer: Buffer) -> Option<BindingResource<'_>> {
        match self {
            Self::Buffers(buffers) => Some(buffers.tables[buffer as usize].as_entire_binding()),
            Self::Textures(textures) => textures.tables.get(buffer as usize).map(BindingResource::TextureView),
        }
    }

    fn group(&self, device: &Device, layout: &BindGroupLayout, has_previous: bool) -> BindGroup {
        use Buffer::{Instances, Matrices, Palettes, Previous, PreviousPalettes};
        let previous = if has_previous { [Previous, PreviousPalettes] } else { [Matrices, Palettes] };
        let drawn = [Matrices, Instances, previous[0], Palettes, previous[1]];
        bind(device, layout, (0..).zip(drawn.into_iter().filter_map(|buffer| self.resource(buffer))))
    }
}

const LABEL: Option<&str> = Some("hedgerow");

impl SceneTables {
    /// Creates empty tables in buffers. The device should have the feature `INDIRECT_FIRST_INSTANCE`; without it,
    /// batches are drawn by a call a command. The next sync writes everything, also if the tables had other buffers
    /// before, and refuses buffers that are longer than the device allows.
    #[must_use]
    pub fn new(device: &Device, scene: GpuScene) -> Self {
        let limits = device.limits();
        let most = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size).min(scene.max_buffer_size());
        let scene = scene.with_max_buffer_size(most / ALIGN as u64 * ALIGN as u64);
        let multi = device.features().contains(wgpu::Features::INDIRECT_FIRST_INSTANCE);
        let scene = if multi { scene } else { scene.without_first_instance() };
        let place = Place::Buffers(Box::new(Buffers::new(device, scene.has_occlusion())));
        let ty = wgpu::BufferBindingType::Storage { read_only: true };
        Self::of(device, scene, place, BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None })
    }

    /// Creates empty tables in textures, for devices without compute shaders or storage buffers, such as WebGL 2. The
    /// next sync writes everything, and refuses tables that are higher than a texture of the device: with 2,048 rows,
    /// which all have, 349,000 matrices and 466,000 drawables.
    ///
    /// Put [`FETCH_TEXTURES`](hedgerow_gpu::FETCH_TEXTURES), and [`SKIN_TEXTURES`](hedgerow_gpu::SKIN_TEXTURES) behind
    /// it, before your shader, in place of `FETCH` and `SKIN`: the functions are the same, so one shader serves both.
    /// Nothing is culled: list what is seen by `Scene::cull`, bind a vertex buffer with the [slot](GpuScene::slot) of
    /// each drawable in place of the visible slots, and draw each mesh with its range of it.
    #[must_use]
    pub fn in_textures(device: &Device, scene: GpuScene) -> Self {
        let rows = u64::from(device.limits().max_texture_dimension_2d);
        let most = (rows * row_of(Buffer::Instances)).min(scene.max_buffer_size());
        let scene = scene.without_compute().with_max_buffer_size(most);
        let place = Place::Textures(Box::new(Textures::new(device)));
        let (sample_type, view_dimension) = (wgpu::TextureSampleType::Uint, wgpu::TextureViewDimension::D2);
        Self::of(device, scene, place, BindingType::Texture { sample_type, view_dimension, multisampled: false })
    }

    fn of(device: &Device, mut scene: GpuScene, place: Place, ty: BindingType) -> Self {
        scene.invalidate();
        let visibility = ShaderStages::VERTEX_FRAGMENT | ShaderStages::COMPUTE;
        let entries =
            [0, 1, 2, 3, 4].map(|binding| wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None });
        let layout = wgpu::BindGroupLayoutDescriptor { label: LABEL, entries: &entries };
        let layout = device.create_bind_group_layout(&layout);
        let group = place.group(device, &layout, scene.has_previous());
        let (device, has_culled) = (device.clone(), Arc::default());
        Self { scene, device, place, has_culled, layout, group, generation: 0 }
    }

    /// Returns the [`GpuScene`] whose steps are executed.
    #[must_use]
    pub const fn scene(&self) -> &GpuScene {
        &self.scene
    }

    /// Returns the [`GpuScene`], for example to set a mesh.
    pub const fn scene_mut(&mut self) -> &mut GpuScene {
        &mut self.scene
    }

    /// Returns whether the tables are in textures, so that the CPU culls.
    #[must_use]
    pub const fn are_textures(&self) -> bool {
        matches!(self.place, Place::Textures(_))
    }

    /// Returns a table, to bind it in a group of your own; `None` for those of passes, in textures.
    #[must_use]
    pub fn resource(&self, buffer: Buffer) -> Option<BindingResource<'_>> {
        self.place.resource(buffer)
    }

    /// Returns a number that changes if a sync replaces a table, so that bind groups of your own must be made anew.
    #[must_use]
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the layout of [`group`](Self::group), for your pipelines. Shaders of all stages see it.
    #[must_use]
    pub const fn layout(&self) -> &BindGroupLayout {
        &self.layout
    }

    /// Returns the bind group that [`FETCH`](hedgerow_gpu::FETCH) and [`SKIN`](hedgerow_gpu::SKIN) read: matrices,
    /// instances, previous matrices, palettes, previous palettes. Ask again after each sync.
    #[must_use]
    pub const fn group(&self) -> &BindGroup {
        &self.group
    }

    /// Brings the tables up to the scene's last update, and submits that to the queue. Nothing is submitted if nothing
    /// changed. Your own passes come after it if you submit them later.
    ///
    /// # Errors
    /// Those of [`GpuScene::sync`].
    pub fn sync(&mut self, queue: &Queue, scene: &Scene) -> Result<Synced, Error> {
        let mut replaced = false;
        let synced = match &mut self.place {
            Place::Buffers(buffers) => {
                let mut encoder = None;
                let new = || self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: LABEL });
                let synced = self.scene.sync(scene, |step| {
                    replaced |= buffers.run((queue, encoder.get_or_insert_with(new)), step, None);
                });
                encoder.into_iter().for_each(|encoder| buffers.submit(queue, encoder));
                synced
            }
            Place::Textures(textures) => self.scene.sync(scene, |step| replaced |= textures.run(queue, step)),
        };
        if replaced {
            self.group = self.place.group(&self.device, &self.layout, self.scene.has_previous());
            self.generation += 1;
        }
        synced
    }
}
