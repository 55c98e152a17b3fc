//! A custom property that nodes inherit: ghosts fade out with everything that they carry.
//!
//! ```text
//! cargo run --example opacity
//! ```

use hedgerow::{Aabb, DrawList, Drawable, Error, Keep, Node, NodeHandle, Scene, data::Inherited};

fn main() -> Result<(), Error> {
    let mut scene = Scene::new();
    let castle = scene.insert(scene.root(), Node::group().with_name("castle"))?;
    let ghost = |scene: &mut Scene, name| -> Result<NodeHandle, Error> {
        let ghost = scene.insert(castle, thing(1).with_name(name))?;
        let hand = scene.insert(ghost, thing(2).with_name("hand"))?;
        scene.insert(hand, thing(3).with_name("lantern"))?;
        Ok(ghost)
    };
    let (pale, faint) = (ghost(&mut scene, "pale")?, ghost(&mut scene, "faint")?);

    // A node is drawn with the product of its own opacity and its ancestors'; the root's is 1.
    let mut draws = DrawList::new();
    let mut opacity: Inherited<f32> = Inherited::new(1.0, |above, own| above * own);
    opacity.set(faint, 0.5);
    show(&mut scene, &mut opacity, &mut draws, "at dusk");

    // Only the subtree of the fading ghost is computed again.
    opacity.set(pale, 0.25);
    show(&mut scene, &mut opacity, &mut draws, "the pale one fades");
    assert_eq!((opacity.get(pale), opacity.get(faint)), (Some(&0.25), Some(&0.5)));

    // A lantern that changes hands takes on the new bearer's opacity.
    let lantern = scene.get(pale).unwrap().find("hand/lantern").expect("the pale one has a lantern").handle();
    let hand = scene.get(faint).unwrap().find("hand").expect("the faint one has a hand").handle();
    scene.reparent(lantern, hand, Keep::World)?;
    show(&mut scene, &mut opacity, &mut draws, "a lantern is handed over");
    assert_eq!(opacity.get(lantern), Some(&0.5));

    // Removed nodes leave nothing behind. A node without a value has its parent's opacity.
    scene.remove(pale)?;
    opacity.remove(faint);
    show(&mut scene, &mut opacity, &mut draws, "at dawn");
    assert!(opacity.get(pale).is_none() && opacity.get(lantern) == Some(&1.0));
    Ok(())
}

/// Returns a drawable node.
fn thing(mesh: u32) -> Node<'static> {
    Node::drawable(Drawable::new(mesh, Aabb::cube(0.5)))
}

/// Draws a frame: updates the scene, then draws each drawable with its opacity.
fn show(scene: &mut Scene, opacity: &mut Inherited<f32>, draws: &mut DrawList, title: &str) {
    scene.update();
    let computed = opacity.run(scene);
    println!("{title} (opacities that changed: {computed})");
    scene.draw_list(draws);
    for command in draws.commands() {
        let node = scene.get(command.node).expect("draws are of nodes");
        let bearers = node.ancestors().filter_map(|node| node.name()).collect::<Vec<_>>();
        let path: Vec<&str> = bearers.into_iter().rev().chain(node.name()).collect();
        println!("  {:<28}{:>6.1} %", path.join("/"), 100.0 * opacity.results()[command.node]);
    }
}
