//! Inserting and removing nodes.

use crate::scene::{MAX_NODES, Place, Scene};
use crate::store::{At, Floating, NIL, Need, Settled, Spot};
use crate::{Error, Node, NodeHandle};

impl Scene {
    /// Inserts a node and answers its handle. A bare handle as `place` means behind that node's last child.
    ///
    /// Computes in amortised **O(1)**, also among many siblings. The node's world matrix is the identity until the next
    /// [`Scene::update`]; [`Scene::fresh_world`] has it at once.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::RootIsFixed`] for a place beside the root, [`Error::NotFinite`],
    /// [`Error::NotRotation`], [`Error::CapacityOverflow`].
    ///
    /// ```
    /// use hedgerow::{Node, Place, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let second = scene.insert(scene.root(), Node::group().named("second"))?;
    /// let first = scene.insert(Place::Before(second), Node::group().named("first"))?;
    /// assert!(scene.children(scene.root()).eq([first, second]));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[inline]
    pub fn insert(&mut self, place: impl Into<Place>, node: Node<'_>) -> Result<NodeHandle, Error> {
        // Looked at where the compiler still has the description in registers: read back from the stack in other pieces
        // than it was written in, it would wait for these to reach the cache.
        let (need, plain) = (Need::of(&node), node.is_plain());
        self.insert_described(place.into(), &node, &need, plain)
    }

    /// Inserts a description, of which is known what it needs and whether it can be kept as it is.
    pub(super) fn insert_described(
        &mut self,
        place: Place,
        node: &Node<'_>,
        need: &Need,
        plain: bool,
    ) -> Result<NodeHandle, Error> {
        let anchor = self.store.find_anchor(place)?;
        let mut spot = self.store.spot_beside(place, anchor);
        let adjusted;
        let node = if plain {
            node
        } else {
            adjusted = node.checked()?;
            &adjusted
        };
        if self.total_len() >= MAX_NODES {
            return Err(Error::CapacityOverflow);
        }
        let store = &mut self.store;
        if spot.has_choice() {
            return self.insert_settling(place, spot, node, need);
        }
        while store.make_room_for_one(&spot, need) {
            spot = store.spot(place);
        }
        let handle = store.insert_node(&spot, node, need).ok_or(Error::CapacityOverflow)?;
        *self.len_at(spot.slice) += 1;
        Ok(handle)
    }

    /// Inserts a checked description at a spot that leaves open which slice it goes to.
    fn insert_settling(&mut self, place: Place, spot: Spot, node: &Node<'_>, need: &Need) -> Result<NodeHandle, Error> {
        let store = &mut self.store;
        let mut settled = store.settle(spot, 1);
        while let Settled::Into(spot) = settled
            && store.make_room_for_one(&spot, need)
        {
            settled = store.settle_at(place, 1);
        }
        let (spot, opened) = match settled {
            Settled::Into(spot) => (spot, false),
            Settled::Behind(_) => {
                let slice = store.insert_slice(|store| store.settle_at(place, 1));
                let spot = Spot { slice, parent: NIL, previous: NIL, next: NIL };
                store.make_room_for_one(&spot, need);
                (spot, true)
            }
        };
        let Some(handle) = store.insert_node(&spot, node, need) else {
            if opened {
                store.abandon_slice(spot.slice);
            }
            return Err(Error::CapacityOverflow);
        };
        *self.len_at(spot.slice) += 1;
        Ok(handle)
    }

    /// Removes a node and all below it; answers how many nodes that were. Their handles are stale from then on.
    ///
    /// Computes in **O(nodes removed)**, also among many siblings.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::RootIsFixed`].
    pub fn remove(&mut self, node: NodeHandle) -> Result<usize, Error> {
        let at = self.at(node)?;
        if at == At::ROOT {
            return Err(Error::RootIsFixed);
        }
        self.store.note_left(at);
        let slice = self.store.slice(at.slice);
        let (rows, standing) = (slice.row_slots.live(), slice.standing);
        let removed = if slice.row(at.row).first_child == NIL && !slice.is_alone(at.row) {
            self.store.remove_leaf(node, at);
            1
        } else {
            let floating = self.store.float(at);
            self.store.discard(floating)
        };
        *self.len_of(standing) -= removed;
        self.store.merge_if_shrunk(at.slice, rows);
        Ok(removed)
    }

    /// Removes every node but the root, which keeps its components. Detached subtrees go too.
    ///
    /// Computes in **O(nodes)**.
    pub fn clear(&mut self) {
        while let Some(root) = self.store.detached_roots().last() {
            let floating = self.store.float(root);
            self.detached_len -= self.store.discard(floating);
        }
        while let Some(child) = self.store.first_child(At::ROOT) {
            self.store.note_left(child);
            let floating: Floating = self.store.float(child);
            self.len -= self.store.discard(floating);
        }
    }
}
