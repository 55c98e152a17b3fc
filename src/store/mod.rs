//! Storage: slices of rows and columns, the metadata tables of handles, and the portals between slices.
//!
//! A [`Slice`] holds one run of siblings and everything below them. A [`Store`] holds all slices. The folders; each
//! states its invariants at the top:
//!
//! | folder | what |
//! |---|---|
//! | `allocation` | slots: bit sets, holes, the linear allocator, what an edit needs |
//! | `columns` | what lies in slots: the topology record and the components |
//! | `handles` | from a handle to a place |
//! | `order` | chains of siblings, effective slots, portals |
//! | `restructuring` | moving rows within a slice, between slices, and out of the tree |
//! | `bulk` | many nodes at once |
//! | `change` | the notifier, which reports edits; the change feed |
//! | `bounds` | world boxes |
//! | `image` | the store as bytes, and back |
//! | `sweep` | computing derived values |
//! | `usage` | memory use, in records and bytes |
//! | `validate` | checks of every invariant |
//! | `view` | what may be read from outside: whole columns |
//! | `edit` | edits of single nodes and of batches |
//! | `words`, `additions` | numbers of the user's own, which draws carry; these and what else a node has besides its description |
//! | `world`, `space` | world transforms as of now; as spaces that nodes are placed in |
//!
//! The rest of the crate enters through [`Store`], the views, and plain values: [`At`], [`Beside`], [`Membership`],
//! [`LocalSlot`], [`CachedSlot`], [`ShapeRecord`]. Everything else is private to this folder. Edits report through the
//! notifier in `change`, so code outside cannot forget to. The methods of `Store` for the crate:
//!
//! | kind | methods |
//! |---|---|
//! | whole | `with_root` `config` `root` `scene_number` `versions` `bounds_set` `updates` `frames` `len_of` `total_len` `slice_count` |
//! |  | `slice_end` `slice_numbers` `validate` `read_image` `write_image` |
//! | usage | `usages` `box_usage` `table_usage` `table_count` `retired_indices` `reconstitutions` `slice_levels` |
//! |  | `overhead_bytes` `pending_free_nodes` `count_holes` `count_overflowed` `count_disordered` |
//! | edits | `insert` `insert_usual` `insert_detached` `remove` `remove_shortly` `remove_later` `clear` `relocate` `reparent_shortly` |
//! |  | `sort_children` `detach` |
//! | edits of components | `set_local_shortly` `set_local_cached` `local_shortly` `local_cached` `replace_local` `put_local` `add_transform` `remove_transform` |
//! |  | `add_material` `remove_material` `add_shape` `set_bounds` `set_mesh` `remove_shape` `add_visibility` `remove_visibility` |
//! |  | `set_name` `set_word` `add` |
//! | bulk | `insert_many` `remove_many` `set_many` `set_run` `set_worlds` `set_worlds_apart` `detach_many` `move_many` `insert_tree` `insert_run` `most_tables_of` |
//! |  | `can_open_tables` `try_reserve_below` |
//! | reads | `resolve` `handle` `membership` `find_transform` `holds_cached` `find_anchor` `parent_of_place` `is_detached_root` `world_of` `world_cached` `world_at` |
//! |  | `wide_world` `fresh_world_at` `previous_world_at` `world_bounds_at` `subtree_bounds` `local_at` `local_below` `local_alone` |
//! |  | `local_slot` `transform_slot_at` `material_at` `own_material_at` `visibility_at` `own_visibility_at` `word_of` |
//! |  | `shape_at` `name_at` `node_at` `additions_at` `prefetch_entry` `prefetch_local` `is_near` |
//! |  | `look_ahead_for_rows` `look_ahead_for_edits` `look_ahead_for_locals` |
//! | walks | `parent` `parent_of` `first_child` `last_child` `next_sibling` `previous_sibling` `next_in_subtree` |
//! |  | `is_in_subtree` `slice_after` `detached_roots` `count_nodes` |
//! | views | `view` `get_view` `show_each` `feed` `read_changes` |
//! | sweep | `update` |
//! | maintenance | `maintain` `shrink_to_fit` |

mod additions;
mod allocation;
mod bounds;
mod bulk;
mod change;
mod columns;
mod components;
mod edit;
mod handles;
mod image;
mod order;
mod questions;
mod restructuring;
mod slice;
mod slices;
mod space;
mod sweep;
mod usage;
mod validate;
mod view;
mod words;
mod world;

