//! Errors of the viewer.

use std::fmt;

/// A sentence that says what is wrong and, if possible, what to do.
#[derive(Debug)]
pub struct Failure(String);

impl Failure {
    /// Returns a failure with this sentence.
    pub fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }

    /// Returns a failure that names the action, then the reason.
    pub fn while_doing(what: &str, why: impl fmt::Display) -> Self {
        // Some libraries return messages of several lines.
        let why = why.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
        Self(format!("{what}: {why}"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

impl From<hedgerow::Error> for Failure {
    fn from(error: hedgerow::Error) -> Self {
        Self::while_doing("the scene cannot be changed", error)
    }
}

impl From<hedgerow_character::CharacterError> for Failure {
    fn from(error: hedgerow_character::CharacterError) -> Self {
        Self::while_doing("the characters cannot be moved", error)
    }
}

impl From<hedgerow_anim::Error> for Failure {
    fn from(error: hedgerow_anim::Error) -> Self {
        Self::while_doing("the characters cannot be animated", error)
    }
}

impl From<hedgerow_document::Error> for Failure {
    fn from(error: hedgerow_document::Error) -> Self {
        Self::while_doing("the document cannot be changed", error)
    }
}

impl From<hedgerow_wgpu::gpu::Error> for Failure {
    fn from(error: hedgerow_wgpu::gpu::Error) -> Self {
        Self::while_doing("the scene cannot be drawn", error)
    }
}

impl From<hedgerow::math::Error> for Failure {
    fn from(error: hedgerow::math::Error) -> Self {
        Self::while_doing("the camera sees nothing", error)
    }
}

/// A value or a [`Failure`].
pub type Result<T> = std::result::Result<T, Failure>;
