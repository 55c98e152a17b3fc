//! The town of the example `frames`, with meshes and materials for it.

use super::figures::Figures;
use super::geometry::Mesh;
use super::host::{LOOKS, coat_of, puppet};
use super::levels::{Levels, STAND_IN};
use super::paint::Pattern;
use super::{Alpha, Daylight, Image, Play, Stage, Surface, Texture};
use crate::camera::Camera;
use crate::failure::Result;
use crate::life::TownLife;
use crate::parts::{Material, Mesh as Part};
use crate::people::People;
use crate::threads;
use crate::town;
use hedgerow::glam::{DVec3, Vec3};
use hedgerow::{Aabb, Scene, SceneConfig};
use hedgerow_character::Deformed;
use std::sync::Arc;

/// All parts, by mesh number.
const PARTS: [Part; 26] = [
    Part::Asphalt,
    Part::Lawn,
    Part::Pole,
    Part::Lantern,
    Part::Wall,
    Part::Roof,
    Part::Chimney,
    Part::Floor,
    Part::Window,
    Part::Door,
    Part::Knob,
    Part::Lamp,
    Part::Table,
    Part::Chair,
    Part::Bed,
    Part::Cabinet,
    Part::CabinetDoor,
    Part::Cup,
    Part::Trunk,
    Part::Foliage,
    Part::CarBody,
    Part::CarCabin,
    Part::Headlight,
    Part::Tyre,
    Part::Person,
    Part::HandLamp,
];

/// Images by number.
const PATTERNS: [Pattern; 6] = [
    Pattern::Bricks(8),
    Pattern::Tiles(4),
    Pattern::Speckle(0.10),
    Pattern::Speckle(0.05),
    Pattern::Boards(4),
    Pattern::Bricks(4),
];

/// A material: colour, roughness, and an image with its width in metres.
type Look = (Material, [f32; 3], f32, Option<(usize, f32)>);

/// All materials by number.
const SURFACES: [Look; 21] = [
    (Material::Asphalt, [0.075, 0.077, 0.082], 0.95, Some((3, 2.0))),
    (Material::Grass, [0.085, 0.16, 0.035], 1.0, Some((2, 3.0))),
    (Material::Steel, [0.35, 0.36, 0.38], 0.45, None),
    (Material::Light, [0.95, 0.85, 0.6], 0.6, None),
    (Material::Brick, [0.42, 0.13, 0.075], 0.95, Some((0, 0.8))),
    (Material::Plaster, [0.72, 0.66, 0.54], 0.95, Some((3, 3.0))),
    (Material::Clinker, [0.30, 0.20, 0.17], 0.85, Some((5, 0.5))),
    (Material::Tile, [0.36, 0.10, 0.06], 0.8, Some((1, 1.6))),
    (Material::Glass, [0.05, 0.08, 0.10], 0.12, None),
    (Material::Oak, [0.30, 0.17, 0.08], 0.7, Some((4, 1.0))),
    (Material::Pine, [0.55, 0.38, 0.20], 0.75, Some((4, 1.0))),
    (Material::Leather, [0.16, 0.07, 0.04], 0.6, None),
    (Material::Linen, [0.75, 0.72, 0.66], 1.0, None),
    (Material::China, [0.85, 0.85, 0.83], 0.25, None),
    (Material::Bark, [0.13, 0.085, 0.05], 1.0, Some((2, 1.0))),
    (Material::Leaf, [0.075, 0.17, 0.035], 1.0, Some((2, 4.0))),
    (Material::Autumn, [0.42, 0.20, 0.035], 1.0, Some((2, 4.0))),
    (Material::Red, [0.50, 0.035, 0.03], 0.35, None),
    (Material::Blue, [0.04, 0.11, 0.38], 0.35, None),
    (Material::White, [0.75, 0.75, 0.73], 0.35, None),
    (Material::Rubber, [0.02, 0.02, 0.022], 0.95, None),
];

/// The colours of levels, coarsest first.
const LEVELS: [[f32; 3]; STAND_IN as usize] = [[0.7, 0.8, 3.0], [0.85, 0.24, 0.05], [0.80, 0.62, 0.06]];

/// Returns the town with people in its streets.
pub(super) fn stage(seed: u64, people: u32) -> Result<Stage> {
    // Culling and picking need world boxes.
    let (mut scene, town) = town::build(seed, SceneConfig { bounds: true, ..SceneConfig::DEFAULT })?;
    let mut meshes = meshes();
    let levels = Levels::new(&mut scene, &mut meshes, &SURFACES.map(from_afar))?;
    let mut life = TownLife::new(&mut scene, town, people, seed)?;
    let mut figures = Figures::default();
    let (body, walkers) = life.people.parts();
    let (person, drawable, shared) = puppet(&body.rig, &body.skin, Part::Person as u32)?;
    figures.drawables.push(drawable);
    for (number, walker) in walkers.iter().enumerate() {
        // Shirts are white: the material has the colour.
        let body = Deformed::new(Arc::clone(&shared), walker.node, None)?;
        let user_data = figures.push(0, Some(coat_of(LOOKS[number % LOOKS.len()])), body);
        scene.edit(walker.node)?.set_user_data(user_data);
    }
    let view = [DVec3::new(322.0, 46.0, 342.0), DVec3::new(200.0, 0.0, 215.0)];
    meshes[Part::Person as usize] = person;
    let stage = painted(&format!("town, seed {seed}"), scene, meshes, Play::Town(Box::new(life)), view);
    Ok(Stage { figures, levels: Some(levels), ..stage })
}

