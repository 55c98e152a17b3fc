//! Picking, and editing with undo and redo.

use crate::camera::Camera;
use crate::failure::{Failure, Result};
use crate::stage::Stage;
use hedgerow::glam::{DAffine3, DVec3, Vec2, Vec3};
use hedgerow::query::{Pick, Selected};
use hedgerow::{Aabb, Keep, Layers, Local, NodeHandle, Place, Scene};

/// The picked node, and the history of edits.
///
/// If the stage has a document, its steps are the history. The simulations of other stages keep handles of nodes, so
/// there nodes are detached instead of removed.
#[derive(Default)]
pub struct Editor {
    /// The picked node.
    pub picked: Option<NodeHandle>,
    done: Vec<Edit>,
    undone: Vec<Edit>,
    dragged: Option<Drag>,
    /// The node whose local transform is being adjusted.
    adjusted: Option<NodeHandle>,
    /// Where a ray hit the picked node.
    hit: Option<Hit>,
    /// What is in the rectangle that was drawn last.
    pub selected: Vec<Selected>,
}

/// A hit, and its place in the node's space.
#[derive(Clone, Copy, Debug)]
struct Hit {
    place: DVec3,
    pick: Pick,
}

/// An edit to undo or to redo.
#[derive(Clone, Copy, Debug)]
enum Edit {
    /// Sets the local transform of a node.
    Move(NodeHandle, Option<Local>),
    /// Sets the layers of a node.
    Show(NodeHandle, Option<Layers>),
    /// Attaches a detached subtree at `Home`.
    Attach(NodeHandle, Home),
    Detach(NodeHandle),
}

/// The position of a node in the tree.
#[derive(Clone, Copy, Debug)]
struct Home {
    parent: NodeHandle,
    before: Option<NodeHandle>,
}

struct Drag {
    node: NodeHandle,
    before: Option<Local>,
    /// The node's world matrix when the node was grabbed, and the grabbed point in world space.
    world: DAffine3,
    taken: DVec3,
    moved: bool,
    /// Whether the move is a step of the stage's document.
    is_step: bool,
}

impl Editor {
    /// Picks the nearest triangle at a point of the picture, in normalised device coordinates.
    pub fn pick(&mut self, stage: &mut Stage, camera: &Camera, aspect: f32, place: Vec2) -> Result<Option<Pick>> {
        let pick = stage.pick(camera, aspect, place)?;
        self.selected.clear();
        self.picked = pick.map(|pick| pick.drawn.node);
        self.hit = pick.and_then(|pick| {
            let world = stage.scene.get(pick.drawn.node)?.world_f64();
            Some(Hit { place: world.inverse().transform_point3(pick.position), pick })
        });
        Ok(pick)
    }

    /// Selects what is in the rectangle between two points, and picks it if it is one node.
    pub fn select(&mut self, stage: &mut Stage, camera: &Camera, aspect: f32, corners: [Vec2; 2]) -> Result<()> {
        self.hit = None;
        stage.select(camera, &camera.rectangle(aspect, corners)?, &mut self.selected)?;
        self.picked = if let [one] = &self.selected[..] { Some(one.drawn.node) } else { None };
        Ok(())
    }

    /// Picks and selects nothing.
    pub fn pick_nothing(&mut self) {
        self.picked = None;
        self.selected.clear();
    }

    /// Returns a line along the normal of what was picked by a ray, if it is picked still.
    #[must_use]
    pub fn normal(&self, scene: &Scene) -> Option<[DVec3; 2]> {
        let Hit { place, pick } = self.hit.filter(|hit| self.picked == Some(hit.pick.drawn.node))?;
        let world = scene.get(pick.drawn.node)?.world_f64();
        let begin = world.transform_point3(place);
        let normal = world.matrix3.inverse().transpose() * pick.hit.normal;
        Some([begin, begin + normal.normalize_or_zero() * (0.08 * pick.distance)])
    }

