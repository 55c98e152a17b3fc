//! The naive scene: nodes given by index, each with a `Vec` of children. Detached subtrees are nodes without a parent.

use super::op::{Target, Where};
use super::world::{Kept, World};
use hedgerow::glam::DVec3;
use hedgerow::{Drawable, Layers, Local, Mat34, Node, NodeHandle, Place, ViewRange, Visibility};
use std::collections::{HashMap, HashSet};

/// A node in the lists.
#[derive(Clone)]
pub struct Entry {
    /// The handle in the scene.
    pub handle: NodeHandle,
    /// The parent; `None` for the root and for the roots of detached subtrees.
    pub parent: Option<usize>,
    pub children: Vec<usize>,
    pub local: Option<Kept>,
    /// The translation of the local transform, if it was last set in double precision.
    pub precise: Option<DVec3>,
    pub material: Option<u32>,
    pub drawable: Option<Drawable>,
    pub visibility: Visibility,
    /// Whether the local transform is relative to the world.
    pub anchored: bool,
    pub layers: Option<Layers>,
    pub range: Option<ViewRange>,
    pub name: Option<&'static str>,
    /// The world matrix after the last update, unless the node has lost its transform since.
    pub seen: Option<Mat34>,
    /// The index in the list of live nodes.
    at: usize,
}

impl Entry {
    /// Returns the local transform, with what the scene keeps of its translation in double precision.
    pub fn kept(&self) -> Option<Kept> {
        let mut kept = self.local?;
        if let Some(precise) = self.precise {
            let at = &mut kept.wide.translation;
            *at += (precise - *at).as_vec3().as_dvec3();
        }
        Some(kept)
    }
}

/// The layers and the visibility that descendants inherit.
#[derive(Clone, Copy)]
pub struct Mask {
    all: Layers,
    nearest: Visibility,
}

impl Mask {
    pub const ALL: Self = Self { all: Layers::ALL, nearest: Visibility::Shown };

    pub fn below(self, entry: &Entry) -> Self {
        let own = entry.layers.unwrap_or(Layers::ALL);
        let nearest = if entry.visibility == Visibility::Inherited { self.nearest } else { entry.visibility };
        Self { all: self.all & own, nearest }
    }

    pub fn layers(self) -> u32 {
        if self.nearest == Visibility::Hidden { 0 } else { self.all.mask() }
    }
}

/// A node on a walk through the tree: parents before children, siblings in order.
#[derive(Clone, Copy)]
pub struct Met {
    pub index: usize,
    /// The position of the parent in the walk; [`Met::NOWHERE`] for a root.
    pub parent: usize,
    pub depth: usize,
    /// The previous sibling.
    pub before: Option<usize>,
    /// The next sibling.
    pub after: Option<usize>,
}

impl Met {
    /// The `parent` of a root.
    pub const NOWHERE: usize = usize::MAX;
}

#[derive(Clone)]
pub struct Tree {
    entries: Vec<Entry>,
    free: Vec<usize>,
    live: Vec<usize>,
    detached: Vec<usize>,
    by_handle: HashMap<NodeHandle, usize>,
    issued: HashSet<NodeHandle>,
    removed: Vec<NodeHandle>,
    /// Nodes that were removed since the last update, and may be back since.
    gone: Vec<NodeHandle>,
}

impl Tree {
    pub const ROOT: usize = 0;

    /// Creates a tree with only a root.
    pub fn new(root: NodeHandle) -> Self {
        let mut tree = Self {
            entries: Vec::new(),
            free: Vec::new(),
            live: Vec::new(),
            detached: Vec::new(),
            by_handle: HashMap::new(),
            issued: HashSet::new(),
            removed: Vec::new(),
            gone: Vec::new(),
        };
        tree.enter(root, None);
        tree
    }

    /// Returns the number of nodes, including detached ones.
    pub fn len(&self) -> usize {
        self.live.len()
    }

