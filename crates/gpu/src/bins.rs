//! Which commands draw which drawables.

use crate::layout::{Bin, Command};
use core::ops::Range;
use std::collections::HashMap;

/// Where the triangles of a mesh are in the renderer's vertex and index buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeshArgs {
    /// The number of indices.
    pub index_count: u32,
    /// The first index.
    pub first_index: u32,
    /// What is added to each index.
    pub base_vertex: i32,
}

/// Commands that one pipeline draws, one after another: a multi-draw in each view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The key of the drawables.
    pub key: u32,
    /// Whether the drawables are mirrored, so that front faces are wound the other way.
    pub mirrored: bool,
    /// The commands in a view.
    pub commands: Range<u32>,
}

/// The drawables of one key and mesh.
#[derive(Clone, Debug)]
struct Entry {
    key: u32,
    mesh: u32,
    count: u32,
    /// The number of drawables for which there is room, for each winding.
    room: u32,
}

/// All bins. Bin 0 is that of drawables that are never drawn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bins {
    numbers: HashMap<(u32, u32), u32>,
    entries: Vec<Entry>,
    meshes: HashMap<u32, MeshArgs>,
    batches: Vec<Batch>,
    /// The number of commands of a view, and the length of its list of visible slots.
    commands: u32,
    room: u32,
    /// Whether commands must be arranged anew.
    stale: bool,
}

impl Bins {
    pub(crate) fn set_mesh(&mut self, mesh: u32, args: MeshArgs) {
        let before = self.meshes.insert(mesh, args);
        self.stale |= before.is_some_and(|before| before != args);
    }

    /// Returns the bin of a key and a mesh; `None` if the mesh is unknown.
    pub(crate) fn find(&mut self, key: u32, mesh: u32) -> Option<u32> {
        if let Some(&bin) = self.numbers.get(&(key, mesh)) {
            return Some(bin);
        }
        self.meshes.get(&mesh)?;
        self.entries.push(Entry { key, mesh, count: 0, room: 0 });
        let bin = u32::try_from(self.entries.len()).ok()?;
        self.numbers.insert((key, mesh), bin);
        Some(bin)
    }

    /// Counts a drawable that comes into a bin.
    pub(crate) fn enter(&mut self, bin: u32) {
        if let Some(entry) = self.entry(bin) {
            entry.count += 1;
            let full = entry.count > entry.room;
            self.stale |= full;
        }
    }

    /// Counts a drawable that leaves a bin.
    pub(crate) fn leave(&mut self, bin: u32) {
        if let Some(entry) = self.entry(bin) {
            entry.count -= 1;
        }
    }

    /// Lets [`arrange`](Self::arrange) write everything.
    pub(crate) fn arrange_anew(&mut self) {
        self.stale = true;
    }

    fn entry(&mut self, bin: u32) -> Option<&mut Entry> {
        self.entries.get_mut(bin.checked_sub(1)? as usize)
    }

    pub(crate) fn batches(&self) -> &[Batch] {
        &self.batches
    }

    pub(crate) const fn sizes(&self) -> (u32, u32) {
        (self.commands, self.room)
    }

    /// Arranges the commands, if that is necessary: by key, winding and mesh. Returns the bins, and the commands of a view.
    pub(crate) fn arrange(&mut self) -> Option<(Vec<Bin>, Vec<Command>)> {
        if !core::mem::take(&mut self.stale) {
            return None;
        }
        for entry in &mut self.entries {
            // A quarter more, so that few changes arrange anew; and less if most of it is empty.
            if entry.count > entry.room || entry.count < entry.room / 4 {
                entry.room = if entry.count > 0 { entry.count + entry.count / 4 + 8 } else { 0 };
            }
        }
        let mut order: Vec<usize> = (0..self.entries.len()).filter(|&at| self.entries[at].room > 0).collect();
        order.sort_unstable_by_key(|&at| (self.entries[at].key, self.entries[at].mesh));
        let (mut bins, mut commands) = (vec![Bin::default(); self.entries.len() + 1], Vec::new());
        self.batches.clear();
        self.room = 0;
        for of_key in order.chunk_by(|&a, &b| self.entries[a].key == self.entries[b].key) {
            for (winding, mirrored) in [false, true].into_iter().enumerate() {
                let begin = index(commands.len());
                for &at in of_key {
                    let Entry { mesh, room, .. } = self.entries[at];
                    let MeshArgs { index_count, first_index, base_vertex } = self.meshes[&mesh];
                    bins[at + 1].commands[winding] = index(commands.len());
                    bins[at + 1].firsts[winding] = self.room;
                    let first_instance = self.room;
                    commands.push(Command { index_count, instance_count: 0, first_index, base_vertex, first_instance });
                    self.room += room;
                }
                let key = self.entries[of_key[0]].key;
                self.batches.push(Batch { key, mirrored, commands: begin..index(commands.len()) });
            }
        }
        self.commands = index(commands.len());
        Some((bins, commands))
    }
}

/// No scene has more than 2³⁰ drawables, and each command and each place in a list is for one at least.
fn index(number: usize) -> u32 {
    u32::try_from(number).expect("a scene has fewer drawables")
}
