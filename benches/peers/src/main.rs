//! Compares hedgerow with other trees of transforms: see the README of this package, or `--help`.

mod edits;
mod experiment;
mod peer;
mod peers;
mod report;
mod shapes;
mod town;

use experiment::Pace;
use hedgerow_experiments::Failure;
use hedgerow_experiments::heap::Counting;
use lexopt::prelude::*;
use peer::Kind;
use std::path::{Path, PathBuf};

#[global_allocator]
static COUNTING: Counting = Counting;

const HELP: &str = "\
The same trees, the same work, by hedgerow and by others; their world matrices are compared.

  --shapes A,B     only these shapes (--names lists them)
  --sizes N,M      at these numbers of nodes, all of the shapes; without it 262144, and random at 4096 and 32768, too
  --peers A,B      only these peers
  --gltf FILE      what a town is made of; else a level in $HEDGEROW_GLTF_DIR/models; else towns are skipped
  --json           a line of JSON for each figure
  --tiny           everything once with 2000 nodes: checks, and figures that say nothing
  --table FILE...  prints tables of what --json printed, and measures nothing
  --names          lists the shapes, and measures nothing

Built with --features threads it has the peers that know threads, on two; else all of them, on one. What was asked for
and the build has not is left out.
";

/// The default number of nodes of all shapes, and further sizes of `random`.
const SIZE: usize = 262_144;
const SMALLER: [usize; 2] = [4096, 32_768];
const TINY: usize = 2000;
/// The glTF level in the folder of models.
const LEVEL: &str = "models/dungeon_warkarma.glb";

struct Options {
    shapes: Vec<String>,
    sizes: Option<Vec<usize>>,
    kinds: Vec<Kind>,
    gltf: Option<PathBuf>,
    json: bool,
    tiny: bool,
}

fn main() -> Result<(), Failure> {
    let mut options = Options {
        shapes: shapes::NAMES.iter().map(ToString::to_string).collect(),
        sizes: None,
        kinds: peer::kinds(),
        gltf: std::env::var_os("HEDGEROW_GLTF_DIR").map(|folder| Path::new(&folder).join(LEVEL)),
        json: false,
        tiny: false,
    };
    let mut only = None;
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("shapes") => options.shapes = list(&arguments.value()?.string()?),
            Long("sizes") => {
                let sizes = list(&arguments.value()?.string()?);
                options.sizes = Some(sizes.iter().map(|size| size.parse()).collect::<Result<_, _>>()?);
            }
            Long("peers") => only = Some(list(&arguments.value()?.string()?)),
            Long("gltf") => options.gltf = Some(arguments.value()?.into()),
            Long("json") => options.json = true,
            Long("tiny") => options.tiny = true,
            Long("table") => return table(arguments.values()?),
            Long("names") => {
                println!("{}", shapes::NAMES.join("\n"));
                return Ok(());
            }
            Long("help") | Short('h') => {
                print!("{HELP}");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    if let Some(names) = only {
        options.kinds = chosen(options.kinds, &names)?;
    }
    options.kinds.retain(|kind| kind.threads == peer::THREADS);
    // This thread is one of the pool's two threads, so small work stays on it.
    #[cfg(feature = "threads")]
    rayon::ThreadPoolBuilder::new().num_threads(2).use_current_thread().build_global()?;
    measure(&options)
}

fn list(text: &str) -> Vec<String> {
    text.split(',').map(str::to_owned).collect()
}

/// Returns the kinds of these names. Skips names that only the other build has; refuses unknown names.
fn chosen(kinds: Vec<Kind>, names: &[String]) -> Result<Vec<Kind>, Failure> {
    let own: Vec<String> = peer::on_one_thread().into_iter().chain(kinds.clone()).map(|kind| kind.name).collect();
    if let Some(name) = names.iter().find(|name| !own.contains(name)) {
        return Err(format!("unknown peer '{name}'; the peers are {}", own.join(", ")).into());
    }
    Ok(kinds.into_iter().filter(|kind| names.contains(&kind.name)).collect())
}

fn measure(options: &Options) -> Result<(), Failure> {
    for name in &options.shapes {
        let sizes = match &options.sizes {
            _ if options.tiny => vec![TINY],
            Some(sizes) => sizes.clone(),
            None if name == "random" => SMALLER.into_iter().chain([SIZE]).collect(),
            None => vec![SIZE],
        };
        for nodes in sizes {
            let file = options.gltf.as_deref().filter(|file| file.exists());
            let Some(shape) = shapes::shape(name, nodes, file)? else {
                eprintln!("SKIPPED: {name}: no file by --gltf, and no {LEVEL} in a folder $HEDGEROW_GLTF_DIR");
                break;
            };
            let pace = if options.tiny { Pace::tiny() } else { Pace::of(shape.len()) };
            let figures = experiment::run(&shape, &options.kinds, pace)?;
            let lines = report::lines(&shape, &options.kinds, &figures);
            if options.json {
                lines.iter().for_each(|line| println!("{line}"));
            } else {
                println!("{}", report::tables(&lines));
            }
        }
    }
    Ok(())
}

fn table(files: impl Iterator<Item = std::ffi::OsString>) -> Result<(), Failure> {
    let mut lines = Vec::new();
    for file in files {
        for line in std::fs::read_to_string(file)?.lines() {
            lines.push(serde_json::from_str(line)?);
        }
    }
    print!("{}", report::tables(&lines));
    Ok(())
}
