//! Figures within sentences.
//!
//! A row `PAGE|says|PHRASE|EXPERIMENT|CASE|N` is of a sentence that stands on the page once, at whatever places its
//! lines break. In the phrase, `{FIELD}` stands for a number: `ours` and `baseline`, `ratio`, which is the baseline by
//! ours, and `times`, which is ours by the baseline. `{ours.2}` has two digits behind the point, `{ours/1000000}` is
//! divided before, and `{ours.2/1000000}` both. Without such digits there are two that matter, as in ratios. A `¦` stands
//! for the `|` of a table.
//!
//! A row `PAGE|says|PHRASE|peers|WORK,WORK|PEERS by PEERS over N` (or `NAME/peers`, of the record of that name) is of
//! all trees of so many nodes and more: how many times as long the fastest of some peers takes as the fastest of others,
//! `{least}` and `{most}`. Peers stand between commas, with their threads, as in `boxed/1`.

use crate::Failure;
use crate::list::Row;
use crate::numbers::short;
use crate::record::{Line, Records, Work};
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
        let numbers = if row.experiment.split('/').next_back() == Some("peers") {
            Between::of(row, records)?.map(Numbers::Between)
        } else {
            records.line(&row.experiment, &row.case, &row.nodes).map(Numbers::Line)
        };
        let Some(numbers) = numbers else {
            faults.push(format!("not in the records: {} {} {}", row.experiment, row.case, row.nodes));
            continue;
        };
        let found: Vec<Vec<Range<usize>>> =
            page.char_indices().filter_map(|(at, _)| places(&page, at, &parts)).collect();
        let [ranges] = &found[..] else {
            faults.push(format!("stands there {} times, and not once: {}", found.len(), row.what));
            continue;
        };
        let fields = parts.iter().filter_map(|part| match part {
            Part::Number(field) => Some(*field),
            Part::Text(_) => None,
        });
        // From the last one on, so that places before it stay right.
        let both: Vec<(&str, Range<usize>)> = fields.zip(ranges.iter().cloned()).collect();
        for (field, place) in both.into_iter().rev() {
            page.replace_range(place, &numbers.text(field).map_err(|error| format!("{error}, in: {}", row.what))?);
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

/// What a sentence has its numbers from.
enum Numbers<'r> {
    Line(&'r Line),
    Between(Between),
}

impl Numbers<'_> {
    /// A number as a sentence has it.
    fn text(&self, field: &str) -> Result<String, Failure> {
        let (name, divisor) = field.split_once('/').unwrap_or((field, "1"));
        let (name, digits) = name.split_once('.').map_or((name, None), |(name, digits)| (name, Some(digits)));
        let number = match (self, name) {
            (Numbers::Line(line), "ours") => line.ours,
            (Numbers::Line(line), "baseline") => line.baseline.unwrap_or(f64::NAN),
            (Numbers::Line(line), "ratio") => line.ratio(),
            (Numbers::Line(line), "times") => 1.0 / line.ratio(),
            (Numbers::Between(between), "least") => between.least,
            (Numbers::Between(between), "most") => between.most,
            _ => return Err(format!("a sentence has no field '{field}'").into()),
        };
        let number = number / divisor.parse::<f64>()?;
        if !number.is_finite() {
            return Err(format!("no number for '{field}'").into());
        }
        Ok(match digits {
            Some(digits) => format!("{number:.*}", digits.parse()?),
            None => short(number),
        })
    }
}

/// How many times as long a peer takes as the fastest of others, over trees.
struct Between {
    least: f64,
    most: f64,
}

impl Between {
    /// Nothing where no tree has both sides.
    fn of(row: &Row, records: &Records) -> Result<Option<Self>, Failure> {
        let parts = row.nodes.split_once(" by ").and_then(|(some, rest)| Some((some, rest.split_once(" over ")?)));
        let (some, (others, nodes)) =
            parts.ok_or_else(|| format!("not of the form 'PEERS by PEERS over N': {}", row.nodes))?;
        let nodes: f64 = nodes.parse()?;
        let is_meant = |work: &&Work| {
            work.experiment == row.experiment
                && row.case.split(',').any(|case| case == work.work)
                && work.nodes >= nodes
        };
        let times = |work: &Work| {
            let of = |peer: &str| work.took.get(peer).map(|took| took.value);
            let fastest = |peers: &str| peers.split(',').filter_map(of).min_by(f64::total_cmp);
            Some(fastest(some)? / fastest(others)?)
        };
        let times = records.works.iter().filter(is_meant).filter_map(times);
        Ok(times.fold(None, |between: Option<Self>, times| match between {
            None => Some(Self { least: times, most: times }),
            Some(Self { least, most }) => Some(Self { least: least.min(times), most: most.max(times) }),
        }))
    }
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
    fn how_far_peers_differ_is_over_all_trees() {
        let line = |tree: &str, nodes: u32, peer: &str, value: f64| {
            format!(
                r#"{{"experiment":"peers","shape":"{tree}","n":{nodes},"work":"set","peer":"{peer}","threads":1,"value":{value}}}"#
            )
        };
        let lines = [
            line("a", 9, "ours", 6.0),
            line("a", 9, "x", 4.0),
            line("a", 9, "y", 3.0),
            line("b", 9, "ours", 6.0),
            line("b", 9, "x", 4.0),
            line("c", 5, "ours", 60.0),
            line("c", 5, "x", 1.0),
        ];
        let mut records = Records::default();
        records.read(&lines.join("\n"), "").unwrap();
        let of = |which: &str| {
            let list =
                List::read(&format!("record a\np|says|takes {{least}} to {{most}} times|peers|set|{which}")).unwrap();
            fill("takes 1 to 2 times", &list.tables()[0].2, &records)
        };
        assert_eq!(of("ours/1 by x/1,y/1 over 9").unwrap().0, "takes 1.5 to 2.0 times");
        assert_eq!(of("ours/1 by x/1,y/1 over 0").unwrap().0, "takes 1.5 to 60 times");
        assert_eq!(of("x/1,y/1 by ours/1 over 9").unwrap().0, "takes 0.50 to 0.67 times");
        assert_eq!(of("ours/1 by z/1 over 9").unwrap().1.len(), 1);
        assert!(of("ours/1").is_err());
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
