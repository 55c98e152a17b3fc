//! Stages of glTF files.

use super::figures::{FigureDrawable, Figures, Rigged, influences};
use super::geometry::{Mesh, Topology, Vertex, normals};
use super::images;
use super::{Alpha, Cue, Daylight, Image, Lamp, Play, Stage, Surface, Texture, Wrap};
use crate::arguments::Arguments;
use crate::camera::{Camera, Lens};
use crate::failure::{Failure, Result};
use hedgerow::glam::{DVec3, Vec3};
use hedgerow::{Drawable, Error, NodeHandle, Scene, SceneConfig};
use hedgerow_anim::{ClipBuilder, Pose, player::Playback};
use hedgerow_gltf::material::{self, AlphaMode, MagFilter, TextureRef};
use hedgerow_gltf::{
    AnimationPlayer, Deformed, Import, ImportError, ImportOptions, Imported, ImportedDrawable, LightKind, MeshData,
    MorphDeltas, Projection, Topology as Drawn,
};
use std::collections::HashMap;
use std::path::Path;

/// The greatest width and height of a texture; larger images are halved until they fit.
const MOST: u32 = 2048;
/// The linear colour of meshes in a file without materials.
const CLAY: [f32; 4] = [0.36, 0.36, 0.37, 1.0];

/// The duration of fades between animations, in seconds.
const FADE: f32 = 0.25;

pub(super) struct FilePlay {
    imported: Imported,
    shown: usize,
    player: AnimationPlayer,
    pub(super) animation: usize,
    /// The speed, and whether playback is paused.
    pub(super) speed: f32,
    pub(super) paused: bool,
    actors: Vec<Actor>,
    /// Whether further frames change nothing.
    at_rest: bool,
}

struct Actor {
    figure: usize,
    body: Deformed,
    /// The rig whose pose it follows.
    rig: Option<usize>,
}

pub(super) fn stage(path: &Path, arguments: &Arguments) -> Result<Stage> {
    of(path.display().to_string(), |options| options.load(path), arguments)
}

/// Makes the stage of a file in memory, without separate files.
pub(super) fn of_bytes(name: &str, bytes: &[u8], arguments: &Arguments) -> Result<Stage> {
    of(name.to_owned(), |options| options.from_slice(bytes, None), arguments)
}

