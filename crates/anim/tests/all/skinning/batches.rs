//! Batches of characters skinned in one call.

use super::*;

/// Returns a batch with three meshes, and all palettes.
fn batch(characters: usize, vertices: usize) -> (SkinBatch, Vec<Mat34>) {
    let meshes: Vec<_> = (0..3)
        .map(|number| Arc::new(Model::new(vertices + 17 * number, 4, 5 + number, number as u64).build(&[])))
        .collect();
    let mut batch = SkinBatch::new();
    for character in 0..characters {
        let skin = Arc::new(super::skin(5 + character % 3));
        assert_eq!(batch.push(Arc::clone(&meshes[character % 3]), skin).unwrap() as usize, character);
    }
    let palettes = Dice(Rng::with_seed(4)).palette(batch.palettes_len());
    (batch, palettes)
}

const UNWRITTEN: [f32; 3] = [99.0; 3];

fn skin(batch: &SkinBatch, palettes: &[Mat34], visible: &[u32]) -> (Vec<[f32; 3]>, Vec<[f32; 3]>) {
    let (mut positions, mut normals) = (vec![UNWRITTEN; batch.vertices_len()], vec![UNWRITTEN; batch.vertices_len()]);
    let output = SkinOutput::new(&mut positions).normals(&mut normals);
    batch.skin_visible(visible, palettes, output).unwrap();
    (positions, normals)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn visible_characters_are_skinned_as_alone_and_others_left_alone(visible in vec(0..20_u32, 0..30)) {
        let (batch, palettes) = batch(20, 40);
        let (positions, normals) = skin(&batch, &palettes, &visible);
        for character in 0..20 {
            let (mesh, range) = (batch.mesh(character).unwrap(), batch.vertex_range(character).unwrap());
            let mut expected = (vec![UNWRITTEN; mesh.len()], vec![UNWRITTEN; mesh.len()]);
            if visible.contains(&character) {
                let output = SkinOutput::new(&mut expected.0).normals(&mut expected.1);
                mesh.skin(of(mesh, &palettes[batch.palette_range(character).unwrap()]), output).unwrap();
            }
            prop_assert_eq!(&positions[range.clone()], expected.0);
            prop_assert_eq!(&normals[range], expected.1);
        }
    }
}

#[test]
fn parts_of_a_character_share_its_palette_and_have_the_bits_of_their_own() {
    let meshes: Vec<_> = (0..6).map(|part| Arc::new(Model::new(30 + 11 * part, 4, 41, 7).build(&[]))).collect();
    let skin_of_all = Arc::new(super::skin(41));
    let models = Dice(Rng::with_seed(2)).palette(41);
    let [mut shared, mut own] = [(); 2].map(|()| SkinBatch::new());
    for character in 0..3 {
        let body = shared.push(Arc::clone(&meshes[0]), Arc::clone(&skin_of_all)).unwrap();
        assert_eq!(body, 6 * character);
        for mesh in &meshes[1..] {
            shared.push_part(Arc::clone(mesh), body).unwrap();
        }
        for mesh in &meshes {
            own.push(Arc::clone(mesh), Arc::clone(&skin_of_all)).unwrap();
        }
    }
    assert_eq!((shared.palettes_len(), own.palettes_len()), (3 * 41, 18 * 41));
    let [mut few, mut many] = [&shared, &own].map(|batch| vec![Mat34::IDENTITY; batch.palettes_len()]);
    // Any of the numbers computes the palette of its character.
    for part in [2, 6, 17] {
        shared.palette_into(part, &models, &mut few).unwrap();
    }
    for part in 0..18 {
        own.palette_into(part, &models, &mut many).unwrap();
        assert_eq!(shared.palette_range(part), shared.palette_range(part / 6 * 6));
        assert_eq!(shared.vertex_range(part), own.vertex_range(part));
    }
    for visible in [&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17][..], &[16, 3, 4]] {
        assert_eq!(skin(&shared, &few, visible), skin(&own, &many, visible));
    }

    let other = Arc::new(Model::new(9, 4, 5, 1).build(&[]));
    assert!(matches!(shared.push_part(other, 0), Err(Error::Skin(SkinError::OtherSkin { .. }))));
    let error = shared.push_part(Arc::clone(&meshes[0]), 18).unwrap_err();
    assert_eq!(error, SkinError::Character { character: 18, characters: 18 }.into());
    assert_eq!((shared.len(), shared.vertices_len()), (18, own.vertices_len()));
}

#[test]
fn lists_and_arrays_that_do_not_fit_are_refused_and_nothing_is_written() {
    let (mut batch, palettes) = batch(2, 10);
    let mut positions = vec![UNWRITTEN; batch.vertices_len()];
    let error = batch.skin_visible(&[0, 2], &palettes, SkinOutput::new(&mut positions)).unwrap_err();
    assert_eq!(error, SkinError::Character { character: 2, characters: 2 }.into());
    let error = batch.skin_visible(&[0], &palettes[1..], SkinOutput::new(&mut positions)).unwrap_err();
    assert!(matches!(error, Error::Skin(SkinError::Palette { .. })));
    let error = batch.skin_visible(&[0], &palettes, SkinOutput::new(&mut positions[1..])).unwrap_err();
    assert!(matches!(error, Error::Skin(SkinError::Length { what: "places for positions", .. })));
    assert!(positions.iter().all(|position| *position == UNWRITTEN));
    assert_eq!((batch.mesh(2), batch.vertex_range(2), batch.palette_range(2)), (None, None, None));
    let mut all = palettes.clone();
    let error = batch.palette_into(2, &[Mat34::IDENTITY; 6], &mut all).unwrap_err();
    assert_eq!(error, SkinError::Character { character: 2, characters: 2 }.into());
    let error = batch.palette_into(1, &[Mat34::IDENTITY; 5], &mut all).unwrap_err();
    assert_eq!(error, SkinError::Models { expected: 6, found: 5 }.into());
    let error = batch.palette_into(1, &[Mat34::IDENTITY; 6], &mut all[1..]).unwrap_err();
    assert_eq!(error, SkinError::Palette { expected: 11, found: 10 }.into());
    assert_eq!(all, palettes);
    assert_eq!(batch.palette_into(1, &[model(3); 6], &mut all).unwrap().skin(), batch.skin(1).unwrap().id());
    assert_eq!((&all[..5], &all[5..]), (&palettes[..5], &[model(3); 6][..]));
    batch.clear();
    assert!(batch.is_empty() && batch.vertices_len() == 0 && batch.palettes_len() == 0);
    assert!(batch.skin_visible(&[], &[], SkinOutput::new(&mut positions[..0])).is_ok());
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "needs threads")]
#[cfg(feature = "rayon")]
fn any_number_of_threads_gives_the_same_bits() {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let (batch, palettes) = batch(60, 900);
    let visible: Vec<u32> = (0..60).filter(|character| character % 7 != 3).collect();
    let expected = pool(1).install(|| skin(&batch, &palettes, &visible));
    for threads in 2..=4 {
        assert!(expected == pool(threads).install(|| skin(&batch, &palettes, &visible)), "{threads} threads");
    }

    // One mesh is split into chunks.
    let model = Model::new(40_000, 4, 30, 3);
    let mesh = model.build(&[]);
    let palette = Dice(Rng::with_seed(8)).palette(30);
    let expected = pool(1).install(|| skinned(&mesh, &palette, &[]));
    for threads in 2..=4 {
        assert!(expected == pool(threads).install(|| skinned(&mesh, &palette, &[])), "{threads} threads");
    }
}
