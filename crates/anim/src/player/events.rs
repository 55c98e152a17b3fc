//! The events that a step of a player passes.

use super::clock::{Leg, Way};
use crate::clip::Event;
use crate::clip::format::Tables;
use core::ops::Range;

/// The events that [`Player::advance_events`](crate::Player::advance_events) passed, in their order.
#[derive(Clone, Debug)]
pub struct PassedEvents<'p> {
    pub(super) tables: &'p Tables,
    pub(super) way: Way,
    /// The events that are left in the current leg.
    pub(super) left: Range<usize>,
    pub(super) rises: bool,
    pub(super) rounds: i32,
}

impl<'p> PassedEvents<'p> {
    /// Returns how often the step passed the clip's end: the result of [`Player::advance`](crate::Player::advance).
    #[must_use]
    pub const fn rounds(&self) -> i32 {
        self.rounds
    }

    /// Returns the events of a leg.
    fn of(&self, leg: Leg) -> Range<usize> {
        let Leg { from, with_from, to, rises } = leg;
        let until = |limit: f64, with: bool| {
            let before = |time: f64| time < limit || with && time == limit;
            self.tables.events().partition_point(|&[time, ..]| before(f32::from_le_bytes(time).into()))
        };
        let (start, end) =
            if rises { (until(from, !with_from), until(to, true)) } else { (until(to, false), until(from, with_from)) };
        start..end.max(start)
    }
}

impl<'p> Iterator for PassedEvents<'p> {
    type Item = Event<'p>;

    fn next(&mut self) -> Option<Event<'p>> {
        if self.tables.events().is_empty() {
            return None;
        }
        while self.left.is_empty() {
            let leg = self.way.next()?;
            (self.left, self.rises) = (self.of(leg), leg.rises);
        }
        let at = if self.rises { self.left.next() } else { self.left.next_back() };
        at.map(|at| self.tables.event(at))
    }
}
