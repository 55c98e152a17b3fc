//! Many characters that share an array of palettes and arrays of vertices.

use crate::skin::kernels::Sinks;
use crate::skin::{Palette, SkinError, SkinOutput, SkinnedMesh};
use crate::{Error, Mat34, Skin};
use core::ops::Range;
#[cfg(feature = "rayon")]
use hedgerow_math::internal::sharing;
use std::sync::Arc;

/// A list of characters to skin together, each with a mesh, its skin, and a range in the shared arrays of palettes and
/// vertices.
///
/// If a character has several meshes of one skin, add the others with [`push_part`](Self::push_part): they share its
/// palette.
///
/// Each frame, skin the visible characters with new palettes. Other characters cost nothing and keep their vertices.
///
/// ```
/// use hedgerow_anim::{Mat34, Skin, SkinnedMesh, Transform, skin::{SkinBatch, SkinOutput}};
/// use std::sync::Arc;
///
/// let skin = Arc::new(Skin::rigid());
/// let mesh = Arc::new(SkinnedMesh::builder(&[[0.0; 3], [1.0, 0.0, 0.0]]).build(&skin)?);
/// let mut batch = SkinBatch::new();
/// for _ in 0..3 {
///     batch.push(Arc::clone(&mesh), Arc::clone(&skin))?;
/// }
///
/// let mut palettes = vec![Mat34::IDENTITY; batch.palettes_len()];
/// let mut positions = vec![[0.0; 3]; batch.vertices_len()];
/// let visible = [0, 2];
/// for character in visible {
///     let models = [Transform::from_xyz(0.0, 7.0, 0.0).to_matrix()];  // of its pose
///     batch.palette_into(character, &models, &mut palettes)?;
/// }
/// batch.skin_visible(&visible, &palettes, SkinOutput::new(&mut positions))?;
/// assert_eq!(positions[batch.vertex_range(2).unwrap()], [[0.0, 7.0, 0.0], [1.0, 7.0, 0.0]]);
/// assert_eq!(positions[batch.vertex_range(1).unwrap()], [[0.0; 3]; 2]);
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SkinBatch {
    characters: Vec<Character>,
    palettes: usize,
    vertices: usize,
}

/// A character: 32 bytes.
#[derive(Clone, Debug)]
struct Character {
    mesh: Arc<SkinnedMesh>,
    skin: Arc<Skin>,
    /// The start of the character's palette.
    palette: usize,
    /// The start of the character's vertices.
    vertex: usize,
}

impl Character {
    fn vertices(&self) -> Range<usize> {
        self.vertex..self.vertex + self.mesh.len()
    }

    fn palette(&self) -> Range<usize> {
        self.palette..self.palette + self.mesh.joints()
    }
}

impl SkinBatch {
    /// Creates a batch without characters.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a character with the skin that its mesh was built for, and returns the character's number. Characters are
    /// numbered from 0; their ranges in the arrays are in the same order.
    ///
    /// # Errors
    /// [`SkinError::OtherSkin`] if the mesh was built for another skin, [`SkinError::SkinJoints`] if the skin's id
    /// matches but the number of joints does not.
    ///
    /// # Panics
    /// Panics if there are more than 2³² characters.
    pub fn push(&mut self, mesh: Arc<SkinnedMesh>, skin: Arc<Skin>) -> Result<u32, Error> {
        let number = self.add(mesh, skin, self.palettes)?;
        self.palettes += self.characters[number as usize].mesh.joints();
        Ok(number)
    }

