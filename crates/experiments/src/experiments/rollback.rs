//! Going back to earlier states: checkpoints, compared with snapshots and with clones.
//!
//! A game of groups, drawn objects and their parts saves its scene, makes 100 edits (80 transforms of the 1,400 nodes
//! that were inserted last are set, 5 nodes come, 5 go, 10 are moved) and updates it, frame by frame. After eight
//! frames it goes back to the first, and updates. Figures are nanoseconds a call.
//!
//! - `bytes/save`, `clone/save`: saving the state once. The baseline is `to_bytes`, or a clone.
//! - `bytes/restore`, `clone/restore`: going back eight frames, with the update after it.
//! - `bytes/rollback`, `clone/rollback`: all of it: a way back, and eight frames with their saves.
//! - `memory`: the bytes of a checkpoint, compared with those of a snapshot.
//! - `scattered`: saving 1,000 transforms that were set anywhere. The baseline is setting them, and the update.
//!
//! The check: both games have the same bytes.

use crate::agreement::agree;
use crate::clock::nanoseconds;
use crate::front::{Front, Sizes};
use crate::rounds::{Pace, Trial};
use crate::workloads::rng::Rng;
use crate::{Case, Outcome, Unit};
use hedgerow::checkpoints::Checkpoints;
use hedgerow::{Aabb, Drawable, Keep, Node, NodeHandle, Place, Scene};
use std::collections::VecDeque;

const SIZES: Sizes<&[usize]> = Sizes { full: &[200, 2000, 20_000, 262_144], tiny: &[300] };
const PACE: Pace = Pace::timed(7, 101, 2000);
/// The frames that are taken back.
const FRAMES: usize = 8;
const DRAWABLE: Drawable = Drawable::new(1, Aabb::cube(1.0));

/// Runs the experiment.
pub fn run(front: &mut Front) -> Outcome {
    for &nodes in SIZES.at(front) {
        for (baseline, word) in [("to_bytes", "bytes"), ("a clone", "clone")] {
            let names = ["save", "restore", "rollback"].map(|part| format!("{word}/{part}"));
            let cases = names.each_ref().map(|name| case(name, nodes, baseline));
            let mut games = Games([Game::new(nodes)?, Game::new(nodes)?], 0);
            games.0[1].saves =
                if word == "bytes" { Saves::Bytes(VecDeque::new()) } else { Saves::Clones(VecDeque::new()) };
            front.play(cases, PACE, &mut games)?;
            if let Saves::Checkpoints(checkpoints) = &games.0[0].saves {
                let empty = Checkpoints::new(&mut games.0[0].scene.clone(), 1)?.bytes();
                let [ours, theirs] = [(checkpoints.bytes() - empty) / (FRAMES + 1), games.0[0].scene.to_bytes().len()];
                let case = Case { unit: Unit::Each("B"), ..case("memory", nodes, "to_bytes") };
                front.report(&case, ours as f64, theirs as f64)?;
            }
        }
        front.play(
            [case("scattered", nodes, "the frame")],
            Pace { alternates: false, ..PACE },
            &mut Scattered(Game::new(nodes)?),
        )?;
    }
    Ok(())
}

fn case<'c>(name: &'c str, nodes: usize, baseline: &'c str) -> Case<'c> {
    Case::new(name, nodes, Unit::Call, baseline).per(1).against_itself()
}

/// Returns one of the last nodes of a list.
fn pick(rng: &mut Rng, list: &[NodeHandle], last: usize) -> NodeHandle {
    let count = u32::try_from(list.len().min(last)).expect("fewer nodes than records");
    list[list.len() - 1 - rng.below(count) as usize]
}

/// The states of the last frames.
enum Saves {
    Checkpoints(Box<Checkpoints>),
    Bytes(VecDeque<Vec<u8>>),
    Clones(VecDeque<Scene>),
}

struct Game {
    scene: Scene,
    groups: Vec<NodeHandle>,
    all: Vec<NodeHandle>,
    guests: VecDeque<NodeHandle>,
    rng: Rng,
    saves: Saves,
    frame: u64,
}

