//! A picture of how a scene lies in memory.

use crate::NodeHandle;
use crate::scene::Scene;
use crate::visit::{Flow, NodeRef, SliceView, SliceVisitor, Visitor};
use core::fmt::Write;
use std::collections::HashMap;

/// Rows in a line of the picture.
const LINE: usize = 256;
/// Width and height of a row in the picture, and the space between two slices.
const CELL: [usize; 2] = [3, 8];
const GAP: usize = 3;
const MARGIN: usize = 6;

/// Colours that the colour-blind tell apart, too. Source: M. Okabe, K. Ito, *Color Universal Design*, 2002.
const COLOURS: [&str; 7] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442"];
const ABOVE: &str = "#999999";
const PORTAL: &str = "#000000";
const HOLE: &str = "#ffffff";
const EDGE: &str = "#bbbbbb";

impl Scene {
    /// A picture of how the scene lies in memory, as SVG: its slices in the order of the tree, one below the other,
    /// with a cell for each row, from left to right in lines of 256.
    ///
    /// Rows have the colour of the subtree that they belong to: of their ancestor at this depth, 1 for the children of
    /// the root. There are seven colours, in turn; nodes above that depth are grey, portals black and holes white. A
    /// scene in depth-first order shows each subtree as one run of its colour. Edits leave holes and scatter what
    /// comes new; `maintain` and [`reconstitute`](Self::reconstitute) put it right.
    ///
    /// Detached subtrees are not shown. Neighbouring rows of one colour are drawn as one rectangle. Meant for tools,
    /// and for scenes of up to some 100,000 nodes. Runs in **O(nodes)**.
    ///
    /// ```
    /// use hedgerow::{Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// for _ in 0..3 {
    ///     let tree = scene.insert(scene.root(), Node::group())?;
    ///     for _ in 0..20 {
    ///         scene.insert(tree, Node::group())?;
    ///     }
    /// }
    /// let svg = scene.layout_svg(1);
    /// assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[must_use]
    pub fn layout_svg(&self, depth: usize) -> String {
        let mut subtrees = Subtrees { depth, last: 0, of: HashMap::with_capacity(self.len()) };
        self.visit(self.root(), &mut subtrees);
        let mut picture = Picture { subtrees, rectangles: vec![String::new(); COLOURS.len() + 4], height: MARGIN };
        self.visit_slices(&mut picture);
        picture.finish()
    }
}

/// Numbers the subtrees at one depth.
struct Subtrees {
    depth: usize,
    last: usize,
    /// From 1; nodes above the depth are not in it.
    of: HashMap<NodeHandle, usize>,
}

impl Visitor for Subtrees {
    fn enter(&mut self, node: &NodeRef<'_>) -> Flow {
        if node.depth() == self.depth {
            self.last += 1;
        }
        if node.depth() >= self.depth {
            self.of.insert(node.handle(), self.last);
        }
        Flow::Continue
    }
}

/// What is drawn of the slices so far.
struct Picture {
    subtrees: Subtrees,
    /// By colour, as the data of a path: those of subtrees, then of rows above them, portals, holes and edges.
    rectangles: Vec<String>,
    height: usize,
}

impl Picture {
    /// The place of a row's colour.
    fn colour(&self, slice: &SliceView<'_>, row: usize) -> usize {
        let rows = slice.rows();
        match rows.node(row) {
            Some(node) => match self.subtrees.of.get(&node) {
                Some(subtree) => subtree.saturating_sub(1) % COLOURS.len(),
                None => COLOURS.len(),
            },
            None if rows.is_portal(row) => COLOURS.len() + 1,
            None => COLOURS.len() + 2,
        }
    }

    fn rectangle(&mut self, colour: usize, [x, y, width, height]: [usize; 4]) {
        let written = write!(self.rectangles[colour], "M{x} {y}h{width}v{height}h-{width}z");
        written.expect("a string takes all text");
    }

