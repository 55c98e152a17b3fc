//! Pictures drawn without a screen and compared with stored ones; uploads; refused arguments and files.
//!
//! `HEDGEROW_KEEP=1 cargo test --release --test pictures` rewrites the stored pictures: look at each.

#[path = "../../character/examples/puppet/mod.rs"]
#[allow(dead_code, unused_imports, reason = "a file is made of the puppet's lists")]
mod puppet;

mod files;

use hedgerow::NodeHandle;
use hedgerow::glam::DVec3;
use hedgerow_viewer::arguments::{Arguments, Subject};
use hedgerow_viewer::camera::Camera;
use hedgerow_viewer::gpu::Gpu;
use hedgerow_viewer::gpu::canvas::PICTURE;
use hedgerow_viewer::picture::{Difference, Picture};
use hedgerow_viewer::stage::{Alpha, Stage, Texture};
use hedgerow_viewer::viewer::{self, Frame, Viewer};
use std::path::{Path, PathBuf};

const SIZE: [u32; 2] = [320, 180];
/// The allowed difference of two drivers: in the mean of a channel, and in the share of visibly different pixels.
const TOLERANCE: Difference = Difference { mean: 0.1, share: 0.0015 };

fn within(difference: Difference) -> bool {
    difference.mean <= TOLERANCE.mean && difference.share <= TOLERANCE.share
}

fn gpu() -> Gpu {
    Gpu::new().expect("an adapter: mesa-vulkan-drivers has one in software")
}

fn draw(arguments: &Arguments) -> Picture {
    draw_and_tell(arguments, Stage::new(arguments).expect("a stage")).0
}

/// Returns a picture of a stage, and its frame.
fn draw_and_tell(arguments: &Arguments, stage: Stage) -> (Picture, Frame) {
    let (viewer, mut last) = (Viewer::of(gpu(), stage, arguments, PICTURE), Frame::default());
    let picture = viewer.and_then(|viewer| viewer::play(viewer, arguments, |_, frame| last = *frame));
    (picture.expect("a picture").expect("it was drawn"), last)
}

/// What a comparison of pictures must detect.
#[derive(Debug)]
enum Fault {
    /// A mesh is missing.
    LeftOut(u32),
    /// Surfaces have images of others.
    Swapped,
}

/// Returns a stage with a fault.
fn faulty(arguments: &Arguments, fault: &Fault) -> Stage {
    let mut stage = Stage::new(arguments).expect("a stage");
    let images = stage.images.len();
    match *fault {
        Fault::LeftOut(mesh) => stage.meshes[mesh as usize].indices.clear(),
        Fault::Swapped => {
            for surface in stage.surfaces.iter_mut().filter(|_| images > 0) {
                let texture = surface.textures[0].unwrap_or(Texture { image: images - 1, ..Texture::plain(0) });
                surface.textures[0] = Some(Texture { image: (texture.image + 1) % images, ..texture });
            }
        }
    }
    stage
}

