//! The characters of the army, and the stages of a frame.

use crate::dice::Dice;
use crate::puppet::{self, Cover, Gait, Lists, PuppetMesh, Rig};
use hedgerow::glam::{Quat, Vec3};
use hedgerow::{
    Aabb, DrawList, Drawable, Mat34, Node, NodeHandle, Scene, SceneConfig, Transform,
    query::{CullView, Frustum},
};
use hedgerow_anim::skin::{Skin, SkinBatch, SkinOutput, SkinnedMesh};
use hedgerow_anim::{Clip, Pose, blend::JointMask};
use hedgerow_character::animator::{Animator, LayerOptions, Machine, MachineBuilder, Motion};
use hedgerow_character::{CharacterError, JointBounds};
use std::sync::Arc;

/// The distance from the camera, in metres, beyond which characters are posed every second frame; beyond twice this
/// distance, every fourth frame.
const NEAR: f32 = 25.0;
/// The distances between columns and between ranks, in metres.
const COLUMN: f32 = 1.7;
const RANK: f32 = 2.1;
/// The mesh of all characters.
const PUPPET: u32 = 0;
/// One character in this many holds its left arm as if it sneaked.
const CARRIES: u32 = 5;
/// The gaits of ten adjacent columns: most walk, some run, sneak or stand.
const COLUMNS: [usize; 10] = [0, 0, 0, 1, 1, 0, 0, 2, 2, 3];

/// The colour of each cover, linear.
pub(crate) type Coat = [Vec3; Cover::COUNT];

/// All characters, and buffers kept from frame to frame.
pub(crate) struct Army {
    pub(crate) rig: Rig,
    pub(crate) mesh: Arc<SkinnedMesh>,
    pub(crate) clips: Vec<Arc<Clip>>,
    machine: Machine,
    pub(crate) characters: Vec<Character>,
    /// The depth of the field of ranks, in metres.
    depth: f32,

    bounds: JointBounds,
    pub(crate) skin: Arc<Skin>,
    batch: SkinBatch,
    /// The scene: all characters are children of the root. The user data of a draw is the character's number.
    pub(crate) scene: Scene,
    /// The palettes of all characters, one after the other.
    pub(crate) palettes: Vec<Mat34>,
    moves: Vec<(NodeHandle, Transform)>,
    /// The number of frames so far.
    frames: u32,
    /// The number of characters posed in the last frame.
    pub(crate) posed: usize,
    /// The feet that came down in the last frame.
    pub(crate) steps: usize,
    /// The draws that the camera sees.
    draws: DrawList,
    pub(crate) visible: Vec<u32>,
    /// The seen characters whose vertices are older than their pose.
    pending: Vec<u32>,
    /// Positions by character and vertex, in the character's space; up to date for characters that are seen. A renderer
    /// would draw them.
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
}

pub(crate) struct Character {
    pub(crate) node: NodeHandle,
    animator: Animator,
    pub(crate) pose: Pose,
    /// The feet that came down since the last frame.
    steps: usize,
    /// The box of the present pose, in the character's space.
    pub(crate) bounds: Aabb,
    /// Seconds since the last pose.
    waited: f32,
    /// Whether it was posed in this frame, and whether its vertices match the present pose.
    posed: bool,
    skinned: bool,
    place: Transform,
    /// The speed of its clip, and the resulting speed in metres per second.
    tempo: f32,
    pub(crate) speed: f32,
    pub(crate) gait: usize,
    #[allow(dead_code, reason = "the viewer draws it")]
    pub(crate) coat: Coat,
}

