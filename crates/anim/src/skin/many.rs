//! Palettes of many characters, on several threads.

use crate::skin::{Palette, Skin};
use crate::{Error, Mat34, Pose, Skeleton};
#[cfg(feature = "rayon")]
use hedgerow_math::internal::sharing::{WORTH_SHARING, is_worth_sharing};

/// The approximate number of joints in a task.
#[cfg(feature = "rayon")]
const GRAIN: usize = 4096;

impl Skeleton {
    /// Computes the palettes of many characters, with the bits of [`Pose::to_models`] and [`Skin::palette`], on the
    /// threads of the current pool if the feature `rayon` is on.
    ///
    /// For each character, `pose` returns its pose, for example after it sampled a player; then `visit` gets the model
    /// matrices, as sockets take them, and the palette, while they are in the cache, for example to skin vertices.
    ///
    /// Runs in **O(characters × joints)**. Allocates two lists of matrices for each part of its list, of 2,048 to 4,096
    /// joints.
    ///
    /// ```
    /// # use hedgerow_anim::{ClipBuilder, RawClip, SkeletonBuilder, Transform};
    /// use hedgerow_anim::{Clip, Error, Player, Pose, Skin, SkinnedMesh, skin::SkinOutput};
    ///
    /// struct Character<'c> {
    ///     player: Player<&'c Clip>,
    ///     pose: Pose,
    ///     positions: Vec<[f32; 3]>,
    /// }
    /// # let mut builder = SkeletonBuilder::new();
    /// # builder.joint("root", None, Transform::IDENTITY);
    /// # let (skeleton, _) = builder.build()?;
    /// # let (walk, _) = ClipBuilder::new().build(&RawClip::new(1.0, 1)?)?;
    /// # let skin = Skin::at_rest(&skeleton)?;
    /// # let mesh = SkinnedMesh::builder(&[[0.0; 3]]).build(&skin)?;
    ///
    /// let character = || Character {
    ///     player: Player::new(&walk),
    ///     pose: Pose::rest(&skeleton),
    ///     positions: vec![[1.0; 3]; mesh.len()],
    /// };
    /// let mut characters: Vec<_> = (0..20).map(|_| character()).collect();
    /// skeleton.par_each_palette(
    ///     &skin,
    ///     &mut characters,
    ///     |character| -> Result<_, Error> {
    ///         character.player.advance(1.0 / 60.0);
    ///         character.player.sample(&mut character.pose)?;
    ///         Ok(&character.pose)
    ///     },
    ///     |character, _models, palette| mesh.skin(palette, SkinOutput::new(&mut character.positions)),
    /// )?;
    /// assert!(characters.iter().all(|character| character.positions == [[0.0; 3]]));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`SkinError::Models`](crate::skin::SkinError::Models) if the skin uses joints that the skeleton does not have;
    /// then no closure is called. Otherwise the first character's error: of a closure, or
    /// [`SkeletonError::JointCount`](crate::skeleton::SkeletonError::JointCount) if its pose has another number of
    /// joints. Characters behind it may have been visited.
    pub fn par_each_palette<C: Send, E: From<Error> + Send>(
        &self,
        skin: &Skin,
        characters: &mut [C],
        pose: impl Fn(&mut C) -> Result<&Pose, E> + Sync,
        visit: impl Fn(&mut C, &[Mat34], Palette<'_>) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        skin.expect_models(self.len()).map_err(Error::from)?;
        let work = |characters: &mut [C]| {
            let (mut models, mut room) = (Vec::new(), Vec::new());
            characters.iter_mut().try_for_each(|character| {
                pose(character)?.to_models(self, &mut models)?;
                visit(character, &models, skin.palette(&models, &mut room)?)
            })
        };
        #[cfg(feature = "rayon")]
        if is_worth_sharing(characters.len() * self.len(), WORTH_SHARING) {
            return share(characters, (GRAIN / self.len()).max(1), &work);
        }
        work(characters)
    }
}

/// Works on halves, down to `most` characters.
#[cfg(feature = "rayon")]
fn share<C: Send, E: Send>(
    characters: &mut [C],
    most: usize,
    work: &(impl Fn(&mut [C]) -> Result<(), E> + Sync),
) -> Result<(), E> {
    if characters.len() <= most {
        return work(characters);
    }
    let (first, last) = characters.split_at_mut(characters.len() / 2);
    let (first, last) = rayon::join(|| share(first, most, work), || share(last, most, work));
    first.and(last)
}
