//! The report of a run.

use crate::play::Run;
use crate::table::{Table, grouped, in_ms};
use crate::times::{Times, milliseconds};
use hedgerow::stats::Stats;
use std::time::Duration;

pub(crate) struct Report {
    /// The town and its seed, or the file.
    pub(crate) title: String,
    pub(crate) frames: u32,
    pub(crate) characters: usize,
    /// The time to build the town or to read the file.
    pub(crate) build: Duration,
    pub(crate) run: Run,
    pub(crate) stats: Stats,
}

impl Report {
    fn phases(&self) -> [(&'static str, &Times); 8] {
        let run = &self.run;
        [
            ("edits", &run.edits),
            ("characters", &run.characters),
            ("maintenance", &run.maintenance),
            ("transforms", &run.update),
            ("draw list", &run.draw_list),
            ("groups", &run.groups),
            ("matrices uploaded", &run.upload),
            ("whole frame", &run.frame),
        ]
    }

    fn a_frame(&self, total: usize) -> f64 {
        total as f64 / f64::from(self.frames)
    }

    fn a_node(&self, bytes: usize) -> f64 {
        bytes as f64 / self.stats.nodes as f64
    }

    pub(crate) fn table(&self) -> String {
        let (run, stats) = (&self.run, &self.stats);
        let mut table = Table::new(&format!("{}, {} frames", self.title, self.frames));
        table.row("nodes", [grouped(stats.nodes)]);
        table.row("slices", [grouped(stats.slices)]);
        table.row("draws", [grouped(run.draws)]);
        if self.characters > 0 {
            table.row("characters", [grouped(self.characters)]);
        }
        table.row("built in", [milliseconds(self.build)].map(in_ms));

        table.head("time a frame", ["median", "worst"]);
        // The report omits the time of characters if there are none.
        for (name, times) in self.phases().into_iter().filter(|(name, _)| *name != "characters" || self.characters > 0)
        {
            table.row(name, [times.median(), times.quantile(1.0)].map(milliseconds).map(in_ms));
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
        table.end("The edited scene is valid.")
    }
}
