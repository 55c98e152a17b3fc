//! A table of drawables and buffers of matrices that steps keep, in frames of every kind; those of random edits alone
//! are in `crates/model/src/model/renderer.rs`.

use hedgerow::changes::{ChangeReader, DrawableMirror, DrawableStep, MatrixMirror, MatrixSlot, MirrorStep};
use hedgerow::checkpoints::Checkpoints;
use hedgerow::motion::Smooth;
use hedgerow::visit::ListedDrawable;
use hedgerow::{
    Aabb, Drawable, Keep, Layers, Mat34, Node, NodeHandle, Place, Scene, SceneConfig, Transform, ViewRange,
};
use hedgerow_testkit::frames::{ball, edit};
use std::collections::BTreeMap;

const TRACKED: SceneConfig = SceneConfig { changes: true, max_nodes: 32, ..SceneConfig::DEFAULT };

/// What a renderer keeps: a table of drawables, and buffers of matrices and of previous matrices.
#[derive(Default)]
struct Kept {
    scatters: bool,
    matrix_mirror: MatrixMirror,
    matrices: Vec<Mat34>,
    /// The matrices that the sync before this one showed.
    previous: Vec<Mat34>,
    /// The indices that the last sync wrote.
    written: Vec<usize>,
    drawable_mirror: DrawableMirror,
    table: Vec<Option<(u32, ListedDrawable)>>,
}

impl Kept {
    fn scattering() -> Self {
        Self { scatters: true, ..Self::default() }
    }

    /// Syncs everything, and returns the number of steps of the table. Previous matrices follow the written ones, without
    /// a pass over all.
    fn sync(&mut self, scene: &Scene) -> usize {
        let Self { scatters, matrix_mirror, matrices, previous, written, drawable_mirror, table } = self;
        written.drain(..).for_each(|at| previous[at] = matrices[at]);
        let mut write = |all: &mut Vec<Mat34>, at: usize, matrix: Mat34| {
            previous.resize(all.len(), Mat34::IDENTITY);
            previous[at] = core::mem::replace(&mut all[at], matrix);
            written.push(at);
        };
        let step = |step: MirrorStep<'_>| match step {
            MirrorStep::Resize { len } => matrices.resize(len, Mat34::IDENTITY),
            MirrorStep::Write { first, matrices: new } => {
                new.iter().zip(first..).for_each(|(&matrix, at)| write(matrices, at, matrix));
            }
        };
        if *scatters {
            let (_, scattered) = matrix_mirror.scatter(scene, step);
            let list = scattered.indices().iter().zip(scattered.matrices());
            list.for_each(|(&at, &matrix)| write(matrices, at as usize, matrix));
        } else {
            matrix_mirror.sync(scene, step);
        }
        drawable_mirror.sync(scene, matrix_mirror, |step| match step {
            DrawableStep::Resize { len } => table.resize(len, None),
            DrawableStep::Set { slot, matrix, drawable } => {
                let same = table[slot].is_some_and(|(at, before)| (at, before.node) == (matrix, drawable.node));
                if !same
                    && scene.local(drawable.node).is_some()
                    && let Some(world) = scene.get(drawable.node).unwrap().previous_world()
                {
                    previous[matrix as usize] = *world;
                }
                table[slot] = Some((matrix, drawable));
            }
            DrawableStep::Free { slots } => table[slots].fill(None),
        })
    }

    /// Compares the table and the matrices, by node, with what the slices have.
    #[track_caller]
    fn check(&self, scene: &Scene, frame: usize) {
        let mut kept: BTreeMap<NodeHandle, _> =
            self.table.iter().flatten().map(|&(matrix, drawable)| (drawable.node, (matrix, drawable))).collect();
        for slice in scene.slices() {
            for drawable in slice.drawables().iter() {
                let slot = u32::try_from(drawable.transform).unwrap();
                let index = self.matrix_mirror.index(MatrixSlot { slice: slice.number(), slot }).unwrap();
                let (matrix, found) = kept.remove(&drawable.node).unwrap();
                assert_eq!((matrix as usize, found), (index, drawable), "frame {frame}");
                let world = &slice.transforms().worlds()[drawable.transform];
                assert!(self.matrices[index].same_bits(world), "frame {frame}");
                let slot = self.drawable_mirror.index(scene, drawable.node).unwrap();
                assert_eq!(self.table[slot], Some((matrix, found)));
            }
        }
        assert!(kept.is_empty() && self.table.len() == self.drawable_mirror.len(), "frame {frame}: {kept:?}");
    }

    #[track_caller]
    fn check_previous(&self, scene: &Scene, frame: usize) {
        for &(matrix, ListedDrawable { node, .. }) in self.table.iter().flatten() {
            if scene.local(node).is_some() {
                let expected = scene.get(node).unwrap().previous_world().unwrap();
                assert!(self.previous[matrix as usize].same_bits(expected), "frame {frame}: {node:?}");
            }
        }
    }
}

