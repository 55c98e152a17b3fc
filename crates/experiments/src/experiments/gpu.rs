//! What brings a frame to a GPU: tables that a GPU culls, compared with lists that the CPU makes.
//!
//! A town, with four views: one camera and three cascades. In each frame some parts move, or come and go, and the scene is
//! updated. Our side then syncs its tables, in a scene without boxes. The baseline culls the four views, groups the draws of
//! each by mesh, syncs its mirror of matrices, and makes the instances of each view. Steps are not executed, and nothing is
//! culled on a GPU: the time of encoding is not in these figures.
//! Figures are nanoseconds a frame.
//!
//! - `still`: nothing changes.
//! - `1%`, `10%`: this share of the parts moves, chosen at random.
//! - `houses`: a tenth of the houses turns, with all parts.
//! - `in/out`: 1000 parts go, and 1000 come.
//! - `update/...`: the same with the update, which keeps boxes on the side of the baseline alone.

use crate::agreement::agree;
use crate::clock::nanoseconds;
use crate::front::{Front, Sizes};
use crate::rounds::{Pace, Trial};
use crate::workloads::rng::Rng;
use crate::{Case, Outcome, Unit};
use hedgerow::changes::MatrixMirror;
use hedgerow::draw::DrawGroups;
use hedgerow::glam::camera::rh;
use hedgerow::glam::{Mat4, Vec3};
use hedgerow::query::{CullView, Frustum};
use hedgerow::{Aabb, DrawList, Drawable, Node, NodeHandle, Scene, SceneConfig, Transform};
use hedgerow_gpu::{GpuScene, MeshArgs};
use std::hint::black_box;

/// The number of houses, of 21 parts each.
const HOUSES: Sizes<&[u32]> = Sizes { full: &[4700, 12_500, 28_600], tiny: &[20] };
const PARTS: u32 = 21;
const MESHES: u32 = 16;
const PACE: Pace = Pace { turn: 16, alternates: false, ..Pace::timed(5, 101, 1500) };

/// What changes in a frame.
#[derive(Clone, Copy, Debug)]
enum Change {
    Nothing,
    Parts(u32),
    Houses(u32),
    InOut(u32),
}

/// Runs the experiment.
pub fn run(front: &mut Front) -> Outcome {
    for &houses in HOUSES.at(front) {
        let nodes = (houses * (PARTS + 1) + 1) as usize;
        let mut frames =
            Frames { sides: [Side::new(houses, false)?, Side::new(houses, true)?], change: Change::Nothing };
        let parts = houses * PARTS;
        for (name, change) in [
            ("still", Change::Nothing),
            ("1%", Change::Parts(parts / 100)),
            ("10%", Change::Parts(parts / 10)),
            ("houses", Change::Houses(houses / 10)),
            ("in/out", Change::InOut(parts.min(1000))),
        ] {
            frames.change = change;
            let names = [name.to_owned(), format!("update/{name}")];
            let cases =
                names.each_ref().map(|name| Case::new(name, nodes, Unit::Call, "CPU lists").per(1).against_itself());
            front.play(cases, PACE, &mut frames)?;
        }
    }
    Ok(())
}

/// The lists of the CPU for one view.
#[derive(Default)]
struct View {
    list: DrawList,
    groups: DrawGroups,
    instances: Vec<u32>,
}

struct Side {
    scene: Scene,
    houses: Vec<NodeHandle>,
    parts: Vec<NodeHandle>,
    rng: Rng,
    tables: Option<GpuScene>,
    mirror: MatrixMirror,
    frusta: [Frustum; 4],
    views: [View; 4],
}

fn part(rng: &mut Rng) -> Node<'static> {
    let drawable = Drawable::new(rng.below(MESHES), Aabb::cube(1.0));
    Node::transform(rng.transform()).with_drawable(drawable).with_material(rng.below(4))
}

/// Returns where a house of so many stands.
fn plot(number: usize, houses: usize) -> Transform {
    let side = houses.isqrt() + 1;
    Transform::from_xyz((number % side) as f32 * 20.0, 0.0, (number / side) as f32 * 20.0)
}

