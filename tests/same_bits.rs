//! A scripted scene has the same bits on every machine: the hashes hold for every instruction set, pointer width and
//! compiler. `.ci/other-machines` runs this on 64-bit ARM, 32-bit x86 and WebAssembly. With all features, it runs at
//! each level of the machine.
//!
//! If a hash changes, results changed on purpose, or something depends on the machine. Inputs are computed from
//! integers, without functions of the system's mathematical library.

mod numbers;

use hedgerow::changes::ChangeReader;
use hedgerow::glam::{DVec3, Mat4, Quat, Vec3};
use hedgerow::math::internal::level::at_levels;
use hedgerow::query::{Boxes, Frustum, Ray, Sphere};
use hedgerow::{
    Aabb, DrawList, Drawable, Keep, Layers, Local, Mat34, Node, NodeHandle, Place, Scene, SceneConfig, Transform, Tree,
    draw::DrawGroups,
};
use hedgerow_mesh::{MeshSet, SubMesh};
use numbers::{Dice, Hash};

trait OfScene {
    fn number(&mut self, number: u64);
    fn nodes(&mut self, nodes: &[NodeHandle]);
    fn numbers(&mut self, numbers: &[u32]);
}

impl OfScene for Hash {
    fn number(&mut self, number: u64) {
        self.bytes(&number.to_le_bytes());
    }

    fn nodes(&mut self, nodes: &[NodeHandle]) {
        self.number(nodes.len() as u64);
        nodes.iter().for_each(|node| self.number(node.to_bits()));
    }

    fn numbers(&mut self, numbers: &[u32]) {
        self.number(numbers.len() as u64);
        numbers.iter().for_each(|&number| self.number(number.into()));
    }
}

/// Returns a transform whose rotation the scene normalises, in double precision.
fn transform(dice: &mut Dice) -> Transform {
    let [x, y, z] = dice.vector().to_array();
    Transform {
        translation: dice.vector() * 8.0,
        rotation: Quat::from_xyzw(x, y, z, dice.signed() * 0.5 + 1.0),
        scale: Vec3::ONE + dice.vector() * 0.125,
    }
}

fn small_box(dice: &mut Dice) -> Aabb {
    let (center, half) = (dice.vector() * 2.0, dice.vector().abs());
    Aabb::new(center - half, center + half)
}

/// The state of the script, and the hashes of what it read.
struct Script {
    scene: Scene,
    nodes: Vec<NodeHandle>,
    dice: Dice,
    list: DrawList,
    reader: ChangeReader,
    worlds: Hash,
    locals: Hash,
    order: Hash,
    changes: Hash,
    culled: Hash,
    queried: Hash,
    drawn: Hash,
}

impl Script {
    fn new() -> Self {
        let mut dice = Dice(88_172_645_463_325_252);
        let mut tree = Tree::new();
        for number in 1..900 {
            // The root of the scene is before all others.
            let parent = if number % 5 == 0 { 0 } else { dice.below(number) };
            tree.push(parent.checked_sub(1), node(&mut dice, number));
        }
        let mut scene =
            Scene::with_config(SceneConfig { changes: true, bounds: true, max_nodes: 128, ..SceneConfig::DEFAULT })
                .unwrap();
        let mut nodes = vec![scene.root()];
        nodes.extend(scene.insert_tree(nodes[0], &tree).unwrap());
        let (list, reader) = (DrawList::new(), ChangeReader::new());
        let [worlds, locals, order, changes, culled, queried, drawn] = [Hash::new(); 7];
        Self { scene, nodes, dice, list, reader, worlds, locals, order, changes, culled, queried, drawn }
    }

    fn pick(&mut self) -> NodeHandle {
        self.nodes[1 + self.dice.below(self.nodes.len() - 1)]
    }

    fn edit(&mut self, step: usize) {
        let node = self.pick();
        match step % 11 {
            0..=3 => {
                let local = transform(&mut self.dice);
                if self.scene.local(node).is_some() {
                    self.scene.set_local(node, local).unwrap();
                }
            }
            4 => {
                let child = self::node(&mut self.dice, step);
                self.nodes.push(self.scene.insert(Place::FirstChildOf(node), child).unwrap());
            }
            5 => {
                let to = self.pick();
                // The move is refused below the node itself, and for some sheared transforms.
                let _ = self.scene.reparent(node, to, Keep::World);
            }
            6 => {
                let to = self.pick();
                let _ = self.scene.reparent(node, Place::After(to), Keep::Local);
            }
            7 if self.scene.get(node).is_none_or(|node| node.descendants().count() <= 30) => {
                self.scene.remove(node).unwrap();
                let scene = &self.scene;
                self.nodes.retain(|&node| scene.contains(node));
            }
            8 => {
                let [a, b, c] =
                    [self.dice.vector(), self.dice.vector(), self.dice.vector()].map(|vector| vector.to_array());
                let matrix = Mat34 {
                    rows: [[a[0] + 2.0, a[1], a[2], 1.0], [b[0], b[1] + 2.0, b[2], 0.0], [c[0], c[1], c[2] + 2.0, 3.0]],
                };
                if self.scene.local(node).is_some() {
                    self.scene.set_local(node, matrix).unwrap();
                }
            }
            9 => {
                let target = self.dice.vector() * 50.0;
                let _ = self.scene.edit(node).and_then(|mut node| node.look_at(target, Vec3::Y).map(|_| ()));
            }
            _ => {
                let world = transform(&mut self.dice);
                let _ = self.scene.set_world(node, world);
            }
        }
    }

