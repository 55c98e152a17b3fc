//! What a case compares, and in which unit.

/// What the two figures of a case are.
#[derive(Clone, Copy, Debug)]
pub enum Unit {
    /// Nanoseconds a node.
    Time,
    /// Nanoseconds an edit.
    Edit,
    /// Nanoseconds a call.
    Call,
    /// Nanoseconds each of something that is no node: what a table calls that.
    Each(&'static str),
    /// Bytes a node.
    Bytes,
    /// Nanoseconds a node in which this many bytes a node are read: a table shows the gigabytes a second.
    Rate(f64),
}

impl Unit {
    /// What a table calls it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Time => "ns/node",
            Self::Edit => "ns/edit",
            Self::Call => "ns/call",
            Self::Each(name) => name,
            Self::Bytes => "B/node",
            Self::Rate(_) => "GB/s",
        }
    }
}

/// One line of an experiment's results, but for its two figures.
#[derive(Clone, Copy, Debug)]
pub struct Case<'c> {
    /// What is measured.
    pub name: &'c str,
    /// How many nodes the tree has.
    pub nodes: usize,
    /// The unit of both figures.
    pub unit: Unit,
    /// What ours is compared with.
    pub baseline: &'c str,
}
