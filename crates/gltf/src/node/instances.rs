//! Meshes that are drawn several times at a node (`EXT_mesh_gpu_instancing`).

use super::extension;
use crate::error::{ImportError, ImportErrorKind, Item, WarningKind};
use crate::file::{Numbers, Reader, expect_count};
use crate::mesh::meshes_that_follow;
use glam::{Quat, Vec3};
use gltf::json::Index;
use hedgerow::Transform;
use hedgerow_math::internal::fallible;
use serde_json::Value;

const NAME: &str = "EXT_mesh_gpu_instancing";

/// The instances of nodes, by ascending glTF index.
pub(crate) type Instances = Vec<(usize, Vec<Transform>)>;

/// Returns the instances of all nodes, except for instances whose transform is invalid.
pub(crate) fn read(reader: Reader<'_>) -> Result<Instances, ImportError> {
    let mut all = Vec::new();
    let follow = meshes_that_follow(reader.root);
    for (node, json) in reader.root.nodes.iter().enumerate() {
        let Some((attributes, mesh)) = extension(json, NAME).zip(json.mesh) else { continue };
        // Joints place a skinned mesh, so all its instances would coincide.
        if json.skin.is_some() && follow[mesh.value()] {
            let item = || Item::node(reader.root, node);
            reader.warnings.fault(item, || format!("extensions.{NAME}"), WarningKind::LeftOut)?;
        } else {
            all.push((node, Source { reader, node, attributes: attributes.get("attributes") }.read()?));
        }
    }
    Ok(all)
}

pub(crate) fn find(all: &Instances, node: usize) -> Option<&[Transform]> {
    let at = all.binary_search_by_key(&node, |&(node, _)| node).ok()?;
    Some(&all[at].1)
}

struct Source<'a> {
    reader: Reader<'a>,
    node: usize,
    attributes: Option<&'a Value>,
}

impl Source<'_> {
    fn item(&self) -> Item {
        Item::node(self.reader.root, self.node)
    }

    fn read(&self) -> Result<Vec<Transform>, ImportError> {
        let translations = self.attribute::<3>("TRANSLATION", Numbers::Floats, None)?;
        let mut count = translations.as_ref().map(Vec::len);
        let rotations = self.attribute::<4>("ROTATION", Numbers::Fractions, count)?;
        count = count.or(rotations.as_ref().map(Vec::len));
        let scales = self.attribute::<3>("SCALE", Numbers::Floats, count)?;
        let count = count.or(scales.as_ref().map(Vec::len)).unwrap_or(0);
        self.reader.budget.take::<Transform>(count, || self.item())?;
        let mut transforms =
            fallible::with_capacity(count).map_err(|_| ImportErrorKind::AllocationFailed(self.item()))?;
        transforms.extend((0..count).filter_map(|at| {
            let transform = Transform {
                translation: translations.as_ref().map_or(Vec3::ZERO, |list| Vec3::from_array(list[at])),
                rotation: rotations.as_ref().map_or(Quat::IDENTITY, |list| Quat::from_array(list[at])),
                scale: scales.as_ref().map_or(Vec3::ONE, |list| Vec3::from_array(list[at])),
            };
            // Faulty instances are left out, not the file refused.
            transform.checked().ok()
        }));
        if transforms.len() < count {
            let kind = WarningKind::Instances { count: count - transforms.len() };
            self.reader.warnings.fault(|| self.item(), || format!("extensions.{NAME}"), kind)?;
        }
        Ok(transforms)
    }

    /// Returns the values of an attribute, or an error if `count` is given and differs from the number of values.
    fn attribute<const N: usize>(
        &self,
        name: &str,
        numbers: Numbers,
        count: Option<usize>,
    ) -> Result<Option<Vec<[f32; N]>>, ImportError> {
        let Some(accessor) = self.attributes.and_then(|all| all.get(name)) else { return Ok(None) };
        let field = || format!("extensions.{NAME}.attributes.{name}");
        // Integers may be written as floats.
        let accessor = accessor.as_f64().filter(|it| it.fract() == 0.0 && (0.0..f64::from(u32::MAX)).contains(it));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is whole and fits")]
        let accessor = accessor.map(|accessor| Index::new(accessor as u32)).ok_or_else(|| {
            let problem = "it must be the index of an accessor";
            ImportErrorKind::Invalid { item: self.item(), field: field(), problem }
        })?;
        let read: Vec<[f32; N]> = self.reader.arrays(accessor, numbers, (self.item(), &field))?;
        match count {
            Some(count) => expect_count(read, count, (self.item(), &field)).map(Some),
            None => Ok(Some(read)),
        }
    }
}