fn of(
    title: String,
    import: impl FnOnce(&ImportOptions) -> std::result::Result<Import, ImportError>,
    arguments: &Arguments,
) -> Result<Stage> {
    let config = SceneConfig { bounds: true, ..SceneConfig::DEFAULT };
    let failure = |error: &dyn std::fmt::Display| Failure::while_doing(&title, error);
    let import = import(&ImportOptions::new().with_config(config)).map_err(|error| failure(&error))?;
    let Import { mut scene, mut imported, .. } = import;
    let shown = imported.default_scene.unwrap_or(0);
    if imported.scenes.is_empty() {
        return Err(failure(&"it has no scene to show"));
    }

    // Figures need normals.
    for data in imported.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives).filter_map(|it| it.vertices.as_mut()) {
        if data.is_deformed() && data.normals.is_empty() {
            data.normals = normals(&data.positions, &listed(data).0);
        }
    }
    let mut meshes: Vec<Mesh> =
        imported.mesh_ids.range().map(|id| imported.vertices(id).map_or_else(Mesh::default, mesh)).collect();
    let mut figures = Figures::default();
    let mut cast = Cast { by_mesh: HashMap::new(), actors: Vec::new() };
    for actor in imported.deformed_all(&imported.scenes[shown].drawables)? {
        cast.enlist((&mut scene, &imported), actor, &mut meshes, &mut figures)?;
    }

    let player = if imported.animations.is_empty() {
        imported.at_rest()
    } else {
        let all: Vec<usize> = (0..imported.animations.len()).collect();
        let mut player = imported.play_with(&all, ClipBuilder::new()).map_err(|error| failure(&error))?;
        player.set_playback(Playback::Loop);
        player.fade_to(Some(arguments.animation), 0.0)?;
        player.seek(if player.duration() > 0.0 { arguments.time % player.duration() } else { 0.0 });
        player
    };
    let (lamps, sun) = lights(&imported, shown);
    let mut play = FilePlay {
        shown,
        player,
        animation: arguments.animation,
        speed: 1.0,
        paused: false,
        actors: cast.actors,
        imported,
        at_rest: false,
    };
    play.advance(&mut scene, &mut figures, 0.0)?;
    play.at_rest = false;
    let (mut camera, target, radius) = Stage::all_of(&mut scene)?;
    let mut through = None;
    if let Some(number) = arguments.camera {
        // A file without cameras is shown as a whole.
        match play.camera(&scene, number) {
            Some(found) => (camera, through) = (found, Some(number)),
            None if number > 0 => return Err(failure(&format!("it has no camera {number} in the scene shown"))),
            None => {}
        }
    }
    let mut surfaces: Vec<Surface> = play.imported.materials.iter().map(|of| surface(&play.imported, of)).collect();
    // If the file has no materials, draw clay, because the default material is too bright for a whole file.
    if surfaces.len() < 2 {
        surfaces = vec![Surface { colour: CLAY, ..Surface::default() }];
    }
    surfaces.push(Surface::default());
    let images = play.imported.images.iter().map(image).collect();
    let mut light = Daylight::AFTERNOON;
    if let Some((node, colour)) = sun {
        (light.sun_node, light.sun_colour) = (Some(node), colour);
    } else if !lamps.is_empty() {
        // The file has lamps, so the sun is dimmed.
        light.sun_colour = light.sun_colour.map(|part| 0.35 * part);
    }
    let far = (camera.eye.distance(target) as f32 + radius).max(2.0 * radius);
    Ok(Stage {
        meshes,
        surfaces,
        images,
        figures,
        lamps,
        light,
        through,
        shadows: (far, 2.0 * radius),
        ..Stage::plain(title, scene, Play::File(Box::new(play)), (camera, target))
    })
}

/// The figures made so far, and their meshes.
struct Cast {
    /// The drawable of a figure, by mesh id and skin.
    by_mesh: HashMap<(u32, Option<usize>), usize>,
    actors: Vec<Actor>,
}

impl Cast {
    /// Makes a figure of a drawable, and lets the drawable's node draw the figure.
    fn enlist(
        &mut self,
        (scene, imported): (&mut Scene, &Imported),
        (drawable, body): (ImportedDrawable, Deformed),
        meshes: &mut Vec<Mesh>,
        figures: &mut Figures,
    ) -> Result<()> {
        let Some(data) = imported.vertices(drawable.id) else { return Ok(()) };
        let number = match self.by_mesh.get(&(drawable.id, drawable.skin)) {
            Some(&number) => number,
            None => {
                let order = body.mesh().permutation();
                let plain = mesh(data);
                let mut drawn = Mesh { deformed: true, ..plain };
                drawn.vertices = order.iter().map(|&vertex| drawn.vertices[vertex as usize]).collect();
                let mut place = vec![0; order.len()];
                for (new, &old) in (0..).zip(order) {
                    place[old as usize] = new;
                }
                drawn.indices.iter_mut().for_each(|index| *index = place[*index as usize]);
                let per_vertex = if drawable.skin.is_some() { data.influences } else { 0 };
                let delta = |target: &MorphDeltas, vertex: u32| {
                    let of = |list: &[[f32; 3]]| list.get(vertex as usize).copied().unwrap_or_default();
                    [of(&target.positions), of(&target.normals)].map(|[x, y, z]| [x, y, z, 0.0])
                };
                let of_vertex = |&vertex: &u32| data.targets.iter().map(move |target| delta(target, vertex));
                let mesh = u32::try_from(meshes.len()).map_err(|_| Failure::new("the file has too many meshes"))?;
                meshes.push(drawn);
                figures.drawables.push(FigureDrawable {
                    mesh,
                    influences: influences(&data.joints, &data.weights, per_vertex, order),
                    deltas: order.iter().flat_map(of_vertex).collect(),
                    rigged: drawable.skin.and_then(|number| {
                        let of = &imported.skins[number];
                        let skeleton = imported.rigs.get(of.rig)?.skeleton.clone();
                        Some(Rigged { skeleton, skin: of.skin.clone() })
                    }),
                });
                self.by_mesh.insert((drawable.id, drawable.skin), figures.drawables.len() - 1);
                figures.drawables.len() - 1
            }
        };
        let user_data = figures.push(number, None, body.clone());
        let mut node = scene.edit(drawable.handle)?;
        let drawn = node.as_ref().drawable().ok_or(Error::NoDrawable(drawable.handle))?;
        node.set_drawable(Drawable { mesh: figures.drawables[number].mesh, ..drawn })?.set_user_data(user_data);
        let rig = drawable.skin.map(|number| imported.skins[number].rig);
        self.actors.push(Actor { figure: user_data as usize - 1, body, rig });
        Ok(())
    }
}

