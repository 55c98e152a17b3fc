//! Levels of detail, compared with a model that handles each drawable alone.

#![expect(clippy::cast_possible_truncation, reason = "small numbers, and distances in single precision")]

use crate::renderers::looking;
use fastrand::Rng;
use hedgerow::draw::{DrawCommand, DrawGroups};
use hedgerow::glam::{DVec3, Vec3, Vec4};
use hedgerow::query::{CullView, DetailView, Frustum, LevelsOfDetail};
use hedgerow::{
    Aabb, DrawList, Drawable, Error, Keep, Layers, Node, NodeHandle, Place, Scene, SceneConfig, Transform, ViewRange,
};
use std::collections::HashMap;

const BOUNDED: SceneConfig = SceneConfig { bounds: true, max_nodes: 16, ..SceneConfig::DEFAULT };
const MARGIN: f32 = 1.25;
/// The levels of meshes 0 to 4. Other meshes have none.
const TABLE: [&[(f32, Option<u32>)]; 5] = [
    &[(0.0, Some(100))],
    &[(11.3, Some(101)), (23.7, Some(201)), (31.9, Some(301)), (57.1, Some(401))],
    &[(17.3, Some(102)), (41.1, None)],
    &[(29.7, None)],
    &[(9.1, Some(3)), (19.3, Some(2))],
];

fn table() -> LevelsOfDetail {
    let mut levels = LevelsOfDetail::new().with_margin(MARGIN).unwrap();
    (0..).zip(TABLE).for_each(|(mesh, coarser)| levels.insert(mesh, coarser).unwrap());
    levels
}

fn everything() -> Frustum {
    Frustum::from_planes([Vec4::W; 6]).unwrap()
}

/// The contents of a command, except its level.
#[derive(Debug, PartialEq)]
struct Told {
    node: NodeHandle,
    mesh: u32,
    material: Option<u32>,
    user_data: u32,
}

fn told(command: &DrawCommand) -> Told {
    let &DrawCommand { node, mesh, user_data, .. } = command;
    Told { node, mesh, material: command.material(), user_data }
}

/// The state that a list with levels keeps between frames.
#[derive(Default)]
struct Model {
    levels: HashMap<NodeHandle, u32>,
    beyond: HashMap<NodeHandle, [bool; 2]>,
    kept: [u32; 3],
}

impl Model {
    /// Returns the expected commands, given the list that was culled without levels.
    fn choose(&mut self, scene: &Scene, nodes: &[NodeHandle], eye: DVec3, scale: f32, culled: &DrawList) -> Vec<Told> {
        let mut beyond = HashMap::new();
        for &node in nodes {
            let Some((node, range)) = scene.get(node).and_then(|node| Some((node, node.view_range()?))) else {
                continue;
            };
            let distance = node.world_f64().translation.distance(eye) * f64::from(scale);
            let before = self.beyond.get(&node.handle());
            let [near, far] = [range.near(), range.far()].map(f64::from);
            let is_beyond = |at: usize, limit: f64| {
                let factor = if before.is_some_and(|before| !before[at]) { MARGIN } else { 1.0 };
                distance >= limit * f64::from(factor)
            };
            let now = [is_beyond(0, near), is_beyond(1, far)];
            self.kept[2] += u32::from(before == Some(&now) && now != [distance >= near, distance >= far]);
            beyond.insert(node.handle(), now);
        }
        let in_range = |node: NodeHandle| {
            let mut up = core::iter::successors(Some(node), |&node| scene.parent(node));
            up.all(|node| beyond.get(&node).is_none_or(|&beyond| beyond == [true, false]))
        };
        let mut levels = HashMap::new();
        let mut listed = Vec::new();
        for command in culled.commands().iter().filter(|command| in_range(command.node)) {
            let bounds = scene.get(command.node).unwrap().bounds().unwrap();
            let point = eye.as_vec3();
            let distance = point.clamp(bounds.min, bounds.max).distance(point) * scale;
            let coarser = TABLE.get(command.mesh as usize).copied().unwrap_or_default();
            let from = |factor: f32| coarser.iter().filter(|(from, _)| distance / factor >= *from).count() as u32;
            let level = match self.levels.get(&command.node) {
                Some(&before) => before.clamp(from(MARGIN), from(1.0)),
                None => from(1.0),
            };
            self.kept[0] += u32::from(level != from(1.0));
            let mesh = if level == 0 { Some(command.mesh) } else { coarser[level as usize - 1].1 };
            if let Some(mesh) = mesh {
                levels.insert(command.node, level);
                listed.push(Told { mesh, ..told(command) });
            }
        }
        self.kept[1] += listed.len() as u32;
        (self.levels, self.beyond) = (levels, beyond);
        listed
    }

