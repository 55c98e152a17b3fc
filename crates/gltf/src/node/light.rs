//! Punctual lights (`KHR_lights_punctual`).

use crate::error::{ImportError, ImportErrorKind, Item, ItemKind, check_finite};
use crate::{Extensions, Extras};
use gltf::json::extensions::scene::khr_lights_punctual::{Light as Json, Type};
use gltf::json::scene::Node;
use gltf::json::validation::Checked;
use gltf::json::{Index, Root};

/// A light of a glTF file (`KHR_lights_punctual`). It is at each node that refers to it ([`ImportedNode::light`]) and
/// shines along the node's -z axis.
///
/// [`ImportedNode::light`]: super::ImportedNode::light
///
/// ```
/// use hedgerow_gltf::{LightKind};
///
/// let text = br#"{
///     "asset": {"version": "2.0"}, "extensionsUsed": ["KHR_lights_punctual"], "scenes": [{"nodes": [0]}],
///     "extensions": {"KHR_lights_punctual": {"lights": [{"type": "point", "intensity": 40, "color": [1, 0.5, 0]}]}},
///     "nodes": [{"name": "lantern", "extensions": {"KHR_lights_punctual": {"light": 0}}}]
/// }"#;
/// let imported = hedgerow_gltf::from_slice(text, None)?.imported;
/// let lantern = &imported.lights[imported.nodes[0].light.expect("it has a light")];
/// assert_eq!((lantern.kind, lantern.intensity, lantern.range), (LightKind::Point, 40.0, None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Light {
    /// The name, if any.
    pub name: Option<String>,
    /// The kind.
    pub kind: LightKind,
    /// The colour, linear.
    pub color: [f32; 3],
    /// The intensity: in candela for a point or a spot, in lux for a directional light.
    pub intensity: f32,
    /// The distance at which its light ends; `None`: infinite.
    pub range: Option<f32>,
    /// The item's `extras`.
    pub extras: Extras,
    /// The JSON of the item's extensions, by name.
    pub extensions: Extensions,
}

/// The kind of a light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LightKind {
    /// Parallel light from infinitely far.
    Directional,
    /// Light from a point in all directions.
    Point,
    /// Light from a point into a cone.
    Spot {
        /// The angle from the axis within which the intensity is full, in radians.
        inner_cone_angle: f32,
        /// The angle from the axis at which the light ends, in radians.
        outer_cone_angle: f32,
    },
}

pub(crate) fn lights(root: &Root) -> &[Json] {
    let extension = root.extensions.as_ref().and_then(|extensions| extensions.khr_lights_punctual.as_ref());
    extension.map_or(&[], |extension| &extension.lights)
}

pub(super) fn of_node(node: &Node) -> Option<Index<Json>> {
    Some(node.extensions.as_ref()?.khr_lights_punctual.as_ref()?.light)
}

pub(super) fn read(root: &Root, extras: bool) -> Result<Vec<Light>, ImportError> {
    let mut all = Vec::with_capacity(lights(root).len());
    for (index, json) in lights(root).iter().enumerate() {
        let item = || Item::of(root, ItemKind::Light, index);
        let kind = match json.type_ {
            Checked::Valid(Type::Directional) => LightKind::Directional,
            Checked::Valid(Type::Point) => LightKind::Point,
            Checked::Valid(Type::Spot) => {
                let spot = json.spot.as_ref();
                let (inner_cone_angle, outer_cone_angle) =
                    spot.map_or((0.0, core::f32::consts::FRAC_PI_4), |it| (it.inner_cone_angle, it.outer_cone_angle));
                check_finite(&[inner_cone_angle, outer_cone_angle], item, "spot")?;
                LightKind::Spot { inner_cone_angle, outer_cone_angle }
            }
            Checked::Invalid => {
                let problem = "it must be directional, point or spot";
                return Err(ImportErrorKind::Invalid { item: item(), field: "type".to_owned(), problem }.into());
            }
        };
        check_finite(&json.color, item, "color")?;
        check_finite(&[json.intensity], item, "intensity")?;
        check_finite(&[json.range.unwrap_or(0.0)], item, "range")?;
        let extensions = json.extensions.as_ref().filter(|_| extras);
        all.push(Light {
            name: json.name.clone(),
            kind,
            color: json.color,
            intensity: json.intensity,
            range: json.range,
            extras: Extras::read(&json.extras, extras),
            extensions: extensions.and_then(|json| serde_json::from_str(json.get()).ok()).unwrap_or_default(),
        });
    }
    Ok(all)
}
