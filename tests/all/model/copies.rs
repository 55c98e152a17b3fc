//! Many nodes at once: copies of subtrees, within the scene and through another one, and trees built from lists.

use super::dump::same_slice;
use super::op::Flaw;
use super::oracle::{Oracle, Refusals};
use super::{Check, components};
use hedgerow::edit::BatchError;
use hedgerow::glam::DVec3;
use hedgerow::{
    Error, Node, NodeHandle, Place, Scene,
    edit::{HandleMap, SceneBuilder, TreeFault},
};

/// A stock with more nodes than this is emptied.
const MOST_STOCK: usize = 200;

/// A subtree as it was before it was copied: its handles in pre-order, the index of each node's parent among them, the
/// descriptions, translations in double precision, and words.
pub(super) struct Original {
    pub(super) handles: Vec<NodeHandle>,
    parents: Vec<Option<usize>>,
    nodes: Vec<Node<'static>>,
    precise: Vec<Option<DVec3>>,
    words: Vec<u32>,
}

impl Oracle {
    /// Copies a subtree of the scene.
    pub(crate) fn duplicate(&mut self, handle: NodeHandle, place: Place) -> Check<Option<bool>> {
        let mut refusals = Refusals::default();
        let index = self.live(handle, &mut refusals);
        self.free(place, None, &mut refusals);
        let original = index.map(|index| self.original(index));
        let map = self.attempt(refusals, |scene| scene.duplicate(handle, place))?;
        let (Some(map), Some(original)) = (map, original) else {
            return Ok(None);
        };
        let news = check_map(&map, &original.handles)?;
        if let Some(anchor) = place.anchor() {
            let known = map.get(anchor).is_some();
            ensure!(known == original.handles.contains(&anchor), "the map knows a node that was not copied");
        }
        self.add_copy(place, &original, &news)
    }

    /// Copies a subtree to another scene, every other time through a file, and from there back.
    pub(crate) fn duplicate_from(&mut self, handle: NodeHandle, place: Place) -> Check<Option<bool>> {
        let mut stock = core::mem::take(&mut self.stock);
        let done = self.duplicate_by(&mut stock, handle, place);
        if stock.len() > MOST_STOCK {
            stock.clear();
        }
        self.stock = stock;
        done
    }

    fn duplicate_by(&mut self, stock: &mut Scene, handle: NodeHandle, place: Place) -> Check<Option<bool>> {
        let mut refusals = Refusals::default();
        let index = self.live(handle, &mut refusals);
        let (root, before) = (stock.root(), stock.len());
        let by_file = self.counts.copies % 2 == 1;
        let map = self.attempt(refusals, |scene| {
            if !by_file {
                return stock.duplicate_from(scene, handle, root);
            }
            let bytes = scene.save_subtree(handle)?;
            Ok(stock.load_subtree(&bytes, root).expect("what was saved is loaded"))
        })?;
        let (Some(map), Some(index)) = (map, index) else {
            return Ok(None);
        };
        let original = self.original(index);
        let stocked = check_map(&map, &original.handles)?;
        ensure!(stock.len() == before + stocked.len(), "the stock has {} nodes, from {before}", stock.len());
        ensure!(stock.last_child(root) == Some(map.top()), "the copy is not the last child of the stock's root");
        let order = stock.descendants(map.top());
        ensure!(order.eq(stocked.iter().copied()), "the copy in the stock has another order");
        for (number, &copy) in stocked.iter().enumerate() {
            let parent = original.parents[number].map_or(root, |parent| stocked[parent]);
            let same = stock.parent(copy) == Some(parent)
                && stock.node(copy) == Some(original.nodes[number])
                && stock.word(copy) == Some(original.words[number])
                && stock.translation_f64(copy) == self.scene.translation_f64(original.handles[number]);
            ensure!(same, "{copy:?} of the stock is no copy of {:?}", original.handles[number]);
        }
        if let Err(violation) = stock.validate() {
            ensure!(false, "the stock does not validate: {violation}");
        }

        let mut refusals = Refusals::default();
        self.free(place, None, &mut refusals);
        let Some(map) = self.attempt(refusals, |scene| scene.duplicate_from(stock, map.top(), place))? else {
            return Ok(None);
        };
        let news = check_map(&map, &stocked)?;
        self.add_copy(place, &original, &news)
    }

    pub(super) fn original(&self, top: usize) -> Original {
        let order = self.tree.pre_order(top);
        let place_of = |node: usize| order.iter().position(|&other| other == node);
        Original {
            handles: order.iter().map(|&node| self.tree.handle(node)).collect(),
            parents: order.iter().map(|&node| self.tree.at(node).parent.and_then(place_of)).collect(),
            nodes: order.iter().map(|&node| self.tree.node(node)).collect(),
            precise: order.iter().map(|&node| self.tree.at(node).precise).collect(),
            words: order.iter().map(|&node| self.renderer.word(self.tree.handle(node))).collect(),
        }
    }

