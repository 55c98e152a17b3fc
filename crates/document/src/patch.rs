//! Changes of a library as one plain value.

use crate::error::Error;
use crate::library::Library;
use crate::path::Path;
use crate::value::{Field, Value};
use core::borrow::Borrow;
use core::fmt;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;
use std::sync::Arc;

/// The name of a statement: a field of a node of a definition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The definition that states.
    pub definition: Arc<str>,
    /// The node, from the definition inwards.
    pub path: Path,
    /// The field.
    pub field: Field,
}

impl Key {
    /// Returns the key of these parts.
    #[must_use]
    pub fn new(definition: impl Into<Arc<str>>, path: impl Into<Path>, field: Field) -> Self {
        Self { definition: definition.into(), path: path.into(), field }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, node {}, field {:?}", self.definition, self.path, self.field)
    }
}

/// One statement, before and after. `None` is unstated.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The statement's name.
    pub key: Key,
    /// The value that must be stated.
    pub before: Option<Value>,
    /// The value to state.
    pub after: Option<Value>,
}

/// The values of keys before and after.
pub(crate) type Changes = BTreeMap<Key, (Option<Value>, Option<Value>)>;

/// Changes of a library: a map from keys to their values before and after, sorted by key.
///
/// Every operation works key by key: an override has no copy of the value beneath it, so nothing is rebased when a
/// definition changes.
#[derive(Clone, Debug, Default)]
pub struct Patch {
    pub(crate) entries: Vec<Entry>,
    /// Nodes that get other paths, for [`Document::find`](crate::Document::find). A joined patch has none.
    pub(crate) moved: Vec<Moved>,
}

/// A definition, and the paths that one of its nodes, and so all inside it, have before and after. Of several in one
/// patch, each begins with the paths that those before it left.
pub(crate) type Moved = (Arc<str>, Path, Path);

/// Compares the entries.
impl PartialEq for Patch {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl Patch {
    pub(crate) const EMPTY: Self = Self { entries: Vec::new(), moved: Vec::new() };

    /// Creates a patch without entries.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a patch of these entries, in any order. An entry whose values are equal is left out. Runs in **O(entries
    /// log entries)**.
    ///
    /// # Errors
    /// [`Error::Invalid`] if two entries have the same key, or if a value is of another field than its key.
    /// [`Error::Value`] for a value that a scene refuses; others are normalised as by an edit.
    pub fn from_entries(entries: Vec<Entry>) -> Result<Self, Error> {
        let mut checked = Vec::with_capacity(entries.len());
        for Entry { key, before, after } in entries {
            let check = |value: Option<Value>| match value {
                Some(value) if value.field() != key.field => {
                    Err(Error::Invalid { key: key.clone(), why: "the value is of another field; use its own key" })
                }
                Some(value) => value.checked().map(Some).map_err(|error| Error::Value { key: key.clone(), error }),
                None => Ok(None),
            };
            let (before, after) = (check(before)?, check(after)?);
            if before != after {
                checked.push(Entry { key, before, after });
            }
        }
        checked.sort_by(|a, b| a.key.cmp(&b.key));
        each_once(&checked, |entry| &entry.key)?;
        Ok(Self { entries: checked, moved: Vec::new() })
    }

    /// Creates the patch from one list of statements to another, whose values are checked already.
    pub(crate) fn of_sides(mut old: Vec<(Key, Value)>, mut new: Vec<(Key, Value)>) -> Result<Self, Error> {
        for side in [&mut old, &mut new] {
            side.sort_by(|(a, _), (b, _)| a.cmp(b));
            each_once(side, |(key, _)| key)?;
        }
        let mut map: Changes = old.into_iter().map(|(key, before)| (key, (Some(before), None))).collect();
        for (key, after) in new {
            map.entry(key).or_default().1 = Some(after);
        }
        Ok(Self::of_map(map))
    }

    /// Creates a patch of entries whose values are checked already.
    pub(crate) fn of_map(map: Changes) -> Self {
        let needed = map.into_iter().filter(|(_, (before, after))| before != after);
        let entries = needed.map(|(key, (before, after))| Entry { key, before, after }).collect();
        Self { entries, moved: Vec::new() }
    }

    /// Returns the entries, sorted by key.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the entry of a key. Runs in **O(log entries)**.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<&Entry> {
        let index = self.entries.binary_search_by(|entry| entry.key.cmp(key)).ok()?;
        Some(&self.entries[index])
    }

    /// Removes the entries for which `keep` returns false. What is left applies to the same libraries.
    pub fn retain(&mut self, keep: impl FnMut(&Entry) -> bool) {
        self.entries.retain(keep);
    }

    /// Returns the patch that takes this one back. Runs in **O(entries)**.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let swapped = |Entry { key, before, after }: Entry| Entry { key, before: after, after: before };
        let moved = self.moved.iter().rev().map(|(of, old, new)| (of.clone(), new.clone(), old.clone()));
        Self { entries: self.entries.iter().cloned().map(swapped).collect(), moved: moved.collect() }
    }

    /// Joins this patch and a later one. A key whose last value equals its first has no entry. Runs in **O(entries log
    /// entries)**.
    ///
    /// # Errors
    /// [`Error::State`] names a key whose value after this patch differs from its value before the later one.
    pub fn then(&self, later: &Self) -> Result<Self, Error> {
        Self::join([self, later])
    }

    /// Joins consecutive patches. Runs in **O(entries log entries)**.
    ///
    /// # Errors
    /// The errors of [`then`](Self::then).
    pub fn join<P: Borrow<Self>>(patches: impl IntoIterator<Item = P>) -> Result<Self, Error> {
        let mut map = Changes::new();
        for patch in patches {
            for Entry { key, before, after } in &patch.borrow().entries {
                match map.entry(key.clone()) {
                    Slot::Occupied(joined) if joined.get().1 != *before => return Err(Error::State(key.clone())),
                    Slot::Occupied(mut joined) => joined.get_mut().1 = after.clone(),
                    Slot::Vacant(free) => _ = free.insert((before.clone(), after.clone())),
                }
            }
        }
        Ok(Self::of_map(map))
    }

    /// Returns the patch from one library to another. Runs in **O(statements)**.
    #[must_use]
    pub fn between(old: &Library, new: &Library) -> Self {
        let [old, new] = [old, new].map(|side| side.statements().map(|(key, value)| (key, value.clone())).collect());
        Self::of_sides(old, new).expect("a library states each key once")
    }
}

/// Checks that no two neighbours of a sorted list have the same key.
fn each_once<T>(sorted: &[T], key: impl Fn(&T) -> &Key) -> Result<(), Error> {
    match sorted.windows(2).find(|pair| key(&pair[0]) == key(&pair[1])) {
        Some([first, ..]) => {
            Err(Error::Invalid { key: key(first).clone(), why: "two entries have this key; keep one" })
        }
        _ => Ok(()),
    }
}
