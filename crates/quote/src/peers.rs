//! The tables of `benches/peers`.

use crate::list::Row;
use crate::numbers::{grouped, loses, shown};
use crate::record::{Records, Work};
use crate::tables::{Table, spread};

/// The columns of most tables: a peer and its threads.
const COLUMNS: [&str; 11] = [
    "boxed/1",
    "boxed-flags/1",
    "indextree/1",
    "slotmap/1",
    "flattened/1",
    "bevy/1",
    "bevy/2",
    OURS,
    "hedgerow-cached/1",
    "hedgerow-lists/1",
    "hedgerow/2",
];
/// Those of the table of engines.
const ENGINES: [&str; 7] = ["bevy/1", "bevy/2", "fyrox/1", "osg/1", "three/1", OURS, "hedgerow-cached/1"];
/// Those of the table of Godot.
const GODOT: [&str; 4] = ["boxed/1", "godot/1", OURS, "hedgerow-cached/1"];
const OURS: &str = "hedgerow/1";
/// The threads of both sides where hedgerow loses.
const LOSING_THREADS: u8 = 1;
/// All others on one thread.
const OTHERS: [&str; 9] =
    ["boxed/1", "boxed-flags/1", "indextree/1", "slotmap/1", "flattened/1", "bevy/1", "fyrox/1", "osg/1", "three/1"];

/// What each peer took.
pub(crate) fn fill(table: &mut Table, rows: &[&Row], records: &Records) {
    fill_columns(table, rows, records, &COLUMNS);
}

/// What engines took, and hedgerow.
pub(crate) fn fill_engines(table: &mut Table, rows: &[&Row], records: &Records) {
    fill_columns(table, rows, records, &ENGINES);
}

/// What Godot took, and hedgerow.
pub(crate) fn fill_godot(table: &mut Table, rows: &[&Row], records: &Records) {
    fill_columns(table, rows, records, &GODOT);
}

/// What the peers of the columns took, the least of a row in bold with what is within 3 % of it; the spread is that of
/// hedgerow on one thread.
fn fill_columns(table: &mut Table, rows: &[&Row], records: &Records, columns: &[&str]) {
    for row in rows {
        let Some(work) = records.work(&row.experiment, &row.case, &row.nodes) else {
            table.miss(row);
            continue;
        };
        let of = |column: &&str| work.took.get(*column).map(|took| took.value);
        let least = columns.iter().filter_map(of).fold(f64::INFINITY, f64::min);
        let cell = |column: &&str| match of(column) {
            Some(value) if value <= 1.03 * least => format!(" **{}** |", shown(value)),
            Some(value) => format!(" {} |", shown(value)),
            None => " |".to_owned(),
        };
        let cells: String = columns.iter().map(cell).collect();
        let of_ours = work.took.get(OURS).and_then(|took| took.spread.as_deref());
        table.lines.push(format!("| {} |{cells}{} |", row.what, spread(of_ours)));
    }
}

/// In how many trees hedgerow takes longer, by work, over all trees.
pub(crate) fn fill_losses(table: &mut Table, rows: &[&Row], records: &Records) {
    for row in rows {
        let works: Vec<&Work> =
            records.works.iter().filter(|work| work.experiment == row.experiment && work.work == row.case).collect();
        let against_boxed = beaten(&works, &OTHERS[..1]);
        let against_all = beaten(&works, &OTHERS);
        let (Some(boxed), Some(all)) = (against_boxed, against_all) else {
            table.miss(row);
            continue;
        };
        let cells = [&boxed.count, &boxed.range, &boxed.tree, &all.count, &all.range, &all.tree, &all.peer];
        let cells: String =
            cells.iter().map(|cell| if cell.is_empty() { " |".into() } else { format!(" {cell} |") }).collect();
        table.lines.push(format!("| {} |{cells} {LOSING_THREADS} |", row.what));
    }
}

