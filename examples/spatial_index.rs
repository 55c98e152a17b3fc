//! A pass of your own over a scene's columns: a bounding-volume hierarchy of all drawables that follows the scene, and
//! computes only what changed.
//!
//! ```text
//! cargo run --release --example spatial_index -- [FRAMES]
//! ```
//!
//! Ships with turrets wander in random frames; some sink, others are launched, docked, hidden or refitted. Sometimes
//! updates are skipped, the scene is loaded or cloned, or a blend of two steps is shown. After each frame, the hierarchy
//! is compared with one that is built anew, and a query with [`Scene::query`].

use hedgerow::changes::{ChangedSlots, SliceChange, SliceCursor};
use hedgerow::glam::Vec3;
use hedgerow::motion::Smooth;
use hedgerow::visit::SliceView;
use hedgerow::{
    Aabb, Drawable, Error, Keep, Layers, Node, NodeHandle, Place, Scene, SceneConfig, Transform, Visibility,
};
use std::collections::BTreeMap;

/// The number of boxes that one box of the level above contains.
const GROUP: usize = 16;

/// A box for each drawable, each group of drawables, and each slice.
#[derive(Default)]
struct Hierarchy {
    cursor: SliceCursor,
    parts: BTreeMap<u32, Part>,
    /// The number of boxes computed from drawables.
    computed: usize,
}

/// The boxes of one slice, by drawable slot. Unused slots have empty boxes.
#[derive(PartialEq, Debug)]
struct Part {
    nodes: Vec<Option<NodeHandle>>,
    boxes: Vec<Aabb>,
    groups: Vec<Aabb>,
    own: Aabb,
}

impl Hierarchy {
    /// Takes over what changed since the last call.
    fn follow(&mut self, scene: &Scene) {
        for change in scene.changed_slices(&mut self.cursor) {
            match change {
                SliceChange::Gone { number } => drop(self.parts.remove(&number)),
                SliceChange::Rows { slice, .. } => {
                    let part = Part::of(slice);
                    self.computed += part.boxes.len();
                    self.parts.insert(slice.number(), part);
                }
                SliceChange::Slots { slice, slots } => {
                    let part = self.parts.get_mut(&slice.number()).expect("each slice comes with its rows first");
                    self.computed += part.refit(slice, slots);
                }
            }
        }
    }

    /// Returns the nodes whose boxes overlap, in the order of their handles.
    fn near(&self, area: &Aabb) -> Vec<NodeHandle> {
        let mut near = Vec::new();
        for part in self.parts.values().filter(|part| part.own.intersects(area)) {
            for (group, _) in part.groups.iter().enumerate().filter(|(_, bounds)| bounds.intersects(area)) {
                let slots = (group * GROUP..).zip(part.boxes.chunks(GROUP).nth(group).unwrap_or_default());
                let found = slots.filter(|(_, bounds)| bounds.intersects(area));
                near.extend(found.filter_map(|(slot, _)| part.nodes[slot]));
            }
        }
        near.sort_unstable();
        near
    }
}

impl Part {
    fn of(slice: SliceView<'_>) -> Self {
        let drawables = slice.drawables();
        let listed = || (0..drawables.len()).map(|slot| drawables.get(slot));
        let worlds = slice.transforms().worlds();
        let world_box = |drawable: hedgerow::visit::ListedDrawable| {
            drawable.drawable.bounds.transformed(&worlds[drawable.transform])
        };
        let mut part = Self {
            nodes: listed().map(|listed| Some(listed?.node)).collect(),
            boxes: listed().map(|listed| listed.map_or(Aabb::EMPTY, world_box)).collect(),
            groups: vec![Aabb::EMPTY; drawables.len().div_ceil(GROUP)],
            own: Aabb::EMPTY,
        };
        (0..part.groups.len()).for_each(|group| part.merge(group));
        part.own = merged(&part.groups);
        part
    }

    /// Computes the boxes of drawables whose matrices changed, and those above. Returns the number of drawables.
    fn refit(&mut self, slice: SliceView<'_>, slots: ChangedSlots<'_>) -> usize {
        let (drawables, worlds, mut computed) = (slice.drawables(), slice.transforms().worlds(), 0);
        for group in 0..self.groups.len() {
            let before = computed;
            for slot in group * GROUP..self.boxes.len().min((group + 1) * GROUP) {
                if let Some(listed) = drawables.get(slot).filter(|listed| slots.contains(listed.transform)) {
                    self.boxes[slot] = listed.drawable.bounds.transformed(&worlds[listed.transform]);
                    computed += 1;
                }
            }
            if computed > before {
                self.merge(group);
            }
        }
        self.own = merged(&self.groups);
        computed
    }

    fn merge(&mut self, group: usize) {
        self.groups[group] = merged(self.boxes.chunks(GROUP).nth(group).unwrap_or_default());
    }
}

