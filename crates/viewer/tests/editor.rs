//! Picking and editing, without a window.

use hedgerow::glam::{DVec3, Vec2, Vec3};
use hedgerow::query::Ray;
use hedgerow::{Layers, Local, Transform};
use hedgerow_anim::skin::SkinOutput;
use hedgerow_viewer::arguments::{Arguments, Subject};
use hedgerow_viewer::camera::Camera;
use hedgerow_viewer::editor::{Editor, Orbit, fly};
use hedgerow_viewer::stage::Stage;

/// Returns the town seen from above, updated.
fn town() -> Stage {
    let mut stage = Stage::new(&Arguments { people: 10, ..Arguments::new(Subject::Town) }).unwrap();
    stage.act(0.0).unwrap();
    stage.scene.update();
    stage
}

const ASPECT: f32 = 1.5;

#[test]
fn what_is_picked_lies_on_the_ray_and_nothing_is_before_it() {
    let mut stage = town();
    let camera = stage.camera;
    let (mut editor, mut found) = (Editor::default(), 0);
    for step in 0..200_u16 {
        let place = Vec2::new(f32::from(step % 20) / 10.0 - 0.95, f32::from(step / 20) / 10.0 - 0.95);
        let hit = editor.pick(&mut stage, &camera, ASPECT, place).unwrap();
        assert_eq!(editor.picked, hit.map(|hit| hit.drawn.node));
        let Some(hit) = hit else { continue };
        let (node, distance) = (hit.drawn.node, hit.distance as f32);
        found += 1;
        let ray = stage.camera.ray(ASPECT, place).unwrap();
        let at = camera.eye.as_vec3() + ray.origin() + ray.direction() * distance;
        let bounds = stage.scene.get(node).unwrap().bounds().unwrap();
        assert!(bounds.contains(at) || (bounds.center() - at).length() < bounds.size().length(), "{at} {bounds:?}");
        let place = Vec3::new(at.x, at.y, at.z);
        assert!(place.y > -0.2, "below the ground: {place}");
    }
    assert!(found > 100, "only {found} of 200 rays hit something");
}

#[test]
fn what_lies_ten_thousand_kilometres_away_is_picked_and_dragged_alike_and_levels_are_where_they_are_seen() {
    let origin = DVec3::new(1e7, -2e6, 3.25e6);
    let town = |origin: DVec3| {
        let eye = DVec3::new(215.0, 60.0, 330.0);
        let (target, origin) = (origin + DVec3::new(120.0, 0.0, 60.0), origin.to_array());
        let mut stage = Stage::new(&Arguments { people: 10, origin, ..Arguments::new(Subject::Town) }).unwrap();
        stage.act(0.0).unwrap();
        stage.scene.update();
        (stage, Camera::looking(eye + DVec3::from(origin), target, 0.9))
    };
    let [(mut near, here), (mut far, there)] = [DVec3::ZERO, origin].map(town);
    let (mut found, mut stand_ins) = (0, 0);
    for step in (0..200_u16).step_by(7) {
        let place = Vec2::new(f32::from(step % 20) / 10.0 - 0.95, f32::from(step / 20) / 10.0 - 0.95);
        let picks = [near.pick(&here, ASPECT, place), far.pick(&there, ASPECT, place)].map(Result::unwrap);
        let [Some(a), Some(b)] = picks else {
            assert!(picks.iter().all(Option::is_none), "{place}");
            continue;
        };
        assert_eq!(a.drawn.mesh, b.drawn.mesh, "{place}");
        assert!((b.position - origin).distance(a.position) < 1e-2, "{place}: {} {}", a.position, b.position);
        found += 1;
        stand_ins += usize::from(near.meshes[a.drawn.mesh as usize].level == 3);
    }
    assert!(found > 15 && stand_ins > 0, "{found} of 29, {stand_ins} of them stand-ins");
    let mut editor = Editor::default();
    let [from, to] = [Vec2::new(0.05, -0.75), Vec2::new(0.06, -0.75)];
    let moved = [(&mut near, here), (&mut far, there)].map(|(stage, camera)| {
        assert!(editor.grab(stage, &camera, ASPECT, from).unwrap());
        let node = editor.picked.unwrap();
        let place = |stage: &mut Stage| {
            stage.scene.update();
            stage.scene.get(node).unwrap().world_f64().translation
        };
        let before = place(stage);
        editor.drag(stage, &camera, ASPECT, to).unwrap();
        place(stage) - before
    });
    assert!(moved[0].length() > 0.1 && moved[0].distance(moved[1]) < 1e-2, "{moved:?}");
}

