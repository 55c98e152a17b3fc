//! Checks every invariant of the storage: here the relations between slices, and the links within.

use crate::Mat34;
use crate::fallible;
use crate::store::columns::{At, NIL};
use crate::store::restructuring::Partner;
use crate::store::{Membership, Need, Slice, Store};
use core::cmp::Reverse;
use std::collections::HashSet;

/// Returns with a message unless the condition holds.
macro_rules! ensure {
    ($holds:expr, $($message:tt)*) => {
        if !$holds {
            return Err(format!($($message)*));
        }
    };
}

pub(in crate::store) use ensure;

mod boxes;
mod columns;
mod tables;
#[cfg(test)]
mod tests;

use columns::Owned;

impl Store {
    /// Checks every invariant of slices, tables and portals; returns the number of nodes, or the first violation.
    pub(crate) fn validate(&self) -> Result<usize, String> {
        let mut seen = vec![false; self.slices.len()];
        let mut listed = vec![false; self.slices.len()];
        for number in self.slice_numbers() {
            let marked = self.slice(number).marked_children.iter().copied();
            marked.filter(|&child| self.is_marked_child(number, child)).for_each(|child| listed[child as usize] = true);
        }
        let mut pending = vec![At::ROOT.slice];
        pending.extend(&self.detached);
        let mut nodes = 0;
        while let Some(number) = pending.pop() {
            let slice = self.slices.get(number as usize).ok_or("a portal leads to no slice")?;
            ensure!(!core::mem::replace(&mut seen[number as usize], true), "slice {number} hangs in two places");
            ensure!(slice.lives, "slice {number} hangs in the scene and is free");
            self.validate_links(number)?;
            slice.validate_columns(number)?;
            self.validate_portals(number, listed[number as usize])?;
            self.validate_boxes(number)?;
            if !slice.marked {
                self.validate_clean(number)?;
            }
            self.validate_history(number)?;
            nodes += slice.nodes();
            pending.extend(&slice.children);
        }
        let pending_free = self.validate_pending_free(&mut seen)?;
        for number in self.slice_numbers() {
            ensure!(seen[number as usize], "slice {number} is in use and hangs nowhere");
        }
        for &Reverse(number) in &self.free_slices {
            ensure!(!self.slice(number).lives, "slice {number} is free and in use");
        }
        ensure!(
            self.slice_count() == seen.iter().filter(|&&seen| seen).count(),
            "the list of free slices does not hold all free slices"
        );
        let root = self.row(At::ROOT);
        ensure!(root.occupant.as_node().is_some(), "the root has no row");
        ensure!(self.slice(0).nodes() == 1, "the root's slice holds other nodes");
        let live = self.tables.validate(|slice| self.slices.get(slice as usize).is_some_and(|slice| slice.lives))?;
        ensure!(
            live == nodes + pending_free,
            "{live} handles live, and {nodes} nodes and {pending_free} that wait to be freed"
        );
        self.validate_lists()?;
        self.validate_notes()?;
        if self.edited.is_empty() {
            self.validate_sizes()?;
        }
        Ok(nodes)
    }

    /// Checks that slices waiting to be freed are not attached elsewhere. Returns their number of nodes.
    fn validate_pending_free(&self, seen: &mut [bool]) -> Result<usize, String> {
        let mut pending = self.pending_free.clone();
        let mut nodes = 0;
        while let Some(number) = pending.pop() {
            let slice = self.slice(number);
            ensure!(
                slice.lives && slice.membership == Membership::PendingFree,
                "slice {number} is to be freed and is in use"
            );
            ensure!(
                !core::mem::replace(&mut seen[number as usize], true),
                "slice {number} waits to be freed and hangs somewhere"
            );
            let (rows, most) = (slice.row_slots.live(), self.config.max_nodes);
            ensure!(rows <= most, "slice {number}, which waits to be freed, has {rows} rows, and {most} are the most");
            nodes += slice.nodes();
            pending.extend(&slice.children);
        }
        ensure!(
            nodes == self.counted.of(Membership::PendingFree),
            "{nodes} nodes wait to be freed, not {}",
            self.counted.of(Membership::PendingFree)
        );
        Ok(nodes)
    }

