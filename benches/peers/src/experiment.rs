//! The measurements: all peers do the same work in turns and must compute the same world matrices.

use crate::edits::Account;
use crate::peer::{Kind, Peer};
use crate::shapes::Shape;
use hedgerow::Transform;
use hedgerow_experiments::clock::{median, nanoseconds, quartiles};
use hedgerow_experiments::heap::Meter;
use std::time::Instant;

/// The tolerance of a comparison with the double-precision reference, as a fraction of the matrix's largest element.
const TOLERANCE: f64 = 1e-3;

/// The numbers of repetitions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// The number of timed builds of each peer. The first build is not timed, and its tree is kept.
    builds: usize,
    /// How many turns each peer takes for each fraction of moved nodes.
    turns: usize,
    /// The number of timed frames in a turn. The first frame is not timed.
    frames: usize,
    /// The number of lists of moves, and of lists of removals.
    lists: usize,
}

impl Pace {
    /// Returns the pace for a tree of `nodes` nodes.
    pub(crate) const fn of(nodes: usize) -> Self {
        let frames = if nodes <= 8192 {
            24
        } else if nodes <= 65_536 {
            8
        } else {
            3
        };
        Self { builds: 7, turns: 5, frames, lists: 8 }
    }

    /// Returns the pace for checks only, with as few repetitions as possible.
    pub(crate) const fn tiny() -> Self {
        Self { builds: 1, turns: 1, frames: 1, lists: 2 }
    }
}

/// A row of the results: the work and its unit.
pub(crate) type Work = (&'static str, &'static str);

const BUILD: Work = ("build", "ns/node");
const BYTES: Work = ("bytes", "B/node");
const FIRST: Work = ("update: first", "ns/node");
const MOVE: Work = ("move leaves", "ns/move");
const AFTER_MOVES: Work = ("update: leaves moved", "ns/node");
const REMOVE: Work = ("remove subtrees", "ns/removed");
const AFTER_REMOVALS: Work = ("update: removed", "ns/node");

/// The fractions of nodes set in a frame. Each has the rows `set`, `update` and `frame` (both of these), and the
/// divisor of the number of nodes.
const SHARES: [([Work; 3], usize); 3] = [
    ([("set: all", "ns/set"), ("update: all", "ns/node"), ("frame: all", "ns/node")], 1),
    ([("set: half", "ns/set"), ("update: half", "ns/node"), ("frame: half", "ns/node")], 2),
    ([("set: 1 %", "ns/set"), ("update: 1 %", "ns/node"), ("frame: 1 %", "ns/node")], 100),
];
const NONE: Work = ("update: none", "ns/call");

/// All rows in table order.
pub(crate) const WORKS: [Work; 17] = [
    BUILD,
    BYTES,
    FIRST,
    SHARES[0].0[0],
    SHARES[1].0[0],
    SHARES[2].0[0],
    SHARES[0].0[1],
    SHARES[1].0[1],
    SHARES[2].0[1],
    NONE,
    SHARES[0].0[2],
    SHARES[1].0[2],
    SHARES[2].0[2],
    MOVE,
    AFTER_MOVES,
    REMOVE,
    AFTER_REMOVALS,
];

/// The result of one peer for one row.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    pub work: Work,
    /// The index of the peer in the list of kinds.
    pub way: usize,
    /// The median.
    pub value: f64,
    /// The quartiles, if there are several samples.
    pub quartiles: Option<[f64; 2]>,
}

#[derive(Default)]
struct Samples(Vec<(Work, usize, Vec<f64>)>);

impl Samples {
    fn add(&mut self, work: Work, way: usize, sample: f64) {
        match self.0.iter_mut().find(|(other, at, _)| (*other, *at) == (work, way)) {
            Some((_, _, samples)) => samples.push(sample),
            None => self.0.push((work, way, vec![sample])),
        }
    }

