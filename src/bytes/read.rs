//! Reads bytes from their start.

use crate::bytes::{BytesError, Encode, ensure};
use crate::fallible;

pub(crate) struct Reader<'b> {
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Takes the bytes of `count` records. Checks that they exist before anything is allocated for them.
    pub(crate) fn take(&mut self, count: u32, record: usize) -> Result<&'b [u8], BytesError> {
        // Checked before any allocation, which therefore never exceeds the input.
        let length = (count as usize).checked_mul(record);
        let (taken, rest) = length
            .and_then(|length| self.rest.split_at_checked(length))
            .ok_or(BytesError::invalid("an array is truncated"))?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn one<T: Encode>(&mut self) -> Result<T, BytesError> {
        self.take(1, T::BYTES).map(T::decode)
    }

    pub(crate) fn many<T: Encode>(&mut self, count: u32) -> Result<Vec<T>, BytesError> {
        let bytes = self.take(count, T::BYTES)?;
        Ok(fallible::collected(bytes.chunks_exact(T::BYTES).map(T::decode))?)
    }

    /// Reads a length and a list of numbers.
    pub(crate) fn list(&mut self) -> Result<Vec<u32>, BytesError> {
        let count = self.one()?;
        self.many(count)
    }

    /// Reads a length and a text.
    pub(crate) fn text(&mut self) -> Result<&'b str, BytesError> {
        let length = self.one()?;
        core::str::from_utf8(self.take(length, 1)?).map_err(|_| BytesError::invalid("a name is not UTF-8"))
    }

    /// Returns the number of bytes that are still to be read.
    pub(crate) fn len(&self) -> usize {
        self.rest.len()
    }

    pub(crate) fn finish(self) -> Result<(), BytesError> {
        ensure!(self.rest.is_empty(), "bytes follow the last list");
        Ok(())
    }
}
