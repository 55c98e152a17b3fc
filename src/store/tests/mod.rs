//! Random edits against a naive tree, with `validate()` after each.

mod bytes;
mod naive;
mod validate;

use crate::NodeHandle;
use crate::store::record::RecordId;
use crate::store::{Position, Store};
use crate::{Aabb, Drawable, Local, Node, SceneConfig, Transform, Visibility};
use fastrand::Rng;
use naive::Naive;

/// A store, and what it should be.
struct Pair {
    store: Store,
    naive: Naive,
    dice: Rng,
}

impl Pair {
    fn new(max_nodes: u32, seed: u64) -> Self {
        let mut store = Store::new(SceneConfig { max_nodes, ..SceneConfig::DEFAULT });
        store.update();
        let naive = Naive::new(store.handle(RecordId::ROOT));
        Self { store, naive, dice: Rng::with_seed(seed) }
    }

    fn local(&mut self) -> Local {
        let mut number = || self.dice.f32() * 4.0 - 2.0;
        let transform = Transform {
            translation: [number(), number(), number()].into(),
            rotation: glam::Quat::from_rotation_y(number()),
            scale: [1.0, number().abs() + 0.1, 1.0].into(),
        };
        if self.dice.u32(0..30) == 0 {
            let mut matrix = transform.to_matrix();
            matrix.rows[0][1] += 3.0;
            return Local::Matrix(matrix);
        }
        Local::Transform(transform.checked().unwrap())
    }

    fn any(&mut self) -> NodeHandle {
        self.naive.any(&mut self.dice)
    }

    fn id(&self, node: NodeHandle) -> RecordId {
        self.store.resolve(node).expect("a node that lives")
    }

    /// A position below or beside a node.
    fn position(&mut self) -> Position {
        let parent = self.any();
        let children = self.naive.children(Some(parent));
        let next = match self.dice.usize(0..=children.len()) {
            at if at < children.len() && self.dice.bool() => self.id(children[at]),
            _ => RecordId::NIL,
        };
        Position { parent: self.id(parent), next }
    }

    fn insert(&mut self) {
        let at = self.position();
        let mut node = Node::group();
        if self.dice.u32(0..3) > 0 {
            node.local = Some(self.local());
        }
        if self.dice.u32(0..4) == 0 {
            node.material = Some(self.dice.u32(0..5));
        }
        if self.dice.u32(0..3) == 0 {
            node.drawable = Some(Drawable::new(self.dice.u32(0..9), Aabb::cube(1.0)));
        }
        if self.dice.u32(0..9) == 0 {
            node.visibility = Some(Visibility::layers(self.dice.u32(0..4)));
        }
        if self.dice.u32(0..9) == 0 {
            node.name = Some("named");
        }
        let handle = self.store.insert(at, &node).unwrap();
        let next = at.next.some().map(|next| self.store.handle(next));
        self.naive.insert(handle, &node, (Some(self.store.handle(at.parent)), next));
    }

    fn edit(&mut self) {
        let node = self.any();
        let id = self.id(node);
        match self.dice.u32(0..20) {
            0..=6 => self.insert(),
            7..=8 if id != RecordId::ROOT => {
                // Large subtrees seldom.
                if self.naive.count(node) < 8 || self.dice.u32(0..8) == 0 {
                    assert_eq!(self.store.remove(id), self.naive.remove(node));
                }
            }
            9..=10 if id != RecordId::ROOT => {
                let at = self.position();
                if at.next != id && !self.store.is_in_subtree(at.parent, id) {
                    self.store.relocate(id, at);
                    let next = at.next.some().map(|next| self.store.handle(next));
                    self.naive.relocate(node, (Some(self.store.handle(at.parent)), next));
                }
            }
            11 if id != RecordId::ROOT => {
                self.store.relocate(id, Position::DETACHED);
                self.naive.relocate(node, (None, None));
            }
            12 => {
                let local = self.local();
                self.store.set_local(id, local);
                self.naive.node_mut(node).local = Some(local);
            }
            13 if id != RecordId::ROOT => {
                assert_eq!(self.store.remove_local(id), self.naive.node_mut(node).local.take());
            }
            14 => {
                let material = (self.dice.u32(0..3) > 0).then(|| self.dice.u32(0..5));
                let before = self.store.own_material(id);
                self.store.set_material(id, material);
                assert_eq!(before, core::mem::replace(&mut self.naive.node_mut(node).material, material));
            }
            15 => {
                let own = (self.dice.u32(0..2) > 0).then(|| Visibility::layers(self.dice.u32(0..4)));
                let before = self.store.own_visibility(id);
                self.store.set_visibility(id, own);
                assert_eq!(before, core::mem::replace(&mut self.naive.node_mut(node).visibility, own));
            }
            16 => {
                let drawable = (self.dice.u32(0..3) > 0).then(|| Drawable::new(self.dice.u32(0..9), Aabb::cube(2.0)));
                let before = self.store.drawable(id);
                self.store.set_drawable(id, drawable);
                assert_eq!(before, core::mem::replace(&mut self.naive.node_mut(node).drawable, drawable));
            }
            17 => {
                let children = self.naive.children(Some(node));
                let mut ids: Vec<RecordId> = children.iter().map(|&child| self.id(child)).collect();
                self.dice.shuffle(&mut ids);
                self.store.order_children(id, &ids);
                self.naive.order(node, ids.iter().map(|&id| self.store.handle(id)).collect());
            }
            _ => {
                if let Local::Transform(transform) = self.local()
                    && self.store.set_plain(node, &transform).is_some()
                {
                    self.naive.node_mut(node).local = Some(Local::Transform(transform));
                }
            }
        }
    }

