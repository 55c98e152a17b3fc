//! Libraries and patches in text formats such as JSON (feature `serde`), to be read and edited by hand.
//!
//! ```json
//! {"hedgerow": 1, "definitions": {
//!   "wheel": {"nodes": [{"id": 0, "material": 1}, {"id": 1, "parent": 0, "name": "tyre"}]},
//!   "car": {"nodes": [{"id": 0}, {"id": 1, "parent": 0, "use": "wheel", "transform": {"translation": [1, 0, 1]}}],
//!           "overrides": [{"at": [1, 1], "material": null, "own": {"3": "00ff"}}], "next_id": 7}}}
//! ```
//!
//! | member | meaning |
//! |---|---|
//! | any that is absent | unstated |
//! | any that is `null` | stated: none |
//! | `id`, `at`, `parent` | an id of the definition; or a path, a list of ids from the definition inwards |
//! | `order` | the position among siblings; if absent, one more than that of the previous sibling in the file, or 0 |
//! | `removed` | in overrides: the node is not there |
//! | `own` | data of your own: numbers, and bytes as hexadecimal digits |
//! | `next_id` | the next new id, if the last one was given and is no longer there; of several writers, a list |
//!
//! Components have the names and forms of [hedgerow's text](hedgerow::text#components), which has an example with all
//! of them. Use self-describing formats, such as JSON, RON or YAML. The first member, `hedgerow`, is the number of the
//! form, 1 if it is absent: every later version reads [such files](hedgerow::snapshot#files-that-last).

use crate::Error;
use crate::library::{Definition, Library};
use crate::order::Order;
use crate::patch::{Entry, Key, Patch};
use crate::path::Path;
use crate::value::{Field, LocalValue, Spot, Value};
use core::fmt;
use core::marker::PhantomData;
use hedgerow::Node;
use hedgerow::internal::{
    FormNumber, LocalText, MatrixText, TransformText, local_of_text, local_text, plain_components,
};
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The number of the form of libraries and patches.
const FORM: u32 = 1;

macro_rules! node_form {
    ($($variant:ident $field:ident: $type:ty, $set:ident, $name:literal;)*) => {
        /// What is stated of a node. Of each member, the outer option is whether it is stated.
        #[derive(Default, Serialize, Deserialize)]
        #[serde(rename = "Node", default, deny_unknown_fields)]
        struct Form {
            #[serde(skip_serializing_if = "Option::is_none")]
            id: Option<u64>,
            #[serde(skip_serializing_if = "Option::is_none")]
            at: Option<Ids>,
            #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "stated")]
            parent: Option<Option<Ids>>,
            #[serde(skip_serializing_if = "Option::is_none")]
            order: Option<f64>,
            #[serde(skip_serializing_if = "core::ops::Not::not")]
            removed: bool,
            #[serde(rename = "use", skip_serializing_if = "Option::is_none", deserialize_with = "stated")]
            uses: Option<Option<Box<str>>>,
            #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "stated")]
            name: Option<Option<Box<str>>>,
            #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "stated")]
            transform: Option<Option<TransformText>>,
            #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "stated")]
            matrix: Option<Option<MatrixText>>,
            #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "stated")]
            anchored: Option<bool>,
            $(#[serde(skip_serializing_if = "Option::is_none", deserialize_with = "stated")]
            $field: Option<$type>,)*
            #[serde(skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "unique")]
            own: BTreeMap<u16, Option<Hex>>,
        }

        impl Form {
            fn state(&mut self, value: &Value) {
                match value {
                    Value::Place(None) => self.removed = true,
                    Value::Place(Some(Spot { parent, order })) => {
                        self.parent = Some(parent.as_ref().map(Ids::of));
                        self.order = Some((*order).into());
                    }
                    Value::Use(uses) => self.uses = Some(uses.as_deref().map(Into::into)),
                    Value::Local(_) => {
                        let mut node = Node::group();
                        value.put(&mut node);
                        match local_text(&node) {
                            None => self.transform = Some(None),
                            Some(LocalText::Transform(transform)) => self.transform = Some(Some(transform)),
                            Some(LocalText::Matrix(matrix)) => self.matrix = Some(Some(matrix)),
                        }
                    }
                    Value::Anchored(anchored) => self.anchored = Some(*anchored),
                    Value::Name(name) => self.name = Some(name.clone()),
                    $(Value::$variant(value) => self.$field = Some(*value),)*
                    Value::Own(number, bytes) => _ = self.own.insert(*number, bytes.clone().map(Hex)),
                }
            }

            /// Returns what is stated, without the place.
            fn values(self) -> Result<impl Iterator<Item = Value>, &'static str> {
                let local = match (self.transform, self.matrix) {
                    (Some(_), Some(_)) => return Err("the node has a transform and a matrix; leave one out"),
                    (None, None) => None,
                    (transform, matrix) => {
                        let text = transform.flatten().map(LocalText::Transform);
                        let text = text.or(matrix.flatten().map(LocalText::Matrix));
                        let (local, translation_f64) = text.map(local_of_text).unwrap_or_default();
                        Some(Value::Local(local.map(|local| Box::new(LocalValue { local, translation_f64 }))))
                    }
                };
                let uses = self.uses.map(|uses| Value::Use(uses.map(Into::into)));
                let named = self.name.map(Value::Name);
                let anchored = self.anchored.map(Value::Anchored);
                let values = [uses, local, anchored, named, $(self.$field.map(Value::$variant)),*];
                let own = self.own.into_iter().map(|(number, bytes)| Value::Own(number, bytes.map(|Hex(bytes)| bytes)));
                Ok(values.into_iter().flatten().chain(own))
            }
        }
    };
}
plain_components!(node_form);

