//! A long sequence of single edits below one child of the root: first it grows, then it is churned.

use super::Content;
use super::rng::Rng;

/// No node.
const NONE: u32 = u32::MAX;
/// How many descriptions of nodes there are; they serve by turns, and stay in the cache.
const CONTENTS: usize = 256;
/// A removal takes no more nodes than this.
const MOST_REMOVED: usize = 8;

/// One edit. Nodes are told by the number of the insert that made them; 0 is the child of the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// A new last child, which takes the next number.
    Insert {
        /// Of this node.
        parent: u32,
    },
    /// A leaf or a small subtree goes.
    Remove {
        /// Its top.
        node: u32,
    },
    /// A subtree of any size becomes the last child of another node.
    Reparent {
        /// Its top.
        node: u32,
        /// The new parent.
        parent: u32,
    },
}

/// The shape in which a tree grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// Each node below an earlier one chosen at random.
    Random,
    /// Each node below the newest.
    Chain,
    /// A chain each of whose nodes has a leaf beside the next one.
    Caterpillar,
    /// All nodes below the child of the root.
    Flat,
}

impl Growth {
    /// The shapes that no random tree is like.
    pub const EXTREMES: [Self; 3] = [Self::Chain, Self::Caterpillar, Self::Flat];

    /// What the shape is called in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Chain => "chain",
            Self::Caterpillar => "caterpillar",
            Self::Flat => "flat",
        }
    }
}

/// A sequence of edits, the same for the same seed, told without reference to a scene.
///
/// The first edits insert nodes, each below an earlier one chosen at random. The others are half inserts, a quarter
/// removals of at most eight nodes and a quarter moves of random nodes with all below them, which leaves the tree about
/// as large as it is. Node contents are the thesis's mix (table 5.2).
///
/// A script of another [`Growth`] inserts where that says, and its other edits are half inserts and half removals of at
/// most eight nodes, the newest where no others are found soon. It moves nothing, since in a deep tree most moves would
/// be cycles.
#[derive(Clone, Debug)]
pub struct Script {
    edits: Vec<Edit>,
    contents: Vec<Content>,
}

impl Script {
    /// A script of `grown` inserts and `churned` mixed edits behind them.
    ///
    /// # Panics
    /// If that makes more than 2³² nodes.
    #[must_use]
    pub fn new(grown: usize, churned: usize, seed: u64) -> Self {
        Self::shaped(Growth::Random, grown, churned, seed)
    }

    /// The same for a tree that grows in another shape.
    ///
    /// # Panics
    /// If that makes more than 2³² nodes.
    #[must_use]
    pub fn shaped(growth: Growth, grown: usize, churned: usize, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let contents = (0..CONTENTS).map(|_| Content::random(&mut rng)).collect();
        let mut outline = Outline::new(grown + churned);
        let mut edits = Vec::with_capacity(grown + churned);
        edits.extend((0..grown).map(|_| outline.grow(growth, &mut rng)));
        edits.extend((0..churned).map(|_| match (growth, rng.below(4)) {
            (Growth::Random, 0) => outline.remove(&mut rng),
            (Growth::Random, 1) => outline.reparent(&mut rng),
            (Growth::Chain | Growth::Caterpillar | Growth::Flat, 0 | 1) => outline.remove_soon(growth, &mut rng),
            _ => outline.grow(growth, &mut rng),
        }));
        Self { edits, contents }
    }

    /// What a node is made with, by the number of the insert that makes it.
    #[inline]
    pub(crate) fn content(&self, number: usize) -> Content {
        self.contents[number % CONTENTS]
    }

    /// The edits in order.
    #[must_use]
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }
}

/// A node of the outline: its parent, its first child and the siblings on either side, by number.
#[derive(Clone, Copy, Debug)]
struct Links {
    parent: u32,
    child: u32,
    next: u32,
    previous: u32,
}

/// The tree as the script has left it so far. The order of siblings does not matter here.
struct Outline {
    links: Vec<Links>,
    /// All nodes but the top, in no order, and where each stands in that list.
    live: Vec<u32>,
    places: Vec<u32>,
}

impl Outline {
    fn new(most: usize) -> Self {
        let mut outline = Self { links: Vec::with_capacity(most + 1), live: Vec::new(), places: vec![NONE] };
        outline.links.push(Links { parent: NONE, child: NONE, next: NONE, previous: NONE });
        outline
    }

    fn insert(&mut self, rng: &mut Rng) -> Edit {
        let parent = self.any(rng);
        self.insert_below(parent)
    }

