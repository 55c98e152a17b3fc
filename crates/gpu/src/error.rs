//! Why a scene cannot be drawn from buffers.

use crate::step::Buffer;
use core::fmt;
use hedgerow::NodeHandle;

/// Why a scene or a clip cannot be drawn from buffers. After a [`GpuScene::sync`](crate::GpuScene::sync) that failed, the next
/// one writes everything anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A drawable has a mesh that was not set, or one with such a coarser level.
    UnknownMesh {
        /// The mesh or the level.
        mesh: u32,
        /// The node of the drawable.
        node: NodeHandle,
    },
    /// A buffer would be longer than the device allows.
    TooLarge {
        /// The buffer.
        buffer: Buffer,
        /// The number of bytes.
        bytes: u64,
        /// The greatest number of bytes.
        max: u64,
    },
    /// A clip cannot be added to [`BakedClips`](crate::BakedClips), for this reason.
    Baked(&'static str),
    /// An instance of an acceleration structure has 24 bits for its slot.
    TooManyInstances {
        /// The number of slots.
        slots: usize,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyInstances { slots } => {
                write!(f, "{slots} slots are more than the 2^24 of an acceleration structure; trace fewer drawables")
            }
            Self::UnknownMesh { mesh, node } => {
                write!(
                    f,
                    "node {node} has the unknown mesh {mesh}, or a level with it; call `set_mesh` first, or give it no key"
                )
            }
            Self::Baked(why) => f.write_str(why),
            Self::TooLarge { buffer, bytes, max } => {
                let less = if *buffer == Buffer::Pyramid { "a smaller picture" } else { "fewer views at once" };
                write!(
                    f,
                    "the buffer {buffer:?} needs {bytes} bytes of {max}; request a greater \
                     `max_storage_buffer_binding_size` and allow it by `with_max_buffer_size`, or draw {less}"
                )
            }
        }
    }
}

impl core::error::Error for Error {}
