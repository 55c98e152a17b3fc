//! Libraries and patches as bytes.
//!
//! ```text
//! header      see `file_header`; kinds of their own                                      32 B
//! library     statements │ count of next ids │ of each: name of the definition, id
//! patch       statements before │ statements after
//! statements  length of the components │ the components: a tree of a node for each group that states any
//!             │ count of names │ names │ count of groups │ groups
//! group       definition │ path │ mask of fields │ [place] │ [use] │ count of own data │ own data
//! path        count of ids │ ids
//! place       0 if removed, 1 for a root, else 1 more than the count of the parent's ids, which follow │ order
//! use         0 if none, else 1 more than the name's number
//! own data    number │ 0 if none, else 1 more than the length │ bytes
//! ```
//!
//! Numbers have seven bits a byte, the lowest first, and the highest bit of a byte says that more follow. The mask has
//! a bit for the place, for the use, and for each of [`Field::COMPONENTS`]. Names are texts with their length.

use crate::error::Error;
use crate::library::Library;
use crate::order::Order;
use crate::patch::{Key, Patch};
use crate::path::Path;
use crate::value::{Field, Spot, Value};
use hedgerow::internal::{Nodes, body};
use hedgerow::snapshot::SnapshotError;
use hedgerow::{Node, Tree};
use hedgerow_math::internal::file_header::{Format, HEADER_BYTES, Kind};
use std::collections::BTreeMap;
use std::sync::Arc;

const LIBRARY: Format = Format::new(Kind::Library, 1, 1);
const PATCH: Format = Format::new(Kind::LibraryPatch, 1, 1);

/// The bits of a mask; the last one is that of the first component.
const PLACE: u64 = 1;
const USE: u64 = 2;
const COMPONENTS: u64 = 4;

impl Library {
    /// Returns the library as bytes. Every later version reads [them](hedgerow::snapshot#files-that-last). Runs in
    /// **O(statements)**.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![0; HEADER_BYTES];
        let statements: Vec<_> = self.statements().collect();
        write_statements(&mut out, statements.iter().map(|(key, value)| (key, *value)).collect());
        let next: Vec<_> = self.all().flat_map(|of| of.next_ids().into_iter().map(move |id| (&of.name, id))).collect();
        write(&mut out, next.len() as u64);
        for (name, id) in next {
            write_bytes(&mut out, name.as_bytes());
            write(&mut out, id);
        }
        LIBRARY.write_header(&mut out);
        out
    }

    /// Restores an equal library from the bytes of [`Library::to_bytes`], of this and any earlier
    /// [release](hedgerow::snapshot#files-that-last).
    ///
    /// Any bytes are safe: everything is validated, and allocation is bounded by the size of the input. Runs in
    /// **O(bytes log statements)**.
    ///
    /// # Errors
    /// A [`SnapshotError`] if the bytes are not valid.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let (_, body) = body(LIBRARY, bytes)?;
        let mut from = Reader(body);
        let mut library = Self::new();
        Patch::of_sides(Vec::new(), from.statements()?).and_then(|patch| library.apply(&patch)).map_err(refused)?;
        for _ in 0..from.number()? {
            let (name, next) = (from.text()?, from.number()?);
            library.begin_ids_at(name, next);
        }
        from.finish()?;
        Ok(library)
    }
}

impl Patch {
    /// Returns the patch as bytes. Every later version reads [them](hedgerow::snapshot#files-that-last). Runs in
    /// **O(entries)**.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![0; HEADER_BYTES];
        let entries = self.entries().iter();
        write_statements(&mut out, entries.clone().filter_map(|of| Some((&of.key, of.before.as_ref()?))).collect());
        write_statements(&mut out, entries.filter_map(|of| Some((&of.key, of.after.as_ref()?))).collect());
        PATCH.write_header(&mut out);
        out
    }

    /// Restores an equal patch from the bytes of [`Patch::to_bytes`], of this and any earlier
    /// [release](hedgerow::snapshot#files-that-last).
    ///
    /// Any bytes are safe: everything is validated, and allocation is bounded by the size of the input. Runs in
    /// **O(bytes log entries)**.
    ///
    /// # Errors
    /// A [`SnapshotError`] if the bytes are not valid.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let (_, body) = body(PATCH, bytes)?;
        let mut from = Reader(body);
        let (before, after) = (from.statements()?, from.statements()?);
        from.finish()?;
        Self::of_sides(before, after).map_err(refused)
    }
}

