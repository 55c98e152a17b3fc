//! Samples one joint at any time, without a player.

use super::cursor::nearest;
use super::lanes::{blocks_of_joint, sample_joint};
use crate::clip::format::{GROUP_HEAD, GroupHead, Records, Width};
use crate::sampling::{self, Active, Word, turn_one};
use crate::{Clip, Transform};
use smallvec::{SmallVec, smallvec};

impl Clip {
    /// One joint's transform at a time in seconds, or at the nearer end of the clip, without a player: equal in every
    /// bit to that of a player. Parts for which the clip has no tracks, and joints that it does not have, are those of
    /// `rest`.
    ///
    /// Goes from the nearest jump frame along the heads of the keys in between, and only fetches keys of the joint's
    /// own blocks. For a character of 96 joints this takes about half a microsecond, as much as seeking and sampling
    /// all of them. A player that is at this time already takes a tenth of that:
    /// [`Player::sample_joint`](crate::Player::sample_joint).
    ///
    /// Runs in **O(log tracks + keys to the nearest jump frame)**; with cubic tracks also in their number.
    #[must_use]
    pub fn sample_joint(&self, seconds: f32, joint: u16, rest: Transform) -> Transform {
        // In this order, so that NaN becomes 0.
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

/// Walks like a player's cursor, for some blocks only.
fn walk<W: Word>(
    clip: &Clip,
    mut place: usize,
    time: f32,
    find: impl Fn(usize) -> Option<usize>,
    blocks: &mut [Active<W>],
) {
    let (stream, length) = clip.stream();
    let singles = clip.tables().singles();
    let whole = |place| GroupHead::whole(stream, place, length);
    while let Some((_, end)) = whole(place).filter(|(head, _)| time >= head.need) {
        for (head, numbers) in Records::<W>::new(&stream[place + GROUP_HEAD..end], singles) {
            if let Some(block) = find(usize::from(head.block)) {
                turn_one::<W, true>(&mut blocks[block], head, numbers);
            }
        }
        place = end;
    }
    loop {
        let is_needed = |&start: &usize| whole(start).is_some_and(|(head, end)| end == place && time < head.need);
        let Some(start) = GroupHead::start_before(stream, place).filter(is_needed) else {
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
