//! Patches as bytes.
//!
//! ```text
//! header    like a scene's, of another kind                                                            32 B
//! count     of entries u32                                                                              4 B
//! entries   id u64 │ field u32 │ the value before │ the value after
//! value     of a place: 1 or, for none, 0 u32 │ parent u64 │ previous sibling u64; u64::MAX is none
//!           of a component: a node with only this component: `src/tree/packed.rs`
//! ```

use crate::bytes::{BytesError, Reader, Writer, count, ensure};
use crate::patch::{Entry, Field, Patch, PatchError, Spot, Value};
use crate::snapshot::{SnapshotError, body_of, with_header};
use crate::tree::packed::{read_node, write_node};
use hedgerow_math::internal::file_header::Kind;

const NONE: u64 = u64::MAX;

impl Patch {
    /// Returns the patch as bytes, from which [`Patch::from_bytes`] restores an equal patch. Runs in **O(entries)**.
    ///
    /// # Panics
    /// Panics if a name is 4 GiB or longer.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.one(count(self.entries.len()));
        for entry in &self.entries {
            out.one(entry.id);
            out.one(entry.field() as u32);
            for value in [&entry.before, &entry.after] {
                match value {
                    Value::Place(spot) => {
                        out.one(u32::from(spot.is_some()));
                        let spot = spot.unwrap_or(Spot { parent: None, after: None });
                        out.array(&[spot.parent, spot.after].map(|id| id.unwrap_or(NONE)));
                    }
                    value => write_node(&mut out, &value.alone()),
                }
            }
        }
        with_header(Kind::Patch, out)
    }

    /// Restores a patch from the bytes of [`Patch::to_bytes`].
    ///
    /// Any bytes are safe: entries that cannot be the difference of two trees are refused, and allocation is bounded by
    /// the size of the input. Runs in **O(bytes log entries)**.
    ///
    /// # Errors
    /// A [`SnapshotError`] if the bytes are not valid, or if there is no memory for the patch.
    ///
    /// ```
    /// use hedgerow::patch::Patch;
    /// use hedgerow::{Node, Tree};
    ///
    /// let mut tree = Tree::new();
    /// tree.push(None, Node::group().named("lamp"));
    /// let patch = Patch::between(&Tree::new(), &tree)?;
    /// assert_eq!(Patch::from_bytes(&patch.to_bytes())?, patch);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let mut from = Reader::new(body_of(Kind::Patch, bytes)?);
        let mut entries = Vec::new();
        for _ in 0..from.one::<u32>()? {
            let (id, field) = (from.one()?, from.one::<u32>()?);
            let field = Field::ALL.get(field as usize).ok_or(BytesError::invalid("unknown field"))?;
            let (before, after) = (value(&mut from, *field)?, value(&mut from, *field)?);
            entries.try_reserve(1)?;
            entries.push(Entry { id, before, after });
        }
        from.finish()?;
        // `from_entries` would sort them, and the same patch would have several forms in bytes.
        if !entries.is_sorted_by_key(Entry::key) {
            return Err(BytesError::invalid("entries are not sorted by id and field").into());
        }
        Self::from_entries(entries).map_err(|error| match error {
            PatchError::Invalid { violation, .. } => SnapshotError::Invalid { violation },
            _ => unreachable!("entries are refused as invalid alone"),
        })
    }
}

fn value(from: &mut Reader<'_>, field: Field) -> Result<Value, BytesError> {
    let head = from.one()?;
    if field == Field::Place {
        let [parent, after] = from.one::<[u64; 2]>()?.map(|id| (id != NONE).then_some(id));
        ensure!(head == 1 || head == 0 && parent.is_none() && after.is_none(), "invalid place");
        return Ok(Value::Place((head == 1).then_some(Spot { parent, after })));
    }
    let node = read_node(from, head)?;
    let value = Value::of(&node, field);
    ensure!(value.alone() == node, "a value belongs to another field");
    Ok(value)
}
