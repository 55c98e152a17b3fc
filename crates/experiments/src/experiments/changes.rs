//! What the change feed and last frame's matrices cost an update.
//!
//! Cases `feed/all`, `feed/10%`, `feed/1%`, `feed/one` and `feed/none`: the update after that share of the nodes was
//! given new local transforms, in a random tree in which every node has one; `read/all` to `read/none`, the same with a
//! reader that is told of what moved, timed too; and `edits`, single inserts and removals
//! of a tenth of the thesis's tree each, with the update behind them. Ours is a scene with [`SceneConfig::changes`],
//! compared with is the same scene without. Medians over the frames, in nanoseconds a node of the tree, changed or not.
//! But for `read`, nothing reads the feed while it is timed; that it tells of what moved, and of as many nodes as came
//! and went, is checked.
//!
//! Cases `motion/all`, `motion/10%`, `motion/1%`, `motion/one` and `motion/none`: a kept draw list with the matrices of
//! the update before, brought up to date after that share of the transforms of the thesis's tree moved; compared with
//! is a list without them of the same scene. The update is not timed.

use crate::clock::nanoseconds;
use crate::front::{Front, Sizes};
use crate::rounds::{Pace, Rounds, Trial};
use crate::sides::{Packed, Side};
use crate::workloads::{Churn, Moves, Recipe, Topology};
use crate::{Case, Outcome, Unit};
use hedgerow::changes::{ChangeReader, Changed, Changes};
use hedgerow::{DrawList, Scene, SceneConfig};
use std::time::Duration;

const SIZES: Sizes<&[usize]> = Sizes { full: &[4096, 32_768, 262_144], short: &[4096, 262_144], tiny: &[300] };
const TOLD: SceneConfig = SceneConfig { changes: true, ..SceneConfig::DEFAULT };

/// A case ends after this time, or after this many frames, but has the least number of them.
const PACE: Pace = Pace::timed(7, 301, Duration::from_millis(800));

/// Runs the experiment.
///
/// # Errors
/// Where the feed tells something else than what happened, lists differ, or the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    SIZES.at(front.scale()).iter().try_for_each(|&nodes| {
        let recipe = Recipe::transforms(Topology::Random, nodes, nodes as u64);
        let (told, silent) = sides(&recipe);
        let reader = reader(told.scene())?;
        let mut moved =
            Moved { told, silent, moves: Moves::new(&recipe, 1), count: 0, reader, reads: false, told_now: None };
        for (what, reads) in [("feed", false), ("read", true)] {
            moved.reads = reads;
            for (share, count) in shares(moved.moves.most()) {
                moved.count = count;
                measure(front, &format!("{what}/{share}"), nodes, "without the feed", &mut moved)?;
            }
        }
        measure(front, "edits", nodes, "without the feed", &mut Edited::new(Recipe::random(nodes, nodes as u64)))?;
        let mut motion = Motion::new(&Recipe::random(nodes, nodes as u64));
        for (share, count) in shares(motion.moves.most()) {
            motion.count = count;
            measure(front, &format!("motion/{share}"), nodes, "a list without motion", &mut motion)?;
        }
        Ok(())
    })
}

/// How many nodes are moved of so many.
fn shares(most: usize) -> [(&'static str, usize); 5] {
    [("all", most), ("10%", most / 10), ("1%", most / 100), ("one", 1), ("none", 0)]
}

/// Frames of both sides by turns.
fn measure<F: Front>(front: &mut F, name: &str, nodes: usize, baseline: &str, trial: &mut impl Trial<1>) -> Outcome {
    let ways = [Packed::NAME, baseline];
    let rounds = Rounds { nodes, per: nodes, parts: [name], ways: &ways, pace: PACE, lasts: None };
    if let Some(figures) = front.rounds(&rounds, trial)? {
        front.report(&Case::new(name, nodes, Unit::Time, baseline).against_itself(), figures[0][0], figures[1][0])?;
    }
    Ok(())
}

/// Both scenes of a tree, with everything told once.
fn sides(recipe: &Recipe) -> (Packed, Packed) {
    let (mut told, mut silent) = (Packed::build_with(recipe, TOLD), Packed::build(recipe));
    told.update();
    silent.update();
    (told, silent)
}

/// A reader that has seen a scene as it is.
fn reader(scene: &Scene) -> Result<ChangeReader, hedgerow::Error> {
    let mut reader = ChangeReader::new();
    scene.changes(&mut reader)?;
    Ok(reader)
}

/// What a reader has not seen.
fn told<'r>(scene: &Scene, reader: &'r mut ChangeReader) -> Result<Changed<'r>, Box<dyn std::error::Error>> {
    scene.changes(reader)?.since().ok_or_else(|| "it is not known what changed".into())
}

