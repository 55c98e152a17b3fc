//! A scene that takes over another one, gets another configuration, or is saved and loaded.

use super::feed::Seen;
use super::oracle::{Oracle, Refusals};
use super::readers::Readers;
use super::tree::Tree;
use super::{Check, copies};
use hedgerow::snapshot::SaveOptions;
use hedgerow::{Error, Node, NodeHandle, Place, Scene, SceneConfig};

impl Oracle {
    /// Takes over a scene that has copies of two subtrees, the second one detached, below a root with a name.
    pub(crate) fn adopt_scene(
        &mut self,
        [node, spare]: [NodeHandle; 2],
        place: Place,
        config: SceneConfig,
        updated: bool,
    ) -> Check<Option<bool>> {
        let (Some(below), Some(beside)) = (self.tree.find(node), self.tree.find(spare)) else { return Ok(None) };
        let mut other = made(Scene::with_config(config))?;
        let root = other.root();
        made(other.set_name(root, Some("door")))?;
        // A node that is gone again leaves a stale handle, which must not come to life.
        let gone = made(other.insert(root, Node::group()))?;
        made(other.remove(gone))?;
        let copy = made(other.duplicate_from(&self.scene, node, root))?;
        let detached = made(other.duplicate_from(&self.scene, spare, Place::Detached))?;
        if updated {
            other.update();
        }
        let originals = [self.original(below), self.original(beside)];
        let mut refusals = Refusals::default();
        self.free(place, None, &mut refusals);
        let before = other.dump();
        let Some(map) = self.attempt(refusals, |scene| scene.adopt(&mut other, place))? else {
            ensure!(other.dump() == before, "a scene that was not taken over has changed");
            return Ok(None);
        };
        ensure!(other.len() == 1 && other.detached_len() == 0, "a scene that was taken over has nodes");
        ensure!(other.validate().is_ok() && other.config() == &config, "a scene that was taken over is not new");
        ensure!(map.get(gone).is_none(), "a handle that was stale came along");
        ensure!(map.len() == 1 + copy.len() + detached.len(), "a map of {} nodes", map.len());
        let door = map.get(root).filter(|&door| door == map.top());
        let Some(door) = door else { return Err(super::Mismatch("the root did not come along".into())) };
        ensure!(!self.tree.was_issued(door), "{door:?} was given to an earlier node");
        self.tree.add(door, place, &Node::group().named("door"));
        for (original, (copy, place)) in
            originals.iter().zip([(&copy, Place::LastChildOf(door)), (&detached, Place::Detached)])
        {
            let there = copies::check_map(copy, &original.handles)?;
            let news: Vec<NodeHandle> = there.iter().filter_map(|&node| map.get(node)).collect();
            ensure!(news.len() == there.len(), "nodes were lost on the way");
            self.add_copy(place, original, &news)?;
        }
        // World matrices that were computed elsewhere are those of the last update only by chance.
        self.counts.subtrees += 1;
        Ok(Some(true))
    }

    /// Gives the scene another configuration.
    pub(crate) fn reconfigure(&mut self, config: SceneConfig) -> Check<Option<bool>> {
        let wrong = SceneConfig { max_nodes: 3, ..config };
        let refused = self.scene.reconfigure(wrong);
        ensure!(matches!(refused, Err(Error::InvalidConfig { .. })), "{wrong:?} is answered by {refused:?}");
        let before = *self.scene.config();
        made(self.scene.reconfigure(config))?;
        ensure!(self.scene.config() == &config, "the configuration is {:?}, not {config:?}", self.scene.config());
        self.bound(&config);
        if before.changes != config.changes {
            self.seen.begin_anew(&self.scene)?;
            self.readers = Readers::new(&self.scene, false);
        }
        Ok(None)
    }

    /// Saves the scene, and goes on with the one that was loaded.
    pub(crate) fn reload(&mut self, options: SaveOptions, config: Option<SceneConfig>) -> Check<Option<bool>> {
        let before = self.scene.stats().pending_free;
        let bytes = self.scene.save_with(options);
        let loaded = match config {
            Some(config) => Scene::load_with(&bytes, config),
            None => Scene::load(&bytes),
        };
        self.scene = loaded.map_err(|error| super::Mismatch(format!("what was saved is refused: {error}")))?;
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
        self.bound(&self.scene.config().to_owned());
        self.seen = Seen::new(&self.scene);
        self.readers = Readers::new(&self.scene, false);
        // Matrices as of the last update are kept, unless slices were rebuilt.
        self.tree.forget_seen();
        ensure!(self.scene.root() == self.tree.handle(Tree::ROOT), "the root has another handle");
        Ok(None)
    }

    fn bound(&mut self, config: &SceneConfig) {
        self.least_bound = self.least_bound.min(config.max_nodes);
    }
}

fn made<T, E: core::fmt::Display>(result: Result<T, E>) -> Check<T> {
    result.map_err(|error| super::Mismatch(format!("what is allowed was refused: {error}")))
}
