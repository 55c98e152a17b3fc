//! Picking: what is under a pointer, to the triangle, also on figures that joints deform; and what a rectangle selects.
//!
//! ```text
//! cargo run --release --example pick -- [PICTURE.png]
//! ```
//!
//! With a file name it draws a picture in which each pixel is a pick. The triangles under six pointers are yellow, with
//! a line along the normal at each hit. In the selection rectangle, what is selected as a whole is green, and what is
//! selected in part orange.

#[path = "puppet/mod.rs"]
#[allow(dead_code, unused_imports, reason = "other examples use more of it")]
mod puppet;

use hedgerow::draw::DrawCommand;
use hedgerow::glam::camera::rh;
use hedgerow::glam::{DVec3, Mat4, Quat, Vec2, Vec3};
use hedgerow::query::{
    Faces, Filter, Frustum, LocalRay, LocalVolume, Pick, Ray, Selected, Touch, TriangleHit, Triangles,
};
use hedgerow::{Aabb, Drawable, Node, NodeHandle, Scene, SceneConfig, Transform};
use hedgerow_anim::SkeletonBuilder;
use hedgerow_character::{AnimationPlayer, Deformed, DeformedMesh};
use hedgerow_mesh::TriangleTree;
use puppet::{Gait, Lists, PuppetMesh, Rig};
use std::error::Error;
use std::fs::File;
use std::io::BufWriter;

const SIZE: [u32; 2] = [720, 400];
/// The pointers, in pixels.
const POINTERS: [[f32; 2]; 6] =
    [[117.0, 241.0], [225.0, 239.0], [378.0, 177.0], [164.0, 148.0], [502.0, 297.0], [330.0, 360.0]];
/// The selection rectangle: its top left and bottom right corners.
const RECTANGLE: [[f32; 2]; 2] = [[458.0, 60.0], [690.0, 310.0]];
const SUN: Vec3 = Vec3::new(0.5, 0.8, 0.35);

/// A mesh that does not deform, and its tree.
struct Shape {
    positions: Vec<[f32; 3]>,
    indices: Vec<[u32; 3]>,
    tree: TriangleTree,
}

impl Shape {
    fn new(positions: Vec<[f32; 3]>, indices: Vec<[u32; 3]>) -> Result<Self, Box<dyn Error>> {
        let tree = TriangleTree::build(Triangles::new(&positions, &indices))?;
        Ok(Self { positions, indices, tree })
    }

    /// A surface over a grid of `[columns, rows]` squares: `place` maps the unit square to it.
    fn grid([columns, rows]: [u32; 2], place: impl Fn(f32, f32) -> Vec3) -> Result<Self, Box<dyn Error>> {
        let (mut positions, mut indices) = (Vec::new(), Vec::new());
        for (row, column) in (0..=rows).flat_map(|row| (0..=columns).map(move |column| (row, column))) {
            positions.push(place(column as f32 / columns as f32, row as f32 / rows as f32).to_array());
            if row < rows && column < columns {
                let a = row * (columns + 1) + column;
                indices.extend([[a, a + columns + 1, a + 1], [a + 1, a + columns + 1, a + columns + 2]]);
            }
        }
        Self::new(positions, indices)
    }

    fn cube() -> Result<Self, Box<dyn Error>> {
        let corner = |at: u32| [0, 1, 2].map(|axis| if at >> axis & 1 == 1 { 0.5 } else { -0.5 });
        let sides = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let indices = sides.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        Self::new((0..8).map(corner).collect(), indices)
    }

    fn mesh(&self) -> Triangles<'_> {
        Triangles::new(&self.positions, &self.indices)
    }
}

/// What the scene's mesh numbers mean: shapes, and from there on figures.
struct Meshes {
    shapes: Vec<Shape>,
    figures: Vec<Deformed>,
}

impl Meshes {
    fn cast(&mut self, drawn: &DrawCommand, ray: &LocalRay, limit: f64) -> Option<TriangleHit> {
        if let Some(shape) = self.shapes.get(drawn.mesh as usize) {
            return shape.tree.cast(shape.mesh(), ray, limit, Faces::Front);
        }
        // The weights of morph targets are the only reason for an error, and there are none.
        self.figures.get_mut(drawn.mesh as usize - self.shapes.len())?.cast(ray, limit, Faces::Front).ok()?
    }