/// Returns an army that has taken a step.
fn army() -> Stage {
    let mut stage = Stage::new(&Arguments { characters: 40, ..Arguments::new(Subject::Army) }).unwrap();
    for _ in 0..10 {
        stage.act(0.0).unwrap();
    }
    stage.scene.update();
    stage
}

#[test]
fn figures_are_picked_by_their_triangles_and_the_normal_of_the_hit_is_shown() {
    let mut stage = army();
    let (camera, mut editor) = (stage.camera, Editor::default());
    let (mut on_figures, mut beside, mut boxes) = (0, 0, Vec::new());
    for step in 0..60 * 40_u16 {
        let place = Vec2::new(f32::from(step % 60) / 30.0 - 0.98, f32::from(step / 60) / 20.0 - 0.97);
        let relative = camera.ray(ASPECT, place).unwrap();
        let ray = Ray::new(camera.eye.as_vec3() + relative.origin(), relative.direction()).unwrap();
        let Some(pick) = editor.pick(&mut stage, &camera, ASPECT, place).unwrap() else { continue };
        let [begin, end] = editor.normal(&stage.scene).unwrap();
        assert!(begin.distance(pick.position) < 1e-3 && (end - begin).dot(ray.direction().as_dvec3()) < 0.0);
        stage.scene.cast_ray(&ray, Layers::ALL, &mut boxes).unwrap();
        let nearer =
            |hit: &hedgerow::query::RayHit| f64::from(hit.distance) < pick.distance && hit.node != pick.drawn.node;
        beside += usize::from(boxes.iter().any(nearer));
        let Some(number) = pick.drawn.user_data.checked_sub(1) else { continue };
        on_figures += 1;
        let body = stage.figures.posed(number as usize).unwrap();
        let mut places = vec![[0.0; 3]; body.mesh().len()];
        body.skin(SkinOutput::new(&mut places)).unwrap();
        let corners = &stage.meshes[0].indices[3 * pick.hit.triangle as usize..][..3];
        let corner = |corner: &u32| Vec3::from(places[*corner as usize]);
        let at: Vec3 = corners.iter().zip(pick.hit.barycentric).map(|(index, share)| corner(index) * share).sum();
        let at = stage.scene.world(pick.drawn.node).unwrap().transform_point(at);
        assert!(at.as_dvec3().distance(pick.position) < 1e-3, "{at} {}", pick.position);
    }
    assert!(on_figures > 50 && beside > 50, "{on_figures} on figures, {beside} through a box and beside what is in it");
}

#[test]
fn a_rectangle_selects_figures_wholly_or_partly_and_what_is_selected_is_deleted() {
    let mut stage = army();
    let (camera, mut editor) = (stage.camera, Editor::default());
    let corners = [Vec2::new(-0.98, -0.98), Vec2::new(0.1, 0.9)];
    editor.select(&mut stage, &camera, ASPECT, corners).unwrap();
    let selected = editor.selected.clone();
    let whole = selected.iter().filter(|selected| selected.whole).count();
    assert!(whole > 2 && selected.len() > whole + 1, "{whole} of {}", selected.len());
    // What is under a point of the rectangle is selected, and its corners are where they are drawn.
    for step in 0..20 * 20_u16 {
        let share = Vec2::new(f32::from(step % 20) + 0.5, f32::from(step / 20) + 0.5) / 20.0;
        let place = corners[0] + (corners[1] - corners[0]) * share;
        if let Some(pick) = editor.pick(&mut stage, &camera, ASPECT, place).unwrap() {
            assert!(selected.iter().any(|selected| selected.drawn.node == pick.drawn.node), "{place}");
        }
    }
    // The meadow is selected in part; figures alone are deleted.
    editor.select(&mut stage, &camera, ASPECT, corners).unwrap();
    editor.selected.retain(|selected| selected.drawn.user_data > 0);
    let (nodes, figures) = (stage.scene.len(), editor.selected.len());
    editor.delete(&mut stage).unwrap();
    assert_eq!((stage.scene.len(), editor.depth(&stage)), (nodes - figures, [figures, 0]));
    while editor.undo(&mut stage).unwrap() {}
    assert_eq!(stage.scene.len(), nodes);
    // The root stays, and the others are deleted.
    let root = stage.scene.root();
    editor.pick_nothing();
    editor.selected = selected.into_iter().filter(|selected| selected.drawn.user_data > 0).collect();
    editor.selected[0].drawn.node = root;
    assert!(editor.delete(&mut stage).is_err());
    assert_eq!((stage.scene.len(), editor.picked, editor.selected.len()), (nodes - figures + 1, Some(root), 0));
    while editor.undo(&mut stage).unwrap() {}
    // What is deleted alone is not selected still, and no ray hit what a rectangle selects.
    stage.scene.update();
    let pick = editor.pick(&mut stage, &camera, ASPECT, Vec2::new(-0.4, -0.9)).unwrap().unwrap();
    editor.select(&mut stage, &camera, ASPECT, corners).unwrap();
    editor.picked = Some(pick.drawn.node);
    assert!(editor.normal(&stage.scene).is_none());
    editor.delete(&mut stage).unwrap();
    assert_eq!((editor.picked, editor.selected.len()), (None, 0));
    editor.undo(&mut stage).unwrap();
    stage.scene.validate().unwrap();
}

