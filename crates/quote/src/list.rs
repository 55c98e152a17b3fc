//! The list of what is quoted: `benches/quoted`.

use crate::Failure;

/// A record's file, and the name before its experiments, which is empty where it has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    pub(crate) file: String,
    pub(crate) name: String,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) page: String,
    pub(crate) table: String,
    /// What is said.
    pub(crate) what: String,
    pub(crate) experiment: String,
    pub(crate) case: String,
    /// The number of nodes, or the tree of a peer's work; empty where a row is of all.
    pub(crate) nodes: String,
    /// Whether neither baseline nor ratio are shown.
    pub(crate) is_alone: bool,
}

/// The whole list.
#[derive(Clone, Debug, Default)]
pub(crate) struct List {
    pub(crate) sources: Vec<Source>,
    pub(crate) rows: Vec<Row>,
}

impl List {
    /// Reads `record FILE`, `record FILE as NAME`, and rows with `|` between their parts; `#` begins a comment.
    pub(crate) fn read(text: &str) -> Result<Self, Failure> {
        let mut list = Self::default();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(record) = line.strip_prefix("record ") {
                let (file, name) = record.split_once(" as ").unwrap_or((record, ""));
                list.sources.push(Source { file: file.to_owned(), name: name.to_owned() });
                continue;
            }
            let parts: Vec<&str> = line.split('|').collect();
            let [page, table, what, experiment, case, rest @ ..] = &parts[..] else {
                return Err(format!("a row has page, table, what is said, experiment and case: {line}").into());
            };
            list.rows.push(Row {
                page: (*page).to_owned(),
                table: (*table).to_owned(),
                what: (*what).to_owned(),
                experiment: (*experiment).to_owned(),
                case: (*case).to_owned(),
                nodes: rest.first().copied().unwrap_or("").to_owned(),
                is_alone: rest.get(1) == Some(&"alone"),
            });
        }
        if list.sources.is_empty() { Err("the list names no record".into()) } else { Ok(list) }
    }

    /// Each table once, with its page and its rows, in the order of the list.
    pub(crate) fn tables(&self) -> Vec<(&str, &str, Vec<&Row>)> {
        let mut tables: Vec<(&str, &str, Vec<&Row>)> = Vec::new();
        for row in &self.rows {
            match tables.iter_mut().find(|(page, table, _)| (*page, *table) == (&*row.page, &*row.table)) {
                Some((.., rows)) => rows.push(row),
                None => tables.push((&row.page, &row.table, vec![row])),
            }
        }
        tables
    }
}

/// Whether a text is one of several patterns with commas between, in which `*` stands for anything.
pub(crate) fn matches(patterns: &str, text: &str) -> bool {
    patterns.split(',').any(|pattern| matches_one(pattern, text))
}

fn matches_one(pattern: &str, text: &str) -> bool {
    let Some((before, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(text) = text.strip_prefix(before) else { return false };
    (0..=text.len()).filter(|&at| text.is_char_boundary(at)).any(|at| matches_one(rest, &text[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_records_and_tables_with_rows() {
        let text = "# list\nrecord a.jsonl\nrecord b.jsonl as native\np.md|t|what|e|c|512\np.md|u|else|e|c|1|alone\n\
                    p.md|t|more|e|d|*\n";
        let list = List::read(text).unwrap();
        assert_eq!(list.sources[1], Source { file: "b.jsonl".into(), name: "native".into() });
        let tables = list.tables();
        assert_eq!(tables.len(), 2);
        assert_eq!(tables[0].2.iter().map(|row| &*row.what).collect::<Vec<_>>(), ["what", "more"]);
        assert!(tables[1].2[0].is_alone && !tables[0].2[0].is_alone);
        assert!(List::read("record a\np.md|t|what").is_err());
        assert!(List::read("p.md|t|what|e|c|512").is_err());
    }

    #[test]
    fn patterns_stand_for_whole_texts() {
        assert!(matches("median,p99,*+flush", "update+flush") && matches("median,p99", "p99"));
        assert!(!matches("p99", "p99.99") && !matches("a*b", "abc") && matches("a*b*", "aXbYb"));
    }
}
