//! Compares the players' clocks, after days of frames, with double-precision arithmetic.

use hedgerow_anim::{Clip, ClipBuilder, Player, RawClip, player::Playback, raw::Track};
use std::time::Instant;

/// The number of frames per second.
const RATE: u32 = 60;

/// Returns a clip of this duration in seconds, whose only channel is the time.
fn clip(duration: f32) -> Result<Clip, hedgerow_anim::Error> {
    let mut raw = RawClip::new(duration, 0)?;
    raw.add_channel("time", Track::linear(vec![0.0, duration], vec![0.0, duration])?)?;
    Ok(ClipBuilder::new().build(&raw)?.0)
}

/// Returns the time of a clock after `steps` steps, computed without summing the steps.
fn expected(step: f32, steps: u64, duration: f32, playback: Playback) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "days of frames are exact in double precision")]
    let total = f64::from(step) * steps as f64;
    let duration = f64::from(duration);
    match playback {
        Playback::Clamp => total.min(duration),
        Playback::Loop => total.rem_euclid(duration),
        Playback::PingPong => {
            let phase = total.rem_euclid(2.0 * duration);
            if phase > duration { 2.0 * duration - phase } else { phase }
        }
    }
}

/// Plays clips for this many hours of frames. Returns a line with figures, or an error that names a wrong clock.
pub(crate) fn run(hours: u32) -> Result<String, String> {
    let start = Instant::now();
    let steps = u64::from(hours) * 3_600 * u64::from(RATE);
    let step = 1.0 / RATE as f32;
    let mut worst = 0.0_f64;
    for duration in [0.73_f32, 2.0, 59.9, 3_601.5] {
        let clip = clip(duration).map_err(|error| error.to_string())?;
        for playback in [Playback::Loop, Playback::PingPong, Playback::Clamp] {
            let mut player = Player::new(&clip);
            player.set_playback(playback);
            let mut rounds = 0_i64;
            for _ in 0..steps {
                rounds += i64::from(player.advance(step));
            }
            let (time, wanted) = (f64::from(player.time()), expected(step, steps, duration, playback));
            // In a loop, the start and the end are the same time.
            let apart = (time - wanted).abs();
            let around = if playback == Playback::Loop { f64::from(duration) - apart } else { f64::INFINITY };
            let off = apart.min(around);
            worst = worst.max(off);
            if off > 1e-3 {
                return Err(format!("a clip of {duration} s, {playback:?}: the clock shows {time}, not {wanted}"));
            }
            let mut shown = [0.0];
            player.sample_channels(&mut shown).map_err(|error| error.to_string())?;
            if (f64::from(shown[0]) - time).abs() > 1e-3 * f64::from(duration) {
                return Err(format!("a clip of {duration} s, {playback:?}: it shows {shown:?} at {time}"));
            }
            if playback == Playback::Loop {
                #[expect(clippy::cast_precision_loss, reason = "days of frames are exact in double precision")]
                let wanted = f64::from(step) * steps as f64 / f64::from(duration);
                #[expect(clippy::cast_precision_loss, reason = "rounds are fewer than frames")]
                let off = (rounds as f64 - wanted.floor()).abs();
                if off > 1.0 {
                    return Err(format!("a clip of {duration} s went around {rounds} times, not {wanted}"));
                }
            }
        }
    }
    let seconds = start.elapsed().as_secs();
    Ok(format!("12 clocks after {steps} steps are at most {worst:.1e} s off, in {seconds} s"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_clock_of_a_player_is_right_after_hours_of_frames() {
        // The longest clip begins its second hour; a clock in single precision would be off by seconds.
        super::run(2).unwrap();
    }
}