    fn forget(&mut self) {
        (self.levels, self.beyond) = Default::default();
    }
}

fn place(dice: &mut Rng) -> Transform {
    let mut number = || (dice.f32() - 0.5) * 40.0;
    Transform::from_xyz(number(), number(), number())
}

fn insert(scene: &mut Scene, nodes: &mut Vec<NodeHandle>, dice: &mut Rng) {
    let parent = nodes[dice.usize(..nodes.len())];
    let Some(parent) = scene.get(parent).map(|node| node.handle()) else { return };
    let mut node = Node::transform(place(dice));
    if dice.u8(..3) > 0 {
        let drawable = Drawable::new(dice.u32(..6), Aabb::new(Vec3::splat(-dice.f32()), Vec3::splat(2.0)));
        node = Node { local: node.local.filter(|_| dice.bool()), ..node.with_drawable(drawable) };
    }
    if dice.u8(..6) == 0 {
        let near = (dice.f32() * 40.0 - 10.0).max(0.0);
        node = node.with_view_range(ViewRange::new(near, near + dice.f32() * 60.0 + 1.0).unwrap());
    }
    nodes.push(scene.insert(parent, node.with_layers(Layers::new(1 + dice.u32(..3)))).unwrap());
}

fn edit(scene: &mut Scene, nodes: &mut Vec<NodeHandle>, dice: &mut Rng) {
    let [node, other] = [(); 2].map(|()| nodes[dice.usize(..nodes.len())]);
    // Edits of removed nodes are refused, for example.
    let _: Result<(), Error> = match dice.u8(..8) {
        0 | 1 => {
            insert(scene, nodes, dice);
            Ok(())
        }
        2 if dice.u8(..4) == 0 => scene.remove(node).map(drop),
        3 if dice.u8(..4) == 0 => scene.reparent(node, Place::Detached, Keep::Local).map(drop),
        3 => scene.reparent(node, other, Keep::Local).map(drop),
        4 => scene.edit(node).map(|mut node| _ = node.set_view_range(None)),
        5 => scene.edit(node).map(|mut node| _ = node.set_view_range(ViewRange::new(0.0, 45.5).unwrap())),
        _ => scene.set_local(node, place(dice)).map(drop),
    };
}

#[test]
fn a_coarser_level_keeps_material_and_winding() {
    let mut scene = Scene::with_config(BOUNDED).unwrap();
    let mirror = Transform { scale: Vec3::new(-1.0, 1.0, 1.0), ..Transform::from_xyz(50.0, 0.0, 0.0) };
    let node = Node::transform(mirror).with_drawable(Drawable::new(1, Aabb::cube(1.0))).with_material(7);
    scene.insert(scene.root(), node).unwrap();
    scene.update();
    let (levels, mut list) = (table(), DrawList::new());
    let detail = DetailView::new(&levels, DVec3::ZERO);
    scene.cull(&mut [CullView::new(&everything(), &mut list).with_detail(detail)]).unwrap();
    let command = list.commands()[0];
    assert_eq!((command.mesh, command.level(), command.material()), (301, 3, Some(7)));
    assert!(command.is_mirrored());
}

