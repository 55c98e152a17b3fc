//! Lines in the picture: the box of what is picked, what a frozen camera sees, boxes of slices and blocks.

use super::session::{Boxes, Session};
use crate::gpu::lines::{Ink, LineList};
use crate::viewer::Viewer;
use hedgerow::visit::SliceView;
use hedgerow::{Aabb, Scene};

const PICKED: Ink = Ink { colour: [255, 150, 10], on_top: true };
const FROZEN: Ink = Ink { colour: [20, 160, 255], on_top: true };
const SLICE: Ink = Ink { colour: [240, 240, 240], on_top: false };
const BLOCK: Ink = Ink { colour: [90, 220, 90], on_top: false };
/// Shapes of a block: these have a box in common that is tested first.
const BLOCK_SHAPES: usize = 64;

/// All lines of a frame, as of the last update.
pub(super) fn outlines(viewer: &Viewer, session: &Session, aspect: f32) -> LineList {
    let scene = &viewer.stage.scene;
    let mut list = LineList::new(viewer.camera.eye);
    for bounds in session.editor.boxes(scene) {
        list.bounds(&bounds, PICKED);
    }
    if let Some(frozen) = &viewer.frozen {
        list.frustum(frozen, aspect, viewer.stage.shadows.0, FROZEN);
    }
    match session.boxes {
        Boxes::None => {}
        Boxes::Slices => blocks(scene, &mut list, usize::MAX, SLICE),
        Boxes::Blocks => blocks(scene, &mut list, BLOCK_SHAPES, BLOCK),
    }
    list
}

/// The boxes around runs of shapes, each in one slice.
fn blocks(scene: &Scene, list: &mut LineList, most: usize, ink: Ink) {
    for slice in scene.slices() {
        let len = slice.shapes().len();
        for first in (0..len).step_by(most) {
            list.bounds(&bounds(&slice, first..first.saturating_add(most).min(len)), ink);
        }
    }
}

fn bounds(slice: &SliceView<'_>, slots: std::ops::Range<usize>) -> Aabb {
    let worlds = slice.transforms().worlds();
    let shapes = slots.filter_map(|slot| slice.shapes().get(slot));
    let boxes = shapes.map(|shape| shape.shape.bounds.transformed(&worlds[shape.slots.transform]));
    boxes.filter(Aabb::is_finite).fold(Aabb::EMPTY, |all, bounds| all.merge(&bounds))
}
