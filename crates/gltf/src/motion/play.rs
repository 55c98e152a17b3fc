//! Plays animations of a file on all rigs that they move.

use crate::Imported;
use crate::error::{ImportError, ImportErrorKind, Item, ItemKind};
use hedgerow_anim::{Clip, ClipBuilder};
use hedgerow_character::AnimationPlayer;
use std::sync::Arc;

impl Imported {
    /// Prepares the animation with this glTF index to play on all rigs that it moves. The player starts at time 0 and
    /// stops at the end.
    ///
    /// Compiles its clips with default settings.
    ///
    /// Runs in **O(keys + joints)**. To play on several copies, use [`AnimationPlayer::of_copy`].
    ///
    /// # Errors
    /// [`ImportErrorKind::NoAnimation`] if there is no such animation; [`ImportErrorKind::Motion`] if
    /// [`ClipBuilder::build`] refuses a clip, or if a clip or a rig was replaced by one that does not fit.
    ///
    /// ```
    /// use hedgerow::glam::Vec3;
    ///
    /// // The numbers 0, 2, 0, 0, 0, 0: the times 0 and 2, and the places (0, 2, 0) and (0, 0, 0).
    /// let text = br#"{
    ///     "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "lift"}],
    ///     "animations": [{"name": "down", "samplers": [{"input": 0, "output": 1}],
    ///         "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]}],
    ///     "accessors": [{"componentType": 5126, "type": "SCALAR", "count": 2, "bufferView": 0},
    ///         {"componentType": 5126, "type": "VEC3", "count": 2, "bufferView": 0}],
    ///     "bufferViews": [{"buffer": 0, "byteLength": 24}],
    ///     "buffers": [{"byteLength": 24, "uri": "data:;base64,AAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAA"}]
    /// }"#;
    /// let mut import = hedgerow_gltf::from_slice(text, None)?;
    /// let mut down = import.imported.play(0)?;                         // once,
    /// assert_eq!(down.duration(), 2.0);
    ///
    /// down.advance(0.5);                                               // then each frame.
    /// down.apply(&mut import.scene)?;
    /// import.scene.update();
    /// let lift = import.imported.node(0).expect("it is in a scene");
    /// let place = import.scene.world(lift).unwrap().translation();
    /// assert!((place - Vec3::new(0.0, 1.5, 0.0)).length() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn play(&self, animation: usize) -> Result<AnimationPlayer, ImportError> {
        self.play_with(&[animation], ClipBuilder::new())
    }

    /// Prepares several animations to play and to [fade](AnimationPlayer::fade_to) from one to another, as
    /// [`play`](Self::play) does one, with clips compiled by `builder`. The player numbers them in the order of the list.
    ///
    /// # Errors
    /// The errors of [`play`](Self::play).
    pub fn play_with(&self, animations: &[usize], builder: ClipBuilder) -> Result<AnimationPlayer, ImportError> {
        let all = animations.iter().map(|&animation| self.compile(animation, builder));
        let all = all.collect::<Result<Vec<_>, _>>()?;
        AnimationPlayer::new(&self.rigs, &self.morphs, all.iter().cloned()).map_err(|error| {
            // The animation that does not fit is refused alone, too.
            let refused = |clips: &Vec<_>| AnimationPlayer::new(&self.rigs, &self.morphs, [clips.clone()]).is_err();
            let number = all.iter().position(refused).unwrap_or_default();
            let item = self.animation_item(animations.get(number).copied().unwrap_or_default());
            ImportErrorKind::Motion { item, field: String::new(), error }.into()
        })
    }

    fn animation_item(&self, index: usize) -> Item {
        let name = self.animations.get(index).and_then(|animation| animation.name.clone());
        Item { kind: ItemKind::Animation, index, name }
    }

    /// Compiles the clips of an animation, each with the number of its rig.
    fn compile(&self, animation: usize, builder: ClipBuilder) -> Result<Vec<(usize, Arc<Clip>)>, ImportError> {
        let Some(of_file) = self.animations.get(animation) else {
            return Err(ImportErrorKind::NoAnimation { animation, count: self.animations.len() }.into());
        };
        let compiled = self.clips[of_file.clips.clone()].iter().map(|imported| {
            let (clip, _) = builder.build(&imported.clip).map_err(|error| {
                let (item, field) = (self.animation_item(animation), format!("rig {}", imported.rig));
                ImportErrorKind::Motion { item, field, error: error.into() }
            })?;
            Ok((imported.rig, Arc::new(clip)))
        });
        compiled.collect()
    }

    /// Returns a player without animations: all rigs rest as in the file.
    ///
    /// Runs in **O(joints)**.
    #[must_use]
    pub fn at_rest(&self) -> AnimationPlayer {
        AnimationPlayer::at_rest(&self.rigs, &self.morphs)
    }
}