    /// Returns the roots of the detached subtrees.
    pub fn detached(&self) -> &[usize] {
        &self.detached
    }

    pub fn is_detached_root(&self, index: usize) -> bool {
        index != Self::ROOT && self.at(index).parent.is_none()
    }

    /// Returns the handles of all removed nodes.
    pub fn removed(&self) -> &[NodeHandle] {
        &self.removed
    }

    /// Returns the handles of nodes that were removed since the last update. After a restore, some may live again.
    pub fn gone(&self) -> &[NodeHandle] {
        &self.gone
    }

    /// Notes that the scene was updated or loaded.
    pub fn note_update(&mut self) {
        self.gone.clear();
    }

    /// Goes back to an earlier state. Nodes that came since are gone.
    pub fn restore(&mut self, earlier: &Self) {
        let now = core::mem::replace(self, earlier.clone());
        (self.removed, self.gone) = (now.removed.clone(), now.gone.clone());
        for &index in &now.live {
            let entry = now.at(index);
            if !self.by_handle.contains_key(&entry.handle) {
                self.removed.push(entry.handle);
                self.gone.push(entry.handle);
            }
        }
        self.removed.retain(|node| !self.by_handle.contains_key(node));
    }

    /// Returns whether the scene ever issued this handle.
    pub fn was_issued(&self, handle: NodeHandle) -> bool {
        self.issued.contains(&handle)
    }

    pub fn find(&self, handle: NodeHandle) -> Option<usize> {
        self.by_handle.get(&handle).copied()
    }

    pub fn at(&self, index: usize) -> &Entry {
        &self.entries[index]
    }

    pub fn at_mut(&mut self, index: usize) -> &mut Entry {
        &mut self.entries[index]
    }

    pub fn handle(&self, index: usize) -> NodeHandle {
        self.entries[index].handle
    }

    /// Returns all nodes in no order, including detached ones.
    pub fn live(&self) -> &[usize] {
        &self.live
    }

    /// Returns the current handle of a target.
    pub fn pick(&self, target: Target) -> NodeHandle {
        match target {
            Target::Live(index) => self.handle(self.live[usize::from(index) % self.len()]),
            Target::Recent(back) => self.handle(self.live[self.len() - 1 - usize::from(back) % self.len().min(4)]),
            Target::Top(index) => {
                let tops = &self.at(Self::ROOT).children;
                self.handle(tops.get(usize::from(index) % tops.len().max(1)).copied().unwrap_or(Self::ROOT))
            }
            Target::Detached(index) => match self.detached.len() {
                0 => self.pick(Target::Live(index)),
                count => self.handle(self.detached[usize::from(index) % count]),
            },
            Target::Leaf(index) => {
                let mut node = self.live[usize::from(index) % self.len()];
                while let Some(&first) = self.at(node).children.first() {
                    node = first;
                }
                self.handle(node)
            }
            Target::Root => self.handle(Self::ROOT),
            Target::Stale(index) => match self.removed.len() {
                0 => super::decode::handle_of(u64::from(index)),
                count => self.removed[usize::from(index) % count],
            },
            Target::Bits(bits) => super::decode::handle_of(bits),
        }
    }

    /// Returns the current place of a target.
    pub fn place(&self, place: Where) -> Place {
        match place {
            Where::First(target) => Place::FirstChildOf(self.pick(target)),
            Where::Last(target) => Place::LastChildOf(self.pick(target)),
            Where::Before(target) => Place::Before(self.pick(target)),
            Where::After(target) => Place::After(self.pick(target)),
            Where::Child(target, index) => Place::Child(self.pick(target), index),
            Where::Detached => Place::Detached,
        }
    }

    /// Returns the parent of a node at this place: `None` for a stale anchor, beside a root, and outside the tree.
    pub fn parent_at(&self, place: Place) -> Option<usize> {
        let anchor = self.find(place.anchor()?)?;
        match place {
            Place::FirstChildOf(_) | Place::LastChildOf(_) | Place::Child(..) => Some(anchor),
            Place::Before(_) | Place::After(_) => self.at(anchor).parent,
            Place::Detached => None,
        }
    }

