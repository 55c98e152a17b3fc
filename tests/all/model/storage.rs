//! A scene that is saved and loaded.

use super::Check;
use super::feed::Seen;
use super::oracle::Oracle;
use super::readers::Readers;
use super::tree::Tree;
use hedgerow::snapshot::SaveOptions;
use hedgerow::{Scene, SceneConfig};

impl Oracle {
    /// Saves the scene, and goes on with the one that was loaded, with another configuration if there is one.
    pub(crate) fn reload(&mut self, options: SaveOptions, config: Option<SceneConfig>) -> Check<Option<bool>> {
        let bytes = self.scene.save_with(options);
        let loaded = match config {
            Some(config) => Scene::load_with(&bytes, config),
            None => Scene::load(&bytes),
        };
        self.scene = loaded.map_err(|error| super::Mismatch(format!("what was saved is refused: {error}")))?;
        ensure!(config.is_none_or(|config| self.scene.config() == &config), "the configuration is another");
        if !options.detached {
            for root in self.tree.detached().to_vec() {
                self.tree.remove(root);
            }
        }
        self.seen = Seen::of_loaded(&self.scene);
        self.readers = Readers::of_loaded(&self.scene, self.tree.removed().len());
        // A scene that was loaded is up to date.
        self.tree.forget_seen();
        ensure!(self.scene.root() == self.tree.handle(Tree::ROOT), "the root has another handle");
        Ok(None)
    }
}
