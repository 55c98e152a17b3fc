//! A store as bytes, and back.
//!
//! ```text
//! config      max_nodes 4 │ bounds 1, changes 2: 4 │ change_history 4                                         12 B
//! states      count 4 │ of each record the generation, even in a free one, 0 in a retired one        4 B a record
//! free list   count 4 │ records in the order in which they are taken                            4 B a free record
//! nodes       first child 4 │ next sibling 4 │ what it has 4                                           12 B a node
//! locals      of nodes that have one and no matrix: translation, rotation, scale                    40 B a local
//! materials   of nodes that have one                                                              4 B a material
//! components  in the order of their table, each by record: see `src/store/components.rs`
//! ```
//!
//! Nodes come in the order of their records; the second is the limbo, the parent of detached subtrees. The first child
//! and the next sibling determine all other links, and a load derives all that an update derives. The free list is
//! saved, so the same edits give the same handles as in the saved scene.
//!
//! Bytes are not trusted. Before anything is allocated, counts are compared with the bytes that are left. A walk sets
//! the parent of each node that it reaches, and fails at a node that already has a parent, so valid links form trees.
//! If the walk reaches as many nodes as there are live nodes, the trees contain all nodes.

use crate::bytes::{BytesError, Reader, Writer, count, ensure, structures};
use crate::fallible;
use crate::store::Store;
use crate::store::components::Components;
use crate::store::inbox::Inbox;
use crate::store::nodes::Nodes;
use crate::store::page::Pages;
use crate::store::record::{Has, Link, RecordId};
use crate::{Local, SceneConfig, wide};
use hedgerow_math::internal::{PackedTransform, prefetch};
use std::collections::TryReserveError;

/// The saved part of a node.
#[derive(Clone, Copy)]
struct Saved {
    first: u32,
    next: u32,
    has: u32,
}

structures! {
    Saved { first: u32, next: u32, has: u32 };
}

/// The saved components of a node; an update or the links restore all others.
const SAVED: Has = Has(Has::TRANSFORM.0 | Has::MATERIAL.0 | Has::VISIBILITY.0 | Has::ANCHORED.0 | Components::ALL.0);
/// Lower bounds of the bytes, lists included, that an update takes for each node that it places and for each slice.
const NODE_BYTES: usize = 376;
const SLICE_BYTES: usize = (1 << 13) + 512;

/// A store that was read and found valid, before its slices are derived.
pub(crate) struct Image {
    config: SceneConfig,
    pages: Pages,
    components: Components,
    /// All nodes except the root.
    inbox: Inbox,
    /// The number of nodes outside of the tree.
    detached: usize,
}

const BOUNDS: u32 = 1;
const CHANGES: u32 = 2;

/// Returns whether a node's local transform is in its record.
fn has_plain_local(has: Has) -> bool {
    has.has(Has::TRANSFORM) && !has.has(Has::MATRIX)
}

impl Store {
    /// Writes everything that cannot be derived.
    pub(crate) fn write_image(&self, out: &mut Writer) {
        let Self { nodes: Nodes { pages, components, .. }, config, .. } = self;
        out.reserve(pages.states().len() * 4 + pages.len() * 52);
        let flags = if config.bounds { BOUNDS } else { 0 } | if config.changes { CHANGES } else { 0 };
        out.one([config.max_nodes, flags, config.change_history]);
        out.list(pages.states());
        let free: Vec<u32> = pages.free_list().map(RecordId::number).collect();
        out.list(free.into_iter());
        for id in pages.used() {
            let record = pages.record(id);
            let [first, next] = [Link::First, Link::Next].map(|link| record.link(link).number());
            // The limbo has the same components in every scene.
            let has = if id == RecordId::LIMBO { 0 } else { record.has.0 & SAVED.0 };
            out.one(Saved { first, next, has });
        }
        let nodes = || pages.used().filter(|&id| id != RecordId::LIMBO).map(|id| pages.record(id));
        nodes().filter(|node| has_plain_local(node.has)).for_each(|node| out.one(node.local));
        nodes().filter(|node| node.has.has(Has::MATERIAL)).for_each(|node| out.one(node.material));
        components.write(out);
    }
}

impl Image {
    /// Reads what [`Store::write_image`] wrote.
    ///
    /// # Errors
    /// [`BytesError`].
    pub(crate) fn read(from: &mut Reader<'_>) -> Result<Self, BytesError> {
        let [max_nodes, flags, change_history] = from.one()?;
        ensure!(flags & !(BOUNDS | CHANGES) == 0, "the configuration has an unknown flag");
        let (bounds, changes) = (flags & BOUNDS != 0, flags & CHANGES != 0);
        let config = SceneConfig { max_nodes, bounds, changes, change_history };
        let config = config.checked().map_err(|_| BytesError::invalid("the configuration has an invalid number"))?;
        let (states, free) = (from.list()?, from.list()?);
        let mut pages = Pages::restored(&states, &free)?;
        let nodes = read_nodes(from, &mut pages)?;
        for &(id, _) in nodes.iter().filter(|(_, has)| has_plain_local(*has)) {
            let local: PackedTransform = from.one()?;
            ensure!(Local::Transform(local.into()).is_kept(), "a transform is not finite or not normalised");
            pages.record_mut(id).local = local;
        }
        for &(id, _) in nodes.iter().filter(|(_, has)| has.has(Has::MATERIAL)) {
            pages.record_mut(id).material = from.one()?;
        }
        let components = Components::read(from, &nodes)?;
        ensure!(remainders_fit(&pages, &components), "a translation in double precision is not normalised");
        let anchored = nodes.iter().any(|(_, has)| has.has(Has::ANCHORED));
        let mut inbox = Inbox { any_anchored: anchored, ..Inbox::new(&config) };
        inbox.waiting.try_reserve_exact(nodes.len())?;
        let detached = link(&mut pages, &mut inbox)?;
        ensure!(inbox.waiting.len() + 1 == nodes.len(), "a node is neither in the tree nor detached");
        Ok(Self { config, pages, components, inbox, detached })
    }

