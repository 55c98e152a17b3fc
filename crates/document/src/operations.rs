//! Whole tasks as patches of a library. They compute a patch; [`Library::apply`] or
//! [`Document::apply`](crate::Document::apply) makes it.

use crate::error::PatchError;
use crate::library::Library;
use crate::order::Order;
use crate::patch::{Entry, Key, Patch};
use crate::path::Path;
use crate::value::{Field, Spot, Value};
use hedgerow::{Node, Tree};
use std::collections::BTreeMap;
use std::sync::Arc;

impl Library {
    /// Returns the patch that makes a definition of a tree, with the tree's numbers as ids. What the name had before is
    /// replaced. Runs in **O(nodes log nodes)**.
    ///
    /// # Errors
    /// [`PatchError::Invalid`] if the tree has no root or several; [`PatchError::Scene`] for a value that a scene refuses.
    pub fn define(&self, name: &str, tree: &Tree) -> Result<Patch, PatchError> {
        let name: Arc<str> = name.into();
        let key = |number: usize, field| Key { definition: name.clone(), path: (number as u64).into(), field };
        let mut entries = self.replaced(&name);
        let mut children: Vec<u32> = vec![0; tree.len()];
        let mut roots = 0;
        for (number, (parent, node)) in tree.iter().enumerate() {
            let spot = match parent {
                None => {
                    roots += 1;
                    Spot::ROOT
                }
                Some(parent) => {
                    // A parent that does not come before its child is refused with the tree.
                    let place = children.get_mut(parent).map_or(0, |count| core::mem::replace(count, *count + 1));
                    Spot::below(parent as u64, Order::from(f64::from(place)))
                }
            };
            entries.entry(key(number, Field::Place)).or_default().1 = Some(Value::Place(Some(spot)));
            for value in Value::components(&node) {
                let field = value.field();
                entries.entry(key(number, field)).or_default().1 = Some(value);
            }
        }
        if roots != 1 {
            let why = "a definition has one root; push one node without a parent";
            return Err(PatchError::Invalid { key: key(0, Field::Place), why });
        }
        Patch::from_entries(entries.into_iter().map(|(key, (before, after))| Entry { key, before, after }).collect())
    }

    /// Returns a definition's statements, each to be unstated.
    fn replaced(&self, name: &Arc<str>) -> BTreeMap<Key, (Option<Value>, Option<Value>)> {
        let entry = |(path, value): (Path, &Value)| {
            (Key { definition: name.clone(), path, field: value.field() }, (Some(value.clone()), None))
        };
        self.stated(name).map(entry).collect()
    }

    /// Returns the patch that places a definition in another: a new node that uses it, with the components of `node`
    /// stated. Its id is [`next_id`](Self::next_id). Runs in **O(log statements)**.
    ///
    /// # Errors
    /// [`PatchError::NoDefinition`] for either name; [`PatchError::Scene`] for a value that a scene refuses.
    pub fn place(&self, definition: &str, at: Spot, uses: &str, node: Node<'_>) -> Result<Patch, PatchError> {
        self.defined(definition)?;
        self.defined(uses)?;
        let (name, id): (Arc<str>, _) = (definition.into(), self.next_id(definition));
        let values =
            [Value::Place(Some(at)), Value::Use(Some(uses.into()))].into_iter().chain(Value::components(&node));
        let entry = |value: Value| Entry {
            key: Key { definition: name.clone(), path: id.into(), field: value.field() },
            before: None,
            after: Some(value),
        };
        Patch::from_entries(values.map(entry).collect())
    }

    /// Returns the patch that unstates fields of a node, so that the values beneath show: reverts overrides. Fields that
    /// are not stated are left out.
    #[must_use]
    pub fn unstate(&self, definition: &str, path: &Path, fields: &[Field]) -> Patch {
        self.unstated(definition, path, |stated, field| stated == path && fields.contains(&field))
    }

    /// Returns the patch that unstates fields of all nodes inside a node, and of the node itself.
    #[must_use]
    pub fn unstate_below(&self, definition: &str, path: &Path, fields: &[Field]) -> Patch {
        self.unstated(definition, path, |_, field| fields.contains(&field))
    }

    fn unstated(&self, definition: &str, path: &Path, which: impl Fn(&Path, Field) -> bool) -> Patch {
        let name: Arc<str> = definition.into();
        let stated = self.number(definition).into_iter().flat_map(|number| self.at(number).stated_from(path));
        let reverted = stated.filter(|(path, value)| which(path, value.field())).map(|(path, value)| {
            (Key { definition: name.clone(), path, field: value.field() }, (Some(value.clone()), None))
        });
        Patch::of_map(reverted.collect())
    }

    /// Returns the patch that renames a definition, also where others use it. Runs in **O(statements)**.
    ///
    /// # Errors
    /// [`PatchError::NoDefinition`]; [`PatchError::Invalid`] if the new name is in use.
    pub fn rename(&self, from: &str, to: &str) -> Result<Patch, PatchError> {
        self.defined(from)?;
        let (from, to): (Arc<str>, Arc<str>) = (from.into(), to.into());
        if self.defined(&to).is_ok() && from != to {
            let why = "the name is in use; choose another";
            return Err(PatchError::Invalid { key: Key { definition: to, path: 0.into(), field: Field::Place }, why });
        }
        let mut map = self.replaced(&from);
        for (key, (before, _)) in self.replaced(&from) {
            map.entry(Key { definition: to.clone(), ..key }).or_default().1 = before;
        }
        for user in self.users(&from) {
            let user: Arc<str> = user.into();
            for (path, value) in self.stated(&user) {
                if matches!(value, Value::Use(Some(name)) if *name == from) {
                    let key = Key { definition: user.clone(), path, field: Field::Use };
                    map.insert(key, (Some(value.clone()), Some(Value::Use(Some(to.clone())))));
                }
            }
        }
        Ok(Patch::of_map(map))
    }
}