    /// Updates the scene and hashes all of it.
    fn frame(&mut self) {
        self.scene.update();
        let scene = &self.scene;
        for node in scene.get(scene.root()).unwrap().descendants().map(|node| node.handle()).skip(1) {
            self.order.number(node.to_bits());
            self.order.number(scene.get(node).and_then(|node| node.material()).map_or(u64::MAX, u64::from));
            self.order
                .number(scene.get(node).map(|node| node.layers()).map_or(u64::MAX, |layers| layers.mask().into()));
            if let Some(world) = scene.world(node) {
                self.worlds.matrix(world);
            }
            match scene.local(node) {
                Some(Local::Transform(Transform { translation, rotation, scale })) => {
                    self.locals.floats(&translation.to_array());
                    self.locals.floats(&rotation.to_array());
                    self.locals.floats(&scale.to_array());
                }
                Some(Local::Matrix(matrix)) => self.locals.matrix(&matrix),
                _ => self.locals.number(0),
            }
        }
        let changes = scene.changes(&mut self.reader).unwrap();
        if changes.is_whole() {
            self.changes.number(1);
        } else {
            for nodes in [changes.moved(), changes.visibility(), changes.entered(), changes.left()] {
                self.changes.nodes(nodes);
            }
        }
        self.look();
        self.draw();
    }

    fn look(&mut self) {
        let (scene, mut nodes, mut hits) = (&self.scene, Vec::new(), Vec::new());
        let eye = self.dice.vector() * 20.0;
        for frustum in [frustum(eye, false), frustum(eye, true)] {
            scene.query(&frustum, Layers::ALL, &mut nodes).unwrap();
            self.culled.nodes(&nodes);
            frustum.planes().iter().for_each(|plane| self.culled.floats(plane));
        }
        let bounds = scene.get(scene.root()).unwrap().subtree_bounds();
        self.culled.floats(&bounds.min.to_array());
        self.culled.floats(&bounds.max.to_array());

        let sphere = Sphere::new(self.dice.vector() * 20.0, 15.0).unwrap();
        scene.query(&sphere, Layers::ALL, &mut nodes).unwrap();
        self.queried.nodes(&nodes);
        let bounds = small_box(&mut self.dice);
        let bounds = Aabb::new(bounds.min * 10.0, bounds.max * 10.0);
        scene.query(&bounds, Layers::ALL, &mut nodes).unwrap();
        self.queried.nodes(&nodes);
        for _ in 0..8 {
            let ray = Ray::new(self.dice.vector() * 40.0, self.dice.vector()).unwrap();
            scene.cast_ray(&ray, Layers::ALL, &mut hits).unwrap();
            for hit in &hits {
                self.queried.number(hit.node.to_bits());
                self.queried.floats(&[hit.distance]);
            }
        }
    }

    fn draw(&mut self) {
        let mut groups = DrawGroups::default();
        self.scene.draw_list(&mut self.list);
        for (command, matrix) in self.list.commands().iter().zip(self.list.matrices()) {
            self.drawn.number(command.node.to_bits());
            self.drawn.numbers(&[command.mesh, command.material().map_or(0, |material| material + 1)]);
            self.drawn.number(command.is_mirrored().into());
            self.drawn.matrix(matrix);
        }
        self.list.group(&mut groups);
        self.drawn.numbers(groups.instances());
        let mut relative = DrawList::new();
        relative.set_eye(DVec3::new(1e6 + 0.1, -3.0, 1e5 + 0.7));
        self.scene.draw_list(&mut relative);
        relative.relative_matrices().iter().for_each(|matrix| self.drawn.matrix(matrix));
    }

