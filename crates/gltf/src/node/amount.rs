//! Counts the nodes, names and bytes of an import before allocation.

use super::draws_itself;
use super::graph::Forest;
use crate::ImportOptions;
use crate::error::{ImportError, ImportErrorKind, Item};
use crate::file::Budget;
use core::ops::AddAssign;
use gltf::json::Root;
use hedgerow::Error;
use hedgerow_math::internal::fallible;

/// A file may make this number of nodes, or a node for each of its bytes if that is more.
const LEAST_NODES: u64 = 1 << 16;
const NODES_PER_BYTE: u64 = 1;
/// The allowed bytes of names for each allowed node.
const NAME_BYTES_PER_NODE: u64 = 64;
/// An upper bound on the bytes of a node. It covers the row, the slots of all components with histories and boxes, free
/// room in the slice, and entries in the lists of an import.
const NODE_BYTES: u64 = 640;
/// An upper bound on the bytes of a glTF scene without its node.
const SCENE_BYTES: u64 = 512;
/// Bytes that a scene allocates in addition to nodes, for new or split slices and for growing lists.
const AROUND: u64 = 1 << 20;

/// A number of nodes, and the bytes of their names.
///
/// A node listed by *n* scenes is made *n* times with all descendants. Each primitive makes a drawable node for each
/// node or instance that draws the mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Amount {
    nodes: u64,
    scenes: u64,
    name_bytes: u64,
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Self) {
        self.nodes = self.nodes.saturating_add(other.nodes);
        self.scenes = self.scenes.saturating_add(other.scenes);
        self.name_bytes = self.name_bytes.saturating_add(other.name_bytes);
    }
}

impl Amount {
    fn one(name: Option<&String>) -> Self {
        Self { nodes: 1, scenes: 0, name_bytes: name.map_or(0, String::len) as u64 }
    }

    /// Returns the total of all scenes of a file whose nodes form trees. `drawn` returns the number of drawn primitives
    /// of a mesh, and `instances` returns the number of instances at a node.
    ///
    /// Runs in **O(file)**, even if scenes share nodes.
    pub(crate) fn of(
        root: &Root,
        forest: &Forest,
        drawn: impl Fn(usize) -> usize,
        instances: impl Fn(usize) -> Option<usize>,
    ) -> Self {
        // The amount of each subtree. Children come after their parents in this order, so iterate backwards.
        let mut below: Vec<Self> = root.nodes.iter().map(|node| Self::one(node.name.as_ref())).collect();
        for &node in forest.order.iter().rev() {
            let json = &root.nodes[node];
            if let Some(mesh) = json.mesh.map(|mesh| mesh.value()) {
                let more = if draws_itself(root, json) { 0 } else { drawn(mesh) as u64 };
                let more = instances(node).map_or(more, |count| (count as u64).saturating_mul(1 + more));
                below[node].nodes = below[node].nodes.saturating_add(more);
            }
            if let Some(parent) = forest.parents[node] {
                let all = below[node];
                below[parent] += all;
            }
        }
        let mut all = Self::default();
        for scene in &root.scenes {
            all += Self { scenes: 1, ..Self::one(scene.name.as_ref()) };
            scene.nodes.iter().for_each(|node| all += below[node.value()]);
        }
        all
    }

    /// Returns an upper bound on the bytes of all nodes in the scene and in the import.
    fn bytes(self) -> u64 {
        let Self { nodes, scenes, name_bytes } = self;
        let bytes = nodes.saturating_mul(NODE_BYTES).saturating_add(scenes.saturating_mul(SCENE_BYTES));
        bytes.saturating_add(name_bytes)
    }

    /// Returns an error if there is no memory for these nodes with all components, or for growth of the scene.
    pub(crate) fn probe(self) -> Result<(), Error> {
        let bytes = usize::try_from(self.bytes().saturating_add(AROUND)).unwrap_or(usize::MAX);
        fallible::probe::<u8>(bytes).map_err(|_| Error::AllocationFailed)
    }

    /// Returns an error if the amount exceeds the limits for the file's size.
    pub(crate) fn check(self, options: &ImportOptions, file_bytes: u64, budget: &Budget) -> Result<(), ImportError> {
        let usual = file_bytes.saturating_mul(NODES_PER_BYTE).max(LEAST_NODES);
        let most = options.max_nodes.map_or(usual, |most| most as u64);
        let Self { nodes, name_bytes, .. } = self;
        if nodes > most {
            return Err(ImportErrorKind::TooManyNodes { nodes, most }.into());
        }
        let most = most.saturating_mul(NAME_BYTES_PER_NODE).max(file_bytes);
        if name_bytes > most {
            return Err(ImportErrorKind::NamesTooLong { bytes: name_bytes, most }.into());
        }
        budget.take_bytes(self.bytes(), Item::file)
    }
}
