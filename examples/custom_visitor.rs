//! Two custom visitors: [`Outline`] exports the tree as indented text with the world box of each subtree; [`Census`]
//! gathers statistics slice by slice.
//!
//! ```text
//! cargo run --example custom_visitor
//! ```

use hedgerow::glam::Vec3;
use hedgerow::{
    Aabb, Drawable, Error, Node, NodeRef, Scene, Transform, Visibility,
    visit::{Flow, SliceView, SliceVisitor, Visitor},
};
use std::collections::BTreeMap;

/// One line of the export.
struct Line {
    depth: usize,
    name: String,
    hidden: bool,
    /// The box of the subtree.
    bounds: Aabb,
}

/// One line per node, parents before children; skips nodes below hidden nodes.
#[derive(Default)]
struct Outline {
    lines: Vec<Line>,
    /// The lines of nodes that the visit has entered but not left yet, from the root down.
    open: Vec<usize>,
}

impl Visitor for Outline {
    fn enter(&mut self, node: &NodeRef<'_>) -> Flow {
        let name = node.name().unwrap_or("(unnamed)").to_owned();
        let hidden = node.own_visibility() == Visibility::Hidden;
        let depth = self.open.len();
        self.open.push(self.lines.len());
        self.lines.push(Line { depth, name, hidden, bounds: Aabb::EMPTY });
        if hidden { Flow::Prune } else { Flow::Continue }
    }

    fn drawable(&mut self, node: &NodeRef<'_>, drawable: Drawable) -> Flow {
        if let Some(&line) = self.open.last()
            && !self.lines[line].hidden
        {
            self.lines[line].bounds = drawable.bounds.transformed(node.world());
        }
        Flow::Continue
    }

    fn leave(&mut self, _node: &NodeRef<'_>) {
        // When a node is left, its box is complete and is merged into the parent's.
        if let Some(line) = self.open.pop()
            && let Some(&parent) = self.open.last()
        {
            self.lines[parent].bounds = self.lines[parent].bounds.merge(&self.lines[line].bounds);
        }
    }
}

impl Outline {
    fn print(&self) {
        for Line { depth, name, hidden, bounds } in &self.lines {
            let what = match bounds {
                _ if *hidden => "hidden".to_owned(),
                empty if empty.is_empty() => "nothing to draw".to_owned(),
                Aabb { min, max } => format!("{min:.1} to {max:.1}"),
            };
            println!("{:indent$}{name}: {what}", "", indent = 2 * depth);
        }
    }
}

/// Counts over whole columns, in memory order.
#[derive(Default)]
struct Census {
    slices: usize,
    nodes: usize,
    transforms: usize,
    transform_slots: usize,
    mirrored: usize,
    by_mesh: BTreeMap<u32, usize>,
}

impl SliceVisitor for Census {
    fn slice(&mut self, slice: SliceView<'_>) -> Flow {
        let transforms = slice.transforms();
        self.slices += 1;
        self.nodes += slice.nodes();
        // The first slots are imports: copies of transforms from earlier slices.
        let slots = slice.imports()..transforms.len();
        self.transform_slots += slots.len();
        self.transforms += slots.filter(|&slot| transforms.is_occupied(slot)).count();
        for listed in slice.drawables().iter() {
            self.mirrored += usize::from(transforms.worlds()[listed.transform].is_mirrored());
            *self.by_mesh.entry(listed.drawable.mesh).or_default() += 1;
        }
        Flow::Continue
    }
}

/// Returns a quay with cranes of three parts each, one of them under repair.
fn harbour() -> Result<Scene, Error> {
    const BEAM: Drawable = Drawable::new(0, Aabb::cube(0.5));
    const CONTAINER: Drawable = Drawable::new(1, Aabb::new(Vec3::ZERO, Vec3::new(6.1, 2.6, 2.4)));
    let mut scene = Scene::new();
    for (x, name) in [(0.0, "crane_1"), (30.0, "crane_2"), (60.0, "crane_3")] {
        let crane = Node::transform(Transform::from_xyz(x, 0.0, 0.0)).with_name(name);
        let crane = scene.insert(scene.root(), crane)?;
        let mast = Transform::from_xyz(0.0, 10.0, 0.0).with_scale(Vec3::new(1.0, 20.0, 1.0));
        scene.insert(crane, Node::transform(mast).with_drawable(BEAM).with_name("mast"))?;
        let jib = Node::transform(Transform::from_xyz(0.0, 20.0, 0.0)).with_name("jib");
        let jib = scene.insert(crane, jib)?;
        let hook = Node::transform(Transform::from_xyz(0.0, -12.0, 15.0)).with_name("hook");
        let hook = scene.insert(jib, hook)?;
        // Containers at the other end are the same mesh, mirrored.
        let scale = if x > 0.0 { Vec3::new(-1.0, 1.0, 1.0) } else { Vec3::ONE };
        let load = Transform::from_xyz(-3.0, -2.6, -1.2).with_scale(scale);
        scene.insert(hook, Node::transform(load).with_drawable(CONTAINER).with_name("load"))?;
        if name == "crane_2" {
            scene.edit(jib)?.set_visibility(Visibility::Hidden);
        }
    }
    scene.update();
    Ok(scene)
}

fn main() -> Result<(), Error> {
    let scene = harbour()?;

    let mut outline = Outline::default();
    scene.visit(scene.root(), &mut outline);
    outline.print();

    // Three cranes of five parts, without the two parts below the hidden jib of the second crane.
    assert_eq!(outline.lines.len(), 1 + 3 * 5 - 2);
    assert!(outline.open.is_empty() && outline.lines.iter().filter(|line| line.hidden).count() == 1);

    let mut census = Census::default();
    scene.visit_slices(&mut census);
    assert_eq!((census.nodes, census.transforms, census.mirrored), (scene.len(), 15, 2));
    println!("\n{} nodes in {} slices", census.nodes, census.slices);
    println!("{} transforms in {} slots", census.transforms, census.transform_slots);
    println!("{} mirrored drawables", census.mirrored);
    for (mesh, count) in &census.by_mesh {
        println!("mesh {mesh}: {count} drawables");
    }
    Ok(())
}
