//! Skins: the joints of a rig that a mesh follows.

use super::rig::Rigs;
use crate::error::{ImportError, ImportErrorKind, Item, ItemKind, WarningKind, check_index};
use crate::extras::others;
use crate::file::{Numbers, Reader, columns};
use crate::{Extensions, Extras};
use hedgerow::Mat34;
use hedgerow_anim::skin::Skin;

/// A skin of a glTF file. It makes palettes from the model matrices of its rig.
///
/// Palettes are relative to the rig's [`base`](crate::RigPlace::base), as model matrices are. The transform of the node
/// with the mesh is ignored, as glTF demands.
///
/// ```
/// let text = br#"{
///     "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "skins": [{"name": "bones", "joints": [2, 1]}],
///     "nodes": [{"children": [1]}, {"name": "hip", "children": [2]}, {"name": "head"}]
/// }"#;
/// let imported = hedgerow_gltf::from_slice(text, None)?.imported;
/// let bones = &imported.skins[0];
/// let skeleton = &imported.rigs[bones.rig].skeleton;
/// assert!(bones.skin.joints().iter().map(|&joint| skeleton.name(joint)).eq(["head", "hip"]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ImportedSkin {
    /// The number of its rig in [`Imported::rigs`](crate::Imported::rigs). For a skin without joints, which draws
    /// nothing, this is the number of rigs.
    pub rig: usize,
    /// The joints, numbered as in the rig, with their inverse bind matrices, in glTF's order.
    pub skin: Skin,
    /// The name, if any.
    pub name: Option<String>,
    /// The item's `extras`.
    pub extras: Extras,
    /// The JSON of the item's extensions, by name.
    pub extensions: Extensions,
}

/// Returns the nodes and inverse bind matrices of every skin of a file.
pub(crate) fn read(reader: Reader<'_>) -> Result<Vec<Vec<(usize, Mat34)>>, ImportError> {
    let root = reader.root;
    let mut skins = Vec::with_capacity(root.skins.len());
    let mut listed = vec![usize::MAX; root.nodes.len()];
    for (index, json) in root.skins.iter().enumerate() {
        let item = || Item::of(root, ItemKind::Skin, index);
        if json.joints.is_empty() {
            // A skin without joints keeps its index; nothing is drawn with it.
            skins.push(Vec::new());
            continue;
        }
        check_index(json.skeleton, root.nodes.len(), item, || "skeleton".to_owned())?;
        for (position, joint) in json.joints.iter().enumerate() {
            let field = || format!("joints[{position}]");
            check_index(Some(*joint), root.nodes.len(), item, field)?;
            if core::mem::replace(&mut listed[joint.value()], index) == index {
                reader.warnings.fault(item, field, WarningKind::Invalid { meant: "another joint at the same node" })?;
            }
        }
        let inverse_binds = match json.inverse_bind_matrices {
            None => vec![Mat34::IDENTITY; json.joints.len()],
            Some(accessor) => {
                let field: (_, &dyn Fn() -> String) = (item(), &|| "inverseBindMatrices".to_owned());
                let matrix = |numbers: [f32; 16]| columns(&numbers);
                let matrices = reader.values(accessor, Numbers::Floats, field, matrix)?;
                if !matrices.iter().all(Mat34::is_finite) {
                    let field = "inverseBindMatrices".to_owned();
                    return Err(ImportErrorKind::NotFinite { item: item(), field }.into());
                }
                // glTF allows more matrices than joints.
                if matrices.len() < json.joints.len() {
                    let (expected, found) = (json.joints.len(), matrices.len());
                    let field = "inverseBindMatrices".to_owned();
                    return Err(ImportErrorKind::Count { item: item(), field, expected, found }.into());
                }
                matrices
            }
        };
        skins.push(json.joints.iter().map(|joint| joint.value()).zip(inverse_binds).collect());
    }
    Ok(skins)
}

/// Builds the skins with the joint numbers of the rigs.
pub(crate) fn build(
    reader: Reader<'_>,
    skins: &[Vec<(usize, Mat34)>],
    rigs: &Rigs,
    extras: bool,
) -> Result<Vec<ImportedSkin>, ImportError> {
    let root = reader.root;
    let mut built = Vec::with_capacity(skins.len());
    for (index, joints) in skins.iter().enumerate() {
        let places: Vec<(usize, u16)> = joints.iter().filter_map(|&(node, _)| rigs.joint(node)).collect();
        let inverse_binds = joints.iter().map(|&(_, inverse_bind)| inverse_bind).collect();
        let skin = Skin::new(places.iter().map(|&(_, joint)| joint).collect(), inverse_binds);
        let skin = skin.map_err(|error| {
            let (item, field) = (Item::of(root, ItemKind::Skin, index), String::new());
            ImportErrorKind::Motion { item, field, error: error.into() }
        })?;
        let json = &root.skins[index];
        let rig = places.first().map_or(rigs.rigs.len(), |&(rig, _)| rig);
        let (extras, extensions) = (Extras::read(&json.extras, extras), others!(json, extras));
        built.push(ImportedSkin { rig, skin, name: json.name.clone(), extras, extensions });
    }
    Ok(built)
}
