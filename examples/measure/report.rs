//! Results, as a table for people or as lines of JSON for programs.

use hedgerow_experiments::{Case, Unit};
use serde_json::json;
use std::io::{self, Write as _};

/// Prints the cases of one experiment as they come.
pub(crate) struct Report {
    experiment: &'static str,
    json: bool,
    started: bool,
}

impl Report {
    /// A report of this experiment.
    pub(crate) const fn new(experiment: &'static str, json: bool) -> Self {
        Self { experiment, json, started: false }
    }

    /// Prints one line.
    pub(crate) fn case(&mut self, case: &Case<'_>, ours: f64, theirs: f64) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let ratio = theirs / ours;
        if self.json {
            let mut line = json!({
                "experiment": self.experiment,
                "case": case.name,
                "n": case.nodes,
                "ns": rounded(ours),
                "baseline": case.baseline,
                "baseline_ns": rounded(theirs),
                "ratio": rounded(ratio),
            });
            if let Unit::Rate(bytes) = case.unit {
                line["gb_s"] = rounded(bytes / ours).into();
                line["baseline_gb_s"] = rounded(bytes / theirs).into();
            }
            writeln!(out, "{line}")?;
        } else {
            if !self.started {
                let (ours, theirs) = ("ours", "baseline");
                writeln!(out, "{:<16}{:>9}{ours:>21}{theirs:>21}{:>9}  compared with", "case", "nodes", "ratio")?;
            }
            let unit = case.unit.name();
            let shown = |figure: f64| if let Unit::Rate(bytes) = case.unit { bytes / figure } else { figure };
            let (name, nodes, ours, theirs) = (case.name, case.nodes, shown(ours), shown(theirs));
            let baseline = case.baseline;
            writeln!(
                out,
                "{name:<16}{nodes:>9}{ours:>13.2} {unit:<7}{theirs:>13.2} {unit:<7}{ratio:>9.2}  {baseline}"
            )?;
        }
        self.started = true;
        out.flush()
    }
}

/// To six digits behind the point.
fn rounded(figure: f64) -> f64 {
    (figure * 1e6).round() / 1e6
}
