//! The driver program of ozz-animation's side.

use hedgerow_experiments::Failure;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The running program; dropping this value ends it.
pub(crate) struct Driver {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    rig: PathBuf,
}

impl Driver {
    /// Starts the program on this rig.
    ///
    /// # Errors
    /// An error if the rig cannot be written or the program cannot be started.
    pub(crate) fn start(program: &Path, rig: &str, iframes: f32) -> Result<Self, Failure> {
        let path = std::env::temp_dir().join(format!("hedgerow-rig-{}.txt", std::process::id()));
        std::fs::write(&path, rig)?;
        let mut command = Command::new(program);
        command.arg(&path).arg(iframes.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("{}: {error}", program.display()))?;
        let requests = child.stdin.take().expect("it is piped");
        let answers = BufReader::new(child.stdout.take().expect("it is piped"));
        Ok(Self { child, requests, answers, rig: path })
    }

    fn ask(&mut self, request: &str) -> Result<String, Failure> {
        writeln!(self.requests, "{request}")?;
        self.requests.flush()?;
        let mut answer = String::new();
        match self.answers.read_line(&mut answer)? {
            0 => Err(format!("the driver ended when it was asked for: {request}").into()),
            _ => Ok(answer),
        }
    }

    /// Runs one turn of a job, and returns the nanoseconds per joint.
    ///
    /// # Errors
    /// An error if the program has ended.
    pub(crate) fn turn(&mut self, job: &str) -> Result<f64, Failure> {
        Ok(self.ask(&format!("turn {job}"))?.trim().parse()?)
    }

    /// Returns the size of the clip in bytes.
    ///
    /// # Errors
    /// An error if the program has ended.
    pub(crate) fn bytes(&mut self) -> Result<f64, Failure> {
        Ok(self.ask("bytes")?.trim().parse()?)
    }

    /// Returns the model matrices at this time: three rows of four numbers for each joint.
    ///
    /// # Errors
    /// An error if the program has ended.
    pub(crate) fn models(&mut self, seconds: f32) -> Result<Vec<f32>, Failure> {
        let answer = self.ask(&format!("models {seconds}"))?;
        Ok(answer.split_whitespace().map(str::parse).collect::<Result<_, _>>()?)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // The program may have ended, and its file may be gone.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_file(&self.rig);
    }
}
