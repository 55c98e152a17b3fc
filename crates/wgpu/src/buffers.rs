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
/// # fn draw(
/// #     (device, queue): (wgpu::Device, wgpu::Queue),
/// #     [camera, light]: [Mat4; 2],
/// #     (pipelines, group): ([wgpu::RenderPipeline; 2], wgpu::BindGroup),
/// #     [vertices, indices]: [wgpu::Buffer; 2],
/// #     mut pass: wgpu::RenderPass<'_>,
/// # ) -> Result<(), Box<dyn std::error::Error>> {
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
    /// The generation of the bind groups.
    bound: u64,
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
        /// Where the list is, if it is staged again.
        list: Option<u64>,
    },
}

/// The alignment of bindings within a buffer, and of lengths.
const ALIGN: usize = 256;
/// After so many bytes, what is staged is submitted before more is.
const CHUNK: usize = 32 << 20;

const TABLE: BufferUsages = BufferUsages::STORAGE.union(BufferUsages::COPY_DST).union(BufferUsages::COPY_SRC);
const STAGING: BufferUsages = TABLE.union(BufferUsages::UNIFORM);

impl SceneBuffers {
    /// Creates empty buffers. The device should have the feature `INDIRECT_FIRST_INSTANCE`; without it, batches are drawn
    /// by a call a command. The next sync writes everything, also if the tables had other buffers before, and refuses buffers
    /// that are longer than the device allows.
    #[must_use]
    pub fn new(device: &Device, scene: GpuScene) -> Self {
        let limits = device.limits();
        let most = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size).min(scene.max_buffer_size());
        let mut scene = scene.with_max_buffer_size(most / ALIGN as u64 * ALIGN as u64);
        scene.invalidate();
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
            bound: 0,
            calls,
            firsts: Vec::new(),
        }
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

    pub(crate) fn cull_layout(&self) -> &BindGroupLayout {
        self.passes.cull.layout()
    }

    pub(crate) const fn cull_group(&self) -> &BindGroup {
        &self.cull_group
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
        let Self { scene: gpu, device, passes, tables, staging, generation, firsts, calls, .. } = self;
        staging.swap(0, 1);
        let [now, last] = staging;
        now.bytes.clear();
        now.lists = Default::default();
        let mut work = Work { device, queue, passes, now, last, copies: Vec::new(), encoder: None };
        let synced = gpu.sync(scene, |step| {
            if work.now.bytes.len() > CHUNK {
                work.submit(tables);
            }
            match step {
                Step::Resize { buffer, bytes, keep } => {
                    let table = &mut tables[buffer as usize];
                    if table.size() < bytes {
                        let new = make(device, &format!("hedgerow {buffer:?}"), bytes, TABLE);
                        let old = core::mem::replace(table, new);
                        *generation += 1;
                        if keep {
                            // Before all other copies, which know the new buffer alone.
                            let encoder = work.encoder.get_or_insert_with(|| commands(device));
                            encoder.copy_buffer_to_buffer(&old, 0, table, 0, Some(old.size()));
                        }
                    }
                }
                Step::Write { buffer, offset, bytes } => {
                    let from = work.now.bytes.len();
                    work.now.bytes.extend_from_slice(bytes);
                    if (buffer, *calls) == (Buffer::Template, Calls::Single) {
                        take_firsts(&mut work.now.bytes[from..], offset, firsts);
                    }
                    work.copies.push(Copy::Write { buffer, from: from as u64, to: offset, bytes: bytes.len() as u64 });
                }
                Step::Scatter { buffer, indices, items } => {
                    // A binding has a greatest length.
                    for (indices, items) in indices.chunks(1 << 20).zip(items.chunks(buffer.stride() << 20)) {
                        work.scatter(buffer, indices, items);
                    }
                }
                Step::Settle { from, to, ranges, indices } => work.settle(from, to, ranges, indices),
            }
        });
        if synced.is_ok() {
            work.submit(tables);
        }
        self.fit();
        if self.generation != self.bound {
            let Self { device, passes, tables, views, commands, visible, .. } = self;
            self.cull_group = cull_group(device, passes, tables, views, commands, visible);
            self.groups = draw_groups(device, passes, tables, self.scene.has_previous());
            self.bound = self.generation;
        }
        synced
    }

    /// Makes room for what culling writes.
    fn fit(&mut self) {
        let ((commands, capacity), lists) = (self.scene.sizes(), u64::from(self.scene.lists()));
        let command = size_of::<Command>() as u64;
        for (buffer, bytes) in
            [(&mut self.commands, command * u64::from(commands)), (&mut self.visible, 4 * u64::from(capacity))]
        {
            if buffer.size() < bytes * lists {
                *buffer = make(&self.device, "hedgerow visible", bytes * lists, buffer.usage());
                self.generation += 1;
            }
        }
    }

    /// Finds out what each view sees, at most [`GpuScene::views`] of them. Call it once for a submit, with all views: a
    /// second call before the submit would replace the views of the first. If neither the scene nor the views changed, the
    /// last lists still hold.
    ///
    /// # Panics
    /// Panics if there are more views.
    pub fn cull(&mut self, queue: &Queue, encoder: &mut CommandEncoder, views: &[View]) {
        let most = self.scene.views();
        assert!(views.len() <= most, "{} views are more than {most}; ask for more by `with_views`", views.len());
        let ((commands, capacity), slots) = (self.scene.sizes(), short(self.scene.len()));
        if commands == 0 || capacity == 0 {
            return;
        }
        let views = self.scene.next_views(views);
        queue.write_buffer(&self.views, 0, bytes_of(&views));
        let bytes = u64::from(commands * self.scene.lists()) * size_of::<Command>() as u64;
        encoder.copy_buffer_to_buffer(self.buffer(Buffer::Template), 0, &self.commands, 0, Some(bytes));
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        if views.ranges > 1 {
            self.passes.cull_ranges.run(&mut pass, &[&self.cull_group], views.ranges);
        }
        self.passes.cull.run(&mut pass, &[&self.cull_group], slots);
    }

    /// Draws what a view sees of a batch, with the pipeline, bind groups, vertices and indices that are set. The list of
    /// visible slots is bound as the vertex buffer of number `list`, which your pipeline describes as one `Uint32` an
    /// instance. Returns the number of calls.
    ///
    /// # Panics
    /// Panics if there are fewer [lists](GpuScene::lists).
    pub fn draw(&self, pass: &mut RenderPass<'_>, view: u32, batch: &Batch, list: u32) -> u32 {
        assert!(view < self.scene.lists(), "view {view} is not culled; ask for more by `with_views`");
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

/// A sync at work.
struct Work<'w> {
    device: &'w Device,
    queue: &'w Queue,
    passes: &'w Passes,
    now: &'w mut Staging,
    last: &'w Staging,
    copies: Vec<Copy>,
    encoder: Option<CommandEncoder>,
}

