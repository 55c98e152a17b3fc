//! The skeletons, clips, skins and skinned meshes of an import, as bytes.

use hedgerow_anim::{Clip, ClipBuilder, Error, Skeleton, Skin, SkinnedMesh};
use hedgerow_gltf::{CharacterError, Imported};
use std::collections::BTreeMap;

/// Returns the skeletons, the compiled clips, the skins, and each deformed mesh once for each skin with which it is
/// drawn. Asserts that what is read from the bytes has the same bytes.
pub fn saved(imported: &Imported) -> Result<Vec<Vec<u8>>, CharacterError> {
    let mut all = Vec::new();
    let mut save = |bytes: Vec<u8>, read: fn(&[u8]) -> Result<Vec<u8>, Error>| {
        assert!(read(&bytes).as_ref() == Ok(&bytes), "what was written is read");
        all.push(bytes);
    };
    for rig in &imported.rigs {
        save(rig.skeleton.to_bytes(), |bytes| Ok(Skeleton::from_bytes(bytes)?.to_bytes()));
    }
    for clip in &imported.clips {
        let (clip, _) = ClipBuilder::new().build(&clip.clip)?;
        save(clip.to_bytes().to_vec(), |bytes| Ok(Clip::from_bytes(bytes)?.to_bytes().to_vec()));
    }
    for skin in &imported.skins {
        save(skin.skin.to_bytes(), |bytes| Ok(Skin::from_bytes(bytes)?.to_bytes()));
    }
    let drawables = imported.scenes.iter().flat_map(|scene| &scene.drawables);
    let drawn: BTreeMap<_, _> = drawables.map(|drawable| ((drawable.id, drawable.skin), drawable)).collect();
    for drawable in drawn.into_values() {
        if let Some(body) = imported.deformed(drawable)? {
            save(body.mesh().to_bytes(), |bytes| Ok(SkinnedMesh::from_bytes(bytes)?.to_bytes()));
        }
    }
    Ok(all)
}
