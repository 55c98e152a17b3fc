//! The palettes of a clip at even times, computed once.

use crate::skin::{Palette, Skin, SkinError, SkinId};
use crate::{Clip, Error, Player, Pose, Skeleton};
use hedgerow_math::Mat34;

/// The palettes of a clip at even times, for crowds that a vertex shader poses: see [`Skin::bake`].
#[derive(Clone, Debug, PartialEq)]
pub struct BakedClip {
    matrices: Vec<Mat34>,
    skin: SkinId,
    joints: usize,
    frames: usize,
    frames_per_second: f32,
}

impl Skin {
    /// Samples a clip at even times, from its begin to its end, into the palettes of this skin. 15 to 30 frames a
    /// second look like the clip; fast joints between two frames move straight.
    ///
    /// A shader that interpolates between two of them poses any number of figures without work of the CPU: `BakedClips`
    /// of hedgerow-gpu.
    ///
    /// The time between frames is at most 1 / `frames_per_second`, so that the last frame is at the clip's end. Takes 48
    /// bytes a joint and frame. Runs in **O(frames · joints)**.
    ///
    /// # Errors
    /// [`SkinError::BakedFrames`] unless `frames_per_second` is finite and positive, and if there would be more than
    /// 2²⁴ matrices; the errors of [`Player::sample`] and [`palette`](Self::palette) if clip, skeleton and skin do not
    /// belong together.
    ///
    /// ```
    /// use hedgerow_anim::{Aabb, ClipBuilder, RawClip, Skin, SkeletonBuilder, SkinnedMesh, Transform, raw::Track};
    /// use hedgerow_anim::glam::Vec3;
    ///
    /// let mut joints = SkeletonBuilder::new();
    /// joints.joint("hip", None, Transform::IDENTITY);
    /// let (skeleton, _) = joints.build()?;
    /// let mut hop = RawClip::new(1.0, 1)?;
    /// hop.set_translation(0, Track::linear(vec![0.0, 1.0], vec![Vec3::ZERO, Vec3::Y])?)?;
    /// let (hop, _) = ClipBuilder::new().build(&hop)?;
    /// let skin = Skin::at_rest(&skeleton)?;
    /// let mesh = SkinnedMesh::builder(&[[0.0; 3]]).influences(1, &[0], &[1.0]).build(&skin)?;
    ///
    /// let baked = skin.bake(&skeleton, &hop, 20.0)?;
    /// assert_eq!((baked.frames(), baked.frames_per_second()), (21, 20.0));
    /// // The box to cull each figure by.
    /// let mut bounds = Aabb::EMPTY;
    /// for frame in 0..baked.frames() {
    ///     bounds = bounds.merge(&mesh.bounds(baked.palette(frame).unwrap())?);
    /// }
    /// assert!((bounds.max.y - 1.0).abs() < 1e-3);
    /// # Ok::<(), hedgerow_anim::Error>(())
    /// ```
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at least zero, and less than 2^24")]
    pub fn bake(&self, skeleton: &Skeleton, clip: &Clip, frames_per_second: f32) -> Result<BakedClip, Error> {
        const MOST: f64 = (1_u32 << 24) as f64;
        let duration = clip.duration();
        let gaps = (f64::from(duration) * f64::from(frames_per_second)).ceil();
        let fits = frames_per_second > 0.0 && frames_per_second.is_finite();
        if !fits || (gaps + 1.0) * self.len() as f64 > MOST || gaps > MOST {
            return Err(SkinError::BakedFrames { frames_per_second }.into());
        }
        let gaps = gaps as usize;
        let (mut player, mut pose) = (Player::new(clip), Pose::rest(skeleton));
        let (mut models, mut matrices) = (Vec::new(), vec![Mat34::IDENTITY; (gaps + 1) * self.len()]);
        for frame in 0..=gaps {
            player.seek(if frame == gaps { duration } else { duration * (frame as f32 / gaps as f32) });
            player.sample(&mut pose)?;
            pose.to_models(skeleton, &mut models)?;
            self.palette_into(&models, &mut matrices[frame * self.len()..][..self.len()])?;
        }
        let frames_per_second = gaps as f32 / duration;
        Ok(BakedClip { matrices, skin: self.id(), joints: self.len(), frames: gaps + 1, frames_per_second })
    }
}

impl BakedClip {
    /// Returns all palettes, one after the other.
    #[must_use]
    pub fn matrices(&self) -> &[Mat34] {
        &self.matrices
    }

    /// Returns the palette of a frame; `None` if there are fewer.
    #[must_use]
    pub fn palette(&self, frame: usize) -> Option<Palette<'_>> {
        let matrices = || &self.matrices[frame * self.joints..][..self.joints];
        (frame < self.frames).then(|| Palette::new(matrices(), self.skin))
    }

    /// Returns the number of matrices of a palette.
    #[must_use]
    pub const fn joints(&self) -> usize {
        self.joints
    }

    /// Returns the number of frames, with those at the clip's begin and end.
    #[must_use]
    pub const fn frames(&self) -> usize {
        self.frames
    }

    /// Returns the number of frames a second.
    #[must_use]
    pub const fn frames_per_second(&self) -> f32 {
        self.frames_per_second
    }
}
