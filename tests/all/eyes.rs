//! Queries around an eye in double precision, and what stays in single precision far from the origin.

use crate::far_worlds::planet;
use hedgerow::glam::camera::rh::proj::directx;
use hedgerow::glam::{DQuat, DVec3, Mat4, Vec2, Vec3};
use hedgerow::query::{CullView, Filter, Frustum, Sphere};
use hedgerow::{Aabb, DrawList, Error, Layers, Node, NodeHandle, Scene, SceneConfig, Transform};

/// Returns a box relative to an eye, from its eight corners in double precision.
fn around(scene: &Scene, node: NodeHandle, bounds: &Aabb, eye: DVec3) -> [DVec3; 2] {
    let world = scene.get(node).unwrap().world_f64();
    let corners = (0..8).map(|corner| {
        let part = |axis: usize| f64::from(if corner >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] });
        world.transform_point3(DVec3::new(part(0), part(1), part(2))) - eye
    });
    corners.fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], at| [low.min(at), high.max(at)])
}

#[test]
fn a_query_with_an_eye_finds_to_the_millimetre_what_a_volume_touches_on_a_planet() {
    for (seed, max_nodes) in [(5, 16), (6, 4096)] {
        let (scene, drawables) = planet(seed, SceneConfig { max_nodes, ..SceneConfig::DEFAULT });
        let mut dice = fastrand::Rng::with_seed(seed);
        let (mut list, mut nodes, mut hits) = (DrawList::new(), Vec::new(), [0; 3]);
        let (mut all, mut off) = (0, 0);
        for step in 0..150 {
            let (near, _) = drawables[dice.usize(..drawables.len())];
            let mut part = |scale: f64| (dice.f64() - 0.5) * scale;
            let eye = scene.get(near).unwrap().world_f64().translation + DVec3::new(part(40.0), part(10.0), part(40.0));
            let center = DVec3::new(part(9.0), part(3.0), part(9.0)).as_vec3();
            let half = DVec3::new(part(90.0), part(60.0), part(90.0)).abs().as_vec3();
            let (sphere, bounds) = (Sphere::new(center, half.x).unwrap(), Aabb::new(center - half, center + half));
            let camera = directx::perspective_infinite_reverse(1.0, 1.0, 0.1) * Mat4::from_rotation_y(center.x);
            let frustum = Frustum::from_view_projection_rect(&camera, Vec2::splat(-0.3), Vec2::new(0.1, 0.5)).unwrap();
            match step % 3 {
                0 => scene.query_from(eye, &sphere, Filter::ALL, &mut list, &mut nodes).unwrap(),
                1 => scene.query_from(eye, &bounds, Filter::ALL, &mut list, &mut nodes).unwrap(),
                _ => {
                    scene.query_from(eye, &frustum, Layers::ALL, &mut list, &mut nodes).unwrap();
                    // Culling lists the same.
                    let mut seen = DrawList::new();
                    seen.set_eye(eye);
                    scene.cull(&mut [CullView::new(&frustum, &mut seen)]).unwrap();
                    assert!(seen.commands().iter().map(|command| command.node).eq(nodes.iter().copied()));
                }
            }
            hits[step % 3] += nodes.len();
            for (node, own) in &drawables {
                let [low, high] = around(&scene, *node, own, eye);
                let away = (low - center.as_dvec3()).max(center.as_dvec3() - high).max(DVec3::ZERO);
                // Positive if the box touches, at least by this many metres.
                let depth = match step % 3 {
                    0 => f64::from(half.x) - away.length(),
                    1 => (half.as_dvec3() - away).min_element(),
                    _ => continue,
                };
                let found = nodes.contains(node);
                assert!(found || depth < 1e-4, "step {step}: {node:?} is missed by {depth}");
                // Boxes are relative to the first drawable of their slice, which may be in another district, 10,000 km
                // away, where numbers are metres apart.
                assert!(!found || depth > -10.0, "step {step}: {node:?} is {depth} away");
                (all, off) = (all + u32::from(found), off + u32::from(found && depth < -1e-3));
            }
        }
        assert!(hits.iter().all(|&hits| hits > 60), "{hits:?}");
        assert!(off * 10 < all || max_nodes > 16, "{off} of {all} are found only by rounding");
    }
}

