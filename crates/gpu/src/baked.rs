//! Palettes of clips, for crowds that a vertex shader poses.

use crate::error::Error;
use crate::scene::short;
use bytemuck::cast_slice;
use hedgerow::Mat34;

/// The palettes of clips at even times, for crowds that a vertex shader poses. A figure then costs the CPU nothing but
/// its node: the shader knows from its [user data](hedgerow::Node::user_data) which clip it plays, and when it began.
///
/// Upload [`bytes`](Self::bytes) once, to a storage buffer at binding 0 of group 2, and read it by the functions of
/// [`BAKED`](crate::BAKED).
///
/// ```
/// use hedgerow::Mat34;
/// use hedgerow_gpu::BakedClips;
///
/// let mut clips = BakedClips::new();
/// // Of `Skin::bake` in hedgerow-anim: two frames of three joints, and one.
/// assert_eq!(clips.push(&[Mat34::IDENTITY; 6], 3, 30.0)?, 0);
/// assert_eq!(clips.push(&[Mat34::IDENTITY; 3], 3, 30.0)?, 1);
/// assert!(clips.push(&[Mat34::IDENTITY; 4], 3, 30.0).is_err(), "no whole palettes");
/// assert_eq!(clips.bytes().len(), 2 * 16 + 9 * 48);
/// # Ok::<(), hedgerow_gpu::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BakedClips {
    /// Of each clip: its first matrix, joints, frames, frames a second.
    clips: Vec<[f32; 4]>,
    matrices: Vec<Mat34>,
}

impl BakedClips {
    /// The greatest number of 16 bytes: floats count so far.
    const MOST: usize = 1 << 24;

    /// Creates a list without clips.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a clip, and returns its number. `matrices` has a palette of so many joints for each frame.
    ///
    /// # Errors
    /// [`Error::Baked`] if these are no whole frames, if `frames_per_second` is not finite and positive, or if all clips
    /// take more than 256 MiB.
    #[expect(clippy::cast_precision_loss, reason = "numbers are less than 2^24")]
    pub fn push(&mut self, matrices: &[Mat34], joints: usize, frames_per_second: f32) -> Result<u32, Error> {
        let frames = matrices.len().checked_div(joints).unwrap_or(0);
        if frames == 0 || frames * joints != matrices.len() {
            return Err(Error::Baked("the matrices are not whole palettes; pass those of `Skin::bake`"));
        }
        if !(frames_per_second > 0.0 && frames_per_second.is_finite()) {
            return Err(Error::Baked("the number of frames a second must be finite and positive"));
        }
        let items = |clips: usize, matrices: usize| clips + 3 * matrices;
        if items(self.clips.len() + 1, self.matrices.len() + matrices.len()) > Self::MOST {
            return Err(Error::Baked("all clips take more than 256 MiB; bake fewer frames a second"));
        }
        self.clips.push([self.matrices.len() as f32, joints as f32, frames as f32, frames_per_second]);
        self.matrices.extend_from_slice(matrices);
        Ok(short(self.clips.len() - 1))
    }

    /// Returns the content of the storage buffer.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "numbers are less than 2^24")]
    pub fn bytes(&self) -> Vec<u8> {
        let behind = self.clips.len() as f32;
        let clips =
            self.clips.iter().map(|&[first, joints, frames, rate]| [behind + 3.0 * first, joints, frames, rate]);
        let clips: Vec<[f32; 4]> = clips.collect();
        [cast_slice::<_, u8>(&clips), cast_slice(&self.matrices)].concat()
    }
}
