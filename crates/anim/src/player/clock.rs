//! The conversion of passed time to the time in a clip.

/// The behaviour of a player at the ends of its clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Playback {
    /// Stops at the end.
    #[default]
    Clamp,
    /// Continues at the other end.
    Loop,
    /// Turns around.
    PingPong,
}

/// The position of a player in its clip.
///
/// Uses double precision. In single precision, a sixtieth of a second added to an hour would be off by nearly 1 %,
/// always in the same direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Clock {
    /// Seconds since the beginning of a round. A round takes the clip's duration, or twice the duration for ping-pong.
    phase: f64,
    playback: Playback,
}

impl Clock {
    pub(super) const fn playback(&self) -> Playback {
        self.playback
    }

    /// Sets the behaviour. The time stays the same, and the direction becomes forward.
    pub(super) fn set_playback(&mut self, playback: Playback, duration: f32) {
        *self = Self { phase: self.within(duration), playback };
    }

    /// Returns the time in the clip, from 0 to the clip's duration.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is what is asked for")]
    pub(super) fn time(&self, duration: f32) -> f32 {
        self.within(duration) as f32
    }

    #[inline]
    fn within(&self, duration: f32) -> f64 {
        let duration = f64::from(duration);
        if self.phase > duration { (2.0 * duration - self.phase).clamp(0.0, duration) } else { self.phase }
    }

    /// Goes to a time in the clip. The direction becomes forward.
    pub(super) fn seek(&mut self, time: f32, duration: f32) {
        // `max` before `min`, so that NaN becomes 0.
        self.phase = time.max(0.0).min(duration).into();
    }

    /// Advances by this many seconds, backward if negative. Returns how often the time passed the clip's end: negative
    /// for negative `seconds`, and 0 for [`Playback::Clamp`]. Ignores numbers that are not finite.
    #[inline]
    pub(super) fn advance(&mut self, seconds: f32, duration: f32) -> i32 {
        let sum = self.phase + f64::from(seconds);
        let within = 0.0..f64::from(duration);
        if within.contains(&sum) && within.contains(&self.phase) {
            self.phase = sum;
            return 0;
        }
        self.turn(seconds, duration.into())
    }

    #[cold]
    fn turn(&mut self, seconds: f32, duration: f64) -> i32 {
        if !seconds.is_finite() || seconds == 0.0 {
            return 0;
        }
        let sum = self.phase + f64::from(seconds);
        // The duration of a round, and whether the current round has already passed the clip's end.
        let (period, passed) = match self.playback {
            Playback::Clamp => {
                self.phase = sum.clamp(0.0, duration);
                return 0;
            }
            Playback::Loop => (duration, false),
            Playback::PingPong => (2.0 * duration, self.phase >= duration),
        };
        // Ends lie at `duration` plus whole periods.
        let ends = ((sum + period - duration) / period).floor() - f64::from(u8::from(passed));
        self.phase = (sum - (sum / period).floor() * period).clamp(0.0, period);
        #[expect(clippy::cast_possible_truncation, reason = "the conversion saturates")]
        let ends = ends as i32;
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(playback: Playback, seconds: f32, steps: usize) -> Vec<f32> {
        let mut clock = Clock::default();
        clock.set_playback(playback, 2.0);
        let step = |_| {
            clock.advance(seconds, 2.0);
            clock.time(2.0)
        };
        (0..steps).map(step).collect()
    }

    #[test]
    fn a_clamped_clock_stays_at_the_end() {
        assert_eq!(times(Playback::Clamp, 0.75, 4), [0.75, 1.5, 2.0, 2.0]);
        assert_eq!(times(Playback::Clamp, -0.5, 2), [0.0, 0.0]);
    }

    #[test]
    fn a_looping_clock_begins_again() {
        assert_eq!(times(Playback::Loop, 0.75, 4), [0.75, 1.5, 0.25, 1.0]);
        assert_eq!(times(Playback::Loop, -0.75, 4), [1.25, 0.5, 1.75, 1.0]);
    }

    #[test]
    fn a_ping_pong_clock_turns_around() {
        assert_eq!(times(Playback::PingPong, 0.75, 6), [0.75, 1.5, 1.75, 1.0, 0.25, 0.5]);
        assert_eq!(times(Playback::PingPong, -0.75, 4), [0.75, 1.5, 1.75, 1.0]);
    }

    #[test]
    fn rounds_are_counted_in_both_directions() {
        let mut clock = Clock::default();
        clock.set_playback(Playback::Loop, 2.0);
        assert_eq!([0.5, 1.5, 9.0, -1.5, -8.0].map(|seconds| clock.advance(seconds, 2.0)), [0, 1, 4, -1, -4]);
    }

    #[test]
    fn a_clock_that_turns_around_counts_the_end_and_not_the_beginning() {
        let mut clock = Clock::default();
        clock.set_playback(Playback::PingPong, 2.0);
        let steps = [1.5, 0.5, 0.5, 1.5, 1.0, 1.5, -0.75, -2.0, -2.25, 8.0, -8.0, 1e30, -1e30];
        let ends = steps.map(|seconds| clock.advance(seconds, 2.0));
        assert_eq!(ends, [0, 1, 0, 0, 0, 1, -1, 0, -1, 2, -2, i32::MAX, i32::MIN]);
        // The number of passes does not depend on the size of the steps.
        let mut dice = fastrand::Rng::with_seed(3);
        let (mut small, mut large) = (Clock::default(), Clock::default());
        [&mut small, &mut large].into_iter().for_each(|clock| clock.set_playback(Playback::PingPong, 2.0));
        for round in 0..500 {
            let quarters = dice.u8(..40);
            let step = if dice.bool() { 0.25 } else { -0.25 };
            let ends: i32 = (0..quarters).map(|_| small.advance(step, 2.0)).sum();
            assert_eq!(large.advance(step * f32::from(quarters), 2.0), ends, "round {round}");
            assert_eq!(small, large);
        }
    }

    #[test]
    fn what_is_not_finite_does_not_pass() {
        let mut clock = Clock::default();
        clock.seek(1.0, 2.0);
        for seconds in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0] {
            assert_eq!(clock.advance(seconds, 2.0), 0);
        }
        assert_eq!(clock.time(2.0), 1.0);
        clock.seek(f32::NAN, 2.0);
        assert_eq!(clock.time(2.0), 0.0);
    }

    #[test]
    fn an_hour_of_frames_is_an_hour() {
        let (frame, frames) = (1.0_f32 / 60.0, 3600 * 60);
        let passed = f64::from(frame) * f64::from(frames);
        for (playback, duration) in [(Playback::Clamp, 4000.0), (Playback::Loop, 50.0), (Playback::PingPong, 7.3)] {
            let mut clock = Clock::default();
            clock.set_playback(playback, duration);
            let ends: i32 = (0..frames).map(|_| clock.advance(frame, duration)).sum();
            let round = if playback == Playback::PingPong { 2.0 } else { 1.0 } * f64::from(duration);
            // In ping-pong, the round continues past the end of the clip.
            let rounds = ends - i32::from(clock.phase > f64::from(duration));
            let off = (clock.phase + f64::from(rounds) * round - passed).abs();
            assert!(off < 1e-6, "{off} s off in {playback:?}");
        }
    }

    #[test]
    fn a_change_of_playback_keeps_the_time() {
        let mut clock = Clock::default();
        clock.set_playback(Playback::PingPong, 2.0);
        clock.advance(3.5, 2.0);
        clock.set_playback(Playback::Loop, 2.0);
        assert_eq!(clock.time(2.0), 0.5);
    }
}
