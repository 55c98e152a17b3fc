//! Whether arrays are a scene: every invariant of the storage, proved by passes from the first record to the last.
//!
//! `Scene::validate` walks chains, each step of which waits for the one before. Here each row is looked at in the order of
//! memory, together with its parent and its next sibling, which lie near. Four arguments make that a proof:
//!
//! - **No cycles.** The file has a *rank* for each row, above that of its parent and of its previous sibling. Whatever the
//!   ranks are: where they rise along all links, no way along links comes back.
//! - **Links both ways, by counting.** Each row with a next sibling is that one's previous; these are as many as the rows
//!   that have a previous sibling; so none of the latter is left out. First and last children likewise.
//! - **Slots of one owner each, by claiming.** Each row sets the bits of its own slots in a set that begins as the holes.
//!   None is set twice, and in the end all are set.
//! - **Handles, by counting.** Each row's handle leads back to it; there are as many live handles as rows.

use crate::slice::{At, LinearAllocator, NIL, Occupant, Row, Slice, Slot, Tables};
use crate::snapshot::error::{ensure, invalid};
use crate::Error;

/// What is carried from slice to slice.
#[derive(Debug, Default)]
pub(super) struct Checker {
    /// The rank of each row of the slice at hand.
    pub(super) ranks: Vec<u32>,
    /// How many nodes there were.
    pub(super) nodes: usize,
    claims: [Claims; 5],
    /// Every portal, and the slice that it leads to.
    portals: Vec<(At, u32)>,
}

/// Slots that have an owner, or are holes.
#[derive(Debug, Default)]
struct Claims {
    words: Vec<u64>,
    end: u32,
}

impl Claims {
    fn begin(&mut self, slots: &LinearAllocator, base: bool) {
        self.end = slots.end();
        self.words.clear();
        self.words.extend(slots.holes().words().take(self.end.div_ceil(u64::BITS) as usize));
        if base && let Some(first) = self.words.first_mut() {
            *first |= 1;
        }
    }

    /// Whether the slot is in use, and had no owner until now.
    #[inline]
    fn claim(&mut self, slot: u32) -> bool {
        let bit = 1 << (slot % u64::BITS);
        match self.words.get_mut((slot / u64::BITS) as usize) {
            Some(word) if slot < self.end => *word & bit == 0 && {
                *word |= bit;
                true
            },
            _ => false,
        }
    }

    /// Whether every slot that is in use has an owner.
    fn complete(&self) -> bool {
        let set: u64 = self.words.iter().map(|word| u64::from(word.count_ones())).sum();
        set == u64::from(self.end)
    }
}

/// How many rows have each kind of link.
#[derive(Debug, Default)]
struct Links {
    next: u32,
    previous: u32,
    first_of_parent: u32,
    last_of_parent: u32,
    first_child: u32,
    last_child: u32,
    first_top: u32,
    last_top: u32,
}

