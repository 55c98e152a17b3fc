//! Counting: this program runs itself under callgrind.

use crate::operations::{NOTHING, Operation};
use std::env;
use std::error::Error;
use std::io;
use std::process::Command;

/// Instructions of one pick of a node, which is no part of any operation.
pub(crate) struct Idle(f64);

impl Idle {
    /// Counts it.
    ///
    /// # Errors
    /// As [`Idle::cost_of`].
    pub(crate) fn count() -> Result<Self, Box<dyn Error>> {
        Ok(Self(cost(&NOTHING)?))
    }

    /// Instructions that one operation takes, without the pick: of operations on many nodes, each node's share.
    ///
    /// # Errors
    /// Where valgrind is missing, or what runs under it fails.
    pub(crate) fn cost_of(&self, operation: &Operation) -> Result<u64, Box<dyn Error>> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of instructions")]
        let whole = (cost(operation)? - if operation.picks { self.0 } else { 0.0 }).round() as u64;
        Ok(whole)
    }
}

/// Instructions that one operation takes with the pick: what a run of more times takes beyond a run of fewer, so that
/// neither the building of the scene nor its end is counted.
fn cost(operation: &Operation) -> Result<f64, Box<dyn Error>> {
    let [fewer, more] = operation.times;
    let [least, most] = [collected(operation.name, fewer)?, collected(operation.name, more)?];
    let beyond = most.checked_sub(least).ok_or("a run of more times took fewer instructions")?;
    Ok(beyond as f64 / (f64::from(more - fewer) * f64::from(operation.each)))
}

/// Instructions of a whole run of this program that does the operation so many times.
fn collected(operation: &str, times: u32) -> Result<u64, Box<dyn Error>> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(env::current_exe()?)
        .args(["--times", &times.to_string(), operation])
        .output()
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                "valgrind is missing; install it, for example by `apt-get install valgrind`".into()
            }
            _ => format!("valgrind cannot be run: {error}"),
        })?;
    let said = String::from_utf8_lossy(&output.stderr);
    let count = said.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    match count {
        Some(count) if output.status.success() => Ok(count),
        _ => Err(format!("`{operation}` fails under valgrind ({}):\n{said}", output.status).into()),
    }
}
