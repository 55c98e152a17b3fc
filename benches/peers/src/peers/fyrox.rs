//! Fyrox's scene graph: pivots in its pool, and an update with all that is not the tree's switched off.

use crate::peer::Peer;
use crate::shapes::Shape;
use fyrox_impl::core::algebra::{Quaternion, UnitQuaternion, Vector2, Vector3};
use fyrox_impl::core::pool::Handle;
use fyrox_impl::graph::SceneGraph;
use fyrox_impl::scene::base::BaseBuilder;
use fyrox_impl::scene::graph::{Graph, GraphUpdateSwitches};
use fyrox_impl::scene::node::Node;
use fyrox_impl::scene::pivot::PivotBuilder;
use fyrox_impl::scene::transform::TransformBuilder;
use hedgerow::Transform;

/// The tree, below the graph's own root: a new node is that root's last child, and is found there to be moved below its
/// parent.
pub(crate) struct Fyrox {
    graph: Graph,
    switches: GraphUpdateSwitches,
    /// By number; the first is the root.
    handles: Vec<Handle<Node>>,
    listed: Vec<(Handle<Node>, Local)>,
}

/// A local transform in Fyrox's own types.
struct Local {
    position: Vector3<f32>,
    rotation: UnitQuaternion<f32>,
    scale: Vector3<f32>,
}

impl From<&Transform> for Local {
    fn from(local: &Transform) -> Self {
        let [x, y, z, w] = local.rotation.to_array();
        Self {
            position: local.translation.to_array().into(),
            rotation: UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z)),
            scale: local.scale.to_array().into(),
        }
    }
}

impl Fyrox {
    /// Builds the tree.
    pub(crate) fn new(shape: &Shape) -> Self {
        let mut graph = Graph::new();
        let mut handles: Vec<Handle<Node>> = Vec::with_capacity(shape.len());
        for (node, local) in shape.locals.iter().enumerate() {
            let Local { position, rotation, scale } = local.into();
            let local = TransformBuilder::new()
                .with_local_position(position)
                .with_local_rotation(rotation)
                .with_local_scale(scale)
                .build();
            let handle = graph.add_node(PivotBuilder::new(BaseBuilder::new().with_local_transform(local)).build_node());
            if node > 0 {
                graph.link_nodes(handle, handles[shape.parents[node] as usize]);
            }
            handles.push(handle);
        }
        let switches = GraphUpdateSwitches {
            physics: false,
            physics2d: false,
            // No node has anything of its own to do in a frame.
            node_overrides: Some(Default::default()),
            delete_dead_nodes: false,
            ..Default::default()
        };
        Self { graph, switches, handles, listed: Vec::new() }
    }
}

impl Peer for Fyrox {
    fn list(&mut self, moved: &[(u32, Transform)]) {
        self.listed.clear();
        self.listed.extend(moved.iter().map(|(node, local)| (self.handles[*node as usize], local.into())));
    }

    fn set(&mut self) {
        for (handle, local) in &self.listed {
            self.graph[*handle]
                .local_transform_mut()
                .set_position(local.position)
                .set_rotation(local.rotation)
                .set_scale(local.scale);
        }
    }

    fn update(&mut self) {
        self.graph.update(Vector2::default(), 0.0, self.switches.clone());
    }

    fn world(&self, node: u32) -> [f32; 12] {
        let world = self.graph[self.handles[node as usize]].global_transform();
        core::array::from_fn(|element| world[(element % 3, element / 3)])
    }

    fn reparent(&mut self, moves: &[(u32, u32)]) {
        for &(node, parent) in moves {
            self.graph.link_nodes(self.handles[node as usize], self.handles[parent as usize]);
        }
    }

    fn remove(&mut self, tops: &[u32]) {
        for &top in tops {
            self.graph.remove_node(self.handles[top as usize]);
        }
    }
}
