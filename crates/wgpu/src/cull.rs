//! What views see, on the device.

use crate::SceneTables;
use crate::buffers::{Buffers, TABLE, make, short};
use crate::pipelines::{Pass, READ, UNIFORM, WRITE, bind, layout, module};
use crate::tables::{NOT_CULLED, Place};
use core::ops::Range;
use hedgerow_gpu::layout::{Command, View, Views};
use hedgerow_gpu::{Batch, Buffer, CULL, GpuScene};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use wgpu::{BindGroup, BufferUsages, CommandEncoder, Device, Queue, RenderPass, ShaderStages};

/// The tables, the passes of culling, and what they write.
#[derive(Debug)]
pub(crate) struct Culling {
    pub(crate) buffers: Buffers,
    pub(crate) drawables: Pass,
    ranges: Pass,
    views: wgpu::Buffer,
    /// Indirect commands, and the slots that views see.
    written: [wgpu::Buffer; 2],
    pub(crate) group: BindGroup,
    /// The views of the last culling, and whether it ran on the device; `None` if tables changed since.
    last: Option<(Vec<View>, Arc<AtomicBool>)>,
    /// Whether commands say where their visible slots begin, so that a multi-draw draws a batch.
    multi: bool,
}

const WRITTEN: [(&str, BufferUsages); 2] =
    [("hedgerow commands", BufferUsages::INDIRECT), ("hedgerow visible", BufferUsages::VERTEX)];

impl Culling {
    pub(crate) fn new(device: &Device, multi: bool) -> Self {
        let buffers = Buffers::new(device);
        let bindings = [UNIFORM, READ, READ, READ, READ, WRITE, WRITE, WRITE, WRITE];
        let layout = layout(device, ShaderStages::COMPUTE, &bindings);
        let module = module(device, CULL);
        let [ranges, drawables] =
            ["cull_ranges", "cull_drawables"].map(|entry| Pass::new(device, (entry, &module), &[Some(&layout)], &[]));
        let views = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
        let views = make(device, "hedgerow views", size_of::<Views>() as u64, views);
        let written = WRITTEN.map(|(label, usage)| make(device, label, 0, TABLE | usage));
        let group = group(device, &drawables, &buffers, (&views, &written));
        Self { buffers, drawables, ranges, views, written, group, last: None, multi }
    }

    /// Makes room for what culling writes, after a sync that took steps, and binds all anew if a buffer is replaced or
    /// a table was. Returns whether one was.
    pub(crate) fn fit(&mut self, device: &Device, scene: &GpuScene, mut replaced: bool) -> bool {
        self.last = None;
        let ((commands, capacity), lists) = (scene.sizes(), u64::from(scene.lists()));
        let needed = [u64::from(commands) * size_of::<Command>() as u64, 4 * u64::from(capacity)];
        for ((buffer, (label, usage)), bytes) in self.written.iter_mut().zip(WRITTEN).zip(needed) {
            if buffer.size() < bytes * lists {
                *buffer = make(device, label, bytes * lists, TABLE | usage);
                replaced = true;
            }
        }
        if replaced {
            self.group = group(device, &self.drawables, &self.buffers, (&self.views, &self.written));
        }
        replaced
    }
}

fn group(
    device: &Device,
    pass: &Pass,
    buffers: &Buffers,
    (views, [commands, visible]): (&wgpu::Buffer, &[wgpu::Buffer; 2]),
) -> BindGroup {
    use Buffer::{Bins, Bounds, Instances, Kept, Matrices, Ranges};
    let [matrices, instances, bounds, bins, ranges, kept] =
        [Matrices, Instances, Bounds, Bins, Ranges, Kept].map(|buffer| &buffers.tables[buffer as usize]);
    let bound = [views, matrices, instances, bounds, bins, commands, visible, ranges, kept];
    bind(device, &pass.layout, &bound.map(wgpu::Buffer::as_entire_binding))
}

