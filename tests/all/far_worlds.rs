//! Worlds too large for single precision: lists relative to a camera, and translations in double precision.

use crate::renderers::{grid, looking};
use hedgerow::glam::{DAffine3, DVec3, Quat, Vec3, Vec4};
use hedgerow::query::{CullView, Filter, Frustum};
use hedgerow::visit::SliceView;
use hedgerow::{Aabb, DrawList, Drawable, Error, Keep, Mat34, Node, NodeHandle, Scene, SceneConfig, Transform};
use std::collections::HashMap;

const BOUNDED: SceneConfig = SceneConfig { bounds: true, max_nodes: 16, ..SceneConfig::DEFAULT };

/// Returns a planet: districts ten thousand kilometres from its centre, with drawables below chains of rotated nodes.
pub(crate) fn planet(seed: u64, config: SceneConfig) -> (Scene, Vec<(NodeHandle, Aabb)>) {
    let mut dice = fastrand::Rng::with_seed(seed);
    let mut scene = Scene::with_config(config).unwrap();
    let mut drawables = Vec::new();
    for _ in 0..12 {
        let mut number = |scale: f32| (dice.f32() - 0.5) * 2.0 * scale;
        let turn = |a: f32, b: f32| Quat::from_rotation_y(a) * Quat::from_rotation_x(b);
        let up = Vec3::new(number(1.0), number(1.0), number(1.0)).normalize();
        let district = Transform::from_translation(up * 1e7).with_rotation(turn(number(3.0), number(3.0)));
        let district = scene.insert(scene.root(), Node::transform(district)).unwrap();
        for _ in 0..6 {
            let street = Transform::from_xyz(number(900.0), number(30.0), number(900.0));
            let street = street.with_rotation(turn(number(3.0), number(0.1)));
            let street = scene.insert(district, Node::transform(street)).unwrap();
            for _ in 0..12 {
                let bounds = Aabb::new(Vec3::new(-0.5, 0.0, -number(1.0).abs()), Vec3::new(0.5, 2.0, 0.25));
                let house = Transform::from_xyz(number(15.0), 0.0, number(15.0)).with_rotation(turn(number(3.0), 0.0));
                let house = Node::transform(house).with_drawable(Drawable::new(1, bounds));
                drawables.push((scene.insert(street, house).unwrap(), bounds));
            }
        }
    }
    scene.update();
    (scene, drawables)
}

