//! The town: a grid of blocks with houses and trees, and streets with lanterns and cars.
//!
//! Blocks and streets are children of the root. The same seed gives the same town, to the last bit.

use crate::dice::Dice;
use crate::house::{self, House};
use crate::parts::{Material, Mesh, Site};
use hedgerow::glam::{Quat, Vec3};
use hedgerow::{Error, Node, NodeHandle, Scene, SceneConfig, Transform};
use std::f32::consts::{FRAC_PI_2, PI, TAU};

/// The number of blocks along each side of the town; each direction has one street more.
pub(crate) const BLOCKS: usize = 8;
/// Metres from one street to the next.
pub(crate) const PITCH: f32 = 80.0;
/// Height of a tree's crown above its root, in metres.
pub(crate) const CROWN: Vec3 = Vec3::new(0.0, 2.2, 0.0);
/// The places of a car's wheels: front left, front right, rear left, rear right.
pub(crate) const AXLES: [(Vec3, &str); 4] = [
    (Vec3::new(-0.8, 0.32, 1.4), "wheel_fl"),
    (Vec3::new(0.8, 0.32, 1.4), "wheel_fr"),
    (Vec3::new(-0.8, 0.32, -1.4), "wheel_rl"),
    (Vec3::new(0.8, 0.32, -1.4), "wheel_rr"),
];

const LOTS_PER_BLOCK: usize = 10;
const TREES_PER_BLOCK: usize = 44;
const CARS_PER_STREET: usize = 36;
const LANTERNS_PER_STREET: usize = 32;

/// The handles that the life of the town needs.
pub(crate) struct Town {
    pub(crate) streets: Vec<Street>,
    pub(crate) lots: Vec<Lot>,
    pub(crate) trees: Vec<Tree>,
    pub(crate) cars: Vec<Car>,
}

/// A street; the z axis of its node runs along it.
pub(crate) struct Street {
    pub(crate) node: NodeHandle,
    pub(crate) traffic: NodeHandle,
    pub(crate) lanterns: NodeHandle,
}

/// A piece of ground for a house.
pub(crate) struct Lot {
    pub(crate) node: NodeHandle,
    pub(crate) house: Option<House>,
}

/// A tree; its crown moves.
pub(crate) struct Tree {
    pub(crate) crown: NodeHandle,
    pub(crate) phase: f32,
}

/// A car: `along` metres down a street, at `speed` metres a frame (negative: the other way, in the other lane).
pub(crate) struct Car {
    pub(crate) node: NodeHandle,
    pub(crate) wheels: [NodeHandle; 4],
    pub(crate) street: usize,
    pub(crate) along: f32,
    pub(crate) speed: f32,
}

/// Returns the place of a street: the first [`BLOCKS`] + 1 run along x, the others along z.
fn street_place(number: usize) -> Transform {
    let (turn, rank) = if number <= BLOCKS { (FRAC_PI_2, number) } else { (0.0, number - BLOCKS - 1) };
    let offset = rank as f32 * PITCH;
    let corner = if number <= BLOCKS { Vec3::new(0.0, 0.0, offset) } else { Vec3::new(offset, 0.0, 0.0) };
    Transform::from_translation(corner).with_rotation(Quat::from_rotation_y(turn))
}

/// Builds the town of this seed.
pub(crate) fn build(seed: u64, config: SceneConfig) -> Result<(Scene, Town), Error> {
    let mut scene = Scene::with_config(config)?;
    let mut dice = Dice::new(seed);
    let mut site = Site::new(&mut scene, &mut dice);
    let mut town = Town { streets: Vec::new(), lots: Vec::new(), trees: Vec::new(), cars: Vec::new() };
    for number in 0..2 * (BLOCKS + 1) {
        street(&mut site, &mut town, number)?;
    }
    for row in 0..BLOCKS {
        for column in 0..BLOCKS {
            block(&mut site, &mut town, row, column)?;
        }
    }
    Ok((scene, town))
}

