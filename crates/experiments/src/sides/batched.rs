//! A scene edited in batches as a side.

use super::{Checksum, Packed, Side, describe};
use crate::workloads::{Edits, Kind, Recipe};
use hedgerow::{Node, NodeHandle, Transform};

/// The same scene, edited in batches. The lists that a frame's batches are told by are filled as part of the edits.
#[derive(Debug)]
pub struct Batched {
    pub(super) packed: Packed,
    removed: Vec<NodeHandle>,
    items: Vec<(NodeHandle, Node<'static>)>,
    inserted: Vec<NodeHandle>,
}

impl Side for Batched {
    const NAME: &'static str = "hedgerow, in batches";

    fn build(recipe: &Recipe) -> Self {
        Self { packed: Packed::build(recipe), removed: Vec::new(), items: Vec::new(), inserted: Vec::new() }
    }

    fn pack(&mut self) {
        self.packed.pack();
    }

    fn edit(&mut self, edits: &Edits) {
        let (scene, nodes) = self.packed.parts_mut();
        self.removed.clear();
        self.removed.extend(edits.removed.iter().map(|&id| nodes[id as usize]));
        scene.remove_many(&self.removed).expect("the removed nodes were there");
        self.items.clear();
        let items = edits.inserted.iter().map(|(_, node)| (nodes[node.parent as usize], describe(node.content)));
        self.items.extend(items);
        self.inserted.clear();
        scene.insert_many(&self.items, &mut self.inserted).expect("live parents take finite nodes");
        for ((id, _), &handle) in edits.inserted.iter().zip(&self.inserted) {
            nodes[*id as usize] = handle;
        }
    }

    fn set_locals(&mut self, locals: &[(u32, Transform)]) {
        let (scene, nodes) = self.packed.parts_mut();
        let items = locals.iter().map(|(id, local)| (nodes[*id as usize], local));
        scene.set_locals(items).expect("the moved nodes have finite transforms");
    }

    fn transform(&mut self) {
        self.packed.transform();
    }

    fn update(&mut self) {
        self.packed.update();
    }

    fn render(&mut self) {
        self.packed.render();
    }

    fn draws(&self) -> Checksum {
        self.packed.draws()
    }

    fn worlds(&self, kinds: &[Kind]) -> Checksum {
        self.packed.worlds(kinds)
    }

    fn bytes(&self) -> usize {
        self.packed.bytes()
    }
}
