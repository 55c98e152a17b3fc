//! Types that a renderer uploads are plain data (feature `bytemuck`).

use bytemuck::{NoUninit, Pod, cast_slice};
use hedgerow::changes::{MatrixMirror, MirrorStep};
use hedgerow::draw::{DrawCommand, DrawGroups};
use hedgerow::glam::Vec3;
use hedgerow::math::PackedTransform;
use hedgerow::{Aabb, DrawList, Drawable, Layers, Mat34, Node, Scene, Transform};

fn words<T: NoUninit>(list: &[T]) -> &[u32] {
    cast_slice(list)
}

#[test]
fn draw_commands_are_six_words_each_as_their_documentation_says() {
    let mut scene = Scene::new();
    let mirror = Transform::from_scale(Vec3::new(-1.0, 1.0, 1.0));
    let drawable = |mesh: u32| Drawable::new(mesh, Aabb::cube(1.0));
    let plain = scene.insert(scene.root(), Node::drawable(drawable(7))).unwrap();
    let turned = Node::transform(mirror).with_drawable(drawable(8)).with_material(u32::MAX);
    let turned = scene.insert(scene.root(), turned).unwrap();
    scene.update();
    let mut list = DrawList::new();
    scene.draw_list(&mut list);

    let halves = |bits: u64| [u32::try_from(bits & u64::from(u32::MAX)).unwrap(), u32::try_from(bits >> 32).unwrap()];
    let [[a, b], [c, d]] = [plain, turned].map(|node| halves(node.to_bits()));
    let (swap, expected) = (cfg!(target_endian = "big"), [[a, b, 7, 0, 0, 0], [c, d, 8, u32::MAX, 3, 0]]);
    for (found, mut expected) in words(list.commands()).chunks_exact(6).zip(expected) {
        if swap {
            expected.swap(0, 1);
        }
        assert_eq!(found, expected);
    }
    assert_eq!(words(list.matrices())[12..16], [(-1.0_f32).to_bits(), 0, 0, 0]);
    let mut groups = DrawGroups::new();
    list.group(&mut groups);
    assert_eq!(words(groups.instances()), groups.instances());
    assert_eq!(list.commands()[1], DrawCommand::new(turned, 8, Some(u32::MAX), true));
    assert_eq!(format!("{:?}", list.commands()[0].material()), "None");
}

#[test]
fn columns_come_back_from_their_bytes() {
    fn back<T: Pod + PartialEq + std::fmt::Debug>(list: &[T]) {
        let bytes: Vec<u8> = cast_slice(list).to_vec();
        let back: Vec<T> = bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect();
        assert_eq!(back, list);
    }
    back(&[Mat34::IDENTITY, Transform::from_xyz(1.0, 2.0, 3.0).to_matrix()]);
    back(&[PackedTransform::IDENTITY, Transform::from_xyz(1.0, 2.0, 3.0).into()]);
    back(&[Aabb::cube(1.0), Aabb::INFINITE]);
    back(&[Layers::new(5)]);
}

#[test]
fn what_a_mirror_writes_goes_to_a_buffer_of_bytes() {
    let mut scene = Scene::new();
    let top = scene.insert(scene.root(), Node::transform(Transform::from_xyz(1.0, 0.0, 0.0))).unwrap();
    let nodes: Vec<_> = (0_u8..40)
        .map(|x| scene.insert(top, Node::transform(Transform::from_xyz(f32::from(x), 2.0, 0.0))).unwrap())
        .collect();
    scene.update();
    let (mut mirror, mut buffer, mut resized) = (MatrixMirror::new(), Vec::new(), 0);
    for turn in [0.0, 5.0] {
        scene.set_local(nodes[30], Transform::from_xyz(turn, 0.0, 0.0)).unwrap();
        scene.update();
        mirror.sync(&scene, |step| match (step, step.bytes()) {
            (MirrorStep::Resize { len }, None) => {
                resized += 1;
                buffer.resize(48 * len, 0);
            }
            (MirrorStep::Write { .. }, Some((offset, bytes))) => {
                buffer[usize::try_from(offset).unwrap()..][..bytes.len()].copy_from_slice(bytes);
            }
            other => panic!("{other:?}"),
        });
        let matrices: Vec<Mat34> = buffer.chunks_exact(48).map(bytemuck::pod_read_unaligned).collect();
        for &node in &nodes {
            let at = mirror.index(scene.get(node).unwrap().matrix_slot().unwrap()).unwrap();
            assert_eq!(Some(&matrices[at]), scene.world(node));
        }
    }
    assert_eq!(resized, 1);
}
