//! Compares skinned meshes with sums in double precision.

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
        // A shader that blends by the influences computes the same result.
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
    assert_eq!((pruned.vertices, mesh.influence_counts()), (1, [0, 0, 0, 1, 0]));
    assert!((pruned.largest_weight - 0.05).abs() < 1e-6 && (pruned.largest_sum - 0.1).abs() < 1e-6);

    // The error is the dropped weight times the distance between the positions by kept and by dropped joints.
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
    assert_eq!((fewer.pruned().vertices, fewer.influence_counts()), (0, [0, 0, 0, 1, 0]));
}

#[test]
fn eight_influences_are_kept_where_they_are_asked_for() {
    let palette: Vec<Mat34> = (0..10).map(|joint| Transform::from_xyz(joint as f32, 0.0, 0.0).to_matrix()).collect();
    for count in 1..=10_u16 {
        let joints: Vec<u16> = (0..count).collect();
        let weights: Vec<f32> = joints.iter().map(|&joint| f32::from(10 - joint)).collect();
        let positions = vec![[1.0, 0.0, 0.0]; 20];
        let (of_joints, of_weights) = (joints.repeat(20), weights.repeat(20));
        let builder = SkinnedMesh::builder(&positions).influences(joints.len(), &of_joints, &of_weights);
        let mesh = builder.eight_influences().build(&skin(10)).unwrap();
        let kept = usize::from(count.min(8));
        let mut counts = [0; 5];
        counts[(kept - 1).min(4)] = 20;
        assert_eq!((mesh.influence_counts(), mesh.pruned().vertices), (counts, if count > 8 { 20 } else { 0 }));
        let mut skinned = vec![[0.0; 3]; 20];
        mesh.skin(of(&mesh, &palette), SkinOutput::new(&mut skinned[..])).unwrap();
        let whole: f32 = weights[..kept].iter().sum();
        let expected: f32 = (0..kept).map(|at| weights[at] / whole * (1.0 + at as f32)).sum();
        assert!(skinned.iter().all(|place| (place[0] - expected).abs() < 1e-5), "{count}: {skinned:?} for {expected}");
        for (joints, weights) in mesh.influences::<8>() {
            let blended: f32 = joints.iter().zip(weights).map(|(&joint, weight)| f32::from(joint) * weight).sum();
            assert!((1.0 + blended - expected).abs() < 1e-5 && weights[kept..].iter().all(|&weight| weight == 0.0));
        }
    }
}

#[test]
fn weights_that_are_zero_merged_or_missing_take_no_work() {
    let positions = [[0.0; 3]; 5];
    let joints = [3, 3, 3, 2, 9, 1, 2, 9, 0, 1, 0, 1, 1, 2, 0];
    let weights = [0.2, 0.2, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1e-12, 5.0, 0.0, 5.0, 1e30, 1e30, 1e30];
    let mesh = SkinnedMesh::builder(&positions).influences(3, &joints, &weights).build(&skin(4)).unwrap();
    assert_eq!(mesh.influence_counts(), [4, 0, 1, 0, 0]);
    assert_eq!(mesh.permutation(), [0, 1, 2, 3, 4]);
    let palette: Vec<Mat34> = (0..4).map(|joint| Transform::from_xyz(joint as f32, 0.0, 0.0).to_matrix()).collect();
    let mut skinned = [[0.0; 3]; 5];
    mesh.skin(of(&mesh, &palette), SkinOutput::new(&mut skinned[..])).unwrap();
    assert_eq!(skinned[..4].iter().map(|position| position[0]).collect::<Vec<_>>(), [3.0, 2.0, 2.0, 1.0]);
    // Three equal weights add up to one, up to rounding.
    assert!((skinned[4][0] - 1.0).abs() <= 3e-7, "{skinned:?}");

    let rigid = SkinnedMesh::builder(&positions).build(&skin(1)).unwrap();
    assert_eq!(rigid.influence_counts(), [5, 0, 0, 0, 0]);
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
    for weight in [f32::INFINITY, 1.1e6, -1.1e6] {
        let output = SkinOutput::new(&mut positions[..]);
        let error = morphing.skin_morphed(palette, &[weight], &mut MorphBuffer::new(), output).unwrap_err();
        assert_eq!(error, SkinError::MorphWeight { target: 0, weight }.into());
    }
    assert_eq!(
        mesh.remap(&[1]).unwrap_err(),
        SkinError::Length { what: "items to be remapped", expected: 2, found: 1 }.into()
    );
    assert!(positions == [[9.0; 3]; 2] && more == [[9.0; 3]; 3] && normals == [[9.0; 4]; 2]);
}
