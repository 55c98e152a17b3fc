//! The buffers of a scene on a device.

use crate::pipelines::{Passes, bind};
use crate::staging::{ALIGN, Staging, TABLE, Tables, Work, make, short};
use bytemuck::bytes_of;
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
    tables: Tables,
    /// What culling writes: indirect commands, and the slots that views see.
    commands: wgpu::Buffer,
    visible: wgpu::Buffer,
    views: wgpu::Buffer,
    /// The words that a sync uploads, with those of the sync before, whose list of matrices a settle step reads.
    staging: [Staging; 2],
    groups: Groups,
    generation: u64,
    /// The generation of the bind groups.
    bound: u64,
    calls: Calls,
    /// For single calls, where the visible slots of each command begin.
    firsts: Vec<u32>,
}

/// The groups for culling, and for shaders that draw without and with palettes.
#[derive(Debug)]
struct Groups {
    cull: BindGroup,
    draw: [BindGroup; 2],
}

impl Groups {
    fn new(
        device: &Device,
        passes: &Passes,
        tables: &Tables,
        [views, commands, visible]: [&wgpu::Buffer; 3],
        has_previous: bool,
    ) -> Self {
        use Buffer::{Bins, Bounds, Instances, Kept, Matrices, Palettes, Previous, PreviousPalettes, Ranges};
        let whole = |buffers: &[Buffer]| buffers.iter().map(|&buffer| &tables[buffer as usize]).collect::<Vec<_>>();
        let culled = [&[views], &whole(&[Matrices, Instances, Bounds, Bins])[..], &[commands, visible]].concat();
        let culled = [culled, whole(&[Ranges, Kept])].concat();
        let previous = if has_previous { [Previous, PreviousPalettes] } else { [Matrices, Palettes] };
        let drawn = whole(&[Matrices, Instances, previous[0], Palettes, previous[1]]);
        let bind = |layout, buffers: &[&wgpu::Buffer]| {
            bind(device, layout, buffers.iter().map(|buffer| buffer.as_entire_binding()))
        };
        Self {
            cull: bind(passes.cull.layout(), &culled),
            draw: [bind(&passes.fetch, &drawn[..3]), bind(&passes.skin, &drawn)],
        }
    }
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
        let staging = [0, 1].map(|_| Staging::new(device));
        let groups = Groups::new(device, &passes, &tables, [&views, &commands, &visible], scene.has_previous());
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
        &self.groups.cull
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
        &self.groups.draw[0]
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
        &self.groups.draw[1]
    }

    /// Brings the buffers up to the scene's last update, and submits that to the queue. Nothing is submitted if nothing
    /// changed. Your own passes come after it if you submit them later.
    ///
    /// # Errors
    /// Those of [`GpuScene::sync`].
    pub fn sync(&mut self, queue: &Queue, scene: &Scene) -> Result<Synced, Error> {
        let Self { scene: gpu, device, passes, tables, staging, generation, firsts, calls, .. } = self;
        let mut work = Work::begin((device, queue), passes, staging);
        let synced = gpu.sync(scene, |step| {
            work.submit_chunk(tables);
            match step {
                Step::Resize { buffer, bytes, keep } => {
                    let table = &mut tables[buffer as usize];
                    if table.size() < bytes {
                        let new = make(device, &format!("hedgerow {buffer:?}"), bytes, TABLE);
                        let old = core::mem::replace(table, new);
                        *generation += 1;
                        if keep {
                            work.keep(&old, table);
                        }
                    }
                }
                Step::Write { buffer, offset, bytes } => {
                    let staged = work.write(buffer, offset, bytes);
                    if (buffer, *calls) == (Buffer::Template, Calls::Single) {
                        take_firsts(staged, offset, firsts);
                    }
                }
                Step::Scatter { buffer, indices, items } => work.scatter(buffer, indices, items),
                Step::Settle { from, to, ranges, indices } => work.settle(from, to, ranges, indices),
            }
        });
        if synced.is_ok() {
            work.submit(tables);
        }
        self.fit();
        if self.generation != self.bound {
            let Self { device, passes, tables, views, commands, visible, .. } = self;
            let has_previous = self.scene.has_previous();
            self.groups = Groups::new(device, passes, tables, [views, commands, visible], has_previous);
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
            self.passes.cull_ranges.run(&mut pass, &[&self.groups.cull], views.ranges);
        }
        self.passes.cull.run(&mut pass, &[&self.groups.cull], slots);
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
