//! Lines in the picture: boxes of the picked subtree, boxes of slices and blocks, and the frozen camera's frustum.

use super::session::{Boxes, Session};
use crate::lines::{Ink, LineList};
use crate::viewer::Viewer;

const PICKED: Ink = Ink { colour: [255, 150, 10], on_top: true };
const PARTLY: Ink = Ink { colour: [250, 220, 60], on_top: true };
const RECTANGLE: Ink = Ink { colour: [240, 240, 240], on_top: true };
const FROZEN: Ink = Ink { colour: [20, 160, 255], on_top: true };
const SLICE: Ink = Ink { colour: [240, 240, 240], on_top: false };
const BLOCK: Ink = Ink { colour: [90, 220, 90], on_top: false };

/// Returns all lines of a frame, with boxes of the last update.
pub(super) fn outlines(viewer: &Viewer, session: &Session, aspect: f32) -> LineList {
    let scene = &viewer.stage.scene;
    let mut list = LineList::new(viewer.camera.eye);
    for bounds in session.editor.boxes(scene) {
        list.bounds(&bounds, PICKED);
    }
    if let Some(normal) = session.editor.normal(scene) {
        list.line(normal, PICKED);
    }
    for selected in &session.editor.selected {
        let attached = scene.get(selected.drawn.node).filter(|node| !node.is_detached());
        let bounds = attached.and_then(|node| node.bounds());
        bounds.iter().for_each(|bounds| list.bounds(bounds, if selected.whole { PICKED } else { PARTLY }));
    }
    if let Some(corners) = session.rectangle {
        list.rectangle(&viewer.camera, aspect, corners, RECTANGLE);
    }
    if let Some(frozen) = &viewer.frozen {
        list.frustum(frozen, aspect, viewer.stage.shadows.0, FROZEN);
    }
    match session.boxes {
        Boxes::None => {}
        Boxes::Slices => {
            scene.slices().filter_map(|slice| slice.bounds()).for_each(|bounds| list.bounds(&bounds, SLICE));
        }
        Boxes::Blocks => {
            scene.slices().flat_map(|slice| slice.block_bounds()).for_each(|bounds| list.bounds(&bounds, BLOCK));
        }
    }
    list
}