#[test]
fn views_choose_what_a_model_with_their_memory_chooses() {
    let levels = table();
    let mut kept = [0; 3];
    for seed in 0..12 {
        let mut dice = Rng::with_seed(seed);
        let mut scene = Scene::with_config(BOUNDED).unwrap();
        let mut nodes = vec![scene.root()];
        (0..150).for_each(|_| insert(&mut scene, &mut nodes, &mut dice));
        let mut lists = [const { DrawList::new() }; 4];
        lists[3].set_eye(DVec3::new(1.0, -2.0, 0.5));
        let mut models = [(); 4].map(|()| Model::default());
        let mut eyes = [(); 4].map(|()| place(&mut dice).translation.as_dvec3());
        for frame in 0..60 {
            (0..frame % 5).for_each(|_| edit(&mut scene, &mut nodes, &mut dice));
            scene.update();
            // Removals and ranges set after the update take effect at once.
            if frame % 7 == 0 {
                _ = scene.remove(nodes[dice.usize(1..nodes.len())]);
                scene.edit(nodes[0]).unwrap().set_view_range(ViewRange::new(0.0, 1e3).unwrap());
            }
            for eye in &mut eyes {
                *eye += place(&mut dice).translation.as_dvec3() * if frame % 9 == 0 { 1.0 } else { 0.06 };
            }
            let frusta = [everything(), looking(Vec3::ZERO, place(&mut dice).translation), everything(), everything()];
            let (layers, scales) = ([3, 3, 1, 2], [1.0, 0.5, 1.0, 1.5]);
            let detail = |at: usize| DetailView { scale: scales[at], ..DetailView::new(&levels, eyes[at]) };
            let expected: Vec<_> = (0..4)
                .map(|at| {
                    let mut culled = DrawList::new();
                    culled.set_eye(lists[at].eye());
                    let view = CullView::new(&frusta[at], &mut culled).on_layers(Layers::new(layers[at]));
                    scene.cull(&mut [view]).unwrap();
                    models[at].choose(&scene, &nodes, eyes[at], scales[at], &culled)
                })
                .collect();
            // Culls one view alone, and several together.
            for part in if frame % 2 == 0 { vec![0..1, 1..4] } else { vec![0..3, 3..4] } {
                let views = lists[part.clone()].iter_mut().zip(part).map(|(list, at)| {
                    CullView::new(&frusta[at], list).on_layers(Layers::new(layers[at])).with_detail(detail(at))
                });
                scene.cull(&mut views.collect::<Vec<_>>()).unwrap();
            }
            for (at, (list, expected)) in lists.iter().zip(&expected).enumerate() {
                let found: Vec<_> = list.commands().iter().map(told).collect();
                assert_eq!(found, *expected, "seed {seed}, frame {frame}, view {at}");
                let known = |command: &DrawCommand| models[at].levels[&command.node] == command.level();
                assert!(list.commands().iter().all(known));
                for (index, command) in list.commands().iter().enumerate() {
                    let node = scene.get(command.node).unwrap();
                    assert_eq!(Some(list.slots()[index]), node.matrix_slot());
                    assert_eq!(Some(&list.matrices()[index]), scene.world(command.node));
                }
                assert_eq!(list.relative_matrices().len(), if at == 3 { list.len() } else { 0 });
            }
            // Each of these calls makes a list forget its levels.
            let at = dice.usize(..12);
            match at {
                0 => lists[at].clear(),
                1 => scene.draw_list(&mut lists[at]),
                2 => scene.cull(&mut [CullView::new(&frusta[at], &mut lists[at])]).unwrap(),
                3 => scene
                    .clone()
                    .cull(&mut [CullView::new(&frusta[at], &mut lists[at]).with_detail(detail(at))])
                    .unwrap(),
                4 => lists[0].shrink_to_fit(),
                _ => continue,
            }
            if at < 4 {
                models[at].forget();
            }
        }
        for (sum, number) in
            kept.iter_mut().zip(models.iter().fold([0; 3], |a, b| [0, 1, 2].map(|at| a[at] + b.kept[at])))
        {
            *sum += number;
        }
    }
    assert!(kept[1] > 20_000 && kept[0] > 200 && kept[2] > 50, "levels and ranges were kept by margins: {kept:?}");
}

/// Returns a drawable with mesh 1 at the origin and a box that extends one metre on each side.
fn lone() -> (Scene, NodeHandle) {
    let mut scene = Scene::with_config(BOUNDED).unwrap();
    let node = Node::transform(Transform::IDENTITY).with_drawable(Drawable::new(1, Aabb::cube(1.0)));
    let node = scene.insert(scene.root(), node).unwrap();
    scene.update();
    (scene, node)
}

fn meshes(scene: &Scene, list: &mut DrawList, levels: &LevelsOfDetail, x: f64) -> Vec<u32> {
    let detail = DetailView::new(levels, DVec3::new(x, 0.0, 0.0));
    scene.cull(&mut [CullView::new(&everything(), list).with_detail(detail)]).unwrap();
    list.commands().iter().map(|command| command.mesh).collect()
}

