//! Patches in text formats.

use crate::patch::{Entry, Field, Patch, Spot, Value};
use crate::tree::text::NodeForm;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An entry; a value that a node without components has is left out.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryForm<'e> {
    id: u64,
    field: Field,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<Spot>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to: Option<Spot>,
    #[serde(default, skip_serializing_if = "Option::is_none", borrow)]
    before: Option<NodeForm<'e>>,
    #[serde(default, skip_serializing_if = "Option::is_none", borrow)]
    after: Option<NodeForm<'e>>,
}

/// Writes the list of entries: places as `from` and `to`, components as `before` and `after`.
///
/// ```
/// use hedgerow::patch::Patch;
/// use hedgerow::{Node, Tree};
///
/// let mut tree = Tree::new();
/// tree.push(None, Node::material(3));
/// let patch = Patch::between(&Tree::new(), &tree)?;
/// let text = serde_json::to_string(&patch)?;
/// assert_eq!(text, r#"[{"id":0,"field":"place","to":{}},{"id":0,"field":"material","after":{"material":3}}]"#);
/// assert_eq!(serde_json::from_str::<Patch>(&text)?, patch);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl Serialize for Patch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.entries.iter().map(|entry| {
            let spot = |value: &Value| if let Value::Place(spot) = value { *spot } else { None };
            EntryForm {
                id: entry.id,
                field: entry.field(),
                from: spot(&entry.before),
                to: spot(&entry.after),
                before: component(&entry.before),
                after: component(&entry.after),
            }
        }))
    }
}

/// A component that a node without components has not.
fn component(value: &Value) -> Option<NodeForm<'_>> {
    (!value.is_default()).then(|| NodeForm::of(value.alone(), None, None, false))
}

/// Reads what was written. What cannot be the difference of two trees is refused.
impl<'de> Deserialize<'de> for Patch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let forms: Vec<EntryForm<'_>> = Deserialize::deserialize(deserializer)?;
        let entries = forms.iter().map(|form| {
            let refuse = || D::Error::custom(format!("node {}: a value is of another field", form.id));
            let value = |spot: Option<Spot>, node: &Option<NodeForm<'_>>| {
                let node = node.as_ref().map_or(Some(crate::Node::group()), NodeForm::describe).ok_or_else(refuse)?;
                let value = Value::of(&node, form.field);
                let value = if form.field == Field::Place { Value::Place(spot) } else { value };
                let whole = value.alone() == node && (spot.is_none() || form.field == Field::Place);
                if whole { Ok(value) } else { Err(refuse()) }
            };
            Ok(Entry { id: form.id, before: value(form.from, &form.before)?, after: value(form.to, &form.after)? })
        });
        let entries = entries.collect::<Result<Vec<_>, D::Error>>()?;
        Self::checked(entries)
            .map_err(|unsound| D::Error::custom(format!("node {}, {:?}: {}", unsound.id, unsound.field, unsound.why)))
    }
}
