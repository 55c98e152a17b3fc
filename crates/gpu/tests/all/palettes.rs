//! Palettes and weights in buffers, beside what was set.

use crate::tables::Buffers;
use bytemuck::cast_slice;
use hedgerow::checkpoints::Checkpoints;
use hedgerow::{Aabb, Drawable, Keep, Mat34, Node, NodeHandle, Place, Scene, Transform};
use hedgerow_gpu::layout::Instance;
use hedgerow_gpu::{Buffer, GpuScene, MeshArgs, Pass, Step};
use std::collections::{BTreeMap, BTreeSet};

/// What was set for a node: a palette, and weights.
type Shape = (Vec<Mat34>, Vec<f32>);

fn tables() -> GpuScene {
    let mut tables = GpuScene::new().with_previous();
    tables.set_mesh(0, MeshArgs::default());
    tables
}

fn body() -> Node<'static> {
    Node::transform(Transform::IDENTITY).with_drawable(Drawable::new(0, Aabb::cube(1.0)))
}

fn shape(joints: usize, weights: usize, dice: &mut fastrand::Rng) -> Shape {
    let matrix = |_| Transform::from_xyz(dice.f32(), dice.f32(), dice.f32()).to_matrix();
    ((0..joints).map(matrix).collect(), (0..weights).map(|at| at as f32 + 0.5).collect())
}

/// Returns the number of items of a buffer that a step uploads.
fn uploaded(step: &Step<'_>, to: Buffer) -> usize {
    match step {
        Step::Write { buffer, bytes, .. } if *buffer == to => bytes.len() / buffer.stride(),
        Step::List { buffer, indices, items } => {
            let of_buffer = Pass::Scatter(to).bindings()[0].buffer == *buffer && items.stride() == to.stride();
            if of_buffer { indices.len() } else { 0 }
        }
        _ => 0,
    }
}

/// Returns where a node's palette is.
fn deform(tables: &GpuScene, buffers: &Buffers, scene: &Scene, node: NodeHandle) -> u32 {
    buffers.of::<Instance>(Buffer::Instances)[tables.slot(scene, node).unwrap()].deform
}

/// Reads what the buffers have for a node, as a shader does.
fn read(tables: &GpuScene, buffers: &Buffers, scene: &Scene, node: NodeHandle, shape: &Shape) -> [Option<Shape>; 2] {
    let deform = deform(tables, buffers, scene, node) as usize;
    [Buffer::Palettes, Buffer::PreviousPalettes].map(|buffer| {
        let rows = buffers.of::<[f32; 4]>(buffer);
        let weight = |morph: usize| rows[3 * deform - 1 - morph / 4][morph % 4];
        let palette = || cast_slice::<_, Mat34>(rows)[deform..deform + shape.0.len()].to_vec();
        (deform > 0).then(|| (palette(), (0..shape.1.len()).map(weight).collect()))
    })
}

