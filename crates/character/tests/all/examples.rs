//! The shared parts of the examples: the person, its rig, its mesh, and its motion.

#[path = "../../examples/puppet/mod.rs"]
#[allow(dead_code, unused_imports, reason = "examples use what tests do not")]
mod puppet;

use hedgerow::Mat34;
use hedgerow::glam::{Quat, Vec3};
use hedgerow_anim::Pose;
use hedgerow_anim::skin::SkinOutput;
use puppet::{Gait, Lists, PuppetMesh, Rig};
use std::collections::HashSet;

fn puppet() -> (Rig, PuppetMesh) {
    let rig = Rig::new().unwrap();
    let mesh = PuppetMesh::new(&rig);
    (rig, mesh)
}

#[test]
fn every_vertex_follows_one_to_four_joints_with_weights_that_sum_to_one() {
    let (rig, mesh) = puppet();
    assert!((60..=96).contains(&rig.skeleton.len()));
    assert!((2_300..=2_900).contains(&mesh.vertices.len()), "{} vertices", mesh.vertices.len());
    let mut counts = [0; 5];
    for vertex in &mesh.vertices {
        let joints: HashSet<u16> = vertex.influences.iter().map(|&(joint, _)| joint).collect();
        assert_eq!(joints.len(), vertex.influences.len(), "no joint comes twice");
        assert!(joints.iter().all(|&joint| usize::from(joint) < rig.skeleton.len()));
        assert!(vertex.influences.iter().all(|&(_, weight)| weight > 0.0));
        let sum: f32 = vertex.influences.iter().map(|&(_, weight)| weight).sum();
        assert!((sum - 1.0).abs() < 1e-5, "{sum}");
        assert!((vertex.normal.length() - 1.0).abs() < 1e-3);
        counts[vertex.influences.len()] += 1;
    }
    assert!(counts[0] == 0 && counts[1..].iter().all(|&count| count > 0), "{counts:?}");
}

#[test]
fn the_mesh_is_closed_and_seen_from_outside() {
    let (_, mesh) = puppet();
    let mut edges = HashSet::new();
    let mut volume = 0.0;
    for &[a, b, c] in &mesh.triangles {
        let [p, q, r] = [a, b, c].map(|corner| mesh.vertices[corner as usize].place);
        volume += p.dot(q.cross(r)) / 6.0;
        for edge in [(a, b), (b, c), (c, a)] {
            assert!(edges.insert(edge), "{edge:?} is on two triangles the same way round");
        }
    }
    assert!(edges.iter().all(|&(a, b)| edges.contains(&(b, a))), "an edge is on one triangle alone");
    let used: HashSet<u32> = mesh.triangles.iter().flatten().copied().collect();
    assert_eq!(used.len(), mesh.vertices.len());
    // A person of 1.8 metres has a volume of about 70 litres.
    assert!((0.05..0.10).contains(&volume), "{volume} cubic metres");
}

#[test]
fn left_and_right_are_alike() {
    let (rig, mesh) = puppet();
    let other = |name: &str| match name.strip_suffix("_l") {
        Some(stem) => format!("{stem}_r"),
        None => name.to_owned(),
    };
    for (joint, name) in (0..).zip(rig.skeleton.names()) {
        let mirrored = rig.place(rig.skeleton.find(&other(name)).unwrap()) * Vec3::new(-1.0, 1.0, 1.0);
        if !name.ends_with("_r") {
            assert!((rig.place(joint) - mirrored).length() < 1e-6, "{name}");
        }
    }
    let side = |sign: f32| mesh.vertices.iter().map(|vertex| (vertex.place.x * sign).max(0.0)).sum::<f32>();
    assert!((side(1.0) / side(-1.0) - 1.0).abs() < 0.02);
}

#[test]
fn nothing_of_a_gait_tears_or_sinks_into_the_ground() {
    let (rig, mesh) = puppet();
    let lists = Lists::new(&mesh);
    let skin = Lists::skin(&rig).unwrap();
    let (skinned, bounds) = (lists.skinned(&skin).unwrap(), lists.bounds(&skin).unwrap());
    let mut room = Vec::new();
    let rest: Vec<Vec3> = skinned.remap(&lists.positions).unwrap();
    let mut positions = vec![[0.0; 3]; skinned.len()];
    for gait in &Gait::ALL {
        for step in 0..12 {
            let palette = skin.palette(&models(&rig, gait, step as f32 / 12.0), &mut room).unwrap();
            skinned.skin(palette, SkinOutput::new(&mut positions)).unwrap();
            let held = bounds.of_pose(palette, &[]).unwrap();
            for &position in &positions {
                let position = Vec3::from(position);
                assert!(position.y > -0.03, "{} at {step}: {position}", gait.name);
                assert!(position.cmpge(held.min).all() && position.cmple(held.max).all());
            }
            let (triangles, _) = skinned.indices().as_chunks::<3>();
            for &[a, b, c] in triangles {
                for (from, to) in [(a, b), (b, c), (c, a)] {
                    let [from, to] = [from, to].map(|corner| corner as usize);
                    let [before, after] =
                        [rest[from].distance(rest[to]), Vec3::from(positions[from]).distance(positions[to].into())];
                    assert!(after < 2.0 * before + 0.03, "{} at {step}: {before} m became {after} m", gait.name);
                }
            }
        }
    }
}

#[test]
fn compiled_clips_move_joints_as_the_formulae_do() {
    let (rig, _) = puppet();
    for gait in &Gait::ALL {
        let clip = puppet::clip(&rig, gait).unwrap();
        assert_eq!(clip.duration(), gait.duration());
        let (mut player, mut pose) = puppet::player(&rig, &clip, 0.0);
        let mut played = Vec::new();
        for key in 0..gait.keys {
            // At the keys, the raw clip equals the formula exactly.
            player.seek(f32::from(key) / 30.0);
            player.sample(&mut pose).unwrap();
            pose.to_models(&rig.skeleton, &mut played).unwrap();
            let models = models(&rig, gait, f32::from(key) / f32::from(gait.keys));
            for (played, model) in played.iter().zip(&models) {
                let off = played.translation().distance(model.translation());
                assert!(off < 2e-3, "{} at key {key}: {off} m", gait.name);
            }
        }
    }
}

#[test]
fn a_foot_on_the_ground_stays_where_it_is() {
    let (rig, _) = puppet();
    let walk = &Gait::ALL[0];
    let toes = rig.skeleton.find("toes_l").unwrap();
    // Mid-stance, between rolling over the heel and rolling over the ball.
    let place = |phase: f32| {
        let on_ground = models(&rig, walk, phase)[usize::from(toes)].translation();
        on_ground + Vec3::Z * (walk.speed() * walk.duration() * phase)
    };
    for step in 0..5 {
        let moved = place(0.15 + 0.04 * step as f32).distance(place(0.15));
        assert!(moved < 0.005, "{moved} m");
    }
}

fn models(rig: &Rig, gait: &Gait, phase: f32) -> Vec<Mat34> {
    let mut pose = Pose::rest(&rig.skeleton);
    let stance = gait.at(rig, phase);
    for (joint, &rotation) in (0..).zip(&stance.rotations) {
        assert!(Quat::is_normalized(rotation));
        pose.set(joint, pose.get(joint).with_rotation(rotation));
    }
    pose.set(rig.body.hips, pose.get(rig.body.hips).with_translation(stance.hips));
    let mut models = Vec::new();
    pose.to_models(&rig.skeleton, &mut models).unwrap();
    models
}
