//! Undo and redo for an editor; each step is a patch, whatever edits the user made.
//!
//! A deleted node comes back with another handle but the same id, so the editor's selection is an id.
//!
//! ```text
//! cargo run --example undo
//! ```

use hedgerow::patch::{Instance, Patch, Recorder};
use hedgerow::{Keep, Node, NodeHandle, NodeRef, Place, Scene, SceneConfig, Transform};
use std::error::Error;

/// A scene with a history.
struct Editor {
    scene: Scene,
    recorder: Recorder,
    undo: Vec<Patch>,
    redo: Vec<Patch>,
}

impl Editor {
    fn new(mut scene: Scene) -> Result<Self, Box<dyn Error>> {
        scene.update();
        let recorder = Recorder::new(&scene, Instance::of(&scene, scene.root())?)?;
        Ok(Self { scene, recorder, undo: Vec::new(), redo: Vec::new() })
    }

    /// Applies edits as one step and clears the redo history. If an edit is refused, reverts the earlier ones.
    fn act<T>(&mut self, edits: impl FnOnce(&mut Scene) -> Result<T, hedgerow::Error>) -> Result<T, Box<dyn Error>> {
        let result = edits(&mut self.scene);
        if result.is_err() {
            self.recorder.revert(&mut self.scene)?;
        }
        self.scene.update();
        let step = self.recorder.read(&self.scene)?;
        if !step.is_empty() {
            self.undo.push(step);
            self.redo.clear();
        }
        Ok(result?)
    }

    fn undo(&mut self) -> Result<(), Box<dyn Error>> {
        let Some(step) = self.undo.pop() else { return Ok(()) };
        self.recorder.apply(&mut self.scene, &step.inverse())?;
        self.redo.push(step);
        Ok(())
    }

    fn redo(&mut self) -> Result<(), Box<dyn Error>> {
        let Some(step) = self.redo.pop() else { return Ok(()) };
        self.recorder.apply(&mut self.scene, &step)?;
        self.undo.push(step);
        Ok(())
    }

    fn node(&self, id: u64) -> NodeHandle {
        self.recorder.instance().node(id).expect("the node is there")
    }

    /// Returns the tree as text, a line for each node.
    fn shown(&self) -> String {
        let line = |node: NodeRef<'_>| format!("{:1$}{2:?}\n", "", 2 * node.depth(), node.node());
        self.scene.get(self.scene.root()).expect("a scene has a root").descendants().map(line).collect()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut editor = Editor::new(Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?)?;
    let root = editor.scene.root();
    let (house, door) = editor.act(|scene| {
        let house = scene.insert(root, Node::transform(Transform::IDENTITY).named("house"))?;
        let door = Node::transform(Transform::from_xyz(1.0, 0.0, 0.0)).named("door");
        Ok((house, scene.insert(house, door)?))
    })?;
    let window = Node::transform(Transform::from_xyz(3.0, 1.0, 0.0)).named("window");
    let window = editor.act(|scene| scene.insert(house, window))?;
    let selected = editor.recorder.instance().id(door).expect("each node below the root has an id");
    let built = editor.shown();

    editor.act(|scene| {
        scene.set_local(door, Transform::from_xyz(2.0, 0.0, 0.0))?;
        scene.reparent(window, Place::Before(door), Keep::Local)
    })?;
    editor.act(|scene| scene.remove(house))?;
    println!("after the house is deleted: {} node", editor.scene.len());
    assert!(editor.scene.len() == 1 && !editor.scene.contains(door));

    (0..2).try_for_each(|_| editor.undo())?;
    println!("after two undos:\n{}", editor.shown());
    assert_eq!(editor.shown(), built, "all is as it was built, the order of siblings included");
    let door = editor.node(selected);
    assert_eq!(editor.scene.get(door).and_then(NodeRef::name), Some("door"), "the selection survives");

    let failed = editor.act(|scene| scene.remove(door).and_then(|_| scene.remove(door)));
    assert!(failed.is_err() && editor.shown() == built, "a command that fails half-way leaves no trace");

    let door = editor.node(selected);
    editor.redo()?;
    let first = editor.scene.get(door).and_then(|door| door.previous_sibling()?.name());
    assert_eq!(first, Some("window"), "the moves are done again");

    // A new edit after an undo clears the redo history.
    editor.undo()?;
    editor.act(|scene| scene.insert(root, Node::group().named("tree")))?;
    editor.redo()?;
    println!("after a new edit:\n{}", editor.shown());
    assert_eq!((editor.redo.len(), editor.scene.len()), (0, 5));
    Ok(())
}
