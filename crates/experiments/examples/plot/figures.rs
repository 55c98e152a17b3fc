//! Which chart is made of which cases.

use crate::canvas::save;
use crate::charts::{Bars, Lines, grouped, tick};
use crate::collect::{Line, Results};
use crate::curves::{Distribution, OverFrames};
use std::error::Error;
use std::path::{Path, PathBuf};

const OURS: &str = "hedgerow";
const NODES: &str = "nodes";
const TIME: &str = "nanoseconds a node";

/// Points over the number of nodes.
fn points(lines: &[&Line], figure: fn(&Line) -> f64) -> Vec<(f64, f64)> {
    lines.iter().map(|line| (line.nodes, figure(line))).collect()
}

fn ours(line: &Line) -> f64 {
    line.ours
}

fn baseline(line: &Line) -> f64 {
    line.baseline
}

/// Draws all charts that there are figures for, and returns their files.
pub(crate) fn draw(results: &Results, folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    for (number, pass, what) in [
        ("6.1", "transform", "world matrices"),
        ("6.2", "render", "draw list"),
        ("6.3", "frame", "world matrices and draw list"),
    ] {
        for (flush, flushed) in [("", ""), ("+flush", ", caches emptied")] {
            let of = |layout: &str| results.of("layouts", &format!("{layout}/{pass}{flush}"));
            let mut series = vec![(OURS.to_owned(), points(&of("depth-first"), ours))];
            for (layout, name) in [
                ("depth-first", "nodes, depth first"),
                ("breadth-first", "nodes, breadth first"),
                ("van-emde-boas", "nodes, van Emde Boas"),
                ("level-order", "nodes by levels, visited by levels"),
                ("heap", "a block each, depth first"),
                ("made", "a block each, as made"),
            ] {
                series.push((name.to_owned(), points(&of(layout), baseline)));
            }
            let title = format!("Static trees: {what}{flushed} (the thesis's figure {number})");
            let name = format!("static-{pass}{}", flush.replace('+', "-"));
            files.extend(lines(folder, &name, Lines { title, x: NODES, y: TIME, ticks: None, series })?);
        }
    }
    for (part, what) in [
        ("transform", "world matrices (figure 6.4)"),
        ("render", "draw list (figure 6.5)"),
        ("frame", "edits and both passes (figure 6.6)"),
        ("update", "edits alone"),
    ] {
        for (flush, flushed) in [("", ""), ("+flush", ", caches emptied")] {
            let of = |case: &str| results.of("thesis-dynamic", &format!("{case}{part}{flush}"));
            let (naive, thesis) = (of(""), of("thesis/"));
            let series = vec![
                (OURS.to_owned(), points(&naive, ours)),
                ("the thesis's slices".to_owned(), points(&thesis, baseline)),
                ("a block a node".to_owned(), points(&naive, baseline)),
                ("hedgerow, edits in batches".to_owned(), points(&of("batched-"), ours)),
            ];
            let title = format!("10 % removed and inserted a frame{flushed}: {what}");
            let name = format!("dynamic-{part}{}", flush.replace('+', "-"));
            files.extend(lines(folder, &name, Lines { title, x: NODES, y: TIME, ticks: None, series })?);
        }
    }
    files.extend(memory(results, folder)?);
    files.extend(moved(results, folder)?);
    files.extend(pauses(results, folder)?);
    files.extend(characters(results, folder)?);
    files.extend(peers(results, folder)?);
    Ok(files)
}

