//! Writes and reads little-endian numbers.

use crate::skin::SkinError;
use hedgerow_math::internal::file_header::{Format, HEADER_BYTES};

pub(super) const CUT_OFF: SkinError = SkinError::Malformed("the data is truncated");

/// A list of bytes, written at the end.
pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn new() -> Self {
        Self(vec![0; HEADER_BYTES])
    }

    pub(super) fn word(&mut self, word: u32) {
        self.0.extend_from_slice(&word.to_le_bytes());
    }

    pub(super) fn count(&mut self, count: usize) {
        self.word(u32::try_from(count).expect("a count below 2^32"));
    }

    pub(super) fn short(&mut self, short: u16) {
        self.0.extend_from_slice(&short.to_le_bytes());
    }

    pub(super) fn floats(&mut self, floats: &[f32]) {
        floats.iter().for_each(|float| self.0.extend_from_slice(&float.to_le_bytes()));
    }

    pub(super) fn finish(mut self, format: Format) -> Vec<u8> {
        format.write_header(&mut self.0);
        self.0
    }
}

/// A list of bytes, read from the start.
pub(super) struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    /// Reads `count` items of `N` bytes, without an allocation.
    pub(super) fn items<const N: usize>(&mut self, count: usize) -> Result<&'b [[u8; N]], SkinError> {
        let (taken, rest) = count.checked_mul(N).and_then(|length| self.0.split_at_checked(length)).ok_or(CUT_OFF)?;
        self.0 = rest;
        Ok(taken.as_chunks().0)
    }

    /// Returns an error unless `count` items of `bytes` bytes are left.
    pub(super) fn expect(&self, count: usize, bytes: usize) -> Result<(), SkinError> {
        let there = count.checked_mul(bytes).is_some_and(|length| length <= self.0.len());
        if there { Ok(()) } else { Err(CUT_OFF) }
    }

    pub(super) fn word(&mut self) -> Result<u32, SkinError> {
        self.items(1).map(|items| u32::from_le_bytes(items[0]))
    }

    pub(super) fn count(&mut self) -> Result<usize, SkinError> {
        self.word().map(|word| word as usize)
    }

    pub(super) fn words(&mut self, count: usize) -> Result<impl ExactSizeIterator<Item = u32> + use<'b>, SkinError> {
        Ok(self.items(count)?.iter().map(|word| u32::from_le_bytes(*word)))
    }

    pub(super) fn shorts(&mut self, count: usize) -> Result<impl ExactSizeIterator<Item = u16> + use<'b>, SkinError> {
        Ok(self.items(count)?.iter().map(|short| u16::from_le_bytes(*short)))
    }

    /// Reads `count` arrays of `N` floats.
    pub(super) fn floats<const N: usize>(
        &mut self,
        count: usize,
    ) -> Result<impl ExactSizeIterator<Item = [f32; N]> + Clone + use<'b, N>, SkinError> {
        let numbers = self.items::<4>(count.checked_mul(N).ok_or(CUT_OFF)?)?;
        let (groups, _) = numbers.as_chunks::<N>();
        Ok(groups.iter().map(|group| group.map(f32::from_le_bytes)))
    }

    pub(super) fn float_array<const N: usize>(&mut self) -> Result<[f32; N], SkinError> {
        self.floats(1)?.next().ok_or(CUT_OFF)
    }

    pub(super) fn finish(self) -> Result<(), SkinError> {
        if self.0.is_empty() { Ok(()) } else { Err(SkinError::Malformed("bytes follow its end")) }
    }
}
