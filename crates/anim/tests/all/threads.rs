//! Characters and crowds have the same bits on several threads as on one.
#![cfg(feature = "rayon")]

use crate::crowds::Stop;
use hedgerow_anim::player::Playback;
use hedgerow_anim::skin::{Palette, SkinOutput};
use hedgerow_anim::{
    Clip, ClipBuilder, Crowd, Error, Mat34, Player, Pose, Skeleton, SkeletonBuilder, Skin, SkinnedMesh, Transform,
};
use hedgerow_experiments::workloads::swaying;
use rayon::ThreadPool;
use std::sync::Mutex;

const JOINTS: u16 = 96;
/// A count that is no multiple of 16, with enough joints to share among threads.
const CHARACTERS: usize = 507;

fn pool(threads: usize) -> ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

fn skeleton() -> Skeleton {
    let mut builder = SkeletonBuilder::new();
    for joint in 0..JOINTS {
        builder.joint("", joint.checked_sub(1).map(|before| before - before % 4), Transform::from_xyz(0.1, 0.2, 0.0));
    }
    builder.build().unwrap().0
}

/// Returns a skin in another joint order, without every seventh joint.
fn skin(skeleton: &Skeleton) -> Skin {
    let whole = Skin::at_rest(skeleton).unwrap();
    let joints: Vec<u16> = (0..JOINTS).rev().filter(|joint| joint % 7 != 6).collect();
    let binds = joints.iter().map(|&joint| whole.inverse_binds()[usize::from(joint)]).collect();
    Skin::new(joints, binds).unwrap()
}

fn clips() -> [Clip; 2] {
    [0.0, 0.7].map(|phase| ClipBuilder::new().build(&swaying(usize::from(JOINTS), 40, phase)).unwrap().0)
}

/// A character that owns its pose and its player.
#[derive(Clone, Debug)]
struct Character<'c> {
    player: Player<&'c Clip>,
    pose: Pose,
    models: Vec<Mat34>,
    palette: Vec<Mat34>,
    positions: Vec<[f32; 3]>,
}

fn characters<'c>(skeleton: &Skeleton, clips: &'c [Clip; 2]) -> Vec<Character<'c>> {
    let character = |number: usize| {
        let mut player = Player::new(&clips[number % 2]);
        player.set_playback(Playback::Loop);
        player.seek(number as f32 * 0.013);
        let (models, palette) = (Vec::new(), Vec::new());
        Character { player, pose: Pose::rest(skeleton), models, palette, positions: vec![[0.0; 3]; 40] }
    };
    (0..CHARACTERS).map(character).collect()
}

/// Returns a mesh whose vertices follow a few joints each.
fn mesh(skin: &Skin) -> SkinnedMesh {
    let positions: Vec<[f32; 3]> = (0..40_u8).map(|at| [f32::from(at), 1.0, -f32::from(at)]).collect();
    let joints: Vec<u16> = (0..80).map(|at| at * 13 % 80).collect();
    SkinnedMesh::builder(&positions).influences(2, &joints, &[0.75, 0.25].repeat(40)).build(skin).unwrap()
}

#[test]
fn characters_that_own_their_poses_have_the_same_bits_on_any_number_of_threads() {
    let (skeleton, clips) = (skeleton(), clips());
    let skin = skin(&skeleton);
    let mesh = mesh(&skin);
    let frame = |characters: &mut Vec<Character<'_>>, room: &mut Vec<Mat34>| -> Result<(), Error> {
        skeleton.par_each_models(
            characters,
            |character| {
                character.player.advance(0.03);
                character.player.sample(&mut character.pose)?;
                Ok((&character.pose, &mut character.models))
            },
            room,
            |own, models| {
                own.clear();
                own.extend_from_slice(models);
                Ok::<(), Error>(())
            },
        )?;
        skeleton.par_each_palette(
            &skin,
            characters,
            |character| Ok((&character.pose, (&mut character.palette, &mut character.positions))),
            room,
            |(own, positions), palette| {
                own.clear();
                own.extend_from_slice(&palette);
                mesh.skin(palette, SkinOutput::new(positions))
            },
        )
    };
    let played = |threads: usize| {
        let (mut characters, mut room) = (characters(&skeleton, &clips), Vec::new());
        pool(threads).install(|| (0..3).try_for_each(|_| frame(&mut characters, &mut room))).unwrap();
        characters
    };

    // Computes one character after the other, without the calls under test.
    let mut expected = characters(&skeleton, &clips);
    let mut room = Vec::new();
    for character in &mut expected {
        (0..3).for_each(|_| _ = character.player.advance(0.03));
        character.player.sample(&mut character.pose).unwrap();
    }
    let poses: Vec<&Pose> = expected.iter().map(|character| &character.pose).collect();
    let (mut models, mut palettes) = (Vec::new(), Vec::new());
    let shown: Result<(), Error> = skeleton.each_models(
        &poses,
        |pose| Ok((*pose, ())),
        &mut room,
        |(), own| {
            models.push(own.to_vec());
            Ok(())
        },
    );
    shown.unwrap();
    let keep = |(), palette: Palette<'_>| {
        palettes.push(palette.to_vec());
        Ok::<(), Error>(())
    };
    skeleton.each_palette(&skin, &poses, |pose| Ok((*pose, ())), &mut room, keep).unwrap();
    let mut positions = vec![[0.0_f32; 3]; 40];
    for threads in [1, 2, 3, 4] {
        for (number, found) in played(threads).iter().enumerate() {
            assert!(found.pose == expected[number].pose, "the pose of {number} on {threads} threads");
            assert!(found.models == models[number], "the models of {number} on {threads} threads");
            assert!(found.palette == palettes[number], "the palette of {number} on {threads} threads");
            let palette = Palette::of(&skin, &palettes[number]).unwrap();
            mesh.skin(palette, SkinOutput::new(&mut positions)).unwrap();
            assert!(found.positions == positions, "the vertices of {number} on {threads} threads");
        }
    }
}

