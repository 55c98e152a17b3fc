//! The characters on the other side, for all steps of the seed.

use super::crowd::Crowd;
use super::{CHARACTERS, TURN, WEIGHTS};
use crate::baselines::{SeedSkin, SplitVertex, WholeVertex, WideVertex};
use crate::workloads::SKIN_JOINTS;
use hedgerow::glam::{Mat4, Vec3, Vec4};
use std::ops::Range;

/// The 100 characters, and what each step writes of them.
pub(super) struct Steps {
    pub(super) skin: SeedSkin,
    pub(super) palettes: Vec<Vec<Mat4>>,
    pub(super) whole: Vec<WholeVertex>,
    pub(super) split: Vec<SplitVertex>,
    pub(super) wide: Vec<WideVertex>,
    pub(super) morphs: Vec<Vec<[f32; 3]>>,
    pub(super) morphed: Vec<WholeVertex>,
    pub(super) turn: usize,
}

impl Steps {
    /// What the crowd is made of.
    pub(super) fn new(crowd: &Crowd) -> Self {
        let skin = SeedSkin::new(&crowd.recipe);
        let vertices = CHARACTERS * skin.vertices();
        let palettes = crowd.palettes.chunks_exact(SKIN_JOINTS);
        Self {
            palettes: palettes.map(|palette| palette.iter().map(|&matrix| matrix.into()).collect()).collect(),
            whole: vec![WholeVertex::default(); vertices],
            split: vec![SplitVertex::default(); vertices],
            wide: vec![WideVertex::default(); vertices],
            morphs: crowd.recipe.morphs(WEIGHTS.len(), 3),
            morphed: skin.whole().to_vec(),
            skin,
            turn: 0,
        }
    }

    /// Which characters' turn it is, and where their vertices lie.
    fn next(&mut self) -> (Range<usize>, Range<usize>) {
        let (first, count) = (self.turn, self.skin.vertices());
        self.turn = (first + TURN) % CHARACTERS;
        (first..first + TURN, first * count..(first + TURN) * count)
    }

    /// The first implementation.
    pub(super) fn first(&mut self) {
        let (characters, vertices) = self.next();
        let places = self.whole[vertices].chunks_exact_mut(self.skin.vertices());
        self.palettes[characters].iter().zip(places).for_each(|(palette, to)| self.skin.first(palette, to));
    }

    /// With what is not skinned elsewhere.
    pub(super) fn split(&mut self) {
        let (characters, vertices) = self.next();
        let places = self.split[vertices].chunks_exact_mut(self.skin.vertices());
        self.palettes[characters].iter().zip(places).for_each(|(palette, to)| self.skin.split(palette, to));
    }

    /// With four floats for each position and normal.
    pub(super) fn layout(&mut self) {
        let (characters, vertices) = self.next();
        let places = self.wide[vertices].chunks_exact_mut(self.skin.vertices());
        self.palettes[characters].iter().zip(places).for_each(|(palette, to)| self.skin.layout(palette, to));
    }

    /// With a loop for each number of influences.
    pub(super) fn sorted(&mut self) {
        let (characters, vertices) = self.next();
        let places = self.wide[vertices].chunks_exact_mut(self.skin.vertices());
        self.palettes[characters].iter().zip(places).for_each(|(palette, to)| self.skin.sorted(palette, to));
    }

    /// Adds all targets to each vertex, then skins.
    pub(super) fn first_morphed(&mut self) {
        let (characters, vertices) = self.next();
        let places = self.whole[vertices].chunks_exact_mut(self.skin.vertices());
        for (palette, places) in self.palettes[characters].iter().zip(places) {
            for (vertex, (to, from)) in self.morphed.iter_mut().zip(self.skin.whole()).enumerate() {
                let mut position = Vec3::from(from.position);
                for (target, weight) in self.morphs.iter().zip(WEIGHTS) {
                    position += weight * Vec3::from(target[vertex]);
                }
                *to = WholeVertex { position: position.to_array(), ..*from };
            }
            self.skin.first_of(&self.morphed, palette, places);
        }
    }
}

/// Three of four floats.
pub(super) trait Narrow {
    /// Position and normal.
    fn narrow(&self) -> ([f32; 3], [f32; 3]);
}

impl Narrow for WideVertex {
    fn narrow(&self) -> ([f32; 3], [f32; 3]) {
        let three = |four: Vec4| four.truncate().to_array();
        (three(self.position), three(self.normal))
    }
}
