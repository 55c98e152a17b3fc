//! Scenes as lists of nodes.

use crate::scene::iter::Edge;
use crate::snapshot::SaveOptions;
use crate::text::number::FormNumber;
use crate::tree::text::{FORM, Listed, NodeForm};
use crate::{NodeHandle, NodeRef, Place, Scene, SceneConfig};
use serde::de::Error as _;
use serde::ser::{SerializeSeq, SerializeStruct};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes the number of the form, the configuration, and the nodes in depth-first order, each with the index of its parent in the list.
/// Detached subtrees come after the tree: the root of each has no parent and is marked `"detached": true`.
///
/// ```
/// use hedgerow::{Node, Scene, Transform};
///
/// let mut scene = Scene::new();
/// let car = scene.insert(scene.root(), Node::transform(Transform::from_xyz(1.0, 0.0, 2.5)).with_name("car"))?;
/// scene.insert(car, Node::material(3).with_name("wheel"))?;
///
/// let text = serde_json::to_string(&scene).unwrap();
/// assert!(text.contains(r#"{"parent":1,"name":"wheel","material":3}"#));
/// let again: Scene = serde_json::from_str(&text).unwrap();
/// assert!(again.get(again.root()).unwrap().find("car/wheel").is_some());
/// # Ok::<(), hedgerow::Error>(())
/// ```
impl Serialize for Scene {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        SaveOptions::default().text(self).serialize(serializer)
    }
}

impl SaveOptions {
    /// Returns a view of a scene that serializes like the scene, but without the parts that the options exclude.
    pub fn text(self, scene: &Scene) -> impl Serialize {
        Text(NodeList { scene, detached: self.detached })
    }
}

struct Text<'s>(NodeList<'s>);

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut form = serializer.serialize_struct("Scene", 3)?;
        form.serialize_field("hedgerow", &FormNumber::<FORM>::NEWEST)?;
        form.serialize_field("config", self.0.scene.config())?;
        form.serialize_field("nodes", &self.0)?;
        form.end()
    }
}

#[derive(Deserialize)]
#[serde(rename = "Scene", deny_unknown_fields)]
struct SceneForm<'n> {
    #[serde(default, rename = "hedgerow")]
    _number: FormNumber<FORM>,
    #[serde(default)]
    config: SceneConfig,
    #[serde(borrow)]
    nodes: Vec<NodeForm<'n>>,
}

impl SceneForm<'_> {
    fn build(self) -> Result<Scene, String> {
        let Listed { tree, roots } = Listed::of(&self.nodes)?;
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
        Ok(scene)
    }
}

struct NodeList<'s> {
    scene: &'s Scene,
    detached: bool,
}

impl Serialize for NodeList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { scene, detached } = *self;
        let outside = if detached { scene.store.nodes.detached_len() } else { 0 };
        let mut list = serializer.serialize_seq(Some(scene.len() + outside))?;
        let mut above = Vec::new();
        let mut place = 0;
        let tops = scene.get(scene.root()).into_iter().chain(scene.detached().filter(|_| detached));
        for edge in tops.flat_map(NodeRef::edges) {
            match edge {
                Edge::Enter(node) => {
                    let parent = above.last().copied();
                    let detached = parent.is_none() && node.handle() != scene.root();
                    list.serialize_element(&NodeForm::of(node.to_node(), parent, detached))?;
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

/// Reads a new scene, and updates it. It has new handles, and its nodes in the same depth-first order. Values are checked as for
/// edits. Children may come before their parents; siblings are in the order of the list.
impl<'de> Deserialize<'de> for Scene {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut scene = SceneForm::deserialize(deserializer)?.build().map_err(D::Error::custom)?;
        scene.update();
        Ok(scene)
    }
}