impl Side {
    fn new(houses: u32, by_lists: bool) -> Result<Self, crate::Failure> {
        let mut scene = Scene::with_config(SceneConfig { bounds: by_lists, ..SceneConfig::DEFAULT })?;
        let mut rng = Rng::new(5);
        let (mut all, mut parts) = (Vec::new(), Vec::new());
        for number in 0..houses as usize {
            let house = scene.insert(scene.root(), Node::transform(plot(number, houses as usize)))?;
            all.push(house);
            for _ in 0..PARTS {
                parts.push(scene.insert(house, part(&mut rng))?);
            }
        }
        scene.update();
        let mut tables = GpuScene::new().with_key(|drawable| drawable.material);
        for mesh in 0..MESHES {
            tables.set_mesh(mesh, MeshArgs { index_count: 36, first_index: 36 * mesh, base_vertex: 0 });
        }
        let middle = plot(houses as usize / 2, houses as usize).translation;
        let eye = rh::view::look_to_mat4(middle + Vec3::new(0.0, 8.0, 0.0), Vec3::new(1.0, -0.1, 0.3), Vec3::Y);
        let camera = rh::proj::directx::perspective(1.0, 1.6, 0.1, 420.0) * eye;
        let cascade = |size: f32| {
            let light = rh::view::look_to_mat4(middle + Vec3::new(0.0, 200.0, 0.0), Vec3::new(0.3, -1.0, 0.2), Vec3::X);
            rh::proj::directx::orthographic(-size, size, -size, size, 0.0, 500.0) * light
        };
        let frustum = |matrix: Mat4| Frustum::from_view_projection(&matrix);
        let frusta = [frustum(camera)?, frustum(cascade(20.0))?, frustum(cascade(80.0))?, frustum(cascade(300.0))?];
        Ok(Self {
            scene,
            houses: all,
            parts,
            rng,
            tables: (!by_lists).then_some(tables),
            mirror: MatrixMirror::new(),
            frusta,
            views: Default::default(),
        })
    }

    fn edit(&mut self, change: Change) -> Result<(), hedgerow::Error> {
        let Self { scene, houses, parts, rng, .. } = self;
        let pick =
            |rng: &mut Rng, list: &[NodeHandle]| rng.below(u32::try_from(list.len()).unwrap_or(u32::MAX)) as usize;
        match change {
            Change::Nothing => {}
            Change::Parts(count) => {
                for _ in 0..count {
                    scene.set_local(parts[pick(rng, parts)], rng.transform())?;
                }
            }
            Change::Houses(count) => {
                for _ in 0..count {
                    let at = pick(rng, houses);
                    scene.set_local(houses[at], plot(at, houses.len()).with_rotation(rng.transform().rotation))?;
                }
            }
            Change::InOut(count) => {
                for _ in 0..count {
                    let at = pick(rng, parts);
                    scene.remove(parts[at])?;
                    let house = houses[pick(rng, houses)];
                    parts[at] = scene.insert(house, part(rng))?;
                }
            }
        }
        Ok(())
    }

    fn upload(&mut self) -> Outcome {
        if let Some(tables) = &mut self.tables {
            tables.sync(&self.scene, |step| _ = black_box(step))?;
            return Ok(());
        }
        let Self { scene, mirror, frusta, views, .. } = self;
        let [a, b, c, d] = views.each_mut().map(|view| &mut view.list);
        let [first, second, third, fourth] = &*frusta;
        scene.cull(&mut [
            CullView::new(first, a),
            CullView::new(second, b),
            CullView::new(third, c),
            CullView::new(fourth, d),
        ])?;
        mirror.sync(scene, |step| _ = black_box(step));
        for View { list, groups, instances } in views {
            list.group(groups);
            mirror.instances(list, groups.instances(), instances, |_, changed| _ = black_box(changed));
        }
        Ok(())
    }
}

/// A scene with tables for a GPU, and one with lists.
struct Frames {
    sides: [Side; 2],
    change: Change,
}

impl Trial<2> for Frames {
    fn play(&mut self, way: usize) -> [f64; 2] {
        let side = &mut self.sides[way];
        side.edit(self.change).expect("the nodes live");
        let update = nanoseconds(|| side.scene.update());
        let upload = nanoseconds(|| side.upload().expect("the meshes are known"));
        [upload, update + upload]
    }

    fn check(&mut self) -> Outcome {
        let [ours, theirs] = &self.sides;
        agree(ours.parts.len() == theirs.parts.len(), "the sides have different parts")?;
        let shown = ours
            .parts
            .iter()
            .all(|&part| ours.tables.as_ref().is_some_and(|gpu| gpu.slot(&ours.scene, part).is_some()));
        agree(shown, "parts are not in the tables")
    }
}
