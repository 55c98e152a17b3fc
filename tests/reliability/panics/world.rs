//! A scene with all data keyed by it, and checks that both still work.

use super::value::Value;
use hedgerow::changes::{DrawableMirror, DrawableStep, MatrixMirror, MirrorStep};
use hedgerow::data::{Column, Inherited, NodeMap};
use hedgerow::draw::{DrawGroups, DrawOrder};
use hedgerow::edit::EditQueue;
use hedgerow::{Aabb, DrawList, Drawable, Keep, Mat34, Node, NodeHandle, Place, Scene, SceneConfig, Transform};
use hedgerow_anim::{Skeleton, SkeletonBuilder, Skin};
use hedgerow_character::Sockets;

/// Combines the parent's value and the node's own.
pub(crate) fn combine(above: &Value, own: &Value) -> Value {
    super::value::tick();
    Value::new(above.0.wrapping_mul(3).wrapping_add(own.0))
}

/// Returns the key of a group.
pub(crate) fn key_of(number: u32) -> u32 {
    number % 3
}

pub(crate) struct World {
    pub(crate) scene: Scene,
    pub(crate) nodes: Vec<NodeHandle>,
    pub(crate) map: NodeMap<Value>,
    pub(crate) column: Column<Value>,
    pub(crate) inherited: Inherited<Value>,
    pub(crate) list: DrawList,
    pub(crate) groups: DrawGroups,
    pub(crate) order: DrawOrder,
    pub(crate) mirror: MatrixMirror,
    pub(crate) drawable_mirror: DrawableMirror,
    pub(crate) table: Vec<Option<u32>>,
    pub(crate) buffer: Vec<Mat34>,
    pub(crate) queue: EditQueue,
    pub(crate) skeleton: Skeleton,
    pub(crate) skin: Skin,
    pub(crate) sockets: Sockets,
    /// Nodes with a value in the column while they have their transforms.
    known: Vec<NodeHandle>,
}

impl World {
    pub(crate) fn new() -> Self {
        let config = SceneConfig { max_nodes: 32, bounds: true, changes: true, ..SceneConfig::DEFAULT };
        let mut scene = Scene::with_config(config).expect("the configuration makes sense");
        let mut nodes = vec![scene.root()];
        for number in 0..24_u8 {
            let parent = nodes[usize::from(number) / 3];
            let node = match number % 4 {
                0 => Node::group().with_name("group"),
                1 => Node::transform(Transform::from_xyz(f32::from(number), 0.0, 0.0)).with_material(2),
                _ => Node::transform(Transform::IDENTITY)
                    .with_drawable(Drawable::new(u32::from(number % 3), Aabb::cube(1.0))),
            };
            nodes.push(scene.insert(parent, node).expect("a plain insert"));
        }
        for (number, &node) in (0..).zip(&nodes) {
            scene.edit(node).expect("the node lives").set_user_data(number);
        }
        scene.reparent(nodes[4], Place::Detached, Keep::Local).expect("a branch");
        scene.update();
        let mut builder = SkeletonBuilder::new();
        builder.joint("root", None, Transform::IDENTITY);
        builder.joint("hand", Some(0), Transform::from_xyz(0.0, 1.0, 0.0));
        let (skeleton, _) = builder.build().expect("two joints");
        let skin = Skin::at_rest(&skeleton).expect("a skin");
        let mut sockets = Sockets::new();
        for (character, &node) in (0..).zip(&nodes[2..4]) {
            sockets.insert(&scene, node, character, 1, Transform::IDENTITY).expect("it has a transform");
        }
        let mut world = Self {
            scene,
            nodes,
            map: NodeMap::new(),
            column: Column::new(Value::new(0)),
            inherited: Inherited::new(Value::new(1), combine),
            list: DrawList::new(),
            groups: DrawGroups::new(),
            order: DrawOrder::new(),
            mirror: MatrixMirror::new(),
            drawable_mirror: DrawableMirror::new(),
            table: Vec::new(),
            buffer: Vec::new(),
            queue: EditQueue::new(),
            skeleton,
            skin,
            sockets,
            known: Vec::new(),
        };
        world.column.update(&world.scene);
        for (number, &node) in (1..).zip(&world.nodes) {
            _ = world.map.insert(node, Value::new(number));
            if number % 2 == 0 {
                world.inherited.set(node, Value::new(number));
            }
            if world.scene.local(node).is_some() {
                world.column.set(&world.scene, node, Value::new(number)).expect("it has a transform");
                world.known.push(node);
            }
        }
        world.inherited.run(&world.scene);
        world.draw();
        world.mirror();
        world
    }

    /// Moves nodes to other slices and slots, removes some, and inserts others that reuse their records.
    pub(crate) fn shuffle(&mut self) {
        let scene = &mut self.scene;
        scene.remove(self.nodes[20]).expect("a leaf");
        scene.remove(self.nodes[24]).expect("a leaf");
        for _ in 0..3 {
            let guest = Node::transform(Transform::IDENTITY).with_drawable(Drawable::new(1, Aabb::cube(1.0)));
            scene.insert(self.nodes[1], guest).expect("a plain insert");
        }
        scene.reparent(self.nodes[3], self.nodes[2], hedgerow::Keep::Local).expect("it is not above");
        scene.shrink_to_fit();
        scene.update();
    }