impl Form {
    /// Returns the stated place. A node in the list of own nodes always has one; without a parent, it is a root.
    fn place(&mut self, own: bool, siblings: &mut Siblings) -> Result<Option<Value>, &'static str> {
        let place = match (self.removed, self.parent.take(), self.order) {
            (true, None, None) => None,
            (true, ..) => return Err("a removed node has no place; leave out the parent and the order"),
            (false, None, None) if !own => return Ok(None),
            (false, None, Some(_)) if !own => return Err("an order is of no use without a parent; state it, too"),
            (false, parent, order) => {
                let parent = parent.flatten().map(Ids::path).transpose()?;
                let order = order.map_or_else(|| next_order(siblings, &parent), Into::into);
                siblings.insert(parent.clone(), order);
                Some(Spot { parent, order })
            }
        };
        Ok(Some(Value::Place(place)))
    }
}

/// The last orders below each parent, as a file is read or written.
type Siblings = BTreeMap<Option<Path>, Order>;

/// Returns the order of a sibling for which none is written.
fn next_order(siblings: &Siblings, parent: &Option<Path>) -> Order {
    siblings.get(parent).map_or(Order::ZERO, |last| last.next())
}

/// A number, or a list of them.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "expected an id or a list of ids")]
enum Ids {
    One(u64),
    Many(Vec<u64>),
}

impl Ids {
    fn of(path: &Path) -> Self {
        Self::of_list(path.ids().to_vec())
    }

    fn path(self) -> Result<Path, &'static str> {
        Path::of(&self.into_list()).ok_or("a path has at least one id")
    }

    fn of_list(ids: Vec<u64>) -> Self {
        if let [id] = ids[..] { Self::One(id) } else { Self::Many(ids) }
    }

    fn into_list(self) -> Vec<u64> {
        match self {
            Self::One(id) => vec![id],
            Self::Many(ids) => ids,
        }
    }
}

fn refused(definition: &Arc<str>, path: impl Into<Path>, why: &'static str) -> Error {
    Error::Invalid { key: Key { definition: definition.clone(), path: path.into(), field: Field::Place }, why }
}

/// Bytes, as two digits each.
struct Hex(Box<[u8]>);

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digit = |half: u8| char::from_digit(half.into(), 16).expect("half a byte");
        let text: String = self.0.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect();
        text.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|half| u8::try_from(half).ok());
        let bytes: Option<_> = pairs.iter().map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect();
        let bytes = bytes.filter(|_| rest.is_empty());
        bytes.map(Self).ok_or_else(|| D::Error::custom("bytes are two hexadecimal digits each: \"00ff\""))
    }
}

/// Reads a member that is there; `null` states the default, which is none.
fn stated<'de, T: Default + Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Ok(Some(Option::deserialize(deserializer)?.unwrap_or_default()))
}

/// Reads a map in which no key is twice.
fn unique<'de, K, V, D>(deserializer: D) -> Result<BTreeMap<K, V>, D::Error>
where
    K: Ord + fmt::Debug + Clone + Deserialize<'de>,
    V: Deserialize<'de>,
    D: Deserializer<'de>,
{
    struct Unique<K, V>(PhantomData<(K, V)>);

    impl<'de, K: Ord + fmt::Debug + Clone + Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for Unique<K, V> {
        type Value = BTreeMap<K, V>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<BTreeMap<K, V>, A::Error> {
            let mut map = BTreeMap::new();
            while let Some((key, value)) = entries.next_entry::<K, V>()? {
                if map.insert(key.clone(), value).is_some() {
                    return Err(A::Error::custom(format!("{key:?} is there twice; keep one")));
                }
            }
            Ok(map)
        }
    }
    deserializer.deserialize_map(Unique(PhantomData))
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "Library", deny_unknown_fields)]
struct LibraryForm {
    #[serde(default)]
    hedgerow: FormNumber<FORM>,
    #[serde(deserialize_with = "unique")]
    definitions: BTreeMap<Box<str>, DefinitionForm>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "Definition", deny_unknown_fields)]
