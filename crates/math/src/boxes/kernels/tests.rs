//! Checks that the kernels of all levels give the same bits, and compares them with plain tests in double precision.

use super::*;
use crate::Boxes;
use crate::simd::level::levels;
use fastrand::Rng;
use glam::camera::rh;
use glam::{DVec3, Mat4, Quat, Vec3, Vec4};

struct Dice(Rng);

impl Dice {
    fn new(seed: u64) -> Self {
        Self(Rng::with_seed(seed))
    }

    fn below(&mut self, end: u32) -> u32 {
        self.0.u32(..end)
    }

    fn signed(&mut self) -> f32 {
        2.0 * self.0.f32() - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }

    /// Returns a box near or far, small or large, sometimes flat, empty or infinite.
    fn bounds(&mut self) -> Aabb {
        match self.below(40) {
            0 => Aabb::EMPTY,
            1 => Aabb::INFINITE,
            kind => {
                let scale = [1.0, 1e-3, 1e3, 1e7][self.below(4) as usize];
                let at = self.vector() * scale;
                let half = if kind == 2 { Vec3::ZERO } else { self.vector().abs() * scale * 0.3 };
                Aabb::new(at - half, at + half)
            }
        }
    }

    fn direction(&mut self) -> Vec3 {
        let whole = match self.below(3) {
            0 => Vec3::from_array([self.below(3), self.below(3), self.below(3)].map(|x| x as f32 - 1.0)),
            _ => self.vector(),
        };
        if whole == Vec3::ZERO { Vec3::X } else { whole }
    }

    fn matrix(&mut self) -> Mat34 {
        let turn = Quat::from_euler(glam::EulerRot::XYZ, self.signed(), self.signed(), self.signed());
        let mut matrix = crate::Transform {
            translation: self.vector() * 100.0,
            rotation: turn,
            scale: if self.below(9) == 0 { Vec3::ZERO } else { self.vector() },
        }
        .to_matrix();
        match self.below(20) {
            0 => matrix.rows[1][2] = 3e38,
            1 => matrix.rows[0][3] = f32::INFINITY,
            2 => matrix.rows[2][0] = f32::NAN,
            3 => matrix.rows[0][3] = -0.0,
            _ => {}
        }
        matrix
    }

    fn camera(&mut self) -> Mat4 {
        let scale = [1.0, 1e-2, 1e2, 1e6][self.below(4) as usize];
        let eye = self.vector() * scale;
        let view = rh::view::look_to_mat4(eye, self.direction(), Vec3::new(0.123, 0.9, 0.3));
        let (angle, aspect, near) = (0.3 + self.signed().abs(), 0.5 + self.signed().abs(), 0.01 * scale);
        let projection = match self.below(5) {
            0 => rh::proj::directx::perspective(angle, aspect, near, 50.0 * scale),
            1 => rh::proj::directx::perspective(angle, aspect, 50.0 * scale, near),
            2 => rh::proj::directx::perspective_infinite(angle, aspect, near),
            3 => rh::proj::directx::perspective_infinite_reverse(angle, aspect, near),
            _ => rh::proj::directx::orthographic(-scale, scale, -scale, scale, 0.0, 3.0 * scale),
        };
        projection * view
    }
}

fn boxes(dice: &mut Dice, count: usize) -> Boxes {
    (0..count).map(|_| dice.bounds()).collect()
}

fn assert_frustum_levels_agree(groups: &[BoxGroup], frustum: &Frustum) {
    let (planes, plain) = (frustum.planes(), levels()[0]);
    let (touched, held) = (frustum_at::<false>(plain, groups, planes), frustum_at::<true>(plain, groups, planes));
    assert_eq!((in_frustum(groups, frustum), inside_frustum(groups, frustum)), (touched, held));
    let expected: Vec<u32> = (7..8).chain((640..704).filter(|number| touched.0 >> (number - 640) & 1 != 0)).collect();
    for level in levels() {
        let found = (frustum_at::<false>(level, groups, planes), frustum_at::<true>(level, groups, planes));
        assert_eq!(found, (touched, held), "{level:?}");
        let mut listed = vec![7];
        list_in_frustum_at(level, groups, 640, planes, &mut listed);
        assert_eq!(listed, expected, "{level:?}");
    }
}

