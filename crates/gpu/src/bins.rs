//! Which commands draw which drawables.

use crate::layout::{Bin, Command};
use core::ops::Range;
use hedgerow::query::LevelsOfDetail;
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

/// A call that draws commands of a [`Batch`], with the vertices, indices and pipeline that are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The byte of [`Buffer::Visible`](crate::Buffer::Visible) from which on it is bound as a vertex buffer: a `u32` an
    /// instance. Do not read it by `instance_index` instead: on Direct3D 12, that is without `first_instance` in some
    /// calls.
    pub visible: u64,
    /// The byte of [`Buffer::Commands`](crate::Buffer::Commands) where the first command is.
    pub commands: u64,
    /// The number of commands: a multi-draw, unless it is 1.
    pub count: u32,
}

/// The drawables of one key and mesh.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    key: u32,
    mesh: u32,
    /// The number of drawables whose mesh this is.
    own: u32,
    /// The number of drawables that may be drawn with this mesh: those, and others of which it is a coarser level.
    count: u32,
    /// The number of drawables that a list has room for, for each winding.
    capacity: u32,
    /// The distances and bins of coarser levels, as in a [`Bin`]; found for the first drawable whose mesh this is.
    levels: Option<([f32; 4], [u32; 4])>,
}

/// A distance, and the mesh from there on.
type Level = (f32, Option<u32>);

/// All bins. Bin 0 is that of drawables that are never drawn.
#[derive(Clone, Debug)]
pub(crate) struct Bins {
    numbers: HashMap<(u32, u32), u32>,
    /// By bin.
    entries: Vec<Entry>,
    unused: Vec<u32>,
    meshes: HashMap<u32, MeshArgs>,
    levels: HashMap<u32, Vec<Level>>,
    batches: Vec<Batch>,
    /// The commands of view 0, and the capacity of a view's list.
    commands: Vec<Command>,
    capacity: u32,
    /// Whether commands must be arranged anew.
    stale: bool,
    /// Whether meshes were removed since they were arranged.
    removed: bool,
}

impl Bins {
    pub(crate) fn new() -> Self {
        Self {
            numbers: HashMap::new(),
            entries: vec![Entry::default()],
            unused: Vec::new(),
            meshes: HashMap::new(),
            levels: HashMap::new(),
            batches: Vec::new(),
            commands: Vec::new(),
            capacity: 0,
            stale: false,
            removed: false,
        }
    }

    pub(crate) fn set_mesh(&mut self, mesh: u32, args: MeshArgs) {
        let before = self.meshes.insert(mesh, args);
        self.stale |= before.is_some_and(|before| before != args);
    }

    pub(crate) fn remove_mesh(&mut self, mesh: u32) -> Option<MeshArgs> {
        let args = self.meshes.remove(&mesh);
        self.removed |= args.is_some();
        args
    }

    /// Replaces all levels. No drawable may be in a bin.
    pub(crate) fn set_levels(&mut self, levels: &LevelsOfDetail) {
        let mut by_mesh: HashMap<u32, Vec<Level>> = HashMap::new();
        levels.iter().for_each(|(mesh, from, coarser)| by_mesh.entry(mesh).or_default().push((from, coarser)));
        *self = Self { meshes: core::mem::take(&mut self.meshes), levels: by_mesh, stale: true, ..Self::new() };
    }

    pub(crate) fn has_levels(&self) -> bool {
        !self.levels.is_empty()
    }

    /// Returns the bin of a key and a mesh.
    ///
    /// # Errors
    /// Returns the mesh that is unknown: this one, or one of its coarser levels.
    pub(crate) fn find(&mut self, key: u32, mesh: u32) -> Result<u32, u32> {
        let bin = self.find_plain(key, mesh)?;
        if self.entries[bin as usize].levels.is_none() {
            let none = Bin::default();
            let (mut from, mut bins) = (none.from, none.levels);
            let levels = self.levels.get(&mesh).cloned().unwrap_or_default();
            for (at, (distance, coarser)) in levels.into_iter().enumerate() {
                from[at] = distance;
                bins[at] = coarser.map_or(Ok(0), |coarser| self.find_plain(key, coarser))?;
            }
            self.entries[bin as usize].levels = Some((from, bins));
        }
        Ok(bin)
    }

    /// Like [`Self::find`], without looking for levels.
    fn find_plain(&mut self, key: u32, mesh: u32) -> Result<u32, u32> {
        if let Some(&bin) = self.numbers.get(&(key, mesh)) {
            return Ok(bin);
        }
        if !self.meshes.contains_key(&mesh) {
            return Err(mesh);
        }
        let bin = self.unused.pop().unwrap_or_else(|| {
            self.entries.push(Entry::default());
            index(self.entries.len() - 1)
        });
        self.entries[bin as usize] = Entry { key, mesh, ..Entry::default() };
        self.numbers.insert((key, mesh), bin);
        Ok(bin)
    }

    /// Counts a drawable that comes into a bin.
    pub(crate) fn enter(&mut self, bin: u32) {
        if bin > 0 {
            self.entries[bin as usize].own += 1;
            self.each_of(bin, |entry| entry.count += 1);
        }
    }