struct DefinitionForm {
    /// The own nodes.
    nodes: Vec<Form>,
    /// All else that is stated: of nodes inside, and of ids without a place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    overrides: Vec<Form>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next_id: Option<Ids>,
}

impl DefinitionForm {
    fn of(definition: &Definition) -> Self {
        let mut siblings = Siblings::default();
        let mut form = |path: &Path, id, at| {
            let mut form = Form { id, at, ..Form::default() };
            for value in definition.stated_of(path) {
                form.state(value);
                if let Some(Spot { parent, order }) = value.spot() {
                    form.order = form.order.filter(|_| next_order(&siblings, parent) != *order);
                    siblings.insert(parent.clone(), *order);
                }
            }
            form.parent = form.parent.filter(|parent| id.is_none() || parent.is_some());
            form
        };
        let nodes = listed(definition).into_iter().map(|id| form(&id.into(), Some(id), None)).collect();
        let mut paths: Vec<Path> = definition.stated().map(|(path, _)| path).collect();
        paths.dedup();
        paths.retain(|path| path.own().is_none_or(|id| definition.node(id).is_none()));
        let overrides = paths.iter().map(|path| form(path, None, Some(Ids::of(path)))).collect();
        Self { nodes, overrides, next_id: Some(definition.next_ids()).filter(|ids| !ids.is_empty()).map(Ids::of_list) }
    }

    /// Appends what is stated, and returns the next ids.
    fn read(self, name: &Arc<str>, entries: &mut Vec<Entry>) -> Result<Vec<u64>, Error> {
        if self.nodes.is_empty() {
            return Err(refused(name, 0, "the definition has no root; list a node without a parent"));
        }
        let mut siblings = Siblings::default();
        let nodes = self.nodes.into_iter().map(|form| (form, true));
        for (mut form, own) in nodes.chain(self.overrides.into_iter().map(|form| (form, false))) {
            let path = match (own, form.id, form.at.take()) {
                (true, Some(id), None) => id.into(),
                (false, None, Some(at)) => at.path().map_err(|why| refused(name, 0, why))?,
                (_, id, _) => return Err(refused(name, id.unwrap_or(0), "a node has an `id`, an override an `at`")),
            };
            let refused = |why| refused(name, path.clone(), why);
            let place = form.place(own, &mut siblings).map_err(refused)?;
            for value in place.into_iter().chain(form.values().map_err(refused)?) {
                let key = Key { definition: name.clone(), path: path.clone(), field: value.field() };
                entries.push(Entry { key, before: None, after: Some(value) });
            }
        }
        Ok(self.next_id.map_or_else(Vec::new, Ids::into_list))
    }
}

/// Returns the own nodes, depth first, siblings by order. Nodes below a node inside a use come after the use's own.
fn listed(definition: &Definition) -> Vec<u64> {
    let spot = |id| definition.slot(definition.node(id)?).get(Field::Place)?.spot();
    let place = |id| spot(id).map(|Spot { parent, order }| (parent.as_ref(), *order, id));
    let mut nodes: Vec<(Option<&Path>, Order, u64)> = definition.nodes().filter_map(place).collect();
    nodes.sort_unstable();
    let (mut listed, mut seen) = (Vec::with_capacity(nodes.len()), BTreeSet::new());
    // The root is the first. Others are only met here if no chain of parents leads from them to the root.
    for &(_, _, start) in &nodes {
        let mut ahead = vec![start];
        while let Some(id) = ahead.pop() {
            if seen.insert(id) {
                listed.push(id);
                let first = nodes.partition_point(|&(parent, ..)| parent < Some(&Path::from(id)));
                let below = nodes[first..].iter().take_while(|(parent, ..)| parent.is_some_and(|p| p.ids()[0] == id));
                let from = ahead.len();
                ahead.extend(below.map(|&(_, _, id)| id));
                ahead[from..].reverse();
            }
        }
    }
    listed
}

