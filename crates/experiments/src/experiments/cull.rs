//! Culling by frusta: boxes tested one after the other, and a town through its hierarchy.
//!
//! - `flat`: 100,000 boxes strewn over a cube, culled by 16 seeded cameras among them, in nanoseconds a box; against
//!   the object-oriented way: one heap object of 64 bytes a sub-mesh, each asked by a virtual call and listed by its
//!   flag. Both list indices.
//! - `flat-columns`: the same against what the source of those objects makes of them: a loop over boxes in an array
//!   that writes bools, and one over these.
//! - `flat-memory`: the same against the bytes that it cannot do without, touched in the same order ([`Streams`]): for
//!   each camera 24 bytes of each box read, and an index of four written for each that is seen.
//! - `town`: a town of 1,000,000 shapes, culled by 100 seeded cameras at street level that see 1 to 4 % of it each, in
//!   nanoseconds a shape of the town; against testing all of its boxes flat, eight at a time. Both list node handles.
//!   The town is built depth first, and every slice is reconstituted before anything is measured: boxes that lie near
//!   one another in space then lie in the same blocks.
//! - `town-memory`: the same against what no question can do without, touched: of each node that is seen its box and its
//!   handle read, 32 bytes, and the handle written; next to each other, while in the town they lie in blocks.
//! - `town-update`: every world matrix and every box of the town computed anew, in nanoseconds a shape, against the bytes
//!   that this cannot do without, touched in slices of 2048: 40 bytes of the local transform, four of its parent's slot
//!   and 24 of the shape's own box read, 48 of the matrix and 24 of the box in the world written.
//!
//! The nodes that both sides list are compared. In `flat` the object-oriented side, which has no tolerance for
//! rounding, may list up to one in a thousand less, and nothing else.

use super::cameras::report_mean;
use crate::baselines::{CullColumns, Cullables};
use crate::clock::nanoseconds;
use crate::front::{Calls, Front, Sizes, checked_elsewhere};
use crate::rounds::Trial;
use crate::workloads::{Streams, TOUCHED, TOWN_PARTS, Town, strewn, strewn_cameras};
use crate::{Case, Outcome, Unit};
use hedgerow::glam::Mat4;
use hedgerow::{
    Aabb, Mat34, NodeHandle, Scene, Visibility,
    query::{Boxes, Frustum},
};

const BOXES: Sizes<usize> = Sizes { full: 100_000, short: 100_000, tiny: 1000 };
const CAMERAS: usize = 16;
/// The parts of a house of the town.
const PARTS: Sizes<u32> = Sizes { full: TOWN_PARTS, short: TOWN_PARTS, tiny: 2 };
const TOWN_CAMERAS: Sizes<usize> = Sizes { full: 100, short: 4, tiny: 4 };
const BOOLS: &str = "boxes in an array, bools";
const VIRTUAL: &str = "a virtual call a sub-mesh";
const TESTING_ALL: &str = "testing all boxes, eight at a time";
/// About as many nodes as a slice of the default policy has.
const SLICE: usize = 2048;

/// Runs the experiment.
///
/// # Errors
/// Where the sides see something else, or the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    flat(front)?;
    town(front)
}

fn frusta(cameras: &[Mat4]) -> Result<Vec<Frustum>, hedgerow::math::Error> {
    cameras.iter().map(Frustum::from_view_projection).collect()
}

/// Boxes, the cameras that look at them, and what one sees.
struct Flat {
    boxes: Boxes,
    frusta: Vec<Frustum>,
    found: Vec<u32>,
}

/// The same as objects, and as columns with bools.
struct Objects {
    objects: Cullables,
    columns: CullColumns,
    cameras: Vec<Mat4>,
    found: Vec<u32>,
}

fn flat<F: Front>(front: &mut F) -> Outcome {
    let count = BOXES.at(front.scale());
    let bounds = strewn(count, 1);
    let cameras = strewn_cameras(CAMERAS, 2);
    let mut ours = Flat { boxes: bounds.iter().copied().collect(), frusta: frusta(&cameras)?, found: Vec::new() };
    let (objects, columns) = (Cullables::new(&bounds), CullColumns::new(&bounds));
    let mut theirs = Objects { objects, columns, cameras, found: Vec::new() };
    check_flat(&mut ours, &mut theirs)?;
    let objects: fn(&mut Objects) = |Objects { objects, cameras, found, .. }| {
        for camera in &*cameras {
            found.clear();
            objects.cull(camera, found);
        }
    };
    let columns: fn(&mut Objects) = |Objects { columns, cameras, found, .. }| {
        for camera in &*cameras {
            found.clear();
            columns.cull(camera, found);
        }
    };
    for (name, baseline, theirs_do) in [("flat", VIRTUAL, objects), ("flat-columns", BOOLS, columns)] {
        let calls = Calls {
            case: Case::new(name, count, Unit::Time, baseline),
            per: count * CAMERAS,
            repeats: 1,
            sides: (&mut ours, &mut theirs),
            ours: Flat::cull,
            baseline: theirs_do,
        };
        front.calls(calls, checked_elsewhere)?;
    }
    let mut streams = ours.streams();
    let calls = Calls {
        case: Case::new("flat-memory", count, Unit::Time, TOUCHED),
        per: count * CAMERAS,
        repeats: 1,
        sides: (&mut ours, &mut streams),
        ours: Flat::cull,
        baseline: Streams::touch,
    };
    front.calls(calls, checked_elsewhere)
}

