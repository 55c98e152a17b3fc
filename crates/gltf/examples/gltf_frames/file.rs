//! The life of a glTF file: its animations play one after the other, and other parts get edits that are later undone.

use crate::dice::Dice;
use crate::turn::{Life, Tally};
use hedgerow::glam::{Quat, Vec3};
use hedgerow::{Error, Keep, Local, Mat34, NodeHandle, NodeRef, Place, Scene, Transform};
use hedgerow_character::CharacterError;
use hedgerow_gltf::{AnimationPlayer, ImportError, Imported};
use std::collections::{HashSet, VecDeque};

/// Frames per second.
const RATE: f32 = 60.0;
/// The greatest number of nodes in a part that is moved or copied.
const PART: usize = 64;
/// The frames until a moved part returns and a copy is removed.
const AWAY: usize = 10;
/// The greatest time for each animation, in seconds.
const TURN: f32 = 2.0;

/// The life of a file. In each frame, per hundred nodes without animation, ten nodes turn or shift near their original
/// transform, one part moves to another parent, and one part is copied. Moves and copies last ten frames; small files
/// have only one of these at a time.
pub(crate) struct FileLife {
    dice: Dice,
    players: Vec<AnimationPlayer>,
    playing: usize,
    /// The time that the present animation has played, in seconds.
    played: f32,
    rigs: usize,
    /// Nodes without animation, and their local transforms.
    still: Vec<(NodeHandle, Local)>,
    /// Subtrees without animation, small enough to move and copy.
    parts: Vec<NodeHandle>,
    /// All other nodes, which host moved parts. Hosts never move, so a part can always return.
    hosts: Vec<NodeHandle>,
    guests: VecDeque<(usize, Guest)>,
    away: HashSet<NodeHandle>,
    copies: VecDeque<(usize, NodeHandle)>,
    /// Every node of the file with its parent, and whether it has a local transform.
    tree: Vec<(NodeHandle, Option<NodeHandle>, bool)>,
}

/// A moved part, and its old place.
struct Guest {
    part: NodeHandle,
    home: NodeHandle,
    before: Option<NodeHandle>,
    local: Option<Local>,
}

impl FileLife {
    /// Returns the life of a file that was just read; compiles its animations.
    pub(crate) fn new(scene: &Scene, imported: &Imported) -> Result<Self, ImportError> {
        let players = (0..imported.animations.len()).map(|animation| imported.play(animation));
        let players: Vec<AnimationPlayer> = players.collect::<Result<_, _>>()?;
        // Nodes of rigs and their ancestors are not edited.
        let mut moved: HashSet<NodeHandle> = HashSet::new();
        for place in imported.rigs.iter().flat_map(|rig| &rig.places) {
            for node in place.nodes().filter_map(|(_, node)| scene.get(node)) {
                moved.insert(node.handle());
                moved.extend(node.ancestors().map(NodeRef::handle));
            }
        }
        let nodes =
            || scene.get(scene.root()).into_iter().flat_map(|root| root.descendants().map(NodeRef::handle).skip(1));
        let free = || nodes().filter(|node| !moved.contains(node));
        let groups: HashSet<NodeHandle> = imported.scenes.iter().map(|scene| scene.group).collect();
        let is_small = |node: &NodeHandle| is_small(scene, *node);
        let parts: Vec<_> = free().filter(|node| !groups.contains(node)).filter(is_small).collect();
        let of_parts: HashSet<_> = parts.iter().copied().collect();
        let tree = nodes().map(|node| (node, scene.parent(node), scene.local(node).is_some()));
        Ok(Self {
            dice: Dice::new(1),
            rigs: imported.rigs.len(),
            players: players.into_iter().filter(|player| player.duration() > 0.0).collect(),
            playing: 0,
            played: 0.0,
            still: free().filter_map(|node| Some((node, scene.local(node)?))).collect(),
            parts,
            hosts: nodes().filter(|node| !of_parts.contains(node)).collect(),
            guests: VecDeque::new(),
            away: HashSet::new(),
            copies: VecDeque::new(),
            tree: tree.collect(),
        })
    }

    /// Turns or shifts a node a little from its transform in the file, so that it does not drift.
    fn stir(&mut self, scene: &mut Scene, tally: &mut Tally) -> Result<(), Error> {
        let (node, local) = self.still[self.dice.below(self.still.len())];
        let turn = Quat::from_rotation_y(self.dice.between(-0.1, 0.1));
        let shift = Vec3::new(self.dice.between(-0.01, 0.01), self.dice.between(-0.01, 0.01), 0.0);
        match local {
            Local::Transform(transform) if self.dice.chance(0.5) => {
                scene.set_local(node, transform.with_rotation(turn * transform.rotation))?;
            }
            Local::Transform(transform) => {
                scene.set_local(node, transform.with_translation(transform.translation + shift))?;
            }
            Local::Matrix(matrix) => {
                scene.set_local(node, matrix * Mat34::from(Transform::from_rotation(turn)))?;
            }
        }
        tally.set += 1;
        Ok(())
    }

