//! Nodes as a list in text formats: the form of a node, and how a list becomes a tree.
//!
//! The list is flat because trees are deep, and most formats could not read a nested chain of a thousand nodes.

use crate::Node;
use crate::node::plain_components;
use crate::tree::Tree;
use crate::tree::local::{LocalText, MatrixText, TransformText};
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::collections::HashMap;

macro_rules! node_form {
    ($($variant:ident $field:ident: $type:ty, $set:ident, $name:literal;)*) => {
        /// A node; missing components are left out.
        #[derive(Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct NodeForm<'n> {
            /// The node's id, if the nodes of the list have ids.
            #[serde(default, skip_serializing_if = "is_default")]
            id: Option<u64>,
            /// The id of the parent, or its index in a list without ids; none for the root and for roots of detached
            /// subtrees.
            #[serde(default, skip_serializing_if = "is_default")]
            parent: Option<u64>,
            #[serde(default, skip_serializing_if = "is_default")]
            detached: bool,
            #[serde(default, skip_serializing_if = "is_default", borrow)]
            name: Option<Cow<'n, str>>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            transform: Option<TransformText>,
            #[serde(default, skip_serializing_if = "is_default")]
            matrix: Option<MatrixText>,
            /// A number that is added to the translation; only read.
            #[serde(default, skip_serializing)]
            remainder: Option<[f32; 3]>,
            #[serde(default, skip_serializing_if = "is_default")]
            anchored: bool,
            $(#[serde(default, skip_serializing_if = "is_default")]
            $field: $type,)*
        }

        impl<'n> NodeForm<'n> {
            pub(crate) fn of(node: Node<'n>, id: Option<u64>, parent: Option<u64>, detached: bool) -> Self {
                let (transform, matrix) = match node.local.map(|local| LocalText::of(local, node.remainder())) {
                    Some(LocalText::Transform(transform)) => (Some(transform), None),
                    Some(LocalText::Matrix(matrix)) => (None, Some(matrix)),
                    None => (None, None),
                };
                let Node { anchored, $($field,)* .. } = node;
                let name = node.name.map(Cow::Borrowed);
                Self { id, parent, detached, name, transform, matrix, remainder: None, anchored, $($field),* }
            }

            /// Returns the description; `None` if it has two local transforms.
            fn describe(&self) -> Option<Node<'_>> {
                let form = match (self.transform, self.matrix) {
                    (Some(_), Some(_)) => return None,
                    (transform, matrix) => transform.map(LocalText::Transform).or(matrix.map(LocalText::Matrix)),
                };
                let (local, translation_f64) = LocalText::read(form, self.remainder);
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
    /// The id of each node of the tree; in a list without ids, this is the node's place.
    pub(crate) ids: Vec<u64>,
    /// The places of the roots that are not detached.
    pub(crate) roots: Vec<usize>,
}

impl Listed {
    /// Sorts a list, and checks that a scene accepts its nodes.
    pub(crate) fn of(nodes: &[NodeForm<'_>]) -> Result<Self, String> {
        let places = ids(nodes)?;
        let (mut roots, mut detached) = (Vec::new(), Vec::new());
        // The first child and the next sibling of each node, in the order of the list.
        let (mut first_child, mut next_sibling) = (vec![NONE; nodes.len()], vec![NONE; nodes.len()]);
        // Goes from the last node to the first, so that each node is put before its later siblings.
        for (place, node) in nodes.iter().enumerate().rev() {
            let refuse = |why: &str| Err(format!("node {place}: {why}"));
            match (node.parent, node.detached) {
                (Some(parent), false) => {
                    let found = match &places {
                        Some(places) => places.get(&parent).copied(),
                        None => usize::try_from(parent).ok().filter(|&parent| parent < nodes.len()),
                    };
                    let Some(above) = found else {
                        return refuse(&format!("its parent {parent} is missing; list it, too"));
                    };
                    next_sibling[place] = core::mem::replace(&mut first_child[above], place);
                }
                (Some(_), true) => return refuse("it is detached and has a parent; leave one of both out"),
                (None, true) => detached.push(place),
                (None, false) => roots.push(place),
            }
        }
        roots.reverse();
        let mut listed = Self { tree: Tree::with_capacity(nodes.len()), ids: Vec::new(), roots };
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
                listed.ids.push(node.id.unwrap_or(place as u64));
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

/// Returns the place of each id, if the nodes of the list have ids.
fn ids(nodes: &[NodeForm<'_>]) -> Result<Option<HashMap<u64, usize>>, String> {
    if nodes.iter().all(|node| node.id.is_none()) {
        return Ok(None);
    }
    let mut places = HashMap::with_capacity(nodes.len());
    for (place, node) in nodes.iter().enumerate() {
        let Some(id) = node.id.filter(|&id| id < u64::MAX) else {
            return Err(format!("node {place}: its id is missing or too large; give it one, as others have ids"));
        };
        if let Some(other) = places.insert(id, place) {
            return Err(format!("node {place}: its id {id} is in use by node {other}; give it another"));
        }
    }
    Ok(Some(places))
}

/// Writes the nodes in the order of their numbers, each with the number of its parent. If any id is not its node's
/// number, each node is written with its id and the id of its parent. The [next id](Tree::next_id) is written unless it
/// is one more than the greatest id. Fails for a tree that a scene would refuse.
///
/// ```
/// use hedgerow::{Node, Tree};
///
/// let mut tree = Tree::new();
/// let car = tree.push(None, Node::group().named("car"));
/// tree.push(Some(car), Node::material(3).named("wheel"));
/// let text = serde_json::to_string(&tree).unwrap();
/// assert_eq!(text, r#"{"nodes":[{"name":"car"},{"parent":0,"name":"wheel","material":3}]}"#);
/// assert_eq!(serde_json::from_str::<Tree>(&text).unwrap(), tree);
/// ```
impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some((number, fault)) = self.fault {
            return Err(S::Error::custom(format!("node {number}: {fault}")));
        }
        let plain = self.ids.stored().1 == 0;
        let form = |(number, (parent, node)): (_, (Option<usize>, _))| {
            let id = self.id(number).filter(|_| !plain);
            NodeForm::of(node, id, parent.and_then(|parent| self.id(parent)), false)
        };
        let given = (0..self.len()).filter_map(|number| self.id(number)).max().map_or(0, |id| id.saturating_add(1));
        let next_id = Some(self.next_id()).filter(|&next| next > given);
        TreeForm { next_id, nodes: self.iter().enumerate().map(form).collect() }.serialize(serializer)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "Tree", deny_unknown_fields)]
struct TreeForm<'n> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next_id: Option<u64>,
    #[serde(borrow)]
    nodes: Vec<NodeForm<'n>>,
}

/// Reads nodes in any order into a tree in depth-first order. In a list without ids, the index of a node is its id.
/// Every number is checked as for an edit.
impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let TreeForm { next_id, nodes } = TreeForm::deserialize(deserializer)?;
        if let Some(place) = nodes.iter().position(|node| node.detached) {
            return Err(D::Error::custom(format!("node {place}: a tree has no detached nodes; leave the mark out")));
        }
        let Listed { mut tree, ids, .. } = Listed::of(&nodes).map_err(D::Error::custom)?;
        for (number, id) in ids.into_iter().enumerate() {
            tree.ids.push(number, id);
        }
        tree.begin_ids_at(next_id.unwrap_or(0));
        Ok(tree)
    }
}
