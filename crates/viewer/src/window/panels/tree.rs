//! The tree of nodes: rows of open nodes; only visible rows are queried.

use crate::stage::Stage;
use crate::window::session::Session;
use egui::{ScrollArea, Ui};
use hedgerow::{NodeHandle, Scene};
use std::collections::HashSet;

/// The interval, in frames, at which rows are listed again while the tree changes.
const EVERY: u32 = 15;

/// The open nodes and the resulting rows.
pub(super) struct Tree {
    open: HashSet<NodeHandle>,
    rows: Vec<(NodeHandle, u16)>,
    /// Whether the rows are stale, and for how many more frames stale rows are shown.
    stale: bool,
    wait: u32,
    /// Counts of nodes and edits, which change with the tree.
    seen: ([usize; 2], [usize; 2]),
    picked: Option<NodeHandle>,
    /// The row to scroll to.
    reveal: Option<NodeHandle>,
}

impl Tree {
    pub(super) fn new() -> Self {
        let seen = ([0; 2], [0; 2]);
        Self { open: HashSet::new(), rows: Vec::new(), stale: true, wait: 0, seen, picked: None, reveal: None }
    }

    /// Lists the children of open nodes.
    fn list(&mut self, scene: &Scene) {
        self.rows.clear();
        let mut path = vec![(scene.root(), 0_u16)];
        while let Some((node, depth)) = path.pop() {
            self.rows.push((node, depth));
            if depth == 0 || self.open.contains(&node) {
                let first = path.len();
                path.extend(scene.children(node).map(|child| (child, depth.saturating_add(1))));
                path[first..].reverse();
            }
        }
    }

    /// Lists the rows again if due.
    fn refresh(&mut self, stage: &Stage, session: &Session) {
        let scene = &stage.scene;
        let seen = ([scene.len(), scene.detached().count()], session.editor.depth(stage));
        let [_, moved, inserted, removed] = session.frame.edits;
        self.stale |= seen != self.seen || moved + inserted + removed > 0;
        self.wait = self.wait.saturating_sub(1);
        // The user's edits are shown at once.
        if self.stale && (self.wait == 0 || seen.1 != self.seen.1) {
            self.list(scene);
            (self.stale, self.wait) = (false, EVERY);
        }
        self.seen = seen;
    }

    fn relist(&mut self) {
        (self.stale, self.wait) = (true, 0);
    }

    pub(super) fn show(&mut self, ui: &mut Ui, stage: &Stage, session: &mut Session) {
        let scene = &stage.scene;
        ui.horizontal(|ui| {
            if ui.button("open all").clicked() {
                let all = scene.get(scene.root()).unwrap().descendants().map(|node| node.handle());
                self.open = all.filter(|&node| scene.get(node).and_then(|node| node.first_child()).is_some()).collect();
                self.relist();
            }
            if ui.button("close all").clicked() {
                self.open.clear();
                self.relist();
            }
        });
        // Reveals a node picked elsewhere.
        let picked = session.editor.picked.filter(|&node| scene.get(node).is_some_and(|node| !node.is_detached()));
        if picked != self.picked {
            self.picked = picked;
            self.reveal = picked;
            if let Some(node) = picked {
                self.open.extend(scene.get(node).unwrap().ancestors().map(|node| node.handle()));
                self.relist();
            }
        }
        self.refresh(stage, session);
        ui.label(format!("{} rows of {} nodes", self.rows.len(), scene.len()));
        let height = ui.spacing().interact_size.y;
        let mut area = ScrollArea::both().auto_shrink(false);
        let row = self.reveal.take().and_then(|node| self.rows.iter().position(|&(other, _)| other == node));
        if let Some(row) = row {
            let above = row as f32 * (height + ui.spacing().item_spacing.y);
            area = area.vertical_scroll_offset((above - 0.4 * ui.available_height()).max(0.0));
        }
        let mut toggled = None;
        area.show_rows(ui, height, self.rows.len(), |ui, seen| {
            for &(node, depth) in &self.rows[seen] {
                ui.horizontal(|ui| self.row(ui, scene, (node, depth), &mut toggled, &mut session.editor.picked));
            }
        });
        if session.editor.picked != picked {
            // The node was picked in this panel, so its row is visible.
            self.picked = session.editor.picked;
        }
        if let Some(node) = toggled {
            if !self.open.remove(&node) {
                self.open.insert(node);
            }
            self.relist();
        }
    }

    fn row(
        &self,
        ui: &mut Ui,
        scene: &Scene,
        (node, depth): (NodeHandle, u16),
        toggled: &mut Option<NodeHandle>,
        picked: &mut Option<NodeHandle>,
    ) {
        ui.add_space(10.0 * f32::from(depth.min(40)));
        if !scene.contains(node) {
            ui.weak("removed");
            return;
        }
        let has_children = scene.get(node).and_then(|node| node.first_child()).is_some();
        let mark = match (has_children, depth == 0 || self.open.contains(&node)) {
            (true, true) => "-",
            (true, false) => "+",
            (false, _) => " ",
        };
        let button = egui::Button::new(mark).small().frame(has_children).min_size(egui::vec2(14.0, 14.0));
        if ui.add(button).clicked() && has_children {
            *toggled = Some(node);
        }
        if ui.selectable_label(*picked == Some(node), describe(scene, node)).clicked() {
            *picked = Some(node);
        }
    }
}

/// Returns a label of a node.
pub(super) fn describe(scene: &Scene, node: NodeHandle) -> String {
    match (scene.get(node).and_then(|node| node.name()), scene.get(node).and_then(|node| node.drawable())) {
        (Some(name), _) if !name.is_empty() => name.to_owned(),
        _ if node == scene.root() => "root".to_owned(),
        (_, Some(drawable)) => format!("mesh {}", drawable.mesh),
        _ => "node".to_owned(),
    }
}
