//! Skins, skinned meshes and batches of them, from outside.

use hedgerow::{Error, Mat34, Skin, SkinError, Transform};

fn model(number: usize) -> Mat34 {
    Transform::from_xyz(number as f32, 1.0, -2.0).to_matrix()
}

mod palettes {
    use super::*;

    #[test]
    fn a_palette_is_model_times_inverse_bind_for_each_joint_of_the_skin() {
        let inverse_binds = vec![model(7), Mat34::IDENTITY, model(9)];
        let skin = Skin::new(vec![3, 0, 3], inverse_binds.clone()).unwrap();
        let models: Vec<Mat34> = (0..4).map(model).collect();
        let expected = [models[3] * inverse_binds[0], models[0], models[3] * inverse_binds[2]];
        let mut palette = vec![model(100); 9];
        skin.palette(&models, &mut palette).unwrap();
        assert_eq!(palette, expected);
        let mut part = [Mat34::IDENTITY; 3];
        skin.palette_into(&models, &mut part).unwrap();
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
    }
}