/// Other trees of transforms, by shape: what `benches/peers` found.
fn peers(results: &Results, folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    for (name, work, what) in [
        ("peers-update", "update: all", "The update after all nodes were set, 260,000 nodes, one thread"),
        ("peers-frame", "frame: half", "Half of 260,000 nodes set in random order, and the update, one thread"),
    ] {
        let shapes = ["random", "interleaved", "8-ary", "rigs", "flat", "town"];
        let mut series = vec![
            ("hedgerow", OURS),
            ("flattened", "flattened columns"),
            ("slotmap", "slotmap, ordered list"),
            ("boxed", "a block a node"),
            ("indextree", "indextree"),
            ("bevy", "Bevy"),
            ("fyrox", "Fyrox"),
        ];
        if work.starts_with("frame") {
            series.push(("hedgerow-cached", "hedgerow, cached handles"));
        }
        let of = |peer: &str| {
            let last =
                |shape: &&str| Some(results.of(&format!("peers/{peer}/1"), &format!("{shape}/{work}")).pop()?.ours);
            shapes.iter().filter_map(last).collect()
        };
        let chart = Bars {
            title: what.to_owned(),
            x: "tree",
            y: "nanoseconds a node",
            is_logarithmic: true,
            groups: shapes.iter().map(ToString::to_string).collect(),
            series: series.iter().map(|(peer, name)| ((*name).to_owned(), of(peer))).collect(),
        };
        files.extend(bars(folder, name, chart)?);
    }
    Ok(files)
}

/// Draws lines, unless there is nothing to draw.
fn lines(folder: &Path, name: &str, mut chart: Lines) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    chart.series.retain(|(_, points)| !points.is_empty());
    if chart.series.is_empty() { Ok(Vec::new()) } else { Ok(save(&chart, folder, name)?.into()) }
}

/// Draws bars. A series without any is left out; without all of its bars, the picture is.
fn bars(folder: &Path, name: &str, mut chart: Bars) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    chart.series.retain(|(_, bars)| !bars.is_empty());
    let is_whole = chart.series.iter().all(|(_, bars)| bars.len() == chart.groups.len());
    let is_empty = chart.groups.is_empty() || chart.series.is_empty();
    if is_empty || !is_whole { Ok(Vec::new()) } else { Ok(save(&chart, folder, name)?.into()) }
}

fn memory(results: &Results, folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let of = |case: &str, figure: fn(&Line) -> f64| results.of("memory", case).into_iter().map(figure).collect();
    let chart = Bars {
        title: "Memory over 30 frames that remove and insert 10 %, by nodes (figure 6.7)".to_owned(),
        x: NODES,
        y: "bytes a node",
        is_logarithmic: false,
        groups: results.of("memory", "frames-mean").iter().map(|line| grouped(line.nodes)).collect(),
        series: vec![
            (format!("{OURS}, mean"), of("frames-mean", ours)),
            (format!("{OURS}, worst"), of("frames-worst", ours)),
            ("the thesis's slices, mean".to_owned(), of("thesis/frames-mean", ours)),
            ("the thesis's slices, worst".to_owned(), of("thesis/frames-worst", ours)),
            ("a block a node".to_owned(), of("frames-mean", baseline)),
        ],
    };
    let mut files = bars(folder, "dynamic-memory", chart)?;
    let middle =
        results.curves("memory", "frames", Some(262_144.0)).or_else(|| results.curves("memory", "frames", None));
    let Some(frames) = middle else { return Ok(files) };
    let Some(thesis) = results.curves("memory", "thesis/frames", Some(frames.nodes)) else { return Ok(files) };
    let chart = OverFrames {
        title: format!("Memory of {} nodes, of which 10 % are removed and inserted a frame", grouped(frames.nodes)),
        y: "bytes a node after the frame; dashed: the mean",
        series: vec![
            (OURS.to_owned(), frames.ours.clone()),
            ("the thesis's slices".to_owned(), thesis.ours.clone()),
            ("a block a node".to_owned(), frames.baseline.clone()),
        ],
    };
    files.extend(save(&chart, folder, "dynamic-memory-frames")?);
    Ok(files)
}

