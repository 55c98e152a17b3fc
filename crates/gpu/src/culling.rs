//! The steps of a culling, and what it keeps.

use crate::error::Error;
use crate::items::Output;
use crate::layout::{Occluder, View, Views};
use crate::pass::Pass;
use crate::scene::{GpuScene, short};
use crate::step::{Buffer, Step};
use bytemuck::{Zeroable, bytes_of};
use hedgerow::glam::Mat4;
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
    /// The views of the last culling; `None` if steps changed tables since.
    pub(crate) culled: Option<Vec<View>>,
}

impl Kept {
    pub(crate) fn new() -> Self {
        Self { margin: LevelsOfDetail::new().margin(), epoch: 0, known: 0, records: 0, capacity: [0; 2], culled: None }
    }

    /// Lets the next sync write everything.
    pub(crate) fn forget(&mut self) {
        *self = Self { margin: self.margin, epoch: self.epoch, ..Self::new() };
    }
}

impl GpuScene {
    /// Leaves out of view 0 what is behind other drawables. `reversed`: nearer depths are greater. Each frame, after
    /// [`cull`](Self::cull):
    ///
    /// 1. draw view 0, which has what was seen last;
    /// 2. run the steps of [`cull_hidden`](Self::cull_hidden) with the depth of that;
    /// 3. draw the list of number [`views`](Self::views), which has the rest, without clearing.
    ///
    /// The picture is the same as without occlusion, for a depth of any size with one sample. Takes 4 bytes a slot, the
    /// memory of a view's list and commands, and 1.4 to 5.4 bytes a pixel for the pyramid.
    #[must_use]
    pub const fn with_occlusion(mut self, reversed: bool) -> Self {
        self.occlusion = Some(reversed);
        self.invalidate();
        self
    }

    /// Returns whether the tables are [with occlusion](Self::with_occlusion).
    #[must_use]
    pub const fn has_occlusion(&self) -> bool {
        self.occlusion.is_some()
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
        self.views + if self.has_occlusion() { 1 } else { 0 }
    }

    /// Calls `step` with all that lists what each view sees: a write of the uniform, a copy of the template, and one or
    /// two dispatches. Call it after a sync, once for all views. There are no steps if there are no commands, as after
    /// a sync that failed. Then, for each of the [batches](Self::batches), set the pipeline and draw its
    /// [calls](Self::calls).
    ///
    /// The order within a command differs from run to run, so blended drawables are better drawn from a
    /// [`DrawList`](hedgerow::DrawList): give them no [key](Self::with_key).
    ///
    /// # Panics
    /// Panics if there are more [views](Self::views).
    pub fn cull(&mut self, views: &[View], mut step: impl FnMut(Step<'_>)) {
        let most = self.views();
        assert!(views.len() <= most, "{} views are more than {most}; ask for more by `with_views`", views.len());
        let (commands, capacity) = self.sizes();
        if commands == 0 {
            return;
        }
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
            second: if self.has_occlusion() { self.views } else { 0 },
            padding: 0,
            views: Zeroable::zeroed(),
        };
        all.views[..views.len()].copy_from_slice(views);
        step(Step::Write { buffer: Buffer::Views, offset: 0, bytes: all.as_bytes() });
        let whole = 0..commands * self.lists();
        step(Step::Copy { from: Buffer::Template, to: Buffer::Commands, ranges: core::slice::from_ref(&whole) });
        if all.ranges > 1 {
            step(Pass::CullRanges.over(all.ranges));
        }
        step(Pass::CullDrawables.over(all.slots));
        self.kept.culled = Some(views.to_vec());
    }

    /// Returns whether the lists still hold that the last culling made, if the device has run it: tables and views are
    /// the same. With occlusion they never do, since a view's second list has what its first one drew.
    #[must_use]
    pub fn is_culled(&self, views: &[View]) -> bool {
        !self.open && !self.has_occlusion() && self.kept.culled.as_deref() == Some(views)
    }

    /// Calls `step` with all that lists what view 0 sees and did not see last, by a depth to which that was drawn: a
    /// pyramid of the farthest depths, in a dispatch for five levels, and a last dispatch. Nothing before a first
    /// [`cull`](Self::cull) after each sync. `matrix` is the view and projection of the frustum of view 0,
    /// `size` the width and height of the depth, which the picture must fill, without a smaller viewport.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if the pyramid has no room: pictures of up to 8192 pixels squared have, by default.
    ///
    /// # Panics
    /// Panics unless the tables are [with occlusion](Self::with_occlusion).
    pub fn cull_hidden(&mut self, matrix: &Mat4, size: [u32; 2], mut step: impl FnMut(Step<'_>)) -> Result<(), Error> {
        let reversed = self.occlusion.expect("make the tables by `GpuScene::with_occlusion`");
        if self.open || self.kept.culled.is_none() {
            return Ok(());
        }
        let (occluder, texels) = Occluder::new(matrix, size, reversed);
        let mut out = self.output(&mut step);
        out.fit(Buffer::Pyramid, 4 * u64::from(texels), false)?;
        self.fitted = out.fitted;
        step(Step::Write { buffer: Buffer::Occluder, offset: 0, bytes: bytes_of(&occluder) });
        let passes = [Pass::ReduceDepth, Pass::ReduceSixth, Pass::ReduceEleventh, Pass::ReduceSixteenth];
        let firsts = occluder.levels[..occluder.count as usize].iter().step_by(5);
        for (pass, [_, width, height, _]) in passes.into_iter().zip(firsts) {
            step(Step::Dispatch { pass, workgroups: [width.div_ceil(16), height.div_ceil(16)] });
        }
        step(Pass::CullHidden.over(short(self.len())));
        Ok(())
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
        let needed = [records, if self.has_occlusion() { self.len() } else { 0 }];
        let before = self.kept.capacity;
        if needed[0] <= before[0] && needed[1] <= before[1] {
            return Ok(());
        }
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
