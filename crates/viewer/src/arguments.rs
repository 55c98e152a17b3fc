//! The command line.

use lexopt::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// The text that `--help` prints.
pub const HELP: &str = "\
Shows a scene of hedgerow in a window, or draws it without one: the town, the army, houses of one prefab, smooth motion, or
a glTF file.

Usage: hedgerow-viewer [OPTIONS] [town | army | prefabs | smooth | FILE.glb | FILE.gltf]

Without --picture, --json and --no-draw a window opens (feature `window` of the viewer's build).

Options:
  --window           open a window; with --json, tell what was done when it closes, in one line
  --picture FILE     draw without a window, and write the last frame as a PNG file
  --frames N         frames to play, at least 1 (default 1; a window stays open unless this is given)
  --size WxH         width and height in pixels (default 1280x720)
  --json             without a window, one line of JSON for each frame: times in milliseconds, bytes uploaded
  --draw-all         draw every frame, not only the last
  --no-draw          with --json: everything but drawing
  --still            nothing moves after the first frame
  --load P           besides, so many percent of all nodes move in each frame, 0 to 100
  --seed N           seed of the town, of the army, and of the prefab (default 1)
  --people N         people in the streets of the town (default 200)
  --characters N     characters of the army (default 1000)
  --animation N      the animation of a file to play (default 0, the first)
  --time S           seconds that a file's animation has played in the first frame (default 0)
  --switch N         at first, turn the switch that the key N turns; may be given several times
  --camera N         the camera of a file to look through, from 0 on; `none` shows all of the file
  --eye X,Y,Z        where to look from, and
  --target X,Y,Z     at what
  --origin X,Y,Z     everything lies at this place, in metres: matrices are then relative to the camera
  --relative         matrices relative to the camera wherever things lie
  --textures         read matrices from textures, as WebGL 2 does, not from storage buffers
  --no-culling       draw everything
  --shadows N        texels along a side of a shadow cascade, 0 to 4096; 0: no shadows (default 2048)
  --threads N        threads of the scene (default: one for each core)
  -h, --help         this text
";

/// What to show.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// The town of the example `frames`.
    Town,
    /// The army of the example `army`.
    Army,
    /// A hundred houses of one prefab, with overrides.
    Prefabs,
    /// A Ferris wheel simulated in few steps per second, and drawn between steps.
    Smooth,
    /// A glTF file.
    File(PathBuf),
}

/// The parsed command line.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments {
    /// What to show.
    pub subject: Subject,
    /// Whether a window opens.
    pub window: bool,
    /// The file to write.
    pub picture: Option<PathBuf>,
    /// The number of frames to play; in a window, 0 plays until the window closes.
    pub frames: u32,
    /// Width and height of the picture.
    pub size: [u32; 2],
    /// Whether to print a line of JSON for each frame.
    pub json: bool,
    /// Whether to draw.
    pub draw: bool,
    /// Whether to draw all frames, not only the last.
    pub draw_all: bool,
    /// Whether nothing moves.
    pub still: bool,
    /// The percentage of all nodes to turn in each frame, in addition to the simulation.
    pub load: f32,
    /// The seed of the town, of the army, and of the prefab.
    pub seed: u64,
    /// How many people are in the town.
    pub people: u32,
    /// How many characters are in the army.
    pub characters: u32,
    /// The number of the animation to play, if the subject is a file.
    pub animation: usize,
    /// The time at which the animation begins, in seconds.
    pub time: f32,
    /// The switches to toggle at the start, counted from 0.
    pub switches: Vec<usize>,
    /// The number of the camera to look through, if the subject is a file.
    pub camera: Option<usize>,
    /// Where to look from.
    pub eye: Option<[f64; 3]>,
    /// What to look at.
    pub target: Option<[f64; 3]>,
    /// The offset of the whole scene, in metres.
    pub origin: [f64; 3],
    /// Whether matrices are relative to the camera.
    pub relative: bool,
    /// Whether shaders read matrices from textures even if they could read storage buffers.
    pub textures: bool,
    /// Whether draws outside the view are culled.
    pub culling: bool,
    /// The width of a shadow cascade's texture; 0 for no shadows.
    pub shadow_texels: u32,
    /// The number of threads for the scene; 0 for one per core.
    pub threads: usize,
}

