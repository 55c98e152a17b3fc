//! The nodes of a scene as a list: what is written of each, and how a list becomes a scene.
//!
//! The list is flat because trees are deep: most formats could not read a nested chain of a thousand nodes.

use crate::store::Additions;
use crate::{Local, Mat34, Node, NodeHandle, Place, Scene, SceneConfig, Shape, Transform, Visibility};
use glam::Vec3;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashMap;

/// A node; missing components are left out.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NodeForm<'n> {
    /// The node's own number, if the nodes of the list have any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    /// The id of the parent, or its index in a list without ids; none for the root and for roots of detached subtrees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent: Option<u64>,
    /// Whether this is the root of a detached subtree.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    detached: bool,
    #[serde(default, skip_serializing_if = "Option::is_none", borrow)]
    name: Option<Cow<'n, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    transform: Option<Transform>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    matrix: Option<Mat34>,
    /// What the local translation is more, in double precision: less than single precision can tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    remainder: Option<[f32; 3]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    material: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shape: Option<Shape>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    visibility: Option<Visibility>,
    /// The number of the user's own that draws carry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    word: Option<u32>,
}

#[derive(Deserialize)]
#[serde(rename = "Scene", deny_unknown_fields)]
pub(super) struct SceneForm<'n> {
    #[serde(default)]
    config: SceneConfig,
    #[serde(borrow)]
    nodes: Vec<NodeForm<'n>>,
}

impl<'n> NodeForm<'n> {
    pub(super) fn of(scene: &'n Scene, node: NodeHandle, id: Option<u64>, parent: Option<u64>) -> Self {
        let at = scene.at(node).expect("a node of the scene that is written");
        let Node { local, material, shape, visibility, name } = scene.store.node(at);
        let Additions { word, remainder } = scene.store.additions(at);
        Self {
            id,
            parent,
            detached: parent.is_none() && node != scene.root(),
            name: name.map(Cow::Borrowed),
            transform: local.and_then(Local::transform),
            matrix: match local {
                Some(Local::Matrix(matrix)) => Some(matrix),
                _ => None,
            },
            remainder: Some(remainder.to_array()).filter(|_| remainder != Vec3::ZERO),
            material,
            shape,
            visibility,
            word: Some(word).filter(|&word| word != 0),
        }
    }

