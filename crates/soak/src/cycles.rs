//! Inserts and removes nodes, and checks that memory does not grow.

use fastrand::Rng;
use hedgerow::{Aabb, Drawable, Node, NodeHandle, Scene, Transform};
use hedgerow_testkit::memory::IN_USE;
use std::collections::VecDeque;
use std::time::Instant;

/// The number of subtrees that are alive at the same time.
const LIVE: usize = 2_000;
/// The number of inserted nodes after which the scene is updated and maintained.
const FRAME: u64 = 1_000;

/// Inserts and removes `count` nodes, one inserted subtree for each removed subtree, and compares the memory after each
/// tenth. Returns a line with figures, or an error that says what grew.
pub(crate) fn run(count: u64) -> Result<String, String> {
    let start = Instant::now();
    let mut scene = Scene::new();
    let mut dice = Rng::with_seed(1);
    let mut live: VecDeque<NodeHandle> = VecDeque::new();
    let (mut made, mut removed, mut told) = (0_u64, 0_u64, Vec::new());
    let part = (count / 10).max(1);
    while removed < count {
        // Some subtrees in the list were removed with a subtree above them.
        let picked = live.get(dice.usize(..=live.len() * 2)).copied().filter(|&node| scene.contains(node));
        let parent = picked.unwrap_or(scene.root());
        let local = Transform::from_xyz(dice.f32(), dice.f32(), dice.f32());
        let node = Node::transform(local).with_drawable(Drawable::new(1, Aabb::cube(1.0)));
        let node = if dice.bool() { node.with_name("a part") } else { node.with_material(3) };
        let top = scene.insert(parent, node).map_err(|error| error.to_string())?;
        scene.insert(top, Node::transform(local)).map_err(|error| error.to_string())?;
        made += 2;
        live.push_back(top);
        // Subtrees below a removed subtree were removed with it.
        while live.len() > LIVE {
            let oldest = live.pop_front().expect("more than none");
            if !scene.contains(oldest) {
                continue;
            }
            let gone = scene.remove(oldest);
            removed += gone.map_err(|error| error.to_string())? as u64;
        }
        if made % FRAME == 0 {
            scene.update();
            scene.maintain(usize::MAX);
        }
        if removed / part > told.len() as u64 {
            scene.maintain(usize::MAX);
            scene.validate().map_err(|violation| violation.to_string())?;
            told.push((IN_USE.get(), scene.stats().allocated_bytes(), scene.len()));
        }
    }
    // Memory reaches its usual size in the first tenth, and may then grow by at most a quarter.
    let most = told.iter().skip(1).map(|(bytes, ..)| *bytes).max().unwrap_or(0);
    let first = told.first().map_or(0, |(bytes, ..)| *bytes);
    let line = format!(
        "{made} nodes made, {removed} removed in {} s; (bytes, of the scene, nodes) by tenths: {told:?}",
        start.elapsed().as_secs()
    );
    if most > first + first / 4 { Err(format!("memory grew from {first} to {most} bytes; {line}")) } else { Ok(line) }
}

#[cfg(test)]
mod tests {
    #[test]
    fn nodes_come_and_go_and_memory_stays() {
        super::run(200_000).unwrap();
    }
}
