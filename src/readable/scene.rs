//! A scene as a list of nodes in depth-first order, each with the index of its parent in the list. After the tree come
//! the detached subtrees; the root of each has no parent and is marked as detached.
//!
//! The list is flat because trees are deep: most formats could not read a nested chain of a thousand nodes.

use crate::scene::{Edge, Scene};
use crate::{Error, Local, Mat34, Node, NodeHandle, SceneConfig, Shape, Transform, Visibility};
use serde::de::Error as _;
use serde::ser::{SerializeSeq, SerializeStruct};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

/// A node; missing components are left out.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NodeForm<'n> {
    /// The index of the parent in the list; none for the root, which comes first, and for roots of detached subtrees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent: Option<usize>,
    /// Whether this is the root of a detached subtree.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    detached: bool,
    #[serde(default, skip_serializing_if = "Option::is_none", borrow)]
    name: Option<Cow<'n, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    transform: Option<Transform>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    matrix: Option<Mat34>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    material: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shape: Option<Shape>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    visibility: Option<Visibility>,
}

#[derive(Deserialize)]
#[serde(rename = "Scene", deny_unknown_fields)]
struct SceneForm<'n> {
    #[serde(default)]
    config: SceneConfig,
    #[serde(borrow)]
    nodes: Vec<NodeForm<'n>>,
}

/// Writes the policy, and the nodes in depth-first order, each with the index of its parent in the list. Detached
/// subtrees follow after the tree: the root of each has no parent and is marked `"detached": true`. What
/// [`Scene::remove_later`] has not freed yet is left out.
///
/// ```
/// use hedgerow::{Node, Scene, Transform};
///
/// let mut scene = Scene::new();
/// let car = scene.insert(scene.root(), Node::transform(Transform::from_xyz(1.0, 0.0, 2.5)).named("car"))?;
/// scene.insert(car, Node::material(3).named("wheel"))?;
///
/// let text = serde_json::to_string(&scene).unwrap();
/// assert!(text.contains(r#"{"parent":1,"name":"wheel","material":3}"#));
/// let again: Scene = serde_json::from_str(&text).unwrap();
/// assert!(again.find(again.root(), "car/wheel").is_some());
/// # Ok::<(), hedgerow::Error>(())
/// ```
impl Serialize for Scene {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut form = serializer.serialize_struct("Scene", 2)?;
        form.serialize_field("config", self.config())?;
        form.serialize_field("nodes", &NodeList(self))?;
        form.end()
    }
}

/// The nodes of a scene.
struct NodeList<'s>(&'s Scene);

impl Serialize for NodeList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let scene = self.0;
        let mut list = serializer.serialize_seq(Some(scene.len() + scene.detached_len()))?;
        let mut above = Vec::new();
        let mut place = 0;
        let tops = core::iter::once(scene.root()).chain(scene.detached_roots());
        for edge in tops.flat_map(|top| scene.edges(top)) {
            match edge {
                Edge::Enter(node) => {
                    list.serialize_element(&NodeForm::of(scene, node, above.last().copied()))?;
                    above.push(place);
                    place += 1;
                }
                Edge::Leave(_) => {
                    above.pop();
                }
            }
        }
        list.end()
    }
}

impl<'n> NodeForm<'n> {
    fn of(scene: &'n Scene, node: NodeHandle, parent: Option<usize>) -> Self {
        let Node { local, material, shape, visibility, name } = scene.node(node).unwrap_or_default();
        Self {
            parent,
            detached: parent.is_none() && node != scene.root(),
            name: name.map(Cow::Borrowed),
            transform: local.and_then(Local::transform),
            matrix: match local {
                Some(Local::Matrix(matrix)) => Some(matrix),
                _ => None,
            },
            material,
            shape,
            visibility,
        }
    }

    /// The description; `None` if it has two local transforms.
    fn describe(&self) -> Option<Node<'_>> {
        let local = match (self.transform, self.matrix) {
            (Some(_), Some(_)) => return None,
            (transform, matrix) => transform.map(Local::Transform).or(matrix.map(Local::Matrix)),
        };
        let Self { material, shape, visibility, .. } = *self;
        Some(Node { local, material, shape, visibility, name: self.name.as_deref() })
    }
}

/// Reads a new scene. Its handles differ from those of the scene that was written, in the same depth-first order. Every
/// number is checked as for an edit.
impl<'de> Deserialize<'de> for Scene {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let SceneForm { config, nodes } = SceneForm::deserialize(deserializer)?;
        let mut scene = Self::with_config(config).map_err(D::Error::custom)?;
        let mut handles = Vec::with_capacity(nodes.len());
        for (place, form) in nodes.iter().enumerate() {
            let refuse = |why: String| D::Error::custom(format!("node {place}: {why}"));
            let node =
                form.describe().ok_or_else(|| refuse("it has a transform and a matrix; leave one out".into()))?;
            let parent = form.parent.map(|parent| {
                let above = handles.get(parent).copied();
                above.ok_or_else(|| refuse(format!("its parent {parent} comes later; list parents before children")))
            });
            let handle = match (parent.transpose()?, form.detached) {
                (Some(parent), false) => scene.insert(parent, node),
                (None, false) if place == 0 => scene.describe_root(&node).map(|()| scene.root()),
                (None, true) if place > 0 => scene.insert_detached(node),
                (None, false) => {
                    let why = "it has no parent, which the first node alone may lack, and those that are detached";
                    return Err(refuse(why.into()));
                }
                (_, true) => {
                    return Err(refuse("it is detached; the first node and those below others cannot be".into()));
                }
            };
            handles.push(handle.map_err(|error| refuse(error.to_string()))?);
        }
        if handles.is_empty() {
            return Err(D::Error::custom("there are no nodes; the first is the root"));
        }
        Ok(scene)
    }
}

impl Scene {
    /// Inserts a node as the root of a detached subtree.
    fn insert_detached(&mut self, node: Node<'_>) -> Result<NodeHandle, Error> {
        let handle = self.insert(self.root(), node)?;
        self.detach(handle)?;
        Ok(handle)
    }

    /// Gives the root of a new scene the components of a description.
    fn describe_root(&mut self, node: &Node<'_>) -> Result<(), Error> {
        let root = self.root();
        if let Some(local) = node.local {
            self.add_transform(root, local.transform().unwrap_or_default())?;
            if let Local::Matrix(matrix) = local {
                self.set_local_matrix(root, matrix)?;
            }
        }
        if let Some(material) = node.material {
            self.add_material(root, material)?;
        }
        if let Some(shape) = node.shape {
            self.add_shape(root, shape)?;
        }
        if let Some(visibility) = node.visibility {
            self.add_visibility(root, visibility)?;
        }
        if node.name.is_some() {
            self.set_name(root, node.name)?;
        }
        Ok(())
    }
}
