//! Skeletons, clips, skins and skinned meshes in one place, by typed keys and names, saved and loaded in one go.
//!
//! | what | types |
//! |---|---|
//! | everything that characters share | [`Library`] |
//! | one kind of it | [`Collection`], with keys [`SkeletonKey`], [`ClipKey`], [`SkinKey`], [`MeshKey`] |
//! | what bytes can be refused for | [`LibraryError`] |

mod bytes;
mod collection;
mod error;
#[cfg(test)]
mod tests;

pub use collection::Collection;
pub use error::LibraryError;

use crate::{Clip, Skeleton, Skin, SkinnedMesh};

slotmap::new_key_type! {
    /// The key of a skeleton in a [`Library`]. Slots are reused indefinitely: after 2³¹ reuses a stale key may refer to
    /// another value.
    pub struct SkeletonKey;
    /// The key of a clip in a [`Library`]. Slots are reused indefinitely: after 2³¹ reuses a stale key may refer to
    /// another value.
    pub struct ClipKey;
    /// The key of a skin in a [`Library`]. Slots are reused indefinitely: after 2³¹ reuses a stale key may refer to
    /// another value.
    pub struct SkinKey;
    /// The key of a skinned mesh in a [`Library`]. Slots are reused indefinitely: after 2³¹ reuses a stale key may
    /// refer to another value.
    pub struct MeshKey;
}

/// The assets that characters share: skeletons, clips, skins and skinned meshes, each with a key and optionally a name.
///
/// Each value is in an [`Arc`](std::sync::Arc), so a player or a mesh instance can hold it and outlive the library. The
/// library does not record which values belong together, such as which clips are for which skeleton: keep lists of keys
/// (8 bytes each) for that. Two libraries are equal if they have equal values with the same names in the same order,
/// whatever their keys.
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
    /// An empty library.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}