#[test]
fn what_steps_keep_is_what_a_scene_has_after_frames_of_every_kind() {
    let mut dice = fastrand::Rng::with_seed(68);
    let mut scene = Scene::with_config(TRACKED).unwrap();
    let mut nodes: Vec<_> = (0..150).map(|_| scene.insert(scene.root(), ball()).unwrap()).collect();
    let mut checkpoints = Checkpoints::new(&mut scene, 8).unwrap();
    let mut smooth = Smooth::new(&scene).unwrap();
    // The first follows each update. The second also looks at other scenes and at blends, and skips updates.
    let [mut each, mut some] = [Kept::default(), Kept::scattering()];
    for frame in 0..1000 {
        edit(&mut scene, &mut nodes, &mut dice);
        let before = nodes.clone();
        match dice.u32(..40) {
            0 => scene.shrink_to_fit(),
            1 => _ = scene.maintain(usize::MAX),
            2 => {
                scene = Scene::from_bytes(&scene.to_bytes()).unwrap();
                (checkpoints, smooth) = (Checkpoints::new(&mut scene, 8).unwrap(), Smooth::new(&scene).unwrap());
                each = Kept::default();
            }
            3..8 => {
                let saved = checkpoints.frames().next();
                if let Some(saved) = saved {
                    checkpoints.restore(&mut scene, saved).unwrap();
                    checkpoints = Checkpoints::new(&mut scene, 8).unwrap();
                }
            }
            _ => {}
        }
        nodes = before;
        // Some of these have updated the scene.
        each.sync(&scene);
        scene.update();
        each.sync(&scene);
        each.check(&scene, frame);
        each.check_previous(&scene, frame);
        smooth.step(&scene).unwrap();
        match dice.u32(..8) {
            0 => {
                let clone = scene.clone();
                some.sync(&clone);
                some.check(&clone, frame);
            }
            1 => {
                let blended = smooth.blend(&mut scene, dice.f32());
                some.sync(&blended);
                some.check(&blended, frame);
            }
            2 => checkpoints.save(&mut scene, frame as u64).unwrap(),
            3..5 => {}
            _ => {
                some.sync(&scene);
                some.check(&scene, frame);
                assert_eq!(some.sync(&scene), 0);
            }
        }
        nodes.retain(|&node| scene.contains(node));
    }
    assert!(each.table.iter().flatten().count() > 100);
}

#[test]
fn only_drawables_that_changed_are_set_and_they_keep_their_slots() {
    let mut scene = Scene::new();
    let nodes: Vec<_> = (0..1000).map(|_| scene.insert(scene.root(), ball()).unwrap()).collect();
    let group = scene.insert(scene.root(), Node::group()).unwrap();
    let below: Vec<_> = (0..10).map(|_| scene.insert(group, ball()).unwrap()).collect();
    scene.update();
    let mut kept = Kept::scattering();
    kept.sync(&scene);
    kept.check(&scene, 0);
    let slots = |kept: &Kept, scene: &Scene| -> Vec<_> {
        nodes[2..].iter().map(|&node| kept.drawable_mirror.index(scene, node).unwrap()).collect()
    };
    let before = slots(&kept, &scene);
    type Edit = fn(&mut Scene, [NodeHandle; 3]);
    let edits: [(usize, Edit); 9] = [
        (0, |scene, [node, ..]| scene.set_local(node, Transform::from_xyz(5.0, 0.0, 0.0)).unwrap()),
        (1, |scene, [node, ..]| _ = scene.edit(node).unwrap().set_material(7)),
        (10, |scene, [.., group]| _ = scene.edit(group).unwrap().set_material(7)),
        (10, |scene, [.., group]| _ = scene.edit(group).unwrap().set_layers(Layers::new(2))),
        (1, |scene, [node, ..]| _ = scene.edit(node).unwrap().set_user_data(3)),
        (1, |scene, [node, ..]| _ = scene.edit(node).unwrap().set_view_range(ViewRange::new(0.0, 9.0).unwrap())),
        (1, |scene, [node, ..]| _ = scene.edit(node).unwrap().set_drawable(Drawable::new(8, Aabb::cube(1.0))).unwrap()),
        (0, |scene, [node, ..]| _ = scene.edit(node).unwrap().set_name("ball")),
        (1, |scene, [_, node, _]| _ = scene.remove(node).unwrap()),
    ];
    for (at, (steps, edit)) in edits.into_iter().enumerate() {
        edit(&mut scene, [nodes[0], nodes[1], group]);
        if at % 2 == 0 {
            // A skipped update.
            scene.update();
            scene.set_local(nodes[9], Transform::from_xyz(at as f32, 7.0, 0.0)).unwrap();
        }
        scene.update();
        assert_eq!(kept.sync(&scene), steps, "edit {at}");
        kept.check(&scene, at);
    }
    // A new node gets the free slot.
    scene.insert(scene.root(), ball()).unwrap();
    scene.remove(nodes[0]).unwrap();
    assert_eq!(kept.sync(&scene), 1, "what is removed is freed before the update");
    scene.update();
    assert_eq!(kept.sync(&scene), 1);
    kept.check(&scene, 0);
    assert_eq!(slots(&kept, &scene), before);
    assert_eq!(kept.drawable_mirror.index(&scene, nodes[0]), None);
    scene.reparent(group, Place::Detached, Keep::Local).unwrap();
    scene.update();
    assert_eq!(kept.drawable_mirror.index(&scene, below[0]), None);
    assert!(kept.sync(&scene) > 0);
    kept.check(&scene, 0);
}

