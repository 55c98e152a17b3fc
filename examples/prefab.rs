//! A prefab with overrides: three lamps of one prefab, one of them changed, and the prefab's next version.
//!
//! The overrides are a `Patch`, which an editor saves, shows, reverts, or applies to the prefab.
//!
//! ```text
//! cargo run --example prefab
//! ```

use hedgerow::patch::{Field, Instance, Patch};
use hedgerow::{Node, Scene, Transform, Tree};
use std::error::Error;

/// Ids of the prefab's nodes, usually stored in its file.
const LAMP: u64 = 0;
const POST: u64 = 1;
const BULB: u64 = 2;

/// A street with instances of a prefab.
struct Street {
    scene: Scene,
    prefab: Tree,
    lamps: Vec<Instance>,
}

impl Street {
    fn new(prefab: Tree, lamps: u16) -> Result<Self, Box<dyn Error>> {
        let mut street = Self { scene: Scene::new(), prefab, lamps: Vec::new() };
        let root = street.scene.root();
        for number in 0..lamps {
            let mut lamp = Instance::insert(&mut street.scene, root, &street.prefab)?;
            // Nodes added to an instance get ids that the prefab never uses.
            lamp.begin_ids_at(1 << 32);
            street.scene.set_local(lamp.root(), Transform::from_xyz(10.0 * f32::from(number), 0.0, 0.0))?;
            street.lamps.push(lamp);
        }
        Ok(street)
    }

    fn overrides(&mut self, lamp: usize) -> Result<Patch, Box<dyn Error>> {
        self.lamps[lamp].assign(&self.scene)?; // gives ids to added nodes
        Ok(Patch::between(&self.prefab, &self.lamps[lamp].tree(&self.scene)?)?)
    }

    /// Gives all instances the next version of the prefab, and keeps their overrides.
    fn update(&mut self, next: Tree) -> Result<(), Box<dyn Error>> {
        let change = Patch::between(&self.prefab, &next)?;
        for number in 0..self.lamps.len() {
            let overrides = self.overrides(number)?;
            let (merged, conflicts) = Patch::merge(&overrides, &change)?;
            for conflict in conflicts {
                println!("lamp {number} keeps its own {:?} of node {}", conflict.field, conflict.id);
            }
            // This patch leads from the instance's present state to the wanted one.
            let step = overrides.inverse().then(&merged)?;
            step.apply(&mut self.scene, &mut self.lamps[number])?;
        }
        self.prefab = next;
        Ok(())
    }

    fn node(&self, lamp: usize, id: u64) -> Option<Node<'_>> {
        self.scene.get(self.lamps[lamp].node(id)?).map(|node| node.node())
    }
}

/// Returns the first version of the prefab, or the second, which has a brighter bulb and a shade.
fn prefab(version: u32) -> Tree {
    let mut tree = Tree::new();
    let lamp = tree.push(None, Node::group().named("lamp"));
    let post = tree.push(Some(lamp), Node::material(1).named("post"));
    let bulb = tree.push(Some(post), Node::material(version + 1).named("bulb"));
    if version == 2 {
        tree.push(Some(bulb), Node::group().named("shade"));
    }
    tree
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut street = Street::new(prefab(1), 3)?;
    // Edit one lamp by handles: give it a red bulb, a painted post, and a sign.
    let [post, bulb] = [POST, BULB].map(|id| street.lamps[1].node(id).expect("a node of the prefab"));
    street.scene.edit(bulb)?.set_material(77);
    street.scene.edit(post)?.set_material(5);
    street.scene.insert(post, Node::group().named("sign"))?;

    let mut overrides = street.overrides(1)?;
    println!("the second lamp has {} overrides, {} bytes", overrides.entries().len(), overrides.to_bytes().len());
    assert!(street.overrides(0)?.is_empty(), "the first one has none");

    // The next version: the bulb's material conflicts; all other changes reach the second lamp, too.
    street.update(prefab(2))?;
    let shade = street.prefab.id(3).expect("the fourth node");
    assert_eq!(street.node(0, BULB), Some(Node::material(3).named("bulb")));
    assert_eq!(street.node(1, BULB), Some(Node::material(77).named("bulb")));
    assert!((0..3).all(|lamp| street.node(lamp, shade) == Some(Node::group().named("shade"))));

    // Revert one override, the post's material.
    overrides = street.overrides(1)?;
    let revert = {
        let mut others = overrides.clone();
        others.retain(|entry| (entry.id, entry.field()) != (POST, Field::Material));
        overrides.inverse().then(&others)?
    };
    revert.apply(&mut street.scene, &mut street.lamps[1])?;
    assert_eq!(street.node(1, POST), Some(Node::material(1).named("post")));

    // Revert all names. The sign is an override as a whole, so it keeps its name.
    street.scene.edit(street.lamps[1].node(POST).expect("a node of the prefab"))?.set_name("mast");
    overrides = street.overrides(1)?;
    let mut others = overrides.clone();
    others.retain(|entry| entry.field() != Field::Name);
    overrides.inverse().then(&others)?.apply(&mut street.scene, &mut street.lamps[1])?;
    assert_eq!(street.node(1, POST), Some(Node::material(1).named("post")));

    // Apply the other overrides to the prefab: each lamp gets a red bulb and a sign.
    overrides = street.overrides(1)?;
    let next = street.prefab.patched(&overrides)?;
    street.update(next)?;
    assert!((0..3).all(|lamp| street.overrides(lamp).is_ok_and(|overrides| overrides.is_empty())));
    let lamp = street.lamps[2].node(LAMP).and_then(|lamp| street.scene.get(lamp)).expect("the third lamp");
    println!("the third lamp: {:?}", lamp.descendants().filter_map(|node| node.name()).collect::<Vec<_>>());
    assert!(lamp.find("post/sign").is_some());
    Ok(())
}
