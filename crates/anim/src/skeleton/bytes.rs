//! The byte format of skeletons: a header, then the allocation unchanged.

use super::builder::subtree_ends;
use super::image::{self, Layout, Line};
use super::{Skeleton, SkeletonError};
use crate::Error;
use crate::transform_lanes::{POSE_LANES as LANES, PoseBlock};
use hedgerow_math::internal::PackedTransform;
use hedgerow_math::internal::fallible;
use hedgerow_math::internal::file_header::{Broken, Format, Kind};
use std::sync::Arc;

const SKELETON: Format = Format::new(Kind::Skeleton, 3, 3);

impl Skeleton {
    /// Returns the skeleton as bytes. [`Skeleton::from_bytes`] restores the same skeleton.
    ///
    /// The bytes equal the memory, in little-endian order: see `Layout` in the source. Runs in **O(bytes)**.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = image::bytes(&self.lines).to_vec();
        swap_words(&mut bytes, self.layout);
        SKELETON.write_header(&mut bytes);
        bytes
    }

    /// Restores a skeleton from the bytes of [`Skeleton::to_bytes`], with one allocation.
    ///
    /// Any bytes are safe, since all content is validated; a failed allocation returns an error. Runs in **O(bytes)**.
    ///
    /// ```
    /// use hedgerow_anim::{Skeleton, SkeletonBuilder, Transform};
    ///
    /// let mut builder = SkeletonBuilder::new();
    /// builder.joint("root", None, Transform::IDENTITY);
    /// let (skeleton, _) = builder.build()?;
    /// assert_eq!(Skeleton::from_bytes(&skeleton.to_bytes())?, skeleton);
    /// # Ok::<(), hedgerow_anim::Error>(())
    /// ```
    ///
    /// # Errors
    /// A [`SkeletonError`] if the bytes are not a valid skeleton.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let (_, body) = SKELETON.body(bytes).map_err(|broken| match broken {
            Broken::Magic | Broken::Kind(_) => SkeletonError::NotASkeleton,
            Broken::Version { found, newest } => SkeletonError::Version { found, newest },
            Broken::Length { expected, found } => SkeletonError::Length { expected, found },
            Broken::Checksum => SkeletonError::Checksum,
        })?;
        let (counts, _) = body.as_chunks::<4>();
        let &[joints, text, ..] = counts else { return Err(SkeletonError::Invalid("the data is truncated").into()) };
        let (joints, text) = (u32::from_le_bytes(joints), u32::from_le_bytes(text));
        let Some(joints) = u16::try_from(joints).ok().filter(|&joints| joints > 0) else {
            return Err(SkeletonError::Invalid("the joint count is 0 or above 65,535").into());
        };
        // The ends of the arrays may overflow, but only if the text is longer than the bytes.
        let layout = Layout::new(joints, text);
        if text as usize > bytes.len() || layout.lines() * Line::BYTES != bytes.len() {
            return Err(SkeletonError::Invalid("its arrays disagree with its length").into());
        }
        let mut shared = fallible::shared_filled(layout.lines(), Line::ZERO).map_err(SkeletonError::from)?;
        let to = image::bytes_mut(Arc::get_mut(&mut shared).expect("nobody else has it yet"));
        to.copy_from_slice(bytes);
        swap_words(to, layout);
        let skeleton = Self { lines: shared, layout };
        skeleton.check()?;
        Ok(skeleton)
    }

    /// Checks all content, and returns the first violation.
    fn check(&self) -> Result<(), SkeletonError> {
        let ensure = |holds: bool, violation| if holds { Ok(()) } else { Err(SkeletonError::Invalid(violation)) };
        let bytes = image::bytes(&self.lines);
        let unused = [&bytes[Layout::COUNTS.end..self.layout.rest().start], &bytes[self.layout.text().end..]];
        ensure(unused.iter().copied().flatten().all(|&byte| byte == 0), "bytes that hold nothing are not zero")?;

        let (parents, ends) = (self.parents(), image::view::<u16>(&self.lines, self.layout.ends()));
        ensure(parents[0] == Self::NO_PARENT, "its first joint is not the root")?;
        let below = (0..=u16::MAX).zip(parents).skip(1);
        ensure(below.clone().all(|(joint, &parent)| parent < joint), "a joint comes before its parent")?;
        // Each range has the size of its subtree and lies in its parent's range, so subtrees fill their ranges.
        let nested = below.clone().all(|(joint, &parent)| ends[usize::from(joint)] <= ends[usize::from(parent)]);
        ensure(ends == subtree_ends(parents)? && nested, "its joints are not in depth-first order")?;

        let sound = |(joint, block): (usize, &PoseBlock)| {
            let used = (self.len() - joint * LANES).min(LANES);
            (0..used).all(|lane| PackedTransform::from(block.get(lane)).is_sound())
                && (used..LANES).all(|lane| same_bits(block, &PoseBlock::IDENTITY, lane))
        };
        ensure(
            self.rest_blocks().iter().enumerate().all(sound),
            "a rest transform is not finite, or its rotation not unit",
        )?;

        let ends = self.name_ends();
        let text = core::str::from_utf8(&bytes[self.layout.text()])
            .map_err(|_| SkeletonError::Invalid("its names are not UTF-8"))?;
        ensure(
            ends.is_sorted() && ends.last().is_some_and(|&end| end as usize == text.len()),
            "its names do not fill their text",
        )?;
        ensure(ends.iter().all(|&end| text.is_char_boundary(end as usize)), "a name ends within a character")
    }
}