    /// Structure and own values; after an update also world matrices, to the bit.
    fn compare(&self, updated: bool) {
        assert_eq!(self.store.validate().as_ref(), Ok(&self.naive.len()), "seed");
        for (handle, node) in self.naive.iter() {
            let id = self.id(handle);
            let parent = self.store.parent(id).map(|id| self.store.handle(id));
            assert_eq!(parent, node.parent);
            let children: Vec<_> = self.store.pages.children(id).map(|id| self.store.handle(id)).collect();
            assert_eq!(children, node.children);
            let described = self.store.node(id);
            assert_eq!((described.local, described.material), (node.local, node.material));
            assert_eq!((described.drawable, described.visibility), (node.drawable, node.visibility));
            assert_eq!(described.name, node.name.as_deref());
            if updated {
                let world = self.naive.world(handle);
                assert_eq!(self.store.world(handle).map(|world| world.to_bits()), Some(world.to_bits()));
                assert_eq!(self.store.fresh_world(id).to_bits(), world.to_bits());
            }
        }
        self.naive.gone().for_each(|handle| assert_eq!(self.store.resolve(handle), None));
    }

    /// What a draw list would be made of.
    fn compare_drawables(&self) {
        let mut listed: Vec<_> = (self.store.slices.in_tree().iter())
            .flat_map(|&number| {
                let slice = &self.store.slices.slices[number as usize];
                slice.used_drawables.iter().map(|at| {
                    let record = slice.drawables.records[at];
                    (record.node, record.mesh, record.material(), record.layers)
                })
            })
            .collect();
        listed.sort_unstable();
        let mut expected = self.naive.drawables();
        expected.sort_unstable();
        assert_eq!(listed, expected);
    }
}

/// Any edits in slices of a size, compared after each few, and after each update.
fn any_edits(max_nodes: u32, seed: u64, edits: usize, between: usize) {
    let mut pair = Pair::new(max_nodes, seed);
    for edit in 0..edits {
        pair.edit();
        if pair.dice.usize(0..between) == 0 {
            pair.store.update();
            pair.compare(true);
            pair.compare_drawables();
        } else if edit % 7 == 0 {
            pair.compare(false);
        }
    }
    pair.store.update();
    pair.compare(true);
    pair.compare_drawables();
    pair.store.clear();
    assert_eq!(pair.store.validate(), Ok(1));
    pair.store.update();
    assert_eq!(pair.store.validate(), Ok(1));
}

#[test]
fn any_edits_agree_with_a_naive_tree_in_slices_of_any_size() {
    for (max_nodes, seeds, edits) in [(8, 60_u8, 400), (16, 60, 400), (256, 20, 2000), (4096, 8, 2000)] {
        for seed in 0..seeds {
            any_edits(max_nodes, u64::from(seed), edits, 1 + usize::from(seed) % 40);
        }
    }
}

#[test]
fn a_great_build_is_placed_at_once_and_in_pieces() {
    for (max_nodes, count) in [(8, 300_u16), (256, 5000), (4096, 30_000)] {
        for deep in [1_u32, 4, 1 << 30] {
            let mut pair = Pair::new(max_nodes, u64::from(deep));
            let mut nodes = vec![RecordId::ROOT];
            let count = usize::from(count);
            for at in 0..count {
                let parent = nodes[nodes.len() - 1 - pair.dice.usize(0..nodes.len().min(deep as usize))];
                let local = Transform::from_xyz(at as f32, 1.0, 0.0);
                let handle = pair.store.insert(Position::last_of(parent), &Node::transform(local)).unwrap();
                nodes.push(pair.id(handle));
            }
            pair.store.update();
            assert_eq!(pair.store.validate(), Ok(count + 1));
            // A chain's matrices take a product for each node above.
            let worlds = |store: &Store| {
                nodes.iter().step_by(count / 50).all(|&id| {
                    store.world(store.handle(id)).map(|world| world.to_bits()) == Some(store.fresh_world(id).to_bits())
                })
            };
            assert!(worlds(&pair.store));
            // All are set.
            for &id in &nodes[1..] {
                let handle = pair.store.handle(id);
                pair.store.set_plain(handle, &Transform::from_xyz(1.0, 0.5, id.0 as f32)).unwrap();
            }
            pair.store.update();
            assert!(worlds(&pair.store));
            assert_eq!(pair.store.validate(), Ok(count + 1));
        }
    }
}

#[test]
fn records_are_spent_and_never_used_again() {
    use crate::store::page::GENERATIONS;
    let before = GENERATIONS.replace(5);
    let mut store = Store::new(SceneConfig::DEFAULT);
    let mut handles = std::collections::HashSet::new();
    for round in 0..20 {
        let handle = store.insert(Position::last_of(RecordId::ROOT), &Node::group()).unwrap();
        assert!(handles.insert(handle));
        let id = store.resolve(handle).unwrap();
        store.remove(id);
        if round % 3 == 0 {
            store.update();
        }
        if round % 4 == 0 {
            let before = bytes::saved(&store);
            store = bytes::loaded(&before).unwrap();
            assert!(bytes::saved(&store) == before);
        }
        assert_eq!(store.validate(), Ok(1));
    }
    assert!(store.pages.spent() >= 6);
    GENERATIONS.set(before);
}
