//! Arranges the children of a node as a whole: in another order, and in slices that stand side by side.

use crate::store::bulk::even_shares;
use crate::store::columns::{At, NIL};
use crate::store::restructuring::split::Planner;
use crate::store::restructuring::transplant::Marks;
use crate::store::work;
use crate::store::{ChangeKinds, Need, Slice, Spot, Store};
use crate::{NodeHandle, SceneConfig};
use bumpalo::Bump;
use bumpalo::collections::Vec as BumpVec;

/// A planned slice: a run of children, given by their places in the list of all.
struct Run {
    /// The slice that its first child already has to itself and keeps.
    kept: Option<u32>,
    /// The children to move there.
    first: usize,
    end: usize,
    /// What these need.
    need: Need,
    /// The rows that the slice will have.
    rows: u32,
    /// Whether more children may join.
    open: bool,
}

/// Limits on the size of runs.
struct Sizes {
    /// A run with this many rows takes no more children.
    enough: u32,
    /// A child joins a run only if the run then has at most this many rows.
    most: u32,
    /// A child with this many rows never joins others.
    large: u32,
}

impl Store {
    /// Puts the children of a node into the order of this list, which has all of them. Runs in **O(children)** if all
    /// of them are in the slice of the node or behind portals there, else in **O(rows)** of the slices that hold them.
    pub(crate) fn sort_children(&mut self, parent: NodeHandle, sorted: &[NodeHandle]) {
        let above = self.place_of(parent);
        if self.feed.is_some() {
            for &child in sorted {
                self.note_edit(self.place_of(child), ChangeKinds::ORDER);
            }
        }
        let members: Option<Vec<u32>> = sorted.iter().map(|&child| self.member(above, child)).collect();
        match members {
            Some(rows) => self.relink_children(above, &rows),
            None => self.arrange_children(parent, sorted),
        }
    }

    /// Rearranges the children of each node whose slices are behind more portals than edits produce: snapshots of
    /// earlier versions contain such nodes. Returns the number of such nodes.
    pub(in crate::store) fn arrange_deep_children(&mut self) -> usize {
        let mut parents = Vec::new();
        let allowed = self.allowed_levels();
        self.each_level(|store, level, portal| {
            if level > allowed {
                parents.extend(store.parent(portal).map(|at| store.handle(at)));
            }
        });
        parents.sort_unstable();
        parents.dedup();
        for &parent in &parents {
            let first = self.first_child(self.place_of(parent));
            let children = core::iter::successors(first, |&child| self.next_sibling(child));
            let children: Vec<NodeHandle> = children.map(|child| self.handle(child)).collect();
            self.arrange_children(parent, &children);
        }
        parents.len()
    }

    /// The greatest number of nested slices that hold children of one node.
    pub(crate) fn slice_levels(&self) -> usize {
        let mut most = 0;
        self.each_level(|_, level, _| most = most.max(level));
        most
    }

    /// The greatest number of levels that edits produce with this many slices: a run of portals has at least a quarter
    /// of `max_nodes` when it is cut.
    fn allowed_levels(&self) -> usize {
        let fan = Planner::new(self.config.max_nodes).least() as usize;
        let levels = core::iter::successors(Some(1), |&slices: &usize| slices.checked_mul(fan));
        2 * levels.take_while(|&slices| slices < self.slice_count()).count() + 3
    }

    /// Calls `tell` for each slice behind a portal with the number of slices from it up to the one that holds the
    /// parent of its top rows. Runs in O(slices).
    fn each_level(&self, mut tell: impl FnMut(&Self, usize, At)) {
        let mut pending = vec![(At::ROOT.slice, 0)];
        pending.extend(self.detached.iter().map(|&top| (top, 0)));
        while let Some((number, level)) = pending.pop() {
            work::slices(1);
            for &child in &self.slice(number).children {
                let portal = self.slice(child).portal;
                let level = if self.row(portal).parent == NIL { level + 1 } else { 1 };
                tell(self, level, portal);
                pending.push((child, level));
            }
        }
    }

    fn place_of(&self, node: NodeHandle) -> At {
        self.resolve(node).expect("the node was checked before, and rows that move keep their handles")
    }

    /// The row that represents a child in the slice of its parent: its own, or the portal to a slice that it has to
    /// itself.
    fn member(&self, above: At, child: NodeHandle) -> Option<u32> {
        let mut at = self.place_of(child);
        if at.slice != above.slice && self.slice(at.slice).is_alone(at.row) {
            at = self.slice(at.slice).portal;
        }
        (at.slice == above.slice && self.row(at).parent == above.row).then_some(at.row)
    }

