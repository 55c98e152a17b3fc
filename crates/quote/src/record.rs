//! What was measured: the lines of all records.

use crate::Failure;
use serde_json::Value;
use std::collections::HashMap;

/// Two sides of a case, as `measure --json` prints them.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) experiment: String,
    pub(crate) case: String,
    pub(crate) nodes: String,
    /// Nanoseconds, or bytes; of the baseline there is none where a line is a curve.
    pub(crate) ours: f64,
    pub(crate) baseline: Option<f64>,
    /// Half of what lies between the quartiles, in percent of the median, of the baseline and of ours.
    pub(crate) spread: Option<String>,
    pub(crate) unit: String,
    pub(crate) threads: String,
    pub(crate) vectors: String,
    /// Whether it is of another build, whose record has a name.
    pub(crate) is_named: bool,
}

impl Line {
    /// How many times as long the baseline takes.
    pub(crate) fn ratio(&self) -> f64 {
        self.baseline.unwrap_or(f64::NAN) / self.ours
    }
}

/// What one peer of `benches/peers` takes.
#[derive(Clone, Debug)]
pub(crate) struct Took {
    pub(crate) value: f64,
    pub(crate) spread: Option<String>,
}

/// A work on one tree, by all peers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Work {
    pub(crate) experiment: String,
    pub(crate) work: String,
    pub(crate) shape: String,
    pub(crate) nodes: f64,
    /// By `PEER/THREADS`.
    pub(crate) took: HashMap<String, Took>,
}

/// All lines, in the order in which their cases come first; of each the last one that was read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Records {
    pub(crate) lines: Vec<Line>,
    pub(crate) works: Vec<Work>,
    places: HashMap<[String; 3], usize>,
    work_places: HashMap<[String; 3], usize>,
}

impl Records {
    /// Adds the lines of a record, which has a name before its experiments where it is of another build.
    pub(crate) fn read(&mut self, text: &str, name: &str) -> Result<(), Failure> {
        for line in text.lines().filter(|line| !line.is_empty()) {
            let value: Value = serde_json::from_str(line).map_err(|error| format!("{error} in: {line}"))?;
            if value["peer"].is_string() {
                self.add_work(&value, name);
            } else {
                self.add_line(&value, name);
            }
        }
        Ok(())
    }

    /// The line of a case.
    pub(crate) fn line(&self, experiment: &str, case: &str, nodes: &str) -> Option<&Line> {
        self.places.get(&[experiment, case, nodes].map(String::from)).map(|&place| &self.lines[place])
    }

    /// A work on the tree `SHAPE NODES`.
    pub(crate) fn work(&self, experiment: &str, work: &str, tree: &str) -> Option<&Work> {
        self.work_places.get(&[experiment, work, tree].map(String::from)).map(|&place| &self.works[place])
    }

    fn add_line(&mut self, value: &Value, name: &str) {
        let (ours, baseline) = (value["ns"].as_f64(), value["baseline_ns"].as_f64());
        let of_ours = half(&value["quartiles"], ours);
        let unit = text(value, "unit");
        let line = Line {
            experiment: experiment(value, name),
            case: text(value, "case"),
            nodes: text(value, "n"),
            ours: ours.unwrap_or(f64::NAN),
            baseline,
            spread: of_ours.map(|ours| {
                let theirs = half(&value["baseline_quartiles"], baseline).unwrap_or_default();
                format!("{theirs}, {ours}")
            }),
            // The figures of lines in gigabytes a second are nanoseconds.
            unit: if unit == "GB/s" { "ns/node".to_owned() } else { unit },
            threads: both(text(value, "baseline_threads"), text(value, "threads")),
            vectors: both(text(value, "baseline_level"), text(value, "level")),
            is_named: !name.is_empty(),
        };
        let key = [&line.experiment, &line.case, &line.nodes].map(String::clone);
        let place = *self.places.entry(key).or_insert(self.lines.len());
        put(&mut self.lines, place, line);
    }

    fn add_work(&mut self, value: &Value, name: &str) {
        let (experiment, work, shape) = (experiment(value, name), text(value, "work"), text(value, "shape"));
        let tree = format!("{shape} {}", text(value, "n"));
        let key = [experiment.clone(), work.clone(), tree];
        let place = *self.work_places.entry(key).or_insert(self.works.len());
        if place == self.works.len() {
            let nodes = value["n"].as_f64().unwrap_or(f64::NAN);
            self.works.push(Work { experiment, work, shape, nodes, took: HashMap::new() });
        }
        let peer = format!("{}/{}", text(value, "peer"), text(value, "threads"));
        let figure = value["value"].as_f64();
        let spread = half(&value["quartiles"], figure);
        self.works[place].took.insert(peer, Took { value: figure.unwrap_or(f64::NAN), spread });
    }
}

fn put<T>(list: &mut Vec<T>, place: usize, item: T) {
    match list.get_mut(place) {
        Some(old) => *old = item,
        None => list.push(item),
    }
}

/// The experiment of a line, with the name of its record before it, if that has one.
fn experiment(value: &Value, name: &str) -> String {
    let before = if name.is_empty() { String::new() } else { format!("{name}/") };
    before + &text(value, "experiment")
}

/// A field as a table has it; nothing where there is none.
fn text(value: &Value, name: &str) -> String {
    match &value[name] {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Half of what lies between the quartiles, in percent of the median.
fn half(quartiles: &Value, median: Option<f64>) -> Option<String> {
    let (low, high, median) = (quartiles[0].as_f64()?, quartiles[1].as_f64()?, median?);
    (median > 0.0).then(|| format!("{:.0}", 50.0 * (high - low) / median))
}

/// What holds for the baseline and for hedgerow: once where it is the same.
fn both(baseline: String, ours: String) -> String {
    if baseline == ours || baseline.is_empty() { ours } else { format!("{baseline}, {ours}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_a_case_counts_and_other_builds_have_a_name() {
        let line = |ns: u32| {
            format!(
                r#"{{"experiment":"e","case":"c","n":512,"ns":{ns},"baseline_ns":8,"quartiles":[3,5],
                "baseline_quartiles":[7,9],"unit":"GB/s","threads":2,"baseline_threads":1,"level":"avx2"}}"#
            )
            .replace('\n', "")
        };
        let mut records = Records::default();
        records.read(&[line(5), line(4)].join("\n"), "").unwrap();
        records.read(&line(2), "native").unwrap();
        assert_eq!(records.lines.len(), 2);
        let found = records.line("e", "c", "512").unwrap();
        assert_eq!((found.ratio(), found.unit.as_str(), found.is_named), (2.0, "ns/node", false));
        assert_eq!((found.threads.as_str(), found.vectors.as_str()), ("1, 2", "avx2"));
        assert_eq!(found.spread.as_deref(), Some("12, 25"));
        assert_eq!(records.line("native/e", "c", "512").unwrap().ratio(), 4.0);
        assert!(records.read("{", "").is_err());
    }
}
