//! A scene from a glTF file, and the unrest that is played on it.

use crate::dice::Dice;
use crate::play::{Life, Tally};
use hedgerow::character::CharacterError;
use hedgerow::glam::{Quat, Vec3};
use hedgerow::{Error, Keep, Local, Mat34, Node, NodeHandle, Scene, Transform, edit::LocalForm};
use std::collections::VecDeque;
use std::path::Path;

/// The most nodes of a part that is moved, removed or doubled.
const PART: usize = 64;

/// Reads a glTF 2.0 file.
#[cfg(feature = "gltf")]
pub(crate) fn load(path: &Path) -> Result<Scene, Box<dyn std::error::Error>> {
    let at_fault = |error: &dyn std::error::Error| format!("{}: {error}", path.display());
    let bytes = std::fs::read(path).map_err(|error| at_fault(&error))?;
    let import = hedgerow::import::from_slice(&bytes, path.parent()).map_err(|error| at_fault(&error))?;
    Ok(import.scene)
}

/// Without the feature: says how to get it.
#[cfg(not(feature = "gltf"))]
pub(crate) fn load(path: &Path) -> Result<Scene, Box<dyn std::error::Error>> {
    let path = path.display();
    Err(format!(
        "{path}: reading glTF needs the feature `gltf`; run\n  \
         cargo run --release --features gltf --example frames -- {path}"
    )
    .into())
}

/// Random edits that any scene can take, whatever it holds: of a hundred nodes ten turn or shift in a frame, one moves
/// to another parent or back home, and one is doubled or removed with what hangs below it.
pub(crate) struct Unrest {
    dice: Dice,
    nodes: Vec<NodeHandle>,
    guests: VecDeque<Guest>,
    original_len: usize,
}

/// A part that is not at home, and the way back.
struct Guest {
    part: NodeHandle,
    home: NodeHandle,
    local: Option<Local>,
}

impl Unrest {
    pub(crate) fn new(scene: &Scene, seed: u64) -> Self {
        let nodes = scene.descendants(scene.root()).skip(1).collect();
        Self { dice: Dice::new(seed), nodes, guests: VecDeque::new(), original_len: scene.len() }
    }

    /// A node that still stands, other than the root.
    fn any(&mut self, scene: &Scene) -> Option<NodeHandle> {
        while !self.nodes.is_empty() {
            let i = self.dice.below(self.nodes.len());
            if scene.contains(self.nodes[i]) {
                return Some(self.nodes[i]);
            }
            self.nodes.swap_remove(i);
        }
        None
    }

    /// A node that still stands and has few nodes below it, unless chance only finds others.
    fn any_part(&mut self, scene: &Scene) -> Option<NodeHandle> {
        (0..8).find_map(|_| {
            let node = self.any(scene)?;
            (scene.descendants(node).take(PART + 1).count() <= PART).then_some(node)
        })
    }

    /// Turns a node by a little, or shifts it.
    fn stir(&mut self, scene: &mut Scene, tally: &mut Tally) -> Result<(), Error> {
        let Some(node) = self.any(scene) else { return Ok(()) };
        let Some(local) = scene.local(node) else { return Ok(()) };
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

    /// Gives a part another parent, without a jump in the world.
    fn invite(&mut self, scene: &mut Scene, tally: &mut Tally) -> Result<(), Error> {
        let Some(part) = self.any_part(scene) else { return Ok(()) };
        let Some(parent) = self.any(scene) else { return Ok(()) };
        let Some(home) = scene.parent(part) else { return Ok(()) };
        let local = scene.local(part);
        if moved(scene.reparent(part, parent, Keep::World))? {
            self.guests.push_back(Guest { part, home, local });
            tally.moved += 1;
        }
        Ok(())
    }

    /// Brings the part that has been away for longest home, to its old place, if part and home still stand.
    fn bring_home(&mut self, scene: &mut Scene, tally: &mut Tally) -> Result<(), Error> {
        let Some(Guest { part, home, local }) = self.guests.pop_front() else { return Ok(()) };
        if !scene.contains(part) || !scene.contains(home) {
            return Ok(());
        }
        if moved(scene.reparent(part, home, Keep::Local))? {
            tally.moved += 1;
        }
        match local {
            Some(Local::Transform(transform)) => scene.set_local(part, transform)?,
            Some(Local::Matrix(matrix)) => {
                scene.set_local(part, matrix)?;
            }
            None => {}
        }
        tally.set += usize::from(local.is_some());
        Ok(())
    }

    /// Removes a part where the scene has grown, and doubles one where it has not.
    fn renew_part(&mut self, scene: &mut Scene, tally: &mut Tally) -> Result<(), Error> {
        let Some(part) = self.any_part(scene) else { return Ok(()) };
        if scene.len() > self.original_len {
            tally.removed += scene.remove(part)?;
            return Ok(());
        }
        let Some(parent) = scene.parent(part) else { return Ok(()) };
        let known = self.nodes.len();
        duplicate(scene, part, parent, &mut self.nodes)?;
        tally.inserted += self.nodes.len() - known;
        Ok(())
    }
}

impl Life for Unrest {
    fn frame(&mut self, scene: &mut Scene, _frame: usize) -> Result<Tally, CharacterError> {
        let mut tally = Tally::default();
        for _ in 0..1 + scene.len() / 10 {
            self.stir(scene, &mut tally)?;
        }
        for _ in 0..1 + scene.len() / 200 {
            self.invite(scene, &mut tally)?;
            if self.guests.len() * 20 > scene.len() {
                self.bring_home(scene, &mut tally)?;
            }
        }
        for _ in 0..1 + scene.len() / 100 {
            self.renew_part(scene, &mut tally)?;
        }
        Ok(tally)
    }
}

/// Whether a part was moved. Chance may choose a parent within the part, or one so flat that no place in the world can
/// be kept below it: such requests are refused, and the scene is as before.
fn moved(outcome: Result<Option<LocalForm>, Error>) -> Result<bool, Error> {
    match outcome {
        Ok(_) => Ok(true),
        Err(Error::WouldCycle { .. } | Error::Singular(_) | Error::NotFinite(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Inserts a copy of the subtree of `part` below `parent`, and appends the handles of the new nodes.
fn duplicate(
    scene: &mut Scene,
    part: NodeHandle,
    parent: NodeHandle,
    handles: &mut Vec<NodeHandle>,
) -> Result<(), Error> {
    let originals: Vec<_> = scene.descendants(part).collect();
    let mut copies = Vec::with_capacity(originals.len());
    for &original in &originals {
        let Some(Node { local, material, shape, visibility, name }) = scene.node(original) else {
            continue;
        };
        // The name is borrowed from the scene that is about to change.
        let name = name.map(str::to_owned);
        let node = Node { local, material, shape, visibility, name: name.as_deref() };
        let above = scene.parent(original);
        let above = copies.iter().find(|&&(other, _)| Some(other) == above).map_or(parent, |&(_, copy)| copy);
        copies.push((original, scene.insert(above, node)?));
    }
    handles.extend(copies.into_iter().map(|(_, copy)| copy));
    Ok(())
}
