//! Sub-mesh sets against sub-meshes as heap objects: culling and drawing them.
//!
//! The cases are described in `hedgerow_experiments::experiments::molecule_mesh`.

mod front;

use hedgerow_experiments::experiments::molecule_mesh;
use std::process::ExitCode;

fn main() -> ExitCode {
    front::run("molecule-mesh", molecule_mesh::run)
}