#[test]
fn a_crowd_has_the_same_bits_on_any_number_of_threads() {
    let (skeleton, clips) = (skeleton(), clips());
    let skin = skin(&skeleton);
    let played = |threads: usize| {
        let mut crowd = Crowd::new(&skeleton);
        let mut players: Vec<_> = characters(&skeleton, &clips).into_iter().map(|character| character.player).collect();
        players.iter().for_each(|_| _ = crowd.insert(&Pose::rest(&skeleton)).unwrap());
        let instances: Vec<_> = crowd.instances().collect();
        let (mut models, mut palettes, mut room) = (Vec::new(), Vec::new(), Vec::new());
        let mut shown = vec![(None, Vec::new(), Vec::new()); CHARACTERS];
        pool(threads)
            .install(|| {
                for _ in 0..3 {
                    crowd.par_change_poses(&mut players, |_, player, pose| -> Result<(), Error> {
                        player.advance(0.03);
                        player.sample(pose)
                    })?;
                }
                crowd.models(&mut models);
                crowd.palettes(&skin, &mut palettes)?;
                crowd.par_each_models(&mut shown, &mut room, |instance, (owner, of, _), own| {
                    (*owner, *of) = (Some(instance), own.to_vec());
                    Ok::<(), Error>(())
                })?;
                crowd.par_each_palette(&skin, &mut shown, &mut room, |_, (_, _, of), own| {
                    *of = own.to_vec();
                    Ok::<(), Error>(())
                })
            })
            .unwrap();
        for (instance, (owner, of_models, of_palette)) in instances.iter().zip(&shown) {
            assert_eq!(*owner, Some(*instance));
            assert!(models[crowd.range(*instance).unwrap()] == of_models[..]);
            assert!(palettes[crowd.palette_range(*instance, &skin).unwrap()] == of_palette[..]);
        }
        let poses: Vec<Pose> = instances.iter().map(|&instance| crowd.pose(instance).unwrap()).collect();
        (poses, models, palettes)
    };
    let expected = played(1);
    let mut single = characters(&skeleton, &clips);
    for (character, pose) in single.iter_mut().zip(&expected.0) {
        (0..3).for_each(|_| _ = character.player.advance(0.03));
        character.player.sample(&mut character.pose).unwrap();
        assert!(character.pose == *pose);
    }
    for threads in [2, 3, 4] {
        assert!(played(threads) == expected, "{threads} threads");
    }
}

#[test]
fn of_several_errors_that_of_the_first_character_is_returned_whoever_was_faster() {
    let skeleton = skeleton();
    let mut numbered: Vec<(usize, Pose)> = (0..CHARACTERS).map(|number| (number, Pose::rest(&skeleton))).collect();
    let mut crowd = Crowd::new(&skeleton);
    numbered.iter().for_each(|(_, pose)| _ = crowd.insert(pose).unwrap());
    let fails = |number: usize| if number % 100 == 55 { Err(Stop::At(number)) } else { Ok(()) };
    for threads in [1, 2, 4] {
        pool(threads).install(|| {
            let room = &mut Vec::new();
            let seen = Mutex::new(Vec::new());
            let of_pose = skeleton.par_each_models(
                &mut numbered,
                |(number, pose)| fails(*number).map(|()| (&*pose, *number)),
                room,
                |number, _| {
                    seen.lock().unwrap().push(number);
                    Ok(())
                },
            );
            assert_eq!(of_pose, Err(Stop::At(55)));
            let seen = seen.into_inner().unwrap();
            assert!((0..48).all(|number| seen.contains(&number)) && (48..64).all(|number| !seen.contains(&number)));
            let of_visit = skeleton.par_each_models(
                &mut numbered,
                |(number, pose)| Ok((&*pose, *number)),
                room,
                |number, _| fails(number),
            );
            assert_eq!(of_visit, Err(Stop::At(55)));
            let of_crowd = crowd.par_each_models(&mut numbered, room, |_, (number, _), _| fails(*number));
            assert_eq!(of_crowd, Err(Stop::At(55)));
            let moved = Transform::from_xyz(threads as f32, 0.0, 0.0);
            let of_poses = crowd.par_change_poses(&mut numbered, |_, (number, _), pose| {
                pose.set(0, moved);
                fails(*number)
            });
            assert_eq!(of_poses, Err(Stop::At(55)));
            let instances: Vec<_> = crowd.instances().collect();
            let changed = |number: usize| crowd.get(instances[number], 0).unwrap() == moved;
            assert!((0..48).all(changed) && !(48..64).any(changed));
        });
    }
}
