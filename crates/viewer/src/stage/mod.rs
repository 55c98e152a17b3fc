//! What is shown: a scene, what its numbers of meshes and materials stand for, and what happens in it.

pub mod figures;
mod file;
pub mod geometry;
mod host;
mod images;
mod levels;
mod paint;
mod playing;
mod prefabs;
mod smooth;
mod town;

pub use playing::{Cue, Playing};

use crate::arguments::{Arguments, Subject};
use crate::army::Army;
use crate::camera::Camera;
use crate::failure::{Failure, Result};
use crate::life::TownLife;
use crate::threads;
use crate::turn::MAINTENANCE_BUDGET;
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

/// Seconds a frame.
pub const FRAME: f32 = 1.0 / 60.0;

/// A scene with all that a renderer needs to know about it.
pub struct Stage {
    /// What it is, in words.
    pub title: String,
    /// The scene; it keeps world boxes.
    pub scene: Scene,
    /// By mesh number.
    pub meshes: Vec<Mesh>,
    /// By material number; behind them the one of draws without.
    pub surfaces: Vec<Surface>,
    /// What surfaces refer to.
    pub images: Vec<Image>,
    /// What is deformed: the user data of a draw, where it is not zero, is one more than the number of its figure.
    pub figures: Figures,
    /// Lights at nodes.
    pub lamps: Vec<Lamp>,
    /// The sun and the sky.
    pub light: Daylight,
    /// Where it is seen from at first.
    pub camera: Camera,
    /// The camera of the file that this is, and stays while nobody leads it elsewhere.
    pub through: Option<usize>,
    /// What that camera looks at, and around which it is led.
    pub target: DVec3,
    /// How far from the camera shadows fall, and how far away things are that cast them.
    pub shadows: (f32, f32),
    /// Its levels of detail, if it has any.
    pub levels: Option<Levels>,
    /// What is shown of the scene.
    layers: Layers,
    play: Play,
    /// Nodes with a transform, for the load.
    loose: Vec<(NodeHandle, Local)>,
    frames: usize,
}

/// What happens.
enum Play {
    Town(Box<TownLife>),
    /// Its scene is the stage's while nothing is done in it.
    Army(Box<Army>),
    File(Box<FilePlay>),
    Prefabs(Box<Prefabs>),
    /// Nothing while it is drawn.
    Wheel(Option<Box<Wheel>>),
}

/// What a material number stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// The colour, linear.
    pub colour: [f32; 4],
    /// The light that it emits, linear.
    pub emissive: [f32; 3],
    /// How metallic and how rough it is.
    pub metallic: f32,
    /// How rough it is.
    pub roughness: f32,
    /// What its alpha does.
    pub alpha: Alpha,
    /// Whether its back is seen.
    pub double_sided: bool,
    /// Whether it is shown without lighting.
    pub unlit: bool,
    /// How much the normals of the texture lean.
    pub normal_scale: f32,
    /// The textures of colour, metallic-roughness, emission and normals.
    pub textures: [Option<Texture>; 4],
}

/// What alpha does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Alpha {
    /// Nothing.
    Opaque,
    /// What has less is not drawn.
    Mask(f32),
    /// It is blended with what lies behind.
    Blend,
}

/// A texture of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Texture {
    /// The number of the image.
    pub image: usize,
    /// Whether the first or the second coordinates are used.
    pub set: u32,
    /// From these to the texture: two rows.
    pub transform: [[f32; 3]; 2],
    /// What is beyond the edges.
    pub wrap: [Wrap; 2],
    /// Whether it has sharp pixels.
    pub nearest: bool,
}

/// What is beyond the edge of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// The image again.
    #[default]
    Repeat,
    /// The image mirrored.
    Mirror,
    /// The edge.
    Clamp,
}

impl Texture {
    /// Returns the whole image, by the first coordinates, again and again.
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
    /// Its colour times its intensity, linear.
    pub colour: [f32; 3],
    /// Where it ends.
    pub range: Option<f32>,
    /// The cosines of the angles where its cone begins to fade, and where it ends; `None` shines to all sides.
    pub cone: Option<[f32; 2]>,
}

/// The sun and the sky. Colours are linear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Daylight {
    /// Towards the sun, as it was shown last.
    pub sun: Vec3,
    /// The node along whose -z axis the sun shines, if it has one.
    pub sun_node: Option<NodeHandle>,
    /// The colour of the sun.
    pub sun_colour: [f32; 3],
    /// The sky above.
    pub zenith: [f32; 3],
    /// The sky at the horizon.
    pub horizon: [f32; 3],
    /// What the ground reflects.
    pub ground: [f32; 3],
    /// How bright all is.
    pub exposure: f32,
    /// The distance at which haze hides about two thirds, in metres; infinite for none.
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

/// How a frame of the stage went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Acted {
    /// Milliseconds of edits, of characters, and of maintenance.
    pub ms: [f64; 3],
    /// Components set, subtrees moved, nodes inserted, and nodes removed.
    pub edits: [usize; 4],
}

impl Stage {
    /// Sets up what the arguments ask for.
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

