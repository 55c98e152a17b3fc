//! Inputs of fuzz targets.

/// An input: settings, and steps of equal size.
///
/// The bytes are what `arbitrary` reads as an array and a vector of arrays: the settings, then for each step an odd
/// byte and the step. Missing bytes are zero, and an even byte ends the list. At each run, the fuzz targets check that
/// both readings agree.
#[derive(Clone, Debug, PartialEq)]
pub struct Input<const HEAD: usize, const STEP: usize> {
    pub head: [u8; HEAD],
    pub steps: Vec<[u8; STEP]>,
}

impl<const HEAD: usize, const STEP: usize> Input<HEAD, STEP> {
    /// Reads an input from bytes.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut rest = bytes.iter().copied();
        let head = core::array::from_fn(|_| rest.next().unwrap_or(0));
        let mut steps = Vec::new();
        while rest.next().is_some_and(|more| more & 1 == 1) {
            steps.push(core::array::from_fn(|_| rest.next().unwrap_or(0)));
        }
        Self { head, steps }
    }
}
