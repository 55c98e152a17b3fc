//! Which animation of a file plays, and how; the cameras of a file.

use super::{Play, Stage};
use crate::camera::Camera;
use crate::failure::Result;

/// How a file plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playing {
    /// Which of its animations.
    pub animation: usize,
    /// Whether it pauses.
    pub paused: bool,
    /// How fast it plays: 1 as in the file, negative backward.
    pub speed: f32,
    /// Where it is, in seconds.
    pub time: f32,
    /// How long it takes.
    pub duration: f32,
}

/// What is to play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cue {
    /// Another animation, from its beginning.
    Animation(usize),
    /// The same one, from a time in seconds.
    Time(f32),
}

impl Stage {
    /// Returns the names of the file's animations; none of what is no file.
    #[must_use]
    pub fn animations(&self) -> Vec<String> {
        if let Play::File(play) = &self.play { play.animations() } else { Vec::new() }
    }

    /// Returns how the file plays; `None` where there is no animation.
    #[must_use]
    pub fn playing(&self) -> Option<Playing> {
        let Play::File(play) = &self.play else { return None };
        let [time, duration] = play.time()?;
        Some(Playing { animation: play.animation, paused: play.paused, speed: play.speed, time, duration })
    }

    /// Sets whether the animation pauses, and how fast it plays.
    pub fn set_pace(&mut self, paused: bool, speed: f32) {
        if let Play::File(play) = &mut self.play {
            (play.paused, play.speed) = (paused, speed);
        }
    }

    /// Plays another animation, or goes to another time. It fades, unless it pauses. Does nothing where nothing plays.
    pub fn cue(&mut self, cue: Cue) -> Result<()> {
        let Self { play, scene, figures, .. } = self;
        if let Play::File(play) = play { play.play((scene, figures), cue) } else { Ok(()) }
    }

    /// Returns the names of the cameras of the file's scene.
    #[must_use]
    pub fn cameras(&self) -> Vec<String> {
        if let Play::File(play) = &self.play { play.camera_names(&self.scene) } else { Vec::new() }
    }

    /// Returns one of these cameras, where it was at the last update.
    #[must_use]
    pub fn file_camera(&self, number: usize) -> Option<Camera> {
        if let Play::File(play) = &self.play { play.camera(&self.scene, number) } else { None }
    }
}
