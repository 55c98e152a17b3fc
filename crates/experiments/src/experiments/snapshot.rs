//! Times loading and saving of a snapshot.
//!
//! The tree is the thesis's random tree built by single inserts. Figures are nanoseconds per node:
//!
//! - `load`: builds a scene from bytes in memory, with all checks. The baseline reads the same bytes from a file, which
//!   is in the page cache since it was just written. `load-ordered`: the same for a maintained scene.
//! - `save`: writes a scene to bytes. The baseline copies the bytes.

use crate::agreement::agree;
use crate::front::{Front, Sizes, checked_elsewhere};
use crate::sides::{Packed, Side};
use crate::workloads::Recipe;
use crate::{Case, Outcome, Unit};
use hedgerow::Scene;
use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

const SIZES: Sizes<&[usize]> = Sizes { full: &[4096, 262_144, 1_048_576], tiny: &[300] };

/// Runs the experiment.
pub fn run(front: &mut Front) -> Outcome {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let (process, run) = (std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed));
    let path = std::env::temp_dir().join(format!("hedgerow-measure-{process}-{run}.snapshot"));
    let outcome = SIZES.at(front).iter().try_for_each(|&nodes| measure(front, nodes, &path));
    std::fs::remove_file(&path)?;
    outcome
}

fn measure(front: &mut Front, nodes: usize, path: &Path) -> Outcome {
    let mut packed = Packed::build(&Recipe::random(nodes, nodes as u64));
    packed.update();
    for name in ["load", "load-ordered"] {
        let saved = packed.scene().to_bytes();
        std::fs::write(path, &saved)?;
        agree(Scene::from_bytes(&saved)?.to_bytes() == saved, "a scene has not come back as it was")?;
        let case = Case::new(name, nodes, Unit::Time, "std::fs::read");
        let load: fn(&mut Vec<u8>) = |saved| drop(black_box(Scene::from_bytes(saved)));
        let read: fn(&mut &Path) = |path| drop(black_box(std::fs::read(path)));
        front.calls(case, (&mut saved.clone(), &mut &*path), load, read, checked_elsewhere)?;
        packed.pack();
    }
    let saved = packed.scene().to_bytes();
    let case = Case::new("save", nodes, Unit::Time, "a copy of the bytes");
    let save: fn(&mut Packed) = |packed| drop(black_box(packed.scene().to_bytes()));
    front.calls(
        case,
        (&mut packed, &mut saved.clone()),
        save,
        |saved| drop(black_box(saved.clone())),
        checked_elsewhere,
    )
}
