/// The memory use of one kind of data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The number of entries in use.
    pub live: usize,
    /// The bytes of the entries in use.
    pub live_bytes: usize,
    /// The bytes allocated.
    pub allocated_bytes: usize,
}

impl Usage {
    /// Returns the sum of two parts.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            live: self.live + other.live,
            live_bytes: self.live_bytes + other.live_bytes,
            allocated_bytes: self.allocated_bytes + other.allocated_bytes,
        }
    }

    /// Returns the memory use without a part.
    pub(crate) fn minus(self, part: Self) -> Self {
        Self {
            live: self.live - part.live,
            live_bytes: self.live_bytes - part.live_bytes,
            allocated_bytes: self.allocated_bytes - part.allocated_bytes,
        }
    }
}
