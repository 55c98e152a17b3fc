//! For the crates of this project alone: not part of the API, and may change in any release.

pub use crate::handle::HandleHasher;
pub use crate::node::plain_components;
pub use crate::snapshot::body;
#[cfg(feature = "serde")]
pub use crate::text::number::FormNumber;
pub use crate::tree::bytes::Nodes;
#[cfg(feature = "serde")]
pub use crate::tree::local::{LocalText, MatrixText, TransformText};

use crate::store::RecordId;
#[cfg(feature = "serde")]
use crate::{Local, Node};
use crate::{NodeHandle, Scene};

/// Returns the text of a node's local transform.
#[cfg(feature = "serde")]
#[must_use]
pub fn local_text(node: &Node<'_>) -> Option<LocalText> {
    node.local.map(|local| LocalText::of(local, node.remainder()))
}

/// Returns a local transform from its text, and its translation in double precision if single precision does not have it.
#[cfg(feature = "serde")]
#[must_use]
pub fn local_of_text(text: LocalText) -> (Option<Local>, Option<glam::DVec3>) {
    let (local, translation_f64) = text.read();
    (Some(local), translation_f64)
}

/// Returns a node's tag, a number of a document; `None` if the node has none or is gone.
#[must_use]
pub fn tag(scene: &Scene, node: NodeHandle) -> Option<u32> {
    scene.store.nodes.tag(scene.store.nodes.resolve(node)?)
}

/// Returns the tag that a record got last, whether its node lives or not.
#[must_use]
pub fn last_tag(scene: &Scene, record: u32) -> Option<u32> {
    scene.store.nodes.last_tag(RecordId::from_number(record))
}

/// Sets or removes the tag of a node; stale handles have no effect.
pub fn set_tag(scene: &mut Scene, node: NodeHandle, tag: Option<u32>) {
    if let Some(id) = scene.store.nodes.resolve(node) {
        scene.store.nodes.set_tag(id, tag);
    }
}

/// Returns what the document that set tags last left here.
#[must_use]
pub fn tagged_by(scene: &Scene) -> u32 {
    scene.store.nodes.tagged_by
}

/// Leaves a number for the document that sets tags.
pub fn set_tagged_by(scene: &mut Scene, number: u32) {
    scene.store.nodes.tagged_by = number;
}

/// Returns the number of a node's record.
#[must_use]
pub fn record(node: NodeHandle) -> u32 {
    node.record().number()
}

/// Returns the node that has a record.
#[must_use]
pub fn node_of_record(scene: &Scene, record: u32) -> Option<NodeHandle> {
    let (nodes, id) = (&scene.store.nodes, RecordId::from_number(record));
    nodes.pages.lives(id).then(|| nodes.pages.handle(id))
}