/// Writes the definitions by name: own nodes depth first, siblings in their order, then overrides by path.
///
/// ```
/// use hedgerow_document::Library;
///
/// let text = r#"{"hedgerow": 1, "definitions": {
///     "car": {"nodes": [{"id": 0}, {"id": 1, "parent": 0, "use": "wheel"}],
///             "overrides": [{"at": [1, 2], "material": 9}]},
///     "wheel": {"nodes": [{"id": 0}, {"id": 2, "parent": 0, "name": "tyre"}]}}}"#;
/// let library: Library = serde_json::from_str(text).unwrap();
/// let again = serde_json::to_string(&library).unwrap();
/// assert!(text.split_whitespace().flat_map(str::chars).eq(again.chars()));
/// ```
impl Serialize for Library {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let definitions = self.all().map(|definition| ((*definition.name).into(), DefinitionForm::of(definition)));
        LibraryForm { hedgerow: FormNumber::NEWEST, definitions: definitions.collect() }.serialize(serializer)
    }
}

/// Reads a library as [`Library::apply`] would make it. Orders are rounded to multiples of 2⁻²⁰, and values are
/// normalised as by an edit. An error names the definition and the node.
impl<'de> Deserialize<'de> for Library {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let LibraryForm { definitions, .. } = LibraryForm::deserialize(deserializer)?;
        let (mut entries, mut next_ids) = (Vec::new(), Vec::new());
        for (name, form) in definitions {
            let name = Arc::from(name);
            let next = form.read(&name, &mut entries).map_err(D::Error::custom)?;
            next_ids.push((name, next));
        }
        let mut library = Self::new();
        Patch::from_entries(entries).and_then(|patch| library.apply(&patch)).map_err(D::Error::custom)?;
        for (name, next) in next_ids {
            next.into_iter().for_each(|next| library.begin_ids_at(&name, next));
        }
        Ok(library)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "Patch", deny_unknown_fields)]
struct PatchForm {
    #[serde(default)]
    hedgerow: FormNumber<FORM>,
    entries: Vec<EntryForm>,
}

/// The entries of one node.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Entry", deny_unknown_fields)]
struct EntryForm {
    definition: Box<str>,
    at: Ids,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<Box<Form>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<Box<Form>>,
}

/// Writes the entries of each node together. A place has a parent, `null` for a root, and an order.
///
/// ```
/// use hedgerow_document::Patch;
///
/// let text = r#"{"hedgerow": 1, "entries": [{"definition": "car", "at": [1, 2],
///     "before": {"material": 9}, "after": {"name": "tyre", "material": null}}]}"#;
/// let patch: Patch = serde_json::from_str(text).unwrap();
/// assert_eq!(patch.entries().len(), 2, "the name, which was unstated, and the material");
/// let again = serde_json::to_string(&patch).unwrap();
/// assert!(text.split_whitespace().flat_map(str::chars).eq(again.chars()));
/// ```
impl Serialize for Patch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let of_one_node = |a: &Entry, b: &Entry| (&a.key.definition, &a.key.path) == (&b.key.definition, &b.key.path);
        let entries = self.entries().chunk_by(of_one_node).map(|entries| {
            let form = |value: fn(&Entry) -> Option<&Value>| {
                let mut form: Option<Box<Form>> = None;
                entries.iter().filter_map(value).for_each(|value| form.get_or_insert_default().state(value));
                form
            };
            let (before, after) = (form(|entry| entry.before.as_ref()), form(|entry| entry.after.as_ref()));
            let Key { definition, path, .. } = &entries[0].key;
            EntryForm { definition: (**definition).into(), at: Ids::of(path), before, after }
        });
        PatchForm { hedgerow: FormNumber::NEWEST, entries: entries.collect() }.serialize(serializer)
    }
}

/// Reads a patch as [`Patch::from_entries`] would make it.
impl<'de> Deserialize<'de> for Patch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut entries = Vec::new();
        for EntryForm { definition, at, before, after } in PatchForm::deserialize(deserializer)?.entries {
            let definition = Arc::from(definition);
            let path = at.path().map_err(|why| D::Error::custom(refused(&definition, 0, why)))?;
            let key = |field| Key { definition: definition.clone(), path: path.clone(), field };
            let values = |form: Option<Box<Form>>| {
                let mut form = form.unwrap_or_default();
                let place = match (form.id, &form.at) {
                    (None, None) => form.place(false, &mut Siblings::default()),
                    _ => Err("the path is beside `before` and `after`, not in them"),
                };
                let refused = |why| D::Error::custom(refused(&definition, path.clone(), why));
                let values = place.map_err(refused)?.into_iter().chain(form.values().map_err(refused)?);
                Ok(values.map(|value| (key(value.field()), value)).collect::<BTreeMap<_, _>>())
            };
            let mut before = values(before)?;
            for (key, after) in values(after)? {
                entries.push(Entry { before: before.remove(&key), key, after: Some(after) });
            }
            entries.extend(before.into_iter().map(|(key, before)| Entry { key, before: Some(before), after: None }));
        }
        Self::from_entries(entries).map_err(D::Error::custom)
    }
}
