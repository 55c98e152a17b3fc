//! A hundred houses of one prefab: some have overrides, which are applied and reverted as patches.

use super::{Play, Stage, town};
use crate::dice::Dice;
use crate::failure::Result;
use crate::house;
use crate::parts::{Material, Mesh as Part, Site};
use hedgerow::glam::{DVec3, Quat, Vec3};
use hedgerow::patch::{Field, Instance, Patch};
use hedgerow::{Node, Scene, SceneConfig, Transform, Tree, Visibility};

/// The overridden fields with their names, and the number of houses with each override.
const FIELDS: [(Field, &str); 3] =
    [(Field::Material, "material"), (Field::Local, "local"), (Field::Visibility, "hidden roof")];
const SHARE: f32 = 0.3;

/// The houses with their overrides.
pub(super) struct Prefabs {
    prefab: Tree,
    /// Each house, and its overrides, applied or not.
    houses: Vec<(Instance, Patch)>,
    /// Whether each field's overrides are applied.
    applied: [bool; 3],
}

/// Returns a hundred houses on a lawn, with all their overrides.
pub(super) fn stage(seed: u64) -> Result<Stage> {
    let (mut plan, mut dice) = (Scene::new(), Dice::new(seed));
    let root = plan.root();
    let house = house::build(&mut Site::new(&mut plan, &mut dice), root)?.node;
    let prefab = plan.tree(house)?;
    let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT })?;
    let root = scene.root();
    let wide = Transform::from_scale(Vec3::new(2.4, 1.0, 2.4));
    let lawn = Node::transform(wide).with_drawable(Part::Lawn.drawable()).with_material(Material::Grass as u32);
    scene.insert(root, lawn.named("lawn"))?;
    let mut houses = Vec::new();
    for number in 0..100_u16 {
        let lot = Instance::insert(&mut scene, root, &prefab).map_err(hedgerow::Error::from)?;
        let [x, z] = [number % 10, number / 10].map(|at| 13.0 * (f32::from(at) - 4.5));
        scene.set_local(lot.root(), Transform::from_xyz(x, 0.0, z))?;
        // Overrides are ordinary edits.
        let house = lot.node(0).expect("the first node of the prefab");
        if dice.chance(SHARE) {
            scene.edit(house)?.set_material(dice.pick(&[Material::Red, Material::Blue]) as u32);
        }
        if dice.chance(SHARE) {
            scene.set_local(house, Transform::from_rotation(Quat::from_rotation_y(0.6)))?;
        }
        let roof = scene.get(house).and_then(|house| house.find("roof")).map(|roof| roof.handle());
        if let Some(roof) = roof.filter(|_| dice.chance(SHARE)) {
            scene.edit(roof)?.set_visibility(Visibility::Hidden);
        }
        let overrides = Patch::between(&prefab, &lot.tree(&scene)?)?;
        houses.push((lot, overrides));
    }
    let play = Play::Prefabs(Box::new(Prefabs { prefab, houses, applied: [true; 3] }));
    let view = [DVec3::new(34.0, 60.0, 80.0), DVec3::new(5.0, 0.0, 10.0)];
    Ok(town::painted("a hundred houses", scene, town::meshes(), play, view))
}

impl Prefabs {
    /// Returns the names of overrides, and whether each is applied.
    pub(super) fn switches(&self) -> Vec<(&'static str, bool)> {
        FIELDS.iter().zip(self.applied).map(|(&(_, name), applied)| (name, applied)).collect()
    }

    /// Applies or reverts all overrides of a field; other edits of the houses stay.
    pub(super) fn switch(&mut self, scene: &mut Scene, number: usize) -> Result<()> {
        let Some((&(field, _), applied)) = FIELDS.get(number).zip(self.applied.get_mut(number)) else { return Ok(()) };
        for (lot, overrides) in &mut self.houses {
            let tree = lot.tree(scene)?;
            let now = Patch::between(&self.prefab, &tree)?;
            let (mut own, mut wanted) = (overrides.clone(), now.clone());
            own.retain(|entry| entry.field() == field && tree.index_of(entry.id).is_some());
            wanted.retain(|entry| own.get(entry.id, entry.field()).is_none());
            if !*applied {
                wanted = Patch::merge(&wanted, &own)?.0;
            }
            now.inverse().then(&wanted)?.apply(scene, lot)?;
        }
        *applied = !*applied;
        Ok(())
    }
}
