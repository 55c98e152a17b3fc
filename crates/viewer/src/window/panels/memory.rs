//! The memory picture: a pixel for each row of each slice, with slices from the top down. The colour of a row shows its
//! subtree, a child of the root; imports are grey, and unused rows are white. A row lights up if the last update
//! computed the matrix of its node.

use crate::stage::Stage;
use egui::{Color32, ColorImage, TextureHandle, TextureOptions, Ui};
use hedgerow::changes::{MatrixMirror, MatrixSlot, MirrorStep};
use hedgerow::visit::SliceView;
use hedgerow::{NodeHandle, Scene};
use std::collections::HashMap;

/// The width of the picture and its approximate greatest height, in points.
const SIZE: [f32; 2] = [400.0, 320.0];
/// Up to this number of slices, each slice begins a new line.
const LINES: usize = 160;
/// The colour of the root.
const TOP: Color32 = Color32::from_gray(90);
const IMPORT: Color32 = Color32::from_gray(150);
const LIT: Color32 = Color32::from_rgb(255, 240, 90);

pub(super) struct Memory {
    /// Reports the matrices that the last update computed.
    mirror: MatrixMirror,
    texture: Option<TextureHandle>,
}

/// The state of painting a slice.
struct Painter<'s> {
    scene: &'s Scene,
    colours: HashMap<NodeHandle, Color32>,
    /// The colour of each row, if it is already known.
    known: Vec<Option<Color32>>,
    path: Vec<usize>,
}

impl Memory {
    pub(super) fn new() -> Self {
        Self { mirror: MatrixMirror::new(), texture: None }
    }

    pub(super) fn show(&mut self, ui: &mut Ui, stage: &Stage) {
        let scene = &stage.scene;
        // Whether each matrix was computed, by index in the mirror.
        let mut lit = vec![false; self.mirror.len()];
        self.mirror.sync(scene, |step| match step {
            MirrorStep::Resize { len } => lit.resize(len, false),
            MirrorStep::Write { first, matrices } => lit[first..][..matrices.len()].fill(true),
        });
        let mut painter = Painter::new(scene);
        let stats = scene.stats();
        let rows = scene.slices().map(|slice| slice.rows().len()).sum();
        let most = ui.ctx().input(|input| input.max_texture_side);
        let (scale, wide) = layout(rows, stats.slices, most);
        let mut pixels = Vec::with_capacity(2 * scene.len());
        for slice in scene.slices() {
            let first = self.mirror.index(MatrixSlot { slice: slice.number(), slot: 0 });
            painter.paint(&slice, first.map_or(&[], |first| &lit[first..]), &mut pixels);
            // A dark pixel separates slices.
            pixels.push(Color32::BLACK);
            if stats.slices <= LINES {
                pixels.resize(pixels.len().next_multiple_of(wide), Color32::BLACK);
            }
        }
        pixels.resize(pixels.len().next_multiple_of(wide), Color32::BLACK);
        let image = ColorImage::new([wide, pixels.len() / wide], pixels);
        let texture = match &mut self.texture {
            Some(texture) => {
                texture.set(image, TextureOptions::NEAREST);
                texture
            }
            none => none.insert(ui.ctx().load_texture("memory", image, TextureOptions::NEAREST)),
        };
        ui.label(format!(
            "{} slices, {} rows in use, {} holes; {:.2} MB live, {:.2} MB allocated",
            stats.slices,
            stats.rows.live,
            stats.holes,
            stats.live_bytes() as f64 / 1e6,
            stats.allocated_bytes() as f64 / 1e6,
        ));
        let size = texture.size_vec2() * scale;
        egui::ScrollArea::both().max_width(SIZE[0]).max_height(SIZE[1]).show(ui, |ui| ui.image((texture.id(), size)));
        ui.weak(
            "a pixel a row: colours are subtrees of the root's children, unused rows white, imports grey, swept lit",
        );
    }
}

