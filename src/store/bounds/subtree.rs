//! The world box of a subtree.

use crate::Aabb;
use crate::store::columns::{At, NIL};
use crate::store::{Slice, Store};

impl Store {
    /// The world box of all shapes in the subtree of a node, using the matrices of the last update.
    ///
    /// Runs in O(rows of the subtree in its slice) where the scene keeps world boxes and nothing was edited since the
    /// last update, else in O(rows of the subtree).
    pub(crate) fn subtree_bounds(&self, top: At) -> Aabb {
        let At { slice, row } = top;
        let mut pending = Vec::new();
        let mut all = self.slice(slice).bounds_of_rows(row, &mut pending);
        while let Some(child) = pending.pop() {
            let slice = self.slice(child);
            let above = self.slice(slice.portal.slice);
            match &above.boxes {
                Some(boxes) if !slice.marked => {
                    all = all.merge(&boxes.children.get(slice.child_index as usize).expect("a box for each child"));
                }
                _ => {
                    let some = |row: u32| (row != NIL).then_some(row);
                    for top in core::iter::successors(some(slice.first_top), |&top| some(slice.row(top).next)) {
                        all = all.merge(&slice.bounds_of_rows(top, &mut pending));
                    }
                }
            }
        }
        all
    }
}

impl Slice {
    /// The world box of the shapes of a subtree that lie in this slice. Lists the slices below it.
    fn bounds_of_rows(&self, top: u32, below: &mut Vec<u32>) -> Aabb {
        self.subtree(top).fold(Aabb::EMPTY, |all, row| {
            let row = self.row(row);
            below.extend(row.occupant.as_portal());
            if row.shape == NIL {
                return all;
            }
            let world = &self.transforms.worlds[row.transform.index() as usize];
            all.merge(&self.shapes.bounds[row.shape as usize].transformed(world))
        })
    }
}
