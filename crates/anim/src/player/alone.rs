//! Samples one joint at any time, without a player.

use super::cursor::nearest;
use super::lanes::sample_joint;
use crate::clip::Precision;
use crate::clip::format::{GROUP_HEAD, GroupHead, LanePlace};
use crate::sampling::{Active, LaneKeys, Word};
use crate::{Clip, Transform};
use core::ops::Range;

impl Clip {
    /// Returns the events on a way through the clip, for `hedgerow-animator`.
    #[doc(hidden)]
    pub fn events_on(&self, way: super::Way) -> super::PassedEvents<'_> {
        super::PassedEvents { tables: self.tables(), way, left: 0..0, rises: true, rounds: 0 }
    }

    /// Samples one joint without a player, at a time in seconds that is clamped to the clip. The result has the same
    /// bits as [`Player::sample_joint`](crate::Player::sample_joint).
    ///
    /// Starts from the nearest jump frame. Reads groups with keys of the joint, and only the heads of other groups.
    ///
    /// Runs in **O(log tracks + log jump frames + groups of keys to the nearest jump frame)**; cubic joint tracks add
    /// **O(cubic tracks)**.
    #[must_use]
    pub fn sample_joint(&self, seconds: f32, joint: u16, rest: Transform) -> Transform {
        // `max` before `min`, so that NaN becomes 0.
        let time = self.tables().units(seconds.max(0.0).min(self.duration()));
        match self.tables().head().precision {
            Precision::Compact => alone::<u16>(self, joint, time, rest),
            Precision::Tight => alone::<u32>(self, joint, time, rest),
        }
    }
}

fn alone<W: Word>(clip: &Clip, joint: u16, time: f32, rest: Transform) -> Transform {
    let mut frame = None;
    let keys = |block: usize, lane: usize| {
        let (number, (_, place)) = *frame.get_or_insert_with(|| nearest(clip, time));
        let keys = LaneKeys::<W>::of_frame(&clip.frame_bytes(number)[block * Active::<W>::BYTES..], lane);
        Walk::new::<W>(clip, place, block, lane).to(time, keys)
    };
    sample_joint(keys, clip.tables(), time, joint, rest)
}

/// A search for the keys of one lane that starts from a place between two groups of a clip's stream.
///
/// A lane's next key is needed at the time of the lane's later current key. The search compares this time with the
/// heads of groups, and reads only groups with keys of the lane.
struct Walk<'c> {
    stream: &'c [u8],
    place: usize,
    /// The start of each block's record in a full group, in bytes.
    starts: &'c [[u8; 4]],
    /// The start of the record of the lane's block, in bytes from the group's beginning.
    start: usize,
    block: usize,
    lane: LanePlace,
}

impl<'c> Walk<'c> {
    #[inline]
    fn new<W: Word>(clip: &'c Clip, place: u32, block: usize, lane: usize) -> Self {
        let ((stream, length), starts) = (clip.stream(), clip.tables().starts());
        let lane = LanePlace::new::<W>(block, lane, clip.tables().live(block));
        Self { stream: &stream[..length], place: place as usize, starts, start: start(starts, block), block, lane }
    }

    /// Returns the lane's keys at a time, given its keys at the place where the search starts.
    #[inline]
    fn to<W: Word>(mut self, time: f32, mut keys: LaneKeys<W>) -> LaneKeys<W> {
        while time >= keys.later() {
            let Some(bits) = self.next::<W>(keys.later()) else { return keys };
            keys.turn::<true>(bits);
        }
        while time < keys.earlier() {
            let Some(bits) = self.previous::<W>(keys.earlier()) else { return keys };
            keys.turn::<false>(bits);
        }
        keys
    }

    /// Goes forward to the group that is needed at the time `need`, and returns the lane's key in that group.
    #[inline]
    fn next<W: Word>(&mut self, need: f32) -> Option<W::Key> {
        loop {
            let start = self.place;
            let (head, end) = GroupHead::whole(self.stream, start, self.stream.len())?;
            self.place = end;
            if head.need >= need {
                return self.key::<W>(head, start..end, need);
            }
        }
    }

    /// Goes backward to the group that was needed at the time `need`, and returns the lane's key in that group.
    #[inline]
    fn previous<W: Word>(&mut self, need: f32) -> Option<W::Key> {
        loop {
            let end = self.place;
            let start = GroupHead::start_before(self.stream, end)?;
            let head = GroupHead::read(self.stream, start)?;
            self.place = start;
            if head.need <= need {
                return self.key::<W>(head, start..end, need);
            }
        }
    }

    #[inline]
    fn key<W: Word>(&self, head: GroupHead, group: Range<usize>, need: f32) -> Option<W::Key> {
        if head.need != need {
            return None;
        }
        let group = self.stream.get(group)?;
        if self.block < usize::from(head.full) {
            return self.lane.in_full::<W>(group.get(self.start..)?);
        }
        self.lane.find::<W>(group.get(start(self.starts, usize::from(head.full))..)?)
    }
}

/// Returns the start of a block's record in a full group, in bytes.
#[inline]
fn start(starts: &[[u8; 4]], block: usize) -> usize {
    GROUP_HEAD + starts.get(block).map_or(0, |start| u32::from_le_bytes(*start) as usize)
}