impl Work<'_> {
    fn scatter(&mut self, buffer: Buffer, indices: &[u32], items: &[u8]) {
        let (bytes, count) = (&mut self.now.bytes, short(indices.len()));
        let from = begin(bytes, &[count, short(buffer.stride() / 4)]);
        let list = bytes.len() as u64;
        bytes.extend_from_slice(cast_slice(indices));
        self.now.lists[buffer as usize] = list..bytes.len() as u64;
        bytes.extend_from_slice(items);
        self.copies.push(Copy::Scatter { buffer, from, bytes: bytes.len() as u64 - list, count });
    }

    fn settle(&mut self, from: Buffer, to: Buffer, ranges: &[Range<u32>], indices: &[u32]) {
        let (bytes, count) = (&mut self.now.bytes, short(indices.len()));
        let uniform = begin(bytes, &[count]);
        // The list is on the device still, unless it was uploaded in parts.
        let kept = &self.last.lists[from as usize];
        let list = (kept.end - kept.start != 4 * u64::from(count)).then_some(bytes.len() as u64);
        if list.is_some() {
            bytes.extend_from_slice(cast_slice(indices));
        }
        self.copies.push(Copy::Settle { from, to, ranges: ranges.to_vec(), uniform, count, list });
    }

    /// Uploads what is staged, and submits the copies.
    fn submit(&mut self, tables: &[wgpu::Buffer; Buffer::ALL.len()]) {
        if self.copies.is_empty() && self.encoder.is_none() {
            return;
        }
        let Self { device, queue, now, .. } = self;
        now.bytes.resize(now.bytes.len().next_multiple_of(4), 0);
        if now.buffer.size() < now.bytes.len() as u64 {
            now.buffer = make(device, "hedgerow staging", now.bytes.len() as u64 * 5 / 4, STAGING);
        }
        queue.write_buffer(&now.buffer, 0, &now.bytes);
        let mut encoder = self.encoder.take().unwrap_or_else(|| commands(device));
        for copy in core::mem::take(&mut self.copies) {
            self.encode(copy, tables, &mut encoder);
        }
        self.queue.submit([encoder.finish()]);
        if self.now.bytes.len() > CHUNK {
            // More comes, in this buffer again.
            self.now.bytes.clear();
            self.now.lists = Default::default();
        }
    }

    fn encode(&self, copy: Copy, tables: &[wgpu::Buffer; Buffer::ALL.len()], encoder: &mut CommandEncoder) {
        let Self { device, passes, now, last, .. } = self;
        let table = |buffer: Buffer| &tables[buffer as usize];
        match copy {
            Copy::Write { buffer, from, to, bytes } => {
                encoder.copy_buffer_to_buffer(&now.buffer, from, table(buffer), to, Some(bytes));
            }
            Copy::Scatter { buffer, from, bytes, count } => {
                let staged = [part(&now.buffer, from, 16), part(&now.buffer, from + ALIGN as u64, bytes)];
                let bindings = staged.into_iter().chain([table(buffer).as_entire_binding()]);
                let group = passes.scatter.bind(device, bindings);
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                passes.scatter.run(&mut pass, &[&group], count);
            }
            Copy::Settle { from, to, ranges, uniform, count, list } => {
                let (matrices, previous) = (table(from), table(to));
                for Range { start, end } in ranges {
                    let bytes = |index: u32| u64::from(index) * from.stride() as u64;
                    let (at, length) = (bytes(start), bytes(end - start));
                    encoder.copy_buffer_to_buffer(matrices, at, previous, at, Some(length));
                }
                if count > 0 {
                    let kept = last.lists[from as usize].start;
                    let (buffer, at) = list.map_or((&last.buffer, kept), |at| (&now.buffer, at));
                    let tables = [matrices, previous].map(|table| table.as_entire_binding());
                    let list = part(buffer, at, 4 * u64::from(count));
                    let bindings = [part(&now.buffer, uniform, 16), list].into_iter().chain(tables);
                    let group = passes.settle.bind(device, bindings);
                    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                    passes.settle.run(&mut pass, &[&group], count);
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
    let kept = [Buffer::Ranges, Buffer::Kept].map(table);
    let all = [&[views], &read[..], &[commands, visible], &kept].concat();
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
