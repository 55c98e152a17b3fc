//! Where pictures go: to a file, or to a window.

use super::Renderer;
use super::pipeline::texture;
use super::stage::{Result, Stage};
use std::{fs::File, path::PathBuf, sync::Arc, time::Instant};
use wgpu::{BufferUsages, TextureFormat, TextureUsages};
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::window::{Window, WindowId};

const PICTURE: TextureFormat = TextureFormat::Rgba8UnormSrgb;

/// Draws one picture without a screen, and writes it as a PNG file.
pub(crate) fn picture(stage: Stage, path: PathBuf, size: [u32; 2], time: f32) -> Result<()> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle().with_env());
    let adapter = pollster::block_on(instance.request_adapter(&Default::default()))?;
    let mut renderer = Renderer::new(&adapter, stage, PICTURE)?;
    let canvas = texture(&renderer.device, size, PICTURE, TextureUsages::COPY_SRC);
    renderer.draw(&canvas, time)?;
    let row = (4 * size[0]).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
    let (bytes, mapped_at_creation) = (u64::from(row) * u64::from(size[1]), false);
    let buffer = wgpu::BufferDescriptor { label: None, size: bytes, usage, mapped_at_creation };
    let buffer = renderer.device.create_buffer(&buffer);
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: None };
    let mut encoder = renderer.device.create_command_encoder(&Default::default());
    let to = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
    encoder.copy_texture_to_buffer(canvas.as_image_copy(), to, canvas.size());
    renderer.queue.submit([encoder.finish()]);
    buffer.map_async(wgpu::MapMode::Read, .., |mapped| mapped.expect("a buffer to read"));
    renderer.device.poll(wgpu::PollType::wait_indefinitely())?;
    let bytes = buffer.get_mapped_range(..)?;
    let rows = bytes.chunks_exact(row as usize).flat_map(|row| &row[..4 * size[0] as usize]);
    let mut encoder = png::Encoder::new(File::create(path)?, size[0], size[1]);
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header()?.write_image_data(&rows.copied().collect::<Vec<u8>>())?;
    Ok(())
}

/// Shows a stage until the window is closed.
pub(crate) fn show(stage: Stage, size: [u32; 2]) -> Result<()> {
    let mut app = App { stage: Some(stage), size, shown: None, result: Ok(()) };
    EventLoop::new()?.run_app(&mut app)?;
    app.result
}

struct App {
    /// `None` once a window shows it.
    stage: Option<Stage>,
    size: [u32; 2],
    shown: Option<Shown>,
    result: Result<()>,
}

struct Shown {
    window: Arc<Window>,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    renderer: Renderer,
    last: Instant,
}

impl Shown {
    fn new(events: &ActiveEventLoop, stage: Stage, [width, height]: [u32; 2]) -> Result<Self> {
        let attributes = Window::default_attributes().with_title("hedgerow");
        let window = Arc::new(events.create_window(attributes.with_inner_size(PhysicalSize::new(width, height)))?);
        let display = Box::new(events.owned_display_handle());
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_with_display_handle(display).with_env());
        let surface = instance.create_surface(Arc::clone(&window))?;
        let options = wgpu::RequestAdapterOptions { compatible_surface: Some(&surface), ..Default::default() };
        let adapter = pollster::block_on(instance.request_adapter(&options))?;
        let size = window.inner_size();
        let config = surface.get_default_config(&adapter, size.width.max(1), size.height.max(1));
        let mut config = config.ok_or("the adapter cannot draw into windows")?;
        let formats = surface.get_capabilities(&adapter).formats;
        config.format = formats.into_iter().find(TextureFormat::is_srgb).unwrap_or(config.format);
        let renderer = Renderer::new(&adapter, stage, config.format)?;
        surface.configure(&renderer.device, &config);
        Ok(Self { window, surface, config, renderer, last: Instant::now() })
    }

    fn frame(&mut self) -> Result<()> {
        use wgpu::CurrentSurfaceTexture::{Outdated, Suboptimal, Success};
        match self.surface.get_current_texture() {
            Success(texture) | Suboptimal(texture) => {
                let seconds = self.last.elapsed().as_secs_f32();
                self.last = Instant::now();
                self.renderer.draw(&texture.texture, seconds)?;
                self.window.pre_present_notify();
                self.renderer.queue.present(texture);
            }
            Outdated => self.surface.configure(&self.renderer.device, &self.config),
            // The window is hidden, or the next frame will do.
            _ => std::thread::sleep(std::time::Duration::from_millis(20)),
        }
        Ok(())
    }

    fn resize(&mut self, size: PhysicalSize<u32>) {
        (self.config.width, self.config.height) = (size.width.max(1), size.height.max(1));
        self.surface.configure(&self.renderer.device, &self.config);
    }
}

impl ApplicationHandler for App {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        // Some systems send this event repeatedly.
        let Some(stage) = self.stage.take() else { return };
        match Shown::new(events, stage, self.size) {
            Ok(shown) => self.shown = Some(shown),
            Err(error) => {
                self.result = Err(error);
                events.exit();
            }
        }
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(shown) = &mut self.shown else { return };
        match event {
            WindowEvent::CloseRequested => events.exit(),
            WindowEvent::Resized(size) => shown.resize(size),
            WindowEvent::RedrawRequested => {
                self.result = shown.frame();
                if self.result.is_err() {
                    events.exit();
                }
                shown.window.request_redraw();
            }
            _ => {}
        }
    }
}