#[test]
fn whole_blocks_of_64_are_written_and_all_else_is_scattered() {
    let mut scene = Scene::new();
    let nodes: Vec<_> = (0..1000).map(|_| scene.insert(scene.root(), ball()).unwrap()).collect();
    scene.update();
    let mut kept = Kept::scattering();
    kept.sync(&scene);
    // A run of 127 has one whole block, wherever it begins.
    for (run, writes, scattered) in [(127, 1, 65), (63, 0, 65)] {
        for at in (100..100 + run).chain([500, 700]) {
            scene.set_local(nodes[at], Transform::from_xyz(run as f32, 0.0, 0.0)).unwrap();
        }
        scene.update();
        let step = |step: MirrorStep<'_>| assert!(matches!(step, MirrorStep::Write { .. }));
        let (done, list) = kept.matrix_mirror.scatter(&scene, step);
        assert_eq!((done.writes, done.matrices, done.moved), (writes, run + 2, false));
        assert_eq!((list.indices().len(), list.matrices().count()), (scattered, scattered));
    }
}

#[test]
fn a_table_follows_where_the_lists_of_changes_are_silent() {
    let mut scene = Scene::with_config(SceneConfig { max_nodes: 256, ..TRACKED }).unwrap();
    let [a, b] = [0; 2].map(|_| {
        let group = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
        (0..200).for_each(|_| _ = scene.insert(group, Node::transform(Transform::IDENTITY)).unwrap());
        group
    });
    let car = scene.insert(a, Node::transform(Transform::IDENTITY)).unwrap();
    let wheel = scene.insert(car, ball()).unwrap();
    let group = scene.insert(a, Node::group()).unwrap();
    let heir = scene.insert(group, Node::drawable(Drawable::new(1, Aabb::cube(1.0)))).unwrap();
    scene.update();
    let (mut kept, mut reader) = (Kept::default(), ChangeReader::of(&scene));
    assert_eq!(kept.sync(&scene), 3, "the table is made, and two drawables are set");
    type Edit = fn(&mut Scene, [NodeHandle; 3]);
    let edits: [(NodeHandle, Edit); 2] = [
        (wheel, |scene, [car, b, _]| _ = scene.reparent(car, b, Keep::World).unwrap()),
        (heir, |scene, [.., group]| scene.set_local(group, Transform::IDENTITY).unwrap()),
    ];
    for (node, edit) in edits {
        let slot = |scene: &Scene| scene.get(node).unwrap().matrix_slot();
        let before = slot(&scene);
        edit(&mut scene, [car, b, group]);
        scene.update();
        let changed = scene.changes(&mut reader).unwrap();
        let edited = changed.edited().iter().any(|&(edited, _)| edited == node);
        assert!(
            !edited && [changed.moved(), changed.entered(), changed.left()].iter().all(|list| !list.contains(&node))
        );
        assert_ne!(slot(&scene), before);
        assert!(kept.sync(&scene) > 0);
        kept.check(&scene, 0);
    }
}
