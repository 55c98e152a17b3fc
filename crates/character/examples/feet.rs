//! Feet on stairs and a slope: a walk that was made for flat ground, placed by inverse kinematics, drawn from the side.
//!
//! `cargo run --release --example feet -- feet.png` writes the picture, a strip of moments.

use hedgerow_anim::glam::{Vec2, Vec3};
use hedgerow_anim::ik::{Aim, Contact, End, Feet, Goal, Look, Rig, TwoBone};
use hedgerow_anim::{Pose, SkeletonBuilder, Transform};
use std::fs::File;

const FRAME: f32 = 1.0 / 60.0;
const SPEED: f32 = 1.5;
/// The height of the ankles over the soles.
const HEEL: f32 = 0.08;
const STAIRS: (f32, f32, f32) = (2.0, 0.3, 0.17);
const TOP: f32 = 8.0 * STAIRS.2;

/// The height of the ground: stairs up, a landing, a slope of 22° down.
fn ground(z: f32) -> f32 {
    let stair = ((z - STAIRS.0) / STAIRS.1).floor() + 1.0;
    (stair * STAIRS.2).clamp(0.0, TOP).min(TOP - (z - 6.0) * 0.4).max(0.0)
}

/// The height of the character, which a game takes from its capsule: a ramp over the stairs.
fn base(z: f32) -> f32 {
    ((z - STAIRS.0) / STAIRS.1 * STAIRS.2 + 0.5 * STAIRS.2).clamp(0.0, TOP).min(TOP - (z - 6.0) * 0.4).max(0.0)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = SkeletonBuilder::new();
    let pelvis = builder.joint("pelvis", None, Transform::from_xyz(0.0, 0.86, 0.0));
    for (name, side) in [("left", 0.1), ("right", -0.1)] {
        let hip = builder.joint(format!("{name} hip"), Some(pelvis), Transform::from_xyz(side, 0.0, 0.0));
        let knee = builder.joint(format!("{name} knee"), Some(hip), Transform::from_xyz(0.0, -0.45, 0.03));
        let ankle = builder.joint(format!("{name} ankle"), Some(knee), Transform::from_xyz(0.0, -0.45, -0.03));
        builder.joint(format!("{name} toe"), Some(ankle), Transform::from_xyz(0.0, -HEEL, 0.16));
    }
    let chest = builder.joint("chest", Some(pelvis), Transform::from_xyz(0.0, 0.45, 0.02));
    builder.joint("head", Some(chest), Transform::from_xyz(0.0, 0.2, 0.0));
    let (skeleton, _) = builder.build()?;
    let joint = |name: &str| skeleton.find(name).ok_or(format!("no joint {name}"));

    // Once, for all characters.
    let mut legs = Vec::new();
    for name in ["left", "right"] {
        let joints =
            [joint(&format!("{name} hip"))?, joint(&format!("{name} knee"))?, joint(&format!("{name} ankle"))?];
        legs.push(TwoBone::new(&skeleton, joints)?);
    }
    let head = Aim::new(joint("head")?, Vec3::Z).with_cone(Vec3::Z, 1.0);

    // For each character.
    let mut feet = Feet::new(&skeleton, pelvis, &[(legs[0], HEEL), (legs[1], HEEL)])?;
    let (mut pose, mut models) = (Pose::rest(&skeleton), Vec::new());
    let mut picture = Picture::new(1180, 400);
    let mut inside = 0.0_f32;
    for frame in 0..=420_u16 {
        let time = f32::from(frame) * FRAME;
        let walked = SPEED * time;
        walk(&skeleton, &legs, time, &mut pose, &mut models)?;

        // The ground in the space of the model, by rays in a game.
        let over = |at: Vec3| {
            let slope = if walked + at.z > 6.0 && ground(walked + at.z) > 0.0 { 0.4 } else { 0.0 };
            let point = at.with_y(ground(walked + at.z) - base(walked));
            Contact { point, normal: Vec3::new(0.0, 1.0, slope).normalize() }
        };
        let climb = (base(walked + 0.01) - base(walked)) / 0.01;
        let mut rig = Rig::new(&skeleton, &mut pose, &mut models)?;
        feet.place(&mut rig, FRAME, Vec3::new(0.0, climb, 1.0) * SPEED, |at| Some(over(at)));
        head.solve(&mut rig, &Look::at(Vec3::new(0.0, base(walked + 2.0) - base(walked) + 0.8, 2.0)));

        for leg in &legs {
            let ankle = rig.position(leg.joints()[2]);
            let contact = over(ankle);
            inside = inside.max(HEEL - (ankle - contact.point).dot(contact.normal));
        }
        if frame % 45 == 0 {
            picture.draw(&rig, skeleton.parents(), Vec2::new(walked, base(walked)));
        }
    }
    println!("soles were inside of the ground by {:.1} mm at most", inside * 1e3);
    assert!(inside < 0.01);
    if let Some(path) = std::env::args_os().nth(1) {
        picture.write(File::create(path)?)?;
    }
    Ok(())
}

