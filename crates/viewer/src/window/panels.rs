//! Panels: the tree, the components of the picked node, times, statistics, memory, switches.

use super::Session;
use super::memory::Memory;
use super::tree::Tree;
use crate::failure::Result;
use crate::gpu::Gpu;
use crate::viewer::{Frame, Viewer};
use egui::{Color32, Pos2, Rect, Sense, Stroke, Ui, Vec2};
use egui_wgpu::{RendererOptions, ScreenDescriptor};
use hedgerow::{Local, NodeHandle};
use std::collections::VecDeque;
use winit::event::WindowEvent;
use winit::window::Window;

/// How many frames the plot shows.
const SHOWN: usize = 240;
const COLOURS: [Color32; 7] = [
    Color32::from_rgb(230, 90, 70),
    Color32::from_rgb(240, 170, 60),
    Color32::from_rgb(190, 190, 80),
    Color32::from_rgb(90, 190, 90),
    Color32::from_rgb(70, 170, 220),
    Color32::from_rgb(110, 110, 230),
    Color32::from_rgb(190, 100, 210),
];

pub(super) struct Panels {
    context: egui::Context,
    input: egui_winit::State,
    renderer: egui_wgpu::Renderer,
    tree: Tree,
    memory: Memory,
    shows_memory: bool,
    times: VecDeque<[f64; 7]>,
    threads: usize,
}

impl Panels {
    pub(super) fn new(gpu: &Gpu, window: &Window, format: wgpu::TextureFormat) -> Self {
        let context = egui::Context::default();
        let most = gpu.device.limits().max_texture_dimension_2d as usize;
        let input =
            egui_winit::State::new(context.clone(), egui::ViewportId::ROOT, window, None, None, Some(most));
        Self {
            renderer: egui_wgpu::Renderer::new(&gpu.device, format, RendererOptions::default()),
            context,
            input,
            tree: Tree::new(),
            memory: Memory::new(),
            shows_memory: false,
            times: VecDeque::new(),
            threads: 0,
        }
    }

    /// Whether an event is for a panel, and not for the picture.
    pub(super) fn takes(&mut self, window: &Window, event: &WindowEvent) -> bool {
        let consumed = self.input.on_window_event(window, event).consumed;
        match event {
            WindowEvent::CursorMoved { .. } => self.context.egui_is_using_pointer(),
            WindowEvent::MouseInput { .. } | WindowEvent::MouseWheel { .. } => consumed,
            WindowEvent::KeyboardInput { .. } => consumed && self.context.egui_wants_keyboard_input(),
            _ => consumed,
        }
    }

