//! A thousand characters of 96 joints, from local transforms to model matrices and palettes; in nanoseconds a joint.
//!
//! Source: S. Reinalter, *Adventures in data-oriented design*, part 2. Its object-oriented version (joints with children,
//! recursion, 4×4 matrices) is the baseline; it begins with the same translations, rotations and scales as ours.
//!
//! - `flattened`: the seed's flattened version, which like its object-oriented one here begins with local matrices.
//! - `pose`: one `Pose` after the other; `pose-palette` with the palettes; `pose-matrices` against objects that begin with
//!   local matrices, and so have less to do.
//! - `pose-uniform`: quaternions and vectors down the skeleton, then matrices; against `Pose` (both with uniform scales).
//! - `pose-limb`: one arm of 27 joints moved; against computing the whole character.
//! - `poses-each`, `poses-palette-each`: poses of their own sixteen at a time, shown while in the cache.
//! - `crowd`, `crowd-palette`: all at once, written to one array; `crowd-each`, `crowd-palette-each`: shown while in the cache.
//! - `crowd-set-pose`: what comes before where poses are sampled one by one, each given to its instance; `crowd-change-poses`:
//!   all in one go, against that.
//! - `blend`: the weighted sum of three poses, then finished; against the same by joint, with glam.
//!
//! What the sides computed is compared to within rounding.

use crate::report::{Case, Report, Unit};
use crate::timing::take_turns;
use hedgerow::glam::{Mat4, Quat, Vec3};
use hedgerow::{
    Mat34, Transform,
    anim::{Crowd, Pose, Skeleton, blend::PoseSum, pose::UniformPose},
};
use hedgerow_naive::{CHARACTERS, Character, Flattened, JOINTS, character, inverse_binds, rig};
use std::error::Error;
use std::hint::black_box;

/// Runs the experiment.
pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn Error>> {
    let skeleton = rig();
    let locals: Vec<Vec<Transform>> = (0..CHARACTERS as u64).map(|seed| character(&skeleton, seed, false)).collect();
    let poses: Vec<Pose> = locals.iter().map(|locals| pose_of(locals)).collect();
    let mut of_matrices: Vec<Character<Mat4>> = locals.iter().map(|it| Character::new(&skeleton, it)).collect();
    let mut flattened: Vec<Flattened<Mat4>> = locals.iter().map(|it| Flattened::new(&skeleton, it)).collect();
    let objects: Vec<Character<Transform>> = locals.iter().map(|it| Character::new(&skeleton, it)).collect();
    let mut objects = Objects { objects, binds: inverse_binds(&skeleton) };

    let figures = take_turns(
        (&mut flattened, &mut of_matrices),
        1,
        |flattened| flattened.iter_mut().for_each(Flattened::local_to_global),
        |objects| objects.iter_mut().for_each(Character::local_to_global),
    );
    case(report, "flattened", "objects, from matrices", figures)?;

    let models = vec![vec![Mat34::IDENTITY; JOINTS]; CHARACTERS];
    let (palettes, room) = (models.clone(), Vec::new());
    let mut ours = Poses { palettes, models, skeleton: skeleton.clone(), poses, room };
    let figures = take_turns((&mut ours, &mut objects), 1, Poses::compute_models, Objects::compute_models);
    for (models, object) in ours.models.iter().zip(&objects.objects) {
        same(models, object.globals())?;
    }
    case(report, "pose", "objects", figures)?;
    let figures = take_turns((&mut ours, &mut of_matrices), 1, Poses::compute_models, |objects| {
        objects.iter_mut().for_each(Character::local_to_global);
    });
    case(report, "pose-matrices", "objects, from matrices", figures)?;
    let figures = take_turns((&mut ours, &mut objects), 1, Poses::compute_palettes, Objects::compute_palettes);
    for (palette, object) in ours.palettes.iter().zip(&objects.objects) {
        same(palette, object.palette_matrices().iter().copied())?;
    }
    case(report, "pose-palette", "objects", figures)?;
    let figures = take_turns(
        (&mut ours, &mut objects),
        1,
        |Poses { skeleton, poses, room, .. }| {
            let shown = skeleton.each_models(&*poses, |pose| pose, room, |_, models| _ = black_box(models));
            shown.expect("poses of this skeleton");
        },
        Objects::compute_models,
    );
    case(report, "poses-each", "objects", figures)?;
    let figures = take_turns(
        (&mut ours, &mut objects),
        1,
        |Poses { skeleton, poses, room, .. }| {
            let shown = skeleton.each_palette(&*poses, |pose| pose, room, |_, palette| _ = black_box(palette));
            shown.expect("poses of this skeleton");
        },
        Objects::compute_palettes,
    );
    let (mut all, mut room) = (Vec::new(), Vec::new());
    skeleton.each_palette(&ours.poses, |pose| pose, &mut room, |_, palette| all.extend_from_slice(palette))?;
    same(&all, objects.objects.iter().flat_map(|object| object.palette_matrices().iter().copied()))?;
    case(report, "poses-palette-each", "objects", figures)?;
    limb(report, &mut ours)?;
    uniform(report, &skeleton)?;

    let mut crowd = Crowd::new(&skeleton);
    for pose in &ours.poses {
        crowd.insert(pose)?;
    }
    let poses_again = core::mem::take(&mut ours.poses);
    let mut ours = (crowd, Vec::new());
    let figures = take_turns((&mut ours, &mut objects), 1, |(crowd, out)| crowd.models(out), Objects::compute_models);
    same(&ours.1, objects.objects.iter().flat_map(Character::globals))?;
    case(report, "crowd", "objects", figures)?;
    let figures =
        take_turns((&mut ours, &mut objects), 1, |(crowd, out)| crowd.palettes(out), Objects::compute_palettes);
    same(&ours.1, objects.objects.iter().flat_map(|object| object.palette_matrices().iter().copied()))?;
    case(report, "crowd-palette", "objects", figures)?;
    let instances: Vec<_> = ours.0.instances().collect();
    let mut given = (ours.0.clone(), instances, poses_again);
    let figures = take_turns(
        (&mut given, &mut objects),
        1,
        |(crowd, instances, poses)| {
            for (&instance, pose) in instances.iter().zip(poses) {
                crowd.set_pose(instance, pose).expect("poses of this skeleton");
            }
        },
        Objects::compute_models,
    );
    case(report, "crowd-set-pose", "objects, which need no such step, to models", figures)?;
    let mut changed = (given.0.clone(), given.2.clone());
    let figures = take_turns(
        (&mut changed, &mut given),
        1,
        |(crowd, poses)| {
            let mut poses = poses.iter_mut();
            crowd.change_poses(|_, pose| core::mem::swap(pose, poses.next().expect("a pose for each")));
        },
        |(crowd, instances, poses)| {
            for (&instance, pose) in instances.iter().zip(poses) {
                crowd.set_pose(instance, pose).expect("poses of this skeleton");
            }
        },
    );
    case(report, "crowd-change-poses", "one by one", figures)?;
    let mut ours = (ours.0, Vec::new());
    let figures = take_turns(
        (&mut ours, &mut objects),
        1,
        |(crowd, room)| crowd.each_models(room, |_, models| _ = black_box(models)),
        Objects::compute_models,
    );
    case(report, "crowd-each", "objects", figures)?;
    let figures = take_turns(
        (&mut ours, &mut objects),
        1,
        |(crowd, room)| crowd.each_palette(room, |_, palette| _ = black_box(palette)),
        Objects::compute_palettes,
    );
    case(report, "crowd-palette-each", "objects", figures)?;
    blend(report, &skeleton)
}

