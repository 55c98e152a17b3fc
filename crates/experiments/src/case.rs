//! What a case compares, in which unit, and on what.

/// What the two figures of a case are.
#[derive(Clone, Copy, Debug)]
pub enum Unit {
    /// Nanoseconds a node.
    Time,
    /// Nanoseconds an edit.
    Edit,
    /// Nanoseconds a call.
    Call,
    /// Nanoseconds or bytes of something that is no node: what a table calls that.
    Each(&'static str),
    /// Bytes a node.
    Bytes,
}

impl Unit {
    /// What a table calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Time => "ns/node",
            Self::Edit => "ns/edit",
            Self::Call => "ns/call",
            Self::Each(name) => name,
            Self::Bytes => "B/node",
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
    /// What a time is divided by.
    pub per: usize,
    /// So many calls come after one another in a turn.
    pub repeats: usize,
    /// On how many threads ours and the baseline work, where the experiment says so. Otherwise on as many as the front
    /// runs everything on, the baseline on one.
    pub threads: Option<[usize; 2]>,
    /// Whether ours and the baseline are computed by `hedgerow`, and so with the vectors of its kernels.
    pub kernels: [bool; 2],
}

impl<'c> Case<'c> {
    /// A case that is compared with other people's way; its times are divided by the number of nodes.
    pub const fn new(name: &'c str, nodes: usize, unit: Unit, baseline: &'c str) -> Self {
        Self { name, nodes, unit, baseline, per: nodes, repeats: 1, threads: None, kernels: [true, false] }
    }

    /// The same case whose times are divided by this number.
    pub const fn per(self, per: usize) -> Self {
        Self { per, ..self }
    }

    /// The same case with so many calls in a turn.
    pub const fn repeats(self, repeats: usize) -> Self {
        Self { repeats, ..self }
    }

    /// The same case with a baseline that is `hedgerow` in another way.
    pub const fn against_itself(self) -> Self {
        Self { kernels: [true; 2], ..self }
    }
}
