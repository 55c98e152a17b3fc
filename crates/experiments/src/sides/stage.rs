//! A scene on which a script is played.

use super::describe;
use crate::workloads::{Edit, Script};
use hedgerow::{Keep, NodeHandle, Scene, SceneConfig};

/// A scene with one child of the root, on which a script is played.
#[derive(Debug)]
pub struct Stage<'s> {
    scene: Scene,
    nodes: Vec<NodeHandle>,
    script: &'s Script,
}

impl<'s> Stage<'s> {
    /// A scene of this policy, before the first edit of the script.
    ///
    /// # Panics
    /// If the policy makes no sense.
    #[must_use]
    pub fn new(config: SceneConfig, script: &'s Script) -> Self {
        let mut scene = Scene::with_config(config).expect("a policy that makes sense");
        let mut nodes = Vec::with_capacity(script.edits().len() + 1);
        let top = scene.insert(scene.root(), describe(script.content(0)));
        nodes.push(top.expect("a new scene has room"));
        Self { scene, nodes, script }
    }

    /// Plays the next edit, which must be the next of the script.
    ///
    /// # Panics
    /// If it is another one, whose nodes are not there.
    #[inline]
    pub fn play(&mut self, edit: Edit) {
        match edit {
            Edit::Insert { parent } => {
                let content = self.script.content(self.nodes.len());
                let node = self.scene.insert(self.nodes[parent as usize], describe(content));
                self.nodes.push(node.expect("a live parent takes a finite node"));
            }
            Edit::Remove { node } => {
                self.scene.remove(self.nodes[node as usize]).expect("a removed node was there");
            }
            Edit::Reparent { node, parent } => {
                let parent = self.nodes[parent as usize];
                self.scene.reparent(self.nodes[node as usize], parent, Keep::Local).expect("a script has no cycles");
            }
        }
    }

    /// The scene.
    #[must_use]
    pub const fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The scene, to be updated and maintained; what else is done to it the script does not know.
    #[must_use]
    pub const fn scene_mut(&mut self) -> &mut Scene {
        &mut self.scene
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workloads::Growth;

    #[test]
    fn a_script_plays_on_every_policy_and_leaves_the_same_tree() {
        let script = Script::new(5000, 5000, 3);
        assert!(script.edits()[..5000].iter().all(|edit| matches!(edit, Edit::Insert { .. })));
        let play = |config| play(&script, config);
        let (nodes, depths) = play(SceneConfig::DEFAULT);
        assert!((4500..5700).contains(&nodes), "{nodes} nodes");
        assert_eq!(depths.iter().flatten().count(), nodes - 1);
        assert_eq!((nodes, depths), play(SceneConfig::THESIS));
    }

    #[test]
    fn a_script_of_a_shape_grows_to_that_shape_and_keeps_near_it() {
        for (growth, depth) in Growth::EXTREMES.into_iter().zip([1000, 500, 2]) {
            let grown = Script::shaped(growth, 1000, 0, 3);
            let (nodes, depths) = play(&grown, SceneConfig::DEFAULT);
            assert_eq!(nodes, 1002);
            let deepest = depths.iter().flatten().max().copied().unwrap_or(0);
            assert!(deepest.abs_diff(depth) <= 1, "{growth:?} is {deepest} deep");
            let churned = Script::shaped(growth, 1000, 1000, 3);
            let (nodes, depths) = play(&churned, SceneConfig::DEFAULT);
            assert!((300..1300).contains(&nodes), "{growth:?} has {nodes} nodes");
            assert_eq!((nodes, depths), play(&churned, SceneConfig::THESIS));
            assert!(churned.edits().iter().any(|edit| matches!(edit, Edit::Remove { .. })));
        }
    }

    /// How many nodes the scene has in the end, and how deep each is.
    fn play(script: &Script, config: SceneConfig) -> (usize, Vec<Option<usize>>) {
        let mut stage = Stage::new(config, script);
        for (number, &edit) in script.edits().iter().enumerate() {
            stage.play(edit);
            if number % 500 == 0 {
                stage.scene_mut().update();
            }
        }
        stage.scene().validate().unwrap();
        let depths = stage.nodes.iter().map(|&node| stage.scene().depth(node)).collect();
        (stage.scene().len(), depths)
    }
}
