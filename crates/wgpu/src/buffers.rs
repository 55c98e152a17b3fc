//! The buffers of a scene on a device.

use crate::pipelines::{Passes, bind, part};
use bytemuck::{bytes_of, cast_slice};
use core::ops::Range;
use hedgerow::Scene;
use hedgerow_gpu::layout::{Command, View, Views};
use hedgerow_gpu::{Batch, Buffer, Error, GpuScene, Step, Synced};
use wgpu::{BindGroup, BindGroupLayout, BufferUsages, CommandEncoder, Device, Queue, RenderPass};

/// The buffers of a scene on a device: they execute the steps of a [`GpuScene`].
///
/// ```no_run
/// use hedgerow::query::Frustum;
/// use hedgerow::{Aabb, Drawable, Layers, Node, Scene, glam::Mat4};
/// use hedgerow_wgpu::SceneBuffers;
/// use hedgerow_wgpu::gpu::{GpuScene, MeshArgs, layout::View};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (device, queue): (wgpu::Device, wgpu::Queue) = unimplemented!();
/// # let (camera, light, pipelines, group): (Mat4, Mat4, [wgpu::RenderPipeline; 2], wgpu::BindGroup) = unimplemented!();
/// # let (vertices, indices): (wgpu::Buffer, wgpu::Buffer) = unimplemented!();
/// # let pass: wgpu::RenderPass<'static> = unimplemented!();
/// let mut scene = Scene::new();
/// scene.insert(scene.root(), Node::drawable(Drawable::new(7, Aabb::cube(1.0))))?;
/// let mut tables = GpuScene::new().with_views(2);
/// tables.set_mesh(7, MeshArgs { index_count: 36, first_index: 0, base_vertex: 0 });
/// let mut buffers = SceneBuffers::new(&device, tables);
///
/// // Each frame:
/// scene.update();
/// buffers.sync(&queue, &scene)?;
/// let mut encoder = device.create_command_encoder(&Default::default());
/// let views = [camera, light].map(|matrix| View::new(&Frustum::from_view_projection(&matrix).unwrap(), Layers::ALL));
/// buffers.cull(&queue, &mut encoder, &views);
/// // let mut pass = encoder.begin_render_pass(..);
/// # let mut pass = pass;
/// pass.set_vertex_buffer(0, vertices.slice(..));
/// pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint32);
/// pass.set_bind_group(0, &group, &[]);
/// pass.set_bind_group(1, buffers.group(), &[]);
/// for batch in buffers.scene().batches() {
///     pass.set_pipeline(&pipelines[usize::from(batch.mirrored)]);
///     buffers.draw(&mut pass, 0, batch, 1);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct SceneBuffers {
    scene: GpuScene,
    device: Device,
    passes: Passes,
    tables: [wgpu::Buffer; Buffer::ALL.len()],
    /// What culling writes: indirect commands, and the slots that views see.
    commands: wgpu::Buffer,
    visible: wgpu::Buffer,
    views: wgpu::Buffer,
    /// The words that a sync uploads, with those of the sync before, whose list of matrices a settle step reads.
    staging: [Staging; 2],
    cull_group: BindGroup,
    /// The groups for shaders that draw, without and with palettes.
    groups: [BindGroup; 2],
    generation: u64,
    calls: Calls,
    /// For single calls, where the visible slots of each command begin.
    firsts: Vec<u32>,
}

/// How batches are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Calls {
    /// A multi-draw, whose commands say where their visible slots begin.
    Multi,
    /// A call a command, with the list of visible slots bound from the command's first on: for devices whose commands
    /// cannot say it.
    Single,
}

#[derive(Debug)]
struct Staging {
    bytes: Vec<u8>,
    buffer: wgpu::Buffer,
    /// The list of scattered items, by buffer.
    lists: [Range<u64>; Buffer::ALL.len()],
}

/// A step, whose bytes are staged.
enum Copy {
    Write {
        buffer: Buffer,
        from: u64,
        to: u64,
        bytes: u64,
    },
    /// The uniform is at `from`.
    Scatter {
        buffer: Buffer,
        from: u64,
        bytes: u64,
        count: u32,
    },
    /// The uniform is at `uniform`.
    Settle {
        from: Buffer,
        to: Buffer,
        ranges: Vec<Range<u32>>,
        uniform: u64,
        count: u32,
    },
}

/// The alignment of bindings within a buffer, and of lengths.
const ALIGN: usize = 256;

const TABLE: BufferUsages = BufferUsages::STORAGE.union(BufferUsages::COPY_DST).union(BufferUsages::COPY_SRC);
const STAGING: BufferUsages = TABLE.union(BufferUsages::UNIFORM);

