use super::Check;
use super::feed::Seen;
use super::oracle::Oracle;
use super::readers::Readers;
use super::tree::Tree;
use hedgerow::SceneConfig;
use hedgerow::snapshot::{LoadOptions, SaveOptions};

impl Oracle {
    /// Saves the scene, and continues with the loaded one, in another configuration if one is given.
    pub fn reload(&mut self, options: SaveOptions, config: Option<SceneConfig>) -> Check<Option<bool>> {
        let bytes = options.to_bytes(&self.scene);
        let expected = config.unwrap_or(*self.scene.config());
        let loaded = LoadOptions { config }.from_bytes(&bytes);
        self.scene = loaded.map_err(|error| super::Mismatch(format!("what was saved is refused: {error}")))?;
        ensure!(self.scene.config() == &expected, "the configuration is another");
        if !options.detached {
            for root in self.tree.detached().to_vec() {
                self.tree.remove(root);
            }
        }
        self.seen = Seen::of_loaded(&self.scene);
        self.readers = Readers::of_loaded(&self.scene, self.tree.removed().len());
        // A loaded scene is up to date.
        self.tree.forget_seen();
        ensure!(self.scene.root() == self.tree.handle(Tree::ROOT), "the root has another handle");
        Ok(None)
    }
}
