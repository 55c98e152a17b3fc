//! The jobs that both sides do.

use hedgerow_experiments::Failure;
use hedgerow_experiments::clock::nanoseconds;

pub(crate) const JOBS: [&str; 5] = ["forward", "backward", "seek", "models", "crowd"];
/// The number of characters of each side, all with the same clip. Jobs but `crowd` use the first.
pub(crate) const CHARACTERS: usize = 100;

const FRAMES: usize = 238;
const REPEATS: usize = 8;
const SEEKS: usize = 256;
const FRAME: f32 = 1.0 / 60.0;

/// One library with its characters.
pub(crate) trait Side {
    /// Moves a character's clip to a time in seconds.
    fn seek(&mut self, character: usize, seconds: f32);

    /// Moves a character's clip by some seconds, with a jump to the start at the clip's end.
    fn advance(&mut self, character: usize, seconds: f32);

    /// Samples a character's local transforms.
    ///
    /// # Errors
    /// An error if the library refuses.
    fn sample(&mut self, character: usize) -> Result<(), Failure>;

    /// Computes a character's model matrices from its local transforms.
    ///
    /// # Errors
    /// An error if the library refuses.
    fn models(&mut self, character: usize) -> Result<(), Failure>;

    /// Returns a character's model matrices: three rows of four numbers for each joint.
    fn matrices(&self, character: usize) -> Vec<f32>;

    /// Returns the size of the clip in bytes.
    fn bytes(&self) -> usize;
}

/// Runs one turn of a job, and returns its nanoseconds per pose.
///
/// # Errors
/// An error if there is no such job, or the library refuses.
pub(crate) fn turn(side: &mut impl Side, job: &str, duration: f32) -> Result<f64, Failure> {
    let mut outcome = Ok(0);
    let taken = nanoseconds(|| outcome = work(side, job, duration));
    Ok(taken / outcome? as f64)
}

/// Runs a turn, and returns the number of poses.
fn work(side: &mut impl Side, job: &str, duration: f32) -> Result<usize, Failure> {
    match job {
        "forward" | "backward" => {
            let (start, step) = if job == "forward" { (0.0, FRAME) } else { (duration, -FRAME) };
            for _ in 0..REPEATS {
                side.seek(0, start);
                side.sample(0)?;
                for _ in 1..FRAMES {
                    side.advance(0, step);
                    side.sample(0)?;
                }
            }
            Ok(REPEATS * FRAMES)
        }
        "seek" => {
            let mut state = 1_u32;
            for _ in 0..SEEKS {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                side.seek(0, duration * (state >> 8) as f32 / 16_777_216.0);
                side.sample(0)?;
            }
            Ok(SEEKS)
        }
        "models" => {
            (0..REPEATS * FRAMES).try_for_each(|_| side.models(0))?;
            Ok(REPEATS * FRAMES)
        }
        "crowd" => {
            for _ in 0..REPEATS {
                for character in 0..CHARACTERS {
                    side.advance(character, FRAME);
                    side.sample(character)?;
                    side.models(character)?;
                }
            }
            Ok(REPEATS * CHARACTERS)
        }
        other => Err(format!("unknown job {other}").into()),
    }
}
