//! Checks whether arrays form a scene: proves every invariant of the storage in passes from the first record to the
//! last.
//!
//! `Store::validate` walks along chains, where each step waits for the one before. Here rows are read in memory order,
//! each with its parent and its next sibling, which lie near. Four arguments make this a proof:
//!
//! - **No cycles.** The file has a *rank* for each row, greater than that of its parent and of its previous sibling.
//!   The values do not matter: if ranks rise along all links, no path along links returns to its start.
//! - **Links both ways, by counting.** Each row with a next sibling is the previous sibling of that one. There are as
//!   many such rows as rows with a previous sibling, so none of the latter is missed. First and last children likewise.
//! - **One owner for each slot, by claiming.** Each row sets the bits of its own slots in a set that initially holds
//!   the holes. No bit may be set twice, and at the end all must be set.
//! - **Handles, by counting.** Each row's handle points back to it, and there are as many live handles as rows.

use crate::fallible;
use crate::record::{BytesError, ensure};
use crate::store::allocation::{HoleSet, LinearAllocator};
use crate::store::columns::{At, NIL, Occupant, Row, Slot, Storage};
use crate::store::{Slice, Tables};
use core::hint::select_unpredictable;
use hedgerow_math::internal::prefetch;
use std::collections::TryReserveError;

/// The state that is carried from slice to slice.
#[derive(Debug)]
pub(super) struct Checker {
    /// The greatest number of rows in a slice.
    max_nodes: u32,
    /// The rank of each row of the current slice.
    pub(super) ranks: Vec<u32>,
    /// How many nodes were counted so far.
    pub(super) nodes: usize,
    claims: [Claims; 5],
    /// Every portal, and the slice that it leads to.
    pub(super) portals: Vec<(At, u32)>,
}

/// Slots that have an owner, or are holes.
#[derive(Debug, Default)]
struct Claims {
    words: Vec<u64>,
    end: u32,
}

impl Claims {
    fn begin(&mut self, slots: &LinearAllocator, base: bool) -> Result<(), TryReserveError> {
        self.end = slots.end();
        self.words.clear();
        let words = self.end.div_ceil(u64::BITS) as usize;
        self.words.try_reserve(words)?;
        self.words.extend(slots.holes().words().take(words));
        if base && let Some(first) = self.words.first_mut() {
            *first |= 1;
        }
        Ok(())
    }

    /// Claims a slot before the end, or does nothing, without a branch. Returns non-zero if the slot was claimed
    /// already or does not exist.
    #[inline(always)]
    fn take(&mut self, slot: u32, really: bool) -> u32 {
        let word = &mut self.words[(slot / u64::BITS) as usize];
        let bit = u64::from(really) << (slot % u64::BITS);
        let taken = mask(*word & bit != 0);
        *word |= bit;
        taken
    }

    /// Whether every slot in use has an owner.
    fn complete(&self) -> bool {
        let set: u64 = self.words.iter().map(|word| u64::from(word.count_ones())).sum();
        set == u64::from(self.end)
    }
}

/// How many rows start a chain, end one, and have children.
#[derive(Debug, Default)]
struct Counts {
    begin: u32,
    end: u32,
    first_child: u32,
    last_child: u32,
}

/// The errors of a row: valid if every number is 0.
///
/// Whether a row has a next sibling, a shape or a slot of its own is close to random. A mispredicted branch on it costs
/// more than all the work that it could skip. So everything is computed: where two numbers must be equal their
/// difference is collected, and irrelevant ones are masked.
#[derive(Clone, Copy, Debug, Default)]
struct Faults {
    links: u32,
    slots: u32,
    shape: u32,
}

/// All bits set if the condition holds, else none.
#[inline(always)]
fn mask(condition: bool) -> u32 {
    u32::from(condition).wrapping_neg()
}

/// How many rows ahead the neighbours of a row are prefetched.
const AHEAD: usize = 12;

/// The slice being checked.
#[derive(Clone, Copy)]
struct Rows<'s> {
    slice: &'s Slice,
    rows: &'s [Row],
    /// The rank of each row.
    ranks: &'s [u32],
}

impl Checker {
    /// A checker for slices with at most this many rows.
    pub(super) fn new(max_nodes: u32) -> Self {
        Self { max_nodes, ranks: Vec::new(), nodes: 0, claims: Default::default(), portals: Vec::new() }
    }

