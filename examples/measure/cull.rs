//! Culling by frusta: boxes tested one after the other, and a town through its hierarchy.
//!
//! - `flat`: 100,000 boxes strewn over a cube, culled by 16 seeded cameras among them, in nanoseconds a box; against the
//!   object-oriented way: one heap object a sub-mesh, each asked by a virtual call and listed by its flag. Both list
//!   indices.
//! - `town`: a town of 1,000,000 shapes, culled by 100 seeded cameras at street level that see 1 to 4 % of it each, in
//!   nanoseconds a shape of the town; against testing all of its boxes flat, eight at a time. Both list node handles. The town
//!   is built depth first, and every slice is reconstituted before anything is measured: boxes that lie near one another in
//!   space then lie in the same blocks.
//!
//! The nodes that both sides list are compared. In `flat` the object-oriented side, which has no tolerance for rounding,
//! may list up to one in a thousand less, and nothing else.

use crate::report::{Case, Report, Unit};
use crate::timing::{median, nanoseconds, take_turns};
use hedgerow::glam::Mat4;
use hedgerow::{
    NodeHandle, Visibility,
    query::{Boxes, Frustum},
};
use hedgerow_naive::{Cullables, TOWN_SHAPES, Town, strewn, strewn_cameras};
use std::error::Error;

const BOXES: usize = 100_000;
const CAMERAS: usize = 16;

/// Runs the experiment.
pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn Error>> {
    flat(report)?;
    town(report)
}

fn frusta(cameras: &[Mat4]) -> Result<Vec<Frustum>, hedgerow::math::Error> {
    cameras.iter().map(Frustum::from_view_projection).collect()
}

fn flat(report: &mut Report) -> Result<(), Box<dyn Error>> {
    let bounds = strewn(BOXES, 1);
    let cameras = strewn_cameras(CAMERAS, 2);
    let frusta = frusta(&cameras)?;
    let boxes: Boxes = bounds.iter().copied().collect();
    let mut objects = Cullables::new(&bounds);
    let (mut found, mut theirs) = (Vec::new(), Vec::new());
    for (frustum, camera) in frusta.iter().zip(&cameras) {
        found.clear();
        theirs.clear();
        boxes.cull(frustum, &mut found);
        objects.cull(camera, &mut theirs);
        let kept = theirs.iter().all(|index| found.binary_search(index).is_ok());
        if !kept || found.len() > theirs.len() + theirs.len() / 1000 + 1 {
            return Err(format!("{} boxes are listed, and {} by the objects", found.len(), theirs.len()).into());
        }
    }
    let (ours, baseline) = take_turns(
        (&mut (boxes, frusta, found), &mut (objects, cameras, theirs)),
        1,
        |(boxes, frusta, found)| {
            for frustum in &*frusta {
                found.clear();
                boxes.cull(frustum, found);
            }
        },
        |(objects, cameras, found)| {
            for camera in &*cameras {
                found.clear();
                objects.cull(camera, found);
            }
        },
    );
    let per_box = (BOXES * CAMERAS) as f64;
    report.case(&Case {
        name: "flat",
        nodes: BOXES,
        unit: Unit::Time,
        ours: ours / per_box,
        baseline: "a virtual call a sub-mesh",
        baseline_figure: baseline / per_box,
    })?;
    Ok(())
}

fn town(report: &mut Report) -> Result<(), Box<dyn Error>> {
    let town = Town::new(3);
    let frusta = frusta(&town.cameras(100, 4))?;
    let boxes: Boxes = town.bounds.iter().copied().collect();
    let (mut found, mut theirs, mut indices) = (Vec::new(), Vec::new(), Vec::new());
    let mut test_all = |frustum: &Frustum, nodes: &mut Vec<NodeHandle>| {
        indices.clear();
        nodes.clear();
        boxes.cull(frustum, &mut indices);
        nodes.extend(indices.iter().map(|&index| town.nodes[index as usize]));
    };
    for frustum in &frusta {
        town.scene.cull_nodes(frustum, Visibility::VISIBLE, &mut found)?;
        test_all(frustum, &mut theirs);
        found.sort_unstable();
        theirs.sort_unstable();
        if found != theirs {
            return Err(format!("{} nodes are found, and {} by testing all", found.len(), theirs.len()).into());
        }
    }
    // The mean over the cameras of the median of a camera's rounds: some see four times as much as others.
    let (mut ours, mut baseline) = (0.0, 0.0);
    for frustum in &frusta {
        let rounds = 5;
        let mut ours_now: Vec<f64> = Vec::with_capacity(rounds);
        let mut theirs_now: Vec<f64> = Vec::with_capacity(rounds);
        for _ in 0..rounds {
            let mut answer = Ok(());
            ours_now.push(nanoseconds(|| answer = town.scene.cull_nodes(frustum, Visibility::VISIBLE, &mut found)));
            answer?;
            theirs_now.push(nanoseconds(|| test_all(frustum, &mut theirs)));
        }
        ours += median(&mut ours_now);
        baseline += median(&mut theirs_now);
    }
    let per_shape = (frusta.len() * TOWN_SHAPES) as f64;
    report.case(&Case {
        name: "town",
        nodes: TOWN_SHAPES,
        unit: Unit::Time,
        ours: ours / per_shape,
        baseline: "testing all boxes, eight at a time",
        baseline_figure: baseline / per_shape,
    })?;
    Ok(())
}