fn same_bits(a: &PoseBlock, b: &PoseBlock, lane: usize) -> bool {
    let bits = |block: &PoseBlock| {
        let PackedTransform { translation: t, rotation: r, scale: s } = block.get(lane).into();
        [t[0], t[1], t[2], r[0], r[1], r[2], r[3], s[0], s[1], s[2]].map(f32::to_bits)
    };
    bits(a) == bits(b)
}

/// Converts between the machine's byte order and little-endian.
fn swap_words(bytes: &mut [u8], layout: Layout) {
    if cfg!(target_endian = "big") {
        bytes[Layout::COUNTS].chunks_exact_mut(4).for_each(<[u8]>::reverse);
        bytes[layout.rest().start..layout.name_ends().end].chunks_exact_mut(4).for_each(<[u8]>::reverse);
        bytes[layout.parents().start..layout.ends().end].chunks_exact_mut(2).for_each(<[u8]>::reverse);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SkeletonBuilder, Transform};

    fn skeleton(joints: usize) -> Skeleton {
        let mut builder = SkeletonBuilder::new();
        for joint in 0..u16::try_from(joints).unwrap() {
            let parent = joint.checked_sub(1).map(|before| before / 2);
            builder.joint("né".repeat(usize::from(joint) % 3), parent, Transform::from_xyz(1.0, 2.0, 3.0));
        }
        builder.build().expect("a tree").0
    }

    fn from(bytes: &[u8]) -> Result<Skeleton, SkeletonError> {
        Skeleton::from_bytes(bytes).map_err(|error| match error {
            Error::Skeleton(error) => error,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn bytes_make_the_same_skeleton_and_that_the_same_bytes() {
        for joints in [1, 2, 7, 8, 9, 96, 1000] {
            let skeleton = skeleton(joints);
            let bytes = skeleton.to_bytes();
            let again = Skeleton::from_bytes(&bytes).unwrap();
            assert_eq!(again, skeleton, "{joints} joints");
            assert_eq!(again.to_bytes(), bytes);
            assert!(again.names().eq(skeleton.names()));
        }
        assert_ne!(skeleton(8), skeleton(9));
    }

    #[test]
    fn damage_and_other_kinds_are_told_apart() {
        let bytes = skeleton(3).to_bytes();
        let with = |at: usize, value: u8| {
            let mut bytes = bytes.clone();
            bytes[at] = value;
            from(&bytes).unwrap_err()
        };
        assert_eq!(with(0, b'H'), SkeletonError::NotASkeleton);
        assert_eq!(with(bytes.len() - 1, 1), SkeletonError::Checksum);
        let found = bytes.len() as u64 - 1;
        assert_eq!(from(&bytes[1..]).unwrap_err(), SkeletonError::NotASkeleton);
        assert_eq!(from(&bytes[..bytes.len() - 1]).unwrap_err(), SkeletonError::Length { expected: found + 1, found });
    }

    #[test]
    fn each_thing_that_a_skeleton_guarantees_is_checked() {
        let bytes = skeleton(10).to_bytes();
        let layout = Layout::new(10, u32::try_from(skeleton(10).layout.text().len()).unwrap());
        let with = |at: usize, value: &[u8]| {
            let mut bytes = bytes.clone();
            bytes[at..at + value.len()].copy_from_slice(value);
            SKELETON.write_header(&mut bytes);
            match from(&bytes) {
                Err(SkeletonError::Invalid(violation)) => violation,
                other => panic!("{other:?}"),
            }
        };
        let nan = f32::NAN.to_le_bytes();
        assert_eq!(with(32, &[0]), "the joint count is 0 or above 65,535");
        assert_eq!(with(32, &0x1_0001_u32.to_le_bytes()), "the joint count is 0 or above 65,535");
        assert_eq!(with(32, &[99]), "its arrays disagree with its length");
        assert_eq!(with(36, &u32::MAX.to_le_bytes()), "its arrays disagree with its length");
        assert_eq!(with(40, &[1]), "bytes that hold nothing are not zero");
        assert_eq!(with(layout.parents().start, &[0, 0]), "its first joint is not the root");
        assert_eq!(with(layout.parents().start + 4, &[2, 0]), "a joint comes before its parent");
        assert_eq!(with(layout.parents().start + 8, &[0, 0]), "its joints are not in depth-first order");
        assert_eq!(with(layout.ends().start + 2, &[9, 0]), "its joints are not in depth-first order");
        let rest = "a rest transform is not finite, or its rotation not unit";
        assert_eq!(with(layout.rest().start, &nan), rest);
        assert_eq!(with(layout.rest().start + 6 * 32, &[0; 4]), rest);
        assert_eq!(with(layout.rest().end - 4, &nan), rest, "a lane beyond the last joint");
        assert_eq!(with(layout.text().start + 1, &[0xff]), "its names are not UTF-8");
        assert_eq!(with(layout.name_ends().start, &[9]), "its names do not fill their text");
        assert_eq!(with(layout.name_ends().start + 4, &[2]), "a name ends within a character");
        assert_eq!(with(layout.text().end, &[1]), "bytes that hold nothing are not zero");
    }
}