impl SceneBuffers {
    /// Creates empty buffers. The device should have the feature `INDIRECT_FIRST_INSTANCE`; without it, batches are drawn
    /// by a call a command.
    #[must_use]
    pub fn new(device: &Device, scene: GpuScene) -> Self {
        let passes = Passes::new(device);
        let tables = Buffer::ALL.map(|buffer| make(device, &format!("hedgerow {buffer:?}"), 0, TABLE));
        let commands = make(device, "hedgerow commands", 0, TABLE | BufferUsages::INDIRECT);
        let visible = make(device, "hedgerow visible", 0, TABLE | BufferUsages::VERTEX);
        let views =
            make(device, "hedgerow views", size_of::<Views>() as u64, BufferUsages::UNIFORM | BufferUsages::COPY_DST);
        let staging = [0, 1].map(|_| Staging {
            bytes: Vec::new(),
            buffer: make(device, "hedgerow staging", 0, STAGING),
            lists: Default::default(),
        });
        let cull_group = cull_group(device, &passes, &tables, &views, &commands, &visible);
        let groups = draw_groups(device, &passes, &tables, scene.has_previous());
        let first = device.features().contains(wgpu::Features::INDIRECT_FIRST_INSTANCE);
        let calls = if first { Calls::Multi } else { Calls::Single };
        let device = device.clone();
        Self {
            scene,
            device,
            passes,
            tables,
            commands,
            visible,
            views,
            staging,
            cull_group,
            groups,
            generation: 0,
            calls,
            firsts: Vec::new(),
        }
    }

    /// Draws each command by a call of its own, from now on: for comparing.
    #[doc(hidden)]
    #[must_use]
    pub fn with_single_calls(mut self) -> Self {
        self.calls = Calls::Single;
        self
    }

    /// Returns the tables.
    #[must_use]
    pub const fn scene(&self) -> &GpuScene {
        &self.scene
    }

    /// Returns the tables, for example to set a mesh.
    pub const fn scene_mut(&mut self) -> &mut GpuScene {
        &mut self.scene
    }

    /// Returns a table.
    #[must_use]
    pub const fn buffer(&self, buffer: Buffer) -> &wgpu::Buffer {
        &self.tables[buffer as usize]
    }

    /// Returns the indirect commands and the lists of visible slots, as the last culling left them.
    #[must_use]
    pub const fn visible(&self) -> (&wgpu::Buffer, &wgpu::Buffer) {
        (&self.commands, &self.visible)
    }

    /// Returns a number that changes if a buffer is replaced, so that bind groups of your own must be made anew.
    #[must_use]
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the layout of [`group`](Self::group), for your pipelines. Shaders of all stages see it.
    #[must_use]
    pub const fn layout(&self) -> &BindGroupLayout {
        &self.passes.fetch
    }

    /// Returns the bind group that [`FETCH`](hedgerow_gpu::FETCH) reads: matrices, instances, previous matrices. Ask again
    /// after each sync.
    #[must_use]
    pub const fn group(&self) -> &BindGroup {
        &self.groups[0]
    }

    /// Returns the layout of [`skin_group`](Self::skin_group), for pipelines that draw deformed drawables.
    #[must_use]
    pub const fn skin_layout(&self) -> &BindGroupLayout {
        &self.passes.skin
    }

    /// Returns the bind group that [`FETCH`](hedgerow_gpu::FETCH) with [`SKIN`](hedgerow_gpu::SKIN) reads: the buffers of
    /// [`group`](Self::group), and palettes. Ask again after each sync.
    #[must_use]
    pub const fn skin_group(&self) -> &BindGroup {
        &self.groups[1]
    }

