//! Picking triangles in a town of 100,000 drawables, mirrored and sheared, of 12 to 78,960 triangles each.
//!
//! - `street`, `slope`, `above`: rays along the ground, 45° down from 60 m, and down from 400 m, in nanoseconds per ray.
//!   The baseline lists all boxes along the ray with `cast_ray` and tests triangles until a hit is nearer than the next
//!   box.
//! - `all boxes`: the rays along the ground; the baseline tests all boxes of the town, eight at a time, then triangles.

use crate::agreement::agree;
use crate::front::{Front, Sizes};
use crate::{Case, Outcome, Unit};
use hedgerow::glam::{Quat, Vec3};
use hedgerow::math::internal::{BLOCK, boxes};
use hedgerow::query::{Boxes, Filter, Ray};
use hedgerow::{Aabb, Drawable, Node, NodeHandle, Scene, SceneConfig, Transform};
use hedgerow_mesh::{Faces, TriangleTree};
use hedgerow_testkit::Dice;
use hedgerow_testkit::triangles::{self, Soup};

const HOUSES: Sizes<usize> = Sizes { full: 10_000, short: 10_000, tiny: 50 };
const RAYS: Sizes<usize> = Sizes { full: 1000, short: 100, tiny: 10 };
/// The number of drawables of a house.
const PARTS: usize = 10;

/// Runs the experiment.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    let (houses, count) = (HOUSES.at(front.scale()), RAYS.at(front.scale()));
    let (surfaces, mut dice) = ([12, 1000, 20_000, 80_000].map(Surface::new), Dice::with_seed(2));
    let town = &Town::new(houses, &surfaces, &mut dice);
    let kinds = ["street", "slope", "above"];
    for (kind, name) in kinds.into_iter().enumerate() {
        let rays = &*(0..count).map(|_| ray(kind, houses, &mut dice)).collect::<Vec<_>>();
        let side = || Side { town, rays, found: Vec::new() };
        let case = Case::new(name, town.nodes.len(), Unit::Each("ns/ray"), "cast_ray, then triangles until a hit")
            .against_itself();
        front.calls(case.per(count), (&mut side(), &mut side()), Side::pick, Side::cast, same)?;
        if kind == 0 {
            let case = Case::new("all boxes", town.nodes.len(), Unit::Each("ns/ray"), "all boxes, then triangles")
                .against_itself();
            front.calls(case.per(count), (&mut side(), &mut side()), Side::pick, Side::all, same)?;
        }
    }
    Ok(())
}

fn same(ours: &mut Side<'_>, theirs: &mut Side<'_>) -> Outcome {
    agree(ours.found == theirs.found, "other triangles are picked")
}

struct Surface {
    soup: Soup,
    tree: TriangleTree,
    bounds: Aabb,
}

impl Surface {
    fn new(count: usize) -> Self {
        let soup = if count == 12 { triangles::boxes(count) } else { triangles::sphere(count) };
        let bounds = Aabb::from_points(soup.positions.iter().map(|&position| position.into()));
        Self { tree: TriangleTree::build(soup.mesh()).expect("sound triangles"), soup, bounds }
    }
}

struct Town<'s> {
    scene: Scene,
    surfaces: &'s [Surface],
    nodes: Vec<NodeHandle>,
    boxes: Boxes,
}