    /// Checks that what slices say of the store's lists is so: of those for maintenance, for the update, and of small
    /// slices that wait for a partner.
    fn validate_lists(&self) -> Result<(), String> {
        let listed = |list: &mut dyn Iterator<Item = u32>| {
            let mut listed = vec![false; self.slices.len()];
            list.for_each(|number| listed[number as usize] = true);
            listed
        };
        let pairs = |number: u32| self.slice(number).candidates_below.iter().map(move |&below| (number, below));
        let waiting: HashSet<(u32, u32)> = self.slice_numbers().flat_map(pairs).collect();
        let edited = listed(&mut self.edited.iter().copied());
        let marked = listed(&mut self.marked_roots.iter().copied().filter(|&number| (number as usize) < edited.len()));
        for number in self.slice_numbers() {
            let (slice, at) = (self.slice(number), number as usize);
            ensure!(!slice.edited || edited[at], "slice {number} waits for maintenance on no list");
            if slice.portal == At::NONE {
                ensure!(
                    number == At::ROOT.slice || !slice.marked || marked[at],
                    "the detached slice {number} waits unlisted"
                );
                continue;
            }
            let above = slice.portal.slice;
            let unlisted = above == At::ROOT.slice && slice.nodes() > 0;
            ensure!(
                !slice.merge_candidate || slice.edited || unlisted || waiting.contains(&(above, number)),
                "slice {number} waits for a partner, and the slice above does not know"
            );
        }
        Ok(())
    }

    /// Checks that after maintenance no small slice could be merged. Runs in O(slices).
    pub(in crate::store) fn validate_sizes(&self) -> Result<(), String> {
        let from_root = fallible::or_abort(self.runs_from_root());
        self.find_partner(&from_root).map_or(Ok(()), |(number, partner)| {
            let rows = self.slice(number).row_slots.live();
            Err(format!("slice {number} has {rows} rows and was not merged with {partner:?}"))
        })
    }

    /// The first small slice that could be merged, and its partner. `from_root` says for each slice whether its run is
    /// below the root.
    pub(in crate::store) fn find_partner(&self, from_root: &[bool]) -> Option<(u32, Partner)> {
        let mut small = self.slice_numbers().filter(|&number| self.is_small(number));
        let partner = |number| self.partner_where(number, &|number| from_root[number as usize]);
        small.find_map(|number| partner(number).map(|partner| (number, partner)))
    }

    /// Checks links, occupants and effective slots of all rows of a slice.
    fn validate_links(&self, number: u32) -> Result<(), String> {
        let slice = self.slice(number);
        ensure!(slice.rows.len() == slice.row_slots.end() as usize, "slice {number}: rows and their end differ");
        ensure!(slice.first_top != NIL, "slice {number} is empty");
        let (rows, most) = (slice.row_slots.live(), self.config.max_nodes);
        ensure!(rows <= most, "slice {number} has {rows} rows, and {most} are the most");
        let mut need = Need::default();
        let mut owned = Owned::default();
        let mut chains = vec![(NIL, slice.first_top, slice.last_top)];
        while let Some((parent, first, last)) = chains.pop() {
            let (mut previous, mut at) = (NIL, first);
            while at != NIL {
                ensure!(slice.row_slots.is_live(at), "slice {number}: a chain goes through the free row {at}");
                need.add(slice.row(at));
                ensure!(need.rows <= slice.row_slots.live(), "slice {number}: a chain has a cycle at row {at}");
                let row = slice.row(at);
                ensure!(row.parent == parent, "slice {number}: row {at} does not know its parent {parent}");
                ensure!(row.previous == previous, "slice {number}: row {at} does not know its sibling {previous}");
                ensure!(
                    (row.first_child == NIL) == (row.last_child == NIL),
                    "slice {number}: row {at} knows one end of its chain of children"
                );
                self.validate_occupant(At { slice: number, row: at })?;
                slice.validate_effective(number, at)?;
                if row.first_child != NIL {
                    chains.push((at, row.first_child, row.last_child));
                }
                owned.add(row);
                previous = at;
                at = row.next;
            }
            ensure!(previous == last, "slice {number}: the chain below row {parent} ends elsewhere than is noted");
        }
        let base = 1;
        for (name, used, slots) in [
            ("rows", need.rows, &slice.row_slots),
            ("transforms", need.transforms + base, &slice.transforms.slots),
            ("visibilities", need.visibilities + base, &slice.visibilities.slots),
            ("materials", need.materials + base, &slice.materials.slots),
            ("shapes", need.shapes, &slice.shapes.slots),
            ("names", need.names, &slice.names.slots),
        ] {
            ensure!(used == slots.live(), "slice {number}: {used} {name} are in use and {} are taken", slots.live());
            ensure!(slots.end() <= slots.capacity(), "slice {number}: {name} end behind their capacity");
            ensure!(slots.holes().is_consistent(), "slice {number}: the holes among {name} are not as summed up");
            ensure!(slots.holes().ends_before(slots.end()), "slice {number}: a hole among {name} is behind their end");
        }
        ensure!(owned.is_unique(), "slice {number}: two rows have one slot");
        Ok(())
    }