    /// Lists and groups the drawables.
    pub(crate) fn draw(&mut self) {
        self.scene.draw_list(&mut self.list);
        self.list.group_by_key(&mut self.groups, |command| Some(key_of(command.user_data)));
    }

    /// Syncs the buffer with the scene.
    pub(crate) fn mirror(&mut self) {
        let buffer = &mut self.buffer;
        self.mirror.sync(&self.scene, |step| {
            super::value::tick();
            match step {
                MirrorStep::Resize { len } => buffer.resize(len, Mat34::IDENTITY),
                MirrorStep::Write { first, matrices } => buffer[first..][..matrices.len()].copy_from_slice(matrices),
            }
        });
        let table = &mut self.table;
        self.drawable_mirror.sync(&self.scene, &self.mirror, |step| {
            super::value::tick();
            match step {
                DrawableStep::Resize { len } => table.resize(len, None),
                DrawableStep::Set { slot, matrix, .. } => table[slot] = Some(matrix),
                DrawableStep::Free { slots } => table[slots].fill(None),
            }
        });
    }

    /// Checks everything, makes a hundred more edits, and checks again.
    pub(crate) fn go_on(mut self, what: &str, call: usize) {
        self.check(what, call);
        let mut dice = fastrand::Rng::with_seed(call as u64);
        let mut made: Vec<NodeHandle> = self.nodes.iter().copied().filter(|&node| self.scene.contains(node)).collect();
        for _ in 0..100 {
            let node = made[dice.usize(..made.len())];
            if !self.scene.contains(node) {
                continue;
            }
            match dice.u8(..6) {
                0 if node != self.scene.root() => drop(self.scene.remove(node).expect("not the root")),
                1 => self.scene.set_local(node, Transform::from_xyz(dice.f32(), 0.0, 1.0)).expect("a live node"),
                2 => _ = self.scene.edit(node).expect("a live node").set_material(dice.u32(..4)),
                3 => drop(self.scene.reparent(node, made[0], hedgerow::Keep::Local)),
                _ => made.push(
                    self.scene
                        .insert(
                            node,
                            Node::transform(Transform::IDENTITY).with_drawable(Drawable::new(1, Aabb::cube(1.0))),
                        )
                        .expect("a live node"),
                ),
            }
        }
        self.check(what, call);
    }

    fn check(&mut self, what: &str, call: usize) {
        let at = format!("{what}, where call {call} panics");
        assert_eq!(self.scene.validate(), Ok(()), "{at}");
        self.scene.update();
        assert_eq!(self.scene.validate(), Ok(()), "{at}");
        assert_eq!(self.map.len(), self.map.iter().count(), "{at}");
        // Values stay with their nodes after any panic.
        self.column.update(&self.scene);
        for (number, &node) in (1..).zip(&self.nodes) {
            if self.scene.contains(node) && self.known.contains(&node) && self.scene.local(node).is_some() {
                let value = self.column.get(&self.scene, node).map(|value| value.0);
                assert_eq!(value, Some(number), "{at}: {node:?} has lost its value");
            }
        }
        self.inherited.run(&self.scene);
        for node in self.scene.get(self.scene.root()).unwrap().descendants().map(|node| node.handle()) {
            let above = match self.scene.parent(node) {
                Some(parent) => self.inherited.get(parent).map(|value| value.0),
                None => Some(1),
            };
            let above = above.unwrap_or_else(|| panic!("{at}: a parent has no result"));
            let own = self.inherited.local(node).map(|own| above.wrapping_mul(3).wrapping_add(own.0));
            assert_eq!(self.inherited.get(node).map(|value| value.0), Some(own.unwrap_or(above)), "{at}");
        }
        self.draw();
        let mut fresh = DrawGroups::new();
        self.list.group_by_key(&mut fresh, |command| Some(key_of(command.user_data)));
        assert_eq!((self.groups.groups(), self.groups.instances()), (fresh.groups(), fresh.instances()), "{at}");
        let len = self.list.len();
        self.list.order_by_key(&mut self.order, |_, command| Some(command.user_data.into()));
        assert_eq!(self.order.indices().len(), len, "{at}");
        self.mirror();
        for (index, matrix) in self.list.matrices().iter().enumerate() {
            let place = self.mirror.index(self.list.slots()[index]).unwrap_or_else(|| panic!("{at}: no place"));
            assert_eq!(self.buffer[place].to_bits(), matrix.to_bits(), "{at}");
            let slot = self.drawable_mirror.index(&self.scene, self.list.commands()[index].node);
            assert_eq!(slot.and_then(|slot| self.table[slot]), u32::try_from(place).ok(), "{at}");
        }
        let drawables: usize = self.scene.slices().map(|slice| slice.drawables().iter().count()).sum();
        assert_eq!(self.table.iter().flatten().count(), drawables, "{at}");
        let outcome = self.queue.apply(&mut self.scene);
        assert!(outcome.len() < 100, "{at}");
        let models = vec![Mat34::IDENTITY; 2];
        self.sockets.follow(&mut self.scene, &models).unwrap_or_else(|error| panic!("{at}: {error}"));
        assert_eq!(self.scene.validate(), Ok(()), "{at}");
    }
}
