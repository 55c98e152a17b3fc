//! The maximum number of instructions of each operation.

/// The file of limits at build time.
const TEXT: &str = include_str!("../limits.txt");

/// Returns the limit of an operation.
///
/// # Errors
/// An error if the file has a line that is not a name and a number, or has no limit for this operation.
pub(crate) fn limit(operation: &str) -> Result<u64, String> {
    let limits = parse(TEXT)?;
    let found = limits.iter().find(|(name, _)| *name == operation);
    found.map(|&(_, limit)| limit).ok_or_else(|| format!("limits.txt has no limit for `{operation}`"))
}

/// Returns names and limits in file order. A line is a name, white space and a number; `#` begins a comment.
fn parse(text: &str) -> Result<Vec<(&str, u64)>, String> {
    let mut limits: Vec<(&str, u64)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split('#').next().unwrap_or_default().split_whitespace().collect();
        let limit = match words[..] {
            [] => continue,
            [name, limit] => limit.parse().ok().map(|limit| (name, limit)),
            _ => None,
        };
        let limit = limit.ok_or_else(|| format!("limits.txt, line {}: not a name and a number: {line}", number + 1))?;
        if limits.iter().any(|(name, _)| *name == limit.0) {
            return Err(format!("limits.txt, line {}: a second limit for `{}`", number + 1, limit.0));
        }
        limits.push(limit);
    }
    Ok(limits)
}

#[cfg(test)]
mod tests {
    use super::{TEXT, parse};
    use crate::operations::ALL;

    #[test]
    fn every_operation_has_a_limit_and_every_limit_an_operation() {
        let limits: Vec<&str> = parse(TEXT).unwrap().into_iter().map(|(name, _)| name).collect();
        let operations: Vec<&str> = ALL.iter().map(|operation| operation.name).collect();
        assert_eq!(limits, operations);
    }

    #[test]
    fn lines_that_say_something_else_are_named() {
        assert_eq!(parse("# a comment\n\nworld 40 # another\n"), Ok(vec![("world", 40)]));
        for (text, line) in [("world", 1), ("world 40\nparent 5 7", 2), ("world -1", 1), ("world 1\nworld 2", 2)] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(&format!("line {line}:")), "{error}");
        }
    }
}
