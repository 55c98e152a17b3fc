//! The storage of a scene: records that never move, and slices that are derived from them.
//!
//! ```text
//! edits ──▶ Nodes ───────────────▶ Update: assign, sweep ──▶ Slices in depth-first order ──▶ draw, cull, visit
//!           records, by handle;    slice by slice            (derived)
//!           inbox, masks of edits
//! ```
//!
//! Data flows one way. Edits borrow [`Nodes`] and passes [`Slices`]; only a removal also frees rows. Passes do not
//! follow links, except for levels of detail. Only [`assign`], a step of the update, follows links to change slices.
//!
//! Each file imports only from those before it:
//!
//! | file | what |
//! |---|---|
//! | `record` `change_kinds` `pending` `location` `row_set` `page` `usage` `side` `components` | records that handles name, a cache line each; pages of them; data of few nodes |
//! | `state` `columns` `histories` `boxes` `import_locations` `slice` `slices` | data derived from some thousand nodes; all slices, and their order |
//! | `inbox` `nodes` `links` `space` `world` `components_of_node` `edit` `bulk` | edits: of the tree, of a node's components; world transforms; what edits leave to the update |
//! | `feed` `reconstitute` `sweep` `fill` `keep_slices` `assign` `threads` `update_boxes` `update` | the update: rows, matrices, boxes, changes |
//! | `matrix_slot` `view` | slices as passes see them |
//! | `read` `memory` `validate` | links and effective values of a node; memory use; all invariants |
//! | `image` `checkpoint` `maintain` | saving and loading; going back to an earlier state; merging and reconstituting slices |

mod assign;
mod boxes;
mod bulk;
mod change_kinds;
mod checkpoint;
mod columns;
mod components;
mod components_of_node;
mod edit;
mod feed;
mod fill;
mod histories;
mod image;
mod import_locations;
mod inbox;
mod keep_slices;
mod links;
mod location;
mod maintain;
mod matrix_slot;
mod memory;
mod nodes;
mod page;
mod pending;
mod read;
mod reconstitute;
mod record;
mod row_set;
mod side;
mod slice;
mod slices;
mod space;
mod state;
mod sweep;
mod tags;
#[cfg(test)]
mod tests;
#[cfg(feature = "rayon")]
mod threads;
mod update;
mod update_boxes;
mod usage;
mod validate;
mod view;
mod world;

pub(crate) use boxes::SliceBoxes;
pub use change_kinds::ChangeKinds;
pub(crate) use checkpoint::Ring;
pub(crate) use columns::{DrawEntry, Stamp, short};
pub(crate) use feed::{ChangeLists, Feed, ReadScratch};
pub(crate) use image::Image;
pub(crate) use links::Position;
pub(crate) use location::SliceId;
pub use maintain::Maintenance;
pub use matrix_slot::MatrixSlot;
#[cfg(test)]
pub(crate) use page::{GENERATIONS, RECORDS};
pub(crate) use record::{Has, RecordId};
pub(crate) use row_set::{RowSet, ones};
pub use usage::Usage;
pub(crate) use view::Computes;
pub use view::{DrawableView, ListedDrawable, ListedRange, RowView, SliceView, SliceViewMut, TransformView};
pub(crate) use world::{Above, WideLocal};

use crate::unique::unique_number;
use crate::{NodeHandle, SceneConfig};
use assign::Scratch;
use checkpoint::Unsaved;
use columns::Inherited;
use components::Components;
use histories::Histories;
use inbox::Inbox;
use nodes::Nodes;
use page::Pages;
use row_set::MAX_ROWS;
use slice::{Head, Slice};
use slices::Slices;
use state::Home;

/// No number.
pub(crate) const NIL: u32 = u32::MAX;

/// The storage of a scene. Edits borrow [`Nodes`], passes [`Slices`]; only the update borrows both to change slices.
#[derive(Clone)]
pub(crate) struct Store {
    pub(crate) nodes: Nodes,
    pub(crate) slices: Slices,
    update: Update,
    config: SceneConfig,
    identity: Identity,
}

