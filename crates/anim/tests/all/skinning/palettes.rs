//! Palettes of skins.

use super::*;

#[test]
fn a_palette_is_model_times_inverse_bind_for_each_joint_of_the_skin() {
    let inverse_binds = vec![model(7), Mat34::IDENTITY, model(9)];
    let skin = Skin::new(vec![3, 0, 3], inverse_binds.clone()).unwrap();
    let models: Vec<Mat34> = (0..4).map(model).collect();
    let expected = [models[3] * inverse_binds[0], models[0], models[3] * inverse_binds[2]];
    let mut room = vec![model(100); 9];
    let palette = skin.palette(&models, &mut room).unwrap();
    assert_eq!((palette.matrices(), palette.skin()), (&expected[..], skin.id()));
    assert_eq!(room, expected);
    let mut part = [Mat34::IDENTITY; 3];
    assert_eq!(*skin.palette_into(&models, &mut part).unwrap(), expected);
    assert_eq!(part, expected);
}

#[test]
fn what_makes_no_skin_or_palette_is_refused_and_nothing_is_written() {
    let refused = |joints: Vec<u16>, matrices| match Skin::new(joints, matrices) {
        Err(Error::Skin(error)) => error,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(vec![1], vec![]), SkinError::InverseBinds { joints: 1, found: 0 });
    let mut broken = Mat34::IDENTITY;
    broken.rows[2][3] = f32::NAN;
    assert_eq!(refused(vec![0, 1], vec![Mat34::IDENTITY, broken]), SkinError::InverseBind { joint: 1 });
    let many = Skin::MAX_JOINTS + 1;
    let matrices = vec![Mat34::IDENTITY; many];
    assert_eq!(refused(vec![0; many], matrices), SkinError::TooManyJoints { joints: many });

    let skin = Skin::new(vec![5], vec![Mat34::IDENTITY]).unwrap();
    let mut palette = vec![model(1)];
    let error = skin.palette(&[Mat34::IDENTITY; 5], &mut palette).unwrap_err();
    assert_eq!(error, Error::Skin(SkinError::Models { expected: 6, found: 5 }));
    assert_eq!(palette, [model(1)]);
    let error = skin.palette_into(&[Mat34::IDENTITY; 6], &mut []).unwrap_err();
    assert_eq!(error, Error::Skin(SkinError::Palette { expected: 1, found: 0 }));
    assert!(error.to_string().contains("instead of 1"));
    assert_eq!(Palette::of(&skin, &[]), Err(error));
}

#[test]
fn skins_are_known_by_their_joints_and_inverse_binds_in_their_order() {
    let skin = |joints: [u16; 2], x: f32| {
        let bind = Transform::from_xyz(x, 0.0, 0.0).to_matrix();
        Skin::new(joints.to_vec(), vec![Mat34::IDENTITY, bind]).unwrap()
    };
    let one = skin([0, 1], 1.0);
    assert_eq!(one.id(), skin([0, 1], 1.0).id());
    assert_eq!(skin([0, 1], 0.0).id(), skin([0, 1], -0.0).id(), "both zeros are equal");
    for other in [skin([1, 0], 1.0), skin([0, 1], 2.0), skin([0, 2], 1.0), Skin::default(), Skin::rigid()] {
        assert_ne!(one.id(), other.id());
    }
    assert_eq!(Skin::from_bytes(&one.to_bytes()).unwrap().id(), one.id());
}

#[test]
fn a_skin_at_rest_moves_nothing_in_the_rest_pose() {
    let mut builder = SkeletonBuilder::new();
    let turned = Transform::from_xyz(0.3, 1.0, -0.5).with_rotation(Quat::from_rotation_y(0.7));
    let hip = builder.joint("hip", None, turned);
    let chest = builder.joint("chest", Some(hip), turned.with_scale(Vec3::splat(1.5)));
    builder.joint("head", Some(chest), turned);
    let (skeleton, _) = builder.build().unwrap();
    let skin = Skin::at_rest(&skeleton).unwrap();
    let (mut models, mut room) = (Vec::new(), Vec::new());
    Pose::rest(&skeleton).to_models(&skeleton, &mut models).unwrap();
    for matrix in skin.palette(&models, &mut room).unwrap().iter() {
        assert!(matrix.to_wide().abs_diff_eq(Mat34::IDENTITY.to_wide(), 1e-6), "{matrix:?}");
    }
    let mut builder = SkeletonBuilder::new();
    builder.joint("hip", None, turned);
    builder.joint("flat", Some(hip), Transform::from_scale(Vec3::new(1.0, 0.0, 1.0)));
    let refused = Skin::at_rest(&builder.build().unwrap().0);
    assert_eq!(refused, Err(Error::Skin(SkinError::InverseBind { joint: 1 })));
}

