//! Stages: a scene with its meshes, materials and lights, and its simulation.

pub mod figures;
mod file;
pub mod geometry;
mod host;
pub(crate) mod images;
mod levels;
mod limbs;
mod paint;
mod playing;
mod prefabs;
mod smooth;
mod surfaces;
mod town;

pub use playing::{Cue, Playing};

use crate::arguments::{Arguments, Subject};
use crate::army::Army;
use crate::camera::Camera;
use crate::failure::{Failure, Result};
use crate::life::TownLife;
use crate::threads;
use crate::turn::MAINTAINED_NODES;
use figures::Figures;
use file::FilePlay;
use geometry::Mesh;
use hedgerow::glam::{DVec3, Quat, Vec3};
use hedgerow::query::DetailView;
use hedgerow::{Layers, Local, Mat34, NodeHandle, Scene};
use levels::{Levels, STAND_INS};
use prefabs::Prefabs;
use smooth::Wheel;
use std::time::Duration;
use web_time::Instant;

/// The duration of a frame, in seconds.
pub const FRAME: f32 = 1.0 / 60.0;

/// A scene with everything that a renderer needs.
pub struct Stage {
    /// The title.
    pub title: String,
    /// The scene; it keeps world boxes.
    pub scene: Scene,
    /// The meshes, by mesh id.
    pub meshes: Vec<Mesh>,
    /// The surfaces, by material number; the last is for draws without a material.
    pub surfaces: Vec<Surface>,
    /// The images of surfaces.
    pub images: Vec<Image>,
    /// The deformed meshes. The user data of a draw is 0, or the number of its figure plus 1.
    pub figures: Figures,
    /// Lights at nodes.
    pub lamps: Vec<Lamp>,
    /// The sun and the sky.
    pub light: Daylight,
    /// The first camera.
    pub camera: Camera,
    /// The camera of the file that the view follows, until the user moves the camera.
    pub through: Option<usize>,
    /// The point that the camera looks at and orbits.
    pub target: DVec3,
    /// The greatest distances of shadows and of shadow casters from the camera, in metres.
    pub shadows: (f32, f32),
    /// The levels of detail, if any.
    pub levels: Option<Levels>,
    /// The visible layers, from the next frame on.
    pub layers: Layers,
    /// Where the camera is, at which figures look.
    pub eye: DVec3,
    limbs: limbs::Limbs,
    /// For rays and selections.
    trees: surfaces::Trees,
    play: Play,
    /// The nodes with a transform, and the transform that `stir` turns.
    loose: Vec<(NodeHandle, Local)>,
    frames: usize,
}

/// The simulation of a stage.
enum Play {
    Town(Box<TownLife>),
    /// The army's scene is swapped with the stage's during a frame.
    Army(Box<Army>),
    File(Box<FilePlay>),
    Prefabs(Box<Prefabs>),
    /// `None` during drawing.
    Wheel(Option<Box<Wheel>>),
}

/// A surface, by material number.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// The colour, linear.
    pub colour: [f32; 4],
    /// The emitted light, linear.
    pub emissive: [f32; 3],
    /// The metallic factor, 0 to 1.
    pub metallic: f32,
    /// The roughness, 0 to 1.
    pub roughness: f32,
    /// The use of alpha.
    pub alpha: Alpha,
    /// Whether back faces are visible.
    pub double_sided: bool,
    /// Whether lighting is off.
    pub unlit: bool,
    /// The factor of x and y of the normal map.
    pub normal_scale: f32,
    /// The textures of colour, metallic-roughness, emission and normals.
    pub textures: [Option<Texture>; 4],
}

/// The use of alpha.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Alpha {
    /// Alpha is ignored.
    Opaque,
    /// Fragments with less alpha than this are not drawn.
    Mask(f32),
    /// The surface is blended with the background.
    Blend,
}

/// A texture of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Texture {
    /// The index of the image.
    pub image: usize,
    /// The set of texture coordinates, 0 or 1.
    pub set: u32,
    /// The transform of texture coordinates: two rows.
    pub transform: [[f32; 3]; 2],
    /// The wrapping along u and v.
    pub wrap: [Wrap; 2],
    /// Whether it is sampled without interpolation.
    pub nearest: bool,
}

