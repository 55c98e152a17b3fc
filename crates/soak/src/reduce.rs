//! Reduces a list of steps to a small part that still fails.

/// Removes steps as long as the others still fail, first in runs of half of all steps, finally one by one. The result
/// fails, and no longer fails if any single step is removed. Source: A. Zeller, R. Hildebrandt, "Simplifying and
/// Isolating Failure-Inducing Input", 2002; complements only.
pub(crate) fn reduced<S: Clone>(mut steps: Vec<S>, fails: impl Fn(&[S]) -> bool) -> Vec<S> {
    let mut run = steps.len().div_ceil(2).max(1);
    loop {
        let mut at = 0;
        let before = steps.len();
        while at < steps.len() {
            let mut fewer = steps.clone();
            fewer.drain(at..(at + run).min(steps.len()));
            if fails(&fewer) {
                steps = fewer;
            } else {
                at += run;
            }
        }
        if run == 1 && steps.len() == before {
            return steps;
        }
        run = run.div_ceil(2);
    }
}

#[cfg(test)]
mod tests {
    use super::reduced;

    #[test]
    fn what_is_left_fails_and_nothing_else_is_left() {
        let fails = |steps: &[u32]| steps.contains(&3) && steps.iter().filter(|&&step| step > 90).count() >= 2;
        assert_eq!(reduced((0..100).collect(), fails), [3, 98, 99]);
        assert_eq!(reduced(vec![1, 2], |_| true), [0_u32; 0]);
    }
}
