//! Viewer functions for windows: layers, a frozen frustum, switches, lines; and the report of a lost device.

use hedgerow::glam::{DVec3, Vec3};
use hedgerow::{Layers, Transform};
use hedgerow_viewer::arguments::{Arguments, Subject};
use hedgerow_viewer::camera::Camera;
use hedgerow_viewer::gpu::Gpu;
use hedgerow_viewer::gpu::canvas::{PICTURE, canvas, read};
use hedgerow_viewer::lines::{Ink, LineList};
use hedgerow_viewer::picture::Picture;
use hedgerow_viewer::viewer::Viewer;

const SIZE: [u32; 2] = [96, 64];
const ASPECT: f32 = 1.5;

/// Returns a viewer of a few characters on a meadow, who stand still after the first frame.
fn army(relative: bool) -> Viewer {
    let arguments =
        Arguments { characters: 30, threads: 1, shadow_texels: 0, relative, ..Arguments::new(Subject::Army) };
    let mut viewer = Viewer::new(Gpu::new().unwrap(), &arguments, PICTURE).unwrap();
    viewer.work(ASPECT).unwrap();
    viewer.still = true;
    viewer
}

/// Returns the number of draws in a frame.
fn draws(viewer: &mut Viewer) -> usize {
    viewer.work(ASPECT).unwrap().seen[0]
}

fn draw(viewer: &mut Viewer) -> Picture {
    let canvas = canvas(&viewer.gpu, SIZE, PICTURE);
    viewer.work(ASPECT).unwrap();
    viewer.draw(&canvas).unwrap();
    read(&viewer.gpu, &canvas).unwrap()
}

#[test]
fn a_frozen_frustum_is_looked_at_from_outside() {
    for relative in [false, true] {
        let mut viewer = army(relative);
        let seen = draws(&mut viewer);
        let camera = viewer.camera;
        assert!(seen > 5, "{seen}");
        // From above, looking up, nothing is visible.
        let outside = Camera::looking(camera.eye + DVec3::new(0.0, 50.0, 0.0), camera.eye + 100.0 * DVec3::Y, 0.6);
        viewer.camera = outside;
        assert_eq!(draws(&mut viewer), 0);
        viewer.frozen = Some(camera);
        assert_eq!(draws(&mut viewer), seen, "relative: {relative}");
        viewer.frozen = None;
        assert_eq!(draws(&mut viewer), 0);
    }
}

#[test]
fn a_camera_of_a_file_is_followed_until_somebody_leads_elsewhere() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/lift.gltf");
    let arguments = Arguments { threads: 1, shadow_texels: 0, ..Arguments::new(Subject::File(file)) };
    let mut viewer = Viewer::new(Gpu::new().unwrap(), &arguments, PICTURE).unwrap();
    viewer.work(ASPECT).unwrap();
    assert_eq!((viewer.through, viewer.camera.eye), (Some(0), DVec3::new(0.5, 0.5, 6.0)));
    let scene = &mut viewer.stage.scene;
    let front = scene.get(scene.root()).unwrap().find_all("front").next().unwrap().handle();
    scene.set_local(front, Transform::from_xyz(0.5, 2.0, 9.0)).unwrap();
    viewer.work(ASPECT).unwrap();
    assert_eq!((viewer.through, viewer.camera.eye), (Some(0), DVec3::new(0.5, 2.0, 9.0)));
    viewer.camera.eye.x += 1.0;
    viewer.work(ASPECT).unwrap();
    assert_eq!((viewer.through, viewer.camera.eye), (None, DVec3::new(1.5, 2.0, 9.0)));
    viewer.look_through(1);
    viewer.work(ASPECT).unwrap();
    assert_eq!((viewer.through, viewer.camera.eye), (Some(1), DVec3::new(8.0, 0.5, 0.5)));
}

#[test]
fn only_layers_that_are_shown_are_drawn_with_and_without_culling() {
    let mut viewer = army(false);
    let scene = &mut viewer.stage.scene;
    let nodes: Vec<_> = scene.children(scene.root()).collect();
    for (number, &node) in nodes.iter().enumerate() {
        scene.edit(node).unwrap().set_layers(Layers::new(if number % 2 == 0 { 1 } else { 2 }));
    }
    for culling in [true, false] {
        viewer.renderer.culling = culling;
        let counts = [3, 1, 2, 4].map(|layers| {
            viewer.stage.layers = Layers::new(layers);
            draws(&mut viewer)
        });
        assert_eq!(counts[0], counts[1] + counts[2]);
        assert!(counts[1] > 0 && counts[2] > 0 && counts[3] == 0, "{counts:?}");
    }
}

#[test]
fn lines_are_drawn_where_they_are_and_hidden_unless_on_top() {
    let mut viewer = army(false);
    let camera = viewer.camera;
    let plain = draw(&mut viewer);
    let mut drawn = |bounds: hedgerow::Aabb, on_top| {
        let mut list = LineList::new(camera.eye);
        list.bounds(&bounds, Ink { colour: [255, 0, 255], on_top });
        viewer.renderer.set_lines(&viewer.gpu, &list);
        let picture = draw(&mut viewer);
        picture.colours.iter().zip(&plain.colours).filter(|(a, b)| a != b).count()
    };
    let ahead = camera.eye.as_vec3() + 4.0 * camera.forward;
    let cube = |centre: Vec3| hedgerow::Aabb::new(centre - 0.5, centre + 0.5);
    assert!(drawn(cube(ahead), false) > 40);
    // Below the ground.
    let below = hedgerow::Aabb::new(Vec3::new(-3.0, -4.0, -20.0), Vec3::new(3.0, -2.0, -14.0));
    assert_eq!(drawn(below, false), 0);
    assert!(drawn(below, true) > 10);
    // A box behind the camera, and an empty box.
    assert_eq!(drawn(cube(camera.eye.as_vec3() - 9.0 * camera.forward), true), 0);
    assert_eq!(drawn(hedgerow::Aabb::EMPTY, true), 0);
}

#[test]
fn a_lost_device_is_an_error_and_no_panic() {
    let mut viewer = army(false);
    let canvas = canvas(&viewer.gpu, SIZE, PICTURE);
    viewer.draw(&canvas).unwrap();
    viewer.gpu.device.destroy();
    let drawn = viewer.work(ASPECT).and_then(|_| viewer.draw(&canvas));
    let told = drawn.unwrap_err().to_string();
    assert!(told.contains("device") && !told.contains('\n'), "{told}");
}
