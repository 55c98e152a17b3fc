//! stub
use crate::report::{Case, Report, Unit};
use crate::timing::take_turns;
use hedgerow::glam::Mat4;
use hedgerow::{Mat34, Pose, Transform};
use hedgerow_naive::{CHARACTERS, Character, Flattened, JOINTS, LocalPose, character, inverse_binds, rig};
use std::error::Error;

/// Runs the experiment.
pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn Error>> {
    let skeleton = rig();
    let locals: Vec<Vec<Transform>> = (0..CHARACTERS as u64).map(|seed| character(&skeleton, seed, false)).collect();
    let _objects =
        |_: ()| -> Vec<Character<Transform>> { locals.iter().map(|l| Character::new(&skeleton, l)).collect() };
    let mut case = |name, baseline, (ours, theirs): (f64, f64)| {
        let joints = CHARACTERS * JOINTS;
        report.case(&Case {
            name,
            nodes: joints,
            unit: Unit::Time,
            ours: ours / joints as f64,
            baseline,
            baseline_figure: theirs / joints as f64,
        })
    };
    let mut flat: Vec<Flattened<Mat4>> = locals.iter().map(|l| Flattened::new(&skeleton, l)).collect();
    let mut objm: Vec<Character<Mat4>> = locals.iter().map(|l| Character::new(&skeleton, l)).collect();
    let f = take_turns(
        (&mut flat, &mut objm),
        1,
        |f| f.iter_mut().for_each(Flattened::local_to_global),
        |f| f.iter_mut().for_each(Character::local_to_global),
    );
    case("flattened", "objects, from matrices", f)?;
    let mut flat: Vec<Flattened<Transform>> = locals.iter().map(|l| Flattened::new(&skeleton, l)).collect();
    let mut objt: Vec<Character<Transform>> = locals.iter().map(|l| Character::new(&skeleton, l)).collect();
    let f = take_turns(
        (&mut flat, &mut objt),
        1,
        |f| f.iter_mut().for_each(Flattened::local_to_global),
        |f| f.iter_mut().for_each(Character::local_to_global),
    );
    case("flattened-trs", "objects", f)?;
    let poses: Vec<Pose> = locals
        .iter()
        .map(|l| {
            let mut p = Pose::rest(&skeleton);
            for (j, t) in l.iter().enumerate() {
                p.set(j as u16, *t);
            }
            p
        })
        .collect();
    let models: Vec<Vec<Mat34>> = vec![vec![Mat34::IDENTITY; JOINTS]; CHARACTERS];
    let mut ours = (skeleton.clone(), poses, models);
    let f = take_turns(
        (&mut ours, &mut objt),
        1,
        |(s, p, m)| p.iter().zip(m).for_each(|(p, m)| p.to_models(s, m).unwrap()),
        |f| f.iter_mut().for_each(Character::local_to_global),
    );
    case("pose", "objects", f)?;
    let f = take_turns(
        (&mut ours, &mut objm),
        1,
        |(s, p, m)| p.iter().zip(m).for_each(|(p, m)| p.to_models(s, m).unwrap()),
        |f| f.iter_mut().for_each(Character::local_to_global),
    );
    case("pose", "objects, from matrices", f)?;
    let mut crowd = hedgerow::Crowd::new(&skeleton);
    for p in &ours.1 {
        crowd.insert(p).unwrap();
    }
    let mut cr = (crowd, Vec::new());
    let f = take_turns(
        (&mut cr, &mut objt),
        1,
        |(c, m)| c.models(m),
        |f| f.iter_mut().for_each(Character::local_to_global),
    );
    case("crowd", "objects", f)?;
    let binds = inverse_binds(&skeleton);
    let mut objt = (objt, binds);
    let mut ours = (ours, Vec::new());
    let f = take_turns(
        (&mut ours, &mut objt),
        1,
        |((s, p, m), pal)| {
            p.iter().zip(m).for_each(|(p, m)| {
                p.to_models(s, m).unwrap();
                s.palette(m, pal).unwrap();
            });
        },
        |(f, b)| {
            f.iter_mut().for_each(|c| {
                c.local_to_global();
                c.palette(b);
            });
        },
    );
    case("pose-palette", "objects", f)?;
    let f = take_turns(
        (&mut cr, &mut objt),
        1,
        |(c, m)| c.palettes(m),
        |(f, b)| {
            f.iter_mut().for_each(|c| {
                c.local_to_global();
                c.palette(b);
            });
        },
    );
    case("crowd-palette", "objects", f)?;
    Ok(())
}