impl FilePlay {
    pub(super) fn animations(&self) -> Vec<String> {
        let animations = self.imported.animations.iter().enumerate();
        animations.map(|(number, animation)| named("animation", number, animation.name.as_deref())).collect()
    }

    /// Returns the time in the animation and its duration, in seconds.
    pub(super) fn time(&self) -> Option<[f32; 2]> {
        (!self.imported.animations.is_empty()).then(|| [self.player.time(), self.player.duration()])
    }

    /// Fades to another animation, or goes to a time in the present animation. If paused, jumps instead of fading.
    pub(super) fn play(&mut self, (scene, figures): (&mut Scene, &mut Figures), to: Cue) -> Result<()> {
        let Self { imported, player, animation, paused, .. } = self;
        if imported.animations.is_empty() {
            return Ok(());
        }
        match to {
            Cue::Animation(number) => {
                player.fade_to(Some(number), if *paused { 0.0 } else { FADE })?;
                *animation = number;
            }
            Cue::Time(seconds) => player.seek(seconds),
        }
        self.advance(scene, figures, 0.0)
    }

    /// Returns the cameras of the shown scene with their nodes, ordered by camera number.
    fn cameras(&self) -> impl Iterator<Item = (NodeHandle, &hedgerow_gltf::Camera)> {
        let imported = &self.imported;
        imported.scenes[self.shown].nodes().filter_map(move |(index, node)| {
            let camera = imported.nodes[index].camera.and_then(|camera| imported.cameras.get(camera))?;
            Some((node, camera))
        })
    }

    pub(super) fn camera_names(&self, scene: &Scene) -> Vec<String> {
        let name = |(number, (node, camera)): (usize, (NodeHandle, &hedgerow_gltf::Camera))| {
            named("camera", number, camera.name.as_deref().or_else(|| scene.get(node).and_then(|node| node.name())))
        };
        self.cameras().enumerate().map(name).collect()
    }

    /// Returns a camera where the last update placed it.
    pub(super) fn camera(&self, scene: &Scene, number: usize) -> Option<Camera> {
        let (node, camera) = self.cameras().nth(number)?;
        let world = scene.world(node)?;
        let eye: DVec3 = scene.get(node)?.world_f64().translation;
        let forward = world.transform_vector(Vec3::NEG_Z).try_normalize()?;
        let up = world.transform_vector(Vec3::Y).try_normalize()?;
        let lens = match camera.projection {
            Projection::Perspective { yfov, znear, .. } => Lens::Perspective(yfov.clamp(0.01, 3.0), znear.max(1e-4)),
            Projection::Orthographic { ymag, zfar, .. } => Lens::Orthographic(ymag.abs().max(1e-4), zfar.max(1e-3)),
        };
        Some(Camera { eye, forward, up, lens })
    }

    /// Returns the figures that joints deform, with their nodes and poses.
    pub(super) fn poses(&self) -> impl Iterator<Item = (usize, NodeHandle, &Pose)> {
        let Self { player, actors, .. } = self;
        actors.iter().filter_map(|Actor { figure, body, rig }| Some((*figure, body.node(), player.pose((*rig)?)?)))
    }

