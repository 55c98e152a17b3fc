//! The trait of peers, and the list of peers.

use crate::peers::{self, Calls};
use crate::shapes::Shape;
use hedgerow::Transform;
use hedgerow_experiments::machine;
use std::rc::Rc;

/// A tree of transforms. A node is named by its index in the tree's [`Shape`].
///
/// Methods take lists, so that a whole list costs only one virtual call.
pub(crate) trait Peer {
    /// Stores a list of nodes with new local transforms. Nodes are stored as a user of the peer would store them: as
    /// pointer, key or handle.
    fn list(&mut self, moved: &[(u32, Transform)]);

    /// Sets the local transforms of the listed nodes one after the other.
    fn set(&mut self);

    /// Updates all world matrices.
    fn update(&mut self);

    /// Returns a node's world matrix after the last update: three columns and the translation.
    fn world(&self, node: u32) -> [f32; 12];

    /// For each pair `(node, parent)` in turn, makes the node the last child of the parent. Keeps local transforms.
    fn reparent(&mut self, moves: &[(u32, u32)]);

    /// Removes each subtree, one after the other.
    fn remove(&mut self, tops: &[u32]);
}

/// Builds a tree by single inserts in the order of the shape.
pub(crate) type Build = dyn Fn(&Shape) -> Box<dyn Peer>;

/// A way to build a peer.
#[derive(Clone)]
pub(crate) struct Kind {
    pub name: String,
    /// The number of threads of an update.
    pub threads: usize,
    /// The instruction set that it uses.
    pub vectors: String,
    pub build: Rc<Build>,
}

impl Kind {
    /// Returns a kind of peer that runs on one thread with the instruction set of the build.
    pub(crate) fn new<P: Peer + 'static>(name: &str, build: impl Fn(&Shape) -> P + 'static) -> Self {
        Self {
            name: name.to_owned(),
            threads: 1,
            vectors: machine::compiled().to_owned(),
            build: Rc::new(move |shape| Box::new(build(shape))),
        }
    }

    /// Returns a kind of peer whose kernels, those of hedgerow, detect the instruction set at run time.
    fn hedgerow(name: &str, calls: Calls) -> Self {
        Self { vectors: machine::kernels(), ..Self::new(name, move |shape| peers::Hedgerow::new(shape, calls)) }
    }

    fn on_two_threads(self) -> Self {
        Self { threads: 2, ..self }
    }
}

/// The number of threads of this build's peers.
pub(crate) const THREADS: usize = if cfg!(feature = "threads") { 2 } else { 1 };

/// Returns the peers of this build.
pub(crate) fn kinds() -> Vec<Kind> {
    if THREADS == 2 { on_two_threads() } else { on_one_thread() }
}

/// Returns the peers that run on one thread, including those of the other build.
pub(crate) fn on_one_thread() -> Vec<Kind> {
    vec![
        Kind::new("boxed", peers::Boxed::<false>::new),
        Kind::new("boxed-flags", peers::Boxed::<true>::new),
        Kind::new("indextree", peers::IndexTree::new),
        Kind::new("slotmap", peers::Slots::new),
        Kind::new("flattened", peers::Flattened::new),
        Kind::new("bevy", peers::Bevy::new),
        Kind::hedgerow("hedgerow", Calls::Single),
        Kind::hedgerow("hedgerow-lists", Calls::Lists),
    ]
}

fn on_two_threads() -> Vec<Kind> {
    let kinds = [
        Kind::new("bevy", peers::Bevy::new),
        Kind::hedgerow("hedgerow", Calls::Single),
        Kind::hedgerow("hedgerow-lists", Calls::Lists),
    ];
    kinds.map(Kind::on_two_threads).into()
}
