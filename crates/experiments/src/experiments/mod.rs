//! The experiments. Each is a function of its [`Front`], in a module that says what its cases are.

use crate::{Front, Outcome};

pub mod batches;
pub mod bitsquid_clip;
pub mod build;
mod cameras;
pub mod changes;
pub mod character_threads;
pub mod cull;
pub mod cull_views;
pub mod draws;
pub mod editor;
pub mod handles;
pub mod layouts;
pub mod memory;
pub mod molecule_mesh;
pub mod molecule_skeleton;
pub mod molecule_skinning;
pub mod moved;
pub mod pauses;
pub mod poses;
pub mod raw_clips;
pub mod renderer;
pub mod snapshot;
pub mod sockets;
pub mod thesis_dynamic;
pub mod thesis_static;
pub mod threads;

/// An experiment by its name.
#[derive(Debug)]
pub struct Experiment<F> {
    /// What it is called.
    pub name: &'static str,
    /// What it measures, in a few words.
    pub about: &'static str,
    /// Runs it.
    pub run: fn(&mut F) -> Outcome,
}

/// All experiments that compare two sides; [`raw_clips`], which does not compare, has only a benchmark.
#[must_use]
pub fn all<F: Front>() -> Vec<Experiment<F>> {
    let experiment = |name, about, run| Experiment { name, about, run };
    let mut experiments = vec![
        experiment(
            "thesis-static",
            "transform pass, render pass and both, on trees that do not change",
            thesis_static::run,
        ),
        experiment(
            "thesis-dynamic",
            "frames that remove and insert a tenth of the nodes, then run both passes; memory",
            thesis_dynamic::run,
        ),
        experiment(
            "layouts",
            "the thesis's node objects in each order, with both traversals and flushed caches, against columns",
            layouts::run,
        ),
        experiment("build", "building a random tree by single inserts", build::run),
        experiment("moved", "updates after all, some or none of the nodes moved", moved::run),
        experiment("draws", "draw lists kept from frame to frame, beside listing anew", draws::run),
        experiment(
            "renderer",
            "a town listed, grouped and uploaded with all that is kept; lists relative to a camera",
            renderer::run,
        ),
        experiment("changes", "updates and edits with the change feed, and without", changes::run),
        experiment("pauses", "single edits and the updates behind them, up to the worst", pauses::run),
        experiment("memory", "bytes by the allocator's count, of a tree and over frames", memory::run),
        experiment("batches", "edits in batches, against the same ones by one", batches::run),
        experiment("handles", "local transforms set by handles and cached handles, against a pointer", handles::run),
        experiment("poses", "world transforms of many nodes at once, and queues of edits", poses::run),
        experiment("cull", "culling 100,000 boxes flat, and a town of a million shapes", cull::run),
        experiment(
            "cull-views",
            "a camera and its shadow cascades in one call, in a town of a million shapes, near and far away",
            cull_views::run,
        ),
        experiment(
            "molecule-mesh",
            "culling and drawing sub-mesh sets, against a heap object a sub-mesh",
            molecule_mesh::run,
        ),
        experiment(
            "bitsquid-clip",
            "playing a clip forward, backward and by seeks, against a search in every track",
            bitsquid_clip::run,
        ),
        experiment(
            "molecule-skinning",
            "skinning, against the first implementation and the steps that make it faster",
            molecule_skinning::run,
        ),
        experiment(
            "snapshot",
            "loading a snapshot, every check included, beside a plain read of its bytes",
            snapshot::run,
        ),
        experiment(
            "editor",
            "scenes taken over whole, columns of one's own, loading with another configuration",
            editor::run,
        ),
        experiment(
            "molecule-skeleton",
            "1000 characters of 96 joints, from local transforms to model matrices and palettes",
            molecule_skeleton::run,
        ),
        experiment(
            "sockets",
            "nodes that follow joints beside nodes that are set, and boxes that follow poses",
            sockets::run,
        ),
    ];
    if hedgerow::THREADED {
        let about = "updates, culling and lists on two threads against one";
        experiments.push(experiment("threads", about, threads::run));
        let about = "players, poses, crowds and skinned characters on two threads against one";
        experiments.push(experiment("character-threads", about, character_threads::run));
    }
    experiments
}