    /// Picks the node at a point, to drag it. Returns whether there is a node at the point.
    pub fn grab(&mut self, stage: &mut Stage, camera: &Camera, aspect: f32, place: Vec2) -> Result<bool> {
        let Some(pick) = self.pick(stage, camera, aspect, place)? else { return Ok(false) };
        let (node, taken) = (pick.drawn.node, pick.position);
        let Some(world) = stage.scene.get(node).map(|node| node.world_f64()) else { return Ok(false) };
        self.dragged = Some(Drag { node, before: stage.scene.local(node), world, taken, moved: false, is_step: false });
        Ok(true)
    }

    /// Moves the grabbed node to another point of the picture, at the same distance from the camera.
    pub fn drag(&mut self, stage: &mut Stage, camera: &Camera, aspect: f32, place: Vec2) -> Result<()> {
        let Some(drag) = &mut self.dragged else { return Ok(()) };
        if !stage.scene.contains(drag.node) {
            self.dragged = None;
            return Ok(());
        }
        let ray = camera.ray(aspect, place)?;
        let (forward, taken) = (camera.forward, (drag.taken - camera.eye).as_vec3());
        let along = forward.dot(ray.direction()).max(1e-3);
        let to = ray.origin() + ray.direction() * (forward.dot(taken - ray.origin()) / along);
        let mut wide = drag.world;
        wide.translation += (to - taken).as_dvec3();
        stage.scene.edit(drag.node)?.set_world_f64(wide)?;
        drag.moved = true;
        if let Some((scene, prefabs)) = stage.prefabs() {
            drag.is_step |= prefabs.commit(scene, drag.is_step)?;
        }
        Ok(())
    }

    /// Ends the drag.
    #[expect(clippy::should_implement_trait, reason = "what is dragged is dropped")]
    pub fn drop(&mut self) {
        if let Some(drag) = self.dragged.take().filter(|drag| drag.moved && !drag.is_step) {
            self.note(Edit::Move(drag.node, drag.before));
        }
        self.settle();
    }

    /// Returns whether a node is being dragged and has moved.
    #[must_use]
    pub fn is_dragging(&self) -> bool {
        self.dragged.as_ref().is_some_and(|drag| drag.moved)
    }

    /// Sets a local transform. All calls until [`Editor::settle`] count as one edit.
    pub fn adjust(&mut self, stage: &mut Stage, node: NodeHandle, local: Local) -> Result<()> {
        let (before, goes_on) = (stage.scene.local(node), self.adjusted == Some(node));
        stage.scene.set_local(node, local)?;
        if let Some((scene, prefabs)) = stage.prefabs() {
            if prefabs.commit(scene, goes_on)? {
                self.adjusted = Some(node);
            }
        } else if !goes_on {
            self.note(Edit::Move(node, before));
            self.adjusted = Some(node);
        }
        Ok(())
    }

    /// Ends the edit that [`Editor::adjust`] began.
    pub fn settle(&mut self) {
        self.adjusted = None;
    }

    /// Sets the layers of a subtree; `None` gives it the parent's layers.
    pub fn show(&mut self, stage: &mut Stage, node: NodeHandle, layers: Option<Layers>) -> Result<()> {
        if let Some(back) = self.apply(&mut stage.scene, Edit::Show(node, layers))? {
            self.record(stage, back)?;
        }
        Ok(())
    }

    /// Takes the picked subtree out of the tree, or all that is selected; each is an edit. If one cannot be deleted, the
    /// others are, and it stays picked.
    pub fn delete(&mut self, stage: &mut Stage) -> Result<()> {
        let selected = std::mem::take(&mut self.selected);
        let nodes = match self.picked.take() {
            Some(node) => vec![node],
            None => selected.iter().map(|selected| selected.drawn.node).collect(),
        };
        let mut all = Ok(());
        for node in nodes {
            let deleted = self.delete_node(stage, node);
            if deleted.is_err() {
                self.picked = Some(node);
            }
            all = all.and(deleted);
        }
        all
    }

