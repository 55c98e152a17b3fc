//! All characters at once.

use super::poses::show;
use super::{ALL_JOINTS, Arrays, Objects, TOUCHED, case, same, streams};
use crate::Outcome;
use crate::baselines::{Character, multiply};
use crate::front::{Calls, Front, checked_elsewhere};
use crate::workloads::Streams;
use hedgerow::{
    Mat34,
    anim::{Crowd, Error, Pose, Skeleton, crowd::InstanceHandle},
    skin::Skin,
};

/// A crowd, its skin, and what is computed of it.
type Computed = (Crowd, Skin, Vec<Mat34>);

/// A crowd, its instances, and the poses that they are given.
type Given = (Crowd, Vec<InstanceHandle>, Vec<Pose>);

/// A crowd written to one array, given poses, and shown while in the cache.
pub(super) fn run<F: Front>(
    front: &mut F,
    (skeleton, skin): (&Skeleton, &Skin),
    poses: Vec<Pose>,
    objects: &mut Objects,
    arrays: &mut Arrays,
) -> Outcome {
    let mut crowd = Crowd::new(skeleton);
    for pose in &poses {
        crowd.insert(pose)?;
    }
    let mut ours: Computed = (crowd, skin.clone(), Vec::new());
    measure(
        front,
        "crowd",
        &mut ours,
        objects,
        |(crowd, _, out)| crowd.models(out),
        Objects::compute_models,
        |ours, theirs| same(&ours.2, theirs.objects.iter().flat_map(Character::globals)),
    )?;
    let palettes: fn(&mut Computed) = |(crowd, skin, out)| crowd.palettes(skin, out).expect("a skin of this skeleton");
    measure(front, "crowd-palette", &mut ours, objects, palettes, Objects::compute_palettes, |ours, theirs| {
        same(&ours.2, theirs.objects.iter().flat_map(|object| object.palette_matrices().iter().copied()))
    })?;
    flattened(front, &mut ours, arrays)?;
    give(front, &ours.0, poses, objects)?;
    let mut ours: Computed = (ours.0, ours.1, Vec::new());
    let models: fn(&mut Computed) =
        |(crowd, _, room)| crowd.each_models(room, |_, models| show(models)).expect("nothing fails");
    measure(front, "crowd-each", &mut ours, objects, models, Objects::compute_models, |(crowd, ..), theirs| {
        same(&all_models(crowd)?, theirs.objects.iter().flat_map(Character::globals))
    })?;
    let palettes: fn(&mut Computed) = |(crowd, skin, room)| {
        crowd.each_palette(skin, room, |_, palette| show(&palette)).expect("a skin of this skeleton");
    };
    measure(
        front,
        "crowd-palette-each",
        &mut ours,
        objects,
        palettes,
        Objects::show_palettes,
        |(crowd, skin, _), theirs| {
            theirs.compute_palettes();
            let shown = theirs.objects.iter().flat_map(|object| object.palette_matrices().iter().copied());
            same(&all_palettes(crowd, skin)?, shown)
        },
    )?;
    each_flattened(front, &mut ours, arrays, [models, palettes])
}

/// The models of a whole crowd, each copied when it is shown.
fn all_models(crowd: &Crowd) -> Result<Vec<Mat34>, Error> {
    let (mut all, mut room) = (Vec::new(), Vec::new());
    crowd.each_models(&mut room, |_, models| {
        all.extend_from_slice(models);
        Ok::<(), Error>(())
    })?;
    Ok(all)
}

/// The palettes of a whole crowd, each copied when it is shown.
fn all_palettes(crowd: &Crowd, skin: &Skin) -> Result<Vec<Mat34>, Error> {
    let (mut all, mut room) = (Vec::new(), Vec::new());
    crowd.each_palette(skin, &mut room, |_, palette| {
        all.extend_from_slice(&palette);
        Ok::<(), Error>(())
    })?;
    Ok(all)
}

