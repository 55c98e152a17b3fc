//! The bytes that a pass cannot do without, touched in its order and not computed with: what memory allows.

use std::hint::black_box;

/// What a pass reads and writes, as arrays of 64-bit words, cut into blocks as slices cut their columns: first one
/// block of each array, then the next of each.
#[derive(Clone, Debug)]
pub struct Streams {
    blocks: Vec<Block>,
}

#[derive(Clone, Debug)]
struct Block {
    read: Vec<u64>,
    written: Vec<u64>,
}

impl Streams {
    /// So many elements in blocks of at most `block`, each of which has this many bytes read, and this many written.
    ///
    /// # Panics
    /// If `block` is 0.
    #[must_use]
    pub fn new(elements: usize, block: usize, read: usize, written: usize) -> Self {
        let blocks = (0..elements).step_by(block).map(|first| {
            let count = block.min(elements - first);
            Block { read: vec![1; (count * read).div_ceil(8)], written: vec![0; (count * written).div_ceil(8)] }
        });
        Self { blocks: blocks.collect() }
    }

    /// Reads and writes all of it once, both arrays of a block side by side.
    #[inline(never)]
    pub fn touch(&mut self) {
        const LINE: usize = 8;
        for Block { read, written } in &mut self.blocks {
            let mut sum = [0_u64; LINE];
            let (mut lines, all) = (read.chunks_exact(LINE), written.len() / LINE);
            let per_line = lines.len() / all.max(1);
            for line in written.chunks_exact_mut(LINE) {
                for words in lines.by_ref().take(per_line) {
                    sum.iter_mut().zip(words).for_each(|(sum, word)| *sum = sum.wrapping_add(*word));
                }
                line.copy_from_slice(&sum);
            }
            for words in lines {
                sum.iter_mut().zip(words).for_each(|(sum, word)| *sum = sum.wrapping_add(*word));
            }
            black_box(&mut sum);
        }
        black_box(&mut self.blocks);
    }
}
