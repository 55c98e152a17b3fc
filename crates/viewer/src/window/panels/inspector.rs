//! The inspector: switches, times, statistics, and the components of the picked node.

use super::Panels;
use super::tree::describe;
use crate::gpu::renderer::Uploaded;
use crate::stage::Cue;
use crate::viewer::Viewer;
use crate::window::session::{Boxes, Session};
use egui::{CollapsingHeader, Color32, Ui};
use hedgerow::glam::Quat;
use hedgerow::{Layers, Local, NodeHandle};

const KEYS: &str = "left: pick, drag; shift-left: select; right: turn; middle: move; wheel: zoom
C: fly (W A S D Q E, shift: fast) or orbit
N: next animation of a file; V: its next camera
1, 2, 3: overrides of prefabs; 1: smooth motion
1, 2: levels of the town, and their colours; then feet, eyes of figures
F: go to what is picked; P: its parent
delete; ctrl-D: duplicate; ctrl-Z, ctrl-Y: undo, redo
X: freeze the frustum; B: boxes
space: stop; F1: panels; ctrl-Q: close";

/// The number of layers with a checkbox.
const LAYERS: u32 = 8;

impl Panels {
    pub(super) fn inspect(&mut self, ui: &mut Ui, viewer: &mut Viewer, session: &mut Session) {
        if let Some(refused) = session.refused.clone() {
            ui.colored_label(Color32::LIGHT_RED, refused);
            if ui.button("all right").clicked() {
                session.refused = None;
            }
        }
        CollapsingHeader::new("keys").show(ui, |ui| ui.small(KEYS));
        section("node").show(ui, |ui| node(ui, viewer, session));
        section("times").show(ui, |ui| self.plot.show(ui, session));
        if !viewer.stage.animations().is_empty() || !viewer.stage.cameras().is_empty() {
            section("file").show(ui, |ui| file(ui, viewer, session));
        }
        section("switches").show(ui, |ui| switches(ui, viewer, session));
        section("frame").show(ui, |ui| frame(ui, session));
        section("scene").show(ui, |ui| scene(ui, viewer, session));
    }
}

/// Shows playback and cameras of a file.
fn file(ui: &mut Ui, viewer: &mut Viewer, session: &mut Session) {
    let stage = &mut viewer.stage;
    if let Some(playing) = stage.playing() {
        let names = stage.animations();
        let mut animation = playing.animation;
        egui::ComboBox::from_id_salt("animation")
            .width(220.0)
            .show_index(ui, &mut animation, names.len(), |at| &*names[at]);
        if animation != playing.animation {
            session.tell(stage.cue(Cue::Animation(animation)));
        }
        let (mut paused, mut speed, mut time) = (playing.paused, playing.speed, playing.time);
        let end = playing.duration.max(f32::EPSILON);
        if ui.add(egui::Slider::new(&mut time, 0.0..=end).max_decimals(2).suffix(" s").text("time")).changed() {
            session.tell(stage.cue(Cue::Time(time)));
        }
        ui.horizontal(|ui| {
            ui.checkbox(&mut paused, "pause");
            ui.add(egui::DragValue::new(&mut speed).range(-4.0..=4.0).speed(0.01).max_decimals(2).prefix("speed "));
            if ui.button("as in the file").clicked() {
                speed = 1.0;
            }
        });
        stage.set_pace(paused, speed);
    }
    let cameras = stage.cameras();
    if !cameras.is_empty() {
        ui.label("look through");
        let chosen = viewer.through;
        let mut wanted = None;
        for (number, name) in cameras.iter().enumerate() {
            if ui.selectable_label(chosen == Some(number), name).clicked() {
                wanted = Some(number);
            }
        }
        if let Some(number) = wanted {
            session.look_through(viewer, number);
        }
    }
}

