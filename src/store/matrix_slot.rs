//! Where a world matrix is stored.

use crate::store::location::SliceId;

/// The location of a node's world matrix: 8 bytes. See [`NodeRef::matrix_slot`](crate::NodeRef::matrix_slot).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(C)]
pub struct MatrixSlot {
    /// The number of the slice; see [`SliceView::number`](crate::visit::SliceView::number).
    pub slice: u32,
    /// The index in the slice's array.
    pub slot: u32,
}

impl MatrixSlot {
    #[inline]
    pub(crate) const fn slice_id(self) -> SliceId {
        SliceId::at(self.slice as usize)
    }
}