#[test]
fn a_drawable_becomes_coarser_a_margin_farther_out_than_finer() {
    let (scene, _) = lone();
    let mut levels = LevelsOfDetail::new();
    levels.insert(1, &[(10.0, Some(2)), (20.0, None)]).unwrap();
    let mut list = DrawList::new();
    // The box starts one metre from the origin, and the margin is a tenth.
    let mut at = |x| meshes(&scene, &mut list, &levels, x);
    assert_eq!([10.9, 11.5, 11.9, 12.1, 11.9, 11.1, 10.9].map(&mut at), [[1], [1], [1], [2], [2], [2], [1]]);
    assert_eq!([12.1, 22.5, 23.1, 22.5, 21.1, 20.9, 22.9].map(|x| at(x).len()), [1, 1, 0, 0, 0, 1, 1]);
    // In a new list only the distance decides.
    assert_eq!(meshes(&scene, &mut DrawList::new(), &levels, 11.5), [2]);
}

#[test]
fn a_camera_that_stands_still_changes_nothing_and_groups_are_by_the_chosen_mesh() {
    let (mut scene, _) = lone();
    for z in 0..20 {
        let node =
            Node::transform(Transform::from_xyz(0.0, 0.0, z as f32)).with_drawable(Drawable::new(1, Aabb::cube(0.1)));
        scene.insert(scene.root(), node).unwrap();
    }
    scene.update();
    let levels = table();
    let (mut list, mut groups) = (DrawList::new(), DrawGroups::new());
    meshes(&scene, &mut list, &levels, 5.0);
    assert!(list.group(&mut groups));
    let found: Vec<_> = groups.groups().iter().map(|group| (group.mesh, group.count)).collect();
    let far = list.commands().iter().filter(|command| command.level() == 1).count() as u32;
    assert!(far > 3 && found == [(1, 21 - far), (101, far)], "{found:?}");
    meshes(&scene, &mut list, &levels, 5.0);
    assert!(!list.group(&mut groups) && list.changed_commands().next().is_none());
}

#[test]
fn a_subtree_and_its_stand_in_change_places_at_one_moment() {
    let (mut scene, _) = lone();
    let town = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
    let houses = scene.insert(town, Node::group().with_view_range(ViewRange::new(0.0, 50.0).unwrap())).unwrap();
    for x in [-20.0, 20.0] {
        let house = Node::transform(Transform::from_xyz(x, 0.0, 0.0)).with_drawable(Drawable::new(7, Aabb::cube(1.0)));
        scene.insert(houses, house).unwrap();
    }
    let far = Node::drawable(Drawable::new(8, Aabb::cube(30.0))).with_view_range(ViewRange::new(50.0, 200.0).unwrap());
    let skyline = scene.insert(town, far).unwrap();
    scene.update();
    let (levels, mut list, mut dice) = (LevelsOfDetail::new(), DrawList::new(), Rng::with_seed(5));
    let mut turns = 0;
    let mut before = vec![1, 7, 7];
    for _ in 0..2000 {
        let now = meshes(&scene, &mut list, &levels, 45.0 + 15.0 * dice.f64());
        assert!(now == [1, 7, 7] || now == [1, 8], "{now:?}");
        turns += u32::from(now != before);
        before = now;
    }
    assert!(turns > 50);
    // Ranges of ancestors apply too. Without levels, ranges do not apply.
    assert_eq!(meshes(&scene, &mut list, &levels, 300.0), [1]);
    scene.edit(town).unwrap().set_view_range(ViewRange::new(0.0, 60.0).unwrap());
    assert_eq!(meshes(&scene, &mut list, &levels, 100.0), [1]);
    assert_eq!(scene.get(skyline).unwrap().view_range(), Some(ViewRange::new(50.0, 200.0).unwrap()));
    scene.draw_list(&mut list);
    assert_eq!(list.len(), 4);
}

#[test]
fn far_from_the_origin_distances_are_as_exact_as_nearby() {
    let mut scene = Scene::with_config(SceneConfig { max_nodes: 16, ..SceneConfig::DEFAULT }).unwrap();
    let far = DVec3::new(2e7, -1e7, 0.5);
    let city = scene.insert(scene.root(), Node::transform(Transform::IDENTITY).with_translation_f64(far)).unwrap();
    for x in 0..40 {
        let node =
            Node::transform(Transform::from_xyz(x as f32, 0.0, 0.0)).with_drawable(Drawable::new(1, Aabb::cube(0.25)));
        scene.insert(city, node.with_view_range(ViewRange::new(0.0, 27.5).unwrap())).unwrap();
    }
    scene.update();
    let mut levels = LevelsOfDetail::new();
    levels.insert(1, &[(10.5, Some(2))]).unwrap();
    let mut list = DrawList::new();
    list.set_eye(far);
    let detail = DetailView::new(&levels, far);
    scene.cull(&mut [CullView::new(&everything(), &mut list).with_detail(detail)]).unwrap();
    let found: Vec<_> = list.commands().iter().map(|command| command.mesh).collect();
    assert_eq!(found, [vec![1; 11], vec![2; 17]].concat());
}

