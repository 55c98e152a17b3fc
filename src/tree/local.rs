//! Local transforms in text formats: the translation is one field, in single or in double precision.
//!
//! The digits say which precision is meant. A number in single precision is written with the fewest digits that
//! identify it: 0.1, not 0.10000000149. A number with more digits is in double precision.

use crate::{Local, Mat34, Transform, wide};
use glam::{DVec3, Quat, Vec3};
use serde::{Deserialize, Serialize};

/// The text of a local transform, in either form.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LocalText {
    /// Translation, rotation and scale.
    Transform(TransformText),
    /// A matrix.
    Matrix(MatrixText),
}

/// The text of translation, rotation and scale.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TransformText {
    translation: [f64; 3],
    rotation: Quat,
    scale: Option<Vec3>,
}

/// The rows; their last numbers are the translation.
pub type MatrixText = [(f32, f32, f32, f64); 3];

impl LocalText {
    pub(crate) fn of(local: Local, remainder: Vec3) -> Self {
        let rounded = local.translation();
        let translation = core::array::from_fn(|axis| digits(rounded[axis], remainder[axis]));
        match local {
            Local::Transform(Transform { rotation, scale, .. }) => {
                Self::Transform(TransformText { translation, rotation, scale: Some(scale) })
            }
            Local::Matrix(Mat34 { rows }) => Self::Matrix(core::array::from_fn(|axis| {
                let [x, y, z, _] = rows[axis];
                (x, y, z, translation[axis])
            })),
        }
    }

    /// Returns the local transform, and its translation in double precision if single precision does not have it.
    pub(crate) fn read(self) -> (Local, Option<DVec3>) {
        let (local, translation): (Local, _) = match self {
            Self::Transform(TransformText { translation, rotation, scale }) => {
                (Transform::from_scale(scale.unwrap_or(Vec3::ONE)).with_rotation(rotation).into(), translation)
            }
            Self::Matrix(rows) => {
                (Mat34 { rows: rows.map(|(x, y, z, _)| [x, y, z, 0.0]) }.into(), rows.map(|row| row.3))
            }
        };
        let wide = DVec3::from_array(translation.map(meant));
        // `as_vec3` may round otherwise: without its last bits, a translation may be halfway between two numbers.
        let (rounded, lost) = wide::split(wide);
        (local.with_translation(rounded), (lost != Vec3::ZERO).then_some(wide))
    }
}

/// Parsers of text err by at most this many numbers of double precision.
const ERROR: u64 = 3;

/// Returns how far a number is from one that single precision is written as.
fn steps_to_short(number: f64) -> u64 {
    let single = DVec3::splat(number).as_vec3().x;
    let text = format!("{single:e}");
    let digits = text.bytes().take_while(|&byte| byte != b'e').filter(u8::is_ascii_digit).count();
    let [short, other] =
        [text, format!("{number:.*e}", digits.saturating_sub(1))].map(|text| text.parse().unwrap_or(0.0));
    // If two numbers with few digits are equally near, either may be written.
    let off = |short: f64| (short - f64::from(single)).abs();
    let short: f64 = if off(other) <= off(short) * 1.000_001 { other } else { short };
    number.to_bits().abs_diff(short.to_bits())
}

/// Returns the number that the digits of a text mean.
fn meant(number: f64) -> f64 {
    let single = DVec3::splat(number).as_vec3().as_dvec3().x;
    if single == number || steps_to_short(number) <= ERROR { single } else { number }
}

/// Returns a number with few digits that means both parts, even after an error of the parser.
fn digits(rounded: f32, remainder: f32) -> f64 {
    if remainder == 0.0 {
        return format!("{rounded:e}").parse().unwrap_or(f64::NAN);
    }
    let parts = (Vec3::splat(rounded), Vec3::splat(remainder));
    let whole = wide::join(parts.0, parts.1).x;
    // All numbers within 15 steps of the sum are split alike.
    let aside = |steps: i64| f64::from_bits(whole.to_bits().wrapping_add_signed(steps));
    let fits = |number: &f64| {
        let off = whole.to_bits().abs_diff(number.to_bits());
        off + ERROR < 16 && steps_to_short(*number) > 2 * ERROR
    };
    let few = [14, 15].into_iter().filter_map(|digits| format!("{whole:.digits$e}").parse().ok());
    few.chain([whole, aside(8), aside(-8)]).find(fits).unwrap_or(whole)
}
