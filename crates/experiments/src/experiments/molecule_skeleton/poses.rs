//! One pose after the other.

use super::{ALL_JOINTS, Arrays, Objects, Poses, TOUCHED, case, pose_of, same, streams};
use crate::Outcome;
use crate::baselines::Character;
use crate::front::{Calls, Front, checked_elsewhere};
use crate::workloads::{CHARACTERS, JOINTS, Streams, character};
use hedgerow::glam::Mat4;
use hedgerow::{
    Mat34,
    anim::{Error, Pose, Skeleton, pose::UniformPose},
    skin::{Palette, Skin},
};
use std::hint::black_box;

/// Poses, their palettes, poses shown while in the cache, a limb, and poses with one scale a joint.
pub(super) fn run<F: Front>(
    front: &mut F,
    ours: &mut Poses,
    objects: &mut Objects,
    of_matrices: &mut Vec<Character<Mat4>>,
) -> Outcome {
    let calls = Calls {
        case: case("pose", "objects"),
        per: ALL_JOINTS,
        repeats: 1,
        sides: (&mut *ours, &mut *objects),
        ours: Poses::compute_models,
        baseline: Objects::compute_models,
    };
    front.calls(calls, |ours, objects| {
        ours.models.iter().zip(&objects.objects).try_for_each(|(models, object)| same(models, object.globals()))
    })?;
    let calls = Calls {
        case: case("pose-memory", TOUCHED),
        per: ALL_JOINTS,
        repeats: 1,
        sides: (&mut *ours, &mut streams()),
        ours: Poses::compute_models,
        baseline: Streams::touch,
    };
    front.calls(calls, checked_elsewhere)?;
    let calls = Calls {
        case: case("pose-matrices", "objects, from matrices"),
        per: ALL_JOINTS,
        repeats: 1,
        sides: (&mut *ours, of_matrices),
        ours: Poses::compute_models,
        baseline: |objects| objects.iter_mut().for_each(Character::local_to_global),
    };
    front.calls(calls, checked_elsewhere)?;
    let calls = Calls {
        case: case("pose-palette", "objects"),
        per: ALL_JOINTS,
        repeats: 1,
        sides: (&mut *ours, &mut *objects),
        ours: Poses::compute_palettes,
        baseline: Objects::compute_palettes,
    };
    front.calls(calls, |ours, objects| {
        let mut both = ours.palettes.iter().zip(&objects.objects);
        both.try_for_each(|(palette, object)| same(palette, object.palette_matrices().iter().copied()))
    })?;
    each(front, ours, objects)?;
    limb(front, ours)?;
    uniform(front, &ours.skeleton)
}

/// One pose after the other, against the same as arrays.
pub(super) fn flattened<F: Front>(front: &mut F, ours: &mut Poses, arrays: &mut Arrays) -> Outcome {
    let calls = Calls {
        case: case("pose-flattened", "flattened"),
        per: ALL_JOINTS,
        repeats: 1,
        sides: (&mut *ours, &mut *arrays),
        ours: Poses::compute_models,
        baseline: Arrays::compute_models,
    };
    front.calls(calls, |ours, arrays| {
        let mut both = ours.models.iter().zip(&arrays.arrays);
        both.try_for_each(|(models, array)| same(models, array.globals().iter().copied()))
    })?;
    let calls = Calls {
        case: case("pose-palette-flattened", "flattened"),
        per: ALL_JOINTS,
        repeats: 1,
        sides: (ours, arrays),
        ours: Poses::compute_palettes,
        baseline: Arrays::compute_palettes,
    };
    front.calls(calls, |ours, arrays| {
        let mut both = ours.palettes.iter().zip(&arrays.palettes);
        both.try_for_each(|(ours, theirs)| same(ours, theirs.iter().copied()))
    })
}

