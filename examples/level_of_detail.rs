//! Levels of detail by distance: a pass of one's own over the scene's columns.
//!
//! Each model has meshes from fine to coarse, numbered one behind the other. Every frame a pass goes over all
//! drawables, slice by slice, looks how far each is from the camera and which mesh that asks for, and sets the meshes
//! that change. A drawable changes to the coarser mesh a little farther out than back, so that none flickers at the
//! border.
//!
//! ```text
//! cargo run --release --example level_of_detail
//! ```

use hedgerow::glam::Vec3;
use hedgerow::{Aabb, DrawList, Drawable, Error, Node, NodeHandle, Scene, Transform};

/// The first mesh of a tree; the others follow.
const TREE: u32 = 100;
/// From these distances on the second, third and fourth mesh is enough.
const DISTANCES: [f32; 3] = [20.0, 60.0, 150.0];
/// How much farther than that a drawable has to be to become coarser.
const MARGIN: f32 = 1.1;

/// Sets the meshes of all drawables by their distance from the camera. `changed` is kept from frame to frame.
fn choose_meshes(scene: &mut Scene, camera: Vec3, changed: &mut Vec<(NodeHandle, u32)>) -> Result<usize, Error> {
    changed.clear();
    for slice in scene.slices() {
        let worlds = slice.transforms().worlds();
        for listed in slice.drawables().iter() {
            // The matrix of the nearest transform, the node's own or inherited, of the last update.
            let distance = worlds[listed.transform].translation().distance(camera);
            let level = listed.drawable.mesh - TREE;
            let beyond = |factor: f32| (0..).zip(DISTANCES).filter(|(_, from)| distance >= from * factor).count();
            let wanted = (level as usize).clamp(beyond(MARGIN), beyond(1.0));
            if wanted != level as usize {
                changed.push((listed.node, TREE + u32::try_from(wanted).expect("there are four")));
            }
        }
    }
    for &(node, mesh) in &*changed {
        let mut node = scene.edit(node)?;
        let drawable = node.as_ref().drawable().expect("what is listed is drawn");
        node.set_drawable(Drawable { mesh, ..drawable })?;
    }
    Ok(changed.len())
}

/// How many drawables are drawn with each mesh.
fn counts(list: &DrawList) -> [usize; 4] {
    let mut counts = [0; 4];
    list.commands().iter().for_each(|command| counts[(command.mesh - TREE) as usize] += 1);
    counts
}

fn main() -> Result<(), Error> {
    let mut scene = Scene::new();
    let forest = scene.insert(scene.root(), Node::group().named("forest"))?;
    for number in 0..10_000_u16 {
        let place = Vec3::new(f32::from(number % 100), 0.0, f32::from(number / 100)) * 4.0;
        let tree =
            Node::transform(Transform::from_translation(place)).with_drawable(Drawable::new(TREE, Aabb::cube(2.0)));
        scene.insert(forest, tree)?;
    }
    scene.update();

    let mut list = DrawList::new();
    let mut changed = Vec::new();
    let mut total = 0;
    for frame in 0..100_u8 {
        let camera = Vec3::new(200.0, 1.7, 4.0 * f32::from(frame));
        let changes = choose_meshes(&mut scene, camera, &mut changed)?;
        total += changes;
        scene.update(); // Lists and columns are as of it.
        scene.draw_list(&mut list);
        if frame % 25 == 0 {
            println!("frame {frame}: {changes} meshes changed, trees by detail {:?}", counts(&list));
        }
    }
    let last = counts(&list);
    assert_eq!(last.iter().sum::<usize>(), 10_000);
    assert!(last.iter().all(|&trees| trees > 0), "trees near and far: {last:?}");
    assert!(total < 10_000 * 8, "few change in a frame, once all have been looked at");
    // Without a step of the camera nothing changes any more.
    let camera = Vec3::new(200.0, 1.7, 4.0 * 99.0);
    assert_eq!(choose_meshes(&mut scene, camera, &mut changed)?, 0);
    println!("{total} changes in 100 frames");
    Ok(())
}