impl Arguments {
    /// Returns the default arguments for a subject.
    #[must_use]
    pub fn new(subject: Subject) -> Self {
        Self {
            subject,
            window: false,
            picture: None,
            frames: 1,
            size: [1280, 720],
            json: false,
            draw: true,
            draw_all: false,
            still: false,
            load: 0.0,
            seed: 1,
            people: 200,
            characters: 1000,
            animation: 0,
            time: 0.0,
            switches: Vec::new(),
            camera: Some(0),
            eye: None,
            target: None,
            origin: [0.0; 3],
            relative: false,
            textures: false,
            culling: true,
            shadow_texels: 2048,
            threads: 0,
        }
    }
}

/// Parses the arguments after the program's name; `None` for `--help`.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Option<Arguments>, lexopt::Error> {
    let mut parsed = Arguments::new(Subject::Town);
    let mut parser = lexopt::Parser::from_args(arguments);
    let (mut subject, mut window, mut frames) = (None, false, None);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("window") => window = true,
            Long("picture") => parsed.picture = Some(parser.value()?.into()),
            Long("frames") => {
                let expected = "--frames takes a number of at least 1";
                frames = Some(one(&mut parser, expected, |&frames: &u32| frames > 0)?);
            }
            Long("size") => {
                let expected = "--size takes width and height from 16 to 8192, as in 1280x720";
                let fits = |size: &Vec<u32>| size.iter().all(|side| (16..=8192).contains(side));
                parsed.size = several(&mut parser, 'x', expected, fits)?;
            }
            Long("json") => parsed.json = true,
            Long("no-draw") => parsed.draw = false,
            Long("draw-all") => parsed.draw_all = true,
            Long("still") => parsed.still = true,
            Long("load") => {
                let expected = "--load takes a percentage from 0 to 100";
                parsed.load = one(&mut parser, expected, |load: &f32| (0.0..=100.0).contains(load))?;
            }
            Long("seed") => parsed.seed = one(&mut parser, "--seed takes a number from 0 to 2^64 - 1", |_| true)?,
            Long("people") => {
                parsed.people = one(&mut parser, "--people takes a number from 0 to 20000", |&n: &u32| n <= 20_000)?;
            }
            Long("characters") => {
                let expected = "--characters takes a number from 1 to 20000";
                parsed.characters = one(&mut parser, expected, |n: &u32| (1..=20_000).contains(n))?;
            }
            Long("animation") => {
                parsed.animation = one(&mut parser, "--animation takes a number from 0 on", |_| true)?;
            }
            Long("time") => {
                let expected = "--time takes seconds from 0 on";
                parsed.time = one(&mut parser, expected, |time: &f32| time.is_finite() && *time >= 0.0)?;
            }
            Long("switch") => {
                parsed.switches.push(one(&mut parser, "--switch takes a number from 1 on", |&n: &usize| n > 0)? - 1);
            }
            Long("camera") => {
                let value = parser.value()?;
                let number = value.to_str().filter(|text| *text != "none").map(str::parse).transpose();
                parsed.camera = number
                    .map_err(|_| format!("--camera takes a number from 0 on, or `none`, not {}", value.display()))?;
            }
            Long("eye") => parsed.eye = Some(place(&mut parser, "--eye")?),
            Long("target") => parsed.target = Some(place(&mut parser, "--target")?),
            Long("origin") => parsed.origin = place(&mut parser, "--origin")?,
            Long("relative") => parsed.relative = true,
            Long("textures") => parsed.textures = true,
            Long("no-culling") => parsed.culling = false,
            Long("shadows") => {
                let expected = "--shadows takes a number from 0 to 4096";
                parsed.shadow_texels = one(&mut parser, expected, |&texels: &u32| texels <= 4096)?;
            }
            Long("threads") => {
                let expected = "--threads takes a number from 1 to 64";
                parsed.threads = one(&mut parser, expected, |n: &usize| (1..=64).contains(n))?;
            }
            Short('h') | Long("help") => return Ok(None),
            Value(value) if subject.is_none() => {
                subject = Some(match value.to_str() {
                    Some("town") => Subject::Town,
                    Some("army") => Subject::Army,
                    Some("prefabs") => Subject::Prefabs,
                    Some("smooth") => Subject::Smooth,
                    _ => Subject::File(value.into()),
                });
            }
            _ => return Err(argument.unexpected()),
        }
    }
    parsed.subject = subject.unwrap_or(Subject::Town);
    if window && (parsed.picture.is_some() || !parsed.draw) {
        return Err("--window excludes --picture and --no-draw".into());
    }
    parsed.window = window || (parsed.picture.is_none() && !parsed.json && parsed.draw);
    parsed.frames = frames.unwrap_or(u32::from(!parsed.window));
    // Single precision resolves centimetres up to a distance of 100 km.
    parsed.relative |= parsed.origin.iter().any(|part| part.abs() > 1e5);
    Ok(Some(parsed))
}

