//! Trees: copies of subtrees, within a scene and through another one, and trees built node by node.

use super::dump::same_slice;
use super::op::Flaw;
use super::oracle::{Oracle, Refusals};
use super::{Check, components};
use hedgerow::edit::BatchError;
use hedgerow::glam::DVec3;
use hedgerow::{Error, Node, NodeHandle, Place, Scene, Tree};

/// The number of nodes above which the stock is emptied.
const MOST_STOCK: usize = 200;

/// A subtree before it was copied: its handles in pre-order, the index of each node's parent, and the descriptions.
pub(super) struct Original {
    pub(super) handles: Vec<NodeHandle>,
    parents: Vec<Option<usize>>,
    nodes: Vec<Node<'static>>,
    precise: Vec<Option<DVec3>>,
}

impl Original {
    /// Checks that a tree equals this subtree, also after writing and reading it.
    fn check(&self, tree: &Tree) -> Check {
        let parents = self.parents.iter().copied();
        let same = tree.iter().eq(parents.zip(self.nodes.iter().copied()));
        ensure!(same, "{tree:?} is no copy of {:?}", self.nodes);
        let bytes = tree.to_bytes();
        let again = Tree::from_bytes(&bytes);
        let same = again.as_ref().is_ok_and(|again| again == tree && again.to_bytes() == bytes);
        ensure!(same, "{tree:?} is {again:?} after it was written and read");
        Ok(())
    }
}

impl Oracle {
    pub fn duplicate(&mut self, handle: NodeHandle, place: Place) -> Check<Option<bool>> {
        let mut refusals = Refusals::default();
        let index = self.live(handle, &mut refusals);
        self.free(place, None, &mut refusals);
        let original = index.map(|index| self.original(index));
        let copied = self.attempt(refusals, |scene| {
            let tree = scene.copy_tree(handle)?;
            Ok::<_, BatchError>((scene.insert_tree(place, &tree)?, tree))
        })?;
        let (Some((news, tree)), Some(original)) = (copied, original) else {
            return Ok(None);
        };
        original.check(&tree)?;
        self.add_copy(place, &original, &news)
    }

    /// Copies a subtree to another scene and back.
    pub fn duplicate_from(&mut self, handle: NodeHandle, place: Place) -> Check<Option<bool>> {
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
        let (Some(tree), Some(index)) = (self.attempt(refusals, |scene| scene.copy_tree(handle))?, index) else {
            return Ok(None);
        };
        let original = self.original(index);
        original.check(&tree)?;
        let stocked = stock.insert_tree(root, &tree).expect("the stock takes what a scene had");
        ensure!(stock.len() == before + stocked.len(), "the stock has {} nodes, from {before}", stock.len());
        ensure!(
            stock.get(root).and_then(|node| node.last_child()).map(|node| node.handle()) == Some(stocked[0]),
            "the copy is not the last child of the stock's root"
        );
        let order = stock.get(stocked[0]).unwrap().descendants().map(|node| node.handle());
        ensure!(order.eq(stocked.iter().copied()), "the copy in the stock has another order");
        for (number, &copy) in stocked.iter().enumerate() {
            let parent = original.parents[number].map_or(root, |parent| stocked[parent]);
            let same = stock.parent(copy) == Some(parent)
                && stock.get(copy).map(|node| node.to_node()) == Some(original.nodes[number])
                && stock.get(copy).and_then(|node| node.translation_f64())
                    == self.scene.get(original.handles[number]).and_then(|node| node.translation_f64());
            ensure!(same, "{copy:?} of the stock is no copy of {:?}", original.handles[number]);
        }
        if let Err(violation) = stock.validate() {
            ensure!(false, "the stock does not validate: {violation}");
        }

        let mut refusals = Refusals::default();
        self.free(place, None, &mut refusals);
        let back = stock.copy_tree(stocked[0]).expect("it was just inserted");
        ensure!(back == tree, "the stock has {back:?}, not {tree:?}");
        let Some(news) = self.attempt(refusals, |scene| scene.insert_tree(place, &back))? else {
            return Ok(None);
        };
        self.add_copy(place, &original, &news)
    }