/// Poses of their own sixteen at a time, shown while in the cache.
fn each<F: Front>(front: &mut F, ours: &mut Poses, objects: &mut Objects) -> Outcome {
    let calls = Calls {
        case: case("poses-each", "objects"),
        per: ALL_JOINTS,
        repeats: 1,
        sides: (&mut *ours, &mut *objects),
        ours: |Poses { skeleton, poses, room, .. }| {
            let shown = skeleton.each_models(&*poses, own, room, |(), models| show(models));
            shown.expect("poses of this skeleton");
        },
        baseline: Objects::compute_models,
    };
    front.calls(calls, checked_elsewhere)?;
    let calls = Calls {
        case: case("poses-palette-each", "objects"),
        per: ALL_JOINTS,
        repeats: 1,
        sides: (&mut *ours, &mut *objects),
        ours: |Poses { skeleton, skin, poses, room, .. }| {
            let shown = skeleton.each_palette(skin, &*poses, own, room, |(), palette| show(&palette));
            shown.expect("poses of this skeleton");
        },
        baseline: Objects::show_palettes,
    };
    front.calls(calls, |ours, objects| {
        objects.compute_palettes();
        let (mut all, mut room) = (Vec::new(), Vec::new());
        let shown = |(), palette: Palette<'_>| {
            all.extend_from_slice(&palette);
            Ok::<(), Error>(())
        };
        ours.skeleton.each_palette(&ours.skin, &ours.poses, own, &mut room, shown)?;
        same(&all, objects.objects.iter().flat_map(|object| object.palette_matrices().iter().copied()))
    })
}

/// A pose as it is, and nothing besides.
#[expect(clippy::unnecessary_wraps, reason = "what a closure of these calls returns")]
fn own(pose: &Pose) -> Result<(&Pose, ()), Error> {
    Ok((pose, ()))
}

#[expect(clippy::unnecessary_wraps, reason = "what a closure of these calls returns")]
pub(super) fn show(matrices: &[Mat34]) -> Result<(), Error> {
    black_box(matrices);
    Ok(())
}

/// One arm, against the whole character.
fn limb<F: Front>(front: &mut F, ours: &mut Poses) -> Outcome {
    ours.compute_models();
    let mut all = Poses {
        models: ours.models.clone(),
        palettes: Vec::new(),
        room: Vec::new(),
        skeleton: ours.skeleton.clone(),
        skin: ours.skin.clone(),
        poses: ours.poses.clone(),
    };
    let calls = Calls {
        case: case("pose-limb", "the whole character").against_itself(),
        per: ALL_JOINTS,
        repeats: 1,
        sides: (ours, &mut all),
        ours: |ours| {
            let arm = ours.skeleton.find("clavicle 1").expect("the rig has arms");
            for (pose, models) in ours.poses.iter().zip(&mut ours.models) {
                pose.update_models(&ours.skeleton, &Mat34::IDENTITY, arm, models).expect("poses of this skeleton");
            }
        },
        baseline: Poses::compute_models,
    };
    front.calls(calls, |ours, all| {
        let mut both = ours.models.iter().zip(&all.models);
        both.try_for_each(|(ours, whole)| same(ours, whole.iter().map(|&model| model.into())))
    })
}

/// Poses with one scale a joint, against such with a scale for each axis.
fn uniform<F: Front>(front: &mut F, skeleton: &Skeleton) -> Outcome {
    let poses: Vec<Pose> =
        (0..CHARACTERS as u64).map(|seed| pose_of(skeleton, &character(skeleton, seed, true))).collect();
    let uniform: Vec<UniformPose> = poses.iter().map(UniformPose::from_pose).collect::<Result<_, _>>()?;
    let models = vec![vec![Mat34::IDENTITY; JOINTS]; CHARACTERS];
    let mut whole = Poses {
        skeleton: skeleton.clone(),
        skin: Skin::default(),
        poses,
        models: models.clone(),
        palettes: Vec::new(),
        room: Vec::new(),
    };
    let calls = Calls {
        case: case("pose-uniform", "poses with a scale for each axis").against_itself(),
        per: ALL_JOINTS,
        repeats: 1,
        sides: (&mut (skeleton.clone(), uniform, UniformPose::default(), models), &mut whole),
        ours: |(skeleton, poses, globals, models)| {
            for (pose, models) in poses.iter().zip(models) {
                pose.to_globals(skeleton, globals).expect("poses of this skeleton");
                globals.to_matrices(models);
            }
        },
        baseline: Poses::compute_models,
    };
    front.calls(calls, |(.., models), whole| {
        let mut both = models.iter().zip(&whole.models);
        both.try_for_each(|(ours, whole)| same(ours, whole.iter().map(|&model| model.into())))
    })
}