#[test]
fn edits_are_undone_and_done_again() {
    let mut stage = town();
    let mut editor = Editor::default();
    let place = Vec2::new(0.1, -0.4);
    let camera = stage.camera;
    assert!(editor.grab(&mut stage, &camera, ASPECT, place).unwrap());
    let node = editor.picked.unwrap();
    let before = stage.scene.get(node).unwrap().fresh_world().translation();
    editor.drag(&mut stage, &camera, ASPECT, place + Vec2::new(0.05, 0.02)).unwrap();
    editor.drop();
    let after = stage.scene.get(node).unwrap().fresh_world().translation();
    assert!((after - before).length() > 0.5, "{before} {after}");
    // Dragging keeps the distance along the view.
    assert!((after - before).dot(camera.forward).abs() < 0.1);

    let nodes = stage.scene.len();
    let parent = stage.scene.parent(node);
    let siblings: Vec<_> = stage.scene.children(parent.unwrap()).collect();
    editor.duplicate(&mut stage).unwrap();
    let copy = editor.picked.unwrap();
    assert!(copy != node && stage.scene.len() > nodes);
    editor.delete(&mut stage).unwrap();
    assert_eq!((stage.scene.len(), editor.picked), (nodes, None));
    editor.picked = Some(node);
    editor.delete(&mut stage).unwrap();
    assert!(stage.scene.len() < nodes && stage.scene.get(node).is_some_and(|node| node.is_detached()));
    assert_eq!(editor.depth(&stage), [4, 0]);

    while editor.undo(&mut stage).unwrap() {
        stage.scene.validate().unwrap();
    }
    assert_eq!(stage.scene.len(), nodes);
    assert!(stage.scene.children(parent.unwrap()).eq(siblings.iter().copied()), "in its old place");
    assert!((stage.scene.get(node).unwrap().fresh_world().translation() - before).length() < 1e-3);
    while editor.redo(&mut stage).unwrap() {
        stage.scene.validate().unwrap();
    }
    assert!(stage.scene.get(node).unwrap().is_detached() && stage.scene.len() < nodes);
    assert_eq!(editor.depth(&stage), [4, 0]);
    // The town still runs.
    for _ in 0..10 {
        stage.act(5.0).unwrap();
        stage.scene.update();
    }
    while editor.undo(&mut stage).unwrap() {}
    stage.scene.validate().unwrap();
}

#[test]
fn adjusting_is_one_edit_until_it_settles() {
    let mut stage = town();
    let mut editor = Editor::default();
    let node = stage.scene.get(stage.scene.root()).unwrap().first_child().unwrap().handle();
    let before = stage.scene.local(node);
    let at = |x| Local::Transform(Transform::from_xyz(x, 0.0, 0.0));
    for x in [1.0, 2.0, 3.0] {
        editor.adjust(&mut stage, node, at(x)).unwrap();
    }
    assert_eq!(editor.depth(&stage), [1, 0]);
    editor.settle();
    editor.adjust(&mut stage, node, at(4.0)).unwrap();
    assert_eq!(editor.depth(&stage), [2, 0]);
    editor.undo(&mut stage).unwrap();
    assert_eq!(stage.scene.local(node), Some(at(3.0)));
    // An edit after an undo is a new step.
    editor.adjust(&mut stage, node, at(5.0)).unwrap();
    assert_eq!(editor.depth(&stage), [2, 0]);
    while editor.undo(&mut stage).unwrap() {}
    assert_eq!(stage.scene.local(node), before);
    let broken = Local::Transform(Transform::from_xyz(f32::NAN, 0.0, 0.0));
    assert!(editor.adjust(&mut stage, node, broken).is_err());
    assert_eq!((stage.scene.local(node), editor.depth(&stage)), (before, [0, 2]));
}

