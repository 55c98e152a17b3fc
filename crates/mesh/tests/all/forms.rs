//! Handles, errors and draws as bits, text, bytes and JSON.

use fastrand::Rng;
use hedgerow_mesh::slotmap::KeyData;
use hedgerow_mesh::{Aabb, MaterialDraws, MeshChunk, MeshDraw, MeshError, MeshHandle, MeshSet, ShadowDraw, SubMesh};

fn two_parts() -> [SubMesh; 2] {
    [SubMesh::new(0..36, 1, Aabb::cube(1.0)), SubMesh::new(36..60, 2, Aabb::cube(2.0))]
}

#[test]
fn any_bits_are_a_handle_that_every_method_takes_without_a_panic() {
    let mut dice = Rng::with_seed(3);
    let mut whole = MeshSet::new();
    let made = [5, 6, 7, 8, 9].map(|mesh| whole.insert(mesh, &two_parts()).expect("two parts"));
    whole.remove(made[2]).expect("it lives");
    for _ in 0..2000 {
        let mut set = whole.clone();
        for _ in 0..20 {
            let near = dice.u64(..4) << 32 | dice.u64(..8);
            let mesh = MeshHandle::from(KeyData::from_ffi(if dice.bool() { near } else { dice.u64(..) }));
            let lives = set.contains(mesh);
            assert_eq!(set.number(mesh).is_some(), lives);
            assert_eq!(set.indices(mesh).is_some(), lives);
            assert_eq!(set.sub_mesh(mesh, 2), None);
            let edited = match dice.u8(..4) {
                0 => set.set_bounds(mesh, 1, Aabb::cube(3.0)).is_ok(),
                1 => set.set_material(mesh, 1, 4).is_ok(),
                2 => set.set_indices(mesh, 0, 3..6).is_ok(),
                _ => set.remove(mesh).is_ok(),
            };
            assert_eq!(edited, lives, "{mesh:?}");
        }
        assert_eq!(set.validate(), Ok(()));
    }
}

#[test]
fn errors_say_which_sub_mesh_and_what_to_do() {
    let mut set = MeshSet::new();
    let mesh = set.insert(7, &[SubMesh::new(0..36, 2, Aabb::cube(1.0))]).unwrap();
    let of_mesh = format!("{mesh:?}");
    let said: [(MeshError, &[&str]); 5] = [
        (MeshError::StaleHandle(mesh), &[&of_mesh]),
        (MeshError::NoSubMesh { mesh, sub_mesh: 3, count: 2 }, &[&of_mesh, "2 sub-meshes", "no sub-mesh 3"]),
        (MeshError::RangeTooLong { sub_mesh: 4 }, &["sub-mesh 4 end"]),
        (MeshError::NotFinite { sub_mesh: 5 }, &["sub-mesh 5 must be finite"]),
        (MeshError::CapacityOverflow, &["several sets"]),
    ];
    for (error, parts) in said {
        let text = error.to_string();
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
        assert!(text.contains("; ") || text.contains(" must be "), "{text:?} does not say what to do");
    }
    assert!(MeshError::Invalid("a hole is empty").to_string().ends_with("please report this: a hole is empty"));
}

#[test]
fn every_public_type_is_send_sync_and_unpin() {
    fn goes_anywhere<T: Send + Sync + Unpin>() {}
    goes_anywhere::<(MeshSet, MeshHandle, MeshError, SubMesh)>();
    goes_anywhere::<(MeshDraw, ShadowDraw, MaterialDraws, MeshChunk<'static>)>();
}

#[cfg(feature = "bytemuck")]
#[test]
fn sub_meshes_and_draws_come_back_from_their_bytes() {
    fn back<T: bytemuck::Pod + PartialEq + std::fmt::Debug>(list: &[T]) {
        let bytes: Vec<u8> = bytemuck::cast_slice(list).to_vec();
        let back: Vec<T> = bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect();
        assert_eq!(back, list);
    }
    back(&two_parts());
    let mut set = MeshSet::new();
    set.insert(7, &two_parts()).unwrap();
    let (mut draws, mut shadows) = (Vec::<MeshDraw>::new(), Vec::<ShadowDraw>::new());
    set.draws(&[0, 1], &mut draws);
    set.shadow_draws(&[0, 1], &mut shadows);
    back(&draws);
    // Adjacent ranges become one draw.
    assert_eq!(bytemuck::cast_slice::<_, u32>(&shadows), [7, 0, 60]);
}

#[cfg(feature = "serde")]
#[test]
fn handles_name_the_same_meshes_after_a_round_trip() {
    use hedgerow_mesh::slotmap::SecondaryMap;

    let mut set = MeshSet::new();
    let gone = set.insert(1, &[]).unwrap();
    set.remove(gone).unwrap();
    let kept = set.insert(2, &[]).unwrap();
    let mut names = SecondaryMap::new();
    names.insert(kept, "house".to_owned());
    let json = serde_json::to_string(&(gone, kept, &names)).unwrap();
    let (gone, kept, names): (MeshHandle, MeshHandle, SecondaryMap<MeshHandle, String>) =
        serde_json::from_str(&json).unwrap();
    assert_eq!((set.number(gone), set.number(kept)), (None, Some(2)));
    assert_eq!((names.get(gone), names.get(kept).map(String::as_str)), (None, Some("house")));
}
