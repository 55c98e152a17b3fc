//! Compares sets with a naive model, and culling with plain tests of six planes.

use fastrand::Rng;
use hedgerow_mesh::glam::{DVec3, DVec4, Mat4, Vec3, Vec4};
use hedgerow_mesh::{Aabb, Frustum, MaterialDraws, MeshDraw, MeshError, MeshHandle, MeshSet, ShadowDraw, SubMesh};
use proptest::collection::vec;
use proptest::prelude::*;

struct Dice(Rng);

impl Dice {
    fn below(&mut self, end: u32) -> u32 {
        self.0.u32(..end)
    }

    fn signed(&mut self) -> f32 {
        self.below(1 << 20) as f32 / 524_288.0 - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }

    fn bounds(&mut self) -> Aabb {
        match self.below(30) {
            0 => Aabb::EMPTY,
            1 => Aabb::INFINITE,
            _ => {
                let (at, half) = (self.vector() * 100.0, self.vector().abs() * 4.0);
                Aabb::new(at - half, at + half)
            }
        }
    }

    fn sub_meshes(&mut self, count: u32) -> Vec<SubMesh> {
        let mut start = 0;
        (0..count)
            .map(|_| {
                let first = start + self.below(2) * 3;
                start = first + 3 * self.below(9);
                SubMesh::new(first..start, self.below(6) * 0x1234_5678 % 0x2000_0001, self.bounds())
            })
            .collect()
    }

    fn planes(&mut self) -> [Vec4; 6] {
        core::array::from_fn(|_| {
            let normal = self.vector();
            if self.below(8) == 0 { Vec4::ZERO } else { normal.extend(60.0 * self.signed() + 40.0) }
        })
    }
}

/// Returns the distance of a plane from the box corner furthest inside it, in double precision.
fn distance(bounds: &Aabb, plane: Vec4) -> f64 {
    let plane: DVec4 = plane.as_dvec4();
    let normal = plane.truncate();
    let corner = DVec3::select(normal.cmpge(DVec3::ZERO), bounds.max.as_dvec3(), bounds.min.as_dvec3());
    (corner.dot(normal) + plane.w) / normal.length().max(1e-30)
}

/// Returns whether the plain test accepts the box. `slack` is the tolerance for boxes outside.
fn is_seen(bounds: &Aabb, planes: &[Vec4; 6], slack: f64) -> bool {
    let bounding = planes.iter().filter(|plane| plane.truncate() != Vec3::ZERO);
    !bounds.is_empty()
        && (*bounds == Aabb::INFINITE || bounding.into_iter().all(|&plane| distance(bounds, plane) >= -slack))
}

fn all() -> Frustum {
    Frustum::from_planes([Vec4::ZERO; 6]).unwrap()
}

/// The expected contents of a set: each mesh with its number and sub-meshes.
type Model = Vec<(MeshHandle, u32, Vec<SubMesh>)>;

fn compare(set: &MeshSet, model: &Model, gone: &[MeshHandle], dice: &mut Dice) {
    set.validate().unwrap();
    assert_eq!(set.len(), model.len());
    assert_eq!(set.sub_mesh_count(), model.iter().map(|mesh| mesh.2.len()).sum::<usize>());
    let mut handles: Vec<_> = model.iter().map(|mesh| mesh.0).collect();
    let mut listed: Vec<_> = set.meshes().collect();
    handles.sort_unstable();
    listed.sort_unstable();
    assert_eq!(listed, handles);
    for &stale in gone {
        assert!(!set.contains(stale) && set.number(stale).is_none() && set.indices(stale).is_none());
        assert_eq!(set.sub_mesh(stale, 0), None);
    }
    let planes = dice.planes();
    let mut visible = Vec::new();
    set.cull(&Frustum::from_planes(planes).unwrap(), &mut visible);
    assert!(visible.is_sorted_by(|a, b| a < b));
    let (mut draws, mut expected, mut possible) = (Vec::new(), Vec::new(), 0);
    set.draws(&visible, &mut draws);
    for (handle, mesh, sub_meshes) in model {
        assert_eq!(set.number(*handle), Some(*mesh));
        let indices = set.indices(*handle).unwrap();
        assert_eq!(indices.len(), sub_meshes.len());
        assert_eq!(set.sub_mesh(*handle, sub_meshes.len()), None);
        for (number, (index, sub_mesh)) in indices.zip(sub_meshes).enumerate() {
            assert_eq!(set.mesh_at(index), Some(*handle));
            assert_eq!(set.sub_mesh(*handle, number).as_ref(), Some(sub_mesh));
            let SubMesh { start, count, material, bounds } = *sub_mesh;
            if is_seen(&bounds, &planes, 0.0) {
                expected.push((index, MeshDraw { mesh: *mesh, start, count, material }));
            }
            possible += usize::from(is_seen(&bounds, &planes, 1e-3));
        }
    }
    expected.sort_unstable_by_key(|draw| draw.0);
    let found: Vec<_> = visible.iter().copied().zip(draws).collect();
    assert!(expected.iter().all(|draw| found.contains(draw)), "a sub-mesh that the planes leave is not listed");
    assert!(found.len() <= possible, "{} are listed, and only {possible} are in reach", found.len());
}

