//! A picture of characters on a plain in afternoon light.

use crate::army::Coat;
use crate::camera::Camera;
use crate::puppet::Cover;
use crate::raster::Raster;
use crate::sun::Sun;
use hedgerow::Mat34;
use hedgerow::glam::Vec3;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

/// A skinned character in its own space, and its world matrix.
pub(crate) struct Figure<'a> {
    pub(crate) positions: &'a [[f32; 3]],
    pub(crate) normals: &'a [[f32; 3]],
    pub(crate) covers: &'a [Cover],
    pub(crate) indices: &'a [u32],
    pub(crate) coat: &'a Coat,
    pub(crate) world: Mat34,
}

/// The number of rays per pixel along each axis, for antialiasing.
const FINE: usize = 2;
const SUN: Vec3 = Vec3::new(0.75, 0.72, 0.42);
const SUNLIGHT: Vec3 = Vec3::new(2.35, 2.05, 1.65);
const SKYLIGHT: Vec3 = Vec3::new(0.40, 0.50, 0.68);
const BOUNCE: Vec3 = Vec3::new(0.30, 0.27, 0.18);
const ZENITH: Vec3 = Vec3::new(0.16, 0.34, 0.66);
const HORIZON: Vec3 = Vec3::new(0.72, 0.76, 0.80);
const MEADOW: Vec3 = Vec3::new(0.20, 0.24, 0.085);
const SAND: Vec3 = Vec3::new(0.33, 0.27, 0.16);
/// The distance at which haze hides about two thirds, in metres.
const HAZE: f32 = 230.0;

/// Colours in sRGB, row by row from the top.
pub(crate) struct Picture {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) colours: Vec<[u8; 3]>,
}

/// The visible surface at a pixel.
#[derive(Clone, Copy, Default)]
struct Seen {
    normal: [i8; 3],
    colour: [u8; 3],
}

impl Picture {
    /// Draws the view of a camera whose size is the [`fine`](Self::fine) size. Shadows fall within `reach` of `centre`.
    pub(crate) fn draw<'a>(
        size: [usize; 2],
        camera: &Camera,
        figures: impl IntoIterator<Item = Figure<'a>>,
        centre: Vec3,
        reach: f32,
    ) -> Self {
        let mut sun = Sun::new(SUN, centre, reach);
        let mut raster = Raster::new(Self::fine(size));
        for Figure { positions, normals, covers, indices, coat, world } in figures {
            let places: Vec<Vec3> = positions.iter().map(|&place| world.transform_point(place.into())).collect();
            let normals: Vec<Vec3> = normals.iter().map(|&normal| world.transform_vector(normal.into())).collect();
            let (triangles, _) = indices.as_chunks::<3>();
            for corners in triangles {
                let corners = corners.map(|corner| corner as usize);
                let places = corners.map(|corner| places[corner]);
                sun.shade(places);
                let [Some(a), Some(b), Some(c)] = places.map(|place| camera.project(place)) else { continue };
                raster.triangle([a, b, c], |shares| {
                    let mix = |[a, b, c]: [Vec3; 3]| a * shares[0] + b * shares[1] + c * shares[2];
                    let normal = mix(corners.map(|corner| normals[corner])).normalize_or(Vec3::Y);
                    let colour = mix(corners.map(|corner| coat[covers[corner] as usize]));
                    Seen { normal: normal.to_array().map(signed), colour: colour.to_array().map(encoded) }
                });
            }
        }

        let light = |fine: [usize; 2], offset: f32| {
            let pixel = fine[1] * raster.width + fine[0];
            let seen = (raster.nearness[pixel] > 0.0).then(|| (raster.nearness[pixel], raster.pixels[pixel]));
            shade(seen, &sun, camera, camera.ray(fine[0] as f32 + offset, fine[1] as f32 + offset))
        };
        let [width, height] = size;
        let pixels = (0..width * height).map(|pixel| {
            let [x, y] = [pixel % width * FINE, pixel / width * FINE];
            let fine = (0..FINE * FINE).map(|ray| [x + ray % FINE, y + ray / FINE]);
            let colour = if fine.clone().all(|[x, y]| raster.nearness[y * raster.width + x] == 0.0) {
                // Plain and sky need no antialiasing.
                light([x, y], 0.5 * FINE as f32)
            } else {
                fine.map(|fine| light(fine, 0.5)).sum::<Vec3>() / (FINE * FINE) as f32
            };
            colour.to_array().map(encoded)
        });
        Self { width, height, colours: pixels.collect() }
    }

    /// Returns the size that the camera must have for a picture of this size.
    pub(crate) fn fine(size: [usize; 2]) -> [usize; 2] {
        size.map(|side| side * FINE)
    }

    pub(crate) fn plain([width, height]: [usize; 2]) -> Self {
        Self { width, height, colours: vec![[255; 3]; width * height] }
    }

    /// Copies a smaller picture into this one.
    pub(crate) fn paste(&mut self, other: &Self, [left, top]: [usize; 2]) {
        for (y, row) in other.colours.chunks_exact(other.width).enumerate() {
            let start = (top + y) * self.width + left;
            self.colours[start..start + other.width].copy_from_slice(row);
        }
    }

    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        let side = |side: usize| u32::try_from(side).map_err(io::Error::other);
        let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), side(self.width)?, side(self.height)?);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(self.colours.as_flattened())?;
        Ok(writer.finish()?)
    }
}

