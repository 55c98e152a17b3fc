//! A house: walls, a roof, a front door, and rooms with furniture, about 110 nodes.

use crate::parts::{COATS, Material, Mesh, Site};
use hedgerow::glam::{Quat, Vec3};
use hedgerow::{Error, Node, NodeHandle, Transform};
use std::f32::consts::FRAC_PI_2;

/// Height of a storey, in metres.
const STOREY: f32 = 2.8;
/// The rooms of the two storeys, from left to right.
const STOREYS: [[&str; 3]; 2] = [["kitchen", "hall", "parlour"], ["bedroom", "bathroom", "study"]];

pub(crate) struct House {
    pub(crate) node: NodeHandle,
    pub(crate) rooms: Vec<Room>,
    pub(crate) doors: Vec<Door>,
}

/// A room and the movable things in it.
pub(crate) struct Room {
    pub(crate) node: NodeHandle,
    pub(crate) furniture: Vec<NodeHandle>,
}

/// The hinge of a door: rotation about its y axis opens the door.
pub(crate) struct Door {
    pub(crate) hinge: NodeHandle,
    pub(crate) place: Vec3,
}

pub(crate) fn build(site: &mut Site<'_>, lot: NodeHandle) -> Result<House, Error> {
    let coat = site.dice.pick(&COATS);
    let node = site.put(lot, Node::transform(Transform::IDENTITY).with_material(coat as u32).with_name("house"))?;
    for side in [0.0, 1.0, 2.0, 3.0] {
        let turn = Quat::from_rotation_y(side * FRAC_PI_2);
        let wall = Transform::from_rotation(turn).with_translation(turn * Vec3::new(0.0, 0.0, 4.0));
        site.put(node, Node::transform(wall).with_drawable(Mesh::Wall.drawable()))?;
    }
    let roof = site.put(node, Mesh::Roof.at(0.0, 6.0, 0.0).with_material(Material::Tile as u32).with_name("roof"))?;
    site.put(roof, Mesh::Chimney.at(2.0, 1.0, 1.0).with_material(Material::Brick as u32))?;

    let mut doors = vec![door(site, node, Vec3::new(-0.5, 0.0, 4.2), Mesh::Door)?];
    let mut rooms = Vec::new();
    for (names, storey) in STOREYS.iter().zip([0.0, 1.0]) {
        let floor = site.frame(node, Transform::from_xyz(0.0, STOREY * storey, 0.0), "storey")?;
        for (name, column) in names.iter().zip([-1.0, 0.0, 1.0]) {
            rooms.push(room(site, floor, name, column, &mut doors)?);
        }
    }
    Ok(House { node, rooms, doors })
}

/// Builds a room: floor, window, lamp, inner door and two to five pieces of furniture.
fn room(site: &mut Site<'_>, floor: NodeHandle, name: &str, column: f32, doors: &mut Vec<Door>) -> Result<Room, Error> {
    let node = site.frame(floor, Transform::from_xyz(2.6 * column, 0.0, 0.0), name)?;
    site.put(node, Mesh::Floor.at(0.0, 0.0, 0.0).with_material(Material::Pine as u32))?;
    site.put(node, Mesh::Window.at(0.0, 0.9, 4.0).with_material(Material::Glass as u32))?;
    let cable = site.frame(node, Transform::from_xyz(0.0, 2.4, 0.0), "lamp")?;
    site.put(cable, Mesh::Lamp.at(0.0, -0.4, 0.0).with_material(Material::Light as u32))?;
    doors.push(door(site, node, Vec3::new(1.3, 0.0, -1.0), Mesh::Door)?);

    let mut furniture = Vec::new();
    for _ in 0..2 + site.dice.below(4) {
        furniture.push(piece(site, node, doors)?);
    }
    Ok(Room { node, furniture })
}

/// Builds a piece of furniture, and the things on it.
fn piece(site: &mut Site<'_>, room: NodeHandle, doors: &mut Vec<Door>) -> Result<NodeHandle, Error> {
    let mesh = site.dice.pick(&[Mesh::Table, Mesh::Chair, Mesh::Chair, Mesh::Bed, Mesh::Cabinet]);
    let material = match mesh {
        Mesh::Bed => Material::Linen,
        Mesh::Chair => Material::Leather,
        _ => Material::Oak,
    };
    let place = spot(site);
    let piece = site.put(
        room,
        Node::transform(place).with_drawable(mesh.drawable()).with_material(material as u32).with_name("furniture"),
    )?;
    match mesh {
        Mesh::Table => {
            for _ in 0..1 + site.dice.below(4) {
                let (x, z) = (site.dice.between(-0.6, 0.6), site.dice.between(-0.3, 0.3));
                site.put(piece, Mesh::Cup.at(x, 0.75, z).with_material(Material::China as u32))?;
            }
        }
        Mesh::Cabinet => {
            for side in [-0.9, 0.0] {
                doors.push(door(site, piece, Vec3::new(side, 0.0, 0.3), Mesh::CabinetDoor)?);
            }
        }
        _ => {}
    }
    Ok(piece)
}

/// Returns a random place in a room, with a quarter turn.
pub(crate) fn spot(site: &mut Site<'_>) -> Transform {
    let (x, z) = (site.dice.between(-1.0, 1.0), site.dice.between(-3.5, 3.5));
    let turn = site.dice.pick(&[0.0, 1.0, 2.0, 3.0]) * FRAC_PI_2;
    Transform::from_xyz(x, 0.1, z).with_rotation(Quat::from_rotation_y(turn))
}

/// Builds a hinge with a leaf and a knob.
fn door(site: &mut Site<'_>, parent: NodeHandle, place: Vec3, mesh: Mesh) -> Result<Door, Error> {
    let hinge = site.frame(parent, Transform::from_translation(place), "door")?;
    let leaf = site.put(hinge, mesh.at(0.45, 0.0, 0.0).with_material(Material::Oak as u32))?;
    site.put(leaf, Mesh::Knob.at(0.35, 1.0, 0.05).with_material(Material::Steel as u32))?;
    Ok(Door { hinge, place })
}
