//! Tables in textures, beside the scene.

use crate::device::{device, encoder_of, filled, read};
use bytemuck::cast_slice;
use hedgerow::{Aabb, Drawable, Mat34, Node, Scene, SceneConfig, Transform};
use hedgerow_wgpu::SceneTables;
use hedgerow_wgpu::gpu::layout::Instance;
use hedgerow_wgpu::gpu::{Buffer, Error, GpuScene, MeshArgs};
use wgpu::{BufferUsages, Device, Queue};

/// Reads a table back.
fn words(gpu: &(Device, Queue), textures: &SceneTables, buffer: Buffer) -> Vec<u32> {
    let Some(wgpu::BindingResource::TextureView(view)) = textures.resource(buffer) else { panic!("no texture") };
    let texture = view.texture();
    let row = texture.width() * buffer.texel();
    let usage = BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
    let copy = filled(gpu, &vec![0; (row * texture.height()) as usize], usage);
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: None };
    let mut encoder = encoder_of(gpu);
    let to = wgpu::TexelCopyBufferInfo { buffer: &copy, layout };
    encoder.copy_texture_to_buffer(texture.as_image_copy(), to, texture.size());
    gpu.1.submit([encoder.finish()]);
    read(gpu, &copy)
}

#[test]
fn textures_hold_what_a_scene_has_after_random_frames() {
    let Some(gpu) = device(wgpu::Features::empty()) else { return };
    let mut dice = fastrand::Rng::with_seed(2048);
    let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT }).unwrap();
    let mut tables = GpuScene::new().with_previous();
    tables.set_mesh(0, MeshArgs::default());
    let mut textures = SceneTables::in_textures(&gpu.0, tables);
    let mut nodes = Vec::new();
    let pose = |dice: &mut fastrand::Rng| Transform::from_xyz(dice.f32(), dice.f32(), dice.f32());
    // Instances take more rows of texels from 227 on, matrices and palettes from 682 on.
    for count in [1, 226, 230, 700, 690, 2500, 300, 301] {
        nodes.drain(count.min(nodes.len())..).for_each(|node| _ = scene.remove(node).unwrap());
        while nodes.len() < count {
            let node = Node::transform(pose(&mut dice)).with_drawable(Drawable::new(0, Aabb::cube(1.0)));
            nodes.push(scene.insert(scene.root(), node.with_user_data(nodes.len() as u32 + 1)).unwrap());
        }
        for &node in nodes.iter().step_by(3) {
            scene.set_local(node, pose(&mut dice)).unwrap();
        }
        let palettes: Vec<[Mat34; 2]> = nodes.iter().map(|_| [(); 2].map(|()| pose(&mut dice).to_matrix())).collect();
        for (&node, palette) in nodes.iter().zip(&palettes) {
            textures.scene_mut().set_palette(node, palette, &[]);
        }
        scene.update();
        let (generation, group) = (textures.generation(), textures.group().clone());
        textures.sync(&gpu.1, &scene).unwrap();
        assert_eq!(textures.generation() == generation, *textures.group() == group, "{count}");
        let synced = textures.sync(&gpu.1, &scene).unwrap();
        assert_eq!(synced.bytes, 0, "a still frame");
        let tables = [Buffer::Instances, Buffer::Matrices, Buffer::Previous, Buffer::Palettes];
        let [instances, matrices, previous, held] = tables.map(|buffer| words(&gpu, &textures, buffer));
        let whole = instances.len() / 9 * 9;
        let instances: &[Instance] = cast_slice(&instances[..whole]);
        let matrix = |words: &[u32], at: usize| -> Mat34 { cast_slice(&words[12 * at..12 * (at + 1)])[0] };
        for (at, (&node, palette)) in nodes.iter().zip(&palettes).enumerate() {
            let instance = instances[textures.scene().slot(&scene, node).unwrap()];
            assert_eq!((instance.user_data, instance.mesh), (at as u32 + 1, 0));
            let world = scene.get(node).unwrap();
            assert_eq!(matrix(&matrices, instance.matrix as usize), *world.world());
            // The second sync saw that nothing moved since the first.
            assert_eq!(matrix(&previous, instance.matrix as usize), *world.world());
            assert_eq!(matrix(&held, instance.deform as usize + 1), palette[1]);
        }
    }
}

#[test]
fn tables_beyond_a_texture_are_refused_until_the_scene_is_smaller() {
    let Some(gpu) = device(wgpu::Features::empty()) else { return };
    let mut tables = GpuScene::new().with_max_buffer_size(1 << 16);
    tables.set_mesh(0, MeshArgs::default());
    let mut textures = SceneTables::in_textures(&gpu.0, tables);
    let mut scene = Scene::new();
    let node = || Node::transform(Transform::from_xyz(1.0, 2.0, 3.0)).with_drawable(Drawable::new(0, Aabb::cube(1.0)));
    let nodes: Vec<_> = (0..2000).map(|_| scene.insert(scene.root(), node()).unwrap()).collect();
    scene.update();
    let refused = textures.sync(&gpu.1, &scene).unwrap_err();
    assert!(matches!(refused, Error::TooLarge { max: 65_536, .. }), "{refused:?}");
    nodes[300..].iter().for_each(|&node| _ = scene.remove(node).unwrap());
    scene.update();
    textures.sync(&gpu.1, &scene).unwrap();
    let instances = words(&gpu, &textures, Buffer::Instances);
    for node in &nodes[..300] {
        let slot = textures.scene().slot(&scene, *node).unwrap();
        assert_eq!(instances[9 * slot + 6], (node.to_bits() >> 32) as u32, "everything is written anew");
    }
}
