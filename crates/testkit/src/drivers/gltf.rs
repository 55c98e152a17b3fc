//! glTF files with changed JSON and data, or arbitrary bytes. Each is refused and leaves the scene unchanged, or gives
//! a valid scene that plays.

use crate::{gltf, json};
use hedgerow::{Node, Scene};
use hedgerow_anim::player::Playback;
use hedgerow_anim::skin::SkinOutput;
use hedgerow_gltf::{ImportOptions, Parts};

/// The file, the options of the import, and the changes.
pub type Input = crate::Input<4, { json::CHANGE_BYTES }>;

/// The greatest number of changes; more would leave nothing of a file.
const MOST_CHANGES: usize = 12;
/// The greatest number of nodes; more would take too long in a fuzz run.
const MOST_NODES: usize = 5_000;

/// Imports bytes that look like a file. Other bytes are read as changes of a file.
pub fn run(bytes: &[u8]) {
    match bytes {
        [b'{', ..] | [b'g', b'l', b'T', b'F', ..] => read(bytes, ImportOptions::new()),
        _ => run_changes(&Input::from_bytes(bytes)),
    }
}

/// Imports a file with changes.
pub fn run_changes(input: &Input) {
    let [which, how, ..] = input.head;
    let mut file = gltf::sample(which);
    for change in input.steps.iter().take(MOST_CHANGES) {
        gltf::change(&mut file, change);
    }
    let parts = if how & 1 == 0 { Parts::ALL } else { Parts::NODES };
    let options = ImportOptions::new().with_parts(parts);
    let options = if how & 2 == 0 { options } else { options.with_normals().with_tangents().with_accessors() };
    read(&gltf::bytes(&mut file), options);
}

fn read(bytes: &[u8], options: ImportOptions) {
    let options = options.with_max_nodes(MOST_NODES);
    let mut scene = Scene::new();
    let parent = scene.insert(scene.root(), Node::group().with_name("props")).expect("room for a node");
    let before = scene.to_bytes();
    let imported = match options.from_slice_into(&mut scene, parent, bytes, None) {
        Ok(imported) => imported,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert!(scene.to_bytes() == before, "a refused file changed the scene");
            return;
        }
    };
    let sound = |scene: &Scene| assert_eq!(scene.validate(), Ok(()));
    sound(&scene);
    scene.update();
    sound(&scene);
    for of_scene in &imported.scenes {
        for (index, node) in of_scene.nodes() {
            assert!(scene.contains(node) && index < imported.nodes.len(), "node {index} is not there");
            assert_eq!(of_scene.index_of(node), Some(index));
        }
    }
    imported.at_rest().apply(&mut scene).expect("nodes that are there");
    for animation in 0..imported.animations.len() {
        let Ok(mut player) = imported.play(animation) else { continue };
        player.set_playback([Playback::Clamp, Playback::Loop, Playback::PingPong][animation % 3]);
        for step in [0.1, -0.3, 1.7, 1e9, -1e9] {
            player.advance(step);
            let _ = player.apply(&mut scene);
        }
        player.seek(player.duration() * 0.5);
        let _ = player.apply(&mut scene);
    }
    scene.update();
    sound(&scene);
    let player = imported.at_rest();
    for drawable in imported.scenes.iter().flat_map(|scene| &scene.drawables) {
        let Ok(Some(mut body)) = imported.deformed(drawable) else { continue };
        body.follow(&player, &mut scene).expect("nodes that are there");
        let _ = body.skin(SkinOutput::new(&mut vec![[0.0_f32; 3]; body.mesh().len()][..]));
    }
    let _ = gltf::saved(&imported);
}
