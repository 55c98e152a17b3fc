//! A spatial index that follows a scene's change feed: an R*-tree of positions, updated each frame only for nodes that
//! moved, entered or left.
//!
//! ```text
//! cargo run --release --example spatial_index
//! ```
//!
//! Ships with turrets wander; some sink, others are launched. Every frame the tree is updated and queried for nodes
//! near a lighthouse. A brute-force query checks the result.

use hedgerow::changes::{ChangeReader, Changed};
use hedgerow::glam::Vec3;
use hedgerow::{Error, Node, NodeHandle, Scene, SceneConfig, Transform};
use rstar::RTree;
use rstar::primitives::GeomWithData;
use std::collections::HashMap;

const SHIPS: usize = 400;
const TURRETS: usize = 4;
const FRAMES: usize = 10;
/// The numbers of ships that move, sink and are launched in a frame.
const MOVING: usize = 40;
const SINKING: usize = 8;
/// The reach of the lighthouse at the origin.
const REACH: f32 = 30.0;

type Entry = GeomWithData<[f32; 3], NodeHandle>;

/// Positions in an R*-tree; also by handle, to find the entry of a node that moved or was removed.
#[derive(Default)]
struct Index {
    tree: RTree<Entry>,
    places: HashMap<NodeHandle, [f32; 3]>,
}

impl Index {
    /// Applies the changes of the last update.
    fn follow(&mut self, scene: &Scene, changes: Changed<'_>) {
        if changes.is_whole() {
            *self = Self::default();
        }
        for &node in changes.left().iter().chain(changes.moved()) {
            if let Some(place) = self.places.remove(&node) {
                self.tree.remove(&Entry::new(place, node));
            }
        }
        for &node in changes.entered().iter().chain(changes.moved()) {
            if let Some(place) = place(scene, node) {
                self.tree.insert(Entry::new(place, node));
                self.places.insert(node, place);
            }
        }
    }

    /// Returns the nodes within reach of the origin, ordered by handle.
    fn near(&self) -> Vec<NodeHandle> {
        let found = self.tree.locate_within_distance([0.0; 3], REACH * REACH);
        let mut near: Vec<_> = found.map(|entry| entry.data).collect();
        near.sort_unstable();
        near
    }
}

fn place(scene: &Scene, node: NodeHandle) -> Option<[f32; 3]> {
    scene.world(node).map(|world| world.translation().to_array())
}

/// Returns the same nodes by visiting every node.
fn near_the_long_way(scene: &Scene) -> Vec<NodeHandle> {
    let nodes = scene.get(scene.root()).unwrap().descendants().map(|node| node.handle());
    let mut near: Vec<_> = nodes
        .filter(|&node| place(scene, node).is_some_and(|[x, y, z]| x * x + y * y + z * z <= REACH * REACH))
        .collect();
    near.sort_unstable();
    near
}

/// Pseudorandom numbers between -1 and 1, the same at every run.
struct Dice(fastrand::Rng);

impl Dice {
    fn roll(&mut self) -> f32 {
        2.0 * self.0.f32() - 1.0
    }

    fn below(&mut self, end: usize) -> usize {
        self.0.usize(..end)
    }

    fn afloat(&mut self) -> Transform {
        Transform::from_xyz(self.roll() * 100.0, 0.0, self.roll() * 100.0)
    }
}

/// Inserts a ship with turrets.
fn launch(scene: &mut Scene, dice: &mut Dice) -> Result<NodeHandle, Error> {
    let ship = scene.insert(scene.root(), Node::transform(dice.afloat()))?;
    for turret in 0..TURRETS {
        let offset = Vec3::new(0.0, 1.0, turret as f32 - 1.5);
        scene.insert(ship, Node::transform(Transform::IDENTITY.with_translation(offset)))?;
    }
    Ok(ship)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
    let mut reader = ChangeReader::new();
    let mut dice = Dice(fastrand::Rng::with_seed(1));
    let mut ships = (0..SHIPS).map(|_| launch(&mut scene, &mut dice)).collect::<Result<Vec<_>, _>>()?;
    let mut index = Index::default();
    println!("{:>5}{:>8}{:>9}{:>9}{:>9}{:>9}", "frame", "nodes", "moved", "entered", "left", "near");
    for frame in 0..FRAMES {
        if frame > 0 {
            for _ in 0..SINKING {
                scene.remove(ships.swap_remove(dice.below(ships.len())))?;
                ships.push(launch(&mut scene, &mut dice)?);
            }
            for _ in 0..MOVING {
                scene.set_local(ships[dice.below(ships.len())], dice.afloat())?;
            }
        }
        scene.update();
        let changes = scene.changes(&mut reader)?;
        index.follow(&scene, changes);

        let near = index.near();
        if near != near_the_long_way(&scene) || index.tree.size() != scene.len() {
            return Err("the index is out of step with the scene".into());
        }
        let [moved, entered, left] = [changes.moved(), changes.entered(), changes.left()].map(<[_]>::len);
        println!("{frame:>5}{:>8}{moved:>9}{entered:>9}{left:>9}{:>9}", scene.len(), near.len());
    }
    Ok(())
}