/// The wrapping beyond the edge of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// The image repeats.
    #[default]
    Repeat,
    /// The image repeats, mirrored each time.
    Mirror,
    /// The texel at the edge.
    Clamp,
}

impl Texture {
    /// Returns a repeated image, with the first set of coordinates.
    #[must_use]
    pub fn plain(image: usize) -> Self {
        let transform = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        Self { image, set: 0, transform, wrap: [Wrap::Repeat; 2], nearest: false }
    }
}

impl Default for Surface {
    fn default() -> Self {
        Self {
            colour: [1.0; 4],
            emissive: [0.0; 3],
            metallic: 0.0,
            roughness: 0.9,
            alpha: Alpha::Opaque,
            double_sided: false,
            unlit: false,
            normal_scale: 1.0,
            textures: [None; 4],
        }
    }
}

/// Colours with alpha, row by row from the top.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Width and height.
    pub size: [u32; 2],
    /// Red, green, blue and alpha.
    pub pixels: Vec<[u8; 4]>,
}

/// A light at a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lamp {
    /// The node; it shines along its -z axis.
    pub node: NodeHandle,
    /// The colour times its intensity, linear.
    pub colour: [f32; 3],
    /// The distance at which its light ends.
    pub range: Option<f32>,
    /// The cosines of the angles at which its cone begins to fade and ends; `None` for a point light.
    pub cone: Option<[f32; 2]>,
}

/// The sun and the sky. Colours are linear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Daylight {
    /// The direction to the sun in the last shown frame.
    pub sun: Vec3,
    /// The node along whose -z axis the sun shines, if any.
    pub sun_node: Option<NodeHandle>,
    /// The colour of the sun.
    pub sun_colour: [f32; 3],
    /// The colour of the sky above.
    pub zenith: [f32; 3],
    /// The colour of the sky at the horizon.
    pub horizon: [f32; 3],
    /// The light that the ground reflects.
    pub ground: [f32; 3],
    /// The exposure factor.
    pub exposure: f32,
    /// The distance at which haze hides about two thirds of the light, in metres; infinite if there is no haze.
    pub haze: f32,
}

impl Daylight {
    /// An afternoon.
    pub const AFTERNOON: Self = Self {
        sun: Vec3::new(0.75, 0.72, 0.42),
        sun_node: None,
        sun_colour: [3.0, 2.65, 2.15],
        zenith: [0.16, 0.34, 0.66],
        horizon: [0.66, 0.73, 0.80],
        ground: [0.26, 0.24, 0.17],
        exposure: 0.62,
        haze: f32::INFINITY,
    };
}

/// The times and edits of a frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct Acted {
    /// The times of edits, characters and maintenance, in milliseconds.
    pub ms: [f64; 3],
    /// Components set, subtrees moved, nodes inserted, and nodes removed.
    pub edits: [usize; 4],
}

impl Stage {
    /// Returns a stage on an afternoon, without meshes, with a surface for what has no material.
    fn plain(title: String, scene: Scene, play: Play, (camera, target): (Camera, DVec3)) -> Self {
        Self {
            title,
            scene,
            meshes: Vec::new(),
            surfaces: vec![Surface::default()],
            images: Vec::new(),
            figures: Figures::default(),
            lamps: Vec::new(),
            light: Daylight::AFTERNOON,
            camera,
            through: None,
            target,
            shadows: (260.0, 60.0),
            layers: Layers::ALL,
            levels: None,
            limbs: limbs::Limbs::default(),
            eye: camera.eye,
            trees: surfaces::Trees::default(),
            play,
            loose: Vec::new(),
            frames: 0,
        }
    }

    /// Makes the stage that the arguments ask for.
    pub fn new(arguments: &Arguments) -> Result<Self> {
        let stage = match &arguments.subject {
            Subject::Town => town::stage(arguments.seed, arguments.people)?,
            Subject::Army => host::stage(arguments.seed, arguments.characters)?,
            Subject::Prefabs => prefabs::stage(arguments.seed)?,
            Subject::Smooth => smooth::stage()?,
            Subject::File(path) => file::stage(path, arguments)?,
        };
        stage.placed(arguments)
    }

