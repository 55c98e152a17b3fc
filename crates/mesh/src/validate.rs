//! Checks every invariant of a set.

use crate::{MeshError, MeshSet};
use hedgerow_math::Aabb;
use slotmap::Key;

impl MeshSet {
    /// Checks every invariant of the set and returns the first violation. Runs in **O(sub-meshes + meshes)**.
    ///
    /// Use it to test this crate.
    ///
    /// # Errors
    /// [`MeshError::Invalid`], a defect of this crate.
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
                return Some("a hole is in use");
            }
            owned += places.len();
            end = Some(first + length);
        }
        if owned != len {
            return Some("a sub-mesh belongs to no mesh and no hole");
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::holes::Holes;
    use crate::{MeshError, MeshSet, SubMesh};
    use hedgerow_math::Aabb;

    /// Returns a set of three meshes with two sub-meshes each; two removed meshes left holes before the last.
    fn set() -> MeshSet {
        let mut set = MeshSet::new();
        let parts = [SubMesh::new(0..36, 1, Aabb::cube(1.0)), SubMesh::new(36..60, 2, Aabb::cube(2.0))];
        let meshes = [5, 6, 7, 8, 9].map(|mesh| set.insert(mesh, &parts).unwrap());
        set.remove(meshes[0]).unwrap();
        set.remove(meshes[2]).unwrap();
        assert_eq!(set.validate(), Ok(()));
        set
    }

    /// The expected violation, and the edit that causes it.
    type Violation = (&'static str, fn(&mut MeshSet));

    const VIOLATIONS: &[Violation] = &[
        ("a column is shorter than another", |set| _ = set.materials.pop()),
        ("a sub-mesh is not owned by its mesh", |set| set.owners[2] = set.owners[6]),
        ("a range does not name its mesh", |set| set.ranges[3].mesh += 1),
        ("a hole is empty, touches another, or is the last", |set| _ = set.holes.give(8, 2)),
        ("a hole is in use", |set| set.bounds.set(1, Aabb::cube(1.0))),
        ("a sub-mesh belongs to no mesh and no hole", |set| set.holes = Holes::default()),
    ];

    #[test]
    fn each_violation_is_found_and_named() {
        for &(message, break_it) in VIOLATIONS {
            let mut broken = set();
            break_it(&mut broken);
            assert_eq!(broken.validate(), Err(MeshError::Invalid(message)));
        }
    }
}
