//! Plays and draws frames, phase by phase.

use crate::arguments::Arguments;
use crate::camera::Camera;
use crate::failure::{Failure, Result};
use crate::gpu::Gpu;
use crate::gpu::canvas::{PICTURE, canvas, read};
use crate::gpu::renderer::{Renderer, Uploaded};
use crate::picture::Picture;
use crate::stage::Stage;
use crate::threads::Threads;
use crate::view::primitives;
use hedgerow::DrawList;
use hedgerow::query::CullView;
use web_time::Instant;

/// A stage on a device.
pub struct Viewer {
    /// The device.
    pub gpu: Gpu,
    /// The stage.
    pub stage: Stage,
    /// The renderer.
    pub renderer: Renderer,
    /// The camera.
    pub camera: Camera,
    /// The camera of the file that `camera` follows, until the user moves it.
    pub through: Option<usize>,
    /// The camera as `follow` last set it. If `camera` differs, the user has moved the camera.
    put: Camera,
    /// The camera used for culling, if it is not `camera`.
    pub frozen: Option<Camera>,
    /// Whether the simulation is stopped.
    pub still: bool,
    /// The percentage of all nodes to turn in each frame, in addition to the simulation.
    pub load: f32,
    threads: Option<Threads>,
}

/// The times and counts of a frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame {
    /// The time of each phase, in milliseconds: see [`Frame::PHASES`].
    pub ms: [f64; 7],
    /// The time of drawing, including the wait for the device, in milliseconds.
    pub draw_ms: f64,
    /// The bytes uploaded.
    pub uploaded: Uploaded,
    /// Components set, subtrees moved, nodes inserted, and nodes removed.
    pub edits: [usize; 4],
    /// Draws, groups and triangles that the camera sees.
    pub seen: [usize; 3],
    /// Whether the device culled.
    pub on_device: bool,
}

impl Frame {
    /// The names of the phases.
    pub const PHASES: [&'static str; 7] =
        ["edits", "characters", "maintenance", "update", "culling", "lists", "uploads"];

    /// Returns the total time of all phases, in milliseconds; drawing is not a phase.
    #[must_use]
    pub fn work_ms(&self) -> f64 {
        self.ms.iter().sum()
    }

    /// Returns one line of JSON.
    #[must_use]
    pub fn json(&self, number: u32) -> String {
        let ms: serde_json::Map<_, _> =
            Self::PHASES.iter().zip(self.ms).map(|(&name, ms)| (name.to_owned(), ms.into())).collect();
        let Uploaded { tables, draws, uniforms } = self.uploaded;
        let [set, moved, inserted, removed] = self.edits;
        serde_json::json!({
            "frame": number,
            "work_ms": self.work_ms(),
            "ms": ms,
            "draw_ms": self.draw_ms,
            "uploaded_bytes": {
                "all": self.uploaded.bytes(), "tables": tables, "draws": draws, "uniforms": uniforms,
            },
            "edits": { "set": set, "moved": moved, "inserted": inserted, "removed": removed },
            "draws": self.seen[0], "culled_on_device": self.on_device, "groups": self.seen[1], "triangles": self.seen[2],
        })
        .to_string()
    }
}

impl Viewer {
    /// Makes the requested stage on a device, for targets of this format.
    pub fn new(gpu: Gpu, arguments: &Arguments, format: wgpu::TextureFormat) -> Result<Self> {
        Self::of(gpu, Stage::new(arguments)?, arguments, format)
    }

    /// Makes a viewer of a stage, with the options of the arguments.
    pub fn of(gpu: Gpu, stage: Stage, arguments: &Arguments, format: wgpu::TextureFormat) -> Result<Self> {
        let renderer = Renderer::new(&gpu, &stage, format, arguments);
        gpu.check()?;
        let mut viewer = Self {
            gpu,
            camera: stage.camera,
            through: stage.through,
            put: stage.camera,
            stage,
            renderer,
            frozen: None,
            still: false,
            load: arguments.load,
            threads: None,
        };
        viewer.set_threads(arguments.threads)?;
        Ok(viewer)
    }

    /// Sets the number of threads for the scene's work; 0 for one per core.
    pub fn set_threads(&mut self, threads: usize) -> Result<()> {
        self.threads = Some(Threads::new(threads)?);
        Ok(())
    }

    /// Plays a frame without drawing. Writes are queued until the renderer submits them.
    pub fn work(&mut self, aspect: f32) -> Result<Frame> {
        let threads = self.threads.take();
        let frame = match &threads {
            Some(threads) => threads.run(|| self.work_here(aspect)),
            None => self.work_here(aspect),
        };
        self.threads = threads;
        frame
    }

