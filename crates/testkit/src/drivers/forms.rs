//! The forms of a tree: bytes, text, and nodes of a scene. Each keeps every bit.

use hedgerow::{Scene, Tree};

/// Panics if a tree that was read is another one in any form.
pub fn hold(tree: &Tree) {
    let same = bits(tree);
    assert_eq!(bits(&Tree::from_bytes(&tree.to_bytes()).expect("bytes of a tree")), same);
    let mut scene = Scene::new();
    let top = scene.insert(scene.root(), hedgerow::Node::group()).expect("the root lives");
    scene.insert_tree(top, tree).expect("a tree that was read is sound");
    assert_eq!(scene.validate(), Ok(()));
    // The tree of a scene begins with the group above.
    let read = |scene: &Scene| bits(&scene.copy_tree(top).expect("the group lives"));
    let below = |tree: Vec<(Option<usize>, String)>| {
        tree.into_iter()
            .skip(1)
            .map(|(above, node)| (above.and_then(|above| above.checked_sub(1)), node))
            .collect::<Vec<_>>()
    };
    assert_eq!(below(read(&scene)), same);
    let loaded = Scene::from_bytes(&scene.to_bytes()).expect("bytes of a scene");
    assert_eq!(read(&loaded), read(&scene));
    #[cfg(feature = "serde")]
    {
        let text = serde_json::to_string(tree).expect("text of a tree");
        assert_eq!(bits(&serde_json::from_slice(text.as_bytes()).expect("what was written is read")), same, "{text}");
        let loaded: Scene = serde_json::from_slice(&serde_json::to_vec(&scene).expect("text")).expect("a scene");
        let whole = |scene: &Scene| bits(&scene.copy_tree(scene.root()).expect("the root lives"));
        assert_eq!(whole(&loaded), whole(&scene));
    }
}

/// Returns the nodes of a tree in depth-first order, each with the place of its parent. Different bits have different
/// texts, even those of zeros.
fn bits(tree: &Tree) -> Vec<(Option<usize>, String)> {
    let (mut first, mut last) = (vec![Vec::new(); tree.len()], Vec::new());
    for index in 0..tree.len() {
        tree.parent(index).map_or(&mut last, |parent| &mut first[parent]).push(index);
    }
    let mut ahead: Vec<(Option<usize>, usize)> = last.into_iter().rev().map(|index| (None, index)).collect();
    let mut all = Vec::new();
    while let Some((above, index)) = ahead.pop() {
        ahead.extend(first[index].iter().rev().map(|&child| (Some(all.len()), child)));
        all.push((above, format!("{:?}", tree.get(index).unwrap())));
    }
    all
}