// Visible to the rest of the crate.
pub(crate) use additions::Additions;
pub(crate) use allocation::{Bits, MAX_NODES};
pub(crate) use bulk::{Forest, Head, NodeList};
pub use change::ChangeKinds;
pub(crate) use change::{ChangeLists, Feed, ReadScratch};
pub(crate) use columns::{At, NIL, ShapeRecord};
pub(crate) use edit::LocalSlot;
pub(crate) use order::Beside;
pub(in crate::store) use order::{Settled, Spot};
pub use restructuring::Maintenance;
pub(crate) use restructuring::Membership;
pub use usage::Usage;
pub(crate) use view::BoxView;
pub use view::{
    ListedShape, MaterialView, MatrixSlot, RowView, ShapeView, SliceView, SliceViewMut, Slots, TransformView,
    VisibilityView,
};

// Shared by the folders of the storage.
use allocation::{LinearAllocator, Need};
use bounds::SliceBoxes;
use bulk::BatchOrder;
use change::Layouts;
use columns::{Row, ShapeColumn, Swept, TransformColumn, VisibilityColumn};
use edit::WorldLists;
pub(crate) use handles::CachedSlot;
use handles::{Identity, Tables};
use restructuring::{Capacity, Unlinked};
use slice::Slice;
use slices::Slices;
use words::Words;

use crate::fallible::{self, Boxed};
use crate::{NodeHandle, SceneConfig};
use allocation::Scratch;
use core::cmp::Reverse;
use core::fmt;
use handles::table::Entry;
use std::collections::{BinaryHeap, TryReserveError, VecDeque};

/// The number of nodes by membership.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::store) struct Counted([usize; 3]);

impl Counted {
    /// The number of nodes with this membership.
    #[inline(always)]
    pub(in crate::store) fn of(&self, membership: Membership) -> usize {
        self.0[membership as usize]
    }

    /// Mutable access to the same number.
    #[inline(always)]
    pub(in crate::store) fn of_mut(&mut self, membership: Membership) -> &mut usize {
        &mut self.0[membership as usize]
    }

    /// All nodes that take up memory.
    #[inline(always)]
    pub(in crate::store) fn total(&self) -> usize {
        let Self([attached, detached, pending_free]) = self;
        attached + detached + pending_free
    }
}

/// Slices by number, the metadata tables, and what waits for the update and for maintenance.
#[derive(Clone)]
pub(crate) struct Store {
    pub(in crate::store) slices: Slices,
    pub(in crate::store) counted: Counted,
    /// The lowest number is taken first, so that few slice records are needed.
    pub(in crate::store) free_slices: BinaryHeap<Reverse<u32>>,
    pub(in crate::store) tables: Tables,
    pub(in crate::store) config: SceneConfig,
    /// Slices that were edited since their last maintenance.
    pub(in crate::store) edited: VecDeque<u32>,
    /// The topmost slices of detached subtrees, in no order.
    pub(in crate::store) detached: Vec<u32>,
    /// Detached slices that are marked; slices that were detached when they were marked may be listed too.
    pub(in crate::store) marked_roots: Vec<u32>,
    /// Removed slices that wait to be freed: the topmost of each subtree.
    pub(in crate::store) pending_free: Vec<u32>,
    pub(in crate::store) reconstitutions: u64,
    /// The number of updates that had work to do.
    pub(in crate::store) updates: u64,
    /// The number of updates that had anything to tell: work, or edits that readers of changes are told of.
    pub(in crate::store) frames: u64,
    /// How often bounds of a shape were set. This changes no version, for draw lists have no bounds.
    pub(in crate::store) bounds_set: u64,
    /// The newest version that any slice has or had. It also changes with the tree of slices.
    pub(in crate::store) versions: u64,
    pub(in crate::store) identity: Identity,
    /// What changed, if changes are tracked.
    pub(in crate::store) feed: Option<Boxed<Feed>>,
    /// Which matrix arrays changed.
    pub(in crate::store) layouts: Layouts,
    /// Numbers of the user's own, by node.
    pub(in crate::store) words: Words,
    /// The slice from which rows are unlinked, if any are.
    pub(in crate::store) unlinked_from: Option<u32>,
    /// The next slice to open, where room was reserved for it.
    pub(in crate::store) reserved: Option<Slice>,
    /// Where the local transforms of a batch are. Kept to save allocations.
    pub(in crate::store) local_slots: Vec<LocalSlot>,
    /// The arena for temporary lists of splits, rebuilds and moves.
    pub(in crate::store) scratch: Scratch,
    /// Slices that an update or a removal has yet to visit. Kept to save allocations.
    pub(in crate::store) descent: Vec<u32>,
    /// The lists of a batch. Kept to save allocations.
    pub(in crate::store) batch_order: BatchOrder,
    /// The lists of nodes that are placed in the world. Kept to save allocations.
    pub(in crate::store) world_lists: WorldLists,
    /// Slices that an update visited, parents first, if the scene keeps boxes.
    pub(in crate::store) swept: Vec<u32>,
    /// The same slices in the order of their numbers. Kept to save allocations.
    pub(in crate::store) sorted: Vec<u32>,
}

