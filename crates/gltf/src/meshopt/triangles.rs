//! Mode `TRIANGLES`: lists of triangles, most of which are stored as a recent edge and a recent corner.

use super::{Bytes, Fault, IndexWriter};

/// The first byte of a stream.
const HEADER: u8 = 0xe1;
/// The size of the table at the end of a stream, in bytes.
const TABLE: usize = 16;

/// Returns the least number of bytes of a stream with `count` indices; a triangle takes at least one byte.
pub(super) fn least(count: u64) -> u64 {
    count / 3 + 1 + TABLE as u64
}

/// Fills `indices` with decoded triangles, 2 or 4 bytes for each index.
pub(super) fn decode(stream: &[u8], stride: usize, indices: &mut [u8]) -> Result<(), Fault> {
    let (&header, stream) = stream.split_first().ok_or(Fault::SHORT)?;
    if header != HEADER {
        return Err(Fault::HEADER);
    }
    let (codes, rest) = stream.split_at_checked(indices.len() / stride / 3).ok_or(Fault::SHORT)?;
    let (data, table) = rest.split_at(rest.len().checked_sub(TABLE).ok_or(Fault::SHORT)?);
    let mut state =
        State { data: Bytes(data), next: 0, last: 0, edges: Recent::default(), vertices: Recent::default() };
    let mut writer = IndexWriter::new(indices, stride);
    for &code in codes {
        state.triangle(code, table)?.into_iter().for_each(|index| writer.write(index));
    }
    state.data.expect_end()
}

/// The last 16 items pushed.
#[derive(Default)]
struct Recent<T> {
    items: [T; 16],
    pushed: usize,
}

impl<T: Copy> Recent<T> {
    fn push(&mut self, item: T) {
        self.items[self.pushed % 16] = item;
        self.pushed += 1;
    }

    /// Returns an earlier item: 0 means the last item that was pushed, 1 the item before it, and so on.
    fn get(&self, before: u8) -> Result<T, Fault> {
        match self.pushed.checked_sub(1 + usize::from(before)) {
            Some(at) => Ok(self.items[at % 16]),
            None => Err(Fault("a triangle refers to an edge or vertex before the first")),
        }
    }
}

/// The state after the triangles decoded so far.
struct State<'a> {
    data: Bytes<'a>,
    /// The index of the next new vertex, if new vertices are used in ascending order.
    next: u32,
    /// The last index that was written as a difference.
    last: u32,
    edges: Recent<[u32; 2]>,
    vertices: Recent<u32>,
}

/// Codes of a corner that is not on the known edge. Code 0 is the next new vertex, 15 is an explicit difference from
/// the last explicit vertex, and other codes are recent vertices.
const NEXT: u8 = 0;
const EXPLICIT: u8 = 15;

impl State<'_> {
    fn triangle(&mut self, code: u8, table: &[u8]) -> Result<[u32; 3], Fault> {
        match (code >> 4, code & 15) {
            (15, how) => self.free_triangle(how, table),
            (edge, how) => {
                let [a, b] = self.edges.get(edge)?;
                let c = match how {
                    NEXT => self.take_next(),
                    13 => self.step(u32::MAX),
                    14 => self.step(1),
                    EXPLICIT => self.explicit()?,
                    _ => self.vertices.get(how)?,
                };
                if !(1..13).contains(&how) {
                    self.vertices.push(c);
                }
                self.edges.push([c, b]);
                self.edges.push([a, c]);
                Ok([a, b, c])
            }
        }
    }

    /// Decodes a triangle that shares no known edge.
    fn free_triangle(&mut self, how: u8, table: &[u8]) -> Result<[u32; 3], Fault> {
        let (first, others) = match how {
            14 | 15 => {
                let others = self.data.byte()?;
                if others == 0 {
                    self.next = 0;
                }
                (if how == 14 { NEXT } else { EXPLICIT }, others)
            }
            _ => (NEXT, table[usize::from(how)]),
        };
        let (second, third) = (others >> 4, others & 15);
        // The table must not contain explicit vertices.
        if how < 14 && (second == EXPLICIT || third == EXPLICIT) {
            return Err(Fault("invalid entry in its table"));
        }
        let (a, b, c) = (self.corner(first)?, self.corner(second)?, self.corner(third)?);
        for edge in [[b, a], [c, b], [a, c]] {
            self.edges.push(edge);
        }
        for (how, vertex) in [(first, a), (second, b), (third, c)] {
            if matches!(how, NEXT | EXPLICIT) {
                self.vertices.push(vertex);
            }
        }
        Ok([a, b, c])
    }

    fn corner(&mut self, how: u8) -> Result<u32, Fault> {
        match how {
            NEXT => Ok(self.take_next()),
            EXPLICIT => self.explicit(),
            _ => self.vertices.get(how - 1),
        }
    }

    fn take_next(&mut self) -> u32 {
        let next = self.next;
        self.next = next.wrapping_add(1);
        next
    }

    fn step(&mut self, difference: u32) -> u32 {
        self.last = self.last.wrapping_add(difference);
        self.last
    }

    fn explicit(&mut self) -> Result<u32, Fault> {
        let stored = self.data.varint()?;
        Ok(self.step(stored >> 1 ^ (stored & 1).wrapping_neg()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(codes: &[u8], entry: u8) -> Result<Vec<u8>, Fault> {
        let mut indices = vec![0; codes.len() * 6];
        let stream = [&[HEADER], codes, &[entry; TABLE]].concat();
        decode(&stream, 2, &mut indices).map(|()| indices.into_iter().step_by(2).collect())
    }

    #[test]
    fn a_corner_may_be_one_that_was_new_in_the_triangle_before() {
        assert_eq!(decoded(&[0xf0, 0x00, 0x01], 0x00).unwrap(), [0, 1, 2, 0, 2, 3, 0, 3, 2]);
    }

    #[test]
    fn nothing_is_explicit_in_the_table() {
        for entry in [0xf0, 0x0f, 0xff] {
            let fault = decoded(&[0xf0], entry).unwrap_err();
            assert_eq!(fault.0, "invalid entry in its table");
        }
    }
}