    fn delete_node(&mut self, stage: &mut Stage, node: NodeHandle) -> Result<()> {
        let scene = &stage.scene;
        if scene.get(node).is_none_or(|node| node.is_detached()) {
            return Ok(());
        }
        let Some(home) = Home::of(scene, node) else { return Err(Failure::new("the root cannot be deleted")) };
        if let Some((scene, prefabs)) = stage.prefabs() {
            scene.remove(node)?;
            prefabs.commit(scene, false)?;
            self.settle();
            return Ok(());
        }
        stage.scene.reparent(node, Place::Detached, Keep::Local)?;
        self.note(Edit::Attach(node, home));
        Ok(())
    }

    /// Copies the picked subtree as a sibling, and picks the copy.
    pub fn duplicate(&mut self, stage: &mut Stage) -> Result<()> {
        let scene = &mut stage.scene;
        let Some(node) = self.picked.filter(|&node| scene.contains(node)) else { return Ok(()) };
        if scene.parent(node).is_none() {
            return Err(Failure::new("the root cannot be duplicated"));
        }
        let tree = scene.copy_tree(node)?;
        let copy = scene.insert_tree(Place::After(node), &tree).map_err(hedgerow::Error::from)?[0];
        self.picked = Some(copy);
        self.record(stage, Edit::Detach(copy))
    }

    /// Undoes the last edit. Returns whether there was an edit.
    pub fn undo(&mut self, stage: &mut Stage) -> Result<bool> {
        self.settle();
        if let Some((scene, prefabs)) = stage.prefabs() {
            return Ok(prefabs.go(scene, true)?.inspect(|&node| self.picked = node).is_some());
        }
        let Some(edit) = self.done.pop() else { return Ok(false) };
        if let Some(back) = self.apply(&mut stage.scene, edit)? {
            self.undone.push(back);
        }
        Ok(true)
    }

    /// Redoes the edit that was undone last. Returns whether there was an edit.
    pub fn redo(&mut self, stage: &mut Stage) -> Result<bool> {
        self.settle();
        if let Some((scene, prefabs)) = stage.prefabs() {
            return Ok(prefabs.go(scene, false)?.inspect(|&node| self.picked = node).is_some());
        }
        let Some(edit) = self.undone.pop() else { return Ok(false) };
        if let Some(back) = self.apply(&mut stage.scene, edit)? {
            self.done.push(back);
        }
        Ok(true)
    }

    /// Returns how many edits can be undone and redone.
    #[must_use]
    pub fn depth(&self, stage: &Stage) -> [usize; 2] {
        stage.steps().unwrap_or([self.done.len(), self.undone.len()])
    }

    /// Records an edit that was made, by the edit that takes it back.
    fn record(&mut self, stage: &mut Stage, back: Edit) -> Result<()> {
        self.settle();
        match stage.prefabs() {
            Some((scene, prefabs)) => _ = prefabs.commit(scene, false)?,
            None => self.note(back),
        }
        Ok(())
    }

    fn note(&mut self, edit: Edit) {
        self.done.push(edit);
        self.undone.clear();
        self.adjusted = None;
    }

    /// Applies an edit. Returns the inverse edit; `None` if the scene has removed the node.
    fn apply(&mut self, scene: &mut Scene, edit: Edit) -> Result<Option<Edit>> {
        let (Edit::Move(node, _) | Edit::Show(node, _) | Edit::Attach(node, _) | Edit::Detach(node)) = edit;
        if !scene.contains(node) {
            return Ok(None);
        }
        match edit {
            Edit::Move(node, local) => {
                let now = scene.local(node);
                scene.edit(node)?.set_local(local)?;
                self.picked = Some(node);
                Ok(Some(Edit::Move(node, now)))
            }
            Edit::Show(node, layers) => {
                let now = scene.get(node).and_then(|node| node.own_layers());
                scene.edit(node)?.set_layers(layers);
                self.picked = Some(node);
                Ok(Some(Edit::Show(node, now)))
            }
            Edit::Attach(node, home) => {
                if !scene.contains(home.parent) {
                    return Ok(None);
                }
                let before = home.before.filter(|&before| scene.parent(before) == Some(home.parent));
                scene.reparent(node, before.map_or(Place::FirstChildOf(home.parent), Place::After), Keep::Local)?;
                self.picked = Some(node);
                Ok(Some(Edit::Detach(node)))
            }
            Edit::Detach(node) => {
                let Some(home) = Home::of(scene, node) else { return Ok(None) };
                scene.reparent(node, Place::Detached, Keep::Local)?;
                self.picked = None;
                Ok(Some(Edit::Attach(node, home)))
            }
        }
    }

