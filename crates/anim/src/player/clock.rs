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
    /// Whether events at this time have passed: not after a seek.
    passed: bool,
}

/// The way of one step through the clip, in legs from turn to turn.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Way {
    /// The time at the beginning of the next leg, and whether events at this time are part of it.
    pub from: (f64, bool),
    /// The time at the end of the last leg.
    pub to: f64,
    /// Whether time rises in the next leg.
    pub rises: bool,
    /// The number of legs left.
    pub legs: u64,
    pub turns: bool,
    pub duration: f64,
}

/// A part of a clip that is passed in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Leg {
    pub(super) from: f64,
    /// Whether events at `from` are passed. Those at `to` are.
    pub(super) with_from: bool,
    pub(super) to: f64,
    pub(super) rises: bool,
}

impl Way {
    pub(super) fn next(&mut self) -> Option<Leg> {
        self.legs = self.legs.checked_sub(1)?;
        let (from, with_from) = self.from;
        let end = if self.rises { self.duration } else { 0.0 };
        let leg = Leg { from, with_from, to: if self.legs == 0 { self.to } else { end }, rises: self.rises };
        // Where a player turns around, the end is one place. Where it begins again, end and beginning are two.
        self.from = if self.turns { (end, false) } else { (self.duration - end, true) };
        self.rises ^= self.turns;
        Some(leg)
    }
}

impl Clock {
    pub(super) const fn playback(&self) -> Playback {
        self.playback
    }

    /// Sets the behaviour. The time stays the same, and the direction becomes forward.
    pub(super) fn set_playback(&mut self, playback: Playback, duration: f32) {
        *self = Self { phase: self.within(duration), playback, passed: self.passed };
    }

    /// Returns the time in the clip, from 0 to the clip's duration.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the result has single precision")]
    pub(super) fn time(&self, duration: f32) -> f32 {
        self.within(duration) as f32
    }

    #[inline]
    fn within(&self, duration: f32) -> f64 {
        self.within_wide(duration.into())
    }

    #[inline]
    fn within_wide(&self, duration: f64) -> f64 {
        if self.phase > duration { (2.0 * duration - self.phase).clamp(0.0, duration) } else { self.phase }
    }

    /// Goes to a time in the clip. The direction becomes forward.
    pub(super) fn seek(&mut self, time: f32, duration: f32) {
        // `max` before `min`, so that NaN becomes 0.
        self.phase = time.max(0.0).min(duration).into();
        self.passed = false;
    }

    /// [`advance`](Self::advance), with the way. Its legs join those of the steps before and after exactly, because they
    /// end at the stored phase, and not at a sum that was rounded in another way.
    pub(super) fn advance_on_way(&mut self, seconds: f32, duration: f32) -> (i32, Way) {
        let (before, passed) = (*self, self.passed);
        let ends = self.advance(seconds, duration);
        let duration = f64::from(duration);
        let turns = self.playback == Playback::PingPong;
        let period = if turns { 2.0 * duration } else { duration };
        let forward = seconds > 0.0;
        // The way back of a ping-pong player is a leg of its own.
        let is_back = |clock: &Self| turns && clock.phase > duration;
        let moved = seconds.is_finite() && seconds != 0.0;
        let sum = before.phase + f64::from(seconds);
        // A step back that is lost in rounding ends no round.
        let rounds = if !moved || self.playback == Playback::Clamp || sum == before.phase && !forward {
            0.0
        } else {
            (sum / period).floor().abs() * if turns { 2.0 } else { 1.0 }
        };
        let half = f64::from(u8::from(is_back(self))) - f64::from(u8::from(is_back(&before)));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the conversion saturates")]
        let legs =
            if moved { ((rounds + if forward { half } else { -half }).max(0.0) as u64).saturating_add(1) } else { 0 };
        let way = Way {
            from: (before.within_wide(duration), !passed),
            to: self.within_wide(duration),
            rises: forward != is_back(&before),
            legs,
            turns,
            duration,
        };
        (ends, way)
    }

    /// Advances by this many seconds, backward if negative. Returns how often the time passed the clip's end: negative
    /// for negative `seconds`, and 0 for [`Playback::Clamp`]. Ignores numbers that are not finite.
    #[inline]
    pub(super) fn advance(&mut self, seconds: f32, duration: f32) -> i32 {
        let sum = self.phase + f64::from(seconds);
        let within = 0.0..f64::from(duration);
        if within.contains(&sum) && within.contains(&self.phase) {
            self.phase = sum;
            self.passed |= seconds != 0.0;
            return 0;
        }
        self.turn(seconds, duration.into())
    }

    #[cold]
    fn turn(&mut self, seconds: f32, duration: f64) -> i32 {
        if !seconds.is_finite() || seconds == 0.0 {
            return 0;
        }
        self.passed = true;
        let sum = self.phase + f64::from(seconds);
        if sum == self.phase && seconds < 0.0 {
            return 0;
        }
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
    fn a_step_back_that_is_lost_in_rounding_ends_no_round() {
        for (playback, phase) in [(Playback::Loop, 2.0), (Playback::PingPong, 4.0), (Playback::Clamp, 2.0)] {
            let mut clock = Clock { playback, phase, passed: true };
            let (ends, way) = clock.advance_on_way(-1e-20, 2.0);
            assert_eq!((ends, way.legs, clock.phase), (0, 1, phase), "{playback:?}");
        }
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