    /// Shows the poses of the animation anew.
    pub(super) fn refresh(&mut self, scene: &mut Scene, figures: &mut Figures) -> Result<()> {
        self.at_rest = false;
        self.advance(scene, figures, 0.0)
    }

    /// Advances the animation, and updates nodes, palettes, weights and boxes.
    pub(super) fn advance(&mut self, scene: &mut Scene, figures: &mut Figures, seconds: f32) -> Result<()> {
        let Self { imported, player, actors, at_rest, paused, speed, .. } = self;
        if *at_rest || *paused && seconds > 0.0 {
            return Ok(());
        }
        player.advance(seconds * *speed);
        // Skips removed nodes.
        player.retain_live(scene);
        player.apply(scene)?;
        *at_rest = imported.animations.is_empty();
        for Actor { figure, body, .. } in actors {
            if !scene.contains(body.node()) {
                continue;
            }
            body.follow(player, scene)?;
            let figure = &figures.list[*figure];
            figures.weights[figure.weights.clone()].copy_from_slice(body.weights());
            if !figure.palette.is_empty() {
                figures.palettes[figure.palette.clone()].copy_from_slice(body.palette().matrices());
            }
        }
        figures.touch();
        Ok(())
    }
}

/// Returns the indices of a primitive as a list, and its topology.
fn listed(data: &MeshData) -> (Vec<u32>, Topology) {
    let all: Vec<u32>;
    let order: &[u32] = if data.indices.is_empty() {
        all = (0..).take(data.positions.len()).collect();
        &all
    } else {
        &data.indices
    };
    match data.topology {
        Drawn::Points => (order.to_vec(), Topology::Points),
        Drawn::Lines => (order.to_vec(), Topology::Lines),
        Drawn::LineStrip => (order.windows(2).flatten().copied().collect(), Topology::Lines),
        Drawn::LineLoop => {
            let mut indices: Vec<u32> = order.windows(2).flatten().copied().collect();
            indices.extend(order.last().into_iter().chain(order.first()));
            (indices, Topology::Lines)
        }
        Drawn::Triangles | Drawn::TriangleStrip | Drawn::TriangleFan => {
            (data.triangles().flatten().collect(), Topology::Triangles)
        }
    }
}

/// Returns a primitive to upload. Triangles that have no normals and are not deformed are shaded flat.
fn mesh(data: &MeshData) -> Mesh {
    let (indices, topology) = listed(data);
    let vertex = |at: usize| {
        let texcoord = |set: usize| data.texcoords.get(set).and_then(|set| set.get(at)).copied().unwrap_or_default();
        let colour = data.colors.first().and_then(|set| set.get(at)).copied().unwrap_or([1.0; 4]);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the value is clamped")]
        let colour = colour.map(|part| (part.clamp(0.0, 1.0) * 255.0).round() as u8);
        let normal = data.normals.get(at).copied().unwrap_or([0.0, 1.0, 0.0]);
        Vertex { place: data.positions[at], normal, texcoords: [texcoord(0), texcoord(1)], colour }
    };
    let count = data.positions.len();
    let indices: Vec<u32> = indices.into_iter().map(|index| if (index as usize) < count { index } else { 0 }).collect();
    if data.normals.is_empty() && topology == Topology::Triangles {
        let mut mesh = Mesh { topology, ..Mesh::default() };
        for corners in indices.as_chunks::<3>().0 {
            let mut corners = corners.map(|corner| vertex(corner as usize));
            let [a, b, c] = corners.map(|corner| Vec3::from(corner.place));
            let normal = (b - a).cross(c - a).normalize_or(Vec3::Y).to_array();
            corners.iter_mut().for_each(|corner| corner.normal = normal);
            mesh.indices.extend((0..3).map(|corner| corner + mesh.vertices.len() as u32));
            mesh.vertices.extend(corners);
        }
        return mesh;
    }
    Mesh { vertices: (0..count).map(vertex).collect(), indices, topology, deformed: false, level: 0 }
}

