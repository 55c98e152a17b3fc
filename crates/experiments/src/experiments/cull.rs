//! Frustum culling through the box hierarchy.
//!
//! - `town`: 100 seeded cameras at street level cull a town of 1,000,000 drawables, and each sees 1 to 4 % of it; in
//!   nanoseconds per drawable of the town. The baseline tests a flat list of all boxes, eight at a time. Both sides
//!   list node handles. The town is built depth first and maintained, so boxes close in space share blocks.

use crate::agreement::agree;
use crate::front::{Front, Sizes};
use crate::workloads::{TOWN_PARTS, Town};
use crate::{Case, Outcome, Unit};
use hedgerow::glam::Mat4;
use hedgerow::query::{Boxes, Frustum};
use hedgerow::{Layers, NodeHandle};

/// The number of parts in a house of the town.
const PARTS: Sizes<u32> = Sizes { full: TOWN_PARTS, tiny: 2 };
const CAMERAS: Sizes<usize> = Sizes { full: 100, tiny: 4 };

/// Runs the experiment.
pub fn run(front: &mut Front) -> Outcome {
    let town = &Town::new(PARTS.at(front), 3);
    let drawables = town.nodes.len();
    let frusta = &*frusta(&town.cameras(CAMERAS.at(front), 4))?;
    let boxes = &town.bounds.iter().copied().collect();
    let seen = || Seen { town, boxes, frusta, indices: Vec::new(), found: vec![Vec::new(); frusta.len()] };
    let case = Case::new("town", drawables, Unit::Time, "testing all boxes, eight at a time").against_itself();
    front.calls(
        case.per(drawables * frusta.len()),
        (&mut seen(), &mut seen()),
        |Seen { town, frusta, found, .. }| {
            for (frustum, found) in frusta.iter().zip(found) {
                town.scene.query(frustum, Layers::ALL, found).expect("the town keeps boxes");
            }
        },
        |Seen { town, boxes, frusta, indices, found }| {
            for (frustum, found) in frusta.iter().zip(found) {
                indices.clear();
                boxes.cull(frustum, indices);
                found.clear();
                found.extend(indices.iter().map(|&index| town.nodes[index as usize]));
            }
        },
        |ours, theirs| {
            ours.found.iter_mut().chain(&mut theirs.found).for_each(|found| found.sort_unstable());
            agree(ours.found == theirs.found, "town: other nodes are found than by testing all")
        },
    )
}

/// Returns the frusta of cameras.
pub(super) fn frusta(cameras: &[Mat4]) -> Result<Vec<Frustum>, hedgerow::math::Error> {
    cameras.iter().map(Frustum::from_view_projection).collect()
}

/// A town and the nodes found by each camera.
struct Seen<'t> {
    town: &'t Town,
    boxes: &'t Boxes,
    frusta: &'t [Frustum],
    indices: Vec<u32>,
    found: Vec<Vec<NodeHandle>>,
}
