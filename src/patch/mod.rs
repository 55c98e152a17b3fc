//! Changes of a tree as one plain value: overrides of a prefab, diffs, merges, undo and replication.
//!
//! | task | call |
//! |---|---|
//! | compare two trees | [`Patch::between`] |
//! | record what changed in a scene since the last read | [`Recorder::read`] |
//! | undo a recorded step, or an action that failed half-way | [`Recorder::apply`], [`Recorder::revert`] |
//! | keep the ids of a tree's nodes in a scene | [`Instance`] |
//! | change an instance, all or nothing | [`Patch::apply`] |
//! | change a tree | [`Tree::patched`](crate::Tree::patched) |
//! | reverse a patch | [`Patch::inverse`] |
//! | join consecutive patches | [`Patch::then`], [`Patch::join`] |
//! | merge two patches of the same state | [`Patch::merge`] |
//! | make a patch by hand, remove single overrides | [`Patch::from_entries`], [`Patch::retain`] |
//! | save or send a patch | [`Patch::to_bytes`], [`Patch::from_bytes`], serde |
//!
//! A patch refers to nodes by their ids in the [`Tree`](crate::Tree), not by names or indices. Each entry has the value
//! of one field before and after. So a patch can be reversed without a tree, and only applies to the state it was made
//! from.
//!
//! ```
//! use hedgerow::patch::{Instance, Patch};
//! use hedgerow::{Node, Scene, Tree};
//!
//! let mut prefab = Tree::new();
//! let lamp = prefab.push(None, Node::material(1).named("lamp"));
//! let bulb = prefab.push(Some(lamp), Node::material(2).named("bulb"));
//!
//! let mut scene = Scene::new();
//! let root = scene.root();
//! let mut instance = Instance::insert(&mut scene, root, &prefab)?;
//! let node = instance.node(bulb as u64).unwrap();
//! scene.edit(node)?.set_material(7); // any edit
//!
//! let overrides = Patch::between(&prefab, &instance.tree(&scene)?)?;
//! assert_eq!(overrides.entries().len(), 1);
//! overrides.inverse().apply(&mut scene, &mut instance)?;
//! assert_eq!(scene.get(node).unwrap().own_material(), Some(2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod apply;
mod between;
mod bytes;
mod error;
mod instance;
mod merge;
mod moves;
mod recorder;
mod value;

pub use error::PatchError;
pub use instance::Instance;
pub use merge::Conflict;
pub use recorder::Recorder;
pub use value::{Field, Spot, Value};

use core::borrow::Borrow;
use moves::Moves;
use std::collections::BTreeMap;

/// One field of one node, before and after.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Entry {
    /// The node's id.
    pub id: u64,
    /// The value that the field must have.
    pub before: Value,
    /// The value that the field gets.
    pub after: Value,
}

impl Entry {
    /// Returns the field.
    #[must_use]
    pub fn field(&self) -> Field {
        self.before.field()
    }

    fn key(&self) -> (u64, Field) {
        (self.id, self.field())
    }

    /// Returns whether the entry is needed. A node that was moved and moved back needs an entry; a node that was
    /// inserted and removed needs none.
    fn is_needed(&self) -> bool {
        let place = self.field() == Field::Place && !self.before.is_default();
        place || !self.before.same(&self.after)
    }
}

/// A list of changes, sorted by id and field.
///
/// An entry of [`Field::Place`] inserts the node if `before` has no [`Spot`], removes it if `after` has no spot, and
/// otherwise moves it. All other entries set a component. The siblings of moved nodes have no entries. An entry takes
/// about 200 bytes.
///
/// ```
/// use hedgerow::patch::{Field, Patch, Value};
/// use hedgerow::{Node, Tree};
///
/// let mut old = Tree::new();
/// old.push(None, Node::material(1));
/// let mut new = Tree::new();
/// new.push(None, Node::material(2));
///
/// let patch = Patch::between(&old, &new)?;
/// assert_eq!(patch.get(0, Field::Material).unwrap().after, Value::Material(Some(2)));
/// assert!(Patch::between(&old, &old)?.is_empty());
/// assert_eq!(old.patched(&patch)?, new);
/// assert_eq!(new.patched(&patch.inverse())?, old);
/// assert!(new.patched(&patch).is_err(), "it was applied before");
/// # Ok::<(), hedgerow::patch::PatchError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Patch {
    entries: Vec<Entry>,
}

