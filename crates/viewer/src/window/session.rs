//! The state of the user's session.

use crate::camera::Camera;
use crate::editor::{Editor, Orbit};
use crate::failure::Result;
use crate::stage::Cue;
use crate::viewer::{Frame, Viewer};
use hedgerow::glam::Vec2;
use hedgerow::{Layers, Local, NodeHandle};

/// The view, the editor and the counts of a session.
pub(super) struct Session {
    pub(super) editor: Editor,
    pub(super) orbit: Orbit,
    /// The corners of the rectangle that is being drawn.
    pub(super) rectangle: Option<[Vec2; 2]>,
    pub(super) flying: bool,
    pub(super) boxes: Boxes,
    pub(super) shows_panels: bool,
    /// The number of threads for the scene's work.
    pub(super) threads: usize,
    /// The last frame, and the time since the frame before it, in milliseconds.
    pub(super) frame: Frame,
    pub(super) frame_ms: f64,
    /// The time of the last frame's panels, in milliseconds.
    pub(super) panels_ms: f64,
    /// The last error shown to the user.
    pub(super) refused: Option<String>,
    pub(super) summary: Summary,
    /// Whether the user quits.
    pub(super) quits: bool,
}

/// The boxes to draw in addition to those of the picked subtree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Boxes {
    #[default]
    None,
    /// Boxes around the drawables of each slice.
    Slices,
    /// Boxes around each block of 64 drawables of a slice.
    Blocks,
}

/// A summary of the user's actions in a window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Frames drawn.
    pub frames: u32,
    /// The time from the start of the program to the first picture, in milliseconds.
    pub first_picture_ms: f64,
    /// The mean time of a frame without drawing and panels, in milliseconds.
    pub work_ms: f64,
    /// The mean time of panels in a frame, in milliseconds.
    pub panels_ms: f64,
    /// How often something was picked in the picture.
    pub picks: usize,
    /// How many draws the last rectangle selected.
    pub selected: usize,
    /// How often something was dragged or adjusted.
    pub moves: usize,
    /// How often something was deleted.
    pub deletions: usize,
    /// How often something was duplicated.
    pub duplicates: usize,
    /// How often something was undone.
    pub undone: usize,
    /// How often something was redone.
    pub redone: usize,
    /// How often another animation of the file was chosen, by a key.
    pub animations: usize,
    /// How often a camera of the file was chosen.
    pub cameras: usize,
    /// How often a switch was toggled.
    pub switched: usize,
    /// The node picked at the end.
    pub picked: Option<String>,
    /// The nodes in the tree at the start and at the end.
    pub nodes: [usize; 2],
    /// The detached nodes at the end.
    pub detached: usize,
}

impl Summary {
    /// Counts a frame.
    pub(super) fn add(&mut self, work_ms: f64, panels_ms: f64) {
        self.frames += 1;
        let share = f64::from(self.frames).recip();
        self.work_ms += (work_ms - self.work_ms) * share;
        self.panels_ms += (panels_ms - self.panels_ms) * share;
    }

    /// Returns one line of JSON.
    #[must_use]
    pub fn json(&self) -> String {
        serde_json::json!({
            "frames": self.frames, "first_picture_ms": self.first_picture_ms, "work_ms": self.work_ms,
            "panels_ms": self.panels_ms, "picks": self.picks, "selected": self.selected, "moves": self.moves,
            "deletions": self.deletions, "duplicates": self.duplicates, "undone": self.undone, "redone": self.redone,
            "animations": self.animations, "cameras": self.cameras, "switched": self.switched, "picked": self.picked,
            "nodes_before": self.nodes[0], "nodes": self.nodes[1], "detached": self.detached,
        })
        .to_string()
    }
}

impl Session {
    /// Starts a session; if `threads` is 0, it uses one thread per core.
    pub(super) fn new(viewer: &Viewer, threads: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
        let nodes = viewer.stage.scene.len();
        Self {
            editor: Editor::default(),
            orbit: Orbit { target: viewer.stage.target },
            rectangle: None,
            flying: false,
            boxes: Boxes::None,
            shows_panels: true,
            threads: if threads > 0 { threads } else { cores },
            frame: Frame::default(),
            frame_ms: 0.0,
            panels_ms: 0.0,
            refused: None,
            summary: Summary { nodes: [nodes; 2], ..Summary::default() },
            quits: false,
        }
    }

