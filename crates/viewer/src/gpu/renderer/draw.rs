//! Draws the uploaded views.

use super::*;
use crate::gpu::pipelines::{Kind, Pass, SAMPLES};
use hedgerow_wgpu::gpu::Batch;

/// Render targets of one size.
pub(super) struct Targets {
    size: [u32; 2],
    colour: wgpu::TextureView,
    depth: wgpu::TextureView,
}

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
        if std::mem::take(&mut self.stale)
            && let Place::Buffers(tables) = &mut self.tables.place
            && !self.views.is_empty()
        {
            tables.cull(&gpu.queue, encoder, &self.views);
        }
        // On the device, the batches of all cascades are the same.
        let count = if self.views.is_empty() { self.drawn.len() } else { self.drawn.len().min(2) };
        let groups: Vec<Vec<Call>> = (0..count).map(|number| self.grouped(stage, number)).collect();
        let ordered = self.ordered(stage);
        for call in groups.iter().flatten().chain(&ordered) {
            self.pipelines.prepare(gpu, call.kind);
        }
        for (number, shadow) in self.shadow_views.iter().enumerate().take(self.drawn.len() - 1) {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("shadows"),
                depth_stencil_attachment: Some(attached(shadow, 1.0)),
                ..Default::default()
            });
            self.run(&mut pass, number + 1, 0, &groups[(number + 1).min(count - 1)]);
        }
        let targets = self.targets.take().filter(|targets| targets.size == size);
        let targets = targets.unwrap_or_else(|| Targets::new(gpu, size, self.pipelines.format));
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("picture"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &targets.colour,
                depth_slice: None,
                resolve_target: Some(target),
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Discard },
            })],
            depth_stencil_attachment: Some(attached(&targets.depth, 0.0)),
            ..Default::default()
        });
        pass.set_bind_group(3, &self.lit, &[]);
        self.run(&mut pass, 0, 0, &groups[0]);
        pass.set_pipeline(&self.pipelines.sky);
        pass.set_bind_group(2, self.surfaces.groups.last(), &[]);
        pass.draw(0..3, 0..1);
        self.run(&mut pass, 0, 1, &ordered);
        if let Some(lines) = &self.lines {
            lines.draw(&mut pass);
        }
        drop(pass);
        self.targets = Some(targets);
    }

    /// Returns the calls for a view's draws without blending.
    fn grouped(&self, stage: &Stage, number: usize) -> Vec<Call> {
        let shadow = number > 0;
        if !self.views.is_empty() {
            let calls = self.tables.scene().batches().iter().filter_map(|batch| {
                let (surface, kind) = Kind::of_key(stage, batch.key, batch.mirrored, shadow)?;
                Some(Call { kind, surface, what: What::Batch(batch.clone()) })
            });
            return calls.collect();
        }
        let calls = self.drawn[number].view.groups.groups().iter().filter_map(|group| {
            let surface = stage.surface(group.material);
            let kind = Kind::of(stage, surface, group.mesh, group.mirrored, shadow)?;
            let surface = stage.level_surface(group.mesh).unwrap_or(surface);
            let what = What::Draws(group.mesh, group.first..group.first + group.count);
            (kind.pass != Pass::Blended).then_some(Call { kind, surface, what })
        });
        calls.collect()
    }

    /// Returns the calls for blended draws, from back to front; consecutive draws of the same kind take one call.
    fn ordered(&self, stage: &Stage) -> Vec<Call> {
        let View { list, order, .. } = &self.drawn[0].view;
        let like = |&draw: &u32| {
            let command = &list.commands()[draw as usize];
            (command.mesh, command.material(), command.is_mirrored())
        };
        let (mut first, mut calls) = (0, Vec::new());
        for run in order.indices().chunk_by(|a, b| like(a) == like(b)) {
            let range = first..first + run.len() as u32;
            first = range.end;
            let (mesh, material, mirrored) = like(&run[0]);
            let surface = stage.surface(material);
            let kind = Kind::of(stage, surface, mesh, mirrored, false);
            calls.extend(kind.map(|kind| Call { kind, surface, what: What::Draws(mesh, range) }));
        }
        calls
    }

    /// Draws calls of a view, whose draws are in groups (0) or in order (1).
    fn run(&self, pass: &mut wgpu::RenderPass<'_>, view: usize, list: usize, calls: &[Call]) {
        let [slots, matrices] = &self.drawn[view].draws[list];
        pass.set_bind_group(0, &self.world, &[(view * STRIDE) as u32]);
        pass.set_bind_group(1, self.tables.bindings().0, &[]);
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
                pass.set_bind_group(2, &self.surfaces.groups[call.surface], &[]);
            }
            match (&call.what, &self.tables.place) {
                (What::Draws(mesh, draws), _) => {
                    pass.set_vertex_buffer(1, slots.buffer.slice(..));
                    pass.draw_indexed(self.parts[*mesh as usize].clone(), 0, draws.clone());
                }
                (What::Batch(batch), Place::Buffers(tables)) => _ = tables.draw(pass, view as u32, batch, 1),
                (What::Batch(_), Place::Textures(_)) => {}
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

impl Targets {
    fn new(gpu: &Gpu, size: [u32; 2], format: wgpu::TextureFormat) -> Self {
        let make = |label, format| {
            let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: SAMPLES,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
                view_formats: &[],
            });
            texture.create_view(&Default::default())
        };
        Self { size, colour: make("colour", format), depth: make("depth", DEPTH) }
    }
}
