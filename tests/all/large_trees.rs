//! Trees of usual and extreme shapes, built and edited in slices of several sizes, compared with plain lists.

use crate::pair::dice::Dice;
use crate::pair::{MODES, Pair, Where};
use hedgerow::SceneConfig;
use hedgerow_experiments::workloads::{Content, Moves, Recipe, Topology};
use std::time::Duration;

/// Returns the default configuration, one with small slices, which are often split and joined, and one with tiny
/// slices. Each has another mode, which changes with `turn`.
fn configs(turn: usize) -> [SceneConfig; 3] {
    let mut modes = MODES.into_iter().cycle().skip(turn);
    [SceneConfig::DEFAULT.max_nodes, 100, 16].map(|max_nodes| {
        let (changes, bounds) = modes.next().expect("an endless cycle");
        SceneConfig { max_nodes, changes, bounds, ..SceneConfig::DEFAULT }
    })
}

/// Checks the scene, then again after complete maintenance.
fn check_and_maintain(pair: &mut Pair) {
    pair.check();
    pair.scene.maintain(Duration::MAX);
    pair.check();
}

#[test]
fn stress_shapes_are_built_and_moved() {
    const NODES: usize = 12_000;
    for config in configs(0) {
        for topology in [Topology::Random, Topology::EightAry, Topology::Humanoids, Topology::Flat, Topology::Chain] {
            let recipe = Recipe::transforms(topology, NODES, 11);
            let mut pair = Pair::new(config);
            for (number, node) in recipe.nodes().iter().enumerate().skip(1) {
                let Content::Transform(local) = node.content else { panic!("a transform node") };
                assert_eq!(pair.insert(Where::Last(node.parent as usize), Some(local)), number);
                if number % 4000 == 0 {
                    pair.check();
                }
            }
            let mut moves = Moves::new(&recipe, 12);
            for count in [0, 1, NODES / 100, NODES / 2, moves.most()] {
                for &(node, local) in moves.next_frame(count) {
                    pair.set_local(node as usize, local);
                }
                pair.check();
            }
            check_and_maintain(&mut pair);
        }
    }
}

#[test]
fn one_child_of_the_root_takes_all_descendants() {
    const NODES: usize = 30_000;
    for config in configs(1) {
        let (mut pair, mut dice) = (Pair::new(config), Dice::new(1));
        let top = pair.insert(Where::Last(Pair::ROOT), None);
        for turn in 1..NODES {
            let parent = top + dice.below(turn);
            let local = dice.local();
            pair.insert(Where::Last(parent), local);
            if turn % 100 == 0 {
                pair.update();
            }
            if turn % 10_000 == 0 {
                pair.check();
            }
        }
        check_and_maintain(&mut pair);
        assert_eq!(pair.children(Pair::ROOT), [top]);
        while pair.scene.len() > NODES / 20 {
            let node = dice.live(&pair);
            if node != top {
                pair.remove(node);
            }
        }
        check_and_maintain(&mut pair);
        pair.remove(top);
        check_and_maintain(&mut pair);
        assert_eq!(pair.scene.slices().count(), 1);
    }
}

#[test]
fn a_hundred_thousand_leaves_hang_below_one_node() {
    const LEAVES: usize = 100_000;
    let [default, small, _] = configs(2);
    for config in [default, small] {
        let (mut pair, mut dice) = (Pair::new(config), Dice::new(2));
        let local = dice.transform();
        let parent = pair.insert(Where::Last(Pair::ROOT), Some(local));
        for turn in 0..LEAVES {
            let local = dice.local();
            pair.insert(if turn % 32 == 0 { Where::First(parent) } else { Where::Last(parent) }, local);
            if turn % 1000 == 0 {
                pair.update();
            }
        }
        pair.check();
        let leaf = |pair: &Pair, dice: &mut Dice| pair.children(parent)[dice.below(pair.children(parent).len())];
        for turn in 0..1500 {
            let (a, b) = (leaf(&pair, &mut dice), leaf(&pair, &mut dice));
            match turn % 3 {
                0 => _ = pair.insert(Where::Before(a), Some(local)),
                1 => _ = pair.remove(a),
                _ if a != b => pair.reparent(a, Where::After(b)),
                _ => {}
            }
        }
        pair.set_local(parent, local);
        pair.check();
        // Remove runs of siblings from the middle.
        for rank in (0..pair.children(parent).len()).rev().filter(|rank| rank % 16 != 0) {
            if rank % 5000 < 200 {
                pair.remove(pair.children(parent)[rank]);
            }
        }
        check_and_maintain(&mut pair);
    }
}

