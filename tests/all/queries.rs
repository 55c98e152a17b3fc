//! Each query and iterator on a hand-made tree.

use crate::trees::{APART, with};
use hedgerow::glam::{DVec3, Vec3};
use hedgerow::query::{BoxIndex, Filter, Frustum, Ray, Sphere, Volume};
use hedgerow::{
    Aabb, Drawable, Error, Layers, Mat34, Node, NodeHandle, Scene, SceneConfig, Transform, ViewRange, Visibility,
};
use hedgerow_testkit::dice::Dice;

/// A tree with these names:
///
/// ```text
/// root ─┬─ a ─┬─ d ── h
///       │     ├─ e
///       │     └─ f ─┬─ i
///       │           └─ j
///       ├─ b
///       └─ c ── g
/// ```
struct Fixture {
    scene: Scene,
}

impl Fixture {
    fn new() -> Self {
        let mut fixture = Self { scene: with(APART) };
        fixture.scene.edit(fixture.scene.root()).unwrap().set_name("root");
        let family = [("root", "abc"), ("a", "def"), ("c", "g"), ("d", "h"), ("f", "ij")];
        for (parent, children) in family {
            let parent = fixture.get(parent);
            for child in children.split("").filter(|name| !name.is_empty()) {
                fixture.scene.insert(parent, Node::group().with_name(child)).unwrap();
            }
        }
        fixture.scene.update();
        fixture.scene.validate().unwrap();
        assert!(fixture.scene.slices().count() > 1);
        fixture
    }

    fn get(&self, name: &str) -> NodeHandle {
        let root = self.scene.root();
        let all = self.scene.get(root).unwrap().descendants().map(|node| node.handle());
        all.filter(|&node| self.scene.get(node).and_then(|node| node.name()) == Some(name))
            .last()
            .expect("the name is in the tree")
    }
}

#[test]
fn paths_take_the_first_match_in_sibling_order() {
    let mut fixture = Fixture::new();
    let root = fixture.scene.root();
    let find = |fixture: &Fixture, path: &str| {
        fixture.scene.get(fixture.scene.root()).and_then(|node| node.find(path)).map(|node| node.handle())
    };
    assert_eq!(find(&fixture, "a/f/j"), Some(fixture.get("j")));
    assert_eq!(find(&fixture, "a/f/h"), None);
    assert_eq!(find(&fixture, "f"), None, "a path starts among the children");
    let (a, f) = (fixture.get("a"), fixture.get("f"));
    assert_eq!(fixture.scene.get(a).unwrap().find("f/i").map(|node| node.handle()), Some(fixture.get("i")));
    assert_eq!(fixture.scene.get(a).unwrap().find("").map(|node| node.handle()), Some(a), "no step leads nowhere");

    let second = fixture.scene.insert(a, Node::group().with_name("f")).unwrap();
    assert_eq!(find(&fixture, "a/f"), Some(f));
    fixture.scene.reparent(second, hedgerow::Place::FirstChildOf(a), hedgerow::Keep::Local).unwrap();
    assert_eq!(find(&fixture, "a/f"), Some(second));

    let slashed = fixture.scene.insert(second, Node::group().with_name("x/y")).unwrap();
    let all: Vec<_> = fixture.scene.get(root).unwrap().find_all("x/y").map(|node| node.handle()).collect();
    assert_eq!(all, [slashed]);
    let all = fixture.scene.get(root).unwrap().find_all("f").map(|node| node.handle());
    assert!(all.eq([second, f]), "in pre-order");
    assert_eq!(find(&fixture, "a/f/x/y"), None);
}

#[test]
fn iterators_and_views_print_a_summary() {
    let fixture = Fixture::new();
    let scene = &fixture.scene;
    let children = format!("{:?}", scene.children(scene.root()));
    assert!(children.contains("name: Some(\"a\")"), "{children}");
    let view = scene.slices().next().unwrap();
    let slice = format!("{view:?}");
    assert!(slice.contains(&format!("nodes: {}", view.nodes())), "{slice}");
}

/// Checks that an index of a whole scene finds the boxes that the scene finds.
fn same_found(index: &BoxIndex, scene: &Scene, volume: &impl Volume) {
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    index.query(volume, &mut found).unwrap();
    scene.query(volume, Filter::ALL, &mut expected).unwrap();
    found.sort_unstable();
    expected.sort_unstable();
    assert!(found == expected, "{} instead of {} of {}", found.len(), expected.len(), index.len());
}