    /// What the node has besides its description; `None` if it has a remainder that is not of this local transform.
    fn additions(&self, local: Option<Local>) -> Option<Additions> {
        let remainder = self.remainder.map_or(Vec3::ZERO, Vec3::from_array);
        let translation = local.map_or(Vec3::ZERO, |local| local.to_matrix().translation());
        let fits = self.remainder.is_none() || local.is_some() && Additions::fits(remainder, translation);
        fits.then_some(Additions { word: self.word.unwrap_or(0), remainder })
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

/// Stands for no node in lists of places.
const NONE: usize = usize::MAX;

/// Which nodes of a list hang below which.
struct Links {
    root: usize,
    /// The tops of detached subtrees, in order.
    detached: Vec<usize>,
    /// By node: its first child and its next sibling, in the order of the list.
    first_child: Vec<usize>,
    next_sibling: Vec<usize>,
}

impl Links {
    fn of(nodes: &[NodeForm<'_>]) -> Result<Self, String> {
        let places = ids(nodes)?;
        let mut links = Self {
            root: NONE,
            detached: Vec::new(),
            first_child: vec![NONE; nodes.len()],
            next_sibling: vec![NONE; nodes.len()],
        };
        // From the last node to the first, so that each becomes the first of its siblings.
        for (place, node) in nodes.iter().enumerate().rev() {
            let refuse = |why: &str| Err(format!("node {place}: {why}"));
            match (node.parent, node.detached) {
                (Some(parent), false) => {
                    let found = match &places {
                        Some(places) => places.get(&parent).copied(),
                        None => usize::try_from(parent).ok().filter(|&parent| parent < nodes.len()),
                    };
                    let Some(above) = found else {
                        return refuse(&format!("there is no node {parent}, its parent; list it, too"));
                    };
                    links.next_sibling[place] = core::mem::replace(&mut links.first_child[above], place);
                }
                (Some(_), true) => return refuse("it is detached and has a parent; leave one of both out"),
                (None, true) => links.detached.push(place),
                (None, false) if links.root == NONE => links.root = place,
                (None, false) => {
                    let root = core::mem::replace(&mut links.root, place);
                    return Err(format!(
                        "node {root}: it has no parent, which one node alone may lack, and those that are detached"
                    ));
                }
            }
        }
        links.detached.reverse();
        if links.root == NONE {
            return Err("there is no root; one node has no parent".into());
        }
        Ok(links)
    }

    /// The node after `place` in depth-first order of the subtree of `top`, given the places above it.
    fn next(&self, place: usize, above: &mut Vec<usize>) -> usize {
        if self.first_child[place] != NONE {
            above.push(place);
            return self.first_child[place];
        }
        let mut at = place;
        while !above.is_empty() {
            if self.next_sibling[at] != NONE {
                return self.next_sibling[at];
            }
            at = above.pop().unwrap_or(NONE);
        }
        NONE
    }
}

/// The place of each id, if the nodes of the list have ids.
fn ids(nodes: &[NodeForm<'_>]) -> Result<Option<HashMap<u64, usize>>, String> {
    if nodes.iter().all(|node| node.id.is_none()) {
        return Ok(None);
    }
    let mut places = HashMap::with_capacity(nodes.len());
    for (place, node) in nodes.iter().enumerate() {
        let Some(id) = node.id.filter(|&id| id < u64::MAX) else {
            return Err(format!(
                "node {place}: it has no id, or too great a one, and others have ids; give it another"
            ));
        };
        if let Some(other) = places.insert(id, place) {
            return Err(format!("node {place}: its id {id} is that of node {other}; give it another"));
        }
    }
    Ok(Some(places))
}

impl SceneForm<'_> {
    /// The scene, and the handle of each node of the list with its id, which is its place in a list without ids.
    pub(super) fn build(self) -> Result<(Scene, Vec<(u64, NodeHandle)>), String> {
        let Self { config, nodes } = self;
        let links = Links::of(&nodes)?;
        let mut scene = Scene::with_config(config).map_err(|error| error.to_string())?;
        let mut handles = vec![None; nodes.len()];
        let mut above = Vec::new();
        for &top in core::iter::once(&links.root).chain(&links.detached) {
            let mut place = top;
            while place != NONE {
                let refuse = |why: String| format!("node {place}: {why}");
                let node = nodes[place].describe();
                let node = node.ok_or_else(|| refuse("it has a transform and a matrix; leave one out".into()))?;
                let inserted = match above.last().and_then(|&parent: &usize| handles[parent]) {
                    Some(parent) => scene.insert(Place::LastChildOf(parent), node),
                    None if place == links.root => scene.set_node(scene.root(), node).map(|()| scene.root()),
                    None => scene.insert(Place::Detached, node),
                };
                let handle = inserted.map_err(|error| refuse(error.to_string()))?;
                let additions = nodes[place].additions(node.local).ok_or_else(|| {
                    refuse("its remainder is more than rounding takes from its translation; leave it out".into())
                })?;
                scene.store.add(handle.record(), &additions);
                handles[place] = Some(handle);
                place = links.next(place, &mut above);
            }
        }
        let mut listed = Vec::with_capacity(nodes.len());
        for (place, (handle, node)) in (0..).zip(handles.into_iter().zip(&nodes)) {
            let Some(handle) = handle else {
                return Err(format!("node {place}: it is its own ancestor; give it another parent"));
            };
            listed.push((node.id.unwrap_or(place), handle));
        }
        Ok((scene, listed))
    }
}
