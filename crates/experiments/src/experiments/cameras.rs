//! What several cameras see, as one figure.

use crate::front::Front;
use crate::rounds::{Pace, Rounds, Trial};
use crate::{Case, Outcome, Unit};

/// Reports the mean over the cameras of the median of a camera's rounds: some see four times as much as others. `look`
/// turns the trial to a camera; its first way is ours, its second `baseline`. Figures are by shape.
pub(super) fn report_mean<'c, F: Front, T: Trial<1>, C>(
    front: &mut F,
    (name, baseline): (&str, &str),
    shapes: usize,
    cameras: &'c [C],
    trial: &mut T,
    look: impl Fn(&mut T, &'c C),
) -> Outcome {
    let mut sums = None;
    for (number, camera) in cameras.iter().enumerate() {
        let rounds = Rounds {
            nodes: shapes,
            per: shapes,
            parts: [&format!("{name}/{number}")],
            ways: &["hedgerow", baseline],
            pace: Pace::fixed(5),
            lasts: None,
        };
        look(trial, camera);
        if let Some(figures) = front.rounds(&rounds, trial)? {
            let (ours, theirs) = sums.get_or_insert((0.0, 0.0));
            *ours += figures[0][0];
            *theirs += figures[1][0];
        }
    }
    if let Some((ours, theirs)) = sums {
        let case = Case::new(name, shapes, Unit::Time, baseline).against_itself();
        front.report(&case, ours / cameras.len() as f64, theirs / cameras.len() as f64)?;
    }
    Ok(())
}
