//! Runs every experiment at a small size: both sides work, and agree.

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_measure")).args(arguments).output().unwrap()
}

#[test]
fn both_sides_of_every_experiment_agree() {
    for experiment in hedgerow_experiments::experiments::all() {
        let Output { status, stdout, stderr } = run(&[experiment.name, "--tiny", "--json"]);
        assert!(status.success(), "{}: {}", experiment.name, String::from_utf8_lossy(&stderr));
        let lines = String::from_utf8(stdout).unwrap();
        assert!(!lines.is_empty(), "{} has no cases", experiment.name);
        for line in lines.lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(line["experiment"], experiment.name);
            let is_figure = |name: &str| line[name].as_f64().is_some_and(|figure| figure > 0.0);
            assert!(is_figure("ns") && is_figure("baseline_ns"), "{line}");
        }
    }
}

#[test]
fn the_program_refuses_other_names() {
    assert_eq!(run(&["no-such-experiment"]).status.code(), Some(2));
}