    /// Counts a drawable that leaves a bin.
    pub(crate) fn leave(&mut self, bin: u32) {
        if bin > 0 {
            self.entries[bin as usize].own -= 1;
            self.each_of(bin, |entry| entry.count -= 1);
        }
    }

    /// Calls `each` with a bin and those of its coarser levels.
    fn each_of(&mut self, bin: u32, mut each: impl FnMut(&mut Entry)) {
        let coarser = self.entries[bin as usize].levels.map_or([0; 4], |(_, bins)| bins);
        for bin in [bin].into_iter().chain(coarser).filter(|&bin| bin > 0) {
            let entry = &mut self.entries[bin as usize];
            each(entry);
            self.stale |= entry.count > entry.capacity;
        }
    }

    /// Returns whether a drawable in one bin may be drawn by the commands of another.
    pub(crate) fn draws(&self, bin: u32, other: u32) -> bool {
        bin == other || self.entries[bin as usize].levels.is_some_and(|(_, bins)| bins.contains(&other))
    }

    /// Lets [`arrange`](Self::arrange) write everything. Until then there are no commands.
    pub(crate) fn arrange_anew(&mut self) {
        self.stale = true;
        self.batches.clear();
        self.commands.clear();
        self.capacity = 0;
    }

    pub(crate) fn batches(&self) -> &[Batch] {
        &self.batches
    }

    pub(crate) fn sizes(&self) -> (u32, u32) {
        (index(self.commands.len()), self.capacity)
    }

    pub(crate) fn commands(&self) -> &[Command] {
        &self.commands
    }

    /// Gives up the bins of meshes that were removed.
    ///
    /// # Errors
    /// Returns the bin and the mesh if a drawable needs it still.
    pub(crate) fn sweep(&mut self) -> Result<(), (u32, u32)> {
        if !self.removed {
            return Ok(());
        }
        let is_gone = |&(bin, entry): &(u32, &Entry)| {
            !self.meshes.contains_key(&entry.mesh) && self.numbers.get(&(entry.key, entry.mesh)) == Some(&bin)
        };
        let gone: Vec<(u32, Entry)> =
            (0..).zip(&self.entries).skip(1).filter(is_gone).map(|(bin, entry)| (bin, *entry)).collect();
        if let Some((bin, entry)) = gone.iter().find(|(_, entry)| entry.count > 0) {
            return Err((*bin, entry.mesh));
        }
        for (bin, _) in gone {
            let entry = &mut self.entries[bin as usize];
            self.numbers.remove(&(entry.key, entry.mesh));
            self.unused.push(bin);
            self.stale |= entry.capacity > 0;
            entry.capacity = 0;
        }
        // Bins without drawables may name one that was given up.
        self.entries.iter_mut().filter(|entry| entry.own == 0).for_each(|entry| entry.levels = None);
        self.removed = false;
        Ok(())
    }

    /// Arranges the commands, if that is necessary: by key, winding and mesh. Returns the bins. A list of visible slots
    /// should have at most `max` places.
    pub(crate) fn arrange(&mut self, max: u64) -> Option<Vec<Bin>> {
        if !core::mem::take(&mut self.stale) {
            return None;
        }
        for entry in &mut self.entries[1..] {
            // A quarter more, so that few changes arrange anew; and less if most of it is empty.
            if entry.count > entry.capacity || entry.count < entry.capacity / 4 {
                entry.capacity = if entry.count > 0 { entry.count + entry.count / 4 + 8 } else { 0 };
            }
        }
        if self.entries.iter().map(|entry| 2 * u64::from(entry.capacity)).sum::<u64>() > max {
            self.entries.iter_mut().for_each(|entry| entry.capacity = entry.count);
        }
        let mut order: Vec<usize> = (1..self.entries.len()).filter(|&at| self.entries[at].capacity > 0).collect();
        order.sort_unstable_by_key(|&at| (self.entries[at].key, self.entries[at].mesh));
        let with_levels = |entry: &Entry| {
            let (from, levels) = entry.levels.unwrap_or((Bin::default().from, [0; 4]));
            Bin { from, levels, ..Bin::default() }
        };
        let mut bins: Vec<Bin> = self.entries.iter().map(with_levels).collect();
        self.batches.clear();
        self.commands.clear();
        self.capacity = 0;
        for of_key in order.chunk_by(|&a, &b| self.entries[a].key == self.entries[b].key) {
            for (winding, mirrored) in [false, true].into_iter().enumerate() {
                let begin = index(self.commands.len());
                for &at in of_key {
                    let Entry { mesh, capacity, .. } = self.entries[at];
                    let MeshArgs { index_count, first_index, base_vertex } = self.meshes[&mesh];
                    bins[at].commands[winding] = index(self.commands.len());
                    bins[at].firsts[winding] = self.capacity;
                    let first_instance = self.capacity;
                    self.commands.push(Command {
                        index_count,
                        instance_count: 0,
                        first_index,
                        base_vertex,
                        first_instance,
                    });
                    self.capacity += capacity;
                }
                let key = self.entries[of_key[0]].key;
                self.batches.push(Batch { key, mirrored, commands: begin..index(self.commands.len()) });
            }
        }
        Some(bins)
    }
}

/// No scene has more than 2³⁰ drawables, and each command and each place in a list is for one at least.
fn index(number: usize) -> u32 {
    u32::try_from(number).expect("a scene has fewer drawables")
}
