//! What every peer does, and which there are.

use crate::peers::{self, Calls};
use crate::shapes::Shape;
use hedgerow::Transform;
use hedgerow_experiments::machine;
use std::rc::Rc;

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

    /// Returns the world matrix of a node as of the last update: three columns and the translation.
    fn world(&self, node: u32) -> [f32; 12];

    /// Makes each node the last child of another, local transforms unchanged, one after the other. `(node, parent)`.
    fn reparent(&mut self, moves: &[(u32, u32)]);

    /// Removes each node with all that is below it, one after the other.
    fn remove(&mut self, tops: &[u32]);
}

/// Builds a tree by single inserts in the order of the shape.
pub(crate) type Build = dyn Fn(&Shape) -> Box<dyn Peer>;

/// A way to build a peer.
#[derive(Clone)]
pub(crate) struct Kind {
    /// What it is called in results.
    pub name: String,
    /// On how many threads it updates.
    pub threads: usize,
    /// The instruction set that it uses.
    pub vectors: String,
    /// How it is built.
    pub build: Rc<Build>,
}

impl Kind {
    /// Returns a kind on one thread, whose vectors are those that all was compiled for.
    pub(crate) fn new<P: Peer + 'static>(name: &str, build: impl Fn(&Shape) -> P + 'static) -> Self {
        Self {
            name: name.to_owned(),
            threads: 1,
            vectors: machine::compiled().to_owned(),
            build: Rc::new(move |shape| Box::new(build(shape))),
        }
    }

    /// Returns one of hedgerow's, whose kernels find out at run time what the machine has.
    fn hedgerow(name: &str, calls: Calls) -> Self {
        Self { vectors: machine::kernels(), ..Self::new(name, move |shape| peers::Hedgerow::new(shape, calls)) }
    }

    fn on_two_threads(self) -> Self {
        Self { threads: 2, ..self }
    }
}

/// On how many threads the peers of this build are.
pub(crate) const THREADS: usize = if cfg!(feature = "threads") { 2 } else { 1 };

/// Returns the peers of this build.
pub(crate) fn kinds() -> Vec<Kind> {
    if THREADS == 2 { on_two_threads() } else { on_one_thread() }
}

/// Among them is each peer of the other build, too.
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
