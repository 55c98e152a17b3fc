//! A scene and its model. Every edit is made on both, and every result is compared.

use super::column::Tags;
use super::draws::Lists;
use super::dump::same_slice;
use super::feed::Seen;
use super::inherited::Shades;
use super::op::{Op, SortKey, Step, Target};
use super::readers::Readers;
use super::renderer::Renderer;
use super::tree::{Met, Tree};
use super::world::World;
use super::{Check, components, decode};
use hedgerow::edit::BatchError;
use hedgerow::motion::Smooth;
use hedgerow::query::BoxIndex;
use hedgerow::{DrawList, Error, Keep, Local, Mat34, Node, NodeHandle, Place, Scene, SceneConfig};

/// Counters of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub steps: usize,
    /// Edits of the scene whose results were compared, at least one per step.
    pub edits: usize,
    /// Comparisons of the whole scene.
    pub looks: usize,
    /// Steps that changed the structure.
    pub structural: usize,
    /// Structural steps that crossed a slice border.
    pub crossing: usize,
    /// Edits that the scene refused correctly.
    pub refused: usize,
    /// Steps that ended with an update.
    pub updates: usize,
    /// Subtrees that were detached, attached, or removed to be freed later.
    pub subtrees: usize,
    /// Subtrees that were copied, or built from a list.
    pub copies: usize,
    pub batches: usize,
    /// Steps after which something was detached.
    pub detached: usize,
    /// The greatest number of nodes in a tree.
    pub largest: usize,
}

impl Counts {
    pub fn plus(self, other: &Self) -> Self {
        Self {
            steps: self.steps + other.steps,
            edits: self.edits + other.edits,
            looks: self.looks + other.looks,
            structural: self.structural + other.structural,
            crossing: self.crossing + other.crossing,
            refused: self.refused + other.refused,
            updates: self.updates + other.updates,
            subtrees: self.subtrees + other.subtrees,
            copies: self.copies + other.copies,
            batches: self.batches + other.batches,
            detached: self.detached + other.detached,
            largest: self.largest.max(other.largest),
        }
    }
}

/// The refusals that an edit may get.
#[derive(Debug, Default)]
pub struct Refusals {
    /// The allowed errors. If there are none, the edit must succeed.
    pub errors: Vec<Error>,
    /// Allowed errors of an item of a list.
    pub items: Vec<BatchError>,
    /// Whether success is allowed too.
    pub unsure: bool,
}

impl Refusals {
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty() && self.items.is_empty()
    }
}

/// A scene, its model, and the state for comparing them.
pub struct Oracle {
    pub scene: Scene,
    pub tree: Tree,
    pub stock: Scene,
    pub counts: Counts,
    pub list: DrawList,
    pub index: BoxIndex,
    pub lists: Lists,
    pub renderer: Renderer,
    pub shades: Shades,
    pub met: Vec<Met>,
    /// The number of nodes of `met` in the tree. The others are detached.
    pub attached: usize,
    pub worlds: Vec<World>,
    pub fresh: Vec<Mat34>,
    pub seen: Seen,
    pub readers: Readers,
    pub tags: Tags,
    /// `None` for scenes that track no changes.
    pub smooth: Option<Smooth>,
    /// Whether the step visited slices and ended with an update.
    pub visited: bool,
    /// Whether only local transforms were set since the last update.
    pub still: bool,
    /// Whether the scene may go back to a checkpoint, after which stale handles may live again.
    pub goes_back: bool,
    /// The error of the last edit, if it was refused.
    pub refusal: Option<Error>,
    most: usize,
    is_lazy: bool,
}

