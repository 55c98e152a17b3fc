//! A thousand characters of 96 joints, from local transforms to model matrices and palettes; in nanoseconds a joint.
//!
//! Source: S. Reinalter, *Adventures in data-oriented design*, part 2. Its object-oriented version (joints with
//! children, recursion, 4×4 matrices) is the baseline; it begins with the same translations, rotations and scales as
//! ours.
//!
//! - `flattened`: the seed's flattened version, which like its object-oriented one here begins with local matrices.
//! - `pose-flattened`, `pose-palette-flattened`, `crowd-flattened`, `crowd-palette-flattened`: ours against that
//!   version, beginning with the same transforms: what a programmer writes who has read the seed, and the harder
//!   baseline. `crowd-each-flattened`, `crowd-palette-each-flattened`: the same where each character's matrices are
//!   shown while in the cache, on both sides in one place that is written again for each.
//! - `pose`: one `Pose` after the other; `pose-palette` with the palettes; `pose-matrices` against objects that begin
//!   with local matrices, and so have less to do.
//! - `pose-uniform`: quaternions and vectors down the skeleton, then matrices; against `Pose` (both with uniform
//!   scales).
//! - `pose-limb`: one arm of 27 joints moved; against computing the whole character.
//! - `poses-each`, `poses-palette-each`: poses of their own sixteen at a time, shown while in the cache.
//! - `crowd`, `crowd-palette`: all at once, written to one array, against objects that store all of theirs;
//!   `crowd-each`, `crowd-palette-each`: shown while in the cache, against objects, whose matrices
//!   are their own, and whose palettes are shown in one place that is written again for each.
//! - `crowd-set-pose`: what comes before where poses are sampled one by one, each given to its instance;
//!   `crowd-change-poses`: all in one go, against that.
//! - `blend`: the weighted sum of three poses, then finished; against the same by joint, with glam.
//! - `pose-memory`, `crowd-memory`, `crowd-palette-memory`: `pose`, `crowd` and `crowd-palette` against the bytes that
//!   they cannot do without, touched in the same order ([`Streams`]): of a joint a transform of 40 bytes and its parent's
//!   number read, and 48 bytes written. The skin's matrices, which all characters share, are left out.
//! - `blend-memory`: `blend` against the same: of a joint three transforms of 40 bytes read, and one written. The sum
//!   between is left out. As there, a call is one character, and all calls touch the same bytes.
//!
//! What the sides computed is compared to within rounding.

mod blending;
mod crowds;
mod poses;

use crate::baselines::{Character, Flattened, inverse_binds, multiply};
use crate::front::{Calls, Front};
use crate::workloads::{CHARACTERS, JOINTS, Streams, TOUCHED, character, rig};
use crate::{Case, Outcome, Unit};
use hedgerow::glam::Mat4;
use hedgerow::{
    Mat34, Transform,
    anim::{Pose, Skeleton},
    skin::Skin,
};
use std::hint::black_box;

/// The joints of all characters.
const ALL_JOINTS: usize = CHARACTERS * JOINTS;

/// Runs the experiment.
///
/// # Errors
/// Where the sides differ, or the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    let skeleton = rig();
    let locals: Vec<Vec<Transform>> = (0..CHARACTERS as u64).map(|seed| character(&skeleton, seed, false)).collect();
    let poses: Vec<Pose> = locals.iter().map(|locals| pose_of(&skeleton, locals)).collect();
    let mut of_matrices: Vec<Character<Mat4>> = locals.iter().map(|it| Character::new(&skeleton, it)).collect();
    let mut flattened: Vec<Flattened<Mat4>> = locals.iter().map(|it| Flattened::new(&skeleton, it)).collect();
    let objects: Vec<Character<Transform>> = locals.iter().map(|it| Character::new(&skeleton, it)).collect();
    let skin = Skin::at_rest(&skeleton)?;
    let binds = inverse_binds(&skin);
    let mut objects = Objects { objects, buffer: vec![Mat4::IDENTITY; JOINTS], binds: binds.clone() };
    let arrays: Vec<Flattened<Transform>> = locals.iter().map(|it| Flattened::new(&skeleton, it)).collect();
    let palettes = vec![vec![Mat4::IDENTITY; JOINTS]; CHARACTERS];
    let mut arrays = Arrays { palettes, room: [(); 2].map(|()| vec![Mat4::IDENTITY; JOINTS]), arrays, binds };

    let calls = Calls {
        case: case("flattened", "objects, from matrices").of_baselines(),
        per: ALL_JOINTS,
        repeats: 1,
        sides: (&mut flattened, &mut of_matrices),
        ours: |flattened| flattened.iter_mut().for_each(Flattened::local_to_global),
        baseline: |objects| objects.iter_mut().for_each(Character::local_to_global),
    };
    front.calls(calls, |flattened, objects| {
        let mut both = flattened.iter().zip(objects).flat_map(|(a, b)| a.globals().iter().copied().zip(b.globals()));
        match both.find(|(a, b)| !a.abs_diff_eq(*b, 1e-4)) {
            Some((a, b)) => Err(format!("a flattened matrix is {a}, and that of the object {b}").into()),
            None => Ok(()),
        }
    })?;

    let models = vec![vec![Mat34::IDENTITY; JOINTS]; CHARACTERS];
    let (palettes, room) = (models.clone(), Vec::new());
    let mut ours = Poses { palettes, models, skeleton, skin, poses, room };
    poses::run(front, &mut ours, &mut objects, &mut of_matrices)?;
    poses::flattened(front, &mut ours, &mut arrays)?;
    let Poses { skeleton, skin, poses, .. } = ours;
    crowds::run(front, (&skeleton, &skin), poses, &mut objects, &mut arrays)?;
    blending::run(front, &skeleton)
}