#[test]
fn palettes_and_weights_are_what_was_set_and_previous_ones_what_was_shown() {
    let mut dice = fastrand::Rng::with_seed(687);
    let mut scene = Scene::new();
    let mut nodes: Vec<_> = (0..40).map(|_| scene.insert(scene.root(), body()).unwrap()).collect();
    let (mut tables, mut buffers) = (tables(), Buffers::default());
    // What each node has, and had at the last sync.
    let mut sets: BTreeMap<NodeHandle, (Shape, Option<Shape>)> = BTreeMap::new();
    let mut packs = 0;
    for frame in 0..1200 {
        for _ in 0..dice.usize(..8) {
            let at = dice.usize(..nodes.len());
            let node = nodes[at];
            match dice.u32(..20) {
                0..2 => {
                    // Of another length, so that it has no motion.
                    let weights = [0, 5, 14, 30][dice.usize(..4)];
                    let sizes = (dice.usize(..if frame % 300 < 20 { 200 } else { 9 }), weights);
                    let shape = shape(sizes.0, sizes.1, &mut dice);
                    tables.set_palette(node, &shape.0, &shape.1);
                    let before = sets.remove(&node);
                    if sizes != (0, 0) {
                        let kept = before.and_then(|(held, last)| {
                            let same = (held.0.len(), held.1.len()) == sizes;
                            last.filter(|_| same)
                        });
                        sets.insert(node, (shape, kept));
                    }
                }
                2 => assert_eq!(tables.remove_palette(node), sets.remove(&node).is_some()),
                3 => {
                    scene.remove(node).unwrap();
                    sets.remove(&node);
                    nodes[at] = scene.insert(scene.root(), body()).unwrap();
                }
                4 => _ = scene.edit(node).unwrap().set_drawable(Drawable::new(0, Aabb::cube(2.0))).unwrap(),
                _ => {
                    if let Some((shape, _)) = sets.get_mut(&node) {
                        for matrix in &mut shape.0 {
                            *matrix = Transform::from_xyz(dice.f32(), 0.0, 0.0).to_matrix();
                        }
                        shape.1.iter_mut().for_each(|weight| *weight = dice.f32());
                        tables.set_palette(node, &shape.0, &shape.1);
                    }
                }
            }
        }
        scene.update();
        if dice.u32(..25) == 0 {
            // A sync that fails in its middle. The next one writes all, without motion.
            let failing = std::panic::AssertUnwindSafe(|| {
                let mut count = dice.usize(..6);
                tables.sync(&scene, |step| {
                    count = count.checked_sub(1).expect("a step panics");
                    buffers.run(step);
                })
            });
            if std::panic::catch_unwind(failing).is_err() {
                sets.values_mut().for_each(|(_, last)| *last = None);
            } else {
                sets.values_mut().for_each(|(now, last)| *last = Some(now.clone()));
            }
        }
        // What is settled after it was written has no motion: new palettes, and all when they move together.
        let (mut wrote, mut settled) = (false, BTreeSet::new());
        let synced = tables.sync(&scene, |step| {
            wrote |= uploaded(&step, Buffer::Palettes) > 0;
            if let Step::Copy { to: Buffer::PreviousPalettes, ranges, .. } = &step
                && wrote
            {
                settled.extend(ranges.iter().cloned().flatten());
            }
            buffers.run(step);
        });
        let still = synced.unwrap().steps == 0;
        for &node in &nodes {
            if let Some((shape, last)) = sets.get_mut(&node) {
                let [now, previous] = read(&tables, &buffers, &scene, node, shape);
                assert_eq!(now.as_ref(), Some(&*shape), "frame {frame}, {node}");
                let stays = !settled.contains(&deform(&tables, &buffers, &scene, node));
                packs += usize::from(!stays && last.is_some());
                let expected = last.take().filter(|_| stays).or(now.clone());
                assert!(previous == expected && (!still || previous == now), "frame {frame}, {node}");
                *last = now;
            } else {
                let none: Shape = Default::default();
                assert_eq!(read(&tables, &buffers, &scene, node, &none), [None, None], "frame {frame}, {node}");
            }
        }
    }
    let len = buffers.of::<Mat34>(Buffer::Palettes).len();
    assert!(len < 40 * 12 * 6, "what is let go is used again: {len}");
    assert!((40..400).contains(&packs), "{packs} of 30,000 palettes lost their motion");
}