impl Checker {
    /// Checks all that is within one slice whose arrays are as long as its allocators say.
    pub(super) fn slice(&mut self, number: u32, slice: &Slice, tables: &Tables) -> Result<(), Error> {
        slice.check_columns()?;
        let Self { claims: [transforms, visibilities, materials, shapes, names], .. } = self;
        transforms.begin(&slice.transforms.slots, true);
        visibilities.begin(&slice.visibilities.slots, true);
        materials.begin(&slice.materials.slots, true);
        shapes.begin(&slice.shapes.slots, false);
        names.begin(&slice.names.slots, false);

        let mut links = Links::default();
        let portals = self.portals.len();
        for (index, row) in (0..).zip(&slice.rows) {
            if !slice.row_slots.is_live(index) {
                ensure!(row.occupant == Occupant::VACANT, "a hole among rows has an occupant");
                continue;
            }
            let above = self.links(slice, index, row, &mut links)?;
            self.slots(slice, row, above)?;
            self.occupant(At { slice: number, row: index }, row, tables)?;
        }
        let Links { next, previous, first_of_parent, last_of_parent, first_child, last_child, first_top, last_top } =
            links;
        ensure!(next == previous, "a row has a previous sibling that does not lead to it");
        ensure!(first_of_parent == first_child && last_of_parent == last_child, "a row has no such child");
        ensure!(first_top == 1 && last_top == 1, "the top rows are no chain");
        ensure!(self.claims.iter().all(Claims::complete), "a component has no owner");

        let portals = self.portals.len() - portals;
        ensure!(portals == slice.children.len(), "there are other portals than children");
        let live = slice.row_slots.live() as usize;
        if number == At::ROOT.slice {
            ensure!(slice.first_top == At::ROOT.row && slice.last_top == At::ROOT.row, "the root is not alone at the top");
            ensure!(live - portals == 1, "the root's slice holds other nodes");
            ensure!(slice.materials.values[0].is_none(), "the root inherits a material");
        } else {
            ensure!(portals == 0 || live > 1, "there is one portal and nothing else");
        }
        self.nodes += live - portals;
        Ok(())
    }

