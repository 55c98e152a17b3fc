//! Random edits compared with plain lists. Most are reparents within and across slices, in trees that make these hard.
//! They run with three slice sizes, with and without the change feed and boxes.

use crate::pair::dice::Dice;
use crate::pair::{MODES, Pair, Where};
use hedgerow::SceneConfig;
use hedgerow_testkit::model::dump::same_slice;
use std::time::Duration;

/// The number of edits between two checks.
const EDITS: usize = 100;

/// The greatest numbers of nodes in a slice: the default and smaller ones.
const SIZES: [u32; 3] = [SceneConfig::DEFAULT.max_nodes, 2000, 16];

/// A scene being edited, and the numbers of reparents within a slice and across slices.
struct Play {
    pair: Pair,
    dice: Dice,
    within: usize,
    across: usize,
}

impl Play {
    /// Moves a node, unless the place is within it or beside the root. Keeps the world transform half of the time.
    fn reparent(&mut self, node: usize, place: Where) {
        let (Where::First(to) | Where::Last(to) | Where::Before(to) | Where::After(to)) = place;
        let beside_root = to == Pair::ROOT && matches!(place, Where::Before(_) | Where::After(_));
        if beside_root || self.pair.is_within(to, node) {
            return;
        }
        let within = same_slice(&self.pair.scene, self.pair.handle(node), self.pair.handle(to));
        *(if within { &mut self.within } else { &mut self.across }) += 1;
        if self.dice.below(2) == 0 {
            self.pair.reparent(node, place);
        } else {
            self.pair.reparent_in_place(node, place);
        }
    }

    fn insert(&mut self, place: Where) -> usize {
        let local = self.dice.local();
        self.pair.insert(place, local)
    }

    /// Returns a random child of a node that has children.
    fn child(&mut self, node: usize) -> usize {
        let children = self.pair.children(node);
        children[self.dice.below(children.len())]
    }

    /// Makes a random edit of random nodes, mostly a reparent.
    fn edit_anything(&mut self) {
        let (node, to) = (self.dice.live(&self.pair), self.dice.live(&self.pair));
        match self.dice.below(20) {
            0 => _ = self.insert(Where::Last(to)),
            1 if self.pair.children(node).is_empty() => _ = self.pair.remove(node),
            2 if self.pair.is_placed(node) => {
                let local = self.dice.transform();
                self.pair.set_local(node, local);
            }
            3 => self.pair.update(),
            _ => {
                let place = self.dice.place(to);
                self.reparent(node, place);
            }
        }
    }
}

/// Builds the tree in every slice size and mode, edits it, and checks everything after every [`EDITS`] edits.
fn play(seed: u64, rounds: usize, build: impl Fn(&mut Play), edit: impl Fn(&mut Play), end: impl Fn(&Pair)) {
    let (mut within, mut across) = (0, 0);
    for max_nodes in SIZES {
        for (changes, bounds) in MODES {
            let pair = Pair::new(SceneConfig { max_nodes, changes, bounds, ..SceneConfig::DEFAULT });
            let mut play = Play { pair, dice: Dice::new(seed), within: 0, across: 0 };
            build(&mut play);
            play.pair.check();
            for round in 0..rounds {
                for turn in 0..EDITS {
                    edit(&mut play);
                    // A visitor's edits mix with moves, splits and updates.
                    if turn == EDITS / 2 && round % 2 == 1 {
                        play.pair.visit(&mut play.dice);
                    }
                }
                play.pair.check();
                if round % 3 == 2 {
                    play.pair.scene.maintain([Duration::ZERO, Duration::MAX][round / 3 % 2]);
                    play.pair.check();
                }
            }
            end(&play.pair);
            within += play.within;
            across += play.across;
        }
    }
    println!("{within} reparents within a slice, {across} across slices");
    let least = SIZES.len() * MODES.len() * rounds * EDITS / 10;
    assert!(within >= least && across >= least, "{within} within a slice, {across} across slices");
}

#[test]
fn nodes_of_a_random_tree_go_anywhere() {
    const NODES: usize = 2500;
    play(
        21,
        12,
        |play| {
            for turn in 0..NODES {
                let parent = play.dice.below(turn + 1);
                play.insert(Where::Last(parent));
            }
        },
        Play::edit_anything,
        |_| {},
    );
}

