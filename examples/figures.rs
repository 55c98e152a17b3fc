//! Measures the experiments and draws them, as SVG and PNG.
//!
//! ```text
//! cargo run --release --example figures                      # to docs/figures
//! cargo run --release --example figures -- --quick           # fewer sizes, to target/figures, within two minutes
//! cargo run --release --example figures -- --from FILE.jsonl # what `measure --json` printed, drawn
//! ```
//!
//! The program that does it is the example `plot` of `crates/experiments`, which this one has built by the same cargo,
//! and run with all that stands behind `--`: only who draws compiles a plotting crate. Without `--release` that program
//! is built without it, too, which takes less time. What such a program measures means nothing, so it is refused without
//! `--from`.

use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let draws_only = std::env::args().any(|argument| ["--from", "--help", "-h"].contains(&argument.as_str()));
    if cfg!(debug_assertions) && !draws_only {
        eprintln!(
            "figures: measuring takes `cargo run --release`; without it, draw what was measured: --from FILE.jsonl"
        );
        return ExitCode::FAILURE;
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut plot = Command::new(cargo);
    plot.args(["run", "--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")]);
    if !cfg!(debug_assertions) {
        plot.arg("--release");
    }
    plot.args(["--package", "hedgerow-experiments", "--example", "plot", "--"]).args(std::env::args_os().skip(1));
    match plot.status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("figures: cargo does not run: {error}");
            ExitCode::FAILURE
        }
    }
}