/// Poses a walk on flat ground, in place of a clip. Feet stand for half of each second.
fn walk(
    skeleton: &hedgerow_anim::Skeleton,
    legs: &[TwoBone],
    time: f32,
    pose: &mut Pose,
    models: &mut Vec<hedgerow_anim::Mat34>,
) -> Result<(), hedgerow_anim::Error> {
    *pose = Pose::rest(skeleton);
    pose.to_models(skeleton, models)?;
    let mut rig = Rig::new(skeleton, pose, models)?;
    for (leg, start) in legs.iter().zip([0.0, 0.5]) {
        let phase = (time + start).fract();
        let swing = (phase - 0.5).max(0.0);
        let along = if phase < 0.5 { 0.375 - SPEED * phase } else { -0.375 + SPEED * swing };
        let lift = 0.12 * (core::f32::consts::TAU * swing).sin();
        let ankle = Vec3::new(rig.position(leg.joints()[2]).x, HEEL + lift, along);
        leg.solve(&mut rig, &Goal { end: End::Model, ..Goal::at(ankle) });
    }
    Ok(())
}

#[expect(clippy::cast_possible_truncation, reason = "the conversion saturates")]
fn pixel(place: f32) -> u32 {
    place as u32
}

/// A picture from the side, 110 pixels a metre.
struct Picture {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

impl Picture {
    fn new(width: u32, height: u32) -> Self {
        let mut picture = Self { width, height, pixels: vec![255; (width * height * 3) as usize] };
        for x in 0..width {
            let top = picture.at(Vec2::new(x as f32 / 110.0 - 0.6, 0.0).with_y(ground(x as f32 / 110.0 - 0.6))).y;
            for y in pixel(top)..height {
                picture.put(x, y, [200, 196, 186]);
            }
        }
        picture
    }

    fn at(&self, place: Vec2) -> Vec2 {
        Vec2::new((place.x + 0.6) * 110.0, self.height as f32 - 30.0 - place.y * 110.0)
    }

    fn put(&mut self, x: u32, y: u32, colour: [u8; 3]) {
        if x < self.width && y < self.height {
            let at = ((y * self.width + x) * 3) as usize;
            self.pixels[at..at + 3].copy_from_slice(&colour);
        }
    }

    fn draw(&mut self, rig: &Rig<'_>, parents: &[u16], origin: Vec2) {
        let places: Vec<Vec2> =
            (0..).take(parents.len()).map(|joint| rig.position(joint)).map(|p| Vec2::new(p.z, p.y)).collect();
        for (joint, &parent) in parents.iter().enumerate().rev() {
            let Some(&from) = places.get(usize::from(parent)) else { continue };
            let colour = if (5..9).contains(&joint) { [150, 110, 90] } else { [60, 90, 150] };
            let head = joint + 1 == parents.len();
            self.line(self.at(origin + from), self.at(origin + places[joint]), if head { 9.0 } else { 3.0 }, colour);
        }
    }

    fn line(&mut self, a: Vec2, b: Vec2, radius: f32, colour: [u8; 3]) {
        let (low, high) = (a.min(b) - radius, a.max(b) + radius);
        for y in pixel(low.y)..=pixel(high.y) {
            for x in pixel(low.x)..=pixel(high.x) {
                let point = Vec2::new(x as f32, y as f32);
                let share = ((point - a).dot(b - a) / (b - a).length_squared().max(1.0)).clamp(0.0, 1.0);
                if point.distance(a.lerp(b, share)) < radius {
                    self.put(x, y, colour);
                }
            }
        }
    }

    fn write(&self, file: File) -> Result<(), png::EncodingError> {
        let mut encoder = png::Encoder::new(file, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header()?.write_image_data(&self.pixels)
    }
}
