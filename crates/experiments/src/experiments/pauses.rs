//! The time of a single edit, and of the update after it.
//!
//! *n* nodes are inserted one by one below one child of the root, each below a random earlier one. Then *n* / 5 edits
//! follow: half inserts, a quarter removals of leaves, a quarter moves of subtrees of any size. `maintain` never runs.
//! Every edit is timed, and a sample of the updates:
//!
//! - `median`, `p99`, `p99.99`, `worst`: the time of a single edit. The baseline is boxed nodes.
//! - `update-median` to `update-worst`: the update after a single edit. About 10,000 such updates are timed, evenly
//!   spread. After every *n* / 8,333 edits, an update runs, then one edit, then the timed update. The baseline is one
//!   traversal of the boxed nodes, which computes every node.
//! - `frame-median` to `frame-worst`: the update that runs after *n* / 8,333 edits, before that edit. These rows show
//!   the work that edits put off; the rows above have every other update. The baseline is the same traversal.
//! - with the prefix `thesis/`: the same, compared with the thesis's structure.
//! - with the prefix `chain/`, `caterpillar/` or `flat/`: the tree has that shape, and the edits are inserts and
//!   removals without moves. The baseline is our own time in the random tree.
//!
//! The edits run five times on new trees. The time of an edit is its minimum over the runs, which excludes
//! interruptions by the machine. Reading the clock takes about 25 ns of each figure.

use crate::clock::nanoseconds;
use crate::front::{Front, Sizes};
use crate::rounds::{Pace, Trial};
use crate::sides::{Boxed, Packed, Side, Sliced};
use crate::workloads::rng::Rng;
use crate::workloads::{Content, Recipe, RecipeNode, Topology};
use crate::{Case, Failure, Outcome, Unit};

const SIZES: Sizes<&[usize]> = Sizes { full: &[100_000, 1_000_000], tiny: &[300] };
/// The approximate number of timed updates; there may be up to a fifth more updates.
const UPDATES: usize = 10_000;
const RUNS: usize = 5;
const QUANTILES: [(&str, f64); 4] = [("median", 0.5), ("p99", 0.99), ("p99.99", 0.9999), ("worst", 1.0)];
const KINDS: [(&str, Unit); 3] = [("", Unit::Edit), ("update-", Unit::Call), ("frame-", Unit::Call)];

/// Runs the experiment.
pub fn run(front: &mut Front) -> Outcome {
    for &nodes in SIZES.at(front) {
        let edits = || script(Recipe::random(nodes, 1), true);
        play(front, "thesis/", nodes, Playing::<Sliced>::new(edits(), None))?;
        let random = play(front, "", nodes, Playing::<Boxed>::new(edits(), None))?;
        for topology in [Topology::Chain, Topology::Caterpillar, Topology::Flat] {
            let script = script(Recipe::transforms(topology, nodes, 1), false);
            let playing = Playing::<Packed>::new(script, Some(random.clone()));
            play(front, &format!("{}/", topology.name()), nodes, playing)?;
        }
    }
    Ok(())
}

/// An edit; nodes are numbers.
enum Edit {
    Insert(u32, RecipeNode),
    Remove(u32),
    Reparent(u32, u32),
}

/// Returns edits that insert all nodes of a tree, the first below the root and all others below the first, followed by
/// edits that roughly keep the tree's size. A node that these later edits insert stays a leaf until it is removed.
/// Nodes of the tree move below earlier nodes, so no cycle is closed.
fn script(tree: Recipe, moves: bool) -> Vec<Edit> {
    let end = u32::try_from(tree.nodes().len()).expect("ids have 32 bits");
    let (mut next, mut rng, mut extra, mut live) = (end, Rng::new(3), Vec::new(), 0);
    let insert = |(id, node): (u32, &RecipeNode)| {
        Edit::Insert(id, RecipeNode { parent: node.parent.max(u32::from(id > 1)), ..*node })
    };
    let mut edits: Vec<Edit> = (1..).zip(&tree.nodes()[1..]).map(insert).collect();
    for _ in 0..end / 5 {
        let kind = rng.below(4);
        edits.push(if kind == 1 && moves {
            let node = 2 + rng.below(end - 2);
            Edit::Reparent(node, 1 + rng.below(node - 1))
        } else if kind < 2 && live > 0 {
            live -= 1;
            Edit::Remove(extra.swap_remove(rng.below(live + 1) as usize))
        } else {
            extra.push(next);
            (next, live) = (next + 1, live + 1);
            let content = Content::random(&mut rng);
            Edit::Insert(next - 1, RecipeNode { parent: 1 + rng.below(end - 1), content })
        });
    }
    edits
}