/// Compares the other tests at every level with those at the lowest level, and rays with a test of single boxes, which are
/// hit at the same distance and still hit if they are wider.
fn assert_levels_agree(groups: &[BoxGroup], sphere: &Sphere, bounds: &Aabb, ray: &Ray) {
    let plain = levels()[0];
    let all = |level: Level| {
        let [mut nears, mut wider] = [[f32::MAX; BLOCK]; 2];
        let entered = enter_at(level, (groups, None), (ray, 0.0), &mut nears);
        let widened = (enter_at(level, (groups, None), (ray, 0.1 * sphere.radius()), &mut wider), wider);
        (in_sphere_at(level, groups, sphere), in_box_at(level, groups, bounds), entered, nears, widened)
    };
    let expected = all(plain);
    levels().into_iter().for_each(|level| assert_eq!(all(level), expected, "{level:?}"));
    assert_eq!(on_ray(groups, ray), expected.2);
    for (at, group) in groups.iter().enumerate() {
        for lane in 0..GROUP {
            let (near, far) = slabs(&group.get(lane), ray);
            let (number, what) = (GROUP * at + lane, format!("{:?} and {ray:?}", group.get(lane)));
            assert_eq!(expected.2 >> number & 1 != 0, near <= far, "{what}");
            assert!(near > far || expected.3[number] == near, "{what}");
            let (wide, nearer) = (expected.4.0 >> number & 1 != 0, expected.4.1[number]);
            assert!(near > far || wide && nearer <= near, "{what}");
        }
    }
}

#[test]
fn every_level_gives_the_same_bits() {
    let mut dice = Dice::new(1);
    for round in 0..640 {
        let list = boxes(&mut dice, 1 + round % 64);
        let groups = list.groups();
        if let Ok(frustum) = Frustum::from_view_projection(&dice.camera()) {
            assert_frustum_levels_agree(groups, &frustum);
        }
        let sphere = Sphere::new(dice.vector(), dice.signed().abs()).unwrap();
        let bounds = dice.bounds();
        let ray = Ray::new(dice.vector(), dice.direction()).unwrap();
        assert_levels_agree(groups, &sphere, &bounds, &ray);
    }
}

/// Replaces one of the six components of a box by NaN.
fn spoil(bounds: &mut Aabb, component: usize) {
    let corner = if component < 3 { &mut bounds.min } else { &mut bounds.max };
    corner[component % 3] = f32::NAN;
}

#[test]
fn every_level_gives_the_same_bits_where_components_are_not_numbers() {
    let mut dice = Dice::new(7);
    for round in 0..320 {
        let mut list: Vec<BoxGroup> = boxes(&mut dice, 8 * (1 + round % 8)).groups().to_vec();
        // In each group, each component is NaN in some lane, and two are NaN in another lane.
        for group in &mut list {
            for lane in 0..7 {
                let mut bounds = group.get(lane);
                spoil(&mut bounds, lane % 6);
                if lane == 6 {
                    spoil(&mut bounds, dice.below(6) as usize);
                }
                for axis in 0..3 {
                    (group.min[axis][lane], group.max[axis][lane]) = (bounds.min[axis], bounds.max[axis]);
                }
            }
        }
        if let Ok(frustum) = Frustum::from_view_projection(&dice.camera()) {
            assert_frustum_levels_agree(&list, &frustum);
        }
        let sphere = Sphere::new(dice.vector(), dice.signed().abs()).unwrap();
        let mut bounds = dice.bounds();
        if round % 2 == 0 {
            spoil(&mut bounds, round / 2 % 6);
        }
        let ray = Ray::new(dice.vector(), dice.direction()).unwrap();
        assert_levels_agree(&list, &sphere, &bounds, &ray);

        let worlds: [Mat34; 5] = core::array::from_fn(|_| dice.matrix());
        let slots: [u32; GROUP] = core::array::from_fn(|_| dice.below(5));
        let locals: [Aabb; GROUP] = core::array::from_fn(|lane| list[0].get(lane));
        let bits = |group: &BoxGroup| [group.min, group.max].map(|corner| corner.map(|lanes| lanes.map(f32::to_bits)));
        let moved = |level: Level| {
            let mut to = BoxGroup::EMPTY;
            transformed_at(level, &worlds, &slots, &locals, !0, &mut to);
            to
        };
        let expected = bits(&moved(levels()[0]));
        for level in levels() {
            let found = moved(level);
            assert_eq!(bits(&found), expected, "{locals:?} by {worlds:?} at {level:?}");
        }
    }
}

#[test]
fn eight_world_boxes_have_the_bits_of_single_ones() {
    let mut dice = Dice::new(2);
    for _ in 0..2000 {
        let worlds: [Mat34; 5] = core::array::from_fn(|_| dice.matrix());
        let locals: [Aabb; GROUP] = core::array::from_fn(|_| dice.bounds());
        let slots: [u32; GROUP] = core::array::from_fn(|_| dice.below(5));
        let live = dice.0.u8(..);
        let matrices = slots.map(|slot| &worlds[slot as usize]);
        for level in levels() {
            let mut found = BoxGroup::of(&Aabb::cube(1.0));
            transformed_at(level, &worlds, &slots, &locals, live, &mut found);
            for lane in 0..GROUP {
                let alive = live >> lane & 1 != 0;
                let expected = if alive { locals[lane].transformed(matrices[lane]) } else { Aabb::EMPTY };
                let bits = |bounds: Aabb| [bounds.min.to_array(), bounds.max.to_array()].map(|v| v.map(f32::to_bits));
                assert_eq!(bits(found.get(lane)), bits(expected), "lane {lane} of {locals:?} by {matrices:?}");
            }
        }
    }
}