    /// Checks everything within one slice, whose arrays are as long as its allocators say.
    pub(super) fn slice(&mut self, number: u32, slice: &Slice, tables: &mut Tables) -> Result<(), BytesError> {
        slice.check_columns()?;
        ensure!(slice.row_slots.live() <= self.max_nodes, "there are more rows than a slice may have");
        let Self { ranks, claims, portals, nodes, .. } = self;
        for (claims, storage) in claims.iter_mut().zip(Storage::COMPONENTS) {
            claims.begin(storage.of(slice), storage.has_base())?;
        }
        let at = Rows { slice, rows: &slice.rows, ranks: &ranks[..slice.rows.len()] };
        let mut counts = Counts::default();
        let portals_before = portals.len();
        let words = slice.row_slots.holes().words();
        for (chunk, mut holes) in
            (0..).step_by(HoleSet::WORD_SLOTS).zip(slice.rows.chunks(HoleSet::WORD_SLOTS)).zip(words)
        {
            let (start, rows) = chunk;
            for (index, row) in (start..).zip(rows) {
                at.prefetch(index as usize + AHEAD);
                let hole = holes & 1 != 0;
                holes >>= 1;
                if hole {
                    ensure!(row.occupant == Occupant::VACANT, "a hole among rows has an occupant");
                    continue;
                }
                let mut faults = Faults::default();
                let inherited = at.check_links(index, row, &mut counts, &mut faults)?;
                at.check_slots(row, inherited, claims, &mut faults)?;
                ensure!(faults.links == 0, "a row, its parent and its siblings do not know each other");
                ensure!(faults.slots == 0, "a row has a slot that is neither its own nor inherited");
                ensure!(faults.shape == 0, "a shape is out of step with its row");
                let place = At { slice: number, row: index };
                match row.occupant.as_node() {
                    Some(handle) => {
                        ensure!(tables.resolve(handle) == Some(place), "a handle does not lead to its row");
                        tables.note_transform(handle, row.transform);
                    }
                    None => fallible::push(portals, (place, portal(row)?))?,
                }
            }
        }
        counts.answer()?;
        ensure!(claims.iter().all(Claims::complete), "a component has no owner");
        let portals = portals.len() - portals_before;
        slice.check_role(number, portals)?;
        *nodes += slice.row_slots.live() as usize - portals;
        Ok(())
    }
}

/// The slice that a portal's row stands for.
fn portal(row: &Row) -> Result<u32, BytesError> {
    let child = row.occupant.as_portal().ok_or(BytesError::invalid("a row in use is vacant"))?;
    let bare = [row.transform, row.visibility, row.material].iter().all(|slot| slot.as_own().is_none());
    ensure!(bare && [row.first_child, row.shape, row.name] == [NIL; 3], "a portal has children or components");
    Ok(child)
}

impl Rows<'_> {
    /// Prefetches the neighbours of a row that will be checked soon.
    #[inline(always)]
    fn prefetch(self, index: usize) {
        if let Some(row) = self.rows.get(index) {
            for neighbour in [row.parent, row.next] {
                prefetch(self.rows, neighbour as usize);
                prefetch(self.ranks, neighbour as usize);
            }
        }
    }

    /// Counts the links of a row, and checks that it, its parent and its next sibling agree. Returns what it inherits.
    #[inline(always)]
    fn check_links(
        self,
        index: u32,
        row: &Row,
        counts: &mut Counts,
        faults: &mut Faults,
    ) -> Result<[Slot; 3], BytesError> {
        let rank = self.ranks[index as usize];
        let (inherited, first, last) = match self.rows.get(row.parent as usize) {
            Some(above) => {
                faults.links |= mask(above.occupant.as_node().is_none() | (self.ranks[row.parent as usize] >= rank));
                (above.inherited(), above.first_child, above.last_child)
            }
            None => {
                ensure!(row.parent == NIL, "a row hangs below one that there is not");
                ([Slot::BASE; 3], self.slice.first_top, self.slice.last_top)
            }
        };
        let (begins, ends) = (mask(row.previous == NIL), mask(row.next == NIL));
        faults.links |= begins & (first ^ index) | ends & (last ^ index);
        // At the end of a chain, the row itself is read in place of its next sibling.
        let next = select_unpredictable(ends != 0, index, row.next) as usize;
        let Some(sibling) = self.rows.get(next) else {
            return Err(BytesError::invalid("a chain leads to a row that there is not"));
        };
        let stranger = (sibling.previous ^ index)
            | (sibling.parent ^ row.parent)
            | mask((sibling.occupant == Occupant::VACANT) | (self.ranks[next] <= rank));
        faults.links |= stranger & !ends;

        counts.begin = counts.begin.wrapping_sub(begins);
        counts.end = counts.end.wrapping_sub(ends);
        counts.first_child += u32::from(row.first_child != NIL);
        counts.last_child += u32::from(row.last_child != NIL);
        Ok(inherited)
    }

    /// A row's effective slots are its own, claimed by no other row, or the inherited ones.
    #[inline(always)]
    fn check_slots(
        self,
        row: &Row,
        inherited: [Slot; 3],
        claims: &mut [Claims; 5],
        faults: &mut Faults,
    ) -> Result<(), BytesError> {
        let Slice { transforms, visibilities, materials, shapes, .. } = self.slice;
        let [transform_claims, visibility_claims, material_claims, shape_claims, name_claims] = claims;
        let [transform, visibility, material] = inherited;
        faults.slots |= transform_claims.hang(row.transform, transform, &transforms.parents)?;
        // Few nodes have a visibility or a name, so these branches are easy to predict.
        if row.visibility != visibility {
            faults.slots |= visibility_claims.hang(row.visibility, visibility, &visibilities.parents)?;
        }
        let (slot, own) = (row.material.index(), row.material.as_own().is_some());
        let value =
            materials.values.get(slot as usize).ok_or(BytesError::invalid("a material slot is behind the end"))?;
        let taken = material_claims.take(slot, own);
        faults.slots |=
            taken | mask(own & value.is_none()) | (row.material.to_bits() ^ material.to_bits()) & !mask(own);
        if row.name != NIL {
            ensure!(row.name < name_claims.end, "a name slot is behind the end");
            faults.slots |= name_claims.take(row.name, true);
        }
        // Without a shape the first record is read.
        let own = row.shape != NIL;
        let slot = select_unpredictable(own, row.shape, 0);
        let Some(record) = shapes.records.get(slot as usize) else {
            ensure!(!own, "a shape slot is behind the end");
            return Ok(());
        };
        faults.slots |= shape_claims.take(slot, own);
        let differs = (record.transform ^ row.transform.index())
            | (record.visibility ^ row.visibility.index())
            | (record.material ^ row.material.index())
            | mask(record.node != row.occupant.to_bits());
        faults.shape |= differs & mask(own);
        Ok(())
    }
}