#[test]
fn what_is_no_distance_is_refused_and_changes_nothing() {
    let refused = |result: Result<(), Error>| assert!(matches!(result, Err(Error::InvalidDistances(_))), "{result:?}");
    let mut levels = table();
    for bad in [
        &[(f32::NAN, Some(1))][..],
        &[(f32::INFINITY, Some(1))],
        &[(-1.0, Some(1))],
        &[(2.0, Some(1)), (2.0, Some(3))],
        &[(1.0, None), (2.0, Some(3))],
        &[(1.0, Some(1)), (2.0, Some(1)), (3.0, Some(1)), (4.0, Some(1)), (5.0, Some(1))],
    ] {
        refused(levels.insert(9, bad));
    }
    for margin in [0.9, f32::NAN, f32::INFINITY] {
        refused(table().with_margin(margin).map(drop));
    }
    for (near, far) in
        [(0.0, 0.0), (-1.0, 2.0), (3.0, 2.0), (f32::NAN, 1.0), (0.0, f32::NAN), (f32::INFINITY, f32::INFINITY)]
    {
        refused(ViewRange::new(near, far).map(drop));
    }
    assert_eq!(ViewRange::new(-0.0, f32::INFINITY).unwrap().near().to_bits(), 0, "zero has one sign");
    let (scene, _) = lone();
    let mut list = DrawList::new();
    scene.draw_list(&mut list);
    for (eye, scale) in [(f64::NAN, 1.0), (f64::INFINITY, 1.0), (0.0, f32::NAN), (0.0, 0.0), (0.0, -1.0)] {
        let detail = DetailView { scale, ..DetailView::new(&levels, DVec3::splat(eye)) };
        let result = scene.cull(&mut [CullView::new(&everything(), &mut list).with_detail(detail)]);
        assert!(matches!(result, Err(Error::NotFinite(_) | Error::InvalidDistances(_))) && list.len() == 1);
    }
}

/// Distances that single precision cannot hold, or cannot square, are finite.
#[test]
fn a_range_or_level_is_compared_with_the_distance_however_great_it_is() {
    let far = [(3e38, 1.0), (1e10, 1e30), (1e38, 1e38), (4e19, 1.0), (1e-25, 1.0)];
    for ((place, scale), eye) in far.into_iter().flat_map(|case| [None, Some(DVec3::ZERO)].map(|eye| (case, eye))) {
        let mut scene = Scene::with_config(BOUNDED).unwrap();
        let node = Node::transform(Transform::from_xyz(place, place, 0.0));
        let distance = f64::from(place).hypot(place.into()) * f64::from(scale);
        for (near, far) in [(0.0, f32::INFINITY), (f32::MAX, f32::INFINITY), (0.0, f32::MAX)] {
            let node = node.with_drawable(Drawable::new(2, Aabb::cube(1.0)));
            scene.insert(scene.root(), node.with_view_range(ViewRange::new(near, far).unwrap())).unwrap();
        }
        let point = Aabb::new(Vec3::ZERO, Vec3::ZERO);
        for mesh in [3, 4] {
            scene.insert(scene.root(), node.with_drawable(Drawable::new(mesh, point))).unwrap();
        }
        scene.update();
        let mut levels = LevelsOfDetail::new();
        for (mesh, factor) in [(3, 0.5), (4, 1.5)] {
            let from = (distance * factor).min(f32::MAX.into()) as f32;
            levels.insert(mesh, &[(from, Some(10 * mesh))]).unwrap();
        }
        let view = DetailView { scale, ..DetailView::new(&levels, DVec3::ZERO) };
        let mut list = DrawList::new();
        list.set_eye(eye);
        for _ in 0..2 {
            scene.cull(&mut [CullView::new(&everything(), &mut list).with_detail(view)]).unwrap();
            let ranged = list.commands().iter().filter(|command| command.mesh == 2).count();
            assert_eq!(
                ranged, 2,
                "of {place} times {scale}: one of the ranges that end or begin at the greatest number"
            );
            let meshes: Vec<u32> = list.commands()[ranged..].iter().map(|command| command.mesh).collect();
            let beyond = distance >= f64::from(f32::MAX);
            assert_eq!(meshes, [30, if beyond { 40 } else { 4 }], "{place} times {scale}");
        }
    }
}
