//! The visitor of nodes, in strict depth-first order across slices.

use crate::scene::Scene;
use crate::store::At;
use crate::visit::Flow;
use crate::{Local, Mat34, Node, NodeHandle, Shape, Visibility};

/// Sees every node below a start in depth-first order, siblings in theirs. All methods do nothing by default.
///
/// For each node: [`enter`](Self::enter), then one method for each kind of component that the node has, then the nodes
/// below, then [`leave`](Self::leave). If any of a node's methods answers [`Flow::Prune`] the nodes below are passed over; at
/// [`Flow::Break`] the walk ends at once, and nothing is left any more.
///
/// Source: the thesis, section 4.3 (the visitor pattern, one method for each node type).
pub trait Visitor {
    /// A node is come to.
    fn enter(&mut self, node: &NodeRef<'_>) -> Flow {
        let _ = node;
        Flow::Continue
    }

    /// The node has a local transform.
    fn transform(&mut self, node: &NodeRef<'_>, local: Local) -> Flow {
        let _ = (node, local);
        Flow::Continue
    }

    /// The node says a material.
    fn material(&mut self, node: &NodeRef<'_>, material: u32) -> Flow {
        let _ = (node, material);
        Flow::Continue
    }

    /// The node has a shape.
    fn shape(&mut self, node: &NodeRef<'_>, shape: Shape) -> Flow {
        let _ = (node, shape);
        Flow::Continue
    }

    /// A node and all below it are done.
    fn leave(&mut self, node: &NodeRef<'_>) {
        let _ = node;
    }
}

/// A node as a visitor sees it. Every question takes O(1).
#[derive(Clone, Copy, Debug)]
pub struct NodeRef<'s> {
    scene: &'s Scene,
    at: At,
    depth: usize,
}

impl<'s> NodeRef<'s> {
    /// The node's handle.
    #[must_use]
    pub fn handle(&self) -> NodeHandle {
        self.scene.store.handle(self.at)
    }

    /// How far below the start of the visit the node is; 0 for the start.
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
        self.scene.store.name_at(self.at)
    }

    /// The node's local transform.
    #[must_use]
    pub fn local(&self) -> Option<Local> {
        self.scene.store.local_at(self.at)
    }

    /// The node's world matrix as of the last update.
    #[must_use]
    pub fn world(&self) -> &'s Mat34 {
        self.scene.store.world_at(self.at)
    }

    /// The material that the node says itself.
    #[must_use]
    pub fn own_material(&self) -> Option<u32> {
        self.scene.store.own_material_at(self.at)
    }

    /// The node's shape.
    #[must_use]
    pub fn shape(&self) -> Option<Shape> {
        self.scene.store.shape_at(self.at)
    }

    /// The visibility that the node says itself.
    #[must_use]
    pub fn own_visibility(&self) -> Option<Visibility> {
        self.scene.store.own_visibility_at(self.at)
    }

    /// The node's description.
    #[must_use]
    pub fn node(&self) -> Node<'s> {
        self.scene.store.node_at(self.at)
    }
}

impl Scene {
    /// Walks a node and all below it in depth-first order; answers [`Flow::Break`] if the visitor broke off, else
    /// [`Flow::Continue`], also for a stale handle, below which there is nothing.
    ///
    /// Computes in **O(nodes visited)** on a constant call stack, whatever the depth.
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

    /// Calls the methods for one node, up to the first that breaks off.
    fn visit_node(&self, at: At, depth: usize, visitor: &mut impl Visitor) -> Flow {
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

    fn node_ref(&self, at: At, depth: usize) -> NodeRef<'_> {
        NodeRef { scene: self, at, depth }
    }
}
