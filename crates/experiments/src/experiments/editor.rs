//! What editors and loaders do with whole scenes, and passes of one's own.
//!
//! - `adopt`: a scene of its own, built and updated elsewhere, taken over below the root of a scene; in nanoseconds a
//!   node taken over. Against [`Scene::duplicate_from`] of the same scene. The time of freeing what is left of the
//!   other scene is in neither; that of the update afterwards is in both.
//! - `column`: a sweep over a [`Column`] that computes world matrices from local ones, parents first, in nanoseconds a
//!   transform. Against [`Scene::update_all`], which computes the same from packed transforms with its kernel, and
//!   visibilities and materials besides. Both are compared.
//! - `column-map`: the same values added up in the column's arrays, against a [`NodeMap`] of them, in nanoseconds a
//!   value.
//! - `load-with`: [`Scene::load_with`] world boxes for a scene saved without, against [`Scene::load`]; in nanoseconds a
//!   node.

use crate::clock::nanoseconds;
use crate::front::{Calls, Front, Sizes};
use crate::rounds::{Pace, Rounds, Trial};
use crate::sides::{Packed, Side};
use crate::workloads::Recipe;
use crate::{Case, Failure, Outcome, Unit};
use hedgerow::data::{Column, NodeMap};
use hedgerow::{Local, Mat34, Scene, SceneConfig};
use std::hint::black_box;

const SIZES: Sizes<&[usize]> = Sizes { full: &[4096, 32_768, 262_144], short: &[4096, 262_144], tiny: &[300] };
const ROUNDS: usize = 9;

/// Runs the experiment.
///
/// # Errors
/// Where the sides differ, or the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    for &nodes in SIZES.at(front.scale()) {
        let mut packed = Packed::build(&Recipe::random(nodes, nodes as u64));
        packed.scene_mut().update();
        adopt(front, nodes, packed.scene())?;
        column(front, packed.scene())?;
        column_map(front, packed.scene())?;
        load_with(front, nodes, packed.scene())?;
    }
    Ok(())
}

fn adopt<F: Front>(front: &mut F, nodes: usize, part: &Scene) -> Outcome {
    let mut trial = Taking { part, world: Scene::new(), next: None, nodes: [0; 2], failed: None };
    let rounds = Rounds {
        nodes,
        per: nodes,
        parts: ["adopt"],
        ways: &["duplicate_from", "adopt"],
        pace: Pace::fixed(ROUNDS),
        lasts: Some(ROUNDS),
    };
    if let Some(figures) = front.rounds(&rounds, &mut trial)? {
        let case = Case::new("adopt", nodes, Unit::Each("ns/node"), "duplicate_from").against_itself();
        front.report(&case, figures[1][0], figures[0][0])?;
    }
    Ok(())
}

/// A world that takes a scene over, or copies it.
struct Taking<'p> {
    part: &'p Scene,
    world: Scene,
    next: Option<Scene>,
    /// How many nodes the world had after each way.
    nodes: [usize; 2],
    failed: Option<Failure>,
}

impl Trial<1> for Taking<'_> {
    fn renew(&mut self, _: usize) -> Outcome {
        Ok(())
    }

    fn prepare(&mut self, _: usize) {
        self.world = Scene::new();
        self.world.update();
        self.next = Some(self.part.clone());
    }

    fn play(&mut self, way: usize) -> [f64; 1] {
        let Some(mut next) = self.next.take() else { return [0.0] };
        let mut taken = Ok(());
        let time = nanoseconds(|| {
            let root = self.world.root();
            let done = if way == 0 {
                self.world.duplicate_from(&next, next.root(), root)
            } else {
                self.world.adopt(&mut next, root)
            };
            taken = done.map(drop);
            self.world.update();
        });
        self.nodes[way] = self.world.len();
        if let Err(error) = taken {
            self.failed = Some(error.into());
        }
        [time]
    }

    fn check(&mut self) -> Outcome {
        match (self.failed.take(), self.nodes) {
            (Some(error), _) => Err(error),
            (None, [a, b]) if a == b && a == self.part.len() + 1 => Ok(()),
            (None, nodes) => Err(format!("worlds have {nodes:?} nodes").into()),
        }
    }
}

