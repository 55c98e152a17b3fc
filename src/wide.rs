//! Translations in double precision as a scene keeps them: two numbers in single precision, whose sum has 48 bits.
//!
//! ```text
//! translation  rounded to single precision                 24 bits
//! remainder    what the rounding lost, if not zero         24 bits and a sign
//! ```
//!
//! Double precision has 53 bits. The last five are rounded off, because not every parser of text reads them exactly.

use glam::{DVec3, Vec3};

/// Splits a translation into its rounded part and the remainder. Splitting the sum of both again gives the same bits.
pub(crate) fn split(wide: DVec3) -> (Vec3, Vec3) {
    // A carry goes to the exponent, and that is right. Infinities and NaN stay what they are, or become the other.
    let kept = wide.to_array().map(|number| f64::from_bits(number.to_bits().wrapping_add(16) & !31));
    let halves = |wide: DVec3| (wide.as_vec3(), (wide - wide.as_vec3().as_dvec3()).as_vec3());
    let (rounded, remainder) = halves(DVec3::from_array(kept));
    // A remainder below 1e-38 is rounded itself. The sum may then be halfway between two numbers, and rounds otherwise.
    halves(join(rounded, remainder))
}

/// Returns the sum of both parts, in which a negative zero stays negative.
pub(crate) fn join(rounded: Vec3, remainder: Vec3) -> DVec3 {
    rounded.as_dvec3() - (DVec3::ZERO - remainder.as_dvec3())
}

/// Returns whether [`split`] returns these parts, to the bit.
pub(crate) fn is_split(rounded: Vec3, remainder: Vec3) -> bool {
    let bits = |(a, b): (Vec3, Vec3)| [a, b].map(|part| part.to_array().map(f32::to_bits));
    bits(split(join(rounded, remainder))) == bits((rounded, remainder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_other_sums_are_told_apart() {
        let half = 2_f32.powi(-24);
        for (rounded, remainder) in [
            (1.0, half.next_up()),    // too much for rounding to lose
            (1.0, -half),             // the sum is a number in single precision
            (1.0 + 2.0 * half, half), // the sum is rounded to the other neighbour
            (1.0, 1e-30),             // beyond double precision
            (1.0, half * half),       // beyond 48 bits
            (0.0, 1e-45),
            (1.0, -0.0),
            (1.0, f32::NAN),
            (f32::INFINITY, 0.0),
        ] {
            assert!(!is_split(Vec3::splat(rounded), Vec3::splat(remainder)), "{rounded:e} {remainder:e}");
        }
        assert!(is_split(Vec3::splat(1.0), Vec3::splat(half)) && is_split(Vec3::splat(-0.0), Vec3::ZERO));
    }
}