fn switches(ui: &mut Ui, viewer: &mut Viewer, session: &mut Session) {
    ui.horizontal(|ui| {
        ui.checkbox(&mut viewer.still, "stop");
        let mut flying = session.flying;
        if ui.checkbox(&mut flying, "fly").changed() {
            session.fly(viewer);
        }
    });
    for (number, (name, mut on)) in viewer.stage.switches().into_iter().enumerate() {
        if ui.checkbox(&mut on, name).changed() {
            session.switch(viewer, number);
        }
    }
    ui.horizontal(|ui| {
        ui.checkbox(&mut viewer.renderer.culling, "culling");
        let mut frozen = viewer.frozen.is_some();
        if ui.checkbox(&mut frozen, "frozen frustum").changed() {
            session.freeze(viewer);
        }
    });
    ui.horizontal(|ui| {
        ui.label("boxes of");
        for (kind, name) in [(Boxes::None, "nothing"), (Boxes::Slices, "slices"), (Boxes::Blocks, "blocks")] {
            ui.selectable_value(&mut session.boxes, kind, name);
        }
    });
    ui.label("layers that are shown");
    tick(ui, &mut viewer.stage.layers);
    ui.add(egui::Slider::new(&mut viewer.load, 0.0..=100.0).text("% of nodes move"));
    let most = session.threads.max(64);
    if ui.add(egui::Slider::new(&mut session.threads, 1..=most).text("threads")).changed() {
        session.tell(viewer.set_threads(session.threads));
    }
}

fn section(name: &str) -> CollapsingHeader {
    CollapsingHeader::new(name).default_open(true)
}

/// Shows checkboxes for layers; the last checkbox is for all remaining layers. Returns whether a layer changed.
fn tick(ui: &mut Ui, layers: &mut Layers) -> bool {
    let before = layers.mask();
    let mut mask = before;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        let others = !0 << LAYERS;
        let bits = (0..LAYERS).map(|layer| (1 << layer, layer.to_string())).chain([(others, "8-31".to_owned())]);
        for (bits, name) in bits {
            if ui.selectable_label(mask & bits != 0, name).clicked() {
                mask = if mask & bits == 0 { mask | bits } else { mask & !bits };
            }
        }
    });
    *layers = Layers::new(mask);
    mask != before
}

fn frame(ui: &mut Ui, session: &Session) {
    let frame = &session.frame;
    let Uploaded { tables, draws, uniforms } = frame.uploaded;
    ui.label(format!(
        "{} draws in {} groups, {} triangles\nthe {} culls\nuploaded {} bytes:\ntables {tables}, draws \
         {draws}, cameras {uniforms}",
        frame.seen[0],
        frame.seen[1],
        frame.seen[2],
        if frame.on_device { "device" } else { "processor" },
        frame.uploaded.bytes(),
    ));
    let [set, moved, inserted, removed] = frame.edits;
    ui.label(format!("{set} set, {moved} moved, {inserted} inserted, {removed} removed"));
}

fn scene(ui: &mut Ui, viewer: &Viewer, session: &Session) {
    let stats = viewer.stage.scene.stats();
    ui.label(format!(
        "{} nodes, {} detached, in {} slices\n{:.1} bytes a node live, {:.1} allocated\n{} unused rows and slots\n{} \
         reconstitutions",
        stats.nodes,
        stats.detached,
        stats.slices,
        stats.live_bytes() as f64 / stats.nodes.max(1) as f64,
        stats.allocated_bytes() as f64 / stats.nodes.max(1) as f64,
        stats.holes,
        stats.reconstitutions,
    ));
    let [done, undone] = session.editor.depth(&viewer.stage);
    ui.label(format!("{done} edits can be undone, {undone} done again"));
    ui.weak(viewer.gpu.name());
}

