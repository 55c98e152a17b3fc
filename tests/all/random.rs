//! Random edits compared with the naive model: every edit of the API, with a full comparison after each.
//!
//! A failure prints the shrunk configuration and steps. The seeds are fixed, so a failure repeats in every run.
//! `HEDGEROW_RANDOM_CASES` sets the number of cases: 4 by default, fewer on emulated machines. A run of 76 or more also
//! checks what all cases together reach.

use crate::trees::MODES;
use hedgerow::SceneConfig;
use hedgerow_testkit::model::dump::dump;
use hedgerow_testkit::model::oracle::{Counts, Oracle, from_bytes};
use hedgerow_testkit::model::{Step, decode};
use proptest::array::{uniform8, uniform24};
use proptest::collection::vec;
use proptest::prelude::{Strategy, any};
use proptest::prop_assert_eq;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use std::cell::Cell;

/// The number of cases of each test, and the greatest number of steps in a case, twice the average.
const CASES: u32 = 4;
const MOST_STEPS: usize = 800;
/// The number of steps between two comparisons in tests of something else.
pub(crate) const SPARSELY: usize = 100;
/// The number of cases from which a run is long.
const LONG: u32 = 76;
/// The least number of steps in each test of a long run. Eight tests make 220,000.
const STEPS: usize = 27_800;

/// Returns the number of cases of each test.
fn cases() -> u32 {
    std::env::var("HEDGEROW_RANDOM_CASES")
        .map_or(CASES, |cases| cases.parse().expect("HEDGEROW_RANDOM_CASES is a number"))
}

/// Returns the number of cases of another random test: fewer than `most` only if fewer are requested.
pub(crate) fn at_most(most: u32) -> u32 {
    if cases() < CASES { cases().min(most) } else { most }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    vec(uniform24(any::<u8>()).prop_map(|bytes| decode::step(&bytes)), 0..=MOST_STEPS)
}

/// Returns a runner of fixed cases that writes no files.
fn runner(seed: u8, cases: u32) -> TestRunner {
    let config = Config { failure_persistence: None, max_shrink_iters: 30, ..Config::with_cases(cases) };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]))
}

/// Plays random steps with random configurations, in every mode. Every test has its own seed.
fn play<P: core::fmt::Debug + Copy>(seed: u8, policies: impl Strategy<Value = P>, oracle: impl Fn(P) -> Oracle) {
    let total = Cell::new(Counts::default());
    let modes = Cell::new([0; MODES.len()]);
    let answer = runner(seed, cases()).run(&(policies, steps()), |(policy, steps)| {
        let mut oracle = oracle(policy);
        let played = oracle.run(&steps);
        total.set(total.get().plus(&oracle.counts));
        let SceneConfig { changes, bounds, .. } = *oracle.scene.config();
        modes.set(core::array::from_fn(|mode| {
            modes.get()[mode] + if MODES[mode] == (changes, bounds) { oracle.counts.steps } else { 0 }
        }));
        played.map_err(|mismatch| TestCaseError::fail(mismatch.to_string()))
    });
    match answer {
        Ok(()) => {}
        Err(TestError::Fail(reason, (policy, steps))) => {
            let steps: Vec<_> = steps.iter().map(|step| format!("{step:?}")).collect();
            panic!("{:?}\n{}\n{reason}", oracle(policy).scene.config(), steps.join("\n"));
        }
        Err(abort) => panic!("{abort}"),
    }
    let Counts { steps, structural, crossing, refused, updates, subtrees, copies, batches, detached, largest, .. } =
        total.get();
    println!("{steps} steps, {crossing} of {structural} structural ones across slices, {refused} refused");
    println!(
        "{subtrees} subtrees out and in, {copies} copies, {batches} batches, {detached} steps with something detached"
    );
    if cases() < LONG {
        return;
    }
    assert!(steps >= STEPS, "only {steps} steps");
    let modes = modes.get();
    println!("{modes:?} steps by mode");
    assert!(modes.iter().all(|of| of * 8 >= steps), "a mode of {MODES:?} had too few of the steps: {modes:?}");
    assert!(crossing * 10 >= structural * 3, "only {crossing} of {structural} steps crossed a slice border");
    assert!(refused * 50 >= steps, "only {refused} of {steps} steps were refused");
    assert!(subtrees * 40 >= steps, "only {subtrees} of {steps} steps took subtrees out or in");
    assert!(
        copies * 40 >= steps && batches * 50 >= steps,
        "only {copies} copies and {batches} batches in {steps} steps"
    );
    assert!(detached * 3 >= steps, "only {detached} of {steps} steps left something detached");
    assert!(updates * 3 >= steps && updates * 3 <= steps * 2, "{updates} updates in {steps} steps");
    assert!(largest >= 200, "no tree had more than {largest} nodes");
}