/// Updates after some nodes moved.
struct Moved {
    told: Packed,
    silent: Packed,
    moves: Moves,
    count: usize,
    reader: ChangeReader,
    /// Whether reading is timed, and how many nodes were told of then.
    reads: bool,
    told_now: Option<usize>,
}

impl Trial<1> for Moved {
    fn begin(&mut self) {
        self.moves.next_frame(self.count);
    }

    fn prepare(&mut self, way: usize) {
        let side = if way == 0 { &mut self.told } else { &mut self.silent };
        side.set_locals(self.moves.moved());
    }

    fn play(&mut self, way: usize) -> [f64; 1] {
        let Self { told, silent, reader, reads, told_now, .. } = self;
        if way == 0 && *reads {
            return [nanoseconds(|| {
                told.update();
                let changes = told.scene().changes(reader).ok().and_then(Changes::since);
                *told_now = changes.map(|changed| changed.moved().len());
            })];
        }
        let side = if way == 0 { told } else { silent };
        [nanoseconds(|| side.update())]
    }

    fn check(&mut self) -> Outcome {
        let told = match self.told_now.take() {
            Some(told) => told,
            None => told(self.told.scene(), &mut self.reader)?.moved().len(),
        };
        let count = self.count;
        if told < count || (count == 0 && told > 0) {
            return Err(format!("{count} nodes were moved, and {told} are told").into());
        }
        Ok(())
    }
}

/// Edits with the update behind them.
struct Edited {
    recipe: Recipe,
    told: Packed,
    silent: Packed,
    churn: Churn,
    reader: ChangeReader,
}

impl Edited {
    fn new(recipe: Recipe) -> Self {
        let (told, silent) = sides(&recipe);
        let churn = Churn::new(&recipe, 1);
        let mut reader = ChangeReader::new();
        // The first read tells that everything is to be read.
        let _ = told.scene().changes(&mut reader);
        Self { recipe, told, silent, churn, reader }
    }
}

impl Trial<1> for Edited {
    fn renew(&mut self, _: usize) -> Outcome {
        *self = Self::new(self.recipe.clone());
        Ok(())
    }

    fn begin(&mut self) {
        self.churn.next_frame();
    }

    fn play(&mut self, way: usize) -> [f64; 1] {
        let side = if way == 0 { &mut self.told } else { &mut self.silent };
        let edits = self.churn.edits();
        [nanoseconds(|| {
            side.edit(edits);
            side.update();
        })]
    }

    fn check(&mut self) -> Outcome {
        let (changes, edits) = (told(self.told.scene(), &mut self.reader)?, self.churn.edits());
        let (entered, left) = (changes.entered().len(), changes.left().len());
        if (entered, left) != (edits.inserted.len(), edits.removed.len()) {
            return Err(format!("{entered} nodes are told to have entered and {left} to have left").into());
        }
        Ok(())
    }
}

/// Kept lists after some nodes moved.
struct Motion {
    told: Packed,
    moves: Moves,
    count: usize,
    with: DrawList,
    without: DrawList,
}

impl Motion {
    fn new(recipe: &Recipe) -> Self {
        let (with, without) = (DrawList::new().with_motion(), DrawList::new());
        Self { told: Packed::build_with(recipe, TOLD), moves: Moves::new(recipe, 1), count: 0, with, without }
    }
}

impl Trial<1> for Motion {
    fn begin(&mut self) {
        self.told.set_locals(self.moves.next_frame(self.count));
        self.told.update();
    }

    fn play(&mut self, way: usize) -> [f64; 1] {
        let list = if way == 0 { &mut self.with } else { &mut self.without };
        let scene = self.told.scene();
        [nanoseconds(|| scene.draw_list(list))]
    }

    fn check(&mut self) -> Outcome {
        let Self { with, without, .. } = self;
        if with.matrices() != without.matrices() || with.previous_matrices().map(<[_]>::len) != Some(with.len()) {
            return Err("a list with motion is not the list without, with a matrix before each".into());
        }
        Ok(())
    }
}