    /// Adds the copy of a subtree to the model. Returns whether it is in several slices or in another than its place.
    pub(super) fn add_copy(&mut self, place: Place, original: &Original, news: &[NodeHandle]) -> Check<Option<bool>> {
        self.counts.copies += 1;
        for (number, &new) in news.iter().enumerate() {
            ensure!(!self.tree.was_issued(new), "{new:?} was given to an earlier node");
            let place = original.parents[number].map_or(place, |parent| Place::LastChildOf(news[parent]));
            let index = self.tree.add(new, place, &original.nodes[number]);
            self.tree.at_mut(index).precise = original.precise[number];
            self.renderer.words.insert(new, original.words[number]);
        }
        Ok(Some(self.is_spread(place.anchor(), news)))
    }

    /// Inserts a tree described by a list, in which children come before their parents if the seed is odd.
    pub(crate) fn build(
        &mut self,
        place: Place,
        node: Node<'static>,
        more: u8,
        seed: u8,
        flaw: Flaw,
    ) -> Check<Option<bool>> {
        let count = usize::from(more) + 1;
        let pick = |turn: usize| usize::from(seed).wrapping_mul(37).wrapping_add(turn.wrapping_mul(101));
        let is_reversed = seed & 1 == 1;
        let number = |turn: usize| if is_reversed { count - 1 - turn } else { turn };
        let mut items: Vec<(Option<usize>, Node<'static>)> = vec![(None, node); count];
        for turn in 1..count {
            let bare = Node { local: node.local.filter(|_| pick(turn) & 3 != 0), material: None, ..node };
            items[number(turn)] = (Some(number(pick(turn) / 8 % turn)), bare);
        }
        let mut refusals = Self::batch_refusals(&items, |(_, node), refusals| {
            components::faults(node, &mut refusals.errors);
        });
        self.free(place, None, &mut refusals);
        let invalid = |index, fault| BatchError { item: Some(index), error: Error::InvalidTree(fault) };
        match flaw {
            Flaw::None => {}
            Flaw::SecondRoot => {
                items.push((None, Node::group()));
                refusals.items.push(invalid(count, TreeFault::SecondRoot));
            }
            Flaw::UnknownParent => {
                items.push((Some(count + 1), Node::group()));
                refusals.items.push(invalid(count, TreeFault::UnknownParent));
            }
            Flaw::Cycle => {
                items.extend([(Some(count + 1), Node::group()), (Some(count), Node::group())]);
                refusals.items.extend([count, count + 1].map(|index| invalid(index, TreeFault::Cycle)));
            }
        }
        let mut builder = SceneBuilder::new();
        for (at, (parent, node)) in items.iter().enumerate() {
            ensure!(builder.push(*parent, *node) == at, "a node of a list is not numbered {at}");
        }
        let Some(handles) = self.attempt(refusals, |scene| builder.insert_into(scene, place))? else {
            return Ok(None);
        };
        ensure!(handles.len() == count, "{} handles of {count} nodes", handles.len());
        self.counts.copies += 1;
        // Parents before children, siblings in the order of the list.
        let mut pending = vec![number(0)];
        while let Some(at) = pending.pop() {
            let (handle, (parent, node)) = (handles[at], items[at]);
            ensure!(!self.tree.was_issued(handle), "{handle:?} was given to an earlier node");
            let place = parent.map_or(place, |parent| Place::LastChildOf(handles[parent]));
            let index = self.tree.add(handle, place, &components::as_kept(node));
            if let Some(given) = node.local {
                self.adopt(index, &given)?;
            }
            pending.extend((0..count).rev().filter(|&child| items[child].0 == Some(at)));
        }
        Ok(Some(self.is_spread(place.anchor(), &handles)))
    }

    /// Whether nodes are in several slices, or in another one than this neighbour.
    fn is_spread(&self, neighbour: Option<NodeHandle>, nodes: &[NodeHandle]) -> bool {
        let neighbour = neighbour.unwrap_or(nodes[0]);
        nodes.iter().any(|&node| !same_slice(&self.scene, node, neighbour))
    }
}

/// The new handles of a copy in the order of the old ones, after checking that the map has exactly these.
pub(super) fn check_map(map: &HandleMap, olds: &[NodeHandle]) -> Check<Vec<NodeHandle>> {
    ensure!(map.len() == olds.len(), "a map of {} nodes for {}", map.len(), olds.len());
    let news: Vec<NodeHandle> = olds.iter().filter_map(|&old| map.get(old)).collect();
    ensure!(news.len() == olds.len(), "{map:?} lacks one of {olds:?}");
    ensure!(news.first() == Some(&map.top()), "the top is {:?}, not {:?}", map.top(), news.first());
    let mut pairs: Vec<_> = olds.iter().copied().zip(news.iter().copied()).collect();
    pairs.sort_unstable();
    ensure!(map.iter().eq(pairs), "{map:?} is not in the order of the old handles");
    Ok(news)
}
