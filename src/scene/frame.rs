//! What a frame asks of a scene: that it be up to date, what there is to draw, and walks over whole slices.

use crate::pass::DrawList;
use crate::scene::Scene;
use crate::store::At;
use crate::visit::{Flow, SliceVisitor, SliceVisitorMut};
use core::ops::ControlFlow;
use glam::DVec3;

impl Scene {
    /// Brings world matrices and inherited visibility and materials up to date, as far as edits have reached.
    ///
    /// Computes in **O(nodes of the slices with changes and below changes + slices above these)**: what changed deep down is
    /// come to through every slice above it, of which most places have a few, and the end of a chain of a million nodes up to a
    /// thousand. A slice that nothing reached is not read, and a scene in which nothing changed costs the same whatever its
    /// size. Never tidies: see [`Scene::maintain`].
    pub fn update(&mut self) {
        self.store.update(false);
    }

    /// Computes every world matrix anew, and all else that is derived, whether it is out of date or not, those of detached
    /// subtrees too.
    ///
    /// Computes in **O(nodes)**. Nothing needs it but measurements and doubts.
    pub fn update_all(&mut self) {
        self.store.update_all();
    }

    /// Lists all visible shapes with their world matrices as of the last update, in place of what the list held.
    ///
    /// Where the list holds what it was filled with from this scene before, only slices that were edited since are listed
    /// again, and only matrices copied that updates computed since. Computes in **O(slices + shapes)** the first time, in
    /// O(slices + shapes of the slices that changed) from then on, and in O(1) where nothing did; shapes behind the first
    /// slice that has more or fewer of them than before are moved up in memory.
    ///
    /// ```
    /// use hedgerow::{Aabb, DrawList, Node, Scene, Shape, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let tree = Node::transform(Transform::from_xyz(0.0, 0.0, 4.0)).with_shape(Shape::new(9, Aabb::cube(1.0)));
    /// let node = scene.insert(scene.root(), tree)?;
    /// scene.update();
    ///
    /// let mut list = DrawList::new();
    /// scene.draw_list(&mut list);
    /// assert_eq!(list.commands()[0].node, node);
    /// assert_eq!(list.matrices()[0].translation().z, 4.0);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn draw_list(&self, list: &mut DrawList) {
        list.refresh(&self.store);
    }

    /// Does what [`Scene::draw_list`] does, and computes the matrices of all that is listed relative to a camera, for worlds
    /// so large that single precision cannot tell where things are: see [`DrawList::relative_matrices`].
    ///
    /// A relative matrix maps to where `camera` is the origin and the axes are the world's. It is composed in double
    /// precision from the local transforms as they are now, not as of the last update, and rounded at the very end: what is
    /// near the camera is exact there, however far from the origin both are. Computes in **O(transforms)** beside the
    /// list.
    ///
    /// ```
    /// use hedgerow::glam::DVec3;
    /// use hedgerow::{Aabb, DrawList, Node, Scene, Shape, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let city = scene.insert(scene.root(), Node::transform(Transform::from_xyz(1e8, 0.0, 0.0)))?;
    /// let lamp = Node::transform(Transform::from_xyz(0.25, 3.0, 0.0)).with_shape(Shape::new(7, Aabb::cube(0.2)));
    /// scene.insert(city, lamp)?;
    /// scene.update();
    ///
    /// let mut list = DrawList::new();
    /// scene.draw_list_relative(DVec3::new(1e8, 1.5, 0.0), &mut list);
    /// assert_eq!(list.relative_matrices()[0].translation().to_array(), [0.25, 1.5, 0.0]);
    /// assert_eq!(list.matrices()[0].translation().x, 1e8, "where single precision has no quarters");
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn draw_list_relative(&self, camera: DVec3, list: &mut DrawList) {
        list.refresh_relative(&self.store, camera);
    }

    /// Shows a visitor every slice in tree order; answers [`Flow::Break`] if it broke off, else [`Flow::Continue`].
    ///
    /// Tree order: each slice before those that hang below it, and these in the order in which they came to hang there, or
    /// depth-first after the slice was reconstituted. Computes in **O(slices)**, and allocates nothing.
    pub fn visit_slices(&self, visitor: &mut impl SliceVisitor) -> Flow {
        let mut next = Some(At::ROOT.slice);
        while let Some(number) = next {
            let flow = visitor.slice(self.store.view(number));
            if flow == Flow::Break {
                return Flow::Break;
            }
            next = self.store.slice_after(number, flow == Flow::Continue);
        }
        Flow::Continue
    }

    /// Shows a visitor that may set local transforms every slice in tree order; answers [`Flow::Break`] if it broke off,
    /// else [`Flow::Continue`].
    ///
    /// Before a slice is shown, what it inherits is brought in line with the slice above as that is then. The order is that
    /// of [`Scene::visit_slices`]. Computes in **O(slices)**, and allocates nothing.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, Transform, visit::{Flow, SliceViewMut, SliceVisitorMut}};
    ///
    /// /// Lifts everything that has a transform.
    /// struct Lift(f32);
    ///
    /// impl SliceVisitorMut for Lift {
    ///     fn slice_mut(&mut self, mut slice: SliceViewMut<'_>) -> Flow {
    ///         for slot in 1..slice.view().transforms().len() {
    ///             let local = slice.view().transforms().local(slot).and_then(|local| local.transform());
    ///             if let Some(mut transform) = local {
    ///                 transform.translation.y += self.0;
    ///                 slice.set_local(slot, transform).expect("a finite transform");
    ///             }
    ///         }
    ///         Flow::Continue
    ///     }
    /// }
    ///
    /// let mut scene = Scene::new();
    /// let node = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
    /// scene.visit_slices_mut(&mut Lift(2.0));
    /// scene.update();
    /// assert_eq!(scene.world(node).unwrap().translation().y, 2.0);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn visit_slices_mut(&mut self, visitor: &mut impl SliceVisitorMut) -> Flow {
        let shown = self.store.show_each(|slice| match visitor.slice_mut(slice) {
            Flow::Break => ControlFlow::Break(()),
            flow => ControlFlow::Continue(flow == Flow::Continue),
        });
        if shown.is_break() { Flow::Break } else { Flow::Continue }
    }
}
