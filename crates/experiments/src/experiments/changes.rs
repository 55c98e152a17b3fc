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
//!
//! The cases `feed/all-memory`, `read/all-memory` and `motion/all-memory` have in place of a baseline the bytes that
//! these cannot do without, read and written in the same order and not computed with ([`Streams`]); in nanoseconds a
//! node of the tree, as the others:
//!
//! - `feed/all-memory`: what the update touches, of each node 40 bytes of its local transform and four of its parent's
//!   slot read, and 48 written; then its matrix before, 48 bytes, read, for a node has moved if its matrix differs from
//!   that; and two bits written: that its local was set, and that it moved. The matrix before is not copied: two arrays
//!   of matrices change places. The number of the frame is one for all that changed in it. Which node owns a slot is
//!   known before, and asked for by readers only.
//! - `read/all-memory`: the same, and then, of each node, its two bits and its handle of 8 bytes read, and the handle
//!   written to two lists: of nodes that moved, and of nodes whose locals were set.
//! - `motion/all-memory`: of each shape four bytes that say where its matrix is read, and 48 written; then its matrix
//!   before read, and written. The matrix of 48 bytes, which three shapes share, is read once for them; that before is
//!   the list's, and each shape has its own.

use crate::clock::nanoseconds;
use crate::front::{Front, Sizes};
use crate::rounds::{Pace, Rounds, Trial};
use crate::sides::{Packed, Side};
use crate::workloads::{Churn, Kind, Moves, Recipe, Streams, TOUCHED, Topology};
use crate::{Case, Outcome, Unit};
use hedgerow::changes::{ChangeReader, Changed, Changes};
use hedgerow::{DrawList, Mat34, NodeHandle, Scene, SceneConfig};
use std::time::Duration;

const SIZES: Sizes<&[usize]> = Sizes { full: &[4096, 32_768, 262_144], short: &[4096, 262_144], tiny: &[300] };
const TOLD: SceneConfig = SceneConfig { changes: true, ..SceneConfig::DEFAULT };

/// A case ends after this time, or after this many frames, but has the least number of them.
const PACE: Pace = Pace::timed(7, 301, Duration::from_millis(800));

/// About as many transforms, or shapes, as a slice of the default policy has.
const BLOCK: usize = 2048;

/// Runs the experiment.
///
/// # Errors
/// Where the feed tells something else than what happened, lists differ, or the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    SIZES.at(front.scale()).iter().try_for_each(|&nodes| {
        moved(front, nodes)?;
        let recipe = Recipe::random(nodes, nodes as u64);
        let case = Case::new("edits", nodes, Unit::Time, "without the feed").against_itself();
        measure(front, &case, &mut Edited::new(recipe.clone()))?;
        motion(front, &recipe)
    })
}

/// The feed, and reading it.
fn moved<F: Front>(front: &mut F, nodes: usize) -> Outcome {
    let recipe = Recipe::transforms(Topology::Random, nodes, nodes as u64);
    let (told, silent) = sides(&recipe);
    let reader = reader(told.scene())?;
    let mut moved =
        Moved { told, silent, moves: Moves::new(&recipe, 1), count: 0, reader, reads: false, told_now: None };
    for (what, reads) in [("feed", false), ("read", true)] {
        moved.reads = reads;
        for (share, count) in shares(moved.moves.most()) {
            moved.count = count;
            let name = &format!("{what}/{share}");
            let case = Case::new(name, nodes, Unit::Time, "without the feed").against_itself();
            measure(front, &case, &mut moved)?;
        }
        moved.count = moved.moves.most();
        let streams = if reads { vec![fed(nodes), read(nodes)] } else { vec![fed(nodes)] };
        touched(front, &format!("{what}/all-memory"), nodes, &mut moved, streams)?;
    }
    Ok(())
}

/// Kept lists with motion.
fn motion<F: Front>(front: &mut F, recipe: &Recipe) -> Outcome {
    let (mut motion, nodes) = (Motion::new(recipe), recipe.nodes().len());
    for (share, count) in shares(motion.moves.most()) {
        motion.count = count;
        let name = &format!("motion/{share}");
        let case = Case::new(name, nodes, Unit::Time, "a list without motion").against_itself();
        measure(front, &case, &mut motion)?;
    }
    motion.count = motion.moves.most();
    touched(front, "motion/all-memory", nodes, &mut motion, listed(recipe))
}

