//! Text formats of a box (feature `serde`).

use crate::Aabb;
use glam::Vec3;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The form of a box in text. Not every format has infinities, so the empty and the infinite box are written by name.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum AabbForm {
    Infinite,
    Empty,
    Box { min: Vec3, max: Vec3 },
}

/// `"infinite"`, `"empty"`, or `{"box": {"min": [x, y, z], "max": [x, y, z]}}`.
impl Serialize for Aabb {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let form = match *self {
            Self::INFINITE => AabbForm::Infinite,
            Self::EMPTY => AabbForm::Empty,
            Self { min, max } => AabbForm::Box { min, max },
        };
        form.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Aabb {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match AabbForm::deserialize(deserializer)? {
            AabbForm::Infinite => Self::INFINITE,
            AabbForm::Empty => Self::EMPTY,
            AabbForm::Box { min, max } => Self { min, max },
        })
    }
}