fn street(site: &mut Site<'_>, town: &mut Town, number: usize) -> Result<(), Error> {
    let root = site.scene.root();
    let length = BLOCKS as f32 * PITCH;
    let street = site.frame(root, street_place(number), &format!("street_{number}"))?;
    site.put(street, Mesh::Asphalt.at(0.0, -0.05, 0.5 * length).with_material(Material::Asphalt as u32))?;

    let lanterns = site.put(street, Node::material(Material::Steel as u32).with_name("lanterns"))?;
    for i in 0..LANTERNS_PER_STREET {
        let side = if i % 2 == 0 { -4.5 } else { 4.5 };
        let along = (i as f32 + 0.5) * length / LANTERNS_PER_STREET as f32;
        let pole = site.put(lanterns, Mesh::Pole.at(side, 0.0, along))?;
        site.put(pole, Mesh::Lantern.at(0.0, 5.0, 0.0).with_material(Material::Light as u32))?;
    }

    let traffic = site.put(street, Node::group().with_name("traffic"))?;
    for _ in 0..CARS_PER_STREET {
        let along = site.dice.between(0.0, length);
        let speed = site.dice.between(0.1, 0.4) * site.dice.pick(&[-1.0, 1.0]);
        let car = car(site, traffic, number, along, speed)?;
        town.cars.push(car);
    }
    town.streets.push(Street { node: street, traffic, lanterns });
    Ok(())
}

fn car(site: &mut Site<'_>, traffic: NodeHandle, street: usize, along: f32, speed: f32) -> Result<Car, Error> {
    let colour = site.dice.pick(&[Material::Red, Material::Blue, Material::White]);
    let node =
        site.put(traffic, Node::transform(car_place(along, speed)).with_material(colour as u32).with_name("car"))?;
    let body = site.put(node, Mesh::CarBody.at(0.0, 0.3, 0.0).with_name("body"))?;
    site.put(body, Mesh::CarCabin.at(0.0, 0.8, -0.2).with_material(Material::Glass as u32))?;
    for side in [-0.6, 0.6] {
        site.put(body, Mesh::Headlight.at(side, 0.4, 2.1).with_material(Material::Light as u32))?;
    }
    let mut wheels = [node; 4];
    for (wheel, (axle, name)) in wheels.iter_mut().zip(AXLES) {
        *wheel = site.frame(node, Transform::from_translation(axle), name)?;
        site.put(*wheel, Node::drawable(Mesh::Tyre.drawable()).with_material(Material::Rubber as u32))?;
    }
    Ok(Car { node, wheels, street, along, speed })
}

/// Returns the place of a car on its street: in the right lane, facing forward.
pub(crate) fn car_place(along: f32, speed: f32) -> Transform {
    let (lane, heading) = if speed < 0.0 { (-2.0, PI) } else { (2.0, 0.0) };
    Transform::from_xyz(lane, 0.0, along).with_rotation(Quat::from_rotation_y(heading))
}

fn block(site: &mut Site<'_>, town: &mut Town, row: usize, column: usize) -> Result<(), Error> {
    let centre = Transform::from_xyz((column as f32 + 0.5) * PITCH, 0.0, (row as f32 + 0.5) * PITCH);
    let root = site.scene.root();
    let block = site.frame(root, centre, &format!("block_{row}_{column}"))?;
    site.put(block, Mesh::Lawn.at(0.0, -0.02, 0.0).with_material(Material::Grass as u32))?;
    for number in 0..LOTS_PER_BLOCK {
        // Two rows of houses, each facing its street.
        let back = number >= LOTS_PER_BLOCK / 2;
        let x = (number % (LOTS_PER_BLOCK / 2)) as f32 * 13.0 - 26.0;
        let (z, heading) = if back { (-26.0, PI) } else { (26.0, 0.0) };
        let place = Transform::from_xyz(x, 0.0, z).with_rotation(Quat::from_rotation_y(heading));
        let node = site.frame(block, place, &format!("lot_{number}"))?;
        let house = house::build(site, node)?;
        town.lots.push(Lot { node, house: Some(house) });
    }
    for _ in 0..TREES_PER_BLOCK {
        let tree = tree(site, block)?;
        town.trees.push(tree);
    }
    Ok(())
}

fn tree(site: &mut Site<'_>, block: NodeHandle) -> Result<Tree, Error> {
    let (x, z) = (site.dice.between(-32.0, 32.0), site.dice.between(-18.0, 18.0));
    let size = site.dice.between(0.7, 1.4);
    let leaf = if site.dice.chance(0.2) { Material::Autumn } else { Material::Leaf };
    let node = site.frame(block, Transform::from_xyz(x, 0.0, z).with_scale(Vec3::splat(size)), "tree")?;
    site.put(node, Mesh::Trunk.at(0.0, 0.0, 0.0).with_material(Material::Bark as u32))?;
    let crown = site.frame(node, Transform::from_translation(CROWN), "crown")?;
    let leaves = site.put(crown, Node::material(leaf as u32))?;
    for (x, y) in [(-0.6, 0.0), (0.6, 0.2), (0.0, 1.2)] {
        site.put(leaves, Mesh::Foliage.at(x, y, 0.0))?;
    }
    Ok(Tree { crown, phase: site.dice.between(0.0, TAU) })
}
