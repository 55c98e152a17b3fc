//! What the culling of views keeps, and their uniform.

use crate::error::Error;
use crate::items::Output;
use crate::layout::{View, Views};
use crate::scene::{GpuScene, short};
use crate::step::{Buffer, Step};
use bytemuck::Zeroable;
use hedgerow::query::LevelsOfDetail;

/// What culling keeps from one time to the next.
pub(crate) struct Kept {
    margin: f32,
    /// The number of the last culling, and its views with levels of detail, one bit each.
    epoch: u32,
    known: u32,
    /// One past the greatest record of a drawable.
    pub(crate) records: usize,
    /// The numbers of records and of slots that the buffer has room for.
    capacity: [usize; 2],
}

impl Kept {
    pub(crate) fn new() -> Self {
        Self { margin: LevelsOfDetail::new().margin(), epoch: 0, known: 0, records: 0, capacity: [0; 2] }
    }

    /// Lets the next sync write everything.
    pub(crate) fn forget(&mut self) {
        *self = Self { margin: self.margin, epoch: self.epoch, ..Self::new() };
    }
}

impl GpuScene {
    /// Leaves out of view 0 what is behind other drawables. Culling lists what the view saw the last time. Draw it, make a
    /// pyramid of its depth with [`PYRAMID`](crate::PYRAMID), and run [`OCCLUSION`](crate::OCCLUSION). It lists what is not
    /// hidden, and was not drawn yet, in one list more, of the number [`views`](Self::views). Draw it, too: the picture then
    /// has all that is seen. Takes 4 bytes a slot, and the memory of a view's list and commands.
    #[must_use]
    pub const fn with_occlusion(mut self) -> Self {
        self.occlusion = true;
        self.invalidate();
        self
    }

    /// Returns whether the tables are [with occlusion](Self::with_occlusion).
    #[must_use]
    pub const fn has_occlusion(&self) -> bool {
        self.occlusion
    }

    /// Sets the coarser meshes of all meshes, and the margin of view ranges, for views [with detail](View::with_detail).
    /// Every mesh of a level must be set, or the next sync returns [`Error::UnknownMesh`]. That sync writes everything: set
    /// levels once, before the first.
    ///
    /// Each view then draws of a drawable what [`Scene::cull`](hedgerow::Scene::cull) lists with these levels, at the same
    /// distances and with the same margin. A distance within a millionth of a limit, relative to the coordinates, may count
    /// as beyond it or not; a drawable that had no key, or a mesh without levels, before counts as new. In shaders,
    /// `hg_mesh` is the finest mesh; the command draws that of the level.
    ///
    /// Culling keeps the levels of the last time in [`Buffer::Kept`]: 12 bytes for each record of the scene for up to 8
    /// views, and 4 bytes for each 8 more. A list of visible slots has room for each drawable at each level, in either winding:
    /// 10 bytes a drawable, level and list.
    ///
    /// ```
    /// use hedgerow::query::LevelsOfDetail;
    /// use hedgerow_gpu::{GpuScene, MeshArgs};
    ///
    /// let mut tables = GpuScene::new();
    /// for mesh in [7, 8] {
    ///     tables.set_mesh(mesh, MeshArgs { index_count: 36, first_index: 36 * (mesh - 7), base_vertex: 0 });
    /// }
    /// let mut levels = LevelsOfDetail::new();
    /// levels.insert(7, &[(20.0, Some(8)), (150.0, None)])?;
    /// tables.set_levels(&levels);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn set_levels(&mut self, levels: &LevelsOfDetail) {
        self.forget();
        self.bins.set_levels(levels);
        self.kept.margin = levels.margin();
        self.invalidate();
    }

    /// Returns the number of lists of visible slots, and of commands: one for each of the [views](Self::views), and one more
    /// [with occlusion](Self::with_occlusion).
    #[must_use]
    pub const fn lists(&self) -> u32 {
        self.views + if self.occlusion { 1 } else { 0 }
    }

    /// Returns the uniform of the culling shader for these views, of which at most [`views`](Self::views) are taken. Call it
    /// once for each culling: it counts them.
    #[must_use]
    pub fn next_views(&mut self, views: &[View]) -> Views {
        let (commands, capacity) = self.sizes();
        let views = &views[..views.len().min(self.views())];
        let with_detail = (0..).zip(views).filter(|(_, view)| view.has_detail());
        let known = with_detail.fold(0, |known, (view, _)| known | 1 << view);
        // No record has 0, the contents of a new buffer.
        self.kept.epoch = self.kept.epoch.checked_add(1).unwrap_or(2);
        let mut all = Views {
            count: short(views.len()),
            slots: short(self.len()),
            commands,
            capacity,
            ranges: short(self.ranges.len()),
            known: core::mem::replace(&mut self.kept.known, known),
            margin: self.kept.margin,
            epoch: self.kept.epoch,
            words: self.words_of_levels(),
            hidden: short(self.kept.capacity[0]) * self.words_of_levels(),
            second: if self.occlusion { self.views } else { 0 },
            padding: 0,
            views: Zeroable::zeroed(),
        };
        all.views[..views.len()].copy_from_slice(views);
        all
    }

    /// Returns the number of words of a record in the buffer of levels: its generation, a number, and four bits a view.
    const fn words_of_levels(&self) -> u32 {
        2 + self.views.div_ceil(8)
    }

    /// Makes room for what culling keeps of drawables.
    pub(crate) fn resize_kept(&mut self, out: &mut Output<'_>) -> Result<(), Error> {
        let buffer = Buffer::Kept;
        let of_record = self.words_of_levels() as usize * buffer.stride();
        let bytes = |[records, slots]: [usize; 2]| records * of_record + slots * buffer.stride();
        let records = if self.bins.has_levels() { self.kept.records } else { 0 };
        let needed = [records, if self.occlusion { self.len() } else { 0 }];
        let before = self.kept.capacity;
        if needed[0] <= before[0] && needed[1] <= before[1] {
            return Ok(());
        }
        out.check(Some(buffer), bytes(needed) as u64)?;
        // The table of slots grows by a quarter itself.
        let mut capacity = [before[0].max(if needed[0] > before[0] { records * 5 / 4 } else { 0 }), needed[1]];
        if bytes(capacity) as u64 > out.max {
            capacity = needed;
        }
        out.resize(buffer, bytes(capacity) as u64, true)?;
        // Slots have other places now, so that nothing counts as seen.
        let (begin, end) = (bytes([before[0].min(capacity[0]), 0]), bytes(capacity));
        out.run(Step::Write { buffer, offset: begin as u64, bytes: &vec![0; end - begin] });
        self.kept.capacity = capacity;
        Ok(())
    }
}
