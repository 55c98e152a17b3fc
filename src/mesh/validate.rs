//! Checks every invariant of a set.

use crate::Aabb;
use crate::mesh::{MeshError, MeshSet};
use slotmap::Key;

impl MeshSet {
    /// Checks every invariant of the set and returns the first violation. Runs in **O(sub-meshes + meshes)**.
    ///
    /// Only needed to test this crate.
    ///
    /// # Errors
    /// [`MeshError::Invalid`], which is a defect of this crate.
    pub fn validate(&self) -> Result<(), MeshError> {
        self.violation().map_or(Ok(()), |violation| Err(MeshError::Invalid(violation)))
    }

    fn violation(&self) -> Option<&'static str> {
        let len = self.ranges.len();
        if [self.materials.len(), self.owners.len(), self.bounds.len()] != [len; 3] {
            return Some("a column is shorter than another");
        }
        let mut owned = 0;
        for (mesh, entry) in &self.entries {
            let places = entry.first as usize..(entry.first + entry.count) as usize;
            if places.end > len || places.clone().any(|place| self.owners[place] != mesh) {
                return Some("a sub-mesh is not owned by its mesh");
            }
            if self.ranges[places.clone()].iter().any(|range| range.mesh != entry.mesh) {
                return Some("a range does not name its mesh");
            }
            owned += places.len();
        }
        let mut end = None;
        for (first, length) in self.holes.iter() {
            let places = first as usize..(first + length) as usize;
            if length == 0 || end == Some(first) || places.end >= len {
                return Some("a hole is empty, touches another, or is the last");
            }
            let empty = |place: usize| self.owners[place].is_null() && self.bounds.get(place) == Some(Aabb::EMPTY);
            if !places.clone().all(empty) {
                return Some("there is something in a hole");
            }
            owned += places.len();
            end = Some(first + length);
        }
        if owned != len {
            return Some("a place is neither a mesh's nor a hole's");
        }
        None
    }
}
