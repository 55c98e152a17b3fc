//! What a program is told, and what it says.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, Write as _};
use std::num::NonZeroU32;
use std::process::ExitCode;

/// A bar on stderr; hidden when the report is for a program, and where stderr is not a terminal.
pub(crate) fn progress(frames: NonZeroU32, hidden: bool) -> ProgressBar {
    let target = if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let style =
        ProgressStyle::with_template("{bar:40} {pos}/{len} frames, {eta} left").expect("the template is well formed");
    ProgressBar::with_draw_target(Some(frames.get().into()), target).with_style(style)
}

/// Writes to stdout; a reader who has gone away is no failure.
pub(crate) fn print(program: &str, text: &str) -> ExitCode {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(program, &format!("cannot write to the standard output: {error}"));
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Writes to stderr, where there is nobody left to tell if that fails.
pub(crate) fn complain(program: &str, message: &str) {
    let _ = writeln!(io::stderr(), "{program}: {message}");
}

/// The number behind an option; `expected` says what it should have been.
pub(crate) fn number<T: std::str::FromStr>(parser: &mut lexopt::Parser, expected: &str) -> Result<T, lexopt::Error> {
    let value = parser.value()?;
    let number = value.to_str().and_then(|text| text.parse().ok());
    number.ok_or_else(|| format!("{expected}, not {}", value.display()).into())
}
