//! Inputs of fuzz targets.

/// An input: settings, and steps of equal size.
///
/// As bytes it is what `arbitrary` reads as an array and a vector of arrays: the settings, then for each step an odd
/// byte and the step. What is missing at the end is zero, and an even byte ends the list. The fuzz targets check at
/// each run that both readings are the same.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Input<const HEAD: usize, const STEP: usize> {
    pub(crate) head: [u8; HEAD],
    pub(crate) steps: Vec<[u8; STEP]>,
}

impl<const HEAD: usize, const STEP: usize> Input<HEAD, STEP> {
    /// The input that these bytes stand for.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let mut rest = bytes.iter().copied();
        let head = core::array::from_fn(|_| rest.next().unwrap_or(0));
        let mut steps = Vec::new();
        while rest.next().is_some_and(|more| more & 1 == 1) {
            steps.push(core::array::from_fn(|_| rest.next().unwrap_or(0)));
        }
        Self { head, steps }
    }
}
