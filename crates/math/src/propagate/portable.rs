//! The kernels: eight local transforms at a time are converted to matrices, which are then multiplied in order.
//!
//! With AVX-512, `avx512` converts sixteen at a time and leaves the remainder to these kernels.

use super::Upcoming;
use crate::simd::floats::floats;
use crate::simd::vectors::{columns, rows, store};
use crate::simd::whole::{self, Product};
use crate::simd::{prefetch_many, prefetch_whole};
use crate::{Mat34, PackedTransform};
use core::ops::Range;
use fearless_simd::{f32x4, f32x8, prelude::*, u32x8};

/// The number of slots converted at a time.
pub(super) const LANES: usize = 8;

/// The least number of linked slots in a batch for which [`multiply_linked`] is faster. A slot is linked if its parent
/// is the slot before it. Measured with rigs and random trees.
const MANY_LINKED: u32 = 6;

/// The prefetch distance of full sweeps, in slots. With 48, rigs that exceed the second-level cache take a quarter
/// longer; with 320, a million nodes take a tenth longer.
pub(super) const STREAMED: usize = 160;

/// The prefetch distance of listed slots, in slots of the list.
const AHEAD: usize = 32;

/// If a list ends with fewer slots than this, they are converted one by one, because a batch would cost more.
const FEW: usize = 3;

#[repr(C, align(64))]
struct Locals([Mat34; LANES]);

/// See [`propagate`](super::propagate()).
#[inline(always)]
pub(super) fn propagate<S: Simd>(
    simd: S,
    locals: &[PackedTransform],
    parents: &[u32],
    worlds: &mut [Mat34],
    range: Range<usize>,
    upcoming: Upcoming<'_>,
) {
    // Prefetch what earlier batches would have prefetched.
    for slot in (locals.len()..range.start + STREAMED).step_by(LANES) {
        prefetch_batch(locals, worlds, slot, upcoming);
    }
    let block = &locals[range.clone()];
    propagate_block(
        simd,
        block,
        parents,
        worlds,
        range,
        #[inline(always)]
        |worlds, slot| prefetch_batch(locals, worlds, slot, upcoming),
    );
}

/// Like [`propagate`], with the local transforms of the range only. `ask` prefetches the batch at a slot.
#[inline(always)]
pub(super) fn propagate_block<S: Simd>(
    simd: S,
    block: &[PackedTransform],
    parents: &[u32],
    worlds: &mut [Mat34],
    range: Range<usize>,
    ask: impl Fn(&[Mat34], usize),
) {
    #[cfg(target_arch = "x86_64")]
    let (block, range) = match simd.level().as_avx512() {
        Some(avx512) => {
            let done = super::avx512::propagate_batches(avx512, block, parents, worlds, range.clone(), &ask);
            (&block[done - range.start..], done..range.end)
        }
        None => (block, range),
    };
    let (batches, rest) = block.as_chunks::<LANES>();
    let (batch_parents, rest_parents) = parents[range.clone()].as_chunks::<LANES>();
    let mut slot = range.start;
    for (batch, parents) in batches.iter().zip(batch_parents) {
        ask(worlds, slot + STREAMED);
        propagate_batch(simd, batch, parents, worlds, slot);
        slot += LANES;
    }
    for (local, &parent) in rest.iter().zip(rest_parents) {
        worlds[slot] = worlds[parent as usize] * local.to_matrix();
        slot += 1;
    }
}

/// Prefetches the batch at a slot. Past the last slot, prefetches the corresponding batch of the upcoming arrays.
#[inline(always)]
pub(super) fn prefetch_batch(locals: &[PackedTransform], worlds: &[Mat34], slot: usize, upcoming: Upcoming<'_>) {
    if slot < locals.len() {
        prefetch_many(locals, slot, LANES);
        prefetch_many(worlds, slot, LANES);
    } else if slot - locals.len() < upcoming.locals.len() {
        let slot = (slot - locals.len()) / LANES * LANES;
        prefetch_many(upcoming.locals, slot, LANES);
        prefetch_many(upcoming.parents, slot, LANES);
        prefetch_many(upcoming.worlds, slot, LANES);
    }
}

/// Computes the world matrices of the batch at `slot`.
#[inline(always)]
fn propagate_batch<S: Simd>(
    simd: S,
    locals: &[PackedTransform; LANES],
    parents: &[u32; LANES],
    worlds: &mut [Mat34],
    slot: usize,
) {
    let matrices = matrices_of(simd, locals.each_ref());
    let lanes = u32x8::load_array(simd, [0, 1, 2, 3, 4, 5, 6, 7]);
    // In a chain the parent was just computed: it stays in registers instead of going through memory.
    if whole::pays(simd) && count_links(simd, lanes, parents, slot) >= MANY_LINKED {
        multiply_linked(simd, &matrices, parents, worlds, slot);
    } else {
        for ((local, &parent), slot) in matrices.0.iter().zip(parents).zip(slot..) {
            Product::of(simd, &worlds[parent as usize], local).put(&mut worlds[slot]);
        }
    }
}

