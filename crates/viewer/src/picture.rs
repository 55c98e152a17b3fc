//! Pictures as PNG files, and differences of pictures.

use crate::failure::{Failure, Result};
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;

/// Colours in sRGB, row by row from the top.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Width and height.
    pub size: [u32; 2],
    /// Red, green and blue.
    pub colours: Vec<[u8; 3]>,
}

/// The difference of two pictures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The mean difference of all channels, from 0 to 255.
    pub mean: f64,
    /// The fraction of pixels with a channel that differs by more than [`Difference::VISIBLE`].
    pub share: f64,
}

impl Difference {
    /// The least channel difference that the eye sees in pictures side by side; channels go up to 255.
    pub const VISIBLE: u8 = 12;
}

impl Picture {
    /// Writes a PNG file.
    pub fn write(&self, path: &Path) -> Result<()> {
        let failure = |error: &dyn std::fmt::Display| {
            Failure::while_doing(&format!("{} cannot be written", path.display()), error)
        };
        let file = BufWriter::new(File::create(path).map_err(|error| failure(&error))?);
        let mut encoder = png::Encoder::new(file, self.size[0], self.size[1]);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        let mut writer = encoder.write_header().map_err(|error| failure(&error))?;
        writer.write_image_data(self.colours.as_flattened()).map_err(|error| failure(&error))?;
        writer.finish().map_err(|error| failure(&error))
    }

    /// Reads a PNG file that [`Picture::write`] wrote.
    pub fn read(path: &Path) -> Result<Self> {
        let failure =
            |error: &dyn std::fmt::Display| Failure::while_doing(&format!("{} cannot be read", path.display()), error);
        let file = BufReader::new(File::open(path).map_err(|error| failure(&error))?);
        let mut reader = png::Decoder::new(file).read_info().map_err(|error| failure(&error))?;
        let mut bytes = vec![0; reader.output_buffer_size().ok_or_else(|| failure(&"it is too large"))?];
        let info = reader.next_frame(&mut bytes).map_err(|error| failure(&error))?;
        if (info.color_type, info.bit_depth) != (png::ColorType::Rgb, png::BitDepth::Eight) {
            return Err(failure(&"it is not in 8-bit RGB"));
        }
        Ok(Self { size: [info.width, info.height], colours: bytes.as_chunks().0.to_vec() })
    }

    /// Returns the difference to another picture, or the greatest possible difference if the sizes differ.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Difference {
        if self.size != other.size {
            return Difference { mean: 255.0, share: 1.0 };
        }
        let (mut sum, mut visible) = (0_u64, 0_u64);
        for (a, b) in self.colours.iter().zip(&other.colours) {
            let apart: [u8; 3] = std::array::from_fn(|channel| a[channel].abs_diff(b[channel]));
            sum += apart.iter().map(|&apart| u64::from(apart)).sum::<u64>();
            visible += u64::from(apart.iter().any(|&apart| apart > Difference::VISIBLE));
        }
        let pixels = self.colours.len() as f64;
        Difference { mean: sum as f64 / (3.0 * pixels), share: visible as f64 / pixels }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_comes_back_from_its_file_and_differences_are_counted() {
        let path = std::env::temp_dir().join(format!("hedgerow-viewer-{}.png", std::process::id()));
        let picture = Picture { size: [2, 1], colours: vec![[0, 100, 200], [255; 3]] };
        picture.write(&path).unwrap();
        assert_eq!(Picture::read(&path).unwrap(), picture);
        std::fs::remove_file(path).unwrap();
        let other = Picture { size: [2, 1], colours: vec![[0, 130, 200], [255; 3]] };
        assert_eq!(picture.difference(&other), Difference { mean: 5.0, share: 0.5 });
        assert_eq!(picture.difference(&picture), Difference { mean: 0.0, share: 0.0 });
        let small = Picture { size: [1, 1], colours: vec![[0; 3]] };
        assert_eq!(picture.difference(&small).share, 1.0);
    }
}