/// The local and the world matrix of a node.
type Pair = (Mat34, Mat34);

fn column<F: Front>(front: &mut F, scene: &Scene) -> Outcome {
    let mut own = Column::new((Mat34::IDENTITY, Mat34::IDENTITY));
    own.update(scene);
    let mut transforms = 0;
    for slice in scene.slices() {
        let locals = slice.transforms();
        for (slot, (local, _)) in own.slice_mut(&slice).iter_mut().enumerate() {
            *local = locals.local(slot).map_or(Mat34::IDENTITY, Local::to_matrix);
            transforms += usize::from(locals.is_occupied(slot));
        }
    }
    let calls = Calls {
        case: Case::new("column", transforms, Unit::Each("ns/slot"), "update_all").against_itself(),
        per: transforms,
        repeats: 1,
        sides: (&mut (own, scene.clone()), &mut scene.clone()),
        ours: |(own, scene): &mut (Column<Pair>, Scene)| {
            own.update(scene);
            own.sweep(scene, |(_, above), (local, world)| *world = above * *local);
        },
        baseline: Scene::update_all,
    };
    front.calls(calls, |(own, scene), baseline| {
        own.update(scene);
        for node in baseline.descendants(baseline.root()).filter(|&node| baseline.local(node).is_some()) {
            let (a, b) = (own.get(scene, node).ok_or("no value")?.1, baseline.world(node).ok_or("gone")?);
            if a != *b && b.is_finite() {
                return Err(format!("{node} is at {a:?} by the column and at {b:?}").into());
            }
        }
        Ok(())
    })
}

fn column_map<F: Front>(front: &mut F, scene: &Scene) -> Outcome {
    let mut own = Column::new(0_u32);
    own.update(scene);
    let mut map = NodeMap::new();
    for (number, node) in (1..).zip(scene.descendants(scene.root()).filter(|&node| scene.local(node).is_some())) {
        own.set(scene, node, number)?;
        map.insert(node, number);
    }
    let values = map.len();
    let calls = Calls {
        case: Case::new("column-map", values, Unit::Each("ns/value"), "NodeMap::values").against_itself(),
        per: values,
        repeats: 4,
        sides: (&mut (own, scene.clone(), 0_u64), &mut (map, 0_u64)),
        ours: |(own, scene, sum): &mut (Column<u32>, Scene, u64)| {
            *sum = scene.slices().flat_map(|slice| own.slice(&slice)).map(|&value| u64::from(value)).sum();
        },
        baseline: |(map, sum)| *sum = map.values().map(|&value| u64::from(value)).sum(),
    };
    // The column is of another scene, whose slices are the same.
    calls.sides.0.0.update(&calls.sides.0.1);
    front.calls(calls, |(_, _, a), (_, b)| if a == b { Ok(()) } else { Err(format!("sums are {a} and {b}").into()) })
}

fn load_with<F: Front>(front: &mut F, nodes: usize, scene: &Scene) -> Outcome {
    let calls = Calls {
        case: Case::new("load-with", nodes, Unit::Each("ns/node"), "load").against_itself(),
        per: nodes,
        repeats: 1,
        sides: (&mut (scene.save(), None), &mut (scene.save(), None)),
        ours: |(bytes, loaded): &mut (Vec<u8>, Option<Scene>)| {
            *loaded = Scene::load_with(bytes, SceneConfig { bounds: true, ..SceneConfig::DEFAULT }).ok();
        },
        baseline: |(bytes, loaded): &mut (Vec<u8>, Option<Scene>)| *loaded = Scene::load(bytes).ok(),
    };
    front.calls(calls, |(_, ours), (_, theirs)| match (ours, theirs) {
        (Some(ours), Some(theirs)) if ours.config().bounds && ours.len() == theirs.len() => {
            black_box(ours);
            Ok(())
        }
        _ => Err("a scene was not loaded".into()),
    })
}
