//! The gain from choosing levels of detail while culling.
//!
//! Trees stand in a square, four metres apart. Each has four meshes from fine to coarse, and a camera moves two metres
//! per frame. Whole frames are timed, in nanoseconds per tree, as medians; the meshes of both lists are compared after
//! each frame. The baseline works by hand. A pass over all columns finds each tree's level from its matrix and its last
//! mesh, and trees whose level changed get another mesh. Then `Scene::update` runs, and the list is filled. Ours calls
//! `Scene::cull`.
//!
//! - `all`: all trees are listed; the baseline uses `Scene::draw_list` and a list that it reuses in each frame.
//! - `seen`: the quarter of the trees ahead of the camera is listed; the baseline uses `Scene::cull`.

use crate::clock::nanoseconds;
use crate::front::{Front, Sizes};
use crate::rounds::{Pace, Trial};
use crate::{Case, Outcome, Unit};
use hedgerow::glam::{Vec3, Vec4};
use hedgerow::query::{CullView, DetailView, Frustum, LevelsOfDetail};
use hedgerow::{Aabb, DrawList, Drawable, Node, NodeHandle, Scene, SceneConfig, Transform};

const SIZES: [Sizes<u16>; 2] = [Sizes { full: 100, short: 100, tiny: 10 }, Sizes { full: 316, short: 316, tiny: 12 }];

const TREE: u32 = 100;
const DISTANCES: [f32; 3] = [20.0, 60.0, 150.0];
const MARGIN: f32 = 1.1;

/// Runs the experiment.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    for sizes in SIZES {
        let side = sizes.at(front.scale());
        for (name, seen) in [("all", false), ("seen", true)] {
            let mut forest = Forest::new(side, seen);
            let case = Case::new(name, usize::from(side) * usize::from(side), Unit::Time, "by hand");
            front.play([case], Pace::timed(15, 101, 1500), &mut forest)?;
        }
    }
    Ok(())
}

/// Two scenes of the same trees, and a list of each.
struct Forest {
    seen: bool,
    frame: u16,
    width: f32,
    camera: Vec3,
    frustum: Frustum,
    levels: LevelsOfDetail,
    sides: [(Scene, DrawList); 2],
    changed: Vec<(NodeHandle, u32)>,
}

impl Forest {
    fn new(side: u16, seen: bool) -> Self {
        let mut levels = LevelsOfDetail::new().with_margin(MARGIN).expect("it is at least 1");
        let coarser: Vec<_> = DISTANCES.into_iter().zip((TREE + 1..).map(Some)).collect();
        levels.insert(TREE, &coarser).expect("they ascend");
        // By hand, all trees start with the coarsest mesh, so that the levels of the first frame agree.
        let sides = [(TREE, true), (TREE + 3, seen)].map(|of| (trees(side, of), DrawList::new()));
        let mut forest = Self {
            seen,
            frame: 0,
            width: f32::from(side) * 4.0,
            camera: Vec3::ZERO,
            frustum: Frustum::from_planes([Vec4::W; 6]).expect("its planes are finite"),
            levels,
            sides,
            changed: Vec::new(),
        };
        forest.begin();
        forest
    }

    /// Sets the meshes of trees whose level changed. Boxes have no extent, so the matrix gives the box's position.
    fn choose_by_hand(&mut self) {
        let (scene, changed) = (&mut self.sides[1].0, &mut self.changed);
        changed.clear();
        for slice in scene.slices() {
            let worlds = slice.transforms().worlds();
            for listed in slice.drawables().iter() {
                let distance = worlds[listed.transform].translation().distance(self.camera);
                let beyond = |factor| DISTANCES.map(|from| u32::from(distance >= from * factor));
                let mesh = |factor| TREE + beyond(factor).iter().sum::<u32>();
                let wanted = listed.drawable.mesh.clamp(mesh(MARGIN), mesh(1.0));
                if wanted != listed.drawable.mesh {
                    changed.push((listed.node, wanted));
                }
            }
        }
        for &(node, mesh) in &*changed {
            let drawable = Drawable::new(mesh, Aabb::cube(0.0));
            scene.edit(node).and_then(|mut node| node.set_drawable(drawable).map(drop)).expect("it is listed");
        }
        scene.update();
    }
}

/// Returns a scene of trees in a square, row by row.
fn trees(side: u16, (mesh, bounds): (u32, bool)) -> Scene {
    let mut scene = Scene::with_config(SceneConfig { bounds, ..SceneConfig::DEFAULT }).expect("it is valid");
    for z in 0..side {
        let row = scene.insert(scene.root(), Node::group()).expect("there is room");
        for x in 0..side {
            let place = Transform::from_xyz(f32::from(x) * 4.0, 0.0, f32::from(z) * 4.0);
            let tree = Node::transform(place).with_drawable(Drawable::new(mesh, Aabb::cube(0.0)));
            scene.insert(row, tree).expect("there is room");
        }
    }
    scene.update();
    scene
}

impl Trial<1> for Forest {
    fn begin(&mut self) {
        self.frame += 1;
        let (x, z) = (0.5 * self.width, f32::from(self.frame) * 2.0 % (0.5 * self.width));
        self.camera = Vec3::new(x, 1.7, z);
        if self.seen {
            let half = 0.5 * self.width;
            let [left, right] = [(Vec4::X, -x), (-Vec4::X, x + half)].map(|(wall, at)| wall + Vec4::W * at);
            let [near, far] = [(Vec4::Z, -z), (-Vec4::Z, z + half)].map(|(wall, at)| wall + Vec4::W * at);
            let planes = [left, right, near, far, Vec4::W, Vec4::W];
            self.frustum = Frustum::from_planes(planes).expect("its planes are finite");
        }
    }

    fn play(&mut self, way: usize) -> [f64; 1] {
        [nanoseconds(|| {
            if way == 1 {
                self.choose_by_hand();
            }
            let (scene, list) = &mut self.sides[way];
            if way == 1 && !self.seen {
                return scene.draw_list(list);
            }
            let detail = (way == 0).then(|| DetailView::new(&self.levels, self.camera));
            let view = CullView { detail, ..CullView::new(&self.frustum, list) };
            scene.cull(&mut [view]).expect("it has boxes");
        })]
    }

    fn check(&mut self) -> Outcome {
        let meshes = |list: &DrawList| {
            let mut counts = [0; 4];
            list.commands().iter().for_each(|command| counts[(command.mesh - TREE) as usize] += 1);
            counts
        };
        let [ours, by_hand] = self.sides.each_ref().map(|(_, list)| meshes(list));
        // Our list forgets the levels of trees out of sight; the baseline remembers these levels.
        let same = if self.seen { ours.iter().sum::<u32>() == by_hand.iter().sum::<u32>() } else { ours == by_hand };
        if same { Ok(()) } else { Err(format!("detail: {ours:?} by ours, {by_hand:?} by hand").into()) }
    }
}