/// Returns the greatest pixel size, in points, at which all pixels fit, and the number of pixels in a line. The number
/// of lines does not exceed the height of a texture.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few hundred pixels")]
fn layout(rows: usize, slices: usize, most: usize) -> (f32, usize) {
    // Each slice ends with a dark pixel, or its line ends.
    let ends = if slices <= LINES { 0 } else { slices };
    let lines = |wide: usize| (rows + ends).div_ceil(wide) + if slices <= LINES { slices } else { 0 };
    let wide = |scale: f32| (SIZE[0] / scale) as usize;
    let fits = |scale: &f32| scale * lines(wide(*scale)) as f32 <= SIZE[1];
    let scale = [16.0, 8.0, 4.0, 2.0].into_iter().find(fits).unwrap_or(1.0);
    let least = (rows + ends).div_ceil(most.saturating_sub(LINES + 1).max(1));
    (scale, wide(scale).max(least))
}

impl<'s> Painter<'s> {
    fn new(scene: &'s Scene) -> Self {
        let hue = |number: usize| (number as f32 * 0.618_034).fract();
        let children = scene.children(scene.root()).enumerate();
        let colours =
            children.map(|(number, child)| (child, egui::ecolor::Hsva::new(hue(number), 0.8, 0.4, 1.0).into()));
        Self { scene, colours: colours.collect(), known: Vec::new(), path: Vec::new() }
    }

    /// Adds a pixel for each row of a slice; `lit` tells which transform slots were computed.
    fn paint(&mut self, slice: &SliceView<'_>, lit: &[bool], pixels: &mut Vec<Color32>) {
        let rows = slice.rows();
        self.known.clear();
        self.known.resize(rows.len(), None);
        for row in 0..rows.len() {
            if rows.node(row).is_none() {
                pixels.push(if row < slice.imports() { IMPORT } else { Color32::WHITE });
                continue;
            }
            let colour = self.colour(slice, row);
            let is_lit = rows.own_transform(row).and_then(|slot| lit.get(slot)) == Some(&true);
            pixels.push(if is_lit { colour.lerp_to_gamma(LIT, 0.75) } else { colour });
        }
    }

    /// Returns the colour of a row's subtree, a child of the root.
    fn colour(&mut self, slice: &SliceView<'_>, row: usize) -> Color32 {
        let rows = slice.rows();
        let mut at = row;
        let colour = loop {
            if let Some(colour) = self.known[at] {
                break colour;
            }
            self.path.push(at);
            let parent = rows.parent(at);
            let own = rows.node(at).and_then(|node| self.colours.get(&node));
            match (own, parent) {
                (Some(&colour), _) => break colour,
                (None, Some(parent)) => at = parent,
                // The row of an import or of the root.
                (None, None) => {
                    let above = rows.import(at).into_iter().flat_map(|node| {
                        core::iter::once(node)
                            .chain(self.scene.get(node).unwrap().ancestors().map(|node| node.handle()))
                    });
                    break above.into_iter().find_map(|node| self.colours.get(&node)).copied().unwrap_or(TOP);
                }
            }
        };
        self.path.drain(..).for_each(|at| self.known[at] = Some(colour));
        colour
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_picture_is_higher_than_a_texture() {
        for (rows, slices) in
            [(1, 1), (5_000, 3), (100_000, 60), (3_000_000, 900), (40_000_000, 160), (1 << 28, 1 << 17)]
        {
            for most in [2048, 8192, 16_384] {
                let (scale, wide) = layout(rows, slices, most);
                // If slices are few, each begins a line; if slices are many, each ends with a dark pixel.
                let (pixels, breaks) = if slices <= LINES { (rows, slices) } else { (rows + slices, 0) };
                let lines = pixels.div_ceil(wide) + breaks;
                assert!(lines <= most || wide > most, "{rows} rows, {slices} slices: {lines} lines of {wide}");
                let few = rows < 100 * 300 && slices == 1;
                assert!(!few || scale * lines as f32 <= SIZE[1], "{rows} rows are {lines} lines of {scale} points");
            }
        }
    }
}