#[test]
fn a_planet_keeps_a_millimetre_and_no_drawable_that_is_seen_is_missed() {
    for (seed, config) in [(1, SceneConfig::DEFAULT), (2, BOUNDED), (3, BOUNDED)] {
        let (scene, drawables) = planet(seed, config);
        let mut dice = fastrand::Rng::with_seed(seed);
        let (mut list, mut seen, mut unsure) = (DrawList::new(), 0, 0);
        // Boxes are relative to the first drawable of their slice, which may be in another district.
        let origins: HashMap<u32, DVec3> = scene
            .slices()
            .filter_map(|slice| {
                let first = slice.drawables().iter().next()?.node;
                Some((slice.number(), scene.get(first)?.world_f64().translation))
            })
            .collect();
        for step in 0..120 {
            let (node, _) = drawables[dice.usize(..drawables.len())];
            let mut part = || (dice.f64() - 0.5) * if step % 2 == 0 { 4.0 } else { 100.0 };
            let camera = scene.get(node).unwrap().world_f64().translation + DVec3::new(part(), part(), part());
            let forward = DVec3::new(part(), part(), part()).as_vec3();
            let frustum = looking(Vec3::ZERO, forward);
            list.set_eye(camera);
            scene.cull(&mut [CullView::new(&frustum, &mut list)]).unwrap();
            let listed: Vec<NodeHandle> = list.commands().iter().map(|command| command.node).collect();
            for &(node, bounds) in &drawables {
                // The box in double precision comes from its eight corners.
                let world = scene.get(node).unwrap().world_f64();
                let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
                for corner in 0..8 {
                    let pick = |axis: usize| if corner >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] };
                    let at = world.transform_point3(Vec3::new(pick(0), pick(1), pick(2)).as_dvec3()) - camera;
                    (low, high) = (low.min(at), high.max(at));
                }
                let grown = |by: f64| Aabb::new((low - by).as_vec3(), (high + by).as_vec3());
                let (inner, outer) = (frustum.touches(&grown(-1e-4)), frustum.touches(&grown(1e-2)));
                // At a distance of kilometres, the relative error is below a thousandth.
                let near = low.abs().max_element() < 1e4 && high.abs().max_element() < 1e4;
                if let Some(at) = listed.iter().position(|&listed| listed == node) {
                    seen += 1;
                    let origin = origins[&scene.get(node).unwrap().matrix_slot().unwrap().slice];
                    let wide = !near || origin.distance(world.translation) > 1e4;
                    assert!(outer || wide, "{node:?} is listed at {low} to {high}");
                    let matrix = list.relative_matrices()[at];
                    let off = (matrix.translation().as_dvec3() - (world.translation - camera)).length();
                    assert!(off < 1e-3 || !near, "{off}");
                    assert!(off < 1e-6 || low.length() > 10.0, "{off} next to the camera");
                } else {
                    assert!(!inner, "{node:?} is missed at {low} to {high}");
                    unsure += usize::from(outer);
                }
            }
        }
        assert!(seen > 60 && unsure < 20, "{seen} seen, {unsure} unsure");
        let district = |node| scene.get(node).unwrap().ancestors().map(|node| node.handle()).nth(1);
        let whole = |slice: &SliceView<'_>| {
            let mut districts = slice.drawables().iter().map(|listed| district(listed.node));
            let first = districts.next();
            districts.all(|other| Some(other) == first)
        };
        let (few, all) = (scene.slices().filter(|slice| !whole(slice)).count(), scene.slices().count());
        assert!(few * 2 < all || config != BOUNDED, "{few} slices of {all} have drawables of several districts");
    }
}

#[test]
fn a_world_transform_in_double_precision_is_set_to_what_another_node_has() {
    let mut dice = fastrand::Rng::with_seed(9);
    let mut off = 0.0_f64;
    for round in 0..200 {
        let mut scene = Scene::new();
        let nodes = [(); 2].map(|()| {
            (0..4).fold(scene.root(), |parent, at| {
                let [a, b, c] = [(); 3].map(|()| dice.f64() * 2e7 - 1e7);
                let turn = Quat::from_rotation_y(dice.f32() * 6.0) * Quat::from_rotation_x(dice.f32());
                // Every third round has shear.
                let scale =
                    Vec3::splat(0.5 + dice.f32()) * if round % 3 == 0 { Vec3::new(1.0, 2.0, 1.0) } else { Vec3::ONE };
                let local = Transform::IDENTITY.with_rotation(turn).with_scale(scale);
                let mut node = Node::transform(local).with_translation_f64(DVec3::new(a, b, c));
                node.anchored = round % 5 == 0 && at == 3;
                scene.insert(parent, node).unwrap()
            })
        });
        let [world, _] = nodes.map(|node| scene.get(node).unwrap().world_f64());
        scene.edit(nodes[1]).unwrap().set_world_f64(world).unwrap();
        let found = scene.get(nodes[1]).unwrap().world_f64();
        assert!((found.translation - world.translation).length() < 1e-5, "{round}: {found} for {world}");
        let axes = found.matrix3 - world.matrix3;
        assert!(axes.to_cols_array().iter().all(|part| part.abs() < 1e-4), "{round}: {found} for {world}");
        scene.set_world(nodes[1], Mat34::from_wide(&world)).unwrap();
        let single = scene.get(nodes[1]).unwrap().world_f64();
        off = off.max((single.translation - world.translation).length());
    }
    assert!(off > 0.1, "single precision keeps less");
    let mut scene = Scene::new();
    let flat = Node::transform(Transform::IDENTITY.with_scale(Vec3::ZERO));
    let root = scene.root();
    let flat = scene.insert(root, flat).unwrap();
    let below = scene.insert(flat, Node::transform(Transform::IDENTITY)).unwrap();
    let mut set = |node, x| {
        let world = DAffine3::from_translation(DVec3::new(x, 0.0, 0.0));
        scene.edit(node).unwrap().set_world_f64(world).map(|_| ())
    };
    assert_eq!(set(below, f64::NAN), Err(Error::NotFinite("a world transform")));
    assert_eq!(set(below, 1.0), Err(Error::Singular(flat)));
    assert_eq!(set(flat, 1e300), Err(Error::Overflow(root)));
    assert_eq!(set(flat, 1e7 + 0.1), Ok(()));
    assert!((scene.get(flat).unwrap().world_f64().translation.x - 1e7 - 0.1).abs() < 1e-7);
}

