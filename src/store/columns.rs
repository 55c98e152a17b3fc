//! The rows and columns of a slice.

use crate::store::page::Pages;
use crate::store::record::{Has, RecordId};
use crate::store::row_set::MAX_ROWS;
use crate::{Aabb, Layers, NodeHandle};
use hedgerow_math::Mat34;
use hedgerow_math::internal::PackedTransform;

/// No drawable, in a bit above all indices.
pub(crate) const NO_DRAWABLE: u16 = 1 << 15;

/// A node as passes see it, or an import.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Row {
    pub(crate) record: RecordId,
    /// The effective material if [`Row::MATERIAL`] is set.
    pub(crate) material: u32,
    /// The slot of the node's own transform, or of the nearest ancestor's.
    pub(crate) slot: u16,
    /// The index in the columns of drawables. Without a drawable, [`NO_DRAWABLE`] and [`Row::drawables_from`].
    pub(crate) drawable: u16,
    /// The row of the parent, or of its import.
    pub(crate) above: u16,
    pub(crate) flags: u16,
}

const _: () = assert!(size_of::<Row>() == 16);

impl Row {
    /// The slot is the node's own.
    pub(crate) const OWN_TRANSFORM: u16 = 1;
    /// The material is the node's own.
    pub(crate) const OWN_MATERIAL: u16 = 1 << 1;
    /// There is an effective material.
    pub(crate) const MATERIAL: u16 = 1 << 2;
    /// The node has layers or a view range of its own, or is hidden or shown.
    pub(crate) const OWN_VISIBILITY: u16 = 1 << 3;
    /// The transform is relative to the world, whose slot is [`Row::WORLD_SLOT`].
    pub(crate) const ANCHORED: u16 = 1 << 4;
    /// In slices with the root, the limbo or anchored nodes: the slot of the identity, an import without a node.
    pub(crate) const WORLD_SLOT: u16 = 0;

    #[inline(always)]
    pub(crate) const fn is(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    /// Returns the flags that say what the node has itself, except [`Row::OWN_TRANSFORM`].
    #[inline(always)]
    pub(crate) fn own_flags(has: Has) -> u16 {
        let own = |component, flag| if has.has(component) { flag } else { 0 };
        own(Has::MATERIAL, Self::OWN_MATERIAL)
            | own(Has::VISIBILITY, Self::OWN_VISIBILITY)
            | own(Has::ANCHORED, Self::ANCHORED)
    }

    /// Sets these flags, after edits of the node.
    pub(crate) fn set_own(&mut self, has: Has) {
        const OWN: u16 = Row::OWN_MATERIAL | Row::OWN_VISIBILITY | Row::ANCHORED;
        self.flags = self.flags & !OWN | Self::own_flags(has);
    }

    #[inline(always)]
    pub(crate) fn material(&self) -> Option<u32> {
        self.is(Self::MATERIAL).then_some(self.material)
    }

    #[inline(always)]
    pub(crate) fn set_material(&mut self, material: Option<u32>) {
        self.material = material.unwrap_or(0);
        self.flags = self.flags & !Self::MATERIAL | if material.is_some() { Self::MATERIAL } else { 0 };
    }

    /// Returns the least index for drawables of nodes below, which come after those of all their ancestors.
    #[inline(always)]
    pub(crate) fn drawables_from(&self) -> u16 {
        // A row without a drawable has the place of the next one in these bits.
        (self.drawable & !NO_DRAWABLE) + u16::from(self.drawable < NO_DRAWABLE)
    }

    /// Sets the effective material from the node's record or from the row above.
    #[inline(always)]
    pub(crate) fn inherit(&mut self, up: &Self, pages: &Pages) {
        // Few rows have a material of their own, so few records are read.
        let own = self.is(Self::OWN_MATERIAL).then(|| pages.record(self.record).material);
        self.set_material(own.or(up.material()));
    }
}

/// A drawable as draw lists read it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct DrawEntry {
    pub(crate) node: NodeHandle,
    pub(crate) mesh: u32,
    pub(crate) material: u32,
    /// The effective layers.
    pub(crate) layers: u32,
    /// The slot of the world matrix.
    pub(crate) slot: u16,
    pub(crate) row: u16,
}

