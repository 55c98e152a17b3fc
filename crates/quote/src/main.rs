//! Writes the tables of README and docs, and figures within their sentences, from `benches/record`, by the list in
//! `benches/quoted`.
//!
//! ```text
//! benches/quote           writes them
//! benches/quote --check   fails where a page says something else than the record, or a row has no record
//! ```
//!
//! It is run at the root of the repository.
//!
//! A table stands between the comments `NAME: begin` and `NAME: end`. Rows that no record has are left out, and named.
//! Threads, vectors and the spread are the fields of the lines: `1, 2` is 1 of the baseline and 2 of hedgerow. The
//! spread is half of what lies between the quartiles, in percent of the median.
//!
//! `record FILE as NAME` is a record of another build: its experiments are `NAME/EXPERIMENT`, in tables that name them.
//!
//! What tables have by their names: [`tables`], and [`losses`] and [`peers`] for those that are no rows of lines. Figures
//! within sentences: [`sentences`].

mod list;
mod losses;
mod numbers;
mod peers;
mod record;
mod sentences;
mod tables;

use list::List;
use record::Records;
use std::path::Path;
use std::process::ExitCode;
use tables::Table;

/// What stands in place of a table's name where figures are within sentences.
const SENTENCES: &str = "says";

/// What ends the program: something that cannot be read, or a page without the comments of a table.
type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let checks = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--check"] => true,
        _ => {
            eprintln!(
                "Usage: benches/quote [--check]\n\nWrites the tables of the pages from benches/record; --check: or"
            );
            eprintln!("fails where a page says something else, or a row has no record.");
            return ExitCode::from(2);
        }
    };
    match run(Path::new("."), checks) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("quote: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes or checks all tables. Returns whether all is well, which in writing it always is.
fn run(root: &Path, checks: bool) -> Result<bool, Failure> {
    let list = List::read(&read(&root.join("benches/quoted"))?)?;
    let mut records = Records::default();
    for source in &list.sources {
        records.read(&read(&root.join("benches/record").join(&source.file))?, &source.name)?;
    }
    let mut is_well = true;
    for (page, name, rows) in list.tables() {
        let path = root.join(page);
        let old = read(&path)?;
        let (new, faults) = if name == SENTENCES {
            sentences::fill(&old, &rows, &records)?
        } else {
            let Table { lines, faults } = Table::of(name, &rows, &records);
            (with_table(&old, name, &lines).ok_or_else(|| format!("{page} has no table '{name}'"))?, faults)
        };
        for fault in &faults {
            eprintln!("{page}, {name}: {fault}");
        }
        if checks {
            is_well &= faults.is_empty() && old == new;
            show_difference(page, name, &old, &new);
        } else if old != new {
            std::fs::write(&path, new).map_err(|error| format!("{}: {error}", path.display()))?;
            println!("{page}: {name}");
        }
    }
    Ok(is_well)
}

fn read(path: &Path) -> Result<String, Failure> {
    Ok(std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?)
}

/// A page with these lines between the comments of a table; nothing if it lacks one of them.
fn with_table(page: &str, name: &str, lines: &[String]) -> Option<String> {
    let (begin, end) = (format!("<!-- {name}: begin -->\n"), format!("<!-- {name}: end -->"));
    let (before, rest) = page.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    let rows: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
    Some(format!("{before}{begin}{rows}{end}{after}"))
}

/// Says in which lines a page is not what the records say.
fn show_difference(page: &str, name: &str, old: &str, new: &str) {
    if old == new {
        return;
    }
    eprintln!("{page}, {name}, is not what the records say; benches/quote writes it:");
    for (sign, these, others) in [('-', old, new), ('+', new, old)] {
        let others: Vec<&str> = others.lines().collect();
        for line in these.lines().filter(|line| !others.contains(line)) {
            eprintln!("{sign} {line}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_takes_the_place_of_what_stood_between_its_comments() {
        let page = "a\n<!-- t: begin -->\nold\n<!-- t: end -->\nb\n";
        let new = with_table(page, "t", &["x".to_owned(), "y".to_owned()]).unwrap();
        assert_eq!(new, "a\n<!-- t: begin -->\nx\ny\n<!-- t: end -->\nb\n");
        assert_eq!(with_table(page, "u", &[]), None);
    }
}