    /// Builds the store and derives everything, with another configuration if one is given.
    ///
    /// # Errors
    /// [`TryReserveError`].
    pub(crate) fn into_store(self, config: Option<SceneConfig>) -> Result<Store, TryReserveError> {
        let Self { pages, components, inbox, detached, .. } = self;
        let config = config.unwrap_or(self.config);
        // Pieces have more than a quarter of the nodes that a slice can have, except pieces with many imports.
        let slices = pages.len().saturating_mul(4) / config.max_nodes as usize + 4;
        fallible::probe::<u8>(
            pages.len().saturating_mul(NODE_BYTES).saturating_add(slices.saturating_mul(SLICE_BYTES)),
        )?;
        let mut store = Store::of(config, pages, components);
        let nodes = &mut store.nodes;
        nodes.detached = detached;
        (nodes.inbox.waiting, nodes.inbox.any_anchored) = (inbox.waiting, inbox.any_anchored);
        store.update();
        Ok(store)
    }
}

/// Reads the links and components of all nodes. Leaves the limbo out of the result.
fn read_nodes(from: &mut Reader<'_>, pages: &mut Pages) -> Result<Vec<(RecordId, Has)>, BytesError> {
    let saved: Vec<Saved> = from.many(count(pages.used().count()))?;
    let mut nodes = fallible::with_capacity(saved.len())?;
    let mut saved = saved.into_iter();
    for id in pages.ids() {
        if !pages.lives(id) && id != RecordId::LIMBO {
            continue;
        }
        let Some(Saved { first, next, has }) = saved.next() else { break };
        let has = Has(has);
        ensure!(!has.has(!SAVED), "a node has an unknown component");
        let whole = has.has(Has::TRANSFORM) || !has.has(Has::MATRIX | Has::REMAINDER);
        ensure!(whole, "a node has a part of a transform, and no transform");
        ensure!(!(has.has(Has::HIDDEN) && has.has(Has::SHOWN)), "a node is both hidden and shown");
        let record = pages.record_mut(id);
        record.set_link(Link::First, RecordId::from_number(first));
        record.set_link(Link::Next, RecordId::from_number(next));
        if id == RecordId::LIMBO {
            ensure!(has == Has::NOTHING, "the limbo has a component");
            record.has = Has::TRANSFORM | Has::DETACHED;
        } else {
            pages.set_has(id, has);
            nodes.push((id, has));
        }
    }
    Ok(nodes)
}

/// Returns whether each rounding error is that of its translation.
fn remainders_fit(pages: &Pages, components: &Components) -> bool {
    components.remainder.iter().all(|(id, &remainder)| {
        let matrix = components.matrix.get(id).copied();
        let matrix = matrix.unwrap_or_else(|| Local::Transform(pages.record(id).local.into()).to_matrix());
        wide::is_split(matrix.translation(), remainder)
    })
}

/// The links of a record as saved, and whether a link may still lead to the record.
struct Links {
    first: RecordId,
    next: RecordId,
    open: bool,
}

/// Derives parents, the other links and the detached state from first children and next siblings. Lists all nodes
/// except the root, depth first, and returns the number of detached ones.
fn link(pages: &mut Pages, inbox: &mut Inbox) -> Result<usize, BytesError> {
    // These arrays fit in caches; records do not.
    let mut links: Vec<Links> = fallible::with_capacity(pages.states().len())?;
    links.extend(pages.ids().map(|id| {
        let [first, next] = [Link::First, Link::Next].map(|link| pages.link(id, link));
        Links { first, next, open: id != RecordId::ROOT && pages.lives(id) }
    }));
    let mut detached = 0;
    let mut above = Vec::new();
    for top in [RecordId::ROOT, RecordId::LIMBO] {
        let Links { first, next, .. } = links[top.number() as usize];
        ensure!(next.is_nil(), "the root has a sibling");
        let outside = Has::NOTHING.with(Has::DETACHED, top == RecordId::LIMBO);
        let (mut parent, mut previous, mut at) = (top, RecordId::NIL, first);
        loop {
            if at.is_nil() {
                pages.record_mut(parent).set_link(Link::Last, previous);
                let Some(up) = above.pop() else { break };
                (previous, at) = (parent, links[parent.number() as usize].next);
                parent = up;
                continue;
            }
            let child = links.get_mut(at.number() as usize).filter(|child| child.open);
            let Some(child) = child else {
                return Err(BytesError::invalid("a link leads to a node that is elsewhere, or to none"));
            };
            // A second link to this node is an error, so trees cannot share nodes or form circles.
            child.open = false;
            let Links { first, next, .. } = *child;
            prefetch(&links, next.number() as usize);
            let location = inbox.push(at);
            pages.set_location(at, location);
            pages.set_parent(at, parent);
            let record = pages.record_mut(at);
            record.set_link(Link::Previous, previous);
            if outside != Has::NOTHING {
                record.has |= outside;
                detached += 1;
            }
            above.try_reserve(1)?;
            above.push(parent);
            (parent, previous, at) = (at, RecordId::NIL, first);
        }
    }
    Ok(detached)
}