    fn saved(&self) -> u64 {
        let mut hash = Hash::new();
        hash.bytes(&self.scene.to_bytes());
        let subtree = self.scene.children(self.scene.root()).next().unwrap();
        hash.bytes(&self.scene.copy_tree(subtree).unwrap().to_bytes());
        let read = Scene::from_bytes(&self.scene.to_bytes()).unwrap();
        assert_eq!(read.to_bytes(), self.scene.to_bytes());
        hash.0
    }
}

/// Returns a node with some components.
fn node(dice: &mut Dice, number: usize) -> Node<'static> {
    let mesh = u32::try_from(number % 7).unwrap();
    let mut node = match number % 4 {
        0 => Node::drawable(Drawable::new(mesh, small_box(dice))),
        1 => Node::transform(transform(dice)).with_name("moved"),
        _ => Node::transform(transform(dice)).with_drawable(Drawable::new(mesh, small_box(dice))),
    };
    if number.is_multiple_of(13) {
        node = node.with_material(mesh + 3);
    }
    if number.is_multiple_of(31) {
        node = node.with_layers(Layers::new(mesh | 1));
    }
    node
}

/// Returns a camera of 90°, or an oblique one.
fn frustum(eye: Vec3, oblique: bool) -> Frustum {
    let skew = if oblique { 0.25 } else { 0.0 };
    let (near, far) = (0.1_f32, 60.0_f32);
    let depth = far / (near - far);
    let projection =
        [[0.75, 0.0, 0.0, 0.0], [skew, 1.0, 0.0, 0.0], [skew, 0.0, depth, -1.0], [0.0, 0.0, depth * near, 0.0]];
    // The view only moves by −eye. The product is written out, because glam's depends on the machine.
    let [x, y, z] = (-eye).to_array();
    let [a, b, c, d] = projection;
    let last = core::array::from_fn(|row| ((a[row] * x + b[row] * y) + c[row] * z) + d[row]);
    Frustum::from_view_projection(&Mat4::from_cols_array_2d(&[a, b, c, last])).unwrap()
}

/// Hashes queries of boxes and sub-meshes, without a scene.
fn lists() -> u64 {
    let (mut dice, mut hash, mut visible) = (Dice(1_234_567), Hash::new(), Vec::new());
    let mut boxes = Vec::new();
    for _ in 0..500 {
        let world = transform(&mut dice).to_matrix();
        boxes.push(small_box(&mut dice).transformed(&world));
    }
    let mut set = MeshSet::new();
    for (number, bounds) in (0..).zip(boxes.chunks(3)) {
        let parts: Vec<SubMesh> = bounds.iter().map(|&bounds| SubMesh::new(0..3, number % 4, bounds)).collect();
        set.insert(number, &parts).unwrap();
    }
    let list: Boxes = boxes.iter().copied().collect();
    for _ in 0..10 {
        let frustum = frustum(dice.vector() * 10.0, true);
        list.cull(&frustum, &mut visible);
        hash.numbers(&visible);
        set.cull(&frustum, &mut visible);
        hash.numbers(&visible);
    }
    hash.0
}

/// Plays the script. Returns the hashes by name.
fn play() -> Vec<(&'static str, u64)> {
    let mut script = Script::new();
    script.frame();
    for frame in 0..6 {
        (0..80).for_each(|step| script.edit(step + frame));
        script.frame();
        if frame == 3 {
            script.scene.shrink_to_fit();
        }
    }
    script.scene.validate().unwrap();
    assert!(script.scene.stats().slices > 5 && script.nodes.len() > 500 && !script.list.is_empty());
    let saved = script.saved();
    let Script { worlds, locals, order, changes, culled, queried, drawn, .. } = script;
    vec![
        ("world matrices", worlds.0),
        ("local transforms", locals.0),
        ("order and effective values", order.0),
        ("changes", changes.0),
        ("culling", culled.0),
        ("spheres, boxes and rays", queried.0),
        ("draw lists", drawn.0),
        ("lists of boxes and sub-meshes", lists()),
        ("bytes of snapshots", saved),
    ]
}

#[test]
fn a_scene_has_the_same_bits_on_every_machine() {
    let expected = [
        ("world matrices", 0x4608_3842_51be_e28d),
        ("local transforms", 0x4673_8f7b_209d_e56c),
        ("order and effective values", 0x6e03_9542_a08f_c55b),
        ("changes", 0x6cd7_236b_70b1_3ab2),
        ("culling", 0x6b7f_862a_1dd2_88be),
        ("spheres, boxes and rays", 0xd117_e0de_4611_f078),
        ("draw lists", 0x87eb_97e5_5c47_2ac8),
        ("lists of boxes and sub-meshes", 0x048c_50dd_9317_9754),
        ("bytes of snapshots", 0xf161_603a_9bba_a530),
    ];
    at_levels(|level| assert_eq!(play(), expected, "at {level:?}"));
}
