//! What a program is told, and what it says.

use std::error::Error;
use std::io::{self, Write as _};
use std::process::ExitCode;

/// What the caller wants: the help, or a run with these arguments.
pub(crate) enum Request<A> {
    Help,
    Play(A),
}

/// Does what was asked for, prints what that gives, and returns how the program ends: 2 for arguments that make no
/// sense.
pub(crate) fn answer<A>(
    program: &str,
    help: &str,
    request: Result<Request<A>, lexopt::Error>,
    run: impl FnOnce(&A) -> Result<String, Box<dyn Error>>,
) -> ExitCode {
    let text = match request {
        Err(error) => {
            complain(program, &format!("{error}; --help lists the options"));
            return ExitCode::from(2);
        }
        Ok(Request::Help) => Ok(help.to_owned()),
        Ok(Request::Play(arguments)) => run(&arguments),
    };
    match text {
        Ok(text) => print(program, &text),
        Err(error) => {
            complain(program, &error.to_string());
            ExitCode::FAILURE
        }
    }
}

/// Writes to stdout; a reader who has gone away is no failure.
fn print(program: &str, text: &str) -> ExitCode {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(program, &format!("cannot write to the standard output: {error}"));
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Writes to stderr, where there is nobody left to tell if that fails.
fn complain(program: &str, message: &str) {
    let _ = writeln!(io::stderr(), "{program}: {message}");
}

/// Returns the number behind an option; `expected` says what it should have been.
pub(crate) fn number<T: std::str::FromStr>(parser: &mut lexopt::Parser, expected: &str) -> Result<T, lexopt::Error> {
    let value = parser.value()?;
    let number = value.to_str().and_then(|text| text.parse().ok());
    number.ok_or_else(|| format!("{expected}, not {}", value.display()).into())
}