    /// Checks that the row's node is found by its handle, and that the row's portal is known to its slice.
    fn validate_occupant(&self, at: At) -> Result<(), String> {
        let row = self.row(at);
        let At { slice: number, row: index } = at;
        if let Some(handle) = row.occupant.as_node() {
            ensure!(self.resolve(handle) == Some(at), "slice {number}: {handle:?} does not lead to its row {index}");
            ensure!(
                self.tables.entry(handle).is_some_and(|entry| entry.transform == row.transform),
                "slice {number}: {handle:?} leads to another transform slot than its row {index} has"
            );
            return Ok(());
        }
        let child = row.occupant.as_portal().ok_or(format!("slice {number}: row {index} is vacant"))?;
        let below = self.slices.get(child as usize).filter(|slice| slice.lives);
        let below = below.ok_or(format!("slice {number}: row {index} is a portal to the free slice {child}"))?;
        ensure!(below.portal == at, "slice {child} does not know its portal");
        ensure!(
            self.slice(number).transforms.portal_slots.contains(row.transform.index()),
            "slice {number}: the slot of the portal {index} is not among those that portals use"
        );
        ensure!(
            self.slice(number).children.get(below.child_index as usize) == Some(&child),
            "slice {number} does not list its child {child} where that thinks it is"
        );
        ensure!(
            row.first_child == NIL && row.shape == NIL && row.name == NIL,
            "slice {number}: the portal {index} has children or components"
        );
        ensure!(
            [row.transform, row.visibility, row.material].iter().all(|slot| slot.as_own().is_none()),
            "slice {number}: the portal {index} owns a slot"
        );
        Ok(())
    }

    /// Checks that there are as many portals as children, that no slice is only a portal, and that marks reach the
    /// root.
    fn validate_portals(&self, number: u32, listed: bool) -> Result<(), String> {
        let slice = self.slice(number);
        let portals = slice.row_slots.iter().filter(|&row| slice.row(row).occupant.as_portal().is_some()).count();
        ensure!(
            portals == slice.children.len(),
            "slice {number}: {portals} portals and {} children",
            slice.children.len()
        );
        ensure!(
            (0..slice.row_slots.end())
                .all(|row| { slice.portal_rows.contains(row) == slice.row(row).occupant.as_portal().is_some() })
                && slice.portal_rows.ends_before(slice.row_slots.end()),
            "slice {number}: it is not noted right which rows are portals"
        );
        ensure!(
            number == At::ROOT.slice || portals == 0 || slice.row_slots.live() > 1,
            "slice {number} is one portal and nothing else"
        );
        if number == At::ROOT.slice {
            ensure!(slice.portal == At::NONE, "the root's slice has a portal");
            ensure!(slice.membership == Membership::Attached, "the root is detached");
            ensure!(slice.inherits_nothing(), "the root inherits something");
        } else if slice.portal == At::NONE {
            self.validate_detached(number)?;
        } else if slice.membership != self.slice(slice.portal.slice).membership {
            return Err(format!("slice {number} is {:?}, unlike the slice above", slice.membership));
        } else if slice.marked {
            let above = self.slice(slice.portal.slice);
            ensure!(above.marked && listed, "slice {number} is marked and the slice above does not know");
        }
        Ok(())
    }

