//! What a definition states about nodes inside the definitions that it uses.
//!
//! The ids of their paths form a tree. So what is stated inside an instance is found step by step, as nested uses are
//! entered, and costs nothing where nothing is stated.

use crate::path::{Path, joined};
use crate::value::{Field, Value};
use core::ops::RangeInclusive;
use std::collections::{BTreeMap, BTreeSet};

/// The root of the tree: the first ids of paths are below it.
pub(crate) const TOP: u32 = u32::MAX;

/// The overrides of a definition, by path and field.
#[derive(Clone, Default)]
pub(crate) struct Overrides {
    /// By number.
    parts: Vec<Part>,
    /// The number of each, by that of the outer one and its last id.
    by_id: BTreeMap<(u32, u64), u32>,
    /// The ids behind the first of any path, also of paths that are no longer stated: an undo may bring them back.
    inner_ids: BTreeSet<u64>,
    free: Vec<u32>,
}

/// A stated path, or a prefix of one. A path of one id has no values here: that is an own node.
#[derive(Clone, Default)]
struct Part {
    outer: u32,
    id: u64,
    /// The number of inner ones.
    inner: u32,
    /// The number of places that name this path as the parent.
    placed: u32,
    /// Sorted by field.
    values: Vec<Value>,
}

impl Overrides {
    /// Returns the number of a path.
    pub(crate) fn find(&self, ids: &[u64]) -> Option<u32> {
        ids.iter().try_fold(TOP, |at, &id| self.inner(at, id))
    }

    /// Returns the number of a path with one more id.
    pub(crate) fn inner(&self, at: u32, id: u64) -> Option<u32> {
        self.by_id.get(&(at, id)).copied()
    }

    /// Returns the greatest of some ids that is behind the first of any path.
    pub(crate) fn last_inner_id(&self, ids: RangeInclusive<u64>) -> Option<u64> {
        self.inner_ids.range(ids).next_back().copied()
    }

    /// Returns what is stated for a path.
    pub(crate) fn values(&self, at: u32) -> &[Value] {
        self.parts.get(at as usize).map_or(&[], |part| &part.values)
    }

    /// Returns the path if any place names it as its parent.
    pub(crate) fn parent(&self, at: u32) -> Option<Path> {
        (self.parts[at as usize].placed > 0).then(|| self.path(at))
    }

    /// Returns the path of a number.
    pub(crate) fn path(&self, at: u32) -> Path {
        let outer = |part: &&Part| self.parts.get(part.outer as usize);
        let parts = core::iter::successors(self.parts.get(at as usize), outer);
        let mut ids: Vec<u64> = parts.map(|part| part.id).collect();
        ids.reverse();
        joined(&ids, &[])
    }

    /// Returns all that is stated for a path and those inside it, by path and field.
    pub(crate) fn stated_from(&self, at: u32) -> impl Iterator<Item = (Path, &Value)> {
        let mut ahead = vec![at];
        let parts = core::iter::from_fn(move || {
            let (at, rest) = (ahead.pop()?, ahead.len());
            ahead.extend(self.by_id.range((at, 0)..=(at, u64::MAX)).map(|(_, &inner)| inner));
            ahead[rest..].reverse();
            Some(at)
        });
        let stated = parts.filter(|&at| !self.values(at).is_empty()).map(|at| (self.path(at), self.values(at)));
        stated.flat_map(|(path, values)| values.iter().map(move |value| (path.clone(), value)))
    }

    /// States or unstates a value, and returns what was stated.
    pub(crate) fn state(&mut self, path: &Path, field: Field, value: Option<Value>) -> Option<Value> {
        self.change(path, |part| replace(&mut part.values, field, value))
    }

    /// Counts a place that names a path as the parent, or no longer does.
    pub(crate) fn count_placed(&mut self, parent: &Path, placed: bool) {
        self.change(parent, |part| part.placed = if placed { part.placed + 1 } else { part.placed - 1 });
    }

    /// Changes the part of a path, which is there as long as it is needed.
    fn change<T>(&mut self, path: &Path, change: impl FnOnce(&mut Part) -> T) -> T {
        let mut at = TOP;
        for &id in path.ids() {
            at = self.inner(at, id).unwrap_or_else(|| self.add(at, id));
        }
        let result = change(&mut self.parts[at as usize]);
        while let Some(Part { outer, id, inner: 0, placed: 0, values }) = self.parts.get(at as usize)
            && values.is_empty()
        {
            let (outer, id) = (*outer, *id);
            self.by_id.remove(&(outer, id));
            self.free.push(at);
            if let Some(outer) = self.parts.get_mut(outer as usize) {
                outer.inner -= 1;
            }
            at = outer;
        }
        result
    }

    fn add(&mut self, outer: u32, id: u64) -> u32 {
        let at = self.free.pop().unwrap_or_else(|| {
            self.parts.push(Part::default());
            u32::try_from(self.parts.len() - 1).expect("statements fit into memory")
        });
        self.parts[at as usize] = Part { outer, id, ..Part::default() };
        self.by_id.insert((outer, id), at);
        if let Some(outer) = self.parts.get_mut(outer as usize) {
            outer.inner += 1;
            self.inner_ids.insert(id);
        }
        at
    }
}

/// Returns a value of a node's, which are sorted by field.
pub(crate) fn found(values: &[Value], field: Field) -> Option<&Value> {
    values.binary_search_by_key(&field, Value::field).ok().map(|index| &values[index])
}

/// States or unstates a value of a node, and returns what was stated.
pub(crate) fn replace(values: &mut Vec<Value>, field: Field, value: Option<Value>) -> Option<Value> {
    match (values.binary_search_by_key(&field, Value::field), value) {
        (Ok(index), Some(value)) => Some(core::mem::replace(&mut values[index], value)),
        (Ok(index), None) => Some(values.remove(index)),
        (Err(index), Some(value)) => {
            values.insert(index, value);
            None
        }
        (Err(_), None) => None,
    }
}
