//! Arranges the children of a node as a whole: in another order, and in slices that stand side by side.

use crate::store::bulk::even_shares;
use crate::store::columns::{At, NIL};
use crate::store::restructuring::split::Planner;
use crate::store::restructuring::transplant::Marks;
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

    /// The greatest number of nested slices that hold children of one node. Runs in O(slices).
    pub(crate) fn slice_levels(&self) -> usize {
        let mut most = 0;
        let mut pending = vec![(At::ROOT.slice, 0)];
        pending.extend(self.detached.iter().map(|&top| (top, 0)));
        while let Some((number, level)) = pending.pop() {
            for &child in &self.slice(number).children {
                let level = if self.row(self.slice(child).portal).parent == NIL { level + 1 } else { 1 };
                most = most.max(level);
                pending.push((child, level));
            }
        }
        most
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
            while row != NIL {
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
        let independent = above == At::ROOT && !slice.children.is_empty();
        alone && (independent || slice.nodes() >= self.config.min_nodes as usize)
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
                let open = !independent;
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
                let open = !independent || need.rows < sizes.large;
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
