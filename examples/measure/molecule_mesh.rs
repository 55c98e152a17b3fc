//! Sub-mesh sets against sub-meshes as heap objects: meshes of three sub-meshes strewn over a cube, seen by 16 seeded
//! cameras among them. Figures are nanoseconds a sub-mesh of the set; all is done on one thread, also with the feature `rayon`.
//!
//! - `cull`: culling, then listing the draws of what is visible, with materials: 500 meshes as in the source, 100,000
//!   sub-meshes, and 100,000 meshes. The objects are culled by a virtual call a sub-mesh that sets a flag, then rendered by a
//!   virtual call a mesh that reads the flags.
//! - `shadow`: the same for a depth buffer, without materials.
//! - `draw`: only the second half of `cull`, for the camera that sees most.
//! - `cascades`: four cameras in one pass over the boxes, against one after the other, both in sub-mesh sets.
//!
//! Both sides end with the same draws, which are compared for every camera; of shadow draws the indices that they draw, since
//! ours are joined where one ends at the next.

use crate::report::{Case, Report, Unit};
use crate::timing::{on_one_thread, take_turns};
use hedgerow::{
    mesh::{MeshDraw, MeshSet, ShadowDraw},
    query::Frustum,
};
use hedgerow_naive::{Meshes, Parts};
use std::error::Error;

const CAMERAS: usize = 16;
const SUB_MESHES: Unit = Unit::Each("ns/part");

/// Runs the experiment.
pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn Error>> {
    for sub_meshes in [1500, 100_000, 300_000] {
        on_one_thread(|| cull(report, sub_meshes).map_err(|error| error.to_string()))??;
    }
    Ok(())
}

/// A set, and what is listed of it.
struct Ours {
    set: MeshSet,
    frusta: Vec<Frustum>,
    visible: Vec<u32>,
    cascades: Vec<Vec<u32>>,
    draws: Vec<MeshDraw>,
    shadows: Vec<ShadowDraw>,
}

impl Ours {
    fn cull(&mut self, camera: usize) {
        self.set.cull(&self.frusta[camera], &mut self.visible);
    }

    fn draw(&mut self) {
        self.set.draws(&self.visible, &mut self.draws);
    }

    fn draw_shadows(&mut self) {
        self.set.shadow_draws(&self.visible, &mut self.shadows);
    }
}

/// The objects, and what is listed of them.
struct Theirs {
    parts: Parts,
    meshes: Meshes,
    draws: Vec<MeshDraw>,
    shadows: Vec<ShadowDraw>,
}

impl Theirs {
    fn cull(&self, camera: usize) {
        self.meshes.cull(&self.parts.cameras()[camera]);
    }

    fn draw(&mut self) {
        self.meshes.render(&mut self.draws);
    }

    fn draw_shadows(&mut self) {
        self.meshes.render_shadow(&mut self.shadows);
    }
}

fn cull(report: &mut Report, sub_meshes: usize) -> Result<(), Box<dyn Error>> {
    let parts = Parts::new(sub_meshes, CAMERAS, 7);
    let frusta = parts.cameras().iter().map(Frustum::from_view_projection).collect::<Result<_, _>>()?;
    let set = parts.set()?;
    let mut ours =
        Ours { set, frusta, visible: Vec::new(), cascades: Vec::new(), draws: Vec::new(), shadows: Vec::new() };
    let meshes = Meshes::new(&parts);
    let mut theirs = Theirs { parts, meshes, draws: Vec::new(), shadows: Vec::new() };
    compare(&mut ours, &mut theirs)?;

    let repeats = if sub_meshes < 10_000 { 10 } else { 1 };
    let mut case = |name, per_call: usize, baseline, (ours, baseline_figure): (f64, f64)| {
        let per_part = (sub_meshes * per_call) as f64;
        let (ours, baseline_figure) = (ours / per_part, baseline_figure / per_part);
        report.case(&Case { name, nodes: sub_meshes, unit: SUB_MESHES, ours, baseline, baseline_figure })
    };
    let figures = take_turns(
        (&mut ours, &mut theirs),
        repeats,
        |ours| (0..CAMERAS).for_each(|camera| (ours.cull(camera), ours.draw()).1),
        |theirs| (0..CAMERAS).for_each(|camera| (theirs.cull(camera), theirs.draw()).1),
    );
    case("cull", CAMERAS, "virtual calls, flags", figures)?;
    let figures = take_turns(
        (&mut ours, &mut theirs),
        repeats,
        |ours| (0..CAMERAS).for_each(|camera| (ours.cull(camera), ours.draw_shadows()).1),
        |theirs| (0..CAMERAS).for_each(|camera| (theirs.cull(camera), theirs.draw_shadows()).1),
    );
    case("shadow", CAMERAS, "virtual calls, flags", figures)?;
    let seen = |ours: &mut Ours, camera: usize| {
        ours.cull(camera);
        ours.visible.len()
    };
    let most = (0..CAMERAS).max_by_key(|&camera| seen(&mut ours, camera)).unwrap_or(0);
    ours.cull(most);
    theirs.cull(most);
    let figures = take_turns((&mut ours, &mut theirs), 10 * repeats, Ours::draw, Theirs::draw);
    case("draw", 1, "virtual calls, flags", figures)?;
    let mut single = Ours {
        set: ours.set.clone(),
        frusta: ours.frusta.clone(),
        visible: Vec::new(),
        cascades: vec![Vec::new(); 4],
        draws: Vec::new(),
        shadows: Vec::new(),
    };
    let figures = take_turns(
        (&mut ours, &mut single),
        repeats,
        |ours| ours.set.cull_many(&ours.frusta[..4], &mut ours.cascades),
        |ours| {
            for (frustum, visible) in ours.frusta.iter().zip(&mut ours.cascades) {
                ours.set.cull(frustum, visible);
            }
        },
    );
    if ours.cascades != single.cascades {
        return Err("four cameras at once see something else than one by one".into());
    }
    case("cascades", 4, "one after the other", figures)?;
    Ok(())
}

/// Fails unless both sides list the same draws for every camera.
fn compare(ours: &mut Ours, theirs: &mut Theirs) -> Result<(), String> {
    let mut seen = 0;
    for camera in 0..CAMERAS {
        ours.cull(camera);
        theirs.cull(camera);
        ours.draw();
        theirs.draw();
        if ours.draws != theirs.draws {
            return Err(format!("{} draws, and {} of the objects", ours.draws.len(), theirs.draws.len()));
        }
        ours.draw_shadows();
        theirs.draw_shadows();
        let joined = joined(&theirs.shadows);
        if ours.shadows != joined {
            return Err(format!("{} shadow draws, and {} of the objects", ours.shadows.len(), joined.len()));
        }
        seen += ours.draws.len();
    }
    if seen == 0 { Err("the cameras see nothing".into()) } else { Ok(()) }
}

/// The same draws, with those in one that follow each other.
fn joined(draws: &[ShadowDraw]) -> Vec<ShadowDraw> {
    let follows = |a: &ShadowDraw, b: &ShadowDraw| a.mesh == b.mesh && a.start + a.count == b.start;
    let run = |run: &[ShadowDraw]| ShadowDraw { count: run.iter().map(|draw| draw.count).sum(), ..run[0] };
    draws.chunk_by(follows).map(run).collect()
}
