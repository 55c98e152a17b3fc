//! Whether arrays are a scene: every invariant of the storage, proved by passes from the first record to the last.
//!
//! `Store::validate` walks chains, each step of which waits for the one before. Here each row is looked at in the order of
//! memory, together with its parent and its next sibling, which lie near. Four arguments make that a proof:
//!
//! - **No cycles.** The file has a *rank* for each row, above that of its parent and of its previous sibling. Whatever the
//!   ranks are: where they rise along all links, no way along links comes back.
//! - **Links both ways, by counting.** Each row with a next sibling is that one's previous; these are as many as the rows
//!   that have a previous sibling; so none of the latter is left out. First and last children likewise.
//! - **Slots of one owner each, by claiming.** Each row sets the bits of its own slots in a set that begins as the holes.
//!   None is set twice, and in the end all are set.
//! - **Handles, by counting.** Each row's handle leads back to it; there are as many live handles as rows.

use crate::fallible;
use crate::record::{BytesError, ensure};
use crate::store::allocation::{HoleSet, LinearAllocator};
use crate::store::columns::{At, NIL, Occupant, Row, Slot, Storage};
use crate::store::{Slice, Tables};
use core::hint::select_unpredictable;
use hedgerow_math::internal::prefetch;
use std::collections::TryReserveError;

/// What is carried from slice to slice.
#[derive(Debug)]
pub(super) struct Checker {
    /// The most rows that a slice may have.
    max_nodes: u32,
    /// The rank of each row of the slice at hand.
    pub(super) ranks: Vec<u32>,
    /// How many nodes there were.
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

    /// Claims a slot before the end, or does nothing, without a branch on which. Not 0 if it was not to be had.
    #[inline(always)]
    fn take(&mut self, slot: u32, really: bool) -> u32 {
        let word = &mut self.words[(slot / u64::BITS) as usize];
        let bit = u64::from(really) << (slot % u64::BITS);
        let taken = mask(*word & bit != 0);
        *word |= bit;
        taken
    }

    /// Whether every slot that is in use has an owner.
    fn complete(&self) -> bool {
        let set: u64 = self.words.iter().map(|word| u64::from(word.count_ones())).sum();
        set == u64::from(self.end)
    }
}

/// How many rows begin and end a chain, and how many have children.
#[derive(Debug, Default)]
struct Counts {
    begin: u32,
    end: u32,
    first_child: u32,
    last_child: u32,
}

/// What is wrong with a row: nothing where every number is 0.
///
/// What a row has (a next sibling, a shape, a slot of its own) is as good as random, and a branch on it that is foreseen
/// wrongly costs more than all that is looked at behind it. So everything is looked at; where two numbers are to be the
/// same their difference is taken up, and what does not count is masked.
#[derive(Clone, Copy, Debug, Default)]
struct Faults {
    links: u32,
    slots: u32,
    shape: u32,
}

/// All bits if the condition holds, else none.
#[inline(always)]
fn mask(condition: bool) -> u32 {
    u32::from(condition).wrapping_neg()
}

/// How many rows ahead the neighbours of a row are asked for.
const AHEAD: usize = 12;

/// A slice at hand.
#[derive(Clone, Copy)]
struct Rows<'s> {
    slice: &'s Slice,
    rows: &'s [Row],
    /// As many as there are rows.
    ranks: &'s [u32],
}

impl Checker {
    /// A checker of slices that may have so many rows.
    pub(super) fn new(max_nodes: u32) -> Self {
        Self { max_nodes, ranks: Vec::new(), nodes: 0, claims: Default::default(), portals: Vec::new() }
    }

    /// Checks all that is within one slice whose arrays are as long as its allocators say.
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

/// The slice that a row, not a node's, stands for.
fn portal(row: &Row) -> Result<u32, BytesError> {
    let child = row.occupant.as_portal().ok_or(BytesError::invalid("a row in use is vacant"))?;
    let bare = [row.transform, row.visibility, row.material].iter().all(|slot| slot.as_own().is_none());
    ensure!(bare && [row.first_child, row.shape, row.name] == [NIL; 3], "a portal has children or components");
    Ok(child)
}

impl Rows<'_> {
    /// Asks for the neighbours of a row that will be come to.
    #[inline(always)]
    fn prefetch(self, index: usize) {
        if let Some(row) = self.rows.get(index) {
            for neighbour in [row.parent, row.next] {
                prefetch(self.rows, neighbour as usize);
                prefetch(self.ranks, neighbour as usize);
            }
        }
    }

    /// Counts the links of a row, and checks that it, its parent and its next sibling know each other. Returns what it
    /// inherits.
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
        // The last of a chain is looked at in place of its next sibling.
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

    /// A row's effective slots are its own, which no other row has, or those that it inherits.
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
        // Few nodes have a visibility or a name: whether one does is easily foreseen.
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
        // Without a shape the first record is looked at.
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
    /// Claims a slot behind the one that it hangs from, or finds that it is inherited. Not 0 if it is neither.
    #[inline(always)]
    fn hang(&mut self, slot: Slot, above: Slot, parents: &[u32]) -> Result<u32, BytesError> {
        let (index, own) = (slot.index(), slot.as_own().is_some());
        let parent = *parents.get(index as usize).ok_or(BytesError::invalid("an effective slot is behind the end"))?;
        let astray = (parent ^ above.index()) | mask(above.index() >= index);
        Ok(self.take(index, own) | select_unpredictable(own, astray, slot.to_bits() ^ above.to_bits()))
    }
}

impl Counts {
    /// Whether the links that were found from one side are all that there are on the other.
    ///
    /// A chain that begins below a row is where that row's first child is, so chains are no more than first children, but for
    /// one, which begins at the slice's first top row. If they are exactly one more, no link leads elsewhere. Ends likewise.
    fn answer(&self) -> Result<(), BytesError> {
        ensure!(self.begin == self.end, "a row has a previous sibling that does not lead to it");
        ensure!(self.begin == self.first_child + 1, "a first child does not hang below its row");
        ensure!(self.end == self.last_child + 1, "a last child does not hang below its row");
        Ok(())
    }
}

impl Slice {
    /// What a slice is to its neighbours: the root's holds the root alone, any other more than one portal.
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

    /// What is checked of columns without a look at rows: a sweep computes holes with the rest, so these too must come
    /// behind their parents.
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