    fn figures(self) -> Vec<Figure> {
        let figure = |(work, way, mut samples): (Work, usize, Vec<f64>)| {
            let quartiles = (samples.len() > 1).then(|| quartiles(&mut samples));
            Figure { work, way, value: median(&mut samples), quartiles }
        };
        self.0.into_iter().map(figure).collect()
    }
}

/// Runs all measurements with a tree of this shape.
///
/// # Errors
/// An error that names a peer whose world matrix differs from the reference.
pub(crate) fn run(shape: &Shape, kinds: &[Kind], pace: Pace) -> Result<Vec<Figure>, String> {
    let mut run = Run::new(shape, kinds, pace);
    run.bytes();
    run.first_update()?;
    for (works, divisor) in SHARES {
        run.frames(works, divisor)?;
    }
    run.idle()?;
    run.moves()?;
    run.removals()?;
    Ok(run.samples.figures())
}

struct Run<'r> {
    shape: &'r Shape,
    kinds: &'r [Kind],
    pace: Pace,
    account: Account,
    peers: Vec<Box<dyn Peer>>,
    samples: Samples,
}

impl<'r> Run<'r> {
    /// Builds all trees. The first trees are used because their heap is fresh, but are not timed because their memory
    /// comes from the system. Each timed turn starts with a different peer.
    fn new(shape: &'r Shape, kinds: &'r [Kind], pace: Pace) -> Self {
        let peers = kinds.iter().map(|kind| (kind.build)(shape)).collect();
        let mut samples = Samples::default();
        let mut order: Vec<usize> = (0..kinds.len()).collect();
        for _ in 0..pace.builds {
            for &way in &order {
                let start = Instant::now();
                let peer = (kinds[way].build)(shape);
                let building = start.elapsed().as_secs_f64() * 1e9;
                samples.add(BUILD, way, building / shape.len() as f64);
                drop(peer);
            }
            order.rotate_left(1);
        }
        Self { shape, kinds, pace, account: Account::new(shape), peers, samples }
    }

    /// Counts the bytes that a tree and its list of handles take after the first update.
    fn bytes(&mut self) {
        for (way, kind) in self.kinds.iter().enumerate() {
            let mut meter = Meter::default();
            let peer = meter.during(|| {
                let mut peer = (kind.build)(self.shape);
                peer.update();
                peer
            });
            drop(peer);
            self.samples.add(BYTES, way, meter.in_use() as f64 / self.shape.len() as f64);
        }
    }

    fn first_update(&mut self) -> Result<(), String> {
        self.update(FIRST);
        self.check("first update")
    }

    /// Times one update of each peer.
    fn update(&mut self, work: Work) {
        for (way, peer) in self.peers.iter_mut().enumerate() {
            self.samples.add(work, way, timed(&mut **peer, |peer| peer.update()) / self.shape.len() as f64);
        }
    }

    /// Times frames that set a fraction of the nodes.
    fn frames(&mut self, [set, update, frame]: [Work; 3], divisor: usize) -> Result<(), String> {
        let count = (self.account.movable() / divisor).max(1);
        let (nodes, set_nodes) = (self.shape.len() as f64, count as f64);
        for turn in 0..self.pace.turns {
            let frames: Vec<Vec<(u32, Transform)>> =
                (0..=self.pace.frames).map(|_| self.account.frame(count)).collect();
            for place in 0..self.peers.len() {
                // Each turn starts with a different peer.
                let way = (place + turn) % self.peers.len();
                let peer = &mut self.peers[way];
                for (number, moved) in frames.iter().enumerate() {
                    peer.list(moved);
                    let setting = timed(&mut **peer, |peer| peer.set());
                    let updating = timed(&mut **peer, |peer| peer.update());
                    if number > 0 {
                        self.samples.add(set, way, setting / set_nodes);
                        self.samples.add(update, way, updating / nodes);
                        self.samples.add(frame, way, (setting + updating) / nodes);
                    }
                }
            }
        }
        self.check(frame.0)
    }