#[test]
fn views_with_eyes_and_without_are_culled_in_one_call() {
    let (mut scene, nodes) = grid(BOUNDED, 8);
    scene.update();
    let (frustum, eye) = (looking(Vec3::ZERO, Vec3::new(1.0, 0.2, 0.3)), DVec3::new(3.0, 0.5, 1.0));
    let mut lists = [const { DrawList::new() }; 5];
    // Two views share an eye.
    let eyes = [None, Some(eye), None, Some(eye), Some(DVec3::ZERO)];
    for (list, eye) in lists.iter_mut().zip(eyes) {
        list.set_eye(eye);
        assert_eq!(list.eye(), eye);
    }
    let filter = |at| if at == 3 { Filter::below(nodes[20]) } else { Filter::ALL };
    let views = lists.iter_mut().enumerate();
    let mut views: Vec<_> =
        views.map(|(at, list)| CullView { frustum, filter: filter(at), detail: None, list }).collect();
    scene.cull(&mut views).unwrap();
    let mut seen = 0;
    for (at, (list, eye)) in lists.iter().zip(eyes).enumerate() {
        let mut single = DrawList::new();
        single.set_eye(eye);
        scene.cull(&mut [CullView { frustum, filter: filter(at), detail: None, list: &mut single }]).unwrap();
        assert_eq!((list.commands(), list.matrices()), (single.commands(), single.matrices()));
        assert_eq!(list.relative_matrices(), single.relative_matrices());
        assert_eq!(list.relative_matrices().len(), if eye.is_some() { list.len() } else { 0 });
        seen += list.len();
    }
    assert!(seen > 20, "{seen}");

    // A view without an eye needs boxes, and a refused call changes no list.
    let (unbounded, _) = grid(SceneConfig::DEFAULT, 8);
    let [near, far, ..] = &mut lists;
    let before = (near.commands().to_vec(), far.commands().to_vec());
    let mut views = [CullView::new(&frustum, far), CullView::new(&frustum, near)];
    assert_eq!(unbounded.cull(&mut views), Err(Error::NoBounds));
    scene.remove(nodes[20]).unwrap();
    let [near, far, ..] = &mut lists;
    let mut views = [CullView::new(&frustum, far), CullView::new(&frustum, near).below(nodes[20])];
    assert_eq!(scene.cull(&mut views), Err(Error::StaleHandle(nodes[20])));
    let [near, far, ..] = &mut lists;
    assert_eq!(before, (near.commands().to_vec(), far.commands().to_vec()));
    unbounded.cull(&mut [CullView::new(&frustum, far)]).unwrap();
    let mut many = vec![DrawList::new(); 33];
    many.iter_mut().for_each(|list| list.set_eye(eye));
    let mut views: Vec<CullView<'_>> = many.iter_mut().map(|list| CullView::new(&frustum, list)).collect();
    assert_eq!(scene.cull(&mut views), Err(Error::CapacityOverflow));
    assert_eq!(scene.cull(&mut views[1..]), Ok(()));
}