fn node(ui: &mut Ui, viewer: &mut Viewer, session: &mut Session) {
    let Some(node) = session.editor.picked.filter(|&node| viewer.stage.scene.contains(node)) else {
        ui.weak("click on something");
        return;
    };
    ui.strong(describe(&viewer.stage.scene, node));
    ui.weak(format!("{node:?}"));
    ui.horizontal(|ui| {
        if ui.button("delete").clicked() {
            session.delete(viewer);
        }
        if ui.button("duplicate").clicked() {
            session.duplicate(viewer);
        }
        if ui.button("parent").clicked() {
            session.pick_parent(viewer);
        }
        if ui.button("go to").clicked() {
            session.focus(viewer);
        }
    });
    local(ui, viewer, session, node);
    let scene = &viewer.stage.scene;
    if let Some(world) = scene.world(node) {
        ui.label(format!("world {:.2}", world.translation()));
    }
    if let Some(drawable) = scene.get(node).and_then(|node| node.drawable()) {
        ui.label(format!("mesh {}, {:.2} to {:.2}", drawable.mesh, drawable.bounds.min, drawable.bounds.max));
    }
    let number = |material: Option<u32>| material.map_or("none".to_owned(), |number| number.to_string());
    ui.label(format!(
        "material {}, own {}",
        number(scene.get(node).and_then(|node| node.material())),
        number(scene.get(node).and_then(|node| node.own_material()))
    ));
    let depth = scene.get(node).map_or(0, |node| node.depth());
    ui.label(format!(
        "{} children, depth {depth}, user data {}",
        scene.children(node).count(),
        scene.get(node).map_or(0, |node| node.user_data())
    ));
    if let Some(slot) = scene.get(node).and_then(|node| node.matrix_slot()) {
        ui.label(format!("slice {}, slot {}", slot.slice, slot.slot));
    }
    let own = scene.get(node).and_then(|node| node.own_layers());
    let mut layers = own.or_else(|| scene.get(node).map(|node| node.layers())).unwrap_or(Layers::ALL);
    ui.label(if own.is_some() { "its own layers" } else { "layers, of its parent" });
    if tick(ui, &mut layers) {
        session.show(viewer, node, Some(layers));
    }
    if own.is_some() && ui.button("layers of its parent").clicked() {
        session.show(viewer, node, None);
    }
}

/// Shows the local transform for editing.
fn local(ui: &mut Ui, viewer: &mut Viewer, session: &mut Session, node: NodeHandle) {
    let mut transform = match viewer.stage.scene.local(node) {
        Some(Local::Transform(transform)) => transform,
        Some(Local::Matrix(matrix)) => {
            ui.label(format!("matrix at {:.3}", matrix.translation()));
            return;
        }
        None => {
            ui.weak("no transform");
            return;
        }
    };
    let (mut changed, mut over) = (false, false);
    let mut row = |ui: &mut Ui, name, parts: [&mut f32; 3], speed: f64| {
        ui.horizontal(|ui| {
            for part in parts {
                let response = ui.add(egui::DragValue::new(part).speed(speed).max_decimals(3));
                changed |= response.changed();
                over |= response.drag_stopped() || response.lost_focus();
            }
            ui.label(name);
        });
        changed
    };
    let [tx, ty, tz] = transform.translation.as_mut();
    row(ui, "move", [tx, ty, tz], 0.02);
    let before = transform.rotation.to_euler(hedgerow::glam::EulerRot::YXZ);
    // Turns -0 into 0.
    let degrees = |angle: f32| angle.to_degrees() + 0.0;
    let (mut y, mut x, mut z) = (degrees(before.0), degrees(before.1), degrees(before.2));
    let shown = (y, x, z);
    row(ui, "turn", [&mut x, &mut y, &mut z], 0.5);
    if (y, x, z) != shown {
        let [y, x, z] = [y, x, z].map(f32::to_radians);
        transform.rotation = Quat::from_euler(hedgerow::glam::EulerRot::YXZ, y, x, z);
    }
    let [sx, sy, sz] = transform.scale.as_mut();
    row(ui, "scale", [sx, sy, sz], 0.01);
    if changed {
        session.adjust(viewer, node, Local::Transform(transform));
    }
    if over {
        session.editor.settle();
    }
}