    /// Makes the stage of a glTF file that contains all its buffers and images. Ignores the arguments' subject.
    pub fn of_file(name: &str, bytes: &[u8], arguments: &Arguments) -> Result<Self> {
        file::of_bytes(name, bytes, arguments)?.placed(arguments)
    }

    /// Applies origin and camera of the arguments.
    fn placed(self, arguments: &Arguments) -> Result<Self> {
        let mut stage = self;
        let origin = DVec3::from(arguments.origin);
        if origin != DVec3::ZERO {
            let root = stage.scene.root();
            stage.scene.set_local(root, hedgerow::Transform::IDENTITY)?;
            stage.scene.edit(root)?.set_translation_f64(origin)?;
            stage.camera.eye += origin;
            stage.target += origin;
        }
        if let Some(target) = arguments.target {
            stage.target = target.into();
            stage.camera = Camera::looking(stage.camera.eye, stage.target, 0.9);
        }
        if arguments.target.is_some() || arguments.eye.is_some() {
            stage.through = None;
        }
        if let Some(eye) = arguments.eye {
            stage.camera = Camera::looking(eye.into(), stage.target, 0.9);
        }
        arguments.switches.iter().try_for_each(|&number| stage.switch(number))?;
        if let Some((scene, prefabs)) = stage.prefabs() {
            prefabs.begin(scene)?;
        }
        stage.scene.update();
        Ok(stage)
    }

    /// Plays a frame: edits, characters, maintenance. `load` is the percentage of all nodes to turn in addition.
    pub fn act(&mut self, load: f32) -> Result<Acted> {
        let mut acted = Acted::default();
        let start = Instant::now();
        // The time for which edits waited for the parallel step of characters.
        let mut waited = Duration::ZERO;
        match &mut self.play {
            Play::Town(life) => {
                // Stepping the people does not use the scene, so edits run in parallel.
                let TownLife { bustle, people } = &mut **life;
                let (scene, figures, number) = (&mut self.scene, &mut self.figures, self.frames);
                let (tally, stepped) =
                    threads::join(|| (bustle.frame(scene, number), Instant::now()), || town::step(people, figures));
                stepped?;
                let (tally, end) = tally;
                waited = end.elapsed();
                let tally = tally?;
                acted.edits = [tally.set, tally.moved, tally.inserted, tally.removed];
            }
            Play::Army(army) => {
                std::mem::swap(&mut self.scene, &mut army.scene);
                let marched = army.march(FRAME);
                std::mem::swap(&mut self.scene, &mut army.scene);
                marched?;
                acted.edits[0] = army.characters.len();
            }
            Play::Wheel(Some(wheel)) => acted.edits[0] = wheel.frame(&mut self.scene, self.frames)?,
            Play::File(_) | Play::Prefabs(_) | Play::Wheel(None) => {}
        }
        if load > 0.0 {
            acted.edits[0] += self.stir(load)?;
        }
        let edited = Instant::now();
        let first = self.frames == 0;
        if matches!(self.play, Play::Town(_)) {
            // Before lamps follow hands.
            self.react()?;
        }
        match &mut self.play {
            Play::Town(life) => life.people.place(&mut self.scene)?,
            Play::Army(army) => {
                army.pose(if first { 0.0 } else { FRAME }, None)?;
                self.figures.set_palettes(&army.palettes);
                // Compute the boxes of this pose.
                if first {
                    std::mem::swap(&mut self.scene, &mut army.scene);
                    let marched = army.march(0.0);
                    std::mem::swap(&mut self.scene, &mut army.scene);
                    marched?;
                }
            }
            Play::Prefabs(_) | Play::Wheel(_) => {}
            Play::File(play) => play.advance(&mut self.scene, &mut self.figures, if first { 0.0 } else { FRAME })?,
        }
        if !matches!(self.play, Play::Town(_)) {
            self.react()?;
        }
        let animated = Instant::now();
        self.scene.maintain(MAINTAINED_NODES);
        let times = [edited - start - waited, animated - edited + waited, animated.elapsed()];
        acted.ms = times.map(|time| time.as_secs_f64() * 1e3);
        self.frames += 1;
        Ok(acted)
    }

