//! Playback of a file's animations, and the file's cameras.

use super::{Play, Stage};
use crate::camera::Camera;
use crate::failure::Result;

/// The state of playback.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playing {
    /// The index of the animation.
    pub animation: usize,
    /// Whether playback is paused.
    pub paused: bool,
    /// The speed: 1 plays as in the file; negative speeds play backward.
    pub speed: f32,
    /// The time in the animation, in seconds.
    pub time: f32,
    /// The duration of the animation, in seconds.
    pub duration: f32,
}

/// A change of playback.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cue {
    /// Another animation, from its beginning.
    Animation(usize),
    /// The same animation, from a time in seconds.
    Time(f32),
}

impl Stage {
    /// Returns the names of the file's animations; empty if the stage is not a file.
    #[must_use]
    pub fn animations(&self) -> Vec<String> {
        if let Play::File(play) = &self.play { play.animations() } else { Vec::new() }
    }

    /// Returns the state of playback; `None` if there is no animation.
    #[must_use]
    pub fn playing(&self) -> Option<Playing> {
        let Play::File(play) = &self.play else { return None };
        let [time, duration] = play.time()?;
        Some(Playing { animation: play.animation, paused: play.paused, speed: play.speed, time, duration })
    }

    /// Sets pause and speed.
    pub fn set_pace(&mut self, paused: bool, speed: f32) {
        if let Play::File(play) = &mut self.play {
            (play.paused, play.speed) = (paused, speed);
        }
    }

    /// Plays another animation, or goes to another time; fades between animations unless paused. Does nothing if there
    /// is no animation.
    pub fn cue(&mut self, cue: Cue) -> Result<()> {
        let Self { play, scene, figures, limbs, .. } = self;
        limbs.reset();
        if let Play::File(play) = play { play.play((scene, figures), cue) } else { Ok(()) }
    }

    /// Returns the names of the cameras of the file's scene.
    #[must_use]
    pub fn cameras(&self) -> Vec<String> {
        if let Play::File(play) = &self.play { play.camera_names(&self.scene) } else { Vec::new() }
    }

    /// Returns a camera of the file where the last update placed it.
    #[must_use]
    pub fn file_camera(&self, number: usize) -> Option<Camera> {
        if let Play::File(play) = &self.play { play.camera(&self.scene, number) } else { None }
    }
}
