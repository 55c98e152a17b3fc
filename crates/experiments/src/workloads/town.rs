//! A town for culling: districts with streets, houses made of parts, and cameras in the streets.

use super::rng::Rng;
use hedgerow::glam::camera::rh;
use hedgerow::glam::{Mat4, Quat, Vec3};
use hedgerow::{Aabb, Drawable, Node, NodeHandle, Scene, SceneConfig, Transform, query::Frustum};

/// The number of districts along a side of the town, of streets in a district, and of houses in a street.
const SIDE: u32 = 10;
const STREETS: u32 = 10;
const HOUSES: u32 = 10;
/// The number of parts in a house, with which the town has a million drawables.
pub const TOWN_PARTS: u32 = 100;
/// The distance between houses and between streets, in metres.
const PLOT: f32 = 20.0;

/// The view distance of a camera at street level, in metres.
const SIGHT: f32 = 420.0;

/// A scene that keeps boxes, and a list of the same boxes and their nodes.
#[derive(Debug)]
pub struct Town {
    /// The updated scene.
    pub scene: Scene,
    /// The nodes of all drawables, in insertion order.
    pub nodes: Vec<NodeHandle>,
    /// The world boxes of these nodes.
    pub bounds: Vec<Aabb>,
}

impl Town {
    /// Builds a town of 10,000 houses with `parts` parts each by single inserts, depth first; maintains and updates it.
    pub fn new(parts: u32, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let mut scene =
            Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT }).expect("a good policy");
        let root = scene.root();
        let mut nodes = Vec::with_capacity((SIDE * SIDE * STREETS * HOUSES * parts) as usize);
        let insert = |scene: &mut Scene, parent, node| scene.insert(parent, node).expect("a live parent");
        for district in 0..SIDE * SIDE {
            let width = PLOT * HOUSES as f32;
            let corner = Vec3::new((district % SIDE) as f32, 0.0, (district / SIDE) as f32) * width;
            let district = insert(&mut scene, root, Node::transform(Transform::from_translation(corner)));
            for street in 0..STREETS {
                let along = Transform::from_xyz(0.0, 0.0, PLOT * street as f32);
                let street = insert(&mut scene, district, Node::transform(along));
                for house in 0..HOUSES {
                    let turn = Quat::from_rotation_y(f32::from(u8::from(rng.below(2) == 0)) * core::f32::consts::PI);
                    let place = Transform::from_xyz(PLOT * house as f32, 0.0, 0.0).with_rotation(turn);
                    let house = insert(&mut scene, street, Node::transform(place));
                    for _ in 0..parts {
                        let [x, y, z] = core::array::from_fn(|_| rng.below(1024) as f32 / 1024.0);
                        let place = Transform::from_xyz(x * 12.0 - 6.0, y * 9.0, z * 10.0 - 5.0);
                        let half = Vec3::new(0.2 + x, 0.2 + y, 0.1 + 0.2 * z);
                        let drawable = Drawable::new(rng.below(64), Aabb::new(-half, half));
                        let part = Node::transform(place).with_drawable(drawable);
                        nodes.push(insert(&mut scene, house, part));
                    }
                }
            }
        }
        scene.update();
        scene.maintain(usize::MAX);
        scene.update();
        let bounds = nodes.iter().map(|&node| scene.get(node).unwrap().bounds().expect("a drawable")).collect();
        Self { scene, nodes, bounds }
    }

    /// Returns cameras that stand in the streets and see 1 to 4 % of the drawables each.
    pub fn cameras(&self, count: usize, seed: u64) -> Vec<Mat4> {
        let mut rng = Rng::new(seed);
        let drawables = self.nodes.len();
        let sees_enough = |matrix: &Mat4| {
            let frustum = Frustum::from_view_projection(matrix).expect("a finite camera");
            // A sample of one drawable in 16 suffices.
            let seen = self.bounds.iter().step_by(16).filter(|bounds| frustum.touches(bounds)).count() * 16;
            (drawables / 100..drawables / 25).contains(&seen)
        };
        let cameras: Vec<_> = (0..100 * count).map(|_| camera(&mut rng)).filter(sees_enough).take(count).collect();
        assert_eq!(cameras.len(), count, "too few cameras see 1 to 4 % of the town");
        cameras
    }
}

/// Returns a camera at a random position at street level, looking along the ground.
fn camera(rng: &mut Rng) -> Mat4 {
    let width = PLOT * (HOUSES * SIDE) as f32;
    let [x, z, turn] = core::array::from_fn(|_| rng.below(1 << 16) as f32 / 65_536.0);
    let (sin, cos) = (turn * core::f32::consts::TAU).sin_cos();
    let view = rh::view::look_to_mat4(Vec3::new(x * width, 1.7, z * width), Vec3::new(cos, 0.0, sin), Vec3::Y);
    rh::proj::directx::perspective(0.7, 16.0 / 9.0, 0.1, SIGHT) * view
}
