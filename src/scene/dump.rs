//! The tree as text, for debugging.

use crate::scene::{Edge, Scene};
use crate::{Local, Node, NodeHandle};
use core::fmt::Write;

impl Scene {
    /// The tree as text: one line for each node, indented by its depth, with its name, handle and components. Detached
    /// subtrees follow, each behind a line that says so.
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
        let tops = core::iter::once(self.root()).chain(self.detached_roots());
        for edge in tops.flat_map(|top| self.edges(top)) {
            match edge {
                Edge::Enter(node) if depth == 0 && node != self.root() => {
                    text.push_str("detached:\n");
                    self.dump_node(&mut text, 1, node);
                    depth = 2;
                }
                Edge::Enter(node) => {
                    self.dump_node(&mut text, depth, node);
                    depth += 1;
                }
                Edge::Leave(node) => depth = if self.parent(node).is_some() { depth - 1 } else { 0 },
            }
        }
        text
    }

    fn dump_node(&self, text: &mut String, depth: usize, node: NodeHandle) {
        let written = indent(text, depth)
            .and_then(|()| write!(text, "{node:?}"))
            .and_then(|()| describe(text, &self.node(node).unwrap_or_default()));
        written.expect("a string takes all text");
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
