//! Picking triangles in a town of 100,000 drawables, mirrored and sheared, of 12 to 78,960 triangles each.
//!
//! - `street`, `slope`, `above`: rays along the ground, 45° down from 60 m, and down from 400 m, in nanoseconds per ray.
//!   The baseline lists all boxes along the ray with `cast_ray` and tests triangles until a hit is nearer than the next
//!   box.
//! - `skinned`: rays at a bent tube of 19,320 triangles, each at a new pose; the baseline only skins the tube.
//! - `all boxes`, `all boxes in eights`: the rays along the ground; the baseline tests all boxes of the town, one after
//!   the other or eight at a time, and then triangles in the order of the boxes.

use crate::agreement::agree;
use crate::front::{Front, Sizes};
use crate::{Case, Outcome, Unit};
use hedgerow::glam::{Quat, Vec3};
use hedgerow::math::internal::{BLOCK, boxes};
use hedgerow::query::{Boxes, Filter, Ray};
use hedgerow::{Aabb, Drawable, Node, NodeHandle, Scene, SceneConfig, Transform};
use hedgerow_anim::skin::SkinOutput;
use hedgerow_anim::{SkeletonBuilder, Skin, SkinnedMesh};
use hedgerow_character::{AnimationPlayer, Deformed, DeformedMesh, JointBounds};
use hedgerow_mesh::{Faces, LocalRay, TriangleTree};
use hedgerow_testkit::Dice;
use hedgerow_testkit::triangles::{self, Soup};

const HOUSES: Sizes<usize> = Sizes { full: 10_000, tiny: 50 };
const RAYS: Sizes<usize> = Sizes { full: 1000, tiny: 10 };
/// The number of drawables of a house.
const PARTS: usize = 10;

/// Runs the experiment.
pub fn run(front: &mut Front) -> Outcome {
    let (houses, count) = (HOUSES.at(front), RAYS.at(front));
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
            let case = |name, what| Case::new(name, town.nodes.len(), Unit::Each("ns/ray"), what).per(count);
            let all = case("all boxes", "a loop over all boxes, then triangles").against_itself();
            front.calls(all, (&mut side(), &mut side()), Side::pick, Side::all, same)?;
            let eights = case("all boxes in eights", "our kernel over all boxes, then triangles").against_itself();
            front.calls(eights, (&mut side(), &mut side()), Side::pick, Side::all_in_eights, same)?;
        }
    }
    let figure = || Figure::new(count);
    let case = Case::new("skinned", 1, Unit::Each("ns/ray"), "skinning once").against_itself();
    front.calls(case.per(count), (&mut figure(), &mut figure()), Figure::cast, Figure::skin, |figure, _| {
        agree(figure.hits > 0, "skinned: no ray hits")
    })
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
    list: Vec<Aabb>,
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
        scene.maintain(usize::MAX);
        scene.update();
        let list: Vec<Aabb> = nodes.iter().filter_map(|&node| scene.get(node)?.bounds()).collect();
        let boxes = list.iter().copied().collect();
        Self { scene, surfaces, nodes, list, boxes }
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
            let boxes = town.list.iter().zip(&town.nodes);
            hits.extend(boxes.filter_map(|(bounds, &node)| Some((ray.distance_to(bounds)?, node))));
            hits.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            town.nearest(ray, hits.iter().copied())
        }));
    }

    fn all_in_eights(&mut self) {
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

/// A tube that follows a bent chain of joints, and rays at it.
struct Figure {
    figure: Deformed,
    scene: Scene,
    still: AnimationPlayer,
    rays: Vec<LocalRay>,
    positions: Vec<[f32; 3]>,
    hits: usize,
}

impl Figure {
    const JOINTS: u16 = 40;

    fn new(rays: usize) -> Self {
        let (soup, bone) = (triangles::sphere(20_000), 2.16 / f32::from(Self::JOINTS - 1));
        let positions: Vec<Vec3> = soup.positions.iter().map(|p| Vec3::new(p[0] * 0.3, p[1], p[2] * 0.3)).collect();
        let (mut joints, mut weights) = (Vec::new(), Vec::new());
        for p in &positions {
            let along = ((p.y + 1.08) / bone).clamp(0.0, f32::from(Self::JOINTS) - 1.001);
            let joint = (0..Self::JOINTS).rfind(|&joint| f32::from(joint) <= along).unwrap_or(0);
            joints.extend([joint, joint + 1, joint.saturating_sub(1), (joint + 2).min(Self::JOINTS - 1)]);
            weights.extend([0.8 * (1.0 - along.fract()), 0.8 * along.fract(), 0.1, 0.1]);
        }
        let binds =
            (0..Self::JOINTS).map(|joint| Transform::from_xyz(0.0, 1.08 - bone * f32::from(joint), 0.0).to_matrix());
        let skin = Skin::new((0..Self::JOINTS).collect(), binds.collect()).expect("a sound skin");
        let (mut chain, mut above) = (SkeletonBuilder::new(), None);
        for joint in 0..Self::JOINTS {
            let turn = Quat::from_rotation_z(0.25 * (f32::from(joint) * 0.3).sin()) * Quat::from_rotation_x(0.075);
            let step = Transform::from_xyz(0.0, if joint == 0 { -1.08 } else { bone }, 0.0);
            above = Some(chain.joint("", above, step.with_rotation(turn)));
        }
        let chain = chain.build().expect("a chain").0;
        let mesh =
            SkinnedMesh::builder(&soup.positions.iter().map(|p| [p[0] * 0.3, p[1], p[2] * 0.3]).collect::<Vec<_>>())
                .influences(4, &joints, &weights)
                .indices(soup.indices.as_flattened())
                .build(&skin)
                .expect("a sound mesh");
        let bounds = JointBounds::new(&skin, &positions, &joints, &weights).expect("a sound mesh");
        let triangles = mesh.indices().as_chunks().0.to_vec();
        let mut scene = Scene::new();
        let node = scene.insert(scene.root(), Node::drawable(Drawable::new(0, Aabb::EMPTY))).expect("a live parent");
        let mesh = DeformedMesh { mesh, triangles, skin, rig: Some((0, chain)), bounds };
        let mut figure = Deformed::new(mesh, node, None).expect("a sound rig");
        let mut positions = vec![[0.0; 3]; figure.mesh().len()];
        figure.skin(SkinOutput::new(&mut positions[..])).expect("an array of this length");
        let mut dice = Dice::with_seed(9);
        let rays = (0..rays).map(|_| {
            let origin = dice.vector().normalize_or(Vec3::X) * 4.0;
            let target = Vec3::from(positions[dice.index(positions.len())]) + dice.vector() * 0.1;
            LocalRay { origin: origin.as_dvec3(), direction: (target - origin).normalize().as_dvec3() }
        });
        let (rays, still) = (rays.collect(), AnimationPlayer::at_rest(&[], &[]));
        Self { figure, scene, still, rays, positions, hits: 0 }
    }

    fn cast(&mut self) {
        for ray in &self.rays {
            self.figure.follow(&self.still, &mut self.scene).expect("a live node");
            let hit = self.figure.cast(ray, f64::INFINITY, Faces::Both).expect("no morph targets");
            self.hits += usize::from(hit.is_some());
        }
    }

    fn skin(&mut self) {
        for _ in &self.rays {
            self.figure.skin(SkinOutput::new(&mut self.positions[..])).expect("an array of this length");
        }
    }
}
