//! What every peer does, and which there are.

use crate::peers;
use crate::shapes::Shape;
use hedgerow::Transform;

/// A tree of transforms. Nodes are named by their place in the [`Shape`] that it was built from.
///
/// Every method is given a list, so that a call through this trait costs a list and not a node.
pub(crate) trait Peer {
    /// Keeps a list of nodes and of local transforms for them, with what a user of the peer holds of a node: a pointer,
    /// a key, a handle.
    fn list(&mut self, moved: &[(u32, Transform)]);

    /// Gives the listed nodes their local transforms, one after the other.
    fn set(&mut self);

    /// Brings all world matrices up to date.
    fn update(&mut self);

    /// The world matrix of a node as of the last update: three columns and the translation.
    fn world(&self, node: u32) -> [f32; 12];

    /// Makes each node the last child of another, local transforms unchanged, one after the other. `(node, parent)`.
    fn reparent(&mut self, moves: &[(u32, u32)]);

    /// Removes each node with all that is below it, one after the other.
    fn remove(&mut self, tops: &[u32]);
}

/// A way to build a peer.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    /// What it is called in results.
    pub name: &'static str,
    /// On how many threads it updates.
    pub threads: usize,
    /// Whether its vectors are those that `hedgerow` finds out at run time, and not those that all was compiled for.
    pub own_kernels: bool,
    /// Builds the tree by single inserts in the order of the shape.
    pub build: fn(&Shape) -> Box<dyn Peer>,
}

/// The peers of this build: those on one thread, or those on two.
pub(crate) const KINDS: &[Kind] = if cfg!(feature = "threads") { TWO_THREADS } else { ONE_THREAD };

const fn other(name: &'static str, build: fn(&Shape) -> Box<dyn Peer>) -> Kind {
    Kind { name, threads: 1, own_kernels: false, build }
}

/// Among them is each peer of the other build, too.
pub(crate) const ONE_THREAD: &[Kind] = &[
    other("boxed", |shape| Box::new(peers::Boxed::<false>::new(shape))),
    other("boxed-flags", |shape| Box::new(peers::Boxed::<true>::new(shape))),
    other("indextree", |shape| Box::new(peers::IndexTree::new(shape))),
    other("slotmap", |shape| Box::new(peers::Slots::new(shape))),
    other("flattened", |shape| Box::new(peers::Flattened::new(shape))),
    other("bevy", |shape| Box::new(peers::Bevy::new(shape))),
    #[cfg(feature = "fyrox")]
    other("fyrox", |shape| Box::new(peers::Fyrox::new(shape))),
    Kind {
        own_kernels: true,
        ..other("hedgerow", |shape| Box::new(peers::Hedgerow::new(shape, peers::Calls::Single)))
    },
    Kind {
        own_kernels: true,
        ..other("hedgerow-cached", |shape| Box::new(peers::Hedgerow::new(shape, peers::Calls::Cached)))
    },
    Kind {
        own_kernels: true,
        ..other("hedgerow-lists", |shape| Box::new(peers::Hedgerow::new(shape, peers::Calls::Lists)))
    },
];

const TWO_THREADS: &[Kind] = &[
    Kind { threads: 2, ..other("bevy", |shape| Box::new(peers::Bevy::new(shape))) },
    Kind {
        threads: 2,
        own_kernels: true,
        ..other("hedgerow", |shape| Box::new(peers::Hedgerow::new(shape, peers::Calls::Single)))
    },
    Kind {
        threads: 2,
        own_kernels: true,
        ..other("hedgerow-lists", |shape| Box::new(peers::Hedgerow::new(shape, peers::Calls::Lists)))
    },
];
