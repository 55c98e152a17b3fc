//! The output of skinning.

use crate::skin::kernels::{Sinks, VertexStream};
use crate::skin::{SkinError, SkinnedMesh};

/// The caller's arrays for skinned vertices: positions, and optionally normals and tangents.
///
/// Positions and normals are `[f32; 3]` or padded to four floats each: see [`VertexStream`]. Tangents are `[f32; 4]`
/// with the sign of the bitangent as the fourth number, as in glTF. Arrays may lie in mapped device memory: skinning
/// never reads them, and each thread writes its range from first to last. On some machines, a packed element is written
/// as four floats, and the next element overwrites the fourth.
///
/// ```
/// use hedgerow_anim::skin::SkinOutput;
///
/// let (mut positions, mut normals) = (vec![[0.0_f32; 4]; 100], vec![[0.0_f32; 3]; 100]);
/// let output = SkinOutput::new(&mut positions).normals(&mut normals);
/// assert_eq!(output.len(), 100);
/// ```
#[derive(Debug)]
pub struct SkinOutput<'a>(pub(super) Sinks<'a>);

impl<'a> SkinOutput<'a> {
    /// Creates an output for positions only.
    #[must_use]
    pub fn new(positions: impl Into<VertexStream<'a>>) -> Self {
        Self(Sinks { positions: positions.into(), normals: None, tangents: None })
    }

    /// Adds an array for normals.
    #[must_use]
    pub fn normals(self, normals: impl Into<VertexStream<'a>>) -> Self {
        Self(Sinks { normals: Some(normals.into()), ..self.0 })
    }

    /// Adds an array for tangents.
    #[must_use]
    pub fn tangents(self, tangents: &'a mut [[f32; 4]]) -> Self {
        Self(Sinks { tangents: Some(tangents), ..self.0 })
    }

    /// Removes the arrays for normals or tangents that the mesh does not have.
    ///
    /// ```
    /// use hedgerow_anim::{Mat34, skin::{Skin, SkinOutput, SkinnedMesh}};
    ///
    /// let (skin, mut room, mut positions, mut normals) = (Skin::rigid(), Vec::new(), [[0.0_f32; 3]], [[9.0_f32; 3]]);
    /// let mesh = SkinnedMesh::builder(&[[0.0, 2.0, 0.0]]).indices(&[0]).build(&skin)?;
    /// let output = SkinOutput::new(&mut positions[..]).normals(&mut normals[..]).present_in(&mesh);
    /// mesh.skin(skin.palette(&[Mat34::IDENTITY], &mut room)?, output)?;
    /// assert_eq!((positions, normals), ([[0.0, 2.0, 0.0]], [[9.0; 3]]));
    /// # Ok::<(), hedgerow_anim::Error>(())
    /// ```
    #[must_use]
    pub fn present_in(self, mesh: &SkinnedMesh) -> Self {
        let Sinks { positions, normals, tangents } = self.0;
        let normals = normals.filter(|_| mesh.has_normals());
        Self(Sinks { positions, normals, tangents: tangents.filter(|_| mesh.has_tangents()) })
    }

    /// Returns the number of positions that fit.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.positions.len()
    }

    /// Returns whether no position fits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns an error unless each array has this many places.
    pub(super) fn check(&self, expected: usize) -> Result<(), SkinError> {
        let lengths = [
            ("places for positions", Some(self.0.positions.len())),
            ("places for normals", self.0.normals.as_ref().map(VertexStream::len)),
            ("places for tangents", self.0.tangents.as_ref().map(|places| places.len())),
        ];
        for (what, found) in lengths {
            if let Some(found) = found.filter(|&found| found != expected) {
                return Err(SkinError::Length { what, expected, found });
            }
        }
        Ok(())
    }
}