    pub(super) fn original(&self, top: usize) -> Original {
        let order = self.tree.pre_order(top);
        let place_of = |node: usize| order.iter().position(|&other| other == node);
        let parent = |node: usize| self.tree.at(node).parent.filter(|_| node != top).and_then(place_of);
        Original {
            handles: order.iter().map(|&node| self.tree.handle(node)).collect(),
            parents: order.iter().map(|&node| parent(node)).collect(),
            nodes: order.iter().map(|&node| self.described(node)).collect(),
            precise: order.iter().map(|&node| self.tree.at(node).precise).collect(),
        }
    }

    /// Adds the copy of a subtree to the model. Returns whether it is in several slices, or not in that of `place`.
    pub(super) fn add_copy(&mut self, place: Place, original: &Original, news: &[NodeHandle]) -> Check<Option<bool>> {
        ensure!(news.len() == original.nodes.len(), "{} copies of {} nodes", news.len(), original.nodes.len());
        self.counts.copies += 1;
        for (number, &new) in news.iter().enumerate() {
            ensure!(!self.tree.was_issued(new), "{new:?} was given to an earlier node");
            let place = original.parents[number].map_or(place, |parent| Place::LastChildOf(news[parent]));
            let index = self.tree.add(new, place, &original.nodes[number]);
            self.tree.at_mut(index).precise = original.precise[number];
            self.renderer.user_data.insert(new, original.nodes[number].user_data);
        }
        Ok(Some(self.is_spread(place.anchor(), news)))
    }

    /// Inserts a tree, with several roots if the seed is odd.
    pub fn build(&mut self, place: Place, node: Node<'static>, more: u8, seed: u8, flaw: Flaw) -> Check<Option<bool>> {
        let count = usize::from(more) + 1;
        let pick = |turn: usize| usize::from(seed).wrapping_mul(37).wrapping_add(turn.wrapping_mul(101));
        let mut items: Vec<(Option<usize>, Node<'static>)> = vec![(None, node)];
        for turn in 1..count {
            let local = node.local.filter(|_| pick(turn) & 3 != 0);
            let translation_f64 = node.translation_f64.filter(|_| local.is_some());
            let bare = Node { local, translation_f64, material: None, ..node };
            let is_root = seed & 1 == 1 && pick(turn) % 5 == 0;
            items.push(((!is_root).then_some(pick(turn) / 8 % turn), bare));
        }
        let mut refusals = Self::batch_refusals(&items, |(_, node), refusals| {
            components::faults(node, &mut refusals.errors);
        });
        let parent = match flaw {
            Flaw::None => None,
            Flaw::UnknownParent => Some(usize::MAX),
            Flaw::LaterParent => Some(count + 1),
            Flaw::OwnParent => Some(count),
        };
        if parent.is_some() {
            items.extend([(parent, Node::group()), (None, Node::group())]);
            refusals.items.push(BatchError { item: Some(count), error: Error::UnknownParent });
        }
        self.free(place, None, &mut refusals);
        let mut tree = Tree::new();
        for (at, (parent, node)) in items.iter().enumerate() {
            ensure!(tree.push(*parent, *node) == at, "a node of a tree is not numbered {at}");
        }
        let Some(handles) = self.attempt(refusals, |scene| scene.insert_tree(place, &tree))? else {
            return Ok(None);
        };
        ensure!(handles.len() == count, "{} handles of {count} nodes", handles.len());
        self.counts.copies += 1;
        // Roots become siblings in order.
        let mut next = place;
        for (number, &handle) in handles.iter().enumerate() {
            ensure!(!self.tree.was_issued(handle), "{handle:?} was given to an earlier node");
            let (parent, node) = items[number];
            let at = parent.map_or(next, |parent| Place::LastChildOf(handles[parent]));
            if parent.is_none() && place != Place::Detached {
                next = Place::After(handle);
            }
            let index = self.tree.add(handle, at, &components::as_kept(node));
            self.adopt_node(index, &node)?;
            let (read, stored) = (tree.get(number), self.scene.get(handle).map(|node| node.to_node()));
            ensure!(read == stored, "the tree has {read:?}, and the scene {stored:?}");
        }
        Ok(Some(self.is_spread(place.anchor(), &handles)))
    }

    /// Returns whether nodes are in several slices, or in another slice than the neighbour.
    fn is_spread(&self, neighbour: Option<NodeHandle>, nodes: &[NodeHandle]) -> bool {
        let neighbour = neighbour.unwrap_or(nodes[0]);
        nodes.iter().any(|&node| !same_slice(&self.scene, node, neighbour))
    }
}