    pub(super) fn draw(
        &mut self,
        window: &Window,
        viewer: &mut Viewer,
        session: &mut Session,
        (encoder, view, size): (&mut wgpu::CommandEncoder, &wgpu::TextureView, [u32; 2]),
    ) -> Result<()> {
        self.times.push_back(session.frame.ms);
        if self.times.len() > SHOWN {
            self.times.pop_front();
        }
        let input = self.input.take_egui_input(window);
        let context = self.context.clone();
        let mut failed = Ok(());
        let output = context.run_ui(input, |ui| {
            egui::Panel::left("tree").default_size(240.0).show(ui, |ui| {
                self.tree.show(ui, &viewer.stage, &mut session.editor.picked);
            });
            egui::Panel::right("inspector").default_size(280.0).show(ui, |ui| {
                egui::ScrollArea::vertical().show(ui, |ui| {
                    if let Err(failure) = self.inspect(ui, viewer, session) {
                        failed = Err(failure);
                    }
                });
            });
            if self.shows_memory {
                egui::Window::new("memory").default_pos(Pos2::new(260.0, 20.0)).show(ui.ctx(), |ui| {
                    self.memory.show(ui, &viewer.stage);
                });
            }
        });
        self.input.handle_platform_output(window, output.platform_output);
        let gpu = &viewer.gpu;
        for (id, delta) in &output.textures_delta.set {
            self.renderer.update_texture(&gpu.device, &gpu.queue, *id, delta);
        }
        let primitives = context.tessellate(output.shapes, output.pixels_per_point);
        let screen = ScreenDescriptor { size_in_pixels: size, pixels_per_point: output.pixels_per_point };
        let before = self.renderer.update_buffers(&gpu.device, &gpu.queue, encoder, &primitives, &screen);
        gpu.queue.submit(before);
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("panels"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Load, store: wgpu::StoreOp::Store },
            })],
            ..Default::default()
        });
        self.renderer.render(&mut pass.forget_lifetime(), &primitives, &screen);
        for id in &output.textures_delta.free {
            self.renderer.free_texture(id);
        }
        failed
    }

    fn inspect(&mut self, ui: &mut Ui, viewer: &mut Viewer, session: &mut Session) -> Result<()> {
        if let Some(refused) = session.refused.clone() {
            ui.colored_label(Color32::LIGHT_RED, refused);
            if ui.button("all right").clicked() {
                session.refused = None;
            }
        }
        ui.collapsing("keys", |ui| {
            ui.label(
                "left: pick and drag; right: turn; wheel: zoom\nC: fly (W A S D Q E) or orbit; F: to what is picked; \
                 P: its parent\ndelete, ctrl-D duplicate, ctrl-Z undo, ctrl-Y redo\nX: freeze the frustum; B: boxes; \
                 space: stop",
            );
        });
        ui.heading("switches");
        ui.checkbox(&mut viewer.still, "nothing happens");
        ui.checkbox(&mut session.flying, "fly");
        let settings = viewer.renderer.settings();
        let (mut culling, mut skinning) = (settings.culling, settings.cpu_skinning);
        ui.checkbox(&mut culling, "culling");
        ui.checkbox(&mut skinning, "skin on the processor");
        if (culling, skinning) != (settings.culling, settings.cpu_skinning) {
            viewer.renderer.set(skinning, culling);
            viewer.stage.figures.touch();
        }
        let mut frozen = viewer.frozen.is_some();
        if ui.checkbox(&mut frozen, "frozen frustum").changed() {
            viewer.frozen = frozen.then_some(viewer.camera);
        }
        ui.checkbox(&mut session.boxes, "boxes of what is seen");
        ui.checkbox(&mut self.shows_memory, "memory");
        ui.add(egui::Slider::new(&mut viewer.load, 0.0..=100.0).text("% of nodes move"));
        if ui.add(egui::Slider::new(&mut self.threads, 0..=16).text("threads (0: all)")).changed() {
            viewer.set_threads(self.threads)?;
        }
        ui.separator();
        self.plot(ui, &session.frame);
        ui.separator();
        let frame = &session.frame;
        ui.heading("frame");
        let uploaded = frame.uploaded;
        ui.label(format!(
            "{} draws in {} groups, {} triangles\nuploaded {} bytes in {} writes:\nmatrices {}, draws {}, figures {}, \
             cameras {}",
            frame.seen[0],
            frame.seen[1],
            frame.seen[2],
            uploaded.bytes(),
            uploaded.writes,
            uploaded.matrices,
            uploaded.draws,
            uploaded.figures,
            uploaded.uniforms,
        ));
        let stats = viewer.stage.scene.stats();
        ui.label(format!(
            "{} nodes, {} detached, in {} slices\n{:.1} bytes a node live, {:.1} allocated\n{} reconstitutions",
            stats.nodes,
            stats.detached,
            stats.slices,
            stats.live_bytes() as f64 / stats.nodes.max(1) as f64,
            stats.allocated_bytes() as f64 / stats.nodes.max(1) as f64,
            stats.reconstitutions,
        ));
        let [done, undone] = session.editor.depth();
        ui.label(format!("{done} edits can be undone, {undone} done again"));
        ui.separator();
        ui.heading("node");
        if let Some(node) = session.editor.picked.filter(|&node| viewer.stage.scene.contains(node)) {
            components(ui, viewer, node)?;
        } else {
            ui.label("click on something");
        }
        Ok(())
    }

    /// The phases of the last frames, one above the other.
    fn plot(&self, ui: &mut Ui, frame: &Frame) {
        ui.label(format!("{:.2} ms of work, {:.1} ms to draw", frame.work_ms(), frame.draw_ms));
        let (response, painter) = ui.allocate_painter(Vec2::new(ui.available_width(), 90.0), Sense::hover());
        let Rect { min, max } = response.rect;
        painter.rect_filled(response.rect, 0.0, Color32::from_gray(20));
        let most = self.times.iter().map(|times| times.iter().sum::<f64>()).fold(1.0, f64::max);
        let step = (max.x - min.x) / SHOWN as f32;
        for (number, times) in self.times.iter().enumerate() {
            let x = min.x + step * (number as f32 + 0.5);
            let mut y = max.y;
            for (ms, colour) in times.iter().zip(COLOURS) {
                #[expect(clippy::cast_possible_truncation, reason = "a height in points")]
                let top = y - (ms / most) as f32 * (max.y - min.y);
                painter.line_segment([Pos2::new(x, y), Pos2::new(x, top)], Stroke::new(step.max(1.0), colour));
                y = top;
            }
        }
        for ((name, ms), colour) in Frame::PHASES.iter().zip(frame.ms).zip(COLOURS) {
            ui.colored_label(colour, format!("{name} {ms:.3} ms"));
        }
        ui.label(format!("the plot is {most:.2} ms high"));
    }
}

fn components(ui: &mut Ui, viewer: &mut Viewer, node: NodeHandle) -> Result<()> {
    let scene = &mut viewer.stage.scene;
    ui.label(format!("{}  ({:?})", scene.name(node).unwrap_or("without a name"), node));
    match scene.local(node) {
        Some(Local::Transform(mut transform)) => {
            let mut changed = false;
            for (name, vector) in [("translation", &mut transform.translation), ("scale", &mut transform.scale)] {
                ui.horizontal(|ui| {
                    ui.label(name);
                    for part in [&mut vector.x, &mut vector.y, &mut vector.z] {
                        changed |= ui.add(egui::DragValue::new(part).speed(0.02)).changed();
                    }
                });
            }
            ui.label(format!("rotation {:.3}", transform.rotation));
            if changed {
                scene.set_local(node, transform)?;
            }
        }
        Some(Local::Matrix(matrix)) => {
            ui.label(format!("matrix {matrix:?}"));
        }
        None => {
            ui.label("no transform");
        }
    }
    if let Some(shape) = scene.shape(node) {
        ui.label(format!("mesh {}, {:.2} to {:.2}", shape.mesh, shape.bounds.min, shape.bounds.max));
    }
    ui.label(format!("material {:?}, own {:?}", scene.material(node), scene.own_material(node)));
    ui.label(format!("visibility {:?}, own {:?}", scene.visibility(node), scene.own_visibility(node)));
    ui.label(format!("{} children, depth {:?}", scene.child_count(node), scene.depth(node)));
    if let Some(slot) = scene.matrix_slot(node) {
        ui.label(format!("slice {}, slot {}", slot.slice, slot.slot));
    }
    Ok(())
}