    /// A row, its parent and its next sibling know each other. Answers the row above, if it is in the slice.
    #[inline(always)]
    fn links<'s>(
        &mut self,
        slice: &'s Slice,
        index: u32,
        row: &Row,
        links: &mut Links,
    ) -> Result<Option<&'s Row>, Error> {
        let rank = |row: u32| self.ranks[row as usize];
        let above = slice.rows.get(row.parent as usize);
        let (first, last) = match above {
            Some(above) => {
                ensure!(above.occupant.as_node().is_some(), "a row hangs below a hole or a portal");
                ensure!(rank(row.parent) < rank(index), "the way up from a row comes back to it");
                (above.first_child, above.last_child)
            }
            None => {
                ensure!(row.parent == NIL, "a row hangs below one that there is not");
                (slice.first_top, slice.last_top)
            }
        };
        let top = u32::from(above.is_none());
        if row.previous == NIL {
            ensure!(first == index, "a chain begins elsewhere than its parent says");
            links.first_of_parent += 1 - top;
            links.first_top += top;
        }
        match slice.rows.get(row.next as usize) {
            Some(next) => {
                ensure!(next.occupant != Occupant::VACANT, "a chain goes through a hole");
                ensure!(next.previous == index && next.parent == row.parent, "siblings do not know each other");
                ensure!(rank(index) < rank(row.next), "a chain comes back to its beginning");
            }
            None => {
                ensure!(row.next == NIL, "a chain leads to a row that there is not");
                ensure!(last == index, "a chain ends elsewhere than its parent says");
                links.last_of_parent += 1 - top;
                links.last_top += top;
            }
        }
        links.next += u32::from(row.next != NIL);
        links.previous += u32::from(row.previous != NIL);
        links.first_child += u32::from(row.first_child != NIL);
        links.last_child += u32::from(row.last_child != NIL);
        Ok(above)
    }

    /// A row's effective slots are its own, which no other row has, or those of the row above.
    #[inline(always)]
    fn slots(&mut self, slice: &Slice, row: &Row, above: Option<&Row>) -> Result<(), Error> {
        let [transforms, visibilities, materials, shapes, names] = &mut self.claims;
        let inherited = above.map_or([Slot::BASE; 3], Row::inherited);
        let [transform, visibility, material] = inherited;
        let hangs = |claims: &mut Claims, slot: u32, above: Slot, parents: &[u32]| {
            claims.claim(slot) && above.index() < slot && parents.get(slot as usize) == Some(&above.index())
        };
        ensure!(
            row.transform.as_own().map_or(row.transform == transform, |slot| {
                hangs(transforms, slot, transform, &slice.transforms.parents)
            }),
            "a row has a wrong transform slot"
        );
        ensure!(
            row.visibility.as_own().map_or(row.visibility == visibility, |slot| {
                hangs(visibilities, slot, visibility, &slice.visibilities.parents)
            }),
            "a row has a wrong visibility slot"
        );
        ensure!(
            row.material.as_own().map_or(row.material == material, |slot| {
                materials.claim(slot) && slice.materials.values[slot as usize].is_some()
            }),
            "a row has a wrong material slot"
        );
        if row.shape != NIL {
            ensure!(shapes.claim(row.shape), "a row has a wrong shape slot");
            let record = &slice.shapes.records[row.shape as usize];
            ensure!(
                row.occupant.to_bits() == record.node
                    && record.transform == row.transform.index()
                    && record.visibility == row.visibility.index()
                    && record.material == row.material.index(),
                "a shape is out of step with its row"
            );
        }
        ensure!(row.name == NIL || names.claim(row.name), "a row has a wrong name slot");
        Ok(())
    }

    /// A row's node is found by its handle; its portal stands for one slice and has nothing of its own.
    #[inline(always)]
    fn occupant(&mut self, at: At, row: &Row, tables: &Tables) -> Result<(), Error> {
        if let Some(handle) = row.occupant.as_node() {
            ensure!(tables.resolve(handle) == Some(at), "a handle does not lead to its row");
            return Ok(());
        }
        let child = row.occupant.as_portal().ok_or(invalid("a row in use is vacant"))?;
        let own = [row.transform, row.visibility, row.material].iter().any(|slot| slot.as_own().is_some());
        ensure!(
            !own && row.first_child == NIL && row.shape == NIL && row.name == NIL,
            "a portal has children or components"
        );
        self.portals.push((at, child));
        Ok(())
    }

    /// Joins the slices by their portals, and checks that they are one tree.
    pub(super) fn join(&mut self, slices: &mut [Slice]) -> Result<(), Error> {
        ensure!(slices.first().is_some_and(|slice| slice.lives), "there is no root");
        for &(at, child) in &self.portals {
            let below = slices.get_mut(child as usize).filter(|below| below.lives);
            let below = below.ok_or(invalid("a portal leads to no slice"))?;
            ensure!(below.portal == At::NONE, "a slice stands behind two portals");
            below.portal = at;
            let above = &mut slices[at.slice as usize];
            let inherited = above.row(at.row).transform.index();
            above.transforms.portal_slots.insert(inherited);
        }
        let mut reached = 0;
        let mut listed = vec![false; slices.len()];
        let mut pending = vec![At::ROOT.slice];
        while let Some(number) = pending.pop() {
            reached += 1;
            let children = core::mem::take(&mut slices[number as usize].children);
            for (index, &child) in (0..).zip(&children) {
                let below = slices.get_mut(child as usize).ok_or(invalid("a child is no slice"))?;
                let known = below.portal.slice == number && !core::mem::replace(&mut listed[child as usize], true);
                ensure!(known, "a slice is listed where it does not hang");
                below.child_index = index;
                pending.push(child);
            }
            slices[number as usize].children = children;
        }
        let living = slices.iter().filter(|slice| slice.lives).count();
        ensure!(reached == living, "a slice is in use and hangs nowhere");
        Ok(())
    }
}

impl Slice {
    /// What is checked of columns without a look at rows: a sweep computes holes with the rest, so these too must come
    /// behind their parents.
    fn check_columns(&self) -> Result<(), Error> {
        let behind = |parents: &[u32]| {
            let ascending = (0..).zip(parents).skip(1).fold(true, |all, (slot, &parent)| all & (parent < slot));
            ascending && parents.first() == Some(&0)
        };
        ensure!(behind(&self.transforms.parents), "a transform comes before its parent");
        ensure!(behind(&self.visibilities.parents), "a visibility comes before its parent");
        let live = |&slot: &u32| slot != 0 && self.transforms.slots.is_live(slot);
        ensure!(self.transforms.sheared.keys().all(live), "a hole is sheared");
        Ok(())
    }
}