#[test]
fn a_character_is_uploaded_once_a_frame_for_all_passes_even_if_its_box_follows_its_pose() {
    let mut dice = fastrand::Rng::with_seed(2);
    let mut scene = Scene::new();
    let nodes: Vec<_> = (0..20).map(|_| scene.insert(scene.root(), body()).unwrap()).collect();
    let (mut tables, mut buffers) = (tables().with_views(8), Buffers::default());
    for frame in 0..4 {
        for &node in &nodes {
            let bounds = Aabb::cube(1.0 + frame as f32);
            scene.edit(node).unwrap().set_drawable(Drawable::new(0, bounds)).unwrap();
            // A pass that poses by itself costs no upload, and the last pose holds.
            for _pass in 0..3 {
                let shape = shape(30, 2, &mut dice);
                tables.set_palette(node, &shape.0, &shape.1);
            }
        }
        scene.update();
        let [mut palettes, mut instances] = [0; 2];
        let synced = tables.sync(&scene, |step| {
            palettes += uploaded(&step, Buffer::Palettes);
            instances += uploaded(&step, Buffer::Instances);
            buffers.run(step);
        });
        assert!(frame == 0 || synced.is_ok_and(|synced| synced.drawables == 20));
        assert!(frame == 0 || [palettes, instances] == [20 * 30, 20], "{palettes} matrices, {instances} instances");
    }
}

#[test]
fn characters_that_stand_still_upload_nothing_and_previous_palettes_are_never_uploaded() {
    let mut dice = fastrand::Rng::with_seed(1);
    let mut scene = Scene::new();
    let nodes: Vec<_> = (0..100).map(|_| scene.insert(scene.root(), body()).unwrap()).collect();
    scene.update();
    let (mut tables, mut buffers) = (tables(), Buffers::default());
    let mut shapes: Vec<Shape> = nodes.iter().map(|_| shape(30, 2, &mut dice)).collect();
    for frame in 0..6 {
        let mut moved = 0;
        for (at, (&node, shape)) in nodes.iter().zip(&mut shapes).enumerate() {
            if frame == 2 && at % 10 == 0 {
                shape.0[4] = Mat34::IDENTITY;
                moved += 1;
            }
            tables.set_palette(node, &shape.0, &shape.1);
        }
        let [mut writes, mut scatters] = [0; 2];
        let synced = tables.sync(&scene, |step| {
            let to = Buffer::PreviousPalettes;
            assert!(!matches!(step, Step::Write { buffer, .. } if buffer == to));
            assert!(!matches!(step, Step::Dispatch { pass, .. } if pass == Pass::Scatter(to)));
            writes += usize::from(matches!(step, Step::Write { .. } | Step::List { .. }));
            scatters += usize::from(matches!(step, Step::Dispatch { pass: Pass::Scatter(_), .. }));
            buffers.run(step);
        });
        let uploaded = synced.unwrap().bytes;
        let expected = (52 * moved, [usize::from(moved > 0); 2]);
        assert!(frame == 0 || (uploaded, [writes, scatters]) == expected, "frame {frame}: {uploaded}");
    }
    // A drawable that gets a palette while it stands there: its instance names it.
    tables.remove_palette(nodes[7]);
    assert_eq!(buffers.sync(&mut tables, &scene).bytes, 4);
    tables.set_palette(nodes[7], &shapes[7].0, &shapes[7].1);
    assert_eq!(buffers.sync(&mut tables, &scene).bytes, 4 + 31 * 52);
    assert_eq!(read(&tables, &buffers, &scene, nodes[7], &shapes[7])[0].as_ref(), Some(&shapes[7]));
}

#[test]
fn a_list_without_room_is_scattered_in_parts_and_settled_by_another_list() {
    let mut dice = fastrand::Rng::with_seed(3);
    let mut scene = Scene::new();
    let node = scene.insert(scene.root(), body()).unwrap();
    scene.update();
    // The palette has room; a list with nearly all of it has none. Item 0 is no palette's.
    let (mut tables, mut buffers) = (tables().with_max_buffer_size(400 * 48), Buffers::default());
    let mut now = shape(399, 0, &mut dice);
    for frame in 0..5 {
        let previous = now.clone();
        if frame == 1 || frame == 2 {
            let new = shape(399, 0, &mut dice).0;
            // No run is long enough to be written.
            for (_, (to, new)) in now.0.iter_mut().zip(new).enumerate().filter(|(at, _)| at % 60 > 0) {
                *to = new;
            }
        }
        tables.set_palette(node, &now.0, &[]);
        let mut lists = Vec::new();
        let run = |step: Step<'_>| {
            if let Step::List { buffer: Buffer::PaletteList, indices, items } = &step {
                lists.push((indices.len(), items.stride()));
            }
            buffers.run(step);
        };
        tables.sync(&scene, run).unwrap();
        let (parts, settled) = ([(369, 48), (23, 48)], (392, 0));
        let expected = [vec![], parts.to_vec(), [&[settled], &parts[..]].concat(), vec![settled], vec![]];
        assert_eq!(lists, expected[frame], "frame {frame}");
        let found = read(&tables, &buffers, &scene, node, &now);
        assert_eq!(found, [Some(now.clone()), Some(previous)], "frame {frame}");
    }
}

