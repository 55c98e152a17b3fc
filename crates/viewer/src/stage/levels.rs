//! The town's levels of detail: coarser meshes of its parts, and a stand-in for each block in its first state.

use super::geometry::Mesh;
use crate::failure::Result;
use crate::parts::Mesh::{self as Part, *};
use hedgerow::glam::Vec3;
use hedgerow::query::LevelsOfDetail;
use hedgerow::{Aabb, Drawable, Keep, Layers, Node, Scene, ViewRange};

/// The distance from which blocks draw their stand-ins, and the level and layer of stand-ins.
const BLOCK: f32 = 200.0;
pub(super) const STAND_IN: u8 = 3;
pub(super) const STAND_INS: Layers = Layers::new(1 << 31);

/// A distance, and the function that makes the mesh to draw from that distance on. The function takes the fine mesh and
/// the mesh's box. If there is no function, nothing is drawn.
type Level = (f32, Option<fn(&Mesh, Aabb) -> Mesh>);
const FRONT: Level = (50.0, Some(|mesh, _| mesh.facing(|normal| normal.z > 0.5)));

const LEVELS: [(&[Part], &[Level]); 11] = [
    (&[Wall, Window], &[FRONT]),
    (&[Door], &[FRONT, (110.0, None)]),
    (&[Roof], &[(50.0, Some(|mesh, _| mesh.facing(|normal| normal.y > -0.5)))]),
    (&[Trunk], &[(50.0, Some(|_, at| Mesh::column(at, 3, 0.6, false)))]),
    (&[Foliage], &[(50.0, Some(|_, at| Mesh::foliage(at, 4, 6))), (110.0, Some(|_, at| Mesh::foliage(at, 3, 4)))]),
    (&[Pole], &[(50.0, Some(|_, at| Mesh::column(at, 3, 0.5, false))), (160.0, None)]),
    (&[Tyre], &[(50.0, Some(|_, at| Mesh::column(at, 5, 1.0, true))), (110.0, None)]),
    (&[Person], &[(50.0, Some(|_, _| Mesh::column(BODY, 5, 0.6, false))), (160.0, None)]),
    (&[Lantern, Chimney], &[(160.0, None)]),
    (&[Headlight, HandLamp], &[(50.0, None)]),
    // Solid walls hide these parts.
    (&[Knob, Floor, Lamp, Table, Chair, Bed, Cabinet, CabinetDoor, Cup], &[(30.0, None)]),
];

/// The box of a person without arms.
const BODY: Aabb = Aabb::new(Vec3::new(-0.24, 0.0, -0.2), Vec3::new(0.24, 1.85, 0.2));

/// The levels of detail of the town.
pub struct Levels {
    pub(crate) table: LevelsOfDetail,
    /// Whether levels are on, and whether draws have the colours of their levels.
    pub(super) switches: [bool; 2],
    /// The number of triangles seen at the last count, with and without levels.
    pub triangles: [usize; 2],
}

impl Levels {
    /// Appends coarser meshes and stand-ins to `meshes`, and gives each block a node for its stand-in. `colours` has
    /// the colours of materials.
    pub(super) fn new(scene: &mut Scene, meshes: &mut Vec<Mesh>, colours: &[[u8; 4]]) -> Result<Self> {
        let mut table = LevelsOfDetail::new();
        // Stand-ins consist of the coarsest meshes.
        let mut coarsest = vec![None; meshes.len()];
        for (&part, levels) in LEVELS.iter().flat_map(|(parts, levels)| parts.iter().map(|part| (part, *levels))) {
            let mut coarser = Vec::new();
            for (level, &(from, make)) in (1..).zip(levels) {
                let mesh = make.map(|make| make(&meshes[part as usize], part.drawable().bounds));
                coarser.push((from, mesh.as_ref().map(|_| meshes.len() as u32)));
                meshes.extend(mesh.map(|mesh| Mesh { level, ..mesh }));
            }
            coarsest[part as usize] = coarser.last().and_then(|level| level.1);
            table.insert(part as u32, &coarser)?;
        }
        let root = scene.get(scene.root()).expect("it is always there");
        let blocks = root.children().filter(|node| node.name().is_some_and(|name| name.starts_with("block")));
        for node in blocks.map(|block| block.handle()).collect::<Vec<_>>() {
            let block = scene.get(node).expect("a child of the root");
            let home = block.fresh_world().inverse().expect("blocks are only moved");
            let mut whole = Mesh { level: STAND_IN, ..Mesh::default() };
            for part in block.descendants() {
                if let Some(mesh) = part.drawable().and_then(|drawable| coarsest[drawable.mesh as usize]) {
                    let colour = part.material().map_or([255; 4], |material| colours[material as usize]);
                    whole.append(&meshes[mesh as usize], &(home * part.fresh_world()), colour);
                }
            }
            // The lawn is drawn at all distances.
            let near: Vec<_> = block.children().filter(|it| it.drawable().is_none()).map(|it| it.handle()).collect();
            let group =
                scene.insert(node, Node::group().with_view_range(ViewRange::new(0.0, BLOCK)?).with_name("near"))?;
            near.into_iter().try_for_each(|child| scene.reparent(child, group, Keep::Local).map(drop))?;
            let bounds = Aabb::from_points(whole.vertices.iter().map(|vertex| vertex.place.into()));
            let stand_in = Node::drawable(Drawable::new(meshes.len() as u32, bounds)).with_layers(STAND_INS);
            let stand_in = stand_in.with_view_range(ViewRange::new(BLOCK, f32::INFINITY)?);
            scene.insert(node, stand_in.with_name("stand-in"))?;
            meshes.push(whole);
        }
        Ok(Self { table, switches: [true, false], triangles: [0; 2] })
    }
}
