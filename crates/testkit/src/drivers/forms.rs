//! The forms of a tree: bytes, text, patches, and nodes of a scene. Each keeps every bit.

use super::patch::{between, bits, placed};
use hedgerow::patch::{Instance, Patch};
use hedgerow::{Scene, Tree};

/// Panics if a tree that was read is another one in any form.
pub fn hold(tree: &Tree) {
    let same = bits(tree);
    assert_eq!(bits(&Tree::from_bytes(&tree.to_bytes()).expect("bytes of a tree")), same);
    let (mut scene, mut instance) = placed(tree);
    assert_eq!(scene.validate(), Ok(()));
    let read = |scene: &Scene, instance: &Instance| bits(&instance.tree(scene).expect("the root stays"));
    assert_eq!(read(&scene, &instance), same);
    let insertion = between(&Tree::new(), tree);
    let bytes = insertion.to_bytes();
    assert_eq!(Patch::from_bytes(&bytes).expect("bytes of a patch").to_bytes(), bytes);
    let loaded = Scene::from_bytes(&scene.to_bytes()).expect("bytes of a scene");
    assert_eq!(read(&loaded, &instance), same);
    #[cfg(feature = "serde")]
    {
        let text = serde_json::to_string(tree).expect("text of a tree");
        assert_eq!(bits(&serde_json::from_str(&text).expect("what was written is read")), same, "{text}");
        let text = serde_json::to_string(&insertion).expect("text of a patch");
        let patch: Patch = serde_json::from_str(&text).expect("what was written is read");
        assert!(patch.to_bytes() == bytes, "{text}");
        let loaded: Scene = serde_json::from_str(&serde_json::to_string(&scene).expect("text")).expect("a scene");
        let whole = |scene: &Scene| bits(&scene.tree(scene.root()).expect("the root lives"));
        assert_eq!(whole(&loaded), whole(&scene));
    }
    // The first undo ends with the tree, the second with nothing.
    for patch in [&insertion.inverse(), &insertion, &insertion.inverse()] {
        patch.apply(&mut scene, &mut instance).expect("it fits");
    }
    assert!(read(&scene, &instance).is_empty());
}