    /// Follows a camera of the file from now on.
    pub fn look_through(&mut self, number: usize) {
        self.through = Some(number);
        self.follow();
    }

    /// Moves the camera to the file's camera that it follows, if any.
    fn follow(&mut self) {
        if let Some(camera) = self.through.and_then(|number| self.stage.file_camera(number)) {
            (self.camera, self.put) = (camera, camera);
        }
    }

    fn work_here(&mut self, aspect: f32) -> Result<Frame> {
        if self.camera != self.put {
            // The user has moved the camera.
            self.through = None;
        }
        let mut frame = Frame::default();
        if !self.still {
            self.stage.eye = self.camera.eye;
            let acted = self.stage.act(self.load)?;
            frame.edits = acted.edits;
            frame.ms[..3].copy_from_slice(&acted.ms);
        }
        let start = Instant::now();
        self.stage.scene.update();
        self.follow();
        let updated = Instant::now();
        let mut camera = self.camera;
        let Self { gpu, stage, renderer, frozen, .. } = self;
        if !renderer.relative {
            // The shader has single precision.
            camera.eye = camera.eye.as_vec3().as_dvec3();
        }
        let [culled, arranged] = stage.show(|stage, scene| -> Result<_> {
            renderer.cull(gpu, stage, scene, &camera, frozen.as_ref(), aspect)?;
            let culled = Instant::now();
            renderer.arrange(stage, scene, &camera);
            let arranged = Instant::now();
            renderer.upload(gpu, stage, scene, &camera, aspect);
            Ok([culled, arranged])
        })?;
        let phases = [updated - start, culled - updated, arranged - culled, arranged.elapsed()];
        frame.ms[3..].copy_from_slice(&phases.map(|time| time.as_secs_f64() * 1e3));
        frame.uploaded = renderer.uploaded;
        frame.seen = renderer.seen(stage);
        frame.on_device = renderer.culls_on_device();
        let seen = frame.seen[2];
        // The number of triangles in the title is updated if it is wrong by more than a tenth.
        if stage.levels.as_ref().is_some_and(|levels| levels.triangles[0].abs_diff(seen) > seen / 10) {
            let mut all = DrawList::new().on_layers(stage.seen_from(None).0).without_matrices();
            let frustum = frozen.as_ref().unwrap_or(&camera).frustum(aspect)?;
            stage.scene.cull(&mut [CullView::new(&frustum, &mut all)])?;
            let all = primitives(stage, &all);
            stage.levels.iter_mut().for_each(|levels| levels.triangles = [seen, all.max(seen)]);
        }
        Ok(frame)
    }

    /// Draws the prepared frame, and waits for the device. Returns the time, in milliseconds.
    pub fn draw(&mut self, canvas: &wgpu::Texture) -> Result<f64> {
        let start = Instant::now();
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        let view = canvas.create_view(&Default::default());
        let size = [canvas.width(), canvas.height()];
        self.renderer.draw(&self.gpu, &self.stage, &mut encoder, &view, size);
        self.gpu.queue.submit([encoder.finish()]);
        self.gpu.wait()?;
        Ok(start.elapsed().as_secs_f64() * 1e3)
    }
}

/// Plays the requested frames without a window, and calls `tell` after each frame. Returns the last picture, if drawn.
pub fn run(gpu: Gpu, arguments: &Arguments, tell: impl FnMut(u32, &Frame)) -> Result<Option<Picture>> {
    play(Viewer::new(gpu, arguments, PICTURE)?, arguments, tell)
}

/// Plays the requested frames of a viewer whose pictures can be read back, as [`run`] does.
pub fn play(mut viewer: Viewer, arguments: &Arguments, mut tell: impl FnMut(u32, &Frame)) -> Result<Option<Picture>> {
    let [width, height] = arguments.size;
    let most = viewer.gpu.device.limits().max_texture_dimension_2d;
    if width.max(height) > most {
        return Err(Failure::new(format!("this adapter draws pictures of at most {most} pixels a side")));
    }
    let canvas = canvas(&viewer.gpu, arguments.size, PICTURE);
    let aspect = width as f32 / height as f32;
    for number in 0..arguments.frames {
        viewer.still = arguments.still && number > 0;
        let mut frame = viewer.work(aspect)?;
        // Draw only the last frame, which is the picture, unless all frames are wanted.
        if arguments.draw && (arguments.draw_all || number + 1 == arguments.frames) {
            frame.draw_ms = viewer.draw(&canvas)?;
        } else {
            viewer.gpu.queue.submit([]);
            viewer.gpu.wait()?;
        }
        tell(number, &frame);
    }
    if !arguments.draw {
        return Ok(None);
    }
    read(&viewer.gpu, &canvas).map(Some)
}