impl SceneTables {
    /// Finds out what each view sees, at most [`GpuScene::views`] of them. Call it once for a submit, with all views: a
    /// second call before the submit would replace the views of the first. Encodes nothing if the lists still hold: once
    /// the device has culled, until the tables or the views change. With occlusion, each call culls.
    ///
    /// # Panics
    /// Panics if there are more views, or if the tables are in textures.
    pub fn cull(&mut self, queue: &Queue, encoder: &mut CommandEncoder, views: &[View]) {
        let most = self.scene.views();
        assert!(views.len() <= most, "{} views are more than {most}; ask for more by `with_views`", views.len());
        let ((commands, capacity), slots) = (self.scene.sizes(), short(self.scene.len()));
        let Place::Buffers(culling) = &mut self.place else { panic!("{NOT_CULLED}") };
        // Occlusion lists the rest of a view by what its first list drew.
        let ran = |(of, ran): &(Vec<View>, Arc<AtomicBool>)| of == views && ran.load(Ordering::Acquire);
        let holds = culling.last.as_ref().is_some_and(ran) && !self.scene.has_occlusion();
        if commands == 0 || capacity == 0 || holds {
            return;
        }
        let ran = Arc::new(AtomicBool::new(false));
        culling.last = Some((views.to_vec(), ran.clone()));
        // Not if the encoder is dropped, for example because the surface was lost.
        encoder.on_submitted_work_done(move || ran.store(true, Ordering::Release));
        let views = self.scene.next_views(views);
        queue.write_buffer(&culling.views, 0, views.as_bytes());
        let bytes = u64::from(commands * self.scene.lists()) * size_of::<Command>() as u64;
        let template = &culling.buffers.tables[Buffer::Template as usize];
        encoder.copy_buffer_to_buffer(template, 0, &culling.written[0], 0, Some(bytes));
        let mut pass = encoder.begin_compute_pass(&Default::default());
        if views.ranges > 1 {
            culling.ranges.run(&mut pass, &[&culling.group], views.ranges);
        }
        culling.drawables.run(&mut pass, &[&culling.group], slots);
    }

    /// Returns the indirect commands and the lists of visible slots, as the last culling left them.
    ///
    /// # Panics
    /// Panics if the tables are in textures.
    #[must_use]
    pub fn visible(&self) -> (&wgpu::Buffer, &wgpu::Buffer) {
        let [commands, visible] = &self.place.culling().written;
        (commands, visible)
    }

    /// Draws what a view sees, with the vertices and indices that are set. `prepare` gets each [`Batch`]: it sets the
    /// pipeline and its bind groups, or returns `false` to leave the batch out. The list of visible slots is bound as
    /// the vertex buffer of number `list`, which your pipelines describe as one `Uint32` an instance. Returns the number
    /// of calls.
    ///
    /// # Panics
    /// Panics if there are fewer [lists](GpuScene::lists), or if the tables are in textures.
    pub fn draw(
        &self,
        pass: &mut RenderPass<'_>,
        view: u32,
        list: u32,
        mut prepare: impl FnMut(&mut RenderPass<'_>, &Batch) -> bool,
    ) -> u32 {
        assert!(view < self.scene.lists(), "view {view} is not culled; ask for more by `with_views`");
        let (culling, of_view) = (self.place.culling(), view * self.scene.sizes().0);
        let [commands, visible] = &culling.written;
        let offset = |command: u32| u64::from(of_view + command) * size_of::<Command>() as u64;
        if culling.multi {
            pass.set_vertex_buffer(list, visible.slice(..));
        }
        let mut calls = 0;
        for batch in self.scene.batches() {
            if !prepare(pass, batch) {
                continue;
            }
            let Range { start, end } = batch.commands;
            if culling.multi {
                pass.multi_draw_indexed_indirect(commands, offset(start), end - start);
                calls += 1;
                continue;
            }
            for command in start..end {
                let first = u64::from(self.scene.first_visible(view, command).unwrap_or(0));
                pass.set_vertex_buffer(list, visible.slice(4 * first..));
                pass.draw_indexed_indirect(commands, offset(command));
                calls += 1;
            }
        }
        calls
    }
}
