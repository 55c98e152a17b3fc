//! The viewer as a program; `--help` lists its options.

use hedgerow_viewer::arguments::{self, Arguments, HELP};
use hedgerow_viewer::failure::{Failure, Result};
use hedgerow_viewer::gpu::Gpu;
use hedgerow_viewer::viewer;
use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match arguments::parse(std::env::args_os().skip(1)) {
        Ok(Some(arguments)) => arguments,
        Ok(None) => {
            // A closed pipe is no failure.
            let _ = std::io::stdout().write_all(HELP.as_bytes());
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            complain(&format!("{error}; --help lists the options"));
            return ExitCode::from(2);
        }
    };
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            complain(&failure.to_string());
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    if arguments.window {
        return window(arguments);
    }
    if arguments.picture.is_none() && !arguments.json {
        return Err(Failure::new("nothing to do: pass --picture FILE, --json, or both"));
    }
    let gpu = Gpu::new()?;
    let picture = viewer::run(gpu, arguments, |number, frame| {
        if arguments.json {
            let _ = writeln!(std::io::stdout(), "{}", frame.json(number));
        }
    })?;
    match (&arguments.picture, picture) {
        (Some(path), Some(picture)) => picture.write(path),
        (Some(_), None) => Err(Failure::new("--picture and --no-draw exclude each other")),
        _ => Ok(()),
    }
}

#[cfg(feature = "window")]
fn window(arguments: &Arguments) -> Result<()> {
    let summary = hedgerow_viewer::window::run(arguments)?;
    if arguments.json {
        let _ = writeln!(std::io::stdout(), "{}", summary.json());
    }
    Ok(())
}

#[cfg(not(feature = "window"))]
fn window(_: &Arguments) -> Result<()> {
    Err(Failure::new("this build opens no window: build with default features, or pass --picture FILE"))
}

/// Writes to stderr, and ignores errors.
fn complain(message: &str) {
    let _ = writeln!(std::io::stderr(), "hedgerow-viewer: {message}");
}
