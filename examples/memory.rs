//! Draws the memory of a scene as SVG: slices from top to bottom, with a cell for each row.
//!
//! ```text
//! cargo run --example memory > memory.svg
//! ```
//!
//! Each child of the root has a colour for all rows of its subtree; the root is grey, imports are black and unused rows
//! white. In depth-first order each subtree is one run of its colour. Left: updates put new nodes into free rows.
//! Right: loading restores the order.

use hedgerow::visit::{Flow, SliceView};
use hedgerow::{Error, Node, NodeHandle, NodeRef, Scene, Transform};
use std::collections::HashMap;
use std::fmt::Write;

/// Rows in a line of the picture, and the size of a cell.
const LINE: usize = 128;
const CELL: [usize; 2] = [3, 8];
/// The space between slices, and around the picture.
const GAP: usize = 3;
const MARGIN: usize = 6;
/// The width of a scene.
const WIDTH: usize = LINE * CELL[0] + 2 * MARGIN;

/// Colours that colour-blind people can distinguish. Source: M. Okabe, K. Ito, *Color Universal Design*, 2002.
const COLOURS: [&str; 7] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442"];
const ROOT: &str = "#999999";
const IMPORT: &str = "#000000";
const HOLE: &str = "#ffffff";

/// Returns for each node the number of the root's child above it.
fn subtrees(scene: &Scene) -> HashMap<NodeHandle, usize> {
    let (mut of, mut last) = (HashMap::with_capacity(scene.len()), 0);
    scene.visit(scene.root(), &mut |node: &NodeRef<'_>| {
        last += usize::from(node.parent().is_some_and(|parent| parent.handle() == scene.root()));
        if node.handle() != scene.root() {
            of.insert(node.handle(), last);
        }
        Flow::Continue
    });
    of
}

fn colour(slice: &SliceView<'_>, row: usize, subtrees: &HashMap<NodeHandle, usize>) -> &'static str {
    match slice.rows().node(row) {
        Some(node) => subtrees.get(&node).map_or(ROOT, |subtree| COLOURS[subtree % COLOURS.len()]),
        None if row < slice.imports() => IMPORT,
        None => HOLE,
    }
}

/// Draws a scene at `left`, and returns the y of its lower end. Adjacent rows of one colour are one rectangle.
fn draw(scene: &Scene, left: usize, svg: &mut String) -> Result<usize, std::fmt::Error> {
    let subtrees = subtrees(scene);
    let [across, down] = CELL;
    let mut top = MARGIN;
    for slice in scene.slices() {
        let rows: Vec<&str> = (0..slice.rows().len()).map(|row| colour(&slice, row, &subtrees)).collect();
        for line in rows.chunks(LINE) {
            let mut x = left + MARGIN;
            for run in line.chunk_by(|a, b| a == b) {
                let width = run.len() * across;
                writeln!(svg, "<path fill=\"{}\" d=\"M{x} {top}h{width}v{down}h-{width}z\"/>", run[0])?;
                x += width;
            }
            top += down;
        }
        top += GAP;
    }
    Ok(top - GAP + MARGIN)
}

/// Returns a tree of seven subtrees that grow in turn; a third of the leaves are then removed.
fn churned(count: usize) -> Result<Scene, Error> {
    let mut scene = Scene::new();
    let node = || Node::transform(Transform::IDENTITY);
    let mut nodes = Vec::new();
    for _ in 0..7 {
        nodes.push(scene.insert(scene.root(), node())?);
    }
    for step in 0..count {
        // A prime step visits all nodes.
        let parent = nodes[(step * 7919 + step / 3) % nodes.len()];
        nodes.push(scene.insert(parent, node())?);
        if step % 300 == 0 {
            scene.update();
        }
    }
    for &node in nodes.iter().skip(7).step_by(3) {
        if scene.contains(node) && scene.get(node).and_then(|node| node.first_child()).is_none() {
            scene.remove(node)?;
        }
    }
    Ok(scene)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut edited = churned(3000)?;
    edited.update();
    let tidy = Scene::from_bytes(&edited.to_bytes())?;
    let mut cells = String::new();
    let height = draw(&edited, 0, &mut cells)?.max(draw(&tidy, WIDTH, &mut cells)?);
    println!("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{height}\">", 2 * WIDTH);
    println!("<rect width=\"{}\" height=\"{height}\" fill=\"#eeeeee\"/>\n{cells}</svg>", 2 * WIDTH);
    Ok(())
}