    /// Moves a part to another parent, and keeps its world transform.
    fn invite(&mut self, scene: &mut Scene, frame: usize, tally: &mut Tally) -> Result<(), Error> {
        let (part, host) = (self.dice.pick(&self.parts), self.dice.pick(&self.hosts));
        let Some(home) = scene.parent(part).filter(|_| !self.away.contains(&part)) else { return Ok(()) };
        let (before, local) =
            (scene.get(part).and_then(|node| node.previous_sibling()).map(|node| node.handle()), scene.local(part));
        match scene.reparent(part, host, Keep::World) {
            Ok(_) => {
                self.away.insert(part);
                self.guests.push_back((frame, Guest { part, home, before, local }));
                tally.moved += 1;
                Ok(())
            }
            // If the host's matrix is singular, no world transform can be kept, so the scene stays unchanged.
            Err(Error::Singular(_) | Error::NotFinite(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Moves a part back to its old place.
    fn bring_home(&mut self, scene: &mut Scene, guest: Guest, tally: &mut Tally) -> Result<(), Error> {
        let Guest { part, home, before, local } = guest;
        self.away.remove(&part);
        // The previous sibling may itself be away.
        let before = before.filter(|&before| scene.parent(before) == Some(home));
        scene.reparent(part, before.map_or(Place::FirstChildOf(home), Place::After), Keep::Local)?;
        tally.moved += 1;
        // Keeping the world transform may have given the part another local transform.
        scene.edit(part)?.set_local(local)?;
        tally.set += 1;
        Ok(())
    }

    /// Copies a part as its sibling.
    fn double(&mut self, scene: &mut Scene, frame: usize, tally: &mut Tally) -> Result<(), Error> {
        let part = self.dice.pick(&self.parts);
        let Some(parent) = scene.parent(part) else { return Ok(()) };
        // The part may contain copies already.
        if scene.get(part).unwrap().descendants().map(|node| node.handle()).skip(1).take(PART).count() < PART {
            let tree = scene.tree(part)?;
            let copy = scene.insert_tree(parent, &tree)?;
            tally.inserted += copy.len();
            self.copies.push_back((frame, copy[0]));
        }
        Ok(())
    }

    /// Moves all parts back and removes all copies. Then the scene must equal the file, node by node.
    pub(crate) fn end(&mut self, scene: &mut Scene) -> Result<(), Box<dyn std::error::Error>> {
        let mut tally = Tally::default();
        while let Some((_, guest)) = self.guests.pop_back() {
            self.bring_home(scene, guest, &mut tally)?;
        }
        for (_, copy) in self.copies.drain(..) {
            scene.remove(copy)?;
        }
        let is_there = |&(node, parent, has_local): &(NodeHandle, Option<NodeHandle>, bool)| {
            scene.parent(node) == parent && scene.local(node).is_some() == has_local
        };
        match scene.len() == 1 + self.tree.len() && self.tree.iter().all(is_there) {
            true => Ok(()),
            false => Err("the edits have changed what the file has".into()),
        }
    }
}

impl Life for FileLife {
    fn frame(&mut self, scene: &mut Scene, frame: usize) -> Result<Tally, CharacterError> {
        let mut tally = Tally::default();
        for _ in 0..self.still.len().div_ceil(10) {
            self.stir(scene, &mut tally)?;
        }
        while let Some((since, guest)) = self.guests.pop_front() {
            if frame < since + AWAY {
                self.guests.push_front((since, guest));
                break;
            }
            self.bring_home(scene, guest, &mut tally)?;
        }
        while let Some(&(since, copy)) = self.copies.front()
            && frame >= since + AWAY
        {
            self.copies.pop_front();
            tally.removed += scene.remove(copy)?;
        }
        // Even in a small file, at least one part moves at a time.
        let most = self.parts.len().div_ceil(10);
        for _ in 0..self.parts.len().div_ceil(100) {
            if self.guests.len() < most {
                self.invite(scene, frame, &mut tally)?;
            }
            if self.copies.len() < most {
                self.double(scene, frame, &mut tally)?;
            }
        }
        Ok(tally)
    }

    fn characters(&self) -> usize {
        self.rigs
    }

    /// Plays a step of the present animation, or starts the next animation.
    fn animate(&mut self, scene: &mut Scene) -> Result<(), CharacterError> {
        let Some(player) = self.players.get_mut(self.playing) else { return Ok(()) };
        player.advance(1.0 / RATE);
        player.apply(scene)?;
        self.played += 1.0 / RATE;
        if self.played >= player.duration().min(TURN) {
            player.seek(0.0);
            (self.playing, self.played) = ((self.playing + 1) % self.players.len(), 0.0);
        }
        Ok(())
    }
}

/// Returns whether a node has fewer than [`PART`] nodes below it.
fn is_small(scene: &Scene, node: NodeHandle) -> bool {
    scene.get(node).is_some_and(|node| node.descendants().skip(1).take(PART).count() < PART)
}
