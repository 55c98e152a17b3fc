//! The cost of the change feed in an update.
//!
//! Ours is a scene with [`SceneConfig::changes`]; the baseline is the same scene without it. Figures are medians over
//! the frames, in nanoseconds per node of the tree, whether or not the node changed.
//!
//! - `feed/all`, `feed/10%`, `feed/1%`, `feed/one` and `feed/none`: the update after this share of the nodes got new
//!   local transforms, in a random tree whose nodes all have transforms. The feed is read outside the timed part.
//! - `read/all` to `read/none`: the same, with reading the feed timed as well.
//! - `edits`: a tenth of the thesis's tree is removed and as many nodes are inserted, one by one; then an update runs.
//! - `blend/all`, `blend/10%` and `blend/1%`: [`Smooth::blend`] to halfway between two steps that moved this share. The
//!   baseline works by hand: it sets blended local transforms, updates, restores the step's local transforms, and
//!   updates again. Both sides have a feed.
//!
//! The check: the feed lists the nodes that moved, entered and left, and both blends leave the same world matrices.

use crate::agreement::agree;
use crate::clock::nanoseconds;
use crate::front::{Front, Sizes};
use crate::rounds::{Pace, Trial};
use crate::sides::{Packed, Side};
use crate::workloads::{Churn, Kind, Moves, Recipe, Topology};
use crate::{Case, Outcome, Unit};
use hedgerow::changes::{ChangeReader, Changed};
use hedgerow::motion::Smooth;
use hedgerow::{SceneConfig, Transform};

const SIZES: Sizes<&[usize]> = Sizes { full: &[4096, 32_768, 262_144], short: &[4096, 262_144], tiny: &[300] };
const TOLD: SceneConfig = SceneConfig { changes: true, ..SceneConfig::DEFAULT };
const PACE: Pace = Pace { alternates: false, ..Pace::timed(7, 301, 800) };

/// Runs the experiment.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    for &nodes in SIZES.at(front.scale()) {
        let recipe = Recipe::transforms(Topology::Random, nodes, nodes as u64);
        let mut moved = Moved { scenes: Both::new(&recipe), moves: Moves::new(&recipe, 1), count: 0, told: None };
        for (what, reads) in [("feed", false), ("read", true)] {
            for (share, count) in shares(moved.moves.most()) {
                (moved.count, moved.told) = (count, reads.then_some(0));
                let name = &format!("{what}/{share}");
                front.play([case(name, nodes)], PACE, &mut moved)?;
            }
        }
        let mut blended = Frames::new(&recipe);
        for (share, count) in &shares(blended.moves.most())[..3] {
            blended.count = *count;
            let name = &format!("blend/{share}");
            front.play([Case::new(name, nodes, Unit::Time, "by hand")], PACE, &mut blended)?;
        }
        let recipe = Recipe::random(nodes, nodes as u64);
        let mut edited = Edited { scenes: Both::new(&recipe), churn: Churn::new(&recipe, 1), recipe: recipe.clone() };
        front.play([case("edits", nodes)], PACE, &mut edited)?;
    }
    Ok(())
}

fn case(name: &str, nodes: usize) -> Case<'_> {
    Case::new(name, nodes, Unit::Time, "without the feed").against_itself()
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

/// Frames of edits, each followed by an update.
struct Edited {
    scenes: Both,
    churn: Churn,
    recipe: Recipe,
}

impl Trial<1> for Edited {
    fn renew(&mut self, _: usize) -> Outcome {
        (self.scenes, self.churn) = (Both::new(&self.recipe), Churn::new(&self.recipe, 1));
        Ok(())
    }

    fn begin(&mut self) {
        self.churn.next_frame();
    }

    fn play(&mut self, way: usize) -> [f64; 1] {
        let (side, edits) = (&mut self.scenes.sides[way], self.churn.edits());
        [nanoseconds(|| {
            side.edit(edits);
            side.update();
        })]
    }

    fn check(&mut self) -> Outcome {
        let (changes, edits) = (self.scenes.since()?, self.churn.edits());
        let (entered, left) = (changes.entered().len(), changes.left().len());
        if (entered, left) != (edits.inserted.len(), edits.removed.len()) {
            return Err(format!("{entered} nodes are told to have entered and {left} to have left").into());
        }
        Ok(())
    }
}

/// Frames between two steps, by [`Smooth`] and by hand.
struct Frames {
    smooth: Smooth,
    sides: [Packed; 2],
    moves: Moves,
    count: usize,
    kinds: Vec<Kind>,
    /// The local transforms of all nodes after the step, by id, and those of the moved nodes before the step.
    locals: Vec<Transform>,
    before: Vec<Transform>,
    /// The blended transforms of the baseline.
    blends: Vec<(u32, Transform)>,
}

impl Frames {
    fn new(recipe: &Recipe) -> Self {
        let mut sides = [(); 2].map(|()| Packed::build_with(recipe, TOLD));
        sides.iter_mut().for_each(Side::update);
        let smooth = Smooth::new(sides[0].scene()).expect("the scene has a feed");
        let locals = vec![Transform::IDENTITY; recipe.nodes().len()];
        let (moves, kinds) = (Moves::new(recipe, 1), recipe.kinds());
        Self { smooth, sides, moves, count: 0, kinds, locals, before: Vec::new(), blends: Vec::new() }
    }
}

impl Trial<1> for Frames {
    fn begin(&mut self) {
        self.before.clear();
        for &(id, local) in self.moves.next_frame(self.count) {
            self.before.push(core::mem::replace(&mut self.locals[id as usize], local));
        }
    }

    fn prepare(&mut self, way: usize) {
        self.sides[way].set_locals(self.moves.moved());
        self.sides[way].update();
        if way == 0 {
            self.smooth.step(self.sides[0].scene()).expect("the scene has a feed");
        }
    }

    fn play(&mut self, way: usize) -> [f64; 1] {
        let Self { smooth, sides: [ours, by_hand], moves, before, blends, .. } = self;
        [if way == 0 {
            nanoseconds(|| drop(smooth.blend(ours.scene_mut(), 0.5)))
        } else {
            nanoseconds(|| {
                blends.clear();
                blends.extend(moves.moved().iter().zip(before).map(|(&(id, to), from)| (id, from.lerp(to, 0.5))));
                by_hand.set_locals(blends);
                by_hand.update();
                by_hand.set_locals(moves.moved());
                by_hand.update();
            })
        }]
    }

    fn check(&mut self) -> Outcome {
        let [ours, by_hand] = [0, 1].map(|way: usize| self.sides[way].worlds(&self.kinds));
        agree(ours == by_hand && self.smooth.nodes().len() == self.count, "a blend left a trace, or left nodes out")
    }
}