    /// Adds another mesh of a character, such as its coat or its hair, and returns the mesh's number. The mesh has its
    /// own vertices and is listed by its own number, but has the character's palette and skin: one call of
    /// [`palette_into`](Self::palette_into), for any of the numbers, computes the palette for all.
    ///
    /// Six meshes of 41 joints then take 41 matrices instead of 246. The vertices have the same bits.
    ///
    /// ```
    /// use hedgerow_anim::{Mat34, Skin, SkinnedMesh, Transform, skin::{SkinBatch, SkinOutput}};
    /// use std::sync::Arc;
    ///
    /// let skin = Arc::new(Skin::rigid());
    /// let [body, coat] = [0.0, 1.0].map(|x| SkinnedMesh::builder(&[[x, 0.0, 0.0]]).build(&skin));
    /// let mut batch = SkinBatch::new();
    /// let body = batch.push(Arc::new(body?), Arc::clone(&skin))?;
    /// let coat = batch.push_part(Arc::new(coat?), body)?;
    ///
    /// let mut palettes = vec![Mat34::IDENTITY; batch.palettes_len()];
    /// assert_eq!(palettes.len(), 1);
    /// batch.palette_into(body, &[Transform::from_xyz(0.0, 7.0, 0.0).to_matrix()], &mut palettes)?;
    /// let mut positions = vec![[0.0; 3]; batch.vertices_len()];
    /// batch.skin_visible(&[body, coat], &palettes, SkinOutput::new(&mut positions))?;
    /// assert_eq!(positions, [[0.0, 7.0, 0.0], [1.0, 7.0, 0.0]]);
    /// # Ok::<(), hedgerow_anim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`SkinError::Character`] if the batch has no such character; [`SkinError::OtherSkin`] and
    /// [`SkinError::SkinJoints`] as in [`push`](Self::push).
    ///
    /// # Panics
    /// Panics if there are more than 2³² characters.
    pub fn push_part(&mut self, mesh: Arc<SkinnedMesh>, character: u32) -> Result<u32, Error> {
        let Some(Character { skin, palette, .. }) = self.characters.get(character as usize) else {
            return Err(SkinError::Character { character, characters: self.len() }.into());
        };
        self.add(mesh, Arc::clone(skin), *palette)
    }

    /// Adds a mesh with a palette that starts at `palette`.
    fn add(&mut self, mesh: Arc<SkinnedMesh>, skin: Arc<Skin>, palette: usize) -> Result<u32, Error> {
        mesh.check_skin(skin.id())?;
        let (expected, found) = (mesh.joints(), skin.len());
        if expected != found {
            return Err(SkinError::SkinJoints { expected, found }.into());
        }
        let number = u32::try_from(self.characters.len()).expect("at most 2^32 characters");
        let vertex = self.vertices;
        self.vertices += mesh.len();
        self.characters.push(Character { mesh, skin, palette, vertex });
        Ok(number)
    }

