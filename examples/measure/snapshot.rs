//! Loading a snapshot, every check included, beside a plain read of the same bytes.
//!
//! The baseline is `std::fs::read` of the snapshot's file into a fresh buffer; the file is in the page cache, since it was
//! just written. Loading begins with the bytes in memory. Dropping the buffer or the scene is not timed on either side.
//!
//! Cases, on the thesis's random tree built by single inserts:
//!
//! - `load`: the scene as it was built. `load-ordered`: every slice reconstituted before.
//! - `load-updated`: `load` and the first `update()`, which computes every world matrix.
//! - `save`: the scene to bytes, beside a plain read too.

use crate::report::{Case, Report, Unit};
use crate::timing::{median, nanoseconds};
use hedgerow::Scene;
use hedgerow_naive::{Packed, Recipe, Side};
use std::error::Error;
use std::path::Path;

const SIZES: [usize; 3] = [4096, 262_144, 1_048_576];
const ROUNDS: usize = 11;

/// Runs the experiment.
pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn Error>> {
    let path = std::env::temp_dir().join(format!("hedgerow-measure-{}.snapshot", std::process::id()));
    let outcome = SIZES.into_iter().try_for_each(|nodes| measure(report, nodes, &path));
    std::fs::remove_file(&path)?;
    outcome
}

fn measure(report: &mut Report, nodes: usize, path: &Path) -> Result<(), Box<dyn Error>> {
    let mut packed = Packed::build(&Recipe::random(nodes, nodes as u64));
    packed.scene_mut().update();
    case(report, "load", packed.scene(), path, |bytes| Scene::load(bytes))?;
    case(report, "load-updated", packed.scene(), path, |bytes| {
        let mut scene = Scene::load(bytes)?;
        scene.update();
        Ok(scene)
    })?;
    let scene = packed.scene().clone();
    case(report, "save", packed.scene(), path, |_| Ok(scene.save()))?;
    packed.scene_mut().reconstitute_all();
    case(report, "load-ordered", packed.scene(), path, |bytes| Scene::load(bytes))
}

/// Takes turns at the plain read and at `work` on what was read.
fn case<T>(
    report: &mut Report,
    name: &str,
    scene: &Scene,
    path: &Path,
    work: impl Fn(&[u8]) -> Result<T, hedgerow::Error>,
) -> Result<(), Box<dyn Error>> {
    let nodes = scene.len();
    std::fs::write(path, scene.save())?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let mut length = 0;
    for _ in 0..ROUNDS {
        let mut bytes = Ok(Vec::new());
        theirs.push(nanoseconds(|| bytes = std::fs::read(path)));
        let bytes = bytes?;
        length = bytes.len();
        let mut done = None;
        ours.push(nanoseconds(|| done = Some(work(&bytes))));
        drop(done.transpose()?);
    }
    let per_node = |total: f64| total / nodes as f64;
    report.case(&Case {
        name,
        nodes,
        unit: Unit::Rate(per_node(length as f64)),
        ours: per_node(median(&mut ours)),
        baseline: "std::fs::read",
        baseline_figure: per_node(median(&mut theirs)),
    })?;
    Ok(())
}