impl Patch {
    /// Creates a patch without entries, which changes nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a patch of these entries, in any order. Runs in **O(entries log entries)**.
    ///
    /// # Errors
    /// [`PatchError::Invalid`] if two entries have the same node and field, or if spots contradict each other. The same
    /// holds if the values of an entry are equal, belong to different fields, or are not as a scene keeps them: finite,
    /// rotations normalised, a matrix only if it shears or is flat. No node has the id `u64::MAX`.
    ///
    /// ```
    /// use hedgerow::patch::{Entry, Patch, Value};
    ///
    /// let (before, after) = (Value::Material(None), Value::Material(Some(3)));
    /// let patch = Patch::from_entries(vec![Entry { id: 7, before, after: after.clone() }])?;
    /// assert_eq!(patch.entries()[0].after, after);
    /// # Ok::<(), hedgerow::patch::PatchError>(())
    /// ```
    pub fn from_entries(mut entries: Vec<Entry>) -> Result<Self, PatchError> {
        entries.sort_by_key(Entry::key);
        let mut last = None;
        for entry in &entries {
            let (id, field) = entry.key();
            let ensure = |holds, violation| if holds { Ok(()) } else { Err(PatchError::Invalid { id, violation }) };
            ensure(last < Some((id, field)), "two entries have the same field")?;
            let values = [&entry.before, &entry.after];
            let great = id == u64::MAX || values.iter().any(|value| value.ids().contains(&Some(u64::MAX)));
            ensure(!great, "an id is too large")?;
            ensure(entry.after.field() == field, "a value belongs to another field")?;
            last = Some((id, field));
            ensure(values.iter().all(|value| value.is_kept()), "a value is not finite or not normalised")?;
            ensure(entry.is_needed(), "the values are equal")?;
        }
        let patch = Self { entries };
        let moves = Moves::of(&patch);
        patch.check_end(&moves, |entry| &entry.after)?;
        patch.check_end(&moves.inverse(), |entry| &entry.before)?;
        Ok(patch)
    }

    /// Checks that the spots after these moves are possible, and that nodes that are then outside of the tree have no
    /// components. `value` returns each entry's value before or after the moves.
    fn check_end(&self, moves: &Moves, value: fn(&Entry) -> &Value) -> Result<(), PatchError> {
        if let Some(id) = moves.unsound() {
            return Err(PatchError::Invalid { id, violation: "its position is taken, circular, or names no node" });
        }
        if let Some(entry) = self.entries.iter().find(|entry| moves.removes(entry.id) && !value(entry).is_default()) {
            return Err(PatchError::Invalid { id: entry.id, violation: "it is outside the tree but has a component" });
        }
        Ok(())
    }

    /// Returns the entries, sorted by id and field.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the entry of a node's field. Runs in **O(log entries)**.
    #[must_use]
    pub fn get(&self, id: u64, field: Field) -> Option<&Entry> {
        let place = self.entries.binary_search_by_key(&(id, field), Entry::key).ok()?;
        Some(&self.entries[place])
    }