    /// Inserts where the shape has its next node.
    fn grow(&mut self, growth: Growth, rng: &mut Rng) -> Edit {
        let newest = self.live.last().copied().unwrap_or(0);
        match growth {
            Growth::Random => self.insert(rng),
            Growth::Chain => self.insert_below(newest),
            Growth::Flat => self.insert_below(0),
            Growth::Caterpillar => {
                let Links { parent, next, previous, .. } = self.links[newest as usize];
                let alone = parent != NONE && next == NONE && previous == NONE;
                self.insert_below(if alone { parent } else { newest })
            }
        }
    }

    fn insert_below(&mut self, parent: u32) -> Edit {
        let node = u32::try_from(self.links.len()).expect("nodes are numbered in 32 bits");
        self.links.push(Links { parent: NONE, child: NONE, next: NONE, previous: NONE });
        self.places.push(u32::try_from(self.live.len()).expect("nodes are numbered in 32 bits"));
        self.live.push(node);
        self.link(node, parent);
        Edit::Insert { parent }
    }

    /// Removes a random small subtree; inserts, where there is nothing to remove.
    fn remove(&mut self, rng: &mut Rng) -> Edit {
        if self.live.is_empty() {
            return self.insert(rng);
        }
        // More than half of the nodes of a random tree are leaves, so this ends soon.
        let (node, subtree) = loop {
            let node = self.any_but_top(rng);
            if let Some(subtree) = self.small_subtree(node) {
                break (node, subtree);
            }
        };
        self.remove_subtree(node, &subtree)
    }

    /// Removes a small subtree, random or the newest; grows, where it is none.
    fn remove_soon(&mut self, growth: Growth, rng: &mut Rng) -> Edit {
        let Some(&newest) = self.live.last() else { return self.grow(growth, rng) };
        let nodes = [(); 4].map(|()| self.any_but_top(rng));
        let mut small = nodes.into_iter().chain([newest]).filter_map(|node| Some((node, self.small_subtree(node)?)));
        match small.next() {
            Some((node, subtree)) => self.remove_subtree(node, &subtree),
            None => self.grow(growth, rng),
        }
    }

    fn remove_subtree(&mut self, node: u32, subtree: &[u32]) -> Edit {
        self.unlink(node);
        for &gone in subtree {
            let place = self.places[gone as usize];
            self.live.swap_remove(place as usize);
            if let Some(&moved) = self.live.get(place as usize) {
                self.places[moved as usize] = place;
            }
        }
        Edit::Remove { node }
    }

    /// Moves a random node below a random other one; inserts, where the first try would make a cycle.
    fn reparent(&mut self, rng: &mut Rng) -> Edit {
        if self.live.is_empty() {
            return self.insert(rng);
        }
        let (node, parent) = (self.any_but_top(rng), self.any(rng));
        let mut up = core::iter::successors(Some(parent), |&node| match self.links[node as usize].parent {
            NONE => None,
            parent => Some(parent),
        });
        if up.any(|above| above == node) {
            return self.insert(rng);
        }
        self.unlink(node);
        self.link(node, parent);
        Edit::Reparent { node, parent }
    }

    fn any(&self, rng: &mut Rng) -> u32 {
        match rng.below(self.end() + 1) {
            0 => 0,
            place => self.live[place as usize - 1],
        }
    }

    fn any_but_top(&self, rng: &mut Rng) -> u32 {
        self.live[rng.below(self.end()) as usize]
    }

    fn end(&self) -> u32 {
        u32::try_from(self.live.len()).expect("nodes are numbered in 32 bits")
    }

    /// The node and all below it, unless these are too many.
    fn small_subtree(&self, top: u32) -> Option<Vec<u32>> {
        let mut nodes = vec![top];
        let mut seen = 0;
        while let Some(&node) = nodes.get(seen) {
            seen += 1;
            let mut child = self.links[node as usize].child;
            while child != NONE {
                if nodes.len() == MOST_REMOVED {
                    return None;
                }
                nodes.push(child);
                child = self.links[child as usize].next;
            }
        }
        Some(nodes)
    }

    fn link(&mut self, node: u32, parent: u32) {
        let next = core::mem::replace(&mut self.links[parent as usize].child, node);
        if next != NONE {
            self.links[next as usize].previous = node;
        }
        let links = &mut self.links[node as usize];
        (links.parent, links.next, links.previous) = (parent, next, NONE);
    }

    fn unlink(&mut self, node: u32) {
        let Links { parent, next, previous, .. } = self.links[node as usize];
        match previous {
            NONE => self.links[parent as usize].child = next,
            _ => self.links[previous as usize].next = next,
        }
        if next != NONE {
            self.links[next as usize].previous = previous;
        }
    }
}