    fn touch(&mut self, drawn: &DrawCommand, volume: &LocalVolume) -> Touch {
        if let Some(shape) = self.shapes.get(drawn.mesh as usize) {
            return shape.tree.touch(shape.mesh(), volume);
        }
        let figure = self.figures.get_mut(drawn.mesh as usize - self.shapes.len());
        figure.and_then(|figure| figure.touch(volume).ok()).unwrap_or(Touch::None)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let (scene, mut meshes) = scene()?;
    let view = rh::view::look_at_mat4(Vec3::new(1.0, 3.2, 9.0), Vec3::new(0.3, 0.9, 0.0), Vec3::Y);
    let camera = rh::proj::directx::perspective_infinite_reverse(0.55, SIZE[0] as f32 / SIZE[1] as f32, 0.1) * view;
    let pick = |ray: &Ray, meshes: &mut Meshes| {
        scene.pick(ray, Filter::ALL, |drawn, ray, limit| meshes.cast(drawn, ray, limit))
    };

    let mut pointed = Vec::new();
    for pointer in POINTERS {
        if let Some(hit) = pick(&Ray::from_ndc(&camera, ndc(pointer))?, &mut meshes)? {
            let name = scene.get(hit.drawn.node).and_then(|node| node.name()).unwrap_or("nothing with a name");
            println!("at {pointer:?}: {name}, triangle {}, {:.2} m away", hit.hit.triangle, hit.distance);
            pointed.push(hit);
        }
    }
    let (a, b) = (ndc(RECTANGLE[0]), ndc(RECTANGLE[1]));
    let (frustum, mut selected) = (Frustum::from_view_projection_rect(&camera, a.min(b), a.max(b))?, Vec::new());
    scene.select(&frustum, Filter::ALL, |drawn, volume| meshes.touch(drawn, volume), &mut selected)?;
    for Selected { drawn, whole } in &selected {
        let name = scene.get(drawn.node).and_then(|node| node.name()).unwrap_or_default();
        println!("selected{}: {name}", if *whole { "" } else { " in part" });
    }
    assert_eq!(pointed.len(), POINTERS.len(), "each pointer is at something");
    assert!(selected.iter().any(|at| at.whole) && selected.iter().any(|at| !at.whole));

    if let Some(file) = std::env::args().nth(1) {
        let mut picture = Vec::new();
        for (y, x) in (0..SIZE[1]).flat_map(|y| (0..SIZE[0]).map(move |x| (y, x))) {
            let hit = pick(&Ray::from_ndc(&camera, ndc([x as f32 + 0.5, y as f32 + 0.5]))?, &mut meshes)?;
            let Some(hit) = hit else {
                picture.push(Vec3::new(0.62, 0.74, 0.86).lerp(Vec3::ONE, y as f32 / SIZE[1] as f32));
                continue;
            };
            let shadow = Ray::new((hit.position + hit.normal * 1e-3).as_vec3(), SUN)?;
            let lit = if pick(&shadow, &mut meshes)?.is_some() {
                0.0
            } else {
                hit.normal.as_vec3().dot(SUN.normalize()).max(0.0)
            };
            picture.push(colour(&hit, &pointed, &selected) * (0.35 + 0.65 * lit));
        }
        draw_marks(&mut picture, &camera, &pointed);
        write(&file, &picture)?;
    }
    Ok(())
}

/// A floor, turned and mirrored blocks, bumpy balls, and three figures in the midst of a step.
fn scene() -> Result<(Scene, Meshes), Box<dyn Error>> {
    let ball = |u: f32, v: f32| {
        let ((sin_u, cos_u), (sin_v, cos_v)) =
            ((u * std::f32::consts::TAU).sin_cos(), (v * std::f32::consts::PI).sin_cos());
        Vec3::new(sin_u * sin_v, cos_v, cos_u * sin_v) * (0.5 + 0.03 * (8.0 * std::f32::consts::TAU * u).sin() * sin_v)
    };
    let floor = Shape::grid([14, 14], |u, v| Vec3::new(u - 0.5, 0.0, v - 0.5))?;
    let shapes = vec![floor, Shape::cube()?, Shape::grid([48, 24], ball)?];
    let bounds = |shape: &Shape| Aabb::from_points(shape.positions.iter().map(|&position| position.into()));
    let boxes: Vec<Aabb> = shapes.iter().map(bounds).collect();

    let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT })?;
    let mut add = |name, mesh: u32, place: [f32; 3], scale: [f32; 3], turn: f32| {
        let turn = Quat::from_rotation_y(turn) * Quat::from_rotation_z(turn * 0.4);
        let place = Transform::from_translation(place.into()).with_rotation(turn).with_scale(scale.into());
        let bounds = boxes.get(mesh as usize).copied().unwrap_or(Aabb::EMPTY);
        scene.insert(scene.root(), Node::transform(place).with_drawable(Drawable::new(mesh, bounds)).with_name(name))
    };
    add("floor", 0, [0.0, 0.0, 0.0], [14.0, 1.0, 14.0], 0.0)?;
    add("block", 1, [-3.2, 0.5, 0.4], [1.2, 1.0, 1.2], 0.7)?;
    add("mirrored block", 1, [3.6, 0.9, -1.0], [-1.0, 1.8, 1.0], 0.35)?;
    add("ball", 2, [-1.2, 0.6, 1.2], [1.2, 1.2, 1.2], 0.4)?;
    add("flat ball", 2, [1.5, 0.35, 2.0], [1.6, 0.7, 1.0], 0.2)?;
    add("far ball", 2, [-3.4, 0.8, -3.0], [1.6, 1.6, 1.6], 1.0)?;
    let mut figures = Vec::new();
    for (number, (name, x, turn)) in (3..).zip([("walker", -2.0, 0.5), ("guest", 0.5, 0.0), ("runner", 2.2, -0.6)]) {
        let node = add(name, number, [x, 0.0, -0.6], [1.0; 3], 0.0)?;
        figures.push((node, number as usize - 3, turn));
    }
    let figures = figures.into_iter().map(|(node, gait, turn)| figure(&mut scene, node, gait, turn));
    let figures = figures.collect::<Result<Vec<_>, _>>()?;
    scene.update();
    Ok((scene, Meshes { shapes, figures }))
}

