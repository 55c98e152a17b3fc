//! Paths of ids through the levels of nested definitions.

use core::cmp::Ordering;
use core::fmt;
use std::sync::Arc;

/// The name of a node in a definition: ids from the outer definition inwards. Takes 16 bytes.
///
/// `[2]` is a node of the definition itself. `[5, 2]` is node 2 of the definition that node 5 uses. A path that ends
/// with the root of a used definition is written without it, since the node with the use *is* that root: `[5]`, not
/// `[5, 0]`.
///
/// Paths are ordered by their ids, so that all paths below a use follow its own.
///
/// ```
/// use hedgerow_document::Path;
///
/// let (node, inner) = (Path::from(5), Path::from([5, 2]));
/// assert_eq!((inner.ids(), inner.to_string().as_str()), (&[5, 2][..], "5/2"));
/// assert!(inner.starts_with(&node) && node < inner && inner < Path::from(6));
/// assert_eq!(node.join(&Path::from([2, 1])), Path::from([5, 2, 1]));
/// assert_eq!(Path::of(inner.ids()), Some(inner));
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Path(Ids);

/// A path of one id needs no memory of its own.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Ids {
    One([u64; 1]),
    // A thin pointer, because there are as many paths as there are statements.
    Many(Arc<Vec<u64>>),
}

impl Path {
    /// Returns the path of these ids; `None` if there are none.
    #[must_use]
    pub fn of(ids: &[u64]) -> Option<Self> {
        (!ids.is_empty()).then(|| joined(ids, &[]))
    }

    /// Returns the ids, from the outer definition inwards. There is at least one.
    #[must_use]
    pub fn ids(&self) -> &[u64] {
        match &self.0 {
            Ids::One(id) => id,
            Ids::Many(ids) => ids,
        }
    }

    /// Returns whether this path begins with all ids of another one.
    #[must_use]
    pub fn starts_with(&self, outer: &Self) -> bool {
        self.ids().starts_with(outer.ids())
    }

    /// Returns the path of a node inside the definition that this path's node uses.
    #[must_use]
    pub fn join(&self, inner: &Self) -> Self {
        joined(self.ids(), inner.ids())
    }

    /// The ids of the instance that the node belongs to: all but the last.
    pub(crate) fn instance(&self) -> &[u64] {
        &self.ids()[..self.ids().len() - 1]
    }

    /// The node's id in its own definition.
    pub(crate) fn last(&self) -> u64 {
        self.ids()[self.ids().len() - 1]
    }

    /// The id of an own node of the definition, if the path is one.
    pub(crate) fn own(&self) -> Option<u64> {
        if let Ids::One([id]) = self.0 { Some(id) } else { None }
    }
}

/// Returns the path of all these ids; there must be some.
pub(crate) fn joined(outer: &[u64], inner: &[u64]) -> Path {
    match (outer, inner) {
        ([], &[id]) | (&[id], []) => Path::from(id),
        _ => Path(Ids::Many(Arc::new([outer, inner].concat()))),
    }
}

impl From<u64> for Path {
    fn from(id: u64) -> Self {
        Self(Ids::One([id]))
    }
}

impl<const N: usize> From<[u64; N]> for Path {
    /// # Panics
    /// Does not compile for an empty list.
    fn from(ids: [u64; N]) -> Self {
        const { assert!(N > 0, "a path has at least one id") };
        joined(&ids, &[])
    }
}

impl PartialOrd for Path {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Path {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            // The paths of one node's fields that were read from bytes are the same list.
            (Ids::Many(a), Ids::Many(b)) if Arc::ptr_eq(a, b) => Ordering::Equal,
            _ => self.ids().cmp(other.ids()),
        }
    }
}

/// Writes the ids with slashes between them: `5/0/2`.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, id) in self.ids().iter().enumerate() {
            write!(f, "{}{id}", if number > 0 { "/" } else { "" })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Path({self})")
    }
}
