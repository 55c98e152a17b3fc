//! Importing a glTF file from memory: its nodes alone, against everything that is in it.
//!
//! - `nodes-only`: a file of 10,000 nodes, 100 meshes of 1,000 vertices, 16 images of 64 KB, and an animation of 200
//!   nodes with 100 keys each.
//!
//! This crate does not know `hedgerow`'s feature `gltf`: whoever runs the experiment passes both ways, which return how
//! many nodes they made. Parsing the JSON is part of both.

use crate::front::{Calls, Front, Sizes};
use crate::workloads::GltfCity;
use crate::{Case, Failure, Outcome, Unit};
use std::hint::black_box;

const SIZES: Sizes<GltfCity> = Sizes {
    full: GltfCity { nodes: 10_000, meshes: 100, vertices: 1000, images: 16, moved: 200, keys: 100 },
    short: GltfCity { nodes: 10_000, meshes: 100, vertices: 1000, images: 16, moved: 200, keys: 100 },
    tiny: GltfCity { nodes: 20, meshes: 3, vertices: 9, images: 1, moved: 4, keys: 3 },
};

/// Imports bytes, and returns how many nodes the scene has.
pub type Import = fn(&[u8]) -> Result<usize, Failure>;

/// Runs the experiment.
///
/// # Errors
/// Where an import fails, the two make different nodes, or the report cannot be written.
pub fn run<F: Front>(front: &mut F, nodes_only: Import, whole: Import) -> Outcome {
    let city = SIZES.at(front.scale());
    let bytes = city.glb();
    let calls = Calls {
        case: Case::new("nodes-only", city.nodes, Unit::Time, "everything").against_itself(),
        per: city.nodes,
        repeats: 1,
        sides: (&mut (nodes_only, &bytes), &mut (whole, &bytes)),
        ours: |(import, bytes)| drop(black_box(import(bytes))),
        baseline: |(import, bytes)| drop(black_box(import(bytes))),
    };
    front.calls(calls, |(nodes_only, bytes), (whole, _)| match (nodes_only(bytes)?, whole(bytes)?) {
        (ours, theirs) if ours == theirs => Ok(()),
        (ours, theirs) => Err(format!("{ours} nodes, and {theirs} of the whole file").into()),
    })
}