    /// Returns the index of the node among its parent's children.
    pub fn rank(&self, index: usize) -> usize {
        let siblings = &self.at(self.at(index).parent.expect("the root has no rank")).children;
        siblings.iter().position(|&sibling| sibling == index).expect("a child of its parent")
    }

    /// Returns whether the node is `top` or below it.
    pub fn is_within(&self, index: usize, top: usize) -> bool {
        self.up(index).any(|node| node == top)
    }

    /// Returns the node and its ancestors.
    pub fn up(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        core::iter::successors(Some(index), |&node| self.at(node).parent)
    }

    /// Returns the node to which the local transform is relative, or `None` for the world.
    pub fn space(&self, index: usize) -> Option<usize> {
        self.at(index).parent.filter(|_| !self.at(index).anchored)
    }

    /// Returns the node and the ancestors whose transforms contribute to its world transform.
    fn spaces(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        core::iter::successors(Some(index), |&node| self.space(node))
    }

    /// Returns the nearest node of `spaces` with a transform.
    pub fn transform_above(&self, index: usize) -> Option<usize> {
        self.spaces(index).find(|&node| self.at(node).local.is_some())
    }

    pub fn world(&self, index: usize) -> World {
        let above: Vec<_> = self.spaces(index).filter_map(|node| self.at(node).local.as_ref()).collect();
        above.iter().rev().fold(World::IDENTITY, |world, kept| world.below(kept))
    }

    /// Returns whether the world transform contains a scale of exactly zero.
    pub fn is_flat(&self, index: usize) -> bool {
        self.spaces(index).any(|node| self.at(node).local.is_some_and(|kept| kept.flat))
    }

    /// Adds a node at a place that the scene has accepted.
    pub fn add(&mut self, handle: NodeHandle, place: Place, node: &Node<'static>) -> usize {
        let index = self.enter(handle, None);
        self.link(index, place);
        let entry = self.at_mut(index);
        entry.local = node.local.map(Kept::new);
        (entry.material, entry.drawable) = (node.material, node.drawable);
        (entry.visibility, entry.layers, entry.name) = (node.visibility, node.layers, node.name);
        entry.anchored = node.anchored;
        entry.range = node.view_range;
        index
    }

    /// Moves a node to a place that the scene has accepted.
    pub fn shift(&mut self, index: usize, place: Place) {
        if place.anchor().and_then(|anchor| self.find(anchor)) == Some(index) {
            return;
        }
        self.unlink(index);
        self.link(index, place);
    }

    /// Removes a node from its parent.
    pub fn detach(&mut self, index: usize) {
        self.unlink(index);
        self.detached.push(index);
    }

    /// Removes a node and everything below it. Returns the number of removed nodes.
    pub fn remove(&mut self, index: usize) -> usize {
        self.unlink(index);
        let mut gone = vec![index];
        let mut done = 0;
        while let Some(&node) = gone.get(done) {
            done += 1;
            gone.append(&mut core::mem::take(&mut self.at_mut(node).children));
            self.leave(node);
        }
        done
    }

    /// Fills `met` with all nodes, depth-first, detached ones last. Returns the number of nodes in the tree.
    pub fn walk(&self, met: &mut Vec<Met>) -> usize {
        met.clear();
        self.walk_below(Self::ROOT, met);
        let attached = met.len();
        self.detached.iter().for_each(|&root| self.walk_below(root, met));
        attached
    }

    fn walk_below(&self, root: usize, met: &mut Vec<Met>) {
        // The stack holds the nodes to visit, the next one on top.
        let mut stack = vec![Met { index: root, parent: Met::NOWHERE, depth: 0, before: None, after: None }];
        while let Some(next) = stack.pop() {
            let parent = met.len();
            met.push(next);
            let children = &self.at(next.index).children;
            let mut after = None;
            for (rank, &index) in children.iter().enumerate().rev() {
                let before = rank.checked_sub(1).map(|rank| children[rank]);
                stack.push(Met { index, parent, depth: next.depth + 1, before, after });
                after = Some(index);
            }
        }
    }

