//! Samples one joint at any time, without a player.

use super::cursor::nearest;
use super::lanes::{blocks_of_joint, sample_joint};
use crate::clip::format::{CUBICS, GROUP_HEAD, GroupHead, Records, Width};
use crate::sampling::{self, Active, LANES, Word, turn_lanes};
use crate::{Clip, Transform};
use smallvec::{SmallVec, smallvec};

impl Clip {
    /// One joint's transform at a time in seconds, or at the nearer end of the clip, without a player: equal in every
    /// bit to that of a player. Parts for which the clip has no tracks, and joints that it does not have, are those of
    /// `rest`.
    ///
    /// Copies the joint's own blocks of eight from the nearest jump frame, goes along the heads of the keys in between
    /// and fetches its own. A player that is at this time already takes a fraction of that:
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
    if numbers.is_empty() {
        return tables.constant_joint(joint, rest);
    }
    let (frame, (_, place)) = nearest(clip, time);
    let frame = clip.frame_bytes(frame);
    let mut blocks: SmallVec<[Active<W>; 3]> = smallvec![Active::default(); numbers.len()];
    for (block, &number) in blocks.iter_mut().zip(&numbers) {
        sampling::restore(&frame[number * Active::<W>::BYTES..], core::slice::from_mut(block));
    }
    walk(clip, place as usize, time, &Wanted::new(&numbers, tables.blocks(CUBICS).start, joint), &mut blocks);
    let find = |block: usize| numbers.iter().position(|&number| number == block);
    sample_joint(|block| &blocks[find(block).expect("all blocks of the joint are there")], tables, time, joint, rest)
}

/// The blocks whose keys are fetched.
struct Wanted<'n> {
    /// In ascending order.
    numbers: &'n [usize],
    /// From this block on, the joint may have any of the lanes. Before it, it has one.
    cubics: usize,
    lane: u8,
}

impl<'n> Wanted<'n> {
    fn new(numbers: &'n [usize], cubics: usize, joint: u16) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "below eight")]
        let lane = 1 << (usize::from(joint) % LANES) as u8;
        Self { numbers, cubics, lane }
    }

    /// Fetches the keys of one group, or takes them back. Records are in the order of their blocks.
    fn turn<W: Word, const FORWARD: bool>(&self, group: &[u8], singles: usize, blocks: &mut [Active<W>]) {
        let mut wanted = self.numbers.iter().zip(blocks);
        let Some((mut number, mut active)) = wanted.next() else { return };
        for (head, numbers) in Records::<W>::new(group, singles) {
            let block = usize::from(head.block);
            while block > *number {
                match wanted.next() {
                    Some(next) => (number, active) = next,
                    None => return,
                }
            }
            if block == *number {
                let lanes = if block < self.cubics { self.lane } else { u8::MAX };
                turn_lanes::<W, FORWARD>(active, head, numbers, lanes);
            }
        }
    }
}

/// Walks like a player's cursor, for some blocks only.
fn walk<W: Word>(clip: &Clip, mut place: usize, time: f32, wanted: &Wanted<'_>, blocks: &mut [Active<W>]) {
    let (stream, length) = clip.stream();
    let singles = clip.tables().singles();
    let whole = |place| GroupHead::whole(stream, place, length);
    while let Some((_, end)) = whole(place).filter(|(head, _)| time >= head.need) {
        wanted.turn::<W, true>(&stream[place + GROUP_HEAD..end], singles, blocks);
        place = end;
    }
    loop {
        let is_needed = |&start: &usize| whole(start).is_some_and(|(head, end)| end == place && time < head.need);
        let Some(start) = GroupHead::start_before(stream, place).filter(is_needed) else {
            return;
        };
        wanted.turn::<W, false>(&stream[start + GROUP_HEAD..place], singles, blocks);
        place = start;
    }
}
