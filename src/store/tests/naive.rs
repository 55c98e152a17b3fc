//! A tree as one would write it without a thought of speed.

use crate::NodeHandle;
use crate::{Drawable, Local, Mat34, Node, Visibility};
use fastrand::Rng;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
pub(super) struct NaiveNode {
    pub(super) parent: Option<NodeHandle>,
    pub(super) children: Vec<NodeHandle>,
    pub(super) local: Option<Local>,
    pub(super) material: Option<u32>,
    pub(super) drawable: Option<Drawable>,
    pub(super) visibility: Option<Visibility>,
    pub(super) name: Option<String>,
}

pub(super) struct Naive {
    root: NodeHandle,
    nodes: BTreeMap<NodeHandle, NaiveNode>,
    gone: BTreeSet<NodeHandle>,
}

impl Naive {
    pub(super) fn new(root: NodeHandle) -> Self {
        let node = NaiveNode::default();
        Self { root, nodes: [(root, node)].into(), gone: BTreeSet::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn any(&self, dice: &mut Rng) -> NodeHandle {
        *self.nodes.keys().nth(dice.usize(0..self.nodes.len())).unwrap()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (NodeHandle, &NaiveNode)> {
        self.nodes.iter().map(|(handle, node)| (*handle, node))
    }

    pub(super) fn gone(&self) -> impl Iterator<Item = NodeHandle> {
        self.gone.iter().copied()
    }

    pub(super) fn node_mut(&mut self, node: NodeHandle) -> &mut NaiveNode {
        self.nodes.get_mut(&node).unwrap()
    }

    pub(super) fn children(&self, node: Option<NodeHandle>) -> Vec<NodeHandle> {
        node.map(|node| self.nodes[&node].children.clone()).unwrap_or_default()
    }

    pub(super) fn insert(&mut self, handle: NodeHandle, node: &Node<'_>, at: (Option<NodeHandle>, Option<NodeHandle>)) {
        assert!(!self.gone.contains(&handle), "a handle that was given before");
        let new = NaiveNode {
            local: node.local,
            material: node.material,
            drawable: node.drawable,
            visibility: node.visibility,
            name: node.name.map(str::to_owned),
            ..NaiveNode::default()
        };
        assert!(self.nodes.insert(handle, new).is_none());
        self.link(handle, at);
    }

    fn link(&mut self, node: NodeHandle, (parent, next): (Option<NodeHandle>, Option<NodeHandle>)) {
        self.node_mut(node).parent = parent;
        if let Some(parent) = parent {
            let children = &mut self.node_mut(parent).children;
            let at = next.map_or(children.len(), |next| children.iter().position(|&child| child == next).unwrap());
            children.insert(at, node);
        }
    }

    fn unlink(&mut self, node: NodeHandle) {
        if let Some(parent) = self.nodes[&node].parent {
            self.node_mut(parent).children.retain(|&child| child != node);
        }
    }

    pub(super) fn relocate(&mut self, node: NodeHandle, at: (Option<NodeHandle>, Option<NodeHandle>)) {
        self.unlink(node);
        self.link(node, at);
    }

    pub(super) fn order(&mut self, node: NodeHandle, children: Vec<NodeHandle>) {
        self.node_mut(node).children = children;
    }

    fn subtree(&self, node: NodeHandle) -> Vec<NodeHandle> {
        let mut all = vec![node];
        let mut at = 0;
        while at < all.len() {
            all.extend(&self.nodes[&all[at]].children);
            at += 1;
        }
        all
    }

    pub(super) fn count(&self, node: NodeHandle) -> usize {
        self.subtree(node).len()
    }

    pub(super) fn remove(&mut self, node: NodeHandle) -> usize {
        self.unlink(node);
        let all = self.subtree(node);
        for handle in &all {
            self.nodes.remove(handle);
            self.gone.insert(*handle);
        }
        all.len()
    }

    /// The nodes from a node to the topmost above it.
    fn above(&self, node: NodeHandle) -> impl Iterator<Item = &NaiveNode> {
        core::iter::successors(self.nodes.get(&node), |node| node.parent.map(|parent| &self.nodes[&parent]))
    }

    pub(super) fn world(&self, node: NodeHandle) -> Mat34 {
        let locals: Vec<Local> = self.above(node).filter_map(|node| node.local).collect();
        locals.iter().rev().fold(Mat34::IDENTITY, |world, local| world * local.to_matrix())
    }

    /// Node, mesh, effective material and layers of every drawable in the tree.
    pub(super) fn drawables(&self) -> Vec<(NodeHandle, u32, Option<u32>, u32)> {
        let mut all = Vec::new();
        for handle in self.subtree(self.root) {
            if let Some(drawable) = self.nodes[&handle].drawable {
                let material = self.above(handle).find_map(|node| node.material);
                let layers =
                    self.above(handle).filter_map(|node| node.visibility).fold(u32::MAX, |all, own| all & own.mask());
                all.push((handle, drawable.mesh, material, layers));
            }
        }
        all
    }
}
