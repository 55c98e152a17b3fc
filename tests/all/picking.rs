//! Picks and selections, compared with tests of every node.

use hedgerow::draw::DrawCommand;
use hedgerow::glam::{DAffine3, DVec3, Mat4, Quat, Vec2, Vec3, camera::rh};
use hedgerow::query::{
    CullView, DetailView, Faces, Filter, Frustum, LevelsOfDetail, LocalRay, LocalVolume, Pick, Pickable, Ray, Selected,
    Touch, TriangleHit,
};
use hedgerow::{
    Aabb, DrawList, Drawable, Error, Layers, Node, NodeHandle, Scene, SceneConfig, Transform, ViewRange, Visibility,
};
use hedgerow_mesh::TriangleTree;
use hedgerow_testkit::Dice;
use hedgerow_testkit::triangles::{Soup, boxes, sphere, terrain};

struct Surface {
    soup: Soup,
    tree: TriangleTree,
}

fn surfaces() -> Vec<Surface> {
    // Flat, so that its box has no thickness.
    let square = Soup {
        positions: vec![[-1.0, 0.0, -1.0], [1.0, 0.0, -1.0], [1.0, 0.0, 1.0], [-1.0, 0.0, 1.0]],
        indices: vec![[0, 2, 1], [0, 3, 2]],
    };
    let soups = [boxes(12), sphere(200), square, terrain(60)];
    soups.map(|soup| Surface { tree: TriangleTree::build(soup.mesh()).unwrap(), soup }).into()
}

fn bounded() -> Scene {
    Scene::with_config(SceneConfig { bounds: true, max_nodes: 512, ..SceneConfig::DEFAULT }).unwrap()
}

/// A scene of mirrored and sheared drawables around a place, some hidden, and the nodes of it.
fn town(surfaces: &[Surface], dice: &mut Dice, place: DVec3, groups: usize) -> (Scene, Vec<NodeHandle>) {
    let (mut scene, mut nodes) = (bounded(), Vec::new());
    let top = scene.insert(scene.root(), Node::transform(Transform::IDENTITY).with_translation_f64(place)).unwrap();
    for _ in 0..groups {
        let scale = Vec3::new([1.0, -1.0][dice.index(2)], 0.3 + dice.share(), 1.0);
        let group = Transform::from_translation(dice.vector() * 60.0).with_scale(scale);
        let layers = Layers::new(1 << dice.below(2));
        let group = scene.insert(top, Node::transform(group).with_layers(layers)).unwrap();
        for _ in 0..8 {
            let mesh = dice.below(4);
            let (min, max) = surfaces[mesh as usize].soup.bounds();
            let local = Transform::from_translation(dice.vector() * 6.0).with_rotation(dice.rotation());
            let local = local.with_scale(Vec3::splat([0.1, 1.0, 0.0][dice.index(21) / 10]));
            let drawable = Drawable::new(mesh, Aabb::new(min, max));
            nodes.push(scene.insert(group, Node::transform(local).with_drawable(drawable)).unwrap());
        }
    }
    for &node in &nodes[..10] {
        scene.edit(node).unwrap().set_visibility(Visibility::Hidden);
    }
    scene.update();
    (scene, nodes)
}

/// Picks by the trees of the surfaces.
fn by_trees(surfaces: &[Surface]) -> impl FnMut(&DrawCommand, &LocalRay, f64) -> Option<TriangleHit> {
    |drawn, ray, limit| {
        let Surface { soup, tree } = &surfaces[drawn.mesh as usize];
        tree.cast(soup.mesh(), ray, limit, Faces::Both)
    }
}

/// Returns distance, node and triangle of the hits on all nodes, in order.
fn hits_on_all(
    (scene, nodes): (&Scene, &[NodeHandle]),
    surfaces: &[Surface],
    ray: &Ray,
    filter: Filter,
    world: impl Fn(NodeHandle) -> DAffine3,
) -> Vec<(f64, NodeHandle, u32)> {
    let all = nodes.iter().filter_map(|&node| {
        let at = scene.get(node)?;
        let drawable = at.drawable()?;
        let admitted =
            at.layers().intersects(filter.layers) && filter.below.is_none_or(|top| top == node || at.is_below(top));
        let Surface { soup, tree } = &surfaces[drawable.mesh as usize];
        let local = ray.to_local(world(node)).filter(|_| admitted)?;
        let hit = tree.cast(soup.mesh(), &local, ray.length().into(), Faces::Both)?;
        Some((hit.t, node, hit.triangle))
    });
    let mut all: Vec<_> = all.collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    all
}

