//! The tree as text, for debugging.

use crate::scene::{Edge, Scene};
use crate::{Local, Node};
use core::fmt::Write;

impl Scene {
    /// The tree as text: one line for each node, indented by its depth, with its name, handle and components.
    ///
    /// Equal scenes give equal text. Below 64 levels the depth is written as a number. Runs in **O(nodes)**.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::transform(Transform::from_xyz(1.0, 0.0, 2.5)).named("car"))?;
    /// scene.insert(car, Node::material(3))?;
    /// assert!(scene.dump().contains("\"car\" at (1, 0, 2.5)"));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[must_use]
    pub fn dump(&self) -> String {
        let mut text = String::new();
        let mut depth = 0;
        for edge in self.edges(self.root()) {
            match edge {
                Edge::Enter(node) => {
                    indent(&mut text, depth).expect("a string takes all text");
                    write!(text, "{node:?}").expect("a string takes all text");
                    describe(&mut text, &self.node(node).unwrap_or_default()).expect("a string takes all text");
                    depth += 1;
                }
                Edge::Leave(_) => depth -= 1,
            }
        }
        text
    }
}

/// The greatest depth shown by indentation alone.
const DEEPEST_INDENT: usize = 64;

fn indent(text: &mut String, depth: usize) -> core::fmt::Result {
    let shown = depth.min(DEEPEST_INDENT);
    write!(text, "{:width$}", "", width = 2 * shown)?;
    if depth > shown { write!(text, "[{depth}] ") } else { Ok(()) }
}

fn describe(text: &mut String, node: &Node<'_>) -> core::fmt::Result {
    if let Some(name) = node.name {
        write!(text, " {name:?}")?;
    }
    match node.local {
        Some(Local::Transform(transform)) => {
            let [x, y, z] = transform.translation.to_array();
            write!(text, " at ({x}, {y}, {z})")?;
            if transform.rotation != glam::Quat::IDENTITY {
                let [x, y, z, w] = transform.rotation.to_array();
                write!(text, " turned ({x}, {y}, {z}, {w})")?;
            }
            if transform.scale != glam::Vec3::ONE {
                let [x, y, z] = transform.scale.to_array();
                write!(text, " scaled ({x}, {y}, {z})")?;
            }
        }
        Some(Local::Matrix(matrix)) => write!(text, " by {:?}", matrix.rows)?,
        None => {}
    }
    if let Some(material) = node.material {
        write!(text, " material {material}")?;
    }
    if let Some(shape) = node.shape {
        write!(text, " mesh {}", shape.mesh)?;
    }
    if let Some(visibility) = node.visibility {
        write!(text, " layers {:08x}", visibility.mask())?;
    }
    writeln!(text)
}
