//! The viewer in a web page: functions for the page's script, `web/viewer.js`.

mod outline;

use crate::arguments::{self, Arguments, Subject};
use crate::editor::{Editor, Orbit};
use crate::failure::{Failure, Result};
use crate::gpu::Gpu;
use crate::gpu::canvas::canvas;
use crate::stage::Stage;
use crate::viewer::{Frame, Viewer};
use hedgerow::NodeHandle;
use hedgerow::glam::Vec2;
use std::ffi::OsString;
use wasm_bindgen::prelude::*;
use web_sys::HtmlCanvasElement;

#[cfg(not(any(feature = "webgpu", feature = "webgl")))]
compile_error!("a page draws by the feature `webgpu` or by the feature `webgl`: web-build.sh builds both");

/// A canvas of a page with a viewer.
#[wasm_bindgen]
pub struct Page {
    surface: wgpu::Surface<'static>,
    /// The format of the surface; pictures have the sRGB variant.
    format: wgpu::TextureFormat,
    /// A texture to draw into, which is then copied to a surface that is not sRGB. Surfaces of WebGPU are never sRGB.
    /// SwiftShader, the software adapter of browsers, resolves samples only to textures of the same format. `None` for
    /// WebGL 2, which draws into the surface.
    picture: Option<wgpu::Texture>,
    size: [u32; 2],
    /// The size given by the arguments, if any.
    fixed: Option<[u32; 2]>,
    viewer: Viewer,
    editor: Editor,
    orbit: Orbit,
    /// The number of frames left to play; `None` for no end.
    left: Option<u32>,
    frame: u32,
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console, js_name = error)]
    fn complain(message: &str);
}

/// Runs when the module is loaded, and makes panics print to the console.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|panic| complain(&panic.to_string())));
}

/// The parsed words of a command line: all arguments, the size if given, and the number of frames if given.
struct Wanted {
    arguments: Arguments,
    fixed: Option<[u32; 2]>,
    left: Option<u32>,
}

fn wanted(words: &str) -> Result<Wanted> {
    let read = arguments::parse(words.split_whitespace().map(OsString::from));
    let arguments = read.map_err(|error| Failure::new(error.to_string()))?;
    let arguments = arguments.ok_or_else(|| Failure::new("the options are those of the program hedgerow-viewer"))?;
    let has = |name: &str| words.split_whitespace().any(|word| word.split('=').next() == Some(name));
    let fixed = has("--size").then_some(arguments.size);
    let left = has("--frames").then_some(arguments.frames);
    Ok(Wanted { arguments, fixed, left })
}

#[wasm_bindgen]
impl Page {
    /// Opens a viewer in a canvas, with the words of a command line: `town`, `army`, `prefabs` or `smooth`, and the
    /// program's options. By default, playback does not end, and [`Page::resize`] sets the size.
    pub async fn open(canvas: HtmlCanvasElement, words: String) -> std::result::Result<Page, JsError> {
        let Wanted { arguments, fixed, left } = wanted(&words)?;
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        let with_webgpu = cfg!(feature = "webgpu");
        descriptor.backends = if with_webgpu { wgpu::Backends::BROWSER_WEBGPU } else { wgpu::Backends::GL };
        let instance = wgpu::Instance::new(descriptor);
        let surface = instance
            .create_surface(wgpu::SurfaceTarget::Canvas(canvas))
            .map_err(|error| Failure::while_doing("the canvas cannot be drawn to", error))?;
        let gpu = Gpu::request(instance, Some(&surface)).await?;
        let formats = surface.get_capabilities(&gpu.adapter).formats;
        let Some(&format) = formats.iter().find(|format| format.is_srgb()).or_else(|| formats.first()) else {
            return Err(Failure::new("the canvas has no format to draw in").into());
        };
        let viewer = Viewer::of(gpu, stage(&arguments)?, &arguments, format.add_srgb_suffix())?;
        let orbit = Orbit { target: viewer.stage.target };
        let editor = Editor::default();
        let size = fixed.unwrap_or([16; 2]);
        let picture = picture(&viewer.gpu, size, format);
        let page = Self { surface, format, picture, size, fixed, viewer, editor, orbit, left, frame: 0 };
        page.configure();
        Ok(page)
    }

    /// Shows another subject; on error, the present one remains.
    pub fn show(&mut self, words: &str) -> std::result::Result<(), JsError> {
        let Wanted { arguments, fixed, left } = wanted(words)?;
        let stage = stage(&arguments)?;
        self.replace(stage, &arguments, left)?;
        self.fixed = fixed;
        self.set_size(fixed.unwrap_or(self.size));
        Ok(())
    }