    /// Brings the buffers up to the scene's last update, and submits that to the queue. Nothing is submitted if nothing
    /// changed. Your own passes come after it if you submit them later.
    ///
    /// # Errors
    /// Those of [`GpuScene::sync`].
    pub fn sync(&mut self, queue: &Queue, scene: &Scene) -> Result<Synced, Error> {
        let Self { scene: gpu, device, tables, staging, generation, firsts, calls, .. } = self;
        let before = *generation;
        staging.swap(0, 1);
        let [now, last] = staging;
        now.bytes.clear();
        now.lists = Default::default();
        let (mut copies, bytes) = (Vec::new(), &mut now.bytes);
        let mut encoder = None;
        let synced = gpu.sync(scene, |step| match step {
            Step::Resize { buffer, bytes, keep } => {
                let table = &mut tables[buffer as usize];
                if table.size() < bytes {
                    let new = make(device, &format!("hedgerow {buffer:?}"), bytes, TABLE);
                    let old = core::mem::replace(table, new);
                    *generation += 1;
                    if keep {
                        // Before all other copies, which know the new buffer alone.
                        let encoder = encoder.get_or_insert_with(|| commands(device));
                        encoder.copy_buffer_to_buffer(&old, 0, table, 0, Some(old.size()));
                    }
                }
            }
            Step::Write { buffer, offset, bytes: written } => {
                let from = bytes.len();
                bytes.extend_from_slice(written);
                if (buffer, *calls) == (Buffer::Template, Calls::Single) {
                    take_firsts(&mut bytes[from..], offset, firsts);
                }
                copies.push(Copy::Write { buffer, from: from as u64, to: offset, bytes: written.len() as u64 });
            }
            Step::Scatter { buffer, indices, items } => {
                let count = u32::try_from(indices.len()).unwrap_or(u32::MAX);
                let from = begin(bytes, &[count, short(buffer.stride() / 4)]);
                let list = bytes.len() as u64;
                bytes.extend_from_slice(cast_slice(indices));
                now.lists[buffer as usize] = list..bytes.len() as u64;
                bytes.extend_from_slice(items);
                copies.push(Copy::Scatter { buffer, from, bytes: bytes.len() as u64 - list, count });
            }
            Step::Settle { from, to, ranges, indices } => {
                let count = u32::try_from(indices.len()).unwrap_or(u32::MAX);
                let uniform = begin(bytes, &[count]);
                copies.push(Copy::Settle { from, to, ranges: ranges.to_vec(), uniform, count });
            }
        })?;
        now.bytes.resize(now.bytes.len().next_multiple_of(4), 0);
        if now.buffer.size() < now.bytes.len() as u64 {
            now.buffer = make(device, "hedgerow staging", now.bytes.len() as u64 * 5 / 4, STAGING);
        }
        if !copies.is_empty() || encoder.is_some() {
            queue.write_buffer(&now.buffer, 0, &now.bytes);
            let (mut encoder, tables) = (encoder.unwrap_or_else(|| commands(device)), &*tables);
            copies.into_iter().for_each(|copy| copy.encode(device, &self.passes, tables, [now, last], &mut encoder));
            queue.submit([encoder.finish()]);
        }
        self.fit();
        if self.generation != before {
            let Self { device, passes, tables, views, commands, visible, .. } = self;
            self.cull_group = cull_group(device, passes, tables, views, commands, visible);
            self.groups = draw_groups(device, passes, tables, self.scene.has_previous());
        }
        Ok(synced)
    }

    /// Makes room for what culling writes.
    fn fit(&mut self) {
        let ((commands, room), views) = (self.scene.sizes(), self.scene.views() as u64);
        let command = size_of::<Command>() as u64;
        for (buffer, bytes) in
            [(&mut self.commands, command * u64::from(commands)), (&mut self.visible, 4 * u64::from(room))]
        {
            if buffer.size() < bytes * views {
                *buffer = make(&self.device, "hedgerow visible", bytes * views, buffer.usage());
                self.generation += 1;
            }
        }
    }

    /// Finds out what each view sees, at most [`GpuScene::views`] of them. Call it once for a submit, with all views: a
    /// second call before the submit would replace the views of the first. If neither the scene nor the views changed, the
    /// last lists still hold.
    pub fn cull(&self, queue: &Queue, encoder: &mut CommandEncoder, views: &[View]) {
        let ((commands, room), slots) = (self.scene.sizes(), short(self.scene.len()));
        if commands == 0 || room == 0 {
            return;
        }
        queue.write_buffer(&self.views, 0, bytes_of(&self.scene.views_of(views)));
        let bytes = u64::from(commands) * (size_of::<Command>() * self.scene.views()) as u64;
        encoder.copy_buffer_to_buffer(self.buffer(Buffer::Template), 0, &self.commands, 0, Some(bytes));
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        self.passes.cull.run(&mut pass, &self.cull_group, slots);
    }

    /// Draws what a view sees of a batch, with the pipeline, bind groups, vertices and indices that are set. The list of
    /// visible slots is bound as the vertex buffer of number `list`, which your pipeline describes as one `Uint32` an
    /// instance. Returns the number of calls.
    pub fn draw(&self, pass: &mut RenderPass<'_>, view: u32, batch: &Batch, list: u32) -> u32 {
        let Range { start, end } = batch.commands;
        let (first, count) = (view * self.scene.sizes().0 + start, end - start);
        let offset = |command: u32| u64::from(command) * size_of::<Command>() as u64;
        match self.calls {
            Calls::Multi => {
                pass.set_vertex_buffer(list, self.visible.slice(..));
                pass.multi_draw_indexed_indirect(&self.commands, offset(first), count);
                1
            }
            Calls::Single => {
                for number in first..first + count {
                    let begin = self.firsts.get(number as usize).copied().unwrap_or(0);
                    pass.set_vertex_buffer(list, self.visible.slice(4 * u64::from(begin)..));
                    pass.draw_indexed_indirect(&self.commands, offset(number));
                }
                count
            }
        }
    }
}

