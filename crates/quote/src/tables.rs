//! The tables of the pages.

use crate::list::Row;
use crate::numbers::{grouped, short, shown};
use crate::record::{Line, Records};
use crate::{losses, peers};

/// A table as it was written, and what is wrong with it.
#[derive(Debug, Default)]
pub(crate) struct Table {
    pub(crate) lines: Vec<String>,
    pub(crate) faults: Vec<String>,
}

impl Table {
    /// A table of this name with these rows. Rows that no record has are left out, and are faults.
    pub(crate) fn of(name: &str, rows: &[&Row], records: &Records) -> Self {
        let mut table = Self { lines: heads(name), faults: Vec::new() };
        match name {
            "losses" => losses::fill(&mut table, rows, records),
            "peers-losses" => peers::fill_losses(&mut table, rows, records),
            "engines" => peers::fill_engines(&mut table, rows, records),
            "godot" => peers::fill_godot(&mut table, rows, records),
            _ if name.starts_with("peers") => peers::fill(&mut table, rows, records),
            _ => {
                for row in rows {
                    match records.line(&row.experiment, &row.case, &row.nodes) {
                        Some(line) if name == "ten" => table.lines.push(of_ten(row, line)),
                        Some(line) => table.lines.push(plain(row, line)),
                        None => table.miss(row),
                    }
                }
            }
        }
        table
    }

    /// Notes that no record has a row.
    pub(crate) fn miss(&mut self, row: &Row) {
        self.faults.push(format!("not in the records: {} {} {}", row.experiment, row.case, row.nodes));
    }
}

/// The two lines above the rows.
fn heads(name: &str) -> Vec<String> {
    let heads = match name {
        "ten" => [
            "| what | baseline | hedgerow | ratio | ± % | threads | vectors | experiment |",
            "|---|---:|---:|---:|---:|---:|---|---|",
        ],
        "losses" => [
            "| what | lines that lose | ratio | the worst line | n | baseline | hedgerow | unit | ± % | threads | vectors |",
            "|---|---:|---:|---|---:|---:|---:|---|---:|---:|---|",
        ],
        "peers-losses" => [
            "| work | loses against boxed | ratio | most in | loses against the best | ratio | most in | against | threads |",
            "|---|---:|---:|---|---:|---:|---|---|---:|",
        ],
        "engines" => [
            "| | Bevy | Bevy, 2 threads | Fyrox | OpenSceneGraph | three.js | hedgerow | cached handles | ± % |",
            "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
        ],
        "godot" => ["| | boxed | Godot | hedgerow | cached handles | ± % |", "|---|---:|---:|---:|---:|---:|"],
        _ if name.starts_with("peers") => [
            "| | boxed | with flags | indextree | slotmap | flattened | Bevy | Bevy, 2 threads | hedgerow | cached handles | by lists | hedgerow, 2 threads | ± % |",
            "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
        ],
        _ => [
            "| case | n | baseline | hedgerow | unit | ratio | ± % | threads | vectors |",
            "|---|---:|---:|---:|---|---:|---:|---:|---|",
        ],
    };
    heads.map(String::from).into()
}

/// The cell of the spread, with the space before it.
pub(crate) fn spread(spread: Option<&str>) -> String {
    spread.map_or_else(String::new, |spread| format!(" {spread}"))
}

/// A row of most tables.
fn plain(row: &Row, line: &Line) -> String {
    format!(
        "| {} | {} | {} | {} | {} | {:.2} |{} | {} | {} |",
        row.what,
        grouped(row.nodes.parse().unwrap_or(f64::NAN)),
        shown(line.baseline.unwrap_or(f64::NAN)),
        shown(line.ours),
        line.unit,
        line.ratio(),
        spread(line.spread.as_deref()),
        line.threads,
        line.vectors
    )
}

/// A row of the ten figures of README.
fn of_ten(row: &Row, line: &Line) -> String {
    let Line { ours, threads, vectors, .. } = line;
    if row.is_alone {
        let own = line.spread.as_deref().and_then(|both| both.split(", ").last()).unwrap_or("");
        let (what, threads) = (&row.what, threads.split(", ").last().unwrap_or(""));
        let vectors = vectors.split(", ").last().unwrap_or("");
        return format!("| {what} | | {} | | {own} | {threads} | {vectors} | `{}` |", shown(*ours), row.experiment);
    }
    format!(
        "| {} | {} | {} | {} |{} | {threads} | {vectors} | `{}` |",
        row.what,
        shown(line.baseline.unwrap_or(f64::NAN)),
        shown(*ours),
        short(line.ratio()),
        spread(line.spread.as_deref()),
        row.experiment
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::List;

    pub(crate) const LINES: &str = concat!(
        r#"{"experiment":"e","case":"c","n":4096,"unit":"ns/node","ns":4,"baseline_ns":50,"quartiles":[3.9,4.1],"#,
        r#""baseline_quartiles":[45,55],"threads":1,"baseline_threads":1,"level":"avx2","baseline_level":"sse2"}"#
    );

    #[test]
    fn rows_come_from_records_and_what_has_none_is_a_fault() {
        let mut records = Records::default();
        records.read(LINES, "").unwrap();
        let list = "record a\np|t|what|e|c|4096\np|t|none|e|d|4096\np|ten|what|e|c|4096\np|ten|alone|e|c|4096|alone";
        let list = List::read(list).unwrap();
        let tables = list.tables();
        let table = Table::of("t", &tables[0].2, &records);
        assert_eq!(table.lines[2..], ["| what | 4,096 | 50.0 | 4.0 | ns/node | 12.50 | 10, 2 | 1 | sse2, avx2 |"]);
        assert_eq!(table.faults, ["not in the records: e d 4096"]);
        let ten = Table::of("ten", &tables[1].2, &records);
        assert_eq!(ten.lines[2], "| what | 50.0 | 4.0 | 12 | 10, 2 | 1 | sse2, avx2 | `e` |");
        assert_eq!(ten.lines[3], "| alone | | 4.0 | | 2 | 1 | avx2 | `e` |");
    }
}
