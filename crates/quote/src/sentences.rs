//! Figures within sentences.
//!
//! A row `PAGE|says|PHRASE|EXPERIMENT|CASE|N` is of a sentence that stands on the page once, at whatever places its
//! lines break. In the phrase, `{FIELD}` stands for a number: `ours` and `baseline`, `ratio`, which is the baseline by
//! ours, and `times`, which is ours by the baseline. `{ours.2}` has two digits behind the point, `{ours/1000000}` is
//! divided before, and `{ours.2/1000000}` both. Without such digits there are two that matter, as in ratios. A `¦` stands
//! for the `|` of a table.

use crate::Failure;
use crate::list::Row;
use crate::numbers::short;
use crate::record::{Line, Records};
use std::ops::Range;

/// A part of a phrase.
#[derive(Debug)]
enum Part<'p> {
    Text(&'p str),
    /// What stands between braces.
    Number(&'p str),
}

/// A page with the numbers of these sentences, and what is wrong with them.
pub(crate) fn fill(page: &str, rows: &[&Row], records: &Records) -> Result<(String, Vec<String>), Failure> {
    let (mut page, mut faults) = (page.to_owned(), Vec::new());
    for row in rows {
        let parts = parts(&row.what)?;
        let Some(line) = records.line(&row.experiment, &row.case, &row.nodes) else {
            faults.push(format!("not in the records: {} {} {}", row.experiment, row.case, row.nodes));
            continue;
        };
        let found: Vec<Vec<Range<usize>>> =
            page.char_indices().filter_map(|(at, _)| places(&page, at, &parts)).collect();
        let [numbers] = &found[..] else {
            faults.push(format!("stands there {} times, and not once: {}", found.len(), row.what));
            continue;
        };
        let fields = parts.iter().filter_map(|part| match part {
            Part::Number(field) => Some(*field),
            Part::Text(_) => None,
        });
        // From the last one on, so that places before it stay right.
        let both: Vec<(&str, Range<usize>)> = fields.zip(numbers.iter().cloned()).collect();
        for (field, place) in both.into_iter().rev() {
            page.replace_range(place, &value(field, line)?);
        }
    }
    Ok((page, faults))
}

/// Cuts a phrase at its braces.
fn parts(phrase: &str) -> Result<Vec<Part<'_>>, Failure> {
    let mut parts = Vec::new();
    let mut rest = phrase;
    while let Some((text, behind)) = rest.split_once('{') {
        let (field, after) = behind.split_once('}').ok_or_else(|| format!("a brace stays open: {phrase}"))?;
        parts.extend([Part::Text(text), Part::Number(field)]);
        rest = after;
    }
    parts.push(Part::Text(rest));
    if parts.len() < 2 || phrase.starts_with('{') {
        return Err(format!("a phrase begins with words, and has a number in braces: {phrase}").into());
    }
    Ok(parts)
}

/// Where the numbers of a phrase are, if it stands at this place of the page.
fn places(page: &str, at: usize, parts: &[Part<'_>]) -> Option<Vec<Range<usize>>> {
    let (mut end, mut numbers) = (at, Vec::new());
    for part in parts {
        let rest = &page[end..];
        end += match part {
            Part::Text(text) => length_of_text(rest, text)?,
            Part::Number(_) => {
                let digits =
                    rest.find(|char: char| !char.is_ascii_digit() && !".,".contains(char)).unwrap_or(rest.len());
                // A point or a comma at the end is the sentence's.
                let length = rest[..digits].trim_end_matches(['.', ',']).len();
                if length == 0 {
                    return None;
                }
                numbers.push(end..end + length);
                length
            }
        };
    }
    Some(numbers)
}

/// How long a text is at the beginning of a page, if it stands there. A space stands for any spaces and ends of lines,
/// `¦` for what the list has between the parts of a row.
fn length_of_text(page: &str, text: &str) -> Option<usize> {
    let mut rest = page;
    for char in text.chars() {
        rest = if char == ' ' {
            let after = rest.trim_start();
            (after.len() < rest.len()).then_some(after)?
        } else {
            rest.strip_prefix(if char == '¦' { '|' } else { char })?
        };
    }
    Some(page.len() - rest.len())
}

/// A number as a sentence has it.
fn value(field: &str, line: &Line) -> Result<String, Failure> {
    let (name, divisor) = field.split_once('/').unwrap_or((field, "1"));
    let (name, digits) = name.split_once('.').map_or((name, None), |(name, digits)| (name, Some(digits)));
    let number = match name {
        "ours" => line.ours,
        "baseline" => line.baseline.unwrap_or(f64::NAN),
        "ratio" => line.ratio(),
        "times" => 1.0 / line.ratio(),
        _ => return Err(format!("a sentence has no field '{field}'").into()),
    };
    let number = number / divisor.parse::<f64>()?;
    if !number.is_finite() {
        return Err(format!("no number for '{field}' in {} {}", line.experiment, line.case).into());
    }
    Ok(match digits {
        Some(digits) => format!("{number:.*}", digits.parse()?),
        None => short(number),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::List;

    fn filled(page: &str, phrase: &str) -> Result<(String, Vec<String>), Failure> {
        let line = r#"{"experiment":"e","case":"c","n":8,"unit":"ns/node","ns":4.26,"baseline_ns":2000000}"#;
        let mut records = Records::default();
        records.read(line, "")?;
        let list = List::read(&format!("record a\np|says|{phrase}|e|c|8"))?;
        fill(page, &list.tables()[0].2, &records)
    }

    #[test]
    fn numbers_of_a_sentence_follow_the_record() {
        let page = "First. It takes\n7,5 ns, where boxed nodes take 1.9. Last.";
        let (new, faults) = filled(page, "It takes {ours} ns, where boxed nodes take {baseline.1/1000000}.").unwrap();
        assert_eq!(new, "First. It takes\n4.3 ns, where boxed nodes take 2.0. Last.");
        assert!(faults.is_empty());
        let (row, _) = filled("| walks | 7 ns |", "walks ¦ {ours} ns").unwrap();
        assert_eq!(row, "| walks | 4.3 ns |");
        let again = filled(&new, "It takes {ours} ns, where boxed nodes take {baseline.1/1000000}.").unwrap();
        assert_eq!(again.0, new, "what is right stays as it is");
    }

    #[test]
    fn a_sentence_that_is_not_there_once_is_a_fault() {
        for page in ["nothing", "takes 1 ns, and takes 2 ns", "takes ns"] {
            let (new, faults) = filled(page, "takes {ours} ns").unwrap();
            assert_eq!((&*new, faults.len()), (page, 1), "{page}");
        }
    }

    #[test]
    fn phrases_that_mean_nothing_are_refused() {
        for phrase in ["takes {ours ns", "takes long", "{ours} ns", "takes {their} ns", "takes {ours/x} ns"] {
            assert!(filled("takes 1 ns", phrase).is_err(), "{phrase}");
        }
    }
}
