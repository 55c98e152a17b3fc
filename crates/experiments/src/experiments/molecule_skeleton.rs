//! A thousand characters of 96 joints, from local transforms to model matrices and palettes; in nanoseconds per joint.
//!
//! Source: S. Reinalter, *Adventures in data-oriented design*, part 2. One baseline is the source's object-oriented
//! version (joints with children, recursion, 4×4 matrices); the other, which is faster, is the flattened version. All
//! use the same local transforms.
//!
//! - `pose`, `pose-palette`: one `Pose` after another, to models or to palettes; compared with objects.
//! - with the suffix `-flattened`: compared with arrays in depth-first order.
//!
//! The results of both sides are compared with a tolerance for rounding.

use crate::baselines::{Character, Flattened, Joints};
use crate::front::Front;
use crate::workloads::{CHARACTERS, JOINTS, character, rig};
use crate::{Case, Outcome, Unit};
use hedgerow::glam::Mat4;
use hedgerow::{Mat34, Transform};
use hedgerow_anim::skin::Skin;
use hedgerow_anim::{Pose, Skeleton};

const ALL_JOINTS: usize = CHARACTERS * JOINTS;

/// Runs the experiment.
pub fn run(front: &mut Front) -> Outcome {
    let skeleton = rig();
    let locals: Vec<Vec<Transform>> = (0..CHARACTERS as u64).map(|seed| character(&skeleton, seed)).collect();
    let skin = Skin::at_rest(&skeleton)?;
    let binds: Vec<Mat4> = skin.inverse_binds().iter().map(|&matrix| matrix.into()).collect();
    let poses: Vec<Pose> = locals.iter().map(|locals| pose_of(&skeleton, locals)).collect();
    let characters = locals.iter().map(|locals| Character::new(&skeleton, locals)).collect();
    let mut objects = Theirs { characters, palettes: vec![Mat4::IDENTITY; ALL_JOINTS], binds: binds.clone() };
    let characters = locals.iter().map(|locals| Flattened::new(&skeleton, locals)).collect();
    let mut arrays = Theirs { characters, palettes: vec![Mat4::IDENTITY; ALL_JOINTS], binds };
    let (room, each) = (Vec::new(), vec![Vec::new(); CHARACTERS]);
    let mut ours = Ours { skeleton, skin, poses, room, each };
    let ways: [(&str, Compute, bool); 2] =
        [("pose", Ours::pose_models, false), ("pose-palette", Ours::pose_palettes, true)];
    for (name, ours_do, palettes) in ways {
        compare(front, (name, "objects"), &mut ours, &mut objects, ours_do, palettes)?;
        let name = &format!("{name}-flattened");
        compare(front, (name, "flattened"), &mut ours, &mut arrays, ours_do, palettes)?;
    }
    Ok(())
}

/// A computation of our side.
type Compute = fn(&mut Ours);

/// Times and compares the model matrices or palettes of all characters.
fn compare<C: Joints>(
    front: &mut Front,
    (name, baseline): (&str, &str),
    ours: &mut Ours,
    theirs: &mut Theirs<C>,
    ours_do: Compute,
    palettes: bool,
) -> Outcome {
    let case = Case::new(name, ALL_JOINTS, Unit::Time, baseline);
    let theirs_do = if palettes { Theirs::palettes } else { Theirs::models };
    front.calls(case, (ours, theirs), ours_do, theirs_do, |ours, theirs| match palettes {
        true => same(&ours.each.concat(), theirs.palettes.iter().copied()),
        false => same(&ours.each.concat(), theirs.characters.iter().flat_map(Joints::globals)),
    })
}

fn pose_of(skeleton: &Skeleton, locals: &[Transform]) -> Pose {
    let mut pose = Pose::rest(skeleton);
    (0..).zip(locals).for_each(|(joint, &local)| pose.set(joint, local));
    pose
}

/// All characters on our side and their matrices.
struct Ours {
    skeleton: Skeleton,
    skin: Skin,
    poses: Vec<Pose>,
    room: Vec<Mat34>,
    /// The matrices in an array per character.
    each: Vec<Vec<Mat34>>,
}

impl Ours {
    fn pose_models(&mut self) {
        for (pose, models) in self.poses.iter().zip(&mut self.each) {
            pose.to_models(&self.skeleton, models).expect("poses of this skeleton");
        }
    }

    /// Computes palettes; all characters share one array of models.
    fn pose_palettes(&mut self) {
        for (pose, palette) in self.poses.iter().zip(&mut self.each) {
            pose.to_models(&self.skeleton, &mut self.room).expect("poses of this skeleton");
            self.skin.palette(&self.room, palette).expect("models of this skeleton");
        }
    }
}

/// All characters on the other side.
struct Theirs<C> {
    characters: Vec<C>,
    palettes: Vec<Mat4>,
    binds: Vec<Mat4>,
}

impl<C: Joints> Theirs<C> {
    fn models(&mut self) {
        self.characters.iter_mut().for_each(C::local_to_global);
    }

    fn palettes(&mut self) {
        for (character, palette) in self.characters.iter_mut().zip(self.palettes.chunks_exact_mut(JOINTS)) {
            character.local_to_global();
            character.palette(&self.binds, palette);
        }
    }
}

/// Fails unless each matrix equals that of the baseline, but for rounding.
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