/// A summary: iterators and views of a scene hold its store, and must not print all of it.
impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("nodes", &self.total_len()).finish_non_exhaustive()
    }
}

impl Store {
    /// A store without slices.
    fn empty(config: SceneConfig) -> Self {
        fallible::or_abort(Self::try_empty(config))
    }

    /// Like [`Self::empty`], but returns an error if the allocator refuses.
    fn try_empty(config: SceneConfig) -> Result<Self, TryReserveError> {
        Ok(Self {
            slices: Slices::default(),
            counted: Counted::default(),
            free_slices: BinaryHeap::new(),
            tables: Tables::new(&config),
            config,
            edited: VecDeque::new(),
            detached: Vec::new(),
            marked_roots: Vec::new(),
            pending_free: Vec::new(),
            reconstitutions: 0,
            updates: 0,
            frames: 0,
            bounds_set: 0,
            versions: 0,
            identity: Identity::new(),
            feed: config.changes.then(|| Boxed::try_new(Feed::default())).transpose()?,
            layouts: Layouts::default(),
            words: Words::default(),
            unlinked_from: None,
            reserved: None,
            local_slots: Vec::new(),
            scratch: Scratch::default(),
            descent: Vec::new(),
            batch_order: BatchOrder::default(),
            world_lists: WorldLists::default(),
            swept: Vec::new(),
            sorted: Vec::new(),
        })
    }

    /// A store with the root's slice, which has room for the root and a few portals.
    pub(in crate::store) fn new(config: SceneConfig) -> Self {
        let mut store = Self::empty(config);
        let slice = store.open_slice(Slice::with_room(&Need::usual(config.initial_slice_storage_size.min(8))));
        debug_assert_eq!(slice, At::ROOT.slice);
        store
    }

    /// A store made of these parts: slices, of which the unused ones are free; tables; and lists of slices that wait
    /// for maintenance, that wait for a partner, that are detached, and that wait to be freed with this many nodes.
    pub(in crate::store) fn restored(
        config: SceneConfig,
        mut slices: Slices,
        tables: Tables,
        [edited, merge_candidates, detached, pending_free]: [Vec<u32>; 4],
        reconstitutions: u64,
        counted: Counted,
    ) -> Result<Self, TryReserveError> {
        let mut versions = 0;
        for slice in slices.iter_mut().filter(|slice| slice.lives) {
            versions += 1;
            slice.begin_version(versions);
        }
        let free = || (0..).zip(slices.iter()).filter(|(_, slice)| !slice.lives).map(|(number, _)| Reverse(number));
        let mut free_slices = fallible::with_capacity(free().count())?;
        free_slices.extend(free());
        let marked_roots = fallible::copied(&detached)?;
        let mut store = Self {
            free_slices: free_slices.into(),
            slices,
            counted,
            tables,
            config,
            edited: edited.into(),
            marked_roots,
            detached,
            pending_free,
            reconstitutions,
            versions,
            ..Self::try_empty(config)?
        };
        for number in merge_candidates {
            store.try_list_merge_candidate(number)?;
        }
        Ok(store)
    }

    #[inline]
    pub(in crate::store) fn slice(&self, slice: u32) -> &Slice {
        &self.slices[slice as usize]
    }

    #[inline]
    pub(in crate::store) fn slice_mut(&mut self, slice: u32) -> &mut Slice {
        &mut self.slices[slice as usize]
    }

    #[inline]
    pub(in crate::store) fn row(&self, at: At) -> &Row {
        self.slice(at.slice).row(at.row)
    }

    /// The place of a live node.
    #[inline]
    pub(crate) fn resolve(&self, handle: NodeHandle) -> Option<At> {
        self.look_up(handle).map(|(entry, _)| entry.at())
    }

    /// The entry of a live node, and its slice.
    #[inline(always)]
    pub(in crate::store) fn look_up(&self, handle: NodeHandle) -> Option<(Entry, &Slice)> {
        let entry = self.tables.entry(handle)?;
        let slice = self.slices.get(entry.slice as usize)?;
        (slice.membership != Membership::PendingFree).then_some((entry, slice))
    }

    /// The handle of the node at a row, which must have one.
    #[inline]
    pub(crate) fn handle(&self, at: At) -> NodeHandle {
        self.row(at).occupant.as_node().expect("navigation ends at nodes")
    }