impl Oracle {
    /// Creates an oracle with an empty scene. The bytes limit its size, and choose how often it is updated.
    pub fn new(config: SceneConfig, bytes: [u8; decode::POLICY_BYTES]) -> Self {
        let change_history = [0, 1, 2, 40, 1 << 16][usize::from(bytes[1] % 5)];
        let config = SceneConfig { change_history, ..config };
        let scene = Scene::with_config(config).expect("the policy makes sense");
        let readers = Readers::new(&scene);
        let tree = Tree::new(scene.root());
        let seen = Seen::new(&scene);
        let smooth = Smooth::new(&scene).ok();
        let smooth = if bytes[1].is_multiple_of(2) { smooth.map(Smooth::with_motion) } else { smooth };
        let stock = SceneConfig { max_nodes: 16, ..config };
        Self {
            scene,
            tree,
            stock: Scene::with_config(stock).expect("the policy makes sense"),
            counts: Counts::default(),
            list: DrawList::new(),
            index: BoxIndex::new(),
            lists: Lists::new(),
            renderer: Renderer::new(),
            shades: Shades::new(),
            met: Vec::new(),
            attached: 1,
            worlds: Vec::new(),
            fresh: Vec::new(),
            seen,
            readers,
            tags: Tags::default(),
            smooth,
            visited: false,
            still: false,
            goes_back: false,
            refusal: None,
            most: decode::most_nodes(bytes),
            is_lazy: decode::is_lazy(bytes),
        }
    }

