//! Sub-mesh sets compared with sub-meshes as heap objects. Meshes of three sub-meshes are scattered in a cube and seen
//! by 16 seeded cameras inside it, whose draws are all compared. Figures are nanoseconds per sub-mesh of the set.
//!
//! - `cull`: culls, then lists the visible draws with their materials, for 500 meshes (as in the source), for 100,000
//!   sub-meshes, and for 100,000 meshes. To cull objects, a virtual call per sub-mesh sets a flag; to render them, a
//!   virtual call per mesh reads the flags.
//! - `cull-columns`: the same against the source's data-oriented version: arrays of boxes, of bools and of draws.

use super::cull::frusta;
use crate::agreement::agree;
use crate::baselines::{MeshColumns, Meshes};
use crate::front::{Front, Sizes, checked_elsewhere};
use crate::workloads::Parts;
use crate::{Case, Outcome, Unit};
use hedgerow::query::Frustum;
use hedgerow_mesh::{MeshDraw, MeshSet};

const SIZES: Sizes<&[usize]> = Sizes { full: &[1500, 100_000, 300_000], short: &[1500, 100_000], tiny: &[1500] };
const CAMERAS: usize = 16;
const VIRTUAL: &str = "virtual calls, flags";

/// Runs the experiment.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    SIZES.at(front.scale()).iter().try_for_each(|&sub_meshes| measure(front, sub_meshes))
}

fn measure<F: Front>(front: &mut F, count: usize) -> Outcome {
    let parts = Parts::new(count, CAMERAS, 7);
    let mut ours = Ours { set: parts.set()?, frusta: frusta(parts.cameras())?, visible: Vec::new(), draws: Vec::new() };
    let (meshes, columns) = (Meshes::new(&parts), MeshColumns::new(&parts));
    let mut theirs = Theirs { parts, meshes, columns, draws: Vec::new() };
    compare(&mut ours, &mut theirs)?;

    let repeats = if count < 10_000 { 10 } else { 1 };
    let case = |name, baseline| Case::new(name, count, Unit::Each("ns/part"), baseline).per(count * CAMERAS);
    let mut calls = |case: Case<'_>, ours_do: fn(&mut Ours), theirs_do: fn(&mut Theirs)| {
        front.calls(case.repeats(repeats), (&mut ours, &mut theirs), ours_do, theirs_do, checked_elsewhere)
    };
    let all: fn(&mut Ours) = |ours| (0..CAMERAS).for_each(|camera| ours.draw(camera));
    calls(case("cull", VIRTUAL), all, |theirs| (0..CAMERAS).for_each(|camera| theirs.draw(camera)))?;
    let columns: fn(&mut Theirs) = |theirs| (0..CAMERAS).for_each(|camera| theirs.draw_columns(camera));
    calls(case("cull-columns", "columns with bools"), all, columns)
}

/// A set and its visible draws.
struct Ours {
    set: MeshSet,
    frusta: Vec<Frustum>,
    visible: Vec<u32>,
    draws: Vec<MeshDraw>,
}

impl Ours {
    fn draw(&mut self, camera: usize) {
        self.set.cull(&self.frusta[camera], &mut self.visible);
        self.set.draws(&self.visible, &mut self.draws);
    }
}

/// The objects, the columns, and their visible draws.
struct Theirs {
    parts: Parts,
    meshes: Meshes,
    columns: MeshColumns,
    draws: Vec<MeshDraw>,
}

impl Theirs {
    fn draw(&mut self, camera: usize) {
        self.meshes.cull(&self.parts.cameras()[camera]);
        self.meshes.render(&mut self.draws);
    }

    fn draw_columns(&mut self, camera: usize) {
        self.columns.cull(&self.parts.cameras()[camera]);
        self.columns.render(&mut self.draws);
    }
}

/// Fails unless both sides list the same draws for every camera.
fn compare(ours: &mut Ours, theirs: &mut Theirs) -> Outcome {
    let mut seen = 0;
    for camera in 0..CAMERAS {
        ours.draw(camera);
        theirs.draw_columns(camera);
        let columns = theirs.draws.clone();
        theirs.draw(camera);
        if ours.draws != theirs.draws || ours.draws != columns {
            return Err(format!("{} draws, and {} of the objects", ours.draws.len(), theirs.draws.len()).into());
        }
        seen += ours.draws.len();
    }
    agree(seen > 0, "the cameras see nothing")
}
