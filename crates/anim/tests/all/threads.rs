//! Palettes of many characters have the same bits on several threads as one after the other.

use hedgerow_anim::player::Playback;
use hedgerow_anim::skin::SkinError;
use hedgerow_anim::{Clip, ClipBuilder, Error, Mat34, Player, Pose, Skeleton, SkeletonBuilder, Skin, Transform};
use hedgerow_experiments::workloads::swaying;

const JOINTS: u16 = 96;
/// With enough joints to share among threads.
const CHARACTERS: usize = 507;

/// Calls a function on each number of threads.
fn on_threads(work: impl Fn() + Sync) {
    work();
    #[cfg(feature = "rayon")]
    for threads in 1..5 {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(&work);
    }
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
#[derive(Clone)]
struct Character<'c> {
    number: usize,
    player: Player<&'c Clip>,
    pose: Pose,
    palette: Vec<Mat34>,
}

fn characters<'c>(skeleton: &Skeleton, clips: &'c [Clip; 2]) -> Vec<Character<'c>> {
    let character = |number: usize| {
        let mut player = Player::new(&clips[number % 2]);
        player.set_playback(Playback::Loop);
        player.seek(number as f32 * 0.013);
        Character { number, player, pose: Pose::rest(skeleton), palette: Vec::new() }
    };
    (0..CHARACTERS).map(character).collect()
}

#[test]
fn characters_have_the_palettes_of_one_after_the_other_on_any_number_of_threads() {
    let (skeleton, clips) = (skeleton(), clips());
    let skin = skin(&skeleton);
    let start = characters(&skeleton, &clips);
    let mut expected = start.clone();
    let mut models = Vec::new();
    for character in &mut expected {
        (0..3).for_each(|_| _ = character.player.advance(0.03));
        character.player.sample(&mut character.pose).unwrap();
        character.pose.to_models(&skeleton, &mut models).unwrap();
        skin.palette(&models, &mut character.palette).unwrap();
    }
    on_threads(|| {
        let mut found = start.clone();
        for _ in 0..3 {
            let played = skeleton.par_each_palette(
                &skin,
                &mut found,
                |character| {
                    character.player.advance(0.03);
                    character.player.sample(&mut character.pose)?;
                    Ok(&character.pose)
                },
                |character, _, palette| {
                    character.palette = palette.to_vec();
                    Ok::<(), Error>(())
                },
            );
            played.unwrap();
        }
        for (found, expected) in found.iter().zip(&expected) {
            assert!(found.pose == expected.pose && found.palette == expected.palette, "{}", found.number);
        }
    });
}

/// What ends a walk over characters.
#[derive(Debug, PartialEq)]
enum Stop {
    At(usize),
    Anim(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Anim(error)
    }
}

#[test]
fn of_several_errors_that_of_the_first_character_is_returned_whoever_was_faster() {
    let (skeleton, clips) = (skeleton(), clips());
    let (skin, start) = (skin(&skeleton), characters(&skeleton, &clips));
    let fails = |number: usize| if number % 100 == 55 { Err(Stop::At(number)) } else { Ok(()) };
    on_threads(|| {
        let mut list = start.clone();
        let of_pose = skeleton.par_each_palette(
            &skin,
            &mut list,
            |character| fails(character.number).map(|()| &character.pose),
            |character, _, palette| {
                character.palette = palette.to_vec();
                Ok(())
            },
        );
        assert_eq!(of_pose, Err(Stop::At(55)));
        let is_seen = |number: usize| !list[number].palette.is_empty();
        assert!((0..55).all(is_seen) && !is_seen(55));
        let of_visit = skeleton.par_each_palette(
            &skin,
            &mut list,
            |character| Ok(&character.pose),
            |character, _, _| fails(character.number),
        );
        assert_eq!(of_visit, Err(Stop::At(55)));
    });
}

#[test]
fn poses_and_skins_of_other_skeletons_are_refused() {
    let skeleton = skeleton();
    let visit = |skin: &Skin, pose: Pose| {
        skeleton.par_each_palette(skin, &mut [pose], |pose| Ok(&*pose), |_, _, _| panic!("it has no palette"))
    };
    let whole = Skin::at_rest(&skeleton).unwrap();
    assert!(matches!(visit(&whole, Pose::new(3)), Err(Error::Skeleton(_))));
    let beyond = Skin::new(vec![JOINTS], vec![Mat34::IDENTITY]).unwrap();
    let (expected, found) = (usize::from(JOINTS) + 1, usize::from(JOINTS));
    assert_eq!(visit(&beyond, Pose::rest(&skeleton)), Err(SkinError::Models { expected, found }.into()));
}
