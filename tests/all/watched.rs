//! A scene together with a reader of its changes, which reads after each update.

use core::ops::{Deref, DerefMut};
use hedgerow::changes::{ChangeKinds, ChangeReader, Changed};
use hedgerow::{NodeHandle, Scene, SceneConfig};

/// A scene that tracks changes, and what a reader was last told.
#[derive(Clone)]
pub(crate) struct Watched {
    scene: Scene,
    reader: ChangeReader,
    pub(crate) told: Lists,
}

/// What a reader was told.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Lists {
    pub(crate) moved: Vec<NodeHandle>,
    pub(crate) visibility: Vec<NodeHandle>,
    pub(crate) locals: Vec<NodeHandle>,
    pub(crate) entered: Vec<NodeHandle>,
    pub(crate) left: Vec<NodeHandle>,
    pub(crate) removed: Vec<NodeHandle>,
    pub(crate) edited: Vec<(NodeHandle, ChangeKinds)>,
}

impl From<Changed<'_>> for Lists {
    fn from(changed: Changed<'_>) -> Self {
        Self {
            moved: changed.moved().to_vec(),
            visibility: changed.visibility().to_vec(),
            locals: changed.locals().to_vec(),
            entered: changed.entered().to_vec(),
            left: changed.left().to_vec(),
            removed: changed.removed().to_vec(),
            edited: changed.edited().to_vec(),
        }
    }
}

impl Lists {
    /// The numbers of nodes moved, changed in visibility, entered and left.
    pub(crate) fn counts(&self) -> [usize; 4] {
        [&self.moved, &self.visibility, &self.entered, &self.left].map(Vec::len)
    }

    /// Whether nothing is told that an update computes, and no node entered or left.
    pub(crate) fn is_still(&self) -> bool {
        self.counts() == [0; 4]
    }
}

impl Watched {
    /// A scene, read before its first update.
    pub(crate) fn new(config: SceneConfig) -> Self {
        Self::of(Scene::with_config(config).unwrap())
    }

    /// A scene, read as it is.
    pub(crate) fn of(scene: Scene) -> Self {
        let mut reader = ChangeReader::new();
        assert!(scene.changes(&mut reader).unwrap().is_whole(), "a new reader reads everything");
        Self { scene, reader, told: Lists::default() }
    }

    /// Updates the scene, and reads what changed.
    pub(crate) fn update(&mut self) -> &Lists {
        self.scene.update();
        self.read()
    }

    /// Reads what changed.
    pub(crate) fn read(&mut self) -> &Lists {
        let changes = self.scene.changes(&mut self.reader).unwrap();
        assert!(!changes.is_whole(), "the history is long enough");
        self.told = changes.into();
        &self.told
    }
}

impl Deref for Watched {
    type Target = Scene;

    fn deref(&self) -> &Scene {
        &self.scene
    }
}

impl DerefMut for Watched {
    fn deref_mut(&mut self) -> &mut Scene {
        &mut self.scene
    }
}
