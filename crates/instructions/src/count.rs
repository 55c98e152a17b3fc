//! Counts instructions; this program runs itself under callgrind.

use crate::operations::{NOTHING, Operation};
use std::env;
use std::error::Error;
use std::io;
use std::process::{Child, Command, Stdio};

/// The instructions of picking a node, which are subtracted from every operation.
pub(crate) struct Idle(f64);

impl Idle {
    /// Counts the instructions of a pick.
    ///
    /// # Errors
    /// See [`Idle::cost_of`].
    pub(crate) fn count() -> Result<Self, Box<dyn Error>> {
        Ok(Self(cost(&NOTHING)?))
    }

    /// Returns the instructions of an operation, without picking the node; of an operation on many nodes, per node.
    ///
    /// # Errors
    /// An error if valgrind is missing, or if the run under valgrind fails.
    pub(crate) fn cost_of(&self, operation: &Operation) -> Result<u64, Box<dyn Error>> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of instructions")]
        let whole = (cost(operation)? - if operation.picks { self.0 } else { 0.0 }).round() as u64;
        Ok(whole)
    }
}

/// Returns the instructions of one operation with the pick. Subtracts the count of a shorter run from that of a longer
/// run, so building and dropping the scene is not counted.
fn cost(operation: &Operation) -> Result<f64, Box<dyn Error>> {
    let [fewer, more] = operation.times;
    // Both at once, each on a core.
    let runs = [start(operation.name, fewer)?, start(operation.name, more)?];
    let [least, most] = runs.map(|run| collected(operation.name, run));
    let beyond = most?.checked_sub(least?).ok_or("a run of more times took fewer instructions")?;
    Ok(beyond as f64 / (f64::from(more - fewer) * f64::from(operation.each)))
}

/// Starts a run under callgrind that repeats the operation `times` times.
fn start(operation: &str, times: u32) -> Result<Child, Box<dyn Error>> {
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(env::current_exe()?)
        .args(["--times", &times.to_string(), operation])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    run.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "valgrind is missing; install it, for example by `apt-get install valgrind`".into(),
        _ => format!("valgrind cannot be run: {error}").into(),
    })
}

/// Returns the number of instructions of a whole run.
fn collected(operation: &str, run: Child) -> Result<u64, Box<dyn Error>> {
    let output = run.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let count = said.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    match count {
        Some(count) if output.status.success() => Ok(count),
        _ => Err(format!("`{operation}` fails under valgrind ({}):\n{said}", output.status).into()),
    }
}