/// Plays scenes with a fixed configuration. The bytes choose the greatest number of nodes and the mode.
fn fixed(seed: u8, config: SceneConfig) {
    play(seed, uniform8(any::<u8>()), |bytes| Oracle::new(decode::in_mode(config, bytes), bytes));
}

/// Plays scenes with mostly tiny slices, which are often reconstituted, split and joined.
fn tiny(seed: u8) {
    play(seed, uniform8(any::<u8>()), |bytes| Oracle::new(decode::policy(bytes), bytes));
}

#[test]
fn any_edits_by_default_leave_what_the_model_says() {
    fixed(1, SceneConfig::DEFAULT);
}

#[test]
fn any_edits_in_slices_of_256_nodes_leave_what_the_model_says() {
    fixed(4, SceneConfig { max_nodes: 256, ..SceneConfig::DEFAULT });
}

#[test]
fn any_edits_in_slices_of_16_nodes_leave_what_the_model_says() {
    fixed(10, SceneConfig { max_nodes: 16, ..SceneConfig::DEFAULT });
}

#[test]
fn any_edits_in_slices_of_8_nodes_leave_what_the_model_says() {
    fixed(33, SceneConfig { max_nodes: 8, ..SceneConfig::DEFAULT });
}

#[test]
fn any_edits_in_tiny_slices_leave_what_the_model_says() {
    tiny(5);
}

#[test]
fn any_other_edits_in_tiny_slices_leave_what_the_model_says() {
    tiny(6);
}

#[test]
fn any_third_edits_in_tiny_slices_leave_what_the_model_says() {
    tiny(7);
}

#[test]
fn the_same_edits_give_the_same_scene_and_the_same_draws() {
    let answer = runner(9, cases().min(10)).run(&(uniform8(any::<u8>()), steps()), |(policy, steps)| {
        let played = [(); 2].map(|()| {
            let mut oracle = from_bytes(policy);
            // The other tests compare after each step.
            let played = oracle.run_sparsely(&steps, SPARSELY);
            oracle.scene.update();
            oracle.scene.draw_list(&mut oracle.list);
            played.map(|()| (dump(&oracle.scene), format!("{:?}", oracle.scene.stats()), oracle.list.clone()))
        });
        let (dump, stats, draws, dump_again, stats_again, draws_again) = match played {
            [Ok((dump, stats, draws)), Ok((dump_again, stats_again, draws_again))] => {
                (dump, stats, draws, dump_again, stats_again, draws_again)
            }
            [Err(mismatch), _] | [_, Err(mismatch)] => return Err(TestCaseError::fail(mismatch.to_string())),
        };
        prop_assert_eq!(dump, dump_again);
        prop_assert_eq!(stats, stats_again);
        prop_assert_eq!(draws.commands(), draws_again.commands());
        prop_assert_eq!(draws.matrices(), draws_again.matrices());
        Ok(())
    });
    assert!(answer.is_ok(), "{answer:?}");
}