    /// Writes a character's palette to its range of `palettes`, given the model matrices of the character's skeleton.
    ///
    /// Runs in **O(joints of the skin)**.
    ///
    /// # Errors
    /// [`SkinError::Character`] if the batch has no such character, [`SkinError::Palette`] if the array's length is not
    /// [`palettes_len`](Self::palettes_len), [`SkinError::Models`] if a matrix is missing. An error writes nothing.
    pub fn palette_into<'p>(
        &self,
        character: u32,
        models: &[Mat34],
        palettes: &'p mut [Mat34],
    ) -> Result<Palette<'p>, Error> {
        let Some(found) = self.characters.get(character as usize) else {
            return Err(SkinError::Character { character, characters: self.len() }.into());
        };
        self.expect_palettes(palettes.len())?;
        found.skin.palette_into(models, &mut palettes[found.palette()])
    }

    /// Removes all characters.
    pub fn clear(&mut self) {
        *self = Self { characters: core::mem::take(&mut self.characters), ..Self::default() };
        self.characters.clear();
    }

    /// Returns the number of characters.
    #[must_use]
    pub fn len(&self) -> usize {
        self.characters.len()
    }

    /// Returns whether there are no characters.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.characters.is_empty()
    }

    /// Returns the number of matrices in the palettes of all characters. A palette that several meshes share counts
    /// once.
    #[must_use]
    pub fn palettes_len(&self) -> usize {
        self.palettes
    }

    /// Returns the number of vertices in the meshes of all characters.
    #[must_use]
    pub fn vertices_len(&self) -> usize {
        self.vertices
    }

    /// Returns a character's mesh.
    #[must_use]
    pub fn mesh(&self, character: u32) -> Option<&Arc<SkinnedMesh>> {
        self.characters.get(character as usize).map(|character| &character.mesh)
    }

    /// Returns a character's skin.
    #[must_use]
    pub fn skin(&self, character: u32) -> Option<&Arc<Skin>> {
        self.characters.get(character as usize).map(|character| &character.skin)
    }

    /// Returns the range of a character's palette: one matrix for each joint of the character's skin.
    #[must_use]
    pub fn palette_range(&self, character: u32) -> Option<Range<usize>> {
        self.characters.get(character as usize).map(Character::palette)
    }

    /// Returns the range of a character's vertices.
    #[must_use]
    pub fn vertex_range(&self, character: u32) -> Option<Range<usize>> {
        self.characters.get(character as usize).map(Character::vertices)
    }

    /// Skins the listed characters, each once.
    ///
    /// Runs in **O(vertices of the listed characters)**. A list in ascending order needs no allocation; any other list
    /// is sorted first. With the feature `rayon`, the threads of the current pool share the characters and parts of
    /// large characters; results are identical to the bit.
    ///
    /// # Errors
    /// [`SkinError::Palette`] or [`SkinError::Length`] if the length of an array is not that of the whole batch;
    /// [`SkinError::Character`] if a character is not in the batch; [`SkinError::Absent`] if a listed mesh does not
    /// have the requested normals or tangents. An error writes nothing.
    pub fn skin_visible(&self, visible: &[u32], palettes: &[Mat34], output: SkinOutput<'_>) -> Result<(), Error> {
        self.expect_palettes(palettes.len())?;
        output.check(self.vertices)?;
        let mut vertices = 0;
        for &character in visible {
            let Some(Character { mesh, .. }) = self.characters.get(character as usize) else {
                return Err(SkinError::Character { character, characters: self.len() }.into());
            };
            mesh.check_streams(&output)?;
            vertices += mesh.len();
        }
        let sorted;
        // Outputs are split from front to back, so characters must ascend, each once.
        let visible = if visible.is_sorted_by(|a, b| a < b) {
            visible
        } else {
            let mut list = visible.to_vec();
            list.sort_unstable();
            list.dedup();
            sorted = list;
            &sorted
        };
        let part = Part { batch: self, palettes, first: 0 };
        #[cfg(feature = "rayon")]
        if sharing::is_worth_sharing(vertices, sharing::WORTH_SHARING) {
            part.share(visible, output.0);
            return Ok(());
        }
        let _ = vertices;
        part.skin(visible, output.0);
        Ok(())
    }

    fn expect_palettes(&self, found: usize) -> Result<(), SkinError> {
        let expected = self.palettes;
        if found == expected { Ok(()) } else { Err(SkinError::Palette { expected, found }) }
    }
}

/// A batch whose vertices from `first` on are yet to be written.
#[derive(Clone, Copy)]
pub(super) struct Part<'b> {
    batch: &'b SkinBatch,
    palettes: &'b [Mat34],
    /// The first vertex that was not written yet.
    first: usize,
}

impl Part<'_> {
    /// Skins characters, in ascending order, one after the other.
    pub(super) fn skin(mut self, visible: &[u32], mut sinks: Sinks<'_>) {
        for &number in visible {
            let (mesh, palette, places, behind) = self.take(number, sinks);
            mesh.skin_range(palette, mesh.streams(), 0..mesh.len(), places);
            sinks = behind;
        }
    }

    /// Returns a character's mesh, its palette, its places in `sinks`, and all later places.
    pub(super) fn take<'a, 's>(
        &'a mut self,
        number: u32,
        sinks: Sinks<'s>,
    ) -> (&'a SkinnedMesh, &'a [Mat34], Sinks<'s>, Sinks<'s>) {
        let character = &self.batch.characters[number as usize];
        let (_, sinks) = sinks.split_at(character.vertex - self.first);
        let (places, behind) = sinks.split_at(character.mesh.len());
        self.first = character.vertices().end;
        (&character.mesh, &self.palettes[character.palette()], places, behind)
    }

    /// Returns the number of vertices of these characters.
    #[cfg(feature = "rayon")]
    pub(super) fn count(self, visible: &[u32]) -> usize {
        visible.iter().map(|&number| self.batch.characters[number as usize].mesh.len()).sum()
    }

    /// Splits before a character. Returns the earlier places, the part from the character on, and the part's places.
    #[cfg(feature = "rayon")]
    pub(super) fn split_at<'s>(self, number: u32, sinks: Sinks<'s>) -> (Sinks<'s>, Self, Sinks<'s>) {
        let first = self.batch.characters[number as usize].vertex;
        let (before, behind) = sinks.split_at(first - self.first);
        (before, Self { first, ..self }, behind)
    }
}