fn merged(boxes: &[Aabb]) -> Aabb {
    boxes.iter().fold(Aabb::EMPTY, |all, bounds| all.merge(bounds))
}

/// Ships, and pseudorandom numbers that are the same at every run.
struct Sea {
    scene: Scene,
    ships: Vec<NodeHandle>,
    dice: fastrand::Rng,
}

impl Sea {
    fn afloat(&mut self) -> Transform {
        Transform::from_xyz(self.dice.f32() * 200.0 - 100.0, 0.0, self.dice.f32() * 200.0 - 100.0)
    }

    fn pick(&mut self) -> NodeHandle {
        self.ships[self.dice.usize(..self.ships.len())]
    }

    /// Inserts a ship with four turrets.
    fn launch(&mut self) -> Result<(), Error> {
        let ship = Node::transform(self.afloat()).with_drawable(Drawable::new(0, Aabb::cube(2.0)));
        let ship = self.scene.insert(self.scene.root(), ship)?;
        for turret in 0..4 {
            let offset = Transform::from_xyz(0.0, 1.0, turret as f32 - 1.5);
            let turret = Node::transform(offset).with_drawable(Drawable::new(1, Aabb::cube(0.3)));
            self.scene.insert(ship, turret)?;
        }
        self.ships.push(ship);
        Ok(())
    }

    fn edit(&mut self) -> Result<(), Error> {
        let (ship, other) = (self.pick(), self.pick());
        match self.dice.u32(..12) {
            0 => self.launch()?,
            1 if self.ships.len() > 100 => {
                self.scene.remove(ship)?;
                self.ships.retain(|&ship| self.scene.contains(ship));
            }
            // A ship cannot be docked at one that is docked at it.
            2 => _ = self.scene.reparent(ship, other, Keep::World),
            3 => _ = self.scene.reparent(ship, self.scene.root(), Keep::Local)?,
            4 => _ = self.scene.reparent(ship, Place::Detached, Keep::Local)?,
            5 => {
                let drawable = Drawable::new(2, Aabb::cube(self.dice.f32()));
                self.scene.edit(ship)?.set_drawable(drawable)?;
            }
            6 => {
                self.scene.edit(ship)?.set_visibility(Visibility::Hidden);
            }
            _ => {
                let transform = self.afloat();
                self.scene.set_local(ship, transform)?;
            }
        }
        Ok(())
    }
}

/// Lets the hierarchy follow, and compares it with one that is built anew.
fn follow(hierarchy: &mut Hierarchy, scene: &Scene) -> Result<(), Box<dyn std::error::Error>> {
    hierarchy.follow(scene);
    let mut anew = Hierarchy::default();
    anew.follow(scene);
    let (area, mut near) = (Aabb::new(Vec3::splat(-30.0), Vec3::splat(30.0)), Vec::new());
    scene.query(&area, Layers::ALL, &mut near)?;
    near.sort_unstable();
    // A query leaves out what is hidden; a hierarchy does not.
    let shown = |node: &NodeHandle| scene.get(*node).is_some_and(|node| !node.layers().is_empty());
    let found: Vec<NodeHandle> = hierarchy.near(&area).into_iter().filter(shown).collect();
    if hierarchy.parts != anew.parts || found != near {
        return Err("the hierarchy is out of step with the scene".into());
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let frames = std::env::args().nth(1).map_or(Ok(200), |frames| frames.parse::<u32>())?;
    let scene =
        Scene::with_config(SceneConfig { bounds: true, changes: true, max_nodes: 256, ..SceneConfig::DEFAULT })?;
    let mut sea = Sea { scene, ships: Vec::new(), dice: fastrand::Rng::with_seed(1) };
    (0..300).try_for_each(|_| sea.launch())?;
    sea.scene.update();
    let mut hierarchy = Hierarchy::default();
    let mut smooth = Smooth::new(&sea.scene)?;
    for _ in 0..frames {
        for _ in 0..sea.dice.u32(..12) {
            sea.edit()?;
        }
        sea.scene.update();
        smooth.step(&sea.scene)?;
        match sea.dice.u32(..12) {
            0 | 1 => continue,
            2 => sea.scene = Scene::from_bytes(&sea.scene.to_bytes())?,
            3 => sea.scene = sea.scene.clone(),
            4 => follow(&mut hierarchy, &sea.scene.clone())?,
            5 => follow(&mut hierarchy, &smooth.blend(&mut sea.scene, 0.5))?,
            _ => {}
        }
        sea.scene.update();
        follow(&mut hierarchy, &sea.scene)?;
    }
    let drawables: usize = sea.scene.slices().map(|slice| slice.drawables().iter().count()).sum();
    println!(
        "{frames} frames with {drawables} drawables: {} boxes computed a frame",
        hierarchy.computed / frames.max(1) as usize
    );
    Ok(())
}
