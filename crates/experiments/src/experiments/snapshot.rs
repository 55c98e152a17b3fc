//! Loading a snapshot, every check included, beside a plain read of the same bytes.
//!
//! The baseline is `std::fs::read` of the snapshot's file into a fresh buffer; the file is in the page cache, since it
//! was just written. Loading begins with the bytes in memory. What either side made is kept until both cases of a size
//! are done: memory that the allocator hands out a second time is several times faster to fill than memory fresh from
//! the system, and how much of it there is would be left to chance.
//!
//! Cases, on the thesis's random tree built by single inserts: `load`, the scene as it was built, and `load-ordered`,
//! with every slice reconstituted before.

use crate::clock::nanoseconds;
use crate::front::{Front, Sizes};
use crate::rounds::{Pace, Rounds, Trial};
use crate::sides::{Packed, Side};
use crate::workloads::Recipe;
use crate::{Case, Outcome, Unit};
use hedgerow::Scene;
use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

const SIZES: Sizes<&[usize]> = Sizes { full: &[4096, 262_144, 1_048_576], short: &[4096, 262_144], tiny: &[300] };
const ROUNDS: usize = 5;
const BASELINE: &str = "std::fs::read";

/// Runs the experiment.
///
/// # Errors
/// Where a scene does not come back as it was, a file cannot be written, or the report cannot.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let (process, run) = (std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed));
    let path = std::env::temp_dir().join(format!("hedgerow-measure-{process}-{run}.snapshot"));
    let outcome = SIZES.at(front.scale()).iter().try_for_each(|&nodes| measure(front, nodes, &path));
    std::fs::remove_file(&path)?;
    outcome
}

fn measure<F: Front>(front: &mut F, nodes: usize, path: &Path) -> Outcome {
    let mut packed = Packed::build(&Recipe::random(nodes, nodes as u64));
    packed.scene_mut().update();
    let mut loading = Loading { path, nodes, kept: Vec::new(), read: None, failed: None };
    case(front, "load", packed.scene(), &mut loading)?;
    let saved = packed.scene().save();
    front.alone("save", nodes, saved.len(), || drop(black_box(packed.scene().save())));
    front.alone("copy", nodes, saved.len(), || drop(black_box(black_box(&saved).to_vec())));
    packed.scene_mut().reconstitute_all();
    case(front, "load-ordered", packed.scene(), &mut loading)
}

/// A plain read of the scene's file, and loading what was read, by turns.
fn case<F: Front>(front: &mut F, name: &str, scene: &Scene, loading: &mut Loading<'_>) -> Outcome {
    let saved = scene.save();
    let (nodes, length) = (scene.len(), saved.len());
    std::fs::write(loading.path, saved)?;
    let rounds = Rounds {
        nodes,
        per: nodes,
        parts: [name],
        // The file is read before what was read is loaded.
        ways: &[BASELINE, Packed::NAME],
        pace: Pace::fixed(ROUNDS),
        lasts: Some(ROUNDS),
    };
    if let Some(figures) = front.rounds(&rounds, loading)? {
        let case = Case::new(name, nodes, Unit::Rate(length as f64 / nodes as f64), BASELINE);
        front.report(&case, figures[1][0], figures[0][0])?;
    }
    Ok(())
}

/// A file, and what was made of it so far.
struct Loading<'p> {
    path: &'p Path,
    nodes: usize,
    kept: Vec<(Vec<u8>, Scene)>,
    /// What was read last and is not yet loaded.
    read: Option<Vec<u8>>,
    failed: Option<crate::Failure>,
}

impl Loading<'_> {
    fn read(&mut self) -> f64 {
        let mut bytes = Ok(Vec::new());
        let time = nanoseconds(|| bytes = std::fs::read(self.path));
        match bytes {
            Ok(bytes) => self.read = Some(bytes),
            Err(error) => self.failed = Some(error.into()),
        }
        time
    }

    fn load(&mut self) -> f64 {
        let bytes = self.read.take().unwrap_or_default();
        let mut loaded = None;
        let time = nanoseconds(|| loaded = Some(Scene::load(&bytes)));
        match loaded.transpose() {
            Ok(scene) => self.kept.extend(scene.map(|scene| (bytes, scene))),
            Err(error) => self.failed = Some(error.into()),
        }
        time
    }
}

impl Trial<1> for Loading<'_> {
    fn renew(&mut self, _: usize) -> Outcome {
        self.kept.clear();
        Ok(())
    }

    fn prepare(&mut self, way: usize) {
        if way == 1 && self.read.is_none() {
            self.read();
        }
    }

    fn play(&mut self, way: usize) -> [f64; 1] {
        [if way == 0 { self.read() } else { self.load() }]
    }

    fn check(&mut self) -> Outcome {
        match (self.failed.take(), self.kept.last()) {
            (Some(error), _) => Err(error),
            (None, Some((_, scene))) if scene.len() == self.nodes => Ok(()),
            _ => Err("a scene has not come back as it was".into()),
        }
    }
}