/// A crowd against the same characters as arrays, where each character's matrices are shown while in the cache.
fn each_flattened<F: Front>(
    front: &mut F,
    ours: &mut Computed,
    arrays: &mut Arrays,
    [models, palettes]: [fn(&mut Computed); 2],
) -> Outcome {
    let calls = Calls {
        case: case("crowd-each-flattened", "flattened"),
        per: ALL_JOINTS,
        repeats: 1,
        sides: (&mut *ours, &mut *arrays),
        ours: models,
        baseline: Arrays::show_models,
    };
    front.calls(calls, |(crowd, ..), theirs| {
        let mut shown = Vec::new();
        let Arrays { arrays, room: [globals, _], .. } = theirs;
        for array in arrays {
            array.local_to_global_in(globals);
            shown.extend_from_slice(globals);
        }
        same(&all_models(crowd)?, shown.into_iter())
    })?;
    let calls = Calls {
        case: case("crowd-palette-each-flattened", "flattened"),
        per: ALL_JOINTS,
        repeats: 1,
        sides: (ours, arrays),
        ours: palettes,
        baseline: Arrays::show_palettes,
    };
    front.calls(calls, |(crowd, skin, _), theirs| {
        let mut shown = Vec::new();
        let Arrays { arrays, room: [globals, palette], binds, .. } = theirs;
        for array in arrays {
            array.local_to_global_in(globals);
            multiply(globals, binds, palette);
            shown.extend_from_slice(palette);
        }
        same(&all_palettes(crowd, skin)?, shown.into_iter())
    })
}

/// A crowd against the same characters as arrays.
fn flattened<F: Front>(front: &mut F, ours: &mut Computed, arrays: &mut Arrays) -> Outcome {
    let calls = Calls {
        case: case("crowd-flattened", "flattened"),
        per: ALL_JOINTS,
        repeats: 1,
        sides: (&mut *ours, &mut *arrays),
        ours: |(crowd, _, out)| crowd.models(out),
        baseline: Arrays::compute_models,
    };
    front.calls(calls, |(.., ours), arrays| {
        same(ours, arrays.arrays.iter().flat_map(|array| array.globals().iter().copied()))
    })?;
    let calls = Calls {
        case: case("crowd-palette-flattened", "flattened"),
        per: ALL_JOINTS,
        repeats: 1,
        sides: (&mut *ours, arrays),
        ours: |(crowd, skin, out)| crowd.palettes(skin, out).expect("a skin of this skeleton"),
        baseline: Arrays::compute_palettes,
    };
    front.calls(calls, |(.., ours), arrays| same(ours, arrays.palettes.iter().flatten().copied()))?;
    let models: fn(&mut Computed) = |(crowd, _, out)| crowd.models(out);
    let palettes: fn(&mut Computed) = |(crowd, skin, out)| crowd.palettes(skin, out).expect("a skin of this skeleton");
    [("crowd-memory", models), ("crowd-palette-memory", palettes)].into_iter().try_for_each(|(name, compute)| {
        let calls = Calls {
            case: case(name, TOUCHED),
            per: ALL_JOINTS,
            repeats: 1,
            sides: (&mut *ours, &mut streams()),
            ours: compute,
            baseline: Streams::touch,
        };
        front.calls(calls, checked_elsewhere)
    })
}

/// A crowd against objects.
fn measure<F: Front>(
    front: &mut F,
    name: &str,
    ours: &mut Computed,
    objects: &mut Objects,
    compute: fn(&mut Computed),
    theirs: fn(&mut Objects),
    check: impl FnOnce(&mut Computed, &mut Objects) -> Outcome,
) -> Outcome {
    let calls = Calls {
        case: case(name, "objects"),
        per: ALL_JOINTS,
        repeats: 1,
        sides: (ours, objects),
        ours: compute,
        baseline: theirs,
    };
    front.calls(calls, check)
}

/// Poses given to a crowd one by one and in one go.
fn give<F: Front>(front: &mut F, crowd: &Crowd, poses: Vec<Pose>, objects: &mut Objects) -> Outcome {
    let set_poses: fn(&mut Given) = |(crowd, instances, poses)| {
        for (&instance, pose) in instances.iter().zip(poses) {
            crowd.set_pose(instance, pose).expect("poses of this skeleton");
        }
    };
    let mut given: Given = (crowd.clone(), crowd.instances().collect(), poses);
    let calls = Calls {
        case: case("crowd-set-pose", "objects, which need no such step, to models"),
        per: ALL_JOINTS,
        repeats: 1,
        sides: (&mut given, objects),
        ours: set_poses,
        baseline: Objects::compute_models,
    };
    front.calls(calls, checked_elsewhere)?;
    let mut changed = (given.0.clone(), given.2.clone());
    let calls = Calls {
        case: case("crowd-change-poses", "one by one").against_itself(),
        per: ALL_JOINTS,
        repeats: 1,
        sides: (&mut changed, &mut given),
        ours: |(crowd, poses)| {
            let mut poses = poses.iter_mut();
            let changed: Result<(), Error> = crowd.change_poses(|_, pose| {
                core::mem::swap(pose, poses.next().expect("a pose for each"));
                Ok(())
            });
            changed.expect("nothing fails");
        },
        baseline: set_poses,
    };
    front.calls(calls, checked_elsewhere)
}
