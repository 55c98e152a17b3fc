//! Skins, skinned meshes and batches, through the public interface.

use fastrand::Rng;
use hedgerow_anim::glam::{DVec3, Quat, Vec3};
use hedgerow_anim::{
    Crowd, Error, Mat34, Pose, Skeleton, SkeletonBuilder, Transform,
    skin::{MorphBuffer, MorphTarget, Palette, Skin, SkinBatch, SkinError, SkinOutput, SkinnedMesh},
};
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::Arc;

/// A skin of so many joints, bound at the origin.
fn skin(joints: usize) -> Skin {
    Skin::new((0..).take(joints).collect(), vec![Mat34::IDENTITY; joints]).unwrap()
}

/// Matrices as a palette that the mesh takes.
fn of<'p>(mesh: &SkinnedMesh, matrices: &'p [Mat34]) -> Palette<'p> {
    let skin = skin(matrices.len());
    assert_eq!(mesh.skin_id(), skin.id());
    Palette::of(&skin, matrices).unwrap()
}

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

    /// A column of joints 0.3 m apart, and a skin that counts them from the top: as many, in another order.
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
        // A vertex at each joint, which it follows.
        let positions = [0.9, 0.6, 0.3, 0.0].map(|y| [0.0, y, 0.0]);
        let mesh = SkinnedMesh::builder(&positions).influences(1, &[0, 1, 2, 3], &[1.0; 4]).build(&skin).unwrap();
        (skeleton, skin, mesh)
    }

    #[test]
    fn a_crowd_computes_palettes_in_the_order_of_the_skin() {
        let (skeleton, skin, mesh) = column();
        let mut crowd = Crowd::new(&skeleton);
        let mut pose = Pose::rest(&skeleton);
        // All stands on its side.
        pose.set(0, Transform::from_rotation(Quat::from_rotation_z(-core::f32::consts::FRAC_PI_2)));
        let instance = crowd.insert(&pose).unwrap();
        let (mut room, mut all, mut positions) = (Vec::new(), Vec::new(), vec![[0.0_f32; 3]; 4]);
        let lies = |positions: &[[f32; 3]]| {
            positions
                .iter()
                .zip([0.9, 0.6, 0.3, 0.0])
                .all(|(found, x)| (found[0] - x).abs() < 1e-5 && found[1].abs() < 1e-5)
        };
        crowd.palettes(&skin, &mut all).unwrap();
        let palette = Palette::of(&skin, &all[crowd.palette_range(instance, &skin).unwrap()]).unwrap();
        mesh.skin(palette, SkinOutput::new(&mut positions)).unwrap();
        assert!(lies(&positions), "{positions:?}");
        crowd.each_palette(&skin, &mut room, |_, palette| mesh.skin(palette, SkinOutput::new(&mut positions))).unwrap();
        assert!(lies(&positions), "{positions:?}");
        let of_pose = |pose| Ok::<_, Error>((pose, ()));
        let visit = |(), palette: Palette<'_>| mesh.skin(palette, SkinOutput::new(&mut positions));
        skeleton.each_palette(&skin, [&pose], of_pose, &mut room, visit).unwrap();
        assert!(lies(&positions), "{positions:?}");
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
        // Unless it is told that the numbers mean the same.
        let mut given = loaded;
        assert_eq!(given.set_skin(&Skin::rigid()), Err(Error::Skin(SkinError::SkinJoints { expected: 4, found: 1 })));
        given.set_skin(&other).unwrap();
        assert!(given.bounds(other.palette(&models, &mut room).unwrap()).is_ok());
        assert_eq!(batch.push(Arc::new(given), Arc::new(other)), Ok(0));
    }
}

/// A deterministic sequence of random numbers.
struct Dice(Rng);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0.usize(..end)
    }

    fn signed(&mut self) -> f32 {
        self.below(1 << 20) as f32 / 524_288.0 - 1.0
    }

    fn vector(&mut self) -> [f32; 3] {
        [self.signed(), self.signed(), self.signed()]
    }

    fn palette(&mut self, joints: usize) -> Vec<Mat34> {
        let joint = |_| {
            let rotation = Quat::from_xyzw(self.signed(), self.signed(), self.signed(), 1.0).normalize();
            let (translation, scale) = (Vec3::from(self.vector()), Vec3::splat(1.0 + 0.5 * self.signed()));
            Transform { translation, rotation, scale }.to_matrix()
        };
        (0..joints).map(joint).collect()
    }
}

