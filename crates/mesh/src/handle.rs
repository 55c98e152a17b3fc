//! Handles of meshes.

slotmap::new_key_type! {
    /// A handle to a mesh of a [`MeshSet`](crate::MeshSet). A handle or an `Option` of a handle takes 8 bytes.
    ///
    /// When its mesh is removed, a handle becomes *stale*: edits return
    /// [`MeshError::StaleHandle`](crate::MeshError::StaleHandle), and queries return `None`. A handle of another set is
    /// memory-safe but may refer to any mesh of this set.
    ///
    /// Handles are keys of [`slotmap`](crate::slotmap), so you can keep your own data for each mesh in a
    /// `slotmap::SecondaryMap`. After 2³¹ reuses of a slot, a stale handle may refer to another mesh.
    pub struct MeshHandle;
}
