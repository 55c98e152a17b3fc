//! Images of files, decoded.

use super::Image;
use png::{ColorType, Transformations};
use std::io::Cursor;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// The most bytes of a decoded image; larger images are refused.
const MOST_BYTES: usize = 1 << 29;

/// Decodes a PNG or JPEG image; `None` for other formats and invalid data.
pub(super) fn decoded(bytes: &[u8]) -> Option<Image> {
    if bytes.starts_with(b"\x89PNG") { png(bytes) } else { jpeg(bytes) }
}

fn png(bytes: &[u8]) -> Option<Image> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(Transformations::ALPHA | Transformations::STRIP_16);
    let mut reader = decoder.read_info().ok()?;
    let mut data = vec![0; reader.output_buffer_size().filter(|&size| size <= MOST_BYTES)?];
    let info = reader.next_frame(&mut data).ok()?;
    let data = data.get(..info.buffer_size())?;
    let pixels = match info.color_type {
        ColorType::Rgba => data.as_chunks().0.to_vec(),
        ColorType::Rgb => data.as_chunks().0.iter().map(|&[r, g, b]| [r, g, b, 255]).collect(),
        ColorType::GrayscaleAlpha => data.as_chunks().0.iter().map(|&[grey, a]| [grey, grey, grey, a]).collect(),
        ColorType::Grayscale => grey(data),
        ColorType::Indexed => return None,
    };
    Some(Image { size: [info.width, info.height], pixels })
}

fn jpeg(bytes: &[u8]) -> Option<Image> {
    let decoder = |space| {
        let options = DecoderOptions::default().jpeg_set_out_colorspace(space);
        JpegDecoder::new_with_options(ZCursor::new(bytes), options)
    };
    let mut headers = decoder(ColorSpace::RGBA);
    headers.decode_headers().ok()?;
    let is_grey = headers.input_colorspace()? == ColorSpace::Luma;
    let (width, height) = headers.dimensions()?;
    let data = decoder(if is_grey { ColorSpace::Luma } else { ColorSpace::RGBA }).decode().ok()?;
    let pixels = if is_grey { grey(&data) } else { data.as_chunks().0.to_vec() };
    Some(Image { size: [u32::try_from(width).ok()?, u32::try_from(height).ok()?], pixels })
}

fn grey(data: &[u8]) -> Vec<[u8; 4]> {
    data.iter().map(|&grey| [grey, grey, grey, 255]).collect()
}