    /// Checks that the topmost slice of a detached subtree has one top node and inherits nothing.
    fn validate_detached(&self, number: u32) -> Result<(), String> {
        let slice = self.slice(number);
        ensure!(slice.membership == Membership::Detached, "slice {number} is {:?} and has no portal", slice.membership);
        ensure!(
            self.detached.get(slice.child_index as usize) == Some(&number),
            "the detached slice {number} is not listed where it thinks it is"
        );
        ensure!(!slice.marked || self.marked_roots.contains(&number), "the detached slice {number} waits unlisted");
        ensure!(
            slice.is_alone(slice.first_top) && slice.row(slice.first_top).occupant.as_node().is_some(),
            "the detached slice {number} has not one top node"
        );
        ensure!(slice.inherits_nothing(), "the detached slice {number} inherits something");
        Ok(())
    }

    /// Checks that a slice that is not marked is up to date, and inherits what its portal has.
    fn validate_clean(&self, number: u32) -> Result<(), String> {
        let slice = self.slice(number);
        ensure!(!slice.transforms.waits, "slice {number} is not marked and has dirty transforms");
        ensure!(
            !slice.visibilities.dirty && !slice.materials.dirty,
            "slice {number} is not marked and has dirty columns"
        );
        let transforms = &slice.transforms;
        ensure!(!transforms.has_new(), "slice {number} is not marked and has a transform without a history");
        for slot in transforms.slots.iter().skip(1) {
            let parent = transforms.worlds[transforms.parents[slot as usize] as usize];
            let local = transforms.local(slot).to_matrix();
            ensure!(local.is_finite(), "slice {number}: the local transform of slot {slot} is not finite");
            let (right, world) = (parent * local, &transforms.worlds[slot as usize]);
            // What is too large for a number is infinite or none, and which bits that has depends on the machine.
            ensure!(
                right.to_bits() == world.to_bits() || !(right.is_finite() || world.is_finite()),
                "slice {number}: the world matrix of slot {slot} is out of date"
            );
        }
        let visibilities = &slice.visibilities;
        for slot in visibilities.slots.iter().skip(1) {
            let parent = visibilities.effective[visibilities.parents[slot as usize] as usize];
            ensure!(
                visibilities.effective[slot as usize] == parent & visibilities.locals[slot as usize],
                "slice {number}: the visibility of slot {slot} is out of date"
            );
        }
        let above = slice.portal;
        if above != At::NONE && !self.slice(above.slice).marked {
            let (row, above) = (self.row(above), self.slice(above.slice));
            let world = above.transforms.worlds[row.transform.index() as usize];
            ensure!(
                world.to_bits() == transforms.worlds[0].to_bits(),
                "slice {number} has not inherited its portal's world matrix"
            );
            ensure!(
                above.visibilities.effective[row.visibility.index() as usize] == visibilities.effective[0],
                "slice {number} has not inherited its portal's visibility"
            );
            ensure!(
                above.materials.values[row.material.index() as usize] == slice.materials.values[0],
                "slice {number} has not inherited its portal's material"
            );
        }
        Ok(())
    }
}

impl Slice {
    /// Whether the bases are those of a slice that nothing is above.
    fn inherits_nothing(&self) -> bool {
        self.transforms.worlds[0] == Mat34::IDENTITY
            && self.visibilities.effective[0] == u32::MAX
            && self.materials.values[0].is_none()
    }
}
