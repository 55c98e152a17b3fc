//! The set: columns of sub-meshes, entries of meshes, and their edits.

use crate::holes::Holes;
use crate::sub_mesh::checked_bounds;
use crate::{MeshError, MeshHandle, ShadowDraw, SubMesh};
use core::ops::Range;
use hedgerow_math::Aabb;
use hedgerow_math::Boxes;
use slotmap::{Key, SlotMap};

/// The most meshes that a slot map takes.
const MAX_MESHES: usize = u32::MAX as usize - 1;

/// A mesh: where its sub-meshes stand. 16 bytes with its version in the slot map.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// The place of the first sub-mesh.
    pub(crate) first: u32,
    pub(crate) count: u32,
    /// The user's number.
    pub(crate) mesh: u32,
}

/// Meshes, split into sub-meshes with one material each and stored as columns. Culling processes boxes in batches and
/// returns lists of visible indices, from which draws are made.
///
/// ```
/// use hedgerow_mesh::glam::{Vec3, Vec4};
/// use hedgerow_mesh::{Aabb, Frustum, MeshDraw, MeshSet, SubMesh};
///
/// let mut set = MeshSet::new();
/// let at = |x: f32| Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 1.0, 1.0));
/// let house = set.insert(7, &[SubMesh::new(0..36, 1, at(0.0)), SubMesh::new(36..60, 2, at(5.0))])?;
/// let tree = set.insert(9, &[SubMesh::new(0..12, 2, at(6.0))])?;
///
/// let right_of_4 = [Vec4::new(1.0, 0.0, 0.0, -4.0), Vec4::ZERO, Vec4::ZERO, Vec4::ZERO, Vec4::ZERO, Vec4::ZERO];
/// let (mut visible, mut draws) = (Vec::new(), Vec::new());
/// set.cull(&Frustum::from_planes(right_of_4)?, &mut visible);
/// set.draws(&visible, &mut draws);
/// assert_eq!(visible, [1, 2]);
/// assert_eq!(draws[0], MeshDraw { mesh: 7, start: 36, count: 24, material: 2 });
/// assert_eq!(set.mesh_at(2), Some(tree));
///
/// set.remove(tree)?;
/// assert!(!set.contains(tree) && set.contains(house));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A sub-mesh takes 48 bytes (box 24, range 12, material 4, owner 8), a mesh 16. Culling reads only boxes; a shadow
/// pass reads boxes and ranges.
///
/// The sub-meshes of a mesh are adjacent, in the order given. Visible lists contain their *indices*, which stay the
/// same until [`compact`](Self::compact): a removed mesh leaves a hole, and a later mesh fills the shortest hole that
/// is long enough. Culling also tests the empty boxes of holes; [`hole_count`](Self::hole_count) returns their number.
/// Use a visible list before you edit the set again: afterwards it may refer to sub-meshes of another mesh, or to none.
#[derive(Clone, Debug)]
pub struct MeshSet {
    pub(crate) bounds: Boxes,
    pub(crate) ranges: Vec<ShadowDraw>,
    pub(crate) materials: Vec<u32>,
    /// The mesh that each sub-mesh is of; null in holes.
    pub(crate) owners: Vec<MeshHandle>,
    pub(crate) entries: SlotMap<MeshHandle, Entry>,
    pub(crate) holes: Holes,
}

impl MeshSet {
    /// A set without meshes.
    #[must_use]
    pub fn new() -> Self {
        Self::with_capacity(0, 0)
    }

    /// A set without meshes, with room for this many.
    #[must_use]
    pub fn with_capacity(meshes: usize, sub_meshes: usize) -> Self {
        let mut bounds = Boxes::new();
        bounds.resize(sub_meshes);
        bounds.clear();
        Self {
            bounds,
            ranges: Vec::with_capacity(sub_meshes),
            materials: Vec::with_capacity(sub_meshes),
            owners: Vec::with_capacity(sub_meshes),
            entries: SlotMap::with_capacity_and_key(meshes),
            holes: Holes::default(),
        }
    }

