//! The two kinds of curves that are no lines over a size: over the share of all times, and over frames.

use crate::canvas::{COLOURS, Picture, SIZE};
use crate::charts::{draw_lines, name_series, shown};
use hedgerow_experiments::experiments::pauses::NINES;
use plotters::coord::Shift;
use plotters::prelude::{ChartBuilder, DrawingArea, DrawingBackend, IntoLogRange, SeriesLabelPosition};
use plotters::style::{BLACK, Color, WHITE};
use std::error::Error;

/// How times are distributed: the time, on a logarithmic axis, against the share of all that take no longer, by nines.
pub(crate) struct Distribution {
    pub(crate) title: String,
    pub(crate) x: &'static str,
    /// The times of each, at the shares of [`NINES`].
    pub(crate) series: Vec<(String, Vec<f64>)>,
}

/// Something after each frame of a run.
pub(crate) struct OverFrames {
    pub(crate) title: String,
    pub(crate) y: &'static str,
    /// A figure for each frame.
    pub(crate) series: Vec<(String, Vec<f64>)>,
}

/// The share of all that is so many nines.
fn share(nines: f64) -> String {
    let percent = 100.0 * (1.0 - 10.0_f64.powf(-nines));
    // As many digits behind the point as there are nines beyond two.
    let digits = (nines - 2.0).max(0.0).round();
    match digits {
        0.0 => format!("{percent:.0} %"),
        1.0 => format!("{percent:.1} %"),
        2.0 => format!("{percent:.2} %"),
        3.0 => format!("{percent:.3} %"),
        _ => format!("{percent:.4} %"),
    }
}

impl Picture for Distribution {
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), Box<dyn Error>>
    where
        B::ErrorType: 'static,
    {
        area.fill(&WHITE)?;
        let all = || self.series.iter().flat_map(|(_, times)| times.iter().copied());
        let (least, most) = (all().fold(f64::INFINITY, f64::min), all().fold(1.0, f64::max));
        let points = self.series.iter().map(|(_, times)| times.len()).max().unwrap_or(0);
        let top = points.saturating_sub(1) as f64 / f64::from(NINES);
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(46)
            .y_label_area_size(86)
            .build_cartesian_2d((least * 0.8..most * 1.6).log_scale(), 0.0..top * 1.03)?;
        chart
            .configure_mesh()
            .x_desc(self.x)
            .y_desc("share that takes no longer")
            .x_label_formatter(&|x| shown(*x))
            .y_label_formatter(&|y| share(*y))
            .y_labels(points / NINES as usize + 2)
            .label_style(("sans-serif", 13))
            .axis_desc_style(("sans-serif", 14))
            .light_line_style(WHITE)
            .bold_line_style(BLACK.mix(0.15))
            .draw()?;
        for (number, (name, times)) in self.series.iter().enumerate() {
            let places = (0_u32..).map(|place| f64::from(place) / f64::from(NINES));
            let points: Vec<(f64, f64)> = times.iter().copied().zip(places).collect();
            draw_lines(&mut chart, number, name, &points, NINES as usize)?;
        }
        name_series(&mut chart, SeriesLabelPosition::LowerRight)
    }
}

impl Picture for OverFrames {
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), Box<dyn Error>>
    where
        B::ErrorType: 'static,
    {
        area.fill(&WHITE)?;
        let most = self.series.iter().flat_map(|(_, figures)| figures).copied().fold(0.0, f64::max);
        let frames = self.series.iter().map(|(_, figures)| figures.len()).max().unwrap_or(0) as f64;
        // Room above all curves for the names of the series.
        let names = (self.series.len() as f64).mul_add(17.0, 30.0) / f64::from(SIZE.1 - 100);
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(46)
            .y_label_area_size(70)
            .build_cartesian_2d(1.0..frames, 0.0..most / (1.0 - names))?;
        chart
            .configure_mesh()
            .x_desc("frame")
            .y_desc(self.y)
            .x_label_formatter(&|x| shown(*x))
            .y_label_formatter(&|y| shown(*y))
            .label_style(("sans-serif", 13))
            .axis_desc_style(("sans-serif", 14))
            .light_line_style(WHITE)
            .bold_line_style(BLACK.mix(0.15))
            .draw()?;
        for (number, (name, figures)) in self.series.iter().enumerate() {
            let points: Vec<(f64, f64)> = (1_u32..).map(f64::from).zip(figures.iter().copied()).collect();
            let mean = figures.iter().sum::<f64>() / figures.len() as f64;
            let worst = figures.iter().copied().fold(0.0, f64::max);
            draw_lines(&mut chart, number, &format!("{name}: mean {mean:.0}, worst {worst:.0}"), &points, 1)?;
            let colour = COLOURS[number % COLOURS.len()];
            let ends = [(1.0, mean), (frames, mean)];
            chart.draw_series(plotters::series::DashedLineSeries::new(ends, 6, 5, colour.stroke_width(1)))?;
        }
        name_series(&mut chart, SeriesLabelPosition::UpperLeft)
    }
}