    /// Returns the node and all nodes below it, parents first.
    pub fn pre_order(&self, top: usize) -> Vec<usize> {
        let (mut order, mut stack) = (Vec::new(), vec![top]);
        while let Some(node) = stack.pop() {
            order.push(node);
            stack.extend(self.at(node).children.iter().rev());
        }
        order
    }

    /// Returns the description that the scene must return, without user data.
    pub fn node(&self, index: usize) -> Node<'static> {
        let entry = self.at(index);
        let [rounded, wide] = [entry.local, entry.kept()].map(|kept| kept.map(|kept| kept.wide.translation));
        Node {
            local: entry.local.map(|kept| kept.local),
            material: entry.material,
            drawable: entry.drawable,
            visibility: entry.visibility,
            layers: entry.layers,
            view_range: entry.range,
            name: entry.name,
            user_data: 0,
            anchored: entry.anchored,
            translation_f64: wide.filter(|_| wide != rounded),
        }
    }

    /// Forgets the world matrices of the last update.
    pub fn forget_seen(&mut self) {
        self.entries.iter_mut().for_each(|entry| entry.seen = None);
    }

    /// Sets the local transform that the scene stores.
    pub fn keep(&mut self, index: usize, local: Option<Local>) {
        let entry = self.at_mut(index);
        if entry.local.is_some() != local.is_some() {
            entry.seen = None;
        }
        entry.local = local.map(Kept::new);
        entry.precise = None;
    }

    fn link(&mut self, index: usize, place: Place) {
        let Some(anchor) = place.anchor() else {
            self.detached.push(index);
            return;
        };
        let anchor = self.find(anchor).expect("the place's anchor is live");
        let parent = self.parent_at(place).expect("the place has a parent");
        let rank = match place {
            Place::FirstChildOf(_) => 0,
            Place::LastChildOf(_) => self.at(parent).children.len(),
            Place::Before(_) => self.rank(anchor),
            Place::After(_) => self.rank(anchor) + 1,
            Place::Child(_, index) => index,
            Place::Detached => unreachable!("a place without an anchor"),
        };
        self.at_mut(parent).children.insert(rank, index);
        self.at_mut(index).parent = Some(parent);
    }

    fn unlink(&mut self, index: usize) {
        if self.is_detached_root(index) {
            self.detached.retain(|&root| root != index);
            return;
        }
        let rank = self.rank(index);
        let parent = self.at_mut(index).parent.take().expect("the root of the tree stays");
        self.at_mut(parent).children.remove(rank);
    }

    fn enter(&mut self, handle: NodeHandle, parent: Option<usize>) -> usize {
        let entry = Entry {
            handle,
            parent,
            children: Vec::new(),
            local: None,
            precise: None,
            material: None,
            drawable: None,
            visibility: Visibility::Inherited,
            anchored: false,
            layers: None,
            range: None,
            name: None,
            seen: None,
            at: self.live.len(),
        };
        let index = self.free.pop().unwrap_or(self.entries.len());
        if index == self.entries.len() {
            self.entries.push(entry);
        } else {
            self.entries[index] = entry;
        }
        self.live.push(index);
        self.by_handle.insert(handle, index);
        if self.issued.insert(handle) && self.removed.contains(&handle) {
            // After a restore, the same handle is given again.
            self.removed.retain(|&node| node != handle);
        }
        index
    }

    fn leave(&mut self, index: usize) {
        let (handle, at) = (self.handle(index), self.at(index).at);
        self.live.swap_remove(at);
        if let Some(&moved) = self.live.get(at) {
            self.entries[moved].at = at;
        }
        self.by_handle.remove(&handle);
        self.removed.push(handle);
        self.gone.push(handle);
        self.free.push(index);
    }
}