fn surface(imported: &Imported, material: &material::Material) -> Surface {
    let texture = |reference: Option<TextureRef>| {
        let reference = reference?;
        let texture = imported.textures.get(reference.texture)?;
        let image = texture.image.filter(|&image| imported.images.get(image).is_some())?;
        let affine = reference.transform.map(|transform| transform.to_affine()).unwrap_or_default();
        let row = |row: usize| {
            let [x, y] = [affine.matrix2.x_axis[row], affine.matrix2.y_axis[row]];
            [x, y, affine.translation[row]]
        };
        let wrap = |wrap: material::Wrap| match wrap {
            material::Wrap::Repeat => Wrap::Repeat,
            material::Wrap::MirroredRepeat => Wrap::Mirror,
            material::Wrap::ClampToEdge => Wrap::Clamp,
        };
        let sampler = texture.sampler;
        Some(Texture {
            image,
            set: reference.texcoord.min(1),
            transform: [row(0), row(1)],
            wrap: [wrap(sampler.wrap_u), wrap(sampler.wrap_v)],
            nearest: sampler.mag_filter == Some(MagFilter::Nearest),
        })
    };
    let alpha = match material.alpha_mode {
        AlphaMode::Opaque => Alpha::Opaque,
        AlphaMode::Mask { cutoff } => Alpha::Mask(cutoff),
        AlphaMode::Blend => Alpha::Blend,
    };
    let mut surface = Surface {
        colour: material.base_color,
        emissive: material.emissive.map(|part| part * material.emissive_strength),
        metallic: material.metallic,
        roughness: material.roughness,
        alpha,
        double_sided: material.double_sided,
        unlit: material.unlit,
        normal_scale: material.normal_scale,
        textures: [
            texture(material.base_color_texture),
            texture(material.metallic_roughness_texture),
            texture(material.emissive_texture),
            texture(material.normal_texture),
        ],
    };
    // Approximates the older model.
    if let Some(old) = material.specular_glossiness {
        (surface.colour, surface.textures[0]) = (old.diffuse, texture(old.diffuse_texture));
        (surface.metallic, surface.roughness) = (0.0, 1.0 - old.glossiness);
    }
    // Refraction is not drawn.
    if let Some(glass) = material.transmission.filter(|glass| glass.factor > 0.0) {
        surface.alpha = Alpha::Blend;
        surface.colour[3] *= 1.0 - 0.75 * glass.factor.clamp(0.0, 1.0);
    }
    surface
}

/// Returns the decoded image; a grey image for unknown formats.
fn image(image: &material::Image) -> Image {
    let Some(Image { mut size, mut pixels }) = images::decoded(&image.bytes) else {
        return Image::plain([160, 160, 160, 255]);
    };
    while size.iter().any(|&side| side > MOST) {
        (size, pixels) = images::halved(size, &pixels);
    }
    Image { size, pixels }
}

/// The node of a light, and its colour times its intensity.
type Shining = (NodeHandle, [f32; 3]);

/// Returns the lamps, and the first directional light.
fn lights(imported: &Imported, shown: usize) -> (Vec<Lamp>, Option<Shining>) {
    let (mut lamps, mut sun) = (Vec::new(), None);
    for (index, node) in imported.scenes[shown].nodes() {
        let Some(light) = imported.nodes[index].light.and_then(|light| imported.lights.get(light)) else { continue };
        let colour = light.color.map(|part| part * light.intensity);
        let lamp = |cone| Lamp { node, colour, range: light.range, cone };
        match light.kind {
            LightKind::Directional => sun = sun.or(Some((node, colour))),
            LightKind::Point => lamps.push(lamp(None)),
            LightKind::Spot { inner_cone_angle, outer_cone_angle } => {
                lamps.push(lamp(Some([inner_cone_angle.cos(), outer_cone_angle.cos()])));
            }
        }
    }
    (lamps, sun)
}

/// Returns a label for a numbered item that may have a name.
fn named(what: &str, number: usize, name: Option<&str>) -> String {
    name.filter(|name| !name.is_empty()).map_or_else(|| format!("{what} {number}"), |name| format!("{number}: {name}"))
}