    /// Adds a mesh. `mesh` is a number of your own, for the mesh's buffers or for an instance; draws return it.
    ///
    /// Runs in amortised **O(sub-meshes of the mesh + log holes)**. A mesh may have no sub-meshes.
    ///
    /// # Errors
    /// [`MeshError::RangeTooLong`], [`MeshError::NotFinite`], [`MeshError::CapacityOverflow`].
    pub fn insert(&mut self, mesh: u32, sub_meshes: &[SubMesh]) -> Result<MeshHandle, MeshError> {
        for (number, sub_mesh) in sub_meshes.iter().enumerate() {
            sub_mesh.checked(number)?;
        }
        let count = u32::try_from(sub_meshes.len()).map_err(|_| MeshError::CapacityOverflow)?;
        let end = u32::try_from(self.ranges.len()).ok().and_then(|end| end.checked_add(count));
        if end.is_none() || self.entries.len() >= MAX_MESHES {
            return Err(MeshError::CapacityOverflow);
        }
        let first = if count == 0 { 0 } else { self.take_places(count) };
        let handle = self.entries.insert(Entry { first, count, mesh });
        for (place, (number, sub_mesh)) in (first as usize..).zip(sub_meshes.iter().enumerate()) {
            let SubMesh { start, count, material, bounds } = sub_mesh.checked(number)?;
            self.ranges[place] = ShadowDraw { mesh, start, count };
            self.materials[place] = material;
            self.bounds.set(place, bounds);
            self.owners[place] = handle;
        }
        Ok(handle)
    }

    /// Removes a mesh and returns the user's number for it. Its handle is stale from then on; the indices of other
    /// meshes stay the same.
    ///
    /// Runs in **O(sub-meshes of the mesh + log holes)**.
    ///
    /// # Errors
    /// [`MeshError::StaleHandle`].
    pub fn remove(&mut self, mesh: MeshHandle) -> Result<u32, MeshError> {
        let entry = self.entries.remove(mesh).ok_or(MeshError::StaleHandle(mesh))?;
        if entry.count > 0 {
            self.give_places(entry.first, entry.count);
        }
        Ok(entry.mesh)
    }

