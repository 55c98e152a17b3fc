//! Results, as a table for people or as lines of JSON for programs.

use hedgerow_experiments::{Case, Unit, machine};
use serde_json::json;
use std::io::{self, Write as _};

/// The features of this build that change what is measured.
const FEATURES: &[&str] = &[
    #[cfg(feature = "rayon")]
    "rayon",
    #[cfg(feature = "_levels")]
    "_levels",
];

/// The quartiles of what a figure is the median of, where it is one.
pub(crate) type Spread = Option<[f64; 2]>;

/// One case, as it was measured: each pair is of ours and of the baseline.
struct Measured<'c> {
    case: &'c Case<'c>,
    figures: [f64; 2],
    spreads: [Spread; 2],
    threads: [usize; 2],
    levels: [String; 2],
}

/// Prints the cases of one experiment as they come.
pub(crate) struct Report {
    experiment: &'static str,
    json: bool,
    started: bool,
    /// How many threads everything runs on that does not say otherwise.
    threads: usize,
}

impl Report {
    /// A report of this experiment, which runs on so many threads.
    pub(crate) const fn new(experiment: &'static str, json: bool, threads: usize) -> Self {
        Self { experiment, json, started: false, threads }
    }

    /// Sets how many threads everything runs on from here on, and returns how many it was.
    pub(crate) const fn set_threads(&mut self, threads: usize) -> usize {
        core::mem::replace(&mut self.threads, threads)
    }

    /// On how many threads ours and the baseline work, and with which vectors.
    fn conditions(&self, case: &Case<'_>) -> ([usize; 2], [String; 2]) {
        // Other people's ways do not share their work among threads, and ours does where it is the baseline, too.
        let threads = case.threads.unwrap_or_else(|| case.kernels.map(|own| if own { self.threads } else { 1 }));
        (threads, case.kernels.map(|own| if own { machine::kernels() } else { machine::compiled().to_owned() }))
    }

    /// Prints the curves of ours and of the baseline as JSON. A table has no place for them.
    pub(crate) fn curve(&self, case: &Case<'_>, curves: [&[f64]; 2]) -> io::Result<()> {
        if !self.json {
            return Ok(());
        }
        let (threads, levels) = self.conditions(case);
        let [ours, theirs] = curves.map(|curve| curve.iter().copied().map(rounded).collect::<Vec<_>>());
        let line = json!({
            "experiment": self.experiment,
            "case": case.name,
            "n": case.nodes,
            "unit": case.unit.name(),
            "curve": ours,
            "baseline": case.baseline,
            "baseline_curve": theirs,
            "threads": threads[0],
            "baseline_threads": threads[1],
            "level": levels[0],
            "baseline_level": levels[1],
            "features": FEATURES.join(","),
            "compiler": machine::COMPILER,
        });
        writeln!(io::stdout().lock(), "{line}")
    }

    /// Prints one line.
    pub(crate) fn case(&mut self, case: &Case<'_>, figures: [f64; 2], spreads: [Spread; 2]) -> io::Result<()> {
        let (threads, levels) = self.conditions(case);
        let measured = Measured { case, figures, spreads, threads, levels };
        if self.json {
            self.line(&measured)?;
        } else {
            self.row(&measured)?;
        }
        self.started = true;
        io::stdout().flush()
    }

    fn line(&self, measured: &Measured<'_>) -> io::Result<()> {
        let Measured { case, figures: [ours, theirs], spreads, threads, ref levels } = *measured;
        let mut line = json!({
            "experiment": self.experiment,
            "case": case.name,
            "n": case.nodes,
            "unit": case.unit.name(),
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
        if let Unit::Rate(bytes) = case.unit {
            line["gb_s"] = rounded(bytes / ours).into();
            line["baseline_gb_s"] = rounded(bytes / theirs).into();
        }
        writeln!(io::stdout().lock(), "{line}")
    }

    fn row(&self, measured: &Measured<'_>) -> io::Result<()> {
        let Measured { case, figures: [ours, theirs], spreads, threads, ref levels } = *measured;
        let mut out = io::stdout().lock();
        if !self.started {
            let features = if FEATURES.is_empty() { "none".to_owned() } else { FEATURES.join(", ") };
            let (compiler, compiled) = (machine::COMPILER, machine::compiled());
            writeln!(out, "{compiler}, built for {compiled}, features beside the default ones: {features}")?;
            let (ours, theirs) = ("ours", "baseline");
            write!(out, "{:<29}{:>9}{ours:>21}{theirs:>21}{:>9}", "case", "nodes", "ratio")?;
            writeln!(out, "  {:<13}{:<9}{:<15}compared with", "quartiles", "threads", "vectors")?;
        }
        let unit = case.unit.name();
        let shown = |figure: f64| if let Unit::Rate(bytes) = case.unit { bytes / figure } else { figure };
        let (name, nodes, baseline) = (case.name, case.nodes, case.baseline);
        write!(out, "{name:<29}{nodes:>9}{:>13.2} {unit:<7}{:>13.2} {unit:<7}", shown(ours), shown(theirs))?;
        let (threads, levels) = (both(&threads.map(|count| count.to_string())), both(levels));
        let spread = both(&[(ours, spreads[0]), (theirs, spreads[1])].map(|(figure, spread)| share(figure, spread)));
        writeln!(out, "{:>9.2}  {spread:<13}{threads:<9}{levels:<15}{baseline}", theirs / ours)
    }
}

/// How far the quartiles of a figure are from it, as a share; nothing for what is counted.
fn share(figure: f64, spread: Spread) -> String {
    spread.map_or_else(String::new, |[low, high]| format!("±{:.0}%", 50.0 * (high - low) / figure))
}

/// What holds for ours and for the baseline: said once where it is the same.
fn both([ours, theirs]: &[String; 2]) -> String {
    if ours == theirs { ours.clone() } else { format!("{ours}, {theirs}") }
}

/// To six digits behind the point.
fn rounded(figure: f64) -> f64 {
    (figure * 1e6).round() / 1e6
}