/// A case of all characters, in nanoseconds a joint.
fn case<'c>(name: &'c str, baseline: &'c str) -> Case<'c> {
    Case::new(name, ALL_JOINTS, Unit::Time, baseline)
}

/// A pose with these local transforms.
fn pose_of(skeleton: &Skeleton, locals: &[Transform]) -> Pose {
    let mut pose = Pose::rest(skeleton);
    (0..).zip(locals).for_each(|(joint, &local)| pose.set(joint, local));
    pose
}

/// All characters as objects.
struct Objects {
    objects: Vec<Character<Transform>>,
    /// One palette, for those that are shown and not kept.
    buffer: Vec<Mat4>,
    binds: Vec<Mat4>,
}

/// What all characters read and write at least, one after the other.
fn streams() -> Streams {
    Streams::new(ALL_JOINTS, JOINTS, size_of::<[f32; 10]>() + size_of::<u16>(), size_of::<Mat34>())
}

/// All characters flattened, from transforms.
struct Arrays {
    arrays: Vec<Flattened<Transform>>,
    palettes: Vec<Vec<Mat4>>,
    /// Global poses and a palette, for those that are shown and not kept.
    room: [Vec<Mat4>; 2],
    binds: Vec<Mat4>,
}

impl Arrays {
    fn compute_models(&mut self) {
        self.arrays.iter_mut().for_each(Flattened::local_to_global);
    }

    fn compute_palettes(&mut self) {
        for (array, palette) in self.arrays.iter_mut().zip(&mut self.palettes) {
            array.local_to_global();
            array.palette(&self.binds, palette);
        }
    }

    /// All global poses, each shown where the last one was.
    fn show_models(&mut self) {
        let Self { arrays, room: [globals, _], .. } = self;
        for array in arrays {
            array.local_to_global_in(globals);
            black_box(&*globals);
        }
    }

    /// All palettes, each shown where the last one was.
    fn show_palettes(&mut self) {
        let Self { arrays, room: [globals, palette], binds, .. } = self;
        for array in arrays {
            array.local_to_global_in(globals);
            multiply(globals, binds, palette);
            black_box(&*palette);
        }
    }
}

impl Objects {
    fn compute_models(&mut self) {
        self.objects.iter_mut().for_each(Character::local_to_global);
    }

    /// All palettes, each kept.
    fn compute_palettes(&mut self) {
        for object in &mut self.objects {
            object.local_to_global();
            object.palette(&self.binds);
        }
    }

    /// All palettes, each shown where the last one was.
    fn show_palettes(&mut self) {
        for object in &mut self.objects {
            object.local_to_global();
            object.palette_to(&self.binds, &mut self.buffer);
            black_box(&*self.buffer);
        }
    }
}

/// All characters as poses, and what is computed of them.
struct Poses {
    skeleton: Skeleton,
    skin: Skin,
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
            self.skin.palette(models, palette).expect("models of this skeleton");
        }
    }
}

/// Fails unless each matrix is that of the baseline to within rounding.
fn same(ours: &[Mat34], theirs: impl Iterator<Item = Mat4>) -> Outcome {
    let mut count = 0;
    for (&ours, theirs) in ours.iter().zip(theirs) {
        count += 1;
        let whole = Mat4::from(ours);
        if !whole.abs_diff_eq(theirs, 1e-4) {
            return Err(format!("a matrix is {whole}, and that of the baseline {theirs}").into());
        }
    }
    if count == ours.len() {
        Ok(())
    } else {
        Err(format!("{} matrices, and {count} of the baseline", ours.len()).into())
    }
}
