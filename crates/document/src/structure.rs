//! Brings the scene to what the library says, for the places that a patch touches.

use crate::document::{beside, holds};
use crate::error::Error;
use crate::expand::{Expansion, Sibling};
use crate::library::Library;
use crate::path::Path;
use crate::places::{NONE, Places};
use hedgerow::internal::node_of_record;
use hedgerow::{Keep, NodeHandle, Place, Scene, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// The structure of a document's scene while it follows the library.
///
/// Nodes whose places are not touched stay where they are. Those of touched places are taken out; then each touched
/// place goes in as soon as its stated parent is there. What never does, an orphan or a circle, leaves with all below.
pub(crate) struct Structure<'d> {
    expansion: Expansion<'d>,
    scene: &'d mut Scene,
    root: NodeHandle,
    /// Whether nodes were taken out or removed; if not, each node that is in the scene stands.
    loose: bool,
    /// Nodes that were taken out.
    out: Vec<NodeHandle>,
    /// Memory for the places of what enters.
    list: Vec<u32>,
}

impl<'d> Structure<'d> {
    /// Prepares to follow the library below the document's root.
    pub(crate) fn new(library: &'d Library, places: &'d mut Places, scene: &'d mut Scene, root: NodeHandle) -> Self {
        Self {
            expansion: Expansion::new(library, places),
            scene,
            root,
            loose: false,
            out: Vec::new(),
            list: Vec::new(),
        }
    }

    /// Lets these places follow their statements, and makes what the uses at these places name.
    pub(crate) fn follow(mut self, places: Vec<u32>, uses: &BTreeSet<u32>) -> Result<(), Error> {
        let made = self.bring(places, uses);
        self.finish(made)
    }

    /// Removes what was taken out and came in nowhere: after an error, too, no node is left behind.
    fn finish(mut self, made: Result<(), Error>) -> Result<(), Error> {
        for node in core::mem::take(&mut self.out) {
            if self.scene.parent(node).is_none() {
                self.remove(node)?;
            }
        }
        made
    }

    fn bring(&mut self, places: Vec<u32>, uses: &BTreeSet<u32>) -> Result<(), Error> {
        let mut touched = BTreeSet::from_iter(places);
        if let Some(root) = self.place_of(self.root) {
            touched.remove(&root);
        }
        let mut pending: Vec<u32> = touched.into_iter().collect();
        // All are taken out first, so that no order of moves makes a circle, and none leaves with a parent that it had.
        // By the nodes whose instances they belong to.
        let mut taken: BTreeMap<Option<NodeHandle>, Vec<NodeHandle>> = BTreeMap::new();
        let mut gone = Vec::new();
        for &place in &pending {
            let Some(node) = self.node(place) else { continue };
            if self.expansion.sibling(place).is_some() {
                let use_place = self.expansion.places.use_place(self.expansion.places.instance_at(place));
                taken.entry(use_place.and_then(|place| self.node(place))).or_default().push(node);
                self.out.push(node);
                self.scene.reparent(node, Place::Detached, Keep::Local)?;
            } else {
                gone.push((place, node));
            }
        }
        for &place in uses {
            self.renew(place, &mut taken)?;
        }
        self.loose = !taken.is_empty() || !gone.is_empty() || !uses.is_empty();
        for (place, node) in gone {
            // What is at the path now is made already.
            if !self.expansion.places.is_gone(place) {
                self.remove(node)?;
            }
        }
        pending.retain(|&place| !self.loose || !self.expansion.places.is_gone(place));
        self.bring_in(pending)
    }

    /// Makes the nodes of a use that changed, and all that is below them.
    fn renew(&mut self, place: u32, taken: &mut BTreeMap<Option<NodeHandle>, Vec<NodeHandle>>) -> Result<(), Error> {
        let (library, is_gone) = (self.library(), self.expansion.places.is_gone(place));
        let Some(top) = (if is_gone { None } else { self.node(place) }) else { return Ok(()) };
        let (mut had, mut places, mut ahead) = (BTreeMap::new(), vec![place], vec![top]);
        while let Some(next) = ahead.pop() {
            let below = self.scene.get(next).into_iter().flat_map(|node| node.descendants());
            for node in below.map(|node| node.handle()).collect::<Vec<_>>() {
                ahead.extend(taken.remove(&Some(node)).into_iter().flatten());
                if let Some(at) = self.place_of(node).filter(|_| node != top) {
                    had.insert(self.expansion.places.path(library, at), node);
                    places.push(at);
                }
            }
        }
        let outermost = self.expansion.places.outermost(library, place);
        places.into_iter().for_each(|at| self.expansion.places.clear(at));
        self.remake(outermost, top, had)
    }

