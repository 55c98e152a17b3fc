//! Results as lines of JSON, and as tables.

use crate::experiment::{Figure, WORKS};
use crate::peer::Kind;
use crate::shapes::Shape;
use serde_json::{Value, json};

/// The features of this build that change the results.
const FEATURES: &str = if cfg!(feature = "threads") { "rayon" } else { "" };

/// Returns a line of JSON for each figure.
pub(crate) fn lines(shape: &Shape, kinds: &[Kind], figures: &[Figure]) -> Vec<Value> {
    let line = |figure: &Figure| {
        let kind = &kinds[figure.way];
        let mut line = json!({
            "experiment": "peers",
            "shape": shape.name,
            "n": shape.len(),
            "work": figure.work.0,
            "unit": figure.work.1,
            "peer": kind.name,
            "value": rounded(figure.value),
            "threads": kind.threads,
            "level": kind.vectors,
            "compiler": hedgerow_experiments::machine::COMPILER,
            "features": FEATURES,
        });
        if let Some(quartiles) = figure.quartiles {
            line["quartiles"] = quartiles.map(rounded).into();
        }
        line
    };
    figures.iter().map(line).collect()
}

fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

/// Returns a table for each tree, from the output lines of one or more runs.
pub(crate) fn tables(lines: &[Value]) -> String {
    let mut trees: Vec<(&str, u64)> = Vec::new();
    for line in lines {
        let tree = (text(line, "shape"), line["n"].as_u64().unwrap_or(0));
        if !trees.contains(&tree) {
            trees.push(tree);
        }
    }
    let of = |(shape, nodes): (&str, u64)| {
        let lines: Vec<&Value> =
            lines.iter().filter(|line| text(line, "shape") == shape && line["n"].as_u64() == Some(nodes)).collect();
        table(shape, nodes, &lines)
    };
    trees.into_iter().map(of).collect::<Vec<_>>().join("\n")
}

fn text<'v>(line: &'v Value, field: &str) -> &'v str {
    line[field].as_str().unwrap_or("?")
}

fn table(shape: &str, nodes: u64, lines: &[&Value]) -> String {
    let column = |line: &Value| (text(line, "peer").to_owned(), line["threads"].to_string());
    let mut columns: Vec<((String, String), &str)> = Vec::new();
    for &line in lines {
        if !columns.iter().any(|(known, _)| *known == column(line)) {
            columns.push((column(line), text(line, "level")));
        }
    }
    let row = |name: &str, unit: &str, cells: Vec<String>| {
        let cells: String = cells.iter().map(|cell| format!("{cell:>16}")).collect();
        format!("{name:<22}{unit:<11}{cells}\n")
    };
    let compiler = lines.first().map_or("?", |line| text(line, "compiler"));
    let mut out = format!("{shape}, {nodes} nodes; {compiler}\n");
    out += &row("", "", columns.iter().map(|((peer, _), _)| peer.clone()).collect());
    out += &row("threads", "", columns.iter().map(|((_, threads), _)| threads.clone()).collect());
    out += &row("vectors", "", columns.iter().map(|(_, level)| (*level).to_owned()).collect());
    for (work, unit) in WORKS {
        let figure = |of: &(String, String)| {
            let line = lines.iter().find(|line| text(line, "work") == work && column(line) == *of);
            line.and_then(|line| line["value"].as_f64()).map_or_else(|| "-".to_owned(), shown)
        };
        out += &row(work, unit, columns.iter().map(|(column, _)| figure(column)).collect());
    }
    out
}

/// Returns a number with three significant digits, or as an integer if the integer has more digits.
fn shown(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_column_for_each_peer_and_number_of_threads() {
        let line = |peer: &str, threads: u32, value: f64| {
            json!({"shape": "flat", "n": 9, "work": "build", "peer": peer, "threads": threads, "value": value,
                "level": "sse2", "compiler": "rustc"})
        };
        let table = tables(&[line("bevy", 1, 123.4), line("bevy", 2, 12.34), line("boxed", 1, 1.234)]);
        let build = table.lines().find(|line| line.starts_with("build")).unwrap();
        assert_eq!(build.split_whitespace().collect::<Vec<_>>(), ["build", "ns/node", "123", "12.3", "1.23"]);
        let threads = table.lines().find(|line| line.starts_with("threads")).unwrap();
        assert_eq!(threads.split_whitespace().collect::<Vec<_>>(), ["threads", "1", "2", "1"]);
    }
}