#[test]
fn palettes_beyond_the_limit_are_refused() {
    let mut scene = Scene::new();
    let node = scene.insert(scene.root(), body()).unwrap();
    scene.update();
    let mut tables = tables().with_max_buffer_size(4800);
    tables.set_palette(node, &[Mat34::IDENTITY; 99], &[]);
    let mut buffers = Buffers::default();
    buffers.sync(&mut tables, &scene);
    tables.set_palette(node, &[Mat34::IDENTITY; 100], &[]);
    let refused = tables.sync(&scene, |_| {}).unwrap_err();
    assert!(refused.to_string().contains("Palettes"), "{refused}");
    tables.set_palette(node, &[], &[]);
    tables.set_palette(node, &[Mat34::IDENTITY; 99], &[]);
    buffers.sync(&mut tables, &scene);
}

#[test]
fn a_palette_that_is_replaced_before_the_first_sync_is_copied_once() {
    let mut scene = Scene::new();
    let node = scene.insert(scene.root(), body()).unwrap();
    scene.update();
    let (mut tables, mut buffers, mut settled) = (tables(), Buffers::default(), Vec::new());
    for joints in [2, 1] {
        tables.set_palette(node, &vec![Mat34::IDENTITY; joints], &[]);
    }
    let synced = tables.sync(&scene, |step| {
        if let Step::Copy { ranges, .. } = &step {
            settled.extend(ranges.iter().map(|range| [range.start, range.end]));
        }
        buffers.run(step);
    });
    assert_eq!((synced.is_ok(), settled), (true, vec![[1, 2]]));
}

#[test]
fn a_palette_goes_with_a_node_that_was_not_drawn() {
    for case in 0..3 {
        let mut scene = Scene::new();
        let (mut tables, mut buffers) = (tables(), Buffers::default());
        let node = scene.insert(scene.root(), body()).unwrap();
        let undraw = |scene: &mut Scene| match case {
            0 => _ = scene.reparent(node, Place::Detached, Keep::Local).unwrap(),
            _ => _ = scene.edit(node).unwrap().set_drawable(None).unwrap(),
        };
        if case == 2 {
            undraw(&mut scene);
        }
        tables.set_palette(node, &[Mat34::IDENTITY; 2], &[]);
        for frame in 0..6 {
            match frame {
                1 if case < 2 => undraw(&mut scene),
                // Back for a while: the palette is still there.
                2 if case == 0 => _ = scene.reparent(node, scene.root(), Keep::Local).unwrap(),
                3 if case == 0 => undraw(&mut scene),
                5 => _ = scene.remove(node).unwrap(),
                _ => {}
            }
            scene.update();
            buffers.sync(&mut tables, &scene);
            assert!(frame != 2 || case > 0 || deform(&tables, &buffers, &scene, node) > 0);
        }
        assert!(!tables.remove_palette(node), "case {case}");
    }
}

