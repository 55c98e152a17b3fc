//! How each fuzz target runs an input. Tests run kept inputs with the same code.
//!
//! A driver returns if all checks hold, and otherwise panics with the steps.

#[cfg(feature = "animator")]
pub mod animator;
#[cfg(feature = "scene")]
pub mod batches;
#[cfg(feature = "anim")]
pub mod clip;
#[cfg(feature = "scene")]
pub mod edits;
#[cfg(feature = "scene")]
pub mod forms;
#[cfg(feature = "gltf")]
pub mod gltf;
#[cfg(feature = "document")]
pub mod library;
#[cfg(feature = "scene")]
pub mod restore;
#[cfg(feature = "anim")]
pub mod skeleton;
#[cfg(feature = "anim")]
pub mod skin;
#[cfg(feature = "scene")]
pub mod snapshot;
#[cfg(feature = "serde")]
pub mod text;
#[cfg(feature = "mesh")]
pub mod triangles;
#[cfg(feature = "scene")]
pub mod visit_mutate;

/// Panics with the configuration and the steps if there is a mismatch.
#[cfg(feature = "scene")]
fn expect_sound(oracle: &crate::model::oracle::Oracle, steps: &[crate::model::Step], played: crate::model::Check) {
    if let Err(mismatch) = played {
        let played: Vec<String> = steps.iter().take(oracle.counts.steps).map(|step| format!("{step:?}")).collect();
        panic!("{:?}\n{}\n{mismatch}", oracle.scene.config(), played.join("\n"));
    }
}
