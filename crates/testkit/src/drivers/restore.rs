//! Games with rollback: any edits, and among them checkpoints and ways back. The whole scene, and what readers, lists,
//! mirrors, columns and inherited values say of it, are compared with the naive model. A game without visits ends with
//! the bytes of a game that was played without going back.

use super::expect_sound;
use crate::model::op::Op;
use crate::model::oracle::{self, Oracle};
use crate::model::restore::Restorer;
use crate::model::{Check, Mismatch, Step, decode};

/// A configuration, and edits.
pub type Input = crate::Input<{ decode::POLICY_BYTES }, { decode::STEP_BYTES }>;

/// The greatest number of steps; more steps find no more faults.
const MOST_STEPS: usize = 300;

pub fn run(input: &Input) {
    let (oracle, played) = play(input);
    let steps: Vec<Step> = input.steps.iter().map(decode::step).collect();
    expect_sound(&oracle, &steps, played);
}

/// Plays a game, and returns the oracle at its end.
pub fn play(input: &Input) -> (Oracle, Check) {
    let mut oracle = oracle::from_bytes(input.head);
    let played = play_with(&mut oracle, input);
    (oracle, played)
}

fn play_with(oracle: &mut Oracle, input: &Input) -> Check {
    // Visits set what has certain rows, and rows may be others after a restore.
    let is_game = input.head[6] & 1 == 0;
    let most = usize::from(input.head[5] % 9) + 1;
    let mut restorer = Restorer::new(oracle, most)?;
    // The steps that were not taken back, and how many there were at each checkpoint.
    let (mut lasting, mut at_frame): (Vec<Step>, Vec<usize>) = (Vec::new(), Vec::new());
    for (number, bytes) in input.steps.iter().take(MOST_STEPS).enumerate() {
        let named = |mismatch| Mismatch(format!("step {number}: {mismatch}"));
        let Step { op, update, probe } = decode::step(bytes);
        match bytes[decode::STEP_BYTES - 1] % 16 {
            0..4 => {
                let frame = restorer.save(oracle).map_err(named)?;
                at_frame.truncate(usize::try_from(frame).expect("few frames"));
                at_frame.push(lasting.len());
            }
            4..6 => {
                if let Some(frame) = restorer.restore(oracle, bytes[decode::STEP_BYTES - 2]).map_err(named)? {
                    at_frame.truncate(usize::try_from(frame).expect("few frames") + 1);
                    lasting.truncate(at_frame[at_frame.len() - 1]);
                    // With an odd number, this look sets no user data, which the other game would lack.
                    let look = Step { op: Op::Update, update: true, probe: probe | 1 };
                    oracle.look(&look, true).map_err(named)?;
                }
            }
            _ => {}
        }
        let op = match op {
            Op::Visit { .. } | Op::Reload { .. } if is_game => Op::Update,
            op => op,
        };
        let step = Step { op, update, probe };
        oracle.step(&step).map_err(named)?;
        lasting.push(step);
        if matches!(op, Op::Reload { .. }) {
            restorer = Restorer::new(oracle, most)?;
            at_frame.clear();
        }
    }
    if is_game {
        let mut straight = oracle::from_bytes(input.head);
        lasting.iter().try_for_each(|step| straight.step(step))?;
        if straight.scene.to_bytes() != oracle.scene.to_bytes() {
            return Err(Mismatch("the game that never went back ends otherwise".into()));
        }
    }
    oracle.compare_stats()
}
