//! Results, as a table for people or as lines of JSON for programs.

use serde_json::json;
use std::io::{self, Write as _};

/// What the two figures of a case are.
#[derive(Clone, Copy)]
pub(crate) enum Unit {
    /// Nanoseconds a node.
    Time,
    /// Nanoseconds an edit.
    Edit,
    /// Nanoseconds a call.
    Call,
    /// Nanoseconds each of something that is no node: what a table calls that.
    Each(&'static str),
    /// Bytes a node.
    Bytes,
    /// Nanoseconds a node in which this many bytes a node are read: a table shows the gigabytes a second.
    Rate(f64),
}

impl Unit {
    const fn name(self) -> &'static str {
        match self {
            Self::Time => "ns/node",
            Self::Edit => "ns/edit",
            Self::Call => "ns/call",
            Self::Each(name) => name,
            Self::Bytes => "B/node",
            Self::Rate(_) => "GB/s",
        }
    }
}

/// One result.
pub(crate) struct Case<'c> {
    /// What was measured.
    pub(crate) name: &'c str,
    /// How many nodes the tree has.
    pub(crate) nodes: usize,
    /// The unit of the next two.
    pub(crate) unit: Unit,
    /// Our figure.
    pub(crate) ours: f64,
    /// What it is compared with.
    pub(crate) baseline: &'c str,
    /// The figure of that.
    pub(crate) baseline_figure: f64,
}

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
    pub(crate) fn case(&mut self, case: &Case<'_>) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let ratio = case.baseline_figure / case.ours;
        if self.json {
            let mut line = json!({
                "experiment": self.experiment,
                "case": case.name,
                "n": case.nodes,
                "ns": rounded(case.ours),
                "baseline": case.baseline,
                "baseline_ns": rounded(case.baseline_figure),
                "ratio": rounded(ratio),
            });
            if let Unit::Rate(bytes) = case.unit {
                line["gb_s"] = rounded(bytes / case.ours).into();
                line["baseline_gb_s"] = rounded(bytes / case.baseline_figure).into();
            }
            writeln!(out, "{line}")?;
        } else {
            if !self.started {
                let (ours, theirs) = ("ours", "baseline");
                writeln!(out, "{:<16}{:>9}{ours:>21}{theirs:>21}{:>9}  compared with", "case", "nodes", "ratio")?;
            }
            let unit = case.unit.name();
            let shown = |figure: f64| if let Unit::Rate(bytes) = case.unit { bytes / figure } else { figure };
            let (name, nodes, ours, theirs) = (case.name, case.nodes, shown(case.ours), shown(case.baseline_figure));
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
