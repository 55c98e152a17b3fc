//! What the viewer shows: a file, or a scene that is made here.

use bytemuck::{Pod, Zeroable};
use hedgerow::glam::{Quat, Vec3};
use hedgerow::{Aabb, Drawable, Node, NodeHandle, Scene, Transform};
use hedgerow_gltf::{ImportOptions, anim::player::Playback};
use hedgerow_wgpu::gpu::GpuScene;
use std::{error::Error, f32::consts::TAU, path::Path};

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

#[repr(C)]
#[derive(Clone, Copy, Default, Pod, Zeroable)]
pub(crate) struct Vertex {
    pub(crate) point: [f32; 3],
    pub(crate) normal: [f32; 3],
    pub(crate) joints: [u16; 4],
    pub(crate) weights: [f32; 4],
}

pub(crate) struct Shape {
    pub(crate) mesh: u32,
    pub(crate) vertices: Vec<Vertex>,
    pub(crate) indices: Vec<u32>,
}

#[derive(Clone, Copy)]
pub(crate) struct Material {
    pub(crate) colour: [f32; 4],
    pub(crate) two_sided: bool,
}

/// Moves a scene by some seconds.
type Play = dyn FnMut(&mut Scene, &mut GpuScene, f32) -> Result<()>;

/// What is drawn, and what moves it.
pub(crate) struct Stage {
    pub(crate) scene: Scene,
    pub(crate) shapes: Vec<Shape>,
    pub(crate) materials: Vec<Material>,
    pub(crate) play: Box<Play>,
}

const BALL: u32 = 0;
const TUBE: u32 = 1;
const WEDGE: u32 = 2;

/// Makes a surface of squares from a function of two fractions.
fn surface(mesh: u32, [columns, rows]: [u32; 2], at: impl Fn(f32, f32) -> Vertex) -> Shape {
    let vertices = (0..=rows).flat_map(|row| (0..=columns).map(move |column| [column as f32, row as f32]));
    let vertices = vertices.map(|[u, v]| at(u / columns as f32, v / rows as f32)).collect();
    let squares = (0..rows).flat_map(|row| (0..columns).map(move |column| row * (columns + 1) + column));
    let indices = squares.flat_map(|a| [a, a + columns + 1, a + 1, a + 1, a + columns + 1, a + columns + 2]).collect();
    Shape { mesh, vertices, indices }
}

fn own_shapes() -> Vec<Shape> {
    let ball = surface(BALL, [24, 12], |u, v| {
        let ((sin, cos), (up, out)) = ((u * TAU).sin_cos(), ((v - 0.5) * TAU / 2.0).sin_cos());
        let normal = [out * cos, up, out * sin];
        Vertex { point: normal.map(|part| 0.5 * part), normal, ..Vertex::default() }
    });
    // Four joints, one above the other. A vertex follows the two that are next to it.
    let tube = surface(TUBE, [24, 24], |u, v| {
        let ((sin, cos), height) = ((u * TAU).sin_cos(), 3.0 * v);
        let joint = u16::from(height >= 1.0) + u16::from(height >= 2.0);
        let weight = height - f32::from(joint);
        let (point, normal, weights) =
            ([0.3 * cos, height, 0.3 * sin], [cos, 0.0, sin], [1.0 - weight, weight, 0.0, 0.0]);
        Vertex { point, normal, joints: [joint, joint + 1, 0, 0], weights }
    });
    // The faces of a box whose top leans to one side, so that one sees which are mirrored.
    let corner = |bits: u32| {
        let [x, y, z] = [0, 1, 2].map(|axis| (bits >> axis & 1) as f32 - 0.5);
        Vec3::new(x + 0.4 * (y + 0.5) * (1.0 - x), y, z)
    };
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let sides = faces.iter().flat_map(|face| {
        let [a, b, c, _] = face.map(corner);
        let normal = (b - a).cross(c - a).normalize().to_array();
        face.map(|bits| Vertex { point: corner(bits).to_array(), normal, ..Vertex::default() })
    });
    let vertices = sides.collect();
    let indices = (0..6).flat_map(|face| [0, 1, 2, 0, 2, 3].map(|at| 4 * face + at)).collect();
    vec![ball, tube, Shape { mesh: WEDGE, vertices, indices }]
}

