//! Loading a snapshot, every check included, beside a plain read of the same bytes.
//!
//! The baseline is `std::fs::read` of the snapshot's file into a fresh buffer; the file is in the page cache, since it was
//! just written. Loading begins with the bytes in memory. What either side made is kept until both cases of a size are done:
//! memory that the allocator hands out a second time is several times faster to fill than memory fresh from the
//! system, and how much of it there is would be left to chance.
//!
//! Cases, on the thesis's random tree built by single inserts: `load`, the scene as it was built, and `load-ordered`, with
//! every slice reconstituted before.

use crate::report::{Case, Report, Unit};
use crate::timing::{median, nanoseconds};
use hedgerow::Scene;
use hedgerow_naive::{Packed, Recipe, Side};
use std::error::Error;
use std::path::Path;

const SIZES: [usize; 3] = [4096, 262_144, 1_048_576];
const ROUNDS: usize = 5;

/// What the two sides made.
type Kept = Vec<(Vec<u8>, Scene)>;

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
    let mut kept = Kept::new();
    case(report, "load", packed.scene(), path, &mut kept)?;
    packed.scene_mut().reconstitute_all();
    case(report, "load-ordered", packed.scene(), path, &mut kept)
}

/// Takes turns at the plain read and at loading what was read.
fn case(report: &mut Report, name: &str, scene: &Scene, path: &Path, kept: &mut Kept) -> Result<(), Box<dyn Error>> {
    let nodes = scene.len();
    let saved = scene.save();
    let length = saved.len();
    std::fs::write(path, saved)?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let mut bytes = Ok(Vec::new());
        theirs.push(nanoseconds(|| bytes = std::fs::read(path)));
        let bytes = bytes?;
        let mut loaded = None;
        ours.push(nanoseconds(|| loaded = Some(Scene::load(&bytes))));
        kept.extend(loaded.transpose()?.map(|loaded| (bytes, loaded)));
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
