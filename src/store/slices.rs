//! All slices, their order, and lists of slices that the update or maintenance must check.

use crate::store::boxes::OrderBoxes;
use crate::store::columns::{NO_DRAWABLE, Row};
use crate::store::location::{Location, SliceId};
use crate::store::record::Has;
use crate::store::row_set::MAX_ROWS;
use crate::store::slice::{Head, Slice};
use crate::store::state::{Home, Work};
use core::ops::{Index, IndexMut};
use hedgerow_math::Mat34;

/// All slices except the one that is being changed.
#[derive(Clone, Copy)]
pub(crate) struct Others<'s> {
    before: &'s [Slice],
    behind: &'s [Slice],
}

impl<'s> Others<'s> {
    /// Returns a slice, which must not be the changed one.
    #[inline]
    pub(crate) fn get(&self, id: SliceId) -> Option<&'s Slice> {
        match id.index().checked_sub(self.before.len()) {
            None => self.before.get(id.index()),
            Some(behind) => self.behind.get(behind.checked_sub(1)?),
        }
    }
}

/// Changes of the order of slices.
#[derive(Default)]
pub(crate) struct Reorder {
    /// Pairs of a slice and a new slice that follows it.
    pub(crate) pieces: Vec<(SliceId, SliceId)>,
    /// Slices that ended.
    pub(crate) ended: Vec<SliceId>,
}

/// All slices, by number, and their order.
#[derive(Clone, Default)]
pub(crate) struct Slices {
    list: Vec<Slice>,
    heads: Vec<Head>,
    /// Slices of the tree, then those of the limbo, each before the slices that import from it.
    pub(crate) order: Vec<SliceId>,
    /// The number of slices in `order` that are in the tree.
    pub(crate) attached: usize,
    pub(crate) free: Vec<SliceId>,
    /// Whether a row died since the update; during an update, also whether a slice is reshaped.
    pub(crate) edited: bool,
    /// Slices whose boxes the current update recomputes even if no transform changed.
    pub(crate) unboxed: Vec<SliceId>,
    /// Slices that updates changed since their last maintenance; each once.
    pub(crate) untidy: Vec<SliceId>,
    /// For each slice, whether it is in `untidy`.
    pub(crate) is_untidy: Vec<bool>,
    /// The newest version that any slice has or ever had. It also changes with the order of slices.
    pub(crate) versions: u64,
    /// The boxes of the slices of the tree, by position in the order, if the scene keeps boxes.
    pub(crate) boxes: OrderBoxes,
    /// The greatest number of nodes in a slice.
    max_nodes: usize,
}

impl Index<SliceId> for Slices {
    type Output = Slice;

    #[inline(always)]
    fn index(&self, id: SliceId) -> &Slice {
        &self.list[id.index()]
    }
}

impl IndexMut<SliceId> for Slices {
    #[inline(always)]
    fn index_mut(&mut self, id: SliceId) -> &mut Slice {
        &mut self.list[id.index()]
    }
}

/// Access by slice.
impl Slices {
    #[inline(always)]
    pub(crate) fn get(&self, id: SliceId) -> Option<&Slice> {
        self.list.get(id.index())
    }

    #[inline(always)]
    pub(crate) fn get_mut(&mut self, id: SliceId) -> Option<&mut Slice> {
        self.list.get_mut(id.index())
    }

    #[inline(always)]
    pub(crate) fn head(&self, id: SliceId) -> &Head {
        &self.heads[id.index()]
    }

    #[inline(always)]
    pub(crate) fn head_mut(&mut self, id: SliceId) -> &mut Head {
        &mut self.heads[id.index()]
    }

    #[inline(always)]
    pub(crate) fn both(&self, id: SliceId) -> (&Slice, &Head) {
        (&self.list[id.index()], &self.heads[id.index()])
    }

    #[inline(always)]
    pub(crate) fn both_mut(&mut self, id: SliceId) -> (&mut Slice, &mut Head) {
        (&mut self.list[id.index()], &mut self.heads[id.index()])
    }

    /// Returns the slices by number, unused ones too.
    #[inline]
    pub(crate) fn list(&self) -> &[Slice] {
        &self.list
    }

    #[inline]
    pub(crate) fn list_mut(&mut self) -> &mut [Slice] {
        &mut self.list
    }

