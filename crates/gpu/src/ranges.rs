//! The view ranges of nodes, and the steps that keep them.

use crate::error::Error;
use crate::items::{List, Output};
use crate::layout::Range;
use crate::scene::{high, short};
use crate::step::Buffer;
use hedgerow::changes::{MatrixMirror, SliceCursor};
use hedgerow::{NodeHandle, Scene};
use std::collections::HashMap;

/// All nodes with a view range, each with an index that it keeps.
pub(crate) struct Ranges {
    cursor: SliceCursor,
    /// By record, since a drawable keeps its index if another node with a range takes the record of the one above it.
    indices: HashMap<u32, u32>,
    /// What the buffer has, by index. Index 0 is no node's, so that an instance with 0 is in no range.
    entries: Vec<(Option<NodeHandle>, Range)>,
    unused: Vec<u32>,
    items: List<Range>,
}

impl Ranges {
    pub(crate) fn new() -> Self {
        Self {
            cursor: SliceCursor::new().with_detached().without_transforms(),
            indices: HashMap::new(),
            entries: vec![(None, Range::default())],
            unused: Vec::new(),
            items: List::default(),
        }
    }

    /// Returns the number of ranges, with number 0.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the index of a node's range; 0 if it has none.
    pub(crate) fn index(&self, node: Option<NodeHandle>) -> u32 {
        node.and_then(|node| self.indices.get(&record(node))).copied().unwrap_or(0)
    }

    /// Finds out which ranges changed. `moved`: matrices may have other indices. Runs in O(1) if nothing but transforms
    /// changed or there are no ranges, else in O(slices + ranges).
    pub(crate) fn read(&mut self, scene: &Scene, matrices: &MatrixMirror, moved: bool) {
        let is_empty = self.indices.is_empty() && scene.view_ranges().next().is_none();
        if is_empty || scene.changed_slices(&mut self.cursor).count() == 0 && !moved {
            return;
        }
        let mut seen = vec![false; self.entries.len()];
        for ranged in scene.view_ranges() {
            let index = *self.indices.entry(record(ranged.node)).or_insert_with(|| {
                self.unused.pop().unwrap_or_else(|| {
                    self.entries.push((None, Range::default()));
                    seen.push(false);
                    short(self.entries.len() - 1)
                })
            });
            seen[index as usize] = true;
            let entry = &mut self.entries[index as usize];
            if entry.0 != Some(ranged.node) {
                // No matrix has this index, so that the range is written below. Culling knows nothing of the node yet.
                *entry = (Some(ranged.node), Range { matrix: u32::MAX, ..Range::default() });
                self.items.push(2 * index + 1, Range::default());
            }
        }
        for (index, entry) in (0..).zip(&mut self.entries) {
            if let Some(node) = entry.0.take_if(|_| !seen[index as usize]) {
                self.indices.remove(&record(node));
                self.unused.push(index);
                entry.1 = Range::default();
                self.items.push(2 * index, Range::default());
            }
        }
        for ranged in scene.view_ranges() {
            let index = self.index(Some(ranged.node));
            let range = Range {
                matrix: short(matrices.index(ranged.matrix).unwrap_or(0)),
                near: ranged.range.near(),
                far: ranged.range.far().min(f32::MAX),
                above: self.index(ranged.above),
            };
            if core::mem::replace(&mut self.entries[index as usize].1, range) != range {
                self.items.push(2 * index, range);
            }
        }
    }

    /// Brings the buffer up to date.
    pub(crate) fn write(&mut self, out: &mut Output<'_>) -> Result<(), Error> {
        if self.len() > 1 {
            out.fit(Buffer::Ranges, (self.len() * 2 * Buffer::Ranges.stride()) as u64, true)?;
        }
        self.items.flush(Buffer::Ranges, out, None)
    }
}

/// Returns the number of a node's record, which no two nodes have at the same time.
fn record(node: NodeHandle) -> u32 {
    high(node.to_bits())
}
