//! Where a node's transform was found, kept outside the scene: then its entry need not be read again.

use crate::NodeHandle;
use crate::store::Store;
use crate::store::columns::{NIL, Slot};

/// The effective transform slot of a node, as it was found in a slice whose `places` had this number.
///
/// While the slice has it still, the slot is the node's. So whatever writes the entry of a node (its slice or slot, or
/// that it is gone) must give the slice that the node was in another number in the same call: by
/// [`Store::tell_edited`], [`Slice::tell_edited_here`](crate::store::Slice::tell_edited_here) or
/// [`Store::tell_rebuilt`]. A slice that is made anew begins with another, too, and none that lives has 0.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct CachedSlot {
    scene: u64,
    places: u64,
    pub(in crate::store) slice: u32,
    pub(in crate::store) transform: Slot,
}

impl CachedSlot {
    /// No slot of any node. No scene has the number 0.
    pub(crate) const UNKNOWN: Self = Self { scene: 0, places: 0, slice: NIL, transform: Slot::LOST };
}

impl Store {
    /// Where the transform of a live node is now.
    #[inline]
    pub(crate) fn find_transform(&self, node: NodeHandle) -> Option<CachedSlot> {
        let (entry, slice) = self.look_up(node)?;
        let (scene, places) = (self.scene_number(), slice.transforms.places);
        Some(CachedSlot { scene, places, slice: entry.slice, transform: entry.transform })
    }

    /// Whether a slot that was found is still that of its node.
    #[inline(always)]
    pub(crate) fn holds_cached(&self, at: &CachedSlot) -> bool {
        let places = self.slices.get(at.slice as usize).map(|slice| slice.transforms.places);
        (places == Some(at.places)) & (self.scene_number() == at.scene)
    }
}

#[cfg(test)]
mod tests {
    use crate::edit::CachedHandle;
    use crate::{Keep, Node, NodeHandle, Scene, SceneConfig, Transform};

    /// A scene of one slice below the root's, with nodes in it.
    fn scene() -> (Scene, [NodeHandle; 4]) {
        let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT }).unwrap();
        let car = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
        let mut wheel = || scene.insert(car, Node::transform(Transform::IDENTITY).with_material(1)).unwrap();
        let wheels = [wheel(), wheel(), wheel()];
        scene.update();
        (scene, [car, wheels[0], wheels[1], wheels[2]])
    }

    /// Whether what was found of a node holds after an edit.
    fn holds_after(edit: impl FnOnce(&mut Scene, [NodeHandle; 4])) -> bool {
        let (mut scene, nodes) = scene();
        let found = scene.store.find_transform(nodes[1]).unwrap();
        edit(&mut scene, nodes);
        scene.store.holds_cached(&found)
    }

    #[test]
    fn what_was_found_holds_until_places_change() {
        let place = Transform::from_xyz(1.0, 2.0, 3.0);
        assert!(holds_after(|scene, [_, a, ..]| scene.set_local(a, place).unwrap()));
        assert!(holds_after(|scene, [_, a, ..]| scene.set_local_cached(&mut CachedHandle::new(a), place).unwrap()));
        assert!(holds_after(|scene, [_, a, b, _]| scene.set_locals([(a, place), (b, place)]).unwrap()));
        assert!(holds_after(|scene, [_, a, ..]| scene.set_material(a, 7).unwrap()));
        assert!(holds_after(|scene, [_, a, ..]| assert!(scene.set_word(a, 7).is_ok())));
        assert!(holds_after(|scene, [car, ..]| {
            scene.set_local(car, place).unwrap();
            scene.update();
            scene.visit_slices_mut(&mut crate::visit::TransformPass::dirty());
        }));

        assert!(!holds_after(|scene, [car, ..]| assert!(scene.insert(car, Node::group()).is_ok())));
        assert!(!holds_after(|scene, [_, _, b, _]| assert!(scene.remove(b).is_ok())));
        assert!(!holds_after(|scene, [_, a, b, _]| assert!(scene.reparent(b, a, Keep::Local).is_ok())));
        assert!(!holds_after(|scene, [_, _, b, _]| assert!(scene.remove_local(b).is_ok())));
        assert!(!holds_after(|scene, [car, ..]| assert!(scene.remove(car).is_ok())));
        assert!(!holds_after(|scene, [car, ..]| assert!(scene.remove_later(car).is_ok())));
        assert!(!holds_after(|scene, _| scene.shrink_to_fit()));
        assert!(!holds_after(|scene, _| *scene = scene.clone()));
        assert!(!holds_after(|scene, _| *scene = Scene::load(&scene.save()).unwrap()));
    }
}
