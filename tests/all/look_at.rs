//! Nodes that look at a point.

use hedgerow::glam::{DMat3, DVec3, Vec3};
use hedgerow::{Error, Local, Mat34, Node, Scene, Transform};

#[test]
fn a_node_looks_at_what_single_precision_tells_from_its_own_place() {
    let look = |from: f32, to: f32| {
        let mut scene = Scene::new();
        let eye = scene.insert(scene.root(), Node::transform(Transform::from_xyz(from, 0.0, 0.0))).unwrap();
        scene.edit(eye).and_then(|mut node| node.look_at(Vec3::new(to, 0.0, 0.0), Vec3::Y).map(|_| ())).map(|()| {
            let Some(Local::Transform(local)) = scene.local(eye) else { panic!("it was a transform") };
            (local.rotation * Vec3::NEG_Z).x.round()
        })
    };
    // The eye is near the origin, or far away, where numbers are 1/16 apart.
    assert_eq!(look(0.0, 1e-4), Ok(1.0));
    assert_eq!(look(1e6, 1e6 - 100.0), Ok(-1.0));
    assert_eq!(look(1e6, 1e6 + 0.5), Err(Error::NotRotation));
    assert_eq!(look(0.0, 0.0), Err(Error::NotRotation));
}

#[test]
fn a_sheared_node_that_looks_elsewhere_keeps_its_place_and_its_shear() {
    let mut scene = Scene::new();
    let shear = Mat34 { rows: [[2.0, 3.0, 0.0, 5.0], [0.0, 4.0, 0.0, 6.0], [0.0, 0.0, 7.0, 8.0]] };
    let eye = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
    scene.set_local(eye, shear).unwrap();
    scene.edit(eye).unwrap().look_at(Vec3::new(5.0, 6.0, -20.0), Vec3::Y).unwrap();
    let Some(Local::Matrix(local)) = scene.local(eye) else { panic!("it shears still") };
    // The +Y axis has length 5 and points up; the +X axis leans towards it as before.
    let expected = [[1.6, 0.0, 0.0, 5.0], [1.2, 5.0, 0.0, 6.0], [0.0, 0.0, 7.0, 8.0]];
    let apart = local.rows.as_flattened().iter().zip(expected.as_flattened()).map(|(a, b)| (a - b).abs());
    assert!(apart.fold(0.0, f32::max) < 1e-5, "{local:?}");
}

#[test]
fn a_matrix_that_looks_elsewhere_keeps_scale_mirror_and_shear() {
    let [x, y, z] = [Vec3::new(2.0, 0.5, -1.0), Vec3::new(3.0, 4.0, 0.25), Vec3::new(-1.0, 0.5, 7.0)];
    let zero = Vec3::ZERO;
    let all =
        [[x, y, z], [-x, y, z], [x, -y, -z], [x, y, zero], [x, zero, zero], [zero, y, zero], [zero; 3], [x, x, x]];
    for axes in all {
        let rows = [0, 1, 2].map(|row| [axes[0][row], axes[1][row], axes[2][row], 5.0]);
        let mut scene = Scene::new();
        let eye = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
        scene.set_local(eye, Mat34 { rows }).unwrap();
        scene.edit(eye).unwrap().look_at(Vec3::new(9.0, -3.0, 2.0), Vec3::Y).unwrap();
        let after = scene.local(eye).unwrap().to_matrix().to_wide();
        let before = Mat34 { rows }.to_wide();
        assert_eq!(after.translation, before.translation);
        // Products of axes determine lengths and angles.
        let inner = |axes: DMat3| axes.transpose() * axes;
        let off = inner(after.matrix3) - inner(before.matrix3);
        assert!(off.to_cols_array().iter().all(|number| number.abs() < 1e-4), "{axes:?}: {after:?}");
        let volume = after.matrix3.determinant() - before.matrix3.determinant();
        assert!(volume.abs() < 1e-3, "{axes:?} is mirrored");
        let towards = DVec3::new(4.0, -8.0, -3.0).normalize();
        let back = after.matrix3.z_axis;
        assert!((back + towards * back.length()).length() < 1e-5, "{axes:?} points back along {back}");
    }
}