/// Counts the slots of a batch whose parent is the slot before. `lanes` is 0, 1, 2, …
#[allow(
    clippy::cast_possible_truncation,
    reason = "no array has so many slots, and a wrong count would only cost time"
)]
#[inline(always)]
pub(super) fn count_links<S: Simd, V: SimdInt<S, Element = u32>>(
    simd: S,
    lanes: V,
    parents: &V::Array,
    slot: usize,
) -> u32 {
    let before = V::splat(simd, (slot as u32).wrapping_sub(1)) + lanes;
    V::load_array_ref(simd, parents).simd_eq(before).to_bitmask().count_ones()
}

/// Multiplies a batch in which most slots are linked. The previous slot's matrix is still in a register, so no product
/// waits for a load. This takes a branch per slot. The processor predicts it well if most slots are linked, as in
/// limbs, and badly if half are.
#[inline(always)]
fn multiply_linked<S: Simd>(simd: S, locals: &Locals, parents: &[u32; LANES], worlds: &mut [Mat34], slot: usize) {
    let mut world = whole::take(simd, &worlds[parents[0] as usize]);
    for (lane, (local, &parent)) in locals.0.iter().zip(parents).enumerate() {
        if lane > 0 && parent as usize + 1 != slot + lane {
            world = whole::take(simd, &worlds[parent as usize]);
        }
        world = whole::times(simd, world, local);
        whole::put(world, &mut worlds[slot + lane]);
    }
}

/// See [`propagate_listed`](super::propagate_listed()).
#[inline(always)]
pub(super) fn propagate_listed<S: Simd>(
    simd: S,
    locals: &[PackedTransform],
    parents: &[u32],
    worlds: &mut [Mat34],
    slots: &[u16],
) {
    let (batches, rest) = slots.as_chunks::<LANES>();
    slots.iter().take(AHEAD).for_each(|&slot| prefetch_slot(locals, parents, worlds, slot));
    for (at, batch) in (0..).step_by(LANES).zip(batches) {
        let ahead = slots.iter().skip(at + AHEAD).take(LANES);
        ahead.for_each(|&slot| prefetch_slot(locals, parents, worlds, slot));
        propagate_some(simd, locals, parents, worlds, batch, LANES);
    }
    // A batch costs about as much as three single slots.
    if rest.len() < FEW {
        for slot in rest.iter().map(|&slot| usize::from(slot)) {
            Product::of(simd, &worlds[parents[slot] as usize], &locals[slot].to_matrix()).put(&mut worlds[slot]);
        }
    } else if let Some(&last) = rest.last() {
        // Unused lanes repeat the last slot, which is valid.
        let mut batch = [last; LANES];
        batch[..rest.len()].copy_from_slice(rest);
        propagate_some(simd, locals, parents, worlds, &batch, rest.len());
    }
}

/// Computes the first `count` slots of a batch.
#[inline(always)]
fn propagate_some<S: Simd>(
    simd: S,
    locals: &[PackedTransform],
    parents: &[u32],
    worlds: &mut [Mat34],
    slots: &[u16; LANES],
    count: usize,
) {
    let matrices = matrices_of(simd, slots.map(|slot| &locals[usize::from(slot)]));
    for (local, slot) in matrices.0.iter().zip(slots.map(usize::from)).take(count) {
        Product::of(simd, &worlds[parents[slot] as usize], local).put(&mut worlds[slot]);
    }
}

/// Prefetches the data of a slot. Its parent may be far away.
#[inline(always)]
fn prefetch_slot(locals: &[PackedTransform], parents: &[u32], worlds: &[Mat34], slot: u16) {
    let slot = usize::from(slot);
    prefetch_whole(locals, slot);
    prefetch_whole(worlds, slot);
    if let Some(&parent) = parents.get(slot) {
        prefetch_whole(worlds, parent as usize);
    }
}

