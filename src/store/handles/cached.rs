//! Where a node's transform was found, kept outside the scene: then its entry need not be read again.

use crate::NodeHandle;
use crate::store::Store;
use crate::store::columns::{NIL, Slot};

/// The effective transform slot of a node, as it was found in a slice of this version.
///
/// As long as the slice has this version, the slot is the node's: every edit that moves a node of the slice, removes
/// one, or changes what one inherits gives the slice another, which no slice of the scene had before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CachedSlot {
    scene: u64,
    version: u64,
    pub(in crate::store) slice: u32,
    pub(in crate::store) transform: Slot,
}

impl CachedSlot {
    /// No slot of any node. No scene has the number 0.
    pub(crate) const UNKNOWN: Self = Self { scene: 0, version: 0, slice: NIL, transform: Slot::LOST };
}

impl Store {
    /// Where the transform of a live node is now.
    #[inline]
    pub(crate) fn find_transform(&self, node: NodeHandle) -> Option<CachedSlot> {
        let (entry, slice) = self.look_up(node)?;
        let (scene, version) = (self.scene_number(), slice.version);
        Some(CachedSlot { scene, version, slice: entry.slice, transform: entry.transform })
    }

    /// Whether a slot that was found is still that of its node.
    #[inline(always)]
    pub(crate) fn holds_cached(&self, at: &CachedSlot) -> bool {
        self.slices.get(at.slice as usize).is_some_and(|slice| {
            (slice.version == at.version) & (self.scene_number() == at.scene) & !slice.membership.is_pending_free()
        })
    }
}