/// Returns the light along a ray: from the character seen at a depth, from the plain, or from the sky.
fn shade(seen: Option<(f32, Seen)>, sun: &Sun, camera: &Camera, ray: Vec3) -> Vec3 {
    let (place, normal, colour) = if let Some((nearness, seen)) = seen {
        let normal = Vec3::from(seen.normal.map(f32::from)).normalize_or(Vec3::Y);
        (camera.eye() + ray / nearness, normal, Vec3::from(seen.colour.map(decoded)))
    } else if ray.y < -1e-4 {
        let place = camera.eye() - ray * (camera.eye().y / ray.y);
        (place, Vec3::Y, MEADOW.lerp(SAND, patches(place.x, place.z)))
    } else {
        return HORIZON.lerp(ZENITH, (2.2 * ray.normalize().y).clamp(0.0, 1.0).sqrt());
    };
    let facing = normal.dot(sun.direction).max(0.0);
    let direct = if facing > 0.0 { SUNLIGHT * (facing * sun.light(place, normal)) } else { Vec3::ZERO };
    let ambient = BOUNCE.lerp(SKYLIGHT, 0.5 + 0.5 * normal.y);
    let clear = (-place.distance(camera.eye()) / HAZE).exp();
    HORIZON.lerp(colour * (direct + ambient) * 0.62, clear)
}

/// Returns the share of sand on the plain, from 0 to 1: a sum of waves.
fn patches(x: f32, z: f32) -> f32 {
    let wave = |x: f32, z: f32| (x + 1.7 * (0.6 * z).sin()).sin() * (z + 1.3 * (0.8 * x).cos()).cos();
    (0.5 + 0.35 * wave(0.21 * x, 0.17 * z) + 0.22 * wave(0.9 * x, 1.1 * z) + 0.10 * wave(5.0 * x, 4.1 * z))
        .clamp(0.0, 1.0)
}

#[expect(clippy::cast_possible_truncation, reason = "a part of a unit vector")]
fn signed(value: f32) -> i8 {
    (value * 127.0).round() as i8
}

/// Converts linear light to sRGB, approximated by a square root; `decoded` is the inverse.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the value is clamped")]
fn encoded(value: f32) -> u8 {
    (value.clamp(0.0, 1.0).sqrt() * 255.0).round() as u8
}

fn decoded(value: u8) -> f32 {
    (f32::from(value) / 255.0).powi(2)
}
