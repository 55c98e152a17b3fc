//! Scenes as lists of nodes, with and without ids.

use super::NodeIds;
use crate::scene::iter::Edge;
use crate::snapshot::SaveOptions;
use crate::tree::text::{Listed, NodeForm};
use crate::{NodeHandle, NodeRef, Place, Scene, SceneConfig};
use serde::de::Error as _;
use serde::ser::{Error as _, SerializeSeq, SerializeStruct};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A scene with the ids of its nodes. Deserializing returns owned values; to serialize, use references.
///
/// The module's example does both. In a list without ids, the index of a node is its id. Before writing, give each node
/// an id by [`NodeIds::assign`]. The [ids of an instance](crate::patch::Instance::ids) are refused, as its root has
/// none: write [`Recorder::tree`](crate::patch::Recorder::tree) or [`Instance::tree`](crate::patch::Instance::tree)
/// instead.
#[derive(Clone, Debug)]
pub struct WithIds<S = Scene, I = NodeIds> {
    /// The scene.
    pub scene: S,
    /// The ids of its nodes.
    pub ids: I,
}

/// Writes the configuration, and the nodes in depth-first order, each with the index of its parent in the list.
/// Detached subtrees come after the tree: the root of each has no parent and is marked `"detached": true`.
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
/// assert!(again.get(again.root()).unwrap().find("car/wheel").is_some());
/// # Ok::<(), hedgerow::Error>(())
/// ```
impl Serialize for Scene {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        SaveOptions::default().text(self, None).serialize(serializer)
    }
}

/// Writes the same as for a scene, with an id for each node, parents by id, and the next id.
impl Serialize for WithIds<&Scene, &NodeIds> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        SaveOptions::default().text(self.scene, self.ids).serialize(serializer)
    }
}

impl Serialize for WithIds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        WithIds { scene: &self.scene, ids: &self.ids }.serialize(serializer)
    }
}

impl SaveOptions {
    /// Returns a view of a scene that serializes like the scene, or with `ids` like [`WithIds`], but without the parts
    /// that the options exclude.
    pub fn text<'s>(self, scene: &'s Scene, ids: impl Into<Option<&'s NodeIds>>) -> impl Serialize + 's {
        Text(NodeList { scene, ids: ids.into(), detached: self.detached })
    }
}

struct Text<'s>(NodeList<'s>);

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(list) = self;
        let mut form = serializer.serialize_struct("Scene", 2 + usize::from(list.ids.is_some()))?;
        form.serialize_field("config", list.scene.config())?;
        if let Some(ids) = list.ids {
            form.serialize_field("next_id", &ids.next_id())?;
        }
        form.serialize_field("nodes", list)?;
        form.end()
    }
}

#[derive(Deserialize)]
#[serde(rename = "Scene", deny_unknown_fields)]
struct SceneForm<'n> {
    #[serde(default)]
    config: SceneConfig,
    /// A number greater than every id that was assigned, including ids of removed nodes.
    #[serde(default)]
    next_id: u64,
    #[serde(borrow)]
    nodes: Vec<NodeForm<'n>>,
}

impl SceneForm<'_> {
    /// Builds the scene. Also returns each node's id and handle. In a list without ids, a node's id is its index.
    fn build(self) -> Result<(Scene, Vec<(u64, NodeHandle)>), String> {
        let Listed { tree, ids, roots } = Listed::of(&self.nodes)?;
        match roots[..] {
            [] => return Err("the scene has no root; leave out the parent of one node".into()),
            [_] => {}
            [_, root, ..] => {
                return Err(format!(
                    "node {root}: second root; only one node may lack a parent, unless it is detached"
                ));
            }
        }
        let mut scene = Scene::with_config(self.config).map_err(|error| error.to_string())?;
        let mut handles: Vec<NodeHandle> = Vec::with_capacity(tree.len());
        for (parent, node) in tree.iter() {
            let handle = match parent {
                Some(parent) => scene.insert(handles[parent], node),
                None if handles.is_empty() => {
                    let root = scene.root();
                    scene.edit(root).and_then(|mut edit| edit.set_node(node).map(|_| root))
                }
                None => scene.insert(Place::Detached, node),
            };
            handles.push(handle.map_err(|error| error.to_string())?);
        }
        Ok((scene, ids.into_iter().zip(handles).collect()))
    }
}

struct NodeList<'s> {
    scene: &'s Scene,
    ids: Option<&'s NodeIds>,
    detached: bool,
}

impl Serialize for NodeList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { scene, ids, detached } = *self;
        let outside = if detached { scene.store.nodes.detached_len() } else { 0 };
        let mut list = serializer.serialize_seq(Some(scene.len() + outside))?;
        let mut above = Vec::new();
        let mut place = 0;
        let tops = scene.get(scene.root()).into_iter().chain(scene.detached().filter(|_| detached));
        for edge in tops.flat_map(NodeRef::edges) {
            match edge {
                Edge::Enter(node) => {
                    let id = match ids.map(|ids| ids.id(node.handle())) {
                        Some(None) => {
                            let help = "give it one with NodeIds::assign, or write Instance::tree or Recorder::tree";
                            return Err(S::Error::custom(format!("{:?} has no id; {help}", node.handle())));
                        }
                        id => id.flatten(),
                    };
                    let parent = above.last().copied();
                    let detached = parent.is_none() && node.handle() != scene.root();
                    list.serialize_element(&NodeForm::of(node.node(), id, parent, detached))?;
                    above.push(id.unwrap_or(place));
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

/// Reads a new scene with new handles, and with its nodes in the same depth-first order. Numbers are checked as for
/// edits. Children may come before their parents; siblings are in the order of the list. Ids are only used to find
/// parents: [`WithIds`] keeps them.
impl<'de> Deserialize<'de> for Scene {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (scene, _) = SceneForm::deserialize(deserializer)?.build().map_err(D::Error::custom)?;
        Ok(scene)
    }
}

/// Reads a new scene, and the ids of its nodes.
impl<'de> Deserialize<'de> for WithIds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let form = SceneForm::deserialize(deserializer)?;
        let mut ids = NodeIds::new();
        ids.begin_at(form.next_id);
        let (scene, nodes) = form.build().map_err(D::Error::custom)?;
        for (id, node) in nodes {
            _ = ids.insert(node, id);
        }
        Ok(Self { scene, ids })
    }
}