impl Game {
    fn new(nodes: usize) -> Result<Self, crate::Failure> {
        let (mut scene, mut rng) = (Scene::new(), Rng::new(7));
        let (mut groups, mut all) = (Vec::new(), Vec::new());
        while all.len() + 1 < nodes {
            let group = scene.insert(scene.root(), Node::transform(rng.transform()).with_name("group"))?;
            groups.push(group);
            for _ in 0..21 {
                let object = Node::transform(rng.transform()).with_drawable(DRAWABLE).with_material(3);
                let object = scene.insert(group, object)?;
                all.push(object);
                for _ in 0..2 {
                    all.push(scene.insert(object, Node::transform(rng.transform()))?);
                }
            }
        }
        scene.update();
        let saves = Saves::Checkpoints(Box::new(Checkpoints::new(&mut scene, FRAMES + 1)?));
        Ok(Self { scene, groups, all, guests: VecDeque::new(), rng, saves, frame: 0 })
    }

    fn group(&mut self) -> NodeHandle {
        pick(&mut self.rng, &self.groups, 8)
    }

    fn mover(&mut self) -> NodeHandle {
        pick(&mut self.rng, &self.all, 1400)
    }

    /// Makes the edits of a frame, and updates.
    fn tick(&mut self) -> Result<(), hedgerow::Error> {
        for _ in 0..80 {
            let node = self.mover();
            self.scene.set_local(node, self.rng.transform())?;
        }
        for _ in 0..5 {
            let (group, place) = (self.group(), self.rng.transform());
            self.guests.push_back(self.scene.insert(group, Node::transform(place).with_drawable(DRAWABLE))?);
            if self.guests.len() > 20
                && let Some(gone) = self.guests.pop_front()
            {
                self.scene.remove(gone)?;
            }
        }
        for _ in 0..10 {
            let (node, group) = (self.mover(), self.group());
            self.scene.reparent(node, Place::LastChildOf(group), Keep::Local)?;
        }
        self.scene.update();
        Ok(())
    }

    fn save(&mut self) -> Outcome {
        self.frame += 1;
        let Self { scene, saves, frame, .. } = self;
        match saves {
            Saves::Checkpoints(checkpoints) => checkpoints.save(scene, *frame)?,
            Saves::Bytes(list) => list.push_back(scene.to_bytes()),
            Saves::Clones(list) => list.push_back(scene.clone()),
        }
        Ok(())
    }

    /// Goes back to the first of the last eight frames.
    fn restore(&mut self) -> Outcome {
        let Self { scene, saves, frame, .. } = self;
        match saves {
            // A restore and a load update; a clone has the arrays of its update.
            Saves::Checkpoints(checkpoints) => checkpoints.restore(scene, *frame + 1 - FRAMES as u64)?,
            Saves::Bytes(list) => *scene = Scene::from_bytes(&list[0])?,
            Saves::Clones(list) => *scene = list.pop_front().ok_or("there is no clone")?,
        }
        Ok(())
    }
}

/// A game with checkpoints and one without, and the number of games that ended.
struct Games([Game; 2], usize);

impl Trial<3> for Games {
    fn play(&mut self, way: usize) -> [f64; 3] {
        let game = &mut self.0[way];
        let (guests, mut saves, mut ticks) = (game.guests.clone(), 0.0, 0.0);
        let mut done = Ok(());
        let and = |done: &mut Outcome, more: Outcome| *done = core::mem::replace(done, Ok(())).and(more);
        for _ in 0..FRAMES {
            saves += nanoseconds(|| and(&mut done, game.save()));
            ticks += nanoseconds(|| and(&mut done, game.tick().map_err(Into::into)));
        }
        let restore = nanoseconds(|| and(&mut done, game.restore()));
        game.guests = guests;
        match &mut game.saves {
            Saves::Checkpoints(_) => {}
            Saves::Bytes(list) => list.clear(),
            Saves::Clones(list) => list.clear(),
        }
        self.1 += usize::from(done.is_err());
        [saves / FRAMES as f64, restore, saves + ticks + restore]
    }

    fn check(&mut self) -> Outcome {
        let [ours, theirs] = &self.0;
        agree(self.1 == 0, "a call was refused")?;
        agree(ours.scene.to_bytes() == theirs.scene.to_bytes(), "the games went back to other states")
    }
}

/// A game that saves what was set anywhere.
struct Scattered(Game);

impl Trial<1> for Scattered {
    fn play(&mut self, way: usize) -> [f64; 1] {
        let game = &mut self.0;
        [nanoseconds(|| {
            if way == 0 {
                game.save().expect("the frame is a later one");
                return;
            }
            for _ in 0..1000 {
                let node = pick(&mut game.rng, &game.all, usize::MAX);
                game.scene.set_local(node, game.rng.transform()).expect("a node with a transform");
            }
            game.scene.update();
        })]
    }
}
