//! Edits of an instance as edits of its definition.

use crate::document::Document;
use crate::error::Error;
use crate::library::Library;
use crate::operations::Draft;
use crate::patch::{Entry, Key, Patch};
use crate::path::{Path, joined};
use crate::resolve::Scope;
use crate::value::{Field, Spot, Value};
use hedgerow::Scene;
use std::collections::BTreeMap;
use std::sync::Arc;

impl Document {
    /// Makes the edits since the last step one step, like [`commit`](Self::commit), but those inside a use are stated
    /// by the definition that it uses: edits a prefab in place, and all its instances follow.
    ///
    /// What the definition cannot state stays stated by the open one: the placement of a node whose parent it does not
    /// have, and fields of the use itself. New nodes inside the use become the definition's, with new ids and handles.
    /// They get the orders that they have here: a last child comes after all that the open definition has added to this
    /// instance.
    ///
    /// # Errors
    /// Those of [`commit`](Self::commit). [`Error::Invalid`] if the path leads to no use; then no edit is committed. The
    /// same if the scene has no room for what other instances get; then the edits are a step of the open definition
    /// alone, as after a commit.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, SceneConfig, Tree};
    /// use hedgerow_document::{Document, Library, Path, Spot};
    ///
    /// let mut library = Library::new();
    /// let (mut lamp, mut street) = (Tree::new(), Tree::new());
    /// let foot = lamp.push(None, Node::group());
    /// lamp.push(Some(foot), Node::material(2));
    /// street.push(None, Node::group());
    /// library.apply(&library.define("lamp", &lamp)?)?;
    /// library.apply(&library.define("street", &street)?)?;
    /// for order in [1.0, 2.0] {
    ///     library.apply(&library.place("street", Spot::below(0, order), "lamp", Node::group())?)?;
    /// }
    /// let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
    /// let root = scene.root();
    /// let mut document = Document::open(&mut scene, root, library, "street")?;
    /// let [left, right] = [1, 2].map(|lamp| document.node(&scene, &Path::from([lamp, 1])).unwrap());
    /// scene.edit(left)?.set_material(7);
    /// document.commit_in(&mut scene, &Path::from(1))?;
    /// assert_eq!(scene.get(right).unwrap().own_material(), Some(7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn commit_in(&mut self, scene: &mut Scene, use_: &Path) -> Result<Patch, Error> {
        let library = &self.library;
        let used =
            library.locate(self.definition, use_.ids()).and_then(|route| library.enter(route.scope(), route.id()));
        let used = used.map(|used| library.at(used).name.clone()).ok_or_else(|| {
            let (key, why) = (Key::new(self.name.clone(), use_.clone(), Field::Use), "there is no use; name one");
            Error::Invalid { key, why }
        })?;
        let stated = self.record(scene)?;
        let made = self.library.pushed_in(&self.name, use_, &used, &stated).and_then(|pushed| {
            let step = stated.then(&pushed)?;
            self.make(scene, &pushed).map(|()| step)
        });
        let step = made.as_ref().unwrap_or(&stated);
        self.library.keep_ids(step);
        self.history.push(step.clone());
        made
    }
}

impl Library {
    /// Returns the patch that moves what a definition has just stated inside a use to the used definition.
    fn pushed_in(&self, name: &Arc<str>, use_: &Path, used: &Arc<str>, stated: &Patch) -> Result<Patch, Error> {
        let (number, level) = (self.defined(name)?, use_.ids().len());
        let mut moved = self.clone();
        let mut patches = Vec::new();
        // What the definition cannot state stays stated here: a parent that it does not have, a use that contains it.
        let mut push = |library: &mut Self, patch: Result<Patch, Error>| {
            let patch = patch.ok().filter(|patch| library.apply(patch).is_ok());
            let pushed = patch.is_some();
            patches.extend(patch);
            pushed
        };
        // New own nodes below the use, parents first: their ids ascend.
        let mut ids: BTreeMap<u64, u64> = BTreeMap::new();
        for Entry { key, before, after } in stated.entries() {
            let (Some(id), None, Some(Value::Place(Some(Spot { parent: Some(parent), order })))) =
                (key.path.own(), before, after)
            else {
                continue;
            };
            let inner = match ids.get(&parent.ids()[0]) {
                Some(&own) => Some(joined(&[own], &parent.ids()[1..])),
                None if parent == use_ => self.defined(used).ok().and_then(|used| self.at(used).root()).map(Path::from),
                None if parent.starts_with(use_) => Path::try_from(&parent.ids()[level..]).ok(),
                None => None,
            };
            if let Some(parent) = inner {
                let new = moved.next_id(used);
                let spot = Value::Place(Some(Spot { parent: Some(parent), order: *order }));
                let mut draft = Draft::new(&moved);
                draft.remove(number, [id]);
                draft.state_new(used, new.into(), spot);
                for ((path, _), value) in moved.flattened(&Scope::top(number), id, &new.into()) {
                    draft.state_new(used, path, value);
                }
                let patch = draft.finish();
                if push(&mut moved, Ok(patch)) {
                    ids.insert(id, new);
                }
            }
        }
        for Entry { key, .. } in stated.entries() {
            if key.path != *use_ && key.path.starts_with(use_) && self.get(key).is_some() {
                let patch = moved.push(name, &key.path, &[key.field], level);
                push(&mut moved, patch);
            }
        }
        Patch::join(&patches)
    }
}