#[test]
fn a_chain_is_cut_and_joined() {
    const DEPTH: usize = 200_000;
    let [default, small, _] = configs(3);
    for config in [default, small] {
        let (mut pair, mut dice) = (Pair::new(config), Dice::new(3));
        for end in 0..DEPTH {
            let local = dice.local();
            pair.insert(Where::Last(end), local);
            if end % 1000 == 0 {
                pair.update();
            }
        }
        pair.check();
        // The lower half moves next to the upper one, and then the upper one below the lower one's end.
        pair.reparent(DEPTH / 2, Where::First(Pair::ROOT));
        pair.reparent(1, Where::Last(DEPTH));
        pair.check();
        assert_eq!(pair.scene.get(pair.handle(DEPTH / 2 - 1)).unwrap().depth(), DEPTH);
        // Insert nodes above a part of the chain.
        for link in (1..DEPTH).step_by(DEPTH / 50).filter(|&link| link != DEPTH / 2) {
            let local = dice.local();
            let above = pair.insert(Where::Before(link), local);
            pair.reparent(link, Where::Last(above));
        }
        check_and_maintain(&mut pair);
        assert!(pair.remove(1) > DEPTH / 2 - 1);
        check_and_maintain(&mut pair);
    }
}

#[test]
fn a_caterpillar_loses_its_legs_and_grows_others() {
    const SPINE: usize = 5000;
    const LEGS: usize = 3;
    for config in configs(2) {
        let (mut pair, mut dice) = (Pair::new(config), Dice::new(4));
        let mut spine = vec![pair.insert(Where::Last(Pair::ROOT), None)];
        for turn in 1..SPINE {
            let end = spine[turn - 1];
            let local = dice.local();
            spine.push(pair.insert(Where::Last(end), local));
            for leg in 0..LEGS {
                let local = dice.local();
                pair.insert(if leg == 0 { Where::First(end) } else { Where::Last(end) }, local);
            }
            if turn % 50 == 0 {
                pair.update();
            }
        }
        pair.check();
        for turn in 0..3 {
            for at in 0..SPINE - 1 {
                let next = spine[at + 1];
                let legs: Vec<_> = pair.children(spine[at]).iter().copied().filter(|&child| child != next).collect();
                match (at + turn) % 3 {
                    0 => legs.into_iter().for_each(|leg| _ = pair.remove(leg)),
                    1 => _ = pair.insert(Where::Before(next), None),
                    _ => legs.into_iter().for_each(|leg| pair.reparent(leg, Where::Last(spine[(at * 7) % SPINE]))),
                }
            }
            check_and_maintain(&mut pair);
        }
        // First only the spine is left, then only its upper part.
        for at in 0..SPINE {
            for leg in pair.children(spine[at]).to_vec() {
                if spine.get(at + 1) != Some(&leg) {
                    pair.remove(leg);
                }
            }
        }
        check_and_maintain(&mut pair);
        assert_eq!(pair.remove(spine[SPINE / 10]), SPINE - SPINE / 10);
        check_and_maintain(&mut pair);
    }
}

#[test]
fn random_trees_grow_and_shrink_by_turns() {
    const MOST: usize = 16_000;
    const LEAST: usize = 300;
    for config in configs(3) {
        let (mut pair, mut dice) = (Pair::new(config), Dice::new(5));
        for turn in 0..4 {
            while pair.scene.len() < MOST {
                // In some turns new nodes also go to the root.
                let place = match dice.below(8) {
                    0 if turn % 2 == 0 => Where::Last(Pair::ROOT),
                    _ if pair.scene.len() == 1 => Where::First(Pair::ROOT),
                    _ => {
                        let node = dice.live(&pair);
                        dice.place(node)
                    }
                };
                let local = dice.local();
                pair.insert(place, local);
                wear(&mut pair, &mut dice);
            }
            pair.check();
            while pair.scene.len() > LEAST {
                let node = dice.live(&pair);
                // Nodes with many children are rarely removed, or the tree would shrink in a few steps.
                if pair.children(node).len() < 3 || dice.below(100) == 0 {
                    pair.remove(node);
                }
                if pair.scene.len() > 1 {
                    wear(&mut pair, &mut dice);
                }
            }
            if turn % 2 == 0 {
                check_and_maintain(&mut pair);
            } else {
                pair.check();
                // Maintenance without time handles one slice.
                pair.scene.maintain(Duration::ZERO);
            }
        }
        pair.check();
    }
}

/// Moves a node in one step of eight. Sometimes updates, maintains and checks the scene.
fn wear(pair: &mut Pair, dice: &mut Dice) {
    match dice.below(4000) {
        0..500 => {
            let (node, to) = (dice.live(pair), dice.live(pair));
            if !pair.is_within(to, node) {
                let place = dice.place(to);
                pair.reparent(node, place);
            }
        }
        500..550 => pair.update(),
        // There is time for one slice only, so others are unchanged.
        550..600 => _ = pair.scene.maintain(Duration::ZERO),
        605 => pair.check(),
        606..610 => pair.visit(dice),
        _ => {}
    }
}
