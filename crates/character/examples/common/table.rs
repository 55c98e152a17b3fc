//! Text in columns, for reports.

use std::fmt::{self, Write as _};

/// A name, then right-aligned values, row by row.
pub(crate) struct Table(String);

impl Table {
    /// Returns a table with a title line.
    pub(crate) fn new(title: &str) -> Self {
        Self(format!("{title}\n\n"))
    }

    pub(crate) fn row<const N: usize>(&mut self, name: &str, values: [impl fmt::Display; N]) {
        // Writing to a string cannot fail.
        let _ = write!(self.0, "{name:<26}");
        for value in values {
            let _ = write!(self.0, "{value:>14}");
        }
        self.0.push('\n');
    }

    /// Adds the head row of a new part.
    pub(crate) fn head<const N: usize>(&mut self, name: &str, columns: [&str; N]) {
        self.0.push('\n');
        self.row(name, columns);
    }

    /// Adds a last line, and returns the text.
    pub(crate) fn end(mut self, line: &str) -> String {
        self.0.push('\n');
        self.0.push_str(line);
        self.0.push('\n');
        self.0
    }
}

/// Returns milliseconds with their unit.
pub(crate) fn in_ms(milliseconds: f64) -> String {
    format!("{milliseconds:.3} ms")
}

/// Returns a number with a comma before every three digits.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