impl Claims {
    /// Claims a slot after the slot of its parent, or checks that it is the inherited one. Returns non-zero if neither
    /// holds.
    #[inline(always)]
    fn hang(&mut self, slot: Slot, above: Slot, parents: &[u32]) -> Result<u32, BytesError> {
        let (index, own) = (slot.index(), slot.as_own().is_some());
        let parent = *parents.get(index as usize).ok_or(BytesError::invalid("an effective slot is behind the end"))?;
        let astray = (parent ^ above.index()) | mask(above.index() >= index);
        Ok(self.take(index, own) | select_unpredictable(own, astray, slot.to_bits() ^ above.to_bits()))
    }
}

impl Counts {
    /// Whether the links counted from one side are all links of the other side.
    ///
    /// A chain that begins below a row is where that row's first child is. So there are at most as many chains as first
    /// children, plus one that begins at the slice's first top row. If there is exactly one more, no link leads
    /// elsewhere. The same holds for ends.
    fn answer(&self) -> Result<(), BytesError> {
        ensure!(self.begin == self.end, "a row has a previous sibling that does not lead to it");
        ensure!(self.begin == self.first_child + 1, "a first child does not hang below its row");
        ensure!(self.end == self.last_child + 1, "a last child does not hang below its row");
        Ok(())
    }
}

impl Slice {
    /// Checks the role of a slice: the root's slice has only the root at its top, and any other holds more than one
    /// portal.
    fn check_role(&self, number: u32, portals: usize) -> Result<(), BytesError> {
        ensure!(portals == self.children.len(), "there are other portals than children");
        let live = self.row_slots.live() as usize;
        if number != At::ROOT.slice {
            ensure!(portals == 0 || live > 1, "there is one portal and nothing else");
            return Ok(());
        }
        let alone = [self.first_top, self.last_top] == [At::ROOT.row; 2];
        ensure!(alone && live - portals == 1, "the root's slice holds other nodes");
        Ok(())
    }

    /// Checks the columns without the rows: a sweep computes holes too, so the parents of holes must also come before
    /// them.
    fn check_columns(&self) -> Result<(), BytesError> {
        let behind = |parents: &[u32]| {
            let ascending = (0..).zip(parents).skip(1).fold(true, |all, (slot, &parent)| all & (parent < slot));
            ascending && parents.first() == Some(&0)
        };
        ensure!(behind(&self.transforms.parents), "a transform comes before its parent");
        ensure!(behind(&self.visibilities.parents), "a visibility comes before its parent");
        let live = |slot: u32| slot != 0 && self.transforms.slots.is_live(slot);
        ensure!(self.transforms.sheared.slots().all(live), "a hole is sheared");
        Ok(())
    }
}
