//! Pictures with and without occlusion.

use crate::cull::{edit, read_seen, tables, town};
use crate::device::{device, encoder_of};
use crate::painter::Painter;
use hedgerow::glam::camera::rh::{proj::directx, view::look_at_mat4};
use hedgerow::glam::{Mat4, Vec3};
use hedgerow::query::Frustum;
use hedgerow::{Aabb, Drawable, Layers, Node, Scene, Transform};
use hedgerow_wgpu::SceneTables;
use hedgerow_wgpu::gpu::layout::View;

/// A camera that goes round at random, sometimes between the boxes and far away: its matrix, and that relative to it.
fn camera(dice: &mut fastrand::Rng, eye: &mut Vec3, reversed: bool) -> [Mat4; 2] {
    let number = |dice: &mut fastrand::Rng, spread: f32| (dice.f32() - 0.5) * spread;
    if dice.u32(..8) == 0 {
        *eye = Vec3::new(number(dice, 80.0), number(dice, 30.0), number(dice, 80.0));
    }
    *eye += Vec3::new(number(dice, 3.0), number(dice, 3.0), number(dice, 3.0));
    let target = Vec3::new(number(dice, 6.0), number(dice, 6.0), number(dice, 6.0));
    let projection = match (reversed, dice.u32(..5)) {
        (true, 1..) => directx::perspective_infinite_reverse(1.0, 1.2, 0.1),
        (false, 1..) => directx::perspective(1.0, 1.2, 0.1, 200.0),
        (true, 0) => directx::orthographic(-20.0, 20.0, -20.0, 20.0, 100.0, 0.0),
        (false, 0) => directx::orthographic(-20.0, 20.0, -20.0, 20.0, 0.0, 100.0),
    };
    [Vec3::ZERO, *eye].map(|origin| projection * look_at_mat4(*eye - origin, target - origin, Vec3::Y))
}

#[test]
fn a_picture_with_occlusion_has_the_same_pixels_and_fewer_drawables() {
    let Some(gpu) = device(wgpu::Features::INDIRECT_FIRST_INSTANCE) else { return };
    for (size, reversed) in
        [([256, 256], true), ([203, 117], false), ([97, 301], true), ([64, 1], true), ([1, 3], false)]
    {
        let mut dice = fastrand::Rng::with_seed(u64::from(size[0]));
        let (mut scene, mut nodes) = town(Vec3::ZERO, 500, &mut dice);
        // Walls that hide much.
        for at in 0..6 {
            let place = Transform::from_xyz(dice.f32() * 30.0 - 15.0, 0.0, at as f32 * 6.0 - 15.0);
            let wall = Node::transform(place.with_scale(Vec3::new(24.0, 18.0, 0.5)));
            let wall = wall.with_drawable(Drawable::new(2, Aabb::cube(1.0))).with_material(0);
            scene.insert(scene.root(), wall).unwrap();
        }
        // What has no end is in front of everything.
        let endless = Node::drawable(Drawable::new(2, Aabb::INFINITE)).with_material(0);
        scene.insert(scene.root(), endless).unwrap();
        let mut plain = SceneTables::new(&gpu.0, tables());
        let mut two_phase = SceneTables::new(&gpu.0, tables().with_occlusion(reversed));
        // The window has two sizes in turn.
        let painters = [size, [size[1] + 5, size[0]]].map(|size| Painter::new(&gpu, &plain, size, reversed));
        let second = two_phase.scene().views() as u32;
        let (mut eye, mut in_view, mut drawn, mut late, mut coloured) = (Vec3::new(0.0, 3.0, 40.0), 0, 0, 0, 0);
        for frame in 0..60 {
            let painter = &painters[frame / 25 % 2];
            if frame % 3 > 0 {
                edit(&mut scene, &mut nodes, &mut dice);
            }
            scene.update();
            plain.sync(&gpu.1, &scene).unwrap();
            two_phase.sync(&gpu.1, &scene).unwrap();
            let matrices = camera(&mut dice, &mut eye, reversed);
            let (matrix, is_relative) = (matrices[0], dice.bool());
            let of_view = matrices[usize::from(is_relative)];
            let frustum = Frustum::from_view_projection(&of_view).unwrap();
            let origin = if is_relative { eye } else { Vec3::ZERO };
            let view = View::new(&frustum, Layers::new(1)).relative_to(origin.as_dvec3());
            let view = view.with_detail(eye.as_dvec3(), 0.5);
            // A light has all that is in its view.
            let views = [view, view];

            let mut encoder = encoder_of(&gpu);
            plain.cull(&gpu.1, &mut encoder, &views);
            painter.draw_view(&mut encoder, &plain, true, 0);
            let expected = painter.finish(&gpu, encoder, &matrix);

            let mut encoder = encoder_of(&gpu);
            two_phase.cull(&gpu.1, &mut encoder, &views);
            painter.draw_view(&mut encoder, &two_phase, true, 0);
            two_phase.cull_hidden(&gpu.1, &mut encoder, &of_view, &painter.depth).unwrap();
            painter.draw_view(&mut encoder, &two_phase, false, second);
            let found = painter.finish(&gpu, encoder, &matrix);

            let differ = found.iter().zip(&expected).filter(|(a, b)| a != b).count();
            assert_eq!(differ, 0, "frame {frame} of {size:?}");
            coloured += expected.iter().filter(|&&pixel| pixel != 0xff00_0000).count();
            let all = read_seen(&gpu, &plain, 1).remove(0);
            let mut lists = read_seen(&gpu, &two_phase, second as usize + 1);
            assert_eq!(lists[1], all, "another view is not culled so");
            let (rest, first) = (lists.pop().unwrap(), lists.remove(0));
            assert!(first.keys().all(|slot| !rest.contains_key(slot)), "nothing is drawn twice");
            assert!(first.iter().chain(&rest).all(|(slot, drawn)| all.get(slot) == Some(drawn)));
            in_view += all.len();
            drawn += first.len() + rest.len();
            late += rest.len();
        }
        println!("{size:?}: {in_view} in view, {drawn} drawn, {late} of them late, {coloured} pixels");
        assert!(late > 0 && coloured > 0 && (size[0] < 97 || drawn < in_view), "{drawn} of {in_view}");
    }
}

