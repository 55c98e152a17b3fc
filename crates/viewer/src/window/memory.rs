//! The memory picture: a pixel for each row of each slice. Rows have the colour of the child of the root that they
//! belong to, portals are grey, holes white; matrices that the last update computed light up.

use crate::stage::Stage;
use egui::{Color32, ColorImage, TextureHandle, TextureOptions, Ui};
use hedgerow::NodeHandle;
use hedgerow::changes::UploadReader;
use std::collections::HashMap;

/// Pixels in a line.
const WIDE: usize = 400;

pub(super) struct Memory {
    reader: UploadReader,
    texture: Option<TextureHandle>,
    colours: HashMap<NodeHandle, Color32>,
}

impl Memory {
    pub(super) fn new() -> Self {
        Self { reader: UploadReader::new(), texture: None, colours: HashMap::new() }
    }

    pub(super) fn show(&mut self, ui: &mut Ui, stage: &Stage) {
        let scene = &stage.scene;
        // What was computed, by slice: whether any, and which slots.
        let mut lit: HashMap<u32, Vec<std::ops::Range<usize>>> = HashMap::new();
        for upload in scene.uploads(&mut self.reader).iter() {
            lit.insert(upload.slice(), upload.ranges().collect());
        }
        self.colours.clear();
        for (number, child) in scene.children(scene.root()).enumerate() {
            #[expect(clippy::cast_precision_loss, reason = "a hue")]
            let hue = (number as f32 * 0.618_034).fract();
            self.colours.insert(child, egui::ecolor::Hsva::new(hue, 0.75, 0.55, 1.0).into());
        }
        let mut pixels: Vec<Color32> = Vec::new();
        let mut slices = 0;
        for slice in scene.slices() {
            slices += 1;
            let rows = slice.rows();
            // All rows of a slice are in one subtree, but for the children of the root themselves.
            let first = rows.nodes().next();
            let top = first.and_then(|node| [node].into_iter().chain(scene.ancestors(node)).find(|node| self.colours.contains_key(node)));
            let colour = top.and_then(|top| self.colours.get(&top)).copied().unwrap_or(Color32::DARK_GRAY);
            let ranges = lit.get(&slice.number());
            for row in 0..rows.len() {
                let pixel = match rows.node(row) {
                    None if rows.is_portal(row) => Color32::GRAY,
                    None => Color32::WHITE,
                    Some(_) => {
                        let slot = ranges.and_then(|ranges| Some((ranges, rows.own_transform(row)?)));
                        match slot {
                            Some((ranges, slot)) if ranges.iter().any(|range| range.contains(&slot)) => {
                                colour.lerp_to_gamma(Color32::YELLOW, 0.7)
                            }
                            _ => colour,
                        }
                    }
                };
                pixels.push(pixel);
            }
            // A dark pixel between slices.
            pixels.push(Color32::BLACK);
        }
        pixels.resize(pixels.len().next_multiple_of(WIDE), Color32::BLACK);
        let image = ColorImage::new([WIDE, pixels.len() / WIDE], pixels);
        match &mut self.texture {
            Some(texture) => texture.set(image, TextureOptions::NEAREST),
            None => self.texture = Some(ui.ctx().load_texture("memory", image, TextureOptions::NEAREST)),
        }
        let stats = scene.stats();
        ui.label(format!(
            "{slices} slices, {} rows in use; {:.2} MB live, {:.2} MB allocated",
            stats.rows.live,
            stats.live_bytes() as f64 / 1e6,
            stats.allocated_bytes() as f64 / 1e6,
        ));
        if let Some(texture) = &self.texture {
            egui::ScrollArea::vertical().max_height(320.0).show(ui, |ui| ui.image((texture.id(), texture.size_vec2())));
        }
    }
}
