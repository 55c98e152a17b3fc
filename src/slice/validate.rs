//! Checking every invariant of the storage.

use crate::Mat34;
use crate::slice::linear::LinearAllocator;
use crate::slice::row::{At, NIL, Occupant, Row, Slot};
use crate::slice::{Need, Slice, Standing, Store};
use core::cmp::Reverse;

/// Answers with a message unless the condition holds.
macro_rules! ensure {
    ($holds:expr, $($message:tt)*) => {
        if !$holds {
            return Err(format!($($message)*));
        }
    };
}

impl Store {
    /// Checks every invariant of slices, tables and portals; answers the number of nodes, or the first violation.
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
            nodes += slice.nodes();
            pending.extend(&slice.children);
        }
        let doomed = self.validate_doomed(&mut seen)?;
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
        ensure!(live == nodes + doomed, "{live} handles live, and {nodes} nodes and {doomed} doomed ones");
        if self.worn.is_empty() {
            self.validate_sizes()?;
        }
        Ok(nodes)
    }

    /// What waits to be freed hangs nowhere else; answers how many nodes that are.
    fn validate_doomed(&self, seen: &mut [bool]) -> Result<usize, String> {
        let mut pending = self.doomed.clone();
        let mut nodes = 0;
        while let Some(number) = pending.pop() {
            let slice = self.slice(number);
            ensure!(slice.lives && slice.standing == Standing::Doomed, "slice {number} is to be freed and is in use");
            ensure!(
                !core::mem::replace(&mut seen[number as usize], true),
                "slice {number} is doomed and hangs somewhere"
            );
            nodes += slice.nodes();
            pending.extend(&slice.children);
        }
        ensure!(nodes == self.doomed_nodes, "{nodes} nodes are doomed, not {}", self.doomed_nodes);
        Ok(nodes)
    }

    /// After maintenance no slice is small that could be merged. O(slices).
    pub(crate) fn validate_sizes(&self) -> Result<(), String> {
        let from_root = self.runs_from_root();
        for number in self.slice_numbers().filter(|&number| self.is_small(number)) {
            let partner = self.partner_where(number, &|number| from_root[number as usize]);
            ensure!(
                partner.is_none(),
                "slice {number} has {} rows and was not merged with {partner:?}",
                self.slice(number).row_slots.live()
            );
        }
        Ok(())
    }

    /// Links, occupants and effective slots of all rows of a slice.
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
        }
        ensure!(owned.is_unique(), "slice {number}: two rows have one slot");
        Ok(())
    }

    /// The row's node is found by its handle; the row's portal is known to its slice.
    fn validate_occupant(&self, at: At) -> Result<(), String> {
        let row = self.row(at);
        let At { slice: number, row: index } = at;
        if let Some(handle) = row.occupant.as_node() {
            ensure!(self.resolve(handle) == Some(at), "slice {number}: {handle:?} does not lead to its row {index}");
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
        Ok(())
    }

    /// As many portals as children; no slice that is a portal alone; marks that reach the root.
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
                .all(|row| { slice.portal_rows.contains(row) == slice.row(row).occupant.as_portal().is_some() }),
            "slice {number}: it is not noted right which rows are portals"
        );
        ensure!(
            number == At::ROOT.slice || portals == 0 || slice.row_slots.live() > 1,
            "slice {number} is one portal and nothing else"
        );
        if number == At::ROOT.slice {
            ensure!(slice.portal == At::NONE, "the root's slice has a portal");
            ensure!(slice.standing == Standing::Attached, "the root is detached");
        } else if slice.portal == At::NONE {
            self.validate_detached(number)?;
        } else if slice.standing != self.slice(slice.portal.slice).standing {
            return Err(format!("slice {number} is {:?}, unlike the slice above", slice.standing));
        } else if slice.marked {
            let above = self.slice(slice.portal.slice);
            ensure!(above.marked && listed, "slice {number} is marked and the slice above does not know");
        }
        Ok(())
    }

    /// The topmost slice of a detached subtree holds one top node, and inherits nothing.
    fn validate_detached(&self, number: u32) -> Result<(), String> {
        let slice = self.slice(number);
        ensure!(slice.standing == Standing::Detached, "slice {number} is {:?} and has no portal", slice.standing);
        ensure!(
            self.detached.get(slice.child_index as usize) == Some(&number),
            "the detached slice {number} is not listed where it thinks it is"
        );
        ensure!(!slice.marked || self.marked_roots.contains(&number), "the detached slice {number} waits unlisted");
        ensure!(
            slice.is_alone(slice.first_top) && slice.row(slice.first_top).occupant.as_node().is_some(),
            "the detached slice {number} has not one top node"
        );
        ensure!(
            slice.transforms.worlds[0] == Mat34::IDENTITY
                && slice.visibilities.effective[0] == u32::MAX
                && slice.materials.values[0].is_none(),
            "the detached slice {number} inherits something"
        );
        Ok(())
    }

    /// World boxes, where the scene keeps any: one for each child, and for each shape that is not stale the one that its matrix
    /// of now makes, also in a slice that waits for the update: what is dirty there has not been swept.
    fn validate_boxes(&self, number: u32) -> Result<(), String> {
        let slice = self.slice(number);
        let Some(boxes) = slice.boxes.as_deref() else {
            ensure!(!self.config.bounds, "slice {number} has no boxes");
            return Ok(());
        };
        ensure!(self.config.bounds, "slice {number} has boxes, which the scene is not to keep");
        ensure!(boxes.children.len() == slice.children.len(), "slice {number}: not a box for each child");
        for (at, &child) in slice.children.iter().enumerate() {
            let below = &self.slice(child).boxes;
            let right = below.as_ref().is_some_and(|below| boxes.children.get(at) == Some(below.whole()));
            ensure!(self.slice(child).marked || right, "slice {number}: the box of its child {child} is out of date");
        }
        let (shapes, worlds) = (&slice.shapes, &slice.transforms.worlds);
        for slot in shapes.slots.iter().filter(|&slot| !boxes.is_stale(slot)) {
            let world = &worlds[shapes.records[slot as usize].transform as usize];
            let right = shapes.bounds[slot as usize].transformed(world);
            ensure!(
                boxes.shapes.get(slot as usize) == Some(right),
                "slice {number}: the box of shape {slot} is out of date"
            );
        }
        for (block, &present) in boxes.present.iter().enumerate() {
            let stale = boxes.stale_words().get(block).copied().unwrap_or(0);
            ensure!(present & stale == 0, "slice {number}: a box of block {block} is present and out of date");
            let (mut about, mut seen) = (crate::Aabb::EMPTY, 0);
            for (slot, bit) in (block * 64..boxes.shapes.len()).zip((0..64).map(|bit| 1_u64 << bit)) {
                let bounds = boxes.shapes.get(slot).unwrap_or(crate::Aabb::EMPTY);
                seen |= if bounds.is_empty() { 0 } else { bit };
                about = if present & bit == 0 { about } else { about.union(&bounds) };
            }
            ensure!(present == seen & !stale, "slice {number}: the boxes of block {block} are miscounted");
            let noted = boxes.blocks.get(block).unwrap_or(crate::Aabb::EMPTY);
            let holds = noted.union(&about) == noted && boxes.own.union(&noted) == boxes.own;
            ensure!(holds, "slice {number}: the box of block {block} does not hold its shapes");
            ensure!(slice.marked || noted == about, "slice {number}: the box of block {block} is too wide");
        }
        if !slice.marked {
            let end = shapes.slots.end() as usize;
            ensure!(boxes.is_current() && boxes.shapes.len() == end, "slice {number} is not marked and has old boxes");
            let own = boxes.blocks.union(0..boxes.blocks.len());
            ensure!(boxes.own == own, "slice {number}: the box of its shapes is out of date");
        }
        Ok(())
    }

    /// A slice that is not marked is up to date, and inherits what its portal has.
    fn validate_clean(&self, number: u32) -> Result<(), String> {
        let slice = self.slice(number);
        ensure!(slice.transforms.first_dirty == NIL, "slice {number} is not marked and has dirty transforms");
        ensure!(
            !slice.visibilities.dirty && !slice.materials.dirty,
            "slice {number} is not marked and has dirty columns"
        );
        let transforms = &slice.transforms;
        ensure!(!transforms.has_new(), "slice {number} is not marked and has a transform without a history");
        for slot in transforms.slots.iter().skip(1) {
            let parent = transforms.worlds[transforms.parents[slot as usize] as usize];
            let world = parent * transforms.local(slot).to_matrix();
            ensure!(
                world.to_bits() == transforms.worlds[slot as usize].to_bits()
                    || !transforms.worlds[slot as usize].is_finite(),
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

/// The slots that rows have of their own, by column.
#[derive(Default)]
struct Owned([Vec<u32>; 5]);

impl Owned {
    fn add(&mut self, row: &Row) {
        let own = [row.transform, row.visibility, row.material].map(Slot::as_own);
        let [shape, name] = [row.shape, row.name].map(|slot| (slot != NIL).then_some(slot));
        let [transform, visibility, material] = own;
        let slots = [transform, visibility, material, shape, name];
        self.0.iter_mut().zip(slots).for_each(|(column, slot)| column.extend(slot));
    }

    fn is_unique(&mut self) -> bool {
        self.0.iter_mut().all(|column| {
            column.sort_unstable();
            column.is_sorted_by(|a, b| a < b)
        })
    }
}

impl Slice {
    /// A row's effective slots are its own live ones, behind its parent's, or its parent's.
    fn validate_effective(&self, number: u32, at: u32) -> Result<(), String> {
        let row = self.row(at);
        let [transform, visibility, material] = self.inherited(row.parent);
        let check = |own: Slot, above: Slot, slots: &LinearAllocator, parents: Option<&[u32]>| match own.as_own() {
            None => own == above,
            Some(slot) => {
                slot != 0
                    && slots.is_live(slot)
                    && parents.is_none_or(|parents| {
                        above.index() < slot && parents.get(slot as usize) == Some(&above.index())
                    })
            }
        };
        ensure!(
            check(row.transform, transform, &self.transforms.slots, Some(&self.transforms.parents)),
            "slice {number}: row {at} has a wrong transform slot"
        );
        ensure!(
            check(row.visibility, visibility, &self.visibilities.slots, Some(&self.visibilities.parents)),
            "slice {number}: row {at} has a wrong visibility slot"
        );
        ensure!(
            check(row.material, material, &self.materials.slots, None),
            "slice {number}: row {at} has a wrong material slot"
        );
        let owned = |own: Slot, owners: Option<&[u32]>| {
            own.as_own().zip(owners).is_none_or(|(slot, owners)| owners.get(slot as usize) == Some(&at))
        };
        ensure!(
            owned(row.transform, self.transforms.trace.as_ref().map(|trace| &*trace.owners))
                && owned(row.visibility, self.visibilities.trace.as_ref().map(|trace| &*trace.owners)),
            "slice {number}: row {at} is not known for the owner of its slots"
        );
        ensure!(
            row.name == NIL || self.names.slots.is_live(row.name),
            "slice {number}: row {at} has a wrong name slot"
        );
        if row.shape == NIL {
            return Ok(());
        }
        ensure!(self.shapes.slots.is_live(row.shape), "slice {number}: row {at} has a wrong shape slot");
        let record = &self.shapes.records[row.shape as usize];
        ensure!(
            Some(record.node) == row.occupant.as_node().map(crate::NodeHandle::to_bits)
                && record.transform == row.transform.index()
                && record.visibility == row.visibility.index()
                && record.material == row.material.index(),
            "slice {number}: the shape of row {at} is out of step with its row"
        );
        Ok(())
    }

    /// The arrays are as long as their allocators say, and holes are as sweeps expect them.
    fn validate_columns(&self, number: u32) -> Result<(), String> {
        let Self { transforms, visibilities, materials, shapes, names, .. } = self;
        for (name, end, lengths) in [
            (
                "transforms",
                transforms.slots.end(),
                [transforms.locals.len(), transforms.parents.len(), transforms.worlds.len()]
                    .into_iter()
                    .chain(transforms.trace.iter().flat_map(|trace| [trace.owners.len(), trace.previous.len()]))
                    .collect(),
            ),
            (
                "visibilities",
                visibilities.slots.end(),
                [visibilities.locals.len(), visibilities.parents.len(), visibilities.effective.len()]
                    .into_iter()
                    .chain(visibilities.trace.iter().map(|trace| trace.owners.len()))
                    .collect(),
            ),
            ("materials", materials.slots.end(), vec![materials.values.len()]),
            ("shapes", shapes.slots.end(), vec![shapes.records.len(), shapes.bounds.len()]),
            ("names", names.slots.end(), vec![names.names.len()]),
        ] {
            ensure!(
                lengths.iter().all(|&length| length == end as usize),
                "slice {number}: the arrays of {name} are not as long as their end"
            );
        }
        ensure!(
            transforms.trace.is_some() == visibilities.trace.is_some(),
            "slice {number}: one column remembers and one does not"
        );
        for slot in (1..transforms.slots.end()).filter(|&slot| !transforms.slots.is_live(slot)) {
            ensure!(
                transforms.parents[slot as usize] < slot,
                "slice {number}: the hole {slot} among transforms has a parent behind it"
            );
        }
        for row in (0..self.row_slots.end()).filter(|&row| !self.row_slots.is_live(row)) {
            ensure!(
                self.row(row).occupant == Occupant::VACANT,
                "slice {number}: the hole {row} among rows has an occupant"
            );
        }
        for &slot in transforms.sheared.keys() {
            ensure!(transforms.slots.is_live(slot), "slice {number}: the hole {slot} has a sheared transform");
        }
        for slot in (0..transforms.slots.end()).filter(|&slot| transforms.dirty.contains(slot)) {
            ensure!(transforms.first_dirty <= slot, "slice {number}: slot {slot} is dirty before the first dirty one");
        }
        let text: usize = names.slots.iter().map(|slot| names.names[slot as usize].len()).sum();
        ensure!(text == names.text_bytes, "slice {number}: the length of its names is miscounted");
        Ok(())
    }
}
