//! Cameras.

use crate::error::{ImportError, ImportErrorKind, Item, ItemKind, check_finite};
use crate::extras::others;
use crate::{Extensions, Extras};
use gltf::json::Root;
use gltf::json::camera::Type;
use gltf::json::validation::Checked;

/// A camera of a glTF file. It is at each node that refers to it ([`ImportedNode::camera`]) and looks along the node's
/// -z axis, with +y up.
///
/// [`ImportedNode::camera`]: super::ImportedNode::camera
///
/// ```
/// use hedgerow_gltf::{Projection};
///
/// let text = br#"{
///     "asset": {"version": "2.0"},
///     "cameras": [{"name": "map", "type": "orthographic",
///         "orthographic": {"xmag": 10, "ymag": 5, "znear": 0, "zfar": 100}}]
/// }"#;
/// let imported = hedgerow_gltf::from_slice(text, None)?.imported;
/// let map = &imported.cameras[0];
/// assert_eq!(map.name.as_deref(), Some("map"));
/// assert_eq!(map.projection, Projection::Orthographic { xmag: 10.0, ymag: 5.0, znear: 0.0, zfar: 100.0 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Camera {
    /// The name, if any.
    pub name: Option<String>,
    /// The projection.
    pub projection: Projection,
    /// The item's `extras`.
    pub extras: Extras,
    /// The JSON of the item's extensions, by name.
    pub extensions: Extensions,
}

/// The projection of a camera. All numbers are as in the file, and finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// A perspective projection.
    Perspective {
        /// The vertical field of view, in radians.
        yfov: f32,
        /// Width ÷ height; `None` for the aspect ratio of the picture.
        aspect_ratio: Option<f32>,
        /// The distance of the near plane.
        znear: f32,
        /// The distance of the far plane; `None`: infinite.
        zfar: Option<f32>,
    },
    /// An orthographic projection.
    Orthographic {
        /// Half the width of the view.
        xmag: f32,
        /// Half the height of the view.
        ymag: f32,
        /// The distance of the near plane.
        znear: f32,
        /// The distance of the far plane.
        zfar: f32,
    },
}

pub(super) fn read(root: &Root, extras: bool) -> Result<Vec<Camera>, ImportError> {
    let mut cameras = Vec::with_capacity(root.cameras.len());
    for (index, json) in root.cameras.iter().enumerate() {
        let item = || Item::of(root, ItemKind::Camera, index);
        let projection = match (&json.type_, &json.perspective, &json.orthographic) {
            (Checked::Valid(Type::Perspective), Some(it), _) => {
                let numbers = [it.yfov, it.znear, it.aspect_ratio.unwrap_or(1.0), it.zfar.unwrap_or(1.0)];
                check_finite(&numbers, item, "perspective")?;
                let (yfov, aspect_ratio, znear, zfar) = (it.yfov, it.aspect_ratio, it.znear, it.zfar);
                Projection::Perspective { yfov, aspect_ratio, znear, zfar }
            }
            (Checked::Valid(Type::Orthographic), _, Some(it)) => {
                let (xmag, ymag, znear, zfar) = (it.xmag, it.ymag, it.znear, it.zfar);
                check_finite(&[xmag, ymag, znear, zfar], item, "orthographic")?;
                Projection::Orthographic { xmag, ymag, znear, zfar }
            }
            _ => {
                let problem = "it must be perspective or orthographic, with an object of this name beside it";
                return Err(ImportErrorKind::Invalid { item: item(), field: "type".to_owned(), problem }.into());
            }
        };
        cameras.push(Camera {
            name: json.name.clone(),
            projection,
            extras: Extras::read(&json.extras, extras),
            extensions: others!(json, extras),
        });
    }
    Ok(cameras)
}
