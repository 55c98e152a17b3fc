//! Transforms, 3×4 matrices, boxes, frusta, rays and spheres, as thin types on glam with SIMD kernels.
//!
//! The scene graph `hedgerow` and the animation library `hedgerow-anim` use this crate. It is useful by itself to test
//! many boxes at once, or to store affine matrices as the twelve floats that shaders expect.
//!
//! ```
//! use hedgerow_math::glam::Vec3;
//! use hedgerow_math::glam::camera::rh;
//! use hedgerow_math::{Aabb, Boxes, Frustum, Mat34, Transform};
//!
//! let turret = Mat34::from(Transform::from_xyz(0.0, 2.0, -10.0));
//! let bounds = Aabb::cube(0.5).transformed(&turret);
//! assert_eq!(bounds.min, Vec3::new(-0.5, 1.5, -10.5));
//!
//! let projection = rh::proj::directx::perspective(1.0, 1.5, 0.1, 100.0);
//! let frustum = Frustum::from_view_projection(&projection)?;
//! let behind = Aabb::cube(1.0).transformed(&Transform::from_xyz(0.0, 0.0, 40.0).to_matrix());
//! let boxes: Boxes = [bounds, behind].into_iter().collect();
//! let mut visible = Vec::new();
//! boxes.cull(&frustum, &mut visible);
//! assert_eq!(visible, [0]);   // the second one is behind the camera
//! # Ok::<(), hedgerow_math::Error>(())
//! ```
//!
//! | subject | types |
//! |---|---|
//! | translation, rotation, scale | [`Transform`]: 48 bytes; [`PackedTransform`]: the same in 40, for storage |
//! | affine matrix, three rows of four | [`Mat34`]: 48 bytes, aligned to 16 |
//! | boxes, and many of them as columns | [`Aabb`], [`Boxes`] |
//! | shapes to test boxes against | [`Frustum`], [`Ray`] (in a node's space [`LocalRay`]), [`Sphere`] |
//! | triangles, and tests of them in their own space | [`Triangles`], [`TriangleHit`], [`Faces`], [`LocalVolume`], [`Touch`] |
//! | why a value is invalid | [`Error`] |
//!
//! Three features are off by default: `bytemuck` makes [`Mat34`], [`PackedTransform`] and [`Aabb`] plain data for
//! uploads, `mint` converts to and from its types, and `serde` reads and writes [`Transform`], [`Mat34`] and [`Aabb`].
//!
//! All types except [`Boxes`] are `Copy`. Results have the same bits on every machine, because kernels evaluate the
//! same expressions in the same order with every instruction set, without fused multiply-add. The test
//! `tests/same_bits.rs` of hedgerow checks hashes of the results on x86-64, 64-bit ARM, 32-bit x86 and WebAssembly.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub use glam;

mod aabb;
mod boxes;
mod error;
mod frustum;
mod mat34;
#[cfg(feature = "mint")]
mod mint;
mod propagate;
mod ray;
mod simd;
#[cfg(feature = "serde")]
mod text;
mod transform;
mod triangles;

pub use aabb::Aabb;
pub use boxes::Boxes;
pub use error::Error;
pub use frustum::Frustum;
pub use mat34::Mat34;
pub use ray::{LocalRay, Ray, Sphere};
pub use transform::{PackedTransform, Transform};
pub use triangles::volume::{LocalVolume, Touch};
pub use triangles::{Faces, TriangleHit, Triangles};

use boxes::{BLOCK, BoxGroup, GROUP};
use frustum::TOLERANCE;

#[doc(hidden)]
pub mod internal;

/// The example of the README, tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