    /// Makes all nodes of the document again, of which none has a place any more.
    pub(crate) fn remake_all(mut self, definition: u32, had: BTreeMap<Path, NodeHandle>) -> Result<(), Error> {
        let root = self.expansion.begin(definition).ok_or(Error::NoRoot)?;
        let made = self.remake(root, self.root, had);
        self.finish(made)
    }

    /// Makes all nodes at and below a place. Those that have the path of one that was there are that one; what else was
    /// there goes, before anything new needs room.
    fn remake(&mut self, place: u32, top: NodeHandle, mut had: BTreeMap<Path, NodeHandle>) -> Result<(), Error> {
        let (mut tree, mut handles) = (Tree::new(), Vec::<NodeHandle>::new());
        let Self { expansion, scene, list, out, .. } = self;
        expansion.expand(place, list, |parent, node| _ = tree.push(parent, node));
        out.extend(had.values());
        for &node in had.values() {
            scene.reparent(node, Place::Detached, Keep::Local)?;
        }
        let (library, places) = (expansion.library, &mut *expansion.places);
        // A node that had the path of a new root goes: the document's root is that one.
        let mut kept = |&at: &u32| had.remove(&places.path(library, places.outermost(library, at)));
        let same: Vec<Option<NodeHandle>> = [Some(top)].into_iter().chain(list[1..].iter().map(&mut kept)).collect();
        let gone: Vec<NodeHandle> = had.into_values().collect();
        scene.remove_many(&gone).map_err(|refused| refused.error)?;
        scene.try_reserve(top, same.iter().filter(|same| same.is_none()).count())?;
        for (((parent, node), &at), same) in tree.iter().zip(&*list).zip(same) {
            let above = parent.map_or(Place::Detached, |parent| Place::LastChildOf(handles[parent]));
            let handle = match same {
                None => scene.insert(above, node)?,
                Some(handle) => {
                    if handle != top {
                        scene.reparent(handle, above, Keep::Local)?;
                    }
                    scene.edit(handle)?.set_node(node)?;
                    handle
                }
            };
            places.put(library, scene, at, handle);
            handles.push(handle);
        }
        Ok(())
    }

    /// Brings places in, each after its parent. Those that stay out have no parent there, or are a circle.
    fn bring_in(&mut self, mut pending: Vec<u32>) -> Result<(), Error> {
        // By the place that must enter first: of each parent, its children.
        let mut waiting: BTreeMap<u32, Vec<(u32, Vec<Sibling>)>> = BTreeMap::new();
        let mut entered = true;
        while core::mem::take(&mut entered) && !pending.is_empty() {
            let mut ready = Vec::with_capacity(pending.len());
            // The instance that the parent is in may enter only now.
            pending.retain(|&place| match self.expansion.spot(place) {
                Some((parent, sibling)) if parent != NONE => {
                    ready.push((parent, sibling));
                    false
                }
                _ => true,
            });
            ready.sort_unstable();
            for siblings in ready.chunk_by(|a, b| a.0 == b.0) {
                let (parent, all) = (siblings[0].0, siblings.iter().map(|(_, sibling)| *sibling));
                if !self.stands(parent) {
                    let awaited = self.awaited(parent);
                    waiting.entry(awaited).or_default().push((parent, all.collect()));
                    continue;
                }
                entered = true;
                self.enter(parent, all.clone())?;
                // Those that waited for one of these, and so on.
                let mut ahead: Vec<u32> =
                    if waiting.is_empty() { Vec::new() } else { all.map(|sibling| sibling.place).collect() };
                while let Some(place) = ahead.pop() {
                    for (parent, siblings) in waiting.remove(&place).unwrap_or_default() {
                        self.enter(parent, siblings.iter().copied())?;
                        ahead.extend(siblings.iter().map(|sibling| sibling.place));
                    }
                }
            }
            let left = core::mem::take(&mut waiting).into_values().flatten().flat_map(|(_, siblings)| siblings);
            pending.extend(left.map(|sibling| sibling.place));
        }
        Ok(())
    }

