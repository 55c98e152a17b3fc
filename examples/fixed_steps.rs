//! A simulation in fixed steps, drawn at another rate: a carousel with swinging gondolas, one of which is teleported.
//!
//! ```text
//! cargo run --example fixed_steps
//! ```
//!
//! The simulation runs twice, without frames and with 144 frames per second. Both runs end with the same bits. Each
//! frame blends two steps, so gondolas move evenly although 144 is not a multiple of 50. The teleported gondola is
//! never drawn halfway.

use hedgerow::glam::{Quat, Vec3};
use hedgerow::motion::Smooth;
use hedgerow::{Aabb, DrawList, Drawable, Error, Node, NodeHandle, Scene, SceneConfig, Transform};
use std::f32::consts::TAU;

const STEPS_A_SECOND: u32 = 50;
const FRAMES_A_SECOND: u32 = 144;
const SECONDS: u32 = 4;
const GONDOLAS: usize = 6;
/// The target of the first gondola's teleport.
const FAR: Vec3 = Vec3::new(500.0, 0.0, 0.0);

struct Carousel {
    scene: Scene,
    wheel: NodeHandle,
    gondolas: Vec<NodeHandle>,
    steps: u32,
}

impl Carousel {
    fn new() -> Result<Self, Error> {
        let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
        let wheel = scene.insert(scene.root(), Node::transform(Transform::IDENTITY).with_name("wheel"))?;
        let mut gondolas = Vec::new();
        for number in 0..GONDOLAS {
            let angle = Quat::from_rotation_y(number as f32 * TAU / GONDOLAS as f32);
            let place = Transform::from_translation(angle * Vec3::new(4.0, 0.0, 0.0));
            let gondola = Node::transform(place).with_drawable(Drawable::new(1, Aabb::cube(0.5)));
            gondolas.push(scene.insert(wheel, gondola)?);
        }
        scene.update();
        Ok(Self { scene, wheel, gondolas, steps: 0 })
    }

    /// Runs one step. Returns the teleported node, if any.
    fn step(&mut self) -> Result<Option<NodeHandle>, Error> {
        self.steps += 1;
        let time = self.steps as f32 / STEPS_A_SECOND as f32;
        self.scene.modify_local(self.wheel, |local| local.rotation = Quat::from_rotation_y(time))?;
        for (number, &gondola) in self.gondolas.iter().enumerate() {
            let swing = 0.4 * (time * 3.0 + number as f32).sin();
            self.scene.modify_local(gondola, |local| local.rotation = Quat::from_rotation_z(swing))?;
        }
        let teleported = (self.steps == STEPS_A_SECOND * SECONDS / 2).then_some(self.gondolas[0]);
        if let Some(gondola) = teleported {
            self.scene.modify_local(gondola, |local| local.translation = FAR)?;
        }
        self.scene.update();
        Ok(teleported)
    }
}

fn main() -> Result<(), Error> {
    let mut unseen = Carousel::new()?;
    for _ in 0..STEPS_A_SECOND * SECONDS {
        unseen.step()?;
    }

    let mut carousel = Carousel::new()?;
    let mut smooth = Smooth::new(&carousel.scene)?.with_motion();
    let mut list = DrawList::new().with_motion();
    let (mut shortest, mut longest) = (f32::INFINITY, 0.0_f32);
    for frame in 0..FRAMES_A_SECOND * SECONDS {
        // Integers give the number of steps that are due and the elapsed part of the next step.
        let due = frame * STEPS_A_SECOND;
        while carousel.steps < due / FRAMES_A_SECOND {
            if let Some(gondola) = carousel.step()? {
                smooth.cut(gondola);
            }
            smooth.step(&carousel.scene)?;
        }
        let alpha = (due % FRAMES_A_SECOND) as f32 / FRAMES_A_SECOND as f32;
        let shown = smooth.blend(&mut carousel.scene, alpha);
        shown.draw_list(&mut list);

        let previous = list.previous_matrices().expect("the scene tracks changes");
        for ((command, now), before) in list.commands().iter().zip(list.matrices()).zip(previous) {
            let out = now.translation().length();
            assert!((3.9..4.1).contains(&out) || (499.0..501.0).contains(&out), "never halfway, but {out}");
            // Skips the first steps, in which nothing moves.
            if command.node == carousel.gondolas[1] && carousel.steps > 1 {
                let moved = now.translation().distance(before.translation());
                (shortest, longest) = (shortest.min(moved), longest.max(moved));
            }
        }
    }
    println!("a gondola moves {shortest:.5} to {longest:.5} a frame");
    assert!(longest < shortest * 1.02, "motion is even");

    while carousel.steps < STEPS_A_SECOND * SECONDS {
        carousel.step()?;
    }
    assert_eq!(carousel.scene.to_bytes(), unseen.scene.to_bytes());
    println!(
        "after {} steps and {} frames the scene is the same in all bits",
        carousel.steps,
        FRAMES_A_SECOND * SECONDS
    );
    Ok(())
}