/// Returns `false` if all corners are outside of the same plane of the matrix. In double precision.
fn touches_plainly(bounds: &Aabb, matrix: &Mat4) -> bool {
    if bounds.is_empty() {
        return false;
    }
    let [x, y, z, w] = core::array::from_fn(|row| matrix.row(row).as_dvec4());
    let (low, high) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
    [w + x, w - x, w + y, w - y, z, w - z].iter().all(|plane| {
        let normal = plane.truncate();
        let corner = DVec3::select(normal.cmpge(DVec3::ZERO), high, low);
        let term = |axis: usize| if normal[axis] == 0.0 { 0.0 } else { normal[axis] * corner[axis] };
        term(0) + term(1) + term(2) + plane.w >= 0.0
    })
}

#[test]
fn no_box_that_touches_in_double_precision_is_dropped_and_few_others_are_kept() {
    let mut dice = Dice::new(3);
    let (mut touching, mut kept, mut all) = (0, 0, 0);
    for _ in 0..1500 {
        let matrix = dice.camera();
        let Ok(frustum) = Frustum::from_view_projection(&matrix) else { continue };
        let list = boxes(&mut dice, 64);
        let (hits, inside) = inside_frustum(list.groups(), &frustum);
        for at in 0..64 {
            let bounds = list.get(at).unwrap();
            let hit = hits >> at & 1 != 0;
            let touches = touches_plainly(&bounds, &matrix);
            assert!(hit || !touches, "{bounds:?} touches {frustum:?} and is dropped");
            assert!(inside >> at & 1 == 0 || hit);
            assert_eq!(hit, frustum.touches(&bounds));
            (all, touching, kept) = (all + 1, touching + u32::from(touches), kept + u32::from(hit));
        }
    }
    assert!(touching * 20 > all && kept <= touching + touching / 500, "{kept} of {all} kept, {touching} touch");
}

#[test]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the plane is rounded inwards, so that the corner is not beyond it"
)]
fn a_box_whose_corner_lies_on_a_plane_is_kept_however_the_plane_is_turned() {
    let mut dice = Dice::new(4);
    for _ in 0..20_000 {
        let (corner, normal) = (dice.vector() * 1000.0, dice.direction());
        // A plane through the corner, as exact as single precision allows, with the box outside.
        let size = dice.vector().abs();
        let away = Vec3::select(normal.cmpge(Vec3::ZERO), -size, size);
        let bounds = Aabb::from_points([corner, corner + away]);
        let distance = -normal.as_dvec3().dot(corner.as_dvec3());
        let mut plane = normal.extend(distance as f32);
        if f64::from(plane.w) < distance {
            plane.w = plane.w.next_up();
        }
        let frustum = Frustum::from_planes([plane, Vec4::ZERO, Vec4::ZERO, Vec4::ZERO, Vec4::ZERO, Vec4::ZERO]);
        assert!(frustum.unwrap().touches(&bounds), "{bounds:?} beyond {plane:?}");
    }
}

#[test]
fn spheres_boxes_and_rays_find_all_that_they_touch_in_double_precision() {
    let mut dice = Dice::new(5);
    let mut counts = [0; 4];
    for _ in 0..4000 {
        let list = boxes(&mut dice, 64);
        let sphere = Sphere::new(dice.vector() * 3.0, dice.signed().abs()).unwrap();
        let ray = Ray::new(dice.vector(), dice.direction()).unwrap().up_to(2.0 + dice.signed()).unwrap();
        let (near, met) = (in_sphere(list.groups(), &sphere), on_ray(list.groups(), &ray));
        for at in 0..64 {
            let bounds = list.get(at).unwrap();
            let (low, high) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
            let c = sphere.center().as_dvec3();
            let away = (low - c).max(c - high).max(DVec3::ZERO);
            let touches = !bounds.is_empty() && away.length() <= f64::from(sphere.radius());
            assert!(near >> at & 1 != 0 || !touches, "{bounds:?} and {sphere:?}");

            let (origin, direction) = (ray.origin().as_dvec3(), ray.direction().as_dvec3());
            let (mut enter, mut leave) = (0.0_f64, f64::from(ray.length()));
            for axis in 0..3 {
                let [a, b] = [low, high].map(|corner| (corner[axis] - origin[axis]) / direction[axis]);
                if direction[axis] == 0.0 {
                    let between = low[axis] <= origin[axis] && origin[axis] <= high[axis];
                    leave = if between { leave } else { -1.0 };
                } else {
                    (enter, leave) = (enter.max(a.min(b)), leave.min(a.max(b)));
                }
            }
            let meets = !bounds.is_empty() && enter <= leave;
            let hit = met >> at & 1 != 0;
            assert!(hit || !meets, "{bounds:?} and {ray:?}");
            if meets {
                let found = f64::from(distance(&bounds, &ray));
                assert!((found - enter).abs() <= 1e-5 * enter, "{bounds:?} is met at {enter}, not {found}");
            }
            let seen = [touches, near >> at & 1 != 0, meets, hit];
            counts.iter_mut().zip(seen).for_each(|(count, seen)| *count += u32::from(seen));
        }
    }
    let [touches, near, meets, met] = counts;
    assert!(touches > 5000 && near <= touches + touches / 500, "{near} for {touches} near the sphere");
    assert!(meets > 5000 && met <= meets + meets / 500, "{met} for {meets} on the ray");
}