/// Lists as authored, with any number of influences for each vertex.
#[derive(Clone, Debug)]
struct Model {
    influences: usize,
    joints: usize,
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    tangents: Vec<[f32; 4]>,
    of_joints: Vec<u16>,
    weights: Vec<f32>,
    indices: Vec<u32>,
}

impl Model {
    fn new(vertices: usize, influences: usize, joints: usize, seed: u64) -> Self {
        let mut dice = Dice(Rng::with_seed(seed));
        let tangent = |dice: &mut Dice| {
            let [x, y, z] = dice.vector();
            [x, y, z, if dice.below(2) == 0 { 1.0 } else { -1.0 }]
        };
        Self {
            influences,
            joints,
            positions: (0..vertices).map(|_| dice.vector()).collect(),
            normals: (0..vertices).map(|_| dice.vector()).collect(),
            tangents: (0..vertices).map(|_| tangent(&mut dice)).collect(),
            of_joints: (0..vertices * influences).map(|_| u16::try_from(dice.below(joints)).unwrap()).collect(),
            // Half of them zero, and none with sum one.
            weights: (0..vertices * influences).map(|_| dice.signed().max(0.0)).collect(),
            indices: (0..3 * vertices).map(|_| u32::try_from(dice.below(vertices)).unwrap()).collect(),
        }
    }