    /// Removes the entries for which `keep` returns false, for example to revert an override.
    ///
    /// The entries of a node that the patch inserts or removes belong together: `keep` is asked once, about the entry
    /// of [`Field::Place`]. So if you revert a field, inserted nodes keep theirs. If you remove the entry that moves or
    /// inserts a node's previous sibling, the node takes that sibling's spot. If you remove an insertion, also remove
    /// what the patch puts below the node; if you keep the removal of a node, also keep those of the nodes below it.
    /// Otherwise applying the patch fails. Runs in **O(entries log entries)**.
    ///
    /// ```
    /// use hedgerow::patch::{Field, Patch};
    /// use hedgerow::{Node, Tree};
    ///
    /// let mut prefab = Tree::new();
    /// prefab.push(None, Node::material(1).named("lamp"));
    /// let mut variant = Tree::new();
    /// variant.push(None, Node::material(2).named("red lamp"));
    ///
    /// let mut overrides = Patch::between(&prefab, &variant)?;
    /// overrides.retain(|entry| entry.field() != Field::Name);
    /// assert_eq!(prefab.patched(&overrides)?.get(0), Some(Node::material(2).named("lamp")));
    /// # Ok::<(), hedgerow::patch::PatchError>(())
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(&Entry) -> bool) {
        let mut taken = BTreeMap::new();
        // The last node that is inserted or removed, and whether its entries are kept.
        let mut whole = None;
        self.entries.retain(|entry| {
            if let Some((_, kept)) = whole.filter(|&(id, _)| id == entry.id) {
                return kept;
            }
            let kept = keep(entry);
            if let (Value::Place(before), Value::Place(after)) = (&entry.before, &entry.after) {
                whole = (before.is_none() || after.is_none()).then_some((entry.id, kept));
                if let (Some(spot), false) = (after, kept) {
                    taken.insert(entry.id, *spot);
                }
            }
            kept
        });
        for entry in &mut self.entries {
            if let Value::Place(Some(spot)) = &mut entry.after {
                while let Some(gone) = spot.after.and_then(|id| taken.get(&id)) {
                    spot.after = gone.after;
                }
            }
        }
    }

    /// Returns the patch that reverses this one. Runs in **O(entries)**.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let swapped = |entry: &Entry| Entry { id: entry.id, before: entry.after.clone(), after: entry.before.clone() };
        Self { entries: self.entries.iter().map(swapped).collect() }
    }

    /// Joins this patch and a later one.
    ///
    /// A field whose last value equals its first has no entry. The exception is the place of a node that was moved and
    /// moved back, because the node's siblings may have moved. So joining is associative. Runs in **O(entries log
    /// entries)**, plus O(k²) for each run of k consecutive siblings that move.
    ///
    /// # Errors
    /// [`PatchError::State`] names a field whose value after this patch differs from its value before the later patch.
    ///
    /// ```
    /// use hedgerow::patch::Patch;
    /// use hedgerow::{Node, Tree};
    ///
    /// let [a, b, c] = [1, 2, 3].map(|material| {
    ///     let mut tree = Tree::new();
    ///     tree.push(None, Node::material(material));
    ///     tree
    /// });
    /// let (first, second) = (Patch::between(&a, &b)?, Patch::between(&b, &c)?);
    /// assert_eq!(first.then(&second)?, Patch::between(&a, &c)?);
    /// assert_eq!(Patch::join([&first, &second])?, Patch::between(&a, &c)?);
    /// assert!(first.then(&first).is_err());
    /// # Ok::<(), hedgerow::patch::PatchError>(())
    /// ```
    pub fn then(&self, later: &Self) -> Result<Self, PatchError> {
        let (back, second) = (Moves::of(self).inverse(), Moves::of(later));
        let mut joined = BTreeMap::new();
        for entry in &self.entries {
            let mut entry = entry.clone();
            match later.get(entry.id, entry.field()) {
                Some(next) if next.before.same(&entry.after) => entry.after = next.after.clone(),
                Some(next) => return Err(PatchError::State { id: next.id, field: next.field() }),
                None => {
                    if let Value::Place(Some(spot)) = &mut entry.after {
                        *spot = second.carry(*spot);
                    }
                }
            }
            joined.insert(entry.key(), entry);
        }
        for entry in &later.entries {
            joined.entry(entry.key()).or_insert_with(|| {
                let mut entry = entry.clone();
                if let Value::Place(Some(spot)) = &mut entry.before {
                    *spot = back.carry(*spot);
                }
                entry
            });
        }
        joined.retain(|_, entry| entry.is_needed());
        Self::from_entries(joined.into_values().collect())
    }

    /// Joins consecutive patches. Runs in **O(entries · log² entries)**.
    ///
    /// # Errors
    /// The errors of [`then`](Self::then).
    pub fn join<P: Borrow<Self>>(patches: impl IntoIterator<Item = P>) -> Result<Self, PatchError> {
        // Each run is a join of 2ⁿ patches, and longer runs come first, so an entry is joined O(log patches) times.
        let mut runs: Vec<(u32, Self)> = Vec::new();
        for patch in patches {
            let mut last = (0, patch.borrow().clone());
            while let Some((rank, before)) = runs.pop_if(|run| run.0 == last.0) {
                last = (rank + 1, before.then(&last.1)?);
            }
            runs.push(last);
        }
        runs.into_iter().rev().try_fold(Self::new(), |later, (_, before)| before.then(&later))
    }
}

/// Writes the list of entries.
#[cfg(feature = "serde")]
impl serde::Serialize for Patch {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.entries.serialize(serializer)
    }
}

/// Reads a list of entries, with the checks of [`Patch::from_entries`]. Values are normalised as by an edit.
///
/// ```
/// use hedgerow::patch::Patch;
///
/// let text = r#"[{"id":7,"before":{"material":null},"after":{"material":3}}]"#;
/// let patch: Patch = serde_json::from_str(text)?;
/// assert_eq!(serde_json::to_string(&patch)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Patch {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let entries: Vec<Entry> = serde::Deserialize::deserialize(deserializer)?;
        let checked = |Entry { id, before, after }: Entry| match (before.checked(), after.checked()) {
            (Ok(before), Ok(after)) => Ok(Entry { id, before, after }),
            (Err(error), _) | (_, Err(error)) => Err(PatchError::Scene { id, error }),
        };
        let entries = entries.into_iter().map(checked).collect::<Result<_, _>>();
        entries.and_then(Self::from_entries).map_err(serde::de::Error::custom)
    }
}