/// Returns the colour of a material times the mean of its image.
fn from_afar((_, colour, _, image): Look) -> [u8; 4] {
    let pixels = image.map_or_else(|| vec![[255; 4]], |(image, _)| Image::of(PATTERNS[image]).pixels);
    let sum: f32 = pixels.iter().map(|&[value, ..]| (f32::from(value) / 255.0).powf(2.2)).sum();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a colour is within 0 to 1")]
    let [r, g, b] = colour.map(|part| (255.0 * part * sum / pixels.len() as f32).round() as u8);
    [r, g, b, 255]
}

/// Returns the meshes of the town, without people.
pub(super) fn meshes() -> Vec<Mesh> {
    let meshes = PARTS.map(|part| {
        let bounds = part.drawable().bounds;
        match part {
            Part::Roof => Mesh::roof(bounds),
            Part::Pole => Mesh::column(bounds, 6, 0.5, false),
            Part::Trunk => Mesh::column(bounds, 6, 0.6, false),
            Part::Cup => Mesh::column(bounds, 5, 1.2, false),
            Part::Tyre => Mesh::column(bounds, 10, 1.0, true),
            // Windows protrude from the wall.
            Part::Wall => Mesh::block(Aabb { max: bounds.max.with_z(0.02), ..bounds }, [1.0, 1.0]),
            Part::Foliage => Mesh::foliage(bounds, 5, 8),
            Part::CarBody => Mesh::block(bounds, [0.94, 0.97]),
            Part::CarCabin => Mesh::block(bounds, [0.84, 0.68]),
            Part::Lamp | Part::Lantern => Mesh::block(bounds, [0.6, 0.6]),
            Part::Person => Mesh::default(),
            _ => Mesh::block(bounds, [1.0, 1.0]),
        }
    });
    meshes.into()
}

/// Returns a stage with the town's materials and light, seen from `eye`.
pub(super) fn painted(title: &str, scene: Scene, meshes: Vec<Mesh>, play: Play, [eye, target]: [DVec3; 2]) -> Stage {
    let mut surfaces = vec![Surface::default(); SURFACES.len()];
    for (material, [r, g, b], roughness, image) in SURFACES {
        let texture = image.map(|(image, metres)| {
            let transform = [[metres.recip(), 0.0, 0.0], [0.0, metres.recip(), 0.0]];
            Texture { transform, ..Texture::plain(image) }
        });
        let is = |other: Material| material as u32 == other as u32;
        surfaces[material as usize] = Surface {
            // Windows are transparent.
            colour: [r, g, b, if is(Material::Glass) { 0.8 } else { 1.0 }],
            alpha: if is(Material::Glass) { Alpha::Blend } else { Alpha::Opaque },
            emissive: if is(Material::Light) { [0.35, 0.28, 0.14] } else { [0.0; 3] },
            metallic: if is(Material::Steel) { 0.7 } else { 0.0 },
            roughness,
            textures: [texture, None, None, None],
            ..Surface::default()
        };
    }
    // The surfaces of levels, coarsest first, then the surface of draws without a material.
    surfaces.extend(LEVELS.map(|[r, g, b]| Surface { colour: [r, g, b, 1.0], ..Surface::default() }));
    surfaces.push(Surface::default());
    Stage {
        meshes,
        surfaces,
        images: PATTERNS.map(Image::of).into(),
        light: Daylight { sun: Vec3::new(-0.62, 0.62, 0.40), haze: 900.0, ..Daylight::AFTERNOON },
        ..Stage::plain(title.to_owned(), scene, play, (Camera::looking(eye, target, 0.75), target))
    }
}

/// The number of people in one task.
const TOGETHER: usize = 10;

/// Steps all people and writes their palettes, on several threads if available.
pub(super) fn step(people: &mut People, figures: &mut Figures) -> Result<()> {
    let (body, walkers) = people.parts();
    if walkers.is_empty() {
        return Ok(());
    }
    // The figures are the people, in order.
    let joints = body.skin.len();
    let palettes = figures.palettes.chunks_mut(TOGETHER * joints);
    let several: Vec<_> = walkers.chunks_mut(TOGETHER).zip(palettes).collect();
    threads::try_each(several, |(walkers, palettes)| {
        walkers.iter_mut().zip(palettes.chunks_mut(joints)).try_for_each(|(walker, palette)| body.step(walker, palette))
    })?;
    figures.touch();
    Ok(())
}
