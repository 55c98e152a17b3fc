//! A hundred houses of one prefab, in which another is nested. Some have overrides, which are applied and reverted.

use super::{Play, Stage, town};
use crate::dice::Dice;
use crate::failure::Result;
use crate::house;
use crate::parts::{Material, Mesh as Part, Site};
use hedgerow::glam::{DVec3, Quat, Vec3};
use hedgerow::{Node, NodeHandle, Scene, SceneConfig, Transform, Tree, Visibility};
use hedgerow_document::{Document, Entry, Field, History, Key, Library, Patch, Path, Spot, Value};

/// The overridden fields with their names, and the share of houses with each override.
const FIELDS: [(Field, &str); 3] =
    [(Field::Material, "material"), (Field::Local, "local"), (Field::Visibility, "hidden roof")];
const SHARE: f32 = 0.3;

/// The definitions: the street uses the house, which uses the roof.
const STREET: &str = "street";
const HOUSE: &str = "house";
const ROOF: &str = "roof";

/// The houses with their overrides, as a document.
pub(crate) struct Prefabs {
    document: Document,
    /// The overrides of each field, applied or not.
    overrides: [Vec<(Path, Value)>; 3],
}

/// Returns a hundred houses on a lawn, with all their overrides.
pub(super) fn stage(seed: u64) -> Result<Stage> {
    let (mut plan, mut dice) = (Scene::new(), Dice::new(seed));
    let root = plan.root();
    let house = house::build(&mut Site::new(&mut plan, &mut dice), root)?.node;
    let roof = plan.get(house).and_then(|house| house.find("roof")).expect("each house has a roof").handle();
    let mut library = Library::new();
    library.apply(&library.define(ROOF, &plan.copy_tree(roof)?)?)?;
    plan.remove(roof)?;
    library.apply(&library.define(HOUSE, &plan.copy_tree(house)?)?)?;
    let roof = library.next_id(HOUSE);
    let behind_the_walls = Spot::below(0, 3.5);
    library.apply(&library.place(HOUSE, behind_the_walls, ROOF, Node::group())?)?;

    let mut street = Tree::new();
    let top = street.push(None, Node::group());
    let wide = Transform::from_scale(Vec3::new(2.4, 1.0, 2.4));
    let lawn = Node::transform(wide).with_drawable(Part::Lawn.drawable()).with_material(Material::Grass as u32);
    street.push(Some(top), lawn.with_name("lawn"));
    let lots = (0..100_u16).map(|number| {
        let [x, z] = [number % 10, number / 10].map(|at| 13.0 * (f32::from(at) - 4.5));
        street.push(Some(top), Node::transform(Transform::from_xyz(x, 0.0, z)))
    });
    let lots: Vec<u64> = lots.map(|lot| lot as u64).collect();
    library.apply(&library.define(STREET, &street)?)?;
    let mut overrides: [Vec<_>; 3] = Default::default();
    for lot in lots {
        let house = library.next_id(STREET);
        library.apply(&library.place(STREET, Spot::below(lot, 0.0), HOUSE, Node::group())?)?;
        let mut state = |number: usize, path: Path, node: Node<'_>| {
            overrides[number].extend(Value::of(&node, FIELDS[number].0).map(|value| (path, value)));
        };
        if dice.chance(SHARE) {
            state(0, house.into(), Node::material(dice.pick(&[Material::Red, Material::Blue]) as u32));
        }
        if dice.chance(SHARE) {
            state(1, house.into(), Node::transform(Transform::from_rotation(Quat::from_rotation_y(0.6))));
        }
        if dice.chance(SHARE) {
            state(2, [house, roof].into(), Node::group().with_visibility(Visibility::Hidden));
        }
    }
    for stated in &overrides {
        library.apply(&switched(&library, stated, true)?)?;
    }

    let mut scene = Scene::with_config(SceneConfig { bounds: true, changes: true, ..SceneConfig::DEFAULT })?;
    let root = scene.root();
    let document = Document::open(&mut scene, root, library, STREET)?;
    let play = Play::Prefabs(Box::new(Prefabs { document, overrides }));
    let view = [DVec3::new(34.0, 60.0, 80.0), DVec3::new(5.0, 0.0, 10.0)];
    Ok(town::painted("a hundred houses", scene, town::meshes(), play, view))
}

/// Returns the patch that applies or reverts overrides of houses that are there.
fn switched(library: &Library, overrides: &[(Path, Value)], on: bool) -> Result<Patch> {
    let there = |path: &Path| library.get(&Key::new(STREET, path.ids()[0], Field::Place)).is_some();
    let entry = |(path, value): &(Path, Value)| {
        let key = Key::new(STREET, path.clone(), value.field());
        Entry { before: library.get(&key).cloned(), after: on.then(|| value.clone()), key }
    };
    Ok(Patch::from_entries(overrides.iter().filter(|(path, _)| there(path)).map(entry).collect())?)
}

impl Prefabs {
    /// Returns the names of overrides, and whether any of each is applied.
    pub(super) fn switches(&self) -> Vec<(&'static str, bool)> {
        let states = |(path, value): &(Path, Value)| {
            self.document.library().get(&Key::new(STREET, path.clone(), value.field())).is_some()
        };
        FIELDS.iter().zip(&self.overrides).map(|(&(_, name), stated)| (name, stated.iter().any(states))).collect()
    }

    /// Applies or reverts all overrides of a field, as one step; other edits of the houses stay.
    pub(super) fn switch(&mut self, scene: &mut Scene, number: usize) -> Result<()> {
        self.commit(scene, false)?;
        let (Some(overrides), Some((_, on))) = (self.overrides.get(number), self.switches().get(number).copied())
        else {
            return Ok(());
        };
        let patch = switched(self.document.library(), overrides, !on)?;
        self.document.apply(scene, &patch)?;
        Ok(())
    }

    /// Makes the edits since the last step a step, or adds them to it. Returns whether there were any.
    pub(crate) fn commit(&mut self, scene: &mut Scene, amends: bool) -> Result<bool> {
        if self.document.commit(scene)?.is_empty() {
            return Ok(false);
        }
        if amends {
            self.document.amend();
        }
        Ok(true)
    }

    /// Undoes or redoes a step; `None` if there is none. Returns the first node there that the step changed.
    pub(crate) fn go(&mut self, scene: &mut Scene, back: bool) -> Result<Option<Option<NodeHandle>>> {
        self.commit(scene, false)?;
        let step = if back { self.document.undo(scene)? } else { self.document.redo(scene)? };
        let Some(step) = step else { return Ok(None) };
        Ok(Some(step.entries().iter().find_map(|entry| self.document.node(scene, &entry.key.path))))
    }

    /// Makes the present state the first one.
    pub(super) fn begin(&mut self, scene: &mut Scene) -> Result<()> {
        self.commit(scene, false)?;
        *self.document.history_mut() = History::default();
        Ok(())
    }

    /// Returns how many steps can be undone and redone.
    pub(crate) fn steps(&self) -> [usize; 2] {
        let history = self.document.history();
        [history.done().len(), history.undone().len()]
    }
}
