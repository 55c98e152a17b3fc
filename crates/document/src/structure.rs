//! Brings the scene to what the library says, for the places that a patch touches.

use crate::error::Error;
use crate::expand::{ByNumber, Expansion, Sibling};
use crate::library::Library;
use crate::places::{NONE, Places};
use hedgerow::internal::node_of_record;
use hedgerow::{Keep, NodeHandle, Place, Scene, Tree};
use std::collections::BTreeSet;

/// The structure of a document's scene while it follows the library.
///
/// Places that are not touched stand as they stood: their parents are those of the scene. A touched place is there if
/// its stated parents end at the root. Nodes that leave take along all below them, but for touched ones that stay.
pub(crate) struct Structure<'d> {
    pub(crate) expansion: Expansion<'d>,
    pub(crate) scene: &'d mut Scene,
    root: u32,
    touched: BTreeSet<u32>,
    /// Of places whose parents were followed, whether they are there.
    known: ByNumber<u32, bool>,
    /// Whether any node may move or leave; if not, each node that is there stays.
    loose: bool,
    /// Memory for the places of what enters.
    list: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Enter,
    Leave(NodeHandle),
    Move(NodeHandle),
}

/// What a touched place is to do, and where: its parent's place, and itself among the siblings.
pub(crate) struct Planned {
    pub(crate) place: u32,
    pub(crate) step: Step,
    spot: Option<(u32, Sibling)>,
}

impl<'d> Structure<'d> {
    /// Prepares to follow the library; the document's root has this place.
    pub(crate) fn new(library: &'d Library, places: &'d mut Places, scene: &'d mut Scene, root: u32) -> Self {
        let (touched, known) = (BTreeSet::new(), ByNumber::from_iter([(root, true)]));
        Self { expansion: Expansion::new(library, places), scene, root, touched, known, loose: true, list: Vec::new() }
    }

    /// Lets these places follow their statements, and makes what the uses at these places name.
    pub(crate) fn follow(mut self, touched: Vec<u32>, uses: &BTreeSet<u32>) -> Result<(), Error> {
        self.touched = touched.into_iter().collect();
        self.touched.remove(&self.root);
        self.loose = !uses.is_empty();
        let (mut gone, mut grown) = (Vec::new(), Vec::new());
        for &place in uses {
            self.swap(place, &mut gone, &mut grown)?;
        }
        let waiting = self.take(gone, grown, true)?;
        if waiting.is_empty() {
            return Ok(());
        }
        // Now the uses are there.
        for (place, node) in waiting {
            if self.expansion.places.is_gone(place) {
                self.remove(node)?;
            }
        }
        (self.known, self.loose) = (ByNumber::from_iter([(self.root, true)]), true);
        self.take(Vec::new(), Vec::new(), false).map(drop)
    }

    /// Takes the steps of touched places. Removes nodes that are gone, and makes what is missing below places that have
    /// grown. Returns the nodes that wait, detached, because the use that their parents are in enters only now.
    fn take(
        &mut self,
        mut gone: Vec<NodeHandle>,
        grown: Vec<u32>,
        may_wait: bool,
    ) -> Result<Vec<(u32, NodeHandle)>, Error> {
        let steps = self.steps();
        let unresolved = |planned: &Planned| planned.spot.is_none() && matches!(planned.step, Step::Leave(_));
        let waits = may_wait && steps.iter().any(unresolved);
        let mut waiting = Vec::new();
        for planned in &steps {
            match planned.step {
                Step::Leave(node) if waits && self.expansion.sibling(planned.place).is_some() => {
                    self.scene.reparent(node, Place::Detached, Keep::Local)?;
                    waiting.push((planned.place, node));
                }
                Step::Leave(node) => gone.push(node),
                // All that move are taken out first, so that no order of moves makes a circle.
                Step::Move(node) => self.scene.reparent(node, Place::Detached, Keep::Local).map(drop)?,
                Step::Enter => {}
            }
        }
        for node in gone {
            self.remove(node)?;
        }
        let moves = steps.into_iter().filter(|planned| !matches!(planned.step, Step::Leave(_)));
        let mut ahead: Vec<(u32, Sibling)> = moves.filter_map(|planned| planned.spot).collect();
        for place in grown {
            // What left with its node needs no children.
            if self.expansion.places.is_gone(place) || self.node(place).is_none() {
                continue;
            }
            for child in self.expansion.children(place) {
                if self.node(child.place).is_none() {
                    ahead.push((place, child));
                }
            }
        }
        self.enter(ahead)?;
        Ok(waiting)
    }