#[test]
fn an_eye_at_the_end_of_double_precision_gives_no_nan() {
    for config in [BOUNDED, SceneConfig::DEFAULT] {
        let (mut scene, nodes) = grid(config, 6);
        scene.set_local(nodes[3], Transform::from_xyz(-3e38, 3e38, 1.0)).unwrap();
        scene.update();
        let frustum = looking(Vec3::ZERO, Vec3::new(1.0, 0.2, 0.3));
        let (mut drawn, mut culled) = (DrawList::new(), DrawList::new());
        for eye in [DVec3::splat(1e300), DVec3::new(-1e300, 1e300, 0.0), DVec3::new(f64::MAX, -f64::MAX, 1e39)] {
            drawn.set_eye(eye);
            culled.set_eye(eye);
            for _ in 0..2 {
                scene.draw_list(&mut drawn);
                scene.cull(&mut [CullView::new(&frustum, &mut culled)]).unwrap();
                assert_eq!(drawn.len(), nodes.len());
                for matrix in drawn.relative_matrices().iter().chain(culled.relative_matrices()) {
                    assert!(!matrix.rows.as_flattened().iter().any(|part| part.is_nan()), "{matrix:?} from {eye}");
                }
            }
        }
    }
}

#[test]
fn what_is_too_far_for_single_precision_is_seen() {
    let (mut scene, nodes) = grid(BOUNDED, 6);
    // An empty box is never seen.
    let drawable = scene.get(nodes[7]).unwrap().drawable().unwrap();
    scene.edit(nodes[7]).unwrap().set_drawable(Drawable { bounds: Aabb::EMPTY, ..drawable }).unwrap();
    scene.update();
    let (wall, any) = (Vec4::new(-1.0, 0.0, 0.0, 0.0), Vec4::ZERO);
    let on_the_left = Frustum::from_planes([wall, any, any, any, any, any]).unwrap();
    let mut list = DrawList::new();
    for (x, seen) in [(1e39, 35), (1e3, 35), (-1e3, 0)] {
        list.set_eye(DVec3::new(x, 0.0, 0.0));
        scene.cull(&mut [CullView::new(&on_the_left, &mut list)]).unwrap();
        assert_eq!(list.len(), seen, "from {x}");
        assert!(list.commands().iter().all(|command| command.node != nodes[7]));
    }
}

#[test]
fn a_translation_of_which_nothing_is_lost_takes_no_more_memory() {
    let mut scene = Scene::new();
    let car = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
    // The first edit queues the slice for the update.
    scene.set_local(car, Transform::IDENTITY).unwrap();
    let before = scene.stats().allocated_bytes();
    scene.edit(car).unwrap().set_translation_f64(DVec3::new(1.5, -2.0, 1e6)).unwrap();
    assert_eq!(
        (scene.stats().allocated_bytes(), scene.get(car).and_then(|node| node.translation_f64())),
        (before, Some(DVec3::new(1.5, -2.0, 1e6)))
    );
}

#[test]
fn relative_matrices_are_those_of_the_last_update_though_a_node_moved_since() {
    let mut scene = Scene::new();
    let at = |x: f32| Node::transform(Transform::from_xyz(x, 0.0, 0.0));
    let [near, far] = [1.0, 1000.0].map(|x| scene.insert(scene.root(), at(x)).unwrap());
    let node = scene.insert(near, at(5.0).with_drawable(Drawable::new(1, Aabb::cube(1.0)))).unwrap();
    scene.update();
    // All are set, and their slice keeps no copies.
    [(near, 2.0), (far, 1000.0), (node, 7.0)].into_iter().for_each(|(node, x)| {
        scene.set_local(node, Transform::from_xyz(x, 0.0, 0.0)).unwrap();
    });
    scene.update();
    scene.reparent(node, far, Keep::World).unwrap();
    let mut list = DrawList::new();
    list.set_eye(DVec3::X);
    scene.draw_list(&mut list);
    assert_eq!(list.relative_matrices()[0].translation(), Vec3::new(8.0, 0.0, 0.0));
}

