//! The two kinds of charts: lines over a number, and bars by name.

use crate::canvas::{COLOURS, Picture, SIZE};
use plotters::coord::{CoordTranslate, Shift};
use plotters::element::{Drawable, PointCollection};
use plotters::prelude::{
    Cartesian2d, ChartBuilder, ChartContext, Circle, Cross, DrawingArea, DrawingBackend, DynElement, EmptyElement,
    IntoDynElement, IntoLogRange, LineSeries, PathElement, Ranged, Rectangle, SeriesLabelPosition, TriangleMarker,
};
use plotters::style::{BLACK, Color, RGBColor, WHITE};
use plotters_backend::{BackendCoord, DrawingErrorKind};
use std::error::Error;

/// Curves over a number of nodes, or over a share. Both axes are logarithmic.
pub(crate) struct Lines {
    pub(crate) title: String,
    pub(crate) x: &'static str,
    pub(crate) y: &'static str,
    /// What each tick below the chart is called, if they are not numbers.
    pub(crate) ticks: Option<Vec<&'static str>>,
    pub(crate) series: Vec<(String, Vec<(f64, f64)>)>,
}

/// Groups of bars.
pub(crate) struct Bars {
    pub(crate) title: String,
    pub(crate) x: &'static str,
    pub(crate) y: &'static str,
    /// Whether the axis is logarithmic, and begins at 1.
    pub(crate) is_logarithmic: bool,
    pub(crate) groups: Vec<String>,
    /// A bar for each group.
    pub(crate) series: Vec<(String, Vec<f64>)>,
}

/// Where on the axis the tick with a name lies.
pub(crate) fn tick(place: u8) -> f64 {
    10.0_f64.powi(i32::from(place))
}

/// A number with commas between thousands.
pub(crate) fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let groups: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    groups.into_iter().map(String::from_utf8_lossy).collect::<Vec<_>>().join(",")
}

/// A number with the digits that matter, and points between thousands.
pub(crate) fn shown(number: f64) -> String {
    if number >= 1e6 {
        format!("{} M", rounded(number / 1e6))
    } else if number >= 1e4 {
        format!("{} k", rounded(number / 1e3))
    } else {
        rounded(number)
    }
}

fn rounded(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl Lines {
    /// The least and the greatest of one coordinate.
    fn range(&self, of: fn(&(f64, f64)) -> f64) -> (f64, f64) {
        let all = || self.series.iter().flat_map(|(_, points)| points.iter().map(of));
        (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max))
    }
}

/// A mark of corners around a point, in pixels.
struct Outline<C> {
    at: C,
    corners: &'static [BackendCoord],
    is_filled: bool,
    colour: RGBColor,
}

impl<'a, C> PointCollection<'a, C> for &'a Outline<C> {
    type Point = &'a C;
    type IntoIter = std::iter::Once<&'a C>;

    fn point_iter(self) -> Self::IntoIter {
        std::iter::once(&self.at)
    }
}

impl<C, B: DrawingBackend> Drawable<B> for Outline<C> {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        mut points: I,
        backend: &mut B,
        _: (u32, u32),
    ) -> Result<(), DrawingErrorKind<B::ErrorType>> {
        let Some((x, y)) = points.next() else { return Ok(()) };
        let corners = self.corners.iter().map(|corner| (x + corner.0, y + corner.1));
        if self.is_filled {
            backend.fill_polygon(corners, &self.colour.filled())
        } else {
            backend.draw_path(
                corners.chain([(x + self.corners[0].0, y + self.corners[0].1)]),
                &self.colour.stroke_width(2),
            )
        }
    }
}

/// The mark of a series at a point, in its colour. Each of seven has a shape of its own.
fn mark<B: DrawingBackend, C: Clone + 'static>(number: usize, point: C) -> DynElement<'static, B, C> {
    let colour = COLOURS[number % COLOURS.len()];
    let outline = |corners, is_filled| Outline { at: point.clone(), corners, is_filled, colour }.into_dyn();
    match number % 7 {
        0 => Circle::new(point, 4, colour.filled()).into_dyn(),
        1 => TriangleMarker::new(point, 6, colour.filled()).into_dyn(),
        2 => Cross::new(point, 4, colour.stroke_width(2)).into_dyn(),
        3 => outline(&[(-4, -4), (4, -4), (4, 4), (-4, 4)], true),
        4 => outline(&[(0, -6), (6, 0), (0, 6), (-6, 0)], true),
        5 => outline(&[(-5, 5), (0, -1), (5, 5), (0, -1), (0, -6), (0, -1)], false),
        _ => outline(&[(-4, -4), (4, -4), (4, 4), (-4, 4)], false),
    }
}