/// Runs a script, reports its quantiles, and returns our times.
fn play<T: Side>(front: &mut Front, before: &str, nodes: usize, mut playing: Playing<T>) -> Result<Times, Failure> {
    let names = ["edits", "updates", "frames"].map(|part| format!("{before}{part}"));
    let ourselves = T::NAME == Packed::NAME;
    let baseline = if ourselves { "a random tree" } else { T::NAME };
    let cases = names.each_ref().map(|name| Case::new(name, nodes, Unit::Call, baseline).per(1));
    front.rounds(&cases, Pace::fixed(RUNS), &mut playing)?;
    let [mut ours, mut theirs] = playing.least;
    ours.iter_mut().chain(&mut theirs).for_each(|times| times.sort_unstable());
    for ((kind, unit), (ours, theirs)) in KINDS.into_iter().zip(ours.iter().zip(&theirs)) {
        for (quantile, share) in QUANTILES {
            let name = &format!("{before}{kind}{quantile}");
            let case = Case { kernels: [true, ourselves], ..Case::new(name, nodes, unit, baseline) };
            front.report(&case, at(ours, share), at(theirs, share))?;
        }
    }
    Ok(ours)
}

/// The times of edits, updates and frames, in nanoseconds.
type Times = [Vec<u32>; 3];

/// Edits, and the minimum times so far: ours and the baseline's.
struct Playing<T> {
    script: Vec<Edit>,
    least: [Times; 2],
    /// Whether the baseline's times are already known.
    known: bool,
    ends: (Option<Packed>, Option<T>),
}

impl<T: Side> Playing<T> {
    fn new(script: Vec<Edit>, known: Option<Times>) -> Self {
        Self {
            script,
            known: known.is_some(),
            least: [Times::default(), known.unwrap_or_default()],
            ends: (None, None),
        }
    }
}

/// The parts are the total times of the edits, the updates and the frames, including the clock.
impl<T: Side> Trial<3> for Playing<T> {
    fn play(&mut self, way: usize) -> [f64; 3] {
        let Self { script, least: [ours, theirs], known, ends } = self;
        if way == 0 {
            *ends = (None, None);
            ends.0 = Some(script_on(script, ours, true));
        } else if !*known {
            ends.1 = Some(script_on(script, theirs, false));
        }
        self.least[way].each_ref().map(|times| times.iter().map(|&time| f64::from(time)).sum())
    }

    fn check(&mut self) -> Outcome {
        let (Some(ours), theirs) = &mut self.ends else { return Err("nothing was played".into()) };
        ours.scene().validate()?;
        if let Some(theirs) = theirs {
            ours.frame();
            theirs.frame();
            return crate::agreement::same_draws(ours, theirs, "pauses");
        }
        Ok(())
    }
}

/// Runs a script once and lowers the minimum times of edits and updates. Without `updates`, times one final traversal.
fn script_on<S: Side>(script: &[Edit], least: &mut Times, updates: bool) -> S {
    let mut side = S::new();
    side.reserve(script.len());
    let every = (script.len() / UPDATES).max(1);
    let [edits, alone, frames] = least;
    for (number, edit) in script.iter().enumerate() {
        let sample = (updates && number % every == 0).then_some(number / every);
        if let Some(sample) = sample {
            lower(frames, sample, || side.update());
        }
        lower(edits, number, || match *edit {
            Edit::Insert(id, node) => side.insert_one(id, &node),
            Edit::Remove(id) => side.remove(&[id]),
            Edit::Reparent(id, parent) => side.reparent(&[(id, parent)]),
        });
        if let Some(sample) = sample {
            lower(alone, sample, || side.update());
        }
    }
    if !updates {
        lower(alone, 0, || side.update());
        frames.clone_from(alone);
    }
    side
}

/// Runs `work`, and lowers the figure to the time in nanoseconds if this is less.
#[inline]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some seconds at most")]
fn lower(least: &mut Vec<u32>, place: usize, work: impl FnOnce()) {
    let time = nanoseconds(work).max(1.0) as u32;
    match least.get_mut(place) {
        Some(least) => *least = time.min(*least),
        None => least.push(time),
    }
}

/// Returns a quantile of ascending figures: the least figure that is at least as great as this share of all figures.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in the list")]
fn at(ascending: &[u32], share: f64) -> f64 {
    let rank = (ascending.len() as f64 * share).ceil() as usize;
    f64::from(ascending[rank.max(1) - 1])
}
