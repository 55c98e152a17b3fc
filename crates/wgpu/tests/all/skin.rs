//! Vertices that a device deforms, beside those of the CPU.

use crate::device::{compute, device, filled, read};
use bytemuck::cast_slice;
use hedgerow::glam::{EulerRot, Quat, Vec3};
use hedgerow::{Aabb, Drawable, Mat34, Node, Scene, SceneConfig, Transform};
use hedgerow_anim::skin::{MorphBuffer, MorphTarget, Palette, Skin, SkinOutput, SkinnedMesh};
use hedgerow_wgpu::SceneTables;
use hedgerow_wgpu::gpu::{Buffer, FETCH, FETCH_TEXTURES, GpuScene, MeshArgs, SKIN, SKIN_TEXTURES};
use wgpu::{BufferUsages, Device, Queue};

const VERTICES: usize = 70;
const JOINTS: usize = 9;
const MORPHS: usize = 14;

const SHADER: &str = "
struct Vertex { point: vec4f, normal: vec4f, joints: vec4u, weights: vec4f }
struct Skinned { now: vec4f, before: vec4f, normal: vec4f }
@group(0) @binding(0) var<storage, read> vertices: array<Vertex>;
@group(0) @binding(1) var<storage, read> deltas: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> skinned: array<Skinned>;

// As for vertices that follow eight joints.
fn blended(slot: u32, vertex: Vertex) -> mat3x4f {
    let half = vertex.weights * vec4f(1.0, 1.0, 0.0, 0.0);
    return hg_blend(slot, vertex.joints, half) + hg_blend(slot, vertex.joints, vertex.weights - half);
}

@compute @workgroup_size(64)
fn skin(@builtin(global_invocation_id) id: vec3u) {
    let number = id.x % 70u;
    let slot = id.x / 70u;
    if slot >= arrayLength(&skinned) / 70u { return; }
    let vertex = vertices[number];
    var now = vertex.point.xyz;
    var before = now;
    if hg_deform(slot) != 0u {
        for (var morph = 0u; morph < 14u; morph += 1u) {
            now += hg_weight(slot, morph) * deltas[70u * morph + number].xyz;
            before += hg_previous_weight(slot, morph) * deltas[70u * morph + number].xyz;
        }
    }
    skinned[id.x] = Skinned(
        vec4f(hg_world(hg_matrix(slot), vec4f(now, 1.0) * blended(slot, vertex)), 1.0),
        vec4f(hg_previous_skin(slot, vertex.joints, vertex.weights, before), 1.0),
        vec4f(hg_skin_normal(slot, vertex.joints, vertex.weights, vertex.normal.xyz), 0.0),
    );
}";

/// The vertices as they were modelled.
struct Model {
    points: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    joints: Vec<u16>,
    weights: Vec<f32>,
    deltas: Vec<Vec<[f32; 3]>>,
}

fn vector(dice: &mut fastrand::Rng) -> Vec3 {
    Vec3::new(dice.f32(), dice.f32(), dice.f32()) * 2.0 - 1.0
}

fn pose(dice: &mut fastrand::Rng) -> Transform {
    let rotation = Quat::from_euler(EulerRot::XYZ, dice.f32() * 6.0, dice.f32() * 6.0, dice.f32());
    let sign = if dice.u32(..3) == 0 { -1.0 } else { 1.0 };
    Transform { translation: vector(dice) * 9.0, rotation, scale: Vec3::new(sign, 0.5 + dice.f32(), 1.0) }
}

fn model(dice: &mut fastrand::Rng) -> Model {
    let vectors = |dice: &mut fastrand::Rng| (0..VERTICES).map(|_| vector(dice).to_array()).collect::<Vec<_>>();
    let (points, normals) = (vectors(dice), vectors(dice));
    let deltas = (0..MORPHS).map(|_| vectors(dice)).collect();
    let joints = (0..4 * VERTICES).map(|at| (at as u16 + dice.u16(..2)) % JOINTS as u16).collect();
    let mut weights: Vec<f32> = (0..4 * VERTICES).map(|_| dice.f32() * f32::from(dice.u8(..2))).collect();
    for of_vertex in weights.as_chunks_mut::<4>().0 {
        of_vertex[dice.usize(..4)] += 0.1;
        let sum: f32 = of_vertex.iter().sum();
        of_vertex.iter_mut().for_each(|weight| *weight /= sum);
    }
    Model { points, normals, joints, weights, deltas }
}

#[test]
fn a_device_skins_as_the_processor_does_in_this_frame_and_the_one_before() {
    let Some(gpu) = device(wgpu::Features::empty()) else { return };
    skins_as_the_processor(&gpu, [FETCH, SKIN], SceneTables::new);
    let textures = [FETCH_TEXTURES, SKIN_TEXTURES];
    skins_as_the_processor(&gpu, textures, SceneTables::in_textures);
}

