//! Meshes and materials of the town, and a builder that inserts nodes.

use crate::dice::Dice;
use hedgerow::glam::Vec3;
use hedgerow::{Aabb, Drawable, Error, Node, NodeHandle, Scene, Transform};

/// The meshes of the town; a renderer would load one for each.
#[derive(Clone, Copy)]
#[repr(u32)]
pub(crate) enum Mesh {
    Asphalt,
    Lawn,
    Pole,
    Lantern,
    Wall,
    Roof,
    Chimney,
    Floor,
    Window,
    Door,
    Knob,
    Lamp,
    Table,
    Chair,
    Bed,
    Cabinet,
    CabinetDoor,
    Cup,
    Trunk,
    Foliage,
    CarBody,
    CarCabin,
    Headlight,
    Tyre,
    Person,
    HandLamp,
}

impl Mesh {
    /// Returns the drawable of this mesh. Its box stands on the origin, with the mesh's width, height and depth in
    /// metres.
    pub(crate) fn drawable(self) -> Drawable {
        let (width, height, depth) = match self {
            Self::Asphalt => (8.0, 0.05, 640.0),
            Self::Lawn => (68.0, 0.02, 68.0),
            Self::Pole => (0.2, 5.0, 0.2),
            Self::Lantern => (0.4, 0.3, 0.8),
            Self::Wall => (8.0, 6.0, 0.3),
            Self::Roof => (8.6, 2.4, 8.6),
            Self::Chimney => (0.6, 1.6, 0.6),
            Self::Floor => (2.6, 0.1, 7.6),
            Self::Window => (1.2, 1.4, 0.1),
            Self::Door | Self::CabinetDoor => (0.9, 2.0, 0.05),
            Self::Knob => (0.1, 0.1, 0.1),
            Self::Lamp => (0.4, 0.3, 0.4),
            Self::Table => (1.4, 0.75, 0.8),
            Self::Chair => (0.5, 0.9, 0.5),
            Self::Bed => (1.0, 0.5, 2.1),
            Self::Cabinet => (1.8, 2.0, 0.6),
            Self::Cup => (0.08, 0.1, 0.08),
            Self::Trunk => (0.4, 2.5, 0.4),
            Self::Foliage => (2.2, 2.0, 2.2),
            Self::CarBody => (1.8, 0.8, 4.2),
            Self::CarCabin => (1.6, 0.6, 2.2),
            Self::Headlight => (0.3, 0.2, 0.1),
            Self::Tyre => (0.22, 0.64, 0.64),
            Self::Person => (1.2, 1.85, 0.4),
            Self::HandLamp => (0.15, 0.25, 0.15),
        };
        // A tyre is centred on its axle and turns about it.
        let base = if matches!(self, Self::Tyre) { -0.5 * height } else { 0.0 };
        let low = Vec3::new(-0.5 * width, base, -0.5 * depth);
        Drawable::new(self as u32, Aabb::new(low, low + Vec3::new(width, height, depth)))
    }

    /// Returns a leaf node: this mesh at a place, with the inherited material.
    pub(crate) fn at(self, x: f32, y: f32, z: f32) -> Node<'static> {
        Node::transform(Transform::from_xyz(x, y, z)).with_drawable(self.drawable())
    }
}

#[derive(Clone, Copy)]
#[repr(u32)]
pub(crate) enum Material {
    Asphalt,
    Grass,
    Steel,
    Light,
    Brick,
    Plaster,
    Clinker,
    Tile,
    Glass,
    Oak,
    Pine,
    Leather,
    Linen,
    China,
    Bark,
    Leaf,
    Autumn,
    Red,
    Blue,
    White,
    Rubber,
}

/// The materials of houses.
pub(crate) const COATS: [Material; 3] = [Material::Brick, Material::Plaster, Material::Clinker];

/// Inserts nodes into a scene, and counts them.
pub(crate) struct Site<'s> {
    pub(crate) scene: &'s mut Scene,
    pub(crate) dice: &'s mut Dice,
    pub(crate) inserted: usize,
}

impl<'s> Site<'s> {
    pub(crate) fn new(scene: &'s mut Scene, dice: &'s mut Dice) -> Self {
        Self { scene, dice, inserted: 0 }
    }

    /// Inserts `node` as the last child of `parent`.
    pub(crate) fn put(&mut self, parent: NodeHandle, node: Node<'_>) -> Result<NodeHandle, Error> {
        self.inserted += 1;
        self.scene.insert(parent, node)
    }

    /// Inserts a node that has only a transform.
    pub(crate) fn frame(&mut self, parent: NodeHandle, transform: Transform, name: &str) -> Result<NodeHandle, Error> {
        self.put(parent, Node::transform(transform).with_name(name))
    }
}
