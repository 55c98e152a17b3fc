//! The set: columns of sub-meshes, entries of meshes, and their edits.

use crate::holes::Holes;
use crate::sub_mesh::checked_bounds;
use crate::{MeshError, MeshHandle, ShadowDraw, SubMesh};
use core::ops::Range;
use hedgerow_math::Aabb;
use hedgerow_math::Boxes;
use slotmap::{Key, SlotMap};

/// The greatest number of meshes in a slot map.
const MAX_MESHES: usize = u32::MAX as usize - 1;

/// A mesh and the place of its sub-meshes. Takes 16 bytes with its version in the slot map.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) first: u32,
    pub(crate) count: u32,
    /// The user's number.
    pub(crate) mesh: u32,
}

/// A set of meshes, stored as columns of sub-meshes that have one material each. Culling turns boxes into lists of
/// visible indices, and the lists are turned into draws.
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
/// set.set_bounds(house, 0, at(7.0))?;
/// set.set_indices(house, 0, 0..30)?;
/// assert_eq!(set.sub_mesh(house, 0), Some(SubMesh::new(0..30, 1, at(7.0))));
/// set.remove(house)?;
/// assert!(set.contains(tree) && (set.hole_count(), set.sub_mesh_count()) == (2, 1));
/// set.compact();
/// assert_eq!((set.hole_count(), set.indices(tree)), (0, Some(0..1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A sub-mesh takes 48 bytes (box 24, range 12, material 4, owner 8), a mesh 16. Culling reads only boxes; a shadow
/// pass reads boxes and ranges.
///
/// The sub-meshes of a mesh are adjacent, in the order given. Visible lists contain *indices* of sub-meshes, which stay
/// the same until [`compact`](Self::compact). A removed mesh leaves a hole, and a later mesh fills the shortest hole
/// that is long enough. Culling also tests the empty boxes of holes: see [`hole_count`](Self::hole_count). Use a
/// visible list before you edit the set, because after an edit its indices may refer to another mesh or to a hole.
#[derive(Clone, Debug)]
pub struct MeshSet {
    pub(crate) bounds: Boxes,
    pub(crate) ranges: Vec<ShadowDraw>,
    pub(crate) materials: Vec<u32>,
    /// The mesh of each sub-mesh; null in holes.
    pub(crate) owners: Vec<MeshHandle>,
    pub(crate) entries: SlotMap<MeshHandle, Entry>,
    pub(crate) holes: Holes,
}

impl MeshSet {
    /// Creates a set without meshes.
    #[must_use]
    pub fn new() -> Self {
        Self::with_capacity(0, 0)
    }

    /// Creates a set without meshes, with room for this many meshes and sub-meshes.
    #[must_use]
    pub fn with_capacity(meshes: usize, sub_meshes: usize) -> Self {
        let mut bounds = Boxes::new();
        // `Boxes` reserves only by resizing.
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

    /// Adds a mesh. `mesh` is a number of your own, for buffers or an instance; draws contain this number.
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
        // All is checked before the first write.
        let end = u32::try_from(self.ranges.len()).ok().and_then(|end| end.checked_add(count));
        if end.is_none() || self.entries.len() >= MAX_MESHES {
            return Err(MeshError::CapacityOverflow);
        }
        // A mesh without sub-meshes takes no places.
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

    /// Removes a mesh and returns the user's number for it. The handle becomes stale. Indices of other meshes stay the
    /// same.
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

    /// Closes all holes, and keeps the order of sub-meshes. Indices may change; handles stay valid.
    ///
    /// Runs in **O(sub-meshes)**, or in O(1) if there are no holes. Call it after many meshes were removed for good, to
    /// make culling faster.
    pub fn compact(&mut self) {
        if self.hole_count() == 0 {
            return;
        }
        // Meshes move down in their order, so sources are never overwritten before they are read.
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

    /// Sets the box of a sub-mesh. `sub_mesh` counts from 0 within the mesh. Runs in **O(1)**.
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

    /// Returns the number of meshes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether the set has no meshes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the number of sub-meshes of all meshes.
    #[must_use]
    pub fn sub_mesh_count(&self) -> usize {
        self.ranges.len() - self.hole_count()
    }

    /// Returns the number of indices in holes, whose boxes culling tests unnecessarily.
    #[must_use]
    pub fn hole_count(&self) -> usize {
        self.holes.total() as usize
    }

    /// Returns whether the handle's mesh is in the set.
    #[must_use]
    pub fn contains(&self, mesh: MeshHandle) -> bool {
        self.entry(mesh).is_ok()
    }

    /// Returns the user's number for a mesh; `None` for a stale handle.
    #[must_use]
    pub fn number(&self, mesh: MeshHandle) -> Option<u32> {
        self.entry(mesh).ok().map(|entry| entry.mesh)
    }

    /// Returns the range of indices of a mesh's sub-meshes, which visible lists contain; `None` for a stale handle.
    #[must_use]
    pub fn indices(&self, mesh: MeshHandle) -> Option<Range<u32>> {
        self.entry(mesh).ok().map(|entry| entry.first..entry.first + entry.count)
    }

    /// Returns the mesh of the sub-mesh at an index; `None` for holes and past the last sub-mesh. Runs in **O(1)**.
    #[must_use]
    pub fn mesh_at(&self, index: u32) -> Option<MeshHandle> {
        self.owners.get(index as usize).copied().filter(|owner| !owner.is_null())
    }

    /// Returns a sub-mesh, or `None` if there is no such sub-mesh. Runs in **O(1)**.
    #[must_use]
    pub fn sub_mesh(&self, mesh: MeshHandle, sub_mesh: usize) -> Option<SubMesh> {
        let place = self.place(mesh, sub_mesh).ok()?;
        let ShadowDraw { start, count, .. } = self.ranges[place];
        Some(SubMesh { start, count, material: self.materials[place], bounds: self.bounds.get(place)? })
    }

    /// Returns all meshes. Their order is unspecified but the same from run to run.
    pub fn meshes(&self) -> impl Iterator<Item = MeshHandle> {
        self.entries.keys()
    }

    #[inline]
    fn entry(&self, mesh: MeshHandle) -> Result<&Entry, MeshError> {
        self.entries.get(mesh).ok_or(MeshError::StaleHandle(mesh))
    }

    /// Returns the index of a sub-mesh in the columns.
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

    /// Returns the first index for a new mesh: in a hole, or after the last sub-mesh.
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

    /// Turns a range into a hole, or shortens the columns if the range is at their end.
    fn give_places(&mut self, first: u32, count: u32) {
        for place in first as usize..(first + count) as usize {
            self.owners[place] = MeshHandle::null();
            self.bounds.set(place, Aabb::EMPTY);
        }
        let (first, length) = self.holes.give(first, count);
        // Places at the end are given back instead of kept as a hole.
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

/// Converts a place to 32 bits. All places fit.
fn place(index: usize) -> u32 {
    u32::try_from(index).expect("an insert that would make more was refused")
}
