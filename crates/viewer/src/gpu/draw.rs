//! Draws the uploaded views.

use super::Gpu;
use super::pipelines::{Kind, Pass, of_key};
use super::renderer::Renderer;
use super::resources::{DEPTH, SAMPLES};
use super::uniforms::STRIDE;
use crate::stage::Stage;
use crate::view::View;
use hedgerow_wgpu::gpu::Batch;
use std::ops::Range;

/// A call: draws of one kind and surface.
struct Call {
    kind: Kind,
    surface: usize,
    what: What,
}

enum What {
    /// A mesh, and its draws in a list.
    Draws(u32, Range<u32>),
    /// What the device lists.
    Batch(Batch),
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
        Some(Self { kind, surface, what: What::Draws(mesh, draws) })
    }
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
        if std::mem::take(&mut self.stale) && !self.views.is_empty() {
            self.tables.cull(&gpu.queue, encoder, &self.views);
        }
        // On the device, the batches of all cascades are the same.
        let count = if self.views.is_empty() { self.drawn.len() } else { self.drawn.len().min(2) };
        let groups: Vec<Vec<Call>> = (0..count).map(|number| self.grouped(stage, number)).collect();
        let ordered = self.ordered(stage);
        for call in groups.iter().flatten().chain(&ordered) {
            self.pipelines.prepare(gpu, call.kind);
        }
        for (number, shadow) in self.shadows.iter().enumerate().take(self.drawn.len() - 1) {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("shadows"),
                depth_stencil_attachment: Some(attached(shadow, 1.0)),
                ..Default::default()
            });
            self.run(&mut pass, number + 1, &groups[(number + 1).min(count - 1)]);
        }
        let of_size =
            |[colour, _]: &[wgpu::TextureView; 2]| [colour.texture().width(), colour.texture().height()] == size;
        let targets = self.targets.take().filter(of_size).unwrap_or_else(|| {
            let (size, none) = ([size[0], size[1], 1], wgpu::TextureUsages::empty());
            let target = |format| gpu.target(format, size, SAMPLES, none).create_view(&Default::default());
            [self.pipelines.format, DEPTH].map(target)
        });
        let [colour, depth] = &targets;
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("picture"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: colour,
                depth_slice: None,
                resolve_target: Some(target),
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Discard },
            })],
            depth_stencil_attachment: Some(attached(depth, 0.0)),
            ..Default::default()
        });
        pass.set_bind_group(3, &self.lit, &[]);
        self.run(&mut pass, 0, &groups[0]);
        pass.set_pipeline(&self.pipelines.sky);
        pass.set_bind_group(2, self.surfaces.last(), &[]);
        pass.draw(0..3, 0..1);
        self.run(&mut pass, 0, &ordered);
        if let Some(lines) = &self.lines {
            lines.draw(&mut pass);
        }
        drop(pass);
        self.targets = Some(targets);
    }

    /// Returns the calls for a view's draws without blending.
    fn grouped(&self, stage: &Stage, number: usize) -> Vec<Call> {
        let shadow = number > 0;
        let batches = self.tables.scene().batches().iter().filter(|_| !self.views.is_empty());
        let batches = batches.filter_map(|batch| {
            let (surface, form) = of_key(batch.key);
            let kind = Kind::of(stage.surfaces.get(surface)?, form, batch.mirrored, shadow)?;
            Some(Call { kind, surface, what: What::Batch(batch.clone()) })
        });
        let groups = self.drawn[number].view.groups.groups().iter().filter(|_| self.views.is_empty());
        let groups = groups.filter_map(|group| {
            let key = (group.mesh, group.material, group.mirrored);
            let mut call = Call::of(stage, key, shadow, group.first..group.first + group.count)?;
            call.surface = stage.level_surface(group.mesh).unwrap_or(call.surface);
            Some(call).filter(|call| call.kind.pass != Pass::Blended)
        });
        batches.chain(groups).collect()
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

    /// Draws calls of a view.
    fn run(&self, pass: &mut wgpu::RenderPass<'_>, view: usize, calls: &[Call]) {
        let [slots, matrices] = &self.drawn[view].draws;
        pass.set_bind_group(0, &self.world, &[(view * STRIDE) as u32]);
        pass.set_bind_group(1, self.tables.group(), &[]);
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.set_vertex_buffer(0, self.vertices.slice(..));
        pass.set_vertex_buffer(2, matrices.buffer.slice(..));
        pass.set_vertex_buffer(3, self.skin.slice(..));
        let (mut kind, mut surface) = (None, None);
        for call in calls {
            let Some(pipeline) = self.pipelines.get(call.kind) else { continue };
            if kind.replace(call.kind) != Some(call.kind) {
                pass.set_pipeline(pipeline);
            }
            if surface.replace(call.surface) != Some(call.surface) {
                pass.set_bind_group(2, &self.surfaces[call.surface], &[]);
            }
            match &call.what {
                What::Draws(mesh, draws) => {
                    pass.set_vertex_buffer(1, slots.buffer.slice(..));
                    pass.draw_indexed(self.parts[*mesh as usize].clone(), 0, draws.clone());
                }
                What::Batch(batch) => _ = self.tables.draw(pass, view as u32, batch, 1),
            }
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