    fn finish(self) -> String {
        let (width, height) = (2 * MARGIN + LINE * CELL[0], self.height - GAP + MARGIN);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"#eeeeee\"/>\n"
        );
        let colours = COLOURS.into_iter().chain([ABOVE, PORTAL, HOLE]);
        for (path, colour) in self.rectangles.iter().zip(colours).filter(|(path, _)| !path.is_empty()) {
            writeln!(svg, "<path fill=\"{colour}\" d=\"{path}\"/>").expect("a string takes all text");
        }
        if let Some(edges) = self.rectangles.last() {
            writeln!(svg, "<path fill=\"none\" stroke=\"{EDGE}\" stroke-width=\"0.5\" d=\"{edges}\"/>")
                .expect("a string takes all text");
        }
        svg.push_str("</svg>\n");
        svg
    }
}

impl SliceVisitor for Picture {
    fn slice(&mut self, slice: SliceView<'_>) -> Flow {
        let rows = slice.rows().len();
        for first in (0..rows).step_by(LINE) {
            let end = rows.min(first + LINE);
            let mut run = first;
            while run < end {
                let colour = self.colour(&slice, run);
                let past = (run..end).find(|&row| self.colour(&slice, row) != colour).unwrap_or(end);
                let x = MARGIN + (run - first) * CELL[0];
                self.rectangle(colour, [x, self.height, (past - run) * CELL[0], CELL[1]]);
                run = past;
            }
            let edges = self.rectangles.len() - 1;
            self.rectangle(edges, [MARGIN, self.height, (end - first) * CELL[0], CELL[1]]);
            self.height += CELL[1];
        }
        self.height += GAP;
        Flow::Continue
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Node;

    /// How many rectangles of a colour there are, and how many rows these are.
    fn drawn(svg: &str, colour: &str) -> (usize, usize) {
        let path = svg.split_once(&format!("fill=\"{colour}\" d=\"")).and_then(|(_, path)| path.split('"').next());
        let widths = path.into_iter().flat_map(|path| path.split('h').skip(1).step_by(2));
        let widths = widths.map(|text| text.split('v').next().and_then(|width| width.parse::<usize>().ok()));
        widths.fold((0, 0), |(count, rows), width| (count + 1, rows + width.unwrap_or(0) / CELL[0]))
    }

    #[test]
    fn subtrees_are_runs_of_their_colour_and_removed_nodes_are_white() {
        let mut scene = Scene::new();
        let trees = [(); 2].map(|()| scene.insert(scene.root(), Node::group()).unwrap());
        // By turns, so that the two lie mixed.
        let nodes: Vec<_> = (0..40).map(|at| scene.insert(trees[at % 2], Node::group()).unwrap()).collect();
        let mixed = scene.layout_svg(1);
        assert_eq!((drawn(&mixed, COLOURS[0]).1, drawn(&mixed, COLOURS[1]).1), (21, 21));
        assert_eq!(drawn(&mixed, ABOVE).1, 1);
        assert_eq!(drawn(&mixed, HOLE).1, 0);

        for &node in &nodes[4..10] {
            scene.remove(node).unwrap();
        }
        let holed = scene.layout_svg(1);
        assert!(drawn(&holed, HOLE).1 > 0);
        assert_eq!((drawn(&holed, COLOURS[0]).1, drawn(&holed, COLOURS[1]).1), (18, 18));

        scene.reconstitute_all();
        let sorted = scene.layout_svg(1);
        assert_eq!((drawn(&sorted, COLOURS[0]), drawn(&sorted, COLOURS[1])), ((1, 18), (1, 18)));
        assert_eq!(drawn(&sorted, HOLE), (0, 0));
    }

    /// The right and the lower end of all that is drawn, and of the picture.
    fn ends(svg: &str) -> [(usize, usize); 2] {
        let number = |text: &str| text.parse::<usize>().unwrap();
        let paths = svg.split("d=\"").skip(1).map(|path| path.split('"').next().unwrap());
        let rectangles = paths.flat_map(|path| path.split('M').skip(1)).map(|rectangle| {
            let parts: Vec<usize> = rectangle.split([' ', 'h', 'v']).take(4).map(number).collect();
            (parts[0] + parts[2], parts[1] + parts[3])
        });
        let drawn = rectangles.fold((0, 0), |most, end| (most.0.max(end.0), most.1.max(end.1)));
        let size: Vec<usize> =
            svg.split("viewBox=\"0 0 ").nth(1).unwrap().split(['"', ' ']).take(2).map(number).collect();
        [drawn, (size[0], size[1])]
    }

    #[test]
    fn the_picture_ends_a_margin_beside_what_is_drawn() {
        let mut scene = Scene::new();
        for _ in 0..3 {
            let house = scene.insert(scene.root(), Node::group()).unwrap();
            scene.isolate(house).unwrap();
            for _ in 0..2 * LINE {
                scene.insert(house, Node::group()).unwrap();
            }
            let [drawn, size] = ends(&scene.layout_svg(1));
            assert_eq!((drawn.0 + MARGIN, drawn.1 + MARGIN), size);
        }
    }

    #[test]
    fn an_edge_is_around_the_rows_of_each_line_and_nothing_else() {
        let mut scene = Scene::new();
        let house = scene.insert(scene.root(), Node::group()).unwrap();
        for _ in 0..LINE + 20 {
            scene.insert(house, Node::group()).unwrap();
        }
        let svg = scene.layout_svg(1);
        // Edges have no colour to fill with, and their path is the last one.
        let edges = svg.replace("fill=\"none\" stroke=\"#bbbbbb\" stroke-width=\"0.5\"", "fill=\"edge\"");
        let rows = [COLOURS[0], ABOVE, PORTAL, HOLE].map(|colour| drawn(&svg, colour).1);
        assert_eq!(drawn(&edges, "edge"), (3, rows.iter().sum()));
    }

    #[test]
    fn each_row_is_drawn_at_its_place_in_its_line() {
        let mut scene = Scene::new();
        let trees = [(); 2].map(|()| scene.insert(scene.root(), Node::group()).unwrap());
        for at in 0..LINE + 20 {
            scene.insert(trees[at / 3 % 2], Node::group()).unwrap();
        }
        let svg = scene.layout_svg(1);
        let paths = svg.split("d=\"").skip(1).map(|path| path.split('"').next().unwrap());
        let mut drawn: Vec<[usize; 3]> = Vec::new();
        for path in paths.take(svg.matches("d=\"").count() - 1) {
            drawn.extend(path.split('M').skip(1).map(|rectangle| {
                let parts: Vec<usize> =
                    rectangle.split([' ', 'h', 'v']).take(3).map(|text| text.parse().unwrap()).collect();
                [parts[1], parts[0], parts[0] + parts[2]]
            }));
        }
        drawn.sort_unstable();
        assert!(drawn.len() > 40);
        for line in drawn.chunk_by(|a, b| a[0] == b[0]) {
            assert_eq!(line[0][1], MARGIN, "a line begins at the margin");
            assert!(line.windows(2).all(|pair| pair[0][2] == pair[1][1]), "neither gaps nor overlaps");
        }
    }

    #[test]
    fn rows_above_the_depth_are_grey_and_every_node_is_drawn() {
        let mut scene = Scene::new();
        let mut node = scene.root();
        for _ in 0..5 {
            node = scene.insert(node, Node::group()).unwrap();
        }
        let svg = scene.layout_svg(3);
        assert_eq!((drawn(&svg, ABOVE).1, drawn(&svg, COLOURS[0]).1), (3, 3));
        assert_eq!(drawn(&scene.layout_svg(0), COLOURS[0]).1, 6);
    }
}
