//! A scene that is saved and loaded.

use super::Check;
use super::feed::Seen;
use super::oracle::Oracle;
use super::readers::Readers;
use super::tree::Tree;
use hedgerow::Scene;
use hedgerow::snapshot::SaveOptions;

impl Oracle {
    /// Saves the scene, and goes on with the one that was loaded.
    pub(crate) fn reload(&mut self, options: SaveOptions) -> Check<Option<bool>> {
        let before = self.scene.stats().pending_free;
        let bytes = self.scene.save_with(options);
        self.scene =
            Scene::load(&bytes).map_err(|error| super::Mismatch(format!("what was saved is refused: {error}")))?;
        if options.compact {
            let after = self.scene.stats().pending_free;
            ensure!(after == 0, "{after} nodes wait to be freed in a scene that was saved compactly");
            self.counts.freed += before;
        }
        if !options.detached {
            for root in self.tree.detached().to_vec() {
                self.tree.remove(root);
            }
        }
        self.seen = Seen::new(&self.scene);
        self.readers = Readers::new(&self.scene, false);
        // Matrices as of the last update are kept, unless slices were rebuilt.
        self.tree.forget_seen();
        ensure!(self.scene.root() == self.tree.handle(Tree::ROOT), "the root has another handle");
        Ok(None)
    }
}
