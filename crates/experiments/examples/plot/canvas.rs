//! Where pictures are drawn: once as SVG, once as PNG, from the same description.

use plotters::coord::Shift;
use plotters::prelude::{BitMapBackend, DrawingArea, DrawingBackend, IntoDrawingArea, RGBColor, SVGBackend};
use plotters::style::{FontStyle, register_font};
use std::error::Error;
use std::path::{Path, PathBuf};

/// Width and height of a chart.
pub(crate) const SIZE: (u32, u32) = (760, 460);

/// Colours that the colour-blind tell apart, too. Source: M. Okabe, K. Ito, *Color Universal Design*, 2002. Grey
/// stands in for their yellow, which is hard to see on white.
pub(crate) const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
    RGBColor(150, 150, 150),
];

/// Where fonts usually are.
const FONTS: [&str; 6] = [
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/TTF/DejaVuSans.ttf",
    "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf",
    "/System/Library/Fonts/Supplemental/Arial.ttf",
    "C:/Windows/Fonts/arial.ttf",
];

/// Reads the font that all text is written with.
pub(crate) fn load_font(named: Option<&Path>) -> Result<(), Box<dyn Error>> {
    let usual = || FONTS.iter().map(Path::new).find(|path| path.exists());
    let path = named.or_else(usual).ok_or("no font in the usual places: name one by --font FILE.ttf")?;
    let bytes: &'static [u8] = Box::leak(std::fs::read(path)?.into_boxed_slice());
    register_font("sans-serif", FontStyle::Normal, bytes).map_err(|_| format!("{} is no font", path.display()))?;
    Ok(())
}

/// A picture that can be drawn on anything.
pub(crate) trait Picture {
    /// Draws it.
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), Box<dyn Error>>
    where
        B::ErrorType: 'static;
}

/// Writes a picture as NAME.svg and NAME.png, and returns where these are.
pub(crate) fn save(picture: &impl Picture, folder: &Path, name: &str) -> Result<[PathBuf; 2], Box<dyn Error>> {
    let [svg, png] = ["svg", "png"].map(|kind| folder.join(format!("{name}.{kind}")));
    {
        let area = SVGBackend::new(&svg, SIZE).into_drawing_area();
        picture.draw(&area)?;
        area.present()?;
    }
    let mut pixels = vec![255; 3 * (SIZE.0 * SIZE.1) as usize];
    {
        let area = BitMapBackend::with_buffer(&mut pixels, SIZE).into_drawing_area();
        picture.draw(&area)?;
        area.present()?;
    }
    write_png(&png, SIZE, &pixels)?;
    Ok([svg, png])
}

/// Writes red, green and blue of each pixel.
pub(crate) fn write_png(path: &Path, (width, height): (u32, u32), pixels: &[u8]) -> Result<(), Box<dyn Error>> {
    let mut encoder = png::Encoder::new(std::io::BufWriter::new(std::fs::File::create(path)?), width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    encoder.write_header()?.write_image_data(pixels)?;
    Ok(())
}
