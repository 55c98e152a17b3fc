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

/// A call: draws of a list with one mesh, kind and surface.
struct Call {
    kind: Kind,
    surface: usize,
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
        Some(Self { kind, surface, mesh, draws })
    }
}

/// The pipeline and the surface that a pass has set.
#[derive(Default)]
struct Set(Option<Kind>, Option<usize>);

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
        let (mut groups, mut kinds) = (Vec::new(), Vec::new());
        if self.views.is_empty() {
            groups.extend((0..self.drawn.len()).map(|number| self.grouped(stage, number)));
        } else {
            self.tables.cull(&gpu.queue, encoder, &self.views);
            groups.resize_with(self.drawn.len(), Vec::new);
            let passes = &[false, true][..self.drawn.len().min(2)];
            let kinds_of = |batch| passes.iter().map(move |&shadow| of_batch(stage, batch, shadow));
            kinds.extend(self.tables.scene().batches().iter().flat_map(kinds_of).flatten().map(|(kind, _)| kind));
        }
        let ordered = self.ordered(stage);
        kinds.extend(groups.iter().flatten().chain(&ordered).map(|call| call.kind));
        kinds.into_iter().for_each(|kind| self.pipelines.prepare(gpu, kind));
        for (number, shadow) in self.shadows.iter().enumerate().take(self.drawn.len() - 1) {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("shadows"),
                depth_stencil_attachment: Some(attached(shadow, 1.0)),
                ..Default::default()
            });
            self.run(&mut pass, stage, number + 1, &groups[number + 1]);
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
        self.run(&mut pass, stage, 0, &groups[0]);
        pass.set_pipeline(&self.pipelines.sky);
        pass.set_bind_group(2, self.surfaces.last(), &[]);
        pass.draw(0..3, 0..1);
        self.call(&mut pass, 0, &ordered);
        if let Some(lines) = &self.lines {
            lines.draw(&mut pass);
        }
        drop(pass);
        self.targets = Some(targets);
    }

    /// Returns the calls for a view's draws without blending.
    fn grouped(&self, stage: &Stage, number: usize) -> Vec<Call> {
        let groups = self.drawn[number].view.groups.groups().iter();
        let groups = groups.filter_map(|group| {
            let key = (group.mesh, group.material, group.mirrored);
            let mut call = Call::of(stage, key, number > 0, group.first..group.first + group.count)?;
            call.surface = stage.level_surface(group.mesh).unwrap_or(call.surface);
            Some(call).filter(|call| call.kind.pass != Pass::Blended)
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

    /// Draws what the device lists for a view, or these calls.
    fn run(&self, pass: &mut wgpu::RenderPass<'_>, stage: &Stage, view: usize, calls: &[Call]) {
        pass.set_bind_group(0, &self.world, &[(view * STRIDE) as u32]);
        pass.set_bind_group(1, self.tables.group(), &[]);
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.set_vertex_buffer(0, self.vertices.slice(..));
        pass.set_vertex_buffer(2, self.drawn[view].draws[1].buffer.slice(..));
        pass.set_vertex_buffer(3, self.skin.slice(..));
        if !self.views.is_empty() {
            let mut set = Set::default();
            self.tables.draw(pass, view as u32, 1, |pass, batch| {
                of_batch(stage, batch, view > 0).is_some_and(|(kind, surface)| self.set(pass, &mut set, kind, surface))
            });
        }
        self.call(pass, view, calls);
    }

    /// Draws calls of a view.
    fn call(&self, pass: &mut wgpu::RenderPass<'_>, view: usize, calls: &[Call]) {
        pass.set_vertex_buffer(1, self.drawn[view].draws[0].buffer.slice(..));
        let mut set = Set::default();
        for call in calls {
            if self.set(pass, &mut set, call.kind, call.surface) {
                pass.draw_indexed(self.parts[call.mesh as usize].clone(), 0, call.draws.clone());
            }
        }
    }

    /// Sets a pipeline and a surface that are not set yet. Returns `false` if the pipeline was not made.
    fn set(&self, pass: &mut wgpu::RenderPass<'_>, set: &mut Set, kind: Kind, surface: usize) -> bool {
        let Some(pipeline) = self.pipelines.get(kind) else { return false };
        if set.0.replace(kind) != Some(kind) {
            pass.set_pipeline(pipeline);
        }
        if set.1.replace(surface) != Some(surface) {
            pass.set_bind_group(2, &self.surfaces[surface], &[]);
        }
        true
    }
}

fn attached(view: &wgpu::TextureView, clear: f32) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(clear), store: wgpu::StoreOp::Store }),
        stencil_ops: None,
    }
}
