//! A stacked plot of the last frames' times by phase.

use crate::viewer::Frame;
use crate::window::session::Session;
use egui::{Color32, Pos2, Rect, Sense, Ui, Vec2};
use std::collections::VecDeque;

/// The number of frames shown.
const SHOWN: usize = 240;
const COLOURS: [Color32; 7] = [
    Color32::from_rgb(230, 90, 70),
    Color32::from_rgb(240, 170, 60),
    Color32::from_rgb(200, 200, 90),
    Color32::from_rgb(90, 190, 90),
    Color32::from_rgb(70, 170, 220),
    Color32::from_rgb(130, 130, 240),
    Color32::from_rgb(200, 110, 220),
];

pub(super) struct Plot {
    times: VecDeque<[f64; 7]>,
}

impl Plot {
    pub(super) fn new() -> Self {
        Self { times: VecDeque::with_capacity(SHOWN + 1) }
    }

    pub(super) fn push(&mut self, ms: [f64; 7]) {
        self.times.push_back(ms);
        if self.times.len() > SHOWN {
            self.times.pop_front();
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "a height in points")]
    pub(super) fn show(&self, ui: &mut Ui, session: &Session) {
        let Session { frame, frame_ms, panels_ms, .. } = session;
        ui.label(format!("{:.2} ms of work, {panels_ms:.2} ms for panels", frame.work_ms()));
        ui.label(format!("{frame_ms:.1} ms from frame to frame"));
        let (response, painter) = ui.allocate_painter(Vec2::new(ui.available_width(), 90.0), Sense::hover());
        let Rect { min, max } = response.rect;
        painter.rect_filled(response.rect, 0.0, Color32::from_gray(20));
        // One long frame must not flatten all others.
        let mut sums: Vec<f64> = self.times.iter().map(|times| times.iter().sum()).collect();
        sums.sort_by(f64::total_cmp);
        let most = sums.get(sums.len() * 98 / 100).copied().unwrap_or(0.0).max(0.1) * 1.1;
        let step = (max.x - min.x) / SHOWN as f32;
        let mut mesh = egui::Mesh::default();
        for (number, times) in self.times.iter().enumerate() {
            let x = min.x + step * number as f32;
            let mut bottom = max.y;
            for (ms, colour) in times.iter().zip(COLOURS) {
                let top = (bottom - (ms / most) as f32 * (max.y - min.y)).max(min.y);
                let bar = Rect { min: Pos2::new(x, top), max: Pos2::new(x + step, bottom) };
                mesh.add_colored_rect(bar, colour);
                bottom = top;
            }
        }
        painter.add(egui::Shape::mesh(mesh));
        let corner = min + Vec2::new(4.0, 2.0);
        let font = egui::TextStyle::Small.resolve(ui.style());
        painter.text(corner, egui::Align2::LEFT_TOP, format!("{most:.2} ms"), font, Color32::GRAY);
        egui::Grid::new("phases").num_columns(4).spacing([10.0, 1.0]).show(ui, |ui| {
            for (number, ((name, ms), colour)) in Frame::PHASES.iter().zip(frame.ms).zip(COLOURS).enumerate() {
                ui.colored_label(colour, *name);
                ui.monospace(format!("{ms:7.3}"));
                if number % 2 == 1 {
                    ui.end_row();
                }
            }
        });
    }
}