fn one<T: std::str::FromStr>(
    parser: &mut lexopt::Parser,
    expected: &str,
    fits: impl Fn(&T) -> bool,
) -> Result<T, lexopt::Error> {
    let value = parser.value()?;
    let found = value.to_str().and_then(|text| text.parse().ok()).filter(fits);
    found.ok_or_else(|| format!("{expected}, not {}", value.display()).into())
}

fn several<T: std::str::FromStr, const N: usize>(
    parser: &mut lexopt::Parser,
    separator: char,
    expected: &str,
    fits: impl Fn(&Vec<T>) -> bool,
) -> Result<[T; N], lexopt::Error> {
    let value = parser.value()?;
    let parts = value.to_str().map(|text| text.split(separator).map(|part| part.trim().parse().ok()));
    let parts: Option<Vec<T>> = parts.and_then(Iterator::collect);
    let parts = parts.filter(fits).and_then(|parts| parts.try_into().ok());
    parts.ok_or_else(|| format!("{expected}, not {}", value.display()).into())
}

fn place(parser: &mut lexopt::Parser, name: &str) -> Result<[f64; 3], lexopt::Error> {
    let expected = format!("{name} takes three numbers, as in 1,2.5,-3");
    several(parser, ',', &expected, |parts: &Vec<f64>| parts.iter().all(|part| part.abs() < 1e30))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Option<Arguments>, lexopt::Error> {
        parse(words.iter().map(OsString::from))
    }

    #[test]
    fn options_are_read() {
        let words = ["--picture", "a.png", "--size", "320x180", "--origin", "1e7,0,-2.5", "army", "--camera", "none"];
        let read = read(&words).unwrap().unwrap();
        assert_eq!((read.size, read.subject, read.camera), ([320, 180], Subject::Army, None));
        assert_eq!((read.origin, read.relative), ([1e7, 0.0, -2.5], true));
    }

    #[test]
    fn a_window_opens_unless_something_is_to_be_written() {
        let read = |words: &[&str]| {
            let read = read(words).unwrap().unwrap();
            (read.window, read.frames)
        };
        assert_eq!(read(&["army"]), (true, 0));
        assert_eq!(read(&["--json"]), (false, 1));
        assert_eq!(read(&["--picture", "a.png", "--frames", "4"]), (false, 4));
        assert_eq!(read(&["--window", "--json", "--frames", "9"]), (true, 9));
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_what_would() {
        for words in [
            &["--size", "320"][..],
            &["--size", "0x10"],
            &["--frames", "0"],
            &["--load", "101"],
            &["--eye", "1,2"],
            &["--camera", "x"],
            &["--threads", "0"],
            &["--nonsense"],
            &["town", "army"],
            &["--window", "--picture", "a.png"],
        ] {
            assert!(read(words).is_err(), "{words:?}");
        }
        assert_eq!(read(&["-h"]).unwrap(), None);
    }
}