fn moved(results: &Results, folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let shares = ["none", "one", "1%", "10%", "half", "all"];
    let last = |share: &str| results.of("moved", &format!("random/{share}")).last().copied().cloned();
    let found: Vec<(u8, Line)> = (0..).zip(shares).filter_map(|(place, share)| Some((place, last(share)?))).collect();
    let nodes = found.first().map_or(0.0, |(_, line)| line.nodes);
    let of = |figure: fn(&Line) -> f64| {
        found.iter().map(|(place, line)| (tick(*place), figure(line).max(1e-4) * line.nodes / 1e3)).collect()
    };
    let series = vec![(OURS.to_owned(), of(ours)), ("a block a node".to_owned(), of(baseline))];
    let chart = Lines {
        title: format!("The update after some of {} nodes moved", grouped(nodes)),
        x: "nodes moved",
        y: "microseconds",
        ticks: Some(shares.into()),
        series,
    };
    lines(folder, "moved", chart)
}

fn pauses(results: &Results, folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    for (case, what) in [
        ("edits", "A single edit"),
        ("frames", "The update of a frame"),
        ("chain/edits", "A single edit of a chain"),
        ("chain/frames", "The update of a frame of a chain"),
        ("caterpillar/edits", "A single edit of a caterpillar"),
        ("caterpillar/frames", "The update of a frame of a caterpillar"),
    ] {
        let Some(curves) = results.curves("pauses", case, None) else { continue };
        let chart = Distribution {
            title: format!("{what}, while {} nodes are built and churned", grouped(curves.nodes)),
            x: "nanoseconds",
            series: vec![
                (OURS.to_owned(), curves.ours.clone()),
                ("slices without a bound".to_owned(), curves.baseline.clone()),
            ],
        };
        files.extend(save(&chart, folder, &format!("pauses-{}", case.replace('/', "-")))?);
    }
    Ok(files)
}

fn characters(results: &Results, folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let cases = |experiment: &str, names: &[(&str, &str)]| {
        let found = names.iter().filter_map(|(case, name)| Some((*name, results.of(experiment, case).pop()?.clone())));
        let found: Vec<(&str, Line)> = found.collect();
        let groups: Vec<String> = found.iter().map(|(name, _)| (*name).to_owned()).collect();
        (
            groups,
            found.iter().map(|(_, line)| line.ours).collect(),
            found.iter().map(|(_, line)| line.baseline).collect(),
        )
    };
    let mut files = Vec::new();
    let names = [
        ("pose-flattened", "models"),
        ("pose-palette-flattened", "palettes"),
        ("crowd-flattened", "models, crowd"),
        ("crowd-palette-flattened", "palettes, crowd"),
        ("crowd-each-flattened", "models, shown"),
        ("crowd-palette-each-flattened", "palettes, shown"),
    ];
    let (groups, of_ours, theirs) = cases("molecule-skeleton", &names);
    let chart = Bars {
        title: "1000 characters of 96 joints, from transforms".to_owned(),
        x: "what is computed",
        y: "nanoseconds a joint",
        is_logarithmic: false,
        groups,
        series: vec![(OURS.to_owned(), of_ours), ("flattened, as in the source".to_owned(), theirs)],
    };
    files.extend(bars(folder, "characters", chart)?);
    let names = [("influences-1", "1"), ("influences-2", "2"), ("influences-3", "3"), ("influences-4", "4")];
    let (groups, of_ours, theirs) = cases("molecule-skinning", &names);
    let chart = Bars {
        title: "Skinning of positions and normals, by influences a vertex".to_owned(),
        x: "influences a vertex",
        y: "nanoseconds a vertex",
        is_logarithmic: false,
        groups,
        series: vec![(OURS.to_owned(), of_ours), ("the usual first implementation".to_owned(), theirs)],
    };
    files.extend(bars(folder, "skinning", chart)?);
    let names = [("forward", "forward"), ("backward", "backward"), ("seek", "seek")];
    let (groups, of_ours, theirs) = cases("bitsquid-clip", &names);
    let chart = Bars {
        title: "A clip of 96 joints: all of them in one frame".to_owned(),
        x: "how the clip is played",
        y: "nanoseconds a joint",
        is_logarithmic: false,
        groups,
        series: vec![(OURS.to_owned(), of_ours), ("keys by track".to_owned(), theirs)],
    };
    files.extend(bars(folder, "clips", chart)?);
    Ok(files)
}
