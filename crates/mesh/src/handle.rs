//! Handles of meshes.

slotmap::new_key_type! {
    /// A handle to a mesh of a [`MeshSet`](crate::MeshSet). It takes 8 bytes, and so does its `Option`.
    ///
    /// It is valid until its mesh is removed. Then it is *stale*: edits return
    /// [`MeshError::StaleHandle`](crate::MeshError::StaleHandle), queries return `None`. A handle of another set is
    /// harmless but may refer to a mesh of this set.
    ///
    /// It is a key of [`slotmap`](crate::slotmap): keep your own data for each mesh in a `slotmap::SecondaryMap`. The
    /// feature `serde` reads and writes it. Slots are reused indefinitely, so after 2³¹ meshes in the same slot a stale
    /// handle may refer to another mesh.
    pub struct MeshHandle;
}
