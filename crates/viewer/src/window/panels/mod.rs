//! Panels: the tree on the left, the inspector on the right.

mod inspector;
mod plot;
mod tree;

use super::session::Session;
use crate::gpu::Gpu;
use crate::viewer::Viewer;
use egui::{Order, Pos2, Rect, Ui};
use egui_wgpu::{RendererOptions, ScreenDescriptor};
use plot::Plot;
use tree::Tree;
use winit::event::WindowEvent;
use winit::window::Window;

pub(super) struct Panels {
    context: egui::Context,
    input: egui_winit::State,
    renderer: egui_wgpu::Renderer,
    tree: Tree,
    plot: Plot,
    /// The rectangle of the window that panels leave free, and the pointer, in points.
    middle: Rect,
    pointer: Pos2,
}

impl Panels {
    pub(super) fn new(gpu: &Gpu, window: &Window, format: wgpu::TextureFormat) -> Self {
        let context = egui::Context::default();
        context.set_theme(egui::Theme::Dark);
        let most = gpu.device.limits().max_texture_dimension_2d as usize;
        let input = egui_winit::State::new(context.clone(), egui::ViewportId::ROOT, window, None, None, Some(most));
        Self {
            renderer: egui_wgpu::Renderer::new(&gpu.device, format, RendererOptions::default()),
            context,
            input,
            tree: Tree::new(),
            plot: Plot::new(),
            middle: Rect::EVERYTHING,
            pointer: Pos2::ZERO,
        }
    }

    /// Handles an event. Returns whether the pointer is on a panel, and whether keys are for a panel.
    pub(super) fn heed(&mut self, window: &Window, event: &WindowEvent) -> [bool; 2] {
        let typing = self.context.egui_wants_keyboard_input();
        let _ = self.input.on_window_event(window, event);
        if let WindowEvent::CursorMoved { position, .. } = event {
            let position = position.to_logical::<f32>(f64::from(self.context.pixels_per_point()));
            self.pointer = Pos2::new(position.x, position.y);
        }
        // Test where the pointer is now, not where it was in the last frame.
        let floating = self.context.layer_id_at(self.pointer).is_some_and(|layer| layer.order > Order::Background);
        [floating || !self.middle.contains(self.pointer), typing]
    }

    /// Lays the panels out, and draws them over the picture.
    pub(super) fn draw(
        &mut self,
        window: &Window,
        viewer: &mut Viewer,
        session: &mut Session,
        (encoder, view, size): (&mut wgpu::CommandEncoder, &wgpu::TextureView, [u32; 2]),
    ) {
        self.plot.push(session.frame.ms);
        let input = self.input.take_egui_input(window);
        let context = self.context.clone();
        let mut output = context.run_ui(input, |ui| self.lay_out(ui, viewer, session));
        self.input.handle_platform_output(window, output.platform_output);
        let gpu = &viewer.gpu;
        for (id, deltas) in output.textures_delta.set.drain() {
            for delta in &deltas {
                self.renderer.update_texture(&gpu.device, &gpu.queue, id, delta);
            }
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
        for id in output.textures_delta.free.drain() {
            self.renderer.free_texture(&id);
        }
    }

    fn lay_out(&mut self, ui: &mut Ui, viewer: &mut Viewer, session: &mut Session) {
        if session.shows_panels {
            egui::Panel::left("tree").default_size(230.0).show(ui, |ui| {
                self.tree.show(ui, &viewer.stage, session);
            });
            egui::Panel::right("inspector").default_size(270.0).show(ui, |ui| {
                egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| self.inspect(ui, viewer, session));
            });
        }
        self.middle = ui.available_rect_before_wrap();
    }
}
