//! The army of the example `army` on a meadow, and the puppet as a mesh.

use super::figures::{Coat, FigureDrawable, Figures, Rigged, influences};
use super::geometry::{Mesh, Vertex};
use super::paint::Pattern;
use super::{Daylight, Image, Play, Stage, Surface, Texture};
use crate::army::{self, Army};
use crate::camera::Camera;
use crate::failure::Result;
use crate::puppet::{Lists, PuppetMesh, Rig};
use hedgerow::glam::{DVec3, Vec3};
use hedgerow::{Aabb, Drawable, Node, Transform};
use hedgerow_anim::skin::Skin;
use hedgerow_character::{Deformed, DeformedMesh};
use std::sync::Arc;

/// Colours of people in sRGB: skin, hair, shirt, trousers, boots.
pub(super) const LOOKS: [[[u8; 4]; 5]; 3] = [
    [[205, 160, 132, 255], [60, 42, 30, 255], [255; 4], [86, 90, 104, 255], [60, 50, 44, 255]],
    [[150, 112, 84, 255], [40, 34, 30, 255], [255; 4], [110, 96, 80, 255], [84, 62, 46, 255]],
    [[222, 178, 150, 255], [150, 112, 70, 255], [255; 4], [70, 74, 82, 255], [54, 46, 42, 255]],
];

/// Returns the puppet's mesh, which gets the number `mesh`, its drawable, and what all puppets share.
pub(super) fn puppet(rig: &Rig, skin: &Skin, mesh: u32) -> Result<(Mesh, FigureDrawable, Arc<DeformedMesh>)> {
    let lists = Lists::new(&PuppetMesh::new(rig));
    let skinned = lists.skinned(skin)?;
    let vertex = |&vertex: &u32| {
        let at = vertex as usize;
        let cover = f32::from(lists.covers[at] as u8);
        let (place, normal) = (lists.positions[at].to_array(), lists.normals[at].to_array());
        Vertex { place, normal, texcoords: [[0.0; 2], [cover, 0.0]], colour: [255; 4] }
    };
    let per_vertex = lists.joints.len() / lists.positions.len();
    let drawn = Mesh {
        vertices: skinned.permutation().iter().map(vertex).collect(),
        indices: skinned.indices().to_vec(),
        deformed: true,
        ..Mesh::default()
    };
    let influences = influences(&lists.joints, &lists.weights, per_vertex, skinned.permutation());
    let triangles = skinned.indices().as_chunks().0.to_vec();
    let bounds = lists.bounds(skin)?;
    let rigged = Rigged { skeleton: rig.skeleton.clone(), skin: skin.clone() };
    let shared = DeformedMesh { mesh: skinned, triangles, skin: skin.clone(), rig: None, bounds };
    Ok((drawn, FigureDrawable { mesh, influences, deltas: Vec::new(), rigged: Some(rigged) }, Arc::new(shared)))
}

/// Returns the colours of covers as a coat.
pub(super) fn coat_of(colours: [[u8; 4]; 5]) -> Coat {
    std::array::from_fn(|cover| colours.get(cover).copied().unwrap_or_default())
}

/// Returns a stage with a number of characters on a meadow.
pub(super) fn stage(seed: u64, characters: u32) -> Result<Stage> {
    let mut army = Army::muster(characters, seed)?;
    let mut figures = Figures::default();
    let (person, drawable, shared) = puppet(&army.rig, &army.skin, 0)?;
    figures.drawables.push(drawable);
    for character in &army.characters {
        let coat = character.coat.map(|colour| {
            let [r, g, b] = colour.to_array().map(encoded);
            [r, g, b, 255]
        });
        let body = Deformed::new(Arc::clone(&shared), character.node, None)?;
        let user_data = figures.push(0, Some(coat_of(coat)), body);
        army.scene.edit(character.node)?.set_user_data(user_data);
    }
    let mut scene = std::mem::take(&mut army.scene);
    let (centre, reach) = army::field(characters);
    let meadow = Aabb::new(Vec3::new(-600.0, -0.5, -900.0), Vec3::new(600.0, 0.0, 300.0));
    let ground = Node::transform(Transform::IDENTITY).with_drawable(Drawable::new(1, meadow)).with_material(0);
    scene.insert(scene.root(), ground.with_name("meadow"))?;
    let transform = [[0.25, 0.0, 0.0], [0.0, 0.25, 0.0]];
    let grass = Texture { transform, ..Texture::plain(0) };
    let textures = [Some(grass), None, None, None];
    let colour = [0.20, 0.23, 0.085, 1.0];
    let surfaces = vec![Surface { colour, roughness: 1.0, textures, ..Surface::default() }, Surface::default()];
    let eye = DVec3::new(0.15 * f64::from(reach), 1.6 + 0.08 * f64::from(reach), 1.5 + 0.17 * f64::from(reach));
    let target = DVec3::new(-0.04 * f64::from(reach), 0.0, 0.65 * f64::from(centre.z));
    let (title, view) = (format!("army of {characters}, seed {seed}"), (Camera::looking(eye, target, 0.62), target));
    Ok(Stage {
        meshes: vec![person, Mesh::block(meadow, [1.0, 1.0])],
        surfaces,
        images: vec![Image::of(Pattern::Speckle(0.12))],
        figures,
        light: Daylight { haze: 230.0, ..Daylight::AFTERNOON },
        shadows: ((2.2 * reach).min(160.0), 10.0),
        ..Stage::plain(title, scene, Play::Army(Box::new(army)), view)
    })
}

/// Returns linear light as sRGB.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the value is clamped")]
pub(super) fn encoded(value: f32) -> u8 {
    let value = value.clamp(0.0, 1.0);
    let value = if value <= 0.003_130_8 { 12.92 * value } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 };
    (value * 255.0).round() as u8
}
