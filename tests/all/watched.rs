//! A scene with a reader of changes that reads after each update.

use core::ops::{Deref, DerefMut};
use hedgerow::changes::{ChangeKinds, ChangeReader, Changed};
use hedgerow::{NodeHandle, Scene, SceneConfig};

/// A scene that tracks changes, and the last report of its reader.
#[derive(Clone)]
pub(crate) struct Watched {
    scene: Scene,
    reader: ChangeReader,
    pub(crate) told: Lists,
}

/// The report of a reader.
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
    /// Returns the numbers of nodes that moved, changed visibility, entered and left.
    pub(crate) fn counts(&self) -> [usize; 4] {
        [&self.moved, &self.visibility, &self.entered, &self.left].map(Vec::len)
    }
}

impl Watched {
    /// Creates a scene, read before its first update.
    pub(crate) fn new(config: SceneConfig) -> Self {
        Self::of(Scene::with_config(config).unwrap())
    }

    /// Wraps a scene and reads it.
    pub(crate) fn of(scene: Scene) -> Self {
        let mut reader = ChangeReader::new();
        assert!(scene.changes(&mut reader).unwrap().is_whole(), "a new reader reads everything");
        Self { scene, reader, told: Lists::default() }
    }

    /// Updates the scene and reads its changes.
    pub(crate) fn update(&mut self) -> &Lists {
        self.scene.update();
        self.read()
    }

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
