//! A stage in a window.

use super::input::{Input, aspect};
use super::outlines::outlines;
use super::panels::Panels;
use super::session::{Session, Summary};
use crate::arguments::Arguments;
use crate::failure::{Failure, Result};
use crate::gpu::Gpu;
use crate::stage::Stage;
use crate::viewer::Viewer;
use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};
use wgpu::CurrentSurfaceTexture;
use winit::dpi::PhysicalSize;
use winit::event::WindowEvent;
use winit::event_loop::ActiveEventLoop;
use winit::window::Window;

/// The pause between frames while the window is invisible.
const PAUSE: Duration = Duration::from_millis(20);

/// A stage in a window.
pub(super) struct Shown {
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    viewer: Viewer,
    session: Session,
    input: Input,
    panels: Panels,
    window: Arc<Window>,
    /// The start of the program and of the last frame.
    start: Instant,
    last: Instant,
    /// The window's present title.
    title: String,
    /// The number of frames left, if limited.
    left: Option<u32>,
    /// Whether the simulation stops after the first frame.
    still: bool,
    /// Whether to report the first picture.
    json: bool,
}

impl Shown {
    /// Opens a window.
    pub(super) fn new(events: &ActiveEventLoop, stage: Stage, arguments: &Arguments, start: Instant) -> Result<Self> {
        let [width, height] = arguments.size;
        let attributes = Window::default_attributes()
            .with_title(format!("hedgerow: {}", stage.title))
            .with_inner_size(PhysicalSize::new(width, height));
        let window = events.create_window(attributes);
        let window =
            Arc::new(window.map_err(|error| Failure::while_doing("the window system refuses a window", error))?);
        let (gpu, surface) = device(events, &window)?;
        let size = window.inner_size();
        let mut config = surface
            .get_default_config(&gpu.adapter, size.width.max(1), size.height.max(1))
            .ok_or_else(|| Failure::new(format!("the adapter {} cannot draw into windows", gpu.name())))?;
        let formats = surface.get_capabilities(&gpu.adapter).formats;
        // sRGB formats blend linear light.
        config.format = formats.into_iter().find(wgpu::TextureFormat::is_srgb).unwrap_or(config.format);
        config.present_mode = wgpu::PresentMode::AutoVsync;
        let viewer = Viewer::of(gpu, stage, arguments, config.format)?;
        surface.configure(&viewer.gpu.device, &config);
        viewer.gpu.check()?;
        Ok(Self {
            panels: Panels::new(&viewer.gpu, &window, config.format),
            session: Session::new(&viewer, arguments.threads),
            input: Input::default(),
            surface,
            config,
            viewer,
            window,
            start,
            last: Instant::now(),
            title: String::new(),
            left: (arguments.frames > 0).then_some(arguments.frames),
            still: arguments.still,
            json: arguments.json,
        })
    }

    /// Returns `true` if all wanted frames were shown, or if the user quit.
    pub(super) fn is_over(&self) -> bool {
        self.session.quits || self.left == Some(0)
    }

    pub(super) fn ask_for_frame(&self) {
        self.window.request_redraw();
    }

    /// Returns the summary of the session.
    pub(super) fn summary(self) -> Summary {
        let scene = &self.viewer.stage.scene;
        let Session { editor, mut summary, .. } = self.session;
        let picked = editor.picked.filter(|&node| scene.contains(node));
        summary.picked = picked.map(|node| {
            scene.get(node).and_then(|node| node.name()).map_or_else(|| format!("{node:?}"), str::to_owned)
        });
        summary.nodes[1] = scene.len();
        summary.detached = scene.stats().detached;
        summary
    }

    pub(super) fn event(&mut self, event: &WindowEvent) {
        let for_panels = self.panels.heed(&self.window, event);
        if let WindowEvent::Resized(size) = event {
            let most = self.viewer.gpu.device.limits().max_texture_dimension_2d;
            [self.config.width, self.config.height] = [size.width, size.height].map(|side| side.min(most));
            self.configure();
        }
        self.input.event(event, self.size(), for_panels, (&mut self.viewer, &mut self.session));
    }

    fn size(&self) -> [u32; 2] {
        [self.config.width, self.config.height]
    }

    /// Adapts the surface to the window; a minimized window has no pixels.
    fn configure(&self) {
        if self.config.width > 0 && self.config.height > 0 {
            self.surface.configure(&self.viewer.gpu.device, &self.config);
        }
    }