/// See [`reach`](super::reach()).
#[inline(always)]
pub(super) fn reach<S: Simd>(simd: S, parents: &[u32], set: &mut [u64], range: Range<usize>) {
    // A batch begins at a multiple of eight, so that its bits are one byte of the set.
    let start = range.start.next_multiple_of(LANES).min(range.end);
    let middle = start + (range.end - start) / LANES * LANES;
    reach_each(parents, set, range.start..start);
    let (batches, []) = parents[start..middle].as_chunks::<LANES>() else { unreachable!("whole batches") };
    for (start, parents) in (start..middle).step_by(LANES).zip(batches) {
        let mut reached = u32::from(set[start / 64].to_le_bytes()[start / LANES % LANES]) | members(simd, parents, set);
        if reached == 0 {
            continue;
        }
        for (lane, &parent) in parents.iter().enumerate().skip(1) {
            // A parent may be in the same batch.
            let within = (parent as usize).wrapping_sub(start);
            let bit = if within < LANES { reached >> within & 1 } else { 0 };
            reached |= bit << lane;
        }
        set[start / 64] |= u64::from(reached) << (start % 64);
    }
    reach_each(parents, set, middle..range.end);
}

/// Reaches slots that do not fill a batch, one by one.
#[inline(always)]
fn reach_each(parents: &[u32], set: &mut [u64], range: Range<usize>) {
    for (slot, &parent) in range.clone().zip(&parents[range]) {
        set[slot / 64] |= bit(set, parent as usize) << (slot % 64);
    }
}

/// Returns the bit of a slot: 1 or 0.
#[inline(always)]
fn bit(set: &[u64], slot: usize) -> u64 {
    set[slot / 64] >> (slot % 64) & 1
}

/// Returns the bits of eight slots.
#[inline(always)]
fn members<S: Simd>(simd: S, slots: &[u32; LANES], set: &[u64]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = simd.level().as_avx2() {
        return super::x86::members(avx2, slots, set);
    }
    let _ = simd;
    let mut members = 0;
    for (lane, &slot) in slots.iter().enumerate() {
        members |= u32::from(bit(set, slot as usize) != 0) << lane;
    }
    members
}

/// Computes `PackedTransform::to_matrix` for eight transforms.
#[inline(always)]
fn matrices_of<S: Simd>(simd: S, batch: [&PackedTransform; LANES]) -> Locals {
    let [first, second, third] = rows_of(
        simd,
        columns_of(simd, batch),
        #[inline(always)]
        |row| rows(simd, row),
    );
    Locals(core::array::from_fn(
        #[inline(always)]
        |lane| {
            let mut matrix = Mat34::IDENTITY;
            store([first[lane], second[lane], third[lane]], &mut matrix);
            matrix
        },
    ))
}

/// Computes `PackedTransform::to_matrix` with a lane per transform. Passes the four columns of each row to a closure
/// before it computes the next row, so that few vectors are live at a time.
#[inline(always)]
pub(super) fn rows_of<S: Simd, V: SimdFloat<S, Element = f32>, R>(
    simd: S,
    [tx, ty, tz, x, y, z, w, sx, sy, sz]: [V; 10],
    row: impl Fn([V; 4]) -> R,
) -> [R; 3] {
    let one = V::splat(simd, 1.0);
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, xy, xz) = (x * x2, x * y2, x * z2);
    let (yy, yz, zz) = (y * y2, y * z2, z * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    [
        row([(one - (yy + zz)) * sx, (xy - wz) * sy, (xz + wy) * sz, tx]),
        row([(xy + wz) * sx, (one - (xx + zz)) * sy, (yz - wx) * sz, ty]),
        row([(xz - wy) * sx, (yz + wx) * sy, (one - (xx + yy)) * sz, tz]),
    ]
}

/// Transposes eight transforms to ten vectors; a transform takes three overlapping loads of four floats.
#[inline(always)]
fn columns_of<S: Simd>(simd: S, batch: [&PackedTransform; LANES]) -> [f32x8<S>; 10] {
    let [x, y, z, w] = four_columns::<S, 0>(simd, batch);
    let [tx, ty, tz, _] = four_columns::<S, 4>(simd, batch);
    let [_, sx, sy, sz] = four_columns::<S, 6>(simd, batch);
    [tx, ty, tz, x, y, z, w, sx, sy, sz]
}

/// Transposes four of the ten floats of eight transforms.
#[inline(always)]
fn four_columns<S: Simd, const FIRST: usize>(simd: S, batch: [&PackedTransform; LANES]) -> [f32x8<S>; 4] {
    let [a, b, c, d, e, f, g, h] = batch;
    let rows = [
        four::<S, FIRST>(simd, a),
        four::<S, FIRST>(simd, b),
        four::<S, FIRST>(simd, c),
        four::<S, FIRST>(simd, d),
        four::<S, FIRST>(simd, e),
        four::<S, FIRST>(simd, f),
        four::<S, FIRST>(simd, g),
        four::<S, FIRST>(simd, h),
    ];
    columns(simd, rows)
}

#[inline(always)]
fn four<S: Simd, const FIRST: usize>(simd: S, local: &PackedTransform) -> f32x4<S> {
    f32x4::from_slice(simd, &floats(local)[FIRST..FIRST + 4])
}
