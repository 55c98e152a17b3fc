//! A column of values per transform, compared with a map.

use super::Check;
use super::oracle::Oracle;
use hedgerow::data::Column;
use hedgerow::visit::SliceView;
use hedgerow::{Error, NodeHandle};
use std::collections::{HashMap, HashSet};

/// A column, and its expected values.
pub struct Tags {
    column: Column<u64>,
    set: HashMap<NodeHandle, u64>,
    /// Nodes that were removed after a value was set. If a restore brings them back, the value may be lost, or
    /// be an earlier one.
    unsure: HashSet<NodeHandle>,
}

impl Default for Tags {
    fn default() -> Self {
        Self { column: Column::new(0), set: HashMap::new(), unsure: HashSet::new() }
    }
}

impl Oracle {
    /// Sets values of a few nodes. At some steps, also updates the column and compares all of it.
    pub fn compare_column(&mut self, probe: u16, updated: bool) -> Check {
        let Self { scene, tree, tags, .. } = self;
        tags.unsure.extend(tree.gone());
        for turn in 0..3 {
            let index = tree.live()[usize::from(probe).wrapping_mul(turn + 1) % tree.len()];
            let (node, value) = (tree.handle(index), u64::from(probe) + 1);
            let has = tree.at(index).local.is_some();
            let expected = if has { Ok(()) } else { Err(Error::NoTransform(node)) };
            let done = tags.column.set(scene, node, value);
            ensure!(done == expected, "a value of {node:?} is set: {done:?}, not {expected:?}");
            if has {
                tags.set.insert(node, value);
                tags.unsure.remove(&node);
                let now = tags.column.get(scene, node);
                ensure!(now == Some(&value), "the value of {node:?} was set to {value} and is {now:?}");
            }
        }
        if !updated || !probe.is_multiple_of(3) {
            return Ok(());
        }
        tags.column.update(scene);
        for &index in tree.live() {
            let node = tree.handle(index);
            let expected = tree.at(index).local.map(|_| tags.set.get(&node).copied().unwrap_or(0));
            let value = tags.column.get(scene, node).copied();
            if tags.unsure.remove(&node) {
                tags.set.extend(value.map(|value| (node, value)));
                continue;
            }
            ensure!(value == expected, "the value of {node:?} is {value:?}, not {expected:?}");
        }
        let kept = |node: NodeHandle| tree.find(node).is_some_and(|index| tree.at(index).local.is_some());
        tags.set.retain(|&node, _| kept(node));
        for slice in scene.slices() {
            let (values, rows) = (tags.column.slice(&slice), slice.rows());
            let lengths = [values.len(), slice.transforms().len()];
            ensure!(lengths[0] == lengths[1], "{} values beside {} transforms", lengths[0], lengths[1]);
            for (slot, node) in owners(&slice) {
                let expected = tags.set.get(&node).copied().unwrap_or(0);
                ensure!(values[slot] == expected, "slot {slot} of {} has {}", rows.len(), values[slot]);
            }
        }
        Ok(())
    }
}

/// Returns the slots of a slice's transforms, and their nodes.
fn owners(slice: &SliceView<'_>) -> impl Iterator<Item = (usize, NodeHandle)> {
    let rows = slice.rows();
    (0..rows.len()).filter_map(move |row| rows.own_transform(row).zip(rows.node(row)))
}