    /// Returns the boxes of the picked subtree at the last update.
    #[must_use]
    pub fn boxes(&self, scene: &Scene) -> Vec<Aabb> {
        let picked = self.picked.filter(|&node| scene.get(node).is_some_and(|node| !node.is_detached()));
        let bounds = picked.and_then(|node| scene.get(node).map(|node| node.subtree_bounds()));
        bounds.into_iter().filter(|bounds| !bounds.is_empty() && bounds.is_finite()).collect()
    }
}

impl Home {
    fn of(scene: &Scene, node: NodeHandle) -> Option<Self> {
        Some(Self {
            parent: scene.parent(node)?,
            before: scene.get(node).and_then(|node| node.previous_sibling()).map(|node| node.handle()),
        })
    }
}

/// An orbit of a camera around a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orbit {
    /// The target.
    pub target: DVec3,
}

impl Orbit {
    /// Turns the camera around the target, by angles to the right and up, in radians.
    pub fn turn(&self, camera: &mut Camera, right: f32, up: f32) {
        let away = (camera.eye - self.target).as_vec3();
        let distance = away.length().max(1e-4);
        let (azimuth, height) = (away.x.atan2(away.z) - right, (away.y / distance).clamp(-1.0, 1.0).asin() + up);
        let height = height.clamp(-1.5, 1.5);
        let away = Vec3::new(height.cos() * azimuth.sin(), height.sin(), height.cos() * azimuth.cos());
        *camera = Camera {
            eye: self.target + (away * distance).as_dvec3(),
            forward: -away,
            up: Camera::above(-away),
            ..*camera
        };
    }

    /// Moves camera and target to the right and up, by fractions of the distance between them.
    pub fn pan(&mut self, camera: &mut Camera, right: f32, up: f32) {
        let side = camera.forward.cross(camera.up).normalize_or(Vec3::X);
        let distance = (camera.eye - self.target).length();
        let step = (side * right + side.cross(camera.forward) * up).as_dvec3() * distance;
        camera.eye += step;
        self.target += step;
    }

    /// Multiplies the distance to the target by a factor.
    pub fn zoom(&self, camera: &mut Camera, factor: f32) {
        camera.eye = self.target + (camera.eye - self.target) * f64::from(factor.clamp(0.1, 10.0));
    }
}

/// Turns the camera at its place, by angles to the right and up, in radians.
pub fn look(camera: &mut Camera, right: f32, up: f32) {
    let forward = camera.forward;
    let (azimuth, height) = (forward.x.atan2(-forward.z) + right, forward.y.clamp(-1.0, 1.0).asin() + up);
    let height = height.clamp(-1.5, 1.5);
    camera.forward = Vec3::new(height.cos() * azimuth.sin(), height.sin(), -height.cos() * azimuth.cos());
    camera.up = Camera::above(camera.forward);
}

/// Moves the camera by distances to the right, up and ahead, in metres.
pub fn fly(camera: &mut Camera, [right, up, ahead]: [f32; 3]) {
    let side = camera.forward.cross(Vec3::Y).normalize_or(Vec3::X);
    camera.eye += (side * right + Vec3::Y * up + camera.forward * ahead).as_dvec3();
}