    #[inline]
    pub(crate) fn heads(&self) -> &[Head] {
        &self.heads
    }

    /// Returns the slices by number, to change, and their heads.
    #[inline]
    pub(crate) fn split(&mut self) -> (&mut [Slice], &[Head]) {
        (&mut self.list, &self.heads)
    }

    /// Returns a slice to change, and the others.
    #[inline]
    pub(crate) fn apart(&mut self, id: SliceId) -> (&mut Slice, Others<'_>) {
        let (before, rest) = self.list.split_at_mut(id.index());
        let [slice, behind @ ..] = rest else { unreachable!("a slice with this number") };
        (slice, Others { before, behind })
    }
}

impl Slices {
    pub(crate) fn new(max_nodes: u32) -> Self {
        Self { max_nodes: (max_nodes as usize).min(MAX_ROWS), ..Self::default() }
    }

    #[inline]
    pub(crate) fn max_nodes(&self) -> usize {
        self.max_nodes
    }

    /// Returns the greatest number of rows in a slice, imports included.
    #[inline]
    pub(crate) fn max_rows(&self) -> usize {
        (self.max_nodes * 2).min(MAX_ROWS)
    }

    /// Returns one past the greatest number of a slice.
    #[inline]
    pub(crate) fn end(&self) -> usize {
        self.list.len()
    }

    /// Frees the row of a node with these components, if the node has a row. The node's drawable vanishes at once.
    /// `reshaped` says whether the node got or lost a transform or a drawable since the update.
    #[inline(always)]
    pub(crate) fn free_row(&mut self, location: Location, has: Has, reshaped: bool) {
        let Some(head) = self.heads.get_mut(location.slice().index()) else { return };
        if reshaped {
            head.work.add(Work::RESHAPED);
        }
        // A node that lost its drawable since the update is still drawn.
        let drawn = has.has(Has::DRAWABLE) || head.work.has(Work::RESHAPED);
        head.alive.remove(location.row());
        head.live -= 1;
        if has.has(Has::TRANSFORM) {
            head.freed_slots.insert(location.slot());
        }
        self.versions += 1;
        head.version = self.versions;
        if !head.work.has(Work::FREED) {
            head.work.add(Work::FREED);
            self.edited = true;
        }
        if drawn {
            let slice = &mut self[location.slice()];
            let drawable = slice.rows[location.row()].drawable;
            if drawable < NO_DRAWABLE {
                // What is removed vanishes from lists at once, before any update.
                slice.used_drawables.remove(usize::from(drawable));
            }
        }
    }

    /// Gives a slice a new version, if there is a slice with this number.
    pub(crate) fn renew(&mut self, id: SliceId) {
        if let Some(head) = self.heads.get_mut(id.index()) {
            self.versions += 1;
            head.version = self.versions;
        }
    }

    /// Lists a slice for the update of its boxes, if the slice has boxes.
    pub(crate) fn list_unboxed(&mut self, id: SliceId) {
        if let Some(boxes) = &mut self[id].boxes
            && !core::mem::replace(&mut boxes.listed, true)
        {
            self.unboxed.push(id);
        }
    }

    /// Returns the world matrix of a node as of the last update; the identity if the node has no row.
    #[inline(always)]
    pub(crate) fn world(&self, location: Location) -> &Mat34 {
        let world = self.get(location.slice()).and_then(|slice| slice.slots.worlds.get(location.slot()));
        world.unwrap_or(&Mat34::IDENTITY)
    }

    /// Returns the slice and the row of a node, if the node has a row.
    #[inline(always)]
    pub(crate) fn row(&self, location: Location) -> Option<(&Slice, &Row)> {
        let slice = self.get(location.slice())?;
        Some((slice, slice.rows.get(location.row())?))
    }

    /// Stores a slice under the next free number. The slice is not in the order yet.
    pub(crate) fn open(&mut self, slice: Slice) -> SliceId {
        if let Some(id) = self.free.pop() {
            self[id] = slice;
            // The version starts again at 0; storing a slice gives it a new one.
            *self.head_mut(id) = Head::default();
            return id;
        }
        self.list.push(slice);
        self.heads.push(Head::default());
        self.is_untidy.push(false);
        SliceId::at(self.list.len() - 1)
    }

