//! Draws the uploaded views.

use super::*;

/// Render targets of one size.
pub(super) struct Targets {
    size: [u32; 2],
    colour: wgpu::TextureView,
    depth: wgpu::TextureView,
}

impl Renderer {
    /// Encodes the queued writes, then the draws into a texture of this size.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        stage: &Stage,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        size: [u32; 2],
    ) {
        self.buffers.flush(encoder);
        self.prepare(gpu, stage);
        for (number, shadow) in self.shadow_views.iter().enumerate().take(self.drawn.len() - 1) {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("shadows"),
                depth_stencil_attachment: Some(attached(shadow, 1.0)),
                ..Default::default()
            });
            self.draw_groups(&mut pass, stage, number + 1, true);
        }
        let format = self.targets.take().filter(|targets| targets.size == size);
        let targets = format.unwrap_or_else(|| Targets::new(gpu, size, self.pipelines.format()));
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
        pass.set_bind_group(2, &self.lit, &[]);
        self.draw_groups(&mut pass, stage, 0, false);
        pass.set_pipeline(&self.pipelines.sky);
        pass.set_bind_group(0, &self.world, &[0]);
        pass.set_bind_group(1, self.surfaces.groups.last(), &[]);
        pass.draw(0..3, 0..1);
        self.draw_ordered(&mut pass, stage);
        if let Some(lines) = &self.lines {
            lines.draw(&mut pass);
        }
        drop(pass);
        self.targets = Some(targets);
    }

    fn kind(&self, stage: &Stage, mesh: u32, material: Option<u32>, mirrored: bool, shadow: bool) -> Option<Kind> {
        let part = self.parts.get(mesh as usize).filter(|part| !part.indices.is_empty())?;
        let surface = &stage.surfaces[stage.surface(material)];
        let pass = match surface.alpha {
            Alpha::Blend if shadow => return None,
            Alpha::Blend => Pass::Blended,
            Alpha::Mask(_) if shadow => Pass::Shadow(true),
            _ if shadow => Pass::Shadow(false),
            _ => Pass::Opaque,
        };
        let side = (!surface.double_sided).then_some(mirrored);
        Some(Kind { pass, deformed: part.deformed, topology: part.topology, side })
    }

    fn prepare(&mut self, gpu: &Gpu, stage: &Stage) {
        let mut kinds = Vec::new();
        for (number, Drawn { view, .. }) in self.drawn.iter().enumerate() {
            for group in view.groups.groups() {
                let kind = self.kind(stage, group.mesh, group.material, group.mirrored, number > 0);
                kinds.extend(kind.filter(|kind| kinds.last() != Some(kind)));
            }
        }
        for kind in kinds {
            self.pipelines.prepare(gpu, kind);
        }
    }

    /// Draws all groups of a view without blending.
    fn draw_groups(&self, pass: &mut wgpu::RenderPass<'_>, stage: &Stage, number: usize, shadow: bool) {
        let Drawn { view, grouped: [matrices, user_data], .. } = &self.drawn[number];
        if view.list.is_empty() {
            return;
        }
        self.begin(pass, number as u32, [&matrices.buffer, &user_data.buffer]);
        let left_out = self.left_out();
        let (mut kind_before, mut surface_before) = (None, None);
        for group in view.groups.groups() {
            let kind = self.kind(stage, group.mesh, group.material, group.mirrored, shadow);
            let Some(kind) = kind.filter(|kind| kind.pass != Pass::Blended && left_out != Some(group.mesh)) else {
                continue;
            };
            let Some(pipeline) = self.pipelines.get(kind) else { continue };
            if kind_before.replace(kind) != Some(kind) {
                pass.set_pipeline(pipeline);
            }
            let surface = stage.level_surface(group.mesh).unwrap_or(stage.surface(group.material));
            if surface_before.replace(surface) != Some(surface) {
                pass.set_bind_group(1, &self.surfaces.groups[surface], &[]);
            }
            let part = &self.parts[group.mesh as usize];
            pass.draw_indexed(part.indices.clone(), 0, group.first..group.first + group.count);
        }
    }

    fn left_out(&self) -> Option<u32> {
        match self.settings.fault {
            Some(Fault::LeftOut(mesh)) => Some(mesh),
            _ => None,
        }
    }

    /// Renders blended draws from back to front; consecutive draws of the same kind take one call.
    fn draw_ordered(&self, pass: &mut wgpu::RenderPass<'_>, stage: &Stage) {
        let Drawn { view, ordered: [matrices, user_data], .. } = &self.drawn[0];
        let order = view.order.indices();
        if order.is_empty() {
            return;
        }
        self.begin(pass, 0, [&matrices.buffer, &user_data.buffer]);
        let commands = view.list.commands();
        let like = |&draw: &u32| {
            let command = &commands[draw as usize];
            (command.mesh, command.material(), command.is_mirrored())
        };
        let mut first = 0;
        for run in order.chunk_by(|a, b| like(a) == like(b)) {
            let range = first..first + run.len() as u32;
            first = range.end;
            let (mesh, material, mirrored) = like(&run[0]);
            if self.left_out() == Some(mesh) {
                continue;
            }
            let Some(kind) = self.kind(stage, mesh, material, mirrored, false) else { continue };
            let Some(pipeline) = self.pipelines.get(kind) else { continue };
            pass.set_pipeline(pipeline);
            pass.set_bind_group(1, &self.surfaces.groups[stage.surface(material)], &[]);
            let part = &self.parts[mesh as usize];
            pass.draw_indexed(part.indices.clone(), 0, range);
        }
    }

    fn begin(&self, pass: &mut wgpu::RenderPass<'_>, eye: u32, [matrices, user_data]: [&wgpu::Buffer; 2]) {
        #[expect(clippy::cast_possible_truncation, reason = "a few hundred bytes")]
        pass.set_bind_group(0, &self.world, &[eye * STRIDE as u32]);
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.set_vertex_buffer(0, self.vertices.slice(..));
        pass.set_vertex_buffer(1, matrices.slice(..));
        pass.set_vertex_buffer(2, user_data.slice(..));
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