#[test]
fn palettes_of_another_scene_go_except_those_set_since_the_last_sync() {
    let mut scene = Scene::new();
    let nodes = [(); 3].map(|()| scene.insert(scene.root(), body()).unwrap());
    scene.update();
    let (mut tables, mut buffers) = (tables(), Buffers::default());
    nodes.iter().for_each(|&node| tables.set_palette(node, &[Mat34::IDENTITY; 2], &[]));
    buffers.sync(&mut tables, &scene);
    for invalidated in [false, true] {
        // The same palette, and another one.
        tables.set_palette(nodes[1], &[Mat34::IDENTITY; 2], &[]);
        tables.set_palette(nodes[2], &[Mat34::IDENTITY; 3], &[]);
        if invalidated {
            tables.invalidate();
        }
        scene = scene.clone();
        for _ in 0..2 {
            buffers.sync(&mut tables, &scene);
            assert_eq!(nodes.map(|node| deform(&tables, &buffers, &scene, node) > 0), [false, true, true]);
        }
        tables.set_palette(nodes[0], &[Mat34::IDENTITY; 2], &[]);
        buffers.sync(&mut tables, &scene);
    }
}

#[test]
fn a_node_that_a_checkpoint_brings_back_gets_its_palette_at_once() {
    for (removed, again, freed) in
        [(false, false, false), (false, true, false), (true, false, false), (false, true, true)]
    {
        let mut scene = Scene::new();
        let (mut tables, mut buffers) = (tables(), Buffers::default());
        let first = scene.insert(scene.root(), body()).unwrap();
        let mut checkpoints = Checkpoints::new(&mut scene, 1).unwrap();
        checkpoints.save(&mut scene, 0).unwrap();
        scene.remove(first).unwrap();
        let later = scene.insert(scene.root(), body()).unwrap();
        scene.update();
        tables.set_palette(later, &[Mat34::IDENTITY; 2], &[]);
        buffers.sync(&mut tables, &scene);

        // A wrong guess: the first node is back in the record that the later one had.
        checkpoints.restore(&mut scene, 0).unwrap();
        let mut dice = fastrand::Rng::with_seed(1);
        let shapes = [5, 2].map(|joints| shape(joints, 1, &mut dice));
        let set = &shapes[usize::from(again)];
        tables.set_palette(first, &shapes[0].0, &shapes[0].1);
        assert_eq!(freed && tables.remove_palette(later), freed);
        tables.set_palette(first, &set.0, &set.1);
        if removed {
            assert!(tables.remove_palette(first) && !tables.remove_palette(first));
        }
        buffers.sync(&mut tables, &scene);
        let both = (!removed).then(|| set.clone());
        assert_eq!(read(&tables, &buffers, &scene, first, set), [both.clone(), both]);
        assert!(!tables.remove_palette(later));

        // A stale handle changes nothing.
        tables.set_palette(later, &[Mat34::IDENTITY; 2], &[]);
        buffers.sync(&mut tables, &scene);
        assert_eq!(deform(&tables, &buffers, &scene, first) > 0, !removed);
    }
}

#[test]
fn palettes_go_with_their_nodes() {
    for replaced in [false, true] {
        let mut scene = Scene::new();
        let [old, others] = [0, 1].map(|_| [0; 100].map(|_| scene.insert(scene.root(), body()).unwrap()));
        let (mut tables, mut buffers) = (tables(), Buffers::default());
        scene.update();
        old.iter().for_each(|&node| tables.set_palette(node, &[Mat34::IDENTITY; 10], &[]));
        buffers.sync(&mut tables, &scene);
        let len = buffers.of::<Mat34>(Buffer::Palettes).len();
        for node in old {
            scene.remove(node).unwrap();
            if replaced {
                scene.insert(scene.root(), body()).unwrap();
            }
        }
        scene.update();
        buffers.sync(&mut tables, &scene);
        others.iter().for_each(|&node| tables.set_palette(node, &[Mat34::IDENTITY; 10], &[]));
        buffers.sync(&mut tables, &scene);
        assert_eq!(buffers.of::<Mat34>(Buffer::Palettes).len(), len, "replaced: {replaced}");
        assert!(!tables.remove_palette(old[1]));
    }
}