    /// Shows a glTF file that contains all its buffers and images; on error, the present subject remains.
    pub fn show_file(&mut self, name: &str, bytes: &[u8]) -> std::result::Result<(), JsError> {
        let arguments = Arguments::new(Subject::File(name.into()));
        let stage = Stage::of_file(name, bytes, &arguments)?;
        self.replace(stage, &arguments, None)?;
        Ok(())
    }

    /// Returns the title of the stage.
    pub fn title(&self) -> String {
        self.viewer.stage.caption()
    }

    /// Returns the number of nodes in the tree.
    pub fn nodes(&self) -> usize {
        self.viewer.stage.scene.len()
    }

    /// Sets the size of the picture in pixels, unless the arguments gave a size. Returns the resulting size.
    pub fn resize(&mut self, width: u32, height: u32) -> Vec<u32> {
        let most = self.viewer.gpu.device.limits().max_texture_dimension_2d;
        self.set_size(self.fixed.unwrap_or([width, height].map(|side| side.clamp(16, most))));
        self.size.into()
    }

    /// Plays and draws a frame. Returns the line of JSON that `--json` writes.
    pub fn frame(&mut self) -> std::result::Result<String, JsError> {
        self.viewer.gpu.check()?;
        self.viewer.still = self.left == Some(0);
        let aspect = self.aspect();
        let mut frame = self.viewer.work(aspect)?;
        self.left = self.left.map(|left| left.saturating_sub(1));
        self.draw(&mut frame)?;
        self.frame += 1;
        Ok(frame.json(self.frame))
    }

    /// Starts or stops the simulation.
    pub fn play(&mut self, on: bool) {
        self.left = (!on).then_some(0);
    }

    /// Returns whether the simulation runs.
    pub fn is_playing(&self) -> bool {
        self.left != Some(0)
    }

    /// Turns the camera around its target, by angles to the right and up, in radians.
    pub fn turn(&mut self, right: f32, up: f32) {
        self.orbit.turn(&mut self.viewer.camera, right, up);
    }

    /// Moves the camera to the right and up, by fractions of the distance to its target.
    pub fn pan(&mut self, right: f32, up: f32) {
        self.orbit.pan(&mut self.viewer.camera, right, up);
    }

    /// Multiplies the distance to the target by a factor.
    pub fn zoom(&mut self, factor: f32) {
        self.orbit.zoom(&mut self.viewer.camera, factor);
    }

    /// Picks the node at a point, in normalised device coordinates. Returns whether there is a node at the point.
    pub fn pick(&mut self, x: f32, y: f32) -> std::result::Result<bool, JsError> {
        let aspect = self.aspect();
        let Viewer { stage, camera, .. } = &mut self.viewer;
        Ok(self.editor.pick(stage, camera, aspect, Vec2::new(x, y))?.is_some())
    }

    /// Picks the node at a point, to drag it. Returns whether there is a node at the point.
    pub fn grab(&mut self, x: f32, y: f32) -> std::result::Result<bool, JsError> {
        let aspect = self.aspect();
        let Viewer { stage, camera, .. } = &mut self.viewer;
        Ok(self.editor.grab(stage, camera, aspect, Vec2::new(x, y))?)
    }

    /// Moves the dragged node to a point.
    pub fn drag(&mut self, x: f32, y: f32) -> std::result::Result<(), JsError> {
        let aspect = self.aspect();
        let Viewer { stage, camera, .. } = &mut self.viewer;
        Ok(self.editor.drag(stage, camera, aspect, Vec2::new(x, y))?)
    }

    /// Ends the drag.
    pub fn let_go(&mut self) {
        self.editor.drop();
    }

    /// Returns the picked node's name, handle and path of names; an empty list if there is none. The name may be empty.
    pub fn picked(&self) -> Vec<String> {
        let scene = &self.viewer.stage.scene;
        let Some(node) = self.editor.picked.filter(|&node| scene.contains(node)) else { return Vec::new() };
        let name = |node: NodeHandle| scene.get(node).and_then(|node| node.name()).unwrap_or_default().to_owned();
        let mut path: Vec<String> = scene
            .get(node)
            .unwrap()
            .ancestors()
            .map(|node| node.handle())
            .map(name)
            .filter(|name| !name.is_empty())
            .collect();
        path.reverse();
        vec![name(node), node.to_string(), path.join(" / ")]
    }

    /// Returns the edges of the picked node's box, and the normal of what was hit: x and y of both ends of each edge, in
    /// normalised device coordinates.
    pub fn outline(&self) -> Vec<f32> {
        let boxes = self.editor.boxes(&self.viewer.stage.scene);
        let edges = boxes.iter().flat_map(|bounds| outline::edges(bounds, &self.viewer.camera, self.aspect()));
        let normal = self.editor.normal(&self.viewer.stage.scene);
        let normal = normal.and_then(|normal| outline::line(normal, &self.viewer.camera, self.aspect()));
        edges.flatten().chain(normal.into_iter().flatten()).flat_map(|end| end.to_array()).collect()
    }