    fn build(&self, targets: &[MorphTarget<'_>]) -> SkinnedMesh {
        let mut builder = SkinnedMesh::builder(&self.positions)
            .normals(&self.normals)
            .tangents(&self.tangents)
            .influences(self.influences, &self.of_joints, &self.weights)
            .indices(&self.indices);
        for target in targets {
            builder = builder.morph_target(*target);
        }
        builder.build(&skin(self.joints)).unwrap()
    }

    /// The vector moved by the palette's blend for this vertex, in double precision; `w` is 1 for points.
    fn skinned(&self, palette: &[Mat34], vertex: usize, vector: DVec3, w: f64) -> DVec3 {
        let range = vertex * self.influences..(vertex + 1) * self.influences;
        let mut influences: Vec<(u16, f64)> = Vec::new();
        for (&joint, &weight) in self.of_joints[range.clone()].iter().zip(&self.weights[range.clone()]) {
            match influences.iter_mut().find(|found| found.0 == joint) {
                Some(found) => found.1 += f64::from(weight),
                None => influences.push((joint, f64::from(weight))),
            }
        }
        influences.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        influences.truncate(4);
        let mut sum: f64 = influences.iter().map(|influence| influence.1).sum();
        if sum == 0.0 {
            influences = vec![(self.of_joints.get(range.start).copied().unwrap_or(0), 1.0)];
            sum = 1.0;
        }
        let by = |matrix: &Mat34| {
            let row = |row: [f32; 4]| {
                let [x, y, z, t] = row.map(f64::from);
                x * vector.x + y * vector.y + z * vector.z + t * w
            };
            DVec3::from_array(matrix.rows.map(row))
        };
        influences.iter().map(|&(joint, weight)| by(&palette[usize::from(joint)]) * (weight / sum)).sum()
    }
}

fn wide(vector: [f32; 3]) -> DVec3 {
    Vec3::from(vector).as_dvec3()
}

/// Asserts that both are equal up to rounding.
fn assert_near(found: &[f32], expected: DVec3, what: &str) {
    let off = (DVec3::new(found[0].into(), found[1].into(), found[2].into()) - expected).abs().max_element();
    assert!(off < 1e-5, "{what}: {found:?} instead of {expected}");
}

/// All three streams in one call; positions with four floats, normals with three.
type Skinned = (Vec<[f32; 4]>, Vec<[f32; 3]>, Vec<[f32; 4]>);

fn skinned(mesh: &SkinnedMesh, palette: &[Mat34], weights: &[f32]) -> Skinned {
    let count = mesh.len();
    let (mut positions, mut normals, mut tangents) =
        (vec![[9.0; 4]; count], vec![[9.0; 3]; count], vec![[9.0; 4]; count]);
    let output = SkinOutput::new(&mut positions).normals(&mut normals).tangents(&mut tangents);
    if weights.is_empty() {
        mesh.skin(of(mesh, palette), output).unwrap();
    } else {
        mesh.skin_morphed(of(mesh, palette), weights, &mut MorphBuffer::new(), output).unwrap();
    }
    (positions, normals, tangents)
}

mod meshes {
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn every_vertex_is_where_double_precision_puts_it(
            vertices in 0..130_usize,
            influences in 0..7_usize,
            joints in 1..40_usize,
            seed: u64,
        ) {
            let model = Model::new(vertices, influences, joints, seed);
            let mesh = model.build(&[]);
            let palette = Dice(Rng::with_seed(seed ^ 1)).palette(joints);
            let (positions, normals, tangents) = skinned(&mesh, &palette, &[]);
            prop_assert_eq!(mesh.permutation().len(), vertices);
            for (at, &vertex) in mesh.permutation().iter().enumerate() {
                let vertex = vertex as usize;
                let by = |vector, w| model.skinned(&palette, vertex, wide(vector), w);
                assert_near(&positions[at], by(model.positions[vertex], 1.0), "position");
                assert_near(&normals[at], by(model.normals[vertex], 0.0), "normal");
                let [x, y, z, sign] = model.tangents[vertex];
                assert_near(&tangents[at], by([x, y, z], 0.0), "tangent");
                prop_assert_eq!((positions[at][3], tangents[at][3]), (1.0, sign));
            }
            // A shader that blends by the influences comes to the same.
            let of_vertices: Vec<([u16; 4], [f32; 4])> = mesh.influences().collect();
            prop_assert_eq!(of_vertices.len(), vertices);
            for (at, (of_joints, weights)) in of_vertices.iter().enumerate() {
                let bind = wide(model.positions[mesh.permutation()[at] as usize]);
                let blended: DVec3 = of_joints.iter().zip(weights).map(|(&joint, &weight)| {
                    palette[usize::from(joint)].to_wide().transform_point3(bind) * f64::from(weight)
                }).sum();
                assert_near(&positions[at], blended, "blended position");
                prop_assert!(weights.is_sorted_by(|a, b| *a + 1e-6 >= *b) && weights.iter().all(|weight| *weight >= 0.0));
            }
            if vertices > 0 {
                let bounds = mesh.bounds(of(&mesh, &palette)).unwrap();
                let outside = |p: &[f32; 4]| {
                    let p = Vec3::new(p[0], p[1], p[2]);
                    (bounds.min - p).max_element().max((p - bounds.max).max_element())
                };
                prop_assert!(positions.iter().all(|position| outside(position) < 1e-5));
            }
        }

        #[test]
        fn vertices_are_sorted_by_influences_and_all_lists_follow(vertices in 1..200_usize, seed: u64) {
            let model = Model::new(vertices, 5, 9, seed);
            let mesh = model.build(&[]);
            let counts = mesh.influence_counts();
            prop_assert_eq!(counts.iter().sum::<usize>(), vertices);
            let numbers: Vec<u32> = (0..).take(vertices).collect();
            let remapped = mesh.remap(&numbers).unwrap();
            prop_assert_eq!(&remapped, mesh.permutation());
            let mut sorted = remapped.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, numbers);
            // Vertices with the same count keep their order.
            let mut first = 0;
            for count in counts {
                prop_assert!(remapped[first..first + count].is_sorted());
                first += count;
            }
            let back: Vec<u32> = mesh.indices().iter().map(|&index| remapped[index as usize]).collect();
            prop_assert_eq!(back, model.indices);
        }