fn pose_of(locals: &[Transform]) -> Pose {
    let mut pose = Pose::new(locals.len());
    (0..).zip(locals).for_each(|(joint, &local)| pose.set(joint, local));
    pose
}

struct Objects {
    objects: Vec<Character<Transform>>,
    binds: Vec<Mat4>,
}

impl Objects {
    fn compute_models(&mut self) {
        self.objects.iter_mut().for_each(Character::local_to_global);
    }

    fn compute_palettes(&mut self) {
        for object in &mut self.objects {
            object.local_to_global();
            object.palette(&self.binds);
        }
    }
}

struct Poses {
    skeleton: Skeleton,
    poses: Vec<Pose>,
    models: Vec<Vec<Mat34>>,
    palettes: Vec<Vec<Mat34>>,
    room: Vec<Mat34>,
}

impl Poses {
    fn compute_models(&mut self) {
        for (pose, models) in self.poses.iter().zip(&mut self.models) {
            pose.to_models(&self.skeleton, models).expect("poses of this skeleton");
        }
    }

    /// With models in one place, for only palettes are asked for.
    fn compute_palettes(&mut self) {
        let models = &mut self.models[0];
        for (pose, palette) in self.poses.iter().zip(&mut self.palettes) {
            pose.to_models(&self.skeleton, models).expect("poses of this skeleton");
            self.skeleton.palette(models, palette).expect("models of this skeleton");
        }
    }
}