/// How many nodes are moved of so many.
fn shares(most: usize) -> [(&'static str, usize); 5] {
    [("all", most), ("10%", most / 10), ("1%", most / 100), ("one", 1), ("none", 0)]
}

/// Frames of both sides by turns.
fn measure<F: Front>(front: &mut F, case: &Case<'_>, trial: &mut impl Trial<1>) -> Outcome {
    let (nodes, ways) = (case.nodes, [Packed::NAME, case.baseline]);
    let rounds = Rounds { nodes, per: nodes, parts: [case.name], ways: &ways, pace: PACE, lasts: None };
    if let Some(figures) = front.rounds(&rounds, trial)? {
        front.report(case, figures[0][0], figures[1][0])?;
    }
    Ok(())
}

/// Frames of the first way of a trial, and the bytes that it touches.
fn touched<F: Front>(
    front: &mut F,
    name: &str,
    nodes: usize,
    trial: &mut impl Trial<1>,
    streams: Vec<Streams>,
) -> Outcome {
    measure(front, &Case::new(name, nodes, Unit::Time, TOUCHED), &mut Touched { trial, streams })
}

/// What an update with the feed touches where all nodes moved, slice by slice: it computes the matrices, then compares
/// them with those before.
fn fed(nodes: usize) -> Streams {
    let (local, matrix) = (size_of::<[f32; 10]>() + size_of::<u32>(), size_of::<Mat34>());
    let (mut read, mut written) = (Vec::new(), Vec::new());
    for first in (0..nodes).step_by(BLOCK) {
        let count = BLOCK.min(nodes - first);
        read.extend([count * local, count * matrix]);
        written.extend([count * matrix, bytes_of_bits(count)]);
    }
    let steps = 0..read.len();
    Streams::of(&read, &written, steps.map(|at| (at, at)))
}

/// What a reader touches where all nodes were set and moved, slice by slice.
fn read(nodes: usize) -> Streams {
    let counts = (0..nodes).step_by(BLOCK).map(|first| BLOCK.min(nodes - first));
    let (read, written): (Vec<usize>, Vec<usize>) = counts
        .map(|count| {
            let handles = count * size_of::<NodeHandle>();
            (bytes_of_bits(count) + handles, 2 * handles)
        })
        .unzip();
    Streams::of(&read, &written, (0..read.len()).map(|at| (at, at)))
}

/// Two bits for each of so many nodes: that its local was set, and that it moved.
const fn bytes_of_bits(nodes: usize) -> usize {
    (2 * nodes).div_ceil(8)
}

/// What a kept list with motion touches where all transforms moved: first its matrices, then those before.
fn listed(recipe: &Recipe) -> Vec<Streams> {
    let shapes = recipe.count(Kind::Shape);
    let matrix = size_of::<Mat34>();
    let shown = (recipe.shown_matrices(), matrix);
    vec![Streams::sharing(shapes, BLOCK, size_of::<u32>(), matrix, shown), Streams::new(shapes, BLOCK, matrix, matrix)]
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

/// The first way of a trial against the bytes that it touches.
struct Touched<'t, T> {
    trial: &'t mut T,
    streams: Vec<Streams>,
}

impl<T: Trial<1>> Trial<1> for Touched<'_, T> {
    fn begin(&mut self) {
        self.trial.begin();
    }

    fn prepare(&mut self, way: usize) {
        if way == 0 {
            self.trial.prepare(way);
        }
    }

    fn play(&mut self, way: usize) -> [f64; 1] {
        match way {
            0 => self.trial.play(way),
            _ => [nanoseconds(|| self.streams.iter_mut().for_each(Streams::touch))],
        }
    }

    fn check(&mut self) -> Outcome {
        // Both ways of the trial are compared. The other one is not timed.
        self.trial.prepare(1);
        self.trial.play(1);
        self.trial.check()
    }
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