impl<'s> Town<'s> {
    fn new(houses: usize, surfaces: &'s [Surface], dice: &mut Dice) -> Self {
        let mut scene =
            Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT }).expect("a sound config");
        let mut nodes = Vec::new();
        for house in 0..houses {
            let at = Transform::from_xyz((house % 100) as f32 * 20.0, 0.0, (house / 100) as f32 * 20.0);
            let scale = Vec3::new(if house % 2 == 0 { -1.0 } else { 1.0 }, between(dice, 0.7, 1.7), 1.0);
            let house = scene.insert(scene.root(), Node::transform(at.with_scale(scale))).expect("a live parent");
            for _ in 0..PARTS {
                let mesh = dice.below(4);
                let turn =
                    Quat::from_rotation_y(between(dice, 0.0, 6.0)) * Quat::from_rotation_x(between(dice, 0.0, 1.0));
                let place =
                    Transform::from_xyz(between(dice, -6.0, 6.0), between(dice, 0.0, 9.0), between(dice, -5.0, 5.0));
                let place = place.with_rotation(turn).with_scale(Vec3::splat(if mesh == 0 { 0.3 } else { 1.5 }));
                let drawable = Drawable::new(mesh, surfaces[mesh as usize].bounds);
                nodes.push(scene.insert(house, Node::transform(place).with_drawable(drawable)).expect("a live parent"));
            }
        }
        scene.update();
        scene.maintain(core::time::Duration::MAX);
        scene.update();
        let boxes = nodes.iter().filter_map(|&node| scene.get(node)?.bounds()).collect();
        Self { scene, surfaces, nodes, boxes }
    }

    /// Returns the distance of the nearest hit on a node.
    fn cast(&self, node: NodeHandle, ray: &Ray, limit: f64) -> Option<f64> {
        let node = self.scene.get(node)?;
        let Surface { soup, tree, .. } = &self.surfaces[node.drawable()?.mesh as usize];
        tree.cast(soup.mesh(), &ray.to_local(*node.world())?, limit, Faces::Both).map(|hit| hit.t)
    }

    /// Tests nodes in the order of their boxes until a hit is nearer than the next box.
    fn nearest(&self, ray: &Ray, boxes: impl Iterator<Item = (f32, NodeHandle)>) -> f64 {
        let mut best = f64::INFINITY;
        for (near, node) in boxes {
            if f64::from(near) * (1.0 - 1e-6) > best {
                break;
            }
            best = self.cast(node, ray, best).unwrap_or(best);
        }
        best
    }
}

fn between(dice: &mut Dice, from: f32, to: f32) -> f32 {
    from + (to - from) * dice.share()
}

fn ray(kind: usize, houses: usize, dice: &mut Dice) -> Ray {
    let (x, z) = (between(dice, 0.0, 2000.0), between(dice, 0.0, houses as f32 / 5.0));
    let (sin, cos) = between(dice, 0.0, core::f32::consts::TAU).sin_cos();
    let (height, direction) = match kind {
        0 => (1.7, Vec3::new(cos, between(dice, -0.05, 0.05), sin)),
        1 => (60.0, Vec3::new(cos, -1.0, sin)),
        _ => (400.0, Vec3::new(cos * 0.1, -1.0, sin * 0.1)),
    };
    Ray::new(Vec3::new(x, height, z), direction).expect("a sound ray")
}

/// A way to pick, and the distances that it found.
struct Side<'t> {
    town: &'t Town<'t>,
    rays: &'t [Ray],
    found: Vec<f64>,
}

impl Side<'_> {
    fn pick(&mut self) {
        let Self { town: Town { scene, surfaces, .. }, rays, found } = self;
        found.clear();
        found.extend(rays.iter().map(|ray| {
            let pick = scene.pick(ray, Filter::ALL, |drawn, ray, limit| {
                let Surface { soup, tree, .. } = &surfaces[drawn.mesh as usize];
                tree.cast(soup.mesh(), ray, limit, Faces::Both)
            });
            pick.expect("the town keeps boxes").map_or(f64::INFINITY, |pick| pick.distance)
        }));
    }

    fn cast(&mut self) {
        let Self { town, rays, found } = self;
        let mut hits = Vec::new();
        found.clear();
        found.extend(rays.iter().map(|ray| {
            town.scene.cast_ray(ray, Filter::ALL, &mut hits).expect("the town keeps boxes");
            town.nearest(ray, hits.iter().map(|hit| (hit.distance, hit.node)))
        }));
    }

    fn all(&mut self) {
        let Self { town, rays, found } = self;
        let mut hits = Vec::new();
        found.clear();
        found.extend(rays.iter().map(|ray| {
            hits.clear();
            for (first, groups) in (0..).step_by(BLOCK).zip(town.boxes.groups().chunks(BLOCK / 8)) {
                let mut touched = boxes::on_ray(groups, ray);
                while touched != 0 {
                    let at = first + touched.trailing_zeros() as usize;
                    touched &= touched - 1;
                    let near = town.boxes.get(at).and_then(|bounds| ray.distance_to(&bounds));
                    hits.extend(near.map(|near| (near, town.nodes[at])));
                }
            }
            hits.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            town.nearest(ray, hits.iter().copied())
        }));
    }
}