fn found(pick: &Pick) -> (f64, NodeHandle, u32) {
    (pick.distance, pick.drawn.node, pick.hit.triangle)
}

fn random_ray(dice: &mut Dice) -> Ray {
    let ray = Ray::new(dice.vector() * 70.0, dice.vector() + Vec3::splat(1e-3)).unwrap();
    if dice.one_of(3) { ray.up_to(30.0 * dice.share()).unwrap() } else { ray }
}

#[test]
fn picks_are_what_testing_every_node_finds() {
    let (surfaces, mut dice) = (surfaces(), Dice::with_seed(8));
    let (scene, nodes) = town(&surfaces, &mut dice, DVec3::ZERO, 150);
    let group = scene.parent(nodes[40]).unwrap();
    let (mut hits, mut picks) = (0, Vec::new());
    for turn in 0..600 {
        let ray = random_ray(&mut dice);
        let filter = [Filter::ALL, Filter::from(Layers::new(1)), Filter::below(group)][turn % 3];
        let world = |node| scene.world(node).unwrap().to_wide();
        let expected = hits_on_all((&scene, &nodes), &surfaces, &ray, filter, world);
        scene.pick_all(&ray, filter, by_trees(&surfaces), &mut picks).unwrap();
        assert_eq!(picks.iter().map(found).collect::<Vec<_>>(), expected, "{ray:?}");
        let nearest = scene.pick(&ray, filter, by_trees(&surfaces)).unwrap();
        assert_eq!(nearest.as_ref(), picks.first());
        for pick in &picks {
            hits += 1;
            let world = world(pick.drawn.node);
            let Surface { soup, .. } = &surfaces[pick.drawn.mesh as usize];
            let corners =
                soup.mesh().corners(pick.hit.triangle).unwrap().map(|corner| world.transform_point3(corner.as_dvec3()));
            let [a, b, c] = corners;
            let [u, v, w] = pick.hit.barycentric.map(f64::from);
            assert!((a * u + b * v + c * w).abs_diff_eq(pick.position, 1e-3), "{pick:?}");
            // The outer side stays the outer side in a mirrored node.
            let turned = if pick.drawn.is_mirrored() { -1.0 } else { 1.0 };
            assert!(pick.normal.abs_diff_eq((b - a).cross(c - a).normalize() * turned, 1e-6), "{pick:?}");
            assert_eq!(pick.hit.front, pick.normal.dot(ray.direction().as_dvec3()) < 0.0, "{pick:?}");
        }
    }
    assert!(hits > 300, "{hits}");
}

/// Rays at the corners of meshes, most of which are on a face, an edge or a corner of their boxes.
#[test]
fn no_hit_at_the_edge_of_a_box_is_lost_to_rounding() {
    let (surfaces, mut dice, mut hits) = (surfaces(), Dice::with_seed(4), 0);
    for place in [0.0, 1e3, 1e5] {
        let (mut scene, nodes) = town(&surfaces, &mut dice, DVec3::splat(place), 30);
        if place == 1e3 {
            // Beside an infinite box, the others are widened one by one.
            let drawable = scene.get(nodes[20]).unwrap().drawable().unwrap();
            let infinite = Drawable::new(drawable.mesh, Aabb::INFINITE);
            scene.edit(nodes[20]).unwrap().set_drawable(infinite).unwrap();
            scene.update();
        }
        for &node in nodes.iter().cycle().take(5_000) {
            let at = scene.get(node).unwrap();
            let (world, drawable) = (at.world().to_wide(), at.drawable().unwrap());
            let soup = &surfaces[drawable.mesh as usize].soup;
            let corner = Vec3::from(soup.positions[dice.index(soup.positions.len())]).as_dvec3();
            let corner = world.transform_point3(corner).as_vec3();
            let axis = Vec3::AXES[dice.index(3)] * 5.0;
            let away = [axis, dice.vector() * 40.0][dice.index(2)];
            let Ok(ray) = Ray::new(corner + away, -away) else { continue };
            let expected = hits_on_all((&scene, &[node]), &surfaces, &ray, Filter::ALL, |_| world);
            let pick = scene.pick(&ray, Filter::below(node), by_trees(&surfaces)).unwrap();
            assert_eq!(pick.as_ref().map(found), expected.first().copied(), "{ray:?}");
            hits += expected.len();
        }
    }
    assert!(hits > 5000, "{hits}");
}