impl Flat {
    /// Lists what each camera sees, one after the other.
    fn cull(&mut self) {
        for frustum in &self.frusta {
            self.found.clear();
            self.boxes.cull(frustum, &mut self.found);
        }
    }

    /// All boxes read for each camera, and what it sees written.
    fn streams(&mut self) -> Streams {
        let Self { boxes, frusta, found } = self;
        let lists = frusta.iter().map(|frustum| {
            found.clear();
            boxes.cull(frustum, found);
            size_of_val(&**found)
        });
        let lists: Vec<usize> = lists.collect();
        Streams::of(&[boxes.len() * size_of::<Aabb>()], &lists, (0..lists.len()).map(|camera| (0, camera)))
    }
}

/// Fails unless the objects list what we do, but for a few boxes that only touch a plane.
fn check_flat(ours: &mut Flat, theirs: &mut Objects) -> Outcome {
    for (frustum, camera) in ours.frusta.iter().zip(&theirs.cameras) {
        ours.found.clear();
        theirs.found.clear();
        ours.boxes.cull(frustum, &mut ours.found);
        theirs.objects.cull(camera, &mut theirs.found);
        let mut in_columns = Vec::new();
        theirs.columns.cull(camera, &mut in_columns);
        if in_columns != theirs.found {
            return Err(format!(
                "{} boxes are listed by objects, and {} by columns",
                theirs.found.len(),
                in_columns.len()
            )
            .into());
        }
        let (found, theirs) = (&ours.found, &theirs.found);
        let kept = theirs.iter().all(|index| found.binary_search(index).is_ok());
        if !kept || found.len() > theirs.len() + theirs.len() / 1000 + 1 {
            return Err(format!("{} boxes are listed, and {} by the objects", found.len(), theirs.len()).into());
        }
    }
    Ok(())
}

/// The town as one camera sees it.
struct Seen<'t> {
    town: &'t Town,
    boxes: &'t Boxes,
    frustum: &'t Frustum,
    found: Vec<NodeHandle>,
    theirs: Vec<NodeHandle>,
    indices: Vec<u32>,
}

impl Trial<1> for Seen<'_> {
    fn play(&mut self, way: usize) -> [f64; 1] {
        let Self { town, boxes, frustum, found, theirs, indices } = self;
        [match way {
            0 => nanoseconds(|| {
                town.scene.cull_nodes(frustum, Visibility::VISIBLE, found).expect("the town keeps boxes");
            }),
            _ => nanoseconds(|| {
                indices.clear();
                theirs.clear();
                boxes.cull(frustum, indices);
                theirs.extend(indices.iter().map(|&index| town.nodes[index as usize]));
            }),
        }]
    }

    fn check_last(&mut self) -> Outcome {
        let Self { found, theirs, .. } = self;
        found.sort_unstable();
        theirs.sort_unstable();
        if found == theirs {
            return Ok(());
        }
        Err(format!("{} nodes are found, and {} by testing all", found.len(), theirs.len()).into())
    }
}

/// What one camera sees, and as many bytes as that takes.
struct Touched<'t> {
    town: &'t Town,
    frustum: &'t Frustum,
    found: Vec<NodeHandle>,
    streams: Streams,
}

impl<'t> Touched<'t> {
    fn cull(&mut self) {
        let Self { town, frustum, found, .. } = self;
        town.scene.cull_nodes(frustum, Visibility::VISIBLE, found).expect("the town keeps boxes");
    }

    /// Turns to a camera.
    fn look(&mut self, frustum: &'t Frustum) {
        self.frustum = frustum;
        self.cull();
        let seen = self.found.len();
        self.streams =
            Streams::new(seen, seen.max(1), size_of::<Aabb>() + size_of::<NodeHandle>(), size_of::<NodeHandle>());
    }
}

impl Trial<1> for Touched<'_> {
    fn play(&mut self, way: usize) -> [f64; 1] {
        [match way {
            0 => nanoseconds(|| self.cull()),
            _ => nanoseconds(|| self.streams.touch()),
        }]
    }
}

fn town<F: Front>(front: &mut F) -> Outcome {
    let mut town = Town::new(PARTS.at(front.scale()), 3);
    let shapes = town.nodes.len();
    let frusta = frusta(&town.cameras(TOWN_CAMERAS.at(front.scale()), 4))?;
    let boxes: Boxes = town.bounds.iter().copied().collect();
    let (found, theirs, indices) = (Vec::new(), Vec::new(), Vec::new());
    let mut seen = Seen { town: &town, boxes: &boxes, frustum: &frusta[0], found, theirs, indices };
    report_mean(front, ("town", TESTING_ALL), shapes, &frusta, &mut seen, |seen, frustum| seen.frustum = frustum)?;
    let mut touched =
        Touched { town: &town, frustum: &frusta[0], found: Vec::new(), streams: Streams::of(&[], &[], []) };
    report_mean(front, ("town-memory", TOUCHED), shapes, &frusta, &mut touched, Touched::look)?;
    let read = size_of::<[f32; 10]>() + size_of::<u32>() + size_of::<Aabb>();
    let mut streams = Streams::new(shapes, SLICE, read, size_of::<Mat34>() + size_of::<Aabb>());
    let calls = Calls {
        case: Case::new("town-update", shapes, Unit::Time, TOUCHED),
        per: shapes,
        repeats: 1,
        sides: (&mut town.scene, &mut streams),
        ours: Scene::update_all,
        baseline: Streams::touch,
    };
    front.calls(calls, checked_elsewhere)
}
