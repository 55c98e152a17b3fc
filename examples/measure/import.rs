//! The two ways to import that the experiment `import` compares, which is not in the list of all: `crates/experiments`
//! does not know the feature `gltf`.

use hedgerow::import::{self, ImportOptions};
use hedgerow_experiments::{Failure, Front, Outcome};

/// Runs the experiment.
pub(crate) fn run<F: Front>(front: &mut F) -> Outcome {
    hedgerow_experiments::experiments::import::run(front, nodes_only, whole)
}

fn nodes_only(bytes: &[u8]) -> Result<usize, Failure> {
    Ok(ImportOptions::new().nodes_only().from_slice(bytes, None)?.scene.len())
}

fn whole(bytes: &[u8]) -> Result<usize, Failure> {
    Ok(import::from_slice(bytes, None)?.scene.len())
}
