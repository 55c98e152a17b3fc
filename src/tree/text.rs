//! Nodes as a list in text formats: the form of a node, and how a list becomes a tree.
//!
//! The list is flat because trees are deep, and most formats could not read a nested chain of a thousand nodes.

use crate::Node;
use crate::node::plain_components;
use crate::text::number::FormNumber;
use crate::tree::Tree;
use crate::tree::local::{LocalText, MatrixText, TransformText};
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

/// The number of the form of trees and scenes.
pub(crate) const FORM: u32 = 1;

macro_rules! node_form {
    ($($variant:ident $field:ident: $type:ty, $set:ident, $name:literal;)*) => {
        /// A node; missing components are left out.
        #[derive(Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct NodeForm<'n> {
            /// The index of the parent in the list; none for the root and for roots of detached subtrees.
            #[serde(default, skip_serializing_if = "is_default")]
            parent: Option<usize>,
            #[serde(default, skip_serializing_if = "is_default")]
            detached: bool,
            #[serde(default, skip_serializing_if = "is_default", borrow)]
            name: Option<Cow<'n, str>>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            transform: Option<TransformText>,
            #[serde(default, skip_serializing_if = "is_default")]
            matrix: Option<MatrixText>,
            #[serde(default, skip_serializing_if = "is_default")]
            anchored: bool,
            $(#[serde(default, skip_serializing_if = "is_default")]
            $field: $type,)*
        }

        impl<'n> NodeForm<'n> {
            pub(crate) fn of(node: Node<'n>, parent: Option<usize>, detached: bool) -> Self {
                let (transform, matrix) = match node.local.map(|local| LocalText::of(local, node.remainder())) {
                    Some(LocalText::Transform(transform)) => (Some(transform), None),
                    Some(LocalText::Matrix(matrix)) => (None, Some(matrix)),
                    None => (None, None),
                };
                let Node { anchored, $($field,)* .. } = node;
                let name = node.name.map(Cow::Borrowed);
                Self { parent, detached, name, transform, matrix, anchored, $($field),* }
            }

            /// Returns the description; `None` if it has two local transforms.
            fn describe(&self) -> Option<Node<'_>> {
                let form = match (self.transform, self.matrix) {
                    (Some(_), Some(_)) => return None,
                    (transform, matrix) => transform.map(LocalText::Transform).or(matrix.map(LocalText::Matrix)),
                };
                let local = form.map(LocalText::read);
                let (local, translation_f64) = (local.map(|read| read.0), local.and_then(|read| read.1));
                let Self { anchored, $($field,)* .. } = *self;
                Some(Node { local, name: self.name.as_deref(), translation_f64, anchored, $($field),* })
            }
        }
    };
}
plain_components!(node_form);

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

const NONE: usize = usize::MAX;

/// A list that was read: its nodes in depth-first order, detached nodes last.
pub(crate) struct Listed {
    pub(crate) tree: Tree,
    /// The places of the roots that are not detached.
    pub(crate) roots: Vec<usize>,
}

impl Listed {
    /// Sorts a list, and checks that a scene accepts its nodes.
    pub(crate) fn of(nodes: &[NodeForm<'_>]) -> Result<Self, String> {
        let (mut roots, mut detached) = (Vec::new(), Vec::new());
        // The first child and the next sibling of each node, in the order of the list.
        let (mut first_child, mut next_sibling) = (vec![NONE; nodes.len()], vec![NONE; nodes.len()]);
        // Goes from the last node to the first, so that each node is put before its later siblings.
        for (place, node) in nodes.iter().enumerate().rev() {
            let refuse = |why: &str| Err(format!("node {place}: {why}"));
            match (node.parent, node.detached) {
                (Some(parent), false) => {
                    let Some(above) = first_child.get_mut(parent) else {
                        return refuse(&format!("its parent {parent} is missing; list it, too"));
                    };
                    next_sibling[place] = core::mem::replace(above, place);
                }
                (Some(_), true) => return refuse("it is detached and has a parent; leave one of both out"),
                (None, true) => detached.push(place),
                (None, false) => roots.push(place),
            }
        }
        roots.reverse();
        let mut listed = Self { tree: Tree::with_capacity(nodes.len()), roots };
        let mut numbers = vec![None; nodes.len()];
        // A stack of the nodes to visit, each with its parent's number.
        let mut ahead: Vec<(usize, Option<usize>)> = Vec::new();
        for top in listed.roots.clone().into_iter().chain(detached.into_iter().rev()) {
            ahead.push((top, None));
            while let Some((place, parent)) = ahead.pop() {
                let refuse = |why: &str| format!("node {place}: {why}");
                let node = &nodes[place];
                let described = node.describe();
                let described = described.ok_or_else(|| refuse("it has a transform and a matrix; leave one out"))?;
                let number = listed.tree.push(parent, described);
                if let Some((_, error)) = listed.tree.fault {
                    return Err(refuse(&error.to_string()));
                }
                numbers[place] = Some(number);
                // The sibling goes below the child, so that the subtree comes first.
                if next_sibling[place] != NONE {
                    ahead.push((next_sibling[place], parent));
                }
                if first_child[place] != NONE {
                    ahead.push((first_child[place], Some(number)));
                }
            }
        }
        // Nodes of a cycle hang below no root, so the walk never met them.
        match numbers.iter().position(Option::is_none) {
            Some(place) => Err(format!("node {place}: it is its own ancestor; give it another parent")),
            None => Ok(listed),
        }
    }
}

/// Writes the number of the form, and the nodes in the order of their numbers, each with the number of its parent. Fails for a tree that a scene
/// would refuse.
///
/// ```
/// use hedgerow::{Node, Tree};
///
/// let mut tree = Tree::new();
/// let car = tree.push(None, Node::group().with_name("car"));
/// tree.push(Some(car), Node::material(3).with_name("wheel"));
/// let text = serde_json::to_string(&tree).unwrap();
/// assert_eq!(text, r#"{"hedgerow":1,"nodes":[{"name":"car"},{"parent":0,"name":"wheel","material":3}]}"#);
/// assert_eq!(serde_json::from_str::<Tree>(&text).unwrap(), tree);
/// ```
impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some((number, fault)) = self.fault {
            return Err(S::Error::custom(format!("node {number}: {fault}")));
        }
        let nodes = self.iter().map(|(parent, node)| NodeForm::of(node, parent, false)).collect();
        TreeForm { hedgerow: FormNumber::NEWEST, nodes }.serialize(serializer)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "Tree", deny_unknown_fields)]
struct TreeForm<'n> {
    #[serde(default)]
    hedgerow: FormNumber<FORM>,
    #[serde(borrow)]
    nodes: Vec<NodeForm<'n>>,
}

/// Reads nodes in any order into a tree in depth-first order, so numbers may change. Every value is checked as for an
/// edit.
impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let TreeForm { nodes, .. } = TreeForm::deserialize(deserializer)?;
        if let Some(place) = nodes.iter().position(|node| node.detached) {
            return Err(D::Error::custom(format!("node {place}: a tree has no detached nodes; leave the mark out")));
        }
        Ok(Listed::of(&nodes).map_err(D::Error::custom)?.tree)
    }
}