/// Makes a figure in the midst of a step, and sets the box of its node.
fn figure(scene: &mut Scene, node: NodeHandle, gait: usize, turn: f32) -> Result<Deformed, Box<dyn Error>> {
    let rig = Rig::new()?;
    let lists = Lists::new(&PuppetMesh::new(&rig));
    let (skin, clip) = (Lists::skin(&rig)?, puppet::clip(&rig, &Gait::ALL[gait])?);
    let (player, mut pose) = puppet::player(&rig, &clip, 0.3 * clip.duration());
    player.sample(&mut pose)?;
    // A figure without a player keeps the rest pose of its rig: here the pose of the clip.
    let mut posed = SkeletonBuilder::new();
    for joint in 0..u16::try_from(rig.skeleton.len())? {
        let local = pose.get(joint);
        let local = if joint == 0 {
            Transform { rotation: Quat::from_rotation_y(turn) * local.rotation, ..local }
        } else {
            local
        };
        posed.joint("", rig.parent(joint), local);
    }
    let mesh = lists.skinned(&skin)?;
    let triangles = mesh.indices().as_chunks().0.to_vec();
    let bounds = lists.bounds(&skin)?;
    let mesh = DeformedMesh { mesh, triangles, skin, rig: Some((0, posed.build()?.0)), bounds };
    let mut figure = Deformed::new(mesh, node, None)?;
    figure.follow(&AnimationPlayer::at_rest(&[], &[]), scene)?;
    Ok(figure)
}

/// Returns normalised device coordinates of a pixel.
fn ndc([x, y]: [f32; 2]) -> Vec2 {
    Vec2::new(2.0 * x / SIZE[0] as f32 - 1.0, 1.0 - 2.0 * y / SIZE[1] as f32)
}

fn colour(hit: &Pick, pointed: &[Pick], selected: &[Selected]) -> Vec3 {
    if pointed.iter().any(|at| at.drawn.node == hit.drawn.node && at.hit.triangle == hit.hit.triangle) {
        return Vec3::new(1.0, 0.85, 0.1);
    }
    match selected.iter().find(|at| at.drawn.node == hit.drawn.node) {
        // All of the floor would be orange.
        _ if hit.drawn.mesh == 0 => Vec3::new(0.72, 0.7, 0.66),
        Some(Selected { whole: true, .. }) => Vec3::new(0.35, 0.75, 0.4),
        Some(_) => Vec3::new(0.95, 0.6, 0.3),
        None => Vec3::new(0.6, 0.66, 0.78),
    }
}

/// Draws the rectangle, and a red line along the normal of each hit.
#[expect(clippy::cast_possible_truncation, reason = "pixels are whole numbers")]
fn draw_marks(picture: &mut [Vec3], camera: &Mat4, pointed: &[Pick]) {
    let mut line = |from: Vec2, to: Vec2, colour: Vec3| {
        let steps = (to - from).abs().max_element().max(1.0) * 2.0;
        for step in 0..=steps as u32 {
            let at = from.lerp(to, step as f32 / steps).round();
            for [x, y] in [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].map(|off: [f32; 2]| (at + Vec2::from(off)).to_array()) {
                if let Some(pixel) = picture.get_mut(y as usize * SIZE[0] as usize + x as usize) {
                    *pixel = colour;
                }
            }
        }
    };
    let [[left, top], [right, bottom]] = RECTANGLE;
    let corners = [[left, top], [right, top], [right, bottom], [left, bottom], [left, top]].map(Vec2::from);
    corners.windows(2).for_each(|side| line(side[0], side[1], Vec3::new(0.1, 0.45, 0.2)));
    let seen = |place: DVec3| {
        let ndc = camera.project_point3(place.as_vec3());
        Vec2::new((ndc.x + 1.0) * 0.5 * SIZE[0] as f32, (1.0 - ndc.y) * 0.5 * SIZE[1] as f32)
    };
    for hit in pointed {
        line(seen(hit.position), seen(hit.position + hit.normal * 0.35), Vec3::new(0.85, 0.1, 0.1));
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a colour has 256 shades")]
fn write(file: &str, picture: &[Vec3]) -> Result<(), Box<dyn Error>> {
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(file)?), SIZE[0], SIZE[1]);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    let bytes: Vec<u8> = picture
        .iter()
        .flat_map(|colour| (colour.powf(1.0 / 1.4).clamp(Vec3::ZERO, Vec3::ONE) * 255.0).to_array().map(|x| x as u8))
        .collect();
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&bytes)?;
    Ok(writer.finish()?)
}