#[test]
fn picks_around_an_eye_far_away_are_exact() {
    let (surfaces, mut dice) = (surfaces(), Dice::with_seed(3));
    let place = DVec3::new(1e7 + 0.125, -3e6, 2e7);
    let (mut scene, nodes) = town(&surfaces, &mut dice, place, 40);
    let (mut list, mut picks, mut hits) = (DrawList::new(), Vec::new(), 0);
    for turn in 0..200 {
        let eye = place + dice.vector().as_dvec3() * 20.0;
        list.set_eye(eye);
        if turn == 100 {
            // What moves is found where it is now.
            scene.set_local(nodes[30], Transform::from_xyz(0.0, 1.0, 0.0)).unwrap();
            scene.update();
        }
        let ray = random_ray(&mut dice);
        let world = |node| {
            let world = scene.get(node).unwrap().world_f64();
            DAffine3 { translation: world.translation - eye, ..world }
        };
        let expected = hits_on_all((&scene, &nodes), &surfaces, &ray, Filter::ALL, world);
        scene.pick_all(&ray, Filter::ALL.in_list(&mut list), by_trees(&surfaces), &mut picks).unwrap();
        assert_eq!(picks.iter().map(found).collect::<Vec<_>>(), expected, "{ray:?}");
        for pick in &picks {
            hits += 1;
            let on = eye + ray.origin().as_dvec3() + ray.direction().as_dvec3() * pick.distance;
            assert!(pick.position.abs_diff_eq(on, 1e-8));
        }
    }
    assert!(hits > 50, "{hits}");
}

#[test]
fn what_a_list_draws_is_hit_and_a_stand_in_says_for_whom_it_stands() {
    let mut scene = bounded();
    let drawable = |mesh| Drawable::new(mesh, Aabb::cube(1.0));
    let at = |z| Transform::from_xyz(0.0, 0.0, z);
    let range = |near, far| ViewRange::new(near, far).unwrap();
    let stone = scene.insert(scene.root(), Node::transform(at(-20.0)).with_drawable(drawable(1))).unwrap();
    let trees = scene.insert(scene.root(), Node::group().with_view_range(range(0.0, 100.0))).unwrap();
    let tree = scene.insert(trees, Node::transform(at(-40.0)).with_drawable(drawable(1))).unwrap();
    let wood = Node::group().with_view_range(range(100.0, 900.0));
    let wood = scene.insert(scene.root(), wood).unwrap();
    let part = scene.insert(wood, Node::transform(at(-50.0)).with_drawable(drawable(7))).unwrap();
    scene.update();
    let mut levels = LevelsOfDetail::new();
    levels.insert(1, &[(30.0, Some(2)), (150.0, None)]).unwrap();
    let everything = Frustum::from_planes([hedgerow::glam::Vec4::ZERO; 6]).unwrap();
    let mut list = DrawList::new();
    let mut seen = |scene: &Scene, eye: f32, culled: bool| {
        let detail = DetailView::new(&levels, Vec3::Z * eye);
        if culled {
            scene.cull(&mut [CullView::new(&everything, &mut list).with_detail(detail)]).unwrap();
        }
        let ray = Ray::new(Vec3::Z * eye, Vec3::NEG_Z).unwrap();
        let mut picks = Vec::new();
        // The surface is the front of the box.
        let front = |_: &DrawCommand, ray: &LocalRay, _: f64| {
            Some(TriangleHit {
                t: (ray.origin.z - 1.0) / -ray.direction.z,
                triangle: 0,
                barycentric: [1.0, 0.0, 0.0],
                normal: DVec3::Z,
                front: true,
            })
        };
        scene.pick_all(&ray, Filter::ALL.in_list(&mut list), front, &mut picks).unwrap();
        picks.iter().map(|pick| (pick.drawn.node, pick.drawn.mesh, pick.drawn.level())).collect::<Vec<_>>()
    };
    assert_eq!(seen(&scene, 0.0, false), [(stone, 1, 0), (tree, 1, 0), (part, 7, 0)], "a list without levels");
    assert_eq!(seen(&scene, 0.0, true), [(stone, 1, 0), (tree, 2, 1)]);
    assert_eq!(seen(&scene, 105.0, true), [(stone, 2, 1), (tree, 2, 1)], "the margin keeps the trees");
    assert_eq!(seen(&scene, 118.0, true), [(stone, 2, 1), (part, 7, 0)]);
    assert_eq!(seen(&scene, 300.0, true), [(part, 7, 0)]);
    assert_eq!(seen(&scene, 0.0, false), [(part, 7, 0)], "what the list showed last");
    let stands_for = |node| scene.get(node).unwrap().stands_for().map(|node| node.handle()).collect::<Vec<_>>();
    assert_eq!((stands_for(part), stands_for(wood), stands_for(tree)), (vec![trees], vec![trees], vec![]));
}

