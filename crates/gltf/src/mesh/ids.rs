//! Mesh ids of primitives.

use core::ops::Range;

/// The mesh ids of an import: consecutive numbers for the primitives of all meshes, in file order. A drawable has its
/// id in [`Drawable::mesh`](hedgerow::Drawable::mesh).
///
/// The first id is [`ImportOptions::with_first_numbers`](crate::ImportOptions::with_first_numbers). For several files
/// in one scene, see [`ImportOptions::after`](crate::ImportOptions::after).
///
/// ```
/// // Two meshes, of one and of two primitives: ids 0, 1 and 2.
/// let text = br#"{
///     "asset": {"version": "2.0"},
///     "meshes": [
///         {"primitives": [{"attributes": {}}]},
///         {"primitives": [{"attributes": {}}, {"attributes": {}}]}
///     ]
/// }"#;
/// let ids = hedgerow_gltf::from_slice(text, None)?.imported.mesh_ids;
/// assert_eq!(ids.range(), 0..3);
/// assert_eq!(ids.id(1, 1), Some(2));
/// assert_eq!(ids.primitive(2), Some((1, 1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(test, derive(Default))]
pub struct MeshIds {
    /// The first id of each mesh, then the number after the last id.
    first: Vec<u32>,
}

impl MeshIds {
    /// Assigns ids from `begin` on; `primitives` has the number in each mesh. `None` if 32 bits are not enough.
    pub(crate) fn count(begin: u32, primitives: impl Iterator<Item = usize>) -> Option<Self> {
        let mut first = vec![begin];
        let mut next = begin;
        for count in primitives {
            next = next.checked_add(u32::try_from(count).ok()?)?;
            first.push(next);
        }
        Some(Self { first })
    }

    /// Returns the range of all ids.
    #[must_use]
    pub fn range(&self) -> Range<u32> {
        let first = self.first.first().copied().unwrap_or_default();
        first..self.first.last().copied().unwrap_or(first)
    }

    /// Returns the id of a primitive of a glTF mesh, in O(1); `None` if the file lacks it.
    #[must_use]
    pub fn id(&self, mesh: usize, primitive: usize) -> Option<u32> {
        let (first, end) = (*self.first.get(mesh)?, *self.first.get(mesh.checked_add(1)?)?);
        let id = first.checked_add(u32::try_from(primitive).ok()?)?;
        (id < end).then_some(id)
    }

    /// Returns the glTF mesh of an id and the primitive within the mesh, in O(log meshes); `None` if the id does not
    /// belong to the file.
    #[must_use]
    pub fn primitive(&self, id: u32) -> Option<(usize, usize)> {
        // Find the last mesh that starts at or before the id; an empty mesh starts where the next mesh starts.
        let behind = self.first.partition_point(|&first| first <= id);
        let mesh = behind.checked_sub(1).filter(|_| behind < self.first.len())?;
        Some((mesh, (id - self.first[mesh]) as usize))
    }
}