#[test]
fn edits_of_houses_are_steps_of_their_document() {
    let mut stage = Stage::new(&Arguments::new(Subject::Prefabs)).unwrap();
    let (mut editor, root) = (Editor::default(), stage.scene.root());
    let tree = |stage: &Stage| stage.scene.copy_tree(root).unwrap();
    let roofs = |stage: &Stage| stage.scene.get(root).unwrap().find_all("roof").count();
    let roof = stage.scene.get(root).unwrap().find_all("roof").next().unwrap().handle();
    let mut states = vec![tree(&stage)];
    assert_eq!(editor.depth(&stage), [0, 0]);
    let at = |x| Local::Transform(Transform::from_xyz(x, 6.0, 0.0));
    for x in [1.0, 2.0, 3.0] {
        editor.adjust(&mut stage, roof, at(x)).unwrap();
    }
    editor.settle();
    states.push(tree(&stage));
    editor.show(&mut stage, roof, Some(Layers::new(4))).unwrap();
    states.push(tree(&stage));
    editor.picked = Some(roof);
    editor.duplicate(&mut stage).unwrap();
    assert_eq!(roofs(&stage), 101);
    states.push(tree(&stage));
    editor.picked = Some(roof);
    editor.delete(&mut stage).unwrap();
    assert!(!stage.scene.contains(roof) && editor.picked.is_none());
    states.push(tree(&stage));
    stage.switch(0).unwrap();
    assert_eq!(editor.depth(&stage), [5, 0]);
    let last = tree(&stage);
    for state in states.iter().rev() {
        assert!(editor.undo(&mut stage).unwrap() && tree(&stage) == *state);
        stage.scene.validate().unwrap();
    }
    assert!(!editor.undo(&mut stage).unwrap());
    assert!(stage.switches().iter().all(|&(_, on)| on));
    while editor.redo(&mut stage).unwrap() {}
    assert!(tree(&stage) == last && editor.depth(&stage) == [5, 0]);
    editor.picked = Some(root);
    assert!(editor.delete(&mut stage).is_err());
}

#[test]
fn what_is_on_no_layer_that_is_shown_is_not_picked() {
    let mut stage = town();
    let mut editor = Editor::default();
    let (camera, place) = (stage.camera, Vec2::new(0.1, -0.4));
    editor.pick(&mut stage, &camera, ASPECT, place).unwrap();
    let node = editor.picked.unwrap();
    editor.show(&mut stage, node, Some(Layers::new(4))).unwrap();
    for (layers, is_shown) in [(3, false), (7, true)] {
        stage.layers = Layers::new(layers);
        stage.scene.update();
        editor.pick(&mut stage, &camera, ASPECT, place).unwrap();
        assert_eq!(editor.picked == Some(node), is_shown);
    }
    editor.undo(&mut stage).unwrap();
    assert_eq!(stage.scene.get(node).and_then(|node| node.own_layers()), None);
    editor.redo(&mut stage).unwrap();
    assert_eq!(stage.scene.get(node).unwrap().own_layers(), Some(Layers::new(4)));
}

#[test]
fn panning_moves_camera_and_target_alike_and_flying_the_camera_alone() {
    let stage = town();
    let (mut orbit, mut camera) = (Orbit { target: stage.target }, stage.camera);
    let away = camera.eye - orbit.target;
    orbit.pan(&mut camera, 0.5, 0.25);
    assert!((camera.eye - orbit.target - away).length() < 1e-6);
    let moved = (orbit.target - stage.target).as_vec3();
    assert!((moved.dot(camera.forward) / moved.length()).abs() < 1e-4);
    assert!((moved.length() / away.as_vec3().length() - 0.5_f32.hypot(0.25)).abs() < 1e-3);

    let eye = camera.eye;
    fly(&mut camera, [0.0, 0.0, 3.0]);
    assert!(((camera.eye - eye).as_vec3() - 3.0 * camera.forward).length() < 1e-3);
    fly(&mut camera, [2.0, 1.0, -3.0]);
    let side = camera.forward.cross(Vec3::Y).normalize();
    assert!(((camera.eye - eye).as_vec3() - 2.0 * side - Vec3::Y).length() < 1e-3);
}

#[test]
fn an_orbit_keeps_its_distance_and_looks_at_its_target() {
    let stage = town();
    let orbit = Orbit { target: stage.target };
    let mut camera: Camera = stage.camera;
    let distance = camera.eye.distance(stage.target);
    for (right, up) in [(0.3, 0.1), (2.0, -9.0), (-1.0, 9.0)] {
        orbit.turn(&mut camera, right, up);
        assert!((camera.eye.distance(stage.target) - distance).abs() < 1e-3);
        let way = (stage.target - camera.eye).as_vec3().normalize();
        assert!(way.dot(camera.forward) > 0.9999);
    }
    orbit.zoom(&mut camera, 0.5);
    assert!((camera.eye.distance(stage.target) - 0.5 * distance).abs() < 1e-3);
}
