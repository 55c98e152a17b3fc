//! Tests which nodes form a rig, on forests of plain numbers.

use super::group::{Group, Grouping};
use crate::node::graph::Forest;

/// Returns a forest of nodes with these parents, each before its children.
fn forest(parents: &[Option<usize>]) -> Forest {
    let mut order = Vec::new();
    let mut stack: Vec<usize> = (0..parents.len()).rev().filter(|&node| parents[node].is_none()).collect();
    while let Some(node) = stack.pop() {
        order.push(node);
        stack.extend((0..parents.len()).rev().filter(|&child| parents[child] == Some(node)));
    }
    Forest { parents: parents.to_vec(), order }
}

/// Returns the rigs of a forest in which these sets of nodes are marked, and whether each rig has several roots.
fn groups(parents: &[Option<usize>], sets: &[&[usize]]) -> Vec<(Vec<usize>, bool)> {
    let mut grouping = Grouping::new(parents.len());
    for set in sets {
        for &node in *set {
            grouping.mark(node);
            grouping.unite(set[0], node);
        }
    }
    let groups = grouping.groups(&forest(parents));
    groups.into_iter().map(|Group { nodes, several_roots }| (nodes, several_roots)).collect()
}

#[test]
fn a_skin_spread_over_several_trees_has_several_roots() {
    // 0 → 1 → 2 and 3 → 4, and 5 alone.
    let parents = [None, Some(0), Some(1), None, Some(3), None];
    assert_eq!(groups(&parents, &[&[2, 4]]), [(vec![0, 1, 2, 3, 4], true)]);
    assert_eq!(groups(&parents, &[&[2, 4], &[5]]), [(vec![0, 1, 2, 3, 4], true), (vec![5], false)]);
    // Nodes on the paths to the roots are in the same rig.
    assert_eq!(groups(&parents, &[&[2, 4], &[1], &[3]]), [(vec![0, 1, 2, 3, 4], true)]);
    assert_eq!(groups(&parents, &[&[4, 5], &[2]]), [(vec![2], false), (vec![3, 4, 5], true)]);
}

#[test]
fn rigs_are_the_least_that_hold_together_on_all_small_forests() {
    // Tests every forest of five nodes in which parents have lower numbers, with every choice of two sets of two nodes.
    let choices = |node: usize| core::iter::once(None).chain((0..node).map(Some));
    let mut parents = vec![vec![]];
    for node in 0..5 {
        parents = parents
            .iter()
            .flat_map(|list: &Vec<Option<usize>>| choices(node).map(|it| [&list[..], &[it]].concat()))
            .collect();
    }
    let pairs: Vec<[usize; 2]> = (0..5).flat_map(|a| (a..5).map(move |b| [a, b])).collect();
    let mut compared = 0;
    for parents in &parents {
        for first in &pairs {
            for second in &pairs {
                let found = groups(parents, &[first, second]);
                assert_eq!(found, by_the_book(parents, &[first, second]), "{parents:?} {first:?} {second:?}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 120 * 15 * 15);
}

/// Applies the rule literally: sets grow until no more can be united.
fn by_the_book(parents: &[Option<usize>], sets: &[&[usize]]) -> Vec<(Vec<usize>, bool)> {
    let above = |node: usize| core::iter::successors(Some(node), |&at| parents[at]).collect::<Vec<_>>();
    let paths = |set: &[usize]| {
        let common: Vec<usize> =
            above(set[0]).into_iter().filter(|at| set.iter().all(|&node| above(node).contains(at))).collect();
        // Walks up to the lowest common node, or to the roots if there is none.
        let mut nodes: Vec<usize> = set
            .iter()
            .flat_map(|&node| above(node))
            .filter(|at| common.first() == Some(at) || !common.contains(at))
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        (nodes, common.is_empty())
    };
    let mut sets: Vec<Vec<usize>> = sets.iter().map(|set| set.to_vec()).collect();
    let connected = |a: &[usize], b: &[usize]| {
        let moves = |a: &[usize], b: &[usize]| b.iter().any(|&node| above(node).iter().any(|at| a.contains(at)));
        moves(a, b) || moves(b, a) || paths(a).0.iter().any(|node| paths(b).0.contains(node))
    };
    let mut at = 0;
    while at < sets.len() {
        match (at + 1..sets.len()).find(|&other| connected(&sets[at], &sets[other])) {
            Some(other) => {
                let more = sets.remove(other);
                sets[at].extend(more);
                at = 0;
            }
            None => at += 1,
        }
    }
    let order = forest(parents).order;
    let place = |node: &usize| order.iter().position(|at| at == node);
    let mut groups: Vec<(Vec<usize>, bool)> = sets.iter().map(|set| paths(set)).collect();
    groups.iter_mut().for_each(|(nodes, _)| nodes.sort_by_key(place));
    groups.sort_by_key(|(nodes, _)| place(&nodes[0]));
    groups
}
