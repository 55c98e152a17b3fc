//! Checkpoints: the scene goes back to one of them, and the model to a copy of itself.

use super::inherited::Shades;
use super::oracle::Oracle;
use super::tree::Tree;
use super::{Check, Mismatch};
use hedgerow::NodeHandle;
use hedgerow::checkpoints::Checkpoints;
use std::collections::{BTreeMap, VecDeque};

/// The model as of a checkpoint, and the scene as bytes.
struct Saved {
    frame: u64,
    bytes: Vec<u8>,
    tree: Tree,
    shades: Shades,
    user_data: BTreeMap<NodeHandle, u32>,
}

/// Checkpoints of an oracle's scene, and what they must restore.
pub struct Restorer {
    checkpoints: Checkpoints,
    saved: VecDeque<Saved>,
    most: usize,
    saves: u32,
}

impl Restorer {
    pub fn new(oracle: &mut Oracle, most: usize) -> Check<Self> {
        oracle.goes_back = true;
        let checkpoints = Checkpoints::new(&mut oracle.scene, most).map_err(text)?;
        Ok(Self { checkpoints, saved: VecDeque::new(), most, saves: 0 })
    }

    /// Saves a checkpoint; each fourth replaces the newest. Returns its frame.
    pub fn save(&mut self, oracle: &mut Oracle) -> Check<u64> {
        self.saves += 1;
        let replaced =
            if self.saves.is_multiple_of(4) { self.saved.pop_back().map(|newest| newest.frame) } else { None };
        let frame = replaced.unwrap_or_else(|| self.saved.back().map_or(0, |newest| newest.frame + 1));
        self.checkpoints.save(&mut oracle.scene, frame).map_err(text)?;
        let Oracle { scene, tree, shades, renderer, .. } = oracle;
        let (bytes, user_data) = (scene.to_bytes(), renderer.user_data.clone());
        self.saved.push_back(Saved { frame, bytes, tree: tree.clone(), shades: shades.clone(), user_data });
        if self.saved.len() > self.most {
            self.saved.pop_front();
        }
        let kept = self.checkpoints.frames().eq(self.saved.iter().map(|saved| saved.frame));
        ensure!(kept, "there are other checkpoints: {:?}", self.checkpoints);
        Ok(frame)
    }

    /// Goes back to one of the checkpoints, if there is any. Returns its frame.
    pub fn restore(&mut self, oracle: &mut Oracle, which: u8) -> Check<Option<u64>> {
        let Some(at) = usize::from(which).checked_rem(self.saved.len()) else { return Ok(None) };
        self.saved.truncate(at + 1);
        let Saved { frame, bytes, tree, shades, user_data } = &self.saved[at];
        self.checkpoints.restore(&mut oracle.scene, *frame).map_err(text)?;
        ensure!(oracle.scene.to_bytes() == *bytes, "frame {frame} is restored with other bytes");
        oracle.tree.restore(tree);
        oracle.shades = shades.clone();
        oracle.renderer.user_data.clone_from(user_data);
        oracle.still = false;
        oracle.note_restore();
        Ok(Some(*frame))
    }
}

fn text(error: hedgerow::Error) -> Mismatch {
    Mismatch(error.to_string())
}
