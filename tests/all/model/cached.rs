//! Cached handles: some are kept from edit to edit, and must always lead where the handle in them leads.

use super::Check;
use hedgerow::edit::CachedHandle;
use hedgerow::{NodeHandle, Scene};

/// How many are kept; a new one takes the place of one whose handle has the same remainder.
const KEPT: usize = 61;

/// The cached handles that edits are made with. Those of nodes that went stay until others need their place.
pub(crate) struct Cached {
    kept: Vec<Option<CachedHandle>>,
    turn: bool,
}

impl Cached {
    pub(crate) fn new() -> Self {
        Self { kept: vec![None; KEPT], turn: false }
    }

    /// The one that is kept for a node, whatever it remembers.
    pub(crate) fn of(&mut self, node: NodeHandle) -> &mut CachedHandle {
        let place = usize::try_from(node.to_bits() % KEPT as u64).expect("it is less than KEPT");
        let kept = &mut self.kept[place];
        if kept.is_none_or(|other| other.node() != node) {
            *kept = Some(CachedHandle::new(node));
        }
        kept.as_mut().expect("it was just put there")
    }

    /// True at every second call.
    pub(crate) fn takes_turns(&mut self) -> bool {
        self.turn = !self.turn;
        self.turn
    }

    /// Checks that each leads to the very matrix that its handle leads to.
    pub(crate) fn compare(&mut self, scene: &Scene) -> Check {
        for cached in self.kept.iter_mut().flatten() {
            let expected = scene.world(cached.node());
            let mut copy = *cached;
            let world = scene.world_cached(&mut copy);
            let same = world.zip(expected).is_some_and(|(a, b)| core::ptr::eq(a, b));
            ensure!(same || (world, expected) == (None, None), "{cached:?} leads to {world:?}, not to {expected:?}");
            // Every other one goes on with what it remembered.
            if cached.node().to_bits() % 2 == 0 {
                *cached = copy;
            }
        }
        Ok(())
    }
}
