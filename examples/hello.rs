//! The first steps: build a small tree, change it, update it, list its draws.
//!
//! ```text
//! cargo run --example hello
//! ```

use hedgerow::{Aabb, DrawList, Drawable, Error, Keep, Node, Scene, Transform};

fn main() -> Result<(), Error> {
    let mut scene = Scene::new();
    let ferry = scene.insert(scene.root(), Node::transform(Transform::from_xyz(0.0, 0.0, 50.0)).with_name("ferry"))?;
    let car = scene.insert(scene.root(), Node::transform(Transform::from_xyz(10.0, 0.0, 0.0)).with_name("car"))?;
    for (x, name) in [(-0.8, "wheel_l"), (0.8, "wheel_r")] {
        let wheel = Node::transform(Transform::from_xyz(x, 0.3, 1.4)).with_drawable(Drawable::new(7, Aabb::cube(0.3)));
        scene.insert(car, wheel.with_material(2).with_name(name))?;
    }

    // A frame: the car drives, then rolls onto the ferry without a jump, and the ferry leaves.
    scene.set_local(car, Transform::from_xyz(12.0, 0.0, 0.0))?;
    scene.reparent(car, ferry, Keep::World)?;
    scene.set_local(ferry, Transform::from_xyz(0.0, 0.0, 55.0))?;
    scene.update();

    let mut draws = DrawList::new();
    scene.draw_list(&mut draws);
    for (command, matrix) in draws.commands().iter().zip(draws.matrices()) {
        let name = scene.get(command.node).and_then(|node| node.name()).unwrap_or("-");
        println!("{name}: mesh {}, material {:?}, at {}", command.mesh, command.material(), matrix.translation());
    }

    let places: Vec<_> = draws.matrices().iter().map(|matrix| matrix.translation().to_array()).collect();
    assert!(
        places.iter().zip([11.2, 12.8]).all(|([x, _, z], wheel)| (x - wheel).abs() < 1e-4 && (z - 6.4).abs() < 1e-4)
    );

    // A handle outlives every move of its node, and after the node is gone, it never names another node.
    let root = scene.get(scene.root()).expect("a scene has a root");
    let wheel = root.find("ferry/car/wheel_l").expect("the car is on the ferry").handle();
    scene.remove(car)?;
    assert_eq!(scene.edit(wheel).unwrap_err(), Error::StaleHandle(wheel));
    println!("after the car is gone, its wheel's handle is refused: {}", Error::StaleHandle(wheel));
    Ok(())
}
