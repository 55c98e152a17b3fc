//! Results, as a table for people or as lines of JSON for programs.

use crate::{Case, machine};
use serde_json::json;
use std::io::{self, Write as _};

/// The enabled features that affect the figures.
const FEATURES: &[&str] = &[
    #[cfg(feature = "rayon")]
    "rayon",
    #[cfg(feature = "_levels")]
    "_levels",
];

/// The quartiles around a figure that is a median; `None` for a count.
pub(crate) type Spread = Option<[f64; 2]>;

/// Prints each case of one experiment when it is reported.
#[derive(Debug)]
pub struct Report {
    experiment: &'static str,
    json: bool,
    started: bool,
    /// The number of threads of every case that does not set its own.
    threads: usize,
}

impl Report {
    /// Creates a report of this experiment, which runs on `threads` threads.
    pub const fn new(experiment: &'static str, json: bool, threads: usize) -> Self {
        Self { experiment, json, started: false, threads }
    }

    /// Prints one line; in each pair, our value comes first, then the baseline's.
    pub(crate) fn case(&mut self, case: &Case<'_>, figures: [f64; 2], spreads: [Spread; 2]) -> io::Result<()> {
        // Baselines run on one thread, except when the baseline is `hedgerow` itself.
        let threads = case.threads.unwrap_or_else(|| case.kernels.map(|own| if own { self.threads } else { 1 }));
        let levels = case.kernels.map(|own| if own { machine::kernels() } else { machine::compiled().to_owned() });
        let (unit, [ours, theirs]) = (case.unit.name(), figures);
        let mut out = io::stdout().lock();
        if self.json {
            let mut line = json!({
                "experiment": self.experiment,
                "case": case.name,
                "n": case.nodes,
                "unit": unit,
                "ns": rounded(ours),
                "baseline": case.baseline,
                "baseline_ns": rounded(theirs),
                "ratio": rounded(theirs / ours),
                "threads": threads[0],
                "baseline_threads": threads[1],
                "level": levels[0],
                "baseline_level": levels[1],
                "features": FEATURES.join(","),
                "compiler": machine::COMPILER,
            });
            for (name, spread) in [("quartiles", spreads[0]), ("baseline_quartiles", spreads[1])] {
                if let Some(quartiles) = spread {
                    line[name] = quartiles.map(rounded).into();
                }
            }
            return writeln!(out, "{line}");
        }
        if !self.started {
            self.started = true;
            let features = if FEATURES.is_empty() { "none".to_owned() } else { FEATURES.join(", ") };
            let (compiler, compiled) = (machine::COMPILER, machine::compiled());
            writeln!(out, "{compiler}, built for {compiled}, features beside the default ones: {features}")?;
            let (ours, theirs) = ("ours", "baseline");
            write!(out, "{:<29}{:>9}{ours:>21}{theirs:>21}{:>9}", "case", "nodes", "ratio")?;
            writeln!(out, "  {:<13}{:<9}{:<15}compared with", "quartiles", "threads", "vectors")?;
        }
        let (name, nodes, baseline) = (case.name, case.nodes, case.baseline);
        write!(out, "{name:<29}{nodes:>9}{ours:>13.2} {unit:<7}{theirs:>13.2} {unit:<7}")?;
        let (threads, levels) = (both(&threads.map(|count| count.to_string())), both(&levels));
        let spread = both(&[share(ours, spreads[0]), share(theirs, spreads[1])]);
        writeln!(out, "{:>9.2}  {spread:<13}{threads:<9}{levels:<15}{baseline}", theirs / ours)?;
        out.flush()
    }
}

/// Returns the distance of the quartiles from a figure as a percentage; empty for a count.
fn share(figure: f64, spread: Spread) -> String {
    spread.map_or_else(String::new, |[low, high]| format!("±{:.0}%", 50.0 * (high - low) / figure))
}

/// Joins our value and the baseline's; if they are equal, states the value once.
fn both([ours, theirs]: &[String; 2]) -> String {
    if ours == theirs { ours.clone() } else { format!("{ours}, {theirs}") }
}

/// Rounds to six decimal places.
fn rounded(figure: f64) -> f64 {
    (figure * 1e6).round() / 1e6
}
