//! What views see, on the device.

use crate::SceneTables;
use crate::buffers::Buffers;
use crate::tables::Place;
use hedgerow::glam::Mat4;
use hedgerow_gpu::layout::View;
use hedgerow_gpu::{Batch, Buffer, Call, Error};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use wgpu::{CommandEncoder, Queue, RenderPass, TextureView};

const NOT_CULLED: &str = "a device does not cull tables in textures; list what is seen by `Scene::cull`";

impl Place {
    fn buffers(&self) -> &Buffers {
        let Self::Buffers(buffers) = self else { panic!("{NOT_CULLED}") };
        buffers
    }

    fn buffers_mut(&mut self) -> &mut Buffers {
        let Self::Buffers(buffers) = self else { panic!("{NOT_CULLED}") };
        buffers
    }
}

impl SceneTables {
    /// Finds out what each view sees, at most [`GpuScene::views`](hedgerow_gpu::GpuScene::views) of them. Call it once
    /// for a submit, with all views: a second call before the submit would replace the views of the first. Encodes
    /// nothing if the lists still hold: once the device has culled, until the tables or the views change. With
    /// occlusion, each call culls.
    ///
    /// # Panics
    /// Panics if there are more views, or if the tables are in textures.
    pub fn cull(&mut self, queue: &Queue, encoder: &mut CommandEncoder, views: &[View]) {
        let buffers = self.place.buffers_mut();
        if self.scene.is_culled(views) && self.has_culled.load(Ordering::Acquire) {
            return;
        }
        self.scene.cull(views, |step| _ = buffers.run((queue, encoder), step, None));
        // Not if the encoder is dropped, for example because the surface was lost.
        let has_culled = Arc::new(AtomicBool::new(false));
        self.has_culled = Arc::clone(&has_culled);
        encoder.on_submitted_work_done(move || has_culled.store(true, Ordering::Release));
    }

    /// Lists what view 0 sees and did not see last, for tables [with
    /// occlusion](hedgerow_gpu::GpuScene::with_occlusion), by a depth to which that was drawn. `matrix` is the view and
    /// projection of the frustum of view 0; `depth` is a view of the whole depth, whose texture has the usage
    /// `TEXTURE_BINDING`. Call it once for a submit.
    ///
    /// The picture must fill the depth, without a smaller viewport. Of a format with a stencil, pass a view of the
    /// depth alone.
    ///
    /// # Errors
    /// Those of [`GpuScene::cull_hidden`](hedgerow_gpu::GpuScene::cull_hidden).
    ///
    /// # Panics
    /// Panics unless the tables are with occlusion, or if they are in textures.
    pub fn cull_hidden(
        &mut self,
        queue: &Queue,
        encoder: &mut CommandEncoder,
        matrix: &Mat4,
        depth: &TextureView,
    ) -> Result<(), Error> {
        let (buffers, size) = (self.place.buffers_mut(), depth.texture().size());
        let run = |step: hedgerow_gpu::Step<'_>| _ = buffers.run((queue, encoder), step, Some(depth));
        self.scene.cull_hidden(matrix, [size.width, size.height], run)
    }

    /// Returns the buffer of a table, or of what the last culling left: [`Buffer::Commands`], [`Buffer::Visible`].
    ///
    /// # Panics
    /// Panics if the tables are in textures.
    #[must_use]
    pub fn buffer(&self, buffer: Buffer) -> &wgpu::Buffer {
        &self.place.buffers().tables[buffer as usize]
    }

    /// Draws what a view sees, with the vertices and indices that are set. `prepare` gets each [`Batch`]: it sets the
    /// pipeline and its bind groups, or returns `false` to leave the batch out. The list of visible slots is bound as
    /// the vertex buffer of number `list`, which your pipelines describe as one `Uint32` an instance. Returns the number
    /// of calls.
    ///
    /// # Panics
    /// Panics if there are fewer [lists](hedgerow_gpu::GpuScene::lists), or if the tables are in textures.
    pub fn draw(
        &self,
        pass: &mut RenderPass<'_>,
        view: u32,
        list: u32,
        mut prepare: impl FnMut(&mut RenderPass<'_>, &Batch) -> bool,
    ) -> u32 {
        let [commands, slots] = [Buffer::Commands, Buffer::Visible].map(|buffer| self.buffer(buffer));
        let (mut calls, mut bound) = (0, None);
        for batch in self.scene.batches() {
            if !prepare(pass, batch) {
                continue;
            }
            for Call { visible, commands: first, count } in self.scene.calls(view, batch) {
                if bound.replace(visible) != Some(visible) {
                    pass.set_vertex_buffer(list, slots.slice(visible..));
                }
                pass.multi_draw_indexed_indirect(commands, first, count);
                calls += 1;
            }
        }
        calls
    }
}
