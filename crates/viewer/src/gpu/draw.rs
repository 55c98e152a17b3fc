//! Draws the uploaded views.

use super::Gpu;
use super::pipelines::{Kind, Pass, of_key};
use super::renderer::Renderer;
use super::resources::{DEPTH, SAMPLES};
use super::uniforms::Eye;
use crate::lines::End;
use crate::stage::Stage;
use crate::view::View;
use hedgerow_wgpu::gpu::Batch;
use std::ops::Range;

/// A call: draws of a list with one mesh, kind and surface.
struct Call {
    set: (Kind, usize),
    mesh: u32,
    draws: Range<u32>,
}

impl Call {
    fn of(
        stage: &Stage,
        (mesh, material, mirrored): (u32, Option<u32>, bool),
        shadow: bool,
        draws: Range<u32>,
    ) -> Option<Self> {
        let (surface, of_mesh) = (stage.surface(material), stage.meshes.get(mesh as usize)?);
        let form = (of_mesh.deformed, of_mesh.topology);
        let kind = Kind::of(&stage.surfaces[surface], form, mirrored, shadow)?;
        Some(Self { set: (kind, surface), mesh, draws })
    }
}

/// Returns the kind and the surface of a batch; `None` if the pass leaves it out.
fn of_batch(stage: &Stage, batch: &Batch, shadow: bool) -> Option<(Kind, usize)> {
    let (surface, form) = of_key(batch.key);
    Some((Kind::of(stage.surfaces.get(surface)?, form, batch.mirrored, shadow)?, surface))
}

impl Renderer {
    /// Encodes the draws into a texture of this size.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        stage: &Stage,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        size: [u32; 2],
    ) {
        if self.culls_on_device() {
            self.tables.cull(&gpu.queue, encoder, &self.views);
        }
        for number in 1..self.drawn.len() {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("shadows"),
                depth_stencil_attachment: Some(attached(&self.shadows[number - 1], 1.0)),
                ..Default::default()
            });
            self.run(gpu, &mut pass, stage, number);
        }
        let of_size =
            |[colour, _]: &[wgpu::TextureView; 2]| [colour.texture().width(), colour.texture().height()] == size;
        let [colour, depth] = self.targets.take().filter(of_size).unwrap_or_else(|| {
            let (size, none) = ([size[0], size[1], 1], wgpu::TextureUsages::empty());
            let target = |format| gpu.target(format, size, SAMPLES, none).create_view(&Default::default());
            [self.pipelines.format, DEPTH].map(target)
        });
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("picture"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &colour,
                depth_slice: None,
                resolve_target: Some(target),
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Discard },
            })],
            depth_stencil_attachment: Some(attached(&depth, 0.0)),
            ..Default::default()
        });
        self.targets = Some([colour, depth]);
        pass.set_bind_group(3, &self.lit, &[]);
        self.run(gpu, &mut pass, stage, 0);
        let surface = stage.surfaces.len() - 1;
        self.pipelines.set(gpu, &mut pass, &mut None, (Kind::SKY, surface));
        pass.draw(0..3, 0..1);
        let ordered = self.ordered(stage);
        self.call(gpu, &mut pass, 0, &ordered);
        let ends = self.lines.bytes.len() / size_of::<End>();
        if ends > 0 {
            self.pipelines.set(gpu, &mut pass, &mut None, (Kind::LINE, surface));
            pass.set_vertex_buffer(0, self.lines.buffer.slice(..));
            pass.draw(0..ends as u32, 0..1);
        }
    }

    /// Returns the calls for a view's draws without blending that the processor lists.
    fn grouped(&self, stage: &Stage, number: usize) -> Vec<Call> {
        let groups = self.drawn[number].view.groups.groups().iter();
        let groups = groups.filter_map(|group| {
            let key = (group.mesh, group.material, group.mirrored);
            let mut call = Call::of(stage, key, number > 0, group.first..group.first + group.count)?;
            call.set.1 = stage.level_surface(group.mesh).unwrap_or(call.set.1);
            Some(call).filter(|call| call.set.0.pass != Pass::Blended)
        });
        groups.collect()
    }

    /// Returns the calls for blended draws, from back to front; consecutive draws of the same kind take one call.
    fn ordered(&self, stage: &Stage) -> Vec<Call> {
        let View { list, groups, order, .. } = &self.drawn[0].view;
        let like = |&draw: &u32| {
            let command = &list.commands()[draw as usize];
            (command.mesh, command.material(), command.is_mirrored())
        };
        // The ordered draws come after those in groups.
        let mut first = groups.instances().len() as u32;
        let runs = order.indices().chunk_by(|a, b| like(a) == like(b)).map(|run| {
            let range = first..first + run.len() as u32;
            first = range.end;
            Call::of(stage, like(&run[0]), false, range)
        });
        runs.flatten().collect()
    }

    /// Draws what the device lists for a view, or else the processor, without blending.
    fn run(&mut self, gpu: &Gpu, pass: &mut wgpu::RenderPass<'_>, stage: &Stage, view: usize) {
        pass.set_bind_group(0, &self.world, &[(view * size_of::<Eye>()) as u32]);
        pass.set_bind_group(1, self.tables.group(), &[]);
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.set_vertex_buffer(0, self.vertices.slice(..));
        pass.set_vertex_buffer(2, self.drawn[view].draws[1].buffer.slice(..));
        pass.set_vertex_buffer(3, self.skin.slice(..));
        if !self.culls_on_device() {
            let calls = self.grouped(stage, view);
            self.call(gpu, pass, view, &calls);
            return;
        }
        let (pipelines, mut last) = (&mut self.pipelines, None);
        self.tables.draw(pass, view as u32, 1, |pass, batch| {
            let set = of_batch(stage, batch, view > 0);
            set.inspect(|&set| pipelines.set(gpu, pass, &mut last, set)).is_some()
        });
    }

    /// Draws calls of a view.
    fn call(&mut self, gpu: &Gpu, pass: &mut wgpu::RenderPass<'_>, view: usize, calls: &[Call]) {
        pass.set_vertex_buffer(1, self.drawn[view].draws[0].buffer.slice(..));
        let mut last = None;
        for call in calls {
            self.pipelines.set(gpu, pass, &mut last, call.set);
            pass.draw_indexed(self.parts[call.mesh as usize].clone(), 0, call.draws.clone());
        }
    }
}

fn attached(view: &wgpu::TextureView, clear: f32) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(clear), store: wgpu::StoreOp::Store }),
        stencil_ops: None,
    }
}
