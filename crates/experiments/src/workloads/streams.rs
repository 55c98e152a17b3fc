//! The bytes that a pass cannot do without, touched in its order and not computed with: what memory allows.

use std::hint::black_box;

/// What a pass is compared with where [`Streams`] stand in place of a baseline.
pub const TOUCHED: &str = "the same bytes, touched";

/// What a pass reads and writes, as arrays of 64-bit words, and in which order: in steps, each of which reads one array
/// and writes one, side by side.
#[derive(Clone, Debug)]
pub struct Streams {
    read: Vec<Vec<u64>>,
    written: Vec<Vec<u64>>,
    /// What each step reads and writes, as places in the two lists.
    steps: Vec<(usize, usize)>,
    /// The step that comes next.
    next: usize,
}

impl Streams {
    /// So many elements in blocks of at most `block`, each of which has this many bytes read, and this many written:
    /// first one block of each array, then the next of each, as slices cut their columns.
    ///
    /// # Panics
    /// If `block` is 0.
    #[must_use]
    pub fn new(elements: usize, block: usize, read: usize, written: usize) -> Self {
        Self::sharing(elements, block, read, written, (0, 0))
    }

    /// The same where elements also read things that they share, so many in all of so many bytes each: a thing is read
    /// once, and they are shared out among the blocks by their elements.
    ///
    /// # Panics
    /// If `block` is 0.
    #[must_use]
    pub fn sharing(elements: usize, block: usize, read: usize, written: usize, shared: (usize, usize)) -> Self {
        let (things, thing) = shared;
        let firsts = (0..elements).step_by(block).map(|first| (first, elements.min(first + block)));
        let (reads, writes): (Vec<usize>, Vec<usize>) = firsts
            .map(|(first, end)| {
                let things = things * end / elements - things * first / elements;
                ((end - first) * read + things * thing, (end - first) * written)
            })
            .unzip();
        Self::of(&reads, &writes, (0..reads.len()).map(|block| (block, block)))
    }

    /// Arrays of so many bytes to be read and to be written, and which of them each step reads and writes: steps may
    /// share arrays, as passes do that read the same for each of many.
    ///
    /// # Panics
    /// If a step names an array that is not there.
    #[must_use]
    pub fn of(read: &[usize], written: &[usize], steps: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let arrays = |bytes: &[usize], word| bytes.iter().map(|bytes| vec![word; bytes.div_ceil(8)]).collect();
        let steps: Vec<(usize, usize)> = steps.into_iter().collect();
        assert!(steps.iter().all(|&(from, to)| from < read.len() && to < written.len()), "steps have arrays");
        Self { read: arrays(read, 1), written: arrays(written, 0), steps, next: 0 }
    }

    /// Goes all steps once.
    pub fn touch(&mut self) {
        self.touch_steps(self.steps.len());
    }

    /// Goes so many steps, from where the last call ended; behind the last one comes the first.
    #[inline(never)]
    pub fn touch_steps(&mut self, count: usize) {
        for _ in 0..count {
            let (from, to) = self.steps[self.next];
            self.next = (self.next + 1) % self.steps.len();
            step(&self.read[from], &mut self.written[to]);
        }
        black_box(self);
    }
}

/// Reads one array and writes another, side by side: what is written is what was read so far, added up.
fn step(read: &[u64], written: &mut [u64]) {
    const LINE: usize = 8;
    let mut sum = [0_u64; LINE];
    let mut lines = read.chunks_exact(LINE);
    let (lines_read, lines_written) = (lines.len(), written.len() / LINE);
    // Before each line that is written come as many as are due: less than one where less is read than written.
    let mut due = 0;
    for line in written.chunks_exact_mut(LINE) {
        due += lines_read;
        while due >= lines_written {
            due -= lines_written;
            for (sum, word) in sum.iter_mut().zip(lines.next().unwrap_or(&[0; LINE])) {
                *sum = sum.wrapping_add(*word);
            }
        }
        line.copy_from_slice(&sum);
    }
    for words in lines {
        sum.iter_mut().zip(words).for_each(|(sum, word)| *sum = sum.wrapping_add(*word));
    }
    black_box(&mut sum);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_reads_and_writes_all_of_its_arrays_side_by_side() {
        let mut streams = Streams::of(&[8 * 64], &[2 * 64], [(0, 0)]);
        streams.touch();
        assert_eq!(streams.written[0][..8], [4; 8]);
        assert_eq!(streams.written[0][8..], [8; 8]);

        // Also where less is read than written.
        let mut streams = Streams::of(&[2 * 64], &[4 * 64], [(0, 0)]);
        streams.touch();
        let lines = streams.written[0].chunks_exact(8).map(|line| line[0]);
        assert_eq!(lines.collect::<Vec<_>>(), [0, 1, 1, 2]);
    }

    #[test]
    fn what_elements_share_is_read_once() {
        let streams = Streams::sharing(40, 16, 8, 8, (10, 16));
        assert_eq!(streams.read.iter().map(Vec::len).collect::<Vec<_>>(), [16 + 8, 16 + 8, 8 + 4]);
        assert_eq!(streams.written.iter().map(Vec::len).collect::<Vec<_>>(), [16, 16, 8]);
    }

    #[test]
    fn steps_go_on_where_the_last_call_ended() {
        let mut streams = Streams::new(40, 16, 8, 8);
        assert_eq!(streams.read.iter().map(Vec::len).collect::<Vec<_>>(), [16, 16, 8]);
        streams.touch_steps(2);
        let last = |streams: &Streams| streams.written.iter().map(|words| words[words.len() - 1]).collect::<Vec<_>>();
        assert_eq!(last(&streams), [2, 2, 0]);
        streams.touch_steps(1);
        assert_eq!(last(&streams), [2, 2, 1]);
        assert_eq!(streams.next, 0);
    }
}
