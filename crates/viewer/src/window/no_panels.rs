//! A stand-in for panels if the feature `panels` is off.

use super::session::Session;
use crate::gpu::Gpu;
use crate::viewer::Viewer;
use winit::event::WindowEvent;
use winit::window::Window;

pub(super) struct Panels;

impl Panels {
    pub(super) fn new(_: &Gpu, _: &Window, _: wgpu::TextureFormat) -> Self {
        Self
    }

    /// Returns whether the pointer is on a panel, and whether keys are for a panel.
    pub(super) fn heed(&mut self, _: &Window, _: &WindowEvent) -> [bool; 2] {
        [false; 2]
    }

    pub(super) fn draw(
        &mut self,
        window: &Window,
        _: &mut Viewer,
        session: &mut Session,
        _: (&mut wgpu::CommandEncoder, &wgpu::TextureView, [u32; 2]),
    ) {
        if let Some(refused) = session.refused.take() {
            window.set_title(&refused);
        }
    }
}