#[test]
fn a_query_with_an_eye_applies_its_filter_and_refuses_what_no_query_takes() {
    let (mut scene, drawables) = planet(3, SceneConfig::DEFAULT);
    let (node, _) = drawables[40];
    let eye = scene.get(node).unwrap().world_f64().translation;
    let (mut list, mut nodes, ball) = (DrawList::new(), Vec::new(), Sphere::new(Vec3::ZERO, 1.0).unwrap());
    let mut query = |scene: &Scene, eye, filter: Filter| {
        let result = scene.query_from(eye, &ball, filter, &mut list, &mut nodes);
        result.map(|()| nodes.contains(&node))
    };
    let street = scene.parent(node).unwrap();
    assert_eq!(query(&scene, eye, Filter::ALL), Ok(true));
    assert_eq!(query(&scene, eye, Filter::below(street)), Ok(true));
    assert_eq!(query(&scene, eye, Filter::below(scene.parent(drawables[500].0).unwrap())), Ok(false));
    assert_eq!(query(&scene, eye, Layers::NONE.into()), Ok(false));
    assert_eq!(query(&scene, DVec3::NAN, Filter::ALL), Err(Error::NotFinite("an eye")));
    // Farther away than single precision reaches, a box may touch; it is never missed.
    assert_eq!(query(&scene, DVec3::splat(1e300), Filter::ALL), Ok(true));
    scene.remove(node).unwrap();
    assert_eq!(query(&scene, eye, Filter::ALL), Ok(false));
    assert_eq!(query(&scene, eye, Filter::below(node)), Err(Error::StaleHandle(node)));
    let wrong = Aabb::new(Vec3::NAN, Vec3::ONE);
    assert!(scene.query_from(eye, &wrong, Filter::ALL, &mut list, &mut nodes).is_err());
}

#[test]
fn a_list_shows_what_moved_though_a_query_composed_it_first() {
    let (mut scene, drawables) = planet(4, SceneConfig::DEFAULT);
    let (node, _) = drawables[7];
    let eye = scene.get(node).unwrap().world_f64().translation;
    let (mut list, mut nodes) = (DrawList::new(), Vec::new());
    list.set_eye(eye);
    for round in 0..4 {
        scene.draw_list(&mut list);
        let before = list.relative_matrices().to_vec();
        scene.modify_local(node, |local| local.translation.y += 1.5).unwrap();
        scene.update();
        scene.query_from(eye, &Sphere::new(Vec3::ZERO, 30.0).unwrap(), Filter::ALL, &mut list, &mut nodes).unwrap();
        assert_eq!(list.relative_matrices(), before, "a query leaves the list as it is");
        scene.draw_list(&mut list);
        let mut anew = DrawList::new();
        anew.set_eye(eye);
        scene.draw_list(&mut anew);
        assert_eq!(list.relative_matrices(), anew.relative_matrices(), "round {round}");
    }
}

/// The figures of `guide::large_worlds`.
#[test]
fn the_ground_of_a_turning_planet_is_off_by_decimetres_and_that_of_a_resting_one_is_exact() {
    let radius = 6_371_000.0;
    let mut scene = Scene::new();
    let planet = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
    let city = Node::transform(Transform::IDENTITY).with_translation_f64(DVec3::X * radius);
    let city = scene.insert(planet, city).unwrap();
    assert_eq!(scene.get(city).unwrap().world_f64().translation, DVec3::X * radius);
    let (mut sum, mut worst, count) = (0.0, 0.0_f64, 20_000);
    for step in 0..count {
        let angle = f64::from(step) * 3.1e-4;
        let turn = Transform { rotation: DQuat::from_rotation_z(angle).as_quat(), ..Transform::IDENTITY };
        scene.set_local(planet, turn).unwrap();
        let exact = DVec3::new(angle.cos(), angle.sin(), 0.0) * radius;
        let off = scene.get(city).unwrap().world_f64().translation.distance(exact);
        (sum, worst) = (sum + off, worst.max(off));
    }
    let mean = sum / f64::from(count);
    assert!((0.05..0.15).contains(&mean) && (0.4..0.6).contains(&worst), "{mean} m on average, at most {worst} m");
}
