//! Sine and cosine with the same bits on every machine: those of the systems' libraries are rounded differently.

use core::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// The coefficients of x, x³, x⁵ and so on in the series of the sine.
const SINE: [f64; 8] = [
    1.0,
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5_040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 1_307_674_368_000.0,
];

/// The coefficients of 1, x², x⁴ and so on in the series of the cosine.
const COSINE: [f64; 9] = [
    1.0,
    -0.5,
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 20_922_789_888_000.0,
];

/// What `FRAC_PI_2` lacks of a quarter turn.
const REST: f64 = 6.123_233_995_736_766e-17;

/// Returns the sine and the cosine of an angle in radians, to about 2e-16 within half a turn, and to the angle's own
/// rounding, 1e-16 of it, beyond.
#[inline]
pub fn sin_cos(angle: f64) -> (f64, f64) {
    let quarters = (angle * FRAC_2_PI + 0.5).floor();
    let x = (angle - quarters * FRAC_PI_2) - quarters * REST;
    let square = x * x;
    let sum = |terms: &[f64]| terms.iter().rev().fold(0.0, |sum, term| sum * square + term);
    let (sine, cosine) = (x * sum(&SINE), sum(&COSINE));
    let within = quarters - 4.0 * (0.25 * quarters).floor();
    if within < 1.0 {
        (sine, cosine)
    } else if within < 2.0 {
        (cosine, -sine)
    } else if within < 3.0 {
        (-sine, -cosine)
    } else {
        (-cosine, sine)
    }
}

#[cfg(test)]
mod tests {
    use super::sin_cos;

    #[test]
    fn sines_are_right_and_their_bits_are_these() {
        let mut hash = 0_u64;
        for step in -20_000..20_000_i32 {
            let angle = f64::from(step) * 0.037;
            let (sine, cosine) = sin_cos(angle);
            assert!((sine - angle.sin()).abs() < 4e-13 && (cosine - angle.cos()).abs() < 4e-13, "{angle}");
            for bits in [sine.to_bits(), cosine.to_bits()] {
                hash = (hash ^ bits).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
            }
        }
        assert_eq!(hash, 0xc371_6193_ba28_b436);
        assert_eq!(sin_cos(0.0), (0.0, 1.0));
    }
}