/// The bound that [`Scene::cull`] states. The first drawable of the slice, where distances begin, is at the origin.
#[test]
fn boxes_far_from_the_others_of_their_slice_are_enlarged_by_at_most_two_and_a_half_millionths() {
    let mut dice = fastrand::Rng::with_seed(6);
    let (mut listed, mut most) = (0, 0.0_f64);
    for _ in 0..3000 {
        let mut direction = || DVec3::new(dice.f64() - 0.5, dice.f64() - 0.5, dice.f64() - 0.5).normalize();
        let (to, normal) = (direction(), direction().as_vec3());
        let distance = 10_f64.powf(3.0 + 6.0 * dice.f64());
        let mut scene = Scene::new();
        let drawable = Node::transform(Transform::IDENTITY).with_drawable(Drawable::new(1, Aabb::cube(0.25)));
        scene.insert(scene.root(), drawable).unwrap();
        let node = scene.insert(scene.root(), drawable.with_translation_f64(to * distance)).unwrap();
        scene.update();
        // One plane through the eye. The box is outside by up to three millionths of the distance, or just inside.
        let unit = normal.as_dvec3().normalize();
        let outside = distance * 3e-6 * (dice.f64() - 0.05);
        let eye = to * distance + unit * (0.25 * unit.abs().element_sum() + outside);
        let frustum = Frustum::from_planes([normal.extend(0.0), Vec4::W, Vec4::W, Vec4::W, Vec4::W, Vec4::W]).unwrap();
        let mut list = DrawList::new();
        list.set_eye(eye);
        scene.cull(&mut [CullView::new(&frustum, &mut list)]).unwrap();
        let found = list.commands().iter().any(|command| command.node == node);
        assert!(found || outside > 0.0, "a box that touches the plane is missed, {distance} away");
        if found {
            listed += 1;
            most = most.max(outside / distance);
        }
    }
    assert!(listed > 500 && most < 2.5e-6, "{listed} boxes are listed, enlarged by up to {most} of the distance");
}

#[test]
fn what_leaves_a_translation_as_it_is_keeps_it_in_double_precision() {
    let mut scene = Scene::new();
    let node = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
    let precise = DVec3::new(1e7 + 0.125, 0.25, -3.0);
    scene.edit(node).unwrap().set_translation_f64(precise).unwrap();
    let found = |scene: &Scene| scene.get(node).unwrap().translation_f64();
    scene.modify_local(node, |local| local.rotation = Quat::from_rotation_x(0.5)).unwrap();
    assert_eq!(found(&scene), Some(precise));
    scene.edit(node).unwrap().look_at(Vec3::new(0.0, 5.0, 0.0), Vec3::Y).unwrap();
    assert_eq!(found(&scene), Some(precise));
    scene.modify_local(node, |local| local.translation.y = 1.0).unwrap();
    assert_eq!(found(&scene), Some(DVec3::new(1e7, 1.0, -3.0)));
}

#[test]
fn boxes_far_away_stay_exact_where_the_first_drawable_is_gone() {
    let mut scene = Scene::with_config(BOUNDED).unwrap();
    let place = DVec3::new(1e7 + 0.3, 0.0, 0.0);
    let nodes = [(); 2].map(|()| {
        let drawable = Node::transform(Transform::IDENTITY).with_drawable(Drawable::new(1, Aabb::cube(0.5)));
        let node = scene.insert(scene.root(), drawable).unwrap();
        scene.edit(node).unwrap().set_translation_f64(place).unwrap();
        node
    });
    scene.update();
    scene.remove(nodes[0]).unwrap();
    scene.update();
    // A node at the origin of the world gets the transform slot of the one that is gone.
    scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
    scene.update();
    let (frustum, mut list) = (looking(Vec3::ZERO, Vec3::NEG_Z), DrawList::new());
    // At the back of the box the view is 3.49 m wide on each side; single precision resolves metres there.
    for (aside, listed) in [(3.9, 1), (4.1, 0), (-3.9, 1), (-4.1, 0)] {
        list.set_eye(place + DVec3::new(aside, 0.0, 5.0));
        scene.cull(&mut [CullView::new(&frustum, &mut list)]).unwrap();
        assert_eq!(list.len(), listed, "{aside} aside");
    }
}