/// What is left from one update to the next.
#[derive(Clone)]
struct Update {
    clock: Clock,
    scratch: Scratch,
    /// The changes, if they are tracked.
    feed: Option<Box<Feed>>,
    /// What the next checkpoint has to save.
    unsaved: Unsaved,
}

/// The identity of a scene, for data that belongs to one scene. A clone is edited on its own, and gets a new identity.
#[derive(Debug)]
struct Identity(u64);

impl Identity {
    fn new() -> Self {
        Self(unique_number().get())
    }
}

impl Clone for Identity {
    fn clone(&self) -> Self {
        Self::new()
    }
}

/// Counters that updates advance, and lists of one update.
#[derive(Clone, Default, Debug)]
struct Clock {
    /// The number of updates that had work to do.
    updates: u64,
    /// The number of pieces cut.
    cuts: u32,
    /// The slices that the last sweep computed.
    swept: Vec<SliceId>,
    /// Nodes that readers of changes know, and what they inherit otherwise since this update.
    inherited: Vec<(NodeHandle, ChangeKinds)>,
    /// Whether no update has run yet, so that only the root and the limbo have rows.
    is_new: bool,
    /// The number of reconstitutions since the scene was made or loaded.
    reconstitutions: u64,
}

impl Clock {
    /// Returns the stamp of the present update.
    const fn stamp(&self) -> Stamp {
        Stamp::of(self.updates)
    }
}

impl core::fmt::Debug for Store {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Store").field("nodes", &self.nodes.pages.len()).finish_non_exhaustive()
    }
}

impl Store {
    /// Creates a store with a root and the limbo, each in a slice.
    pub(crate) fn new(config: SceneConfig) -> Self {
        Self::of(config, Pages::with_root(), Components::default())
    }

    /// Creates a store with these records, and with one slice each for the root and the limbo.
    fn of(config: SceneConfig, pages: Pages, components: Components) -> Self {
        let feed = config.changes.then(|| Box::new(Feed::new(config.change_history as usize)));
        let clock = Clock { is_new: true, ..Clock::default() };
        let mut store = Self {
            nodes: Nodes::new(pages, components, Inbox::new(&config)),
            slices: Slices::new(config.max_nodes),
            update: Update { clock, scratch: Scratch::default(), feed, unsaved: Unsaved::default() },
            config,
            identity: Identity::new(),
        };
        for (id, home) in [(RecordId::ROOT, Home::Tree), (RecordId::LIMBO, Home::Limbo)] {
            let mut slice = Slice::open(vec![None], |_| Inherited::NOTHING, [1, 1, 0], home);
            let (row, _) =
                slice.put((&store.nodes.pages, &store.nodes.components), id, 0, MAX_ROWS, true).unwrap_or((1, 1));
            slice.sources.count_children(1, core::iter::once((row, 0)));
            if config.changes {
                slice.histories = Some(Box::new(Histories::of(slice.slots.worlds.len())));
            }
            let mut head = Head { live: 1, ..Head::default() };
            head.alive.insert(row);
            let number = store.slices.open(Slice::default());
            store.put_slice(number, (slice, head));
            store.slices.order.push(number);
        }
        store.slices.attached = 1;
        store
    }

    pub(crate) fn config(&self) -> &SceneConfig {
        &self.config
    }

    /// Returns a number that no other scene in the process has.
    #[inline]
    pub(crate) fn scene_number(&self) -> u64 {
        self.identity.0
    }

    /// Returns the number of updates that had work to do.
    #[inline]
    pub(crate) fn updates(&self) -> u64 {
        self.update.clock.updates
    }

    /// Counts updates that did nothing, for tests at the limits of counters.
    #[cfg(test)]
    pub(crate) fn pass_updates(&mut self, count: u64) {
        self.update.clock.updates += count;
    }

    /// Returns the changes, if they are tracked.
    #[inline]
    pub(crate) fn feed(&self) -> Option<&Feed> {
        self.update.feed.as_deref()
    }

    /// Gives a slice a new version, so that slices that import from it check their imports.
    fn renew_version(&mut self, number: SliceId) {
        self.slices.renew(number);
        self.slices[number].swept_in = self.update.clock.updates;
        self.slices.list_untidy(number);
    }
}