    /// Plays the steps one by one, and compares everything after each.
    pub fn run<'s>(&mut self, steps: impl IntoIterator<Item = &'s Step>) -> Check {
        for step in steps {
            let number = self.counts.steps;
            self.step(step).map_err(|mismatch| super::Mismatch(format!("step {number}, {step:?}: {mismatch}")))?;
        }
        self.compare_stats()
    }

    /// Plays the steps one by one, and compares the returned values of each. Compares everything after each update and
    /// after every `every`-th step.
    pub fn run_sparsely<'s>(&mut self, steps: impl IntoIterator<Item = &'s Step>, every: usize) -> Check {
        for step in steps {
            let number = self.counts.steps;
            let named = |mismatch| super::Mismatch(format!("step {number}, {step:?}: {mismatch}"));
            let updated = self.edit(step).map_err(named)?;
            if updated || number.is_multiple_of(every) {
                self.look(step, updated).map_err(named)?;
            }
        }
        self.compare_stats()
    }

    pub fn step(&mut self, step: &Step) -> Check {
        let updated = self.edit(step)?;
        self.look(step, updated)
    }

    /// Makes the edit of a step. Returns whether it was an update.
    pub fn edit(&mut self, step: &Step) -> Check<bool> {
        self.counts.steps += 1;
        let slices = self.scene.stats().slices;
        let op = self.bounded(step.op);
        self.note_op(&op);
        self.still &= op.keeps_structure();
        if let Some(crossed) = self.play(&op)? {
            self.counts.structural += 1;
            let crossed = crossed || slices != self.scene.stats().slices;
            self.counts.crossing += usize::from(crossed);
        }
        self.counts.detached += usize::from(!self.tree.detached().is_empty());
        self.counts.largest = self.counts.largest.max(self.tree.len());
        Ok(core::mem::take(&mut self.visited) || matches!(op, Op::Update))
    }

    /// Updates if the step says so, and compares everything.
    pub fn look(&mut self, step: &Step, mut updated: bool) -> Check {
        self.counts.looks += 1;
        let puts_off = self.is_lazy && !step.probe.is_multiple_of(8);
        if step.update && !puts_off && !updated {
            self.scene.update();
            updated = true;
        }
        self.counts.updates += usize::from(updated);
        self.still |= updated;
        if updated {
            self.show(step.probe)?;
        }
        self.compare(updated)?;
        self.compare_lists()?;
        if updated {
            self.compare_inherited(step.probe)?;
        }
        self.compare_column(step.probe, updated)?;
        if updated {
            self.compare_draws()?;
            self.compare_motion()?;
            self.compare_feed()?;
        }
        self.compare_readers(updated)?;
        self.compare_spatial(step.probe, updated)?;
        self.compare_renderer(step.probe, updated)?;
        self.probe(step.probe, updated)
    }

    /// Returns the edit, or a replacement that bounds the size of the tree.
    pub fn bounded(&self, op: Op) -> Op {
        let full = self.tree.len() >= self.most;
        let copied =
            |node: Target| self.tree.find(self.tree.pick(node)).map_or(0, |top| self.tree.pre_order(top).len());
        match op {
            Op::Crowd { at, .. } | Op::Insert { at, .. } | Op::Plant { at, .. } | Op::Build { at, .. } if full => {
                Op::Remove(at.target().leafward())
            }
            Op::Duplicate { node, to } if self.tree.len() + copied(node) > self.most => {
                Op::Duplicate { node: node.leafward(), to }
            }
            Op::DuplicateFrom { node, to } if self.tree.len() + copied(node) > self.most => {
                Op::DuplicateFrom { node: node.leafward(), to }
            }
            op => op,
        }
    }

    /// Makes one edit. For a structural edit, returns whether it is known to have crossed a slice border.
    pub fn play(&mut self, op: &Op) -> Check<Option<bool>> {
        match *op {
            Op::Insert { at, node } => {
                let place = self.tree.place(at);
                Ok(self.insert(place, node)?.map(|index| self.is_apart(index, place.anchor())))
            }
            Op::Plant { at, node, more, seed } => self.plant(self.tree.place(at), node, more, seed),
            Op::Crowd { at, node, more } => self.crowd(self.tree.place(at), node, more),
            Op::RemoveMany { node, more, seed } => self.remove_many(node, more, seed),
            Op::SetLocals { node, transform, more, seed } => {
                self.set_locals(node, transform, more, seed).map(|()| None)
            }
            Op::SetWorlds { node, world, transform, more, seed } => {
                self.set_worlds(node, [Local::Matrix(world), Local::Transform(transform)], more, seed).map(|()| None)
            }
            Op::DetachMany { node, more, seed } => self.detach_many(node, more, seed),
            Op::ReparentMany { node, to, keep, more, seed } => self.reparent_many(node, to, keep, more, seed),
            Op::Topmost { node, more, seed } => self.topmost(node, more, seed).map(|()| None),
            Op::Build { at, node, more, seed, flaw } => self.build(self.tree.place(at), node, more, seed, flaw),
            Op::Duplicate { node, to } => self.duplicate(self.tree.pick(node), self.tree.place(to)),
            Op::DuplicateFrom { node, to } => self.duplicate_from(self.tree.pick(node), self.tree.place(to)),
            Op::Reload { options, config } => self.reload(options, config),
            Op::Detach(target) => self.detach_subtree(self.tree.pick(target)),
            Op::Attach { node, to, keep } => self.attach_subtree(self.tree.pick(node), self.tree.place(to), keep),
            Op::Remove(target) => self.remove(self.tree.pick(target)),
            Op::Reparent { node, to, keep } => self.reparent(self.tree.pick(node), self.tree.place(to), keep),
            Op::Drag { of, more, seed } => self.drag(self.tree.pick(of), more, seed),
            Op::SortChildren(target, key) => self.sort(self.tree.pick(target), key),
            Op::Clear => self.clear(),
            Op::SetWorld(target, matrix) => self.set_world(self.tree.pick(target), matrix).map(|()| None),
            Op::SetAnchored { node, anchored, keep } => {
                self.set_anchored(self.tree.pick(node), anchored, keep).map(|()| None)
            }
            Op::LookAt { node, target, up } => self.look_at(self.tree.pick(node), target, up).map(|()| None),
            Op::Maintain(budget) => self.maintain(budget),
            Op::ShrinkToFit => self.shrink(),
            Op::TryReserve(target, more) => self.reserve(self.tree.pick(target), more),
            Op::Visit { visit, below, more, seed } => {
                self.visit_slices(visit)?;
                if self.visited || more == 0 || self.tree.len() + usize::from(more) > self.most {
                    return Ok(None);
                }
                self.plant(Place::LastChildOf(self.tree.pick(below)), Node::group(), more, seed)
            }
            Op::Detour { node, by, change, to, keep } => {
                self.detour(self.tree.pick(node), self.tree.pick(by.detached()), change, to, keep)
            }
            Op::Update => self.plain(Scene::update),
            ref other => self.component(other).map(|()| None),
        }
    }

    /// Makes an edit whose allowed errors are `refusals`. A refused edit must leave the scene unchanged.
    pub fn attempt<T, E: Into<BatchError>>(
        &mut self,
        refusals: Refusals,
        edit: impl FnOnce(&mut Scene) -> Result<T, E>,
    ) -> Check<Option<T>> {
        self.counts.edits += 1;
        self.refusal = None;
        // The edit may have allocated scratch buffers, which the scene keeps.
        let stats = |scene: &Scene| {
            let mut stats = scene.stats();
            stats.overhead_bytes = 0;
            format!("{stats:?}")
        };
        let before = (!refusals.is_empty()).then(|| stats(&self.scene));
        match edit(&mut self.scene) {
            Ok(answer) => {
                let allowed = refusals.is_empty() || refusals.unsure;
                ensure!(allowed, "done, where it is to be refused for {refusals:?}");
                Ok(Some(answer))
            }
            Err(error) => {
                let BatchError { item, error } = error.into();
                let whole = refusals.errors.iter().map(|error| (None, error));
                let items = refusals.items.iter().map(|refused| (refused.item, &refused.error));
                let known = whole.chain(items).any(|(at, expected)| at == item && is_same_error(expected, &error));
                ensure!(known, "item {item:?} refused for {error:?}, not for one of {refusals:?}");
                self.counts.refused += 1;
                self.refusal = Some(error);
                let (before, after) = (before.unwrap_or_default(), stats(&self.scene));
                ensure!(before == after, "refused for {error:?}, but changed {before} to {after}");
                Ok(None)
            }
        }
    }

    /// Returns the model's node of the handle, or adds a refusal if the handle is stale.
    pub fn live(&self, handle: NodeHandle, refusals: &mut Refusals) -> Option<usize> {
        let index = self.tree.find(handle);
        if index.is_none() {
            refusals.errors.push(Error::StaleHandle(handle));
        }
        index
    }

    /// Adds refusals for a stale anchor, for a place beside a root, and for an index beyond the other children.
    pub fn free(&self, place: Place, moving: Option<usize>, refusals: &mut Refusals) {
        let Some(anchor) = place.anchor() else { return };
        let beside = matches!(place, Place::Before(_) | Place::After(_));
        match self.live(anchor, refusals) {
            Some(Tree::ROOT) if beside => refusals.errors.push(Error::RootIsFixed),
            Some(index) if beside && self.tree.is_detached_root(index) => {
                refusals.errors.push(Error::BesideDetached(anchor));
            }
            Some(parent) => {
                let Place::Child(_, index) = place else { return };
                let children = self.tree.at(parent).children.iter().filter(|&&child| Some(child) != moving).count();
                if index > children {
                    refusals.errors.push(Error::IndexOutOfRange { parent: anchor, index, children });
                }
            }
            None => {}
        }
    }

    /// Returns whether the node is in another slice than its parent or the neighbour.
    pub fn is_apart(&self, index: usize, neighbour: impl Into<Option<NodeHandle>>) -> bool {
        let entry = self.tree.at(index);
        let parent = entry.parent.map(|parent| self.tree.handle(parent));
        [parent, neighbour.into()]
            .into_iter()
            .flatten()
            .any(|other| self.scene.contains(other) && !same_slice(&self.scene, entry.handle, other))
    }

    /// Makes an edit that is never refused and changes nothing in the model.
    fn plain(&mut self, edit: impl FnOnce(&mut Scene)) -> Check<Option<bool>> {
        edit(&mut self.scene);
        Ok(None)
    }

    pub fn insert(&mut self, place: Place, node: Node<'static>) -> Check<Option<usize>> {
        let mut refusals = Refusals::default();
        self.free(place, None, &mut refusals);
        components::faults(&node, &mut refusals.errors);
        let Some(handle) = self.attempt(refusals, |scene| scene.insert(place, node))? else {
            return Ok(None);
        };
        ensure!(!self.tree.was_issued(handle), "{handle:?} was given to an earlier node");
        ensure!(NodeHandle::from_bits(handle.to_bits()) == Some(handle), "{handle:?} loses bits");
        let index = self.tree.add(handle, place, &components::as_kept(node));
        self.adopt_node(index, &node)?;
        Ok(Some(index))
    }

    fn plant(&mut self, place: Place, node: Node<'static>, more: u8, seed: u8) -> Check<Option<bool>> {
        let Some(top) = self.insert(place, node)? else {
            return Ok(None);
        };
        let mut planted = vec![self.tree.handle(top)];
        for turn in 0..more {
            let pick = seed.wrapping_mul(37).wrapping_add(turn.wrapping_mul(101));
            let anchor = planted[usize::from(pick >> 3) % planted.len()];
            let place = match pick & 7 {
                0..=4 => Place::LastChildOf(anchor),
                5 => Place::FirstChildOf(anchor),
                6 => Place::Before(anchor),
                _ => Place::After(anchor),
            };
            let local = node.local.filter(|_| pick & 2 == 0);
            let child = Node { local, translation_f64: node.translation_f64.filter(|_| local.is_some()), ..node };
            if let Some(index) = self.insert(place, child)? {
                planted.push(self.tree.handle(index));
            }
        }
        Ok(Some(self.is_apart(top, place.anchor())))
    }

    /// Inserts nodes one by one at a place until one is refused.
    fn crowd(&mut self, place: Place, node: Node<'static>, more: u8) -> Check<Option<bool>> {
        let mut crossed = None;
        for _ in 0..=more {
            let Some(index) = self.insert(place, node)? else { break };
            crossed = Some(crossed == Some(true) || self.is_apart(index, place.anchor()));
        }
        Ok(crossed)
    }

    /// Moves children of a node to the first or last place, or next to a sibling, usually always to the same place.
    fn drag(&mut self, handle: NodeHandle, more: u8, seed: u8) -> Check<Option<bool>> {
        let mut crossed = None;
        for turn in 0..=more {
            let Some(index) = self.tree.find(handle) else { break };
            let children = &self.tree.at(index).children;
            let Some(last) = children.len().checked_sub(1) else { break };
            let pick = usize::from(seed.wrapping_mul(29).wrapping_add(turn.wrapping_mul(83)));
            let child = |place: usize| self.tree.handle(children[place]);
            let (moved, place) = match seed % 5 {
                0 => (child(last), Place::FirstChildOf(handle)),
                1 => (child(0), Place::LastChildOf(handle)),
                2 => (child(pick % children.len()), Place::FirstChildOf(handle)),
                3 => (child(pick % children.len()), Place::Before(child(children.len() / 2))),
                _ => (child(pick % children.len()), Place::After(child(pick / 3 % children.len()))),
            };
            if place.anchor() != Some(moved)
                && let Some(apart) = self.reparent(moved, place, Keep::Local)?
            {
                crossed = Some(crossed == Some(true) || apart);
            }
        }
        Ok(crossed)
    }

    fn sort(&mut self, handle: NodeHandle, key: SortKey) -> Check<Option<bool>> {
        let mut refusals = Refusals::default();
        let index = self.live(handle, &mut refusals);
        let done = self.attempt(refusals, |scene| {
            scene.edit(handle)?.sort_children_by(|a, b| match key {
                SortKey::Material => a.own_material().cmp(&b.own_material()),
                SortKey::NameReversed => b.name().cmp(&a.name()),
                SortKey::Handle => a.handle().to_bits().cmp(&b.handle().to_bits()),
                SortKey::Constant => core::cmp::Ordering::Equal,
            });
            Ok::<_, Error>(())
        })?;
        let (Some(()), Some(index)) = (done, index) else {
            return Ok(None);
        };
        let mut children = self.tree.at(index).children.clone();
        let tree = &self.tree;
        children.sort_by(|&a, &b| match key {
            SortKey::Material => tree.at(a).material.cmp(&tree.at(b).material),
            SortKey::NameReversed => tree.at(b).name.cmp(&tree.at(a).name),
            SortKey::Handle => tree.handle(a).to_bits().cmp(&tree.handle(b).to_bits()),
            SortKey::Constant => core::cmp::Ordering::Equal,
        });
        let crossed =
            children.windows(2).any(|pair| !same_slice(&self.scene, tree.handle(pair[0]), tree.handle(pair[1])));
        self.tree.at_mut(index).children = children;
        Ok(Some(crossed))
    }
}

/// Returns whether two errors are equivalent. The message and the singular parent may differ.
fn is_same_error(expected: &Error, error: &Error) -> bool {
    match (expected, error) {
        (Error::NotFinite(_), Error::NotFinite(_)) | (Error::Singular(_), Error::Singular(_)) => true,
        (expected, error) => expected == error,
    }
}

pub fn from_bytes(policy: [u8; decode::POLICY_BYTES]) -> Oracle {
    Oracle::new(decode::any_policy(policy), policy)
}
