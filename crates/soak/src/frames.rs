//! Plays frames with random edits, as in a game, and validates each frame.

use crate::Options;
use fastrand::Rng;
use hedgerow::draw::DrawList;
use hedgerow::{Aabb, Drawable, Keep, Layers, Node, NodeHandle, Place, Scene, SceneConfig, Transform};
use std::time::{Duration, Instant};

/// The approximate number of nodes, enough for threads to share updates and draw lists.
const NODES: usize = if cfg!(test) { 40_000 } else { 100_000 };
/// The number of edits in a frame.
const EDITS: usize = 200;

/// The counts of a run.
#[derive(Debug, Default)]
struct Counts {
    frames: u64,
    edits: u64,
    refused: u64,
    drawn: u64,
}

/// A scene that is edited, and handles of its nodes, some of which are stale.
struct World {
    scene: Scene,
    nodes: Vec<NodeHandle>,
    list: DrawList,
    dice: Rng,
    counts: Counts,
}

impl World {
    fn new(seed: u64) -> Result<Self, String> {
        let config = SceneConfig { bounds: true, ..SceneConfig::DEFAULT };
        let scene = Scene::with_config(config).map_err(|error| error.to_string())?;
        let nodes = vec![scene.root()];
        Ok(Self { scene, nodes, list: DrawList::new(), dice: Rng::with_seed(seed), counts: Counts::default() })
    }

    fn any(&mut self) -> NodeHandle {
        self.nodes[self.dice.usize(..self.nodes.len())]
    }

    fn local(&mut self) -> Transform {
        let dice = &mut self.dice;
        Transform::from_xyz(dice.f32() * 4.0 - 2.0, dice.f32() * 4.0 - 2.0, dice.f32() - 0.5)
    }

    fn place(&mut self) -> Place {
        let anchor = self.any();
        match self.dice.u8(..4) {
            0 => Place::FirstChildOf(anchor),
            1 => Place::Before(anchor),
            _ => Place::LastChildOf(anchor),
        }
    }

    /// Makes a random edit, which the scene refuses if a handle is stale or a cycle would result.
    fn edit(&mut self) {
        self.counts.edits += 1;
        let (node, local) = (self.any(), self.local());
        let grows = self.scene.len() < NODES;
        let done = match self.dice.u8(..20) {
            0..=5 if grows => {
                let (place, drawable) = (self.place(), Drawable::new(self.dice.u32(..50), Aabb::cube(0.5)));
                let drawn = Node::transform(local).with_drawable(drawable).with_material(self.dice.u32(..8));
                self.scene.insert(place, drawn).map(|node| self.nodes.push(node))
            }
            0..=2 => self.scene.remove(node).map(drop),
            3 => self.scene.reparent(node, Place::Detached, Keep::Local).map(drop),
            4..=7 => {
                let (place, keep) = (self.place(), if self.dice.bool() { Keep::World } else { Keep::Local });
                self.scene.reparent(node, place, keep).map(drop)
            }
            8 => {
                // Layers are intersected along a path; with three of four layers each, most nodes stay visible.
                let layers = Layers::new(self.dice.u32(..) | self.dice.u32(..));
                self.scene.edit(node).map(|mut node| _ = node.set_layers(layers))
            }
            9 => self.scene.edit(node).map(|mut node| _ = node.set_material(self.dice.u32(..8))),
            10 => self.scene.edit(node).map(|mut node| _ = node.set_name("a name")),
            11 if grows => {
                let place = self.place();
                // The tree of a stale handle is refused.
                if self.scene.get(node).is_none_or(|node| node.descendants().nth(99).is_none()) {
                    let copy = self.scene.copy_tree(node).and_then(|tree| Ok(self.scene.insert_tree(place, &tree)?));
                    copy.map(|nodes| self.nodes.push(nodes[0]))
                } else {
                    Ok(())
                }
            }
            _ => self.scene.set_local(node, local),
        };
        self.counts.refused += u64::from(done.is_err());
    }

    /// Plays a frame: attaches what the last frame detached, edits, updates, fills a draw list, maintains the scene, and
    /// checks its invariants.
    fn frame(&mut self) -> Result<(), String> {
        let detached: Vec<_> = self.scene.detached().map(|node| node.handle()).collect();
        for node in detached {
            self.scene.reparent(node, self.scene.root(), Keep::Local).map_err(|error| error.to_string())?;
        }
        let edits = if self.counts.frames == 0 { 3 * NODES } else { EDITS };
        (0..edits).for_each(|_| self.edit());
        self.scene.update();
        self.scene.draw_list(&mut self.list);
        self.counts.drawn += self.list.len() as u64;
        self.scene.maintain(4_000);
        self.counts.frames += 1;
        // Handles of removed nodes are kept for a while.
        if self.counts.frames.is_multiple_of(50) {
            let scene = &self.scene;
            self.nodes.retain(|&node| scene.contains(node));
        }
        self.scene.validate().map_err(|violation| format!("frame {}: {violation}", self.counts.frames))
    }
}

/// Plays frames for the given time.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    let start = Instant::now();
    let most = Duration::from_secs(options.seconds);
    let counts = play(options.seed, |_| start.elapsed() < most)?;
    let threads = if hedgerow::THREADED { options.threads } else { 1 };
    println!("{counts:?} on {threads} threads in {} s, each frame validated", start.elapsed().as_secs());
    Ok(())
}

fn play(seed: u64, goes_on: impl Fn(&Counts) -> bool) -> Result<Counts, String> {
    let mut world = World::new(seed)?;
    while goes_on(&world.counts) {
        world.frame()?;
    }
    Ok(world.counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_with_random_edits_stay_sound() {
        let counts = crate::on_threads(2, || play(1, |counts| counts.frames < 60)).unwrap();
        assert!(counts.refused > 0 && counts.refused < counts.edits / 2, "{counts:?}");
        assert!(counts.drawn > 60 * 16_384, "{counts:?}");
    }
}
