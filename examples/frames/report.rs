//! The end of a run: a table to read, or one JSON object.

use crate::play::{Run, Times};
use hedgerow::Stats;
use std::fmt::{self, Write as _};
use std::time::Duration;

/// All that a run has to tell.
pub(crate) struct Report {
    /// The town and its seed, or the file.
    pub(crate) title: String,
    pub(crate) frames: u32,
    /// Building the town or reading the file.
    pub(crate) build: Duration,
    pub(crate) run: Run,
    pub(crate) stats: Stats,
}

impl Report {
    fn phases(&self) -> [(&'static str, &'static str, &Times); 5] {
        let run = &self.run;
        [
            ("edits", "edits", &run.edits),
            ("maintenance", "maintenance", &run.maintenance),
            ("transforms", "transforms", &run.update),
            ("draw_list", "draw list", &run.draw_list),
            ("frame", "whole frame", &run.frame),
        ]
    }

    fn a_frame(&self, total: usize) -> f64 {
        total as f64 / f64::from(self.frames)
    }

    fn a_node(&self, bytes: usize) -> f64 {
        bytes as f64 / self.stats.nodes as f64
    }

    /// The table.
    pub(crate) fn table(&self) -> String {
        let (run, stats) = (&self.run, &self.stats);
        let mut table = Table(format!("{}, {} frames\n\n", self.title, self.frames));
        table.row("nodes", [grouped(stats.nodes)]);
        table.row("slices", [grouped(stats.slices)]);
        table.row("draws", [grouped(run.draws)]);
        table.row("built in", [milliseconds(self.build)].map(in_ms));

        table.head("time a frame", ["median", "worst"]);
        for (_, name, times) in self.phases() {
            table.row(name, [times.median(), times.worst()].map(milliseconds).map(in_ms));
        }

        table.head("edits, and slices", ["a frame", "in all"]);
        for (name, total) in [
            ("components set", run.tally.set),
            ("subtrees moved", run.tally.moved),
            ("nodes inserted", run.tally.inserted),
            ("nodes removed", run.tally.removed),
            ("reconstituted by edits", run.reconstituted_by_edits),
            ("reconstituted by maintain", run.reconstituted_by_maintenance),
        ] {
            table.row(name, [format!("{:.1}", self.a_frame(total)), grouped(total)]);
        }

        let bytes = [stats.live_bytes(), stats.allocated_bytes()];
        table.head("memory", ["live", "allocated"]);
        table.row("in all", bytes.map(|bytes| format!("{:.2} MB", bytes as f64 / 1e6)));
        table.row("bytes a node", bytes.map(|bytes| format!("{:.1}", self.a_node(bytes))));
        table.0.push_str("\nThe edited scene is valid.\n");
        table.0
    }

    /// The same as one JSON object on one line; times in milliseconds.
    pub(crate) fn json(&self) -> String {
        let (run, stats) = (&self.run, &self.stats);
        let (live, allocated) = (stats.live_bytes(), stats.allocated_bytes());
        let times: serde_json::Map<_, _> = self
            .phases()
            .into_iter()
            .map(|(key, _, times)| {
                let (median, worst) = (milliseconds(times.median()), milliseconds(times.worst()));
                (key.to_owned(), serde_json::json!({ "median": median, "worst": worst }))
            })
            .collect();
        let report = serde_json::json!({
            "scene": self.title,
            "frames": self.frames,
            "nodes": stats.nodes,
            "slices": stats.slices,
            "draws": run.draws,
            "build_ms": milliseconds(self.build),
            "frame_ms": times,
            "edits_a_frame": {
                "set": self.a_frame(run.tally.set),
                "moved": self.a_frame(run.tally.moved),
                "inserted": self.a_frame(run.tally.inserted),
                "removed": self.a_frame(run.tally.removed),
            },
            "reconstituted": { "edits": run.reconstituted_by_edits, "maintenance": run.reconstituted_by_maintenance },
            "bytes": { "live": live, "allocated": allocated },
            "bytes_a_node": { "live": self.a_node(live), "allocated": self.a_node(allocated) },
            "valid": true,
        });
        format!("{report}\n")
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn in_ms(milliseconds: f64) -> String {
    format!("{milliseconds:.3} ms")
}

/// A number with a comma before every three digits.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Text in columns: a name, then right-aligned values.
struct Table(String);

impl Table {
    fn row<const N: usize>(&mut self, name: &str, values: [impl fmt::Display; N]) {
        // Writing to a string cannot fail.
        let _ = write!(self.0, "{name:<26}");
        for value in values {
            let _ = write!(self.0, "{value:>14}");
        }
        self.0.push('\n');
    }

    /// The first row of a new part of the table.
    fn head<const N: usize>(&mut self, name: &str, columns: [&str; N]) {
        self.0.push('\n');
        self.row(name, columns);
    }
}
