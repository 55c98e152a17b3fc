//! Undo and redo, as an editor has them: handles stay valid across both.
//!
//! Nothing that the user deletes is removed: it is detached, with all below it, and attached again by undo. A detached
//! subtree keeps its handles and costs no pass anything. What can no longer come back is removed for good.
//!
//! ```text
//! cargo run --example undo
//! ```

use hedgerow::{Error, Keep, Local, Node, NodeHandle, NodeRef, Place, Scene, Transform};

/// One step of the history: what is to be done to take it back, which is also what brings it back afterwards.
enum Step {
    /// The node goes to a place, which may be outside of the tree.
    Put { node: NodeHandle, place: Place },
    /// The node gets another local transform.
    Local { node: NodeHandle, local: Local },
}

/// A scene with a history.
struct Editor {
    scene: Scene,
    undo: Vec<Step>,
    redo: Vec<Step>,
}

impl Editor {
    /// Does a step, and returns the one that takes it back.
    fn apply(&mut self, step: Step) -> Result<Step, Error> {
        match step {
            Step::Put { node, place } => {
                let before = self.scene.get(node).and_then(|node| node.place()).ok_or(Error::RootIsFixed)?;
                self.scene.reparent(node, place, Keep::Local)?;
                Ok(Step::Put { node, place: before })
            }
            Step::Local { node, local } => {
                let before = self.scene.local(node).ok_or(Error::NoTransform(node))?;
                self.scene.set_local(node, local)?;
                Ok(Step::Local { node, local: before })
            }
        }
    }

    /// Does something new: what was undone before can no longer be redone.
    fn edit(&mut self, step: Step) -> Result<(), Error> {
        let back = self.apply(step)?;
        self.forget_redo()?;
        self.undo.push(back);
        Ok(())
    }

    /// Inserts a node. To take that back is to detach it.
    fn insert(&mut self, parent: NodeHandle, node: Node<'_>) -> Result<NodeHandle, Error> {
        let node = self.scene.insert(parent, node)?;
        self.forget_redo()?;
        self.undo.push(Step::Put { node, place: Place::Detached });
        Ok(node)
    }

    fn delete(&mut self, node: NodeHandle) -> Result<(), Error> {
        self.edit(Step::Put { node, place: Place::Detached })
    }

    fn undo(&mut self) -> Result<(), Error> {
        let Some(step) = self.undo.pop() else { return Ok(()) };
        let back = self.apply(step)?;
        self.redo.push(back);
        Ok(())
    }

    fn redo(&mut self) -> Result<(), Error> {
        let Some(step) = self.redo.pop() else { return Ok(()) };
        let back = self.apply(step)?;
        self.undo.push(back);
        Ok(())
    }

    /// Inserts that were undone will not come back: what they made is removed.
    fn forget_redo(&mut self) -> Result<(), Error> {
        for step in self.redo.drain(..) {
            // A redo that attaches a node which is detached now is the redo of an insert, or of a move of such a node.
            if let Step::Put { node, place } = step
                && place != Place::Detached
                && self.scene.get(node).is_some_and(|node| node.is_detached())
                && self.scene.parent(node).is_none()
            {
                self.scene.remove(node)?;
            }
        }
        Ok(())
    }
}

/// The tree as text: a line for each node.
fn shown(scene: &Scene) -> String {
    let line = |node: NodeRef<'_>| format!("{:1$}{2} {3:?}\n", "", 2 * node.depth(), node.handle(), node.node());
    scene.get(scene.root()).expect("a scene has a root").descendants().map(line).collect()
}

fn main() -> Result<(), Error> {
    let mut editor = Editor { scene: Scene::new(), undo: Vec::new(), redo: Vec::new() };
    let root = editor.scene.root();
    let house = editor.insert(root, Node::transform(Transform::IDENTITY).named("house"))?;
    let door = editor.insert(house, Node::transform(Transform::from_xyz(1.0, 0.0, 0.0)).named("door"))?;
    let window = editor.insert(house, Node::transform(Transform::from_xyz(3.0, 1.0, 0.0)).named("window"))?;
    let built = shown(&editor.scene);

    editor.edit(Step::Local { node: door, local: Transform::from_xyz(2.0, 0.0, 0.0).into() })?;
    editor.edit(Step::Put { node: window, place: Place::Before(door) })?;
    editor.delete(house)?;
    println!("after the house is deleted: {} node", editor.scene.len());
    assert!(
        editor.scene.len() == 1 && editor.scene.contains(door),
        "the door is out of the tree, and its handle valid"
    );

    (0..3).try_for_each(|_| editor.undo())?;
    println!("after three undos:\n{}", shown(&editor.scene));
    assert_eq!(shown(&editor.scene), built, "all is as it was built, the order of siblings included");

    (0..2).try_for_each(|_| editor.redo())?;
    let children: Vec<_> = editor.scene.children(house).collect();
    assert_eq!(children, [window, door], "the moves are done again, by the same handles");

    // A new edit after an undo: what was undone is gone for good, and only that.
    let chimney = editor.insert(house, Node::group().named("chimney"))?;
    editor.undo()?;
    editor.insert(house, Node::group().named("roof"))?;
    assert!(!editor.scene.contains(chimney) && editor.scene.contains(door));
    println!("after a new edit:\n{}", shown(&editor.scene));
    Ok(())
}