#[test]
fn a_selection_has_what_testing_every_node_finds() {
    let (surfaces, mut dice) = (surfaces(), Dice::with_seed(5));
    for (place, turns) in [(DVec3::ZERO, 30), (DVec3::new(1e7 + 0.125, -3e6, 2e7), 10)] {
        let (scene, nodes) = town(&surfaces, &mut dice, place, 60);
        let mut counts = [0; 2];
        for _ in 0..turns {
            let view = rh::view::look_to_mat4(dice.vector() * 60.0, dice.vector().normalize_or(Vec3::X), Vec3::Y);
            let camera: Mat4 = rh::proj::directx::perspective_infinite_reverse(1.0, 1.5, 0.1) * view;
            let (a, b) = (dice.vector().truncate(), dice.vector().truncate());
            let frustum = Frustum::from_view_projection_rect(&camera, a.min(b), a.max(b)).unwrap();
            let (mut list, mut selected) = (DrawList::new(), Vec::new());
            let far = place != DVec3::ZERO;
            list.set_eye(far.then_some(place));
            let what: Pickable<'_> = if far { Filter::ALL.in_list(&mut list) } else { Filter::ALL.into() };
            let by_trees = |drawn: &DrawCommand, volume: &LocalVolume| {
                let Surface { soup, tree } = &surfaces[drawn.mesh as usize];
                tree.touch(soup.mesh(), volume)
            };
            scene.select(&frustum, what, by_trees, &mut selected).unwrap();
            let mut found: Vec<_> = selected.iter().map(|&Selected { drawn, whole }| (drawn.node, whole)).collect();
            found.sort_unstable();
            let mut expected: Vec<_> = nodes
                .iter()
                .filter_map(|&node| {
                    let at = scene.get(node).filter(|at| !at.layers().is_empty())?;
                    let Surface { soup, .. } = &surfaces[at.drawable()?.mesh as usize];
                    let world = if far { at.world_f64() } else { at.world().to_wide() };
                    let world = DAffine3 { translation: world.translation - place, ..world };
                    let volume = LocalVolume::of_frustum(&frustum, world);
                    let touches = soup.indices.iter().map(|corners| {
                        volume.touch(corners.map(|at| Vec3::from(soup.positions[at as usize]).as_dvec3()))
                    });
                    let touches: Vec<Touch> = touches.collect();
                    let whole = touches.iter().all(|&touch| touch == Touch::Whole);
                    touches.iter().any(|&touch| touch != Touch::None).then_some((node, whole))
                })
                .collect();
            expected.sort_unstable();
            assert_eq!(found, expected);
            found.iter().for_each(|&(_, whole)| counts[usize::from(whole)] += 1);
        }
        assert!(counts.iter().all(|&count| count > 5), "{counts:?}");
    }
}

