//! The table of all that loses, in groups of lines.

use crate::list::{Row, matches};
use crate::numbers::{grouped, loses, shown};
use crate::record::{Line, Records};
use crate::tables::{Table, spread};

/// What was found of a group.
#[derive(Default)]
struct Found<'r> {
    lines: usize,
    losing: Vec<&'r Line>,
}

/// A row for each group: its worst line, and how many lose. A line that loses and is in no group is a fault, and so is
/// a group of which no line loses; groups that are called `-` are not shown. A line is in the first group that it
/// matches; those of other builds are in none.
pub(crate) fn fill(table: &mut Table, rows: &[&Row], records: &Records) {
    let mut found: Vec<Found<'_>> = rows.iter().map(|_| Found::default()).collect();
    for line in records.lines.iter().filter(|line| line.baseline.is_some() && !line.is_named) {
        let is_in = |row: &&Row| {
            matches(&row.experiment, &line.experiment)
                && matches(&row.case, &line.case)
                && matches(&row.nodes, &line.nodes)
        };
        let is_lost = loses(line.ratio());
        match rows.iter().position(is_in) {
            Some(group) => {
                found[group].lines += 1;
                if is_lost {
                    found[group].losing.push(line);
                }
            }
            None if is_lost => {
                let Line { experiment, case, nodes, .. } = line;
                table.faults.push(format!("loses, and is in no group: {experiment} {case} {nodes}"));
            }
            None => {}
        }
    }
    for (row, Found { lines, losing }) in rows.iter().zip(found) {
        let ratios = || losing.iter().map(|line| line.ratio());
        let Some(worst) = losing.iter().min_by(|a, b| a.ratio().total_cmp(&b.ratio())) else {
            let Row { what, experiment, case, .. } = row;
            table.faults.push(format!("a group of which no line loses: {what} ({experiment} {case})"));
            continue;
        };
        if row.what == "-" {
            continue;
        }
        let [least, most] = [worst.ratio(), ratios().fold(0.0, f64::max)].map(|ratio| format!("{ratio:.2}"));
        let range = if least == most { least } else { format!("{least} to {most}") };
        table.lines.push(format!(
            "| {} | {} of {lines} | {range} | `{}` `{}` | {} | {} | {} | {} |{} | {} | {} |",
            row.what,
            losing.len(),
            worst.experiment,
            worst.case,
            grouped(worst.nodes.parse().unwrap_or(f64::NAN)),
            shown(worst.baseline.unwrap_or(f64::NAN)),
            shown(worst.ours),
            worst.unit,
            spread(worst.spread.as_deref()),
            worst.threads,
            worst.vectors
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::List;

    #[test]
    fn every_line_that_loses_is_in_a_group_and_every_group_has_one() {
        let line = |case: &str, ns: u32| {
            format!(r#"{{"experiment":"e","case":"{case}","n":8,"unit":"ns/node","ns":{ns},"baseline_ns":10}}"#)
        };
        let mut records = Records::default();
        let lines = [line("a/1", 20), line("a/2", 12), line("a/3", 5), line("b", 11), line("c", 2), line("-", 40)];
        records.read(&lines.join("\n"), "").unwrap();
        records.read(&line("d", 50), "native").unwrap();
        let list = List::read("record a\np|losses|the first|e|a/*|*\np|losses|-|e|-|*\np|losses|wins|e|c|*").unwrap();
        let mut table = Table::default();
        fill(&mut table, &list.tables()[0].2, &records);
        assert_eq!(
            table.lines,
            ["| the first | 2 of 3 | 0.50 to 0.83 | `e` `a/1` | 8 | 10.0 | 20.0 | ns/node | |  |  |"]
        );
        assert_eq!(table.faults, ["loses, and is in no group: e b 8", "a group of which no line loses: wins (e c)"]);
    }
}
