//! The visitor of nodes, in strict depth-first order across slices.

use crate::scene::Scene;
use crate::store::RecordId;
use crate::visit::Flow;
use crate::{Local, Mat34, Node, NodeHandle, Shape, Visibility};

/// Visits every node below a start in depth-first order, and siblings in their order. All methods do nothing by
/// default.
///
/// For each node: [`enter`](Self::enter), then one method for each kind of component that the node has, then the nodes
/// below, then [`leave`](Self::leave). If any of a node's methods returns [`Flow::Prune`], the nodes below are skipped.
/// At [`Flow::Break`] the walk ends at once, without further calls of `leave`.
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

    /// Called if the node has a shape.
    fn shape(&mut self, node: &NodeRef<'_>, shape: Shape) -> Flow {
        let _ = (node, shape);
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
/// use hedgerow::visit::{Flow, NodeRef};
/// use hedgerow::{Node, Scene};
///
/// let mut scene = Scene::new();
/// let car = scene.insert(scene.root(), Node::group().named("car"))?;
/// scene.insert(car, Node::group().named("wheel"))?;
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

/// A node as shown to a visitor. Every method runs in O(1).
#[derive(Clone, Copy, Debug)]
pub struct NodeRef<'s> {
    scene: &'s Scene,
    at: RecordId,
    depth: usize,
}

impl<'s> NodeRef<'s> {
    /// The node's handle.
    #[must_use]
    pub fn handle(&self) -> NodeHandle {
        self.scene.store.handle(self.at)
    }

    /// The depth of the node below the start of the visit; 0 for the start.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The scene that is visited.
    #[must_use]
    pub fn scene(&self) -> &'s Scene {
        self.scene
    }

    /// The node's parent.
    #[must_use]
    pub fn parent(&self) -> Option<NodeHandle> {
        self.scene.store.parent(self.at).map(|parent| self.scene.store.handle(parent))
    }

    /// The node's name.
    #[must_use]
    pub fn name(&self) -> Option<&'s str> {
        self.scene.store.name(self.at)
    }

    /// The node's local transform.
    #[must_use]
    pub fn local(&self) -> Option<Local> {
        self.scene.store.local(self.at)
    }

    /// The node's world matrix as of the last update.
    #[must_use]
    pub fn world(&self) -> &'s Mat34 {
        self.scene.store.world_at(self.at)
    }

    /// The node's own material.
    #[must_use]
    pub fn own_material(&self) -> Option<u32> {
        self.scene.store.own_material(self.at)
    }

    /// The node's shape.
    #[must_use]
    pub fn shape(&self) -> Option<Shape> {
        self.scene.store.shape(self.at)
    }

    /// The node's own visibility.
    #[must_use]
    pub fn own_visibility(&self) -> Option<Visibility> {
        self.scene.store.own_visibility(self.at)
    }

    /// The node's description.
    #[must_use]
    pub fn node(&self) -> Node<'s> {
        self.scene.store.node(self.at)
    }
}

impl Scene {
    /// Visits a node and everything below it in depth-first order. Returns [`Flow::Break`] if the visitor stopped the
    /// walk, else [`Flow::Continue`]; a stale handle has no nodes to visit.
    ///
    /// Runs in **O(nodes visited)** on a constant call stack at any depth.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, visit::{Flow, NodeRef, Visitor}};
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
    /// let car = scene.insert(scene.root(), Node::group().named("car"))?;
    /// scene.insert(car, Node::group().named("wheel"))?;
    /// let mut names = Names(Vec::new());
    /// scene.visit(scene.root(), &mut names);
    /// assert_eq!(names.0, ["car", "wheel"]);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn visit(&self, start: NodeHandle, visitor: &mut impl Visitor) -> Flow {
        let Some(top) = self.store.resolve(start) else { return Flow::Continue };
        let (mut at, mut depth) = (top, 0);
        loop {
            let below = match self.visit_node(at, depth, visitor) {
                Flow::Break => return Flow::Break,
                Flow::Continue => self.store.first_child(at),
                Flow::Prune => None,
            };
            if let Some(child) = below {
                (at, depth) = (child, depth + 1);
                continue;
            }
            loop {
                visitor.leave(&self.node_ref(at, depth));
                if at == top {
                    return Flow::Continue;
                }
                if let Some(sibling) = self.store.next_sibling(at) {
                    at = sibling;
                    break;
                }
                at = self.store.parent(at).expect("a walk stays below its top");
                depth -= 1;
            }
        }
    }

    /// Calls the methods for one node, up to the first that returns `Break`.
    fn visit_node(&self, at: RecordId, depth: usize, visitor: &mut impl Visitor) -> Flow {
        let node = self.node_ref(at, depth);
        let mut flow = visitor.enter(&node);
        if flow != Flow::Break
            && let Some(local) = node.local()
        {
            flow = flow.and(visitor.transform(&node, local));
        }
        if flow != Flow::Break
            && let Some(material) = node.own_material()
        {
            flow = flow.and(visitor.material(&node, material));
        }
        if flow != Flow::Break
            && let Some(shape) = node.shape()
        {
            flow = flow.and(visitor.shape(&node, shape));
        }
        flow
    }

    fn node_ref(&self, at: RecordId, depth: usize) -> NodeRef<'_> {
        NodeRef { scene: self, at, depth }
    }
}
