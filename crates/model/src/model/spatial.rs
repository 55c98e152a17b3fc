//! Spatial queries, compared with tests of every drawable: the same nodes in the same order.
//!
//! The result of a frustum is compared exactly, by `touches` of single boxes. Spheres and rays are compared in double
//! precision: a touched box must be found, and a clearly separate box must not.

use super::Check;
use super::oracle::Oracle;
use hedgerow::glam::camera::rh;
use hedgerow::glam::{DVec3, Vec3};
use hedgerow::{
    Aabb, DrawList, Layers, NodeHandle,
    query::{CullView, Filter, Frustum, Ray, RayHit, Sphere, Volume},
};

/// The margin by which a box may be found although it is not touched.
const MARGIN: f64 = 1e-5;

/// The expected result for a box.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Touch {
    No,
    /// Too close to decide.
    Perhaps,
    Yes,
}

/// Returns a point among the nodes, or a direction.
fn point(seed: u64) -> Vec3 {
    let word = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16;
    let part = |shift: u32| (word >> shift & 0xfff) as f32 / 512.0 - 4.0;
    Vec3::new(part(0), part(12), part(24))
}

pub fn camera(seed: u64) -> Frustum {
    let (eye, direction) = (point(seed) * 3.0, point(seed + 1).try_normalize().unwrap_or(Vec3::X));
    let view = rh::view::look_to_mat4(eye, direction, Vec3::new(0.1, 0.9, 0.3).normalize());
    let projection = match seed % 3 {
        0 => rh::proj::directx::perspective(0.9, 1.5, 0.1, 20.0),
        1 => rh::proj::directx::perspective_infinite_reverse(0.4, 1.0, 0.1),
        _ => rh::proj::directx::orthographic(-4.0, 4.0, -4.0, 4.0, 0.0, 9.0),
    };
    Frustum::from_view_projection(&(projection * view)).expect("a finite camera")
}

impl Oracle {
    /// Makes spatial queries in different places, if the scene keeps boxes.
    pub fn compare_spatial(&mut self, seed: u16, updated: bool) -> Check {
        let seed = u64::from(seed) * 7 + 1;
        let (all, frustum) = (Layers::ALL, camera(seed));
        let mut culled = DrawList::new();
        let answer = self.scene.cull(&mut [CullView::new(&frustum, &mut culled).on_layers(all)]);
        if !self.scene.config().bounds {
            ensure!(answer == Err(hedgerow::Error::NoBounds), "culled to {answer:?} without boxes");
            return Ok(());
        }
        ensure!(answer.is_ok(), "culling answers {answer:?}");
        self.scene.draw_list(&mut self.list);
        let drawn: Vec<(NodeHandle, Aabb)> =
            self.list.commands().iter().filter_map(|c| Some((c.node, self.scene.get(c.node)?.bounds()?))).collect();
        ensure!(drawn.len() == self.list.len(), "{} of {} draws have bounds", drawn.len(), self.list.len());

        let seen = |frustum: &Frustum| -> Vec<NodeHandle> {
            drawn.iter().filter(|(_, bounds)| frustum.touches(bounds)).map(|(node, _)| *node).collect()
        };
        let mut nodes = Vec::new();
        let check = |what: &str, found: &[NodeHandle], expected: &[NodeHandle]| {
            let (mut found, mut expected) = (found.to_vec(), expected.to_vec());
            if !updated {
                found.sort_unstable();
                expected.sort_unstable();
            }
            ensure!(found == expected, "{what} finds {found:?}, not {expected:?}");
            Ok(())
        };
        check("cull", &culled.commands().iter().map(|command| command.node).collect::<Vec<_>>(), &seen(&frustum))?;
        for (command, matrix) in culled.commands().iter().zip(culled.matrices()) {
            let drawn = self.list.commands().iter().position(|drawn| drawn == command);
            let same = drawn.is_some_and(|at| super::compare::same_bits(&self.list.matrices()[at], matrix));
            ensure!(same, "{command:?} is culled to something else than is drawn");
        }
        let (one, layer) = (camera(seed + 5), Layers::new(0x84));
        self.scene.query(&one, layer, &mut nodes).expect("boxes are kept");
        if updated {
            let on_layer = |node: &NodeHandle| {
                self.scene.get(*node).map(|node| node.layers()).is_some_and(|v| v.mask() & layer.mask() != 0)
            };
            let expected: Vec<NodeHandle> = seen(&one).into_iter().filter(on_layer).collect();
            check("cull on a layer", &nodes, &expected)?;
        }

        let frusta: Vec<Frustum> = (0..seed % 4 * 5).map(|number| camera(seed + number)).collect();
        let mut lists = vec![DrawList::new(); frusta.len()];
        let top = self.tree.handle(self.met[usize::try_from(seed).unwrap_or(0) % self.met.len()].index);
        // Every third view is of a subtree.
        let view = |(number, (frustum, list))| match CullView::new(frustum, list) {
            view if number % 3 == 2 => view.below(top),
            view => view,
        };
        let mut views: Vec<CullView<'_>> = frusta.iter().zip(&mut lists).enumerate().map(view).collect();
        self.scene.cull(&mut views).expect("boxes are kept");
        let at_top = |node: &NodeHandle| *node == top || self.scene.get(*node).is_some_and(|node| node.is_below(top));
        for (number, (frustum, list)) in frusta.iter().zip(&lists).enumerate() {
            let mut expected = seen(frustum);
            expected.retain(|node| number % 3 != 2 || at_top(node));
            check(
                "one of several",
                &list.commands().iter().map(|command| command.node).collect::<Vec<_>>(),
                &expected,
            )?;
        }
        self.scene.query(&one, Filter::below(top), &mut nodes).expect("boxes are kept");
        check("what is below a node", &nodes, &seen(&one).into_iter().filter(at_top).collect::<Vec<_>>())?;

        let bounds = Aabb::from_points([point(seed + 2), point(seed + 3)]);
        self.scene.query(&bounds, all, &mut nodes).expect("boxes are kept");
        let shares = |other: &Aabb| {
            let both = Aabb::new(bounds.min.max(other.min), bounds.max.min(other.max));
            !both.is_empty() && !other.is_empty()
        };
        let expected: Vec<NodeHandle> = drawn.iter().filter(|(_, b)| shares(b)).map(|(node, _)| *node).collect();
        check("a box", &nodes, &expected)?;

        let sphere = Sphere::new(point(seed + 4), (seed % 5) as f32).expect("a finite sphere");
        self.scene.query(&sphere, all, &mut nodes).expect("boxes are kept");
        let said = drawn.iter().map(|(node, bounds)| (*node, in_sphere(bounds, &sphere)));
        check_said("the sphere", &nodes, said)?;

        let ray = Ray::new(point(seed + 6) * 2.0, [point(seed + 7), Vec3::NEG_Y][usize::from(seed % 4 == 0)]);
        let Ok(ray) = ray else { return Ok(()) };
        let mut hits = Vec::new();
        self.scene.cast_ray(&ray, all, &mut hits).expect("boxes are kept");
        let said = drawn.iter().map(|(node, bounds)| (*node, on_ray(bounds, &ray)));
        check_said("the ray", &hits.iter().map(|hit| hit.node).collect::<Vec<_>>(), said)?;
        let in_order = |pair: &[RayHit]| (pair[0].distance, pair[0].node) < (pair[1].distance, pair[1].node);
        ensure!(hits.windows(2).all(in_order), "the ray's hits are out of order: {hits:?}");
        self.compare_index(&one, Filter::below(top).on_layers(layer))?;
        self.compare_index(&sphere, Filter::ALL)?;
        self.index.fill(&self.scene, Filter::ALL).expect("boxes are kept");
        let mut sorted = Vec::new();
        self.index.cast_ray(&ray, &mut sorted);
        ensure!(sorted == hits, "sorted boxes are hit as {sorted:?}, not as {hits:?}");
        self.compare_subtree_bounds(seed)
    }

