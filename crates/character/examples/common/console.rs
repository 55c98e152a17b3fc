//! Arguments and output of an example.

use std::error::Error;
use std::io::{self, Write as _};
use std::process::ExitCode;

/// The request of a command line: help, or a run with arguments.
pub(crate) enum Request<A> {
    Help,
    Play(A),
}

/// Runs the request, prints its output, and returns the exit code: 2 for invalid arguments.
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

/// Writes to stdout; a closed pipe is not a failure.
fn print(program: &str, text: &str) -> ExitCode {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(program, &format!("cannot write to the standard output: {error}"));
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Writes to stderr, and ignores errors.
fn complain(program: &str, message: &str) {
    let _ = writeln!(io::stderr(), "{program}: {message}");
}

/// Returns the number after an option; `expected` describes it in the error.
pub(crate) fn number<T: std::str::FromStr>(parser: &mut lexopt::Parser, expected: &str) -> Result<T, lexopt::Error> {
    let value = parser.value()?;
    let number = value.to_str().and_then(|text| text.parse().ok());
    number.ok_or_else(|| format!("{expected}, not {}", value.display()).into())
}
