//! Filters, which convert decoded attributes in place to the numbers that accessors read.

/// Decodes octahedral normals and tangents to unit vectors. The third input number encodes 1; the fourth is kept. The
/// stride tells whether numbers have 8 or 16 bits.
pub(super) fn octahedral(bytes: &mut [u8], stride: usize) {
    for_each(bytes, stride, |[x, y, one, w], most| {
        let (x, y) = (x as f32 / one as f32, y as f32 / one as f32);
        let z = 1.0 - x.abs() - y.abs();
        // The lower half of the octahedron is folded over the edges of the upper half.
        let fold = z.min(0.0);
        let (x, y) = (x - fold.copysign(x), y - fold.copysign(y));
        let scale = most as f32 / (x * x + y * y + z * z).sqrt();
        [rounded(x * scale), rounded(y * scale), rounded(z * scale), w]
    });
}

/// Decodes quaternions from their three smallest components and the index of the largest, 16 bits each.
pub(super) fn quaternion(bytes: &mut [u8]) {
    for_each(bytes, 8, |[x, y, z, last], _| {
        // The two lowest bits of the fourth number are the index; its other bits are the number that encodes 1.
        let scale = core::f32::consts::FRAC_1_SQRT_2 / (last | 3) as f32;
        let (x, y, z) = (x as f32 * scale, y as f32 * scale, z as f32 * scale);
        let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
        let mut quaternion = [w, x, y, z].map(|number| rounded(number * 32767.0));
        quaternion.rotate_right((last & 3) as usize);
        quaternion
    });
}

/// Decodes floats from a signed exponent of 8 bits and a signed mantissa of 24 bits.
#[expect(clippy::cast_possible_truncation, reason = "what is too great for a float becomes infinite")]
pub(super) fn exponential(bytes: &mut [u8]) {
    for number in bytes.as_chunks_mut::<4>().0 {
        let stored = i32::from_le_bytes(*number);
        let (exponent, mantissa) = (stored >> 24, stored << 8 >> 8);
        let power = f64::from_bits(u64::from((1023 + exponent).unsigned_abs()) << 52);
        *number = ((power * f64::from(mantissa)) as f32).to_le_bytes();
    }
}

/// Decodes colours from luma, two colour differences and alpha to RGBA. The highest set bit of alpha gives the bit
/// depth. The stride tells whether numbers have 8 or 16 bits.
pub(super) fn color(bytes: &mut [u8], stride: usize) {
    for_each(bytes, stride, |[y, co, cg, alpha], most| {
        // Luma and alpha are unsigned.
        let unsigned = 2 * most + 1;
        let (y, alpha) = (y & unsigned, alpha & unsigned);
        let one = alpha.checked_ilog2().map_or(0, |bit| (2 << bit) - 1);
        let opacity = alpha & one >> 1;
        let scale = unsigned as f32 / one as f32;
        let colors = [y + co - cg, y + cg, y - co - cg, opacity << 1 | opacity & 1];
        colors.map(|color| rounded(color as f32 * scale).clamp(0, unsigned))
    });
}

/// Replaces the four numbers of each element by `change(numbers, greatest)`, where `greatest` is 127 or 32,767.
#[expect(clippy::cast_possible_truncation, reason = "the lowest bits are what an element keeps")]
fn for_each(bytes: &mut [u8], stride: usize, change: impl Fn([i32; 4], i32) -> [i32; 4]) {
    if stride == 4 {
        for element in bytes.as_chunks_mut::<4>().0 {
            let numbers = element.map(|byte| i32::from(byte.cast_signed()));
            *element = change(numbers, 127).map(|number| number as u8);
        }
    } else {
        for element in bytes.as_chunks_mut::<2>().0.as_chunks_mut::<4>().0 {
            let numbers = element.map(|bytes| i32::from(i16::from_le_bytes(bytes)));
            *element = change(numbers, 32767).map(|number| (number as i16).to_le_bytes());
        }
    }
}

/// Returns the nearest integer. Halves are rounded away from zero, and NaN becomes zero.
#[expect(clippy::cast_possible_truncation, reason = "only numbers of invalid elements are greater")]
fn rounded(number: f32) -> i32 {
    number.round() as i32
}