#[test]
fn what_is_behind_a_wall_is_drawn_when_the_wall_goes() {
    let Some(gpu) = device(wgpu::Features::INDIRECT_FIRST_INSTANCE) else { return };
    let mut scene = Scene::new();
    let box_at = |at: Vec3, scale: Vec3| {
        let place = Transform::from_translation(at).with_scale(scale);
        Node::transform(place).with_drawable(Drawable::new(2, Aabb::cube(1.0))).with_material(0)
    };
    let wall = scene.insert(scene.root(), box_at(Vec3::ZERO, Vec3::new(60.0, 60.0, 1.0))).unwrap();
    for at in 0..300 {
        let place = Vec3::new((at % 20) as f32 * 0.5 - 5.0, (at / 20) as f32 * 0.5 - 4.0, -10.0);
        scene.insert(scene.root(), box_at(place, Vec3::splat(0.3))).unwrap();
    }
    let matrix = directx::perspective_infinite_reverse(1.0, 1.0, 0.1)
        * look_at_mat4(Vec3::new(0.0, 0.0, 20.0), Vec3::ZERO, Vec3::Y);
    let view = View::new(&Frustum::from_view_projection(&matrix).unwrap(), Layers::ALL);
    let mut buffers = SceneTables::new(&gpu.0, tables().with_views(1).with_occlusion(true));
    let painter = Painter::new(&gpu, &buffers, [100, 75], true);
    let mut frame = |scene: &mut Scene| {
        scene.update();
        buffers.sync(&gpu.1, scene).unwrap();
        let mut encoder = encoder_of(&gpu);
        buffers.cull(&gpu.1, &mut encoder, &[view]);
        painter.draw_view(&mut encoder, &buffers, true, 0);
        buffers.cull_hidden(&gpu.1, &mut encoder, &matrix, &painter.depth).unwrap();
        painter.draw_view(&mut encoder, &buffers, false, 1);
        painter.finish(&gpu, encoder, &matrix);
        let lists = read_seen(&gpu, &buffers, 2);
        [lists[0].len(), lists[1].len()]
    };
    // At first nothing is known, then the wall is.
    assert_eq!([(); 4].map(|()| frame(&mut scene)), [[0, 301], [301, 0], [1, 0], [1, 0]]);
    scene.set_local(wall, Transform::from_xyz(0.0, 100.0, 0.0)).unwrap();
    assert_eq!([(); 3].map(|()| frame(&mut scene)), [[0, 300], [300, 0], [300, 0]]);
}