        #[test]
        fn morph_targets_are_added_before_skinning(
            vertices in 1..150_usize,
            weights in vec(prop_oneof![Just(0.0_f32), -1.0..1.0_f32], 3),
            seed: u64,
        ) {
            let model = Model::new(vertices, 3, 5, seed);
            let mut dice = Dice(Rng::with_seed(seed ^ 2));
            let [dense, of_normals, of_tangents] = [(); 3].map(|()| (0..vertices).map(|_| dice.vector()).collect::<Vec<_>>());
            let some: Vec<u32> = (0..).step_by(9).take_while(|&vertex| (vertex as usize) < vertices).collect();
            let sparse: Vec<[f32; 3]> = some.iter().map(|_| dice.vector()).collect();
            let targets = [
                MorphTarget { positions: &dense, normals: &of_normals, ..MorphTarget::default() },
                MorphTarget { vertices: Some(&some), positions: &sparse, tangents: &sparse, ..MorphTarget::default() },
                MorphTarget { tangents: &of_tangents, ..MorphTarget::default() },
            ];
            let mesh = model.build(&targets);
            let palette = Dice(Rng::with_seed(seed ^ 1)).palette(5);
            let (positions, normals, tangents) = skinned(&mesh, &palette, &weights);
            let w: Vec<f64> = weights.iter().map(|&weight| weight.into()).collect();
            for (at, &vertex) in mesh.permutation().iter().enumerate() {
                let vertex = vertex as usize;
                let by = |vector, w| model.skinned(&palette, vertex, vector, w);
                let of_sparse = some.iter().position(|&v| v as usize == vertex).map_or(DVec3::ZERO, |at| wide(sparse[at]));
                let position = wide(model.positions[vertex]) + wide(dense[vertex]) * w[0] + of_sparse * w[1];
                assert_near(&positions[at], by(position, 1.0), "position");
                let normal = wide(model.normals[vertex]) + wide(of_normals[vertex]) * w[0];
                assert_near(&normals[at], by(normal, 0.0), "normal");
                let [x, y, z, sign] = model.tangents[vertex];
                let tangent = wide([x, y, z]) + of_sparse * w[1] + wide(of_tangents[vertex]) * w[2];
                assert_near(&tangents[at], by(tangent, 0.0), "tangent");
                prop_assert_eq!(tangents[at][3], sign);
            }
        }
    }

    #[test]
    fn targets_without_weight_leave_the_bits_of_plain_skinning_and_the_buffer_alone() {
        let model = Model::new(50, 2, 4, 1);
        let deltas = vec![[1.0, 2.0, 3.0]; 50];
        let mesh = model.build(&[MorphTarget { positions: &deltas, ..MorphTarget::default() }]);
        let palette = Dice(Rng::with_seed(2)).palette(4);
        assert_eq!(skinned(&mesh, &palette, &[0.0]), skinned(&mesh, &palette, &[]));
        assert_ne!(skinned(&mesh, &palette, &[0.1]).0, skinned(&mesh, &palette, &[]).0);
    }

    #[test]
    fn one_buffer_serves_meshes_of_all_sizes() {
        let mut buffer = MorphBuffer::new();
        for vertices in [70, 3, 200] {
            let model = Model::new(vertices, 2, 4, vertices as u64);
            let deltas = vec![[1.0, 2.0, 3.0]; vertices];
            let mesh = model.build(&[MorphTarget { positions: &deltas, ..MorphTarget::default() }]);
            let palette = Dice(Rng::with_seed(2)).palette(4);
            let mut positions = vec![[0.0; 4]; vertices];
            mesh.skin_morphed(of(&mesh, &palette), &[0.5], &mut buffer, SkinOutput::new(&mut positions)).unwrap();
            assert_eq!(positions, skinned(&mesh, &palette, &[0.5]).0);
        }
    }

    #[test]
    fn more_than_four_influences_are_pruned_and_reported() {
        let (joints, weights) = ([0, 1, 2, 3, 4, 5], [0.3, 0.05, 0.3, 0.2, 0.05, 0.1]);
        let mesh = SkinnedMesh::builder(&[[1.0, 0.0, 0.0]]).influences(6, &joints, &weights).build(&skin(6)).unwrap();
        let pruned = mesh.pruned();
        assert_eq!((pruned.vertices, mesh.influence_counts()), (1, [0, 0, 0, 1]));
        assert!((pruned.largest_weight - 0.05).abs() < 1e-6 && (pruned.largest_sum - 0.1).abs() < 1e-6);

        // The error is the sum times the distance between the places where kept and dropped joints would move it.
        let palette: Vec<Mat34> = (0..6).map(|joint| Transform::from_xyz(joint as f32, 0.0, 0.0).to_matrix()).collect();
        let mut skinned = [[0.0; 3]];
        mesh.skin(of(&mesh, &palette), SkinOutput::new(&mut skinned[..])).unwrap();
        let whole: f32 = (0..6).map(|joint| weights[joint] * (1.0 + joint as f32)).sum();
        let kept = (0.3 * 1.0 + 0.3 * 3.0 + 0.2 * 4.0 + 0.1 * 6.0) / 0.9;
        let dropped = (0.05 * 2.0 + 0.05 * 5.0) / 0.1;
        assert!((skinned[0][0] - kept).abs() < 1e-5);
        assert!(((skinned[0][0] - whole) - pruned.largest_sum * (kept - dropped)).abs() < 1e-5);

        let fewer =
            SkinnedMesh::builder(&[[0.0; 3]]).influences(6, &[1, 1, 2, 2, 3, 4], &[1.0; 6]).build(&skin(6)).unwrap();
        assert_eq!((fewer.pruned().vertices, fewer.influence_counts()), (0, [0, 0, 0, 1]));
    }

    #[test]
    fn weights_that_are_zero_merged_or_missing_take_no_work() {
        let positions = [[0.0; 3]; 5];
        let joints = [3, 3, 3, 2, 9, 1, 2, 9, 0, 1, 0, 1, 1, 2, 0];
        let weights = [0.2, 0.2, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1e-12, 5.0, 0.0, 5.0, 1e30, 1e30, 1e30];
        let mesh = SkinnedMesh::builder(&positions).influences(3, &joints, &weights).build(&skin(4)).unwrap();
        assert_eq!(mesh.influence_counts(), [4, 0, 1, 0]);
        assert_eq!(mesh.permutation(), [0, 1, 2, 3, 4]);
        let palette: Vec<Mat34> = (0..4).map(|joint| Transform::from_xyz(joint as f32, 0.0, 0.0).to_matrix()).collect();
        let mut skinned = [[0.0; 3]; 5];
        mesh.skin(of(&mesh, &palette), SkinOutput::new(&mut skinned[..])).unwrap();
        assert_eq!(skinned[..4].iter().map(|position| position[0]).collect::<Vec<_>>(), [3.0, 2.0, 2.0, 1.0]);
        // Three equal weights add up to one only up to rounding.
        assert!((skinned[4][0] - 1.0).abs() <= 3e-7, "{skinned:?}");

        let rigid = SkinnedMesh::builder(&positions).build(&skin(1)).unwrap();
        assert_eq!(rigid.influence_counts(), [5, 0, 0, 0]);
    }

    #[test]
    fn what_cannot_be_built_is_refused_with_the_vertex_at_fault() {
        let positions = [[0.0; 3]; 2];
        let refused = |joints: &[u16], weights: &[f32], indices: &[u32]| {
            let builder = SkinnedMesh::builder(&positions).influences(2, joints, weights).indices(indices);
            match builder.build(&skin(3)).unwrap_err() {
                Error::Skin(error) => error,
                other => panic!("{other}"),
            }
        };
        let good = ([0, 1, 2, 0], [1.0, 0.0, 0.5, 0.5]);
        let joint = SkinError::Joint { vertex: 1, joint: 3, joints: 3 };
        assert_eq!(refused(&[0, 1, 3, 0], &good.1, &[]), joint);
        assert!(joint.to_string().contains("vertex 1 follows joint 3"));
        let negative = SkinError::Weight { vertex: 1, weight: -0.5 };
        assert_eq!(refused(&good.0, &[1.0, 0.0, -0.5, 0.5], &[]), negative);
        assert!(matches!(refused(&good.0, &[f32::NAN, 0.0, 0.5, 0.5], &[]), SkinError::Weight { vertex: 0, .. }));
        assert!(matches!(refused(&good.0, &[1.0, f32::INFINITY, 0.5, 0.5], &[]), SkinError::Weight { vertex: 0, .. }));
        let index = SkinError::Index { place: 2, index: 2, vertices: 2 };
        assert_eq!(refused(&good.0, &good.1, &[0, 1, 2]), index);
        let short = SkinError::Length { what: "joints of influences", expected: 4, found: 3 };
        assert_eq!(refused(&good.0[..3], &good.1, &[]), short);

        let no_joints = SkinnedMesh::builder(&positions).build(&skin(0)).unwrap_err();
        assert_eq!(no_joints, SkinError::Joint { vertex: 0, joint: 0, joints: 0 }.into());
        let broken = [[0.0; 3], [0.0, f32::NAN, 0.0]];
        let error = SkinnedMesh::builder(&broken).build(&skin(1)).unwrap_err();
        assert_eq!(error, SkinError::NotFinite { what: "positions", vertex: 1 }.into());
        let error = SkinnedMesh::builder(&positions).normals(&[[0.0; 3]]).build(&skin(1)).unwrap_err();
        assert_eq!(error, SkinError::Length { what: "normals", expected: 2, found: 1 }.into());
        let target = MorphTarget { vertices: Some(&[0, 2]), positions: &positions, ..MorphTarget::default() };
        let error = SkinnedMesh::builder(&positions).morph_target(target).build(&skin(1)).unwrap_err();
        assert_eq!(error, SkinError::Index { place: 1, index: 2, vertices: 2 }.into());
    }

    #[test]
    fn calls_that_do_not_fit_are_refused_and_write_nothing() {
        let mesh = SkinnedMesh::builder(&[[1.0; 3]; 2]).build(&skin(2)).unwrap();
        let (matrices, mut positions, mut more) = ([Mat34::IDENTITY; 2], [[9.0_f32; 3]; 2], [[9.0_f32; 3]; 3]);
        let (two, one) = (skin(2), skin(1));
        let short = Palette::of(&one, &matrices[..1]).unwrap();
        let error = mesh.skin(short, SkinOutput::new(&mut positions[..])).unwrap_err();
        assert_eq!(error, SkinError::OtherSkin { expected: two.id(), found: one.id() }.into());
        let palette = of(&mesh, &matrices);
        let error = mesh.skin(palette, SkinOutput::new(&mut more[..])).unwrap_err();
        assert_eq!(error, SkinError::Length { what: "places for positions", expected: 2, found: 3 }.into());
        let mut normals = [[9.0_f32; 4]; 2];
        let output = SkinOutput::new(&mut positions[..]).normals(&mut normals[..]);
        assert_eq!(mesh.skin(palette, output).unwrap_err(), SkinError::Absent { what: "normals" }.into());
        let output = SkinOutput::new(&mut positions[..]).tangents(&mut normals[..]);
        assert_eq!(mesh.skin(palette, output).unwrap_err(), SkinError::Absent { what: "tangents" }.into());
        let output = SkinOutput::new(&mut positions[..]);
        let error = mesh.skin_morphed(palette, &[1.0], &mut MorphBuffer::new(), output).unwrap_err();
        assert_eq!(error, SkinError::Length { what: "morph weights", expected: 0, found: 1 }.into());
        let target = MorphTarget { positions: &[[1.0; 3]; 2], ..MorphTarget::default() };
        let morphing = SkinnedMesh::builder(&[[1.0; 3]; 2]).morph_target(target).build(&skin(2)).unwrap();
        let output = SkinOutput::new(&mut positions[..]);
        let error = morphing.skin_morphed(palette, &[f32::INFINITY], &mut MorphBuffer::new(), output).unwrap_err();
        assert_eq!(error, SkinError::MorphWeight { target: 0, weight: f32::INFINITY }.into());
        assert_eq!(
            mesh.remap(&[1]).unwrap_err(),
            SkinError::Length { what: "items to be remapped", expected: 2, found: 1 }.into()
        );
        assert!(positions == [[9.0; 3]; 2] && more == [[9.0; 3]; 3] && normals == [[9.0; 4]; 2]);
    }
}

mod batches {
    use super::*;

    /// A batch of characters with three meshes, and all palettes.
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
        let (mut positions, mut normals) =
            (vec![UNWRITTEN; batch.vertices_len()], vec![UNWRITTEN; batch.vertices_len()]);
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

        // One mesh is cut into chunks.
        let model = Model::new(40_000, 4, 30, 3);
        let mesh = model.build(&[]);
        let palette = Dice(Rng::with_seed(8)).palette(30);
        let expected = pool(1).install(|| skinned(&mesh, &palette, &[]));
        for threads in 2..=4 {
            assert!(expected == pool(threads).install(|| skinned(&mesh, &palette, &[])), "{threads} threads");
        }
    }
}
