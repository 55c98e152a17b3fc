//! The cost of the change feed in an update.
//!
//! Ours is a scene with [`SceneConfig::changes`]; the baseline is the same scene without it. Figures are medians over
//! the frames, in nanoseconds per node of the tree, whether or not the node changed.
//!
//! - `feed/all`, `feed/10%`, `feed/1%`, `feed/one` and `feed/none`: the update after this share of the nodes got new
//!   local transforms, in a random tree whose nodes all have transforms. The feed is read outside the timed part.
//! - `read/all` to `read/none`: the same, with reading the feed timed as well.
//!
//! The check: the feed lists the nodes that moved.

use crate::clock::nanoseconds;
use crate::front::{Front, Sizes};
use crate::rounds::{Pace, Trial};
use crate::sides::{Packed, Side};
use crate::workloads::{Moves, Recipe, Topology};
use crate::{Case, Outcome, Unit};
use hedgerow::SceneConfig;
use hedgerow::changes::{ChangeReader, Changed};

const SIZES: Sizes<&[usize]> = Sizes { full: &[4096, 32_768, 262_144], tiny: &[300] };
const TOLD: SceneConfig = SceneConfig { changes: true, ..SceneConfig::DEFAULT };
const PACE: Pace = Pace { alternates: false, ..Pace::timed(7, 301, 800) };

/// Runs the experiment.
pub fn run(front: &mut Front) -> Outcome {
    for &nodes in SIZES.at(front) {
        let recipe = Recipe::transforms(Topology::Random, nodes, nodes as u64);
        let mut moved = Moved { scenes: Both::new(&recipe), moves: Moves::new(&recipe, 1), count: 0, told: None };
        for (what, reads) in [("feed", false), ("read", true)] {
            for (share, count) in shares(moved.moves.most()) {
                (moved.count, moved.told) = (count, reads.then_some(0));
                let name = &format!("{what}/{share}");
                let case = Case::new(name, nodes, Unit::Time, "without the feed").against_itself();
                front.play([case], PACE, &mut moved)?;
            }
        }
    }
    Ok(())
}

/// Returns the number of moved nodes for each share of `most`.
fn shares(most: usize) -> [(&'static str, usize); 5] {
    [("all", most), ("10%", most / 10), ("1%", most / 100), ("one", 1), ("none", 0)]
}

/// A scene with the feed, which was read to its end, and a scene without it.
struct Both {
    sides: [Packed; 2],
    reader: ChangeReader,
}

impl Both {
    fn new(recipe: &Recipe) -> Self {
        let mut sides = [TOLD, SceneConfig::DEFAULT].map(|config| Packed::build_with(recipe, config));
        sides.iter_mut().for_each(Side::update);
        let mut both = Self { sides, reader: ChangeReader::new() };
        both.sides[0].scene().changes(&mut both.reader).expect("the scene has a feed");
        both
    }

    /// Returns the changes since the last read.
    fn since(&mut self) -> Result<Changed<'_>, crate::Failure> {
        let changes = self.sides[0].scene().changes(&mut self.reader)?;
        if changes.is_whole() { Err("it is not known what changed".into()) } else { Ok(changes) }
    }
}

/// Updates after some nodes moved.
struct Moved {
    scenes: Both,
    moves: Moves,
    count: usize,
    /// The number of moved nodes that were read; `None` if reading is not timed.
    told: Option<usize>,
}

impl Trial<1> for Moved {
    fn begin(&mut self) {
        self.moves.next_frame(self.count);
    }

    fn prepare(&mut self, way: usize) {
        self.scenes.sides[way].set_locals(self.moves.moved());
    }

    fn play(&mut self, way: usize) -> [f64; 1] {
        let Self { scenes, told, .. } = self;
        [match told {
            Some(count) if way == 0 => nanoseconds(|| {
                scenes.sides[0].update();
                *count = scenes.since().map_or(0, |changed| changed.moved().len());
            }),
            _ => nanoseconds(|| scenes.sides[way].update()),
        }]
    }

    fn check(&mut self) -> Outcome {
        let count = self.count;
        let told = match self.told {
            Some(told) => told,
            None => self.scenes.since()?.moved().len(),
        };
        if told < count || (count == 0 && told > 0) {
            return Err(format!("{count} nodes were moved, and {told} are told").into());
        }
        Ok(())
    }
}