    /// Toggles the switch of the stage with this number, if there is such a switch.
    pub fn switch(&mut self, number: usize) -> std::result::Result<(), JsError> {
        Ok(self.viewer.stage.switch(number)?)
    }

    /// Removes the picked subtree from the tree.
    pub fn delete(&mut self) -> std::result::Result<(), JsError> {
        Ok(self.editor.delete(&mut self.viewer.stage)?)
    }

    /// Copies the picked subtree, and picks the copy.
    pub fn duplicate(&mut self) -> std::result::Result<(), JsError> {
        Ok(self.editor.duplicate(&mut self.viewer.stage)?)
    }

    /// Undoes the last edit. Returns whether there was an edit.
    pub fn undo(&mut self) -> std::result::Result<bool, JsError> {
        Ok(self.editor.undo(&mut self.viewer.stage)?)
    }

    /// Redoes the edit that was undone last. Returns whether there was an edit.
    pub fn redo(&mut self) -> std::result::Result<bool, JsError> {
        Ok(self.editor.redo(&mut self.viewer.stage)?)
    }

    /// Returns how many edits can be undone and redone.
    pub fn depth(&self) -> Vec<usize> {
        self.editor.depth(&self.viewer.stage).into()
    }
}

/// Returns the stage of any subject except a file.
fn stage(arguments: &Arguments) -> Result<Stage> {
    if matches!(arguments.subject, Subject::File(_)) {
        return Err(Failure::new("a page opens no files by name: drop the file on it"));
    }
    Stage::new(arguments)
}

/// Returns the texture to draw into if the surface itself cannot be used.
fn picture(gpu: &Gpu, size: [u32; 2], format: wgpu::TextureFormat) -> Option<wgpu::Texture> {
    (!format.is_srgb()).then(|| canvas(gpu, size, format.add_srgb_suffix()))
}

impl Page {
    fn aspect(&self) -> f32 {
        self.size[0] as f32 / self.size[1] as f32
    }

    fn replace(&mut self, stage: Stage, arguments: &Arguments, left: Option<u32>) -> Result<()> {
        let gpu = self.viewer.gpu.clone();
        self.viewer = Viewer::of(gpu, stage, arguments, self.format.add_srgb_suffix())?;
        self.orbit = Orbit { target: self.viewer.stage.target };
        (self.editor, self.left, self.frame) = (Editor::default(), left, 0);
        Ok(())
    }

    fn set_size(&mut self, size: [u32; 2]) {
        if self.size != size {
            self.size = size;
            self.picture = picture(&self.viewer.gpu, size, self.format);
            self.configure();
        }
    }

    fn configure(&self) {
        let [width, height] = self.size;
        let usage = self.picture.as_ref().map_or(wgpu::TextureUsages::empty(), |_| wgpu::TextureUsages::COPY_DST);
        let configuration = wgpu::SurfaceConfiguration {
            usage: usage | wgpu::TextureUsages::RENDER_ATTACHMENT,
            format: self.format,
            color_space: wgpu::SurfaceColorSpace::Auto,
            width,
            height,
            present_mode: wgpu::PresentMode::Fifo,
            desired_maximum_frame_latency: 2,
            alpha_mode: wgpu::CompositeAlphaMode::Opaque,
            view_formats: Vec::new(),
        };
        self.surface.configure(&self.viewer.gpu.device, &configuration);
    }

    /// Draws the prepared frame. Measures only the submission, since the device runs asynchronously.
    fn draw(&mut self, frame: &mut Frame) -> Result<()> {
        use wgpu::CurrentSurfaceTexture::{Lost, Occluded, Outdated, Suboptimal, Success, Timeout, Validation};
        let texture = match self.surface.get_current_texture() {
            Success(texture) | Suboptimal(texture) => Some(texture),
            Outdated | Lost => {
                self.configure();
                None
            }
            Timeout | Occluded | Validation => None,
        };
        let Some(texture) = texture else {
            // Submit queued writes, so that they do not pile up while there is no picture.
            self.viewer.gpu.queue.submit([]);
            return self.viewer.gpu.check();
        };
        let start = web_time::Instant::now();
        let Viewer { gpu, stage, renderer, .. } = &mut self.viewer;
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let target = self.picture.as_ref().unwrap_or(&texture.texture).create_view(&Default::default());
        renderer.draw(gpu, stage, &mut encoder, &target, self.size);
        if let Some(picture) = &self.picture {
            encoder.copy_texture_to_texture(picture.as_image_copy(), texture.texture.as_image_copy(), picture.size());
        }
        gpu.queue.submit([encoder.finish()]);
        gpu.queue.present(texture);
        frame.draw_ms = start.elapsed().as_secs_f64() * 1e3;
        Ok(())
    }
}
