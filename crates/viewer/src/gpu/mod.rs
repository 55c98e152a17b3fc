//! The GPU or a software adapter: device, pipelines, surfaces, passes. The crates hedgerow-gpu and hedgerow-wgpu
//! keep the scene's tables and cull.

pub mod canvas;
mod draw;
mod pipelines;
pub mod renderer;
mod resources;
mod surfaces;
mod uniforms;

use crate::failure::{Failure, Result};
use std::sync::{Arc, Mutex};

/// A handle to a device; a clone refers to the same device.
#[derive(Clone)]
pub struct Gpu {
    /// The instance of wgpu.
    pub instance: wgpu::Instance,
    /// The adapter.
    pub adapter: wgpu::Adapter,
    /// The device.
    pub device: wgpu::Device,
    /// The queue.
    pub queue: wgpu::Queue,
    /// Whether there are compute shaders, indirect draws, and storage buffers in vertex shaders; WebGL 2 has none.
    storage: bool,
    /// The first error since the last [`Gpu::check`].
    wrong: Arc<Mutex<Option<String>>>,
}

impl Gpu {
    /// Returns a device without a window: a graphics card, else a software adapter. The environment variables
    /// `WGPU_BACKEND` and `WGPU_ADAPTER_NAME` select an adapter.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn new() -> Result<Self> {
        let instance = |backends| {
            let plain = wgpu::InstanceDescriptor::new_without_display_handle();
            wgpu::Instance::new(wgpu::InstanceDescriptor { backends, ..plain }.with_env())
        };
        // OpenGL is tried last, because it prints to stderr if there is no window system.
        Self::of(instance(wgpu::Backends::PRIMARY), None).or_else(|_| Self::of(instance(wgpu::Backends::all()), None))
    }

    /// Returns a device that can draw to a surface, if one is given.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn of(instance: wgpu::Instance, surface: Option<&wgpu::Surface<'_>>) -> Result<Self> {
        pollster::block_on(Self::request(instance, surface))
    }

    /// Returns a device as `Gpu::of` does, without blocking, for web pages.
    pub async fn request(instance: wgpu::Instance, surface: Option<&wgpu::Surface<'_>>) -> Result<Self> {
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            compatible_surface: surface,
            ..Default::default()
        };
        let adapter = instance.request_adapter(&options).await.map_err(|error| {
            let what = if cfg!(target_arch = "wasm32") {
                "this browser has no graphics adapter"
            } else {
                "no graphics adapter was found; a software one comes with Debian's mesa-vulkan-drivers"
            };
            Failure::while_doing(what, error)
        })?;
        let limits = adapter.limits();
        let usual = wgpu::Limits::default();
        let flags = adapter.get_downlevel_capabilities().flags;
        let all = wgpu::DownlevelFlags::VERTEX_STORAGE
            | wgpu::DownlevelFlags::COMPUTE_SHADERS
            | wgpu::DownlevelFlags::INDIRECT_EXECUTION;
        let storage = flags.contains(all)
            && limits.max_storage_buffers_per_shader_stage >= usual.max_storage_buffers_per_shader_stage;
        let needed = wgpu::Limits {
            max_storage_buffer_binding_size: limits.max_storage_buffer_binding_size,
            max_buffer_size: limits.max_buffer_size,
            max_texture_dimension_2d: limits.max_texture_dimension_2d,
            ..if storage { usual } else { wgpu::Limits::downlevel_webgl2_defaults() }
        };
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("viewer"),
            required_features: adapter.features() & wgpu::Features::INDIRECT_FIRST_INSTANCE,
            required_limits: needed,
            ..Default::default()
        };
        let (device, queue) = adapter.request_device(&descriptor).await.map_err(|error| {
            Failure::while_doing(&format!("the adapter {} cannot be used", adapter.get_info().name), error)
        })?;
        let wrong = Arc::new(Mutex::new(None));
        let note = |wrong: &Arc<Mutex<Option<String>>>, what: String| {
            if let Ok(mut wrong) = wrong.lock() {
                wrong.get_or_insert(what);
            }
        };
        let of_errors = Arc::clone(&wrong);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| note(&of_errors, error.to_string())));
        let of_loss = Arc::clone(&wrong);
        device.set_device_lost_callback(move |_, message| note(&of_loss, format!("the device was lost, {message}")));
        Ok(Self { instance, adapter, device, queue, storage, wrong })
    }

    /// Returns the names of the adapter and of its backend.
    #[must_use]
    pub fn name(&self) -> String {
        let info = self.adapter.get_info();
        format!("{} ({})", info.name, info.backend)
    }

    /// Returns the first error since the last call.
    pub fn check(&self) -> Result<()> {
        let wrong = self.wrong.lock().map_or(None, |mut wrong| wrong.take());
        wrong.map_or(Ok(()), |wrong| Err(Failure::while_doing("the graphics device refused to go on", wrong)))
    }

    /// Waits until the device has finished all submitted work.
    pub fn wait(&self) -> Result<()> {
        let polled = self.device.poll(wgpu::PollType::wait_indefinitely());
        polled.map_err(|error| Failure::while_doing("the graphics device does not answer", error))?;
        self.check()
    }
}