/// Returns a column of joints 0.3 m apart, and a skin with the joints in reverse order.
fn column() -> (Skeleton, Skin, SkinnedMesh) {
    let mut builder = SkeletonBuilder::new();
    for joint in 0..4_u16 {
        let up = if joint == 0 { 0.0 } else { 0.3 };
        builder.joint("", joint.checked_sub(1), Transform::from_xyz(0.0, up, 0.0));
    }
    let (skeleton, _) = builder.build().unwrap();
    let of_skeleton = Skin::at_rest(&skeleton).unwrap();
    let from_the_top = (0..4).rev().map(|joint| of_skeleton.inverse_binds()[joint]).collect();
    let skin = Skin::new(vec![3, 2, 1, 0], from_the_top).unwrap();
    // Each joint has one vertex at its position.
    let positions = [0.9, 0.6, 0.3, 0.0].map(|y| [0.0, y, 0.0]);
    let mesh = SkinnedMesh::builder(&positions).influences(1, &[0, 1, 2, 3], &[1.0; 4]).build(&skin).unwrap();
    (skeleton, skin, mesh)
}

#[test]
fn a_mesh_refuses_the_palette_of_another_order_also_after_it_was_saved() {
    let (skeleton, skin, mesh) = column();
    let other = Skin::at_rest(&skeleton).unwrap();
    let (mut models, mut room) = (Vec::new(), Vec::new());
    Pose::rest(&skeleton).to_models(&skeleton, &mut models).unwrap();
    let loaded = SkinnedMesh::from_bytes(&mesh.to_bytes()).unwrap();
    let refused = Error::Skin(SkinError::OtherSkin { expected: skin.id(), found: other.id() });
    for mesh in [&mesh, &loaded] {
        assert_eq!(mesh.skin_id(), skin.id());
        let mut positions = [[9.0_f32; 3]; 4];
        let wrong = other.palette(&models, &mut room).unwrap();
        assert_eq!(mesh.skin(wrong, SkinOutput::new(&mut positions[..])), Err(refused));
        let output = SkinOutput::new(&mut positions[..]);
        assert_eq!(mesh.skin_morphed(wrong, &[], &mut MorphBuffer::new(), output), Err(refused));
        assert_eq!(mesh.bounds(wrong), Err(refused));
        assert_eq!(positions, [[9.0; 3]; 4]);
        let right = skin.palette(&models, &mut room).unwrap();
        assert_eq!(mesh.skin(right, SkinOutput::new(&mut positions[..])), Ok(()));
    }
    let mut batch = SkinBatch::new();
    assert_eq!(batch.push(Arc::new(mesh), Arc::new(other.clone())), Err(refused));
    // After the mesh got the other skin's id, it accepts the palette.
    let mut given = loaded;
    assert_eq!(given.set_skin(&Skin::rigid()), Err(Error::Skin(SkinError::SkinJoints { expected: 4, found: 1 })));
    given.set_skin(&other).unwrap();
    assert!(given.bounds(other.palette(&models, &mut room).unwrap()).is_ok());
    assert_eq!(batch.push(Arc::new(given), Arc::new(other)), Ok(0));
}

#[test]
fn a_baked_clip_has_the_palettes_of_its_player_at_even_times() {
    let (skeleton, skin, mesh) = column();
    let mut raw = RawClip::new(0.73, skeleton.len()).unwrap();
    for joint in 0..4 {
        let turns = vec![Quat::IDENTITY, Quat::from_rotation_x(1.0), Quat::from_rotation_y(0.4)];
        raw.set_rotation(joint, Track::linear(vec![0.0, 0.2, 0.73], turns).unwrap()).unwrap();
    }
    let (clip, _) = ClipBuilder::new().build(&raw).unwrap();
    let baked = skin.bake(&skeleton, &clip, 30.0).unwrap();
    assert_eq!((baked.frames(), baked.joints()), (23, 4), "0.73 · 30 is 21.9");
    assert!((baked.frames_per_second() - 22.0 / 0.73).abs() < 1e-4);
    let (mut player, mut pose) = (Player::new(&clip), Pose::rest(&skeleton));
    let (mut models, mut room) = (Vec::new(), Vec::new());
    for frame in 0..23 {
        player.seek(frame as f32 / baked.frames_per_second());
        player.sample(&mut pose).unwrap();
        pose.to_models(&skeleton, &mut models).unwrap();
        let expected = skin.palette(&models, &mut room).unwrap();
        let found = baked.palette(frame).unwrap();
        assert_eq!(&baked.matrices()[4 * frame..4 * frame + 4], found.matrices());
        for (found, expected) in found.iter().zip(expected.iter()) {
            let mut numbers = found.rows.as_flattened().iter().zip(expected.rows.as_flattened());
            assert!(numbers.all(|(a, b)| (a - b).abs() < 1e-5), "{frame}");
        }
        mesh.skin(found, SkinOutput::new(&mut [[0.0_f32; 3]; 4][..])).unwrap();
    }
    assert_eq!(baked.palette(23), None);

    for frames_per_second in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e8] {
        let refused = skin.bake(&skeleton, &clip, frames_per_second);
        assert!(matches!(refused, Err(Error::Skin(SkinError::BakedFrames { .. }))), "{frames_per_second}");
    }
}
