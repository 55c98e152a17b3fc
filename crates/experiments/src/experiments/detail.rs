//! What choosing levels of detail while culling saves.
//!
//! Trees in a square, four metres apart, with four meshes from fine to coarse, and a camera that moves two metres a
//! frame. Timed are whole frames, in nanoseconds a tree, as medians; the meshes of both lists are compared after each.
//! By hand, a pass over all columns finds the level of each tree from its matrix and its mesh of the last frame, trees
//! whose level changed get another mesh, and `Scene::update` runs before the list is filled. Ours is one `Scene::cull`.
//!
//! - `all`: all trees are listed; by hand with `Scene::draw_list`, into a list that is kept.
//! - `seen`: a quarter of them is, ahead of the camera; by hand with `Scene::cull`.
//! - `ranged`: as `all`, and each row of trees is below a node with a range that holds; by hand nothing tests it.

use crate::clock::nanoseconds;
use crate::front::{Front, Sizes};
use crate::rounds::{Pace, Trial};
use crate::{Case, Outcome, Unit};
use hedgerow::glam::{Vec3, Vec4};
use hedgerow::query::{CullView, DetailView, Frustum, LevelsOfDetail};
use hedgerow::{Aabb, DrawList, Drawable, Node, NodeHandle, Scene, SceneConfig, Transform, ViewRange};

const SIZES: [Sizes<u16>; 2] = [Sizes { full: 100, short: 100, tiny: 10 }, Sizes { full: 316, short: 316, tiny: 12 }];

const TREE: u32 = 100;
const DISTANCES: [f32; 3] = [20.0, 60.0, 150.0];
const MARGIN: f32 = 1.1;

/// Runs the experiment.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    for sizes in SIZES {
        let side = sizes.at(front.scale());
        for name in ["all", "seen", "ranged"] {
            let mut forest = Forest::new(side, name);
            let case = Case::new(name, usize::from(side) * usize::from(side), Unit::Time, "by hand");
            front.play([case], Pace::timed(15, 101, 1500), &mut forest)?;
        }
    }
    Ok(())
}

/// The same trees twice, and a list of each.
struct Forest {
    seen: bool,
    frame: u16,
    width: f32,
    camera: Vec3,
    frustum: Frustum,
    levels: LevelsOfDetail,
    ours: (Scene, DrawList),
    by_hand: (Scene, DrawList),
    changed: Vec<(NodeHandle, u32)>,
}

impl Forest {
    fn new(side: u16, name: &str) -> Self {
        let mut levels = LevelsOfDetail::new().with_margin(MARGIN).expect("it is at least 1");
        let coarser: Vec<_> = DISTANCES.into_iter().zip((TREE + 1..).map(Some)).collect();
        levels.insert(TREE, &coarser).expect("they ascend");
        let range = (name == "ranged").then_some(ViewRange::new(0.0, 1e6).expect("it is a range"));
        let (seen, none) = (name == "seen", DrawList::new());
        // By hand all begin with the coarsest mesh, so that the first frame has the same levels.
        let (ours, by_hand) = (trees(side, TREE, true, range), trees(side, TREE + 3, seen, None));
        let mut forest = Self {
            seen,
            frame: 0,
            width: f32::from(side) * 4.0,
            camera: Vec3::ZERO,
            frustum: Frustum::from_planes([Vec4::W; 6]).expect("its planes are finite"),
            levels,
            ours: (ours, none.clone()),
            by_hand: (by_hand, none),
            changed: Vec::new(),
        };
        forest.begin();
        forest
    }

    /// Sets the meshes whose levels changed. A tree has no extent, so its matrix has the place of its box.
    fn choose_by_hand(&mut self) {
        let (scene, changed) = (&mut self.by_hand.0, &mut self.changed);
        changed.clear();
        for slice in scene.slices() {
            let worlds = slice.transforms().worlds();
            for listed in slice.drawables().iter() {
                let distance = worlds[listed.transform].translation().distance(self.camera);
                let beyond = |factor: f32| (0..).zip(DISTANCES).filter(|(_, from)| distance >= from * factor).count();
                let mesh = TREE + u32::try_from(beyond(1.0)).expect("there are three");
                let least = TREE + u32::try_from(beyond(MARGIN)).expect("there are three");
                let wanted = listed.drawable.mesh.clamp(least, mesh);
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

/// A square of trees in rows.
fn trees(side: u16, mesh: u32, bounds: bool, range: Option<ViewRange>) -> Scene {
    let mut scene = Scene::with_config(SceneConfig { bounds, ..SceneConfig::DEFAULT }).expect("it is valid");
    for z in 0..side {
        let row = scene.insert(scene.root(), Node { view_range: range, ..Node::group() }).expect("there is room");
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
            let planes = [[1.0, -x], [-1.0, x + 0.5 * self.width]].map(|[a, d]| Vec4::new(a, 0.0, 0.0, d));
            let ahead = [[1.0, -z], [-1.0, z + 0.5 * self.width]].map(|[c, d]| Vec4::new(0.0, 0.0, c, d));
            let all = [planes[0], planes[1], ahead[0], ahead[1], Vec4::W, Vec4::W];
            self.frustum = Frustum::from_planes(all).expect("its planes are finite");
        }
    }

    fn play(&mut self, way: usize) -> [f64; 1] {
        if way == 0 {
            let (scene, list) = &mut self.ours;
            let detail = DetailView::new(&self.levels, self.camera);
            let mut view = [CullView::new(&self.frustum, list).with_detail(detail)];
            return [nanoseconds(|| scene.cull(&mut view).expect("it has boxes"))];
        }
        [nanoseconds(|| {
            self.choose_by_hand();
            let (scene, list) = &mut self.by_hand;
            if self.seen {
                scene.cull(&mut [CullView::new(&self.frustum, list)]).expect("it has boxes");
            } else {
                scene.draw_list(list);
            }
        })]
    }

    fn check(&mut self) -> Outcome {
        let meshes = |list: &DrawList| {
            let mut counts = [0; 4];
            list.commands().iter().for_each(|command| counts[(command.mesh - TREE) as usize] += 1);
            counts
        };
        let [ours, by_hand] = [&self.ours.1, &self.by_hand.1].map(meshes);
        // Levels of trees out of sight are forgotten by ours, and kept by hand.
        let same = if self.seen { ours.iter().sum::<u32>() == by_hand.iter().sum() } else { ours == by_hand };
        if same { Ok(()) } else { Err(format!("detail: {ours:?} by ours, {by_hand:?} by hand").into()) }
    }
}