    /// Removes all meshes and keeps the memory.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.truncate(0);
        self.holes.clear();
    }

    /// Closes all holes: sub-meshes move up, in their order. Indices may change; handles stay valid.
    ///
    /// Runs in **O(sub-meshes)**, or in O(1) if there are no holes. Use it to make culling faster after many meshes
    /// were removed for good.
    pub fn compact(&mut self) {
        if self.hole_count() == 0 {
            return;
        }
        let (mut from, mut to) = (0, 0);
        while from < self.owners.len() {
            let owner = self.owners[from];
            if owner.is_null() {
                from += 1;
                continue;
            }
            let entry = &mut self.entries[owner];
            let count = entry.count as usize;
            entry.first = place(to);
            self.ranges.copy_within(from..from + count, to);
            self.materials.copy_within(from..from + count, to);
            self.owners.copy_within(from..from + count, to);
            for step in 0..count {
                let bounds = self.bounds.get(from + step).expect("columns are of one length");
                self.bounds.set(to + step, bounds);
            }
            from += count;
            to += count;
        }
        self.truncate(to);
        self.holes.clear();
    }

    /// Sets the box of a sub-mesh, which is counted from 0 within its mesh. Runs in **O(1)**.
    ///
    /// # Errors
    /// [`MeshError::StaleHandle`], [`MeshError::NoSubMesh`], [`MeshError::NotFinite`].
    pub fn set_bounds(&mut self, mesh: MeshHandle, sub_mesh: usize, bounds: Aabb) -> Result<(), MeshError> {
        let place = self.place(mesh, sub_mesh)?;
        self.bounds.set(place, checked_bounds(bounds, sub_mesh)?);
        Ok(())
    }

    /// Sets the material of a sub-mesh. Runs in **O(1)**.
    ///
    /// # Errors
    /// [`MeshError::StaleHandle`], [`MeshError::NoSubMesh`].
    pub fn set_material(&mut self, mesh: MeshHandle, sub_mesh: usize, material: u32) -> Result<(), MeshError> {
        let place = self.place(mesh, sub_mesh)?;
        self.materials[place] = material;
        Ok(())
    }

    /// Sets the range of indices that a sub-mesh draws, for example for another level of detail. Runs in **O(1)**.
    ///
    /// # Errors
    /// [`MeshError::StaleHandle`], [`MeshError::NoSubMesh`].
    pub fn set_indices(&mut self, mesh: MeshHandle, sub_mesh: usize, indices: Range<u32>) -> Result<(), MeshError> {
        let place = self.place(mesh, sub_mesh)?;
        let SubMesh { start, count, .. } = SubMesh::new(indices, 0, Aabb::EMPTY);
        self.ranges[place] = ShadowDraw { start, count, ..self.ranges[place] };
        Ok(())
    }

    /// How many meshes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many sub-meshes all meshes have.
    #[must_use]
    pub fn sub_mesh_count(&self) -> usize {
        self.ranges.len() - self.hole_count()
    }

    /// The number of indices in holes, free for later meshes. Culling tests this many boxes unnecessarily.
    #[must_use]
    pub fn hole_count(&self) -> usize {
        self.holes.total() as usize
    }

    /// Whether the handle's mesh is in the set.
    #[must_use]
    pub fn contains(&self, mesh: MeshHandle) -> bool {
        self.entry(mesh).is_ok()
    }

    /// The user's number for a mesh; `None` for a stale handle.
    #[must_use]
    pub fn number(&self, mesh: MeshHandle) -> Option<u32> {
        self.entry(mesh).ok().map(|entry| entry.mesh)
    }

    /// The indices of a mesh's sub-meshes, as used in visible lists; `None` for a stale handle.
    #[must_use]
    pub fn indices(&self, mesh: MeshHandle) -> Option<Range<u32>> {
        self.entry(mesh).ok().map(|entry| entry.first..entry.first + entry.count)
    }

    /// The mesh of a sub-mesh, given by its index; `None` for holes and past the last one. Runs in **O(1)**.
    #[must_use]
    pub fn mesh_at(&self, index: u32) -> Option<MeshHandle> {
        self.owners.get(index as usize).copied().filter(|owner| !owner.is_null())
    }

    /// A sub-mesh as it was described; `None` if there is none. Runs in **O(1)**.
    #[must_use]
    pub fn sub_mesh(&self, mesh: MeshHandle, sub_mesh: usize) -> Option<SubMesh> {
        let place = self.place(mesh, sub_mesh).ok()?;
        let ShadowDraw { start, count, .. } = self.ranges[place];
        Some(SubMesh { start, count, material: self.materials[place], bounds: self.bounds.get(place)? })
    }

    /// All meshes. The order has no meaning, but is the same from run to run.
    pub fn meshes(&self) -> impl Iterator<Item = MeshHandle> {
        self.entries.keys()
    }

    #[inline]
    fn entry(&self, mesh: MeshHandle) -> Result<&Entry, MeshError> {
        self.entries.get(mesh).ok_or(MeshError::StaleHandle(mesh))
    }

    /// The index of a sub-mesh in the columns.
    #[inline]
    fn place(&self, mesh: MeshHandle, sub_mesh: usize) -> Result<usize, MeshError> {
        let entry = self.entry(mesh)?;
        let count = entry.count as usize;
        if sub_mesh < count {
            Ok(entry.first as usize + sub_mesh)
        } else {
            Err(MeshError::NoSubMesh { mesh, sub_mesh, count })
        }
    }

    /// Indices for a new mesh: a hole, or after the last one.
    fn take_places(&mut self, count: u32) -> u32 {
        self.holes.take(count).unwrap_or_else(|| {
            let end = self.ranges.len();
            let len = end + count as usize;
            self.ranges.resize(len, ShadowDraw { mesh: 0, start: 0, count: 0 });
            self.materials.resize(len, 0);
            self.owners.resize(len, MeshHandle::null());
            self.bounds.resize(len);
            place(end)
        })
    }

    /// Makes a hole of a range, or shortens the columns if the range is at their end.
    fn give_places(&mut self, first: u32, count: u32) {
        for place in first as usize..(first + count) as usize {
            self.owners[place] = MeshHandle::null();
            self.bounds.set(place, Aabb::EMPTY);
        }
        let (first, length) = self.holes.give(first, count);
        if (first + length) as usize == self.ranges.len() {
            self.holes.remove(first, length);
            self.truncate(first as usize);
        }
    }

    fn truncate(&mut self, len: usize) {
        self.ranges.truncate(len);
        self.materials.truncate(len);
        self.owners.truncate(len);
        self.bounds.truncate(len);
    }
}

impl Default for MeshSet {
    fn default() -> Self {
        Self::new()
    }
}

/// The number of a place, of which there are no more than 32 bits number.
fn place(index: usize) -> u32 {
    u32::try_from(index).expect("an insert that would make more was refused")
}