fn refused(error: Error) -> SnapshotError {
    match error {
        Error::Invalid { why, .. } => invalid(why),
        Error::Value { error, .. } => SnapshotError::Scene(error),
        _ => invalid("a definition contains itself"),
    }
}

fn invalid(violation: &'static str) -> SnapshotError {
    SnapshotError::Invalid { violation }
}

#[expect(clippy::cast_possible_truncation, reason = "the lowest seven bits")]
fn write(out: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        out.push(0x80 | number as u8);
        number >>= 7;
    }
    out.push(number as u8);
}

fn write_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    write(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn write_path(out: &mut Vec<u8>, more: u64, path: &Path) {
    write(out, path.ids().len() as u64 + more);
    path.ids().iter().for_each(|&id| write(out, id));
}

/// Returns the bit of a field in a mask; none for own data.
fn bit(field: Field) -> u64 {
    match field {
        Field::Place => PLACE,
        Field::Use => USE,
        _ => Field::COMPONENTS.iter().position(|&component| component == field).map_or(0, |at| COMPONENTS << at),
    }
}

/// Writes statements, sorted by key.
fn write_statements(out: &mut Vec<u8>, statements: Vec<(&Key, &Value)>) {
    let (mut names, mut numbers) = (Vec::new(), BTreeMap::new());
    let mut components = Tree::with_capacity(statements.len());
    let mut number = |name: &Arc<str>| {
        let next = numbers.len() as u64;
        *numbers.entry(name.clone()).or_insert_with(|| {
            write_bytes(&mut names, name.as_bytes());
            next
        })
    };
    let (mut groups, mut count) = (Vec::new(), 0);
    for group in statements.chunk_by(|(a, _), (b, _)| (&a.definition, &a.path) == (&b.definition, &b.path)) {
        count += 1;
        let Key { definition, path, .. } = group[0].0;
        write(&mut groups, number(definition));
        write_path(&mut groups, 0, path);
        let mask: u64 = group.iter().map(|(key, _)| bit(key.field)).sum();
        write(&mut groups, mask);
        if mask >= COMPONENTS {
            let mut node = Node::group();
            group.iter().for_each(|(_, value)| value.put(&mut node));
            components.push(None, node);
        }
        write(&mut groups, group.iter().filter(|(key, _)| bit(key.field) == 0).count() as u64);
        for (_, value) in group {
            match value {
                Value::Place(None) => write(&mut groups, 0),
                Value::Place(Some(Spot { parent, order })) => {
                    match parent {
                        Some(parent) => write_path(&mut groups, 1, parent),
                        None => write(&mut groups, 1),
                    }
                    let steps = order.steps();
                    write(&mut groups, ((steps << 1) ^ (steps >> 63)).cast_unsigned());
                }
                Value::Use(uses) => write(&mut groups, uses.as_ref().map_or(0, |name| number(name) + 1)),
                Value::Own(number, bytes) => {
                    write(&mut groups, u64::from(*number));
                    write(&mut groups, bytes.as_ref().map_or(0, |bytes| bytes.len() as u64 + 1));
                    groups.extend_from_slice(bytes.as_deref().unwrap_or_default());
                }
                _ => {}
            }
        }
    }
    write_bytes(out, &components.to_bytes());
    write(out, numbers.len() as u64);
    out.extend_from_slice(&names);
    write(out, count);
    out.extend_from_slice(&groups);
}

/// Bytes that are read from the start.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn number(&mut self) -> Result<u64, SnapshotError> {
        if let [byte @ ..0x80, rest @ ..] = self.0 {
            self.0 = rest;
            return Ok(u64::from(*byte));
        }
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let &[byte] = self.take(1)? else { break };
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(invalid("a number is too large"))
    }

    fn take(&mut self, count: u64) -> Result<&'b [u8], SnapshotError> {
        let taken = usize::try_from(count).ok().and_then(|count| self.0.split_at_checked(count));
        let (taken, rest) = taken.ok_or(invalid("the data is truncated"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn text(&mut self) -> Result<&'b str, SnapshotError> {
        let length = self.number()?;
        core::str::from_utf8(self.take(length)?).map_err(|_| invalid("a name is not UTF-8"))
    }

    /// Reads a path of this many ids.
    fn path(&mut self, count: u64) -> Result<Path, SnapshotError> {
        if count == 1 {
            return self.number().map(Path::from);
        }
        let ids: Vec<u64> = (0..count).map(|_| self.number()).collect::<Result<_, _>>()?;
        Path::of(&ids).ok_or(invalid("a path has no ids"))
    }

    fn place(&mut self) -> Result<Option<Spot>, SnapshotError> {
        let parent = match self.number()? {
            0 => return Ok(None),
            1 => None,
            more => Some(self.path(more - 1)?),
        };
        let steps = self.number()?;
        let order = Order::of_steps((steps >> 1).cast_signed() ^ -(steps & 1).cast_signed());
        Ok(Some(Spot { parent, order: order.ok_or(invalid("an order is too large"))? }))
    }

    fn statements(&mut self) -> Result<Vec<(Key, Value)>, SnapshotError> {
        let length = self.number()?;
        let mut nodes = Nodes::of_bytes(self.take(length)?)?;
        let names: Vec<Arc<str>> = (0..self.number()?).map(|_| self.text().map(Arc::from)).collect::<Result<_, _>>()?;
        let name = |number: u64| {
            let found = usize::try_from(number).ok().and_then(|number| names.get(number));
            found.ok_or(invalid("a name index is out of range"))
        };
        let count = self.number()?;
        // A group takes at least five bytes, so memory is bounded by the input.
        let room = usize::try_from(count).unwrap_or(usize::MAX).min(self.0.len() / 5);
        let mut statements = Vec::with_capacity(room);
        for _ in 0..count {
            let definition = name(self.number()?)?;
            let count = self.number()?;
            let path = self.path(count)?;
            let mask = self.number()?;
            // By field, so that keys ascend as they were written.
            let mut state = |value: Value| {
                let (definition, path) = (definition.clone(), path.clone());
                statements.push((Key { definition, path, field: value.field() }, value));
            };
            if mask >= COMPONENTS << Field::COMPONENTS.len() {
                return Err(invalid("unknown field"));
            }
            let own = self.number()?;
            if mask & PLACE != 0 {
                state(Value::Place(self.place()?));
            }
            if mask & USE != 0 {
                let number = self.number()?;
                state(Value::Use(if number > 0 { Some(name(number - 1)?.clone()) } else { None }));
            }
            if mask >= COMPONENTS {
                let (_, node) = nodes.next().ok_or(invalid("components are missing"))??;
                let mut left = mask / COMPONENTS;
                while left != 0 {
                    Value::of(&node, Field::COMPONENTS[left.trailing_zeros() as usize])
                        .into_iter()
                        .for_each(&mut state);
                    left &= left - 1;
                }
            }
            for _ in 0..own {
                let number =
                    u16::try_from(self.number()?).map_err(|_| invalid("the number of own data is too large"))?;
                let length = self.number()?;
                let bytes = if length > 0 { Some(self.take(length - 1)?.into()) } else { None };
                state(Value::Own(number, bytes));
            }
        }
        nodes.try_for_each(|node| node.map(drop))?;
        Ok(statements)
    }

    fn finish(self) -> Result<(), SnapshotError> {
        if self.0.is_empty() { Ok(()) } else { Err(invalid("bytes follow the last list")) }
    }
}