    /// Checks that sorted boxes are found as the scene's own are.
    fn compare_index(&mut self, volume: &impl Volume, filter: Filter) -> Check {
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        self.scene.query(volume, filter, &mut expected).expect("boxes are kept");
        self.index.fill(&self.scene, filter).expect("boxes are kept");
        self.index.query(volume, &mut found).expect("checked by the scene");
        found.sort_unstable();
        expected.sort_unstable();
        ensure!(found == expected, "sorted boxes: finds {found:?}, not {expected:?}");
        Ok(())
    }

    /// Checks that the box of a subtree contains the boxes of its nodes.
    fn compare_subtree_bounds(&self, seed: u64) -> Check {
        let top = self.tree.handle(self.met[usize::try_from(seed).unwrap_or(0) % self.met.len()].index);
        let boxes = self.scene.get(top).unwrap().descendants().filter_map(|node| node.bounds());
        let expected = boxes.fold(Aabb::EMPTY, |all, bounds| all.merge(&bounds));
        let found = self.scene.get(top).map(|node| node.subtree_bounds());
        ensure!(found == Some(expected), "the subtree of {top:?} is in {found:?}, not in {expected:?}");
        Ok(())
    }
}

fn check_said(what: &str, found: &[NodeHandle], said: impl Iterator<Item = (NodeHandle, Touch)>) -> Check {
    let mut yes = 0;
    for (node, touch) in said {
        let is_found = found.contains(&node);
        ensure!(is_found || touch != Touch::Yes, "{what} drops {node:?}, which it touches");
        ensure!(!is_found || touch != Touch::No, "{what} finds {node:?}, which it misses");
        yes += usize::from(is_found);
    }
    ensure!(yes == found.len(), "{what} finds {} nodes, of which {yes} are drawn", found.len());
    Ok(())
}

fn touch(clearly: bool, at_all: bool) -> Touch {
    match (clearly, at_all) {
        (true, _) => Touch::Yes,
        (false, true) => Touch::Perhaps,
        (false, false) => Touch::No,
    }
}

fn in_sphere(bounds: &Aabb, sphere: &Sphere) -> Touch {
    let (center, radius) = (sphere.center().as_dvec3(), f64::from(sphere.radius()));
    let away = (bounds.min.as_dvec3() - center).max(center - bounds.max.as_dvec3()).max(DVec3::ZERO).length();
    let present = !bounds.is_empty();
    touch(present && away <= radius, present && away <= radius + MARGIN * (1e-10 + radius))
}

fn on_ray(bounds: &Aabb, ray: &Ray) -> Touch {
    let (origin, direction) = (ray.origin().as_dvec3(), ray.direction().as_dvec3());
    let (mut enter, mut leave) = (0.0_f64, f64::from(ray.length()));
    for axis in 0..3 {
        let (low, high) = (f64::from(bounds.min[axis]), f64::from(bounds.max[axis]));
        if direction[axis] == 0.0 {
            let between = low <= origin[axis] && origin[axis] <= high;
            leave = if between { leave } else { -1.0 };
        } else {
            let [a, b] = [low, high].map(|corner| (corner - origin[axis]) / direction[axis]);
            (enter, leave) = (enter.max(a.min(b)), leave.min(a.max(b)));
        }
    }
    let present = !bounds.is_empty();
    touch(present && enter <= leave, present && leave >= 0.0 && enter <= leave * (1.0 + MARGIN))
}
