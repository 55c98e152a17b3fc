//! The frame loop: edits, characters, maintenance, update, draw list, groups and the upload of matrices, with the time
//! of each.

use crate::times::Times;
use crate::turn::{Life, MAINTAINED_NODES, Tally};
use hedgerow::changes::{MatrixMirror, MirrorStep};
use hedgerow::draw::DrawGroups;
use hedgerow::{DrawList, Mat34, Scene};
use hedgerow_character::CharacterError;
use std::time::Instant;

#[derive(Default)]
pub(crate) struct Run {
    pub(crate) edits: Times,
    pub(crate) characters: Times,
    pub(crate) maintenance: Times,
    pub(crate) update: Times,
    pub(crate) draw_list: Times,
    pub(crate) groups: Times,
    pub(crate) upload: Times,
    pub(crate) frame: Times,
    pub(crate) tally: Tally,
    /// Slices reconstituted because an edit found them full.
    pub(crate) reconstituted_by_edits: usize,
    /// Slices reconstituted by `maintain`.
    pub(crate) reconstituted_by_maintenance: usize,
    pub(crate) draws: usize,
}

/// Arrays in place of a renderer's GPU buffers: all matrices, and the matrix index of each instance.
#[derive(Default)]
struct Uploads {
    mirror: MatrixMirror,
    matrices: Vec<Mat34>,
    instances: Vec<u32>,
    uploaded: Vec<u32>,
}

impl Uploads {
    /// Updates both buffers.
    fn sync(&mut self, scene: &Scene, list: &DrawList, groups: &DrawGroups) {
        let Self { mirror, matrices, instances, uploaded } = self;
        mirror.sync(scene, |step| match step {
            MirrorStep::Resize { len } => matrices.resize(len, Mat34::IDENTITY),
            MirrorStep::Write { first, matrices: new } => matrices[first..][..new.len()].copy_from_slice(new),
        });
        uploaded.resize(groups.instances().len(), 0);
        mirror.instances(list, groups.instances(), instances, |first, changed| {
            uploaded[first..][..changed.len()].copy_from_slice(changed);
        });
    }
}

/// Plays the frames, after one untimed update.
pub(crate) fn play(scene: &mut Scene, life: &mut dyn Life, frames: u32) -> Result<Run, CharacterError> {
    let mut run = Run::default();
    let mut list = DrawList::new().without_matrices();
    let (mut groups, mut uploads) = (DrawGroups::new(), Uploads::default());
    scene.update();
    scene.draw_list(&mut list);
    list.group(&mut groups);
    uploads.sync(scene, &list, &groups);
    let before = scene.stats().reconstitutions;
    for frame in 0..frames as usize {
        let start = Instant::now();
        run.tally.add(life.frame(scene, frame)?);
        let edited = Instant::now();
        life.animate(scene)?;
        let animated = Instant::now();
        run.reconstituted_by_maintenance += scene.maintain(MAINTAINED_NODES).reconstituted;
        let maintained = Instant::now();
        scene.update();
        let updated = Instant::now();
        scene.draw_list(&mut list);
        let listed = Instant::now();
        list.group(&mut groups);
        let grouped = Instant::now();
        uploads.sync(scene, &list, &groups);
        let uploaded = Instant::now();

        run.edits.push(edited - start);
        run.characters.push(animated - edited);
        run.maintenance.push(maintained - animated);
        run.update.push(updated - maintained);
        run.draw_list.push(listed - updated);
        run.groups.push(grouped - listed);
        run.upload.push(uploaded - grouped);
        run.frame.push(uploaded - start);
    }
    let reconstituted = usize::try_from(scene.stats().reconstitutions - before).unwrap_or(usize::MAX);
    run.reconstituted_by_edits = reconstituted.saturating_sub(run.reconstituted_by_maintenance);
    run.draws = list.len();
    Ok(run)
}