    /// Returns what the touched places are to do, in their order, and where.
    pub(crate) fn steps(&mut self) -> Vec<Planned> {
        let mut steps = Vec::new();
        let places = &*self.expansion.places;
        // Instances are gone only if uses changed.
        if self.loose {
            self.touched.retain(|&place| !places.is_gone(place));
        }
        let touched: Vec<u32> = self.touched.iter().copied().collect();
        self.loose |= touched.iter().any(|&place| self.node(place).is_some());
        for place in touched {
            let spot = self.expansion.spot(place);
            let step = match (self.node(place), self.is_there(place, spot.map(|(parent, _)| parent))) {
                (Some(node), true) => Step::Move(node),
                (Some(node), false) => Step::Leave(node),
                (None, true) => Step::Enter,
                (None, false) => continue,
            };
            steps.push(Planned { place, step, spot });
        }
        steps
    }

    /// Also lets these places follow their statements.
    pub(crate) fn touch(&mut self, places: impl IntoIterator<Item = u32>) {
        self.touched.extend(places.into_iter().filter(|&place| place != self.root));
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

    /// Returns the place of a node.
    pub(crate) fn place_of(&mut self, node: NodeHandle) -> Option<u32> {
        self.expansion.of_node(self.scene, node)
    }

    /// Returns the place of a place's parent.
    fn parent(&mut self, place: u32) -> Option<u32> {
        let node = self.node(place).filter(|_| !self.touched.contains(&place));
        match node {
            Some(node) => self.place_of(self.scene.parent(node)?),
            None => self.expansion.spot(place).map(|(parent, _)| parent),
        }
    }

    /// Returns whether the parents of a touched place end at the root; the first one is given.
    fn is_there(&mut self, place: u32, parent: Option<u32>) -> bool {
        if let Some(parent) = parent.filter(|&at| at != NONE && !self.loose && !self.known.contains_key(&place))
            && self.node(parent).is_some()
        {
            return true;
        }
        let (mut way, mut next) = (Vec::new(), Some(place));
        let there = loop {
            let Some(at) = next.filter(|&at| at != NONE) else { break false };
            if let Some(&known) = self.known.get(&at) {
                break known;
            }
            if !self.loose && self.node(at).is_some() {
                break true;
            }
            // A place on the way counts as not there until its own parents are known, so a circle ends here.
            self.known.insert(at, false);
            way.push(at);
            next = if at == place { parent } else { self.parent(at) };
        };
        self.known.extend(way.into_iter().map(|place| (place, there)));
        there
    }

    /// Makes the instances that a place's use names in place of those that it named.
    fn swap(&mut self, place: u32, gone: &mut Vec<NodeHandle>, grown: &mut Vec<u32>) -> Result<(), Error> {
        let library = self.library();
        if self.expansion.places.is_gone(place) {
            return Ok(());
        }
        let outermost = self.expansion.places.outermost(library, place);
        let Some(node) = self.node(place) else { return Ok(()) };
        let (scope, id) = self.expansion.node(place);
        let uses = library.enter(scope, id);
        let used = self.expansion.places.inner(place);
        if let Some(used) = used {
            let instances = self.expansion.places.inside(used);
            let left: Vec<NodeHandle> = self.nodes_of(&instances).filter(|&other| other != node).collect();
            let below = left.iter().filter_map(|&left| self.scene.get(left)).flat_map(|left| left.descendants());
            // A path that named the root of what the node used may name another node now.
            let below = below.map(|node| node.handle()).chain(self.scene.children(node));
            let handles: Vec<NodeHandle> = below.collect();
            let places: Vec<u32> = handles.into_iter().filter_map(|node| self.place_of(node)).collect();
            let outside = places.into_iter().filter(|&at| !instances.contains(&self.expansion.places.instance_at(at)));
            let outside: Vec<u32> = outside.collect();
            self.touch(outside);
            gone.extend(left);
            self.expansion.places.clear(place);
        }
        let described = self.expansion.describe(outermost);
        self.scene.edit(node)?.set_node(described)?;
        if uses.is_some() || used.is_some() {
            self.expansion.places.put(library, self.scene, outermost, node);
        }
        grown.push(outermost);
        Ok(())
    }

    fn nodes_of<'a>(&'a self, instances: &'a BTreeSet<u32>) -> impl Iterator<Item = NodeHandle> + 'a {
        let places = instances.iter().flat_map(|&instance| self.expansion.places.range(instance));
        places.filter_map(|place| self.node(place))
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

    /// Inserts places that have no node yet, with all that is missing below them, and brings nodes that were taken out
    /// to where they are stated.
    fn enter(&mut self, mut ahead: Vec<(u32, Sibling)>) -> Result<(), Error> {
        ahead.retain(|&(parent, _)| parent != NONE);
        ahead.sort_unstable();
        ahead.dedup_by_key(|(_, sibling)| sibling.place);
        // Siblings come one after another, each behind the last.
        let mut last: Option<(u32, NodeHandle)> = None;
        let mut wait = Vec::new();
        while !ahead.is_empty() {
            let mut entered = false;
            for (parent, sibling) in ahead.drain(..) {
                let Some(above) = self.node(parent) else {
                    wait.push((parent, sibling));
                    continue;
                };
                entered = true;
                let node = self.node(sibling.place);
                let stands = node.is_some_and(|node| self.scene.parent(node).is_some());
                if stands {
                    continue;
                }
                let at = self.position(above, &sibling, last.filter(|last| last.0 == parent).map(|last| last.1));
                let node = match node {
                    Some(node) => {
                        self.scene.reparent(node, at, Keep::Local)?;
                        node
                    }
                    None => self.insert(sibling.place, at)?,
                };
                last = Some((parent, node));
            }
            debug_assert!(entered, "what is there has parents that are there");
            if !entered {
                break;
            }
            core::mem::swap(&mut ahead, &mut wait);
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
        })?;
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

    /// Returns the place among a parent's children. The children from `last` on are searched forwards, otherwise all
    /// from the end.
    fn position(&mut self, parent: NodeHandle, entering: &Sibling, last: Option<NodeHandle>) -> Place {
        let mut at = last;
        let mut next = match last {
            Some(last) => self.scene.get(last).and_then(|node| node.next_sibling()).map(|node| node.handle()),
            None => self.scene.get(parent).and_then(|node| node.last_child()).map(|node| node.handle()),
        };
        while let Some(sibling) = next {
            let place = self.place_of(sibling);
            let other = place.and_then(|place| self.expansion.sibling(place));
            let before = other.is_none_or(|other| other < *entering);
            match (last, before) {
                (Some(_), true) => at = Some(sibling),
                (Some(_), false) => break,
                (None, true) => return Place::After(sibling),
                (None, false) => {}
            }
            let sibling = self.scene.get(sibling);
            let beside =
                sibling.and_then(|node| if last.is_some() { node.next_sibling() } else { node.previous_sibling() });
            next = beside.map(|node| node.handle());
        }
        at.map_or(Place::FirstChildOf(parent), Place::After)
    }
}
