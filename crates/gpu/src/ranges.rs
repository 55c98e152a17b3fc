//! The view ranges of nodes, and the steps that keep them.

use crate::error::Error;
use crate::items::Items;
use crate::layout::Range;
use crate::scene::{Synced, short};
use crate::step::{Buffer, Step};
use hedgerow::changes::{MatrixMirror, SliceCursor};
use hedgerow::data::NodeMap;
use hedgerow::{NodeHandle, Scene};

/// All nodes with a view range, each with an index that it keeps.
pub(crate) struct Ranges {
    cursor: SliceCursor,
    indices: NodeMap<u32>,
    /// What the buffer has, by index. Index 0 is no node's, so that an instance with 0 is in no range.
    entries: Vec<(Option<NodeHandle>, Range)>,
    unused: Vec<u32>,
    /// The number of ranges that the buffer has room for.
    capacity: usize,
    items: Items<Range>,
}

impl Ranges {
    pub(crate) fn new() -> Self {
        Self {
            cursor: SliceCursor::new().with_detached().without_transforms(),
            indices: NodeMap::new(),
            entries: vec![(None, Range::default())],
            unused: Vec::new(),
            capacity: 0,
            items: Items::default(),
        }
    }

    /// Returns the number of ranges, with number 0.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the index of a node's range; 0 if it has none.
    pub(crate) fn index(&self, node: Option<NodeHandle>) -> u32 {
        node.and_then(|node| self.indices.get(node)).copied().unwrap_or(0)
    }

    /// Finds out which ranges changed. `moved`: matrices may have other indices. Runs in O(1) if nothing but transforms
    /// changed or there are no ranges, else in O(slices + ranges).
    pub(crate) fn read(&mut self, scene: &Scene, matrices: &MatrixMirror, moved: bool) {
        let is_empty = self.indices.is_empty() && scene.view_ranges().next().is_none();
        if is_empty || scene.changed_slices(&mut self.cursor).count() == 0 && !moved {
            return;
        }
        for (index, entry) in (0..).zip(&mut self.entries) {
            if let Some(node) = entry.0.filter(|&node| scene.get(node).and_then(|node| node.view_range()).is_none()) {
                self.indices.remove(node);
                self.unused.push(index);
                *entry = (None, Range::default());
            }
        }
        for ranged in scene.view_ranges() {
            if self.indices.contains_key(ranged.node) {
                continue;
            }
            let index = self.unused.pop().unwrap_or(short(self.entries.len()));
            self.entries.resize(self.entries.len().max(index as usize + 1), (None, Range::default()));
            // No matrix has this index, so that the range is written below.
            self.entries[index as usize] = (Some(ranged.node), Range { matrix: u32::MAX, ..Range::default() });
            _ = self.indices.insert(ranged.node, index);
            // Culling knows nothing of the node yet.
            self.items.push(2 * index + 1, Range::default());
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
    pub(crate) fn write(
        &mut self,
        max: u64,
        done: &mut Synced,
        step: &mut impl FnMut(Step<'_>, &mut Synced),
    ) -> Result<(), Error> {
        if self.capacity < self.len() && self.len() > 1 {
            let bytes = |ranges: usize| (2 * ranges * Buffer::Ranges.stride()) as u64;
            let needed = bytes(self.len());
            if needed > max {
                return Err(Error::TooLarge { buffer: Some(Buffer::Ranges), bytes: needed, max });
            }
            let bytes = bytes(self.len() * 5 / 4).min(max / bytes(1) * bytes(1));
            step(Step::Resize { buffer: Buffer::Ranges, bytes, keep: true }, done);
            self.capacity = usize::try_from(bytes / (2 * Buffer::Ranges.stride() as u64)).unwrap_or(usize::MAX);
        }
        self.items.flush(Buffer::Ranges, done, step);
        Ok(())
    }
}
