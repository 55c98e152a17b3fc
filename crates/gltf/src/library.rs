//! Adds the characters of an import to a library.

use super::Imported;
use hedgerow_anim::library::{ClipKey, Library, MeshKey, SkeletonKey, SkinKey};
use hedgerow_anim::{Clip, ClipBuilder, Error, Skin};
use std::collections::BTreeSet;

/// The [`Library`] keys of the characters of an import; see [`Imported::insert_into`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LibraryKeys {
    /// The skeletons, in the order of [`Imported::rigs`].
    pub skeletons: Vec<SkeletonKey>,
    /// The compiled clips, in the order of [`Imported::clips`].
    pub clips: Vec<ClipKey>,
    /// The skins, by glTF index.
    pub skins: Vec<SkinKey>,
    /// The skinned meshes, ordered by mesh id and glTF index of the skin; see [`LibraryKeys::mesh`].
    pub meshes: Vec<((u32, Option<usize>), MeshKey)>,
}

impl LibraryKeys {
    /// Returns the skinned mesh of a mesh id for a skin; pass `None` for a mesh that is only morphed. Returns `None`
    /// for a mesh that nothing deforms. Both arguments are in [`ImportedDrawable`](super::ImportedDrawable). Runs in
    /// **O(log meshes)**.
    #[must_use]
    pub fn mesh(&self, mesh: u32, skin: Option<usize>) -> Option<MeshKey> {
        let at = self.meshes.binary_search_by_key(&(mesh, skin), |&(of, _)| of).ok()?;
        Some(self.meshes[at].1)
    }
}

impl Imported {
    /// Adds the skeletons, the clips (compiled by `builder`), the skins and the skinned meshes to a library.
    ///
    /// A skeleton is named after its first joint; clips and skins keep their names; meshes get no name. A mesh is added
    /// once for each skin (or lack of a skin) with which it is drawn. Runs in **O(keys + vertices)**.
    ///
    /// ```
    /// use hedgerow_gltf::anim::{ClipBuilder, Library};
    ///
    /// let text = br#"{
    ///     "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "skins": [{"name": "bones", "joints": [0, 1]}],
    ///     "nodes": [{"name": "hip", "children": [1]}, {"name": "head"}]
    /// }"#;
    /// let imported = hedgerow_gltf::from_slice(text, None)?.imported;
    /// let mut library = Library::new();
    /// let keys = imported.insert_into(&mut library, ClipBuilder::new())?;
    /// assert_eq!(library.skins.find("bones"), Some(keys.skins[0]));
    /// let skeleton = &library.skeletons[keys.skeletons[imported.skins[0].rig]];
    /// assert!(skeleton.names().eq(["hip", "head"]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`ClipBuilder::build`] and [`MeshData::to_skinned_mesh`](super::MeshData::to_skinned_mesh). The
    /// library is then unchanged.
    pub fn insert_into(&self, library: &mut Library, builder: ClipBuilder) -> Result<LibraryKeys, Error> {
        let clips: Vec<Clip> =
            self.clips.iter().map(|clip| Ok(builder.build(&clip.clip)?.0)).collect::<Result<_, Error>>()?;
        let drawables = self.scenes.iter().flat_map(|scene| &scene.drawables);
        let drawn: BTreeSet<(u32, Option<usize>)> = drawables.map(|drawable| (drawable.id, drawable.skin)).collect();
        let mut meshes = Vec::new();
        for (id, skin) in drawn {
            if let Some((data, of_skin)) = self.deforming(id, skin) {
                let rigid = Skin::rigid();
                meshes.push(((id, skin), data.to_skinned_mesh(of_skin.map_or(&rigid, |it| &it.skin))?));
            }
        }
        let skeletons = self.rigs.iter().map(|rig| {
            let name = Some(rig.skeleton.name(0)).filter(|name| !name.is_empty());
            library.skeletons.insert(name, rig.skeleton.clone())
        });
        Ok(LibraryKeys {
            skeletons: skeletons.collect(),
            clips: (self.clips.iter().zip(clips))
                .map(|(imported, clip)| library.clips.insert(imported.name.as_deref(), clip))
                .collect(),
            skins: (self.skins.iter())
                .map(|imported| library.skins.insert(imported.name.as_deref(), imported.skin.clone()))
                .collect(),
            meshes: (meshes.into_iter()).map(|(of, mesh)| (of, library.meshes.insert(None, mesh))).collect(),
        })
    }
}