    /// Sets up a glTF file that was read, as the arguments ask for, whatever their subject is. Its buffers and images
    /// are in it.
    pub fn of_file(name: &str, bytes: &[u8], arguments: &Arguments) -> Result<Self> {
        file::of_bytes(name, bytes, arguments)?.placed(arguments)
    }

    /// Returns where the arguments want it, seen from where they say.
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
        stage.scene.update();
        Ok(stage)
    }

    /// Plays a frame: edits, characters, maintenance. `load` is the percentage of all nodes that move besides.
    pub fn act(&mut self, load: f32) -> Result<Acted> {
        let mut acted = Acted::default();
        let start = Instant::now();
        // How long edits waited for characters that took their step meanwhile.
        let mut waited = Duration::ZERO;
        match &mut self.play {
            Play::Town(life) => {
                // Nobody's step needs the scene that is edited meanwhile.
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
        match &mut self.play {
            Play::Town(life) => life.people.place(&mut self.scene)?,
            Play::Army(army) => {
                army.pose(if first { 0.0 } else { FRAME }, None)?;
                self.figures.set_palettes(&army.palettes);
                // The boxes are those of the pose.
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
        let animated = Instant::now();
        self.scene.maintain(MAINTENANCE_BUDGET);
        let times = [edited - start - waited, animated - edited + waited, animated.elapsed()];
        acted.ms = times.map(|time| time.as_secs_f64() * 1e3);
        self.frames += 1;
        Ok(acted)
    }

    /// Turns so many percent of all nodes by a little, each around where it was. Returns how many.
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
        // Others in each frame, spread over the tree.
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

    /// Does something with the scene as it is shown, which may be between two steps. The stage lacks it meanwhile.
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

    /// Returns what can be switched on and off, and whether it is on.
    #[must_use]
    pub fn switches(&self) -> Vec<(&'static str, bool)> {
        match &self.play {
            Play::Prefabs(prefabs) => prefabs.switches(),
            Play::Wheel(Some(wheel)) => vec![("between steps", wheel.blends)],
            _ => self.levels.iter().flat_map(|it| ["levels", "level colours"].into_iter().zip(it.switches)).collect(),
        }
    }

    /// Turns one of the switches. Does nothing where there is none of this number.
    pub fn switch(&mut self, number: usize) -> Result<()> {
        match &mut self.play {
            Play::Prefabs(prefabs) => prefabs.switch(&mut self.scene, number)?,
            Play::Wheel(Some(wheel)) if number == 0 => wheel.blends = !wheel.blends,
            _ => self.levels.iter_mut().flat_map(|it| it.switches.get_mut(number)).for_each(|on| *on = !*on),
        }
        Ok(())
    }

    /// Returns the title, what is switched on and off by which key, and how many triangles levels of detail leave.
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

    /// Returns the surface of a draw with this material.
    #[must_use]
    pub fn surface(&self, material: Option<u32>) -> usize {
        let last = self.surfaces.len() - 1;
        material.map_or(last, |number| (number as usize).min(last))
    }

    /// Returns the surface in the colour of a mesh's level, if draws have that.
    #[must_use]
    pub fn level_surface(&self, mesh: u32) -> Option<usize> {
        self.levels.as_ref().filter(|levels| levels.switches[1])?;
        let level = self.meshes.get(mesh as usize).map_or(0, |mesh| mesh.level);
        (level > 0).then(|| self.surfaces.len() - 1 - usize::from(level))
    }

    /// Returns what is shown from a place, with the levels of detail if they are on. Without a place there are neither
    /// these nor stand-ins.
    #[must_use]
    pub fn seen_from(&self, eye: Option<DVec3>) -> (Layers, Option<DetailView<'_>>) {
        let Some(levels) = &self.levels else { return (self.layers, None) };
        match eye.filter(|_| levels.switches[0]) {
            Some(eye) => (self.layers, Some(DetailView::new(&levels.table, eye))),
            None => (self.layers & !STAND_INS, None),
        }
    }

    /// Returns what is shown of the scene.
    #[must_use]
    pub fn layers(&self) -> Layers {
        self.layers
    }

    /// Shows what is visible on some of these layers, from the next frame on.
    pub fn set_layers(&mut self, layers: Layers) {
        self.layers = layers;
    }

    /// Returns a camera from which the whole of a scene is seen.
    fn all_of(scene: &mut Scene) -> Result<(Camera, DVec3, f32)> {
        scene.update();
        let bounds = scene
            .get(scene.root())
            .map(|node| node.subtree_bounds())
            .filter(|bounds| !bounds.is_empty() && bounds.is_finite());
        let Some(bounds) = bounds else {
            return Err(Failure::new("there is nothing to see: no node of the scene shown has a mesh"));
        };
        let radius = 0.5 * bounds.size().length().max(1e-3);
        let target = bounds.center().as_dvec3();
        // A sphere around everything is as high as the picture.
        let angle: f32 = 0.8;
        let away = radius / (0.5 * angle).sin();
        let eye = target + (Vec3::new(0.55, 0.35, 1.0).normalize() * away).as_dvec3();
        Ok((Camera::looking(eye, target, angle), target, radius))
    }
}
