//! The description of a case: what it compares, and in which unit.

/// The unit of both figures of a case.
#[derive(Clone, Copy, Debug)]
pub enum Unit {
    /// Nanoseconds per node.
    Time,
    /// Nanoseconds per edit.
    Edit,
    /// Nanoseconds per call.
    Call,
    /// Nanoseconds or bytes per item other than a node; the text is the unit's name.
    Each(&'static str),
    /// Bytes per node.
    Bytes,
}

impl Unit {
    /// Returns the unit's name in tables.
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

/// One line of an experiment's results, without its two figures.
#[derive(Clone, Copy, Debug)]
pub struct Case<'c> {
    /// The name of the case in its experiment.
    pub name: &'c str,
    /// The number of nodes in the tree.
    pub nodes: usize,
    /// The unit of both figures.
    pub unit: Unit,
    /// The name of the baseline.
    pub baseline: &'c str,
    /// The number by which times are divided.
    pub per: usize,
    /// The number of consecutive calls in a turn.
    pub repeats: usize,
    /// The threads of ours and of the baseline. If `None`, ours uses the front's threads, the baseline one thread.
    pub threads: Option<[usize; 2]>,
    /// Whether `hedgerow` computes the baseline too, so that both sides use the vectors of its kernels.
    pub kernels: [bool; 2],
}

impl<'c> Case<'c> {
    /// Creates a case with an external baseline. Times are divided by the number of nodes.
    pub const fn new(name: &'c str, nodes: usize, unit: Unit, baseline: &'c str) -> Self {
        Self { name, nodes, unit, baseline, per: nodes, repeats: 1, threads: None, kernels: [true, false] }
    }

    /// Returns the case with its times divided by this number.
    pub const fn per(self, per: usize) -> Self {
        Self { per, ..self }
    }

    /// Returns the case with this number of calls in a turn.
    pub const fn repeats(self, repeats: usize) -> Self {
        Self { repeats, ..self }
    }

    /// Returns the case with `hedgerow` itself, used differently, as the baseline.
    pub const fn against_itself(self) -> Self {
        Self { kernels: [true; 2], ..self }
    }
}
