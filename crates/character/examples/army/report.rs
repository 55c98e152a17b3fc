//! The report of a run.

use crate::arguments::Arguments;
use crate::army::Army;
use crate::play::Run;
use crate::puppet::Gait;
use crate::table::{Table, grouped, in_ms};
use crate::times::{Times, milliseconds};
use std::time::Duration;

pub(crate) struct Report<'r> {
    pub(crate) army: &'r Army,
    pub(crate) run: &'r Run,
    pub(crate) arguments: &'r Arguments,
    /// The time to make the rig, the mesh, the clips and the characters.
    pub(crate) built: Duration,
}

/// A stage of a frame: name, times, and the number and name of the items per frame.
type Stage<'r> = (&'static str, &'r Times, Option<(f64, &'static str)>);

impl Report<'_> {
    fn stages(&self) -> [Stage<'_>; 4] {
        let run = self.run;
        let characters = self.army.characters.len() as f64;
        let joints = self.a_frame(run.posed) * self.army.rig.skeleton.len() as f64;
        let vertices = self.a_frame(run.skinned) * self.army.mesh.len() as f64;
        [
            ("clips to palettes", &run.pose, Some((joints, "joint"))),
            ("move, update, cull", &run.cull, Some((characters, "character"))),
            ("skin who is seen", &run.skin, Some((vertices, "vertex"))),
            ("whole frame", &run.frame, None),
        ]
    }

    /// Returns the mean per frame of a sum over all frames.
    fn a_frame(&self, of_all: usize) -> f64 {
        of_all as f64 / f64::from(self.arguments.frames.get())
    }

    /// Returns the median in nanoseconds per character.
    fn a_character(&self, times: &Times) -> f64 {
        milliseconds(times.median()) * 1e6 / self.army.characters.len() as f64
    }

    pub(crate) fn table(&self) -> String {
        let Self { army, arguments, .. } = self;
        let count = |number: u32| grouped(number as usize);
        let mut table = Table::new(&format!("army, seed {}, {} frames", arguments.seed, count(arguments.frames.get())));
        table.row("characters", [grouped(army.characters.len())]);
        for (name, count) in [
            ("posed in a frame", self.run.posed),
            ("seen in a frame", self.run.seen),
            ("skinned anew", self.run.skinned),
            ("footsteps in a frame", self.run.steps),
        ] {
            table.row(name, [format!("{:.1}", self.a_frame(count))]);
        }
        table.row("joints", [grouped(army.rig.skeleton.len())]);
        table.row("vertices", [grouped(army.mesh.len())]);
        table.row("triangles", [grouped(army.mesh.indices().len() / 3)]);
        table.row("made in", [in_ms(milliseconds(self.built))]);

        table.head("clips", ["seconds", "bytes", "characters"]);
        for (number, (gait, clip)) in Gait::ALL.iter().zip(&army.clips).enumerate() {
            let playing = army.characters.iter().filter(|character| character.gait == number).count();
            table.row(gait.name, [format!("{:.3}", clip.duration()), grouped(clip.stats().bytes), grouped(playing)]);
        }

        table.head("time a frame", ["median", "99th %", "a character", "each"]);
        for (name, times, work) in self.stages() {
            let median = times.median();
            let each =
                work.map(|(number, what)| format!(" {:.1} ns/{what}", milliseconds(median) * 1e6 / number.max(1.0)));
            let [median, slowest] = [median, times.quantile(0.99)].map(milliseconds).map(in_ms);
            let a_character = format!("{:.0} ns", self.a_character(times));
            table.row(name, [median, slowest, a_character, each.unwrap_or_default()]);
        }
        table.end("The viewer draws this army.")
    }
}