fn skins_as_the_processor(gpu: &(Device, Queue), texts: [&str; 2], new: fn(&Device, GpuScene) -> SceneTables) {
    let mut dice = fastrand::Rng::with_seed(7);
    let model = model(&mut dice);
    let skin = Skin::new((0..JOINTS as u16).collect(), vec![Mat34::IDENTITY; JOINTS]).unwrap();
    let mut builder = SkinnedMesh::builder(&model.points).normals(&model.normals);
    builder = builder.influences(4, &model.joints, &model.weights);
    for positions in &model.deltas {
        builder = builder.morph_target(MorphTarget { positions, ..MorphTarget::default() });
    }
    let mesh = builder.build(&skin).unwrap();

    let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT }).unwrap();
    let body = |dice: &mut fastrand::Rng| Node::transform(pose(dice)).with_drawable(Drawable::new(0, Aabb::cube(9.0)));
    let nodes: Vec<_> = (0..6).map(|_| scene.insert(scene.root(), body(&mut dice)).unwrap()).collect();
    let mut tables = GpuScene::new().with_previous();
    tables.set_mesh(0, MeshArgs::default());
    let mut buffers = new(&gpu.0, tables);
    let skinner = Skinner::new(gpu, &model, nodes.len());
    let mut last: Option<Vec<Vec<Vec3>>> = None;
    for frame in 0..6 {
        let mut expected: Vec<Vec<Vec3>> = Vec::new();
        let mut normals = Vec::new();
        for (at, &node) in nodes.iter().enumerate() {
            if frame % 2 == 0 {
                scene.set_local(node, pose(&mut dice)).unwrap();
            }
            // The last one is not deformed.
            let palette: Vec<Mat34> = (0..JOINTS).map(|_| pose(&mut dice).to_matrix()).collect();
            let weights: Vec<f32> = (0..MORPHS).map(|_| dice.f32()).collect();
            let deformed = at + 1 < nodes.len();
            let (mut points, mut turned) = (vec![[0.0; 3]; VERTICES], vec![[0.0; 3]; VERTICES]);
            if deformed {
                buffers.scene_mut().set_palette(node, &palette, &weights);
                let output = SkinOutput::new(&mut points[..]).normals(&mut turned[..]);
                let palette = Palette::of(&skin, &palette).unwrap();
                mesh.skin_morphed(palette, &weights, &mut MorphBuffer::new(), output).unwrap();
            }
            let mut of_model = vec![(Vec3::ZERO, Vec3::ZERO); VERTICES];
            for (from, &to) in mesh.permutation().iter().enumerate() {
                let original = (model.points[to as usize], model.normals[to as usize]);
                let (point, normal) = if deformed { (points[from], turned[from]) } else { original };
                of_model[to as usize] = (point.into(), normal.into());
            }
            expected.push(of_model.iter().map(|&(point, _)| point).collect());
            normals.push(of_model.into_iter().map(|(_, normal)| normal).collect::<Vec<_>>());
        }
        scene.update();
        buffers.sync(&gpu.1, &scene).unwrap();
        let found = skinner.run(gpu, texts, &buffers);
        for (at, &node) in nodes.iter().enumerate() {
            let slot = buffers.scene().slot(&scene, node).unwrap();
            let world = *scene.world(node).unwrap();
            expected[at].iter_mut().for_each(|point| *point = world.transform_point(*point));
            for vertex in 0..VERTICES {
                let [now, before, normal] = found[slot * VERTICES + vertex].map(|[x, y, z, _]| Vec3::new(x, y, z));
                let near = |a: Vec3, b: Vec3| a.distance(b) < 2e-5 * (1.0 + b.length());
                let place = expected[at][vertex];
                assert!(near(now, place), "frame {frame}, node {at}, vertex {vertex}: {now} is not {place}");
                let place = last.as_ref().map_or(place, |last| last[at][vertex]);
                assert!(near(before, place), "frame {frame}, node {at}, vertex {vertex}: {before} was not {place}");
                let way = normal_of(&world, normals[at][vertex]);
                assert!(normal.normalize().distance(way) < 1e-4, "frame {frame}, node {at}, vertex {vertex}");
            }
        }
        last = Some(expected);
    }
}

/// The inverse transpose, which keeps normals at right angles to surfaces.
fn normal_of(world: &Mat34, normal: Vec3) -> Vec3 {
    let [x, y, z] = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| world.inverse().unwrap().transform_vector(axis));
    Vec3::new(x.dot(normal), y.dot(normal), z.dot(normal)).normalize()
}

/// The buffers of a compute pass that deforms all vertices of all slots.
struct Skinner {
    buffers: [wgpu::Buffer; 3],
    threads: u32,
}

impl Skinner {
    fn new(gpu: &(Device, Queue), model: &Model, slots: usize) -> Self {
        let four = |[x, y, z]: [f32; 3]| [x, y, z, 0.0].map(f32::to_bits);
        let influences = model.joints.as_chunks::<4>().0.iter().zip(model.weights.as_chunks::<4>().0);
        let vertices: Vec<[[u32; 4]; 4]> = (model.points.iter().zip(&model.normals).zip(influences))
            .map(|((&point, &normal), (&joints, weights))| {
                [four(point), four(normal), joints.map(u32::from), weights.map(f32::to_bits)]
            })
            .collect();
        let deltas: Vec<[u32; 4]> = model.deltas.iter().flatten().map(|&delta| four(delta)).collect();
        let storage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        let skinned = vec![[[0_u32; 4]; 3]; slots * VERTICES];
        let tables = [cast_slice(&vertices), cast_slice(&deltas), cast_slice(&skinned)];
        let buffers = tables.map(|bytes: &[u8]| filled(gpu, bytes, storage));
        Self { buffers, threads: (slots * VERTICES) as u32 }
    }

    /// Returns each vertex now, in the frame before, and its normal.
    fn run(&self, gpu: &(Device, Queue), texts: [&str; 2], tables: &SceneTables) -> Vec<[[f32; 4]; 3]> {
        use Buffer::{Instances, Matrices, Palettes, Previous, PreviousPalettes};
        let own = self.buffers.iter().map(wgpu::Buffer::as_entire_binding).collect();
        let of_tables = [Matrices, Instances, Previous, Palettes, PreviousPalettes];
        let of_tables = of_tables.iter().filter_map(|&buffer| tables.resource(buffer)).collect();
        compute(gpu, &format!("{}{SHADER}", texts.concat()), &[(0, own), (1, of_tables)], self.threads);
        read(gpu, &self.buffers[2])
    }
}