/// Writes a file to a folder of this test, and returns its path.
fn written(name: &str, bytes: &[u8]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hedgerow-viewer-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn small(subject: Subject) -> Arguments {
    // Shadows that a software adapter can handle.
    Arguments { size: SIZE, frames: 3, threads: 1, shadow_texels: 1024, ..Arguments::new(subject) }
}

fn town() -> Arguments {
    let near = Arguments { eye: Some([166.0, 7.0, 262.0]), target: Some([157.0, 0.0, 214.0]), ..small(Subject::Town) };
    Arguments { people: 60, switches: vec![0], ..near }
}

/// A view above a street corner, with a colour for each level.
fn levels() -> Arguments {
    Arguments { eye: Some([215.0, 24.0, 262.0]), target: Some([170.0, 0.0, 205.0]), switches: vec![1], ..town() }
}

/// Levels and stand-ins as they are by default: the first blocks are near, others beyond the distance of stand-ins.
fn far() -> Arguments {
    Arguments { eye: Some([215.0, 60.0, 330.0]), target: Some([120.0, 0.0, 60.0]), switches: Vec::new(), ..town() }
}

fn army() -> Arguments {
    Arguments { characters: 40, frames: 20, ..small(Subject::Army) }
}

fn shelf() -> Arguments {
    Arguments { time: 0.5, ..small(Subject::File(written("shelf.glb", &files::shelf()))) }
}

fn walker() -> Arguments {
    Arguments { time: 0.2, ..small(Subject::File(written("walker.glb", &files::walker()))) }
}

fn flag() -> Arguments {
    Arguments { time: 0.8, ..small(Subject::File(written("flag.glb", &files::flag()))) }
}

fn prefabs() -> Arguments {
    Arguments { eye: Some([30.0, 14.0, 62.0]), target: Some([20.0, 3.0, 40.0]), ..small(Subject::Prefabs) }
}

/// A frame between the second step and the third.
fn smooth() -> Arguments {
    Arguments { frames: 10, ..small(Subject::Smooth) }
}

/// Checks that the picture is the stored one, and that each fault is detected: each of `meshes` is left out once.
fn check(name: &str, arguments: &Arguments, meshes: &[u32]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kept").join(format!("{name}.png"));
    let drawn = draw(arguments);
    if std::env::var_os("HEDGEROW_KEEP").is_some() {
        drawn.write(&path).unwrap();
    }
    let kept = Picture::read(&path).unwrap();
    let difference = kept.difference(&drawn);
    println!("{name}: {difference:?}");
    if !within(difference) {
        drawn.write(&std::env::temp_dir().join(format!("hedgerow-viewer-{name}.png"))).unwrap();
    }
    assert!(within(difference), "{name}: {difference:?}; the picture drawn is in the folder for temporary files");
    let left_out = meshes.iter().map(|&mesh| Fault::LeftOut(mesh));
    for fault in [Fault::Swapped].into_iter().chain(left_out) {
        let difference = kept.difference(&draw_and_tell(arguments, faulty(arguments, &fault)).0);
        assert!(!within(difference), "{name}: {fault:?} is not seen: {difference:?}");
    }
}

#[test]
fn the_town_looks_as_it_did() {
    // Walls, foliage and cars.
    check("town", &town(), &[4, 19, 20]);
}

#[test]
fn levels_of_the_town_look_as_they_did() {
    // Distant walls, foliage at two levels, and a block.
    check("levels", &levels(), &[26, 31, 32, 36]);
}

#[test]
fn the_army_looks_as_it_did() {
    check("army", &army(), &[0, 1]);
}

#[test]
fn surfaces_and_lights_look_as_they_did() {
    check("shelf", &shelf(), &[0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn who_walks_looks_as_it_did() {
    // The ground and the puppet.
    check("walker", &walker(), &[1, 2]);
}

#[test]
fn a_flag_that_morphs_looks_as_it_did() {
    // Pole, path, sign, its outline, and the cloth.
    check("flag", &flag(), &[1, 2, 3, 4, 5]);
}

#[test]
fn houses_of_a_prefab_look_as_they_did() {
    // Walls, roofs and windows.
    check("prefabs", &prefabs(), &[4, 5, 8]);
}

#[test]
fn a_wheel_between_two_steps_looks_as_it_did() {
    check("smooth", &smooth(), &[0, 1]);
}

#[test]
fn textures_hold_what_storage_buffers_do() {
    for (name, arguments) in [
        ("town", town()),
        ("levels", levels()),
        ("far", far()),
        ("relative town", Arguments { relative: true, ..town() }),
        ("prefabs", prefabs()),
        ("smooth", smooth()),
        ("relative smooth", Arguments { relative: true, ..smooth() }),
        ("army", army()),
        ("shelf", shelf()),
        ("walker", walker()),
        ("flag", flag()),
    ] {
        let of = |arguments: &Arguments| draw_and_tell(arguments, Stage::new(arguments).unwrap());
        let (picture, frame) = of(&arguments);
        let on_processor = arguments.relative || name == "levels";
        assert_eq!(frame.on_device, !on_processor, "{name}");
        let (other, frame) = of(&Arguments { textures: true, ..arguments });
        assert!(!frame.on_device, "{name}");
        let difference = picture.difference(&other);
        println!("{name}: {difference:?}");
        assert!(difference.mean < 0.001 && difference.share == 0.0, "{name}: {difference:?}");
    }
    let fine = draw(&Arguments { switches: vec![0], ..far() });
    assert!(draw(&far()).difference(&fine).share > 0.0, "levels are seen");
}

#[test]
fn what_lies_ten_thousand_kilometres_away_does_not_shake() {
    let here = draw(&town());
    let relative = draw(&Arguments { relative: true, ..town() });
    println!("{:?}", here.difference(&relative));
    assert!(within(here.difference(&relative)), "{:?}", here.difference(&relative));
    let origin = [1e7, -2e6, 3.25e6];
    let moved = |place: Option<[f64; 3]>| place.map(|place| (DVec3::from(place) + DVec3::from(origin)).to_array());
    let near = town();
    let far = Arguments { relative: true, origin, eye: moved(near.eye), target: moved(near.target), ..near };
    let there = draw(&far);
    println!("{:?}", here.difference(&there));
    assert!(within(here.difference(&there)), "{:?}", here.difference(&there));
    // In single precision the picture shakes or is empty.
    let rounded = draw(&Arguments { relative: false, ..far });
    assert!(!within(here.difference(&rounded)), "{:?}", here.difference(&rounded));
}

#[test]
fn what_is_culled_is_not_seen() {
    for arguments in [town(), army(), prefabs(), smooth()] {
        let culled = draw(&arguments);
        let whole = draw(&Arguments { culling: false, ..arguments.clone() });
        assert!(within(culled.difference(&whole)), "{:?}", culled.difference(&whole));
    }
}

#[test]
fn a_still_frame_uploads_nothing_and_others_what_moved() {
    for (relative, textures, culling) in
        [(false, false, false), (false, false, true), (true, false, true), (false, true, false), (true, true, true)]
    {
        let seen = match (relative, culling) {
            (true, _) => levels(),
            (false, true) => far(),
            (false, false) => town(),
        };
        let arguments = Arguments { relative, textures, people: 0, culling, ..seen };
        let mut viewer = Viewer::new(gpu(), &arguments, PICTURE).unwrap();
        let aspect = SIZE[0] as f32 / SIZE[1] as f32;
        let frame = |viewer: &mut Viewer| {
            let frame = viewer.work(aspect).unwrap();
            viewer.gpu.queue.submit([]);
            viewer.gpu.wait().unwrap();
            frame
        };
        frame(&mut viewer);
        viewer.still = true;
        // Excludes the maintenance of the first frame.
        frame(&mut viewer);
        let still = frame(&mut viewer);
        assert_eq!(still.uploaded.bytes(), 0, "relative: {relative}, textures: {textures}, culling: {culling}");
        assert_eq!(still.on_device, culling && !relative && !textures);
        if relative {
            continue;
        }
        // Every hundredth leaf moves, then the first tenth of them.
        let scene = &viewer.stage.scene;
        let nodes: Vec<_> = scene
            .get(scene.root())
            .unwrap()
            .descendants()
            .map(|node| node.handle())
            .skip(1)
            .filter(|&node| {
                scene.local(node).is_some() && scene.get(node).and_then(|node| node.first_child()).is_none()
            })
            // Excludes glass, whose position in the drawing order changes as it moves.
            .filter(|&node| {
                let surface =
                    &viewer.stage.surfaces[viewer.stage.surface(scene.get(node).and_then(|node| node.material()))];
                surface.alpha != Alpha::Blend
            })
            .collect();
        let of_one = |moved: &[NodeHandle], viewer: &mut Viewer| {
            for &node in moved {
                let change = |local: &mut hedgerow::Transform| local.translation.y += 0.01;
                viewer.stage.scene.modify_local(node, change).unwrap();
            }
            let uploaded = frame(viewer).uploaded;
            assert!(uploaded.tables >= 48 * moved.len());
            assert_eq!((uploaded.draws, uploaded.uniforms), (0, 0));
            uploaded.tables as f64 / moved.len() as f64
        };
        let spread: Vec<NodeHandle> = nodes.iter().copied().step_by(100).collect();
        let (few, many) = (of_one(&spread, &mut viewer), of_one(&nodes[..nodes.len() / 10], &mut viewer));
        // One matrix for each moved node, and short gaps between neighbours.
        assert!(few <= 3.0 * 48.0, "{few} bytes for each");
        assert!(many <= 3.0 * 48.0, "{many} bytes for each");
        let camera = Camera { eye: viewer.camera.eye + DVec3::Y, ..viewer.camera };
        viewer.camera = camera;
        let turned = frame(&mut viewer).uploaded;
        assert_eq!(turned.tables, 0);
    }
}

#[test]
fn figures_that_stand_still_upload_nothing() {
    for textures in [false, true] {
        let arguments = Arguments { textures, ..army() };
        let mut viewer = Viewer::new(gpu(), &arguments, PICTURE).unwrap();
        let mut uploaded = |still| {
            viewer.still = still;
            viewer.work(1.5).unwrap().uploaded.tables
        };
        let [_, moving, _, standing] = [false, false, true, true].map(&mut uploaded);
        assert!(moving > 0 && standing == 0, "textures: {textures}, {moving} and {standing} bytes");
    }
}

#[test]
fn what_cannot_be_shown_is_refused_in_one_sentence() {
    let refused = |arguments: &Arguments| {
        let failure = viewer::run(gpu(), arguments, |_, _| {}).expect_err("a failure").to_string();
        assert!(!failure.contains('\n') && failure.len() < 400, "{failure}");
        failure
    };
    let missing = refused(&small(Subject::File("missing.glb".into())));
    assert!(missing.contains("missing.glb"), "{missing}");
    let broken = written("broken.glb", &files::flag()[..600]);
    assert!(refused(&small(Subject::File(broken))).contains("broken.glb"));
    let empty = written("empty.gltf", br#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{}]}"#);
    assert!(refused(&small(Subject::File(empty))).contains("nothing to show"));
    let none = written("none.gltf", br#"{"asset": {"version": "2.0"}}"#);
    assert!(refused(&small(Subject::File(none))).contains("no scene"));
    assert!(refused(&Arguments { animation: 7, ..flag() }).contains("animation"));
    assert!(refused(&Arguments { camera: Some(3), ..shelf() }).contains("camera 3"));
    assert!(refused(&Arguments { size: [100_000, 16], ..army() }).contains("pixels a side"));
}