    /// Returns the value, or shows the error to the user.
    pub(super) fn tell<T>(&mut self, result: Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(failure) => {
                self.refused = Some(failure.to_string());
                None
            }
        }
    }

    pub(super) fn grab(&mut self, viewer: &mut Viewer, aspect: f32, place: Vec2) {
        let grabbed = self.editor.grab(&mut viewer.stage, &viewer.camera, aspect, place);
        self.summary.picks += usize::from(self.tell(grabbed) == Some(true));
    }

    pub(super) fn drag(&mut self, viewer: &mut Viewer, aspect: f32, place: Vec2) {
        let dragged = self.editor.drag(&mut viewer.stage, &viewer.camera, aspect, place);
        self.tell(dragged);
    }

    /// Selects what is in the rectangle that was drawn.
    pub(super) fn select(&mut self, viewer: &mut Viewer, aspect: f32) {
        let Some(corners) = self.rectangle.take() else { return };
        let selected = self.editor.select(&mut viewer.stage, &viewer.camera, aspect, corners);
        self.tell(selected);
        self.summary.selected = self.editor.selected.len();
    }

    pub(super) fn drop(&mut self) {
        self.summary.moves += usize::from(self.editor.is_dragging());
        self.editor.drop();
    }

    /// Sets a local transform; all calls until the editor settles are one edit.
    pub(super) fn adjust(&mut self, viewer: &mut Viewer, node: NodeHandle, local: Local) {
        let before = self.editor.depth(&viewer.stage);
        let adjusted = self.editor.adjust(&mut viewer.stage, node, local);
        self.tell(adjusted);
        self.summary.moves += usize::from(self.editor.depth(&viewer.stage)[0] > before[0]);
    }

    pub(super) fn show(&mut self, viewer: &mut Viewer, node: NodeHandle, layers: Option<Layers>) {
        let shown = self.editor.show(&mut viewer.stage, node, layers);
        self.tell(shown);
    }

    pub(super) fn delete(&mut self, viewer: &mut Viewer) {
        let before = self.editor.depth(&viewer.stage);
        let deleted = self.editor.delete(&mut viewer.stage);
        self.tell(deleted);
        self.summary.deletions += usize::from(self.editor.depth(&viewer.stage)[0] > before[0]);
    }

    pub(super) fn duplicate(&mut self, viewer: &mut Viewer) {
        let before = self.editor.depth(&viewer.stage);
        let duplicated = self.editor.duplicate(&mut viewer.stage);
        self.tell(duplicated);
        self.summary.duplicates += usize::from(self.editor.depth(&viewer.stage)[0] > before[0]);
    }

    pub(super) fn undo(&mut self, viewer: &mut Viewer) {
        let undone = self.editor.undo(&mut viewer.stage);
        self.summary.undone += usize::from(self.tell(undone) == Some(true));
    }

    pub(super) fn redo(&mut self, viewer: &mut Viewer) {
        let redone = self.editor.redo(&mut viewer.stage);
        self.summary.redone += usize::from(self.tell(redone) == Some(true));
    }

    /// Picks the parent of the picked node.
    pub(super) fn pick_parent(&mut self, viewer: &Viewer) {
        if let Some(parent) = self.editor.picked.and_then(|node| viewer.stage.scene.parent(node)) {
            self.editor.picked = Some(parent);
        }
    }

    /// Moves the camera to the picked node, which the camera orbits from now on.
    pub(super) fn focus(&mut self, viewer: &mut Viewer) {
        let Some(bounds) = self.editor.boxes(&viewer.stage.scene).pop() else { return };
        let target = bounds.center().as_dvec3();
        let away = viewer.camera.forward.as_dvec3() * f64::from(2.0 * bounds.size().length().max(0.5));
        viewer.camera = Camera { eye: target - away, ..viewer.camera };
        self.orbit.target = target;
    }

    /// Follows a camera of the file; the orbit's target lies ahead of that camera.
    pub(super) fn look_through(&mut self, viewer: &mut Viewer, number: usize) {
        let distance = (self.orbit.target - viewer.camera.eye).length();
        viewer.look_through(number);
        self.orbit.target = viewer.camera.eye + viewer.camera.forward.as_dvec3() * distance;
        self.summary.cameras += 1;
    }

    /// Follows the next camera of the file.
    pub(super) fn next_camera(&mut self, viewer: &mut Viewer) {
        let count = viewer.stage.cameras().len();
        if count > 0 {
            self.look_through(viewer, viewer.through.map_or(0, |number| (number + 1) % count));
        }
    }

    /// Plays the next animation of the file.
    pub(super) fn next_animation(&mut self, viewer: &mut Viewer) {
        let count = viewer.stage.animations().len();
        if let Some(playing) = viewer.stage.playing() {
            let next = Cue::Animation((playing.animation + 1) % count.max(1));
            let cued = viewer.stage.cue(next);
            self.summary.animations += usize::from(self.tell(cued).is_some());
        }
    }

    /// Toggles the switch of the stage with this number, if there is such a switch.
    pub(super) fn switch(&mut self, viewer: &mut Viewer, number: usize) {
        if number < viewer.stage.switches().len() {
            let switched = viewer.stage.switch(number);
            self.summary.switched += usize::from(self.tell(switched).is_some());
        }
    }

    /// Freezes culling at the present camera, or unfreezes it.
    pub(super) fn freeze(&mut self, viewer: &mut Viewer) {
        viewer.frozen = viewer.frozen.is_none().then_some(viewer.camera);
    }

    /// Toggles between flying and orbiting a target ahead of the camera.
    pub(super) fn fly(&mut self, viewer: &Viewer) {
        self.flying = !self.flying;
        if !self.flying {
            let camera = &viewer.camera;
            let distance = (self.orbit.target - camera.eye).length();
            self.orbit.target = camera.eye + camera.forward.as_dvec3() * distance;
        }
    }

    /// Shows the next kind of boxes.
    pub(super) fn next_boxes(&mut self) {
        self.boxes = match self.boxes {
            Boxes::None => Boxes::Slices,
            Boxes::Slices => Boxes::Blocks,
            Boxes::Blocks => Boxes::None,
        };
    }
}