#[test]
fn what_a_box_hits_is_hit_by_every_box_that_holds_it() {
    let mut dice = Dice::new(6);
    for _ in 0..5000 {
        let list = boxes(&mut dice, 8);
        let holder: Boxes = [list.merged(0..8)].into_iter().collect();
        let (inner, outer) = (list.groups(), holder.groups());
        if let Ok(frustum) = Frustum::from_view_projection(&dice.camera()) {
            let (hits, inside) = inside_frustum(outer, &frustum);
            let parts = in_frustum(inner, &frustum).0;
            assert!(hits != 0 || parts == 0);
            assert!(inside == 0 || parts == u64::from(inner[0].present()));
        }
        let sphere = Sphere::new(dice.vector(), dice.signed().abs()).unwrap();
        assert!(in_sphere(outer, &sphere) != 0 || in_sphere(inner, &sphere) == 0);
        let ray = Ray::new(dice.vector(), dice.direction()).unwrap();
        let slack = [0.0, 0.1 * sphere.radius()][dice.below(2) as usize];
        let entered = |groups: &[BoxGroup]| enter((groups, None), &ray, slack, &mut [0.0; BLOCK]);
        assert!(entered(outer) != 0 || entered(inner) == 0);
        let bounds = dice.bounds();
        let (hits, inside) = in_box(outer, &bounds);
        let parts = in_box(inner, &bounds).0;
        assert!(hits != 0 || parts == 0);
        assert!(inside == 0 || parts == u64::from(inner[0].present()));
    }
}

#[test]
fn a_ray_enters_the_same_boxes_if_groups_whose_boxes_it_misses_are_left_out() {
    let mut dice = Dice::new(8);
    for turn in 0..2000 {
        let list = boxes(&mut dice, BLOCK);
        let around: Boxes = list.groups().iter().map(BoxGroup::merged).collect();
        let ray = Ray::new(dice.vector(), dice.direction()).unwrap();
        let entered = |around: Option<&BoxGroup>| {
            let mut nears = [0.0; BLOCK];
            let met = enter((list.groups(), around), &ray, [0.0, 0.1][turn % 2], &mut nears);
            (0..BLOCK).filter(|at| met >> at & 1 != 0).map(|at| (at, nears[at])).collect::<Vec<_>>()
        };
        let mut all = entered(None);
        let mut around = around.groups()[0];
        assert_eq!(entered(Some(&around)), all);
        let left_out = [0, 3, 5, 6];
        left_out.iter().for_each(|&group| around.set(group, &Aabb::EMPTY));
        all.retain(|(at, _)| !left_out.contains(&(at / GROUP)));
        assert_eq!(entered(Some(&around)), all);
    }
}

#[test]
fn a_ray_along_a_face_meets_the_box_and_nothing_is_lost_to_zero_times_infinity() {
    let list: Boxes = [Aabb::cube(1.0), Aabb::EMPTY, Aabb::INFINITE].into_iter().collect();
    for axis in 0..3 {
        let mut origin = Vec3::splat(1.0);
        origin[axis] = -5.0;
        let ray = Ray::new(origin, Vec3::AXES[axis]).unwrap();
        assert_eq!(on_ray(list.groups(), &ray), 0b101);
        assert_eq!(distance(&Aabb::cube(1.0), &ray), 4.0);
        let beside = Ray::new(origin + 1e-3 * Vec3::AXES[(axis + 1) % 3], Vec3::AXES[axis]).unwrap();
        assert_eq!(on_ray(list.groups(), &beside), 0b100);
        assert_eq!(on_ray(list.groups(), &ray.up_to(3.9).unwrap()), 0b100);
    }
}