    /// Plays and draws a frame.
    pub(super) fn frame(&mut self) -> Result<()> {
        let size = self.size();
        if size.contains(&0) {
            std::thread::sleep(PAUSE);
            return Ok(());
        }
        let seconds = self.last.elapsed().as_secs_f64();
        self.last = Instant::now();
        #[expect(clippy::cast_possible_truncation, reason = "a fraction of a second")]
        self.input.fly(seconds.min(0.5) as f32, &mut self.viewer, &self.session);
        let aspect = aspect(size);
        let mut frame = self.viewer.work(aspect)?;
        if self.still && self.session.summary.frames == 0 {
            self.viewer.still = true;
        }
        let start = Instant::now();
        let Some(texture) = self.picture()? else {
            self.viewer.gpu.queue.submit([]);
            std::thread::sleep(PAUSE);
            return self.viewer.gpu.check();
        };
        self.session.frame_ms = seconds * 1e3;
        let Self { viewer, session, .. } = self;
        let title = format!("hedgerow: {}", viewer.stage.caption());
        if self.title != title {
            self.window.set_title(&title);
            self.title = title;
        }
        let lines = outlines(viewer, session, aspect);
        viewer.renderer.set_lines(&viewer.gpu, &lines);
        let mut encoder = viewer.gpu.device.create_command_encoder(&Default::default());
        let view = texture.texture.create_view(&Default::default());
        viewer.renderer.draw(&viewer.gpu, &viewer.stage, &mut encoder, &view, size);
        session.frame = frame;
        let drawn = Instant::now();
        self.panels.draw(&self.window, viewer, session, (&mut encoder, &view, size));
        session.panels_ms = drawn.elapsed().as_secs_f64() * 1e3;
        viewer.gpu.queue.submit([encoder.finish()]);
        self.window.pre_present_notify();
        viewer.gpu.queue.present(texture);
        if session.summary.frames == 0 {
            viewer.gpu.wait()?;
            session.summary.first_picture_ms = self.start.elapsed().as_secs_f64() * 1e3;
            if self.json {
                let line = serde_json::json!({ "first_picture_ms": session.summary.first_picture_ms });
                let _ = writeln!(std::io::stdout(), "{line}");
            }
        }
        frame.draw_ms = start.elapsed().as_secs_f64() * 1e3;
        session.frame = frame;
        session.summary.add(frame.work_ms(), session.panels_ms);
        self.left = self.left.map(|left| left - 1);
        self.viewer.gpu.check()
    }

    /// Returns the texture of the next frame, if the window is visible.
    fn picture(&mut self) -> Result<Option<wgpu::SurfaceTexture>> {
        match self.surface.get_current_texture() {
            CurrentSurfaceTexture::Success(texture) | CurrentSurfaceTexture::Suboptimal(texture) => Ok(Some(texture)),
            CurrentSurfaceTexture::Timeout | CurrentSurfaceTexture::Occluded => Ok(None),
            CurrentSurfaceTexture::Outdated => {
                self.configure();
                Ok(None)
            }
            CurrentSurfaceTexture::Lost => {
                // If the device is lost, waiting for the device returns the error.
                self.viewer.gpu.wait()?;
                self.surface = surface(&self.viewer.gpu.instance, &self.window)?;
                self.configure();
                Ok(None)
            }
            CurrentSurfaceTexture::Validation => {
                self.viewer.gpu.check()?;
                Err(Failure::new("the window cannot be drawn into"))
            }
        }
    }
}

fn surface(instance: &wgpu::Instance, window: &Arc<Window>) -> Result<wgpu::Surface<'static>> {
    let what = "no graphics driver draws into the window; a software one comes with Debian's mesa-vulkan-drivers";
    instance.create_surface(Arc::clone(window)).map_err(|error| Failure::while_doing(what, error))
}

/// Returns a device and a surface of a window: Vulkan, Metal or Direct3D if possible, else OpenGL.
fn device(events: &ActiveEventLoop, window: &Arc<Window>) -> Result<(Gpu, wgpu::Surface<'static>)> {
    let of = |backends| {
        let display = Box::new(events.owned_display_handle());
        let plain = wgpu::InstanceDescriptor::new_with_display_handle(display);
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor { backends, ..plain }.with_env());
        let surface = surface(&instance, window)?;
        Ok((Gpu::of(instance, Some(&surface))?, surface))
    };
    of(wgpu::Backends::PRIMARY).or_else(|_: Failure| of(wgpu::Backends::all()))
}