#[test]
fn siblings_go_among_their_own_and_among_others() {
    const PARENTS: usize = 16;
    const CHILDREN: usize = 200;
    play(
        22,
        12,
        |play| {
            for number in 1..=PARENTS {
                assert_eq!(play.insert(Where::Last(Pair::ROOT)), number);
            }
            for turn in 0..PARENTS * CHILDREN {
                let child = play.insert(Where::Last(1 + turn % PARENTS));
                // Some children have a child of their own.
                if turn % 8 == 0 {
                    play.insert(Where::Last(child));
                }
            }
        },
        |play| {
            let [from, to] = [(); 2].map(|()| 1 + play.dice.below(PARENTS));
            let to = if play.dice.below(2) == 0 { from } else { to };
            // A parent without children gets some.
            if play.pair.children(from).is_empty() || play.pair.children(to).is_empty() {
                play.insert(Where::Last(from));
                play.insert(Where::Last(to));
            }
            let (node, beside) = (play.child(from), play.child(to));
            let place = [Where::First(to), Where::Last(to), Where::Before(beside), Where::After(beside)];
            match play.dice.below(16) {
                0 => _ = play.insert(Where::Before(beside)),
                1 => _ = play.pair.remove(node),
                2 => play.pair.update(),
                // A parent moves with all its children.
                3 => play.reparent(from, Where::Last(Pair::ROOT)),
                4 => play.reparent(from, Where::Last(beside)),
                other => play.reparent(node, place[other % 4]),
            }
        },
        |_| {},
    );
}

#[test]
fn a_chain_is_turned_while_leaves_go_up_and_down_on_it() {
    const DEPTH: usize = 2500;
    const LEAVES: usize = 500;
    play(
        23,
        9,
        |play| {
            for link in 0..DEPTH {
                assert_eq!(play.insert(Where::Last(link)), link + 1);
            }
            for _ in 0..LEAVES {
                let link = 1 + play.dice.below(DEPTH);
                play.insert(Where::First(link));
            }
        },
        |play| {
            // Links keep their cyclic order, so the link before the top is the end.
            let link = 1 + play.dice.below(DEPTH);
            let leaf = 1 + DEPTH + play.dice.below(LEAVES);
            match play.dice.below(10) {
                0 => {
                    let &top = play.pair.children(Pair::ROOT).last().expect("the chain hangs from the root");
                    if top != link {
                        let end = if top == 1 { DEPTH } else { top - 1 };
                        play.reparent(link, Where::Last(Pair::ROOT));
                        play.reparent(top, Where::Last(end));
                    }
                }
                1 => {
                    let local = play.dice.transform();
                    if play.pair.is_placed(link) {
                        play.pair.set_local(link, local);
                    }
                }
                2 => play.pair.update(),
                3 => play.reparent(leaf, Where::Before(link)),
                4..7 => play.reparent(leaf, Where::First(link)),
                // Move a few links up or down.
                _ => {
                    let near = play.pair.parent(leaf).max(3) - 2 + play.dice.below(5);
                    play.reparent(leaf, Where::First(near.min(DEPTH)));
                }
            }
        },
        |pair| {
            let depth = (1..=DEPTH).map(|link| pair.scene.get(pair.handle(link)).expect("links stay").depth()).max();
            assert_eq!(depth, Some(DEPTH));
        },
    );
}

#[test]
fn ten_thousand_leaves_go_up_and_down_among_each_other() {
    const LEAVES: usize = 10_000;
    play(
        24,
        6,
        |play| {
            let top = play.insert(Where::Last(Pair::ROOT));
            for _ in 0..LEAVES {
                play.insert(Where::Last(top));
            }
        },
        |play| {
            let (leaf, other) = (play.child(1), play.child(1));
            let near = {
                let leaves = play.pair.children(1);
                let place = leaves.len() / 2 + play.dice.below(20);
                leaves[place]
            };
            match play.dice.below(16) {
                0 => _ = play.insert(Where::After(other)),
                1 => _ = play.pair.remove(leaf),
                2 => play.pair.update(),
                3 => play.reparent(leaf, Where::First(1)),
                4 => play.reparent(leaf, Where::Last(1)),
                5..8 => play.reparent(leaf, Where::Before(other)),
                8..10 => play.reparent(leaf, Where::After(other)),
                // Move below the root and back again.
                10 => play.reparent(leaf, Where::Before(1)),
                11 => {
                    let node = play.child(Pair::ROOT);
                    play.reparent(node, Where::After(other));
                }
                // Move all to the same few places.
                _ => play.reparent(leaf, Where::Before(near)),
            }
        },
        |_| {},
    );
}
