//! Checks whether slices form a scene: one tree below the root, and one tree below each topmost slice of the others.

use crate::Mat34;
use crate::fallible;
use crate::record::{BytesError, ensure};
use crate::store::columns::At;
use crate::store::image::check::Checker;
use crate::store::{Counted, Membership, Slice, Slices};

impl Checker {
    /// Joins the slices by their portals. Checks that they form one tree below the root, and one below each topmost
    /// detached or pending-free slice.
    pub(super) fn join(
        &mut self,
        slices: &mut Slices,
        detached: &[u32],
        pending_free: &[u32],
    ) -> Result<Counted, BytesError> {
        ensure!(slices.get(0).is_some_and(|slice| slice.lives), "there is no root");
        for slice in slices.iter_mut().filter(|slice| !slice.children.is_empty()) {
            slice.transforms.portal_slots.try_reserve(slice.transforms.slots.end())?;
            slice.portal_rows.try_reserve(slice.row_slots.end())?;
        }
        for &(at, child) in &self.portals {
            let below = slices.get_mut(child as usize).filter(|below| below.lives);
            let below = below.ok_or(BytesError::invalid("a portal leads to no slice"))?;
            ensure!(below.portal == At::NONE, "a slice stands behind two portals");
            below.portal = at;
            let above = &mut slices[at.slice as usize];
            let inherited = above.row(at.row).transform.index();
            above.transforms.portal_slots.insert(inherited);
            above.portal_rows.insert(at.row);
        }
        let mut nodes = Counted::default();
        let mut reached = 0;
        let mut listed = fallible::filled(slices.len(), false)?;
        let mut pending = fallible::with_capacity(slices.len())?;
        let root = [At::ROOT.slice];
        let tops = [
            (&root[..], Membership::Attached),
            (detached, Membership::Detached),
            (pending_free, Membership::PendingFree),
        ];
        let each = |(list, membership)| (0..).zip(list).map(move |(index, &top): (u32, &u32)| (index, top, membership));
        for (index, top, membership) in tops.into_iter().flat_map(each) {
            let slice = slices.get_mut(top as usize).filter(|slice| slice.lives && slice.portal == At::NONE);
            let slice = slice.ok_or(BytesError::invalid("a slice is listed as topmost that is not"))?;
            ensure!(!core::mem::replace(&mut listed[top as usize], true), "a slice is listed as topmost twice");
            slice.check_top(membership)?;
            slice.child_index = index;
            pending.push(top);
            while let Some(number) = pending.pop() {
                reached += 1;
                let slice = &mut slices[number as usize];
                slice.membership = membership;
                ensure!(
                    membership != Membership::PendingFree || !slice.edited,
                    "a slice to be freed waits for maintenance"
                );
                *nodes.of_mut(membership) += slice.nodes();
                let children = core::mem::take(&mut slice.children);
                for (index, &child) in (0..).zip(&children) {
                    let below = slices.get_mut(child as usize).ok_or(BytesError::invalid("a child is no slice"))?;
                    let known = below.portal.slice == number && !core::mem::replace(&mut listed[child as usize], true);
                    ensure!(known, "a slice is listed where it does not hang");
                    below.child_index = index;
                    pending.push(child);
                }
                slices[number as usize].children = children;
            }
        }
        let living = slices.iter().filter(|slice| slice.lives).count();
        ensure!(reached == living, "a slice is in use and hangs nowhere");
        Ok(nodes)
    }
}

impl Slice {
    /// A topmost slice of the tree or of a detached subtree inherits nothing. A detached one has a single top row, a
    /// node.
    fn check_top(&self, membership: Membership) -> Result<(), BytesError> {
        if membership == Membership::PendingFree {
            return Ok(());
        }
        let alone = self.is_alone(self.first_top) && self.row(self.first_top).occupant.as_node().is_some();
        ensure!(alone, "a topmost slice has not one top node");
        let neutral = self.transforms.worlds[0].to_bits() == Mat34::IDENTITY.to_bits()
            && self.visibilities.effective[0] == u32::MAX
            && self.materials.values[0].is_none();
        ensure!(neutral, "a topmost slice inherits something");
        Ok(())
    }
}