/// Returns an image of half the size; each pixel is the mean of four.
pub(crate) fn halved([width, height]: [u32; 2], pixels: &[[u8; 4]]) -> ([u32; 2], Vec<[u8; 4]>) {
    let half = [(width / 2).max(1), (height / 2).max(1)];
    let at = |x: u32, y: u32| pixels[(y.min(height - 1) * width + x.min(width - 1)) as usize].map(u16::from);
    let mean = |number: u32| {
        let (x, y) = (number % half[0] * 2, number / half[0] * 2);
        let four = [at(x, y), at(x + 1, y), at(x, y + 1), at(x + 1, y + 1)];
        #[expect(clippy::cast_possible_truncation, reason = "the mean of bytes is a byte")]
        let mean = |channel: usize| ((four.iter().map(|pixel| pixel[channel]).sum::<u16>() + 2) / 4) as u8;
        std::array::from_fn(mean)
    };
    (half, (0..half[0] * half[1]).map(mean).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a PNG file of 2 × 1 pixels.
    fn file(colour: ColorType, depth: png::BitDepth, data: &[u8], palette: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
        encoder.set_color(colour);
        encoder.set_depth(depth);
        if !palette.is_empty() {
            encoder.set_palette(palette.to_vec());
        }
        encoder.write_header().unwrap().write_image_data(data).unwrap();
        bytes
    }

    #[test]
    fn every_kind_of_png_becomes_red_green_blue_and_alpha() {
        use png::BitDepth::{Eight, One, Sixteen};
        let two = [[10, 20, 30, 255], [40, 50, 60, 255]];
        let grey = [[7, 7, 7, 255], [9, 9, 9, 255]];
        let cases: [(Vec<u8>, [[u8; 4]; 2]); 6] = [
            (file(ColorType::Rgb, Eight, &[10, 20, 30, 40, 50, 60], &[]), two),
            (file(ColorType::Rgba, Eight, &[10, 20, 30, 255, 40, 50, 60, 255], &[]), two),
            (file(ColorType::Grayscale, Eight, &[7, 9], &[]), grey),
            (file(ColorType::GrayscaleAlpha, Eight, &[7, 255, 9, 255], &[]), grey),
            (file(ColorType::Grayscale, Sixteen, &[7, 1, 9, 2], &[]), grey),
            (file(ColorType::Indexed, One, &[0b0100_0000], &[10, 20, 30, 40, 50, 60]), two),
        ];
        for (bytes, pixels) in cases {
            assert_eq!(decoded(&bytes), Some(Image { size: [2, 1], pixels: pixels.into() }));
            assert_eq!(decoded(&bytes[..bytes.len() / 2]), None, "half of a file");
        }
        assert_eq!(decoded(b"GIF89a"), None);
    }

    #[test]
    fn jpeg_in_colour_and_grey_is_decoded() {
        for (bytes, expected) in [(GREY, [[128; 3]; 2]), (RED, [[254, 0, 0]; 2])] {
            let image = decoded(bytes).unwrap();
            assert_eq!(image.size, [2, 1]);
            for (pixel, colour) in image.pixels.iter().zip(expected) {
                assert!((0..3).all(|channel| pixel[channel].abs_diff(colour[channel]) <= 2), "{pixel:?}");
                assert_eq!(pixel[3], 255);
            }
            assert_eq!(decoded(&bytes[..40]), None, "the beginning of a file");
        }
    }

    /// A grey JPEG file of 2 × 1 pixels.
    #[rustfmt::skip]
    const GREY: &[u8] = &[
        255, 216, 255, 224, 0, 16, 74, 70, 73, 70, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 255, 219, 0, 67,
        0, 3, 2, 2, 3, 2, 2, 3, 3, 3, 3, 4, 3, 3, 4, 5, 8, 5, 5, 4, 4, 5, 10, 7,
        7, 6, 8, 12, 10, 12, 12, 11, 10, 11, 11, 13, 14, 18, 16, 13, 14, 17, 14, 11, 11, 16, 22, 16,
        17, 19, 20, 21, 21, 21, 12, 15, 23, 24, 22, 20, 24, 18, 20, 21, 20, 255, 192, 0, 11, 8, 0, 1,
        0, 2, 1, 1, 17, 0, 255, 196, 0, 20, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 255, 196, 0, 20, 16, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 255, 218, 0, 8, 1, 1, 0, 0, 63, 0, 63, 255, 217,
    ];

    /// A red JPEG file of 2 × 1 pixels.
    #[rustfmt::skip]
    const RED: &[u8] = &[
        255, 216, 255, 224, 0, 16, 74, 70, 73, 70, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 255, 219, 0, 67,
        0, 2, 1, 1, 1, 1, 1, 2, 1, 1, 1, 2, 2, 2, 2, 2, 4, 3, 2, 2, 2, 2, 5, 4,
        4, 3, 4, 6, 5, 6, 6, 6, 5, 6, 6, 6, 7, 9, 8, 6, 7, 9, 7, 6, 6, 8, 11, 8,
        9, 10, 10, 10, 10, 10, 6, 8, 11, 12, 11, 10, 12, 9, 10, 10, 10, 255, 219, 0, 67, 1, 2, 2,
        2, 2, 2, 2, 5, 3, 3, 5, 10, 7, 6, 7, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
        10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
        10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 255, 192, 0, 17, 8, 0, 1, 0, 2, 3,
        1, 17, 0, 2, 17, 1, 3, 17, 1, 255, 196, 0, 20, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 8, 255, 196, 0, 20, 16, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 255, 196, 0, 21, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 8, 9, 255, 196, 0, 20, 17, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 255, 218, 0, 12, 3, 1, 0, 2, 17, 3, 17, 0, 63, 0, 23, 138, 107, 248, 255, 217,
    ];
}
