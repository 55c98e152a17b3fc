//! Skeletons, clips, skins and skinned meshes with typed keys and names, in one file.
//!
//! | subject | types |
//! |---|---|
//! | all assets that characters share | [`Library`] |
//! | values of one kind | [`Collection`], with keys [`SkeletonKey`], [`ClipKey`], [`SkinKey`], [`MeshKey`] |
//! | errors of reading | [`LibraryError`] |

mod bytes;
mod collection;
mod error;
#[cfg(test)]
mod tests;

pub use collection::Collection;
pub use error::LibraryError;

use crate::{Clip, Skeleton, Skin, SkinnedMesh};

slotmap::new_key_type! {
    /// The key of a skeleton in a [`Library`]. After 2³¹ reuses of a slot, a stale key may refer to another value.
    pub struct SkeletonKey;
    /// The key of a clip in a [`Library`]. After 2³¹ reuses of a slot, a stale key may refer to another value.
    pub struct ClipKey;
    /// The key of a skin in a [`Library`]. After 2³¹ reuses of a slot, a stale key may refer to another value.
    pub struct SkinKey;
    /// The key of a skinned mesh in a [`Library`]. After 2³¹ reuses of a slot, a stale key may refer to another value.
    pub struct MeshKey;
}

/// The assets that characters share: skeletons, clips, skins and skinned meshes, each with a key and optionally a name.
///
/// Each value is in an [`Arc`](std::sync::Arc), so a player or a mesh instance can hold the value and outlive the
/// library. The library does not record which clips belong to which skeleton, so keep your own lists of keys (8 bytes
/// each). Two libraries are equal if they have equal values with the same names in the same order; keys may differ.
///
/// ```
/// use hedgerow_anim::library::Library;
/// use hedgerow_anim::{ClipBuilder, Player, RawClip, SkeletonBuilder, Transform};
///
/// let mut joints = SkeletonBuilder::new();
/// joints.joint("hip", None, Transform::IDENTITY);
/// let (skeleton, _) = joints.build()?;
/// let (walk, _) = ClipBuilder::new().build(&RawClip::new(1.0, skeleton.len())?)?;
///
/// let mut library = Library::new();
/// let person = library.skeletons.insert("person", skeleton);
/// let walk = library.clips.insert("walk", walk);
/// let player = Player::new(library.clips[walk].clone());      // holds the clip, not the library
///
/// let loaded = Library::from_bytes(&library.to_bytes())?;     // all of it, with its names
/// let again = loaded.skeletons.find("person").expect("it was saved");
/// assert_eq!(loaded.skeletons[again], library.skeletons[person]);
///
/// assert!(library.skeletons.rename(person, "actor"));
/// let mut file = Vec::new();
/// library.write_to(&mut file).expect("a Vec accepts all bytes");
/// assert_eq!(Library::read_from(&file[..])?, library);
/// # drop(player);
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Library {
    /// The skeletons.
    pub skeletons: Collection<SkeletonKey, Skeleton>,
    /// The compiled clips.
    pub clips: Collection<ClipKey, Clip>,
    /// The skins.
    pub skins: Collection<SkinKey, Skin>,
    /// The skinned meshes.
    pub meshes: Collection<MeshKey, SkinnedMesh>,
}

impl Library {
    /// Creates an empty library.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}