impl Picture for Lines {
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), Box<dyn Error>>
    where
        B::ErrorType: 'static,
    {
        area.fill(&WHITE)?;
        let ((left, right), (low, high)) = (self.range(|point| point.0), self.range(|point| point.1));
        // Room above all curves for the names of the series: so much of the height, which is logarithmic.
        let share = ((self.series.len() as f64).mul_add(17.0, 26.0) / f64::from(SIZE.1 - 100)).min(0.6);
        let top = high * (high / low * 2.0).powf(share / (1.0 - share));
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(46)
            .y_label_area_size(70)
            .build_cartesian_2d((left * 0.8..right * 1.25).log_scale(), (low * 0.7..top).log_scale())?;
        let ticks = self.ticks.clone();
        let x_label = move |x: &f64| match &ticks {
            None => shown(*x),
            Some(names) => {
                let place = (0_u8..).zip(names).find(|(place, _)| (tick(*place) / x - 1.0).abs() < 0.01);
                place.map_or_else(String::new, |(_, name)| (*name).to_owned())
            }
        };
        chart
            .configure_mesh()
            .x_desc(self.x)
            .y_desc(self.y)
            .x_label_formatter(&x_label)
            .y_label_formatter(&|y| shown(*y))
            .label_style(("sans-serif", 13))
            .axis_desc_style(("sans-serif", 14))
            .light_line_style(WHITE)
            .bold_line_style(BLACK.mix(0.15))
            .draw()?;
        for (number, (name, points)) in self.series.iter().enumerate() {
            draw_lines(&mut chart, number, name, points, 1)?;
        }
        name_series(&mut chart, SeriesLabelPosition::UpperLeft)
    }
}

/// Draws one series as a line, with its mark at every so many points and at the last one.
pub(crate) fn draw_lines<'b, B, X, Y>(
    chart: &mut ChartContext<'b, B, Cartesian2d<X, Y>>,
    number: usize,
    name: &str,
    points: &[(f64, f64)],
    every: usize,
) -> Result<(), Box<dyn Error>>
where
    B: DrawingBackend + 'b,
    B::ErrorType: 'static,
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let style = COLOURS[number % COLOURS.len()].stroke_width(2);
    chart.draw_series(LineSeries::new(points.iter().copied(), style))?.label(name).legend(move |(x, y)| {
        let line = PathElement::new(vec![(-9, 0), (9, 0)], style);
        EmptyElement::at((x + 9, y)) + line + mark(number, (0, 0))
    });
    let last = points.len().saturating_sub(1);
    let marked = points.iter().enumerate().filter(|(at, _)| at % every == 0 || *at == last);
    chart.draw_series(marked.map(|(_, &point)| mark(number, point)))?;
    Ok(())
}

impl Picture for Bars {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place among a few groups")]
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), Box<dyn Error>>
    where
        B::ErrorType: 'static,
    {
        area.fill(&WHITE)?;
        let height = |bar: f64| if self.is_logarithmic { bar.max(1.0).log10() } else { bar };
        let highest = self.series.iter().flat_map(|(_, bars)| bars).map(|&bar| height(bar)).fold(0.0, f64::max);
        let count = self.groups.len();
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(46)
            .y_label_area_size(70)
            .build_cartesian_2d(
                0.0..count as f64,
                0.0..highest / (1.0 - (self.series.len() as f64).mul_add(17.0, 24.0) / f64::from(SIZE.1 - 100)),
            )?;
        let groups = self.groups.clone();
        chart
            .configure_mesh()
            .disable_x_mesh()
            // Ticks at halves: a name below the middle of each group.
            .x_labels(2 * count + 1)
            .x_label_formatter(&|x| {
                let middle = (x.fract() - 0.5).abs() < 0.01;
                if middle { groups.get(x.floor() as usize).cloned().unwrap_or_default() } else { String::new() }
            })
            .x_desc(self.x)
            .y_desc(self.y)
            .y_labels(if self.is_logarithmic { highest.ceil() as usize + 2 } else { 11 })
            .y_label_formatter(&|y| shown(if self.is_logarithmic { 10.0_f64.powf(*y) } else { *y }))
            .label_style(("sans-serif", 13))
            .axis_desc_style(("sans-serif", 14))
            .light_line_style(WHITE)
            .bold_line_style(BLACK.mix(0.15))
            .draw()?;
        let width = 0.8 / self.series.len() as f64;
        for (number, (name, bars)) in self.series.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let left = |group: usize| group as f64 + 0.1 + number as f64 * width;
            chart
                .draw_series(bars.iter().enumerate().map(|(group, &bar)| {
                    Rectangle::new([(left(group), 0.0), (left(group) + width * 0.94, height(bar))], colour.filled())
                }))?
                .label(name)
                .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 14, y + 5)], colour.filled()));
        }
        name_series(&mut chart, SeriesLabelPosition::UpperRight)
    }
}

/// Draws the names of the series, with their colours, in a corner of a chart.
pub(crate) fn name_series<'b, B: DrawingBackend + 'b, C: CoordTranslate>(
    chart: &mut ChartContext<'b, B, C>,
    corner: SeriesLabelPosition,
) -> Result<(), Box<dyn Error>>
where
    B::ErrorType: 'static,
{
    let labels = &mut chart.configure_series_labels();
    let labels = labels.position(corner).background_style(WHITE.mix(0.85)).border_style(BLACK.mix(0.3));
    labels.label_font(("sans-serif", 13)).draw()?;
    Ok(())
}