const _: () = assert!(size_of::<DrawEntry>() == 24);

impl DrawEntry {
    pub(crate) const MATERIAL: u16 = 1 << 15;

    #[inline(always)]
    pub(crate) fn material(&self) -> Option<u32> {
        (self.row & Self::MATERIAL != 0).then_some(self.material)
    }

    #[inline(always)]
    pub(crate) fn row(&self) -> usize {
        usize::from(self.row & !Self::MATERIAL)
    }
}

/// Columns by transform.
#[derive(Clone, Default)]
pub(crate) struct Slots {
    pub(crate) records: Vec<RecordId>,
    pub(crate) parents: Vec<u32>,
    pub(crate) worlds: Vec<Mat34>,
    /// Copies of the local transforms.
    pub(crate) locals: Vec<PackedTransform>,
}

/// Columns by drawable.
#[derive(Clone, Default)]
pub(crate) struct Drawables {
    pub(crate) records: Vec<DrawEntry>,
    pub(crate) bounds: Vec<Aabb>,
    /// The last update that changed anything in the columns of a drawable, or gave its slot to another node; in whole
    /// words of slots, so some are behind the last drawable.
    pub(crate) stamps: Vec<Stamp>,
}

/// The number of an update, modulo 2³². What is older than 2³² updates may seem to be new, and is read again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stamp(u32);

impl Stamp {
    #[expect(clippy::cast_possible_truncation, reason = "modulo 2^32")]
    pub(crate) const fn of(update: u64) -> Self {
        Self(update as u32)
    }

    /// Returns whether the stamp is of one of the last `count` updates up to `now`.
    #[inline(always)]
    pub(crate) const fn is_within(self, count: u32, now: Self) -> bool {
        // Differences are right even after 2³² updates, as long as the count is small.
        now.0.wrapping_sub(self.0) < count
    }
}

/// Visibility of a node, as nodes below inherit it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EffectiveVisibility {
    /// The layers that the node and all its ancestors have in common.
    layers: u32,
    hidden: bool,
    /// The nearest node with a view range, from this one upwards; nil if there is none.
    ranged: RecordId,
}

impl EffectiveVisibility {
    /// What the root inherits.
    pub(crate) const ALL: Self = Self { layers: u32::MAX, hidden: false, ranged: RecordId::NIL };

    /// Returns the visibility of a child with these layers and components.
    #[inline]
    pub(crate) fn below(self, own: Option<&Layers>, has: Has, child: RecordId) -> Self {
        // Layers only shrink on the way down; what is shown again below a hidden node has those of its ancestors.
        let layers = own.map_or(self.layers, |own| self.layers & own.mask());
        let hidden = has.has(Has::HIDDEN) || self.hidden && !has.has(Has::SHOWN);
        Self { layers, hidden, ranged: if has.has(Has::RANGE) { child } else { self.ranged } }
    }

    #[inline(always)]
    pub(crate) fn ranged(self) -> Option<RecordId> {
        self.ranged.some()
    }

    #[inline(always)]
    pub(crate) fn layers(self) -> u32 {
        if self.hidden { 0 } else { self.layers }
    }
}

/// The values that an import copies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inherited {
    pub(crate) world: Mat34,
    pub(crate) material: Option<u32>,
    pub(crate) visibility: EffectiveVisibility,
}

impl Inherited {
    /// What the root inherits.
    pub(crate) const NOTHING: Self =
        Self { world: Mat34::IDENTITY, material: None, visibility: EffectiveVisibility::ALL };
}

/// Converts a number below [`MAX_ROWS`] to its stored form.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "rows and slots are fewer than 2^12")]
pub(crate) fn short(row: usize) -> u16 {
    debug_assert!(row < MAX_ROWS);
    row as u16
}
