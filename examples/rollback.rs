//! Rollback of a networked game: play on with guessed input, and when the real input comes late, go back and play
//! again.
//!
//! Each tick saves a checkpoint, in the time of what the tick before changed. A restored scene has the same handles as
//! the saved one, and repeated edits give the same handles again. So handles that are kept elsewhere stay valid, even if
//! their nodes are made again. Data by node that is not in the scene goes back as a copy.
//!
//! ```text
//! cargo run --release --example rollback
//! ```

use hedgerow::checkpoints::Checkpoints;
use hedgerow::data::NodeMap;
use hedgerow::{Node, NodeHandle, Scene, Transform};
use std::error::Error;

/// The number of ticks that can be rolled back.
const HISTORY: usize = 8;
const TICKS: usize = 60;
/// The delay of the other player's input, in ticks.
const DELAY: usize = 5;

/// The input of a player in a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Input {
    /// The turn of the player's ship.
    turn: f32,
    fire: bool,
}

/// The game, whose whole state is the scene, handles, and how long each shot has flown.
struct Game {
    scene: Scene,
    ships: [NodeHandle; 2],
    flights: NodeMap<u32>,
    /// The states before each of the last ticks, of the scene and of `flights`.
    checkpoints: Checkpoints,
    saved: Vec<(usize, NodeMap<u32>)>,
}

impl Game {
    fn new() -> Result<Self, hedgerow::Error> {
        let mut scene = Scene::new();
        let left =
            scene.insert(scene.root(), Node::transform(Transform::from_xyz(-10.0, 0.0, 0.0)).with_name("left"))?;
        let right =
            scene.insert(scene.root(), Node::transform(Transform::from_xyz(10.0, 0.0, 0.0)).with_name("right"))?;
        let checkpoints = Checkpoints::new(&mut scene, HISTORY)?;
        let (flights, saved) = (NodeMap::new(), Vec::new());
        Ok(Self { scene, ships: [left, right], flights, checkpoints, saved })
    }

    /// Plays one tick, deterministically.
    fn tick(&mut self, tick: usize, inputs: [Input; 2]) -> Result<(), Box<dyn Error>> {
        self.checkpoints.save(&mut self.scene, tick as u64)?;
        self.saved.retain(|&(saved, _)| saved < tick && tick < saved + HISTORY);
        self.saved.push((tick, self.flights.clone()));

        // Shots fly, and are removed after some ticks.
        let mut gone = Vec::new();
        let shots: Vec<_> = self.scene.children(self.scene.root()).filter(|node| !self.ships.contains(node)).collect();
        for shot in shots {
            let (at, flight) = (self.place(shot).translation, &mut self.flights[shot]);
            *flight += 1;
            self.scene.set_local(shot, Transform::from_xyz(at.x, at.y + 2.0, 0.0))?;
            if *flight == 10 {
                gone.push(shot);
            }
        }
        self.scene.remove_many(&gone)?;
        gone.iter().for_each(|&shot| _ = self.flights.remove(shot));

        for (ship, input) in self.ships.into_iter().zip(inputs) {
            let at = self.place(ship).translation;
            self.scene.set_local(ship, Transform::from_xyz(at.x + input.turn, 0.0, 0.0))?;
            if input.fire {
                let shot =
                    self.scene.insert(self.scene.root(), Node::transform(Transform::from_xyz(at.x, 1.0, 0.0)))?;
                _ = self.flights.insert(shot, 0);
            }
        }
        self.scene.update();
        Ok(())
    }

    fn place(&self, node: NodeHandle) -> Transform {
        self.scene.local(node).and_then(|local| local.transform()).expect("all that moves has a plain transform")
    }

    /// Restores the state before a tick.
    fn back_to(&mut self, tick: usize) -> Result<(), Box<dyn Error>> {
        self.checkpoints.restore(&mut self.scene, tick as u64)?;
        let (_, flights) = self.saved.iter().find(|(saved, _)| *saved == tick).ok_or("so much cannot be taken back")?;
        self.flights.clone_from(flights);
        Ok(())
    }
}

/// Returns the input of a player in a tick.
fn input(player: usize, tick: usize) -> Input {
    Input { turn: ((tick / 7 + player) % 3) as f32 - 1.0, fire: tick % (4 + player) == 3 }
}

fn main() -> Result<(), Box<dyn Error>> {
    // The game without delay.
    let mut truth = Game::new()?;
    for tick in 0..TICKS {
        truth.tick(tick, [input(0, tick), input(1, tick)])?;
    }

    // In this game the second player's input comes late; until then, the game guesses that there is no input.
    let mut game = Game::new()?;
    let (mut rollbacks, mut replayed) = (0, 0);
    for now in 0..TICKS + DELAY {
        if now < TICKS {
            game.tick(now, [input(0, now), Input::default()])?;
        }
        let Some(known) = now.checked_sub(DELAY) else { continue };
        if input(1, known) == Input::default() {
            continue; // The guess was right.
        }
        game.back_to(known)?;
        rollbacks += 1;
        for tick in known..TICKS.min(now + 1) {
            let other = if tick == known { input(1, tick) } else { Input::default() };
            game.tick(tick, [input(0, tick), other])?;
            replayed += 1;
        }
    }

    println!("{TICKS} ticks, {rollbacks} rollbacks, {replayed} ticks played again");
    let frames = game.checkpoints.frames().len();
    println!("{frames} checkpoints of {} nodes take {} bytes", game.scene.len(), game.checkpoints.bytes());
    assert!(rollbacks > 30, "the guesses were wrong often enough");
    assert_eq!(game.ships, truth.ships);
    assert_eq!(game.place(game.ships[1]), truth.place(truth.ships[1]));
    let nodes = |game: &Game| {
        game.scene.get(game.scene.root()).unwrap().descendants().map(|node| node.handle()).collect::<Vec<_>>()
    };
    assert_eq!(nodes(&game), nodes(&truth), "the same nodes in the same order, by the same handles");
    let worlds = |game: &Game| nodes(game).into_iter().map(|node| game.scene.world(node).copied()).collect::<Vec<_>>();
    assert_eq!(worlds(&game), worlds(&truth));
    println!("all handles and matrices are those of a game without delay");
    Ok(())
}
