//! The reader, the index writer and the error of all decoders.

/// A fault of a compressed stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fault(pub(super) &'static str);

impl Fault {
    pub(super) const SHORT: Self = Self("it ends before its last element");
    pub(super) const LONG: Self = Self("it has bytes after its last element");
    pub(super) const HEADER: Self = Self("its first byte is not that of its mode");
}

/// The unread bytes of a stream.
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl<'a> Bytes<'a> {
    /// Returns the next `count` bytes.
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], Fault> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Fault::SHORT)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn byte(&mut self) -> Result<u8, Fault> {
        let (&byte, rest) = self.0.split_first().ok_or(Fault::SHORT)?;
        self.0 = rest;
        Ok(byte)
    }

    /// Returns the next LEB128 number: up to five bytes of seven bits, lowest bits first.
    pub(super) fn varint(&mut self) -> Result<u32, Fault> {
        let mut number = 0;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            number |= u32::from(byte & 127) << shift;
            if byte < 128 {
                return Ok(number);
            }
        }
        Err(Fault("a number has more than five bytes"))
    }

    /// Returns an error unless all bytes were read.
    pub(super) fn expect_end(&self) -> Result<(), Fault> {
        if self.0.is_empty() { Ok(()) } else { Err(Fault::LONG) }
    }
}

/// A writer of indices of 2 or 4 bytes, which drops high bits that do not fit.
pub(super) struct IndexWriter<'a> {
    indices: core::slice::ChunksExactMut<'a, u8>,
    stride: usize,
}

impl<'a> IndexWriter<'a> {
    pub(super) fn new(indices: &'a mut [u8], stride: usize) -> Self {
        Self { indices: indices.chunks_exact_mut(stride), stride }
    }

    pub(super) fn write(&mut self, index: u32) {
        if let Some(to) = self.indices.next() {
            to.copy_from_slice(&index.to_le_bytes()[..self.stride]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_up_to_five_bytes_of_seven_bits() {
        // The examples are from the extension's text, where the bytes of the third result are swapped by mistake.
        for (bytes, number) in [(&[0x7f][..], 0x7f), (&[0x81, 0x04], 0x201), (&[0xff, 0xa0, 0x05], 0x1_507f)] {
            assert_eq!(Bytes(bytes).varint(), Ok(number));
        }
        assert_eq!(Bytes(&[0x80, 1]).varint(), Ok(0x80));
        assert_eq!(Bytes(&[255, 255, 255, 255, 15]).varint(), Ok(u32::MAX));
        assert_eq!(Bytes(&[255; 5]).varint(), Err(Fault("a number has more than five bytes")));
        assert_eq!(Bytes(&[255]).varint(), Err(Fault::SHORT));
    }

    #[test]
    fn indices_of_two_bytes_keep_the_low_ones() {
        let mut indices = [0; 4];
        let mut writer = IndexWriter::new(&mut indices, 2);
        [0x1_0203, 0x4_0506, 7].into_iter().for_each(|index| writer.write(index));
        assert_eq!(indices, [3, 2, 6, 5]);
    }
}