    /// Turns `load` percent of all nodes slightly away from their first rotation. Returns the number of turned nodes.
    fn stir(&mut self, load: f32) -> Result<usize> {
        if self.loose.is_empty() {
            let scene = &self.scene;
            let nodes = scene.get(scene.root()).unwrap().descendants().map(|node| node.handle()).skip(1);
            self.loose = nodes.filter_map(|node| Some((node, scene.local(node)?))).collect();
        }
        if self.loose.is_empty() {
            return Ok(0);
        }
        let count = self.loose.len();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a length")]
        let share = (count as f32 * load / 100.0).ceil() as usize;
        let turn = Quat::from_rotation_y(0.05 * (self.frames as f32 * 0.2).sin());
        let mut done = 0;
        // Each frame turns different nodes, spread over the tree.
        for step in 0..share.min(count) {
            let (node, local) = self.loose[(self.frames * 7919 + step * count / share.max(1)) % count];
            if !self.scene.contains(node) {
                continue;
            }
            match local {
                Local::Transform(transform) => {
                    self.scene.set_local(node, transform.with_rotation(turn * transform.rotation))?;
                }
                Local::Matrix(matrix) => {
                    let turned = matrix * Mat34::from(hedgerow::Transform::from_rotation(turn));
                    self.scene.set_local(node, turned)?;
                }
            }
            done += 1;
        }
        Ok(done)
    }

    /// Calls `draw` with the scene to show, which may be a blend of two steps. Meanwhile `self.scene` is empty.
    pub fn show<T>(&mut self, draw: impl FnOnce(&mut Self, &Scene) -> T) -> T {
        let of_node = self.light.sun_node.and_then(|node| self.scene.world(node));
        self.light.sun = of_node.map_or(self.light.sun, |world| world.transform_vector(Vec3::Z));
        let mut scene = std::mem::take(&mut self.scene);
        let wheel = if let Play::Wheel(wheel) = &mut self.play { wheel.take() } else { None };
        let drawn = if let Some(mut wheel) = wheel {
            let drawn = draw(self, &wheel.blend(&mut scene));
            self.play = Play::Wheel(Some(wheel));
            drawn
        } else {
            draw(self, &scene)
        };
        self.scene = scene;
        drawn
    }

    /// Returns the scene and the document that records its edits, if the stage has one.
    pub(crate) fn prefabs(&mut self) -> Option<(&mut Scene, &mut Prefabs)> {
        if let Play::Prefabs(prefabs) = &mut self.play { Some((&mut self.scene, prefabs)) } else { None }
    }

    /// Returns how many steps of the stage's document can be undone and redone, if the stage has one.
    #[must_use]
    pub(crate) fn steps(&self) -> Option<[usize; 2]> {
        if let Play::Prefabs(prefabs) = &self.play { Some(prefabs.steps()) } else { None }
    }

    /// Returns the names of switches, and whether each is on. Where there are figures, the last two are for their feet and
    /// heads.
    #[must_use]
    pub fn switches(&self) -> Vec<(&'static str, bool)> {
        let mut switches = match &self.play {
            Play::Prefabs(prefabs) => prefabs.switches(),
            Play::Wheel(Some(wheel)) => vec![("between steps", wheel.blends)],
            _ => self.levels.iter().flat_map(|it| ["levels", "level colours"].into_iter().zip(it.switches)).collect(),
        };
        if self.has_limbs() {
            switches.extend(["feet", "eyes"].into_iter().zip(self.limbs.switches));
        }
        switches
    }

    /// Returns whether joints deform a figure.
    fn has_limbs(&self) -> bool {
        self.figures.drawables.iter().any(|drawable| drawable.rigged.is_some())
    }

