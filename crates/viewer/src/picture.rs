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

    /// Writes a PNG file with at most `most` colours (2 to 256), about a third as large as in full colour.
    pub fn write_small(&self, path: &Path, most: usize) -> Result<()> {
        let failure = |error: &dyn std::fmt::Display| {
            Failure::while_doing(&format!("{} cannot be written", path.display()), error)
        };
        let (palette, indices) = self.reduced(most.clamp(2, 256));
        let file = BufWriter::new(File::create(path).map_err(|error| failure(&error))?);
        let mut encoder = png::Encoder::new(file, self.size[0], self.size[1]);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_palette(palette.as_flattened().to_vec());
        encoder.set_filter(png::Filter::NoFilter);
        encoder.set_compression(png::Compression::High);
        let mut writer = encoder.write_header().map_err(|error| failure(&error))?;
        writer.write_image_data(&indices).map_err(|error| failure(&error))?;
        writer.finish().map_err(|error| failure(&error))
    }

    /// Returns a palette and an index for each pixel. Splits boxes of colours, largest first, at the median of their
    /// longest side; the mean of a box replaces its colours. P. Heckbert, "Color image quantization for frame buffer
    /// display", 1982.
    fn reduced(&self, most: usize) -> (Vec<[u8; 3]>, Vec<u8>) {
        let mut order: Vec<usize> = (0..self.colours.len()).collect();
        let mut boxes: Vec<_> = std::iter::once(0..order.len()).collect();
        let longest = |held: &[usize]| {
            let sides = (0..3_usize).map(|channel| {
                let values = held.iter().map(|&pixel| self.colours[pixel][channel]);
                let (low, high) = values.fold((255, 0), |(low, high), value| (value.min(low), value.max(high)));
                (u8::saturating_sub(high, low), channel)
            });
            sides.max().unwrap_or_default()
        };
        while boxes.len() < most {
            let weight = |at: &usize| {
                let held = &order[boxes[*at].clone()];
                u64::from(longest(held).0) * (held.len() as f64).sqrt() as u64
            };
            let Some(largest) = (0..boxes.len()).max_by_key(weight).filter(|at| weight(at) > 0) else { break };
            let range = boxes[largest].clone();
            let channel = longest(&order[range.clone()]).1;
            order[range.clone()].sort_by_key(|&pixel| (self.colours[pixel][channel], pixel));
            let middle = range.start + range.len() / 2;
            boxes[largest] = range.start..middle;
            boxes.push(middle..range.end);
        }
        let mut indices = vec![0; self.colours.len()];
        let mut palette = Vec::with_capacity(boxes.len());
        for (number, held) in boxes.iter().map(|range| &order[range.clone()]).enumerate() {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the mean of bytes is a byte, and 256 colours are numbered"
            )]
            {
                let mean = |channel: usize| {
                    let sum: usize = held.iter().map(|&pixel| usize::from(self.colours[pixel][channel])).sum();
                    (sum / held.len().max(1)) as u8
                };
                palette.push([mean(0), mean(1), mean(2)]);
                held.iter().for_each(|&pixel| indices[pixel] = number as u8);
            }
        }
        (palette, indices)
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
    fn few_colours_stand_for_those_near_them() {
        let colours = (0..=255_u8).map(|value| [value, 255 - value, value / 2]).collect();
        let picture = Picture { size: [16, 16], colours };
        let (palette, indices) = picture.reduced(32);
        assert_eq!(palette.len(), 32);
        for (colour, &index) in picture.colours.iter().zip(&indices) {
            let found = palette[usize::from(index)];
            assert!((0..3).all(|channel| colour[channel].abs_diff(found[channel]) <= 8), "{colour:?} {found:?}");
        }
        let plain = Picture { size: [4, 1], colours: vec![[9, 8, 7]; 4] };
        assert_eq!(plain.reduced(256), (vec![[9, 8, 7]], vec![0; 4]));
    }

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
