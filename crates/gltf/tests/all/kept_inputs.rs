//! Inputs of the fuzz target: the corpus (`fuzz/corpus/gltf`), inputs that once failed, and random ones.

use fastrand::Rng;
use hedgerow_testkit::drivers;
use std::fs;
use std::path::Path;

#[test]
#[cfg_attr(target_family = "wasm", ignore = "needs files")]
fn kept_inputs_pass() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let mut count = 0;
    for folder in ["corpus/gltf", "regressions/gltf"] {
        for entry in fs::read_dir(fuzz.join(folder)).into_iter().flatten() {
            let file = entry.expect("a readable folder").path();
            println!("{}", file.display());
            drivers::gltf::run(&fs::read(file).expect("a readable file"));
            count += 1;
        }
    }
    assert!(count > 0, "the corpus is missing");
}

#[test]
fn random_inputs_pass() {
    let mut dice = Rng::with_seed(7);
    for turn in 0..120 {
        let mut bytes: Vec<u8> = (0..dice.usize(1..2_000)).map(|_| dice.u8(..)).collect();
        // An odd byte continues the steps.
        if turn % 2 == 0 {
            bytes.iter_mut().for_each(|byte| *byte |= 1);
        }
        println!("{turn}");
        drivers::gltf::run(&bytes);
    }
}
