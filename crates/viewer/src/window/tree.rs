//! The tree of nodes: rows of nodes that are open, of which only those that are seen are asked about.

use crate::stage::Stage;
use egui::{ScrollArea, Ui};
use hedgerow::{NodeHandle, Scene};
use std::collections::HashSet;

/// Frames from one look at the tree to the next.
const EVERY: u32 = 15;

/// Which nodes are open, and the rows that makes.
pub(super) struct Tree {
    open: HashSet<NodeHandle>,
    rows: Vec<(NodeHandle, u16)>,
    stale: u32,
}

impl Tree {
    pub(super) fn new() -> Self {
        Self { open: HashSet::new(), rows: Vec::new(), stale: 0 }
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

    pub(super) fn show(&mut self, ui: &mut Ui, stage: &Stage, picked: &mut Option<NodeHandle>) {
        let scene = &stage.scene;
        ui.horizontal(|ui| {
            if ui.button("open all").clicked() {
                let all = scene.descendants(scene.root());
                self.open = all.filter(|&node| scene.first_child(node).is_some()).collect();
                self.stale = 0;
            }
            if ui.button("close all").clicked() {
                self.open.clear();
                self.stale = 0;
            }
            if ui.button("show picked").clicked()
                && let Some(node) = *picked
            {
                self.open.extend(scene.ancestors(node));
                self.stale = 0;
            }
        });
        if self.stale == 0 {
            self.list(scene);
            self.stale = EVERY;
        }
        self.stale -= 1;
        let height = ui.text_style_height(&egui::TextStyle::Body);
        ui.label(format!("{} rows of {} nodes", self.rows.len(), scene.len()));
        let mut toggled = None;
        ScrollArea::both().auto_shrink(false).show_rows(ui, height, self.rows.len(), |ui, seen| {
            for &(node, depth) in &self.rows[seen] {
                ui.horizontal(|ui| {
                    ui.add_space(10.0 * f32::from(depth.min(40)));
                    let has_children = scene.first_child(node).is_some();
                    let mark = match (has_children, depth == 0 || self.open.contains(&node)) {
                        (true, true) => "-",
                        (true, false) => "+",
                        (false, _) => " ",
                    };
                    if ui.small_button(mark).clicked() && has_children {
                        toggled = Some(node);
                    }
                    let name = scene.name(node).map_or_else(|| describe(scene, node), str::to_owned);
                    if ui.selectable_label(*picked == Some(node), name).clicked() {
                        *picked = Some(node);
                    }
                });
            }
        });
        if let Some(node) = toggled {
            if !self.open.remove(&node) {
                self.open.insert(node);
            }
            self.stale = 0;
        }
    }
}

/// What a node without a name is called.
fn describe(scene: &Scene, node: NodeHandle) -> String {
    match scene.shape(node) {
        Some(shape) => format!("mesh {}", shape.mesh),
        None if node == scene.root() => "root".to_owned(),
        None => "node".to_owned(),
    }
}
