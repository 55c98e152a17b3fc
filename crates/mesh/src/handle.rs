//! Handles of meshes.

slotmap::new_key_type! {
    /// A name for one mesh of one [`MeshSet`](crate::MeshSet), 8 bytes, and so is its `Option`.
    ///
    /// Valid until its mesh is removed, whatever happens to others. Then it is *stale*: edits return
    /// [`MeshError::StaleHandle`](crate::MeshError::StaleHandle), queries `None`. A handle of another set is
    /// harmless but may name a mesh of this one.
    ///
    /// It is a key of [`slotmap`](crate::slotmap): data of your own by mesh lies in a `slotmap::SecondaryMap`, and the
    /// feature `serde` reads and writes it. A slot is reused for ever, so after 2³¹ meshes in the same slot a stale
    /// handle may name another one.
    pub struct MeshHandle;
}
