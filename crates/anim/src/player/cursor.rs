//! A player's position in a clip's stream. It moves along the stream, and seeks by jump frames.

use crate::Clip;
use crate::clip::format::{GROUP_HEAD, GroupHead};
use crate::sampling::{self, Active, Word};

/// A place between two groups of the stream. Exactly the keys of the groups before the place have been fetched.
///
/// [`advance`](Self::advance) and [`seek`](Self::seek) move the place to just after the last group that is needed at or
/// before a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cursor {
    /// The place, in bytes from the stream's beginning.
    place: u32,
    /// The time at which the group before the place was needed; −∞ at the beginning of the stream.
    last: f32,
    /// The time at which the group after the place is needed; ∞ at the end of the stream.
    next: f32,
    /// The current time, in the clip's units.
    time: f32,
}

impl Cursor {
    /// Creates a cursor at a place in the stream.
    fn at(stream: &[u8], place: u32, time: f32) -> Self {
        let mut cursor = Self { place, last: f32::NEG_INFINITY, next: f32::INFINITY, time };
        if let Some(head) = GroupHead::read(stream, place as usize) {
            cursor.next = head.need;
            cursor.last = cursor.need_before(stream, head.before);
        }
        cursor
    }

    #[inline]
    pub(super) const fn time(&self) -> f32 {
        self.time
    }

    /// Returns the time at which the group before the place was needed, given the group's length in bytes.
    fn need_before(&self, stream: &[u8], bytes: u32) -> f32 {
        let start = self.place.checked_sub(bytes).filter(|_| bytes as usize >= GROUP_HEAD);
        start.and_then(|start| GroupHead::read(stream, start as usize)).map_or(f32::NEG_INFINITY, |head| head.need)
    }

    /// Goes to a time, starting from the current time or the nearest jump frame, whichever is nearer. Jump frames are
    /// at least `gap` apart.
    #[inline]
    pub(super) fn advance<W: Word>(&mut self, clip: &Clip, gap: f32, active: &mut [Active<W>], time: f32) {
        let way = (time - self.time).abs();
        self.time = time;
        // Most frames end here: no key was passed.
        if time < self.next && time >= self.last {
            return;
        }
        // A jump frame can only be nearer if the step is longer than half of the gap between frames.
        if way > 0.5 * gap {
            let frame = nearest(clip, time);
            if (frame.1.0 - time).abs() < way {
                return self.jump(clip, active, frame, time);
            }
        }
        self.walk(clip, active);
    }

    /// Creates a cursor at a time, starting from the nearest jump frame.
    pub(super) fn seek<W: Word>(clip: &Clip, active: &mut [Active<W>], time: f32) -> Self {
        let mut cursor = Self { place: 0, last: 0.0, next: 0.0, time };
        cursor.jump(clip, active, nearest(clip, time), time);
        cursor
    }

    fn jump<W: Word>(
        &mut self,
        clip: &Clip,
        active: &mut [Active<W>],
        (frame, (_, place)): (Option<usize>, (f32, u32)),
        time: f32,
    ) {
        sampling::restore(clip.frame_bytes(frame), active);
        *self = Self::at(clip.stream().0, place, time);
        self.walk(clip, active);
    }

    /// Moves along the stream to the current time: forward by fetching keys, or backward by taking keys back.
    fn walk<W: Word>(&mut self, clip: &Clip, active: &mut [Active<W>]) {
        let (stream, length) = clip.stream();
        let singles = clip.tables().singles();
        while self.time >= self.next {
            let start = self.place as usize;
            let Some((_, end)) = GroupHead::whole(stream, start, length) else {
                // Stop here, because the next group is incomplete.
                self.next = f32::INFINITY;
                break;
            };
            sampling::turn::<W, true>(stream, start + GROUP_HEAD..end, active, singles);
            #[expect(clippy::cast_possible_truncation, reason = "a stream's length has 32 bits")]
            let place = end as u32;
            (self.place, self.last) = (place, self.next);
            self.next = GroupHead::read(stream, end).map_or(f32::INFINITY, |head| head.need);
        }
        while self.time < self.last {
            let end = self.place as usize;
            let before = GroupHead::read(stream, end).map_or(0, |head| head.before);
            let start = self.place.checked_sub(before).filter(|_| before as usize >= GROUP_HEAD);
            let group = start.and_then(|start| Some((start, GroupHead::read(stream, start as usize)?)));
            let Some((start, head)) = group.filter(|_| end <= length) else {
                self.last = f32::NEG_INFINITY;
                break;
            };
            // Groups store exclusive-or differences, so the same bytes lead back.
            sampling::turn::<W, false>(stream, start as usize + GROUP_HEAD..end, active, singles);
            (self.place, self.next) = (start, head.need);
            self.last = self.need_before(stream, head.before);
        }
    }
}

/// Returns the jump frame nearest to a time: its number, time and place. The first frame has no number.
#[inline]
pub(super) fn nearest(clip: &Clip, time: f32) -> (Option<usize>, (f32, u32)) {
    let index = clip.jump_index();
    let read = |[time, place]: [[u8; 4]; 2]| (f32::from_le_bytes(time), u32::from_le_bytes(place));
    // The number of frames at or before the time, not counting the first frame.
    let count = index.partition_point(|frame| read(*frame).0 <= time);
    let before = count.checked_sub(1).map_or((None, (0.0, 0)), |frame| (Some(frame), read(index[frame])));
    match index.get(count).map(|frame| read(*frame)) {
        Some(behind) if behind.0 - time < time - before.1.0 => (Some(count), behind),
        _ => before,
    }
}
