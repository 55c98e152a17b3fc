//! The town's levels of detail: coarser meshes of its parts, and a stand-in for each block that is far away.

use super::geometry::Mesh;
use crate::failure::Result;
use crate::parts::Mesh as Part;
use hedgerow::query::LevelsOfDetail;
use hedgerow::{Aabb, Drawable, Keep, Layers, Node, Scene, ViewRange};

/// From these distances on parts are coarser, and blocks have their stand-ins.
const MIDDLE: f32 = 50.0;
const FAR: f32 = 110.0;
const BLOCK: f32 = 200.0;
/// Indoors, behind walls without holes, and where the smallest parts that are outdoors end.
const INDOORS: f32 = 30.0;
const SMALL: f32 = 160.0;

/// The layer of stand-ins.
pub(super) const STAND_INS: Layers = Layers::new(1 << 31);
/// The level of stand-ins, after those of parts.
pub(super) const MOST: u8 = 3;

/// A distance, and what makes the mesh that is drawn from there on, of the fine mesh and its box; `None` draws nothing.
type Level = (f32, Option<fn(&Mesh, Aabb) -> Mesh>);
const FRONT: Level = (MIDDLE, Some(|mesh, _| mesh.facing(|normal| normal.z > 0.5)));

const LEVELS: [(Part, &[Level]); 21] = [
    (Part::Wall, &[FRONT]),
    (Part::Window, &[FRONT]),
    (Part::Door, &[FRONT, (FAR, None)]),
    (Part::Roof, &[(MIDDLE, Some(|mesh, _| mesh.facing(|normal| normal.y > -0.5)))]),
    (Part::Chimney, &[(SMALL, None)]),
    (Part::Trunk, &[(MIDDLE, Some(|_, bounds| Mesh::column(bounds, 3, 0.6, false)))]),
    (
        Part::Foliage,
        &[
            (MIDDLE, Some(|_, bounds| Mesh::foliage(bounds, 4, 6))),
            (FAR, Some(|_, bounds| Mesh::foliage(bounds, 3, 4))),
        ],
    ),
    (Part::Pole, &[(MIDDLE, Some(|_, bounds| Mesh::column(bounds, 3, 0.5, false))), (SMALL, None)]),
    (Part::Lantern, &[(SMALL, None)]),
    (Part::Tyre, &[(MIDDLE, Some(|_, bounds| Mesh::column(bounds, 5, 1.0, true))), (FAR, None)]),
    (Part::Headlight, &[(MIDDLE, None)]),
    (Part::Person, &[(MIDDLE, Some(|_, bounds| Mesh::column(slim(bounds), 5, 0.6, false))), (SMALL, None)]),
    (Part::HandLamp, &[(MIDDLE, None)]),
    (Part::Knob, &[(INDOORS, None)]),
    (Part::Floor, &[(INDOORS, None)]),
    (Part::Lamp, &[(INDOORS, None)]),
    (Part::Table, &[(INDOORS, None)]),
    (Part::Chair, &[(INDOORS, None)]),
    (Part::Bed, &[(INDOORS, None)]),
    (Part::Cabinet, &[(INDOORS, None)]),
    (Part::CabinetDoor, &[(INDOORS, None)]),
];

/// A box without the room for arms.
fn slim(bounds: Aabb) -> Aabb {
    Aabb { min: bounds.min.with_x(0.4 * bounds.min.x), max: bounds.max.with_x(0.4 * bounds.max.x) }
}

/// What is drawn from which distance on.
pub struct Levels {
    pub(super) table: LevelsOfDetail,
    /// The level of each mesh.
    pub(super) of_meshes: Vec<u8>,
    /// Whether they are on.
    pub(super) on: bool,
    /// Whether each draw has the colour of its level.
    pub(super) coloured: bool,
    /// How many triangles were seen when they were last counted, and how many that were without levels.
    pub triangles: [usize; 2],
}

impl Levels {
    /// Appends the coarser meshes to those of the parts, and the stand-ins, and gives each block a node for its own.
    /// `colours` are those of the materials.
    pub(super) fn new(scene: &mut Scene, meshes: &mut Vec<Mesh>, colours: &[[u8; 4]]) -> Result<Self> {
        let (mut table, mut of_meshes) = (LevelsOfDetail::new(), vec![0; meshes.len()]);
        // Stand-ins consist of what is drawn at any distance.
        let mut coarsest = vec![None; meshes.len()];
        for (part, levels) in LEVELS {
            let mut coarser = Vec::new();
            for (level, &(from, make)) in (1..).zip(levels) {
                let mesh = make.map(|make| {
                    let mesh = make(&meshes[part as usize], part.drawable().bounds);
                    add(mesh, level, meshes, &mut of_meshes)
                });
                coarser.push((from, mesh));
                coarsest[part as usize] = mesh;
            }
            table.insert(part as u32, &coarser)?;
        }
        let root = scene.get(scene.root()).expect("it is always there");
        let is_block = |name: Option<&str>| name.is_some_and(|name| name.starts_with("block"));
        let blocks: Vec<_> = root.children().filter(|node| is_block(node.name())).map(|node| node.handle()).collect();
        for node in blocks {
            let block = scene.get(node).expect("a child of the root");
            let home = block.fresh_world().inverse().expect("blocks are only moved");
            let mut stand_in = Mesh::default();
            for part in block.descendants() {
                if let Some(mesh) = part.drawable().and_then(|drawable| coarsest[drawable.mesh as usize]) {
                    let colour = part.material().map_or([255; 4], |material| colours[material as usize]);
                    stand_in.append(&meshes[mesh as usize], &(home * part.fresh_world()), colour);
                }
            }
            // The lawn is drawn near and far.
            let near: Vec<_> =
                block.children().filter(|child| child.drawable().is_none()).map(|child| child.handle()).collect();
            let group = Node::group().with_view_range(ViewRange::new(0.0, BLOCK)?);
            let group = scene.insert(node, group.named("near"))?;
            for child in near {
                scene.reparent(child, group, Keep::Local)?;
            }
            let bounds = Aabb::from_points(stand_in.vertices.iter().map(|vertex| vertex.place.into()));
            let drawable = Drawable::new(add(stand_in, MOST, meshes, &mut of_meshes), bounds);
            let range = ViewRange::new(BLOCK, f32::INFINITY)?;
            let stand_in = Node::drawable(drawable).with_view_range(range).with_layers(STAND_INS);
            scene.insert(node, stand_in.named("stand-in"))?;
        }
        Ok(Self { table, of_meshes, on: true, coloured: false, triangles: [0; 2] })
    }
}

/// Adds a mesh of a level. Returns its number.
fn add(mesh: Mesh, level: u8, meshes: &mut Vec<Mesh>, of_meshes: &mut Vec<u8>) -> u32 {
    meshes.push(mesh);
    of_meshes.push(level);
    u32::try_from(meshes.len() - 1).expect("there are few meshes")
}
