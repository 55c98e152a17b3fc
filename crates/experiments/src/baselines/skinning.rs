//! Skinning: the first implementation, and the one after all optimizations.
//!
//! Source: S. Reinalter, *Adventures in data-oriented design*, part 4. Both use SIMD mathematics (glam's `Mat4`
//! and `Vec4`), `u16` joints and `f32` weights.

use crate::workloads::SkinRecipe;
use hedgerow::glam::{Mat4, Vec3, Vec4};

/// A vertex with all drawn attributes: 32 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct WholeVertex {
    /// Skinned.
    pub position: [f32; 3],
    /// Skinned.
    pub normal: [f32; 3],
    /// Copied.
    pub uv: [f32; 2],
}

/// The skinned attributes of a vertex, as vectors of four floats: 32 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct WideVertex {
    /// The position; the fourth component is 1.
    pub position: Vec4,
    /// The normal; the fourth component is 0.
    pub normal: Vec4,
}

/// The mesh in both layouts.
#[derive(Clone, Debug)]
pub struct SeedSkin {
    whole: Vec<WholeVertex>,
    /// Four joints per vertex, including those of weight 0.
    joints: Vec<u16>,
    weights: Vec<f32>,
    sorted: Sorted,
}

/// The mesh with its vertices sorted by their number of influences.
#[derive(Clone, Debug, Default)]
struct Sorted {
    order: Vec<u32>,
    vertices: Vec<WideVertex>,
    /// The numbers of vertices with one, two, three and four influences.
    counts: [usize; 4],
    /// One per influence.
    joints: Vec<u16>,
    /// One weight per influence, but none for vertices with a single influence.
    weights: Vec<f32>,
}

impl SeedSkin {
    /// Builds both layouts of the recipe's mesh.
    pub fn new(recipe: &SkinRecipe) -> Self {
        let mut new = Self {
            whole: Vec::new(),
            joints: recipe.joints.as_flattened().to_vec(),
            weights: recipe.weights.as_flattened().to_vec(),
            sorted: Sorted::default(),
        };
        let mut wide = Vec::new();
        for ((&position, &normal), &uv) in recipe.positions.iter().zip(&recipe.normals).zip(&recipe.uvs) {
            new.whole.push(WholeVertex { position, normal, uv });
            let (position, normal) = (Vec3::from(position).extend(1.0), Vec3::from(normal).extend(0.0));
            wide.push(WideVertex { position, normal });
        }
        for (influences, count) in (1..).zip(&mut new.sorted.counts) {
            for (vertex, weights) in (0..).zip(&recipe.weights) {
                if weights.iter().filter(|&&weight| weight > 0.0).count() == influences {
                    *count += 1;
                    new.sorted.order.push(vertex);
                    new.sorted.vertices.push(wide[vertex as usize]);
                    new.sorted.joints.extend(&recipe.joints[vertex as usize][..influences]);
                    if influences > 1 {
                        new.sorted.weights.extend(&weights[..influences]);
                    }
                }
            }
        }
        new
    }

    /// Returns the number of vertices.
    pub fn vertices(&self) -> usize {
        self.whole.len()
    }

    /// Returns the index in the recipe of each vertex that [`sorted`](Self::sorted) writes.
    pub fn order(&self) -> &[u32] {
        &self.sorted.order
    }

    /// Runs the first implementation: blends four matrices for each vertex and copies the other attributes.
    #[inline(never)]
    pub fn first(&self, palette: &[Mat4], output: &mut [WholeVertex]) {
        let influences = self.joints.as_chunks::<4>().0.iter().zip(self.weights.as_chunks::<4>().0);
        for ((output, vertex), (joints, weights)) in output.iter_mut().zip(&self.whole).zip(influences) {
            let matrix = blend(palette, joints, weights);
            output.position = (matrix * Vec3::from(vertex.position).extend(1.0)).truncate().to_array();
            output.normal = (matrix * Vec3::from(vertex.normal).extend(0.0)).truncate().to_array();
            output.uv = vertex.uv;
        }
    }

    /// Runs the optimized implementation: vertices have only skinned attributes, vectors have four floats, and each
    /// number of influences has its own loop. Writes vertices in the order of [`order`](Self::order).
    #[inline(never)]
    pub fn sorted(&self, palette: &[Mat4], output: &mut [WideVertex]) {
        let Sorted { vertices, counts: [one, two, three, _], joints, weights, .. } = &self.sorted;
        let (ones, joints) = joints.split_at(*one);
        for ((output, vertex), &joint) in output.iter_mut().zip(vertices).zip(&ones[..*one]) {
            *output = vertex.by(&palette[usize::from(joint)]);
        }
        let (output, vertices) = (&mut output[*one..], &vertices[*one..]);
        skin::<2>(palette, &joints[..2 * two], weights, vertices, output);
        let (output, vertices) = (&mut output[*two..], &vertices[*two..]);
        let (joints, weights) = (&joints[2 * two..], &weights[2 * two..]);
        skin::<3>(palette, &joints[..3 * three], weights, vertices, output);
        skin::<4>(palette, &joints[3 * three..], &weights[3 * three..], &vertices[*three..], &mut output[*three..]);
    }
}

impl WideVertex {
    #[inline(always)]
    fn by(&self, matrix: &Mat4) -> Self {
        Self { position: *matrix * self.position, normal: *matrix * self.normal }
    }
}

/// Skins vertices with `N` influences each, until `joints` is used up.
#[inline(always)]
fn skin<const N: usize>(
    palette: &[Mat4],
    joints: &[u16],
    weights: &[f32],
    vertices: &[WideVertex],
    output: &mut [WideVertex],
) {
    let influences = joints.as_chunks::<N>().0.iter().zip(weights.as_chunks::<N>().0);
    for ((output, vertex), (joints, weights)) in output.iter_mut().zip(vertices).zip(influences) {
        *output = vertex.by(&blend(palette, joints, weights));
    }
}

/// Adds the last influences first.
#[inline(always)]
fn blend<const N: usize>(palette: &[Mat4], joints: &[u16; N], weights: &[f32; N]) -> Mat4 {
    let matrix = |influence: usize| palette[usize::from(joints[influence])] * weights[influence];
    (0..N - 1).rev().fold(matrix(N - 1), |sum, influence| matrix(influence) + sum)
}