fn limb(report: &mut Report, ours: &mut Poses) -> Result<(), Box<dyn Error>> {
    ours.compute_models();
    let mut all = Poses {
        models: ours.models.clone(),
        palettes: Vec::new(),
        room: Vec::new(),
        skeleton: ours.skeleton.clone(),
        poses: ours.poses.clone(),
    };
    let figures = take_turns(
        (ours, &mut all),
        1,
        |ours| {
            let arm = ours.skeleton.find("clavicle 1").expect("the rig has arms");
            for (pose, models) in ours.poses.iter().zip(&mut ours.models) {
                pose.update_models(&ours.skeleton, &Mat34::IDENTITY, arm, models).expect("poses of this skeleton");
            }
        },
        Poses::compute_models,
    );
    case(report, "pose-limb", "the whole character", figures)?;
    Ok(())
}

fn uniform(report: &mut Report, skeleton: &Skeleton) -> Result<(), Box<dyn Error>> {
    let poses: Vec<Pose> = (0..CHARACTERS as u64).map(|seed| pose_of(&character(skeleton, seed, true))).collect();
    let uniform: Vec<UniformPose> = poses.iter().map(UniformPose::from_pose).collect::<Result<_, _>>()?;
    let models = vec![vec![Mat34::IDENTITY; JOINTS]; CHARACTERS];
    let mut whole =
        Poses { skeleton: skeleton.clone(), poses, models: models.clone(), palettes: Vec::new(), room: Vec::new() };
    let mut ours = (skeleton.clone(), uniform, UniformPose::default(), models);
    let figures = take_turns(
        (&mut ours, &mut whole),
        1,
        |(skeleton, poses, globals, models)| {
            for (pose, models) in poses.iter().zip(models) {
                pose.to_globals(skeleton, globals).expect("poses of this skeleton");
                globals.to_matrices(models);
            }
        },
        Poses::compute_models,
    );
    for (ours, whole) in ours.3.iter().zip(&whole.models) {
        same(ours, whole.iter().map(|&model| model.into()))?;
    }
    case(report, "pose-uniform", "poses with a scale for each axis", figures)?;
    Ok(())
}

fn blend(report: &mut Report, skeleton: &Skeleton) -> Result<(), Box<dyn Error>> {
    const WEIGHTS: [f32; 3] = [0.5, 0.3, 0.2];
    let three: Vec<Vec<Transform>> = (0..3).map(|seed| character(skeleton, seed, false)).collect();
    let poses: Vec<Pose> = three.iter().map(|locals| pose_of(locals)).collect();
    let mut ours = (poses, PoseSum::new(JOINTS), Pose::new(JOINTS));
    let mut theirs = (three, vec![Transform::IDENTITY; JOINTS]);
    let (ours_ns, theirs_ns) = take_turns(
        (&mut ours, &mut theirs),
        CHARACTERS,
        |(poses, sum, out)| {
            for (pose, weight) in poses.iter().zip(WEIGHTS) {
                sum.add(pose, weight, None).expect("poses of as many joints");
            }
            sum.finish(&poses[0], out).expect("poses of as many joints");
        },
        |(poses, out)| {
            for (joint, out) in out.iter_mut().enumerate() {
                let (mut translation, mut scale, mut rotation) = (Vec3::ZERO, Vec3::ZERO, Quat::from_array([0.0; 4]));
                for (pose, weight) in poses.iter().zip(WEIGHTS) {
                    let one = &pose[joint];
                    translation += one.translation * weight;
                    scale += one.scale * weight;
                    let near = if rotation.dot(one.rotation) < 0.0 { -weight } else { weight };
                    rotation += one.rotation * near;
                }
                *out = Transform { translation, rotation: rotation.normalize(), scale };
            }
        },
    );
    let found: Vec<Mat34> = (0..).zip(&theirs.1).map(|(joint, _)| ours.2.get(joint).to_matrix()).collect();
    same(&found, theirs.1.iter().map(|transform| transform.to_matrix().into()))?;
    let scale = CHARACTERS as f64;
    case(report, "blend", "joint by joint, with glam", (ours_ns * scale, theirs_ns * scale))?;
    Ok(())
}

/// Fails unless each matrix is that of the baseline to within rounding.
fn same(ours: &[Mat34], theirs: impl Iterator<Item = Mat4>) -> Result<(), String> {
    let mut count = 0;
    for (&ours, theirs) in ours.iter().zip(theirs) {
        count += 1;
        let whole = Mat4::from(ours);
        if !whole.abs_diff_eq(theirs, 1e-4) {
            return Err(format!("a matrix is {whole}, and that of the baseline {theirs}"));
        }
    }
    if count == ours.len() { Ok(()) } else { Err(format!("{} matrices, and {count} of the baseline", ours.len())) }
}

fn case(report: &mut Report, name: &str, baseline: &str, (ours, theirs): (f64, f64)) -> std::io::Result<()> {
    let joints = CHARACTERS * JOINTS;
    report.case(&Case {
        name,
        nodes: joints,
        unit: Unit::Time,
        ours: ours / joints as f64,
        baseline,
        baseline_figure: theirs / joints as f64,
    })
}
