//! Levels of detail: coarser meshes by distance, and a stand-in for a whole forest, chosen while culling.
//!
//! Two cameras look at one forest of 10,000 trees and choose levels independently, without edits of the scene. Each
//! list remembers its levels: trees become coarser slightly farther away than they become finer, so none flickers.
//!
//! ```text
//! cargo run --release --example level_of_detail
//! ```

use hedgerow::glam::{Vec3, Vec4};
use hedgerow::query::{CullView, DetailView, Frustum, LevelsOfDetail};
use hedgerow::{Aabb, DrawList, Drawable, Error, Node, Scene, SceneConfig, Transform, ViewRange};

/// The meshes of a tree, from fine to coarse.
const TREE: [u32; 4] = [100, 101, 102, 103];
/// The distances of the second, third and fourth mesh; beyond the last distance no tree is drawn.
const DISTANCES: [f32; 4] = [20.0, 60.0, 150.0, 350.0];
/// The mesh of the whole forest, and the distance from its middle at which it replaces trees.
const FOREST: u32 = 200;
const AFAR: f32 = 1000.0;

/// Returns the number of draws of each mesh of a tree.
fn counts(list: &DrawList) -> [usize; 4] {
    TREE.map(|mesh| list.commands().iter().filter(|command| command.mesh == mesh).count())
}

fn main() -> Result<(), Error> {
    let mut levels = LevelsOfDetail::new();
    let [_, second, third, fourth] = TREE.map(Some);
    let coarser: Vec<_> = DISTANCES.into_iter().zip([second, third, fourth, None]).collect();
    levels.insert(TREE[0], &coarser)?;

    let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT })?;
    let middle = Vec3::new(200.0, 0.0, 200.0);
    let forest =
        scene.insert(scene.root(), Node::transform(Transform::from_translation(middle)).with_name("forest"))?;
    let trees = scene.insert(forest, Node::group().with_view_range(ViewRange::new(0.0, AFAR)?))?;
    for number in 0..10_000_u16 {
        let place = Vec3::new(f32::from(number % 100), 0.0, f32::from(number / 100)) * 4.0 - middle;
        let tree = Node::transform(Transform::from_translation(place));
        scene.insert(trees, tree.with_drawable(Drawable::new(TREE[0], Aabb::cube(2.0))))?;
    }
    let whole = Drawable::new(FOREST, Aabb::new(Vec3::new(-200.0, -2.0, -200.0), Vec3::new(200.0, 2.0, 200.0)));
    scene.insert(forest, Node::drawable(whole).with_view_range(ViewRange::new(AFAR, 1e6)?))?;
    scene.update();

    // Both cameras see everything; use your cameras' frustums.
    let frustum = Frustum::from_planes([Vec4::W; 6])?;
    let (mut near, mut far) = (DrawList::new(), DrawList::new());
    let mut total = 0;
    for frame in 0..100_u8 {
        let walker = Vec3::new(200.0, 1.7, 4.0 * f32::from(frame));
        let plane = Vec3::new(200.0, 300.0, 20.0 * f32::from(frame));
        scene.cull(&mut [
            CullView::new(&frustum, &mut near).with_detail(DetailView::new(&levels, walker)),
            CullView::new(&frustum, &mut far).with_detail(DetailView::new(&levels, plane)),
        ])?;
        // A renderer that keeps the commands uploads these.
        let changed: usize = near.changed_commands().map(|range| range.len()).sum();
        total += changed;
        if frame % 25 == 0 {
            println!(
                "frame {frame}: {changed} commands changed, trees by detail {:?} and {:?}",
                counts(&near),
                counts(&far)
            );
        }
    }
    let last = counts(&near);
    assert!(last.iter().all(|&trees| trees > 0), "trees near and far: {last:?}");
    assert!(total < 10_000 * 40, "parts of the list stay as they are");
    assert_eq!(far.commands().iter().map(|command| command.mesh).collect::<Vec<_>>(), [FOREST]);
    // While the camera rests, nothing changes.
    let walker = DetailView::new(&levels, Vec3::new(200.0, 1.7, 4.0 * 99.0));
    scene.cull(&mut [CullView::new(&frustum, &mut near).with_detail(walker)])?;
    assert_eq!((near.changed_commands().count(), counts(&near)), (0, last));
    println!("{total} changed commands in 100 frames");
    Ok(())
}