impl Army {
    /// Makes the clips and the mesh, and lines up `characters`.
    pub(crate) fn muster(characters: u32, seed: u64) -> Result<Self, CharacterError> {
        let rig = Rig::new()?;
        let lists = Lists::new(&PuppetMesh::new(&rig));
        let skin = Arc::new(Lists::skin(&rig)?);
        let mesh = Arc::new(lists.skinned(&skin)?);
        let clips = Gait::ALL.iter().map(|gait| puppet::clip(&rig, gait)).collect::<Result<Vec<_>, _>>()?;
        let machine = machine(&rig, &clips);
        let [columns, ranks] = lines(characters);
        let mut army = Self {
            bounds: lists.bounds(&skin)?,
            skin,
            batch: SkinBatch::new(),
            scene: Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT })?,
            characters: Vec::new(),
            depth: RANK * ranks as f32,
            palettes: Vec::new(),
            moves: Vec::new(),
            frames: 0,
            posed: 0,
            steps: 0,
            draws: DrawList::new(),
            visible: Vec::new(),
            pending: Vec::new(),
            positions: Vec::new(),
            normals: Vec::new(),
            rig,
            mesh,
            clips,
            machine,
        };
        let mut dice = Dice::new(seed);
        for number in 0..characters {
            let (column, rank) = (number % columns, number / columns);
            let x = (column as f32 - 0.5 * (columns - 1) as f32) * COLUMN + dice.between(-0.3, 0.3);
            let z = -(rank as f32 + 0.5 + dice.between(-0.2, 0.2)) * RANK;
            army.enlist(number, COLUMNS[column as usize % COLUMNS.len()], Vec3::new(x, 0.0, z), &mut dice)?;
        }
        army.palettes = vec![Mat34::IDENTITY; army.batch.palettes_len()];
        army.positions = vec![[0.0; 3]; army.batch.vertices_len()];
        army.normals = army.positions.clone();
        Ok(army)
    }

    fn enlist(&mut self, number: u32, gait: usize, place: Vec3, dice: &mut Dice) -> Result<(), CharacterError> {
        let known = "the machine has it";
        let mut animator = Animator::new(&self.machine);
        animator.play(self.machine.state(Gait::ALL[gait].name).expect(known), 0.0);
        animator.seek(self.machine.layer("body").expect(known), dice.between(0.0, 1.0).into());
        if number.is_multiple_of(CARRIES) {
            animator.play(self.machine.state("carry").expect(known), 0.0);
        }
        // Standing characters face any way; others face forward.
        let heading = if Gait::ALL[gait].speed() > 0.0 { 0.0 } else { dice.between(-0.8, 0.8) };
        let (size, tempo) = (dice.between(0.93, 1.06), dice.between(0.92, 1.08));
        let turn = Quat::from_rotation_y(heading);
        let place = Transform::from_translation(place).with_rotation(turn).with_scale(Vec3::splat(size));
        let node = Node::transform(place).with_drawable(Drawable::new(PUPPET, Aabb::EMPTY));
        let node = self.scene.insert(self.scene.root(), node)?;
        self.scene.edit(node)?.set_user_data(number);
        self.batch.push(Arc::clone(&self.mesh), Arc::clone(&self.skin))?;
        let speed = Gait::ALL[gait].speed() * size * tempo;
        self.characters.push(Character {
            node,
            animator,
            pose: Pose::rest(&self.rig.skeleton),
            steps: 0,
            bounds: Aabb::EMPTY,
            waited: 0.0,
            posed: false,
            skinned: false,
            place,
            tempo,
            speed,
            gait,
            coat: coat(gait, dice),
        });
        Ok(())
    }

    /// Advances the clips, samples poses, and computes palettes and boxes. With `eye`, distant characters are posed at
    /// a lower rate. Works on several threads with the feature `rayon`.
    pub(crate) fn pose(&mut self, seconds: f32, eye: Option<Vec3>) -> Result<(), CharacterError> {
        let palettes = self.palettes.chunks_exact_mut(self.skin.len());
        let mut due = Vec::with_capacity(self.characters.len());
        for ((number, character), palette) in (self.frames..).zip(&mut self.characters).zip(palettes) {
            character.waited += seconds;
            // Neighbours take turns, so all frames have equal work.
            let every = eye.map_or(1, |eye| every(character.place.translation.distance(eye)));
            character.posed = number.is_multiple_of(every);
            if character.posed {
                due.push((character, palette));
            }
        }
        let (bounds, body) = (&self.bounds, self.machine.layer("body"));
        self.rig.skeleton.par_each_palette(
            &self.skin,
            &mut due,
            |(character, _)| {
                character.animator.advance(std::mem::take(&mut character.waited) * character.tempo);
                character.steps =
                    character.animator.events().filter(|passed| passed.leads && Some(passed.layer) == body).count();
                character.animator.sample(&mut character.pose)?;
                character.skinned = false;
                Ok(&character.pose)
            },
            |(character, own), _, palette| {
                own.copy_from_slice(&palette);
                character.bounds = bounds.of_pose(palette, &[])?;
                Ok::<(), CharacterError>(())
            },
        )?;
        (self.posed, self.frames) = (due.len(), self.frames.wrapping_add(1));
        Ok(())
    }

    /// Moves all characters forward, and sets their boxes. Characters that leave the field in front return at its back.
    pub(crate) fn march(&mut self, seconds: f32) -> Result<(), CharacterError> {
        self.moves.clear();
        self.steps = 0;
        for character in &mut self.characters {
            self.steps += std::mem::take(&mut character.steps);
            let z = &mut character.place.translation.z;
            *z += character.speed * seconds;
            if *z > 0.0 {
                *z -= self.depth;
            }
            self.moves.push((character.node, character.place));
            if character.posed {
                self.scene.edit(character.node)?.set_drawable(Drawable::new(PUPPET, character.bounds))?;
            }
        }
        Ok(self.scene.set_locals(self.moves.iter().copied())?)
    }

    /// Lists the characters in the frustum.
    pub(crate) fn cull(&mut self, frustum: &Frustum) -> Result<(), CharacterError> {
        self.scene.update();
        self.scene.cull(&mut [CullView::new(frustum, &mut self.draws)])?;
        self.visible.clear();
        self.visible.extend(self.draws.commands().iter().map(|command| command.user_data));
        Ok(())
    }

    /// Skins the listed characters whose pose has changed.
    pub(crate) fn skin(&mut self) -> Result<(), hedgerow_anim::Error> {
        self.pending.clear();
        for &number in &self.visible {
            let skinned = &mut self.characters[number as usize].skinned;
            if !std::mem::replace(skinned, true) {
                self.pending.push(number);
            }
        }
        let output = SkinOutput::new(&mut self.positions).normals(&mut self.normals);
        self.batch.skin_visible(&self.pending, &self.palettes, output)
    }

    /// Returns the number of characters skinned in the last frame.
    pub(crate) fn skinned(&self) -> usize {
        self.pending.len()
    }
}

