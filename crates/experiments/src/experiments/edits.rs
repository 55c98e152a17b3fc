//! Edits at random positions in the thesis's tree: single calls against boxed nodes, batches against single calls.
//!
//! These cases edit a tenth of the nodes; figures are nanoseconds per edit:
//!
//! - `remove`: removes the leaves that a frame of the thesis removes;
//! - `insert`: inserts the nodes of that frame after the removals, each below a random leaf;
//! - `set`: sets the local transforms of transform nodes in random order;
//! - `move`: moves each inserted node below another random leaf; moving it back is not timed.
//!
//! Each side finds the handle or pointer of an edit in an array, by number. An untimed update follows each frame. The
//! prefix `batch-` names the same edits as batches of `hedgerow`, compared with single calls; the time includes filling
//! the lists of a batch. There is no batch of inserts: `batch-insert` is single inserts on both sides.
//!
//! - `build`: builds the whole tree by single inserts, with no reserved memory, in nanoseconds per node.
//! - `batch-build`: fills a list of the nodes and builds the tree from it, compared with single inserts.

use crate::agreement::{same_draws, same_worlds};
use crate::clock::nanoseconds;
use crate::front::{Front, Sizes};
use crate::rounds::{Pace, Trial};
use crate::sides::{Batched, Boxed, Packed, Side};
use crate::workloads::{Churn, Kind, Recipe};
use crate::{Case, Outcome, Unit};
use hedgerow::Transform;

const SIZES: Sizes<&[usize]> = Sizes { full: &[4096, 262_144, 1_048_576], tiny: &[300] };
const PARTS: [&str; 4] = ["insert", "remove", "set", "move"];
const ONE_BY_ONE: &str = "one by one";

/// Runs the experiment.
pub fn run(front: &mut Front) -> Outcome {
    for &nodes in SIZES.at(front) {
        let (recipe, per) = (Recipe::random(nodes, nodes as u64), nodes / 10);
        // Each round changes the tree. Small trees have more rounds.
        let pace = Pace { alternates: true, ..Pace::fixed(((1 << 20) / nodes).clamp(12, 100)) };
        let single = PARTS.map(|name| Case::new(name, nodes, Unit::Edit, Boxed::NAME).per(per));
        front.play(single, pace, &mut Frames::<Packed, Boxed>::new(recipe.clone()))?;
        let names = PARTS.map(|name| format!("batch-{name}"));
        let batched = names.each_ref().map(|name| Case::new(name, nodes, Unit::Edit, ONE_BY_ONE).against_itself());
        front.play(batched.map(|case| case.per(per)), pace, &mut Frames::<Batched, Packed>::new(recipe.clone()))?;

        let mut building = Building(recipe, Packed::build, Boxed::build);
        front.play([Case::new("build", nodes, Unit::Time, Boxed::NAME)], Pace::fixed(9), &mut building)?;
        let mut building = Building(building.0, Packed::build_from_list, <Packed as Side>::build);
        let case = Case::new("batch-build", nodes, Unit::Time, ONE_BY_ONE).against_itself();
        front.play([case], Pace::fixed(9), &mut building)?;
    }
    Ok(())
}

/// The same tree on both sides, and the edits of its frames.
struct Frames<S, T> {
    recipe: Recipe,
    ours: S,
    theirs: T,
    churn: Churn,
    number: usize,
    moved: Vec<(u32, Transform)>,
}

impl<S: Side, T: Side> Frames<S, T> {
    fn new(recipe: Recipe) -> Self {
        let (ours, theirs, churn) = (S::build(&recipe), T::build(&recipe), Churn::new(&recipe, 1));
        Self { recipe, ours, theirs, churn, number: 0, moved: Vec::new() }
    }
}

impl<S: Side, T: Side> Trial<4> for Frames<S, T> {
    fn renew(&mut self, _: usize) -> Outcome {
        *self = Self::new(self.recipe.clone());
        Ok(())
    }

    fn begin(&mut self) {
        let count = self.churn.next_frame().removed.len();
        // Steps of a prime visit each id once, in a scattered order.
        let (kinds, number) = (self.churn.kinds(), self.number);
        let places = (1..kinds.len()).map(|step| (step * 1_000_003 + number * 77_777) % kinds.len());
        let places = places.filter(|&id| kinds[id] == Kind::Transform && id > 0).take(count);
        let local =
            |id: usize| (u32::try_from(id).expect("ids have 32 bits"), Transform::from_xyz(id as f32, 1.0, 2.0));
        self.moved = places.map(local).collect();
        self.number += 1;
    }

    fn play(&mut self, way: usize) -> [f64; 4] {
        match way {
            0 => edit(&mut self.ours, &self.churn, &self.moved),
            _ => edit(&mut self.theirs, &self.churn, &self.moved),
        }
    }

    fn check(&mut self) -> Outcome {
        same_draws(&self.ours, &self.theirs, "edits")
    }

    fn check_last(&mut self) -> Outcome {
        same_worlds(&self.ours, &self.theirs, self.churn.kinds(), "edits")
    }
}

/// Makes the edits of a frame and returns the nanoseconds of each kind.
fn edit(side: &mut impl Side, churn: &Churn, moved: &[(u32, Transform)]) -> [f64; 4] {
    let edits = churn.edits();
    let remove = nanoseconds(|| side.remove(&edits.removed));
    let insert = nanoseconds(|| side.insert(&edits.inserted));
    let set = nanoseconds(|| side.set_locals(moved));
    let parent = |at: usize| edits.inserted[at % edits.inserted.len()].1.parent;
    // Steps of a prime give each node a new parent far from the old one.
    let there: Vec<_> =
        (0..).zip(&edits.inserted).map(|(at, (id, _))| (*id, parent(at * 1_000_003 + 77_777))).collect();
    let back: Vec<_> = edits.inserted.iter().map(|(id, node)| (*id, node.parent)).collect();
    let shift = nanoseconds(|| side.reparent(&there));
    side.reparent(&back);
    side.frame();
    [insert, remove, set, shift]
}

/// Two ways to build a tree.
struct Building<S, T>(Recipe, fn(&Recipe) -> S, fn(&Recipe) -> T);

impl<S: Side, T: Side> Trial<1> for Building<S, T> {
    fn play(&mut self, way: usize) -> [f64; 1] {
        fn time<S>(build: impl FnOnce() -> S) -> f64 {
            let mut built = None;
            nanoseconds(|| built = Some(build()))
        }
        [if way == 0 { time(|| self.1(&self.0)) } else { time(|| self.2(&self.0)) }]
    }

    fn check_last(&mut self) -> Outcome {
        let (mut ours, mut theirs) = (self.1(&self.0), self.2(&self.0));
        ours.frame();
        theirs.frame();
        same_draws(&ours, &theirs, "edits, building")
    }
}