    /// Lists a slice for maintenance.
    #[inline]
    pub(crate) fn list_untidy(&mut self, id: SliceId) {
        if !core::mem::replace(&mut self.is_untidy[id.index()], true) {
            self.untidy.push(id);
        }
    }

    /// Returns the slices of the tree, each after the slices that it imports from.
    #[inline]
    pub(crate) fn in_tree(&self) -> &[SliceId] {
        &self.order[..self.attached]
    }

    /// Updates the order of slices.
    pub(crate) fn apply(&mut self, reorder: Reorder) {
        let Reorder { mut pieces, ended } = reorder;
        if pieces.is_empty() && ended.is_empty() {
            return;
        }
        let Self { list, order, attached, free, .. } = self;
        // Sorted by slice; pieces of the same slice stay in order, since the sort is stable.
        pieces.sort_by_key(|&(of, _)| of);
        let before = core::mem::take(order);
        order.reserve(before.len() + pieces.len());
        let mut tree = 0;
        for (at, &id) in before.iter().enumerate() {
            if at == *attached {
                tree = order.len();
            }
            // Drops slices that ended. Their numbers are reused later.
            if list[id.index()].home != Home::Free {
                order.push(id);
            }
            // A slice may have several pieces; they follow it in order.
            let from = pieces.partition_point(|&(of, _)| of < id);
            order.extend(pieces[from..].iter().take_while(|&&(of, _)| of == id).map(|&(_, piece)| piece));
        }
        // Without slices outside of the tree, the loop never meets their beginning.
        *attached = if *attached == before.len() { order.len() } else { tree };
        debug_assert!(order.iter().all(|&id| list[id.index()].home != Home::Free));
        free.extend(ended);
        self.versions += 1;
    }

    /// Returns whether a slice is in use and small enough to merge.
    pub(crate) fn is_small(&self, id: SliceId) -> bool {
        let (slice, head) = self.both(id);
        slice.home != Home::Free && (head.live as usize) < self.max_nodes() / 4
    }

    /// Returns the number of rows that a slice needs.
    pub(crate) fn rows_of(&self, id: SliceId) -> usize {
        let (slice, head) = self.both(id);
        head.live as usize + slice.imports.len()
    }

    /// Returns whether a slice with this many rows has room to spare.
    pub(crate) fn leaves_room(&self, rows: usize) -> bool {
        rows <= self.max_nodes() * 5 / 8
    }

    /// Returns a slice and one of its neighbours in the order, if both fit into one slice with room to spare.
    pub(crate) fn pair_for(&self, id: SliceId) -> Option<[SliceId; 2]> {
        let order = &self.order;
        let at = order.iter().position(|&other| other == id)?;
        // With room to spare, so that the next inserts do not cut the slice again.
        let fits = |pair: &[SliceId; 2]| {
            let [a, b] = pair.map(|id| self[id].home);
            a == b && self.leaves_room(pair.iter().map(|&id| self.rows_of(id)).sum())
        };
        let before = at.checked_sub(1).map(|before| [order[before], id]);
        before.filter(fits).or_else(|| order.get(at + 1).map(|&after| [id, after]).filter(fits))
    }

    /// Frees unused memory, and forgets unused numbers at the end.
    pub(crate) fn shrink(&mut self) {
        self.list.iter_mut().for_each(|slice| slice.shrink(usize::MAX));
        let used = self.list.iter().rposition(|slice| slice.home != Home::Free).map_or(0, |last| last + 1);
        let Self { list, heads, is_untidy, order, free, untidy, unboxed, .. } = self;
        list.truncate(used);
        list.shrink_to_fit();
        heads.truncate(used);
        heads.shrink_to_fit();
        is_untidy.truncate(used);
        is_untidy.shrink_to_fit();
        for ids in [order, free, untidy, unboxed] {
            ids.retain(|id| id.index() < used);
            ids.shrink_to_fit();
        }
    }

    /// Returns the bytes of slices without their columns, and of lists.
    pub(crate) fn bytes(&self) -> usize {
        let Self { list, heads, order, free, unboxed, untidy, is_untidy, .. } = self;
        let ids: usize = [order, free, unboxed, untidy].into_iter().map(Vec::capacity).sum();
        list.capacity() * size_of::<Slice>()
            + heads.capacity() * size_of::<Head>()
            + is_untidy.capacity()
            + ids * size_of::<SliceId>()
    }
}