/// Returns a state for each gait, and a layer in which the left arm may have a motion of its own.
fn machine(rig: &Rig, clips: &[Arc<Clip>]) -> Machine {
    let mut machine = MachineBuilder::new(&rig.skeleton);
    let body = machine.layer("body", LayerOptions::default());
    for (gait, clip) in Gait::ALL.iter().zip(clips) {
        machine.state(body, gait.name, Arc::clone(clip));
    }
    let mut mask = JointMask::new(rig.skeleton.len(), 0.0).expect("0 is a weight");
    mask.set_subtree(&rig.skeleton, rig.body.arms[0].clavicle, 1.0).expect("a joint of the rig");
    let arm = machine.layer("arm", LayerOptions::masked(mask));
    machine.state(arm, "free", Motion::none());
    machine.state(arm, "carry", Motion::from(Arc::clone(&clips[2])));
    machine.build().expect("the clips are of the rig")
}

/// Returns the number of frames between poses at a distance.
fn every(distance: f32) -> u32 {
    match distance / NEAR {
        ..1.0 => 1,
        ..2.0 => 2,
        _ => 4,
    }
}

/// Returns the numbers of columns and ranks for `characters`: 1.5 times as many columns as ranks.
pub(crate) fn lines(characters: u32) -> [u32; 2] {
    let columns = (1..=characters).find(|&columns| columns * columns >= characters + characters / 2).unwrap_or(1);
    [columns, characters.div_ceil(columns)]
}

/// Returns the middle and the radius of the field.
pub(crate) fn field(characters: u32) -> (Vec3, f32) {
    let [width, depth] = lines(characters).map(|lines| lines as f32);
    let half = 0.5 * Vec3::new(width * COLUMN, 0.0, depth * RANK);
    (Vec3::new(0.0, 0.0, -half.z), half.length() + 3.0)
}

/// Returns the colours of a character: the shirt shows the gait, the others are random.
fn coat(gait: usize, dice: &mut Dice) -> Coat {
    let rgb = Vec3::new;
    let skin = dice.pick(&[rgb(0.60, 0.36, 0.24), rgb(0.50, 0.28, 0.17), rgb(0.30, 0.16, 0.09), rgb(0.66, 0.42, 0.30)]);
    let hair =
        dice.pick(&[rgb(0.03, 0.02, 0.015), rgb(0.10, 0.05, 0.025), rgb(0.30, 0.18, 0.07), rgb(0.22, 0.21, 0.20)]);
    let shirt = match gait {
        0 => dice.pick(&[rgb(0.42, 0.06, 0.04), rgb(0.48, 0.12, 0.05), rgb(0.34, 0.04, 0.06)]),
        1 => dice.pick(&[rgb(0.05, 0.16, 0.40), rgb(0.07, 0.24, 0.44)]),
        2 => dice.pick(&[rgb(0.10, 0.20, 0.07), rgb(0.16, 0.22, 0.08)]),
        _ => dice.pick(&[rgb(0.62, 0.44, 0.12), rgb(0.58, 0.54, 0.44)]),
    };
    let trousers = dice.pick(&[rgb(0.09, 0.10, 0.15), rgb(0.14, 0.10, 0.07), rgb(0.20, 0.18, 0.14)]);
    let boots = if dice.chance(0.3) { rgb(0.09, 0.05, 0.03) } else { rgb(0.05, 0.035, 0.025) };
    let shade = dice.between(0.85, 1.12);
    [skin, hair, shirt * shade, trousers * shade, boots]
}