    /// Links the children of a row in another order.
    fn relink_children(&mut self, above: At, rows: &[u32]) {
        let slice = &mut self.slices[above.slice as usize];
        let mut previous = NIL;
        for (index, &row) in rows.iter().enumerate() {
            let links = slice.row_mut(row);
            links.previous = previous;
            links.next = rows.get(index + 1).copied().unwrap_or(NIL);
            previous = row;
        }
        let parent = slice.row_mut(above.row);
        parent.first_child = rows.first().copied().unwrap_or(NIL);
        parent.last_child = previous;
        let moved = u32::try_from(rows.len()).expect("rows number less than 2^31");
        slice.misplaced = slice.misplaced.saturating_add(moved);
        self.tell_edited(above.slice);
    }

    /// Moves the children of a node, in this order, to new slices side by side. Children that have a slice to
    /// themselves may keep it. What is up to date stays so.
    fn arrange_children(&mut self, parent: NodeHandle, sorted: &[NodeHandle]) {
        let arena = self.scratch.take();
        let numbers = self.gather_children(parent, sorted, &arena);
        self.hang_side_by_side(parent, numbers, &arena);
        self.scratch.give_back(arena);
    }

    /// Moves the children of a node to the slices that they are to have, which hang nowhere then; returns these.
    fn gather_children<'b>(&mut self, parent: NodeHandle, sorted: &[NodeHandle], arena: &'b Bump) -> BumpVec<'b, u32> {
        let before = self.slices_of_children(self.place_of(parent), arena);
        let runs = self.plan_runs(parent, sorted, arena);
        let mut numbers = BumpVec::with_capacity_in(runs.len(), arena);
        for run in &runs {
            let number = match run.kept {
                Some(number) => {
                    self.make_room_for_all(number, &run.need);
                    number
                }
                None => {
                    let SceneConfig { expansion_factor, max_nodes, .. } = self.config;
                    self.open_below(self.place_of(parent), &run.need.times(expansion_factor, max_nodes))
                }
            };
            for &child in &sorted[run.first..run.end] {
                let At { slice, row } = self.place_of(child);
                self.slices[slice as usize].unlink_run(slice, row, row);
                let spot = Spot { slice: number, parent: NIL, previous: self.slice(number).last_top, next: NIL };
                self.transplant(slice, row, &spot, Marks::Keep);
            }
            numbers.push(number);
        }
        for run in &runs {
            if let Some(number) = run.kept {
                self.unhang(number);
            }
        }
        for &number in before.iter().rev() {
            debug_assert_eq!(self.slice(number).row_slots.live(), 0, "all that it held was moved");
            self.unhang(number);
            self.close_slice(number);
        }
        numbers
    }

    /// The slices that hold children of a node or portals to them, each after the one above. Leaves out slices that a
    /// child has to itself and keeps.
    fn slices_of_children<'b>(&self, above: At, arena: &'b Bump) -> BumpVec<'b, u32> {
        let mut found = BumpVec::new_in(arena);
        let portals_of = |slice: u32, mut row: u32, found: &mut BumpVec<'b, u32>| {
            work::slices(1);
            while row != NIL {
                work::rows(1);
                let links = self.row(At { slice, row });
                if let Some(child) = links.occupant.as_portal()
                    && !self.keeps_its_child(child, above)
                {
                    found.push(child);
                }
                row = links.next;
            }
        };
        portals_of(above.slice, self.row(above).first_child, &mut found);
        let mut next = 0;
        while let Some(&number) = found.get(next) {
            portals_of(number, self.slice(number).first_top, &mut found);
            next += 1;
        }
        found
    }

    /// Whether a slice holds a single child and is too large to be shared.
    fn keeps_its_child(&self, number: u32, above: At) -> bool {
        let slice = self.slice(number);
        let alone = slice.is_alone(slice.first_top) && slice.row(slice.first_top).occupant.as_node().is_some();
        let independent = above == At::ROOT && (!self.config.storage.share_slices || !slice.children.is_empty());
        alone && (slice.isolated || independent || slice.nodes() >= self.config.min_nodes as usize)
    }

    /// Plans the runs in which the children of a node will lie.
    fn plan_runs<'b>(&self, parent: NodeHandle, sorted: &[NodeHandle], arena: &'b Bump) -> BumpVec<'b, Run> {
        let above = self.place_of(parent);
        let independent = above == At::ROOT;
        let (max, min) = (self.config.max_nodes, self.config.min_nodes);
        // Independent subtrees share a slice only while they are few and small.
        let sizes = if independent {
            Sizes { enough: min, most: 2 * min, large: min }
        } else {
            Sizes { enough: max / 4 * 3, most: max / 4 * 3, large: max }
        };
        let mut runs: BumpVec<'_, Run> = BumpVec::new_in(arena);
        for (place, &child) in sorted.iter().enumerate() {
            let At { slice, row } = self.place_of(child);
            if self.slice(slice).is_alone(row) && self.keeps_its_child(slice, above) {
                let rows = self.slice(slice).row_slots.live();
                let open = !independent && !self.slice(slice).isolated;
                let (first, end, need) = (place + 1, place + 1, Need::default());
                runs.push(Run { kept: Some(slice), first, end, need, rows, open });
                continue;
            }
            let need = self.slice(slice).need_of(row);
            let joins = |run: &Run| {
                run.open && need.rows < sizes.large && run.rows < sizes.enough && run.rows + need.rows <= sizes.most
            };
            if let Some(run) = runs.last_mut().filter(|run| joins(run)) {
                run.end = place + 1;
                run.need.extend(&need);
                run.rows += need.rows;
            } else {
                let open = !independent || (self.config.storage.share_slices && need.rows < sizes.large);
                let (first, end, rows) = (place, place + 1, need.rows);
                runs.push(Run { kept: None, first, end, need, rows, open });
            }
        }
        runs
    }

    /// Opens a slice with room that is not attached yet, and that inherits what the children of a node inherit.
    pub(in crate::store) fn open_below(&mut self, above: At, need: &Need) -> u32 {
        let number = self.open_slice(Slice::with_room(need));
        let [below, source] =
            self.slices.get_disjoint_mut([number as usize, above.slice as usize]).expect("the slice was just opened");
        let [transform, visibility, material] = source.inherited(above.row).map(|slot| slot.index() as usize);
        below.transforms.worlds[0] = source.transforms.worlds[transform];
        below.visibilities.effective[0] = source.visibilities.effective[visibility];
        below.materials.values[0] = source.materials.values[material];
        if source.marks_below(above.row) {
            below.transforms.mark_all();
        }
        below.take_base_history(source, above.row);
        // Where an update was broken off, the mask may be newer than its history.
        below.visibilities.dirty = source.visibilities.dirty;
        below.membership = source.membership;
        if let Some(feed) = &mut self.feed {
            feed.list_uncommitted(number, below);
        }
        number
    }

    /// Detaches a slice from its portal, and unlinks the portal from its chain. Returns where the portal was.
    pub(in crate::store) fn unhang(&mut self, number: u32) -> At {
        let portal = self.disown(number);
        self.wake_beside(portal);
        let above = &mut self.slices[portal.slice as usize];
        above.unlink(portal.row);
        above.free_row(portal.row);
        self.tell_edited(portal.slice);
        portal
    }

    /// Attaches slices below a node without children, in this order. Many slices go behind portals to runs of portals,
    /// all of them behind equally many.
    fn hang_side_by_side<'b>(&mut self, parent: NodeHandle, mut numbers: BumpVec<'b, u32>, arena: &'b Bump) {
        let (half, quarter) =
            (self.config.max_nodes as usize / 2, Planner::new(self.config.max_nodes).least() as usize);
        while numbers.len() > quarter {
            let most = half.min(numbers.len().div_ceil(2));
            let mut above = BumpVec::new_in(arena);
            for run in even_shares(&numbers, most) {
                let rows = u32::try_from(run.len()).expect("slices number less than 2^31");
                let number = self.open_below(self.place_of(parent), &Need { rows, ..Need::default() });
                for &child in run {
                    let spot = Spot { slice: number, parent: NIL, previous: self.slice(number).last_top, next: NIL };
                    self.insert_portal_in_step(&spot, child);
                }
                above.push(number);
            }
            numbers = above;
        }
        let rows = u32::try_from(numbers.len()).expect("slices number less than 2^31");
        let need = Need { rows, ..Need::default() };
        while self.make_room_for_all(self.place_of(parent).slice, &need) {}
        for number in numbers {
            let At { slice, row } = self.place_of(parent);
            let spot = Spot { slice, parent: row, previous: self.row(At { slice, row }).last_child, next: NIL };
            self.insert_portal_in_step(&spot, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::config::StoragePolicy;
    use crate::store::columns::NIL;
    use crate::store::{Need, Spot};
    use crate::{Node, NodeHandle, Scene, SceneConfig, Transform};
    use std::time::Duration;

    /// A scene in which each child of the root has a slice, and each slice is nested behind the one before, as in
    /// earlier versions.
    fn nested() -> (Scene, Vec<NodeHandle>) {
        let config = SceneConfig {
            max_nodes: 16,
            min_nodes: 4,
            storage: StoragePolicy { share_slices: false, ..StoragePolicy::DEFAULT },
            ..SceneConfig::DEFAULT
        };
        let mut scene = Scene::with_config(config).unwrap();
        let node = Node::transform(Transform::from_xyz(1.0, 0.0, 0.0));
        let children: Vec<_> = (0..60).map(|_| scene.insert(scene.root(), node).unwrap()).collect();
        scene.update();
        let store = &mut scene.store;
        let slices: Vec<u32> = children.iter().map(|&child| store.place_of(child).slice).collect();
        for pair in slices.windows(2) {
            let portal = store.slice(pair[1]).portal;
            store.drop_portal_of(pair[1]);
            assert_ne!(portal.slice, pair[0]);
            let previous = store.slice(pair[0]).last_top;
            let spot = Spot { slice: pair[0], parent: NIL, previous, next: NIL };
            store.make_room_for_one(&spot, &Need::PORTAL);
            let previous = store.slice(pair[0]).last_top;
            store.insert_portal(&Spot { previous, ..spot }, pair[1]);
        }
        scene.validate().unwrap();
        assert_eq!(scene.stats().slice_levels, 60);
        (scene, children)
    }

    #[test]
    fn slices_that_hang_one_behind_the_other_are_set_side_by_side() {
        let maintain: fn(&mut Scene) = |scene| assert_eq!(scene.maintain(Duration::MAX).remaining, 0);
        for upkeep in [maintain, Scene::shrink_to_fit] {
            let (mut scene, children) = nested();
            upkeep(&mut scene);
            scene.validate().unwrap();
            assert!(scene.stats().slice_levels <= 4);
            assert!(scene.children(scene.root()).eq(children));
            scene.update();
            scene.validate().unwrap();
        }
    }

    #[test]
    fn slices_that_hang_one_behind_the_other_can_be_edited() {
        let (mut scene, mut children) = nested();
        for turn in 0..60 {
            let last = children.pop().unwrap();
            let place = crate::Place::Before(children[turn % 20]);
            scene.reparent(last, place, crate::Keep::Local).unwrap();
            children.insert(turn % 20, last);
            scene.validate().unwrap();
            assert!(scene.children(scene.root()).eq(children.iter().copied()));
        }
    }

    /// A node in a slice of at most 64 rows that is full, and this many children of it, which fill other slices.
    fn filled(children: usize) -> (Scene, NodeHandle, Vec<NodeHandle>) {
        let config = SceneConfig { max_nodes: 64, min_nodes: 16, ..SceneConfig::DEFAULT };
        let mut scene = Scene::with_config(config).unwrap();
        let shelf = scene.insert(scene.root(), Node::group()).unwrap();
        let parent = scene.insert(shelf, Node::group()).unwrap();
        let nodes = (0..children).map(|_| scene.insert(parent, Node::group()).unwrap()).collect();
        let number = scene.store.place_of(parent).slice;
        while scene.store.slice(number).row_slots.live() < 64 {
            scene.insert(shelf, Node::group()).unwrap();
        }
        assert_eq!(scene.store.place_of(parent).slice, number);
        (scene, parent, nodes)
    }

    #[test]
    fn a_full_slice_makes_room_for_the_portals_to_sorted_children() {
        let (mut scene, parent, mut nodes) = filled(760);
        let number = scene.store.place_of(parent).slice;
        let before = scene.store.slice(number).children.len();
        nodes.reverse();
        scene.store.arrange_children(parent, &nodes);
        assert!(before < nodes.len().div_ceil(48), "there are more portals than there were");
        assert!(scene.children(parent).eq(nodes));
        scene.validate().unwrap();
    }

    #[test]
    fn what_edits_produce_is_never_set_side_by_side_again() {
        let config = SceneConfig { max_nodes: 16, min_nodes: 2, ..SceneConfig::DEFAULT };
        for count in [5, 30, 100, 500, 2000] {
            let mut scene = Scene::with_config(config).unwrap();
            let top = scene.insert(scene.root(), Node::group()).unwrap();
            (0..count).for_each(|_| assert!(scene.insert(crate::Place::FirstChildOf(top), Node::group()).is_ok()));
            let (mut reached, mut levels) = (1, 2);
            while reached < scene.slice_count() {
                reached *= 4;
                levels += 1;
            }
            assert!(scene.stats().slice_levels <= levels);
            assert!(scene.store.allowed_levels() >= levels, "{} slices", scene.slice_count());
            assert_eq!(scene.store.arrange_deep_children(), 0);
        }
    }
}