impl Copy {
    fn encode(
        self,
        device: &Device,
        passes: &Passes,
        tables: &[wgpu::Buffer; Buffer::ALL.len()],
        [now, last]: [&Staging; 2],
        encoder: &mut CommandEncoder,
    ) {
        let table = |buffer: Buffer| &tables[buffer as usize];
        match self {
            Self::Write { buffer, from, to, bytes } => {
                encoder.copy_buffer_to_buffer(&now.buffer, from, table(buffer), to, Some(bytes));
            }
            Self::Scatter { buffer, from, bytes, count } => {
                let staged = [part(&now.buffer, from, 16), part(&now.buffer, from + ALIGN as u64, bytes)];
                let bindings = staged.into_iter().chain([table(buffer).as_entire_binding()]);
                let group = passes.scatter.bind(device, bindings);
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                passes.scatter.run(&mut pass, &group, count);
            }
            Self::Settle { from, to, ranges, uniform, count } => {
                let (matrices, previous) = (table(from), table(to));
                for Range { start, end } in ranges {
                    let bytes = |index: u32| u64::from(index) * from.stride() as u64;
                    let (at, length) = (bytes(start), bytes(end - start));
                    encoder.copy_buffer_to_buffer(matrices, at, previous, at, Some(length));
                }
                if count > 0 {
                    let list = part(&last.buffer, last.lists[from as usize].start, 4 * u64::from(count));
                    let tables = [matrices, previous].map(|table| table.as_entire_binding());
                    let bindings = [part(&now.buffer, uniform, 16), list].into_iter().chain(tables);
                    let group = passes.settle.bind(device, bindings);
                    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                    passes.settle.run(&mut pass, &group, count);
                }
            }
        }
    }
}

/// Appends a uniform, and aligns what follows for a binding. Returns where the uniform is.
fn begin(bytes: &mut Vec<u8>, words: &[u32]) -> u64 {
    let aligned = |bytes: &Vec<u8>| bytes.len().next_multiple_of(ALIGN);
    let from = aligned(bytes);
    bytes.resize(from, 0);
    bytes.extend_from_slice(cast_slice(words));
    bytes.resize(aligned(bytes), 0);
    from as u64
}

/// Takes where their visible slots begin from staged commands, the first of which is at this offset of the template.
fn take_firsts(staged: &mut [u8], offset: u64, firsts: &mut Vec<u32>) {
    let commands = staged.chunks_exact_mut(size_of::<Command>());
    let begin = usize::try_from(offset).unwrap_or(usize::MAX) / size_of::<Command>();
    firsts.resize(firsts.len().max(begin + commands.len()), 0);
    for (first, staged) in firsts[begin..].iter_mut().zip(commands) {
        let mut command: Command = bytemuck::pod_read_unaligned(staged);
        *first = core::mem::take(&mut command.first_instance);
        staged.copy_from_slice(bytes_of(&command));
    }
}

fn commands(device: &Device) -> CommandEncoder {
    device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("hedgerow") })
}

fn make(device: &Device, label: &str, bytes: u64, usage: BufferUsages) -> wgpu::Buffer {
    let size = bytes.max(1).next_multiple_of(ALIGN as u64);
    device.create_buffer(&wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false })
}

fn cull_group(
    device: &Device,
    passes: &Passes,
    tables: &[wgpu::Buffer; Buffer::ALL.len()],
    views: &wgpu::Buffer,
    commands: &wgpu::Buffer,
    visible: &wgpu::Buffer,
) -> BindGroup {
    let table = |buffer: Buffer| &tables[buffer as usize];
    let read = [Buffer::Matrices, Buffer::Instances, Buffer::Bounds, Buffer::Bins].map(table);
    let all = [&[views], &read[..], &[commands, visible]].concat();
    passes.cull.bind(device, all.into_iter().map(wgpu::Buffer::as_entire_binding))
}

fn draw_groups(
    device: &Device,
    passes: &Passes,
    tables: &[wgpu::Buffer; Buffer::ALL.len()],
    has_previous: bool,
) -> [BindGroup; 2] {
    let previous = if has_previous { Buffer::Previous } else { Buffer::Matrices };
    let previous_palettes = if has_previous { Buffer::PreviousPalettes } else { Buffer::Palettes };
    let read = [Buffer::Matrices, Buffer::Instances, previous, Buffer::Palettes, previous_palettes];
    let read = read.map(|buffer| tables[buffer as usize].as_entire_binding());
    [(&passes.fetch, 3), (&passes.skin, 5)].map(|(layout, count)| bind(device, layout, read[..count].iter().cloned()))
}

fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
