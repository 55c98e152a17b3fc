//! Stale handles, and types that are `Send` and `Sync`.

use fastrand::Rng;
use hedgerow::{NodeHandle, Scene};
use hedgerow_gltf::material::{
    AlphaMode, Image, MagFilter, Material, MinFilter, Sampler, Specular, SpecularGlossiness, Texture, TextureRef,
    TextureTransform, Transmission, Volume, Wrap,
};
use hedgerow_gltf::*;

const FILE: &[u8] = br#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"children": [1]}, {}]}"#;

#[test]
fn any_bits_are_a_handle_that_every_function_takes_without_a_panic() {
    let mut dice = Rng::with_seed(3);
    let mut scene = Scene::new();
    let root = scene.root();
    let imported = ImportOptions::new().from_slice_into(&mut scene, root, FILE, None).unwrap();
    let nodes = [imported.node(0).unwrap(), imported.node(1).unwrap(), imported.scenes[0].group];
    let mut taken = 0;
    for _ in 0..20_000 {
        let near = nodes[dice.usize(..3)].to_bits() ^ 1 << dice.u8(..64);
        let bits = if dice.bool() { near } else { dice.u64(..) };
        let Some(node) = NodeHandle::from_bits(bits) else { continue };
        taken += usize::from(scene.contains(node));
        assert_eq!(imported.index_of(node).is_some(), nodes[..2].contains(&node));
        assert_eq!(imported.scenes[0].index_of(node), imported.index_of(node));
        let mut copy = Scene::new();
        let made = ImportOptions::new().from_slice_into(&mut copy, node, FILE, None).is_ok();
        assert_eq!(made, node == copy.root());
    }
    assert!(taken < 20_000);
}

#[test]
fn every_public_type_is_send_sync_and_unpin() {
    fn goes_anywhere<T: Send + Sync + Unpin>() {}
    goes_anywhere::<(Import, Imported, ImportedScene, ImportedDrawable, ImportedNode, Skipped, Extras)>();
    goes_anywhere::<(ImportOptions, Parts, ImportError, ImportErrorKind, BufferProblem, Item, ItemKind)>();
    goes_anywhere::<(ImportedMesh, ImportedPrimitive, MeshData, MeshIds, MorphDeltas, Topology)>();
    goes_anywhere::<(Camera, Projection, Light, LightKind, MorphChannels, MorphNode, Rig, RigPlace)>();
    goes_anywhere::<(AnimationPlayer, Deformed, DeformedMesh, ImportedAnimation, ImportedClip, ImportedSkin)>();
    goes_anywhere::<(Material, AlphaMode, Specular, SpecularGlossiness, Transmission, Volume, Image)>();
    goes_anywhere::<(Texture, TextureRef, TextureTransform, Sampler, MagFilter, MinFilter, Wrap)>();
}