/// Where hedgerow on one thread, by single calls, takes longer than the fastest of some peers.
struct Beaten {
    count: String,
    range: String,
    /// Where it loses most, and against whom.
    tree: String,
    peer: String,
}

/// Nothing where no work has both sides.
fn beaten(works: &[&Work], peers: &[&str]) -> Option<Beaten> {
    let mut trees = 0;
    let mut lost: Vec<(f64, &Work, &str)> = Vec::new();
    for work in works {
        let of = |peer: &str| work.took.get(peer).map(|took| took.value);
        let best = peers.iter().filter_map(|&peer| Some((of(peer)?, peer))).min_by(|a, b| a.0.total_cmp(&b.0));
        let (Some(ours), Some((theirs, peer))) = (of(OURS), best) else { continue };
        trees += 1;
        if loses(theirs / ours) {
            lost.push((theirs / ours, work, peer));
        }
    }
    let count = format!("{} of {trees}", lost.len());
    let worst = lost.iter().min_by(|a, b| a.0.total_cmp(&b.0));
    match worst {
        _ if trees == 0 => None,
        None => Some(Beaten { count, range: String::new(), tree: String::new(), peer: String::new() }),
        Some((least, work, peer)) => {
            let most = lost.iter().map(|(ratio, ..)| *ratio).fold(0.0, f64::max);
            Some(Beaten {
                count,
                range: format!("{least:.2} to {most:.2}"),
                tree: format!("{}, {}", work.shape, grouped(work.nodes)),
                peer: peer.split('/').next().unwrap_or("").to_owned(),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::List;

    #[test]
    fn the_least_is_bold_and_losses_are_over_all_trees() {
        let line = |shape: &str, peer: &str, value: f64| {
            format!(
                r#"{{"experiment":"peers","work":"set","shape":"{shape}","n":4096,"peer":"{peer}","threads":1,
                "value":{value}}}"#
            )
            .replace('\n', "")
        };
        let lines = [
            line("flat", "boxed", 5.0),
            line("flat", "slotmap", 4.0),
            line("flat", "three", 30.0),
            line("flat", "hedgerow", 10.0),
            line("chain", "boxed", 8.0),
            line("chain", "slotmap", 9.0),
            line("chain", "hedgerow", 8.0),
        ];
        let mut records = Records::default();
        records.read(&lines.join("\n"), "").unwrap();
        // Those of a record with a name are apart.
        records.read(&[line("flat", "godot", 50.0), line("flat", "hedgerow", 2.0)].join("\n"), "small").unwrap();
        let list = "record a\np|peers|flat|peers|set|flat 4096\np|peers|none|peers|set|town 1\np|peers-losses|setting|peers|set";
        let list = List::read(list).unwrap();
        let (mut table, mut losses) = (Table::default(), Table::default());
        fill(&mut table, &list.tables()[0].2, &records);
        assert_eq!(table.lines, ["| flat | 5.0 | | | **4.0** | | | | 10.0 | | | | |"]);
        assert_eq!(table.faults, ["not in the records: peers set town 1"]);
        let mut engines = Table::default();
        fill_engines(&mut engines, &list.tables()[0].2[..1], &records);
        assert_eq!(engines.lines, ["| flat | | | | | 30.0 | **10.0** | | |"]);
        let list_of_godot = List::read("record a\np|godot|flat|small/peers|set|flat 4096").unwrap();
        let mut godot = Table::default();
        fill_godot(&mut godot, &list_of_godot.tables()[0].2, &records);
        assert_eq!(godot.lines, ["| flat | | 50.0 | **2.0** | | |"]);
        fill_losses(&mut losses, &list.tables()[1].2, &records);
        let row =
            "| setting | 1 of 2 | 0.50 to 0.50 | flat, 4,096 | 1 of 2 | 0.40 to 0.40 | flat, 4,096 | slotmap | 1 |";
        assert_eq!(losses.lines, [row]);
    }
}