/// A mobile of 340 parts that turns, half of them mirrored, and tubes that bend: they share a mesh, not a palette.
pub(crate) fn own_stage() -> Result<Stage> {
    let colours = [[0.75, 0.22, 0.15, 1.0], [0.9, 0.65, 0.2, 1.0], [0.2, 0.5, 0.55, 1.0], [0.55, 0.6, 0.3, 1.0]];
    let mut materials = colours.map(|colour| Material { colour, two_sided: false }).to_vec();
    // One sees into the tubes.
    materials.push(Material { colour: [0.35, 0.4, 0.6, 1.0], two_sided: true });
    let mut scene = Scene::new();
    let top = scene.insert(scene.root(), Node::transform(Transform::from_xyz(0.0, 5.5, 0.0)))?;
    let (mut parents, mut turning) = (vec![top], Vec::new());
    for level in 0..4 {
        for parent in std::mem::take(&mut parents) {
            for number in 0..4_u8 {
                let place = Quat::from_rotation_y(TAU * f32::from(number) / 4.0) * Vec3::new(2.4, -1.0, 0.0);
                let mirror = if number % 2 == 0 { 1.0 } else { -1.0 };
                let local = Transform::from_translation(place).with_scale(Vec3::new(0.6 * mirror, 0.6, 0.6));
                let mesh = if number % 3 > 0 { WEDGE } else { BALL };
                let node = Node::transform(local).with_drawable(Drawable::new(mesh, Aabb::cube(0.9)));
                let node = scene.insert(parent, node.with_material(level))?;
                parents.push(node);
                turning.push((node, local, 1.0 + f32::from(number)));
            }
        }
    }
    let tubes: Vec<NodeHandle> = (0..5_u8)
        .map(|number| {
            let place = Quat::from_rotation_y(TAU * f32::from(number) / 5.0) * Vec3::new(4.0, 0.0, 0.0);
            let bounds = Aabb::new(Vec3::new(-2.5, 0.0, -2.5), Vec3::new(2.5, 3.0, 2.5));
            let tube = Node::transform(Transform::from_translation(place)).with_drawable(Drawable::new(TUBE, bounds));
            scene.insert(scene.root(), tube.with_material(4))
        })
        .collect::<std::result::Result<_, _>>()?;
    let mut time = 0.0;
    let play = move |scene: &mut Scene, tables: &mut GpuScene, seconds: f32| {
        time += seconds;
        for (node, local, speed) in &turning {
            scene.set_local(*node, local.with_rotation(Quat::from_rotation_y(0.2 * speed * time)))?;
        }
        for (number, &tube) in (0_u8..).zip(&tubes) {
            let bend = Quat::from_rotation_z(0.6 * (time + f32::from(number)).sin());
            let mut model = Transform::IDENTITY;
            let palette = [0.0, 1.0, 2.0, 3.0].map(|height| {
                let palette = model.to_matrix() * Transform::from_xyz(0.0, -height, 0.0).to_matrix();
                model = model * Transform::from_xyz(0.0, 1.0, 0.0).with_rotation(bend);
                palette
            });
            tables.set_palette(tube, &palette, &[]);
        }
        Ok(())
    };
    Ok(Stage { scene, shapes: own_shapes(), materials, play: Box::new(play) })
}

/// A glTF file with its first animation.
pub(crate) fn stage_of(path: &Path) -> Result<Stage> {
    let import = ImportOptions::new().with_normals().load(path)?;
    let (scene, imported) = (import.scene, import.imported);
    let materials: Vec<Material> = (imported.materials.iter())
        .map(|material| Material { colour: material.base_color, two_sided: material.double_sided })
        .collect();
    let ids = imported.meshes.iter().flat_map(|mesh| &mesh.primitives).map(|primitive| primitive.id);
    let shapes = ids.filter_map(|mesh| imported.vertices(mesh)).map(|data| {
        let vertex = |at: usize| {
            let mut vertex = Vertex { point: data.positions[at], normal: [0.0, 1.0, 0.0], ..Vertex::default() };
            data.normals.get(at).inspect(|&&normal| vertex.normal = normal);
            if data.influences >= 4 {
                let four = data.influences * at..data.influences * at + 4;
                vertex.joints.copy_from_slice(&data.joints[four.clone()]);
                vertex.weights.copy_from_slice(&data.weights[four]);
                let sum: f32 = vertex.weights.iter().sum();
                vertex.weights.iter_mut().for_each(|weight| *weight /= sum);
            }
            if vertex.weights.iter().all(|weight| *weight == 0.0 || weight.is_nan()) {
                vertex.weights = [1.0, 0.0, 0.0, 0.0]; // it follows its first joint
            }
            vertex
        };
        let vertices = (0..data.positions.len()).map(vertex).collect();
        Shape { mesh: data.id, vertices, indices: data.triangles().flatten().collect() }
    });
    let shapes = shapes.collect();
    let mut player = if imported.animations.is_empty() { imported.at_rest() } else { imported.play(0)? };
    player.set_playback(Playback::Loop);
    let mut bodies = imported.deformed_all(imported.scenes.iter().flat_map(|scene| &scene.drawables))?;
    let play = move |scene: &mut Scene, tables: &mut GpuScene, seconds: f32| {
        player.advance(seconds);
        player.apply(scene)?;
        for (_, body) in &mut bodies {
            body.follow(&player, scene)?;
            tables.set_palette(body.node(), body.palette().matrices(), body.weights());
        }
        Ok(())
    };
    Ok(Stage { scene, shapes, materials, play: Box::new(play) })
}