    fn library(&self) -> &'d Library {
        self.expansion.library
    }

    /// Returns the node of a place. A step knows of all nodes that are gone, so their marks are not looked at.
    fn node(&self, place: u32) -> Option<NodeHandle> {
        let node = node_of_record(self.scene, self.expansion.places.record(self.library(), place)?);
        debug_assert_eq!(node, self.expansion.places.node(self.library(), self.scene, place), "no other node is there");
        node
    }

    /// Returns whether a place has a node below the root.
    fn stands(&self, place: u32) -> bool {
        self.node(place).is_some_and(|node| !self.loose || holds(self.scene, self.root, node))
    }

    /// Returns the place that must enter for a place to stand: its own, or that of the detached node it is below.
    fn awaited(&mut self, place: u32) -> u32 {
        let Some(mut top) = self.node(place) else { return place };
        while let Some(above) = self.scene.parent(top) {
            top = above;
        }
        self.place_of(top).unwrap_or(place)
    }

    /// Returns the place of a node.
    fn place_of(&mut self, node: NodeHandle) -> Option<u32> {
        self.expansion.of_node(self.scene, node)
    }

    /// Removes a node with all nodes below it, and clears their places.
    fn remove(&mut self, node: NodeHandle) -> Result<(), Error> {
        let Some(top) = self.scene.get(node) else { return Ok(()) };
        for below in top.descendants() {
            if let Some(place) = self.expansion.places.of_node(self.library(), self.scene, below.handle()) {
                self.expansion.places.clear(place);
            }
        }
        self.scene.remove(node)?;
        Ok(())
    }

    /// Inserts children of a place that have no node yet, with all that is missing below them, and brings nodes that
    /// were taken out to where they are stated.
    fn enter(&mut self, parent: u32, siblings: impl Iterator<Item = Sibling>) -> Result<(), Error> {
        let Some(above) = self.node(parent) else { return Ok(()) };
        // They come one after another, each behind the last.
        let mut last = None;
        for sibling in siblings {
            let node = self.node(sibling.place);
            // It may have come with a node above it.
            if node.is_some_and(|node| self.scene.parent(node).is_some()) {
                continue;
            }
            let at = self.position(above, &sibling, last);
            last = Some(match node {
                Some(node) => {
                    self.scene.reparent(node, at, Keep::Local)?;
                    node
                }
                None => self.insert(sibling.place, at)?,
            });
        }
        Ok(())
    }

    /// Inserts a place's node with all missing nodes below it.
    fn insert(&mut self, place: u32, at: Place) -> Result<NodeHandle, Error> {
        let (mut first, mut tree) = (None, Tree::new());
        let Self { expansion, scene, list, .. } = self;
        expansion.expand(place, list, |parent, node| match first {
            None => first = Some(node),
            Some(top) => {
                if tree.is_empty() {
                    tree.push(None, top);
                }
                tree.push(parent, node);
            }
        });
        let (library, places) = (expansion.library, &mut *expansion.places);
        // Most are leaves, which need no tree.
        if let Some(node) = first.filter(|_| tree.is_empty()) {
            let node = scene.insert(at, node)?;
            places.put(library, scene, list[0], node);
            return Ok(node);
        }
        let handles = scene.insert_tree(at, &tree).map_err(|refused| refused.error)?;
        list.iter().zip(&handles).for_each(|(&place, &node)| places.put(library, scene, place, node));
        Ok(handles[0])
    }

    /// Returns the place among a parent's children: behind `last` on, or searched from the end.
    fn position(&mut self, parent: NodeHandle, entering: &Sibling, last: Option<NodeHandle>) -> Place {
        let comes_first = |structure: &mut Self, node: &NodeHandle| {
            let place = structure.place_of(*node);
            place.and_then(|place| structure.expansion.sibling(place)).is_none_or(|other| other < *entering)
        };
        if let Some(mut at) = last {
            while let Some(next) = beside(self.scene, at, true).filter(|next| comes_first(self, next)) {
                at = next;
            }
            return Place::After(at);
        }
        let mut next = self.scene.get(parent).and_then(|node| node.last_child()).map(|node| node.handle());
        while let Some(sibling) = next {
            if comes_first(self, &sibling) {
                return Place::After(sibling);
            }
            next = beside(self.scene, sibling, false);
        }
        Place::FirstChildOf(parent)
    }
}