    /// All nodes that take up memory: in the tree, detached, and waiting to be freed.
    #[inline]
    pub(crate) fn total_len(&self) -> usize {
        self.counted.total()
    }

    /// The number of nodes with this membership.
    #[inline]
    pub(crate) fn len_of(&self, membership: Membership) -> usize {
        self.counted.of(membership)
    }

    pub(crate) fn slice_count(&self) -> usize {
        self.slices.len() - self.free_slices.len()
    }

    /// Closes a slice that is empty, and removes its portal.
    pub(in crate::store) fn abandon_slice(&mut self, slice: u32) {
        self.drop_portal_of(slice);
        self.close_slice(slice);
    }

    /// Frees the records of removed slices after the last slice in use.
    pub(in crate::store) fn drop_dead_slices(&mut self) {
        self.layouts.weed_out(&self.slices);
        self.slices.drop_dead();
        let end = self.slices.len();
        self.free_slices.retain(|&Reverse(number)| (number as usize) < end);
        self.edited.retain(|&number| (number as usize) < end);
    }

    /// Frees the memory of temporary lists.
    pub(in crate::store) fn drop_scratch(&mut self) {
        self.local_slots = Vec::new();
        self.scratch = Scratch::default();
        self.descent = Vec::new();
        self.batch_order = BatchOrder::default();
        self.world_lists = WorldLists::default();
        self.swept = Vec::new();
        self.sorted = Vec::new();
        self.edited.shrink_to_fit();
        self.slices.iter_mut().for_each(|slice| slice.candidates_below.shrink_to_fit());
        self.detached.shrink_to_fit();
        self.marked_roots.shrink_to_fit();
        self.pending_free.shrink_to_fit();
        self.free_slices.shrink_to_fit();
    }

    /// The bytes of the slices' own records and of the temporary lists.
    pub(crate) fn overhead_bytes(&self) -> usize {
        let reserved = self.reserved.as_ref().map_or(0, Slice::allocated_bytes);
        reserved
            + self.batch_order.bytes()
            + self.world_lists.bytes()
            + self.feed.as_ref().map_or(0, |feed| feed.bytes())
            + self.layouts.bytes()
            + self.words.bytes()
            + self.slices.record_bytes()
            + self.local_slots.capacity() * size_of::<LocalSlot>()
            + self.scratch.bytes()
            + self.lists().map(Vec::capacity).sum::<usize>() * size_of::<u32>()
            + (self.edited.capacity() + self.free_slices.capacity() + self.swept.capacity() + self.sorted.capacity())
                * size_of::<u32>()
    }

    /// The lists of slice numbers.
    fn lists(&self) -> impl Iterator<Item = &Vec<u32>> {
        [&self.descent, &self.detached, &self.marked_roots, &self.pending_free].into_iter()
    }

    /// The numbers of the slices in use, without those waiting to be freed.
    pub(crate) fn slice_numbers(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(self.slices.iter()).filter(|(_, slice)| slice.is_in_use()).map(|(number, _)| number)
    }

    /// Opens a slice, which has neither rows nor a portal.
    pub(in crate::store) fn open_slice(&mut self, mut slice: Slice) -> u32 {
        self.versions += 1;
        slice.begin_version(self.versions);
        if self.config.bounds {
            slice.boxes = Some(Boxed::default());
        }
        if self.feed.is_some() {
            slice.begin_trace();
        }
        let number = self.keep_slice(slice);
        self.note_layout(number);
        number
    }

    /// Assigns a number to a slice.
    pub(in crate::store) fn keep_slice(&mut self, slice: Slice) -> u32 {
        if let Some(Reverse(number)) = self.free_slices.pop() {
            self.slices[number as usize] = slice;
            number
        } else {
            self.slices.push(slice);
            u32::try_from(self.slices.len() - 1).expect("nodes, and so slices, number less than 2^31")
        }
    }

    /// An empty slice: the reserved one if there is one, else one of the configured size.
    pub(in crate::store) fn next_slice(&mut self) -> Slice {
        let usual = || {
            let SceneConfig { initial_slice_storage_size, max_nodes, .. } = self.config;
            Slice::with_room(&Need::usual(initial_slice_storage_size.min(max_nodes)))
        };
        self.reserved.take().unwrap_or_else(usual)
    }

    /// Closes a slice that has neither rows in use nor a portal. Its tables go to the pool.
    pub(in crate::store) fn close_slice(&mut self, slice: u32) {
        debug_assert_ne!(slice, At::ROOT.slice);
        self.slices[slice as usize] = Slice::default();
        self.tables.orphan(slice);
        self.free_slices.push(Reverse(slice));
    }
}