#[test]
fn boxes_sorted_by_place_are_found_wherever_they_are() {
    let mut dice = Dice::with_seed(5);
    // At most two regions of 64 blocks and a part of a third, whose last block is not full.
    for count in [0_usize, 1, 64, 65, 4096, 9_001] {
        let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT }).unwrap();
        let mut place = || dice.vector() * Vec3::new(250.0, 1.0, 30.0);
        for number in 0..count {
            let bounds = match number % 100 {
                0 => Aabb::EMPTY,
                1 => Aabb::INFINITE,
                2 => Aabb::new(Vec3::splat(1e30), Vec3::splat(2e30)),
                3..20 => Aabb::cube(0.5),
                _ => Aabb::cube(0.5).transformed(&Transform::from_translation(place()).to_matrix()),
            };
            scene.insert(scene.root(), Node::drawable(Drawable::new(1, bounds))).unwrap();
        }
        scene.update();
        let mut index = BoxIndex::new();
        index.fill(&scene, Filter::ALL).unwrap();
        let empty = count.div_ceil(100);
        assert_eq!((index.len(), index.is_empty()), (count - empty, count == empty));
        for (round, size) in (0..40).zip([0.1, 1.0, 20.0, 1e5].into_iter().cycle()) {
            let centre = place();
            let bounds = Aabb::new(centre - size, centre + size);
            same_found(&index, &scene, &bounds);
            same_found(&index, &scene, &Sphere::new(centre, size).unwrap());
            same_found(&index, &scene, &Frustum::from_box(&bounds, &Mat34::IDENTITY).unwrap());
            let ray = Ray::new(centre, [Vec3::X, place()][round % 2]).unwrap();
            let (mut hits, mut expected) = (Vec::new(), Vec::new());
            index.cast_ray(&ray, &mut hits);
            scene.cast_ray(&ray, Filter::ALL, &mut expected).unwrap();
            assert_eq!(hits, expected);
        }
    }
}

#[test]
fn boxes_sorted_by_place_stay_as_they_were_if_a_fill_fails() {
    let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT }).unwrap();
    let node = scene.insert(scene.root(), Node::drawable(Drawable::new(1, Aabb::cube(1.0)))).unwrap();
    scene.update();
    let (mut index, mut found) = (BoxIndex::new(), Vec::new());
    index.fill(&scene, Filter::ALL).unwrap();
    scene.remove(node).unwrap();
    assert_eq!(index.fill(&scene, Filter::below(node)), Err(Error::StaleHandle(node)));
    assert_eq!(index.fill(&Scene::new(), Filter::ALL), Err(Error::NoBounds));
    let nowhere = Aabb::new(Vec3::NAN, Vec3::ONE);
    assert!(matches!(index.query(&nowhere, &mut found), Err(Error::NotFinite(_))));
    index.query(&Aabb::cube(9.0), &mut found).unwrap();
    assert_eq!(found, [node], "the index has the boxes of when it was filled");
}

#[test]
fn a_description_with_another_local_transform_has_no_translation_of_the_former_one() {
    let wide = Node::group().with_translation_f64(DVec3::ONE);
    assert_eq!(wide.with_transform(Transform::IDENTITY), Node::transform(Transform::IDENTITY));
    assert_eq!(wide.with_matrix(Mat34::IDENTITY).translation_f64, None);
}

#[test]
fn a_ray_finds_what_is_below_the_node_of_its_filter() {
    let mut scene = with(SceneConfig { bounds: true, ..SceneConfig::DEFAULT });
    let [town, field] = [(); 2].map(|()| scene.insert(scene.root(), Node::group()).unwrap());
    let stone = Node::drawable(Drawable::new(1, Aabb::cube(1.0)));
    let stones = [town, field].map(|place| scene.insert(place, stone).unwrap());
    scene.update();
    let (ray, mut hits) = (Ray::new(Vec3::ZERO, Vec3::X).unwrap(), Vec::new());
    for (top, expected) in [(town, &stones[..1]), (stones[1], &stones[1..]), (scene.root(), &stones[..])] {
        scene.cast_ray(&ray, Filter::below(top), &mut hits).unwrap();
        assert!(hits.iter().map(|hit| hit.node).eq(expected.iter().copied()), "below {top:?}");
    }
    scene.remove(field).unwrap();
    assert_eq!(scene.cast_ray(&ray, Filter::below(field), &mut hits), Err(Error::StaleHandle(field)));
}

#[test]
fn a_node_has_whichever_of_all_parts_it_was_given() {
    let mut scene = Scene::new();
    for set in 0..256_u32 {
        let has = |part: u32| set >> part & 1 != 0;
        let translation = DVec3::splat(16_777_217.0);
        // All numbers of parts are 1.
        let node = Node {
            user_data: u32::from(has(0)),
            visibility: if has(1) { Visibility::Hidden } else { Visibility::Inherited },
            anchored: has(2),
            layers: has(3).then_some(Layers::new(1)),
            name: has(4).then_some("name"),
            view_range: has(5).then(|| ViewRange::new(0.0, 9.0).unwrap()),
            drawable: has(6).then(|| Drawable::new(1, Aabb::cube(1.0))),
            translation_f64: has(7).then_some(translation),
            ..Node::transform(Transform::from_translation(translation.as_vec3()))
        };
        let inserted = scene.insert(scene.root(), node).unwrap();
        assert_eq!(scene.get(inserted).map(|node| node.to_node()), Some(node));
        assert_eq!(scene.get(inserted).map(|node| node.is_anchored()), Some(node.anchored));
    }
}