#[derive(Clone, Debug)]
enum Step {
    Insert { sub_meshes: u32 },
    Remove { which: usize },
    Change { which: usize },
    Compact,
    Clear,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        10 => (0_u32..9).prop_map(|sub_meshes| Step::Insert { sub_meshes }),
        8 => any::<usize>().prop_map(|which| Step::Remove { which }),
        4 => any::<usize>().prop_map(|which| Step::Change { which }),
        1 => Just(Step::Compact),
        1 => (0..20).prop_map(|dice| if dice == 0 { Step::Clear } else { Step::Compact }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn a_set_agrees_with_a_naive_model_through_edits(seed: u64, steps in vec(step(), 1..80)) {
        let mut dice = Dice(Rng::with_seed(seed));
        let (mut set, mut model, mut gone) = (MeshSet::new(), Model::new(), Vec::new());
        for step in steps {
            match step {
                Step::Insert { sub_meshes } => {
                    let (mesh, sub_meshes) = (dice.below(1000), dice.sub_meshes(sub_meshes));
                    let handle = set.insert(mesh, &sub_meshes).unwrap();
                    prop_assert!(!gone.contains(&handle), "a handle comes back");
                    model.push((handle, mesh, sub_meshes));
                }
                Step::Remove { which } if !model.is_empty() => {
                    let (handle, mesh, _) = model.swap_remove(which % model.len());
                    prop_assert_eq!(set.remove(handle), Ok(mesh));
                    prop_assert_eq!(set.remove(handle), Err(MeshError::StaleHandle(handle)));
                    gone.push(handle);
                }
                Step::Change { which } if !model.is_empty() => {
                    let which = which % model.len();
                    let (handle, _, sub_meshes) = &mut model[which];
                    for (number, sub_mesh) in sub_meshes.iter_mut().enumerate() {
                        (sub_mesh.bounds, sub_mesh.material, sub_mesh.count) = (dice.bounds(), dice.below(5), dice.below(99));
                        set.set_bounds(*handle, number, sub_mesh.bounds).unwrap();
                        set.set_material(*handle, number, sub_mesh.material).unwrap();
                        set.set_indices(*handle, number, sub_mesh.indices()).unwrap();
                    }
                }
                Step::Compact => {
                    set.compact();
                    prop_assert_eq!(set.hole_count(), 0);
                }
                Step::Clear => {
                    set.clear();
                    gone.extend(model.drain(..).map(|mesh| mesh.0));
                }
                Step::Remove { .. } | Step::Change { .. } => {}
            }
            compare(&set, &model, &gone, &mut dice);
        }
    }

    #[test]
    fn draws_by_material_are_what_a_stable_sort_makes(seed: u64, meshes in 0_u32..900, materials in 1_u32..u32::MAX) {
        let mut dice = Dice(Rng::with_seed(seed));
        let mut set = MeshSet::new();
        for mesh in 0..meshes {
            let mut sub_meshes = dice.sub_meshes(3);
            sub_meshes.iter_mut().for_each(|one| one.material = dice.below(1 << 31).wrapping_mul(3) % materials);
            set.insert(mesh, &sub_meshes).unwrap();
        }
        let (mut visible, mut draws, mut sorted) = (Vec::new(), Vec::new(), MaterialDraws::new());
        set.cull(&all(), &mut visible);
        set.draws(&visible, &mut draws);
        for _ in 0..2 {
            set.draws_by_material(&visible, &mut sorted);
            draws.sort_by_key(|draw| draw.material);
            prop_assert_eq!(sorted.draws(), &draws);
            let groups: Vec<_> = draws.chunk_by(|a, b| a.material == b.material).map(|run| (run[0].material, run)).collect();
            prop_assert_eq!(sorted.iter().collect::<Vec<_>>(), groups);
            prop_assert_eq!(sorted.groups().iter().map(|group| group.count as usize).sum::<usize>(), visible.len());
        }
    }
}

/// Returns a set with some meshes removed.
fn strewn(meshes: u32, seed: u64) -> MeshSet {
    let mut dice = Dice(Rng::with_seed(seed));
    let mut set = MeshSet::with_capacity(meshes as usize, 3 * meshes as usize);
    let mut handles = Vec::new();
    for mesh in 0..meshes {
        let count = 1 + dice.below(5);
        handles.push(set.insert(mesh, &dice.sub_meshes(count)).unwrap());
    }
    for (number, handle) in handles.into_iter().enumerate() {
        if number % 7 == 3 {
            set.remove(handle).unwrap();
        }
    }
    assert!(meshes < 10 || set.hole_count() > 0);
    set
}

#[test]
fn any_number_of_chunks_lists_what_the_whole_set_does() {
    for meshes in [0, 1, 20, 21, 22, 300, 1000] {
        let set = strewn(meshes, 3);
        let frustum = Frustum::from_planes(Dice(Rng::with_seed(11)).planes()).unwrap();
        let (mut expected, mut many) = (Vec::new(), Vec::new());
        set.cull(&frustum, &mut expected);
        assert!(meshes < 300 || expected.len() > 20);
        for most in [0, 1, 2, 3, 7, 64, 1_000_000] {
            let mut visible = Vec::new();
            let chunks = set.chunks(most);
            assert!(chunks.len() <= most.max(1));
            chunks.for_each(|chunk| chunk.cull(&frustum, &mut visible));
            assert_eq!(visible, expected, "{meshes} meshes in {most} chunks");
        }
        set.cull_many(&[all(), frustum, all()], &mut many);
        assert_eq!(many[1], expected);
        assert_eq!((many[0].len(), &many[0]), (many[2].len(), &many[2]));
        set.cull_many(&[frustum], &mut many);
        assert_eq!(many, [expected]);
    }
}

#[test]
fn shadow_draws_draw_the_same_indices_as_draws_and_fewer_times() {
    let set = strewn(400, 9);
    let (mut visible, mut draws, mut shadows) = (Vec::new(), Vec::new(), Vec::new());
    set.cull(&Frustum::from_planes(Dice(Rng::with_seed(5)).planes()).unwrap(), &mut visible);
    set.draws(&visible, &mut draws);
    set.shadow_draws(&visible, &mut shadows);
    let drawn: Vec<_> =
        draws.iter().flat_map(|draw| (draw.start..draw.start + draw.count).map(|at| (draw.mesh, at))).collect();
    let cast: Vec<_> =
        shadows.iter().flat_map(|draw| (draw.start..draw.start + draw.count).map(|at| (draw.mesh, at))).collect();
    assert_eq!(cast, drawn);
    assert!(!drawn.is_empty() && shadows.len() < draws.len(), "{} of {}", shadows.len(), draws.len());
}

#[test]
fn ranges_that_touch_in_different_meshes_stay_two_shadow_draws() {
    let mut set = MeshSet::new();
    let part = |indices| SubMesh::new(indices, 0, Aabb::cube(1.0));
    set.insert(1, &[part(0..3)]).unwrap();
    set.insert(2, &[part(3..9), part(u32::MAX - 3..u32::MAX)]).unwrap();
    let mut draws = Vec::new();
    set.shadow_draws(&[0, 1, 2], &mut draws);
    let draw = |mesh, start, count| ShadowDraw { mesh, start, count };
    assert_eq!(draws, [draw(1, 0, 3), draw(2, 3, 6), draw(2, u32::MAX - 3, 3)]);
}

#[test]
fn a_removed_mesh_is_in_no_list_and_its_place_is_taken_again() {
    let mut set = MeshSet::new();
    let part = |material| SubMesh::new(0..3, material, Aabb::cube(1.0));
    let first = set.insert(1, &[part(1), part(1)]).unwrap();
    let second = set.insert(2, &[part(2)]).unwrap();
    set.remove(first).unwrap();
    let mut visible = Vec::new();
    set.cull(&all(), &mut visible);
    assert_eq!((visible.as_slice(), set.hole_count()), (&[2][..], 2));
    let third = set.insert(3, &[part(3)]).unwrap();
    assert_eq!((set.indices(third), set.indices(second), set.hole_count()), (Some(0..1), Some(2..3), 1));
    assert_eq!((set.mesh_at(1), set.mesh_at(2), set.mesh_at(3)), (None, Some(second), None));
    set.compact();
    assert_eq!((set.indices(third), set.indices(second), set.hole_count()), (Some(0..1), Some(1..2), 0));
    set.remove(second).unwrap();
    assert_eq!((set.sub_mesh_count(), set.hole_count()), (1, 0));
}

#[test]
fn bad_input_is_refused_and_changes_nothing() {
    let mut set = MeshSet::new();
    let part = |bounds| SubMesh { start: 0, count: 3, material: 0, bounds };
    let mesh = set.insert(1, &[part(Aabb::cube(1.0))]).unwrap();
    let nan = Aabb::new(Vec3::NAN, Vec3::ONE);
    let half = Aabb::new(Vec3::ZERO, Vec3::INFINITY);
    let long = SubMesh { start: u32::MAX, count: 1, ..part(Aabb::cube(1.0)) };
    let refused = |error| Err(error);
    assert_eq!(set.insert(2, &[part(Aabb::EMPTY), part(nan)]), refused(MeshError::NotFinite { sub_mesh: 1 }));
    assert_eq!(set.insert(2, &[part(half)]), refused(MeshError::NotFinite { sub_mesh: 0 }));
    assert_eq!(set.insert(2, &[long]), refused(MeshError::RangeTooLong { sub_mesh: 0 }));
    assert_eq!(set.set_bounds(mesh, 0, nan).unwrap_err(), MeshError::NotFinite { sub_mesh: 0 });
    let none = MeshError::NoSubMesh { mesh, sub_mesh: 1, count: 1 };
    assert_eq!(set.set_indices(mesh, 1, 0..3).unwrap_err(), none);
    assert_eq!((set.len(), set.sub_mesh_count(), set.sub_mesh(mesh, 0)), (1, 1, Some(part(Aabb::cube(1.0)))));
    set.validate().unwrap();
    for error in [MeshError::StaleHandle(mesh), MeshError::CapacityOverflow, MeshError::NotFinite { sub_mesh: 3 }] {
        assert!(error.to_string().contains(';'));
    }
}

#[test]
#[should_panic(expected = "index out of bounds")]
fn a_list_that_is_older_than_an_edit_may_name_no_sub_mesh() {
    MeshSet::new().draws(&[0], &mut Vec::new());
}

#[test]
fn a_camera_sees_what_stands_before_it() {
    let mut set = MeshSet::new();
    let at = |z: f32| Aabb::new(Vec3::new(-1.0, -1.0, z), Vec3::new(1.0, 1.0, z + 1.0));
    for z in [-30.0, 10.0, -5.0] {
        set.insert(0, &[SubMesh::new(0..3, 0, at(z))]).unwrap();
    }
    let camera = hedgerow_mesh::glam::camera::rh::proj::directx::perspective(1.0, 1.0, 0.1, 20.0);
    let mut visible = Vec::new();
    set.cull(&Frustum::from_view_projection(&(camera * Mat4::IDENTITY)).unwrap(), &mut visible);
    assert_eq!(visible, [2]);
}

#[cfg(feature = "rayon")]
#[test]
fn threads_list_what_one_thread_does() {
    let set = strewn(90_000, 4);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let three = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    for seed in 0..20 {
        let frustum = Frustum::from_planes(Dice(Rng::with_seed(seed)).planes()).unwrap();
        let (mut expected, mut visible) = (vec![7], vec![7, 8]);
        one.install(|| set.cull(&frustum, &mut expected));
        three.install(|| set.cull(&frustum, &mut visible));
        assert_eq!(visible, expected);
        set.cull(&frustum, &mut visible);
        assert_eq!(visible, expected);
    }
}
