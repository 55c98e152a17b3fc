//! Values as bytes: little-endian, fields in order, nothing between them.
//!
//! Types of the storage implement [`Encode`] in their own modules. This module implements it for numbers and mathematical
//! types. A [`Writer`] appends values, and a [`Reader`] takes them from the start.

mod error;
mod read;
mod write;

pub(crate) use error::{BytesError, ensure};
pub(crate) use read::Reader;
pub(crate) use write::{Writer, count};

use crate::Aabb;
use crate::Mat34;
use crate::glam::Vec3;
use hedgerow_math::internal::PackedTransform;

/// A value of a fixed length in bytes.
pub(crate) trait Encode: Copy {
    const BYTES: usize;

    fn encode(self, bytes: &mut [u8]);

    fn decode(bytes: &[u8]) -> Self;
}

/// Returns whether two values have the same bits: 0.0 and −0.0 differ.
pub(crate) fn same<T: Encode>(one: T, other: T) -> bool {
    let mut bytes = [[0; 64]; 2];
    for (value, bytes) in [one, other].into_iter().zip(&mut bytes) {
        value.encode(&mut bytes[..T::BYTES]);
    }
    bytes[0] == bytes[1]
}

/// Numbers, in the machine's format except for the byte order.
macro_rules! numbers {
    ($($number:ty)*) => {
        $(impl Encode for $number {
            const BYTES: usize = size_of::<Self>();

            #[inline]
            fn encode(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_le_bytes());
            }

            #[inline]
            fn decode(bytes: &[u8]) -> Self {
                Self::from_le_bytes(bytes.try_into().expect("as many bytes as a record has"))
            }
        })*
    };
}

numbers! { u8 u32 u64 f32 f64 }

impl<T: Encode, const N: usize> Encode for [T; N] {
    const BYTES: usize = N * T::BYTES;

    #[inline]
    fn encode(self, bytes: &mut [u8]) {
        for (value, bytes) in self.into_iter().zip(bytes.chunks_exact_mut(T::BYTES)) {
            value.encode(bytes);
        }
    }

    #[inline]
    fn decode(bytes: &[u8]) -> Self {
        core::array::from_fn(|at| T::decode(&bytes[at * T::BYTES..(at + 1) * T::BYTES]))
    }
}

macro_rules! structures {
    ($($name:ty { $($field:ident: $record:ty),* };)*) => {
        $(impl $crate::bytes::Encode for $name {
            const BYTES: usize = 0 $(+ <$record as $crate::bytes::Encode>::BYTES)*;

            #[inline]
            fn encode(self, bytes: &mut [u8]) {
                $(let (field, bytes) = bytes.split_at_mut(<$record as $crate::bytes::Encode>::BYTES);
                <$record as $crate::bytes::Encode>::encode(self.$field, field);)*
                debug_assert!(bytes.is_empty());
            }

            #[inline]
            fn decode(bytes: &[u8]) -> Self {
                $(let ($field, bytes) = bytes.split_at(<$record as $crate::bytes::Encode>::BYTES);
                let $field = <$record as $crate::bytes::Encode>::decode($field);)*
                debug_assert!(bytes.is_empty());
                Self { $($field),* }
            }
        })*
    };
}
pub(crate) use structures;

structures! {
    PackedTransform { translation: [f32; 3], rotation: [f32; 4], scale: [f32; 3] };
    Mat34 { rows: [[f32; 4]; 3] };
    Aabb { min: Vec3, max: Vec3 };
}

impl Encode for Vec3 {
    const BYTES: usize = <[f32; 3]>::BYTES;

    #[inline]
    fn encode(self, bytes: &mut [u8]) {
        self.to_array().encode(bytes);
    }

    #[inline]
    fn decode(bytes: &[u8]) -> Self {
        Self::from_array(Encode::decode(bytes))
    }
}
