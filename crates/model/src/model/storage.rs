use super::Check;
use super::feed::Seen;
use super::oracle::Oracle;
use super::readers::Readers;
use super::tree::Tree;
use hedgerow::snapshot::{LoadOptions, SaveOptions};
use hedgerow::{Node, SceneConfig};

impl Oracle {
    /// Saves the scene, and continues with the loaded one, in another configuration if one is given.
    pub fn reload(&mut self, options: SaveOptions, config: Option<SceneConfig>) -> Check<Option<bool>> {
        let bytes = options.to_bytes(&self.scene);
        let expected = config.unwrap_or(*self.scene.config());
        let loaded = LoadOptions { config }.from_bytes(&bytes);
        let loaded = loaded.map_err(|error| super::Mismatch(format!("what was saved is refused: {error}")))?;
        if options.detached && config.is_none() {
            ensure!(loaded.to_bytes() == bytes, "what was loaded is saved as other bytes");
            let [one, other] = [&self.scene, &loaded].map(|scene| {
                let mut scene = scene.clone();
                [(); 3].map(|()| scene.insert(scene.root(), Node::group()).ok())
            });
            ensure!(one == other, "the next handles are {other:?} after loading, not {one:?}");
        }
        self.scene = loaded;
        ensure!(self.scene.config() == &expected, "the configuration is another");
        if !options.detached {
            for root in self.tree.detached().to_vec() {
                self.tree.remove(root);
            }
        }
        self.seen = Seen::of_loaded(&self.scene);
        self.readers = Readers::of_loaded(&self.scene);
        self.tree.note_update();
        // A loaded scene is up to date.
        self.renderer.note_update();
        self.tree.forget_seen();
        ensure!(self.scene.root() == self.tree.handle(Tree::ROOT), "the root has another handle");
        Ok(None)
    }
}
