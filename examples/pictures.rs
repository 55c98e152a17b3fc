//! Draws the pictures of the documentation from scenes: what an edit reaches, when passes see it, and slices in memory.
//!
//! ```text
//! cargo run --example pictures -- docs/figures
//! ```

use hedgerow::changes::ChangeReader;
use hedgerow::visit::{Flow, SliceView};
use hedgerow::{Aabb, DrawList, Drawable, Error, Mat34, Node, NodeHandle, NodeRef, Scene, SceneConfig, Transform};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Display;

/// Colours that colour-blind people can distinguish. Source: M. Okabe, K. Ito, *Color Universal Design*, 2002.
const COLOURS: [&str; 7] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442"];
const BLUE: &str = COLOURS[0];
const ORANGE: &str = COLOURS[1];
const GREY: &str = "#b4bac2";
const DARK: &str = "#333333";
const PALE: &str = "#dfe3e8";

/// A picture in the making.
struct Picture {
    size: [usize; 2],
    /// What it shows, for those who cannot see it.
    title: &'static str,
    shapes: Vec<String>,
}

impl Picture {
    fn new(title: &'static str, [width, height]: [usize; 2]) -> Self {
        let back = format!(r##"<rect width="{width}" height="{height}" rx="6" fill="#f7f8f9"/>"##);
        Self { size: [width, height], title, shapes: vec![back] }
    }

    fn write(&mut self, x: usize, y: usize, anchor: &str, colour: &str, text: impl Display) {
        self.shapes.push(format!(r#"<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{colour}">{text}</text>"#));
    }

    fn bar(&mut self, [x, y]: [usize; 2], [width, height]: [usize; 2], colour: &str) {
        self.shapes
            .push(format!(r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="3" fill="{colour}"/>"#));
    }

    fn line(&mut self, from: [usize; 2], to: [usize; 2], colour: &str) {
        let ([a, b], [c, d]) = (from, to);
        self.shapes.push(format!(r#"<path d="M{a} {b}L{c} {d}" stroke="{colour}" stroke-width="1.5"/>"#));
    }

    /// An arrow to the right.
    fn arrow(&mut self, [x, y]: [usize; 2], length: usize) {
        self.line([x, y], [x + length, y], DARK);
        let (end, above, below) = (x + length, y - 4, y + 4);
        self.shapes.push(format!(r#"<path d="M{} {above}L{end} {y}L{0} {below}" fill="{DARK}"/>"#, end - 7));
    }

    fn save(&self, path: &std::path::Path) -> std::io::Result<()> {
        let (Self { title, .. }, [width, height]) = (self, self.size);
        let size = format!(r#"width="{width}" height="{height}" viewBox="0 0 {width} {height}""#);
        // Pages of documentation contain the element itself, which shrinks with a narrow window only by this style.
        let style = r#"style="max-width:100%;height:auto" font-family="sans-serif" font-size="13""#;
        let begin = format!(r#"<svg xmlns="http://www.w3.org/2000/svg" role="img" {size} {style}>"#);
        let shapes = self.shapes.join("\n");
        std::fs::write(path, format!("{begin}\n<title>{title}</title>\n{shapes}\n</svg>\n"))
    }
}

/// The tree of the first picture, and its car.
fn street() -> Result<(Scene, NodeHandle), Error> {
    let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
    let node = |name| Node::transform(Transform::IDENTITY).with_name(name);
    let drawn = |name, mesh| node(name).with_drawable(Drawable::new(mesh, Aabb::cube(1.0)));
    let house = scene.insert(scene.root(), node("house"))?;
    let car = scene.insert(scene.root(), node("car"))?;
    scene.insert(scene.root(), drawn("tree", 4))?;
    scene.insert(house, drawn("wall", 0))?;
    scene.insert(house, drawn("roof", 1))?;
    let body = scene.insert(car, drawn("body", 2))?;
    scene.insert(car, drawn("wheel", 3))?;
    scene.insert(car, drawn("wheel", 3))?;
    scene.insert(body, drawn("lamp", 5))?;
    scene.update();
    Ok((scene, car))
}

/// Draws what one edit reaches: the tree, the arrays that the update writes, and the draws.
fn edit_to_draw() -> Result<Picture, Error> {
    let (mut scene, car) = street()?;
    let mut draws = DrawList::new();
    scene.draw_list(&mut draws);
    let mut reader = ChangeReader::of(&scene);
    scene.set_local(car, Transform::from_xyz(1.0, 0.0, 0.0))?;
    scene.update();
    let changed: HashSet<NodeHandle> = scene.changes(&mut reader)?.moved().iter().copied().collect();
    scene.draw_list(&mut draws);
    let colour = |node: NodeHandle| if changed.contains(&node) { ORANGE } else { GREY };

    let title = "A tree with an edited car, the arrays that the update writes, and the draws";
    let mut picture = Picture::new(title, [820, 272]);
    for (x, title) in [(24, "a tree that you edit"), (338, "arrays, in depth-first order"), (640, "a draw list")] {
        picture.write(x, 30, "start", DARK, title);
    }
    // The tree, depth first, from top to bottom.
    let order: Vec<NodeRef<'_>> = scene.get(scene.root()).into_iter().flat_map(|root| root.descendants()).collect();
    let place = |node: &NodeRef<'_>| {
        let number = order.iter().position(|other| other.handle() == node.handle()).unwrap_or(0);
        [32 + 30 * node.ancestors().count(), 52 + 20 * number]
    };
    for node in &order {
        let [x, y] = place(node);
        if let Some([above, top]) = node.parent().map(|parent| place(&parent)) {
            picture.line([above, top + 6], [above, y], GREY);
            picture.line([above, y], [x - 6, y], GREY);
        }
        picture.shapes.push(format!(r#"<circle cx="{x}" cy="{y}" r="6" fill="{}"/>"#, colour(node.handle())));
        picture.write(x + 12, y + 4, "start", DARK, node.name().unwrap_or("root"));
    }
    picture.write(148, 136, "start", DARK, "set_local(car, …)");
    picture.arrow([262, 132], 62);
    picture.write(293, 124, "middle", BLUE, "update");
    let name = |node: NodeHandle| scene.get(node).and_then(|node| node.name()).unwrap_or("root");
    for slice in scene.slices() {
        let rows = (0..slice.rows().len()).filter_map(|row| slice.rows().node(row));
        for (number, node) in rows.enumerate() {
            picture.bar([338, 44 + 20 * number], [196, 16], colour(node));
            picture.write(346, 56 + 20 * number, "start", DARK, format!("{}: world matrix", name(node)));
        }
    }
    picture.arrow([546, 132], 82);
    picture.write(586, 124, "middle", BLUE, "draw_list");
    for (number, command) in draws.commands().iter().enumerate() {
        picture.bar([640, 44 + 20 * number], [156, 16], colour(command.node));
        let text = format!("{}: mesh {}", name(command.node), command.mesh);
        picture.write(648, 56 + 20 * number, "start", DARK, text);
    }
    picture.write(640, 214, "start", DARK, "culling and queries");
    picture.write(640, 232, "start", DARK, "read the same arrays");
    picture.bar([338, 252], [12, 8], ORANGE);
    picture.write(356, 260, "start", DARK, "reached by the edit: all that is computed again");
    Ok(picture)
}

/// The nodes of the second picture. Each is drawn with another mesh.
struct Edited {
    set: NodeHandle,
    removed: NodeHandle,
    inserted: Option<NodeHandle>,
}

impl Edited {
    const MESH_SET: u32 = 0;
    const MESH_REMOVED: u32 = 1;
    const MESH_INSERTED: u32 = 2;
    const OLD: Transform = Transform::from_xyz(1.0, 0.0, 0.0);
    const NEW: Transform = Transform::from_xyz(2.0, 0.0, 0.0);

    /// Returns what the rows of the picture show of a scene: first what passes see, then reads by handle.
    fn seen(&self, scene: &Scene) -> [&'static str; 7] {
        let mut draws = DrawList::new();
        scene.draw_list(&mut draws);
        let drawn = |mesh| {
            let mut matrices = draws.commands().iter().zip(draws.matrices());
            matrices.find_map(|(command, matrix)| (command.mesh == mesh).then_some(*matrix))
        };
        let age = |matrix: Option<Mat34>| match matrix {
            Some(old) if old == Self::OLD.to_matrix() => "old",
            Some(new) if new == Self::NEW.to_matrix() => "new",
            Some(Mat34::IDENTITY) => "the identity",
            _ => "none",
        };
        [
            if drawn(Self::MESH_INSERTED).is_some() { "there" } else { "not there" },
            age(drawn(Self::MESH_SET)),
            if drawn(Self::MESH_REMOVED).is_some() { "there" } else { "gone" },
            self.inserted.map_or("no handle yet", |node| if scene.contains(node) { "there" } else { "none" }),
            age(scene.local(self.set).map(|local| local.to_matrix())),
            age(scene.world(self.set).copied()),
            self.inserted.map_or("no handle yet", |node| age(scene.world(node).copied())),
        ]
    }
}

/// Draws when passes see an edit, and when reads of single nodes do.
fn what_passes_see() -> Result<Picture, Error> {
    let mut scene = Scene::new();
    let node = |local, mesh| Node::transform(local).with_drawable(Drawable::new(mesh, Aabb::cube(1.0)));
    let set = scene.insert(scene.root(), node(Edited::OLD, Edited::MESH_SET))?;
    let removed = scene.insert(scene.root(), node(Edited::OLD, Edited::MESH_REMOVED))?;
    scene.update();
    let mut edited = Edited { set, removed, inserted: None };
    let before = edited.seen(&scene);
    edited.inserted = Some(scene.insert(scene.root(), node(Edited::NEW, Edited::MESH_INSERTED))?);
    scene.set_local(edited.set, Edited::NEW)?;
    scene.remove(edited.removed)?;
    let between = edited.seen(&scene);
    scene.update();
    let after = edited.seen(&scene);

    let title = "What passes and reads of single nodes see before an edit, after it, and after the next update";
    let mut picture = Picture::new(title, [820, 264]);
    let (left, middle, right, end) = (250, 400, 600, 796);
    picture.arrow([left, 36], end - left);
    for (x, text) in [(middle, "insert, set, remove"), (right, "update"), (left, "update")] {
        picture.line([x, 30], [x, 248], PALE);
        picture.write(x, 22, "middle", BLUE, text);
    }
    let rows = [
        "an inserted node, by passes",
        "a set value, by passes",
        "a removed node, by passes",
        "an inserted node, by its handle",
        "a set value, by handle",
        "world() of a set node",
        "world() of an inserted node",
    ];
    for (number, what) in rows.into_iter().enumerate() {
        let y = 46 + 28 * number + 8 * usize::from(number > 2);
        picture.write(left - 12, y + 15, "end", DARK, what);
        for (from, to, states) in [(left, middle, before), (middle, right, between), (right, end - 12, after)] {
            let state = states[number];
            let colour = match state {
                "there" | "new" => "#a6d8c8",
                "the identity" => "#f2d49b",
                "gone" => GREY,
                _ => PALE,
            };
            picture.bar([from + 2, y], [to - from - 4, 22], colour);
            picture.write(usize::midpoint(from, to), y + 15, "middle", DARK, state);
        }
    }
    Ok(picture)
}

/// Rows in a line of the third picture, and the size of a cell.
const LINE: usize = 128;
const CELL: [usize; 2] = [3, 8];

/// Returns for each node the number of the root's child above it.
fn subtrees(scene: &Scene) -> HashMap<NodeHandle, usize> {
    let (mut of, mut last) = (HashMap::with_capacity(scene.len()), 0);
    scene.visit(scene.root(), &mut |node: &NodeRef<'_>| {
        last += usize::from(node.parent().is_some_and(|parent| parent.handle() == scene.root()));
        if node.handle() != scene.root() {
            of.insert(node.handle(), last);
        }
        Flow::Continue
    });
    of
}

/// Draws the rows of all slices, with a colour for each subtree of the root. Unused rows are white.
fn draw_rows(scene: &Scene, [left, mut top]: [usize; 2], picture: &mut Picture) {
    let subtrees = subtrees(scene);
    let colour = |slice: &SliceView<'_>, row: usize| match slice.rows().node(row) {
        Some(node) => subtrees.get(&node).map_or(GREY, |subtree| COLOURS[subtree % COLOURS.len()]),
        None if row < slice.imports() => "#000000",
        None => "#ffffff",
    };
    let [across, down] = CELL;
    let mut paths: BTreeMap<&str, String> = BTreeMap::new();
    for slice in scene.slices() {
        let rows: Vec<&str> = (0..slice.rows().len()).map(|row| colour(&slice, row)).collect();
        for line in rows.chunks(LINE) {
            let mut x = left;
            for run in line.chunk_by(|a, b| a == b) {
                let width = run.len() * across;
                *paths.entry(run[0]).or_default() += &format!("M{x} {top}h{width}v{down}h-{width}z");
                x += width;
            }
            top += down;
        }
        top += 3;
    }
    let shapes = paths.iter().map(|(colour, path)| format!(r#"<path fill="{colour}" d="{path}"/>"#));
    picture.shapes.extend(shapes);
}

/// Returns a tree of seven subtrees that grow in turn; a third of the leaves are then removed.
fn churned(count: usize) -> Result<Scene, Error> {
    let mut scene = Scene::new();
    let node = || Node::transform(Transform::IDENTITY);
    let mut nodes = Vec::new();
    for _ in 0..7 {
        nodes.push(scene.insert(scene.root(), node())?);
    }
    for step in 0..count {
        // A prime step visits all nodes.
        let parent = nodes[(step * 7919 + step / 3) % nodes.len()];
        nodes.push(scene.insert(parent, node())?);
        if step % 300 == 0 {
            scene.update();
        }
    }
    for &node in nodes.iter().skip(7).step_by(3) {
        if scene.contains(node) && scene.get(node).and_then(|node| node.first_child()).is_none() {
            scene.remove(node)?;
        }
    }
    scene.update();
    Ok(scene)
}

/// Draws slices in memory before and after they are put into depth-first order.
fn order_in_memory() -> Result<Picture, Error> {
    let mut scene = churned(3000)?;
    let title = "Slices of a scene as rows in memory, before and after maintenance";
    let mut picture = Picture::new(title, [820, 240]);
    picture.write(16, 22, "start", DARK, "after thousands of edits: new nodes took free rows");
    draw_rows(&scene, [16, 32], &mut picture);
    scene.maintain(usize::MAX);
    picture.write(420, 22, "start", DARK, "after maintenance: each subtree is one run again");
    draw_rows(&scene, [420, 32], &mut picture);
    picture.write(16, 230, "start", DARK, "a colour for each subtree of the root; unused rows are white");
    Ok(picture)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).ok_or("name a folder for the pictures")?;
    let folder = std::path::Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    edit_to_draw()?.save(&folder.join("edit.svg"))?;
    what_passes_see()?.save(&folder.join("passes.svg"))?;
    order_in_memory()?.save(&folder.join("slices.svg"))?;
    Ok(())
}
