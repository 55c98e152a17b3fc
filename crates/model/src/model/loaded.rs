//! Scenes that were loaded from changed bytes.

use super::dump::dump;
use hedgerow::{DrawList, Scene};

/// Checks what must hold for a scene loaded from any bytes.
pub fn live_on(mut scene: Scene) -> super::Check {
    let checked = |scene: &Scene| scene.validate().map_err(|violation| super::Mismatch(violation.to_string()));
    checked(&scene)?;
    let _ = dump(&scene);
    scene.update();
    checked(&scene)?;
    scene.draw_list(&mut DrawList::new());
    let again = Scene::from_bytes(&scene.to_bytes()).map_err(|error| super::Mismatch(error.to_string()))?;
    ensure!(dump(&again) == dump(&scene), "saved and loaded again it is another");
    let added = scene.insert(scene.root(), hedgerow::Node::group());
    checked(&scene)?;
    if let Ok(added) = added {
        ensure!(scene.remove(added) == Ok(1), "what was inserted cannot be removed");
    }
    scene.maintain(usize::MAX);
    checked(&scene)?;
    scene.clear();
    checked(&scene)
}