    /// Toggles a switch; does nothing if there is no such switch.
    pub fn switch(&mut self, number: usize) -> Result<()> {
        let first = self.has_limbs().then(|| self.switches().len() - self.limbs.switches.len());
        let of_limbs = first.and_then(|first| number.checked_sub(first));
        if let Some(on) = of_limbs.and_then(|number| self.limbs.switches.get_mut(number)) {
            *on = !*on;
            self.limbs.reset();
            if let Play::File(play) = &mut self.play {
                play.refresh(&mut self.scene, &mut self.figures)?;
            }
            return Ok(());
        }
        match &mut self.play {
            Play::Prefabs(prefabs) => prefabs.switch(&mut self.scene, number)?,
            Play::Wheel(Some(wheel)) if number == 0 => wheel.blends = !wheel.blends,
            _ => self.levels.iter_mut().flat_map(|it| it.switches.get_mut(number)).for_each(|on| *on = !*on),
        }
        Ok(())
    }

    /// Returns the title, the switches with their keys, and the number of triangles with levels of detail.
    #[must_use]
    pub fn caption(&self) -> String {
        let state = |on| if on { "on" } else { "off" };
        let switches = (1..).zip(self.switches()).map(|(key, (name, on))| format!(", {key}: {name} {}", state(on)));
        let triangles = self.levels.as_ref().map(|levels| levels.triangles.map(|count| count.div_ceil(1000)));
        let triangles = triangles.map(|[seen, all]| format!(", {seen} of {all} thousand triangles"));
        self.title.clone() + &switches.chain(triangles).collect::<String>()
    }

    /// Returns the direction to the sun in this frame.
    #[must_use]
    pub fn sun(&self) -> Vec3 {
        self.light.sun.normalize_or(Vec3::Y)
    }

    /// Returns the index of the surface for a material number.
    #[must_use]
    pub fn surface(&self, material: Option<u32>) -> usize {
        let last = self.surfaces.len() - 1;
        material.map_or(last, |number| (number as usize).min(last))
    }

    /// Returns the index of the surface with the colour of a mesh's level, if colours of levels are on.
    #[must_use]
    pub fn level_surface(&self, mesh: u32) -> Option<usize> {
        self.levels.as_ref().filter(|levels| levels.switches[1])?;
        let level = self.meshes.get(mesh as usize).map_or(0, |mesh| mesh.level);
        (level > 0).then(|| self.surfaces.len() - 1 - usize::from(level))
    }

    /// Returns whether draws have the colours of their levels.
    #[must_use]
    pub(crate) fn has_level_surfaces(&self) -> bool {
        self.levels.as_ref().is_some_and(|levels| levels.switches[1])
    }

    /// Returns the visible layers and, if levels are on, the levels of detail for `eye`. If there is no `eye`, levels
    /// and stand-ins are off.
    #[must_use]
    pub fn seen_from(&self, eye: Option<DVec3>) -> (Layers, Option<DetailView<'_>>) {
        let Some(levels) = &self.levels else { return (self.layers, None) };
        match eye.filter(|_| levels.switches[0]) {
            Some(eye) => (self.layers, Some(DetailView::new(&levels.table, eye))),
            None => (self.layers & !STAND_INS, None),
        }
    }

    /// Returns a camera that sees the whole scene, its target, and its distance from the target.
    fn all_of(scene: &mut Scene) -> Result<(Camera, DVec3, f32)> {
        scene.update();
        let bounds = scene
            .get(scene.root())
            .map(|node| node.subtree_bounds())
            .filter(|bounds| !bounds.is_empty() && bounds.is_finite());
        let Some(bounds) = bounds else {
            return Err(Failure::new("nothing to show: no node of the scene has a mesh"));
        };
        let radius = 0.5 * bounds.size().length().max(1e-3);
        let target = bounds.center().as_dvec3();
        // The bounding sphere of the scene is as high as the picture.
        let angle: f32 = 0.8;
        let away = radius / (0.5 * angle).sin();
        let eye = target + (Vec3::new(0.55, 0.35, 1.0).normalize() * away).as_dvec3();
        Ok((Camera::looking(eye, target, angle), target, radius))
    }
}