    /// Times updates without changes.
    fn idle(&mut self) -> Result<(), String> {
        for _ in 0..self.pace.turns {
            for (way, peer) in self.peers.iter_mut().enumerate() {
                for number in 0..=self.pace.frames {
                    let updating = timed(&mut **peer, |peer| peer.update());
                    if number > 0 {
                        self.samples.add(NONE, way, updating);
                    }
                }
            }
        }
        self.check(NONE.0)
    }

    /// Returns the number of edits in a list: 5 % of the nodes divided by the number of lists, at most 512. Some
    /// peers take 0.25 ms per edit of a node with 262,144 siblings.
    fn listed(&self) -> usize {
        (self.shape.len() / 20 / self.pace.lists).clamp(8, 512)
    }

    /// Measures the time to move lists of leaves below other nodes, and to update after each list.
    fn moves(&mut self) -> Result<(), String> {
        for _ in 0..self.pace.lists {
            let moves = self.account.moves(self.listed());
            for (way, peer) in self.peers.iter_mut().enumerate() {
                let moving = timed(&mut **peer, |peer| peer.reparent(&moves));
                self.samples.add(MOVE, way, moving / moves.len() as f64);
            }
            self.update(AFTER_MOVES);
        }
        self.check(MOVE.0)
    }

    /// Measures the time to remove lists of subtrees, each at most 0.1 % of the tree, and to update after each list.
    fn removals(&mut self) -> Result<(), String> {
        let largest = (self.shape.len() / 1000).max(1);
        for _ in 0..self.pace.lists {
            let (tops, removed) = self.account.removals(self.listed(), largest);
            for (way, peer) in self.peers.iter_mut().enumerate() {
                let removing = timed(&mut **peer, |peer| peer.remove(&tops));
                self.samples.add(REMOVE, way, removing / removed as f64);
            }
            self.update(AFTER_REMOVALS);
        }
        self.check(REMOVE.0)
    }

    /// Compares all world matrices of all peers with the reference.
    fn check(&self, what: &str) -> Result<(), String> {
        for (node, expected) in self.account.worlds() {
            let expected = expected.to_cols_array();
            let size = expected.iter().fold(0.0_f64, |most, element| most.max(element.abs()));
            for (kind, peer) in self.kinds.iter().zip(&self.peers) {
                let world = peer.world(node).map(f64::from);
                let same = |(a, b): (&f64, &f64)| (a - b).abs() <= TOLERANCE * size;
                if !world.iter().zip(&expected).all(same) {
                    let (name, shape) = (&kind.name, self.shape.name);
                    return Err(format!("{what}, {shape}: node {node} of {name} is {world:?}, not {expected:?}"));
                }
            }
        }
        Ok(())
    }
}

/// Runs a call, and returns its time in nanoseconds.
fn timed(peer: &mut dyn Peer, call: impl FnOnce(&mut dyn Peer)) -> f64 {
    nanoseconds(|| call(peer))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peer::kinds;
    use crate::shapes::{NAMES, shape};

    #[test]
    fn all_peers_agree_on_all_shapes() {
        for name in NAMES.iter().filter(|&&name| name != "town") {
            let shape = shape(name, 700, None).unwrap().unwrap();
            let figures = run(&shape, &kinds(), Pace::tiny()).unwrap();
            assert_eq!(figures.len(), WORKS.len() * kinds().len(), "{name}");
        }
    }

    #[test]
    fn a_peer_that_computes_something_else_is_found() {
        struct Wrong;
        impl Peer for Wrong {
            fn list(&mut self, _: &[(u32, Transform)]) {}
            fn set(&mut self) {}
            fn update(&mut self) {}
            fn world(&self, _: u32) -> [f32; 12] {
                [1.0; 12]
            }
            fn reparent(&mut self, _: &[(u32, u32)]) {}
            fn remove(&mut self, _: &[u32]) {}
        }
        let wrong = Kind::new("wrong", |_| Wrong);
        let shape = shape("random", 50, None).unwrap().unwrap();
        assert!(run(&shape, &[wrong], Pace::tiny()).unwrap_err().contains("wrong"));
    }
}