#[test]
fn picks_go_by_the_last_update_without_what_was_removed_since() {
    let surfaces = surfaces();
    let mut scene = bounded();
    let insert = |scene: &mut Scene, z| {
        let place = Transform::from_xyz(0.0, 0.0, z).with_rotation(Quat::from_rotation_x(1.5));
        let square = Drawable::new(2, Aabb::new(Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 0.0, 1.0)));
        scene.insert(scene.root(), Node::transform(place).with_drawable(square)).unwrap()
    };
    let (near, far) = (insert(&mut scene, -4.0), insert(&mut scene, -9.0));
    scene.update();
    let ray = Ray::new(Vec3::ZERO, Vec3::NEG_Z).unwrap();
    let hit = |scene: &Scene| scene.pick(&ray, Filter::ALL, by_trees(&surfaces)).unwrap().map(|pick| pick.drawn.node);
    insert(&mut scene, -2.0);
    assert_eq!(hit(&scene), Some(near), "what is new is not there yet");
    scene.remove(near).unwrap();
    assert_eq!(hit(&scene), Some(far));
    assert_eq!(scene.pick(&ray.up_to(5.0).unwrap(), Filter::ALL, by_trees(&surfaces)), Ok(None));
    // Hits that are no answer do not count.
    for t in [-1.0, 1e3, f64::NAN] {
        let odd = |_: &DrawCommand, ray: &LocalRay, limit: f64| {
            let hit = surfaces[2].tree.cast(surfaces[2].soup.mesh(), ray, limit, Faces::Both)?;
            Some(TriangleHit { t, ..hit })
        };
        assert_eq!(scene.pick(&ray.up_to(100.0).unwrap(), Filter::ALL, odd), Ok(None));
    }
    let none = |_: &DrawCommand, _: &LocalRay, _: f64| None;
    assert_eq!(scene.pick(&ray, Filter::below(near), none), Err(Error::StaleHandle(near)));
    assert_eq!(Scene::new().pick(&ray, Filter::ALL, none), Err(Error::NoBounds));
    assert_eq!(Scene::new().pick(&ray, Filter::ALL.in_list(&mut DrawList::new()), none), Err(Error::NoBounds));
    let (all, mut list) =
        (Frustum::from_view_projection_rect(&Mat4::IDENTITY, Vec2::ZERO, Vec2::ONE).unwrap(), DrawList::new());
    list.set_eye(DVec3::ZERO);
    assert_eq!(Scene::new().pick(&ray, Filter::ALL.in_list(&mut list), none), Ok(None), "an eye needs no boxes");
    assert_eq!(Scene::new().select(&all, Filter::ALL, |_, _| Touch::Whole, &mut Vec::new()), Err(Error::NoBounds));
}

#[test]
fn hits_at_a_negative_zero_are_as_near_as_those_at_zero() {
    let (mut scene, mut picks) = (bounded(), Vec::new());
    let nodes = [0, 1, 2].map(|mesh| {
        let drawable = Node::drawable(Drawable::new(mesh, Aabb::cube(1.0)));
        scene.insert(scene.root(), drawable).unwrap()
    });
    scene.update();
    let ray = Ray::new(Vec3::ZERO, Vec3::X).unwrap();
    let touched = |drawn: &DrawCommand, _: &LocalRay, _: f64| {
        let t = [0.0, -0.0][drawn.mesh as usize % 2];
        Some(TriangleHit { t, triangle: 0, barycentric: [1.0, 0.0, 0.0], normal: DVec3::X, front: true })
    };
    scene.pick_all(&ray, Filter::ALL, touched, &mut picks).unwrap();
    let mut sorted = nodes;
    sorted.sort();
    assert!(picks.iter().map(|pick| pick.drawn.node).eq(sorted));
    assert_eq!(scene.pick(&ray, Filter::ALL, touched).unwrap().as_ref(), picks.first());
}

#[test]
fn an_empty_box_is_not_hit_and_of_equally_near_hits_the_least_handle_wins() {
    let (surfaces, mut scene) = (surfaces(), bounded());
    let square = |bounds| Node::drawable(Drawable::new(2, bounds));
    let whole = Aabb::new(Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 0.0, 1.0));
    scene.insert(scene.root(), square(Aabb::EMPTY)).unwrap();
    let [first, second, endless] =
        [whole, whole, Aabb::INFINITE].map(|bounds| scene.insert(scene.root(), square(bounds)).unwrap());
    scene.update();
    let ray = Ray::new(Vec3::new(0.25, 3.0, 0.125), Vec3::new(0.02, -1.0, 0.03)).unwrap();
    let (mut list, mut picks) = (DrawList::new(), Vec::new());
    for eye in [false, true] {
        list.set_eye(eye.then_some(DVec3::ZERO));
        let mut all = |filter: Pickable<'_>| {
            scene.pick_all(&ray, filter, by_trees(&surfaces), &mut picks).unwrap();
            picks.iter().map(|pick| (pick.distance, pick.drawn.node)).collect::<Vec<_>>()
        };
        let hits = all(Filter::ALL.in_list(&mut list));
        let mut nodes = [first, second, endless];
        nodes.sort();
        assert!(hits.iter().map(|hit| hit.1).eq(nodes), "{eye}: {hits:?}");
        let nearest = |ray: &Ray| scene.pick(ray, Filter::ALL, by_trees(&surfaces)).unwrap();
        assert_eq!(nearest(&ray).unwrap().drawn.node, nodes[0]);
        let distance = Vec3::new(0.06, -3.0, 0.09).length();
        for (share, is_hit) in [(0.999, false), (1.001, true)] {
            assert_eq!(nearest(&ray.up_to(distance * share).unwrap()).is_some(), is_hit);
        }
    }
}
