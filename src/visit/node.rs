//! The visitor of nodes, in strict depth-first order across slices.

use crate::scene::{NodeRef, Scene};
use crate::visit::Flow;
use crate::{Drawable, Local, NodeHandle};

/// A visitor of a node and all nodes below it in depth-first order, siblings in order. By default methods do nothing.
///
/// For each node, a walk calls [`enter`](Self::enter), then one method for each kind of component that the node has.
/// After that, it visits the nodes below, and calls [`leave`](Self::leave). If any method that is called for a node
/// returns [`Flow::Prune`], the nodes below are skipped. At [`Flow::Break`], the walk ends at once, without further
/// calls of `leave`. A visitor that needs the depth below the start can count calls of `enter` and `leave`;
/// [`NodeRef::depth`] counts from the root, in O(ancestors).
///
/// Source: the thesis, section 4.3 (the visitor pattern, one method for each node type).
pub trait Visitor {
    /// Called first for each node.
    fn enter(&mut self, node: &NodeRef<'_>) -> Flow {
        let _ = node;
        Flow::Continue
    }

    /// Called if the node has a local transform.
    fn transform(&mut self, node: &NodeRef<'_>, local: Local) -> Flow {
        let _ = (node, local);
        Flow::Continue
    }

    /// Called if the node has a material of its own.
    fn material(&mut self, node: &NodeRef<'_>, material: u32) -> Flow {
        let _ = (node, material);
        Flow::Continue
    }

    /// Called if the node has a drawable.
    fn drawable(&mut self, node: &NodeRef<'_>, drawable: Drawable) -> Flow {
        let _ = (node, drawable);
        Flow::Continue
    }

    /// Called after a node and everything below it.
    fn leave(&mut self, node: &NodeRef<'_>) {
        let _ = node;
    }
}

/// A closure is a visitor that is called once for each node, before the nodes below it.
///
/// ```
/// use hedgerow::visit::Flow;
/// use hedgerow::{Node, NodeRef, Scene};
///
/// let mut scene = Scene::new();
/// let car = scene.insert(scene.root(), Node::group().with_name("car"))?;
/// scene.insert(car, Node::group().with_name("wheel"))?;
/// let mut text = String::new();
/// scene.visit(scene.root(), &mut |node: &NodeRef<'_>| {
///     text += &format!("{:1$}{2}\n", "", 2 * node.depth(), node.name().unwrap_or("?"));
///     Flow::Continue
/// });
/// assert_eq!(text, "?\n  car\n    wheel\n");
/// # Ok::<(), hedgerow::Error>(())
/// ```
impl<F: FnMut(&NodeRef<'_>) -> Flow> Visitor for F {
    fn enter(&mut self, node: &NodeRef<'_>) -> Flow {
        self(node)
    }
}

impl Scene {
    /// Visits a node and everything below it in depth-first order. Returns [`Flow::Break`] if the visitor stopped the
    /// walk, else [`Flow::Continue`]. For a stale handle no node is visited.
    ///
    /// Runs in **O(nodes visited)**, and does not recurse.
    ///
    /// ```
    /// use hedgerow::{Node, NodeRef, Scene, visit::{Flow, Visitor}};
    ///
    /// struct Names(Vec<String>);
    ///
    /// impl Visitor for Names {
    ///     fn enter(&mut self, node: &NodeRef<'_>) -> Flow {
    ///         self.0.extend(node.name().map(String::from));
    ///         Flow::Continue
    ///     }
    /// }
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::group().with_name("car"))?;
    /// scene.insert(car, Node::group().with_name("wheel"))?;
    /// let mut names = Names(Vec::new());
    /// scene.visit(scene.root(), &mut names);
    /// assert_eq!(names.0, ["car", "wheel"]);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn visit(&self, start: NodeHandle, visitor: &mut impl Visitor) -> Flow {
        let Some(top) = self.get(start) else { return Flow::Continue };
        let mut node = top;
        loop {
            let below = match visit_node(&node, visitor) {
                Flow::Break => return Flow::Break,
                Flow::Continue => node.first_child(),
                Flow::Prune => None,
            };
            if let Some(child) = below {
                node = child;
                continue;
            }
            loop {
                visitor.leave(&node);
                if node.id() == top.id() {
                    return Flow::Continue;
                }
                if let Some(sibling) = node.next_sibling() {
                    node = sibling;
                    break;
                }
                node = node.parent().expect("a walk stays below its top");
            }
        }
    }
}

/// Calls the methods for one node, up to the first that returns `Break`.
fn visit_node(node: &NodeRef<'_>, visitor: &mut impl Visitor) -> Flow {
    let mut flow = visitor.enter(node);
    if flow != Flow::Break
        && let Some(local) = node.local()
    {
        flow = flow.and(visitor.transform(node, local));
    }
    if flow != Flow::Break
        && let Some(material) = node.own_material()
    {
        flow = flow.and(visitor.material(node, material));
    }
    if flow != Flow::Break
        && let Some(drawable) = node.drawable()
    {
        flow = flow.and(visitor.drawable(node, drawable));
    }
    flow
}
