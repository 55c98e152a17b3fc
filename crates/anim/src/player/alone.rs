//! One joint at any time, without a player.

use super::cursor::nearest;
use super::lanes::{blocks_of_joint, sample_joint};
use crate::clip::{GROUP_HEAD, GroupHead, Width};
use crate::simd::sampling::{self, Active, Records, Word, turn_one};
use crate::{Clip, Transform};
use smallvec::{SmallVec, smallvec};

impl Clip {
    /// One joint's transform at a time in seconds, or at the nearer end of the clip, without a player: the bits that a player
    /// would show. Parts that the clip has no tracks of, and joints that it does not have, are as in `rest`.
    ///
    /// Goes from the nearest jump frame by the heads of the keys in between, and fetches those of the joint's own blocks alone:
    /// for a character of 96 joints about half a microsecond, as much as seeking and sampling all of them. A player that is at
    /// the time already answers in a tenth of that: [`Player::sample_joint`](crate::Player::sample_joint).
    ///
    /// Computes in **O(log tracks + keys to the nearest jump frame)**, where joints have cubic tracks also in the number of these.
    #[must_use]
    pub fn sample_joint(&self, joint: u16, seconds: f32, rest: Transform) -> Transform {
        // In this order, so that not a number becomes 0.
        let time = self.tables().units(seconds.max(0.0).min(self.duration()));
        match self.tables().head().width {
            Width::Compact => alone::<u16>(self, joint, time, rest),
            Width::Tight => alone::<u32>(self, joint, time, rest),
        }
    }
}

fn alone<W: Word>(clip: &Clip, joint: u16, time: f32, rest: Transform) -> Transform {
    let tables = clip.tables();
    let numbers = blocks_of_joint(tables, joint);
    let (frame, (_, place)) = nearest(clip, time);
    let frame = clip.frame_bytes(frame);
    let mut blocks: SmallVec<[Active<W>; 4]> = smallvec![Active::default(); numbers.len()];
    for (block, &number) in blocks.iter_mut().zip(&numbers) {
        sampling::restore(&frame[number * Active::<W>::BYTES..], core::slice::from_mut(block));
    }
    let find = |block: usize| numbers.iter().position(|&number| number == block);
    if !blocks.is_empty() {
        walk(clip, place as usize, time, find, &mut blocks);
    }
    sample_joint(|block| &blocks[find(block).expect("all blocks of the joint are there")], tables, time, joint, rest)
}

/// As a player's cursor walks, for some blocks alone.
fn walk<W: Word>(
    clip: &Clip,
    mut place: usize,
    time: f32,
    find: impl Fn(usize) -> Option<usize>,
    blocks: &mut [Active<W>],
) {
    let (stream, length) = clip.stream();
    let singles = clip.tables().singles();
    let whole = |place: usize| {
        let head = GroupHead::read(stream, place)?;
        let end = place.checked_add(head.bytes as usize)?;
        (head.bytes as usize >= GROUP_HEAD && end <= length).then_some((head, end))
    };
    while let Some((_, end)) = whole(place).filter(|(head, _)| time >= head.need) {
        for (head, numbers) in Records::<W>::new(&stream[place + GROUP_HEAD..end], singles) {
            if let Some(block) = find(usize::from(head.block)) {
                turn_one::<W, true>(&mut blocks[block], head, numbers);
            }
        }
        place = end;
    }
    loop {
        let before = GroupHead::read(stream, place).map_or(0, |head| head.before as usize);
        let start = place.checked_sub(before).filter(|_| before >= GROUP_HEAD);
        let Some(start) =
            start.filter(|&start| whole(start).is_some_and(|(head, end)| end == place && time < head.need))
        else {
            return;
        };
        for (head, numbers) in Records::<W>::new(&stream[start + GROUP_HEAD..place], singles) {
            if let Some(block) = find(usize::from(head.block)) {
                turn_one::<W, false>(&mut blocks[block], head, numbers);
            }
        }
        place = start;
    }
}
