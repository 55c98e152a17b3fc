//! The experiments. Each experiment is a function that takes a [`Front`], in a module that describes its cases.

use crate::{Front, Outcome};

pub mod bitsquid_clip;
pub mod changes;
pub mod cull;
pub mod edits;
pub mod gpu;
pub mod memory;
pub mod molecule_skeleton;
pub mod molecule_skinning;
pub mod moved;
pub mod pauses;
pub mod pick;
pub mod rollback;
pub mod snapshot;
pub mod thesis_dynamic;
pub mod thesis_static;
#[cfg(feature = "rayon")]
pub mod threads;

/// An experiment and its name.
#[derive(Debug)]
pub struct Experiment {
    /// The experiment's name.
    pub name: &'static str,
    /// A short description.
    pub about: &'static str,
    /// The function that runs the experiment.
    pub run: fn(&mut Front) -> Outcome,
}

/// Returns all experiments; `threads` needs the feature `rayon`.
pub fn all() -> Vec<Experiment> {
    let experiment = |name, about, run| Experiment { name, about, run };
    vec![
        experiment("thesis-static", "both passes on trees that do not change", thesis_static::run),
        experiment(
            "thesis-dynamic",
            "frames that remove and insert a tenth, then run both passes",
            thesis_dynamic::run,
        ),
        experiment("molecule-skeleton", "1000 characters to model matrices and palettes", molecule_skeleton::run),
        experiment("molecule-skinning", "skinning, against the first implementation", molecule_skinning::run),
        experiment("bitsquid-clip", "a clip played and sought, against keys by track", bitsquid_clip::run),
        experiment("moved", "updates after all, some or none of the nodes moved", moved::run),
        experiment("edits", "set, insert, remove, move, build, one by one and in batches", edits::run),
        experiment("cull", "a town of a million drawables, against testing all boxes", cull::run),
        experiment("pick", "triangles in a town of 100,000 drawables, beside cast_ray", pick::run),
        experiment("gpu", "tables that a GPU culls, against lists of the CPU", gpu::run),
        experiment("changes", "updates and edits with the change feed, and without", changes::run),
        experiment("pauses", "single edits and the updates behind them, up to the worst", pauses::run),
        experiment("memory", "bytes by the allocator's count, of a tree and over frames", memory::run),
        experiment("snapshot", "loading and saving a snapshot", snapshot::run),
        experiment("rollback", "checkpoints, against snapshots and clones", rollback::run),
        #[cfg(feature = "rayon")]
        experiment("threads", "updates, culling and lists on two threads against one", threads::run),
    ]
}
