//! Appends bytes.

use crate::bytes::Encode;
use hedgerow_math::internal::file_header::{Format, HEADER_BYTES};
use std::collections::TryReserveError;

#[derive(Clone, Debug, Default)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// Creates a writer that leaves room for the header.
    pub(crate) fn new() -> Self {
        Self { bytes: vec![0; HEADER_BYTES] }
    }

    /// Creates a writer without room for a header.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes) }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
    }

    pub(crate) fn try_reserve(&mut self, bytes: usize) -> Result<(), TryReserveError> {
        self.bytes.try_reserve(bytes)
    }

    /// Writes the header before the content, and returns all bytes.
    pub(crate) fn into_file(mut self, format: Format) -> Vec<u8> {
        format.write_header(&mut self.bytes);
        self.bytes
    }

    pub(crate) fn reserve(&mut self, bytes: usize) {
        self.bytes.reserve(bytes);
    }

    #[inline]
    pub(crate) fn one<T: Encode>(&mut self, record: T) {
        // Encoded on the stack, where all lengths are constants: half the instructions.
        let mut buffer = [0; 64];
        let (bytes, _) = buffer.split_at_mut(const { if T::BYTES <= 64 { T::BYTES } else { panic!() } });
        record.encode(bytes);
        self.bytes.extend_from_slice(bytes);
    }

    pub(crate) fn array<T: Encode>(&mut self, array: &[T]) {
        self.many(array.iter().copied());
    }

    pub(crate) fn many<T: Encode>(&mut self, records: impl ExactSizeIterator<Item = T>) {
        let start = self.bytes.len();
        self.bytes.resize(start + records.len() * T::BYTES, 0);
        for (record, bytes) in records.zip(self.bytes[start..].chunks_exact_mut(T::BYTES)) {
            record.encode(bytes);
        }
    }

    /// Writes the length of a list, then its numbers.
    pub(crate) fn list(&mut self, numbers: impl ExactSizeIterator<Item = u32>) {
        self.one(count(numbers.len()));
        self.many(numbers);
    }

    /// Writes the length of a text, then the text.
    pub(crate) fn text(&mut self, text: &str) {
        self.one(count(text.len()));
        self.bytes.extend_from_slice(text.as_bytes());
    }
}

/// Converts a length to the form in which it is written.
pub(crate) fn count(length: usize) -> u32 {
    u32::try_from(length).expect("a length below 2^32")
}
